/*
 * Leaves DEPTH frames behind, TIMES times: `frames HOW TIMES DEPTH` (bench/frames.sh). Also compiled as C++.
 *   again   longjmp over the same frames
 *   anew    longjmp over frames of two functions, in an order that does not come again
 *   throw   a C++ exception, caught; no frame has a clean-up
 *   exit    once, from there
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf target;
static uint64_t order = 1;
static volatile int zero;
static enum how { AGAIN, ANEW, THROW, EXIT } how;

static uint64_t next(void)
{
    order ^= order << 13;
    order ^= order >> 7;
    return order ^= order << 17;
}

__attribute__((noinline)) static int leave(void)
{
#ifdef __cplusplus
    if (how == THROW)
        throw 1;
#endif
    if (how == EXIT)
        exit(0);
    longjmp(target, 1);
}

static int right(int depth, uint64_t way);
__attribute__((noinline)) static int left(int depth, uint64_t way)
{
    int result = depth == 0 ? leave() : way & 1 ? right(depth - 1, way >> 1) : left(depth - 1, way >> 1);
    return result + zero;
}

__attribute__((noinline)) static int right(int depth, uint64_t way)
{
    int result = depth == 0 ? leave() : way & 1 ? right(depth - 1, way >> 1) : left(depth - 1, way >> 1);
    return result - zero;
}

__attribute__((noinline)) static void once(int depth)
{
    uint64_t way = next();
    if (how != ANEW)
        way = 0;
#ifdef __cplusplus
    if (how == THROW) {
        try {
            left(depth, way);
        } catch (int) {
        }
        return;
    }
#endif
    if (setjmp(target) == 0)
        left(depth, way);
}

int main(int count, char **words)
{
    static const char *const names[] = {"again", "anew", "throw", "exit"};
    if (count != 4)
        return 64;
    for (int i = 0; i < 4; i++)
        if (strcmp(words[1], names[i]) == 0)
            how = (enum how)i;
    int times = atoi(words[2]), depth = atoi(words[3]);
    for (int i = 0; i < times; i++)
        once(depth);
    return 0;
}
