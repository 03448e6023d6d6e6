/* Code that counts before everything else: a resolver of an indirect function. */
#include "handmade.h"

COUNTERS(counters, 0x8001, 2)

static int answer(void)
{
    COUNT(counters, 1);
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    COUNT(counters, 0);
    return answer;
}

int question(void) __attribute__((ifunc("resolve")));

int main(void)
{
    return question() == 42 ? 0 : 1;
}
