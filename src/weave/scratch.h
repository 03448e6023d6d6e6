/*
 * The directory that weaving works in, and the files in it.
 *
 *     made/       what weave writes: the compiler and the linker read it
 *     work/       what they write; also their TMPDIR
 *     linked/     the program that the linker makes; it runs in this directory
 *     said/       what they print, and an empty file: they are given the open files, and reach no other
 *
 * A compiler that a program has taken over may leave links, devices and pipes under any name in work/ and
 * linked/, and goes on as long as one of its processes lives. So weave reads there what is checked to be
 * a file of that place, and only after all processes have ended (weave/process.h).
 */
#ifndef COTREE_WEAVE_SCRATCH_H
#define COTREE_WEAVE_SCRATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct scratch {
    char *path; /* absolute */
    char *made, *work, *linked, *said;
};

bool scratch_make(struct scratch *s, struct error *error);
/* Removes the directory and all that is in it. */
void scratch_remove(struct scratch *s);

/* A path below one of the directories; newly allocated. */
char *scratch_path(const char *directory, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is this a regular file, and no link, nor reached by one? The path is one of those above. */
bool scratch_is_file(const char *path);
/* The text of a small file; "" if it is not there. Newly allocated. */
char *scratch_read(const char *path);
/* The file gets this name as well. */
bool scratch_link(const char *path, const char *name, struct error *error);
/* Opens a new file for what a process prints. -1, with the reason. */
int scratch_open_said(const char *path, struct error *error);
/* Opens a file that is empty, for processes that read their standard input. -1, with the reason. */
int scratch_open_nothing(const struct scratch *s, struct error *error);
/* Prints what a process has printed to standard error, without what terminals obey, and removes the
 * file. */
void scratch_print_said(const char *path);

/* Writes a file that is not there yet. */
bool file_write_new(const char *path, const void *bytes, size_t length, struct error *error);

#endif
