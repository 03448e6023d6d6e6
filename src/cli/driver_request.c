/*
 * What a clang command line asks for: how far clang will go, what it will make, whether it is a
 * configure check.
 *
 * Only words that matter here are understood; everything else is passed on unread (driver_table.c
 * tells which options own the word after them).
 */
#include "base/text.h"
#include "cli/driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that make clang print something and stop, whatever else is there. */
static bool only_prints(const char *w)
{
    static const char *const words[] = {"--version",     "-dumpversion", "-dumpmachine", "--help-hidden",
                                        "-fdriver-only", "-verify-pch",  "-cc1",         "-cc1as",
                                        "-help",         "--help",       "-fhelp"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(w, words[i]) == 0)
            return true;
    return text_starts_with(w, "-print-") || text_starts_with(w, "--print-") ||
           text_starts_with(w, "--help=") || text_starts_with(w, "--autocomplete=");
}

enum input_kind { INPUT_SOURCE, INPUT_HEADER, INPUT_OTHER_SOURCE, INPUT_OBJECT };

static enum input_kind kind_of_language(const char *language)
{
    static const char *const sources[] = {"c",           "c++",           "cpp-output", "c++-cpp-output",
                                          "objective-c", "objective-c++", "c++-module", "pcm",
                                          "ir"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(language, sources[i]) == 0)
            return INPUT_SOURCE;
    return strstr(language, "header") ? INPUT_HEADER : INPUT_OTHER_SOURCE;
}

/* As clang's types::lookupTypeForExtension has it; what it does not know is for the linker. */
static enum input_kind kind_of_file(const char *path)
{
    static const struct {
        const char *extension;
        enum input_kind kind;
    } table[] = {
        {"c", INPUT_SOURCE},         {"i", INPUT_SOURCE},         {"ii", INPUT_SOURCE},
        {"cc", INPUT_SOURCE},        {"CC", INPUT_SOURCE},        {"cp", INPUT_SOURCE},
        {"cpp", INPUT_SOURCE},       {"CPP", INPUT_SOURCE},       {"cxx", INPUT_SOURCE},
        {"CXX", INPUT_SOURCE},       {"c++", INPUT_SOURCE},       {"C++", INPUT_SOURCE},
        {"C", INPUT_SOURCE},         {"m", INPUT_SOURCE},         {"mm", INPUT_SOURCE},
        {"M", INPUT_SOURCE},         {"mi", INPUT_SOURCE},        {"mii", INPUT_SOURCE},
        {"ll", INPUT_SOURCE},        {"bc", INPUT_SOURCE},        {"cppm", INPUT_SOURCE},
        {"ccm", INPUT_SOURCE},       {"cxxm", INPUT_SOURCE},      {"c++m", INPUT_SOURCE},
        {"iim", INPUT_SOURCE},       {"pcm", INPUT_SOURCE},       {"h", INPUT_HEADER},
        {"H", INPUT_HEADER},         {"hh", INPUT_HEADER},        {"hpp", INPUT_HEADER},
        {"hxx", INPUT_HEADER},       {"s", INPUT_OTHER_SOURCE},   {"S", INPUT_OTHER_SOURCE},
        {"asm", INPUT_OTHER_SOURCE}, {"cl", INPUT_OTHER_SOURCE},  {"cu", INPUT_OTHER_SOURCE},
        {"hip", INPUT_OTHER_SOURCE}, {"cui", INPUT_OTHER_SOURCE}, {"f", INPUT_OTHER_SOURCE},
        {"F", INPUT_OTHER_SOURCE},   {"f90", INPUT_OTHER_SOURCE}, {"F90", INPUT_OTHER_SOURCE},
        {"for", INPUT_OTHER_SOURCE}, {"FOR", INPUT_OTHER_SOURCE},
    };
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof table / sizeof *table; i++)
        if (strcmp(dot + 1, table[i].extension) == 0)
            return table[i].kind;
    return INPUT_OBJECT;
}

/* Files of configure checks: autoconf names them conftest.*, CMake and Meson have directories for
 * them. Counting there would leave data files and change what is being checked. */
static bool is_probe_path(const char *path)
{
    static const char *const places[] = {"*/CMakeFiles/CMakeTmp/*",      "*/CMakeFiles/CMakeScratch/*",
                                         "*/CMakeFiles/*/CompilerId*/*", "*/CMakeFiles/_CMakeLTOTest-*/*",
                                         "*/CMakeFiles/ShowIncludes/*",  "*/meson-private/*"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_matches(places[i], path))
            return true;
    return false;
}

static bool is_probe(const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (text_starts_with(name, "conftest."))
        return true;
    char here[PATH_MAX];
    struct buffer path = {0};
    if (file[0] != '/' && getcwd(here, sizeof here))
        buffer_addf(&path, "%s/", here);
    buffer_add_text(&path, file);
    bool probe = is_probe_path(buffer_text(&path));
    buffer_release(&path);
    return probe;
}

/* CMake's ABI check compiles a file of its own installation: there only the working directory
 * tells. */
static bool is_probe_directory(void)
{
    return is_probe("x");
}

/* Whether the triple is x86-64 Linux with glibc, however it is spelt. */
static bool is_our_target(const char *triple)
{
    if (!text_starts_with(triple, "x86_64-") && !text_starts_with(triple, "amd64-"))
        return false;
    if (!strstr(triple, "linux"))
        return false;
    return !strstr(triple, "musl") && !strstr(triple, "android") && !strstr(triple, "gnux32") &&
           !strstr(triple, "uclibc");
}

/* Words of -Wl,A,B and of -Xlinker. */
static void read_linker_word(struct request *r, const char *word, size_t length)
{
    if (r->wraps) {
        char *name = memory_substring(word, length);
        words_add(&r->wrapped, name);
        free(name);
        r->wraps = false;
        return;
    }
    if (!length || word[0] != '-')
        return;
    size_t dashes = length > 1 && word[1] == '-' ? 2 : 1;
    char *name = memory_substring(word + dashes, length - dashes);
    if (strcmp(name, "build-id") == 0 || text_starts_with(name, "build-id="))
        r->build_id = true;
    else if (strcmp(name, "wrap") == 0)
        r->wraps = true;
    else if (text_starts_with(name, "wrap="))
        words_add(&r->wrapped, strchr(name, '=') + 1);
    else if (text_starts_with(name, "icf="))
        r->folds_code = true;
    else if (strcmp(name, "r") == 0 || strcmp(name, "relocatable") == 0)
        r->link = LINK_RELOCATABLE;
    else if (text_starts_with(name, "plugin-opt=lto-partitions=") ||
             text_starts_with(name, "lto-partitions="))
        r->lto_partitions = true;
    free(name);
}

/* Reads -g in all its spellings. True if the word decides whether there are line tables; *on says
 * which way. */
static bool is_debug_level(const char *w, bool *on)
{
    // clang-format off
    static const char *const levels[] = {
        "-g", "-g1", "-g2", "-g3", "-ggdb", "-ggdb1", "-ggdb2", "-ggdb3", "-gdwarf", "-gdwarf-2", "-gdwarf-3",
        "-gdwarf-4", "-gdwarf-5", "-gfull", "-gused", "-glldb", "-gsce", "-gdbx", "-gline-tables-only",
        "-gmlt", "-gline-directives-only", "-gmodules", "-gcodeview", "--debug"};
    // clang-format on
    *on = true;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(w, levels[i]) == 0)
            return true;
    *on = false;
    return strcmp(w, "-g0") == 0 || strcmp(w, "-ggdb0") == 0;
}

struct reader {
    struct request *request;
    const char *language; /* of -x, or NULL */
    bool has_header, static_link, static_pie, shared, relocatable;
    enum step step;
    bool prints, probe_input, dependencies;
    bool linker_path; /* --ld-path= was given */
};

static void read_input(struct reader *in, const char *file)
{
    struct request *r = in->request;
    enum input_kind kind = in->language ? kind_of_language(in->language) : kind_of_file(file);
    r->has_input = true;
    if (kind == INPUT_SOURCE)
        r->has_source = true;
    else if (kind == INPUT_HEADER)
        in->has_header = true;
    if (is_probe(file))
        in->probe_input = true;
}

static void set_language(struct reader *in, const char *language)
{
    in->language = strcmp(language, "none") == 0 ? NULL : language;
}

static void set_target(struct reader *in, const char *triple, const char *word)
{
    free(in->request->unsupported);
    in->request->unsupported = is_our_target(triple) ? NULL : memory_string(word);
}

static void set_output(struct reader *in, const char *file)
{
    free(in->request->output);
    in->request->output = memory_string(file);
}

/* -fuse-ld=NAME means ld.NAME, unless it is a path; --ld-path=PATH wins. */
static void set_linker(struct reader *in, const char *word)
{
    struct request *r = in->request;
    const char *value = strchr(word, '=') + 1;
    const char *slash = strrchr(value, '/');
    struct buffer name = {0};
    bool path = text_starts_with(word, "--ld-path=");
    if (in->linker_path && !path)
        return;
    in->linker_path = path;
    r->lld = text_matches("*lld*", slash ? slash + 1 : value);
    r->gold = text_matches("*gold*", slash ? slash + 1 : value);
    if (!path && *value && strcmp(value, "ld") != 0 && !slash)
        buffer_add_text(&name, "ld.");
    buffer_add_text(&name, *value ? value : "ld");
    free(r->linker);
    r->linker = memory_string(buffer_text(&name));
    buffer_release(&name);
}

/* Ends at a step, which a later word cannot undo: the earliest stop wins, as in clang. */
static void stop_at(struct reader *in, enum step step)
{
    if (step < in->step)
        in->step = step;
}

/* Reads an option with its argument in the next word. */
static void read_pair(struct reader *in, const char *option, const char *argument)
{
    struct request *r = in->request;
    if (strcmp(option, "-x") == 0 || strcmp(option, "--language") == 0)
        set_language(in, argument);
    else if (strcmp(option, "-Xlinker") == 0 || strcmp(option, "--for-linker") == 0 ||
             strcmp(option, "--linker-option") == 0)
        read_linker_word(r, argument, strlen(argument));
    else if (strcmp(option, "-target") == 0)
        set_target(in, argument, argument);
    else if (strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0)
        set_output(in, argument);
    else if (strcmp(option, "-l") == 0)
        r->has_input = true;
}

static void read_flag(struct reader *in, const char *w)
{
    struct request *r = in->request;
    bool on;
    if (only_prints(w)) {
        in->prints = true;
        r->help |= strcmp(w, "--help") == 0 || strcmp(w, "-help") == 0;
    } else if (strcmp(w, "-E") == 0 || strcmp(w, "--preprocess") == 0) {
        stop_at(in, STEP_PREPROCESS);
    } else if (strcmp(w, "-M") == 0 || strcmp(w, "-MM") == 0 || strcmp(w, "--dependencies") == 0 ||
               strcmp(w, "--user-dependencies") == 0) {
        stop_at(in, STEP_PREPROCESS);
        in->dependencies = true;
    } else if (strcmp(w, "-fsyntax-only") == 0 || strcmp(w, "--analyze") == 0 ||
               strcmp(w, "-emit-ast") == 0 || strcmp(w, "--precompile") == 0 ||
               strcmp(w, "-module-file-info") == 0 || strcmp(w, "-extract-api") == 0 ||
               strcmp(w, "-rewrite-objc") == 0 || strcmp(w, "-emit-interface-stubs") == 0) {
        stop_at(in, STEP_CHECK);
    } else if (strcmp(w, "-c") == 0 || strcmp(w, "--compile") == 0 || strcmp(w, "-S") == 0 ||
               strcmp(w, "--assemble") == 0) {
        stop_at(in, STEP_COMPILE);
    } else if (text_starts_with(w, "-x")) {
        set_language(in, w + 2);
    } else if (text_starts_with(w, "--language=")) {
        set_language(in, w + 11);
    } else if (text_starts_with(w, "-o")) {
        set_output(in, w + 2);
    } else if (text_starts_with(w, "--output=")) {
        set_output(in, w + 9);
    } else if (text_starts_with(w, "-l")) {
        r->has_input = true;
    } else if (strcmp(w, "-shared") == 0 || strcmp(w, "--shared") == 0) {
        in->shared = true;
    } else if (strcmp(w, "-static") == 0 || strcmp(w, "--static") == 0) {
        in->static_link = true;
    } else if (strcmp(w, "-static-pie") == 0 || strcmp(w, "--static-pie") == 0) {
        in->static_pie = true;
    } else if (strcmp(w, "-nostdlib") == 0 || strcmp(w, "-nodefaultlibs") == 0 || strcmp(w, "-nolibc") == 0) {
        r->no_libc = true;
    } else if (strcmp(w, "-static-libgcc") == 0 || text_matches("-*unwindlib*", w) ||
               text_matches("-*rtlib*", w)) {
        r->own_unwinder = true;
    } else if (strcmp(w, "-r") == 0) {
        in->relocatable = true;
    } else if (text_starts_with(w, "-flto")) {
        r->lto = true;
    } else if (strcmp(w, "-fno-lto") == 0) {
        r->lto = false;
    } else if (strcmp(w, "-ffat-lto-objects") == 0 || strcmp(w, "-fno-fat-lto-objects") == 0) {
        r->fat_lto = w[2] == 'f';
    } else if (text_starts_with(w, "-fuse-ld=") || text_starts_with(w, "--ld-path=")) {
        set_linker(in, w);
    } else if (strcmp(w, "-femulated-tls") == 0) {
        r->emulated_tls = true;
    } else if (strcmp(w, "-fno-emulated-tls") == 0) {
        r->emulated_tls = false;
    } else if (text_starts_with(w, "-fbasic-block-sections=") ||
               strcmp(w, "-fsplit-machine-functions") == 0) {
        r->in_parts = true;
    } else if (strcmp(w, "-emit-llvm") == 0) {
        stop_at(in, STEP_COMPILE);
        r->emits_ir = true;
    } else if (text_starts_with(w, "-ffile-prefix-map=")) {
        words_add(&r->source_maps, strchr(w, '=') + 1);
    } else if (is_debug_level(w, &on)) {
        r->debug_info = on;
    } else if (text_starts_with(w, "-Rpass") || text_starts_with(w, "-fsave-optimization-record") ||
               text_starts_with(w, "-foptimization-record") || strcmp(w, "-Reverything") == 0) {
        r->remarks = true;
    } else if (strcmp(w, "-m32") == 0 || strcmp(w, "-mx32") == 0 || strcmp(w, "-m16") == 0) {
        free(r->unsupported), r->unsupported = memory_string(w);
    } else if (strcmp(w, "-m64") == 0 && r->unsupported && text_starts_with(r->unsupported, "-m")) {
        free(r->unsupported), r->unsupported = NULL;
    } else if (text_starts_with(w, "--target=")) {
        set_target(in, w + 9, w);
    } else if (text_starts_with(w, "-Wl,")) {
        r->has_input = true;
        for (const char *at = w + 3; *at == ',';) {
            size_t length = strcspn(++at, ",");
            read_linker_word(r, at, length);
            at += length;
        }
    }
}

struct pending {
    char *word;
    int index;      /* in argv: of the word, or of the response file it came from */
    unsigned depth; /* of response files */
};
struct pending_list ARRAY_OF(struct pending);

/* Replaces @FILE by the words in it, as clang does; a file that cannot be read is left for clang to
 * complain about. */
static void open_response_files(int argc, char **argv, struct pending_list *words)
{
    struct pending_list stack = {0};
    for (int i = argc; i-- > 1;)
        ARRAY_PUSH(&stack, ((struct pending){memory_string(argv[i]), i, 0}));
    while (stack.count) {
        struct pending p = stack.items[--stack.count];
        size_t length;
        char *text = p.word[0] == '@' && p.depth < 64 ? driver_read_file(p.word + 1, &length) : NULL;
        if (!text) {
            ARRAY_PUSH(words, p);
            continue;
        }
        struct words inside = {0};
        driver_split(text, &inside);
        for (size_t i = inside.count; i-- > 0;)
            ARRAY_PUSH(&stack, ((struct pending){inside.items[i], p.index, p.depth + 1}));
        ARRAY_RELEASE(&inside);
        free(text);
        free(p.word);
    }
    ARRAY_RELEASE(&stack);
}

static enum step last_step(const struct reader *in)
{
    const struct request *r = in->request;
    if (in->prints || !r->has_input)
        return STEP_NOTHING;
    if (in->step == STEP_LINK && in->has_header && !r->has_source)
        return STEP_CHECK; /* a precompiled header */
    return in->step;
}

bool request_read(struct request *r, int argc, char **argv, struct error *error)
{
    *r = (struct request){.dropped = ZALLOC(bool, (size_t)argc + 1)};
    struct pending_list words = {0};
    bool ok = true;
    open_response_files(argc, argv, &words);

    struct reader in = {.request = r, .step = STEP_LINK};
    bool only_inputs = false;
    for (size_t i = 0; i < words.count && ok; i++) {
        const char *w = words.items[i].word;
        if (!only_inputs && text_starts_with(w, "-fcotree")) {
            ok = request_take_option(r, w, error);
            r->dropped[words.items[i].index] = true;
            r->reopened |= words.items[i].depth > 0;
        } else if (!only_inputs && strcmp(w, "--") == 0) {
            /* What is added comes last and must not be taken for files: `--` goes, -x.c after it
             * becomes ./-x.c. */
            only_inputs = r->reopened = true;
        } else if (only_inputs || w[0] != '-' || !w[1]) {
            struct buffer file = {0};
            buffer_addf(&file, "%s%s", w[0] == '-' && w[1] ? "./" : "", w);
            words_add(&r->user, buffer_text(&file));
            buffer_release(&file);
            read_input(&in, w);
        } else if (driver_takes_argument(w) && i + 1 == words.count) {
            words_add(&r->user, w);
            in.prints = true; /* nothing is made: clang says that its argument is missing */
        } else if (driver_takes_argument(w)) {
            words_add(&r->user, w);
            words_add(&r->user, words.items[++i].word);
            read_pair(&in, w, words.items[i].word);
        } else {
            words_add(&r->user, w);
            read_flag(&in, w);
        }
    }
    if (in.relocatable)
        r->link = LINK_RELOCATABLE;
    else if (r->link != LINK_RELOCATABLE)
        r->link = in.shared ? LINK_SHARED : in.static_link || in.static_pie ? LINK_STATIC : LINK_EXECUTABLE;
    r->step = last_step(&in);
    r->expands = r->step == STEP_PREPROCESS && !in.dependencies;
    r->probe = in.probe_input || is_probe_directory();
    for (size_t i = 0; i < words.count; i++)
        free(words.items[i].word);
    ARRAY_RELEASE(&words);
    return ok;
}

/* Sources on this line are to be counted, if code is made of them. */
static bool instruments(const struct request *r)
{
    return r->has_source && !r->none && !r->probe && !r->emulated_tls;
}

bool request_uses_plugin(const struct request *r)
{
    return r->none ? (r->use || r->carry) && r->has_source && !r->probe && !r->unsupported : instruments(r);
}

bool request_marks_text(const struct request *r)
{
    return request_uses_plugin(r) && r->step == STEP_PREPROCESS && (r->use || r->files_read.count);
}

void request_release(struct request *r)
{
    words_release(&r->user);
    words_release(&r->wrapped);
    words_release(&r->allow_files);
    words_release(&r->deny_files);
    words_release(&r->allow_functions);
    words_release(&r->deny_functions);
    for (int kind = 0; kind < CRASH_KINDS; kind++)
        words_release(&r->crash[kind]);
    words_release(&r->files_read);
    words_release(&r->source_maps);
    free(r->unsupported);
    free(r->output);
    free(r->linker);
    free(r->dropped);
    free(r->sets);
    free(r->placement);
    free(r->use);
    free(r->path_numbering);
    free(r->witness);
    words_release(&r->paths);
}
