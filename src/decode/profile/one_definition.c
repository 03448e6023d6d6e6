#include "decode/profile/one_definition.h"
#include "base/hash.h"

#include <string.h>

static bool is_candidate(const struct profile_function *f)
{
    return f->map.trace && f->map.flags & MAP_FUNCTION_COMDAT && !(f->map.flags & MAP_FUNCTION_ONE_BODY) &&
           f->map.line;
}

/* Lists the lines of the function, whatever its blocks are. */
static void list_lines(const struct map_function *f, struct hash_map *lines)
{
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++)
            if (f->blocks[b].lines[i].line)
                hash_map_put(lines,
                             hash_text(f->files[f->blocks[b].lines[i].file]) + f->blocks[b].lines[i].line,
                             NULL);
}

/* Does one function have lines that the other has not? */
static bool has_more(const struct map_function *a, const struct map_function *b)
{
    struct hash_map lines = {0};
    list_lines(b, &lines);
    size_t before = lines.count;
    list_lines(a, &lines);
    bool more = lines.count > before;
    hash_map_release(&lines);
    return more;
}

const struct profile_function *one_definition_next(const struct profile *p, size_t *at)
{
    for (; *at < p->functions.count; ++*at) {
        const struct profile_function *f = &p->functions.items[*at];
        bool differs = false;
        for (size_t i = *at + 1; is_candidate(f) && i < p->functions.count && !differs; i++) {
            const struct profile_function *other = &p->functions.items[i];
            if (other->module != f->module || strcmp(other->map.name, f->map.name))
                break; /* functions are sorted by place and name */
            differs =
                is_candidate(other) && (has_more(&f->map, &other->map) || has_more(&other->map, &f->map));
        }
        if (differs)
            return ++*at, f;
    }
    return NULL;
}
