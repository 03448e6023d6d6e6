/*
 * The link: the runtime and what the linker must be told about it.
 *
 * A shared library gets the runtime as an archive at the end of the line. The archive's one member
 * defines the symbol that every instrumented object asks for, so it is taken exactly when something
 * counts. An executable gets the object: the runtime stands in front of functions of the C library
 * (abort, pthread_create), and a plain object that calls one of those would pull it out of an
 * archive by chance. Configure checks and -fcotree=none are linked so that nothing is added unless
 * an object asks for it: the C library and the unwinder first, which have those functions, then the
 * archive. Where the user names every library (-nostdlib), the archive comes alone, after the user's
 * C library.
 *
 * With -fcotree=crash alone the program is linked as it would be without cotree, but for its build
 * id: such programs are shipped. A static one gets what compares its output if it is asked for, since
 * nothing can be preloaded into it.
 */
#include "cli/driver.h"
#include "expect/functions.h"
#include "format/trace/layout.h"
#include "runtime/link_flags.h"

#include <string.h>

/* Uses -Xlinker rather than a plain word: paths may hold commas, and an open -x must not reach
 * it. */
static void add_linker_word(struct words *command, const char *word)
{
    words_add(command, "-Xlinker");
    words_add(command, word);
}

static void add_runtime(const char *library, const char *name, struct words *command)
{
    struct buffer path = {0};
    buffer_addf(&path, "%s/%s", library, name);
    add_linker_word(command, buffer_text(&path));
    buffer_release(&path);
}

static bool uses_archive(const struct request *r)
{
    return r->probe || r->none || r->no_libc;
}

/* What has the functions that the runtime stands in front of. */
static void add_those_behind(const struct request *r, struct words *command)
{
    static const char *const unwinder[] = {"--push-state", "--as-needed", "-lgcc_s", "--pop-state"};
    if (!uses_archive(r) || r->no_libc)
        return;
    words_add(command, "-lc");
    for (size_t i = 0; !r->own_unwinder && i < sizeof unwinder / sizeof *unwinder; i++)
        add_linker_word(command, unwinder[i]);
}

/* Whether nothing counts: crash histories need no runtime. */
static bool is_crash_alone(const struct request *r)
{
    return r->sets && !strcmp(r->sets, "crash");
}

/* Whether this is a bare static program that asked for nothing: there is no C library for the
 * runtime to stand in front of. */
static bool adds_nothing(const struct request *r)
{
    return r->link == LINK_STATIC && r->none && r->no_libc;
}

/*
 * Makes a linker that compiles (-flto) load the plugin. GNU ld and gold take it for one of their
 * own plugins beside LLVM's, and -load for a word to it that means nothing; lld ignores -plugin and
 * does what -load says. lld alone also lets it add passes: with -flto=thin counts leave loops there.
 * All of the program must be compiled in one part: of several parts, only one would know of cotree.
 */
static void add_plugin(const struct request *r, const char *library, struct words *command)
{
    if (!r->lto && !r->lld)
        return;
    if (r->lto_partitions)
        add_linker_word(command, "-plugin-opt=lto-partitions=1");
    struct buffer word = {0};
    buffer_addf(&word, "%s/lto.so", library);
    add_linker_word(command, "-plugin");
    add_linker_word(command, buffer_text(&word));
    word.length = 0;
    buffer_addf(&word, "-plugin-opt=-load=%s/lto.so", library);
    add_linker_word(command, buffer_text(&word));
    if (r->lld && r->lto) { /* an lld before LLVM 15 does not know the word, nor this bitcode */
        word.length = 0;
        buffer_addf(&word, "--load-pass-plugin=%s/lto.so", library);
        add_linker_word(command, buffer_text(&word));
    }
    buffer_release(&word);
}

/* The object goes before all inputs: lld lays sections out as it meets them, and thread-local data
 * of the program must not come between the counters and their end. */
void driver_add_link_first(const struct request *r, const char *library, struct words *command)
{
    if (adds_nothing(r) || is_crash_alone(r))
        return;
    if (r->link == LINK_STATIC)
        add_runtime(library, "runtime-static.o", command);
    else if (r->link == LINK_EXECUTABLE && !uses_archive(r))
        add_runtime(library, "runtime-exec.o", command);
}

/* Calls of traced units go to bodies, which have names of their own. The linker is told to redirect
 * these to the same functions. */
static void add_wrapped(const struct request *r, struct words *command)
{
    static const char *const suffixes[] = {TRACE_BODY_SUFFIX, TRACE_BODY_ADDRESSES_SUFFIX};
    for (size_t i = 0; r->sets && strstr(r->sets, "trace") && i < 2 * r->wrapped.count; i++) {
        const char *name = r->wrapped.items[i / 2];
        struct buffer word = {0};
        buffer_addf(&word, "--defsym=%s%s=__wrap_%s", name, suffixes[i % 2], name);
        add_linker_word(command, buffer_text(&word));
        buffer_release(&word);
    }
}

/* Folding functions that look alike would leave open whose frame an address belongs to. Gold refuses tables
 * that name sections which it has collected. */
static void add_build_id(const struct request *r, struct words *command)
{
    if (!r->build_id)
        add_linker_word(command, "--build-id");
    if (r->folds_code)
        add_linker_word(command, "--icf=none");
    if (r->gold)
        add_linker_word(command, "--no-gc-sections");
}

static void add_comparison(const struct request *r, const char *library, struct words *command)
{
    if (!r->crash_output || r->link != LINK_STATIC || r->no_libc)
        return;
    add_runtime(library, "expect-static.o", command);
    for (const char *const *flag = expect_static_link_flags; *flag; flag++)
        words_add(command, *flag);
}

void driver_add_link(const struct request *r, const char *library, struct words *command)
{
    const char *const *flags = NULL;
    add_plugin(r, library, command);
    add_comparison(r, library, command);
    if (adds_nothing(r))
        return;
    if (is_crash_alone(r)) {
        add_build_id(r, command);
        return;
    }
    switch (r->link) {
    case LINK_RELOCATABLE:
        return;
    case LINK_SHARED:
        add_runtime(library, "trace-shared.a", command);
        add_runtime(library, "runtime-shared.a", command);
        flags = runtime_shared_link_flags;
        break;
    case LINK_STATIC:
        add_runtime(library, "trace-static.a", command);
        flags = runtime_static_link_flags;
        break;
    case LINK_EXECUTABLE:
        add_those_behind(r, command);
        add_runtime(library, uses_archive(r) ? "trace-none.a" : "trace-exec.a", command);
        if (uses_archive(r))
            add_runtime(library, "runtime-exec.a", command);
        flags = runtime_exec_link_flags;
        break;
    }
    add_build_id(r, command);
    for (; *flags; flags++)
        words_add(command, *flags);
    add_wrapped(r, command);
}
