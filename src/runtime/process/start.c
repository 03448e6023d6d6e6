/*
 * Before main: finds out which process this is, where the counters lie and what the environment
 * asks for, and takes the first block.
 *
 * An executable's runtime starts in .preinit_array, before every constructor. What was counted
 * until then (ifunc resolvers) is in the main thread's storage and is added to its block. A shared
 * library's runtime starts in a constructor, or when its code counts first, whichever comes first;
 * it hands itself over to a runtime that is there already (modules.c).
 *
 * AT_SECURE (setuid and the like): the environment belongs to another user, so it is not read and
 * nothing is written.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include "format/counters.h"
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"
#include "runtime/loader/auxiliary.h"
#include "runtime/loader/objects.h"
#include "runtime/process/process.h"

/* Referenced by every instrumented object, so that a plain link fails and says what to do. */
char cotree_runtime_is_missing_so_link_with_cotree_cc;

/* ---- identity ---- */

static uint64_t read_pid_namespace(void)
{
    char text[64];
    uint64_t number = 0;
    long length = COTREE_CALL(SYS_readlink, "/proc/self/ns/pid", text, sizeof text, 0, 0, 0);
    for (long i = 0; i < length; i++)
        if (text[i] >= '0' && text[i] <= '9')
            number = number * 10 + (uint64_t)(text[i] - '0');
    return number;
}

/* Marks this process's own memory (is_our_memory in endings.c). */
static void leave_witness(void)
{
    if (cotree_process.witness == NULL) {
        long page = cotree_mmap(NULL, DATA_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (cotree_failed(page))
            return;
        if (COTREE_CALL(SYS_madvise, page, DATA_PAGE, MADV_WIPEONFORK, 0, 0, 0) != 0) {
            cotree_munmap((void *)page, DATA_PAGE);
            return;
        }
        cotree_process.witness = (uint32_t *)page;
    }
    *cotree_process.witness = 1;
}

void cotree_identify(void)
{
    cotree_process.pid = cotree_getpid();
    leave_witness();
    cotree_process.start_time = cotree_stat_field("/proc/self/stat", 22);
    cotree_process.pid_namespace = read_pid_namespace();
}

static void find_program(void)
{
    static const char deleted[] = " (deleted)";
    char path[COTREE_PATH_MAX];
    long length = COTREE_CALL(SYS_readlink, "/proc/self/exe", path, sizeof path - 1, 0, 0, 0);
    if (length <= 0) {
        const char *name = (const char *)cotree_auxiliary(AT_EXECFN);
        cotree_put(path, sizeof path, name != NULL ? name : "program");
        length = (long)cotree_length(path);
    }
    path[length] = '\0';
    size_t cut = sizeof deleted - 1;
    if ((size_t)length > cut && cotree_starts_with(path + length - cut, deleted))
        path[(size_t)length - cut] = '\0';
    const char *name = path;
    for (const char *p = path; *p != '\0'; p++)
        if (*p == '/')
            name = p + 1;
    cotree_put(cotree_process.program, sizeof cotree_process.program, name);
    cotree_put(cotree_process.program_path, sizeof cotree_process.program_path, path);
}

/* Where the code lies that this is linked into, and its build id, from its own headers. */
extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

static void find_code(struct cotree_module *module, const Elf64_Phdr *segments, unsigned count)
{
    uint64_t begin = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < count; i++)
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X) != 0) {
            uint64_t last = segments[i].p_vaddr + segments[i].p_memsz;
            begin = segments[i].p_vaddr < begin ? segments[i].p_vaddr : begin;
            end = last > end ? last : end;
        }
    if (begin < end) {
        module->code_begin = module->bias + begin;
        module->code_length = end - begin;
    }
}

static void read_own_headers(struct cotree_module *module)
{
    const Elf64_Ehdr *header = &__ehdr_start;
    if (header == NULL || header->e_phentsize != sizeof(Elf64_Phdr))
        return;
    const char *base = (const char *)header;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(base + header->e_phoff);
    uint64_t first = 0;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
            first = segments[i].p_vaddr;
    module->bias = (uint64_t)(uintptr_t)base - first;
    find_code(module, segments, header->e_phnum);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type != PT_NOTE)
            continue;
        const char *note = base + (segments[i].p_vaddr - first), *end = note + segments[i].p_filesz;
        while (note + sizeof(Elf64_Nhdr) <= end) {
            const Elf64_Nhdr *n = (const Elf64_Nhdr *)note;
            const char *name = note + sizeof *n;
            const char *content = name + ((n->n_namesz + 3) & ~3u);
            if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && cotree_starts_with(name, "GNU")) {
                module->build_id_size =
                    n->n_descsz < DATA_BUILD_ID_MAX ? (uint32_t)n->n_descsz : DATA_BUILD_ID_MAX;
                cotree_copy(module->build_id, content, module->build_id_size);
                return;
            }
            note = content + ((n->n_descsz + 3) & ~3u);
        }
    }
}

/* ---- where the counters lie ---- */

#ifndef COTREE_RUNTIME_SHARED
/*
 * Both ends of the thread-local range are page-aligned and kept by --gc-sections ("R"). The range
 * is measured in the image, by section symbols declared as ordinary data: lld refuses them as
 * thread-local symbols.
 */
__asm__(".section " COUNTERS_TLS_SECTION ",\"awTR\",@progbits\n"
        ".p2align 12\n"
        ".zero 16\n"
        ".section " COUNTERS_TLS_END_SECTION ",\"awTR\",@progbits\n"
        ".p2align 12\n"
        ".globl cotree_tls_last\n"
        ".hidden cotree_tls_last\n"
        ".type cotree_tls_last, @object\n"
        "cotree_tls_last: .zero 16\n"
        ".size cotree_tls_last, 16\n"
        ".text\n");
#define TLS_OWN_SIZE 16u

extern __thread char cotree_tls_last[] __attribute__((visibility("hidden"), tls_model("local-exec")));
extern char __start___cotree_tls[] __attribute__((visibility("hidden")));
extern char __stop___cotree_tls[] __attribute__((visibility("hidden")));
extern char __start___cotree_tlz[] __attribute__((visibility("hidden")));

/* The counters of the thread whose control block this is. */
char *cotree_thread_range(const void *thread)
{
    ptrdiff_t distance = cotree_tls_last - (char *)__builtin_thread_pointer();
    return (char *)thread + distance - (__start___cotree_tlz - __start___cotree_tls);
}

static struct cotree_module tls_module;
#endif

/* Code compiled with -fPIC; some zeros of the runtime's own, so that the section always exists. It
 * must be writable: see sink() in modules.c. */
__asm__(".section " COUNTERS_PIC_SECTION ",\"awR\",@progbits\n"
        ".p2align 3\n"
        ".zero 16\n"
        ".text\n");
#define PIC_OWN_SIZE 16u

extern char __start___cotree_pic[] __attribute__((visibility("hidden")));
extern char __stop___cotree_pic[] __attribute__((visibility("hidden")));

/* Thunks that run before the runtime starts read its number (format/trace/layout.h): code of the
 * executable is in module 0, that of a library in one that is not known yet. */
#ifdef COTREE_RUNTIME_SHARED
struct cotree_module cotree_pic_module = {.index = UINT32_MAX};
#else
struct cotree_module cotree_pic_module;
#endif

/* This module's ranges of counters, the first one being module 0 of a file that it makes. */
static void find_counters(void)
{
    struct cotree_module *pic = &cotree_pic_module;
    pic->image = __start___cotree_pic;
    pic->counters_length = (uint64_t)(__stop___cotree_pic - __start___cotree_pic);
    pic->block_length = pic->counters_length > PIC_OWN_SIZE ? cotree_whole_pages(pic->counters_length) : 0;
    read_own_headers(pic);
    cotree_module_path(pic);
    cotree_process.modules = pic;
#ifndef COTREE_RUNTIME_SHARED
    struct cotree_module *tls = &tls_module;
    tls->thread_local_range = 1;
    tls->image = __start___cotree_tls;
    tls->counters_length = (uint64_t)(__stop___cotree_tls - __start___cotree_tls);
    uint64_t range = (uint64_t)(__start___cotree_tlz - __start___cotree_tls);
    tls->block_length = tls->counters_length > TLS_OWN_SIZE ? range : 0;
#ifdef COTREE_RUNTIME_STATIC
    if (tls->block_length != 0)
        cotree_take_early_counts(tls->counters_length);
    cotree_process.always_flagged |= DATA_FLAG_EARLY_KEPT;
#endif
    /* Data of the program between the counters and their end would be shared by processes. lld puts
     * sections in the order in which it meets them, so the runtime's object comes first
     * (link_flags.h). */
    bool exclusive = range - tls->counters_length < DATA_PAGE && range % DATA_PAGE == 0;
    const uint64_t *after = (const uint64_t *)(const void *)__stop___cotree_tls;
    for (uint64_t i = 0; exclusive && i < (range - tls->counters_length) / 8; i++)
        exclusive = after[i] == 0;
    cotree_process.range_unusable = !exclusive;
    tls->code_begin = pic->code_begin;
    tls->code_length = pic->code_length;
    tls->bias = pic->bias;
    tls->build_id_size = pic->build_id_size;
    cotree_copy(tls->build_id, pic->build_id, sizeof tls->build_id);
    cotree_copy(tls->path, pic->path, sizeof tls->path);
    tls->next = pic->block_length != 0 ? pic : NULL;
    cotree_process.modules = tls;
#endif
}

/* ---- what the environment asks for ---- */

/* A number of bytes, with K, M or G after it for kibibytes and so on; 0: the text is no such
 * number. */
static uint64_t size_in(const char *text)
{
    uint64_t size = 0;
    for (; *text >= '0' && *text <= '9' && size < UINT64_MAX / 16; text++)
        size = 10 * size + (uint64_t)(*text - '0');
    unsigned shift = *text == 'K' ? 10 : *text == 'M' ? 20 : *text == 'G' ? 30 : 0;
    text += shift != 0;
    return *text == '\0' && size << shift >> shift == size ? size << shift : 0;
}

static void read_environment(char **environment)
{
    const char *pattern = NULL, *most = "", *part = NULL;
    cotree_process.off = cotree_auxiliary(AT_SECURE) != 0;
    if (cotree_process.off)
        return;
    for (char **entry = environment; entry != NULL && *entry != NULL; entry++) {
        if (!cotree_starts_with(*entry, "COTREE"))
            continue;
        const char *text = *entry + 6;
        if (cotree_starts_with(text, "=")) {
            cotree_process.off = text[1] == 'o' && text[2] == 'f' && text[3] == 'f' && text[4] == '\0';
            cotree_process.verbose = cotree_starts_with(text + 1, "verbose") && text[8] == '\0';
        } else if (cotree_starts_with(text, "_FILE=")) {
            pattern = text + 6;
        } else if (cotree_starts_with(text, "_RUN=")) {
            cotree_put(cotree_process.run, sizeof cotree_process.run, text + 5);
        } else if (cotree_starts_with(text, "_PART=")) {
            part = text + 6;
        } else if (cotree_starts_with(text, "_TRACE_MAX=")) {
            most = text + 11;
            cotree_process.trace_most = size_in(most);
        } else if (cotree_starts_with(text, "_FOLLOWER=")) {
            cotree_put(cotree_process.follower, sizeof cotree_process.follower, text + 10);
        }
    }
    if (part != NULL && !cotree_parts_choose(part))
        cotree_say("COTREE_PART is no part, all is counted: ", part, (const char *)NULL);
    if (most[0] != '\0' && cotree_process.trace_most == 0)
        cotree_say("COTREE_TRACE_MAX is no size, all is kept: ", most, (const char *)NULL);
    if (pattern == NULL || pattern[0] == '\0')
        pattern = "%e.%p.cotree";
    else if (pattern[0] == '%' && pattern[1] == 'm' && pattern[2] == '\0')
        pattern = "%e.%m.cotree";
    char *out = cotree_process.pattern;
    size_t size = sizeof cotree_process.pattern, at = 0;
    if (pattern[0] != '/') {
        char directory[COTREE_PATH_MAX];
        long length = COTREE_CALL(SYS_getcwd, directory, sizeof directory, 0, 0, 0, 0);
        if (length > 0 && directory[0] == '/') {
            for (const char *p = directory; *p != '\0' && at < size; p++) {
                char text[3] = {*p, *p == '%' ? '%' : '\0', '\0'};
                at = cotree_append(out, size, at, text);
            }
            if (at > 1 && at < size)
                at = cotree_append(out, size, at, "/");
        }
    }
    at = at < size ? cotree_append(out, size, at, pattern) : at;
    if (at > 0 && at < size && out[at - 1] == '/') /* a directory */
        at = cotree_append(out, size, at, "%e.%p.cotree");
    if (at >= size) {
        cotree_say("no profile: the name of the file is too long", (const char *)NULL);
        cotree_process.off = true;
    }
}

/* ---- start ---- */

#ifndef COTREE_RUNTIME_SHARED
/* Did code count before the runtime started? Of parts, all have counted that. */
static bool has_counted(void)
{
    const struct cotree_module *module = &tls_module;
    const uint64_t *range = (const uint64_t *)(void *)cotree_thread_range(__builtin_thread_pointer());
    const uint64_t *image = (const uint64_t *)(const void *)module->image;
    return module->block_length != 0 && !cotree_same_words(range, image, module->counters_length / 8);
}
#else
static bool has_counted(void)
{
    return false;
}
#endif

/* Starts this runtime once; later calls return when it has started. */
void cotree_start(char **environment)
{
    uint32_t seen = __atomic_load_n(&cotree_process.started, __ATOMIC_ACQUIRE);
    if (seen == 2)
        return;
    cotree_auxiliary_start(environment);
    cotree_objects_start();
    uint64_t mask = cotree_lock();
    if (cotree_process.started != 2) {
        cotree_identify();
        const uint64_t *random = (const uint64_t *)cotree_auxiliary(AT_RANDOM);
        cotree_process.image = random != NULL ? *random : 0;
        find_program();
        find_counters();
        read_environment(environment);
        cotree_parts_start();
        if (cotree_in_part() && has_counted())
            cotree_parts_doubt(DATA_PARTS_NOT_STARTED);
        if (cotree_process.off)
            cotree_say("off: no profile is written", (const char *)NULL);
        cotree_modules_start();
        __atomic_store_n(&cotree_process.started, 2, __ATOMIC_RELEASE);
    }
    cotree_unlock(mask);
}

#ifdef COTREE_RUNTIME_SHARED
static void start_library(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments;
    cotree_start(environment);
}
__attribute__((section(".init_array.00000"), used)) static void (*const start_entry)(int, char **,
                                                                                     char **) = start_library;
#else
static void start_program(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments;
    cotree_start(environment);
    cotree_threads_start();
    cotree_jumps_start();
    cotree_vfork_start();
    cotree_raw_calls_start();
    cotree_signal_stacks_start();
    cotree_signals_start();
    cotree_sandbox_start();
    cotree_throws_start();
    cotree_watch_start();
}
__attribute__((section(".preinit_array"), used)) static void (*const start_entry)(int, char **,
                                                                                  char **) = start_program;
#endif
