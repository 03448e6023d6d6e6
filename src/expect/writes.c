/* Functions that write to descriptors. What they copy from files is read there, once more. */
#include "expect/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

EXPECT_INTERPOSED(ssize_t, write, (int, const void *, size_t))
EXPECT_INTERPOSED(ssize_t, writev, (int, const struct iovec *, int))
EXPECT_INTERPOSED(ssize_t, sendfile, (int, int, off_t *, size_t))
EXPECT_INTERPOSED(ssize_t, sendfile64, (int, int, off64_t *, size_t))
EXPECT_INTERPOSED(ssize_t, copy_file_range, (int, off64_t *, int, off64_t *, size_t, unsigned))
EXPECT_INTERPOSED(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned))

ssize_t EXPECT_OWN(write)(int to, const void *data, size_t size)
{
    ssize_t written = EXPECT_REAL(write)(to, data, size);
    if (written > 0)
        expect_written(to, data, (size_t)written);
    return written;
}

ssize_t EXPECT_OWN(writev)(int to, const struct iovec *pieces, int count)
{
    ssize_t written = EXPECT_REAL(writev)(to, pieces, count), left = written;
    for (int i = 0; left > 0 && i < count; i++) {
        size_t size = pieces[i].iov_len < (size_t)left ? pieces[i].iov_len : (size_t)left;
        if (size)
            expect_written(to, pieces[i].iov_base, size);
        left -= (ssize_t)size;
    }
    return written;
}

/* Where the bytes that are going to be copied stand in the file; -1: nobody asks, or not known. */
static off_t position(int to, int from, const off_t *offset)
{
    int kept = errno;
    off_t at = !expect_is_on() || !expect_is_output(to) ? -1 : offset ? *offset : lseek(from, 0, SEEK_CUR);
    errno = kept;
    return at;
}

static ssize_t copied(int to, int from, off_t at, ssize_t count, const char *function)
{
    char piece[4096];
    int kept = errno;
    for (ssize_t done = 0, n; count > 0 && done < count; done += n) {
        size_t size = (size_t)(count - done) < sizeof piece ? (size_t)(count - done) : sizeof piece;
        n = at < 0 ? -1 : pread(from, piece, size, at + done);
        if (n <= 0) {
            expect_unseen(to, function);
            break;
        }
        expect_written(to, piece, (size_t)n);
    }
    errno = kept;
    return count;
}

ssize_t EXPECT_OWN(sendfile)(int to, int from, off_t *offset, size_t size)
{
    off_t at = position(to, from, offset);
    return copied(to, from, at, EXPECT_REAL(sendfile)(to, from, offset, size), "sendfile");
}

ssize_t EXPECT_OWN(sendfile64)(int to, int from, off64_t *offset, size_t size)
{
    off_t at = position(to, from, offset);
    return copied(to, from, at, EXPECT_REAL(sendfile64)(to, from, offset, size), "sendfile");
}

/* With a place of its own in the output: what is written is not what comes next. */
ssize_t EXPECT_OWN(copy_file_range)(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                                    unsigned flags)
{
    off_t at = to_at ? -1 : position(to, from, from_at);
    return copied(to, from, at, EXPECT_REAL(copy_file_range)(from, from_at, to, to_at, size, flags),
                  "copy_file_range");
}

/* What comes out of a pipe cannot be read twice. */
ssize_t EXPECT_OWN(splice)(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
    ssize_t count = EXPECT_REAL(splice)(from, from_at, to, to_at, size, flags);
    if (count > 0)
        expect_unseen(to, "splice");
    return count;
}
