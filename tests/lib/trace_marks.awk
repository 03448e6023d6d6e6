# Textual IR of clang, before any pass, with marks for trace_runtime.c: where activations end
# (`ret`, `resume`; in a block that ends in `unreachable`, before the last call that it makes), and
# behind calls of setjmp, which may return again. Calls make no blocks. A function whose first block
# ends in `unreachable` has no guards, and gets no marks, like a block that holds nothing else.
function is_call(s) { return s ~ /^ *(%[^ ]+ = )?(tail |notail )?call / && s !~ /@llvm\.(lifetime|dbg)/ }
function put_block(    i, at) {
    if (!count) return
    if (blocks++ && count > 1 && lines[count] ~ /^ *unreachable/) {
        for (i = count - 1; i > 0 && !at; i--)
            if (is_call(lines[i]) && lines[i] !~ /@llvm\./ && lines[i] !~ / asm /) at = i
        if (!at) at = count > 1 && is_call(lines[count - 1]) ? count - 1 : count
    }
    for (i = 1; i <= count; i++) {
        if (i == at) print "  call void @oracle_stays()"
        if (lines[i] ~ /^ *(ret|resume) /) print "  call void @oracle_left()"
        print lines[i]
        if (match(lines[i], /^ *%[^ ]+ = call i32 @(_setjmp|setjmp|__sigsetjmp|sigsetjmp)\(/)) {
            split(lines[i], words, " ")
            print "  call void @oracle_returned(i32 " words[1] ")"
        }
    }
    count = 0
}
/^define / { print; inside = 1; blocks = 0; next }
/^}/ { put_block(); inside = 0 }
!inside { print; next }
/^("[^"]*"|[-A-Za-z0-9$._]+):/ || /^$/ { put_block(); print; next }
{ lines[++count] = $0; if (/^ *unreachable/) put_block() }
END {
    print "declare void @oracle_stays()"
    print "declare void @oracle_left()"
    print "declare void @oracle_returned(i32)"
}
