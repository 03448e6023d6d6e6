/*
 * What the judged programs call, compiled plainly.
 *
 * In the shipped build point() makes, at chosen calls, a child that dies at once and leaves a core in
 * a directory of its own: POINTS/NUMBER/core. POINT_STEP says at every how many calls.
 *
 * In the truth build (-O0, nothing inlined, every block calls cotree_block) it writes, at the same
 * calls, every activation on the stack, innermost first, with all blocks that it has executed, to the
 * file POINTS/truth: "P number", then a line "F address block block ..." each. Activations are told
 * apart by the addresses of their frames.
 *
 * With POINT_FAULTS the child goes on instead, but no access to the arena is possible any more: it dies
 * at the next one. The truth build then writes the same for each access to the arena that follows the
 * point, until the next one, with a line "A address" before each.
 *
 * interrupt() makes POINTS_MOST children, which a signal comes to after as many times POINT_STEP
 * microseconds; its handler aborts. The program says in `tick` how far it is: the truth build writes all
 * stacks that there are while `tick` has one of the values in TICKS, with a line "A tick" before each.
 *
 * With LIBRARY, calls of the C library are points (on-programs.sh leads them here): they are numbered, and
 * at the end the file POINTS/sum has their number and a hash of which functions they were. With
 * POINT_FAULTS the program's memory is the arena.
 */
#define _GNU_SOURCE
#include "point.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

volatile long tick;

#define ARENA ((char *)0x200000000000)
#ifdef LIBRARY
enum { ARENA_SIZE = 1 << 30 };
#else
enum { ARENA_SIZE = 1 << 24 };
#endif
static unsigned long used;

void *arena(unsigned long size)
{
    if (!used && mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != ARENA)
        _exit(8);
    used += (size + 15) & ~15ul;
    return used <= ARENA_SIZE ? ARENA + used - ((size + 15) & ~15ul) : NULL;
}

static void allow(int access)
{
    if (used && mprotect(ARENA, ARENA_SIZE, access))
        _exit(8);
}

static const char *directory;
static unsigned long calls, step;

static int is_chosen(void)
{
    if (!directory) {
        directory = getenv("POINTS");
        step = strtoul(getenv("POINT_STEP"), NULL, 10);
    }
    return calls++ % step == 0;
}

#ifdef TRUTH
struct activation {
    uintptr_t frame, code;
    uint32_t *blocks;
    size_t count, capacity;
};
static struct activation stack[100000];
static size_t depth;
static FILE *truth;

static void leave_below(uintptr_t frame)
{
    while (depth && stack[depth - 1].frame < frame)
        depth--;
}

static void write_stack(void);
static void open_truth(void);
static long ticks[1000], last_tick = -1;
static size_t tick_count, at_tick;

/* Is the tick one of those that are asked for? */
static int is_asked_for(void)
{
    static long asked = -1;
    static int answer;
    if (asked != tick) {
        asked = tick;
        answer = 0;
        for (size_t i = 0; i < tick_count; i++)
            answer |= ticks[i] == asked;
    }
    return answer;
}

static void write_if_asked_for(void)
{
    enum { STACKS_MOST = 300 };
    if (!tick_count || !depth || !is_asked_for())
        return;
    at_tick = last_tick == tick ? at_tick + 1 : 0;
    last_tick = tick;
    if (at_tick < STACKS_MOST) {
        fprintf(truth, "A %ld\n", last_tick);
        write_stack();
    }
}

void interrupt(void)
{
    char *at = getenv("TICKS");
    while (at && *at && tick_count < sizeof ticks / sizeof *ticks)
        ticks[tick_count++] = strtol(at, &at, 10);
    directory = getenv("POINTS");
    open_truth();
    fprintf(truth, "P 1\n");
}

void cotree_block(uint64_t id, uint32_t block)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(1);
    (void)id;
    leave_below(block ? frame : frame + 1);
    write_if_asked_for(); /* at the end of the block before, which may have counted */
    if (!block) {
        struct activation *new = &stack[depth++];
        new->frame = frame;
        new->code = (uintptr_t)__builtin_return_address(0);
        new->count = 0;
    }
    struct activation *at = &stack[depth - 1];
    if (at->count == at->capacity)
        at->blocks = realloc(at->blocks, (at->capacity = 2 * at->capacity + 16) * sizeof *at->blocks);
    at->blocks[at->count++] = block;
    write_if_asked_for();
}

static void open_truth(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/truth", directory);
    truth = fopen(path, "w");
}

static void write_stack(void)
{
    for (size_t i = depth; i-- > 0;) {
        fprintf(truth, "F %lx", (unsigned long)stack[i].code);
        for (size_t k = 0; k < stack[i].count; k++)
            fprintf(truth, " %u", stack[i].blocks[k]);
        fprintf(truth, "\n");
    }
    fflush(truth);
}

/* Each access to the arena faults, is written down and made in one step. */
#ifdef LIBRARY
enum { ACCESSES_MOST = 12 };
#else
enum { ACCESSES_MOST = 100 };
#endif
enum { TRAP_FLAG = 0x100 };
static int accesses;

static void watch(void)
{
    accesses++;
    allow(accesses > ACCESSES_MOST ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static void at_signal(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (signal == SIGTRAP) {
        registers[REG_EFL] &= ~TRAP_FLAG;
        watch();
        return;
    }
    if ((char *)info->si_addr < ARENA || (char *)info->si_addr >= ARENA + ARENA_SIZE)
        _exit(7);
    leave_below((uintptr_t)registers[REG_RSP]); /* in a library, too */
    fprintf(truth, "A %lx\n", (unsigned long)info->si_addr);
    write_stack();
    allow(PROT_READ | PROT_WRITE);
    registers[REG_EFL] |= TRAP_FLAG;
}

static void unwatch(void)
{
    allow(PROT_READ | PROT_WRITE);
}

void point(void)
{
    unwatch();
    if (!is_chosen())
        return;
    leave_below((uintptr_t)__builtin_frame_address(1));
    if (!truth)
        open_truth();
    fprintf(truth, "P %lu\n", calls);
    if (!getenv("POINT_FAULTS")) {
        write_stack();
        return;
    }
    struct sigaction action = {.sa_sigaction = at_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    accesses = 0;
    watch();
}
#else
/* Files that a child reads are its own: what it reads is not lost to its parent, whose place in a file it
 * would share. */
static void open_again(void)
{
    for (int file = 0; file < 64; file++) {
        char path[64];
        struct stat is;
        if (fstat(file, &is) || !S_ISREG(is.st_mode) || (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY)
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        int again = open(path, O_RDONLY);
        if (again < 0 || lseek(again, lseek(file, 0, SEEK_CUR), SEEK_SET) < 0 || dup2(again, file) < 0 ||
            close(again))
            _exit(9);
    }
}

/* In a child: leaves cores in a directory of its own. */
static void stand_alone(unsigned long number)
{
    open_again();
    char path[4096];
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &most);
    snprintf(path, sizeof path, "%s/%lu", directory, number);
    if (mkdir(path, 0755) || chdir(path))
        _exit(9);
}

static void die(int signal)
{
    (void)signal;
    abort();
}

void interrupt(void)
{
    directory = getenv("POINTS");
    unsigned long most = strtoul(getenv("POINTS_MOST"), NULL, 10), each = strtoul(getenv("POINT_STEP"), NULL, 10);
    fflush(NULL);
    for (unsigned long i = 1; i <= most; i++) {
        pid_t child = fork();
        if (child) {
            waitpid(child, NULL, 0);
            continue;
        }
        struct itimerval when = {.it_value = {.tv_usec = (suseconds_t)(i * each)}};
        stand_alone(i);
        if (!freopen("/dev/null", "w", stdout))
            _exit(9);
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &when, NULL);
        return;
    }
}

static int is_child;

/* No longer than to here the arena is watched. */
static void unwatch(void)
{
    if (is_child)
        _exit(0); /* nothing was accessed since the last point */
}

void point(void)
{
    unwatch();
    if (!is_chosen())
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child) {
        waitpid(child, NULL, 0);
        return;
    }
    is_child = 1;
    stand_alone(calls);
    if (!getenv("POINT_FAULTS"))
        abort();
    if (!freopen("/dev/null", "w", stdout))
        _exit(9);
    allow(PROT_NONE);
}
#endif

#ifdef LIBRARY
/* ---- Calls of the C library ---- */

/* Our own calls are not led here: on-programs.sh gives these functions their real names. */
static unsigned long library_calls, which;

static int uses_arena(void)
{
    static int answer;
    if (!answer)
        answer = getenv("POINT_FAULTS") ? 1 : -1;
    return answer > 0;
}

/* The kernel fails where a program would fault: functions that hand memory to it are no points of
 * faults. SAFE: the number of the last one that does not. */
void library_point(unsigned long number)
{
    if (!getenv("POINTS"))
        return; /* a program that is run while others are built */
    library_calls++;
    which = which * 31 + number;
    if (uses_arena() && number > SAFE)
        unwatch();
    else
        point();
}

__attribute__((destructor)) static void finish(void)
{
    char path[4096];
    if (!directory)
        return;
    allow(PROT_READ | PROT_WRITE);
    snprintf(path, sizeof path, "%s/sum", directory);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "%lu %lx\n", library_calls, which);
        fclose(file);
    }
}

static int is_in_arena(const void *block)
{
    return (const char *)block >= ARENA && (const char *)block < ARENA + ARENA_SIZE;
}

enum { HEADER = 16 }; /* the size stands before the block */

void *point_malloc(size_t size)
{
    if (!uses_arena())
        return malloc(size);
    char *block = arena(size + HEADER);
    if (!block)
        return NULL;
    *(size_t *)block = size;
    return block + HEADER;
}

void *point_calloc(size_t count, size_t size)
{
    return !uses_arena() ? calloc(count, size) : point_malloc(count * size);
}

void point_free(void *block)
{
    if (!is_in_arena(block))
        free(block);
}

void *point_realloc(void *block, size_t size)
{
    if (!uses_arena() || (block && !is_in_arena(block)))
        return realloc(block, size);
    char *new = point_malloc(size);
    size_t before = block ? *(size_t *)((char *)block - HEADER) : 0;
    if (new && block)
        memcpy(new, block, before < size ? before : size);
    return new;
}

/* What C++ allocates with is in the program, too: the C library's functions that the C++ library calls are not
 * led here. They are no points. */
void *new_object(size_t size) __asm__("_Znwm");
void *new_array(size_t size) __asm__("_Znam");
void delete_object(void *block) __asm__("_ZdlPv");
void delete_array(void *block) __asm__("_ZdaPv");
void delete_sized_object(void *block, size_t size) __asm__("_ZdlPvm");
void delete_sized_array(void *block, size_t size) __asm__("_ZdaPvm");

void *new_object(size_t size)
{
    void *block = point_malloc(size);
    if (!block)
        abort(); /* there are no exceptions here */
    return block;
}

void *new_array(size_t size)
{
    return new_object(size);
}

void delete_object(void *block)
{
    point_free(block);
}

void delete_array(void *block)
{
    point_free(block);
}

void delete_sized_object(void *block, size_t size)
{
    (void)size;
    point_free(block);
}

void delete_sized_array(void *block, size_t size)
{
    (void)size;
    point_free(block);
}
#endif
