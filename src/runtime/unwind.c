/*
 * Walking stacks. A step finds the rules of the frame's address, in the cache or by reading the frame
 * information of the object that holds it (call_frames.c), and applies them.
 *
 * Nothing waits, allocates or prints: it works in signal handlers, at any instruction, in all threads at
 * once.
 *
 * Stacks may be damaged, so nothing is read from one before it is known to be mapped. The pages around a
 * frame that was read stay known (cursor->readable_from, readable_end). Others are asked for with
 * rt_sigprocmask, which the runtime needs anyway (R2) and which for an impossible first argument only reads
 * its second one. The first thread's stack needs no question: it is one mapping, up to the strings the kernel
 * put above it.
 *
 * Frames move upwards on one stack. A step that does not has entered another stack (alternate signal stacks,
 * hand-written stack switches): such jumps are compared with an earlier one, in Brent's way, so that a circle
 * ends.
 *
 * The cache (see `remember`) is direct-mapped by address. An entry has a version, odd while it is written:
 * who finds it odd goes without, be it to read or to write. So a writer may be interrupted, stopped or killed
 * at any time. Entries hold what was read in objects, and objects may be unloaded and others appear at the
 * same addresses:
 *  - what the program was started with, and the object this code is part of, stays; entries are good for
 * ever;
 *  - for other objects, an entry keeps the table row it came from and a hash of the bytes it was made from
 * (FDE and CIE). At every use the loader is asked, without a lock, which object is there now
 * (_dl_find_object, glibc 2.35), and its bytes must be the same. Before glibc 2.35 such rules are not kept.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include "runtime/call_frames.h"
#include "runtime/runtime.h"
#include "runtime/unwind.h"
#ifndef COTREE_RUNTIME_STATIC
#include <dlfcn.h>
#endif

#define PAGE UINT64_C(4096)
#define ELF_MAGIC 0x464c457fu

/* ---- objects ---- */

/* An ELF object: the executable, a library, the vDSO. */
struct object {
    uint64_t start, end;        /* its addresses */
    const uint8_t *frames;      /* .eh_frame_hdr */
    const Elf64_Phdr *segments; /* NULL: not known */
    unsigned segment_count;
    uint64_t bias; /* addresses minus those in the file */
};

/* struct dl_find_object, which older headers do not have. */
struct loader_answer {
    uint64_t flags;
    void *map_start, *map_end;
    struct link_map *link_map;
    void *frames;
    uint64_t reserved[7];
};
typedef int find_object_function(void *address, struct loader_answer *answer);

#ifdef COTREE_RUNTIME_STATIC
int cotree_loader_find_object(void *address, struct loader_answer *answer) __asm__("_dl_find_object")
    __attribute__((weak));
#define loader_find_object (&cotree_loader_find_object)
#else
static find_object_function *loader_find_object;
#endif

/* The objects the program was started with are the first ones in the loader's list, up to this one. */
static struct link_map *first_object, *last_first_object;

extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

void cotree_unwind_start(void)
{
#ifndef COTREE_RUNTIME_STATIC
    if (loader_find_object != NULL)
        return;
    loader_find_object = (find_object_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
#ifdef COTREE_RUNTIME_EXEC
    /* We are called before anything else of the program: nothing can have been loaded later. */
    const struct r_debug *loader = dlsym(RTLD_DEFAULT, "_r_debug");
    if (loader != NULL && loader->r_map != NULL) {
        struct link_map *last = loader->r_map;
        while (last->l_next != NULL)
            last = last->l_next;
        first_object = loader->r_map;
        last_first_object = last;
    }
#endif
}

static bool is_inside(const struct object *object, uint64_t address)
{
    return address - object->start < object->end - object->start;
}

/* Can it never be unloaded, or not before the cache is? */
static bool is_permanent(const struct object *object)
{
    if (is_inside(object, (uint64_t)(uintptr_t)&first_object) || is_inside(object, getauxval(AT_PHDR)) ||
        is_inside(object, getauxval(AT_SYSINFO_EHDR)) || is_inside(object, (uint64_t)(uintptr_t)getauxval))
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
    if (base % PAGE != 0 || *(const uint32_t *)base_pointer != ELF_MAGIC ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > PAGE || header->e_phoff % 8 != 0 ||
        header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > PAGE)
        return false;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(uintptr_t)(base + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset < PAGE) {
            object->segments = segments;
            object->segment_count = header->e_phnum;
            object->bias = base - segments[i].p_vaddr / PAGE * PAGE;
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
    return found && object->frames != NULL;
}

/* The bytes around an address of the object that may be read. */
static bool readable_range(const struct object *object, uint64_t address, const uint8_t **low,
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

static bool find_object(uint64_t pc, struct object *object)
{
    cotree_clear(object, sizeof *object);
    /* Our own, the executable's and the vDSO's headers are found without the loader. (Of an executable that
     * has gaps, or is static, it knows one segment only.) */
    uint64_t bases[] = {(uint64_t)(uintptr_t)&__ehdr_start, getauxval(AT_PHDR) & -PAGE,
                        getauxval(AT_SYSINFO_EHDR)};
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
        if (bases[i] != 0 && read_headers(object, bases[i]) && take_segments(object, pc))
            return true;
    cotree_clear(object, sizeof *object);
    if (loader_find_object != NULL) {
        struct loader_answer answer;
        if (loader_find_object((void *)(uintptr_t)pc, &answer) != 0)
            return false;
        object->start = (uint64_t)(uintptr_t)answer.map_start;
        object->end = (uint64_t)(uintptr_t)answer.map_end;
        object->frames = answer.frames;
        read_headers(object, object->start);
        return object->frames != NULL;
    }
    uint64_t base = mapped_file_of(pc);
    return base != 0 && read_headers(object, base) && take_segments(object, pc);
}

static bool find_entry(uint64_t pc, struct object *object, struct frame_table *table,
                       struct frame_entry *entry)
{
    if (!find_object(pc, object))
        return false;
    table->header = object->frames;
    return readable_range(object, (uint64_t)(uintptr_t)object->frames, &table->low, &table->high) &&
           cotree_frame_find(table, pc, entry);
}

/* ---- reading stacks ---- */

static bool is_mapped(uint64_t page)
{
    return COTREE_CALL(SYS_rt_sigprocmask, -1, page, 0, 8, 0, 0) != -14 /* EFAULT */;
}

/* A frame that ends less than this below the end of the first thread's stack is part of it: the kernel leaves
 * at least 128 MB for its growth. Interrupted frames may have overrun it. */
#define FIRST_STACK_MAX (UINT64_C(64) << 20)

/* Makes sure that FROM up to END, at most some pages, can be read. */
static bool make_readable(struct cotree_cursor *cursor, uint64_t from, uint64_t end)
{
    if (from >= end || end - from > 64 * PAGE || end > UINT64_MAX - PAGE)
        return false;
    if (from >= cursor->readable_from && end <= cursor->readable_end)
        return true;
    uint64_t top =
        (getauxval(AT_EXECFN) & -PAGE) + PAGE; /* the string is above the frames, its page is there */
    if (from >= cursor->sp && end <= top && top - from < FIRST_STACK_MAX &&
        (!cursor->interrupted || is_mapped(from & -PAGE))) {
        cursor->readable_from = from;
        cursor->readable_end = top;
        return true;
    }
    uint64_t first = from & -PAGE, last = (end + PAGE - 1) & -PAGE;
    bool overlap = first <= cursor->readable_end && last >= cursor->readable_from;
    for (uint64_t page = first; page < last; page += PAGE)
        if (!(page >= cursor->readable_from && page + PAGE <= cursor->readable_end) && !is_mapped(page))
            return false;
    cursor->readable_from = overlap && cursor->readable_from < first ? cursor->readable_from : first;
    cursor->readable_end = overlap && cursor->readable_end > last ? cursor->readable_end : last;
    return true;
}

static bool read_stack(void *context, uint64_t address, uint64_t *value)
{
    if (address > UINT64_MAX - 8 || !make_readable(context, address, address + 8))
        return false;
    __builtin_memcpy(value, (const void *)(uintptr_t)address, 8);
    return true;
}

/* ---- rules that were made before ---- */

enum {
    RULE_END = 1,  /* the stack ends here */
    RULE_CHECK = 2 /* of an object that may be unloaded: see is_still_true */
};

/* CFA = a register + an offset, the return address under it, registers at small distances from it. */
struct rule {
    uint64_t pc;                          /* what was looked up: return addresses less one */
    uint32_t version;                     /* odd: being written */
    int32_t cfa_offset;                   /* from the register */
    int16_t rbx, rbp, r12, r13, r14, r15; /* words from the CFA; 0: not saved */
    int16_t lowest;                       /* of these, and the return address */
    uint8_t cfa_base;                     /* where in struct cotree_cursor the register is */
    uint8_t flags;
};
_Static_assert(sizeof(struct rule) == 32, "rules fill whole words");

/* What the rule was made from, where it has to be checked. */
struct proof {
    const uint8_t *header;
    uint64_t hash;
    uint32_t index;
};

#define CACHE_BITS 10
static struct rule rules[1 << CACHE_BITS];
static struct proof proofs[1 << CACHE_BITS];

static inline unsigned cache_index(uint64_t pc)
{
    return (unsigned)(pc * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CACHE_BITS));
}

static uint64_t hash_bytes(uint64_t hash, const uint8_t *from, const uint8_t *to)
{
    for (; to - from >= 8; from += 8) {
        uint64_t word;
        __builtin_memcpy(&word, from, 8);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    for (; from < to; from++)
        hash = (hash ^ *from) * UINT64_C(0x9E3779B97F4A7C15);
    return hash;
}

static uint64_t hash_entry(const uint8_t *fde, const uint8_t *fde_end, const uint8_t *cie,
                           const uint8_t *cie_end)
{
    return hash_bytes(hash_bytes((uint64_t)(uintptr_t)fde, fde, fde_end), cie, cie_end);
}

/* The bytes that rule number I was made from are still there: the loader says that an object with its frame
 * information at the same address is, and the same FDE at the same row. */
static bool is_still_true(unsigned i, uint64_t pc)
{
    struct loader_answer answer;
    const struct proof *proof = &proofs[i];
    uint64_t hash = __atomic_load_n(&proof->hash, __ATOMIC_RELAXED);
    const uint8_t *header = __atomic_load_n(&proof->header, __ATOMIC_RELAXED);
    uint32_t index = __atomic_load_n(&proof->index, __ATOMIC_RELAXED);
    if (loader_find_object == NULL || loader_find_object((void *)(uintptr_t)pc, &answer) != 0 ||
        answer.frames != header)
        return false;
    struct {
        uint8_t version, frames_encoding, count_encoding, table_encoding;
        uint32_t frames, count;
    } head;
    __builtin_memcpy(&head, header, sizeof head);
    if (head.version != 1 || head.frames_encoding != 0x1b || head.count_encoding != 0x03 ||
        head.table_encoding != 0x3b || index >= head.count)
        return false;
    struct frame_table table = {.header = header, .low = answer.map_start, .high = answer.map_end};
    int32_t distance;
    __builtin_memcpy(&distance, header + sizeof head + 8 * (uint64_t)index + 4, 4);
    const uint8_t *fde = header + distance;
    uint32_t length, back;
    if (fde < table.low || table.high - fde < 8)
        return false;
    __builtin_memcpy(&length, fde, 4);
    __builtin_memcpy(&back, fde + 4, 4);
    const uint8_t *cie = fde + 4 - back;
    uint32_t cie_length;
    if (cie < table.low || table.high - cie < 4)
        return false;
    __builtin_memcpy(&cie_length, cie, 4);
    if (length > table.high - fde - 4 || cie_length > table.high - cie - 4)
        return false;
    return hash_entry(fde, fde + 4 + length, cie, cie + 4 + cie_length) == hash;
}

/* Where struct cotree_cursor has a register; 0, which is pc: it has not. */
static unsigned place_of(uint64_t column)
{
    switch (column) {
    case REGISTER_RBX:
        return offsetof(struct cotree_cursor, rbx);
    case REGISTER_RBP:
        return offsetof(struct cotree_cursor, rbp);
    case REGISTER_RSP:
        return offsetof(struct cotree_cursor, sp);
    case REGISTER_R12:
    case REGISTER_R12 + 1:
    case REGISTER_R12 + 2:
    case REGISTER_R15:
        return (unsigned)(offsetof(struct cotree_cursor, r12) + 8 * (column - REGISTER_R12));
    default:
        return 0;
    }
}

/* The row as a rule; false if it is of another shape. */
static bool make_rule(struct rule *rule, const struct frame_entry *entry, const struct frame_row *row)
{
    *rule = (struct rule){.lowest = -1};
    if (entry->signal_frame)
        return false;
    if (row->how[REGISTER_RETURN] == FRAME_UNDEFINED) {
        rule->flags = RULE_END;
        return true;
    }
    rule->cfa_base = (uint8_t)place_of(row->cfa_register);
    rule->cfa_offset = (int32_t)row->cfa_offset;
    if (row->cfa_expression != NULL || rule->cfa_base == 0 || rule->cfa_offset != row->cfa_offset ||
        row->how[REGISTER_RETURN] != FRAME_AT_OFFSET || row->value[REGISTER_RETURN] != -8)
        return false;
    int16_t *const saved[] = {[REGISTER_RBX] = &rule->rbx,
                              [REGISTER_RBP] = &rule->rbp,
                              [REGISTER_R12] = &rule->r12,
                              &rule->r13,
                              &rule->r14,
                              &rule->r15};
    for (unsigned i = 0; i < REGISTER_RETURN; i++) {
        uint8_t how = row->how[i];
        if (i == REGISTER_RSP && how != FRAME_UNSPECIFIED)
            return false;
        if (saved[i] == NULL || how == FRAME_UNSPECIFIED || how == FRAME_UNDEFINED || how == FRAME_SAME)
            continue;
        int64_t value = row->value[i];
        if (how != FRAME_AT_OFFSET || value % 8 != 0 || value > -16 || value < -8 * 32768)
            return false;
        *saved[i] = (int16_t)(value / 8);
        rule->lowest = *saved[i] < rule->lowest ? *saved[i] : rule->lowest;
    }
    return true;
}

static void remember(uint64_t pc, const struct object *object, const struct frame_entry *entry,
                     const struct frame_row *row)
{
    struct rule rule;
    struct proof proof = {.header = object->frames, .index = entry->index};
    if (!make_rule(&rule, entry, row))
        return;
    rule.pc = pc;
    if (!is_permanent(object)) {
        if (loader_find_object == NULL || entry->index == FRAME_NO_INDEX)
            return;
        rule.flags |= RULE_CHECK;
        proof.hash = hash_entry(entry->fde, entry->fde_end, entry->cie, entry->cie_end);
    }
    unsigned i = cache_index(pc);
    struct rule *to = &rules[i];
    uint32_t version = __atomic_load_n(&to->version, __ATOMIC_RELAXED);
    if ((version & 1) || !__atomic_compare_exchange_n(&to->version, &version, version + 1, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    rule.version = version + 1;
    uint64_t words[4];
    __builtin_memcpy(words, &rule, sizeof words);
    for (unsigned k = 0; k < 4; k++)
        __atomic_store_n((uint64_t *)to + k, words[k], __ATOMIC_RELAXED);
    __atomic_store_n(&proofs[i].header, proof.header, __ATOMIC_RELAXED);
    __atomic_store_n(&proofs[i].hash, proof.hash, __ATOMIC_RELAXED);
    __atomic_store_n(&proofs[i].index, proof.index, __ATOMIC_RELAXED);
    __atomic_store_n(&to->version, version + 2, __ATOMIC_RELEASE);
}

/* ---- steps ---- */

static const uint8_t scratch_columns[9] = {REGISTER_RAX,    REGISTER_RDX,    REGISTER_RCX,
                                           REGISTER_RSI,    REGISTER_RDI,    REGISTER_R8,
                                           REGISTER_R8 + 1, REGISTER_R8 + 2, REGISTER_R11};
static const uint8_t kept_columns[6] = {REGISTER_RBX,     REGISTER_RBP,     REGISTER_R12,
                                        REGISTER_R12 + 1, REGISTER_R12 + 2, REGISTER_R15};

static void load_registers(struct frame_registers *to, const struct cotree_cursor *cursor)
{
    to->known = 1u << REGISTER_RSP | 1u << REGISTER_RETURN;
    to->value[REGISTER_RSP] = cursor->sp;
    to->value[REGISTER_RETURN] = cursor->pc;
    const uint64_t *kept = (const uint64_t *)((const char *)cursor + offsetof(struct cotree_cursor, rbx));
    for (unsigned i = 0; i < 6; i++) {
        to->value[kept_columns[i]] = kept[i];
        to->known |= 1u << kept_columns[i];
    }
    for (unsigned i = 0; i < 9 && cursor->interrupted; i++) {
        to->value[scratch_columns[i]] = cursor->scratch[i];
        to->known |= 1u << scratch_columns[i];
    }
}

/* A step that does not go up on the same stack; false: it was here before. */
static bool note_jump(struct cotree_cursor *cursor, uint64_t sp)
{
    if (cursor->jumps != 0 && cursor->jumped_to == sp)
        return false;
    cursor->jumps++;
    if ((cursor->jumps & (cursor->jumps - 1)) == 0)
        cursor->jumped_to = sp;
    return true;
}

/* The caller's registers by the rules of ROW. */
static enum cotree_step apply(struct cotree_cursor *cursor, const struct frame_table *table,
                              const struct frame_entry *entry, const struct frame_row *row)
{
    struct frame_registers before, after;
    if (row->how[REGISTER_RETURN] == FRAME_UNDEFINED)
        return COTREE_STEP_END;
    load_registers(&before, cursor);
    uint64_t cfa;
    if (row->cfa_expression != NULL) {
        if (!cotree_frame_evaluate(table, row->cfa_expression, &before, NULL, read_stack, cursor, &cfa))
            return COTREE_STEP_LOST;
    } else {
        if (row->cfa_register >= REGISTERS || !(before.known >> row->cfa_register & 1))
            return COTREE_STEP_LOST;
        cfa = before.value[row->cfa_register] + (uint64_t)row->cfa_offset;
    }
    cotree_copy(&after, &before, sizeof after);
    after.known =
        entry->signal_frame ? before.known & ~(1u << REGISTER_RETURN) : before.known & 0xf0c8; /* kept ones */
    after.value[REGISTER_RSP] = cfa;
    for (unsigned i = 0; i < REGISTERS; i++) {
        uint64_t value = (uint64_t)row->value[i], address;
        switch (row->how[i]) {
        case FRAME_UNSPECIFIED:
        case FRAME_SAME:
            continue;
        case FRAME_UNDEFINED:
            after.known &= ~(1u << i);
            continue;
        case FRAME_AT_OFFSET:
            if (!read_stack(cursor, cfa + value, &after.value[i]))
                return COTREE_STEP_LOST;
            break;
        case FRAME_IS_OFFSET:
            after.value[i] = cfa + value;
            break;
        case FRAME_REGISTER:
            if (value >= REGISTERS || !(before.known >> value & 1)) {
                after.known &= ~(1u << i);
                continue;
            }
            after.value[i] = before.value[value];
            break;
        case FRAME_AT_EXPRESSION:
            if (!cotree_frame_evaluate(table, (const uint8_t *)(uintptr_t)value, &before, &cfa, read_stack,
                                       cursor, &address) ||
                !read_stack(cursor, address, &after.value[i]))
                return COTREE_STEP_LOST;
            break;
        case FRAME_IS_EXPRESSION:
            if (!cotree_frame_evaluate(table, (const uint8_t *)(uintptr_t)value, &before, &cfa, read_stack,
                                       cursor, &after.value[i]))
                return COTREE_STEP_LOST;
            break;
        }
        after.known |= 1u << i;
    }
    if (!(after.known >> REGISTER_RETURN & 1))
        return COTREE_STEP_LOST;
    uint64_t sp = after.value[REGISTER_RSP];
    if (after.value[REGISTER_RETURN] == 0 && !entry->signal_frame)
        return COTREE_STEP_END;
    if (sp <= cursor->sp && !note_jump(cursor, sp))
        return COTREE_STEP_LOST;
    cursor->pc = after.value[REGISTER_RETURN];
    cursor->sp = sp;
    uint64_t *kept = (uint64_t *)((char *)cursor + offsetof(struct cotree_cursor, rbx));
    for (unsigned i = 0; i < 6; i++)
        kept[i] = after.value[kept_columns[i]];
    cursor->interrupted = entry->signal_frame;
    for (unsigned i = 0; i < 9 && entry->signal_frame; i++)
        cursor->scratch[i] = after.value[scratch_columns[i]];
    return COTREE_STEP_OK;
}

/* Can the instruction before pc be a call? */
static bool is_behind_call(const struct object *object, uint64_t pc)
{
    const uint8_t *low, *high, *at = (const uint8_t *)(uintptr_t)pc;
    if (!readable_range(object, pc - 1, &low, &high) || at - low < 7)
        return false;
    if (at[-5] == 0xe8) /* call relative */
        return true;
    /* call *register or *memory: ff /2, then up to 5 bytes of address */
    for (int length = 2; length <= 7; length++)
        if (at[-length] == 0xff && (at[1 - length] & 0x38) == 0x10)
            return true;
    return false;
}

/* By reading the frame information. */
static __attribute__((noinline)) enum cotree_step step_slowly(struct cotree_cursor *cursor, uint64_t pc)
{
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    struct frame_row row;
    if (find_entry(pc, &object, &table, &entry)) {
        if (!cotree_frame_row_at(&table, &entry, pc, &row))
            return COTREE_STEP_LOST;
        remember(pc, &object, &entry, &row);
        return apply(cursor, &table, &entry, &row);
    }
    /* Somebody made up an address to return to, the beginning of a function: the trampoline of signals, or
     * what runs when a stack that makecontext made has nothing left to do. */
    if (!cursor->interrupted && find_entry(cursor->pc, &object, &table, &entry) &&
        entry.function == cursor->pc && !is_behind_call(&object, cursor->pc)) {
        if (!entry.signal_frame)
            return COTREE_STEP_END;
        if (cotree_frame_row_at(&table, &entry, cursor->pc, &row))
            return apply(cursor, &table, &entry, &row);
    }
    return COTREE_STEP_LOST;
}

enum cotree_step cotree_unwind(struct cotree_cursor *cursor)
{
    uint64_t pc = cursor->pc - !cursor->interrupted;
    unsigned i = cache_index(pc);
    const struct rule *from = &rules[i];
    union {
        struct rule rule;
        uint64_t words[4];
    } found;
    uint32_t version = __atomic_load_n(&from->version, __ATOMIC_ACQUIRE);
    for (unsigned k = 0; k < 4; k++)
        found.words[k] = __atomic_load_n((const uint64_t *)from + k, __ATOMIC_RELAXED);
    if (found.rule.pc != pc || (version & 1) ||
        (found.rule.flags != 0 && (found.rule.flags & RULE_CHECK) && !is_still_true(i, pc)))
        return step_slowly(cursor, pc);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&from->version, __ATOMIC_RELAXED) != version)
        return step_slowly(cursor, pc);
    const struct rule *rule = &found.rule;
    if (rule->flags & RULE_END)
        return COTREE_STEP_END;
    uint64_t base = *(const uint64_t *)((const char *)cursor + rule->cfa_base);
    uint64_t cfa = base + (uint64_t)(int64_t)rule->cfa_offset,
             lowest = cfa + 8 * (uint64_t)(int64_t)rule->lowest;
    if (lowest < cursor->readable_from || cfa > cursor->readable_end || lowest >= cfa)
        if (!make_readable(cursor, lowest, cfa))
            return COTREE_STEP_LOST;
    if (cfa <= cursor->sp && !note_jump(cursor, cfa))
        return COTREE_STEP_LOST;
    const uint64_t *words = (const uint64_t *)(uintptr_t)cfa;
    if (words[-1] == 0)
        return COTREE_STEP_END;
    cursor->pc = words[-1];
    cursor->sp = cfa;
    cursor->interrupted = false;
#define RESTORE(name)                                                                                        \
    if (rule->name != 0)                                                                                     \
        cursor->name = words[rule->name];
    RESTORE(rbx)
    RESTORE(rbp)
    RESTORE(r12)
    RESTORE(r13)
    RESTORE(r14)
    RESTORE(r15)
#undef RESTORE
    return COTREE_STEP_OK;
}

bool cotree_has_landing_pad(const struct cotree_cursor *cursor)
{
    uint64_t pc = cursor->pc - !cursor->interrupted;
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    const uint8_t *low, *high;
    return find_entry(pc, &object, &table, &entry) && entry.language_data != 0 &&
           readable_range(&object, entry.language_data, &low, &high) &&
           cotree_frame_has_landing_pad(&entry, low, high, pc);
}

/* ---- where walks begin ---- */

__attribute__((used)) static void step_out(struct cotree_cursor *cursor)
{
    if (cotree_unwind(cursor) != COTREE_STEP_OK)
        cursor->pc = 0;
}

/* The registers of the caller as they are when this returns, then one step to its own caller. */
__attribute__((naked)) void cotree_cursor_here(__attribute__((unused)) struct cotree_cursor *cursor)
{
    __asm__("movq (%%rsp), %%rax\n\t"
            "movq %%rax, %c[pc](%%rdi)\n\t"
            "leaq 8(%%rsp), %%rax\n\t"
            "movq %%rax, %c[sp](%%rdi)\n\t"
            "movq %%rbx, %c[rbx](%%rdi)\n\t"
            "movq %%rbp, %c[rbp](%%rdi)\n\t"
            "movq %%r12, %c[r12](%%rdi)\n\t"
            "movq %%r13, %c[r13](%%rdi)\n\t"
            "movq %%r14, %c[r14](%%rdi)\n\t"
            "movq %%r15, %c[r15](%%rdi)\n\t"
            "movb $0, %c[interrupted](%%rdi)\n\t"
            "xorl %%eax, %%eax\n\t"
            "movq %%rax, %c[readable_from](%%rdi)\n\t"
            "movq %%rax, %c[readable_end](%%rdi)\n\t"
            "movq %%rax, %c[jumps](%%rdi)\n\t"
            "jmp %P[step_out]" ::[pc] "i"(offsetof(struct cotree_cursor, pc)),
            [sp] "i"(offsetof(struct cotree_cursor, sp)), [rbx] "i"(offsetof(struct cotree_cursor, rbx)),
            [rbp] "i"(offsetof(struct cotree_cursor, rbp)), [r12] "i"(offsetof(struct cotree_cursor, r12)),
            [r13] "i"(offsetof(struct cotree_cursor, r13)), [r14] "i"(offsetof(struct cotree_cursor, r14)),
            [r15] "i"(offsetof(struct cotree_cursor, r15)),
            [interrupted] "i"(offsetof(struct cotree_cursor, interrupted)),
            [readable_from] "i"(offsetof(struct cotree_cursor, readable_from)),
            [readable_end] "i"(offsetof(struct cotree_cursor, readable_end)),
            [jumps] "i"(offsetof(struct cotree_cursor, jumps)), [step_out] "i"(step_out));
}

void cotree_cursor_interrupted(struct cotree_cursor *cursor, const void *context)
{
    const greg_t *from = ((const ucontext_t *)context)->uc_mcontext.gregs;
    static const uint8_t scratch[9] = {REG_RAX, REG_RDX, REG_RCX, REG_RSI, REG_RDI,
                                       REG_R8,  REG_R9,  REG_R10, REG_R11};
    cotree_clear(cursor, sizeof *cursor);
    cursor->pc = (uint64_t)from[REG_RIP];
    cursor->sp = (uint64_t)from[REG_RSP];
    cursor->rbx = (uint64_t)from[REG_RBX];
    cursor->rbp = (uint64_t)from[REG_RBP];
    cursor->r12 = (uint64_t)from[REG_R12];
    cursor->r13 = (uint64_t)from[REG_R13];
    cursor->r14 = (uint64_t)from[REG_R14];
    cursor->r15 = (uint64_t)from[REG_R15];
    cursor->interrupted = true;
    for (unsigned i = 0; i < 9; i++)
        cursor->scratch[i] = (uint64_t)from[scratch[i]];
}
