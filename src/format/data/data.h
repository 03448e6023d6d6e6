/*
 * The one reader of run files (format/data/layout.h). It reads with pread, never mmap: a file may
 * still grow, or be cut while it is read, and neither may hurt the reader.
 *
 * To read all counts of a file:
 *
 *     uint32_t kind;
 *     uint64_t size;
 *     struct data_file f;
 *     int fd = data_open(path, &kind, &size, error);
 *     if (fd < 0 || kind != DATA_KIND_RUN || !data_file_read(&f, fd, error))
 *         return false;
 *     for (size_t i = 0; i < f.slots.count; i++)
 *         if (!data_check_block(&f, &f.slots.items[i], error) ||
 *             !data_add_block(&f, &f.slots.items[i], place, context, error))
 *             ...
 *     if (data_file_changed(&f))
 *         ... read it again
 *     data_file_release(&f);
 *
 * Invariants, whatever the bytes were
 *  1. Every page, table and block that it hands out lies inside the file. No two blocks overlap, so
 *     nothing is counted twice.
 *  2. Lists end: a link that leads back is damage.
 *  3. Frame counts are of known kinds and of modules that the file has. Each is below
 *     DATA_FRAME_COUNT_MOST in size.
 *  4. What is sealed is as the process that sealed it left it.
 *  5. The numbers of runs that began and ended, and of what was lost, agree with the slots and the
 *     flags, as far as each says so.
 *  6. Holes of sparse files are stepped over, so reading takes time by the bytes that are there and
 *     not by the sizes that are claimed.
 *
 * Errors are reasons without the file's name; the caller that knows the name puts it in front.
 */
#ifndef COTREE_FORMAT_DATA_DATA_H
#define COTREE_FORMAT_DATA_DATA_H

#include "base/error.h"
#include "base/memory.h"
#include "format/data/layout.h"
#include "format/data/seal.h"

#include <stdbool.h>
#include <stddef.h>

#define DATA_FRAME_COUNT_MOST (1ll << 48)
bool data_frame_kind_is_known(uint32_t kind); /* enum data_frame_kind */

struct data_file {
    int fd;
    uint64_t size;
    struct data_header header;
    uint64_t hash; /* of all but the blocks, as far as it was read (format/data/seal.h) */
    /* By number; strings are terminated; state 2: valid. */
    struct data_modules ARRAY_OF(struct data_module) modules;
    struct data_slots ARRAY_OF(struct data_slot) slots; /* all but those that never had a block */
    /* Those that are not 0. A place may be there twice. */
    struct data_frame_counts ARRAY_OF(struct data_frame_count) frame_counts;
};

/*
 * Opens a regular file for reading and looks at its container. Returns the descriptor and its kind
 * (enum data_kind), or -1 with the reason. Never blocks: a FIFO or a device is refused.
 */
int data_open(const char *path, uint32_t *kind, uint64_t *size, struct error *error);

/*
 * Reads the header. Fields that its writer did not know, beyond header_size, are set to 0: in the
 * file anything may stand there. Every reader of headers uses this.
 */
bool data_header_read(int fd, struct data_header *header);
/* Did the writer of the header know this field? */
#define DATA_HEADER_HAS(header, field)                                                                       \
    (offsetof(struct data_header, field) + sizeof((header)->field) <= (header)->header_size)

/* How many runs began, less those that told how they ended. */
uint64_t data_runs_open(const struct data_header *header);

/* Reads everything of the run file that fd is open on but its counters. The descriptor belongs to f
 * then; it is closed on failure, too. */
bool data_file_read(struct data_file *f, int fd, struct error *error);
void data_file_release(struct data_file *f);

/* The build id in hexadecimal digits; empty if there is none. */
enum { DATA_BUILD_ID_TEXT = 2 * DATA_BUILD_ID_MAX + 1 };
void data_module_build_id(const struct data_module *m, char text[DATA_BUILD_ID_TEXT]);

/*
 * Are these counts of libraries only, in a plain program of this file name? Then the user may name
 * the plain program to get at them. Where the program itself is among the modules that counted, a
 * plain program of that name is another build.
 */
bool data_file_is_of_libraries(const struct data_file *f, const char *program);

/*
 * Walks the arrays of a slot's block. `place` is asked, with an array's key and number of counters,
 * where to add the counters; NULL, with an error, ends the walk. False when the block is not a list
 * of arrays.
 */
typedef int64_t *data_place(void *context, uint64_t key, uint64_t count, struct error *error);
bool data_add_block(struct data_file *f, const struct data_slot *slot, data_place *place, void *context,
                    struct error *error);

/*
 * Is the block as it was sealed? Also true when it is not sealed, or in use again by now. Called
 * before the block is read.
 */
bool data_check_block(struct data_file *f, const struct data_slot *slot, struct error *error);

/*
 * Did a process begin or end since data_file_read? Called after the blocks were read: a process
 * that counted in them meanwhile had announced itself in the header before.
 */
bool data_file_changed(const struct data_file *f);

enum data_owner { DATA_OWNER_GONE, DATA_OWNER_ALIVE, DATA_OWNER_UNKNOWN };
/* Is the process that owns the slot still there? A process of another pid namespace cannot be
 * looked up. */
enum data_owner data_owner_judge(const struct data_slot *slot);

/* pread until all bytes are there; false when the file ends before that. */
bool data_read_at(int fd, void *to, size_t length, uint64_t offset);

#endif
