/*
 * Reading call frame information (.eh_frame, .eh_frame_hdr) and language-specific data
 * (.gcc_except_table) for x86-64. Nothing here knows of running programs: bytes come from a range,
 * memory from a function. No bytes are trusted: every read is checked against the range, every loop
 * ends.
 */
#ifndef COTREE_RUNTIME_FRAMES_CALL_FRAMES_H
#define COTREE_RUNTIME_FRAMES_CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/arch.h"

/* Where an object keeps its frame information. */
struct frame_table {
    const uint8_t *header;     /* .eh_frame_hdr */
    const uint8_t *low, *high; /* what may be read: the segment that holds it and .eh_frame */
};

/* What is known of the function around an address: its FDE and CIE. */
struct frame_entry {
    const uint8_t *fde, *cie;           /* where they begin */
    const uint8_t *fde_end, *cie_end;   /* the end of their instructions, too */
    const uint8_t *first_instructions;  /* of the CIE */
    const uint8_t *instructions;        /* of the FDE */
    uint64_t function, function_length; /* the addresses it is for */
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t language_data; /* LSDA, or 0 */
    uint64_t return_column;
    uint32_t index; /* of the row of the sorted table that led here, or FRAME_NO_INDEX */
    bool signal_frame;
};
#define FRAME_NO_INDEX UINT32_MAX

enum frame_how {
    FRAME_UNSPECIFIED = 0, /* no rule: as undefined, but callee-saved registers keep their value */
    FRAME_UNDEFINED,
    FRAME_SAME,
    FRAME_AT_OFFSET,     /* saved at CFA + value */
    FRAME_IS_OFFSET,     /* is CFA + value */
    FRAME_REGISTER,      /* is in register `value` */
    FRAME_AT_EXPRESSION, /* saved where the expression at address `value` says */
    FRAME_IS_EXPRESSION
};

/* How registers of the caller are found at one instruction. */
struct frame_row {
    const uint8_t *cfa_expression; /* length and operations; NULL: register + offset */
    int64_t cfa_offset;
    uint64_t cfa_register;
    int64_t value[REGISTERS];
    uint8_t how[REGISTERS];
};

/* Reads 8 bytes of the walked stack; false where they are not readable. */
typedef bool frame_read(void *context, uint64_t address, uint64_t *value);

struct frame_registers {
    uint64_t value[REGISTERS];
    uint32_t known; /* bit i: value[i] is */
};

/* The entry of the function around PC. */
bool cotree_frame_find(const struct frame_table *table, uint64_t pc, struct frame_entry *entry);
/* The entry whose FDE is here, for whatever addresses. */
bool cotree_frame_entry_at(const struct frame_table *table, const uint8_t *fde, struct frame_entry *entry);
bool cotree_frame_row_at(const struct frame_table *table, const struct frame_entry *entry, uint64_t pc,
                         struct frame_row *row);
bool cotree_frame_evaluate(const struct frame_table *table, const uint8_t *expression,
                           const struct frame_registers *registers, const uint64_t *first, frame_read *read,
                           void *context, uint64_t *result);
/* LOW to HIGH: the segment that holds the language-specific data of the entry. */
bool cotree_frame_has_landing_pad(const struct frame_entry *entry, const uint8_t *low, const uint8_t *high,
                                  uint64_t pc);

#endif
