/* Prints the maps of object files: `map_dump [-g | -l | -c | -f] FILE.map...`, FILE.map being a copy of
 * section .cotree.map. -g: graphs only; -l: lines of blocks too; -c: calls of blocks, each with the tag of
 * its callee; -f: only what final functions count, as the key of a function and a counter of it. Tests
 * compare what it prints. */
#include "format/map/final.h"
#include "format/map/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int graphs_only, with_lines, with_calls, finals_only;

static void print(void *context, struct map_function *f)
{
    (void)context;
    if (with_calls)
        printf("tag %08x ", map_name_tag(f->name));
    printf("function %s blocks %u edges %u graph %016" PRIx64 "\n", f->name, f->graph.vertex_count - 1,
           f->graph.edge_count, f->graph_hash);
    if (!graphs_only) {
        printf("  flags %u line %u file %s counters %u key %016" PRIx64 "\n", f->flags, f->line,
               f->file_count ? f->files[0] : "-", map_function_counters(f), f->key);
        if (f->why_uncounted)
            printf("  uncounted: %s\n", f->why_uncounted);
    }
    for (uint32_t e = 0; !graphs_only && e < f->graph.edge_count; e++)
        printf("  edge %u %u -> %u kind %d\n", e, f->graph.edges[e].from, f->graph.edges[e].to,
               (int)f->graph.edges[e].kind);
    for (uint32_t b = 0; !graphs_only && b + 1 < f->graph.vertex_count; b++) {
        printf("  block %u hazards %u", b, f->blocks[b].hazards);
        for (uint32_t i = 0; with_lines && i < f->blocks[b].line_count; i++)
            printf(" %s:%u", f->files[f->blocks[b].lines[i].file], f->blocks[b].lines[i].line);
        for (uint32_t i = 0; with_calls && i < f->blocks[b].call_count; i++) {
            const struct map_call *call = &f->blocks[b].calls[i];
            printf(" %s:%08x", call->invoke ? "invoke" : "call",
                   call->callee == MAP_CALLEE_UNKNOWN ? 0 : f->callees[call->callee]);
        }
        if (with_calls && f->blocks[b].only_returns)
            printf(" only-returns");
        printf("\n");
    }
    for (uint32_t p = 0; !graphs_only && p < f->plan_count; p++) {
        printf("  plan %s", placement_info(f->plans[p].placement)->name);
        for (uint32_t i = 0; i < f->plans[p].probe_count; i++)
            printf(" %c%u", f->plans[p].probes[i].kind == PROBE_EDGE ? 'e' : 'v', f->plans[p].probes[i].id);
        printf("\n");
    }
    map_function_release(f);
}

static void drop(void *context, struct map_function *f)
{
    (void)context;
    map_function_release(f);
}

static void print_final(void *context, struct final_function *f)
{
    (void)context;
    for (uint32_t i = 0; i < f->first[f->graph.edge_count]; i++)
        printf("%016" PRIx64 " %u\n", f->counts[i].key, f->counts[i].counter);
    final_function_release(f);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] && strchr("glcf", argv[i][1])) {
            *(argv[i][1] == 'g'   ? &graphs_only
              : argv[i][1] == 'l' ? &with_lines
              : argv[i][1] == 'c' ? &with_calls
                                  : &finals_only) = 1;
            continue;
        }
        FILE *file = fopen(argv[i], "rb");
        struct buffer bytes = {0};
        char chunk[65536];
        size_t n;
        if (!file)
            return perror(argv[i]), 1;
        while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
            buffer_add(&bytes, chunk, n);
        fclose(file);
        struct error error = {0};
        if (!map_read_section(bytes.data, bytes.length, finals_only ? drop : print, NULL, &error) ||
            (finals_only && !final_read_section(bytes.data, bytes.length, print_final, NULL, &error)))
            return fprintf(stderr, "%s: %s\n", argv[i], error.text), 1;
        buffer_release(&bytes);
    }
    return 0;
}
