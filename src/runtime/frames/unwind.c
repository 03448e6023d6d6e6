/*
 * Walking stacks. A step finds the rules of the frame's address, in the cache or by reading the
 * frame information of the object that holds it (call_frames.c), and applies them.
 *
 * Nothing waits, allocates or prints: it works in signal handlers, at any instruction, in all
 * threads at once.
 *
 * Stacks may be damaged, so nothing is read from one before it is known to be mapped. The pages
 * around a frame that was read stay known (cursor->readable_from, readable_end). A walk that begins
 * after a call begins on a stack; an interrupted frame may have overrun it. The kernel is asked for
 * others (cotree_is_mapped), but not for the first thread's stack: it is one mapping, up to the
 * strings the kernel put above it.
 *
 * Frames move upwards on one stack. A step that does not has entered another stack (alternate
 * signal stacks, hand-written stack switches): such jumps are compared with an earlier one, in
 * Brent's way, so that a circle ends.
 *
 * The cache (see `remember`) is direct-mapped by address. An entry has a version, odd while it is
 * written: a thread that finds it odd neither reads nor writes the entry. So a writer may be
 * interrupted, stopped or killed at any time. Entries hold what was read in objects, and objects
 * may be unloaded and others appear at the same addresses:
 *  - The objects that the program was started with, and the object this code is part of, stay:
 *    their entries are good for ever.
 *  - For other objects, an entry keeps the table row it came from and a hash of the bytes it was
 *    made from (FDE and CIE). At every use the loader is asked, without a lock, which object is
 *    there now (_dl_find_object, glibc 2.35), and its bytes must be the same. Before glibc 2.35
 *    such rules are not kept.
 */
#include <stddef.h>
#include <sys/auxv.h>
#include "runtime/frames/unwind.h"
#include "runtime/frames/call_frames.h"
#include "runtime/frames/small_stacks.h"
#include "runtime/loader/auxiliary.h"
#include "runtime/loader/objects.h"

#define PAGE OBJECT_PAGE

static bool find_entry(uint64_t pc, struct object *object, struct frame_table *table,
                       struct frame_entry *entry)
{
    if (!cotree_object_at(pc, object) || object->frames == NULL)
        return false;
    table->header = object->frames;
    return cotree_object_readable(object, (uint64_t)(uintptr_t)object->frames, &table->low, &table->high) &&
           cotree_frame_find(table, pc, entry);
}

/* ---- reading stacks ---- */

/* What is mapped less than this below the end of the first thread's stack is part of it: the kernel
 * leaves at least 128 MB for its growth. */
#define FIRST_STACK_MAX (UINT64_C(64) << 20)

/* Known up to END: so is the page that holds the byte before, and the first thread's stack if it is
 * part of it. */
uint64_t cotree_known_stack_end(uint64_t end)
{
    uint64_t top = cotree_first_stack_end();
    end = (end + PAGE - 1) & -PAGE;
    return end < top && top - end < FIRST_STACK_MAX ? top : end;
}

/* Makes sure that FROM up to END can be read; no rule asks for more than some pages. */
__attribute__((minsize)) static bool make_readable(struct cotree_cursor *cursor, uint64_t from, uint64_t end)
{
    if (from >= end || end - from > 128 * PAGE || end > UINT64_MAX - 2 * PAGE)
        return false;
    if (cursor->readable_end == 0 && !cursor->interrupted) { /* the word that its callee returned by */
        cursor->readable_from = cursor->sp - 8;
        cursor->readable_end = cotree_known_stack_end(cursor->sp);
    }
    if (from < cursor->readable_from || from > cursor->readable_end) {
        uint64_t page = from & -PAGE;
        if (!cotree_is_mapped(page))
            return false;
        cursor->readable_from = page;
        cursor->readable_end = cotree_known_stack_end(page + PAGE);
    }
    while (cursor->readable_end < end) {
        if (!cotree_is_mapped(cursor->readable_end))
            return false;
        cursor->readable_end = cotree_known_stack_end(cursor->readable_end + PAGE);
    }
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
    RULE_PLAIN = 1, /* there is a caller; unlike an empty entry, which may seem to be for address 0 */
    RULE_END = 2,   /* the stack ends here */
    RULE_CHECK = 4  /* of an object that may be unloaded: see is_still_true */
};

/* CFA = a register + an offset, the return address under it, registers at small distances from
 * it. */
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

/* A rule is at the place its address hashes to, or at the neighbour of that (i ^ 1), so that two
 * frames that follow each other again and again do not keep replacing each other. */
#define CACHE_BITS 10
static _Alignas(32) struct rule rules[1 << CACHE_BITS];
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

/* The bytes that the rule was made from are still there: the loader says that an object with its
 * frame information at the same address is, and it has the same FDE at the same row. */
static bool is_still_true(unsigned i, uint64_t pc)
{
    struct object object;
    const struct proof *proof = &proofs[i];
    uint32_t version = __atomic_load_n(&rules[i].version, __ATOMIC_ACQUIRE);
    uint64_t hash = __atomic_load_n(&proof->hash, __ATOMIC_RELAXED);
    const uint8_t *header = __atomic_load_n(&proof->header, __ATOMIC_RELAXED);
    uint32_t index = __atomic_load_n(&proof->index, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if ((version & 1) || __atomic_load_n(&rules[i].pc, __ATOMIC_RELAXED) != pc ||
        __atomic_load_n(&rules[i].version, __ATOMIC_RELAXED) != version)
        return false;
    if (!cotree_object_of_loader(pc, &object) || object.frames != header)
        return false;
    struct {
        uint8_t version, frames_encoding, count_encoding, table_encoding;
        uint32_t frames, count;
    } head;
    __builtin_memcpy(&head, header, sizeof head);
    if (head.version != 1 || head.frames_encoding != 0x1b || head.count_encoding != 0x03 ||
        head.table_encoding != 0x3b || index >= head.count)
        return false;
    const uint8_t *low = (const uint8_t *)(uintptr_t)object.start,
                  *high = (const uint8_t *)(uintptr_t)object.end;
    int32_t distance;
    __builtin_memcpy(&distance, header + sizeof head + 8 * (uint64_t)index + 4, 4);
    const uint8_t *fde = header + distance;
    uint32_t length, back;
    if (fde < low || high - fde < 8)
        return false;
    __builtin_memcpy(&length, fde, 4);
    __builtin_memcpy(&back, fde + 4, 4);
    const uint8_t *cie = fde + 4 - back;
    uint32_t cie_length;
    if (cie < low || high - cie < 4)
        return false;
    __builtin_memcpy(&cie_length, cie, 4);
    if (length > high - fde - 4 || cie_length > high - cie - 4)
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
    *rule = (struct rule){.lowest = -1, .flags = RULE_PLAIN};
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

/* Is the entry free, or for this address? */
static bool is_for(unsigned i, uint64_t pc)
{
    return __atomic_load_n(&rules[i].version, __ATOMIC_RELAXED) == 0 ||
           __atomic_load_n(&rules[i].pc, __ATOMIC_RELAXED) == pc;
}

/* Of two entries for others, each is replaced in turn. */
static bool goes_to_neighbour(unsigned i)
{
    return __atomic_load_n(&rules[i].version, __ATOMIC_RELAXED) >
           __atomic_load_n(&rules[i ^ 1].version, __ATOMIC_RELAXED);
}

static void remember(uint64_t pc, const struct object *object, const struct frame_entry *entry,
                     const struct frame_row *row)
{
    struct rule rule;
    struct proof proof = {.header = object->frames, .index = entry->index};
    if (!make_rule(&rule, entry, row))
        return;
    rule.pc = pc;
    if (!cotree_object_is_permanent(object)) {
        struct object now;
        if (entry->index == FRAME_NO_INDEX || !cotree_object_of_loader(pc, &now))
            return;
        rule.flags |= RULE_CHECK;
        proof.hash = hash_entry(entry->fde, entry->fde_end, entry->cie, entry->cie_end);
    }
    unsigned i = cache_index(pc);
    if (!is_for(i, pc) && (is_for(i ^ 1, pc) || goes_to_neighbour(i)))
        i ^= 1;
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

/* Notes a step that does not go up on the same stack. False: the walk was here before. So it was after very
 * many: the walk itself may write what it reads, where a signal came on a stack that it had overrun. */
static bool note_jump(struct cotree_cursor *cursor, uint64_t sp)
{
    if (cursor->jumps != 0 && (cursor->jumped_to == sp || cursor->jumps > COTREE_JUMPS_MOST))
        return false;
    cursor->jumps++;
    if ((cursor->jumps & (cursor->jumps - 1)) == 0)
        cursor->jumped_to = sp;
    return true;
}

/* The caller's registers by the rules of ROW. */
__attribute__((minsize)) static enum cotree_step apply(struct cotree_cursor *cursor,
                                                       const struct frame_table *table,
                                                       const struct frame_entry *entry,
                                                       const struct frame_row *row)
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

/* ---- code without frame information ---- */

/* Can the instruction before pc be a call? */
static bool is_behind_call(uint64_t pc)
{
    struct object object;
    const uint8_t *low, *high, *at = (const uint8_t *)(uintptr_t)pc;
    if (!cotree_object_at(pc - 1, &object) || !cotree_object_readable(&object, pc - 1, &low, &high) ||
        at - low < 7)
        return false;
    return cotree_is_after_call(at);
}

/* To the caller, whose return address is just below CFA; rbp is what it was, or saved below
 * that. */
static enum cotree_step step_to(struct cotree_cursor *cursor, uint64_t cfa, bool rbp_saved)
{
    uint64_t address, rbp = cursor->rbp;
    if (cfa <= cursor->sp || !read_stack(cursor, cfa - 8, &address) || !is_behind_call(address) ||
        (rbp_saved && !read_stack(cursor, cfa - 16, &rbp)))
        return COTREE_STEP_LOST;
    cursor->pc = address;
    cursor->sp = cfa;
    cursor->rbp = rbp;
    cursor->interrupted = false;
    return COTREE_STEP_OK;
}

static enum cotree_step step_out_of_handler(struct cotree_cursor *cursor)
{
    cotree_context_word registers[COTREE_CONTEXT_WORDS];
    uint64_t from = cursor->sp + COTREE_CONTEXT_OFFSET;
    for (unsigned i = 0; i < COTREE_CONTEXT_WORDS; i++)
        if (!read_stack(cursor, from + 8 * i, (uint64_t *)&registers[i]))
            return COTREE_STEP_LOST;
    uint64_t sp = cotree_context_word_sp(registers);
    if (sp <= cursor->sp && !note_jump(cursor, sp))
        return COTREE_STEP_LOST;
    cotree_cursor_take(cursor, registers);
    return COTREE_STEP_OK;
}

/*
 * Nothing describes the code at pc. Known are: linkage stubs; a call of something that is no code
 * (the null pointer); code that the C compiler brings without description and that calls
 * destructors (__do_global_dtors_aux), which has a frame pointer; the trampoline of signals; and
 * what runs when a stack that makecontext made has nothing left to do. The last two are returned to
 * at their beginning, without having called.
 */
static enum cotree_step step_undescribed(struct cotree_cursor *cursor)
{
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    struct frame_row row;
    const uint8_t *low, *high, *at = (const uint8_t *)(uintptr_t)cursor->pc;
    bool has_object =
        cotree_object_at(cursor->pc, &object) && cotree_object_readable(&object, cursor->pc, &low, &high);
    if (cursor->interrupted) {
        int pushed = has_object                              ? cotree_words_pushed_by_stub(at, low, high)
                     : !cotree_is_mapped(cursor->pc & -PAGE) ? 0
                                                             : -1;
        return pushed >= 0 ? step_to(cursor, cursor->sp + 8 * (uint64_t)pushed + 8, false) : COTREE_STEP_LOST;
    }
    if (!has_object)
        return COTREE_STEP_LOST;
    if (cotree_is_signal_trampoline(at, high))
        return step_out_of_handler(cursor);
    /* The loader's first instructions, which call constructors: the kernel began there. */
    if (object.segments != NULL && object.bias != 0 && object.bias == cotree_auxiliary(AT_BASE))
        return COTREE_STEP_END;
    if (find_entry(cursor->pc, &object, &table, &entry) && entry.function == cursor->pc &&
        !is_behind_call(cursor->pc)) {
        if (!entry.signal_frame)
            return COTREE_STEP_END;
        return cotree_frame_row_at(&table, &entry, cursor->pc, &row) ? apply(cursor, &table, &entry, &row)
                                                                     : COTREE_STEP_LOST;
    }
    if (cotree_has_frame_pointer(at, low) && cursor->rbp >= cursor->sp)
        return step_to(cursor, cursor->rbp + 16, true);
    return COTREE_STEP_LOST;
}

/* A step made by reading the frame information. */
static __attribute__((noinline, minsize)) enum cotree_step step_slowly(struct cotree_cursor *cursor,
                                                                       uint64_t pc)
{
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    struct frame_row row;
    /* A return address at the end of a function, where another one may begin, is made up, unless
     * the last instruction is a call. */
    if (!find_entry(pc, &object, &table, &entry) ||
        (!cursor->interrupted && cursor->pc == entry.function + entry.function_length &&
         !is_behind_call(cursor->pc)))
        return step_undescribed(cursor);
    if (!cotree_frame_row_at(&table, &entry, pc, &row))
        return COTREE_STEP_LOST;
    remember(pc, &object, &entry, &row);
    return apply(cursor, &table, &entry, &row);
}

/* A rule of the cache for this address, as a copy that no other thread writes. */
static inline bool recall(unsigned i, uint64_t pc, struct rule *rule)
{
    typedef uint64_t halves __attribute__((vector_size(16), may_alias));
    const struct rule *from = &rules[i];
    uint32_t version = __atomic_load_n(&from->version, __ATOMIC_ACQUIRE);
    halves low = ((const halves *)from)[0], high = ((const halves *)from)[1];
    ((halves *)rule)[0] = low;
    ((halves *)rule)[1] = high;
    __asm__ volatile(""
                     : "+m"(*rule)
                     :
                     : "memory"); /* the copy is made before the version is looked at again */
    return version == __atomic_load_n(&from->version, __ATOMIC_RELAXED) && !(version & 1) && rule->pc == pc;
}

/* The caller, by a rule; what it needs of the stack can be read. */
static inline void follow(struct cotree_cursor *cursor, const struct rule *rule, uint64_t cfa)
{
    const uint64_t *words = (const uint64_t *)(uintptr_t)cfa;
    cursor->pc = words[-1];
    cursor->sp = cfa;
    cursor->interrupted = false;
#define RESTORE(name)                                                                                        \
    if (rule->name != 0)                                                                                     \
        cursor->name = words[rule->name];
    COTREE_FOR_KEPT(RESTORE)
#undef RESTORE
}

static inline uint64_t cfa_of(const struct cotree_cursor *cursor, const struct rule *rule)
{
    return *(const uint64_t *)((const char *)cursor + rule->cfa_base) + (uint64_t)(int64_t)rule->cfa_offset;
}

/* Steps that are not the next one on a stretch of stack which is known: the first ones, at the end
 * of a page, of other stacks, and those without a rule. */
static __attribute__((noinline, minsize)) enum cotree_step step_unusually(struct cotree_cursor *cursor,
                                                                          uint64_t pc)
{
    _Alignas(16) struct rule rule;
    unsigned i = cache_index(pc);
    if (!recall(i, pc, &rule) && !recall(i ^= 1, pc, &rule))
        return step_slowly(cursor, pc);
    if (rule.flags == 0 || ((rule.flags & RULE_CHECK) && !is_still_true(i, pc)))
        return step_slowly(cursor, pc);
    if (rule.flags & RULE_END)
        return COTREE_STEP_END;
    uint64_t cfa = cfa_of(cursor, &rule);
    if (!make_readable(cursor, cfa + 8 * (uint64_t)(int64_t)rule.lowest, cfa))
        return COTREE_STEP_LOST;
    if (((const uint64_t *)(uintptr_t)cfa)[-1] == 0)
        return COTREE_STEP_END;
    if (cfa <= cursor->sp && !note_jump(cursor, cfa))
        return COTREE_STEP_LOST;
    follow(cursor, &rule, cfa);
    return COTREE_STEP_OK;
}

enum cotree_step cotree_unwind(struct cotree_cursor *cursor)
{
    uint64_t pc = cursor->pc - !cursor->interrupted;
    _Alignas(16) struct rule rule;
    if (recall(cache_index(pc), pc, &rule) && rule.flags == RULE_PLAIN) {
        uint64_t cfa = cfa_of(cursor, &rule), lowest = cfa + 8 * (uint64_t)(int64_t)rule.lowest;
        if (lowest >= cursor->readable_from && cfa <= cursor->readable_end && lowest < cfa &&
            cfa > cursor->sp && ((const uint64_t *)(uintptr_t)cfa)[-1] != 0) {
            follow(cursor, &rule, cfa);
            return COTREE_STEP_OK;
        }
    }
    return step_unusually(cursor, pc);
}

bool cotree_frame_shape(const struct cotree_cursor *cursor, struct cotree_shape *shape)
{
    uint64_t pc = cursor->pc - 1;
    _Alignas(16) struct rule rule;
    unsigned i = cache_index(pc);
    if (cursor->interrupted || (!recall(i, pc, &rule) && !recall(i ^ 1, pc, &rule)) ||
        rule.flags != RULE_PLAIN)
        return false;
    shape->cfa = cfa_of(cursor, &rule);
    shape->cfa_offset = rule.cfa_offset;
    shape->cfa_register = rule.cfa_base == offsetof(struct cotree_cursor, sp)
                              ? COTREE_SHAPE_SP
                              : (rule.cfa_base - (unsigned)offsetof(struct cotree_cursor, rbx)) / 8;
    const int16_t saved[6] = {rule.rbx, rule.rbp, rule.r12, rule.r13, rule.r14, rule.r15};
    cotree_copy(shape->saved, saved, sizeof saved);
    return true;
}

uint64_t cotree_described_function(uint64_t pc)
{
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    return find_entry(pc, &object, &table, &entry) ? entry.function : 0;
}

bool cotree_is_thread_start(const struct cotree_cursor *cursor)
{
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    struct frame_row row;
    uint64_t pc = cursor->pc - !cursor->interrupted;
    if (cotree_known_stack_end(cursor->sp) == cotree_first_stack_end())
        return true;
    return find_entry(pc, &object, &table, &entry) && cotree_frame_row_at(&table, &entry, pc, &row) &&
           row.how[REGISTER_RETURN] == FRAME_UNDEFINED;
}

bool cotree_has_landing_pad(const struct cotree_cursor *cursor)
{
    uint64_t pc = cursor->pc - !cursor->interrupted;
    struct object object;
    struct frame_table table;
    struct frame_entry entry;
    const uint8_t *low, *high;
    return find_entry(pc, &object, &table, &entry) && entry.language_data != 0 &&
           cotree_object_readable(&object, entry.language_data, &low, &high) &&
           cotree_frame_has_landing_pad(&entry, low, high, pc);
}

/* ---- where walks begin ---- */

static void step_with_room(void *cursor)
{
    if (cotree_unwind(cursor) != COTREE_STEP_OK)
        ((struct cotree_cursor *)cursor)->pc = 0;
}

__attribute__((used)) static void step_out(struct cotree_cursor *cursor)
{
    cotree_with_room(step_with_room, cursor);
}

/* The registers of the caller as they are when this returns, then one step to its own caller. */
__attribute__((naked)) void cotree_cursor_here(__attribute__((unused)) struct cotree_cursor *cursor)
{
    COTREE_CURSOR_HERE_BODY(step_out);
}

void cotree_cursor_interrupted(struct cotree_cursor *cursor, const void *context)
{
    cotree_clear(cursor, sizeof *cursor);
    cotree_cursor_take(cursor, (const void *)((const char *)context + COTREE_CONTEXT_OFFSET));
}
