// Signals that come while the unwinder is at work: `throws_storm exit | jump | use MICROSECONDS`. The handler
// ends the process, jumps out, or uses the unwinder itself. It does so only where the program's own functions
// (t_) are not being executed, so that each has counted its entry; every activation of t_throw and t_between
// must then be left by one event, and of t_catch by one event or one return.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x6004, 5) // entries of t_throw, t_between, t_clean, t_catch; returns of t_catch
#define FRAME extern "C" __attribute__((noinline, used, section("t_text")))
#define STAY __asm__ volatile("")
extern "C" char __start_t_text[], __stop_t_text[];

static volatile sig_atomic_t cleaned, used;
static volatile int jumps;
static const char *how;
static sigjmp_buf place;
static const char *library, *library_end; // the C library: nobody may jump out of malloc
static char *lookup; // of the loader, which the unwinder calls: it is in the middle of its work there

struct Cleans {
    __attribute__((noinline, section("t_text"))) ~Cleans()
    {
        cleaned = cleaned + 1;
    }
};
FRAME int t_throw(int n)
{
    COUNT(counters, 0);
    throw n;
}
FRAME int t_between(int n)
{
    COUNT(counters, 1);
    int r = t_throw(n);
    STAY;
    return r;
}
FRAME int t_clean(int n)
{
    COUNT(counters, 2);
    Cleans cleans;
    int r = t_between(n);
    STAY;
    return r;
}
FRAME int t_catch(int n)
{
    COUNT(counters, 3);
    try {
        n += t_clean(n);
    } catch (int) {
    }
    COUNT(counters, 4);
    return n;
}

static bool inside(const char *pc, const char *from, const char *to)
{
    return pc >= from && pc < to;
}
static void on_signal(int, siginfo_t *, void *context)
{
    const char *pc = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (inside(pc, __start_t_text, __stop_t_text))
        return;
    if (strcmp(how, "use") != 0) {
        if (how[0] == 'e')
            _exit(0);
        if (inside(pc, library, library_end))
            return;
        siglongjmp(place, 1);
    }
    if (!inside(pc, lookup, lookup + 0x200))
        return;
    used = used + 1;
    void *frames[64];
    backtrace(frames, 64);
    try {
        throw 1L;
    } catch (long) {
    }
}

static int find_library(struct dl_phdr_info *object, size_t, void *function)
{
    const char *base = (const char *)object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & PF_X)) {
            const char *begin = base + object->dlpi_phdr[i].p_vaddr;
            const char *end = begin + object->dlpi_phdr[i].p_memsz;
            if (inside((const char *)function, begin, end)) {
                library = begin;
                library_end = end;
                return 1;
            }
        }
    return 0;
}

int main(int argc, char **argv)
{
    dl_iterate_phdr(find_library, dlsym(RTLD_DEFAULT, "malloc"));
    how = argc > 1 ? argv[1] : "";
    long microseconds = argc > 2 ? atol(argv[2]) : 1000;
    void *frames[4];
    backtrace(frames, 4); // loads what it needs
    lookup = (char *)dlsym(RTLD_NEXT, "_dl_find_object");
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM, &action, nullptr);
    struct itimerval timer = {{0, microseconds / 3 + 7}, {0, microseconds}};
    if (sigsetjmp(place, 1) != 0 && ++jumps == 20) {
        signal(SIGALRM, SIG_IGN);
        return 0;
    }
    setitimer(ITIMER_REAL, &timer, nullptr);
    for (int i = 0; how[0] == 'u' ? used < 20 && i < 2000000 : true; i++)
        t_catch(1);
    signal(SIGALRM, SIG_IGN);
    return used < 20;
}
