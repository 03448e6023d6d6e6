#include "expect/expect.h"
#include "expect/layout.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef EXPECT_STATIC
__attribute__((used, retain, section(EXPECT_SECTION))) static const char is_linked = 1;
#endif

static struct expect_state *state; /* NULL: nothing is compared */
static const unsigned char *expected;

/* What `cotree crash` shows of the core. */
__attribute__((visibility("default"))) char cotree_output_message[EXPECT_MESSAGE_SIZE];

bool expect_is_on(void)
{
    return state != NULL;
}

/* ---- A wrong byte ---- */

static void put_byte(char text[16], unsigned byte)
{
    if (byte == '\n')
        strcpy(text, "a newline");
    else if (byte > ' ' && byte < 127)
        snprintf(text, 16, "'%c'", (int)byte);
    else
        snprintf(text, 16, "0x%02x", byte);
}

/* The first one ends its process. Others go on: of what comes after a wrong byte nothing is known. */
static void refuse(uint64_t at, unsigned char byte)
{
    char got[16], wanted[16] = "the end";
    uint64_t line = 1;
    if (__atomic_exchange_n(&state->wrong, 1, __ATOMIC_ACQ_REL))
        return;
    for (uint64_t i = 0; i < at && i < state->size; i++)
        line += expected[i] == '\n';
    put_byte(got, byte);
    if (at < state->size)
        put_byte(wanted, expected[at]);
    snprintf(cotree_output_message, sizeof cotree_output_message,
             "byte %llu of the output (line %llu) is %s, where %s was expected", (unsigned long long)at + 1,
             (unsigned long long)line, got, wanted);
    memcpy(state->message, cotree_output_message, sizeof state->message);
    abort();
}

void expect_written(int descriptor, const void *data, size_t size)
{
    if (!state || !expect_is_output(descriptor))
        return;
    uint64_t at = __atomic_fetch_add(&state->written, size, __ATOMIC_ACQ_REL);
    size_t known = at >= state->size ? 0 : state->size - at < size ? (size_t)(state->size - at) : size;
    if (__atomic_load_n(&state->wrong, __ATOMIC_ACQUIRE) ||
        __atomic_load_n(&state->is_stopped, __ATOMIC_ACQUIRE))
        return;
    const unsigned char *bytes = data;
    size_t right = 0;
    if (memcmp(bytes, expected + at, known) == 0)
        right = known;
    while (right < known && bytes[right] == expected[at + right])
        right++;
    if (right < size)
        refuse(at + right, bytes[right]);
}

void expect_unseen(int descriptor, const char *function)
{
    if (!state || !expect_is_output(descriptor) ||
        __atomic_exchange_n(&state->is_stopped, 1, __ATOMIC_ACQ_REL))
        return;
    strncpy(state->stopped_by, function, sizeof state->stopped_by - 1);
}

/* ---- The beginning ---- */

static struct expect_state *map_state(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *start = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= EXPECT_HEADER_SIZE)
        start = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (start == MAP_FAILED)
        return NULL;
    struct expect_state *s = start;
    if (s->magic == EXPECT_MAGIC && (uint64_t)st.st_size == EXPECT_HEADER_SIZE + s->size)
        return s;
    munmap(start, (size_t)st.st_size);
    return NULL;
}

/* Comes before the constructors of all other libraries (-z initfirst), the C library's own among them,
 * which tells getenv of the environment. */
__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
    static const char variable[] = EXPECT_VARIABLE "=";
    const char *path = NULL;
    struct stat st;
    (void)argc, (void)argv;
    for (char **at = environment; at && *at && !path; at++)
        if (!strncmp(*at, variable, sizeof variable - 1))
            path = *at + sizeof variable - 1;
    struct expect_state *s = path ? map_state(path) : NULL;
    if (!s)
        return;
    /* A process that was started with its output elsewhere. */
    if (fstat(STDOUT_FILENO, &st) || st.st_dev != s->device || st.st_ino != s->inode) {
        munmap(s, EXPECT_HEADER_SIZE + s->size);
        return;
    }
    if (!expect_watch_streams()) {
        s->unusable = 1;
        return;
    }
    expect_set_output(STDOUT_FILENO, true);
    expected = (const unsigned char *)s + EXPECT_HEADER_SIZE;
    if (!s->keep_buffering)
        expect_unbuffer();
    state = s;
    s->started = 1;
}
