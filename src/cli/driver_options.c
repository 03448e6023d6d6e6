/*
 * cotree's own options: what they are called, what they may say, and how they travel to the plugin.
 *
 * Everything they say, the content of files they name included, ends up in one word of clang's
 * command line, so that two commands with the same words make the same object.
 */
#include "base/hash.h"
#include "base/text.h"
#include "cli/driver.h"
#include "cli/install.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "instrument/options.h"
#include "plan/path_selector.h"
#include "plan/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names a user may give to a set; a placement may be any but the internal one. */
static bool is_set(const char *name)
{
    static const char *const sets[] = {"edges",      "blocks",      "paths",     "trace", "crash",
                                       "every-edge", "every-block", "figure-11", "knuth"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(name, sets[i]) == 0)
            return true;
    return false;
}

static bool take_sets(struct request *r, const char *value, struct error *error)
{
    if (strcmp(value, "none") == 0) {
        r->none = true;
        return true;
    }
    for (const char *at = value;;) {
        size_t length = strcspn(at, ",");
        char *name = memory_substring(at, length);
        bool known = is_set(name);
        if (!known)
            error_set(
                error,
                "-fcotree=%s: no such counter set: '%s' (edges, blocks, paths, trace, crash, every-edge, "
                "every-block, figure-11, knuth or none)",
                value, name);
        for (const char *earlier = value; known && earlier < at; earlier += strcspn(earlier, ",") + 1)
            if (strncmp(earlier, name, length) == 0 && earlier[length] == ',')
                known = error_set(error, "-fcotree=%s: '%s' is named twice", value, name);
        free(name);
        if (!known)
            return false;
        if (!at[length])
            break;
        at += length + 1;
    }
    r->none = false;
    free(r->sets);
    r->sets = memory_string(value);
    return true;
}

static bool take_placement(struct request *r, const char *value, struct error *error)
{
    const struct placement_info *info = placement_by_name(value);
    if (!info || info->placement >= PLACEMENT_BALANCE) {
        struct buffer names = {0};
        for (int p = 1; p <= PLACEMENT_LAST; p++)
            if (p != PLACEMENT_BALANCE)
                buffer_addf(&names, "%s%s", names.length ? ", " : "",
                            placement_info((enum placement)p)->name);
        error_set(error, "-fcotree-placement=%s: no such placement (%s)", value, buffer_text(&names));
        buffer_release(&names);
        return false;
    }
    free(r->placement);
    r->placement = memory_string(value);
    return true;
}

static bool take_path_ends(struct request *r, const char *value, struct error *error)
{
    static const char *const sets[][2] = {
        {"back", "paths"}, {"loops", "loop-paths"}, {"mixed", "mixed-paths"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!strcmp(value, sets[i][0])) {
            r->path_set = sets[i][1];
            return true;
        }
    return error_set(error, "-fcotree-path-ends=%s: paths end at 'back', 'loops' or 'mixed'", value);
}

static bool take_path_numbering(struct request *r, const char *value, struct error *error)
{
    free(r->path_numbering);
    r->path_numbering = NULL;
    for (int kind = 1; kind <= PATH_CODE_LAST; kind++)
        if (!strcmp(value, path_code_names[kind]))
            r->path_numbering = memory_string(value);
    return r->path_numbering || error_set(error, "-fcotree-path-numbering=%s: all, pspp or compact", value);
}

static bool take_paths(struct request *r, const char *value, struct error *error)
{
    struct path_selector selector;
    if (!path_selector_parse(&selector, value, error))
        return error_prefix(error, "-fcotree-paths=%s", value);
    path_selector_release(&selector);
    words_add(&r->paths, value);
    return true;
}

static bool take_witness(struct request *r, const char *value, struct error *error)
{
    free(r->witness);
    r->witness = memory_string(value);
    return witness_by_name(value) ||
           error_set(
               error,
               "-fcotree-witness=%s: forest, calls, forest-first, predicates, paths, packed-bits or log2",
               value);
}

/* Takes `addresses`; or `report`, for tests: every traced block calls a function of the program. */
static bool take_trace(struct request *r, const char *value, struct error *error)
{
    if (!strcmp(value, "addresses"))
        return r->trace_addresses = true;
    r->trace_report = !strcmp(value, "report");
    return r->trace_report || error_set(error, "-fcotree-trace=%s: addresses or report", value);
}

static const char *const crash_kinds[CRASH_KINDS] = {"paths",  "faults",  "functions", "calls",
                                                     "blocks", "history", "tunable"};

enum { HISTORY_MOST = 65535 };

/* Takes N[:GLOB], of WHAT `history`. */
static bool take_history(struct request *r, const char *value, const char *words, struct error *error)
{
    char *end, *text = NULL;
    unsigned long rounds = strtoul(words, &end, 10);
    if (!isdigit((unsigned char)*words) || !rounds || rounds > HISTORY_MOST || (*end && *end != ':'))
        return error_set(error, "-fcotree-crash=%s: history:N[:GLOB], N from 1 to %d", value, HISTORY_MOST);
    if (*end == ':' && !end[1])
        return error_set(error, "-fcotree-crash=%s: the name of a function is missing", value);
    if (asprintf(&text, "%lu:%s", rounds, *end ? end + 1 : "*") < 0)
        abort();
    words_add(&r->crash[CRASH_HISTORY], text);
    free(text);
    return true;
}

/* Takes WHAT[:GLOB]: GLOB chooses functions by name; without it all are meant. */
static bool take_crash(struct request *r, const char *value, struct error *error)
{
    size_t length = strcspn(value, ":");
    const char *glob = value[length] ? value + length + 1 : "*";
    int kind = 0;
    while (kind < CRASH_KINDS && (strncmp(value, crash_kinds[kind], length) || crash_kinds[kind][length]))
        kind++;
    if (kind == CRASH_KINDS && !strcmp(value, "output"))
        return r->crash_output = true;
    if (kind == CRASH_KINDS)
        return error_set(
            error, "-fcotree-crash=%s: paths, faults, functions, calls, blocks, history:N, tunable or output",
            value);
    if (kind == CRASH_HISTORY)
        return take_history(r, value, value[length] ? glob : "", error);
    if (!*glob)
        return error_set(error, "-fcotree-crash=%s: the name of a function is missing", value);
    words_add(&r->crash[kind], glob);
    return true;
}

static bool take_use(struct request *r, const char *value, struct error *error)
{
    if (!*value)
        return error_set(error, "-fcotree-use=: the name of a file is missing");
    free(r->use);
    r->use = memory_string(value);
    return true;
}

/* Takes GLOB, or @FILE with one GLOB a line; empty lines and lines that start with # are
 * skipped. */
static bool take_patterns(struct request *r, struct words *patterns, const char *option, const char *value,
                          struct error *error)
{
    if (!*value)
        return error_set(error, "%s: a pattern is missing", option);
    if (value[0] != '@') {
        words_add(patterns, value);
        return true;
    }
    size_t length;
    char *text = driver_read_file(value + 1, &length), *rest = text;
    if (!text)
        return error_set(error, "%s%s: cannot read '%s': %s", option, value, value + 1, strerror(errno));
    words_add(&r->files_read, value + 1);
    for (char *line; (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t\r");
        size_t end = strlen(line);
        while (end && strchr(" \t\r", line[end - 1]))
            line[--end] = 0;
        if (*line && *line != '#')
            words_add(patterns, line);
    }
    free(text);
    return true;
}

static bool take_files(struct request *r, const char *value, struct error *error)
{
    return take_patterns(r, &r->allow_files, "-fcotree-files=", value, error);
}

static bool take_excluded_files(struct request *r, const char *value, struct error *error)
{
    return take_patterns(r, &r->deny_files, "-fcotree-exclude-files=", value, error);
}

static bool take_functions(struct request *r, const char *value, struct error *error)
{
    return take_patterns(r, &r->allow_functions, "-fcotree-functions=", value, error);
}

static bool take_excluded_functions(struct request *r, const char *value, struct error *error)
{
    return take_patterns(r, &r->deny_functions, "-fcotree-exclude-functions=", value, error);
}

static bool take_counting(struct request *r, const char *value, struct error *error)
{
    (void)value, (void)error;
    r->none = false;
    return true;
}

static bool take_plan(struct request *r, const char *value, struct error *error)
{
    r->source_plan = !strcmp(value, "source");
    return r->source_plan || !strcmp(value, "final") ||
           error_set(error, "-fcotree-plan=%s: no such plan (final, source)", value);
}

static bool take_durable(struct request *r, const char *value, struct error *error)
{
    (void)value, (void)error;
    return r->durable = true;
}

static bool take_parts(struct request *r, const char *value, struct error *error)
{
    (void)value, (void)error;
    return r->parts = true;
}

static bool take_carry(struct request *r, const char *value, struct error *error)
{
    (void)value, (void)error;
    return r->carry = true;
}

static bool take_verbose(struct request *r, const char *value, struct error *error)
{
    (void)value, (void)error;
    return r->verbose = true;
}

/* ---- The table ---- */

/* A name that ends with '=' is followed by a value, any other is the whole word. A row without a
 * name is a heading; one without a function is for --help alone. */
static const struct own_option {
    const char *name, *value; /* value: what --help calls it */
    bool (*take)(struct request *r, const char *value, struct error *error);
    const char *help;
} own_options[] = {
    {.help = "What to count"},
    {"-fcotree=", "SET,...", take_sets,
     "edges (default), blocks, paths, trace (the sequence of blocks),\n"
     "crash (core files tell how control got there)"},
    {"-fcotree=none", NULL, NULL, "compile plainly"},
    {"-fcotree", NULL, take_counting, "takes an earlier -fcotree=none back"},
    {"-fcotree-files=", "GLOB", take_files,
     "count only in source files that match (repeatable; @FILE: a list)"},
    {"-fcotree-exclude-files=", "GLOB", take_excluded_files,
     "do not count in these; wins over -fcotree-files"},
    {"-fcotree-functions=", "GLOB", take_functions, "count only in functions whose name matches"},
    {"-fcotree-exclude-functions=", "GLOB", take_excluded_functions,
     "do not count in these; wins over -fcotree-functions"},
    {"-fcotree-paths=", "WHICH", take_paths,
     "count only some paths (repeatable): FUNCTION, FUNCTION#ID,\n"
     "through:FILE:LINE, hot:PERCENT:PROFILE, uncovered:PROFILE,\ngroup:I/N"},
    {"-fcotree-crash=", "WHAT[:GLOB]", take_crash,
     "core files tell more of functions whose name matches (repeatable):\n"
     "paths (no way is left out, whatever it costs), faults (of places\n"
     "between calls, too), functions, calls, blocks (which of them never\n"
     "ran), history:N (the last N rounds of each loop), tunable (cotree tune\n"
     "turns them off); or output: a static program can be run by\n"
     "`cotree run --abort-at-output`"},
    {"-fcotree-trace=", "addresses", take_trace, "traces hold the addresses of loads and stores, too"},
    {.help = "How to compile"},
    {"-fcotree-use=", "FILE", take_use,
     "optimise, and place counters, by what `cotree merge` wrote;\n"
     "with -fcotree=none without counters"},
    {"-fcotree-durable", NULL, take_durable, "count unfinished calls: errors stay bounded after kill -9"},
    {"-fcotree-parts", NULL, take_parts, "copies of a run can each count a part of it (`cotree run`)"},
    {"-fcotree-carry", NULL, take_carry,
     "the program carries what it was made of: `cotree weave` makes\nvariants of it"},
    {"-fcotree-verbose", NULL, take_verbose, "list functions left out and profiles that do not match"},
    {"--help", NULL, NULL, "this, then the options of clang"},
    {.help = "For experiments"},
    {"-fcotree=", "SET,...", NULL, "also every-edge, every-block, figure-11, knuth"},
    {"-fcotree-plan=", "WHERE", take_plan,
     "count on the graph that runs (final), or where each\n"
     "function's own plan says (source)"},
    {"-fcotree-placement=", "NAME", take_placement,
     "where counters stand: edges, blocks, figure-11, knuth,\n"
     "every-edge, every-block"},
    {"-fcotree-path-ends=", "WHERE", take_path_ends,
     "where paths end: back (at edges back into loops), loops (at\n"
     "edges into loops, too), or mixed (default; into those that hold\n"
     "loops or are do-while, too)"},
    {"-fcotree-path-numbering=", "NAME", take_path_numbering,
     "how chosen paths are told apart: all, pspp, compact; default: the\n"
     "cheapest"},
    {"-fcotree-witness=", "NAME", take_witness,
     "where a trace's witnesses stand: forest (default), calls,\n"
     "forest-first, predicates, paths, packed-bits, log2"},
    {"-fcotree-trace=", "report", NULL, "for tests: every block that is traced calls cotree_block()"},
};
enum { HELP_WIDEST = 31 };
#define OWN_OPTION_COUNT (sizeof own_options / sizeof *own_options)

void driver_print_help(void)
{
    printf("usage: cotree cc CLANG-ARGUMENT...     (also: cotree-cc; cotree c++ and cotree-c++ for C++)\n\n"
           "Compiles and links with clang-%s, so that the program leaves exact counts of its control flow.\n"
           "Its own options; everything else is clang's.\n",
           COTREE_LLVM);
    for (size_t i = 0; i < OWN_OPTION_COUNT; i++) {
        const struct own_option *o = &own_options[i];
        char spelling[64];
        snprintf(spelling, sizeof spelling, "%s%s", o->name ? o->name : "", o->value ? o->value : "");
        if (o->name)
            options_put_row(spelling, o->help, HELP_WIDEST, stdout);
        else
            printf("\n%s:\n", o->help);
    }
    printf("\nEnvironment: COTREE_CLANG names the compiler to run, as words (\"ccache clang-%s\").\n"
           "Exit status: clang's; 64 for a wrong option of cotree's own, 1 if clang or the target is "
           "missing.\n\n",
           COTREE_LLVM);
    fflush(stdout);
}

/* Names the option without its value. All names begin alike, so only the rest is compared. */
static bool refuse_option(const char *word, struct error *error)
{
    const size_t alike = strlen("-fcotree"), length = strcspn(word, "=");
    char *name = memory_substring(word, length),
         *rest = memory_substring(word, length + (word[length] == '='));
    struct suggestion meant = {.word = text_starts_with(rest, "-fcotree") ? rest + alike : rest};
    const struct own_option *same = NULL;
    for (size_t i = 0; i < OWN_OPTION_COUNT; i++)
        if (own_options[i].take) {
            suggestion_try(&meant, own_options[i].name + alike);
            if (!strncmp(own_options[i].name, word, length) && strchr("=", own_options[i].name[length]))
                same = &own_options[i];
        }
    if (same)
        error_set(error, word[length] ? "option '%s' takes no value" : "option '%s' needs a value", name);
    else if (meant.name)
        error_set(error, "unknown option '%s' (did you mean '-fcotree%s'?)", name, meant.name);
    else
        error_set(error, "unknown option '%s'", name);
    free(name);
    free(rest);
    return false;
}

bool request_take_option(struct request *r, const char *word, struct error *error)
{
    for (size_t i = 0; i < OWN_OPTION_COUNT; i++) {
        const struct own_option *o = &own_options[i];
        if (!o->name || !o->take)
            continue;
        size_t length = strlen(o->name);
        if (o->name[length - 1] == '=' ? text_starts_with(word, o->name) : !strcmp(word, o->name))
            return o->take(r, word + length, error);
    }
    return refuse_option(word, error);
}

/* ---- The words for the plugin ---- */

static void add_all(struct buffer *options, const char *key, const struct words *values)
{
    for (size_t i = 0; i < values->count; i++)
        instrument_option_add(options, key, values->items[i]);
}

/* Paths come last, and never alone: the counters of `rest` tell what unfinished paths have done. */
static void add_sets(const struct request *r, struct buffer *options)
{
    struct buffer names = {0};
    bool paths = false, edges = false, trace = false, crash = false;
    for (const char *at = r->sets; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        char *name = memory_substring(at, length);
        bool is_paths = !strcmp(name, "paths"), is_trace = !strcmp(name, "trace"),
             is_crash = !strcmp(name, "crash");
        paths |= is_paths;
        edges |= !strcmp(name, "edges");
        trace |= is_trace;
        crash |= is_crash;
        if (!is_paths && !is_trace && !is_crash)
            buffer_addf(&names, "%s%s", names.length ? "," : "", name);
        free(name);
    }
    struct buffer sets = {0};
    buffer_addf(&sets, "%s%s%s", paths && !edges ? "rest" : "", paths && !edges && names.length ? "," : "",
                buffer_text(&names));
    if (paths)
        buffer_addf(&sets, ",%s", r->path_set ? r->path_set : "mixed-paths");
    instrument_option_add(options, "sets", buffer_text(&sets));
    if (crash) {
        instrument_option_add(options, "crash", "1");
        for (int kind = 0; kind < CRASH_KINDS; kind++) {
            char key[32];
            snprintf(key, sizeof key, "crash-%s", crash_kinds[kind]);
            add_all(options, key, &r->crash[kind]);
        }
    }
    if (trace)
        instrument_option_add(options, "trace", "1");
    if (trace && r->trace_report)
        instrument_option_add(options, "trace-report", "1");
    if (trace && r->trace_addresses)
        instrument_option_add(options, "trace-addresses", "1");
    if (trace && r->witness)
        instrument_option_add(options, "witness", r->witness);
    buffer_release(&sets);
    buffer_release(&names);
}

static bool add_hash(struct buffer *options, const char *key, const char *option, const char *file,
                     struct request *r, struct error *error)
{
    size_t length;
    char *content = driver_read_file(file, &length), hash[17];
    if (!content)
        return error_set(error, "%s: cannot read '%s': %s", option, file, strerror(errno));
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_bytes(content, length));
    free(content);
    instrument_option_add(options, key, hash);
    words_add(&r->files_read, file);
    return true;
}

/* Adds which paths are counted, with the content of the profiles that say so. */
static bool add_paths(struct request *r, struct buffer *options, struct error *error)
{
    bool counted = false;
    for (const char *at = r->sets ? r->sets : ""; *at; at += strcspn(at, ","), at += *at == ',')
        counted |= !strncmp(at, "paths", strcspn(at, ",")) && strcspn(at, ",") == strlen("paths");
    if (r->paths.count && !counted)
        return error_set(error, "-fcotree-paths=%s: no paths are counted: -fcotree=paths is missing",
                         r->paths.items[0]);
    for (size_t i = 0; i < r->paths.count; i++) {
        struct path_selector selector;
        instrument_option_add(options, "paths", r->paths.items[i]);
        if (!path_selector_parse(&selector, r->paths.items[i], error))
            return false;
        struct buffer option = {0};
        buffer_addf(&option, "-fcotree-paths=%s", r->paths.items[i]);
        bool ok = !path_selector_reads(&selector) ||
                  add_hash(options, "paths-hash", buffer_text(&option), selector.name, r, error);
        buffer_release(&option);
        path_selector_release(&selector);
        if (!ok)
            return false;
    }
    return true;
}

/* What cannot be collected in parts says so. */
static bool add_parts(const struct request *r, struct buffer *options, struct error *error)
{
    for (const char *at = r->sets ? r->sets : ""; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        if ((length == 5 && (!strncmp(at, "trace", 5) || !strncmp(at, "crash", 5))))
            return error_set(error, "-fcotree-parts: '%.5s' cannot be collected in parts", at);
    }
    instrument_option_add(options, "parts", "1");
    return true;
}

bool driver_plugin_options(struct request *r, struct buffer *options, struct error *error)
{
    if (!r->none && r->crash[CRASH_TUNABLE].count && (!r->sets || strcmp(r->sets, "crash") != 0))
        return error_set(error, "-fcotree-crash=tunable goes with -fcotree=crash alone");
    if (r->none)
        instrument_option_add(options, "counters", "0");
    else if (r->sets)
        add_sets(r, options);
    else
        instrument_option_add(options, "sets", "edges");
    if (r->placement && !r->none)
        instrument_option_add(options, "placement", r->placement);
    if (r->use) {
        struct buffer option = {0};
        buffer_addf(&option, "-fcotree-use=%s", r->use);
        instrument_option_add(options, "use", r->use);
        bool ok = add_hash(options, "use-hash", buffer_text(&option), r->use, r, error);
        buffer_release(&option);
        if (!ok)
            return false;
    }
    if (r->path_numbering && !r->none)
        instrument_option_add(options, "path-numbering", r->path_numbering);
    if (!r->none && !add_paths(r, options, error))
        return false;
    if (r->source_plan)
        instrument_option_add(options, "plan", "source");
    if (r->durable)
        instrument_option_add(options, "durable", "1");
    if (r->parts && !r->none && !add_parts(r, options, error))
        return false;
    add_all(options, "allow-file", &r->allow_files);
    add_all(options, "deny-file", &r->deny_files);
    add_all(options, "allow-function", &r->allow_functions);
    add_all(options, "deny-function", &r->deny_functions);
    for (size_t i = 0; i < r->source_maps.count; i++)
        if (strchr(r->source_maps.items[i], '='))
            instrument_option_add(options, "source-map", r->source_maps.items[i]);
    if (!r->debug_info && !r->remarks)
        instrument_option_add(options, "lines", "1");
    if (r->lto) {
        instrument_option_add(options, "lto", "1");
        instrument_option_add(options, "plugin-hash", cotree_plugin_hash);
    } else if (r->emits_ir) {
        instrument_option_add(options, "bitcode", "1");
    }
    if (r->verbose)
        instrument_option_add(options, "verbose", "1");
    return true;
}

bool driver_keeps_whole(const struct request *r)
{
    return !r->none && r->sets && text_matches("*trace*", r->sets);
}
