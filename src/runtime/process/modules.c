/*
 * Modules: the executable and the shared libraries whose code counts, one data file for all of
 * them.
 *
 * The first runtime to start in a process is the host. It exports `cotree_runtime_v2`; the runtime
 * of a library that is loaded later finds it and is its guest from then on: the host gives out
 * blocks, follows fork and notes the end. A library in a plain program is its own host. Two hosts
 * in one process (libraries loaded with RTLD_LOCAL) meet in the file, which one makes and the other
 * joins (file.c).
 *
 * Code compiled with -fPIC counts at image + cotree_delta (format/counters.h). A thread's block is
 * mapped anywhere; when the thread is gone the mapping is handed to the next thread as it is.
 * Nothing is unmapped when a library ends, because the same code runs for dlclose and for exit, and
 * at exit other threads and destructors may still count; the next dlopen of the library takes these
 * mappings over.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/file/frame_counts.h"
#include "runtime/frames/unwind.h"
#include "runtime/interpose.h"
#include "runtime/process/process.h"

#define DEAD_PROBES 64 /* threads asked whether they are alive before a new block is made */

/* Mappings whose library was closed belong to this; slot->module tells what they can be used
 * for. */
static struct cotree_module closed_module;

#ifndef COTREE_RUNTIME_SHARED
static bool counted_early;
#endif

#ifdef COTREE_RUNTIME_SHARED
BORROWED(dladdr)
#endif

/* Where the module lies, for reports. */
void cotree_module_path(struct cotree_module *module)
{
    char *out = module->path;
    size_t size = sizeof module->path;
#ifdef COTREE_RUNTIME_SHARED
    Dl_info info;
    if (BORROW(dladdr)(module->image, &info) != 0 && info.dli_fname != NULL) {
        const char *name = info.dli_fname;
        size_t at = 0;
        while (cotree_starts_with(name, "./"))
            name += 2;
        if (name[0] != '/') {
            char directory[COTREE_PATH_MAX];
            if (COTREE_CALL(SYS_getcwd, directory, sizeof directory, 0, 0, 0, 0) > 0) {
                at = cotree_append(out, size, at, directory);
                at = at < size ? cotree_append(out, size, at, "/") : at;
            }
        }
        if (at < size)
            cotree_append(out, size, at, name);
        return;
    }
#endif
    cotree_put(out, size, cotree_process.program_path);
}

/* ---- thread-local ranges ---- */

/* Puts the calling thread's range into the file, with what was counted in it so far. */
static void attach_range(struct cotree_module *module)
{
#ifndef COTREE_RUNTIME_SHARED
    void *thread = __builtin_thread_pointer();
    char *range = cotree_thread_range(thread);
    long error = 0;
    if ((uintptr_t)range % DATA_PAGE != 0)
        cotree_process.range_unusable = true;
    if (cotree_process.range_unusable) {
        cotree_lost("other data lies between the counters; nothing is kept in", -EINVAL);
        return;
    }
    struct cotree_mapping *mapping = cotree_mapping_new();
    struct data_slot *slot = mapping != NULL ? cotree_slot_claim(module, range, &error) : NULL;
    if (slot == NULL) {
        cotree_lost("no block in", error != 0 ? error : -ENOMEM);
        return;
    }
    uint64_t *block = cotree_file_at(slot->offset, slot->length);
    const uint64_t *now = (const uint64_t *)(void *)range, *image = (const uint64_t *)module->image;
    for (uint64_t i = 0; slot->uses != 1 && i < module->counters_length / 8; i++)
        block[i] += now[i] - image[i];
    slot->thread = cotree_gettid();
    *mapping = (struct cotree_mapping){.slot = slot, .address = range, .thread = thread};
    mapping->module = module;
    error = cotree_file_map(slot->offset, slot->length, range);
    if (error != 0) { /* what was counted so far is in the block already, so it may stay there */
        cotree_keep_in_memory(range, module);
        mapping->module = NULL;
        cotree_lost("cannot map a block of", error);
    }
#else
    (void)module;
#endif
}

/* ---- code that is -fPIC ---- */

static long take_over(struct cotree_mapping *mapping, struct cotree_module *module, uint32_t tid)
{
    mapping->tid = tid;
    mapping->module = module;
    mapping->asked = mapping->recorded = false;
    mapping->slot->thread = tid;
    __atomic_fetch_add(&mapping->slot->uses, 1, __ATOMIC_RELAXED);
    cotree_slot_state(mapping->slot, DATA_USED);
    return mapping->address - module->image;
}

/* A block of this module whose thread is gone, or which stayed when the library was closed. */
static struct cotree_mapping *left_behind(const struct cotree_module *module, uint32_t tid)
{
    static struct cotree_mapping *cursor; /* goes round, so that no thread is asked too often */
    unsigned probes = 0, rounds = cursor != NULL ? 2 : 1;
    for (struct cotree_mapping *m = cotree_mapping_next(cursor);; m = cotree_mapping_next(m)) {
        if (m == NULL) {
            if (--rounds == 0)
                return NULL;
            continue;
        }
        if (m->module == &closed_module) {
            if (m->slot->module == module->index && m->slot->length == module->block_length)
                return cursor = m;
        } else if (m->module == module && m->thread == NULL) {
            if (m->tid == tid || !cotree_thread_alive(m)) {
                __atomic_fetch_add(&cotree_process.file.header->threads_ended, 1, __ATOMIC_RELAXED);
                return cursor = m;
            }
            if (++probes == DEAD_PROBES) {
                cursor = m;
                return NULL;
            }
        }
    }
}

/* Where counts go that cannot be kept: memory that all threads share. Without even that, the image,
 * which is writable for this. */
static long sink(struct cotree_module *module)
{
    if (module->sink == NULL && module->block_length != 0) {
        long memory = cotree_mmap(NULL, module->block_length, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!cotree_failed(memory))
            module->sink = (char *)memory;
    }
    return module->sink != NULL ? module->sink - module->image : 0;
}

/* Gives the calling thread its block of MODULE and stores the distance in *delta. */
static long attach(struct cotree_module *module, long *delta)
{
    /* A vfork child has the memory of its parent, delta too. It counts nowhere, and the file says
     * that it was there. */
    if (cotree_process.file.header != NULL && cotree_process.pid != cotree_getpid()) {
        cotree_flag(DATA_FLAG_RAW_FORK);
        return sink(module);
    }
    bool locked = cotree_forks_now(); /* in a fork handler of the program, called after the runtime's */
    uint64_t mask = locked ? 0 : cotree_lock();
    if (!locked && cotree_another_ends()) { /* it asks threads under the lock: it has missed this one */
        cotree_unlock(mask);
        cotree_wait_for_the_end();
        mask = cotree_lock();
    }
    if (*delta != 0) { /* a signal handler has attached it meanwhile */
        if (!locked)
            cotree_unlock(mask);
        return *delta;
    }
    uint32_t tid = cotree_gettid();
    long distance = 0, error = -ENOMEM;
    if (cotree_process.file.header != NULL && cotree_module_in_file(module) == 0) {
        struct cotree_mapping *mapping = left_behind(module, tid);
        if (mapping != NULL) {
            distance = take_over(mapping, module, tid);
        } else if ((mapping = cotree_mapping_new()) != NULL) {
            struct data_slot *slot = cotree_slot_claim(module, module->image, &error);
            long address = -ENOMEM;
            if (slot != NULL)
                address = cotree_mmap(NULL, module->block_length, PROT_NONE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (slot != NULL && !cotree_failed(address)) {
                slot->thread = tid;
                *mapping = (struct cotree_mapping){.slot = slot, .address = (char *)address, .tid = tid};
                mapping->module = module;
                error = cotree_file_map(slot->offset, slot->length, mapping->address);
                if (error == 0)
                    distance = mapping->address - module->image;
                else
                    mapping->module = NULL;
            }
            if (slot != NULL && distance == 0)
                cotree_slot_state(slot, DATA_FREE);
        }
        if (distance == 0)
            cotree_lost("a thread counts in memory only, without a block in", error);
    }
    if (distance == 0)
        distance = sink(module);
    *delta = distance;
    if (!locked)
        cotree_unlock(mask);
    return distance;
}

/* Called by -fPIC code whose thread has no block of this module yet. */
long cotree_attach_here(long *delta)
{
#ifdef COTREE_RUNTIME_SHARED
    extern char **__environ;
    cotree_start(__environ);
#else
    if (__atomic_load_n(&cotree_process.started, __ATOMIC_ACQUIRE) != 2) {
        counted_early = true; /* an ifunc resolver: it counts in the image, which is cleaned at the start */
        return 0;
    }
#endif
    if (cotree_host != NULL)
        return cotree_host->attach(&cotree_pic_module, delta);
    return attach(&cotree_pic_module, delta);
}

/* ---- coming and going of libraries ---- */

static void add_module(struct cotree_module *module)
{
    uint64_t mask = cotree_lock();
    module->index = UINT32_MAX;
    module->next = NULL;
    struct cotree_module **link = &cotree_process.modules;
    while (*link != NULL)
        link = &(*link)->next;
    *link = module;
    if (module->block_length != 0)
        cotree_code_add(module);
    if (cotree_process.file.header == NULL && !cotree_process.off && !cotree_process.failed &&
        module->block_length != 0)
        cotree_open_and_attach();
    if (cotree_traces() && cotree_process.file.header != NULL)
        (void)cotree_module_in_file(module);
    cotree_unlock(mask);
}

static void remove_module(struct cotree_module *module)
{
    bool alone = cotree_alone(); /* as in endings.c */
    uint64_t mask = alone ? 0 : cotree_lock();
    uint32_t tid = alone ? 0 : cotree_gettid();
    for (struct cotree_module **link = &cotree_process.modules; *link != NULL; link = &(*link)->next)
        if (*link == module) {
            *link = module->next;
            break;
        }
    cotree_code_ends(module);
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        if (m->module == module) {
            /* Another thread may be in the library still; then its slot goes on saying so. */
            if (alone || m->tid == tid || !cotree_thread_alive(m))
                cotree_slot_state(m->slot, DATA_CLEAN);
            m->module = &closed_module;
        }
    if (!alone)
        cotree_unlock(mask);
}

/* The header counts each process once, by the runtime that made the file or whose turn it is. */
void cotree_account_for_run(void)
{
    struct data_header *header = cotree_process.file.header;
    cotree_process.accounts = true;
    cotree_process.sealed = false;
    /* First of all, and then it is not sealed any more: a process that is about to seal the file
     * sees one of the two. */
    if (!cotree_process.file.joined)
        __atomic_fetch_add(&header->runs_started, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&header->seal, 0, __ATOMIC_SEQ_CST);
    cotree_flag(cotree_process.always_flagged);
    __atomic_fetch_or(&header->handled, cotree_process.handled, __ATOMIC_RELAXED);
    if (!cotree_process.file.joined)
        return;
    if (header->runs_clean >= header->runs_started && header->runs_clean > 0)
        __atomic_fetch_sub(&header->runs_clean, 1,
                           __ATOMIC_RELAXED); /* the end of the library's earlier life was not the last */
    else
        cotree_process.accounts = false;
}

/* Opens the file and puts the calling thread's range into it. Lock held. */
void cotree_open_and_attach(void)
{
    if (cotree_file_open() != 0) {
        cotree_process.failed = true;
        return;
    }
    cotree_account_for_run();
#ifndef COTREE_RUNTIME_SHARED
    if (counted_early) {
        cotree_clear_counters((uint64_t *)(uintptr_t)cotree_pic_module.image,
                              cotree_pic_module.counters_length / 8);
        cotree_flag(DATA_FLAG_EARLY);
    }
#endif
    if (cotree_process.modules->thread_local_range && cotree_process.modules->block_length != 0)
        attach_range(cotree_process.modules);
}

/* What a guest says may come before there is a file. */
static void flag_always(uint32_t flags)
{
    cotree_process.always_flagged |= flags;
    cotree_flag(flags);
}

/* A name of its own, to compare addresses with: the exported name may lead to another module's. */
const struct cotree_runtime cotree_own_runtime = {
    .version = 2,
    .size = sizeof(struct cotree_runtime),
    .add = add_module,
    .remove = remove_module,
    .attach = attach,
    .dump = cotree_dump_now,
    .reset = cotree_reset_now,
    .frames_lost = cotree_frames_lost,
    .frame_count = cotree_frame_count,
    .flag = flag_always,
};
extern const struct cotree_runtime cotree_runtime_v2
    __attribute__((alias("cotree_own_runtime"), visibility("default")));

#ifdef COTREE_RUNTIME_SHARED
static bool is_usable(const struct cotree_runtime *other)
{
    return other != NULL && other != &cotree_own_runtime && other->version == 2 &&
           other->size >= sizeof(struct cotree_runtime);
}

/*
 * The host, if there is one. A traced library that is loaded with RTLD_DEEPBIND, or into a list of its own
 * (dlmopen), finds its own runtime under every name, and would keep a trace of which the program's knows
 * nothing. So the executable is asked, the first object of the loader's first list, by which dlsym knows it.
 */
static const struct cotree_runtime *find_host(void)
{
    const struct cotree_runtime *other = cotree_dlsym(RTLD_DEFAULT, "cotree_runtime_v2");
    if (is_usable(other) || !cotree_traces())
        return is_usable(other) ? other : NULL;
    const struct r_debug *loader = cotree_dlsym(RTLD_DEFAULT, "_r_debug");
    if (loader == NULL || loader->r_map == NULL)
        return NULL;
    other = cotree_dlsym(loader->r_map, "cotree_runtime_v2");
    cotree_host_is_apart = is_usable(other);
    return cotree_host_is_apart ? other : NULL;
}
#endif

/* The rest of the start: become a guest of the runtime that is there, or the host. Lock held. */
void cotree_modules_start(void)
{
#ifdef COTREE_RUNTIME_SHARED
    const struct cotree_runtime *other = find_host();
    if (other != NULL) {
        other->add(&cotree_pic_module);
        cotree_host = other;
        return;
    }
#endif
    bool counts = false;
    for (const struct cotree_module *module = cotree_process.modules; module != NULL; module = module->next)
        counts = counts || module->block_length != 0;
    if (!cotree_process.off && counts) {
        struct cotree_module *first = cotree_process.modules;
        cotree_code_add(first->block_length != 0 ? first : first->next); /* both have the same code */
        cotree_open_and_attach();
    }
#ifndef COTREE_RUNTIME_SHARED
    if (!cotree_process.off && !counts && !cotree_traces())
        cotree_say("the program itself has no counters: no part of it was compiled by cotree cc, or with "
                   "-femulated-tls",
                   (const char *)NULL);
#endif
    if (!cotree_process.off) {
        cotree_fork_start();
    }
    cotree_endings_start();
}

#ifdef COTREE_RUNTIME_SHARED
/* Is the library being unloaded? At the end of the program, or where that cannot be told, others
 * may still run its code. */
static bool is_unloaded(const struct cotree_cursor *from)
{
    Dl_info place;
    struct cotree_cursor caller;
    cotree_copy(&caller, from, sizeof caller);
    do {
        if (BORROW(dladdr)((void *)(uintptr_t)(caller.pc - 1), &place) == 0 || place.dli_sname == NULL)
            continue;
        if (cotree_starts_with(place.dli_sname, "dlclose"))
            return true;
        if (cotree_starts_with(place.dli_sname, "exit"))
            return false;
    } while (cotree_unwind(&caller) == COTREE_STEP_OK);
    return false;
}

/* Runs for dlclose and for exit, after the library's own destructors. */
static void end_library(void)
{
    struct cotree_cursor caller;
    CURSOR_HERE(&caller);
    bool unloaded = cotree_traces() && cotree_trace_hooks.has_addresses() && is_unloaded(&caller);
    if (unloaded)
        cotree_trace_hooks.unload();
    if (cotree_host != NULL) {
        cotree_host->remove(&cotree_pic_module);
    } else if (cotree_process.file.header != NULL) {
        cotree_note_clean_end(&caller);
        cotree_file_close(&cotree_process.file);
    }
    if (unloaded)
        cotree_trace_hooks.unmap();
}
__attribute__((section(".fini_array.00000"), used)) static void (*const end_entry)(void) = end_library;
#endif
