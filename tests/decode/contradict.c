/* Makes a run file contradict itself, as if it had never been sealed: the first counter of all arrays with
 * several becomes negative. */
#include "format/data/layout.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return 1;
    char *file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return 1;
    struct data_header *header = (struct data_header *)file;
    struct data_table *table = (struct data_table *)(file + header->table);
    unsigned changed = 0;
    header->seal = 0;
    for (unsigned i = 0; i < 63; i++) {
        table->slots[i].seal = 0;
        uint64_t *at = (uint64_t *)(file + table->slots[i].offset), *end = at + table->slots[i].length / 8;
        while (table->slots[i].offset && at + 2 < end) {
            if (!at[0]) {
                at++;
                continue;
            }
            uint64_t count = at[1];
            at += 2;
            if (count > 2 && count <= (uint64_t)(end - at)) {
                at[0] = (uint64_t)-1000;
                changed++;
            }
            at += count;
        }
    }
    return changed ? 0 : 1;
}
