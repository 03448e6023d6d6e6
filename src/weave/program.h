/*
 * A program that carries what it was made of, and what is missing to make it again.
 *
 * The program is data that somebody else may have made: nothing in it is believed or obeyed before
 * it was checked (format/carry/compiler_words.h, weave/linker_words.h).
 */
#ifndef COTREE_WEAVE_PROGRAM_H
#define COTREE_WEAVE_PROGRAM_H

#include "base/hash.h"
#include "base/words.h"
#include "format/carry/link.h"
#include "format/carry/units.h"
#include "weave/object.h"

/* What weaving runs. */
struct weave_tools {
    struct words compiler;  /* clang's command */
    char *compiler_version; /* as clang writes it into what it compiles */
    char *linker;           /* the path; NULL if it is not here */
    char *linker_version;
    char *archiver;       /* llvm-ar, for archives of bitcode; NULL if it is not here */
    const char *library;  /* the directory of plugin and runtime */
    const char *llvm_bin; /* the directory of LLVM's programs */
};

struct carrying_program {
    const char *path;
    struct mapped_file file;
    struct mapped_file units_section;
    struct carry_units units;
    struct carry_link link;
    struct hash_map unit_of_id; /* id -> number + 1 */
    char *build_id;
};

/* Opens a program. The error says if it carries nothing. */
bool carrying_program_open(struct carrying_program *p, const char *path, struct error *error);
void carrying_program_close(struct carrying_program *p);

/* Finds the linker that the program was linked by, and the versions of both. */
void weave_tools_find(struct weave_tools *tools, const struct carrying_program *p);
void weave_tools_release(struct weave_tools *tools);

/* Adds a line for each thing that is missing, has changed, or may not be obeyed: the program cannot
 * be woven then. */
void carrying_program_missing(const struct carrying_program *p, const struct weave_tools *tools,
                              bool any_compiler, struct words *lines);
/* Adds the names of the objects that carry no IR: weaving links them as they are. Start files of the C
 * library and the compiler are not among them. */
void carrying_program_without_ir(const struct carrying_program *p, struct words *names);
/* The words of the link, in their order; those that are no text are CARRYING_NOT_TEXT: an option before
 * one has no value. */
#define CARRYING_NOT_TEXT "\n"
void carrying_program_texts(const struct carrying_program *p, struct words *texts);
/* Prints what the program carries. */
void carrying_program_list(const struct carrying_program *p);

#endif
