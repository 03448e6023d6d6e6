/* Any bytes as a program: its build id and map are read, or it is refused. */
#include "decode/elf/map.h"

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
        fd = memfd_create("program", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    struct elf_module m;
    struct error error;
    if (elf_module_read(&m, path, NULL, &error))
        elf_module_release(&m);
    return 0;
}
