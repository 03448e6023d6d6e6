/*
 * What the bytes of instructions say.
 */
#ifndef COTREE_RUNTIME_ARCH_X86_64_CODE_H
#define COTREE_RUNTIME_ARCH_X86_64_CODE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/x86_64/instructions.h"
#include "runtime/arch/x86_64/registers.h"

/* Is the byte before pc a breakpoint (int3)? */
static inline bool cotree_is_after_breakpoint(uint64_t pc)
{
    enum { BREAKPOINT = 0xcc };
    return ((const uint8_t *)(uintptr_t)pc)[-1] == BREAKPOINT;
}

/* Is the instruction before pc a system call, after one that sets its number (mov $number,
 * %eax)? */
enum { COTREE_NUMBERED_CALL_LENGTH = 7 };
static inline bool cotree_is_after_numbered_call(uint64_t pc)
{
    const uint8_t *next = (const uint8_t *)(uintptr_t)pc;
    return next[-1] == 0x05 && next[-2] == 0x0f /* syscall */ && next[-7] == 0xb8;
}

/* Can the instruction before AT be a call? At least 7 bytes before it can be read. */
static inline bool cotree_is_after_call(const uint8_t *at)
{
    if (at[-5] == 0xe8) /* call relative */
        return true;
    /* call *register or *memory: ff /2, then up to 5 bytes of address */
    for (int length = 2; length <= 7; length++)
        if (at[-length] == 0xff && (at[1 - length] & 0x38) == 0x10)
            return true;
    return false;
}

/*
 * Stubs of the procedure linkage table, which not all linkers describe (lld and mold do not).
 * Returns how many words were pushed after the return address, or -1: there is no such stub.
 *     f:    [endbr64] jmp *f@GOT; push $number; jmp plt0
 *     plt0: push GOT+8; jmp *GOT+16
 */
static inline int cotree_words_pushed_by_stub(const uint8_t *at, const uint8_t *low, const uint8_t *high)
{
    enum { MOST = 16 };
    uint8_t ahead[MOST + 4]; /* the last stub may be the last thing there is */
    if (at - low < MOST || high <= at)
        return -1;
    bool pushed_number = at[-5] == 0x68;
    bool pushed_object = at[-6] == 0xff && at[-5] == 0x35;
    cotree_clear(ahead, sizeof ahead);
    cotree_copy(ahead, at, high - at < MOST ? (size_t)(high - at) : (size_t)MOST);
    at = ahead;
    if (at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && at[3] == 0xfa)
        at += 4;
    bool pushes = at[0] == 0x68;
    bool jump_follows = at[5] == 0xe9 || (at[5] == 0xf2 && at[6] == 0xe9);
    bool pushes_object = at[0] == 0xff && at[1] == 0x35;
    bool leaves_then = (at[6] == 0xff && at[7] == 0x25) || (at[6] == 0xf2 && at[7] == 0xff && at[8] == 0x25);
    if (at[0] == 0xf2) /* bnd */
        at++;
    if (at[0] == 0xff && at[1] == 0x25) /* jmp *address(%rip) */
        return pushed_object ? 2 : 0;
    if (pushes && jump_follows)
        return 0;
    if (at[0] == 0xe9 && pushed_number)
        return 1;
    if (pushes_object && leaves_then)
        return 1;
    return -1;
}

/* The trampoline that ends signal handlers: mov $15, %eax or %rax; syscall. */
static inline bool cotree_is_signal_trampoline(const uint8_t *at, const uint8_t *high)
{
    static const uint8_t wide[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5},
                         narrow[] = {0xb8, 15, 0, 0, 0, 0x0f, 5};
    bool is_wide = high - at >= (long)sizeof wide, is_narrow = high - at >= (long)sizeof narrow;
    for (unsigned i = 0; i < sizeof wide && is_wide; i++)
        is_wide = at[i] == wide[i];
    for (unsigned i = 0; i < sizeof narrow && is_narrow; i++)
        is_narrow = at[i] == narrow[i];
    return is_wide || is_narrow;
}

/* The same as a C library describes it, told by its first 8 bytes: mov $15, %rax; syscall. */
static inline bool cotree_is_signal_return(uint64_t pc)
{
    uint64_t code;
    __builtin_memcpy(&code, (const void *)(uintptr_t)pc, sizeof code);
    return code == UINT64_C(0x0f0000000fc0c748);
}

/* Does the code before AT set up a frame pointer? (push %rbp ... mov %rsp, %rbp) */
static inline bool cotree_has_frame_pointer(const uint8_t *at, const uint8_t *low)
{
    const uint8_t *begin = at - low > 64 ? at - 64 : low;
    for (const uint8_t *move = at - 3; move > begin; move--)
        if (move[0] == 0x48 && move[1] == 0x89 && move[2] == 0xe5)
            for (const uint8_t *push = move - 1; push >= begin && push >= move - 12; push--)
                if (*push == 0x55)
                    return true;
    return false;
}

/* Does a relocation of this kind put the address of a function in its place? */
static inline bool cotree_relocation_is_address(uint64_t kind)
{
    return kind == R_X86_64_JUMP_SLOT || kind == R_X86_64_GLOB_DAT || kind == R_X86_64_64;
}

/* ---- stores, as traced code makes them ---- */

/* The register of the store at CODE that holds its address, by its number in instructions, or -1.
 * Of two, the one that holds an address; the other one is the program's. REGISTERS: their values,
 * by number. */
static inline int cotree_store_register(const uint8_t *code, const uint64_t *const registers[16])
{
    enum { NO_INDEX = 4, NO_BASE = 5, IN_REGISTER = 3 };
    unsigned extension = 0;
    if (*code == 0x66)
        code++;
    if ((*code & 0xf0) == 0x40)
        extension = *code++;
    if (*code != 0xc6 && *code != 0xc7 && *code != 0x88 && *code != 0x89) /* mov */
        return -1;
    unsigned mode = code[1] >> 6, base = code[1] & 7, index;
    if (mode == IN_REGISTER || (mode == 0 && base == NO_BASE))
        return -1;
    bool has_base = true, has_index = base == NO_INDEX;
    index = (code[2] >> 3 & 7) | (extension & 2) << 2;
    if (has_index) {
        base = code[2] & 7;
        has_base = mode != 0 || base != NO_BASE;
        has_index = index != NO_INDEX && code[2] >> 6 == 0;
    }
    base |= (extension & 1) << 3;
    uint64_t of_base = has_base ? *registers[base] : 0, of_index = has_index ? *registers[index] : 0;
    if (of_base >> 47 != 0)
        has_base = false;
    if (of_index >> 47 != 0)
        has_index = false;
    if (has_base && has_index)
        return of_base > of_index ? (int)base : (int)index;
    return has_base ? (int)base : has_index ? (int)index : -1;
}

/* Does the interrupted frame stand before a store of a register to WANTED, of one byte or two?
 * Returns these bytes, or 0. */
static inline uint64_t cotree_stored_next(const struct cotree_cursor *c, uint64_t wanted)
{
    enum { NO_INDEX = 4, NO_BASE = 5, IN_REGISTER = 3, HIGH_BYTES = 4 };
    const uint8_t *code = (const uint8_t *)(uintptr_t)c->pc;
    bool two = *code == 0x66;
    code += two;
    bool extended = (*code & 0xf0) == 0x40;
    unsigned extension = extended ? *code++ : 0;
    if (*code != (two ? 0x89 : 0x88)) /* mov */
        return 0;
    unsigned mode = code[1] >> 6, from = (code[1] >> 3 & 7) | (extension & 4) << 1, base = code[1] & 7;
    const uint8_t *distance = code + 2;
    uint64_t address = 0;
    if (mode == IN_REGISTER || (mode == 0 && base == NO_BASE) || (!two && !extended && from >= HIGH_BYTES))
        return 0;
    if (base == NO_INDEX) {
        unsigned index = (code[2] >> 3 & 7) | (extension & 2) << 2;
        address = index == NO_INDEX ? 0 : cotree_cursor_register(c, index) << (code[2] >> 6);
        base = code[2] & 7;
        if (mode == 0 && base == NO_BASE)
            return 0;
        distance++;
    }
    address += cotree_cursor_register(c, base | (extension & 1) << 3);
    int32_t far;
    __builtin_memcpy(&far, distance, sizeof far);
    address += mode == 0 ? 0 : mode == 1 ? (uint64_t)(int64_t)(int8_t)*distance : (uint64_t)(int64_t)far;
    return address == wanted ? cotree_cursor_register(c, from) & (two ? 0xffff : 0xff) : 0;
}

#endif
