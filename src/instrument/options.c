/* Reads the option string of options.h. */
#include "instrument/options.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes %XX in place; false when an escape is malformed or would end the string. */
static bool unescape(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s != '%') {
            *to++ = *s;
            continue;
        }
        int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
        if (low < 0 || high * 16 + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        s += 2;
    }
    *to = 0;
    return true;
}

static bool parse_flag(bool *flag, const char *key, const char *value, struct error *error)
{
    if (strcmp(value, "0") && strcmp(value, "1"))
        return error_set(error, "option '%s' is 0 or 1, not '%s'", key, value);
    *flag = value[0] == '1';
    return true;
}

static bool parse_sets(struct instrument_options *o, char *list, struct error *error)
{
    o->set_count = 0;
    if (!*list)
        return true;
    for (char *at = list, *name; (name = strsep(&at, ",")) != NULL;) {
        const struct placement_info *info = placement_by_name(name);
        if (!info || info->placement == PLACEMENT_BALANCE)
            return error_set(error, "there is no counter set '%s'", name);
        for (size_t i = 0; i < o->set_count; i++)
            if (o->sets[i] == info->placement)
                return error_set(error, "counter set '%s' is given twice", name);
        o->sets[o->set_count++] = info->placement;
    }
    return true;
}

static bool apply_placement(struct instrument_options *o, const char *name, struct error *error)
{
    const struct placement_info *info = placement_by_name(name);
    if (!info || info->placement >= PLACEMENT_BALANCE)
        return error_set(error, "there is no placement '%s'", name);
    for (size_t i = 0; i < o->set_count; i++)
        if (o->sets[i] == info->placement)
            return true;
    for (size_t i = 0; i < o->set_count; i++)
        if (o->sets[i] == PLACEMENT_EDGES || o->sets[i] == PLACEMENT_BLOCKS) {
            o->sets[i] = info->placement;
            return true;
        }
    return error_set(error, "placement '%s' needs the set 'edges' or 'blocks'", name);
}

static bool parse_prefix_map(struct instrument_prefix_maps *maps, const char *key, const char *value,
                             struct error *error)
{
    const char *equals = strchr(value, '=');
    if (!equals)
        return error_set(error, "%s '%s' has no '='", key, value);
    struct prefix_map *map = ARRAY_ADD(maps);
    map->old_prefix = memory_substring(value, (size_t)(equals - value));
    map->new_prefix = memory_string(equals + 1);
    return true;
}

static bool parse_pair(struct instrument_options *o, const char *key, char *value, char **placement,
                       struct error *error)
{
    struct {
        const char *key;
        struct instrument_names *names;
    } lists[] = {
        {"allow-file", &o->allow_file},           {"deny-file", &o->deny_file},
        {"allow-function", &o->allow_function},   {"deny-function", &o->deny_function},
        {"crash-paths", &o->crash_paths},         {"crash-faults", &o->crash_faults},
        {"crash-functions", &o->crash_functions}, {"crash-calls", &o->crash_calls},
        {"crash-blocks", &o->crash_blocks},       {"crash-history", &o->crash_history},
        {"crash-tunable", &o->crash_tunable},     {"paths", &o->paths},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(key, lists[i].key)) {
            ARRAY_PUSH(lists[i].names, memory_string(value));
            return true;
        }
    if (!strcmp(key, "sets"))
        return parse_sets(o, value, error);
    if (!strcmp(key, "placement")) {
        *placement = value;
        return true;
    }
    if (!strcmp(key, "path-numbering")) {
        for (int kind = 1; kind <= PATH_CODE_LAST; kind++)
            if (!strcmp(value, path_code_names[kind]))
                o->path_numbering = (enum path_code_kind)kind;
        return o->path_numbering || error_set(error, "there is no numbering of paths '%s'", value);
    }
    if (!strcmp(key, "witness")) {
        o->witness = witness_by_name(value);
        return o->witness || error_set(error, "there is no placement of witnesses '%s'", value);
    }
    if (!strcmp(key, "trace"))
        return parse_flag(&o->trace, key, value, error);
    if (!strcmp(key, "trace-report"))
        return parse_flag(&o->trace_report, key, value, error);
    if (!strcmp(key, "trace-addresses"))
        return parse_flag(&o->trace_addresses, key, value, error);
    if (!strcmp(key, "crash"))
        return parse_flag(&o->crash, key, value, error);
    if (!strcmp(key, "use")) {
        free(o->use);
        o->use = memory_string(value);
        return true;
    }
    if (!strcmp(key, "use-hash") || !strcmp(key, "paths-hash") || !strcmp(key, "plugin-hash"))
        return true;
    if (!strcmp(key, "prefix-map"))
        return parse_prefix_map(&o->prefix_maps, key, value, error);
    if (!strcmp(key, "source-map"))
        return parse_prefix_map(&o->source_maps, key, value, error);
    if (!strcmp(key, "plan")) {
        o->source_plan = !strcmp(value, "source");
        return o->source_plan || error_set(error, "'%s' is no plan", value);
    }
    if (!strcmp(key, "durable"))
        return parse_flag(&o->durable, key, value, error);
    if (!strcmp(key, "parts"))
        return parse_flag(&o->parts, key, value, error);
    if (!strcmp(key, "lines"))
        return parse_flag(&o->lines_only, key, value, error);
    if (!strcmp(key, "lto"))
        return parse_flag(&o->lto, key, value, error);
    if (!strcmp(key, "bitcode"))
        return parse_flag(&o->bitcode, key, value, error);
    if (!strcmp(key, "counters")) {
        bool counters;
        if (!parse_flag(&counters, key, value, error))
            return false;
        o->no_counters = !counters;
        return true;
    }
    if (!strcmp(key, "verbose"))
        return parse_flag(&o->verbose, key, value, error);
    return error_set(error, "there is no option '%s'", key);
}

bool instrument_options_parse(struct instrument_options *o, const char *text, struct error *error)
{
    *o = (struct instrument_options){.sets = {PLACEMENT_EDGES}, .set_count = 1, .witness = WITNESS_FOREST};
    char *copy = memory_string(text), *rest = copy, *placement = NULL;
    bool ok = true;
    while (ok && rest && *rest) {
        char *pair = strsep(&rest, ";"), *value = strchr(pair, '=');
        if (!value) {
            ok = error_set(error, "option '%s' has no value", pair);
            break;
        }
        *value++ = 0;
        ok = unescape(value) ? parse_pair(o, pair, value, &placement, error)
                             : error_set(error, "option '%s' has a malformed %%-escape", pair);
    }
    if (ok && placement)
        ok = apply_placement(o, placement, error);
    free(copy);
    if (ok && !o->set_count && !o->trace && !o->crash)
        ok = error_set(error, "there is nothing to count");
    if (!ok)
        instrument_options_release(o);
    return ok;
}

static void release_names(struct instrument_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    ARRAY_RELEASE(names);
}

static void release_maps(struct instrument_prefix_maps *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        free(maps->items[i].old_prefix);
        free(maps->items[i].new_prefix);
    }
    ARRAY_RELEASE(maps);
}

void instrument_options_release(struct instrument_options *o)
{
    release_names(&o->allow_file);
    release_names(&o->deny_file);
    release_names(&o->allow_function);
    release_names(&o->deny_function);
    release_names(&o->paths);
    release_names(&o->crash_paths);
    release_names(&o->crash_faults);
    release_names(&o->crash_functions);
    release_names(&o->crash_calls);
    release_names(&o->crash_blocks);
    release_names(&o->crash_history);
    release_names(&o->crash_tunable);
    release_maps(&o->prefix_maps);
    release_maps(&o->source_maps);
    free(o->use);
    *o = (struct instrument_options){0};
}

char *prefix_maps_apply(const struct instrument_prefix_maps *maps, const char *path)
{
    for (size_t i = maps->count; i-- > 0;) {
        const struct prefix_map *map = &maps->items[i];
        if (text_starts_with(path, map->old_prefix)) {
            struct buffer moved = {0};
            buffer_add_text(&moved, map->new_prefix);
            buffer_add_text(&moved, path + strlen(map->old_prefix));
            char *result = memory_string(buffer_text(&moved));
            buffer_release(&moved);
            return result;
        }
    }
    return memory_string(path);
}
