/*
 * The one reader of run files (format/data/layout.h). It reads with pread, never mmap: a file may still be
 * growing, or be cut while it is read, and neither may hurt the reader.
 *
 * What it promises, whatever the bytes were:
 *  1. Every page, table and block it hands out lies inside the file; no two blocks overlap, so nothing is
 * counted twice.
 *  2. Lists end: a link that leads back is damage.
 *  3. Events are of kinds that are known and of modules that are there, and their counts are below
 * DATA_FRAME_COUNT_MOST in size.
 *  4. What is sealed is as it was left by who sealed it.
 *  5. How many runs began and ended, and what was lost, agrees with the slots and the flags, as far as each
 * says so.
 *  6. Holes of sparse files are stepped over, so time follows the bytes that are there and not the sizes that
 * are claimed.
 *
 * Errors are reasons without the file's name; whoever knows the name puts it in front.
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
    struct data_modules
        ARRAY_OF(struct data_module) modules;           /* by number; strings terminated; state 2 = valid */
    struct data_slots ARRAY_OF(struct data_slot) slots; /* all but those that never had a block */
    struct data_frame_counts
        ARRAY_OF(struct data_frame_count) frame_counts; /* those that happened; a place may be there twice */
};

/*
 * Opens a regular file for reading and looks at its container. Returns the descriptor and its kind (enum
 * data_kind), or -1 with the reason. Never blocks: a FIFO or a device is refused.
 */
int data_open(const char *path, uint32_t *kind, uint64_t *size, struct error *error);

/*
 * Reads the header; fields that its writer did not know, beyond header_size, are 0. Whoever reads a header
 * does it so: what lies behind it may be anything.
 */
bool data_header_read(int fd, struct data_header *header);
/* Has the header this field? */
#define DATA_HEADER_HAS(header, field)                                                                       \
    (offsetof(struct data_header, field) + sizeof((header)->field) <= (header)->header_size)

/* Runs that began, less those that told how they ended. */
uint64_t data_runs_open(const struct data_header *header);

/* Reads everything but the counters of the run file behind fd, which then belongs to f (closed on failure
 * too). */
bool data_file_read(struct data_file *f, int fd, struct error *error);
void data_file_release(struct data_file *f);

/*
 * Are these the counts of libraries in a plain program of this file name? Such a program may be named for
 * their sake. Where the program itself is among the modules it counted, too: then a plain one is another
 * build.
 */
bool data_file_is_of_libraries(const struct data_file *f, const char *program);

/*
 * Walks a slot's block. Each array's counters are added to what `place` gives for its key and number; NULL
 * (with an error) ends the walk. False when the block is not a list of arrays.
 */
typedef int64_t *data_place(void *context, uint64_t key, uint64_t count, struct error *error);
bool data_add_block(struct data_file *f, const struct data_slot *slot, data_place *place, void *context,
                    struct error *error);

/*
 * Is the block as it was sealed, if it was? Also true when it is not sealed, or in use again by now. Asked
 * before it is read.
 */
bool data_check_block(struct data_file *f, const struct data_slot *slot, struct error *error);

/*
 * Did a process begin or end since data_file_read? Asked after the blocks were read: whoever counted in them
 * meanwhile had announced itself in the header before.
 */
bool data_file_changed(const struct data_file *f);

enum data_owner { DATA_OWNER_GONE, DATA_OWNER_ALIVE, DATA_OWNER_UNKNOWN };
/* Is the process that owns the slot still there? One of another pid namespace cannot be looked up. */
enum data_owner data_owner_judge(const struct data_slot *slot);

/* pread until all is there; false when the file ends before. */
bool data_read_at(int fd, void *to, size_t length, uint64_t offset);

#endif
