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
struct Code {
    const char *from, *to;
};
static Code library;  // of C: nobody may jump out of malloc, or throw in the middle of it
static Code unwinder; // of C++: where it lands, it spoils its own frame, and no other may walk the stack

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

static bool inside(const char *pc, Code code)
{
    return pc >= code.from && pc < code.to;
}
static void on_signal(int, siginfo_t *, void *context)
{
    const char *pc = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (inside(pc, Code{__start_t_text, __stop_t_text}))
        return;
    if (how[0] == 'e')
        _exit(0);
    if (inside(pc, library))
        return;
    if (how[0] == 'j')
        siglongjmp(place, 1);
    if (inside(pc, unwinder))
        return;
    used = used + 1;
    void *frames[64];
    backtrace(frames, 64);
    try {
        throw 1L;
    } catch (long) {
    }
}

static Code code_around(const char *function)
{
    Code code = {function, function};
    dl_iterate_phdr(
        [](struct dl_phdr_info *object, size_t, void *found) {
            Code *around = (Code *)found;
            for (int i = 0; i < object->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &object->dlpi_phdr[i];
                const char *begin = (const char *)object->dlpi_addr + part->p_vaddr;
                if (part->p_type == PT_LOAD && inside(around->from, Code{begin, begin + part->p_memsz})) {
                    *around = Code{begin, begin + part->p_memsz};
                    return 1;
                }
            }
            return 0;
        },
        &code);
    return code;
}

int main(int argc, char **argv)
{
    library = code_around((const char *)dlsym(RTLD_DEFAULT, "malloc"));
    how = argc > 1 ? argv[1] : "";
    long microseconds = argc > 2 ? atol(argv[2]) : 1000;
    void *frames[4];
    backtrace(frames, 4); // loads what it needs
    unwinder = code_around((const char *)dlsym(RTLD_DEFAULT, "_Unwind_Backtrace"));
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM, &action, nullptr);
    struct itimerval timer = {{0, microseconds / 3 + 7}, {0, microseconds}};
    if (sigsetjmp(place, 1) != 0 && ++jumps >= 20) {
        signal(SIGALRM, SIG_IGN);
        return 0;
    }
    setitimer(ITIMER_REAL, &timer, nullptr);
    for (int i = 0; how[0] == 'u' ? used < 400 && i < 2000000 : true; i++)
        t_catch(1);
    signal(SIGALRM, SIG_IGN);
    return used < 400;
}
