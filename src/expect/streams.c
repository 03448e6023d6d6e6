/*
 * Streams of the C library (printf, puts, cout) do not call the function `write` that others see. They
 * call by a table of functions that all of its streams on descriptors share, or by another one once they
 * have written wide characters: the entries for writing and closing are replaced in both. Where these are
 * is older than symbol versions; they are compared with the names that the C library gives the functions.
 */
#include "expect/expect.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef ssize_t (*stream_write)(FILE *, const void *, ssize_t);
typedef int (*stream_close)(FILE *);

enum { WRITE_ENTRY = 15, CLOSE_ENTRY = 17 };

static stream_write real_write;
static stream_close real_close;
static bool unbuffered;

static ssize_t stream_writes(FILE *stream, const void *data, ssize_t size)
{
    ssize_t written = real_write(stream, data, size);
    if (written > 0)
        expect_written(fileno_unlocked(stream), data, (size_t)written);
    return written;
}

static int stream_closes(FILE *stream)
{
    expect_set_output(fileno_unlocked(stream), false);
    return real_close(stream);
}

#ifdef EXPECT_STATIC
ssize_t _IO_file_write(FILE *, const void *, ssize_t) __attribute__((weak));
int _IO_file_close(FILE *) __attribute__((weak));
extern void *_IO_wfile_jumps[] __attribute__((weak));
#define FIND(type, name) ((type)name)
#else
#define FIND(type, name) ((type)dlsym(RTLD_NEXT, #name))
#endif

/* The table lies in memory that is read-only once the loader is done. It stays writable: what else is on
 * its pages, and may have to be written, is not known. */
static bool replace(void **entry, void *function)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)entry & ~(page - 1);
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE))
        return false;
    *entry = function;
    return true;
}

static bool watch(void **table)
{
    return table[WRITE_ENTRY] == (void *)real_write && table[CLOSE_ENTRY] == (void *)real_close &&
           replace(&table[WRITE_ENTRY], (void *)stream_writes) &&
           replace(&table[CLOSE_ENTRY], (void *)stream_closes);
}

bool expect_watch_streams(void)
{
    void **table, **wide = FIND(void **, _IO_wfile_jumps);
    memcpy(&table, (char *)stdout + sizeof(FILE), sizeof table);
    real_write = FIND(stream_write, _IO_file_write);
    real_close = FIND(stream_close, _IO_file_close);
    return real_write && real_close && wide && watch(table) && watch(wide);
}

EXPECT_INTERPOSED(FILE *, freopen, (const char *, const char *, FILE *))
EXPECT_INTERPOSED(FILE *, freopen64, (const char *, const char *, FILE *))
EXPECT_INTERPOSED(int, setvbuf, (FILE *, char *, int, size_t))
EXPECT_INTERPOSED(void, setbuf, (FILE *, char *))
EXPECT_INTERPOSED(void, setbuffer, (FILE *, char *, size_t))
EXPECT_INTERPOSED(void, setlinebuf, (FILE *))

/* The stream keeps its descriptor, which is another file then. Without a name only its mode changes. */
FILE *EXPECT_OWN(freopen)(const char *path, const char *mode, FILE *stream)
{
    int descriptor = path ? fileno(stream) : -1;
    fflush(stream);
    expect_set_output(descriptor, false);
    return EXPECT_REAL(freopen)(path, mode, stream);
}

FILE *EXPECT_OWN(freopen64)(const char *path, const char *mode, FILE *stream)
{
    int descriptor = path ? fileno(stream) : -1;
    fflush(stream);
    expect_set_output(descriptor, false);
    return EXPECT_REAL(freopen64)(path, mode, stream);
}

void expect_unbuffer(void)
{
    EXPECT_REAL(setvbuf)(stdout, NULL, _IONBF, 0);
    unbuffered = true;
}

static bool stays(const FILE *stream)
{
    return unbuffered && stream == stdout;
}

int EXPECT_OWN(setvbuf)(FILE *stream, char *space, int mode, size_t size)
{
    return stays(stream) ? 0 : EXPECT_REAL(setvbuf)(stream, space, mode, size);
}

void EXPECT_OWN(setbuf)(FILE *stream, char *space)
{
    if (!stays(stream))
        EXPECT_REAL(setbuf)(stream, space);
}

void EXPECT_OWN(setbuffer)(FILE *stream, char *space, size_t size)
{
    if (!stays(stream))
        EXPECT_REAL(setbuffer)(stream, space, size);
}

void EXPECT_OWN(setlinebuf)(FILE *stream)
{
    if (!stays(stream))
        EXPECT_REAL(setlinebuf)(stream);
}
