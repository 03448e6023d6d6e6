#include "run/copies.h"
#include "base/whole.h"
#include "base/status.h"
#include "base/temporary.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct running {
    struct copies_run *r;
    char *input; /* the path of what all copies read; NULL: none */
    off_t input_from;
    int digits;
    char *id;          /* COTREE_RUN, if it was not set */
    int failure[2];    /* a pipe: what kept a copy from being run */
    pid_t *processes;  /* by copy */
    int *statuses;     /* by copy, once it has ended */
    bool output_files; /* outputs that are thrown away are files, as the first copy's is */
};

/* ---- what all copies get ---- */

static char *path_in(const struct running *run, const char *format, uint32_t copy)
{
    struct buffer name = {0}, path = {0};
    buffer_addf(&name, format, run->digits, copy);
    buffer_addf(&path, "%s/%s", run->r->directory, buffer_text(&name));
    char *result = memory_string(buffer_text(&path));
    buffer_release(&name);
    buffer_release(&path);
    return result;
}

static bool copy_input(const char *to, struct error *error)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && copy_whole(STDIN_FILENO, fd);
    if (!ok)
        error_set(error, "cannot keep standard input in '%s': %s", to, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

/* All copies read standard input from its beginning: a pipe is read once, into a file. */
static bool find_input(struct running *run, struct error *error)
{
    struct stat st;
    if (fstat(STDIN_FILENO, &st) < 0)
        return true;
    if (isatty(STDIN_FILENO))
        return run->r->copies == 1 ||
               error_set(error,
                         "standard input is a terminal, which copies cannot share: give them a file (<FILE)");
    if (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)) {
        run->input = memory_string("/proc/self/fd/0");
        run->input_from = S_ISREG(st.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
        return true;
    }
    struct buffer path = {0};
    buffer_addf(&path, "%s/input", run->r->directory);
    run->input = memory_string(buffer_text(&path));
    buffer_release(&path);
    return copy_input(run->input, error);
}

static void choose_id(struct running *run)
{
    uint64_t number = 0;
    struct buffer text = {0};
    const char *given = getenv("COTREE_RUN");
    if (given && *given)
        return;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = (uint64_t)getpid();
    buffer_addf(&text, "run-%016llx", (unsigned long long)number);
    run->id = memory_string(buffer_text(&text));
    buffer_release(&text);
}

/* ---- a copy ---- */

static bool redirect(const char *path, int flags, int to)
{
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return false;
    if (fd != to) {
        if (dup2(fd, to) < 0)
            return false;
        close(fd);
    }
    return true;
}

/* In the new process. Returns the name of what failed. */
static const char *become_copy(const struct running *run, uint32_t copy)
{
    struct buffer part = {0};
    char *file = path_in(run, "%0*u/%%e.%%p.cotree", copy), *output = path_in(run, "%0*u/output", copy);
    buffer_addf(&part, "%0*u/%0*u", run->digits, copy, run->digits, run->r->copies);
    if (setenv("COTREE_PART", buffer_text(&part), 1) || setenv("COTREE_FILE", file, 1) ||
        (run->id && setenv("COTREE_RUN", run->id, 1)))
        return "the environment";
    int now = personality(0xffffffff);
    if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
        return "addresses that do not vary";
    if (run->input && (!redirect(run->input, O_RDONLY, STDIN_FILENO) ||
                       (run->input_from && lseek(STDIN_FILENO, run->input_from, SEEK_SET) < 0)))
        return run->input;
    const char *nowhere = run->output_files ? output : "/dev/null";
    if (copy > 1 && (!redirect(nowhere, O_WRONLY | O_CREAT, STDOUT_FILENO) ||
                     !redirect("/dev/null", O_WRONLY, STDERR_FILENO)))
        return nowhere;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    execvp(run->r->command[0], run->r->command);
    return run->r->command[0];
}

static bool start(struct running *run, uint32_t copy, struct error *error)
{
    char *directory = path_in(run, "%0*u", copy);
    bool ok = mkdir(directory, 0700) == 0;
    fflush(NULL);
    pid_t child = ok ? fork() : -1;
    if (child < 0)
        error_set(error, "cannot start copy %u: %s", copy, strerror(errno));
    free(directory);
    if (child == 0) {
        const char *what = become_copy(run, copy);
        struct error why;
        error_set(&why, "cannot run copy %u: '%s': %s", copy, what, strerror(errno));
        ssize_t ignored = write(run->failure[1], why.text, strlen(why.text) + 1);
        (void)ignored;
        _exit(125);
    }
    run->processes[copy] = child;
    return child > 0;
}

/* Waits for any copy; its number, or 0. */
static uint32_t wait_for_one(struct running *run)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
        ;
    for (uint32_t i = 1; ended > 0 && i <= run->r->copies; i++)
        if (run->processes[i] == ended) {
            run->statuses[i] = status_for_shell(status);
            run->processes[i] = 0;
            return i;
        }
    return 0;
}

static bool run_all(struct running *run, struct error *error)
{
    uint32_t started = 0, active = 0, copies = run->r->copies;
    bool ok = true;
    while ((ok && started < copies) || active) {
        while (ok && started < copies && active < run->r->at_once) {
            ok = start(run, ++started, error);
            active += ok;
        }
        if (active) {
            wait_for_one(run);
            active--;
        }
    }
    return ok;
}

/* Did a copy fail before its program ran? It says why. */
static bool ran(struct running *run, struct error *error)
{
    char text[1024];
    close(run->failure[1]);
    run->failure[1] = -1;
    ssize_t n = read(run->failure[0], text, sizeof text - 1);
    if (n <= 0)
        return true;
    text[n] = 0;
    return error_set(error, "%s", text);
}

static bool ended_alike(const struct running *run, struct error *error)
{
    for (uint32_t i = 2; i <= run->r->copies; i++)
        if (run->statuses[i] != run->statuses[1])
            return error_set(
                error,
                "the copies parted ways: copy 1 ended with status %d, copy %u with %d: the program "
                "did not do the same each time",
                run->statuses[1], i, run->statuses[i]);
    return true;
}

/* The data file of a copy. */
static bool find_file(struct running *run, uint32_t copy, struct error *error)
{
    char *directory = path_in(run, "%0*u", copy);
    DIR *stream = opendir(directory);
    size_t count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (text_ends_with(entry->d_name, ".cotree") && count++ == 0) {
            struct buffer path = {0};
            buffer_addf(&path, "%s/%s", directory, entry->d_name);
            run->r->files[copy - 1] = memory_string(buffer_text(&path));
            buffer_release(&path);
        }
    if (stream)
        closedir(stream);
    free(directory);
    if (count == 1)
        return true;
    return !count ? error_set(error,
                              "copy %u left no data: '%s' was not built with -fcotree-parts, or could not "
                              "write any",
                              copy, run->r->command[0])
                  : error_set(error,
                              "copy %u left data of %zu processes: parts of a run that starts others that "
                              "count cannot be united",
                              copy, count);
}

bool copies_run(struct copies_run *r, struct error *error)
{
    struct running run = {.r = r, .digits = snprintf(NULL, 0, "%u", r->copies), .failure = {-1, -1}};
    struct buffer directory = {0};
    struct stat st;
    buffer_addf(&directory, "%s/cotree-run.XXXXXX", temporary_directory());
    r->directory = memory_string(buffer_text(&directory));
    buffer_release(&directory);
    r->files = ZALLOC(char *, (size_t)r->copies + 1);
    run.processes = ZALLOC(pid_t, (size_t)r->copies + 1);
    run.statuses = ZALLOC(int, (size_t)r->copies + 1);
    run.output_files = fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    bool made = mkdtemp(r->directory) != NULL, ok = made;
    if (!made)
        error_set(error, "cannot make '%s': %s", r->directory, strerror(errno));
    ok = ok && (pipe2(run.failure, O_CLOEXEC) == 0 || error_set(error, "no pipe: %s", strerror(errno))) &&
         find_input(&run, error);
    choose_id(&run);
    /* The copies get these, as they would from a shell. */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    ok = ok && run_all(&run, error) && ran(&run, error);
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    r->status = run.statuses[1];
    ok = ok && ended_alike(&run, error);
    for (uint32_t i = 1; ok && i <= r->copies; i++)
        ok = find_file(&run, i, error);
    for (int i = 0; i < 2; i++)
        if (run.failure[i] >= 0)
            close(run.failure[i]);
    if (!made) {
        free(r->directory);
        r->directory = NULL;
    }
    free(run.input);
    free(run.id);
    free(run.processes);
    free(run.statuses);
    return ok;
}

/* Removes a directory with the files in it; there are no others inside. */
static void remove_directory(const char *path)
{
    DIR *stream = opendir(path);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    rmdir(path);
}

void copies_run_release(struct copies_run *r)
{
    struct running run = {.r = r, .digits = snprintf(NULL, 0, "%u", r->copies)};
    for (uint32_t i = 1; r->directory && i <= r->copies; i++) {
        char *directory = path_in(&run, "%0*u", i);
        remove_directory(directory);
        free(directory);
    }
    if (r->directory)
        remove_directory(r->directory);
    for (uint32_t i = 0; r->files && i < r->copies; i++)
        free(r->files[i]);
    free(r->files);
    free(r->directory);
    r->files = NULL;
    r->directory = NULL;
}
