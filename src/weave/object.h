/*
 * Files that linkers read and write, mapped into memory: ELF files, bitcode, archives.
 *
 * Every offset and length in them is untrusted: a section or member that does not lie in its file
 * is not there.
 */
#ifndef COTREE_WEAVE_OBJECT_H
#define COTREE_WEAVE_OBJECT_H

#include "base/buffer.h"
#include "base/error.h"

struct mapped_file {
    const uint8_t *bytes;
    size_t length;
};

/* Maps a regular file for reading. The error names it. */
bool mapped_file_open(struct mapped_file *file, const char *path, struct error *error);
void mapped_file_close(struct mapped_file *file);

enum object_kind {
    OBJECT_UNKNOWN,
    OBJECT_RELOCATABLE,
    OBJECT_SHARED, /* a shared library or an executable */
    OBJECT_BITCODE,
    OBJECT_ARCHIVE,
    OBJECT_THIN_ARCHIVE,
};
enum object_kind object_kind_of(const uint8_t *bytes, size_t length);

/* Finds a section of an x86-64 ELF file. */
bool object_section(const uint8_t *bytes, size_t length, const char *name, struct mapped_file *section);
/* Is a relocatable object as LLVM wrote it, and not what a linker made of several? */
bool object_is_of_llvm(const uint8_t *bytes, size_t length);
/* How many symbols name source files: one for each unit that clang compiled. */
size_t object_source_files(const uint8_t *bytes, size_t length);
/* Appends the build id in hexadecimal digits; nothing if there is none. */
void object_build_id(const uint8_t *bytes, size_t length, struct buffer *text);
/* Takes the directories where a shared library looks for others (DT_RPATH, DT_RUNPATH) out of it, but for
 * those to keep. */
void object_cut_places(uint8_t *bytes, size_t length, bool (*keep)(const char *places));
/* Appends a copy of a shared library without what a linker does not read: code and data are
 * zeros. */
void object_interface(const uint8_t *bytes, size_t length, struct buffer *copy);
/* Calls `use` with the names of the libraries that a shared library needs (DT_NEEDED), or with where it
 * looks for them (DT_RPATH, DT_RUNPATH). */
typedef void object_symbol_user(void *context, const char *name);
void object_dynamic_texts(const uint8_t *bytes, size_t length, int64_t tag, object_symbol_user *use,
                          void *context);
/* Calls `use` with the names of the global symbols that a relocatable object defines. */
void object_defined_symbols(const uint8_t *bytes, size_t length, object_symbol_user *use, void *context);

struct object_symbol {
    const char *name;
    uint64_t value, size;
    bool defined, function;
};
/* Calls `use` with each symbol of an ELF file. */
void object_symbols(const uint8_t *bytes, size_t length,
                    void (*use)(void *context, const struct object_symbol *symbol), void *context);

struct new_section {
    const char *name;
    const struct buffer *bytes;
};
/*
 * Appends sections that are not loaded to an ELF file. Nothing in the file moves: the sections, a
 * new list of sections and its names go to the end, and the header is changed last, so a file whose
 * writer was killed is as it was, with bytes after its end that mean nothing.
 */
bool object_append(const char *path, const struct new_section *sections, size_t count, struct error *error);

#endif
