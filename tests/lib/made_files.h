/*
 * Programs and run files made by hand, byte by byte, so that decode can be tested without a compiler or a
 * runtime. Nothing here calls the code under test but map_write_* and plan_make, which have tests of their
 * own.
 */
#ifndef COTREE_TESTS_MADE_FILES_H
#define COTREE_TESTS_MADE_FILES_H

#include "format/data/layout.h"
#include "format/map/map.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* A function whose edges are written as "0>1 0>2 1>x": x is EXIT; a block with no way out gets its virtual
 * edge. */
static inline void made_function(struct map_function *f, const char *name, uint32_t blocks, const char *edges,
                                 const enum placement *sets, uint32_t set_count)
{
    *f = (struct map_function){.name = memory_string(name), .line = 1, .file_count = 1};
    f->files = ALLOC(char *, 1);
    f->files[0] = memory_string("/src/made.c");
    graph_init(&f->graph, blocks);
    for (const char *at = edges; *at;) {
        char *end;
        uint32_t from = (uint32_t)strtoul(at, &end, 10);
        bool leaves = end[1] == 'x';
        uint32_t to = leaves ? blocks : (uint32_t)strtoul(end + 1, &end, 10);
        graph_add_edge(&f->graph, from, to, leaves ? EDGE_EXIT : EDGE_FLOW);
        at = leaves ? end + 2 : end;
        while (*at == ' ')
            at++;
    }
    graph_complete(&f->graph);
    f->blocks = ZALLOC(struct map_block, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        f->blocks[b].line_count = 1;
        f->blocks[b].lines = ALLOC(struct map_line, 1);
        f->blocks[b].lines[0] = (struct map_line){.file = 0, .line = b + 2};
    }
    double *weights = ALLOC(double, f->graph.edge_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        weights[e] = 1;
    f->plans = ZALLOC(struct plan, set_count);
    f->plan_count = set_count;
    for (uint32_t i = 0; i < set_count; i++)
        if (!plan_make(&f->plans[i], &f->graph, sets[i], weights, NULL, NULL))
            abort();
    free(weights);
}

/* Counters of a function for given counts of its edges: what its probes would have counted. */
static inline void made_counters(const struct map_function *f, const int64_t *edge_counts, uint64_t *counters)
{
    for (uint32_t i = 0; i < f->plan_count; i++)
        for (uint32_t k = 0; k < f->plans[i].probe_count; k++) {
            const struct probe *p = &f->plans[i].probes[k];
            int64_t count = 0;
            for (uint32_t e = 0; e < f->graph.edge_count; e++)
                if (p->kind == PROBE_EDGE ? e == p->id : f->graph.edges[e].to == p->id)
                    count += edge_counts[e];
            *counters++ = (uint64_t)count;
        }
}

static inline void made_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        abort();
}

/* The smallest ELF file with a build id (unless NULL) and, unless functions is NULL, a map; and a table of
 * places, unless that is NULL. */
static inline void made_program_with(const char *path, const char *build_id, struct map_function *functions,
                                     size_t count, const struct buffer *places)
{
    struct buffer out = {0}, map = {0}, payload = {0};
    static const char names[] = "\0.shstrtab\0.note.gnu.build-id\0.cotree.map\0.cotree.places";
    for (size_t i = 0; i < count; i++)
        map_write_function(&payload, &functions[i]);
    if (functions)
        map_write_unit(&map, &payload);
    size_t id_length = build_id ? strlen(build_id) : 0, note = 16 + (id_length + 3) / 4 * 4;
    Elf64_Ehdr header = {.e_type = ET_EXEC,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr)};
    memcpy(header.e_ident, ELFMAG, 4);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_shoff = sizeof header;
    header.e_shnum = 5;
    header.e_shstrndx = 1;
    uint64_t at = sizeof header + 5 * sizeof(Elf64_Shdr);
    Elf64_Shdr sections[5] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof names, .sh_addralign = 1},
        {.sh_name = 11,
         .sh_type = build_id ? SHT_NOTE : SHT_NULL,
         .sh_offset = (at + sizeof names + 7) & ~7ull,
         .sh_size = note,
         .sh_addralign = 4},
        {.sh_name = 30,
         .sh_type = functions ? SHT_PROGBITS : SHT_NULL,
         .sh_addralign = 1,
         .sh_size = map.length},
        {.sh_name = 42,
         .sh_type = places ? SHT_PROGBITS : SHT_NULL,
         .sh_addralign = 1,
         .sh_size = places ? places->length : 0}};
    sections[3].sh_offset = sections[2].sh_offset + note;
    sections[4].sh_offset = sections[3].sh_offset + map.length;
    buffer_add(&out, &header, sizeof header);
    buffer_add(&out, sections, sizeof sections);
    buffer_add(&out, names, sizeof names);
    while (out.length < sections[2].sh_offset)
        buffer_add(&out, "", 1);
    buffer_add_u32(&out, 4);
    buffer_add_u32(&out, (uint32_t)id_length);
    buffer_add_u32(&out, NT_GNU_BUILD_ID);
    buffer_add(&out, "GNU", 4);
    buffer_add(&out, build_id ? build_id : "", id_length);
    while (out.length < sections[3].sh_offset)
        buffer_add(&out, "", 1);
    buffer_add(&out, map.data, map.length);
    if (places)
        buffer_add(&out, places->data, places->length);
    made_write(path, out.data, out.length);
    buffer_release(&out);
    buffer_release(&map);
    buffer_release(&payload);
}

static inline void made_program(const char *path, const char *build_id, struct map_function *functions,
                                size_t count)
{
    made_program_with(path, build_id, functions, count, NULL);
}

/* A run file in memory: one module, one block, to be changed at will before it is written. */
#define MADE_BLOCK (3 * DATA_PAGE)
struct made_run {
    uint8_t bytes[8 * DATA_PAGE];
    size_t length, used; /* of the block: words */
};
static inline struct data_header *made_header(struct made_run *r)
{
    return (struct data_header *)r->bytes;
}
static inline struct data_module *made_module(struct made_run *r)
{
    return (struct data_module *)(r->bytes + DATA_MODULE_OFFSET);
}
static inline struct data_table *made_table(struct made_run *r)
{
    return (struct data_table *)(r->bytes + DATA_PAGE);
}
static inline uint64_t *made_block(struct made_run *r)
{
    return (uint64_t *)(r->bytes + MADE_BLOCK);
}

/* One clean run of `program`. */
static inline void made_run(struct made_run *r, const char *program, const char *build_id)
{
    *r = (struct made_run){.length = sizeof r->bytes};
    struct data_header *h = made_header(r);
    memcpy(h->magic, DATA_MAGIC, 8);
    h->version = DATA_VERSION;
    h->kind = DATA_KIND_RUN;
    h->header_size = sizeof *h;
    h->end = sizeof r->bytes;
    h->table = DATA_PAGE;
    h->runs_started = h->runs_clean = 1;
    snprintf(h->program, sizeof h->program, "%s", program);
    struct data_module *m = made_module(r);
    m->state = 2;
    m->build_id_size = (uint32_t)strlen(build_id);
    memcpy(m->build_id, build_id, m->build_id_size);
    m->block_length = m->counters_length = DATA_PAGE;
    snprintf(m->path, sizeof m->path, "/nowhere/%s", program);
    struct stat st;
    if (stat("/proc/self/ns/pid", &st))
        abort();
    made_table(r)->slots[0] = (struct data_slot){.owner = DATA_OWNER(1, DATA_CLEAN),
                                                 .start_time = 1,
                                                 .pid_namespace = st.st_ino,
                                                 .offset = MADE_BLOCK,
                                                 .length = DATA_PAGE};
}

/* Adds a frame count. */
#define MADE_FRAME_COUNTS (5 * DATA_PAGE)
static inline void made_frame_count(struct made_run *r, uint32_t kind, uint64_t address, int64_t count)
{
    struct data_frame_count_page *page = (struct data_frame_count_page *)(r->bytes + MADE_FRAME_COUNTS);
    made_header(r)->frame_counts = MADE_FRAME_COUNTS;
    made_header(r)->flags |= DATA_FLAG_FRAMES;
    size_t i = 0;
    while (page->counts[i].kind_and_address)
        i++;
    page->counts[i] = (struct data_frame_count){
        .kind_and_address = DATA_FRAME_KIND_AND_ADDRESS(kind, 0, address), .count = (uint64_t)count};
}

static inline uint64_t *made_array(struct made_run *r, const struct map_function *f)
{
    uint64_t *at = made_block(r) + r->used;
    at[0] = f->key;
    at[1] = map_function_counters(f);
    r->used += 2 + at[1] + 1; /* and a word of padding */
    return at + 2;
}

static inline void made_run_write(struct made_run *r, const char *path)
{
    made_write(path, r->bytes, r->length);
}

#endif
