/*
 * Damaged stacks: walks of copies of a real one, with words and registers replaced, between pages that cannot
 * be read. They may end anywhere, but end, and read nothing that is not there. Argument: how many.
 */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "unwind_oracle.h"

#define ROOM (16 * 4096ul)
static char *room;           /* ROOM bytes between two pages that nobody may read */
static uint64_t from, until; /* the stack that is copied there, at its end */
static unsigned long outcomes[3];
static uint64_t seed = 1;
static unsigned long wanted;

static uint64_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}

static uint64_t in_copy(uint64_t address)
{
    return address >= from && address < until ? address - until + (uint64_t)(uintptr_t)room + ROOM : address;
}

/* Something that can be on a stack, or is near to it. */
static uint64_t odd_word(uint64_t now)
{
    uint64_t begin = (uint64_t)(uintptr_t)room;
    switch (any() % 12) {
    case 0:
        return any();
    case 1:
        return any() % 16;
    case 2:
        return now + any() % 64 - 32;
    case 3:
        return begin + any() % (ROOM / 8) * 8;
    case 4:
        return begin + ROOM - any() % 64;
    case 5:
        return begin + any() % 64 - 32;
    case 6: /* code */
        return (uint64_t)(uintptr_t)printf + any() % 500000 - 250000;
    case 7:
        return (uint64_t)(uintptr_t)odd_word + any() % 8000 - 4000;
    case 8:
        return UINT64_MAX - any() % 64;
    case 9:
        return (now & ~UINT64_C(0xffff)) | (any() & 0xffff);
    case 10:
        return (uint64_t)(uintptr_t)&seed;
    default:
        return UINT64_C(0x7fff00000000) + any() % (UINT64_C(1) << 32);
    }
}

static void walk(struct cotree_cursor c)
{
    enum cotree_step step;
    unsigned long steps = 0;
    do {
        (void)cotree_has_landing_pad(&c);
        step = cotree_unwind(&c);
        if (++steps > 1000000) {
            fprintf(stderr, "a walk does not end\n");
            abort();
        }
    } while (step == COTREE_STEP_OK);
    outcomes[step]++;
}

__attribute__((noinline)) static void here(struct cotree_cursor *c)
{
    CURSOR_HERE(c);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    struct cotree_cursor start[2], c;
    cotree_cursor_interrupted(&start[0], context);
    here(&start[1]); /* this frame, that of the trampoline, the interrupted one */
    from = start[1].sp;
    c = start[0];
    do
        until = c.sp;
    while (cotree_unwind(&c) == COTREE_STEP_OK);
    until += 256;
    if (until - from > ROOM)
        abort();
    for (unsigned long i = 0; i < wanted; i++) {
        uint64_t *copy = (uint64_t *)(void *)(room + ROOM - (until - from)), words = (until - from) / 8;
        for (uint64_t k = 0; k < words; k++)
            copy[k] = in_copy(((const uint64_t *)(uintptr_t)from)[k]);
        for (uint64_t changes = any() % 6; changes > 0; changes--) {
            uint64_t *word = &copy[any() % words];
            *word = odd_word(*word);
        }
        c = start[any() % 2];
        uint64_t *registers[] = {&c.sp, &c.rbp, &c.rbx, &c.r12, &c.r13, &c.r14, &c.r15, &c.pc};
        for (unsigned k = 0; k < 7; k++)
            *registers[k] = in_copy(*registers[k]);
        for (uint64_t changes = any() % 3; changes > 0; changes--) {
            uint64_t *word = registers[any() % 8];
            *word = odd_word(*word);
        }
        if (any() % 8 == 0)
            c.interrupted = !c.interrupted;
        if (c.sp - 8 < (uint64_t)(uintptr_t)room || c.sp > (uint64_t)(uintptr_t)room + ROOM)
            c.interrupted = true; /* others come from a stack */
        walk(c);
    }
    /* A signal frame that leads back to itself. */
    struct cotree_cursor handler = start[1];
    if (cotree_unwind(&handler) != COTREE_STEP_OK) /* at the trampoline now */
        abort();
    greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs, kept[2] = {saved[REG_RIP], saved[REG_RSP]};
    saved[REG_RIP] = (greg_t)handler.pc;
    saved[REG_RSP] = (greg_t)handler.sp;
    unsigned long lost = outcomes[COTREE_STEP_LOST];
    walk(start[1]);
    saved[REG_RIP] = (greg_t)start[1].pc;
    saved[REG_RSP] = (greg_t)start[1].sp; /* over several frames */
    walk(start[1]);
    saved[REG_RIP] = kept[0];
    saved[REG_RSP] = kept[1];
    if (outcomes[COTREE_STEP_LOST] != lost + 2)
        abort();
}

__attribute__((noinline)) static int deep(int n)
{
    volatile char array[n * 3 + 8];
    array[n] = (char)n;
    if (n == 0)
        raise(SIGUSR1);
    else
        deep(n - 1);
    return array[n];
}

static int by_value(const void *a, const void *b)
{
    static int once;
    if (!once++)
        deep(6);
    return *(const int *)a - *(const int *)b;
}

int main(int count, char **arguments)
{
    wanted = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000;
    room = mmap(NULL, ROOM + 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room, 4096, PROT_NONE) != 0 ||
        mprotect(room + 4096 + ROOM, 4096, PROT_NONE) != 0)
        return 1;
    room += 4096;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, by_value);
    printf("%lu reached the end, %lu were lost\n", outcomes[COTREE_STEP_END], outcomes[COTREE_STEP_LOST]);
    return outcomes[COTREE_STEP_END] == 0 || outcomes[COTREE_STEP_LOST] == 0;
}
