#!/usr/bin/env bash
# `cotree diff --format=html` in a browser: what ran more, less, newly, no longer, with the counts
# that JSON has.
set -eu
. "$COTREE_TOP/tests/html/browser.sh"

cat >prog.c <<'C'
#include <stdlib.h>
int more(int n) { return n * 2; }
int less(int n) { return n * 3; }
int newly(int n) { return n * 5; }
int gone(int n) { return n * 7; }
int same(int n) { return n + 1; }
int main(int argc, char **argv)
{
    int sum = 0, work = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < work; i++)
        sum += more(i);
    for (int i = 0; i < 100 - work; i++)
        sum += less(i);
    if (work > 50)
        sum += newly(work);
    else
        sum += gone(work);
    sum += same(sum); /* </script><script>window.owned=1</script> */
    return sum == 12345;
}
C
"$cotree" cc -O1 prog.c -o prog
COTREE_FILE=old.cotree ./prog 10
COTREE_FILE=new.cotree ./prog 90
"$cotree" diff --format=json ./prog old.cotree new.cotree -o diff.json
"$cotree" diff --format=html ./prog old.cotree new.cotree -o diff.html

# A function that is not counted in one of two builds: whether it ran more or less is not known.
cat >early.c <<'C'
int level(int n)
{
    return n + 2;
}
int one(void) { return 1; }
#ifdef EARLY
static void *resolve(void) { return level(1) ? (void *)one : (void *)0; }
int chosen(void) __attribute__((ifunc("resolve")));
#else
int chosen(void) { return one(); }
#endif
int main(void) { return level(1) + chosen() != 4; }
C
for build in EARLY LATE; do
    "$cotree" cc -O1 -fno-inline -D$build early.c -o $build
    COTREE_FILE=$build.cotree ./$build
    "$cotree" merge -q ./$build $build.cotree -o $build.profile
done
"$cotree" diff --format=json EARLY.profile LATE.profile -o appears.json
"$cotree" diff --format=html EARLY.profile LATE.profile -o appears.html
"$cotree" diff --format=json LATE.profile EARLY.profile -o vanishes.json
"$cotree" diff --format=html LATE.profile EARLY.profile -o vanishes.html
# Paths, those that did not end among them; in a report's page, too.
cat >cut.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) int deep(int n)
{
    if (n > 3)
        exit(0);
    return n;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = atoi(argv[1]);; i++) {
        if (i & 1)
            sum += 2;
        sum += deep(i);
        sum ^= 1;
    }
}
C
"$cotree" cc -O1 -fcotree=paths cut.c -o cut
COTREE_FILE=cut-old.cotree ./cut 1
COTREE_FILE=cut-new.cotree ./cut 5
"$cotree" diff --paths --format=json ./cut cut-old.cotree cut-new.cotree -o cut.json
"$cotree" diff --paths --format=html ./cut cut-old.cotree cut-new.cotree -o cut.html
"$cotree" report --format=json ./cut cut-old.cotree -o cut-report.json
"$cotree" report --format=html ./cut cut-old.cotree -o cut-report.html
in_browser "$COTREE_TOP/tests/html/diff.js" "$PWD"
refuses 1 "no paths were counted" "$cotree" diff --paths --format=html ./prog old.cotree new.cotree
