/* Appends "THREAD SIGNAL ID BLOCK" to ./reported.PID for every block, at once: what was reported is there
 * whatever happens next. */
#define _GNU_SOURCE
#include "reporter.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread volatile sig_atomic_t in_signal;
static __thread unsigned long thread;
static unsigned long process; /* a child of vfork is its parent, for us: it runs on the same stack */
static int file;
static void (*handlers[65])(int);

static int put(char *to, unsigned long value, unsigned base, int digits)
{
    char text[24];
    int length = 0;
    do
        text[length++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (length < digits)
        text[length++] = '0';
    for (int i = 0; i < length; i++)
        to[i] = text[length - 1 - i];
    to[length] = ' ';
    return length + 1;
}

static void forget(void)
{
    process = thread = 0;
}

void cotree_block(uint64_t id, uint32_t block)
{
    int error = errno;
    if (!process) {
        static bool watches;
        if (!watches)
            pthread_atfork(NULL, NULL, forget);
        watches = true;
        process = (unsigned long)syscall(SYS_getpid);
        char name[40] = "reported.";
        name[9 + put(name + 9, process, 10, 0) - 1] = 0;
        file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
    if (!thread)
        thread = (unsigned long)syscall(SYS_gettid);
    char line[80];
    int length = put(line, thread, 10, 0);
    length += put(line + length, (unsigned long)in_signal, 10, 0);
    length += put(line + length, id, 16, 16);
    length += put(line + length, block, 10, 0);
    line[length - 1] = '\n';
    if (write(file, line, (size_t)length) != length)
        __builtin_trap();
    errno = error;
}

static void in_handler(int signal)
{
    sig_atomic_t before = in_signal;
    in_signal = signal;
    handlers[signal](signal);
    in_signal = before;
}

void report_signal(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = in_handler};
    handlers[signal] = handler;
    sigaction(signal, &action, NULL);
}

void report_no_signal(void)
{
    in_signal = 0;
}

int call_back(int (*f)(int), int argument)
{
    return f(argument);
}
