/*
 * increments DATA...: the sum of all counters in the given data files: how many increments the programs
 * executed.
 */
#include "data_blocks.h"

#include <inttypes.h>

static void add(void *sum, uint64_t key, const uint64_t *counters, uint64_t count)
{
    (void)key;
    for (uint64_t i = 0; i < count; i++)
        *(uint64_t *)sum += counters[i];
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    for (int i = 1; i < argc; i++) {
        if (!data_blocks_visit(argv[i], add, &sum))
            return 1;
    }
    printf("%" PRIu64 "\n", sum);
    return 0;
}
