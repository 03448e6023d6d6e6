#include "runtime/death/waiting.h"
#include "runtime/file/file.h"

#ifndef COTREE_RUNTIME_SHARED

char cotree_thread_state(uint32_t process, uint32_t thread)
{
    char path[64], text[1024];
    size_t at = cotree_append(path, sizeof path, 0, "/proc/");
    at = process == 0 ? cotree_append(path, sizeof path, at, "self")
                      : cotree_append_number(path, sizeof path, at, process);
    at = cotree_append(path, sizeof path, at, "/task/");
    at = cotree_append_number(path, sizeof path, at, thread);
    cotree_append(path, sizeof path, at, "/stat");
    long length = cotree_read_small_file(path, text, sizeof text), end = length;
    while (end > 0 && text[end] != ')')
        end--;
    return end > 0 && end + 2 < length ? text[end + 2] : 0;
}

#endif
