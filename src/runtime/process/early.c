/*
 * Static programs: resolvers of ifuncs run before the C library has made thread-local storage. The
 * resolvers themselves carry no counters (instrument/graph/select.c), but what they call in other
 * units does, and would crash. So the runtime interposes __libc_start_main and lends the first
 * thread some memory in the form of such storage, zeroed; what was counted there is added to the
 * real counters when the runtime starts.
 *
 * Nothing is relocated yet in a static-pie: this file uses no pointer that the linker had to fill
 * in.
 */
#include "runtime/process/process.h"

#ifdef COTREE_RUNTIME_STATIC

#include <elf.h>
#include <sys/mman.h>

typedef int main_function(int, char **, char **);
int __real___libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                             void *);
int __wrap___libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                             void *);

/* The control block lies after thread-local storage: a pointer to itself, the stack guard, and so
 * on. */
#define CONTROL_BLOCK_SIZE DATA_PAGE

static char *lent; /* the control block, or NULL */

static const Elf64_Phdr *find_thread_storage(char **arguments, int count)
{
    const uint64_t *word = (const uint64_t *)(arguments + count + 1), *headers = NULL;
    uint64_t number = 0;
    while (*word != 0) /* the environment */
        word++;
    for (word++; word[0] != AT_NULL; word += 2) {
        if (word[0] == AT_PHDR)
            headers = (const uint64_t *)word[1];
        if (word[0] == AT_PHNUM)
            number = word[1];
    }
    const Elf64_Phdr *segment = (const Elf64_Phdr *)headers;
    for (uint64_t i = 0; segment != NULL && i < number; i++)
        if (segment[i].p_type == PT_TLS)
            return &segment[i];
    return NULL;
}

static void lend_storage(char **arguments, int count)
{
    const Elf64_Phdr *storage = find_thread_storage(arguments, count);
    if (storage == NULL)
        return;
    /* The control block is aligned as the storage before it, whose end it is. */
    uint64_t align = storage->p_align > DATA_PAGE ? storage->p_align : DATA_PAGE;
    uint64_t length = (storage->p_memsz + align - 1) / align * align;
    long memory = cotree_mmap(NULL, length + align + CONTROL_BLOCK_SIZE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cotree_failed(memory))
        return;
    char *control = (char *)(((uint64_t)memory + length + align - 1) / align * align);
    *(char **)control = control;
    if (cotree_set_thread_pointer(control) == 0)
        lent = control;
}

int __wrap___libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    lend_storage(arguments, count);
    return __real___libc_start_main(main, count, arguments, init, fini, loader_fini, stack_end);
}

/* Adds what was counted before there was storage to the calling thread's counters of that
 * length. */
void cotree_take_early_counts(uint64_t length)
{
    const char *thread = __builtin_thread_pointer();
    if (lent == NULL || lent == thread)
        return;
    const uint64_t *early = (const uint64_t *)(const void *)cotree_thread_range(lent);
    uint64_t *now = (uint64_t *)(void *)cotree_thread_range(thread);
    for (uint64_t i = 0; i < length / 8; i++)
        now[i] += early[i];
}

#endif
