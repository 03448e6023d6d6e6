/*
 * Pages of the events file are the program's memory, by every measure (RSS), as long as they are mapped in,
 * though nobody needs those that are written. Threads that pass thunks let theirs go (trace.c); a loop may
 * write for hours without passing one, and a follower cannot keep up with every loop on every machine.
 *
 * So there is a process that shares the program's memory, and lets go, a hundred times a second, of whatever
 * is mapped in of the file: the pages stay in the file, and the one that is being written comes back with the
 * next store. That is all it may do: it shares memory with a program that may change who it is (setuid), so
 * it first gives up every system call but the three it needs. It ends with the program, or when that
 * is about to execute another one.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include "runtime/trace.h"

#define PAUSE 10 /* milliseconds */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static char stack[16384] __attribute__((aligned(64)));
static char *mapping; /* as they were when it began: a child of fork has others */
static uint64_t mapping_length;
static long program;
static volatile bool is_leaving; /* its memory: by an end, or for that of another program */

#define ALLOW(call)                                                                                          \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool give_up_everything_else(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(madvise),
        ALLOW(poll),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog rules = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return COTREE_CALL(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) == 0 &&
           COTREE_CALL(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules, 0, 0, 0) == 0;
}

/* Words are mapped elsewhere, too (trace_addresses.c). */
static void let_words_go(void)
{
    const struct trace_address_stream *words =
        (const void *)(mapping - TRACE_REGIONS_OFFSET + TRACE_ADDRESSES_OFFSET);
    for (uint32_t i = 0; i < cotree_trace_word_streams && i < TRACE_STREAMS_MOST; i++)
        if (words[i].length != 0)
            (void)COTREE_CALL(SYS_madvise, words[i].address, words[i].length, MADV_DONTNEED, 0, 0, 0);
}

/* All that the other process does. Thread-local storage is that of the thread which made it: none is used. */
static __attribute__((noreturn, used)) void let_pages_go(void)
{
    struct pollfd ends = {.fd = (int)program, .events = POLLIN};
    (void)COTREE_CALL(SYS_prctl, PR_SET_NAME, "cotree-pages", 0, 0, 0, 0);
    if (give_up_everything_else())
        while (COTREE_CALL(SYS_poll, &ends, 1, PAUSE, 0, 0, 0) == 0 && !is_leaving &&
               COTREE_CALL(SYS_madvise, mapping, mapping_length, MADV_DONTNEED, 0, 0, 0) == 0)
            let_words_go();
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* An exec that fails at once is not noticed. */
void cotree_trace_unshare_pages(bool leaves)
{
    is_leaving = leaves;
}

/* Called in a process that shares the program's memory, and is gone soon: nobody is to be the parent. */
void cotree_trace_share_pages(void)
{
    program = COTREE_CALL(SYS_pidfd_open, cotree_process.pid, 0, 0, 0, 0, 0);
    if (cotree_failed(program))
        return;
    is_leaving = false;
    mapping = (char *)cotree_trace_file.header + TRACE_REGIONS_OFFSET;
    mapping_length = cotree_trace_file.length - TRACE_REGIONS_OFFSET;
    register long new_thread __asm__("r8") = 0;
    register long ids __asm__("r10") = 0;
    long result;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%[function]\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(CLONE_VM | CLONE_UNTRACED), "S"(stack + sizeof stack), "d"(0),
                       "r"(ids), "r"(new_thread), [function] "r"(let_pages_go)
                     : "rcx", "r11", "memory");
    (void)result; /* without it the program takes more memory, for a while */
}
