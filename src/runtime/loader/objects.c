/*
 * Which ELF object is at an address, without the loader's lock, which a stopped thread may hold.
 * The C library's _dl_find_object (glibc 2.35) is asked, without it the kernel: /proc/self/maps.
 */
#include "runtime/loader/objects.h"
#include "runtime/interpose.h"
#include "runtime/loader/auxiliary.h"
#include "runtime/system_calls.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>

#define ELF_MAGIC 0x464c457fu

/* struct dl_find_object, which older headers do not have. */
struct loader_answer {
    uint64_t flags;
    void *map_start, *map_end;
    struct link_map *link_map;
    void *frames;
    uint64_t reserved[7];
};
typedef int find_object_function(void *address, struct loader_answer *answer);
#ifdef COTREE_RUNTIME_EXEC
static find_object_function *loader_find_object; /* the one after that of frames/throws.c */
#else
find_object_function cotree_loader_find_object __asm__("_dl_find_object")
    __attribute__((weak, visibility("default")));
#define loader_find_object (&cotree_loader_find_object)
#endif

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

/* From the kernel: the executable's program headers, the vDSO's file header, the name of the
 * executable, which lies above the first thread's stack, in the last page of it. */
static uint64_t executable, vdso, stack_end;

/* The objects the program was started with are the first ones in the loader's list, up to this
 * one. */
static const struct link_map *first_object, *last_first_object;

#ifdef COTREE_RUNTIME_EXEC
/* The loader leaves the address of its list in the executable. */
extern const Elf64_Dyn dynamic_section[] __asm__("_DYNAMIC") __attribute__((weak, visibility("hidden")));

static void find_first_objects(void)
{
    const struct r_debug *loader = NULL;
    for (const Elf64_Dyn *entry = dynamic_section; entry != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_DEBUG)
            loader = (const struct r_debug *)entry->d_un.d_ptr;
    if (loader == NULL || loader->r_map == NULL)
        return;
    const struct link_map *last = loader->r_map;
    while (last->l_next != NULL)
        last = last->l_next;
    first_object = loader->r_map;
    last_first_object = last;
}
#endif

void cotree_objects_start(void)
{
#ifdef COTREE_RUNTIME_EXEC
    loader_find_object = (find_object_function *)(uintptr_t)cotree_dlsym(RTLD_NEXT, "_dl_find_object");
#endif
    executable = cotree_auxiliary(AT_PHDR);
    vdso = cotree_auxiliary(AT_SYSINFO_EHDR);
    stack_end = cotree_auxiliary(AT_EXECFN);
    stack_end = stack_end != 0 ? (stack_end & -OBJECT_PAGE) + OBJECT_PAGE : 0;
#ifdef COTREE_RUNTIME_EXEC
    /* The runtime starts before anything else of the program: nothing can have been loaded
     * later. */
    if (first_object == NULL)
        find_first_objects();
#endif
}

const struct link_map *cotree_last_first_object(void)
{
    return last_first_object;
}

uint64_t cotree_first_stack_end(void)
{
    return stack_end;
}

/* Can the page be read? Asked only where there is reason to doubt, since it takes system calls.
 * madvise can read a page ahead (Linux 5.14). Before that, rt_sigprocmask with an impossible first
 * argument only reads its second one. (Not at the beginning of the page: to it, 0 is no
 * address.) */
bool cotree_is_mapped(uint64_t page)
{
    long answer = COTREE_CALL(SYS_madvise, page, OBJECT_PAGE, 22 /* MADV_POPULATE_READ */, 0, 0, 0);
    if (answer == -EINVAL || answer == -ENOSYS || answer == -EPERM)
        return COTREE_CALL(SYS_rt_sigprocmask, -1, page + 8, 0, 8, 0, 0) != -EFAULT;
    return answer == 0;
}

static bool is_inside(const struct object *object, uint64_t address)
{
    return address - object->start < object->end - object->start;
}

bool cotree_object_is_permanent(const struct object *object)
{
    if (is_inside(object, (uint64_t)(uintptr_t)&first_object) || is_inside(object, executable) ||
        is_inside(object, vdso) ||
        is_inside(object, (uint64_t)(uintptr_t)__errno_location)) /* the C library */
        return true;
    for (const struct link_map *map = first_object; map != NULL; map = map->l_next) {
        if (is_inside(object, (uint64_t)(uintptr_t)map->l_ld))
            return true;
        if (map == last_first_object)
            break;
    }
    return false;
}

/* The program headers of an object whose file header is at BASE, if they are in its first page. */
static bool read_headers(struct object *object, uint64_t base)
{
    const void *base_pointer = (const void *)(uintptr_t)base;
    const Elf64_Ehdr *header = base_pointer;
    object->segments = NULL;
    object->segment_count = 0;
    if (base % OBJECT_PAGE != 0 || *(const uint32_t *)base_pointer != ELF_MAGIC ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > OBJECT_PAGE ||
        header->e_phoff % 8 != 0 || header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > OBJECT_PAGE)
        return false;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(uintptr_t)(base + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset < OBJECT_PAGE) {
            object->segments = segments;
            object->segment_count = header->e_phnum;
            object->bias = base - segments[i].p_vaddr / OBJECT_PAGE * OBJECT_PAGE;
            return true;
        }
    return false;
}

/* Completes an object from its program headers, if pc is in it. */
static bool take_segments(struct object *object, uint64_t pc)
{
    bool found = false;
    object->start = UINT64_MAX;
    object->end = 0;
    object->frames = NULL;
    for (unsigned i = 0; i < object->segment_count; i++) {
        const Elf64_Phdr *segment = &object->segments[i];
        uint64_t from = object->bias + segment->p_vaddr, to = from + segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            object->frames = (const uint8_t *)(uintptr_t)from;
        if (segment->p_type != PT_LOAD)
            continue;
        found |= pc >= from && pc < to;
        object->start = from < object->start ? from : object->start;
        object->end = to > object->end ? to : object->end;
    }
    return found;
}

bool cotree_object_readable(const struct object *object, uint64_t address, const uint8_t **low,
                            const uint8_t **high)
{
    for (unsigned i = 0; i < object->segment_count; i++) {
        const Elf64_Phdr *segment = &object->segments[i];
        uint64_t from = object->bias + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && address - from < segment->p_memsz) {
            *low = (const uint8_t *)(uintptr_t)from;
            *high = (const uint8_t *)(uintptr_t)(from + segment->p_memsz);
            return true;
        }
    }
    *low = (const uint8_t *)(uintptr_t)object->start;
    *high = (const uint8_t *)(uintptr_t)object->end;
    return object->segments == NULL && is_inside(object, address);
}

static uint64_t read_hexadecimal(const char **text, const char *end)
{
    uint64_t number = 0;
    for (; *text < end; ++*text) {
        char c = **text;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    return number;
}

/* Where the file that is mapped around pc begins, from /proc/self/maps: for C libraries without
 * _dl_find_object. Their dl_iterate_phdr takes a lock that a stopped thread may hold. */
static uint64_t mapped_file_of(uint64_t pc)
{
    uint64_t base = 0, base_inode = 0, result = 0;
    char text[512];
    size_t kept = 0;
    bool line_begins = true;
    long descriptor = cotree_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (cotree_failed(descriptor))
        return 0;
    for (;;) {
        long length = COTREE_CALL(SYS_read, descriptor, text + kept, sizeof text - kept, 0, 0, 0);
        if (length <= 0)
            break;
        const char *at = text, *end = text + kept + length;
        /* A line is read when 128 bytes of it are there, or all: all but its path fits. */
        while (at < end && result == 0) {
            const char *stop = at;
            while (stop < end && *stop != '\n')
                stop++;
            if (line_begins) {
                if (stop == end && end - at < 128)
                    break;
                const char *p = at;
                uint64_t from = read_hexadecimal(&p, stop);
                p++;
                uint64_t to = read_hexadecimal(&p, stop);
                bool readable = stop - p > 1 && p[1] == 'r';
                p = stop - p > 6 ? p + 6 : stop;
                uint64_t offset = read_hexadecimal(&p, stop);
                p++;
                uint64_t device = read_hexadecimal(&p, stop) << 40;
                p++;
                device ^= read_hexadecimal(&p, stop) << 32;
                p++;
                uint64_t inode = 0;
                for (; p < stop && *p >= '0' && *p <= '9'; p++)
                    inode = inode * 10 + (uint64_t)(*p - '0');
                if (offset == 0 && inode != 0 && readable && (base == 0 || (inode ^ device) != base_inode)) {
                    base = from;
                    base_inode = inode ^ device;
                }
                if (pc >= from && pc < to) {
                    result = inode != 0 && (inode ^ device) == base_inode ? base : UINT64_MAX;
                    break;
                }
            }
            line_begins = stop < end;
            at = line_begins ? stop + 1 : end;
        }
        kept = (size_t)(end - at);
        cotree_copy(text, at, kept); /* forwards: the ranges may overlap */
        if (result != 0)
            break;
    }
    cotree_close(descriptor);
    return result == UINT64_MAX ? 0 : result;
}

bool cotree_object_of_loader(uint64_t address, struct object *object)
{
    struct loader_answer answer;
    /* Through a pointer: a stub would have to be bound at the first call. */
    find_object_function *volatile find = loader_find_object;
    if (find == NULL || find((void *)(uintptr_t)address, &answer) != 0)
        return false;
    object->start = (uint64_t)(uintptr_t)answer.map_start;
    object->end = (uint64_t)(uintptr_t)answer.map_end;
    object->frames = answer.frames;
    object->bias = answer.link_map != NULL ? answer.link_map->l_addr : 0;
    return true;
}

bool cotree_object_at(uint64_t address, struct object *object)
{
    /* The headers of this module, of the executable and of the vDSO are found without the loader.
     * (Of an executable that has gaps, or is static, it knows one segment only.) */
    uint64_t bases[] = {(uint64_t)(uintptr_t)&__ehdr_start, executable & -OBJECT_PAGE, vdso};
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
        if (bases[i] != 0 && read_headers(object, bases[i]) && take_segments(object, address))
            return true;
    if (loader_find_object != NULL) {
        if (!cotree_object_of_loader(address, object))
            return false;
        uint64_t first = object->bias;
        if (!read_headers(object, object->start) && first != 0 && cotree_is_mapped(first))
            read_headers(object, first);
        return true;
    }
    uint64_t base = mapped_file_of(address);
    return base != 0 && read_headers(object, base) && take_segments(object, address);
}
