#include "run/expected.h"
#include "base/whole.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/temporary.h"
#include "expect/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Can the program's output be compared? ---- */

static bool has_section(Elf *elf, const char *wanted)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && !strcmp(name, wanted))
            return true;
    }
    return false;
}

/* The loader puts the comparison into a program that has one, and into what interprets a script; into
 * others it was linked, or it is not there. */
static bool can_be_compared(const char *program, struct error *error)
{
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, "cannot run '%s': %s", program, strerror(errno));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool is_elf = elf && elf_kind(elf) == ELF_K_ELF, is_compared = !is_elf;
    size_t count = 0;
    if (is_elf && elf_getphdrnum(elf, &count) == 0)
        for (size_t i = 0; i < count && !is_compared; i++) {
            GElf_Phdr header;
            is_compared = gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP;
        }
    is_compared = is_compared || has_section(elf, EXPECT_SECTION);
    elf_end(elf);
    close(fd);
    return is_compared ||
           error_set(error, "'%s' is linked statically: link it with -fcotree-crash=output", program);
}

/* ---- What is shared with the program ---- */

/* Copies the expected bytes: the program may write over the file. */
static struct expect_state *make_state(const struct expected_run *r, const char *path, struct error *error)
{
    struct stat output, st;
    int from = open(r->expected, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &st) || S_ISDIR(st.st_mode)) {
        error_set(error, "cannot read '%s': %s", r->expected, strerror(from < 0 ? errno : EISDIR));
        if (from >= 0)
            close(from);
        return NULL;
    }
    int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = to >= 0 && ftruncate(to, EXPECT_HEADER_SIZE) == 0 && lseek(to, 0, SEEK_END) >= 0 &&
              copy_whole(from, to) && fstat(to, &st) == 0;
    struct expect_state *s = MAP_FAILED;
    if (ok)
        s = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
    if (s == MAP_FAILED)
        error_set(error, "cannot keep '%s' in '%s': %s", r->expected, path, strerror(errno));
    close(from);
    if (to >= 0)
        close(to);
    if (s == MAP_FAILED)
        return NULL;
    s->magic = EXPECT_MAGIC;
    s->size = (uint64_t)st.st_size - EXPECT_HEADER_SIZE;
    s->keep_buffering = r->keep_buffering;
    if (fstat(STDOUT_FILENO, &output) == 0) {
        s->device = output.st_dev;
        s->inode = output.st_ino;
    }
    return s;
}

/* ---- The run ---- */

static bool prepare(const struct expected_run *r, const char *state)
{
    struct buffer preloaded = {0};
    const char *others = getenv("LD_PRELOAD");
    buffer_addf(&preloaded, "%s%s%s", r->library, others && *others ? ":" : "", others ? others : "");
    bool ok = setenv("LD_PRELOAD", buffer_text(&preloaded), 1) == 0 && setenv(EXPECT_VARIABLE, state, 1) == 0;
    buffer_release(&preloaded);
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max; /* the core is what this is for */
        setrlimit(RLIMIT_CORE, &limit);
    }
    return ok;
}

/* False: it could not be executed; errno says why. */
static bool run_program(struct expected_run *r, const char *state)
{
    int failure[2], status = 0, why = 0;
    if (pipe2(failure, O_CLOEXEC))
        return false;
    fflush(NULL);
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, interrupt);
        signal(SIGQUIT, quit);
        if (prepare(r, state))
            execvp(r->command[0], r->command);
        why = errno;
        ssize_t ignored = write(failure[1], &why, sizeof why);
        (void)ignored;
        _exit(125);
    }
    why = child < 0 ? errno : 0;
    close(failure[1]);
    if (child > 0) {
        ssize_t ignored = read(failure[0], &why, sizeof why);
        (void)ignored;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(failure[0]);
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    r->status = status_for_shell(status);
    errno = why;
    return !why;
}

static void judge(struct expected_run *r, const struct expect_state *s)
{
    if (s->wrong)
        error_set(&r->differed, "%.*s ('%s')", EXPECT_MESSAGE_SIZE - 1, s->message, r->expected);
    else if (s->is_stopped)
        error_set(&r->differed, "%.*s wrote what cannot be compared; what comes after it was not",
                  EXPECT_STOPPED_SIZE - 1, s->stopped_by);
    else if (s->written < s->size)
        error_set(&r->differed, "the output ends after %" PRIu64 " bytes, '%s' has %" PRIu64, s->written,
                  r->expected, s->size);
}

static bool was_compared(const struct expected_run *r, const struct expect_state *s, struct error *error)
{
    if (s->started)
        return true;
    return error_set(error,
                     s->unusable ? "the output of '%s' was not compared: its C library is not known"
                                 : "the output of '%s' was not compared: nothing could be preloaded",
                     r->program);
}

bool expected_run(struct expected_run *r, struct error *error)
{
    struct buffer path = {0};
    r->differed.text[0] = 0;
    if (strpbrk(r->library, ": \n"))
        return error_set(error, "'%s' cannot be preloaded: there is a space or a colon in its path",
                         r->library);
    if (!can_be_compared(r->program, error))
        return false;
    buffer_addf(&path, "%s/cotree-run.XXXXXX", temporary_directory());
    char *directory = memory_string(buffer_text(&path));
    if (!mkdtemp(directory)) {
        error_set(error, "cannot make '%s': %s", directory, strerror(errno));
        free(directory);
        buffer_release(&path);
        return false;
    }
    path.length = 0;
    char *whole = realpath(directory, NULL);
    buffer_addf(&path, "%s/expected", whole ? whole : directory);
    struct expect_state *s = make_state(r, buffer_text(&path), error);
    bool ok = s && (run_program(r, buffer_text(&path)) ||
                    error_set(error, "cannot run '%s': %s", r->command[0], strerror(errno)));
    ok = ok && was_compared(r, s, error);
    if (ok)
        judge(r, s);
    if (s)
        munmap(s, EXPECT_HEADER_SIZE + s->size);
    unlink(buffer_text(&path));
    rmdir(directory);
    free(whole);
    free(directory);
    buffer_release(&path);
    return ok;
}
