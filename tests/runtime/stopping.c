/*
 * stopping KIND NUMBER END: NUMBER threads that do KIND, all in t_worker below t_thread, then main ends the
 * process from t_end as END says.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef PLAIN
#define COUNTERS(name, key, n)
#define COUNT(name, i)
#else
#include "handmade.h"
#endif

COUNTERS(counters, 0xe001, 2)
static pthread_barrier_t started;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;
static const char *end;
static int full_pipe[2];
static atomic_int looping, sleepers[2000], sleeper_count;

/* Blocked in pause() for ever; main waits until the kernel says so. */
__attribute__((noinline)) static void stay(void)
{
    sleepers[atomic_fetch_add(&sleeper_count, 1)] = (int)syscall(SYS_gettid);
    for (;;)
        pause();
}

static void await_sleepers(void)
{
    for (int i = 0; i < sleeper_count; i++)
        for (char state = 0; state != 'S'; usleep(1000)) {
            char path[64];
            if (!atomic_load(&sleepers[i]))
                continue; /* the thread has its number, and has not written its id yet */
            snprintf(path, sizeof path, "/proc/self/task/%d/stat", sleepers[i]);
            FILE *stream = fopen(path, "r");
            if (stream == NULL || fscanf(stream, "%*d (%*[^)]) %c", &state) != 1)
                exit(7);
            fclose(stream);
        }
}

__attribute__((noinline)) void t_end(void)
{
    COUNT(counters, 1);
    if (strcmp(end, "_exit") == 0)
        _exit(3);
    if (strcmp(end, "exit") == 0)
        exit(3);
    if (strcmp(end, "quick_exit") == 0)
        quick_exit(3);
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "null") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(end, "term") == 0)
        kill(getpid(), SIGTERM);
    sink++;
}

static void *t_nothing(void *unused)
{
    COUNT(counters, 0);
    return unused;
}

/* Waits that a signal handler ends, whatever it was installed with: the program has none, so they never end.
 */
static void *wait_somehow(void *number)
{
    sem_t semaphore;
    sigset_t none;
    struct epoll_event event;
    struct timespec later;
    int poller = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    sigemptyset(&none);
    sigaddset(&none, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &none, NULL);
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_sec += 60;
    int wait = (int)(intptr_t)number, result = 0;
    switch (wait) {
    case 0:
        result = pause();
        break;
    case 1:
        result = poll(NULL, 0, -1);
        break;
    case 2:
        result = usleep(60000000);
        break;
    case 3:
        result = epoll_wait(poller, &event, 1, -1);
        break;
    case 4:
        result = select(0, NULL, NULL, NULL, NULL);
        break;
    case 5:
        result = sigwaitinfo(&none, NULL);
        break;
    case 6:
        result = sem_timedwait(&semaphore, &later);
        break;
    }
    char text[64]; /* streams are locked */
    (void)!write(1, text, (size_t)snprintf(text, sizeof text, "wait %d ended: %d %d\n", wait, result, errno));
    return NULL;
}

__attribute__((noinline)) void t_worker(const char *kind)
{
    COUNT(counters, 0);
    if (strcmp(kind, "masked") == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    if (strcmp(kind, "unstoppable") == 0) {
        unsigned long all = ~0ul;
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
    }
    if (strcmp(kind, "stdout") == 0)
        flockfile(stdout);
    if (strcmp(kind, "mutex") == 0 || strcmp(kind, "waits") == 0) {
        for (intptr_t i = 0; i < 7 && strcmp(kind, "waits") == 0; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, wait_somehow, (void *)i);
        }
        pthread_mutex_lock(&mutex);
        pthread_barrier_wait(&started);
        struct timespec now, end;
        clock_gettime(CLOCK_MONOTONIC, &end);
        do { /* long enough that parked threads go on */
            usleep(10000);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end.tv_sec * 1000 + end.tv_nsec / 1000000 + 600);
        pthread_mutex_unlock(&mutex);
        for (;;)
            pause();
    }
    pthread_barrier_wait(&started);
    if (strcmp(kind, "streams") == 0)
        fflush(NULL); /* holds the list of streams, and waits for somebody to read */
    if (strcmp(kind, "churn") == 0)
        for (;;) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, t_nothing, NULL) == 0)
                pthread_join(thread, NULL);
        }
    if (strcmp(kind, "identity") == 0)
        for (;;)
            sink += seteuid(geteuid());
    if (strcmp(kind, "same") == 0)
        t_end();
    if (strcmp(kind, "busy") == 0)
        for (looping++;;)
            sink++;
    stay();
}

static void *t_thread(void *kind)
{
    t_worker(kind);
    sink++;
    return NULL;
}

static ssize_t write_locked(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    pthread_mutex_lock(&mutex);
    (void)!write(1, text, size);
    pthread_mutex_unlock(&mutex);
    return (ssize_t)size;
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 8;
    char *kind = argc > 1 ? argv[1] : "blocked";
    end = argc > 3 ? argv[3] : "return";
    pthread_barrier_init(&started, NULL, (unsigned)number + 1);
    printf("on its way\n"); /* stays in the buffer until the end */
    if (strcmp(kind, "mutex") == 0 || strcmp(kind, "waits") == 0) {
        cookie_io_functions_t functions = {.write = write_locked};
        fputs("written at the end\n", fopencookie(NULL, "w", functions));
    }
    if (strcmp(kind, "streams") == 0) {
        static char large[1 << 20];
        if (pipe(full_pipe) != 0)
            return 9;
        FILE *stream = fdopen(full_pipe[1], "w");
        setvbuf(stream, large, _IOFBF, sizeof large);
        for (int i = 0; i < 100000; i++)
            fputc('x', stream);
        if (fork() == 0) { /* reads in the end */
            close(full_pipe[1]);
            usleep(400000);
            while (read(full_pipe[0], large, sizeof large) > 0)
                ;
            _exit(0);
        }
        close(full_pipe[0]);
    }
    pthread_t threads[2000];
    for (int i = 0; i < number; i++)
        if (pthread_create(&threads[i], NULL, t_thread,
                           strcmp(kind, "mixed") == 0 ? (i % 2 ? "busy" : "blocked") : kind) != 0)
            return 8;
    pthread_barrier_wait(&started);
    int loops = strcmp(kind, "busy") == 0 ? number : strcmp(kind, "mixed") == 0 ? number / 2 : 0;
    bool sleeps = strcmp(kind, "blocked") == 0 || strcmp(kind, "masked") == 0 || strcmp(kind, "stdout") == 0;
    while (looping < loops || (sleeps && sleeper_count < number) ||
           (loops != 0 && sleeper_count < number - loops))
        usleep(1000);
    await_sleepers();
    if (!sleeps)
        usleep(20000);
    t_end();
    sink++;
    return 3;
}
