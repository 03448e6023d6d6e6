#!/usr/bin/env bash
# Traced code that a resolver of an ifunc calls, before there is a runtime, has no trace: that is
# said. Where the compiler sees the call it is left plain, and its own counts are not known.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >main.c <<'C'
#include <stdio.h>
int helper(int x);
extern int helper_calls;
static int one(void) { return 1; }
static int two(void) { return 2; }
static void *resolve(void) { return helper(1) > 3 ? (void *)one : (void *)two; }
int chosen(void) __attribute__((ifunc("resolve")));
int main(void)
{
    printf("%d %d\n", chosen(), helper_calls);
    return 0;
}
C
cat >helper.c <<'C'
int helper_calls;
__attribute__((noinline)) int helper(int x)
{
    helper_calls++;
    for (int i = 0; i < 3; i++)
        x += i;
    return x;
}
C
cat main.c helper.c >both.c
for flags in '' -static '-fno-pie -no-pie'; do
    for sources in 'main.c helper.c' both.c; do
        "$cotree" cc -O1 -fcotree=trace $flags $sources -o prog
        rm -f ./*.cotree*
        [ "$(COTREE_FILE=a.cotree COTREE_FOLLOWER=off ./prog)" = '1 1' ] ||
            fail "'$flags' $sources: the output"
        "$cotree" report --format=json prog a.cotree >json
        jq -e '[.functions[] | select(.name == "helper" and .exact)] | length == 0' json >/dev/null ||
            fail "'$flags' $sources: $(jq \
            -c '[.exact, .why_not_exact, (.functions[] | [.name, .entries, .exact])]' json)"
    done
    # Without such a call nothing is said.
    sed 's/helper(1) > 3/1/' main.c >without.c
    "$cotree" cc -O1 -fcotree=trace $flags without.c helper.c -o prog
    COTREE_FILE=b.cotree COTREE_FOLLOWER=off ./prog >/dev/null
    "$cotree" report --format=json prog b.cotree |
        jq -e '[.functions[] | select(.entries != null) | .exact] | all' >/dev/null ||
        fail "'$flags': not exact without a call"
done

# A function of the program's own that the C library of a static program calls before anything else:
# it is named.
cat >copies.c <<'C'
#include <stdio.h>
void *memcpy(void *to, const void *from, unsigned long size)
{
    char *t = to;
    for (const char *f = from; size; size--)
        *t++ = *f++;
    return to;
}
int main(int argc, char **argv)
{
    char text[8];
    memcpy(text, argv[0], argc + 1);
    return text[0] == 0;
}
C
"$cotree" cc -w -O1 -fno-builtin -static -fcotree=trace copies.c -o prog
COTREE_FILE=c.cotree COTREE_FOLLOWER=off ./prog
"$cotree" report --format=json prog c.cotree >json
jq -e '(.why_not_exact[0] | startswith("memcpy was run before the runtime started"))' json >/dev/null ||
    fail "memcpy is not named: $(jq -c .why_not_exact json)"
