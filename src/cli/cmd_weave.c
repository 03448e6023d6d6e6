/* `cotree weave`: variants of a program, made of what the program carries (-fcotree-carry). */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/driver.h"
#include "cli/install.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "weave/build.h"
#include "weave/diff_code.h"
#include "weave/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "weave",
    .usages = {"PROG [-fcotree-OPTION...] -o OUTPUT", "PROG -k N -fcotree-OPTION...%d... -o OUTPUT%d",
               "PROG --list", "--diff-code A B"},
    .text =
        "Makes a variant of PROG, which was built by `cotree cc -fcotree-carry`, without its source and its\n"
        "build system. The options of `cotree cc` that say what is recorded are options here, too; the\n"
        "result is, byte for byte, what building the program with them would have given.\n",
    .unusable = STATUS_NEVER,
    .threshold = "functions differ (--diff-code)",
    .skipped = STATUS_NEVER,
};

enum { MOST_VARIANTS = 4096 };

struct weaving {
    const char *output;
    size_t variants; /* 0: one, whose name and options have no number */
    size_t jobs;
    bool list, diff_code, any_compiler, verbose, help;
    struct words own; /* words that begin with -f, which is no letter of an option */
};

/* ---- Variants ---- */

/* The word with %d replaced by the number of the variant. */
static char *numbered(const char *word, size_t number)
{
    struct buffer text = {0};
    for (const char *mark; (mark = strstr(word, "%d")) != NULL; word = mark + 2) {
        buffer_add(&text, word, (size_t)(mark - word));
        buffer_addf(&text, "%zu", number);
    }
    buffer_add_text(&text, word);
    char *result = memory_string(buffer_text(&text));
    buffer_release(&text);
    return result;
}

/* Words for clang become words for the linker that clang runs. */
static void add_linker_words(struct words *to, const struct words *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const char *word = from->items[i];
        if (!strcmp(word, "-Xlinker") && i + 1 < from->count) {
            words_add(to, from->items[++i]);
        } else if (text_starts_with(word, "-Wl,")) {
            for (word += 4;; word += strcspn(word, ",") + 1) {
                char *part = memory_substring(word, strcspn(word, ","));
                words_add(to, part);
                free(part);
                if (!word[strcspn(word, ",")])
                    break;
            }
        } else {
            words_add(to, word);
        }
    }
}

static bool add_unit_options(struct weave_variant *v, struct request *r, struct error *error)
{
    bool lto = r->lto;
    for (unsigned flags = 0; flags < WEAVE_UNIT_KINDS; flags++) {
        struct buffer options = {0};
        r->debug_info = !(flags & CARRY_UNIT_LINES);
        r->lto = flags & CARRY_UNIT_LTO;
        if (!driver_plugin_options(r, &options, error))
            return false;
        v->options[flags] = memory_string(buffer_text(&options));
        buffer_release(&options);
    }
    r->lto = lto;
    return true;
}

static bool variant_make(struct weave_variant *v, const struct weaving *w, size_t number, const char *driver,
                         const char *library, struct error *error)
{
    struct request r = {0};
    struct words first = {0}, after = {0};
    bool ok = driver_read_link(&r, driver, error);
    *v = (struct weave_variant){.output =
                                    w->variants ? numbered(w->output, number) : memory_string(w->output)};
    for (size_t i = 0; i < w->own.count && ok; i++) {
        char *word = w->variants ? numbered(w->own.items[i], number) : memory_string(w->own.items[i]);
        ok = request_take_option(&r, word, error);
        free(word);
    }
    ok = ok && add_unit_options(v, &r, error);
    if (ok) {
        v->keeps_whole = driver_keeps_whole(&r);
        driver_add_link_first(&r, library, &first);
        driver_add_link(&r, library, &after);
        add_linker_words(&v->first, &first);
        add_linker_words(&v->after, &after);
        words_add_all(&v->read, &r.files_read);
    }
    words_release(&first);
    words_release(&after);
    request_release(&r);
    return ok;
}

static void variant_release(struct weave_variant *v)
{
    free(v->output);
    for (unsigned i = 0; i < WEAVE_UNIT_KINDS; i++)
        free(v->options[i]);
    words_release(&v->first);
    words_release(&v->after);
    words_release(&v->read);
}

/* Is every word an option, as it is in the first variant? */
static bool are_options(const struct words *own, struct error *error)
{
    struct request r = {0};
    bool ok = true;
    for (size_t i = 0; i < own->count && ok; i++) {
        char *word = numbered(own->items[i], 1);
        ok = request_take_option(&r, word, error);
        free(word);
    }
    request_release(&r);
    return ok;
}

/* ---- The command ---- */

/* Says each of the lines; the status to end with. */
static int say_missing(const struct carrying_program *p, const struct words *lines)
{
    struct error line;
    for (size_t i = 0; i < lines->count; i++) {
        error_set(&line, "'%s' cannot be woven: %s", p->path, lines->items[i]);
        fprintf(stderr, "cotree weave: %s\n", line.text);
    }
    return lines->count ? EXIT_CANNOT : EXIT_OK;
}

/* Objects without IR record what they did before: by name in a list, else as one line. */
static void say_without_ir(const struct carrying_program *p, bool each)
{
    struct words names = {0};
    struct error line;
    carrying_program_without_ir(p, &names);
    if (names.count == 1 || (each && names.count))
        for (size_t i = 0; i < names.count; i++) {
            error_set(&line, "'%s': '%s' carries no IR: it is linked as it is", p->path, names.items[i]);
            fprintf(stderr, "cotree weave: %s\n", line.text);
        }
    else if (names.count) {
        error_set(&line,
                  "'%s': %zu objects carry no IR ('%s', ...; --list names them): they are linked as they are",
                  p->path, names.count, names.items[0]);
        fprintf(stderr, "cotree weave: %s\n", line.text);
    }
    words_release(&names);
}

static bool make_variants(const struct weaving *w, struct carrying_program *p,
                          const struct weave_tools *tools, struct error *error)
{
    size_t count = w->variants ? w->variants : 1;
    struct weave_order order = {
        .variants = ZALLOC(struct weave_variant, count), .jobs = (unsigned)w->jobs, .verbose = w->verbose};
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        ok = variant_make(&order.variants[i], w, i + 1, p->link.driver, tools->library, error) ||
             error_prefix(error, "'%s'", p->path);
        order.variant_count++;
        ok = ok && output_check(order.variants[i].output, (const char *const[]){p->path, NULL}, error);
    }
    ok = ok && weave_build(p, tools, &order, error);
    for (size_t i = 0; i < order.variant_count; i++)
        variant_release(&order.variants[i]);
    free(order.variants);
    return ok;
}

static int weave(const struct weaving *w, const char *path, struct error *error)
{
    struct carrying_program p;
    struct weave_tools tools = {.llvm_bin = INSTALL_COMPILER_DIRECTORY};
    struct words missing = {0};
    char *library = install_library_directory(error);
    if (!library)
        return EXIT_CANNOT;
    tools.library = library;
    int status = EXIT_CANNOT;
    bool open = install_compiler(&tools.compiler, error) && carrying_program_open(&p, path, error);
    bool unpacked = open && ((carry_units_unpack(&p.units, error) && carry_link_unpack(&p.link, error)) ||
                             error_prefix(error, "'%s'", path));
    if (unpacked) {
        weave_tools_find(&tools, &p);
        if (w->list)
            carrying_program_list(&p);
        carrying_program_missing(&p, &tools, w->any_compiler, &missing);
        error->text[0] = 0;
        bool printed =
            fflush(stdout) == 0 || error_set(error, "cannot write standard output: %s", strerror(errno));
        say_without_ir(&p, w->list);
        status = printed ? say_missing(&p, &missing) : EXIT_CANNOT;
        if (status == EXIT_OK && !w->list && !make_variants(w, &p, &tools, error))
            status = EXIT_CANNOT;
    }
    if (open)
        carrying_program_close(&p);
    words_release(&missing);
    weave_tools_release(&tools);
    free(library);
    return status;
}

/* Two variants, function by function. */
static int compare(char **programs, struct error *error)
{
    bool differ;
    if (!diff_code(programs[0], programs[1], stdout, &differ, error))
        return EXIT_CANNOT;
    if (fflush(stdout) != 0) {
        error_set(error, "cannot write standard output: %s", strerror(errno));
        return EXIT_CANNOT;
    }
    return differ ? EXIT_THRESHOLD : EXIT_OK;
}

static bool is_usable(const struct weaving *w, size_t words, struct error *error)
{
    if (w->variants > MOST_VARIANTS)
        return error_set(error, "--variants is a number from 1 to %d, not '%zu'", MOST_VARIANTS, w->variants);
    if (w->diff_code)
        return words == 2 || error_set(error, "--diff-code compares two programs, not %zu", words);
    if (words != 1)
        return error_set(error, words ? "one program is wanted, not %zu" : "no program given", words);
    if (!w->list && (!w->output || !*w->output))
        return error_set(error, "no output: say where with -o OUTPUT");
    if (w->variants > 1 && !strstr(w->output ? w->output : "", "%d"))
        return error_set(error, "-o %s: %zu variants need a name with %%d in it", w->output, w->variants);
    return true;
}

int cmd_weave(int argc, char **argv)
{
    struct error error = {0};
    struct weaving w = {.jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN)};
    const struct command_option options[] = {
        {.heading = "Options"},
        OUTPUT_OPTION(&w.output),
        {"variants", 'k', .count = &w.variants, .value = "N",
         .help = "make N variants: %d in options and output is 1 to N"},
        {"jobs", 'j', .count = &w.jobs, .value = "N",
         .help = "compile N units at a time (default: one a processor)"},
        {"list", .flag = &w.list, .help = "show what the program carries, and what is missing"},
        {"diff-code", .flag = &w.diff_code,
         .help = "which functions of two programs differ in code, by size"},
        {"any-compiler", .flag = &w.any_compiler,
         .help = "weave with other versions of clang and the linker, too"},
        {"verbose", 'v', .flag = &w.verbose, .help = "print the commands that are run"},
        {0},
    };
    int rest = 1, status = EXIT_OK;
    process_hold_standard();
    for (int i = 1; i < argc; i++)
        if (text_starts_with(argv[i], "-f"))
            words_add(&w.own, argv[i]);
        else
            argv[rest++] = argv[i];
    argv[rest] = NULL;
    if (!options_parse(&about, options, rest, argv, &w.help, &error) ||
        (!w.help && !(are_options(&w.own, &error) && is_usable(&w, (size_t)(rest - optind), &error))))
        status = options_refuse(about.name, &error);
    else if (!w.help) {
        status = w.diff_code ? compare(argv + optind, &error) : weave(&w, argv[optind], &error);
        if (status != EXIT_OK && error.text[0])
            fprintf(stderr, "cotree weave: %s\n", error.text);
    }
    words_release(&w.own);
    return status;
}
