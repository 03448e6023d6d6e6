/*
 * What the judged programs call, compiled plainly.
 *
 * In the shipped build point() makes, at chosen calls, a child that dies at once and leaves a core in
 * a directory of its own: POINTS/NUMBER/core. POINT_STEP says at every how many calls.
 *
 * In the truth build (-O0, nothing inlined, every block calls cotree_block) it writes, at the same
 * calls, every activation on the stack, innermost first, with all blocks that it has executed, to the
 * file POINTS/truth: "P number", then a line "F address block block ..." each. Activations are told
 * apart by the addresses of their frames.
 */
#include "point.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *directory;
static unsigned long calls, step;

static int is_chosen(void)
{
    if (!directory) {
        directory = getenv("POINTS");
        step = strtoul(getenv("POINT_STEP"), NULL, 10);
    }
    return calls++ % step == 0;
}

#ifdef TRUTH
struct activation {
    uintptr_t frame, code;
    uint32_t *blocks;
    size_t count, capacity;
};
static struct activation stack[100000];
static size_t depth;
static FILE *truth;

static void leave_below(uintptr_t frame)
{
    while (depth && stack[depth - 1].frame < frame)
        depth--;
}

void cotree_block(uint64_t id, uint32_t block)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(1);
    (void)id;
    leave_below(block ? frame : frame + 1);
    if (!block) {
        struct activation *new = &stack[depth++];
        new->frame = frame;
        new->code = (uintptr_t)__builtin_return_address(0);
        new->count = 0;
    }
    struct activation *at = &stack[depth - 1];
    if (at->count == at->capacity)
        at->blocks = realloc(at->blocks, (at->capacity = 2 * at->capacity + 16) * sizeof *at->blocks);
    at->blocks[at->count++] = block;
}

void point(void)
{
    if (!is_chosen())
        return;
    leave_below((uintptr_t)__builtin_frame_address(1));
    if (!truth) {
        char path[4096];
        snprintf(path, sizeof path, "%s/truth", directory);
        truth = fopen(path, "w");
    }
    fprintf(truth, "P %lu\n", calls);
    for (size_t i = depth; i-- > 0;) {
        fprintf(truth, "F %lx", (unsigned long)stack[i].code);
        for (size_t k = 0; k < stack[i].count; k++)
            fprintf(truth, " %u", stack[i].blocks[k]);
        fprintf(truth, "\n");
    }
    fflush(truth);
}
#else
void point(void)
{
    if (!is_chosen())
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child) {
        waitpid(child, NULL, 0);
        return;
    }
    char path[4096];
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &most);
    snprintf(path, sizeof path, "%s/%lu", directory, calls);
    if (mkdir(path, 0755) || chdir(path))
        _exit(9);
    abort();
}
#endif
