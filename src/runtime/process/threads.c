/*
 * Threads of an executable: their thread-local counters are pages of the file from before their
 * first instruction until after their last.
 *
 * The C library makes and recycles thread storage in three functions, which are interposed: however
 * a thread starts, it passes there.
 *   _dl_allocate_tls       a new stack: map a block over its counters
 *   _dl_allocate_tls_init  a stack of an ended thread is filled anew: take the block away meanwhile
 *   _dl_deallocate_tls     a stack is given back: take the block away
 * They are private to glibc, so pthread_create and thrd_create check that they were reached, and
 * flag the file if not.
 *
 * Thread-local counters are part of a thread stack. A program that asks for small stacks gets them
 * larger by the size of the counters.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/interpose.h"
#include "runtime/process/process.h"

#ifndef COTREE_RUNTIME_SHARED
BORROWED(pthread_attr_getstack)
BORROWED(pthread_attr_getstacksize)
BORROWED(pthread_attr_setstacksize)
BORROWED(pthread_attr_destroy)
BORROWED(pthread_getattr_default_np)
BORROWED(pthread_setattr_default_np)
#endif

#ifdef COTREE_RUNTIME_SHARED

void cotree_threads_start(void) {}

#else

#define BIG_COUNTERS (64u << 10) /* default stacks are enlarged from here on */

INTERPOSED_WEAKLY(void *, _dl_allocate_tls, (void *))
INTERPOSED_WEAKLY(void *, _dl_allocate_tls_init, (void *, bool))
INTERPOSED_WEAKLY(void, _dl_deallocate_tls, (void *, bool))
INTERPOSED(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
INTERPOSED_WEAKLY(int, thrd_create, (thrd_t *, thrd_start_t, void *))

static __thread unsigned hook_calls __attribute__((tls_model("local-exec")));

static struct cotree_module *range_module(void)
{
    struct cotree_module *module = cotree_process.modules;
    if (cotree_process.file.header == NULL || module == NULL || !module->thread_local_range ||
        module->block_length == 0 || cotree_process.range_unusable || cotree_process.pid != cotree_getpid())
        return NULL;
    return module;
}

/* Maps a block over the counters of a thread that has not started. */
static void begin_thread(struct cotree_module *module, void *thread)
{
    uint64_t mask = cotree_lock();
    long error = -ENOMEM;
    char *range = cotree_thread_range(thread);
    /* Where pthread_create failed halfway, the storage went away unseen. */
    struct cotree_mapping *stale = cotree_mapping_of_thread(thread);
    if (stale != NULL) {
        cotree_slot_state(stale->slot, DATA_FREE);
        stale->module = NULL;
        stale->thread = NULL;
    }
    struct cotree_mapping *mapping = cotree_mapping_new();
    struct data_slot *slot = NULL;
    if ((uintptr_t)range % DATA_PAGE != 0)
        error = -EINVAL;
    else if (mapping != NULL)
        slot = cotree_slot_claim(module, module->image, &error);
    if (slot != NULL) {
        *mapping = (struct cotree_mapping){.slot = slot, .address = range, .thread = thread};
        mapping->module = module;
        error = cotree_file_map(slot->offset, slot->length, range);
        if (error != 0) {
            cotree_keep_in_memory(range, module);
            mapping->module = NULL;
            mapping->thread = NULL;
            cotree_slot_state(slot, DATA_FREE);
        }
    }
    if (slot == NULL || error != 0)
        cotree_lost("a thread counts in memory only, without a block in", error);
    cotree_unlock(mask);
}

/* Takes the block of a thread that has ended away, before its storage is written or given back. */
static void end_thread(const void *thread)
{
    uint64_t mask = cotree_lock();
    struct cotree_mapping *mapping = cotree_mapping_of_thread(thread);
    if (mapping != NULL) {
        (void)cotree_mmap(mapping->address, mapping->module->block_length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        cotree_slot_state(mapping->slot, DATA_FREE);
        __atomic_fetch_add(&cotree_process.file.header->threads_ended, 1, __ATOMIC_RELAXED);
        mapping->module = NULL;
        mapping->thread = NULL;
    }
    cotree_unlock(mask);
}

/* Tells the other rooms that know a thread's storage that the thread has ended. */
static void forget_thread(void *thread)
{
    cotree_signal_stack_left(thread);
    if (cotree_traces())
        cotree_trace_hooks.thread_gone(thread);
}

void *INTERPOSE(_dl_allocate_tls)(void *memory)
{
    void *thread = REAL(_dl_allocate_tls)(memory);
    hook_calls++;
    struct cotree_module *module = range_module();
    if (thread != NULL && memory != NULL) {
        cotree_parts_begin_thread(thread);
        if (module != NULL)
            begin_thread(module, thread);
    }
    return thread;
}

void *INTERPOSE(_dl_allocate_tls_init)(void *thread, bool main_namespace)
{
    hook_calls++;
    struct cotree_module *module = range_module();
    if (thread != NULL)
        forget_thread(thread);
    if (thread != NULL && module != NULL)
        end_thread(thread);
    /* Without the lock: it may call malloc, and a program's own malloc may count. */
    void *result = REAL(_dl_allocate_tls_init)(thread, main_namespace);
    if (thread != NULL)
        cotree_parts_begin_thread(thread);
    if (thread != NULL && module != NULL)
        begin_thread(module, thread);
    return result;
}

void INTERPOSE(_dl_deallocate_tls)(void *thread, bool free_memory)
{
    if (thread != NULL)
        forget_thread(thread);
    if (thread != NULL && range_module() != NULL)
        end_thread(thread);
    REAL(_dl_deallocate_tls)(thread, free_memory);
}

static void check_hooks(unsigned before)
{
    if (hook_calls == before) {
        cotree_signal_stacks_stop();
        if (cotree_traces())
            cotree_trace_hooks.thread_gone(NULL);
    }
    if (hook_calls == before && range_module() != NULL) {
        cotree_flag(DATA_FLAG_NO_THREAD_HOOKS);
        cotree_say("the C library does not call our thread hooks: threads are not exact", (const char *)NULL);
    }
}

/* What the counters take from a stack: their range, its end and its alignment. */
static size_t counters_in_stack(void)
{
    char *thread = __builtin_thread_pointer();
    return (size_t)(thread - cotree_thread_range(thread)) + DATA_PAGE;
}

int INTERPOSE(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                              void *argument)
{
    unsigned before = hook_calls;
    pthread_attr_t larger;
    if (attributes != NULL) {
        void *address;
        size_t size;
        cotree_copy(&larger, attributes, sizeof larger); /* shares what it points to, for this call */
        /* Without an address of the program's own, address + size is 0. */
        if (BORROW(pthread_attr_getstack)(&larger, &address, &size) == 0 && (uintptr_t)address + size == 0 &&
            BORROW(pthread_attr_getstacksize)(&larger, &size) == 0 && size < 64 * counters_in_stack() &&
            BORROW(pthread_attr_setstacksize)(&larger, size + counters_in_stack()) == 0)
            attributes = &larger;
    }
    char *stack = cotree_signal_stack_for(&start, &argument);
    int result = REAL(pthread_create)(thread, attributes, start, argument);
    if (result == 0)
        check_hooks(before);
    else
        cotree_signal_stack_unused(stack);
    return result;
}

int INTERPOSE(thrd_create)(thrd_t *thread, thrd_start_t start, void *argument)
{
    unsigned before = hook_calls;
    /* What it returns is handed on as it is. */
    void *(*function)(void *) = (void *(*)(void *))(uintptr_t)start;
    char *stack = cotree_signal_stack_for(&function, &argument);
    int result = REAL(thrd_create)(thread, (thrd_start_t)(uintptr_t)function, argument);
    if (result == thrd_success)
        check_hooks(before);
    else
        cotree_signal_stack_unused(stack);
    return result;
}

void cotree_threads_start(void)
{
    RESOLVE(_dl_allocate_tls);
    RESOLVE(_dl_allocate_tls_init);
    RESOLVE(_dl_deallocate_tls);
    RESOLVE(pthread_create);
    RESOLVE(thrd_create);
    cotree_owners_start();
    if (counters_in_stack() < BIG_COUNTERS)
        return;
    pthread_attr_t attributes;
    size_t size;
    if (BORROW(pthread_getattr_default_np)(&attributes) != 0)
        return;
    if (BORROW(pthread_attr_getstacksize)(&attributes, &size) == 0 &&
        BORROW(pthread_attr_setstacksize)(&attributes, size + counters_in_stack()) == 0)
        (void)BORROW(pthread_setattr_default_np)(&attributes);
    (void)BORROW(pthread_attr_destroy)(&attributes);
}

#endif
