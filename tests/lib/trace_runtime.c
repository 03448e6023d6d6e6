/*
 * A trace of blocks: SanitizerCoverage's guards and the marks of trace_marks.awk, as they are passed, in a
 * file that outlives whatever ends the program and is shared by its threads, its forked children and what it
 * executes. Part of an oracle: it shares no code with cotree.
 *
 * $ORACLE_TRACE is the file: u64 number of events, then events of four u64: thread, what happened, frame of
 * the function, and a word more. $ORACLE_TRACE.pcs lists, a line a guard, the address of its function if it
 * is the function's first guard, and 0 otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern uint32_t __start___sancov_guards[] __attribute__((visibility("hidden")));
extern uint32_t __stop___sancov_guards[] __attribute__((visibility("hidden")));
extern const uintptr_t __start___sancov_pcs[][2] __attribute__((visibility("hidden")));

/* What happened, beside guards, which are numbered from 0. */
enum { LEFT = -1, RETURNED = -2, FORKS = -3, FORKED = -4, STARTED = -5, STAYS = -6 };
enum { EVENTS_MOST = 1 << 22 };

struct event {
    int64_t thread, what;
    uint64_t frame, more;
};
static struct trace {
    uint64_t count;
    struct event events[EVENTS_MOST];
} *trace;

static __thread int64_t known_thread;
static __thread uint64_t forks;

static void put(int64_t what, uint64_t frame, uint64_t more)
{
    uint64_t i = __atomic_fetch_add(&trace->count, 1, __ATOMIC_RELAXED);
    if (i >= EVENTS_MOST)
        return;
    struct event *e = &trace->events[i];
    e->what = what;
    e->frame = frame;
    e->more = more;
    /* Last: a signal may end the program anywhere, and an event without a thread is none. */
    __atomic_store_n(&e->thread, syscall(SYS_gettid), __ATOMIC_RELEASE);
}

static void put_here(int64_t what, uint64_t frame, uint64_t more)
{
    int error = errno;
    int64_t thread = syscall(SYS_gettid);
    if (known_thread && known_thread != thread) /* the copy of another */
        put(FORKED, (uint64_t)known_thread, forks);
    known_thread = thread;
    put(what, frame, more);
    errno = error;
}

static void before_fork(void)
{
    put(FORKS, 0, ++forks);
}

/* Before every constructor; getenv does not work yet, so the environment is taken from the arguments. */
static void open_trace(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    const char *name = NULL, prefix[] = "ORACLE_TRACE=";
    for (; *envp; envp++)
        if (__builtin_strncmp(*envp, prefix, sizeof prefix - 1) == 0)
            name = *envp + sizeof prefix - 1;
    if (!name)
        _exit(120);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *trace) != 0)
        _exit(121);
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (trace == MAP_FAILED)
        _exit(122);
    close(fd);
    char pcs[4096];
    snprintf(pcs, sizeof pcs, "%s.pcs", name);
    fd = open(pcs, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t n = (size_t)(__stop___sancov_guards - __start___sancov_guards);
    for (size_t i = 0; i < n; i++)
        if (dprintf(fd, "%016lx\n", __start___sancov_pcs[i][1] & 1 ? __start___sancov_pcs[i][0] : 0) < 0)
            _exit(123);
    close(fd);
    put_here(STARTED, 0, 0);
    pthread_atfork(before_fork, NULL, NULL);
    errno = 0;
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = open_trace;

#define FRAME ((uint64_t)__builtin_frame_address(1))

void __sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    put_here(guard - __start___sancov_guards, FRAME, 0);
}
void oracle_left(void)
{
    put_here(LEFT, FRAME, 0);
}
void oracle_stays(void)
{
    put_here(STAYS, FRAME, 0);
}
void oracle_returned(int value)
{
    put_here(RETURNED, FRAME, (uint64_t)__builtin_return_address(0) << 1 | (value != 0));
}
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start, (void)stop;
}
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop)
{
    (void)start, (void)stop;
}
