#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

/* Is the transfer to be tried again, after a signal? A device that takes nothing is broken. */
static bool goes_on(ssize_t done)
{
    if (done == 0)
        errno = EIO;
    return done > 0 || (done < 0 && errno == EINTR);
}

bool write_whole(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, (const char *)bytes + done, length - done);
        if (!goes_on(n))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool write_whole_at(int fd, const void *bytes, size_t length, uint64_t offset)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, length - done, (off_t)(offset + done));
        if (!goes_on(n))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool copy_whole(int from, int to)
{
    char piece[1 << 16];
    for (;;) {
        ssize_t n = read(from, piece, sizeof piece);
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0 && !write_whole(to, piece, (size_t)n))
            return false;
    }
}
