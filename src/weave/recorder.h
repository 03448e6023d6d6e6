/* What the files share that write a link down (weave/record.h). */
#ifndef COTREE_WEAVE_RECORDER_H
#define COTREE_WEAVE_RECORDER_H

#include "base/hash.h"
#include "base/memory.h"
#include "format/carry/link.h"
#include "format/carry/units.h"
#include "weave/linker_words.h"
#include "weave/object.h"
#include "weave/record.h"

struct recorder {
    const struct link_command *command;
    struct carry_link link;
    struct carry_units units;
    struct files ARRAY_OF(struct mapped_file) files; /* mapped until the record is written */
    struct copies ARRAY_OF(uint8_t *) copies;
    struct loaded {
        char *path, *member; /* member NULL: the file itself */
        bool used;
    } *loaded;
    size_t loaded_count, loaded_capacity;
    struct hash_map input_of_path; /* hash of the path as it was given -> input + 1 */
    struct library_kind libraries; /* what -l means where we are */
    const char *output;
    bool first_done, after_done; /* the places of cotree's own words are written down */
};

const char *recorder_last_part(const char *path);
void recorder_add_word(struct recorder *r, enum carry_word_kind kind, const char *text, size_t input);
/* Takes a file as an input, unless it is one: as its units, as its members that were linked, whole, or by
 * its name. *number: of the input. */
bool recorder_take_file(struct recorder *r, const char *path, size_t *number, struct error *error);
/* Takes the library that -lNAME means. */
bool recorder_take_library(struct recorder *r, const char *name, struct error *error);
/* Takes the libraries that carried libraries need and the system does not have. */
bool recorder_take_needed(struct recorder *r, struct error *error);

#endif
