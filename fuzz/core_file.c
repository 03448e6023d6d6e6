/* Any bytes as a core file of this very program: its threads and frames are told, or it is refused. */
#include "decode/crash/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd;
    static char path[64];
    if (!fd) {
        fd = memfd_create("core", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    struct crash crash;
    struct error error;
    const struct crash_files files = {0};
    if (crash_read(&crash, "/bin/true", path, &files, 100, &error))
        crash_release(&crash);
    return 0;
}
