/*
 * Watched functions: the one list of functions of the C library, the loader and the unwinder that
 * change control, or what is known of it. The driver (link_flags.h), the runtime (interpose.h) and
 * the compiler plugin (instrument/graph) all read it; tests/runtime/watched-functions.test.sh
 * compares it with what the runtime defines.
 *
 * A list expands X(name, where, effect, hazard) for each of its functions:
 *   name    of the function
 *   where   the file of src/runtime that interposes it, or "" if none does
 *   effect  what a call does: one of enum watched_effect, without WATCHED_
 *   hazard  what a map says of a block that calls it: one of MAP_HAZARD_... (format/map/map.h),
 *           without that prefix, or NONE
 *
 * The lists differ in which executables interpose their functions. If a needed function does not
 * come to the runtime, the file does not promise that all frames are recorded (process/watch.c).
 *   WATCHED_JUMPS        part of WATCHED_EVERYWHERE: leaves frames while the process goes on
 *   WATCHED_EVERYWHERE   dynamic and static ones; needed
 *   WATCHED_DYNAMIC      dynamic ones; needed
 *   WATCHED_IF_POSSIBLE  both; not needed: programs may have the unwinder inside, sanitizers theirs
 *   WATCHED_LOOKUPS      dynamic ones; not needed: they lead the program to the functions above
 *   WATCHED_ALIASES      dynamic ones: other names of functions above. (In a static program the C
 *                        library calls itself by these names.)
 *   WATCHED_STATIC       static ones
 *   WATCHED_START        static ones; called before everything else
 *   WATCHED_TRACED       those that record their trace; a program's own function comes first
 *   WATCHED_BY_COMPILER  none: the compiler plugin alone knows them
 *
 * To watch another function: interpose it (interpose.h), and add its line here.
 */
#ifndef COTREE_RUNTIME_WATCHED_FUNCTIONS_H
#define COTREE_RUNTIME_WATCHED_FUNCTIONS_H

enum watched_effect {
    WATCHED_LEAVES,        /* leaves frames, or makes a thread leave them; the process goes on */
    WATCHED_RETURNS_TWICE, /* may return once more */
    WATCHED_THROWS,        /* an exception sets out, or goes on */
    WATCHED_UNWINDS,       /* is asked or told where exceptions and cancellation pass */
    WATCHED_FORKS,         /* makes a process */
    WATCHED_ENDS,          /* ends the process */
    WATCHED_EXECUTES,      /* executes another program in place of this one */
    WATCHED_THREADS,       /* makes a thread, or storage of threads */
    WATCHED_CALLS,         /* makes any system call (WATCHED_SYSTEM_CALLS) */
    WATCHED_SIGNALS,       /* sets what a signal does, or sends one */
    WATCHED_CONFINES,      /* may enter a sandbox */
    WATCHED_OUTPUTS,       /* has output made by functions of the program, after exit handlers */
    WATCHED_FINDS,         /* finds functions by name, or unloads objects */
    WATCHED_STARTS,        /* runs before thread-local storage exists */
    WATCHED_LIMITS,        /* locks memory, or tells or sets limits: a trace takes much address space */
};

#define WATCHED_JUMPS(X)                                                                                     \
    X(longjmp, "frames/jumps.c", LEAVES, LONGJMP)                                                            \
    X(_longjmp, "frames/jumps.c", LEAVES, LONGJMP)                                                           \
    X(siglongjmp, "frames/jumps.c", LEAVES, LONGJMP)                                                         \
    X(__longjmp_chk, "frames/jumps.c", LEAVES, LONGJMP)                                                      \
    X(setcontext, "frames/jumps.c", LEAVES, NONE)                                                            \
    X(swapcontext, "frames/jumps.c", LEAVES, NONE)                                                           \
    X(pthread_cancel, "frames/jumps.c", LEAVES, NONE)                                                        \
    X(pthread_exit, "frames/jumps.c", LEAVES, EXIT)                                                          \
    X(thrd_exit, "frames/jumps.c", LEAVES, EXIT)

#define WATCHED_EVERYWHERE(X)                                                                                \
    X(_dl_allocate_tls, "process/threads.c", THREADS, NONE)                                                  \
    X(_dl_allocate_tls_init, "process/threads.c", THREADS, NONE)                                             \
    X(_dl_deallocate_tls, "process/threads.c", THREADS, NONE)                                                \
    X(pthread_create, "process/threads.c", THREADS, NONE)                                                    \
    X(thrd_create, "process/threads.c", THREADS, NONE)                                                       \
    X(clone, "process/fork.c", FORKS, NONE)                                                                  \
    X(_Fork, "process/fork.c", FORKS, NONE)                                                                  \
    X(vfork, "process/vfork.c", RETURNS_TWICE, FORK)                                                         \
    X(syscall, "process/raw_calls.c", CALLS, NONE)                                                           \
    X(_exit, "death/endings.c", ENDS, EXIT)                                                                  \
    X(_Exit, "death/endings.c", ENDS, EXIT)                                                                  \
    X(abort, "death/endings.c", ENDS, EXIT)                                                                  \
    X(execve, "death/endings.c", EXECUTES, EXIT)                                                             \
    X(execv, "death/endings.c", EXECUTES, EXIT)                                                              \
    X(execvp, "death/endings.c", EXECUTES, EXIT)                                                             \
    X(execvpe, "death/endings.c", EXECUTES, EXIT)                                                            \
    X(execl, "death/endings.c", EXECUTES, EXIT)                                                              \
    X(execle, "death/endings.c", EXECUTES, EXIT)                                                             \
    X(execlp, "death/endings.c", EXECUTES, EXIT)                                                             \
    X(fexecve, "death/endings.c", EXECUTES, EXIT)                                                            \
    X(execveat, "death/endings.c", EXECUTES, EXIT)                                                           \
    X(daemon, "death/endings.c", ENDS, NONE)                                                                 \
    WATCHED_JUMPS(X)                                                                                         \
    X(sigaction, "death/signals.c", SIGNALS, NONE)                                                           \
    X(signal, "death/signals.c", SIGNALS, NONE)                                                              \
    X(ssignal, "death/signals.c", SIGNALS, NONE)                                                             \
    X(bsd_signal, "death/signals.c", SIGNALS, NONE)                                                          \
    X(sysv_signal, "death/signals.c", SIGNALS, NONE)                                                         \
    X(__sysv_signal, "death/signals.c", SIGNALS, NONE)                                                       \
    X(sigset, "death/signals.c", SIGNALS, NONE)                                                              \
    X(sigignore, "death/signals.c", SIGNALS, NONE)                                                           \
    X(kill, "death/signals.c", SIGNALS, NONE)                                                                \
    X(killpg, "death/signals.c", SIGNALS, NONE)                                                              \
    X(sigqueue, "death/signals.c", SIGNALS, NONE)                                                            \
    X(siginterrupt, "death/signals.c", SIGNALS, NONE)                                                        \
    X(sigaltstack, "death/signal_stacks.c", SIGNALS, NONE)                                                   \
    X(prctl, "process/sandbox.c", CONFINES, NONE)                                                            \
    X(__pthread_register_cancel, "frames/throws.c", UNWINDS, NONE)                                           \
    X(__pthread_unregister_cancel, "frames/throws.c", UNWINDS, NONE)                                         \
    X(__pthread_unwind_next, "frames/throws.c", UNWINDS, NONE)

#define WATCHED_DYNAMIC(X)                                                                                   \
    X(_dl_find_object, "frames/throws.c", UNWINDS, NONE)                                                     \
    X(fopencookie, "file/seals.c", OUTPUTS, NONE)

#define WATCHED_IF_POSSIBLE(X)                                                                               \
    X(_Unwind_RaiseException, "frames/throws.c", THROWS, NONE)                                               \
    X(_Unwind_Resume, "frames/throws.c", THROWS, NONE)

#define WATCHED_LOOKUPS(X)                                                                                   \
    X(dlsym, "loader/lookup.c", FINDS, NONE)                                                                 \
    X(dlvsym, "loader/lookup.c", FINDS, NONE)                                                                \
    X(dlclose, "process/watch.c", FINDS, NONE)

#define WATCHED_ALIASES(X)                                                                                   \
    X(__vfork, "process/vfork.c", RETURNS_TWICE, NONE)                                                       \
    X(__clone, "process/fork.c", FORKS, NONE)                                                                \
    X(__sigaction, "death/signals.c", SIGNALS, NONE)

#define WATCHED_STATIC(X) X(_Unwind_Find_FDE, "frames/throws.c", UNWINDS, NONE)

#define WATCHED_START(X) X(__libc_start_main, "process/early.c", STARTS, NONE)

#define WATCHED_TRACED(X)                                                                                    \
    X(mlockall, "trace/watched_lock.c", LIMITS, NONE)                                                        \
    X(getrlimit, "trace/watched_limits.c", LIMITS, NONE)                                                     \
    X(getrlimit64, "trace/watched_limits.c", LIMITS, NONE)                                                   \
    X(setrlimit, "trace/watched_limits.c", LIMITS, NONE)                                                     \
    X(setrlimit64, "trace/watched_limits.c", LIMITS, NONE)                                                   \
    X(prlimit, "trace/watched_limits.c", LIMITS, NONE)                                                       \
    X(prlimit64, "trace/watched_limits.c", LIMITS, NONE)                                                     \
    X(__cxa_begin_catch, "trace/watched_catch.c", THROWS, NONE)

#define WATCHED_BY_COMPILER(X)                                                                               \
    X(__cxa_rethrow, "", THROWS, THROW)                                                                      \
    X(__cxa_throw, "", THROWS, THROW)                                                                        \
    X(__fork, "", FORKS, FORK)                                                                               \
    X(fork, "", FORKS, FORK)                                                                                 \
    X(exit, "", ENDS, EXIT)                                                                                  \
    X(quick_exit, "", ENDS, EXIT)                                                                            \
    X(__setjmp, "", RETURNS_TWICE, NONE)                                                                     \
    X(__sigsetjmp, "", RETURNS_TWICE, NONE)                                                                  \
    X(_setjmp, "", RETURNS_TWICE, NONE)                                                                      \
    X(getcontext, "", RETURNS_TWICE, NONE)                                                                   \
    X(savectx, "", RETURNS_TWICE, NONE)                                                                      \
    X(setjmp, "", RETURNS_TWICE, NONE)                                                                       \
    X(sigsetjmp, "", RETURNS_TWICE, NONE)

#define WATCHED_FUNCTIONS(X)                                                                                 \
    WATCHED_EVERYWHERE(X)                                                                                    \
    WATCHED_DYNAMIC(X)                                                                                       \
    WATCHED_IF_POSSIBLE(X)                                                                                   \
    WATCHED_LOOKUPS(X)                                                                                       \
    WATCHED_ALIASES(X)                                                                                       \
    WATCHED_STATIC(X)                                                                                        \
    WATCHED_START(X)                                                                                         \
    WATCHED_TRACED(X)                                                                                        \
    WATCHED_BY_COMPILER(X)

/* System calls that do what watched functions do, when a program makes them by syscall()
 * (raw_calls.c): X(name, effect) for SYS_name. exit ends one thread. */
#define WATCHED_SYSTEM_CALLS(X)                                                                              \
    X(clone, FORKS)                                                                                          \
    X(fork, FORKS)                                                                                           \
    X(clone3, FORKS)                                                                                         \
    X(exit_group, ENDS)                                                                                      \
    X(exit, LEAVES)                                                                                          \
    X(execve, EXECUTES)                                                                                      \
    X(execveat, EXECUTES)                                                                                    \
    X(prctl, CONFINES)                                                                                       \
    X(seccomp, CONFINES)

#endif
