# Makes a program count its own lines: every line with a comment `count: N` counts itself before it
# does what it does, in plain C. For the test that the numbers in those comments are right; it
# shares nothing with cotree. unit: the number of the source file.
/\/\* count: [0-9]+ \*\// {
    match($0, /^[ \t]*/)
    margin = substr($0, 1, RLENGTH); statement = substr($0, RLENGTH + 1)
    comment = match(statement, /\/\* count: /)
    rest = substr(statement, comment); statement = substr(statement, 1, comment - 1)
    hit = "count_line(" unit ", " FNR ");"
    # Declarations must stay in their block, and `if` without its branch is half a statement;
    # everything else may be the one statement of a branch.
    if (statement ~ /^(const |volatile |unsigned |struct )*(int|char|long|void|unsigned|ssize_t|pid_t|FILE|guard|part|whole|element)( |\*)/ || statement ~ /^if /)
        print margin hit " " statement rest
    else
        print margin "{ " hit " " statement "}" rest
    next
}
{ print }
