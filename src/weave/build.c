#include "weave/building.h"
#include "base/memory.h"
#include "base/text.h"
#include "weave/confine.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

volatile sig_atomic_t build_stopped;

static void stop(int signal)
{
    build_stopped = signal;
}

/* ---- Running the compiler and the linker ---- */

void build_add_word(struct words *words, const char *format, const char *value)
{
    struct buffer word = {0};
    buffer_addf(&word, format, value);
    words_add(words, buffer_text(&word));
    buffer_release(&word);
}

void build_say(const struct build *b, const struct words *command)
{
    for (size_t i = 0; b->order->verbose && i < command->count; i++) {
        char *printable = memory_string(command->items[i]);
        text_make_printable(printable);
        fprintf(stderr, "%s%c", printable, i + 1 < command->count ? ' ' : '\n');
        free(printable);
    }
}

pid_t build_start(struct build *b, const struct words *command, const char *directory, const char *printed,
                  const char *said, struct error *error)
{
    struct process_setting setting = {b->confinement, b->nothing, scratch_open_said(said, error), -1,
                                      directory};
    setting.errors = setting.output;
    if (setting.output >= 0 && printed != said)
        setting.output = scratch_open_said(printed, error);
    pid_t child = setting.output >= 0 ? stem_copy(&b->stem, command, b->tools->compiler.count, &setting) : 0;
    if (!child && setting.output >= 0)
        child = process_start_confined(command, &setting, error);
    if (setting.errors >= 0)
        close(setting.errors);
    if (setting.output >= 0 && setting.output != setting.errors)
        close(setting.output);
    return child;
}

bool build_run(struct build *b, const struct words *command, const char *what, struct error *error)
{
    char *said = scratch_path(b->scratch.said, "run");
    build_say(b, command);
    pid_t child = build_start(b, command, NULL, said, said, error);
    int status = child ? process_wait(child) : 0;
    scratch_print_said(said);
    free(said);
    return child && (status == 0 || error_set(error, "%s failed", what)) &&
           (!build_stopped || error_set(error, "stopped"));
}

/* ---- What they may do, and what they see ---- */

/* What the compiler and the linker may read beside the system: themselves, the plugin, and the files that
 * the options name. What they write beside their output they write to weave's directory. */
static int make_confinement(const struct build *b)
{
    struct words readable = {0}, writable = {0};
    words_add(&readable, b->scratch.made);
    words_add(&writable, b->scratch.work);
    words_add(&writable, b->scratch.linked);
    words_add(&readable, b->tools->library);
    words_add(&readable, b->tools->llvm_bin);
    for (size_t i = 0; i < b->tools->compiler.count; i++) {
        char *found = process_find(b->tools->llvm_bin, b->tools->compiler.items[i]);
        char *program = realpath(found ? found : b->tools->compiler.items[i], NULL);
        char *slash = program ? strrchr(program, '/') : NULL;
        if (slash) {
            *slash = 0;
            build_add_word(&readable, "%s", program);
            build_add_word(&readable, "%s/../lib", program);
        }
        free(program);
        free(found);
    }
    if (b->tools->linker)
        words_add(&readable, b->tools->linker);
    for (size_t i = 0; i < b->order->variant_count; i++)
        words_add_all(&readable, &b->order->variants[i].read);
    int confinement = confine_make(&readable, &writable);
    words_release(&readable);
    words_release(&writable);
    return confinement;
}

/* What of the environment the compiler and the linker see: how they are found and start, not what they
 * make. What says that is in the record. */
static bool is_passed_on(const char *variable)
{
    static const char *const patterns[] = {"PATH=*",  "HOME=*",         "TMPDIR=*", "LANG=*",
                                           "LC_*",    "TERM=*",         "COTREE*",  "LD_LIBRARY_PATH=*",
                                           "GLIBC_*", "*SAN_OPTIONS=*", "GCOV_*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (text_matches(patterns[i], variable))
            return true;
    return false;
}

static void clean_environment(void)
{
    struct words dropped = {0};
    for (char **variable = environ; *variable; variable++)
        if (!is_passed_on(*variable)) {
            char *name = memory_substring(*variable, strcspn(*variable, "="));
            words_add(&dropped, name);
            free(name);
        }
    for (size_t i = 0; i < dropped.count; i++)
        unsetenv(dropped.items[i]);
    words_release(&dropped);
}

/* What the compiler and the linker find in their environment. Huge pages save compilers 1.8 % of their
 * time, which is what the kernel does for their memory; long lists of free pieces of memory save as much,
 * which is what the C library does for it. Who has chosen otherwise gets what he chose. */
static void set_environment(const struct build *b)
{
    clean_environment();
    setenv("TMPDIR", b->scratch.work, 1);
    signal(SIGCHLD, SIG_DFL); /* who ignores it does not get to know how they end */
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.tcache_count=2000", 0);
}

/* Assembly can ask for files of any size: what is made of a program is not larger than so many of it. */
static void limit_files(const struct build *b)
{
    enum { TIMES = 64, FEWEST = 1 << 28 };
    struct rlimit limit;
    rlim_t most = (rlim_t)b->program->file.length * TIMES + FEWEST;
    signal(SIGXFSZ, SIG_IGN); /* writing fails, which is said */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

static void catch_signals(bool on, struct sigaction *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = stop};
        sigaction(signals[i], on ? &action : &before[i], on ? &before[i] : NULL);
        if (on && before[i].sa_handler == SIG_IGN) /* as nohup does */
            sigaction(signals[i], &before[i], NULL);
    }
}

static bool build(struct build *b, struct error *error)
{
    bool ok = b->nothing >= 0 && build_compile(b, error);
    for (size_t i = 0; ok && i < b->order->variant_count; i++)
        ok = build_link(b, i, error);
    return ok;
}

bool weave_build(struct carrying_program *p, const struct weave_tools *tools, const struct weave_order *order,
                 struct error *error)
{
    struct build b = {.program = p, .tools = tools, .order = order};
    struct sigaction before[3];
    if (!carry_units_unpack(&p->units, error) || !carry_link_unpack(&p->link, error) ||
        !scratch_make(&b.scratch, error))
        return false;
    b.nothing = scratch_open_nothing(&b.scratch, error);
    b.confinement = make_confinement(&b);
    set_environment(&b);
    limit_files(&b);
    catch_signals(true, before);
    bool ok = build(&b, error);
    scratch_remove(&b.scratch);
    if (b.nothing >= 0)
        close(b.nothing);
    if (b.confinement >= 0)
        close(b.confinement);
    catch_signals(false, before);
    if (build_stopped)
        raise(build_stopped);
    for (size_t i = 0; i < b.objects.count; i++)
        free(b.objects.items[i]);
    ARRAY_RELEASE(&b.objects);
    return ok;
}
