/*
 * A solved profile: exact counts of a program, or what is known of them and why not more; and its file, the
 * merged profile, which stands alone: what is needed of the map travels with the counts. report/ sees
 * profiles only; the compiler reads them for weights.
 */
#ifndef COTREE_FORMAT_PROFILE_H
#define COTREE_FORMAT_PROFILE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/map.h"

#define MAX_ERROR_UNKNOWN (-1)

struct profile_module {
    char *path;
    char *build_id; /* hexadecimal, "" if unknown */
};

struct profile_function {
    struct map_function map; /* names, files, graph, blocks, plans */
    uint32_t module;         /* index */
    bool counted;            /* false: the function carries no counters; its counts are unknown */
    bool exact;
    char *why;         /* NULL when exact */
    int64_t max_error; /* largest possible error of any count here, or MAX_ERROR_UNKNOWN */
    bool has_edges;    /* false: the placement gives block counts only */
    int64_t entries;
    int64_t *block_counts; /* per block */
    int64_t *edge_counts;  /* per edge of the complete graph, NULL unless has_edges */
};

struct profile {
    char *program;  /* path as given */
    char *build_id; /* hexadecimal */
    char *mode;     /* names of the placements, comma separated: "edges", "edges,every-edge" */
    uint64_t runs;
    bool exact;
    struct profile_reasons ARRAY_OF(char *) reasons; /* why not exact, most important first */
    struct profile_modules ARRAY_OF(struct profile_module) modules;
    struct profile_functions ARRAY_OF(struct profile_function) functions; /* by module, file, line, name */
};

void profile_release(struct profile *p);

/*
 * Merged files: the container of data_layout.h with kind DATA_KIND_MERGED, then a table of chunks (type,
 * offset, length, hash); readers skip chunks they do not know. Written under a temporary name in the same
 * directory, then renamed. docs/cotree-profile.5.scd.
 */
bool profile_write(const struct profile *p, const char *path, struct error *error);
bool profile_read(struct profile *p, const char *path, struct error *error);

#endif
