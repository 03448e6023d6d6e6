/*
 * `.cotree.link`: how a program was linked.
 *
 * Words
 *   input   a file that the linker read. It is carried as the units it was made of, or whole, or
 *           only named, by path, size and hash, if it is part of the system. An archive is carried
 *           as those of its members that were linked.
 *   word    a word of the linker's command line, in order. Words that name inputs refer to them;
 *           the words that `cotree cc` adds for the runtime are left out, since they differ
 *           between variants: a mark stands where they were.
 *   origin  the build id of the program that a woven one was made from, in the end: variants of one
 *           program have the same origin.
 *
 *     "cotreeLK" | u32 version | u32 0 | u64 length of the body | u64 hash of the body | the body:
 *     string linker | string its version | string origin | string driver |
 *     number of inputs, and for each: kind | string name | u64 size | u64 hash |
 *         units: number of ids, u64 each | whole: length | archive: number of members, which follow
 *     number of words, and for each: kind | string text | input + 1, or 0
 *     length of what is carried whole | length of its pack | the pack
 *
 * Invariants: those of format/carry/units.h, and
 *  1. The members of an archive are the inputs that follow it; they are no archives.
 *  2. A word refers to an input that is there and that is no member.
 */
#ifndef COTREE_FORMAT_CARRY_LINK_H
#define COTREE_FORMAT_CARRY_LINK_H

#include "base/buffer.h"
#include "base/error.h"

#define CARRY_LINK_SECTION ".cotree.link"
enum { CARRY_LINK_VERSION = 1 };

enum carry_input_kind {
    CARRY_INPUT_UNITS = 1, /* an object made of units; of several by ld -r */
    CARRY_INPUT_WHOLE,
    CARRY_INPUT_NAMED, /* a file of the system */
    CARRY_INPUT_ARCHIVE,
    CARRY_INPUT_LAST = CARRY_INPUT_ARCHIVE,
};

struct carry_input {
    enum carry_input_kind kind;
    char *name; /* the path of what is only named; else the last part of it */
    uint64_t size, hash;
    uint64_t *ids; /* of units */
    size_t id_count;
    const uint8_t *bytes; /* of what is carried whole; NULL until it is unpacked */
    size_t length;
    size_t member_count; /* of an archive */
    bool is_member;      /* of the archive before it */
};

enum carry_word_kind {
    CARRY_WORD_TEXT = 1,
    CARRY_WORD_INPUT,   /* text, then the path of the input: --version-script=FILE, or nothing and FILE */
    CARRY_WORD_LIBRARY, /* -lNAME, found in a directory of the system; the input is what was found */
    CARRY_WORD_OUTPUT,  /* the output's path; the text is what the program is called inside, if it is */
    CARRY_WORD_FIRST,   /* the words of cotree that come before all inputs */
    CARRY_WORD_AFTER,   /* and those after them */
    CARRY_WORD_LAST = CARRY_WORD_AFTER,
};

/* The text of a word whose input is a library that only other libraries need: linkers look for those
 * in the directory that the option names. */
#define CARRY_WORD_NEEDED "--rpath-link="

#define CARRY_NO_INPUT SIZE_MAX
struct carry_word {
    enum carry_word_kind kind;
    char *text;
    size_t input; /* or CARRY_NO_INPUT */
};

struct carry_link {
    char *linker, *version; /* the last part of its name, as in "ld.lld"; what --version says first */
    char *origin;           /* hexadecimal; "" in a program that was not woven */
    char *driver;           /* what `cotree cc` must know to add its words (cli/driver_carry.c) */
    struct carry_inputs {
        struct carry_input *items;
        size_t count, capacity;
    } inputs;
    struct carry_link_words {
        struct carry_word *items;
        size_t count, capacity;
    } words;
    const uint8_t *pack; /* lies in the bytes that were read */
    size_t pack_length, unpacked_length;
    uint8_t *unpacked;
};

void carry_link_write(struct buffer *out, const struct carry_link *link);
/* The bytes must stay. What is carried whole is still packed. */
bool carry_link_read(struct carry_link *link, const uint8_t *bytes, size_t length, struct error *error);
bool carry_link_unpack(struct carry_link *link, struct error *error);
void carry_link_release(struct carry_link *link);

#endif
