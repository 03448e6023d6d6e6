/*
 * What the compiler driver adds when it links a program with the runtime, beside the object itself
 * (lib/cotree/runtime-VARIANT.o). Written for the driver of src/cli, which includes this and nothing else of
 * the runtime; the lists end with NULL and are flags of clang.
 *
 *   runtime-exec.o    dynamic executables, PIE or not. The C library must find our definitions, so they
 *                     are exported.
 *   runtime-static.o  -static and -static-pie. There is no interposition: the linker wraps the calls.
 *   runtime-shared.o  -shared. Nothing is needed: the library asks at run time who started first.
 *
 * The object of an executable comes before all other inputs: lld lays sections out in the order in which it
 * meets them, and nothing of the program may lie between the counters and their end.
 *
 *   trace-VARIANT.a   behind all inputs, before runtime-shared.a: taken when something records a trace.
 *
 * ld.bfd (2.35 and later), lld and gold understand all flags. Exactly one runtime object per link; `-r` and
 * `-c` get none.
 */
#ifndef COTREE_RUNTIME_LINK_FLAGS_H
#define COTREE_RUNTIME_LINK_FLAGS_H

/* Functions that the runtime stands in front of: RUNTIME_INTERPOSED(X) expands X(name) for each. First those
 * that leave frames while the process goes on. */
#define RUNTIME_INTERPOSED_JUMPS(X)                                                                          \
    X(longjmp)                                                                                               \
    X(_longjmp)                                                                                              \
    X(siglongjmp)                                                                                            \
    X(__longjmp_chk)                                                                                         \
    X(setcontext)                                                                                            \
    X(swapcontext)                                                                                           \
    X(pthread_cancel)                                                                                        \
    X(pthread_exit)                                                                                          \
    X(thrd_exit)
#define RUNTIME_INTERPOSED(X)                                                                                \
    X(_dl_allocate_tls)                                                                                      \
    X(_dl_allocate_tls_init)                                                                                 \
    X(_dl_deallocate_tls)                                                                                    \
    X(pthread_create)                                                                                        \
    X(thrd_create)                                                                                           \
    X(clone)                                                                                                 \
    X(_Fork)                                                                                                 \
    X(vfork)                                                                                                 \
    X(syscall)                                                                                               \
    X(_exit)                                                                                                 \
    X(_Exit)                                                                                                 \
    X(abort)                                                                                                 \
    X(execve)                                                                                                \
    X(execv)                                                                                                 \
    X(execvp)                                                                                                \
    X(execvpe)                                                                                               \
    X(execl)                                                                                                 \
    X(execle)                                                                                                \
    X(execlp)                                                                                                \
    X(fexecve)                                                                                               \
    X(execveat)                                                                                              \
    X(daemon)                                                                                                \
    RUNTIME_INTERPOSED_JUMPS(X)                                                                              \
    X(sigaction)                                                                                             \
    X(signal)                                                                                                \
    X(ssignal)                                                                                               \
    X(bsd_signal)                                                                                            \
    X(sysv_signal)                                                                                           \
    X(__sysv_signal)                                                                                         \
    X(sigset)                                                                                                \
    X(sigignore)                                                                                             \
    X(kill)                                                                                                  \
    X(killpg)                                                                                                \
    X(sigqueue)                                                                                              \
    X(siginterrupt)                                                                                          \
    X(sigaltstack)                                                                                           \
    X(prctl)                                                                                                 \
    X(__pthread_register_cancel)                                                                             \
    X(__pthread_unregister_cancel)                                                                           \
    X(__pthread_unwind_next)

/* The same, but nothing is missed without: programs may have the unwinder inside, sanitizers their own. */
#define RUNTIME_INTERPOSED_IF_POSSIBLE(X) X(_Unwind_RaiseException) X(_Unwind_Resume)
/* What the unwinder asks (throws.c); and who may have output made by functions of the program (seals.c). */
#define RUNTIME_INTERPOSED_EXEC(X) X(_dl_find_object) X(fopencookie)
/* Other names of functions above. (In a static program the C library calls itself by them.) */
#define RUNTIME_INTERPOSED_ALIASES(X) X(__vfork) X(__clone) X(__sigaction)
/* By which functions are found, and objects go away (lookup.c, loaded.c). */
#define RUNTIME_INTERPOSED_LOOKUPS(X) X(dlsym) X(dlvsym) X(dlclose)
#define RUNTIME_INTERPOSED_STATIC(X) X(_Unwind_Find_FDE)

/* What traced code of all modules shares (format/trace/layout.h); there is none of it in other programs. */
#define RUNTIME_TRACE_SYMBOLS(X)                                                                             \
    X(cotree_trace_thread)                                                                                   \
    X(cotree_trace_begin) X(cotree_trace_begin_addresses) X(cotree_trace_room) X(cotree_trace_land)

#define RUNTIME_EXPORT_FLAG(name) "-Wl,--export-dynamic-symbol=" #name,
#define RUNTIME_WRAP_FLAG(name) "-Wl,--wrap=" #name,
/* Where all references are wrapped, nothing asks archives for the real one. */
#define RUNTIME_ASK_FLAG(name) "-Wl,-u," #name,

__attribute__((unused)) static const char *const runtime_exec_link_flags[] = {
    "-Wl,--export-dynamic-symbol=cotree_runtime_v2",
    RUNTIME_TRACE_SYMBOLS(RUNTIME_EXPORT_FLAG) RUNTIME_INTERPOSED(RUNTIME_EXPORT_FLAG)
        RUNTIME_INTERPOSED_IF_POSSIBLE(RUNTIME_EXPORT_FLAG) RUNTIME_INTERPOSED_EXEC(RUNTIME_EXPORT_FLAG)
            RUNTIME_INTERPOSED_ALIASES(RUNTIME_EXPORT_FLAG)
                RUNTIME_INTERPOSED_LOOKUPS(RUNTIME_EXPORT_FLAG)(const char *) 0};

__attribute__((unused)) static const char *const runtime_static_link_flags[] = {
    RUNTIME_WRAP_FLAG(__libc_start_main) RUNTIME_INTERPOSED(RUNTIME_WRAP_FLAG)
        RUNTIME_INTERPOSED_IF_POSSIBLE(RUNTIME_WRAP_FLAG) RUNTIME_INTERPOSED_STATIC(RUNTIME_WRAP_FLAG)
            RUNTIME_INTERPOSED_STATIC(RUNTIME_ASK_FLAG) RUNTIME_ASK_FLAG(_Unwind_Resume)(const char *) 0};

__attribute__((unused)) static const char *const runtime_shared_link_flags[] = {(const char *)0};

#endif
