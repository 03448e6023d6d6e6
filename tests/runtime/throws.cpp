// Exceptions and forced unwinding, one situation each: `throws SITUATION`. Functions whose frames are left
// begin with t_.
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#ifdef PLAIN
#define COUNT(name, i)
#else
#include "handmade.h"
COUNTERS(counters, 0x6001, 2)
#endif

#define FRAME extern "C" __attribute__((noinline, used))
#define STAY __asm__ volatile("") // no tail call

struct Said {
    const char *text;
    explicit Said(const char *t) : text(t) {}
    ~Said()
    {
        printf("%s %d\n", text, std::uncaught_exceptions());
    }
};

FRAME int t_throw(int n)
{
    COUNT(counters, 0);
    if (n > 0)
        throw n;
    return n;
}
FRAME int t_deep(int depth)
{
    int r = depth > 1 ? t_deep(depth - 1) : t_throw(7);
    STAY;
    return r + 1;
}
FRAME int t_deep_clean(int depth)
{
    Said said("deep");
    int r = depth > 1 ? t_deep_clean(depth - 1) : t_throw(8);
    STAY;
    return r + 1;
}
FRAME int t_mixed(int depth)
{
    int r = depth > 1 ? t_mixed(depth - 1) : t_deep_clean(3);
    STAY;
    return r + 1;
}
FRAME int t_scene(int (*function)(int), int n)
{
    try {
        return function(n);
    } catch (int i) {
        printf("caught %d\n", i);
        return i;
    }
}

/* caught, and thrown again */
FRAME int t_rethrow(int n)
{
    try {
        return t_deep(n);
    } catch (int &i) {
        i++;
        throw;
    }
}
FRAME int t_other_type(int n)
{
    try {
        return t_deep(n);
    } catch (const char *) {
        return 0;
    }
}
FRAME int t_translate(int n)
{
    try {
        return t_deep(n);
    } catch (int i) {
        throw i + 100;
    }
}

/* a clean-up throws and catches on its own */
FRAME int t_inside(int n)
{
    int r = t_throw(n);
    STAY;
    return r;
}
struct Nested {
    int depth;
    explicit Nested(int d) : depth(d) {}
    ~Nested();
};
FRAME int t_nested(int depth)
{
    Nested nested(depth);
    int r = t_inside(depth);
    STAY;
    return r;
}
Nested::~Nested()
{
    if (depth > 1)
        t_scene(t_nested, depth - 1);
}

/* out of a constructor */
struct Member {
    Said said{"member"};
    int value;
    Member(int n) : value(t_throw(n)) {}
};
FRAME int t_construct(int n)
{
    Member member(n);
    STAY;
    return member.value;
}

FRAME int t_keep(int n)
{
    std::exception_ptr kept;
    try {
        t_deep(n);
    } catch (...) {
        kept = std::current_exception();
    }
    std::rethrow_exception(kept);
}

/* an exception of no language that this program knows */
static void destroy_foreign(_Unwind_Reason_Code, _Unwind_Exception *)
{
    puts("foreign destroyed");
}
FRAME int t_raise(int n)
{
    static _Unwind_Exception foreign;
    memset(&foreign, 0, sizeof foreign);
    foreign.exception_class = 0x1234;
    foreign.exception_cleanup = destroy_foreign;
    _Unwind_RaiseException(&foreign);
    return n;
}
FRAME int t_foreign(int n)
{
    Said said("foreign");
    int r = t_raise(n);
    STAY;
    return r;
}
FRAME int t_catch_all(int n)
{
    try {
        return t_foreign(n);
    } catch (...) {
        puts("caught all");
        return n;
    }
}

/* from a signal handler */
static void on_signal(int number)
{
    t_throw(number);
}
FRAME int t_signalled(int n)
{
    raise(n);
    STAY;
    return n;
}

/* Backtraces show the program as it is. */
static void print_stack()
{
    void *frames[64];
    int n = backtrace(frames, 64);
    for (int i = 0; i < n; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) != 0)
            printf("frame %s %lx\n", strrchr(info.dli_fname, '/') + 1,
                   (char *)frames[i] - (char *)info.dli_fbase);
    }
    fflush(stdout);
    _exit(3);
}
FRAME int t_never(int n) noexcept
{
    Said said("never");
    int r = t_deep(n);
    STAY;
    return r;
}

/* Libraries: t_library_ and t_plain_ are the same functions, with and without counters. */
#ifdef LIBRARIES
extern "C" int t_library_throw(int), t_library_pass(int (*)(int), int), t_library_catch(int (*)(int), int);
extern "C" int t_plain_throw(int), t_plain_pass(int (*)(int), int), t_plain_catch(int (*)(int), int),
    t_plain_never(int (*)(int), int);
FRAME int t_from_library(int n)
{
    int r = t_library_throw(n);
    STAY;
    return r;
}
FRAME int t_from_plain(int n)
{
    Said said("from plain");
    int r = t_plain_throw(n);
    STAY;
    return r;
}
FRAME int t_over_library(int n)
{
    int r = t_library_pass(t_deep, n);
    STAY;
    return r;
}
FRAME int t_over_plain(int n)
{
    int r = t_plain_pass(t_deep_clean, n);
    STAY;
    return r;
}
FRAME int t_into_library(int n)
{
    int r = t_library_catch(t_deep, n);
    STAY;
    return r;
}
FRAME int t_into_plain(int n)
{
    int r = t_plain_catch(t_deep_clean, n);
    STAY;
    return r;
}
#endif

/* Threads that end, or are ended. */
static int pipe_ends[2];
FRAME int t_wait(int n)
{
    char c;
    if (n == 2)
        pthread_exit(nullptr);
    if (n == 3)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    if (write(pipe_ends[1], "x", 1) != 1)
        abort();
    if (n == 3)
        for (volatile int i = 0;; i = i + 1) {
        }
    for (;;)
        if (read(pipe_ends[0], &c, 0) != 0 || pause() != 0)
            pthread_testcancel();
    return n;
}
FRAME int t_wait_plain(int n)
{
    int r = t_wait(n);
    STAY;
    return r;
}
FRAME int t_wait_clean(int n)
{
    Said said("thread");
    int r = t_wait_plain(n);
    STAY;
    return r;
}
FRAME int t_wait_caught(int n)
{
    try {
        return t_wait_clean(n);
    } catch (abi::__forced_unwind &) {
        puts("forced");
        throw;
    } catch (...) {
        return 0;
    }
}
FRAME int t_wait_all(int n)
{
    Said said("all");
    int r = t_wait_caught(n);
    STAY;
    return r;
}
static int (*thread_function)(int);
static int thread_argument;
FRAME void *t_thread(void *)
{
    thread_function(thread_argument);
    STAY;
    return nullptr;
}
static void run_thread(int (*function)(int), int n)
{
    pthread_t thread;
    thread_function = function;
    thread_argument = n;
    if (pipe(pipe_ends) != 0 || pthread_create(&thread, nullptr, t_thread, nullptr) != 0)
        abort();
    if (n != 2) {
        char c;
        if (read(pipe_ends[0], &c, 1) != 1)
            abort();
        usleep(20000);
        pthread_cancel(thread);
    }
    pthread_join(thread, nullptr);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 1;
    auto is = [name](const char *what) { return strcmp(name, what) == 0; };
    setvbuf(stdout, nullptr, _IONBF, 0);
    COUNT(counters, 1);
    if (is("plain"))
        t_scene(t_deep, n);
    else if (is("clean"))
        t_scene(t_deep_clean, n);
    else if (is("mixed"))
        t_scene(t_mixed, n);
    else if (is("many"))
        for (int i = 0; i < n; i++) {
            try {
                t_mixed(3);
            } catch (int) {
            }
        }
    else if (is("rethrow"))
        t_scene(t_rethrow, n);
    else if (is("other-type"))
        t_scene(t_other_type, n);
    else if (is("translate"))
        t_scene(t_translate, n);
    else if (is("nested"))
        t_scene(t_nested, n);
    else if (is("construct"))
        t_scene(t_construct, n);
    else if (is("keep"))
        t_scene(t_keep, n);
    else if (is("foreign"))
        t_catch_all(n);
    else if (is("signal")) {
        signal(SIGUSR1, on_signal);
        t_scene(t_signalled, SIGUSR1);
    } else if (is("thread")) {
        std::thread([n] { t_scene(t_mixed, n); }).join();
    } else if (is("async")) {
        try {
            std::async(std::launch::async, t_deep, n).get();
        } catch (int i) {
            printf("async %d\n", i);
        }
    } else if (is("once")) {
        static std::once_flag flag;
        for (int i = 0; i < 2; i++) {
            try {
                std::call_once(flag, t_deep, n);
            } catch (int caught) {
                printf("once %d\n", caught);
            }
        }
    } else if (is("uncaught"))
        t_deep_clean(n);
    else if (is("terminate")) {
        std::set_terminate(print_stack);
        t_deep_clean(n);
    } else if (is("noexcept")) {
        std::set_terminate(print_stack);
        t_never(n);
    }
#ifdef LIBRARIES
    else if (is("from-library"))
        t_scene(t_from_library, n);
    else if (is("from-plain"))
        t_scene(t_from_plain, n);
    else if (is("over-library"))
        t_scene(t_over_library, n);
    else if (is("over-plain"))
        t_scene(t_over_plain, n);
    else if (is("into-library"))
        t_scene(t_into_library, n);
    else if (is("into-plain"))
        t_scene(t_into_plain, n);
    else if (is("never")) {
        std::set_terminate(print_stack);
        t_plain_never(t_deep_clean, n);
    }
#endif
    else if (is("exit"))
        run_thread(t_wait_all, 2);
    else if (is("cancel"))
        run_thread(t_wait_all, 1);
    else if (is("cancel-at-once"))
        run_thread(t_wait_all, 3);
    else if (is("cancel-plain"))
        run_thread(t_wait_plain, 1);
    else if (is("exit-plain"))
        run_thread(t_wait_plain, 2);
    else
        return 2;
    return 0;
}
