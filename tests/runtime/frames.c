/*
 * Leaves frames behind. Argument: KIND [N]. Functions whose frames are looked for are named t_...; none of
 * them calls in tail position. return                        nothing is left behind exit _exit _Exit
 * quick_exit abort assert   t_deep N deep, below t_middle and main handler                       main
 * returns; the exit handler t_handler leaves by _exit again                         t_handler calls exit once
 * more below                         exit in t_deep; t_handler leaves by _exit quick_below quick_exit in
 * t_deep; its handler t_handler leaves by _exit abort_below                   abort in t_deep; t_handler of
 * SIGABRT leaves by _exit exec                          in t_deep exec_fails                    N times in
 * t_deep, then returns exec_fails_exit               exec fails in t_deep, which calls exit many t_sled
 * leaves N places: _exit from a stack with N different return addresses
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x4001, 1)
#define NOT_IN_TAIL_POSITION __asm__ volatile("" ::: "memory")

static const char *kind = "return";
static int number = 10;

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

__attribute__((noinline)) static void t_handler(void)
{
    if (is("again"))
        exit(3);
    else
        _exit(3);
    NOT_IN_TAIL_POSITION;
}

static void on_signal(int signal)
{
    (void)signal;
    t_handler();
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void leave(void)
{
    static char *const arguments[] = {"true", NULL};
    if (is("exit") || is("below"))
        exit(3);
    if (is("_exit"))
        _exit(3);
    if (is("_Exit"))
        _Exit(3);
    if (is("quick_exit") || is("quick_below"))
        quick_exit(3);
    if (is("abort") || is("abort_below"))
        abort();
    if (is("exec"))
        execv("/bin/true", arguments);
    if (is("exec_fails") || is("exec_fails_exit"))
        for (int i = 0; i < number; i++)
            execl("/no/such/program", "x", (char *)NULL);
    if (is("exec_fails_exit"))
        exit(3);
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_deep(int depth)
{
    if (depth > 1)
        t_deep(depth - 1);
    else
        leave();
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_middle(void)
{
    t_deep(number);
    NOT_IN_TAIL_POSITION;
}

/* Goes down through 1000 return addresses. */
__attribute__((noinline)) static void t_sled(int depth)
{
#define CALL                                                                                                 \
    if (depth == count++) {                                                                                  \
        t_sled(depth + 1);                                                                                   \
        NOT_IN_TAIL_POSITION;                                                                                \
    }
#define TEN(x) x x x x x x x x x x
    int count = 0;
    if (depth == number)
        _exit(3);
    TEN(TEN(TEN(CALL)))
}

int main(int argc, char **argv)
{
    kind = argc > 1 ? argv[1] : kind;
    number = argc > 2 ? atoi(argv[2]) : number;
    COUNT(counters, 0);
    if (is("handler") || is("again") || is("below"))
        atexit(t_handler);
    if (is("quick_below"))
        at_quick_exit(t_handler);
    if (is("abort_below"))
        signal(SIGABRT, on_signal);
    if (is("many"))
        t_sled(0);
    else
        t_middle();
    NOT_IN_TAIL_POSITION;
    return 0;
}
