/*
 * `cotree cc`, `cotree c++`: clang with the plugin and the runtime added, and nothing else changed.
 *
 * The process becomes clang, so its exit status, signals and messages are clang's own.
 */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/driver.h"
#include "cli/install.h"
#include "instrument/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Adds the user's words as they were given, with response files unopened; or, if a response file
 * held words of cotree's own, all words that were read. */
static void add_user_words(const struct request *r, int argc, char **argv, struct words *command)
{
    for (int i = 1; i < argc && !r->reopened; i++)
        if (!r->dropped[i])
            words_add(command, argv[i]);
    for (size_t i = 0; i < r->user.count && r->reopened; i++)
        words_add(command, r->user.items[i]);
}

/*
 * Shows ccache the directory, since the map names files with the directory they were compiled in.
 * With -g ccache takes it into account by itself. clang hands the word to a plugin that asks for
 * it; cotree's does not.
 */
static void add_directory(struct words *command)
{
    char *here = getcwd(NULL, 0);
    struct buffer word = {0};
    if (here) {
        buffer_addf(&word, "-fplugin-arg-cotree-directory=%s", here);
        words_add(command, buffer_text(&word));
    }
    buffer_release(&word);
    free(here);
}

static void add_plugin(const struct request *r, const char *library, struct buffer *options,
                       struct words *command)
{
    struct buffer word = {0};
    buffer_addf(&word, "-fplugin=%s/plugin.so", library);
    words_add(command, buffer_text(&word));
    word.length = 0;
    buffer_addf(&word, "-fpass-plugin=%s/plugin.so", library);
    words_add(command, buffer_text(&word));
    words_add(command, "-Xclang");
    words_add(command, "-mllvm");
    words_add(command, "-Xclang");
    word.length = 0;
    buffer_addf(&word, "-%s=%s", INSTRUMENT_OPTION, buffer_text(options));
    words_add(command, buffer_text(&word));
    /* clang leaves its own words in the module for the plugin, which takes them out. */
    static const char *const carrying[] = {
        "-Xclang", "-mllvm", "-Xclang", ("-" INSTRUMENT_CARRY_OPTION), "-Xclang", "-fembed-bitcode=marker"};
    for (size_t i = 0; r->carry && i < sizeof carrying / sizeof *carrying; i++)
        words_add(command, carrying[i]);
    if (!r->debug_info)
        add_directory(command);
    buffer_release(&word);
}

/* make and ccache (in its depend mode) learn from -MD that the object depends on these files. */
static void add_dependencies(const struct request *r, struct words *command)
{
    struct buffer word = {0};
    for (size_t i = 0; i < r->files_read.count; i++) {
        word.length = 0;
        buffer_addf(&word, "-fdepfile-entry=%s", r->files_read.items[i]);
        words_add(command, "-Xclang");
        words_add(command, buffer_text(&word));
    }
    buffer_release(&word);
}

/* Makes the whole command for clang. Returns EXIT_OK, or the status to end with. */
static int compose(struct request *r, int argc, char **argv, bool cplusplus, struct buffer *options,
                   struct words *command, struct error *error)
{
    bool compiles = request_uses_plugin(r) && r->step >= STEP_COMPILE;
    bool links = r->step == STEP_LINK &&
                 (r->link != LINK_RELOCATABLE || ((r->lto || r->lld) && !r->unsupported)) &&
                 !(r->unsupported && r->none);
    if (r->unsupported && (compiles || links)) {
        error_set(error, "'%s': only x86-64 Linux with glibc is supported (-fcotree=none compiles plainly)",
                  r->unsupported);
        return EXIT_CANNOT;
    }
    if (r->carry && r->lto && r->fat_lto && (compiles || links)) {
        error_set(
            error,
            "-fcotree-carry: objects that hold code and bitcode, of -ffat-lto-objects, cannot be carried");
        return EXIT_CANNOT;
    }
    if (r->emulated_tls && r->has_source && !r->none && !r->probe && r->step >= STEP_COMPILE)
        fputs("cotree: -femulated-tls: compiled without counters, which are thread-local variables of the "
              "real kind\n",
              stderr);
    char *library = compiles || links ? install_library_directory(error) : memory_string("");
    if (!library)
        return EXIT_CANNOT;
    if ((compiles || request_marks_text(r)) && !driver_plugin_options(r, options, error)) {
        free(library);
        return EXIT_USAGE;
    }
    if (cplusplus)
        words_add(command, "--driver-mode=g++");
    if (compiles)
        add_plugin(r, library, options, command);
    add_dependencies(r, command);
    r->carries_link = links && r->carry && !r->probe && !r->unsupported && r->link != LINK_RELOCATABLE;
    if (links) {
        driver_carry_begin(r, true, command);
        driver_add_link_first(r, library, command);
        driver_carry_end(r, command);
    }
    add_user_words(r, argc, argv, command);
    if (compiles)
        words_add(command, "-fno-discard-value-names");
    if (compiles && r->in_parts && driver_keeps_whole(r)) {
        words_add(command, "-fbasic-block-sections=none");
        words_add(command, "-fno-split-machine-functions");
    }
    /* Without -g, a remark that never matches makes clang keep source lines and columns in the IR.
     * Columns tell the branches of one line apart. The remark prints and emits nothing. */
    if (compiles && !r->debug_info && !r->remarks)
        words_add(command, "-Rpass=^$");
    if (links) {
        driver_carry_begin(r, false, command);
        driver_add_link(r, library, command);
        driver_carry_end(r, command);
        driver_carry_add(r, library, command);
    }
    free(library);
    return EXIT_OK;
}

static int run(int argc, char **argv, bool cplusplus)
{
    struct error error;
    struct request r;
    struct words command = {0};
    struct buffer options = {0};
    int status = request_read(&r, argc, argv, &error) ? EXIT_OK : EXIT_USAGE;
    if (status == EXIT_OK && r.help)
        driver_print_help();
    if (status == EXIT_OK && !install_compiler(&command, &error))
        status = EXIT_CANNOT;
    size_t compiler_words = command.count;
    if (status == EXIT_OK)
        status = compose(&r, argc, argv, cplusplus, &options, &command, &error);
    if (status == EXIT_OK && !words_fit(&command, compiler_words, &error))
        status = EXIT_CANNOT;
    if (status == EXIT_OK) {
        ARRAY_PUSH(&command, NULL);
        if (request_marks_text(&r) && r.expands) {
            status = driver_preprocess(&r, &options, &command, &error);
        } else {
            execvp(command.items[0], command.items);
            error_set(&error, "cannot run '%s': %s", command.items[0], strerror(errno));
            status = EXIT_CANNOT;
        }
    }
    if (status != EXIT_OK && error.text[0])
        fprintf(stderr, "cotree cc: %s\n", error.text);
    buffer_release(&options);
    words_release(&command);
    request_release(&r);
    return status;
}

int cmd_cc(int argc, char **argv)
{
    return run(argc, argv, false);
}

int cmd_cxx(int argc, char **argv)
{
    return run(argc, argv, true);
}
