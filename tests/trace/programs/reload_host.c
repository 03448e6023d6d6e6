/* Loads libraries, calls work() or other() of each, and unloads them, N times: reload_host N LIBRARY... With
 * T threads do so at the same time, with F a child does so afterwards, too, with K the last ones stay loaded.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char **libraries;
static int rounds, keeps;

static int call(const char *path, int is_kept)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "work") : NULL;
    int (*function)(int);
    if (library && !found)
        found = dlsym(library, "other");
    if (!found)
        exit(9);
    memcpy(&function, &found, sizeof function);
    int result = function(10);
    if (!is_kept)
        dlclose(library);
    return result;
}

static void *reload(void *argument)
{
    long sum = 0;
    for (int i = 0; i < rounds; i++)
        for (char **path = libraries; *path; path++)
            sum += call(*path, keeps && i == rounds - 1);
    if (sum != 5L * rounds * (*libraries && libraries[1] ? 2 : 1))
        exit(8);
    return argument;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    pthread_t threads[4];
    rounds = argc > 2 ? atoi(argv[2]) : 0;
    libraries = argv + 3;
    keeps = strchr(how, 'K') != NULL;
    for (int i = 0; i < 4 && strchr(how, 'T'); i++)
        if (pthread_create(&threads[i], NULL, reload, NULL))
            return 7;
    for (int i = 0; i < 4 && strchr(how, 'T'); i++)
        pthread_join(threads[i], NULL);
    reload(NULL);
    if (strchr(how, 'F')) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            reload(NULL);
            exit(0);
        }
        int status;
        return waitpid(child, &status, 0) != child || status;
    }
    return 0;
}
