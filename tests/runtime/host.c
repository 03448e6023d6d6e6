/*
 * A program that uses libraries. Plain unless -DCOUNTED. Arguments: KIND [LIBRARY...].
 *   linked          calls the library it is linked with (-DLINKED)
 *   dlopen N LIBS   N times: loads each library, works, runs threads, closes it
 *   fork LIBS       loads, forks, both work
 *   kill LIBS       loads, works, is killed
 *   _exit LIBS      loads, works, calls _exit
 *   threads LIBS    eight threads work in each library at once, twice
 *   alive LIBS      ends while a thread sleeps that has worked in the library
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef COUNTED
#include "handmade.h"
COUNTERS(host_counters, 0x4100, 1)
#define HERE() COUNT(host_counters, 0)
#else
#define HERE() ((void)0)
#endif

void library_work(int);
void library_threads(int);
typedef void work_function(int);

#ifndef WORKS
#define WORKS 8
#endif
static work_function *works[WORKS];
static int works_count;

static void *in_thread(void *arg)
{
    for (int i = 0; i < works_count; i++)
        works[i](1000);
    HERE();
    return arg;
}

static volatile int ready;
static void *in_sleeping_thread(void *arg)
{
    in_thread(NULL);
    ready = 1;
    for (;;)
        pause();
    return arg;
}

static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
#ifdef LINKED
    library_work(7);
    library_threads(8);
    HERE();
    (void)works, (void)works_count, (void)in_thread;
#endif
    if (strcmp(kind, "dlopen") == 0) {
        for (int i = 0; i < atoi(argv[2]); i++)
            for (int k = 3; k < argc; k++) {
                void *library = load(argv[k]);
                ((work_function *)dlsym(library, "library_work"))(10);
                ((work_function *)dlsym(library, "library_threads"))(4);
                HERE();
                if (dlclose(library) != 0)
                    return 1;
            }
        return 0;
    }
    for (int k = 2; k < argc; k++)
        works[works_count++] = (work_function *)dlsym(load(argv[k]), "library_work");
    if (strcmp(kind, "fork") == 0) {
        in_thread(NULL);
        pid_t pid = fork();
        in_thread(NULL);
        if (pid == 0)
            return 0;
        int status;
        if (waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    } else if (strcmp(kind, "kill") == 0) {
        in_thread(NULL);
        kill(getpid(), SIGKILL);
    } else if (strcmp(kind, "_exit") == 0) {
        in_thread(NULL);
        _exit(0);
    } else if (strcmp(kind, "threads") == 0) {
        for (int round = 0; round < 2; round++) {
            pthread_t threads[8];
            for (int i = 0; i < 8; i++)
                pthread_create(&threads[i], NULL, in_thread, NULL);
            for (int i = 0; i < 8; i++)
                pthread_join(threads[i], NULL);
        }
    } else if (strcmp(kind, "alive") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_sleeping_thread, NULL);
        while (!ready)
            usleep(1000);
    }
    return 0;
}
