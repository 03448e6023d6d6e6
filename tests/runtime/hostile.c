/*
 * Surroundings that become hostile while the program runs; threads need blocks afterwards. Argument: KIND.
 *   chdir, chroot, setuid, closeall, seccomp, none; unlink: the file is removed; rename: another takes its
 * name
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

#ifndef COUNTERS_N
#define COUNTERS_N 8
#endif
COUNTERS(counters, 0x5001, 2)
COUNTERS(filler, 0x5002, COUNTERS_N)

static void *run(void *arg)
{
    for (int i = 0; i < 100; i++)
        COUNT(counters, 1);
    return arg;
}

static void forbid_files(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        exit(3);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "none";
    int threads = argc > 2 ? atoi(argv[2]) : 4;
    pthread_t thread[256];
    COUNT(counters, 0);
    if (strcmp(kind, "chdir") == 0 && chdir("/") != 0)
        return 2;
    if (strcmp(kind, "chroot") == 0 && (chroot("jail") != 0 || chdir("/") != 0))
        return 2;
    if (strcmp(kind, "setuid") == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 2;
    if (strcmp(kind, "closeall") == 0)
        for (int i = 0; i < 1024; i++)
            close(i);
    if (strcmp(kind, "seccomp") == 0)
        forbid_files();
    if (strcmp(kind, "unlink") == 0 && unlink(argv[3]) != 0)
        return 2;
    if (strcmp(kind, "rename") == 0 && rename(argv[3], argv[4]) != 0)
        return 2;
    for (int i = 0; getenv("CHILDREN") != NULL && i < atoi(getenv("CHILDREN")); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            run(NULL);
            return 0;
        }
        if (waitpid(pid, NULL, 0) != pid)
            return 2;
    }
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, run, NULL) != 0)
            return 2;
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    /* Nothing of ours is open. */
    for (int i = 0; i < 64; i++) {
        char link[64], path[4096] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".cotree") != NULL)
            return 4;
    }
    return 0;
}
