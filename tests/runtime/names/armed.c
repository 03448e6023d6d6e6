/* A program that has functions of its own under names of the C library's. Nobody calls them: who does ends
 * it. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int armed;

static void *copy_bytes(void *to, const void *from, unsigned long size)
{
    if (armed)
        abort();
    for (unsigned long i = 0; i < size; i++)
        ((volatile char *)to)[i] = ((const volatile char *)from)[i];
    return to;
}

void *memcpy(void *to, const void *from, unsigned long size)
{
    return copy_bytes(to, from, size);
}

void *memmove(void *to, const void *from, unsigned long size)
{
    return copy_bytes(to, from, size);
}

void *memset(void *to, int value, unsigned long size)
{
    if (armed)
        abort();
    for (unsigned long i = 0; i < size; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}

int memcmp(const void *one, const void *other, unsigned long size)
{
    if (armed)
        abort();
    for (unsigned long i = 0; i < size; i++)
        if (((const volatile char *)one)[i] != ((const volatile char *)other)[i])
            return 1;
    return 0;
}

#ifndef STATIC /* where one definition is everybody's, the C library's too */
char **environ = (char **)8;
int own_getauxval(void) __asm__("getauxval");
int own_dlopen(void) __asm__("dlopen");
int own_dlerror(void) __asm__("dlerror");
int own_dladdr(void) __asm__("dladdr");
int own_dlsym(void) __asm__("dlsym");
int own_iterate(void) __asm__("dl_iterate_phdr");
int own_atfork(void) __asm__("pthread_atfork");
int own_clock(void) __asm__("pthread_getcpuclockid");
int own_getstack(void) __asm__("pthread_attr_getstack");
int own_getsize(void) __asm__("pthread_attr_getstacksize");
int own_setsize(void) __asm__("pthread_attr_setstacksize");
int own_destroy(void) __asm__("pthread_attr_destroy");
int own_getdefault(void) __asm__("pthread_getattr_default_np");
int own_setdefault(void) __asm__("pthread_setattr_default_np");
#define OWN(name)                                                                                            \
    int name(void)                                                                                           \
    {                                                                                                        \
        abort();                                                                                             \
    }
OWN(own_getauxval)
OWN(own_dlopen) OWN(own_dlerror) OWN(own_dladdr) OWN(own_dlsym) OWN(own_iterate) OWN(own_atfork)
    OWN(own_clock) OWN(own_getstack) OWN(own_getsize) OWN(own_setsize) OWN(own_destroy) OWN(own_getdefault)
        OWN(own_setdefault)
#endif

            static void *work(void *unused)
{
    return unused;
}

static void leave(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int status = 0;
    (void)argv;
    armed = 1;
    signal(SIGUSR1, leave);
    raise(SIGUSR1);
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0)
        exit(argc);
    waitpid(child, &status, 0);
    armed = 0;
    return status != 256;
}
