/*
 * library_ends WAY: calls a function of the C library that forks, executes or ends inside. Every line it says
 * is written by a line of its own, so that what was said is how often these ran, in all processes together.
 */
#include <argp.h>
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include <utmp.h>
#include <wordexp.h>

extern char **environ;
extern void __stack_chk_fail(void) __attribute__((noreturn));
extern void __chk_fail(void) __attribute__((noreturn));

static void write_line(const char *text)
{
    (void)!write(3, text, strlen(text)); /* not standard output, which may be a terminal of a child */
}

static void wait_for_all(void)
{
    while (wait(NULL) > 0)
        ;
}

static void call_verr(int with_errno, ...)
{
    va_list rest;
    va_start(rest, with_errno);
    with_errno ? verr(21, "%s", rest) : verrx(22, "%s", rest);
    va_end(rest);
}

static void parse(char *option)
{
    static const struct argp_option options[] = {{"number", 'n', "N", 0, "a number", 0}, {0}};
    static const struct argp argp = {.options = options, .doc = "parses"};
    char *arguments[] = {(char *)"library_ends", option, NULL};
    argp_parse(&argp, 2, arguments, 0, NULL, NULL);
}

static void *end_thread(void *way)
{
    if (strcmp(way, "thread-exit") == 0)
        exit(31);
    if (strcmp(way, "last-thread") == 0)
        pthread_exit(NULL);
    error(32, 0, "in a thread");
    return NULL;
}

static void in_thread(const char *way)
{
    pthread_t thread;
    pthread_create(&thread, NULL, end_thread, (void *)(uintptr_t)way);
    if (strcmp(way, "last-thread") == 0)
        pthread_exit(NULL);
    pthread_join(thread, NULL);
}

static int compare(const void *one, const void *other)
{
    (void)one, (void)other;
    errx(33, "in a callback");
}

static void in_callback(void)
{
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
}

static void daemon_without_fork(void)
{
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65534) != 0))
        _exit(77);
    if (daemon(1, 1) != 0)
        write_line("no daemon\n"); /* no daemon */
}

static void spawn(const char *path)
{
    char *arguments[] = {(char *)"true", NULL};
    pid_t child;
    if (posix_spawnp(&child, path, NULL, NULL, arguments, environ) != 0)
        write_line("not spawned\n"); /* not spawned */
    wait_for_all();
}

static void pseudo_terminal(void)
{
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child == 0)
        write_line("child\n"); /* child */
    if (child != 0)
        wait_for_all();
}

static void log_in(void)
{
    int controlling, terminal;
    if (openpty(&controlling, &terminal, NULL, NULL, NULL) != 0)
        _exit(77);
    pid_t child = fork();
    if (child == 0 && login_tty(terminal) == 0)
        write_line("logged in\n"); /* logged in */
    if (child != 0)
        wait_for_all();
}

static void read_command(void)
{
    char text[16];
    FILE *pipe = popen("echo child", "r");
    while (pipe != NULL && fgets(text, sizeof text, pipe) != NULL)
        write_line("read\n"); /* read */
    if (pipe != NULL)
        pclose(pipe);
}

static void expand(const char *words)
{
    wordexp_t expansion;
    if (wordexp(words, &expansion, 0) == 0)
        wordfree(&expansion);
}

static void execute(const char *way)
{
    char *arguments[] = {(char *)"true", NULL};
    int true_file = open("/bin/true", O_RDONLY | O_CLOEXEC);
    if (strcmp(way, "execveat") == 0)
        execveat(AT_FDCWD, "/bin/true", arguments, environ, 0);
    if (strcmp(way, "execveat-file") == 0)
        execveat(true_file, "", arguments, environ, AT_EMPTY_PATH);
    if (strcmp(way, "execveat-fails") == 0)
        execveat(AT_FDCWD, "/does/not/exist", arguments, environ, 0);
    if (strcmp(way, "fexecve") == 0)
        fexecve(true_file, arguments, environ);
}

static void end_by(const char *way)
{
#define WAY(name) else if (strcmp(way, name) == 0)
    if (strcmp(way, "daemon") == 0)
        daemon(1, 1);
    WAY("daemon-twice")
    {
        daemon(1, 1);
        daemon(0, 0);
    }
    WAY("daemon-fails") daemon_without_fork();
    WAY("forkpty") pseudo_terminal();
    WAY("login_tty") log_in();
    WAY("popen") read_command();
    WAY("system") system("exit 3");
    WAY("wordexp") expand("$(echo a b)");
    WAY("posix_spawn") spawn("true");
    WAY("posix_spawn-fails") spawn("/does/not/exist");
    WAY("error") error(11, ENOENT, "ended");
    WAY("error_at_line") error_at_line(12, 0, "file", 1, "ended");
    WAY("error-goes-on") error(0, 0, "goes on");
    WAY("err") err(13, "ended");
    WAY("errx") errx(14, "ended");
    WAY("verr") call_verr(1, "ended");
    WAY("verrx") call_verr(0, "ended");
    WAY("argp-help") parse((char *)"--help");
    WAY("argp-usage") parse((char *)"--usage");
    WAY("argp-error") parse((char *)"--unknown");
    WAY("exit") exit(15);
    WAY("quick_exit") quick_exit(16);
    WAY("_Exit") _Exit(17);
    WAY("assert") assert(way == NULL);
    WAY("assert_perror") assert_perror(ENOENT);
    WAY("__stack_chk_fail") __stack_chk_fail();
    WAY("__chk_fail") __chk_fail();
    WAY("free") free((void *)&way);
    WAY("thread-exit") in_thread(way);
    WAY("thread-error") in_thread(way);
    WAY("last-thread") in_thread(way);
    WAY("callback") in_callback();
    else execute(way);
}

int main(int argc, char **argv)
{
    write_line("before\n"); /* before */
    if (argc > 1)
        end_by(argv[1]);
    write_line("after\n"); /* after */
    return 0;
}
