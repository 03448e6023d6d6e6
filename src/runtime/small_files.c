/*
 * Files of /proc, read with one system call.
 */
#include <fcntl.h>
#include "runtime/runtime.h"

long cotree_read_small_file(const char *path, char *out, size_t size)
{
    long descriptor = cotree_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (cotree_failed(descriptor))
        return descriptor;
    long length = COTREE_CALL(SYS_read, descriptor, out, size - 1, 0, 0, 0);
    cotree_close(descriptor);
    out[length > 0 ? length : 0] = '\0';
    return length;
}

/* A numeric field (counted from 1) of a stat file of /proc, or 0; the second field is a name in
 * parentheses that may hold anything. */
uint64_t cotree_stat_field(const char *path, unsigned wanted)
{
    char text[1024];
    if (cotree_read_small_file(path, text, sizeof text) <= 0)
        return 0;
    size_t at = cotree_length(text);
    while (at > 0 && text[at] != ')')
        at--;
    for (unsigned field = 2; text[at] != '\0' && field < wanted; at++)
        if (text[at] == ' ')
            field++;
    uint64_t number = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
        number = number * 10 + (uint64_t)(text[at] - '0');
    return number;
}
