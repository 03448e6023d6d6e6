#!/usr/bin/env bash
# A report in a browser, used as a person would: open, sort, filter, open a file, follow an anchor,
# search, fold, open a function's graph, choose a block, a line and a path; light and dark, keys,
# print. What is shown is what JSON says. Nothing is fetched, and nothing from a file runs.
set -eu
. "$COTREE_TOP/tests/html/browser.sh"

mkdir -p src/deep
hostile='<img src=x onerror="window.owned=1">.c'
cat >src/main.c <<'C'
#include <stdio.h>
int classify(int n);
int hostile(int n) __asm__("<svg onload=window.owned=1>&amp;\"'");
int unused(int n);
int helper(int n);

/* </script><script>window.owned=1</script>
   A comment of several lines. */
int unused(int n)
{
    if (n)
        return 7;
    return n + 1;
}

int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
        sum += classify(i);
        if (i % 100 == 99)
            sum += hostile(i);
    }
    if (argc > 5)
        sum += unused(argc);
    printf("%ld %s\n", sum, argv[0] ? "</script><b>" : "&lt;?");
    return helper(argc) < 0;
}
C
cat >src/deep/classify.c <<'C'
int classify(int n)
{
    int kind = 0;
    for (int k = 0; k < 3; k++) {
        if ((n + k) % 5 == 0)
            kind += 1;
        else if (n > 10000)
            return -1;
        switch (n % 4) {
        case 0: kind += 2; break;
        case 1: kind += n; break;
        default: kind++;
        }
    }
    return kind;
}
C
cat >"src/deep/$hostile" <<'C'
int hostile(int n) __asm__("<svg onload=window.owned=1>&amp;\"'");
int hostile(int n)
{
    return n > 500 ? 1 : 2; // <img src=x onerror=window.owned=1>
}
C
{ for i in $(seq 3000); do echo "/* line $i */"; done; echo 'int helper(int n)'; echo '{'; echo \
    '    return n > 0 ? n : -1; /* needle */'; echo '}'; } >src/deep/long.c
"$cotree" cc -O1 -fcotree=paths src/main.c src/deep/*.c -o prog
for i in 1 2 3; do ./prog >/dev/null; done
"$cotree" report ./prog prog.*.cotree --format=json -o report.json
"$cotree" report ./prog prog.*.cotree --format=html -o report.html
"$cotree" report ./prog prog.*.cotree --format=html --no-source -o bare.html
"$cotree" report ./prog prog.*.cotree --format=html --source-map="$PWD/src=/elsewhere" -o missing.html
if grep -q 'sum += classify' bare.html; then echo "a source with --no-source"; exit 1; fi
# Sources under absolute paths, which come first, and relative ones in one page.
"$cotree" report ./prog prog.*.cotree --format=html --source-map="$PWD/src/main.c=src/main.c" -o mixed.html
made made.cotree
"$cotree" report made.cotree --format=html -o made.html
"$cotree" report made.cotree --format=json -o made.json

# Paths that did not end: exit in the middle of a loop's body, and by ways that cannot be told apart.
cat >cut.c <<'C'
#include <stdlib.h>
static int steps;
__attribute__((noinline)) static void leave(int now)
{
    if (now)
        exit(0);
}
__attribute__((noinline)) static int walk(int n)
{
    for (int i = 0; i < n; i++) {
        steps += i % 2 ? 3 : 5;
        leave(i == 6); steps++;
        steps ^= 1;
    }
    return steps;
}
int main(void) { return walk(100) == 1; }
C
"$cotree" cc -O1 -fcotree=paths cut.c -o cut
./cut
"$cotree" report ./cut cut.*.cotree --format=json -o cut.json
"$cotree" report ./cut cut.*.cotree --format=html -o cut.html

# The name of the program is in the head of the page.
mkdir 'a"><img src=x onerror=window.owned=1>'
cp prog 'a"><img src=x onerror=window.owned=1>/<script>window.owned=1<&'
"$cotree" report 'a"><img src=x onerror=window.owned=1>/<script>window.owned=1<&' prog.*.cotree \
    --format=html -o named.html

in_browser "$COTREE_TOP/tests/html/report.js" "$PWD"
