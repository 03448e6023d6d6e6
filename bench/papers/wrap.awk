# Markdown -> the same with paragraphs wrapped at 100 columns. Tables, headings, pictures, lists and code are
# left as they are; the papers' pages have no other markup.
function flush(    i, line) {
    for (i = 1; i <= count; i++) {
        if (line != "" && length(line) + 1 + length(words[i]) > 100) {
            print line
            line = ""
        }
        line = line == "" ? words[i] : line " " words[i]
    }
    if (line != "")
        print line
    count = 0
}
/^$/ || /^[|#! ]/ || /^[-*] / { flush(); print; next }
{ for (i = 1; i <= NF; i++) words[++count] = $i }
END { flush() }
