#!/usr/bin/env bash
# Response files work as with clang, whoever's options are in them, nested, quoted, or longer than a
# command line can be.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
mkdir 'a dir'; cp a.c 'a dir/a "quoted" \ file.c'

echo '-c a.c -O1' >plain
only_added @plain
has "$(steps_of cotree cc @plain)" sets=edges

echo '-c a.c -fcotree=blocks -O1' >ours
text=$(steps_of cotree cc @ours)
has "$text" sets=blocks -O1 a.c
hasnt "$text" -fcotree=

printf '%s\n' '@ours' "-DX='a b'" '-DY="\"z\""' >outer
text=$(steps_of cotree cc @outer)
has "$text" sets=blocks 'X=a b'

cat >quoted <<'END'
-c "a dir/a \"quoted\" \\ file.c"
-fcotree=every-edge -o 'a dir/x.o'
END
text=$(steps_of cotree cc @quoted)
has "$text" 'a dir/x.o' sets=every-edge
plain_steps=$(steps_of "$clang" -c 'a dir/a "quoted" \ file.c' -o 'a dir/x.o')
[ "$(echo "$text" | without_ours)" = "$(echo "$plain_steps" | without_ours)" ]

# Far above what execve takes, with an option of ours among it; clang must see every word.
awk '
    BEGIN {
        print "-fcotree=blocks"
        text = sprintf("%100s", "")
        gsub(" ", "x", text)
        for (i = 0; i < 25000; i++) print "-DNAME_" i "=" text i
        print "-c\na.c"
    }' >long
cotree cc @long -### >long.out 2>&1
has "$(head -c 3000 long.out)" clang
grep -q 'NAME_24999=x*24999' long.out
grep -q 'sets=blocks' long.out

# Missing files and files that name themselves are clang's to refuse.
for file in missing loop; do
    [ $file = loop ] && echo '@loop' >loop
    ours=0; cotree cc -c @$file >ours.out 2>&1 || ours=$?
    plain=0; $clang -c @$file >plain.out 2>&1 || plain=$?
    [ $ours -eq $plain ] && [ $ours -ne 0 ]
    cmp ours.out plain.out
done

# A list of patterns longer than one word of a command line may be.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "a_function_that_does_not_exist_" i; print "ma*n" }' >patterns
cotree cc -fcotree-exclude-functions=@patterns a.c b.c -o prog
rm -f ./*.cotree && ./prog >output && cotree report --format=json prog prog.*.cotree -o report.json
[ "$(jq -r '.functions[].name' report.json)" = twice ]
