/* Prints the watched functions, one a line: the list it is in, its name, the file that interposes it ("-":
 * none), its effect, its hazard. */
#include <stdio.h>
#include "runtime/watched_functions.h"

#define ROW(list, name, where, effect, hazard)                                                               \
    printf("%s %s %s %s %s\n", list, #name, where[0] ? where : "-", #effect, #hazard);
#define EVERYWHERE(...) ROW("everywhere", __VA_ARGS__)
#define DYNAMIC(...) ROW("dynamic", __VA_ARGS__)
#define IF_POSSIBLE(...) ROW("if-possible", __VA_ARGS__)
#define LOOKUPS(...) ROW("lookups", __VA_ARGS__)
#define ALIASES(...) ROW("aliases", __VA_ARGS__)
#define STATIC(...) ROW("static", __VA_ARGS__)
#define START(...) ROW("start", __VA_ARGS__)
#define TRACED(...) ROW("traced", __VA_ARGS__)
#define BY_COMPILER(...) ROW("by-compiler", __VA_ARGS__)
#define ALL(...) ROW("all", __VA_ARGS__)

int main(void)
{
    WATCHED_EVERYWHERE(EVERYWHERE)
    WATCHED_DYNAMIC(DYNAMIC)
    WATCHED_IF_POSSIBLE(IF_POSSIBLE)
    WATCHED_LOOKUPS(LOOKUPS)
    WATCHED_ALIASES(ALIASES)
    WATCHED_STATIC(STATIC)
    WATCHED_START(START)
    WATCHED_TRACED(TRACED)
    WATCHED_BY_COMPILER(BY_COMPILER)
    WATCHED_FUNCTIONS(ALL)
    return 0;
}
