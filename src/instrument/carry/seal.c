/*
 * A pass does not know the object's name, and no pass runs after the object was written. So the files
 * that the compiler has open for writing are kept open, and looked at when it ends. What is written to
 * a pipe, or as assembly, is never sealed.
 */
#include "instrument/carry/seal.h"
#include "base/memory.h"
#include "format/carry/seal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    uint64_t unit;
    struct open_files ARRAY_OF(int) files;
} pending;

static void seal_file(int fd)
{
    char path[40];
    struct stat st;
    size_t at;
    uint8_t seal[CARRY_SEAL_LENGTH];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_RDWR | O_CLOEXEC); /* it may have been opened for writing alone */
    if (again < 0)
        return;
    if (fstat(again, &st) == 0 && st.st_size > 0) {
        size_t length = (size_t)st.st_size;
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, again, 0);
        if (bytes != MAP_FAILED) {
            if (carry_seal_make(bytes, length, pending.unit, &at, seal)) {
                /* An object that could not be sealed carries nothing, which the link finds out. */
                ssize_t ignored = pwrite(again, seal, sizeof seal, (off_t)at);
                (void)ignored;
            }
            munmap(bytes, length);
        }
    }
    close(again);
}

static void seal_files(void)
{
    for (size_t i = 0; i < pending.files.count; i++) {
        seal_file(pending.files.items[i]);
        close(pending.files.items[i]);
    }
    ARRAY_RELEASE(&pending.files);
}

void carry_seal_at_exit(uint64_t unit)
{
    static bool registered;
    DIR *open_files = opendir("/proc/self/fd");
    if (!open_files)
        return;
    pending.unit = unit;
    struct open_files found = {0};
    for (const struct dirent *entry; (entry = readdir(open_files));) {
        int fd = atoi(entry->d_name);
        struct stat st;
        if (*entry->d_name != '.' && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
            ARRAY_PUSH(&found, fd);
    }
    closedir(open_files);
    for (size_t i = 0; i < found.count; i++) {
        int kept = fcntl(found.items[i], F_DUPFD_CLOEXEC, 0);
        if (kept >= 0)
            ARRAY_PUSH(&pending.files, kept);
    }
    ARRAY_RELEASE(&found);
    if (!registered)
        registered = atexit(seal_files) == 0;
}
