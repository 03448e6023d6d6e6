#include "weave/confine.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of versions of Landlock that the headers may not know yet. */
enum {
    ACCESS_REFER = 1 << 13,
    ACCESS_TRUNCATE = 1 << 14,
    ACCESS_NETWORK = 3, /* bind and connect */
    SCOPES = 3,         /* abstract sockets and signals */
};
enum { VERSION_REFER = 2, VERSION_TRUNCATE = 3, VERSION_NETWORK = 4, VERSION_SCOPES = 6 };
enum {
    READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE,
    READ = READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    FIRST_VERSION = (1 << 13) - 1,
};

struct ruleset {
    uint64_t files, network, scopes;
};

static void allow(int ruleset, const char *path, uint64_t access)
{
    struct stat st;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
        access &= READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

int confine_make(const struct words *readable, const struct words *writable)
{
    static const char *const system[] = {"/usr",         "/lib", "/lib32",           "/lib64",
                                         "/libx32",      "/bin", "/etc/ld.so.cache", "/etc/ld.so.preload",
                                         "/proc/cpuinfo"};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < VERSION_REFER) /* the first one cannot let files be linked elsewhere */
        return -1;
    struct ruleset handled = {.files = FIRST_VERSION | ACCESS_REFER};
    if (version >= VERSION_TRUNCATE)
        handled.files |= ACCESS_TRUNCATE;
    if (version >= VERSION_NETWORK)
        handled.network = ACCESS_NETWORK;
    if (version >= VERSION_SCOPES)
        handled.scopes = SCOPES;
    size_t size = handled.scopes    ? sizeof handled
                  : handled.network ? offsetof(struct ruleset, scopes)
                                    : offsetof(struct ruleset, network);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (ruleset < 0)
        return -1;
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        allow(ruleset, system[i], READ);
    for (size_t i = 0; i < readable->count; i++)
        allow(ruleset, readable->items[i], READ);
    allow(ruleset, "/dev/null", READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
    for (size_t i = 0; i < writable->count; i++)
        allow(ruleset, writable->items[i], handled.files);
    return ruleset;
}

/* System calls that no compiler and no linker needs, and that Landlock knows nothing of. They fail with
 * EPERM. */
// clang-format off
static const int refused_calls[] = {
    /* Sockets. */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_accept, SYS_accept4,
    /* What files are, beside what is in them; truncate() where Landlock is of version 2. */
    SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_utime, SYS_utimes, SYS_futimesat,
    SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr, SYS_truncate, SYS_quotactl, SYS_quotactl_fd,
    /* Other processes, and what they share. */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise,
    SYS_process_mrelease, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill, SYS_tgkill, SYS_setsid, SYS_setpgid,
    SYS_setpriority, SYS_ioprio_set, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
    SYS_sched_setattr, SYS_move_pages, SYS_migrate_pages, SYS_shmget, SYS_shmat, SYS_shmctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
    SYS_mq_open, SYS_mq_unlink,
    /* The system: namespaces, mounts, keys, clocks, modules. */
    SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_move_mount,
    SYS_open_tree, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_add_key,
    SYS_request_key, SYS_keyctl, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
    SYS_sethostname, SYS_setdomainname, SYS_reboot, SYS_kexec_load, SYS_kexec_file_load,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_swapon, SYS_swapoff, SYS_acct,
    SYS_syslog, SYS_vhangup, SYS_iopl, SYS_ioperm,
    /* Doors to what calls are not filtered for. */
    SYS_io_uring_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_open_by_handle_at,
    SYS_fanotify_init,
};
// clang-format on
/* Linkers make what they wrote executable; that is done for them (output_put). */
static const int ignored_calls[] = {SYS_chmod, SYS_fchmod, SYS_fchmodat};
/* What is asked of terminals and files; anything else an ioctl can do is refused. */
static const unsigned asking_ioctls[] = {TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIOCLEX};

/* Of clone(): namespaces of mounts, groups of control, names, IPC, users, processes and networks. */
enum { NEW_NAMESPACES = 0x7e020000 };
enum { LAST_CALL = SYS_set_mempolicy_home_node, X32_CALLS = 0x40000000 };

struct filter {
    struct sock_filter steps[512];
    unsigned short count;
};

static void add_step(struct filter *f, unsigned code, unsigned value, unsigned skip, unsigned skip_else)
{
    f->steps[f->count++] =
        (struct sock_filter){(unsigned short)code, (unsigned char)skip, (unsigned char)skip_else, value};
}

static void add_load(struct filter *f, size_t offset)
{
    add_step(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void add_result(struct filter *f, unsigned result)
{
    add_step(f, BPF_RET | BPF_K, result, 0, 0);
}

/* The result of a call by its number. */
static void add_call(struct filter *f, int call, unsigned result)
{
    add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1);
    add_result(f, result);
}

/* A call is refused if this argument of it, masked, is one of the values. */
static void add_refused_values(struct filter *f, int call, unsigned argument, unsigned mask,
                               const unsigned *values, unsigned count)
{
    add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, count + 4);
    add_load(f, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
    add_step(f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    for (unsigned i = 0; i < count; i++)
        add_step(f, BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
    add_result(f, SECCOMP_RET_ALLOW);
    add_result(f, SECCOMP_RET_ERRNO | EPERM);
}

/* A call is refused if this argument of it has one of the bits. */
static void add_refused_bits(struct filter *f, int call, unsigned argument, unsigned bits)
{
    add_step(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
    add_load(f, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
    add_step(f, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    add_result(f, SECCOMP_RET_ALLOW);
    add_result(f, SECCOMP_RET_ERRNO | EPERM);
}

static void add_arguments(struct filter *f)
{
    enum { ASKING = sizeof asking_ioctls / sizeof *asking_ioctls };
    static const unsigned emptying[] = {O_TRUNC}, owning[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
    /* Landlock of version 2 lets files be emptied that may be read. */
    add_refused_values(f, SYS_open, 1, O_TRUNC | O_ACCMODE, emptying, 1);
    add_refused_values(f, SYS_openat, 2, O_TRUNC | O_ACCMODE, emptying, 1);
    /* Other processes: 0 is the caller (prlimit), or its process group, which it cannot leave (kill). */
    add_refused_bits(f, SYS_prlimit64, 0, ~0u);
    add_refused_bits(f, SYS_kill, 0, ~0u);
    add_refused_values(f, SYS_fcntl, 1, ~0u, owning, sizeof owning / sizeof *owning);
    add_refused_bits(f, SYS_clone, 0, NEW_NAMESPACES);
    add_step(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, ASKING + 3);
    add_load(f, offsetof(struct seccomp_data, args) + sizeof(uint64_t));
    for (unsigned i = 0; i < ASKING; i++)
        add_step(f, BPF_JMP | BPF_JEQ | BPF_K, asking_ioctls[i], ASKING - i, 0);
    add_result(f, SECCOMP_RET_ERRNO | ENOTTY);
    add_result(f, SECCOMP_RET_ALLOW);
}

/* Calls of other architectures fail with EPERM; those that are younger than this list, and those whose
 * arguments lie in memory, are not there. */
static bool filter_calls(void)
{
    struct filter f = {.count = 0};
    add_load(&f, offsetof(struct seccomp_data, arch));
    add_step(&f, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    add_result(&f, SECCOMP_RET_ERRNO | EPERM);
    add_load(&f, offsetof(struct seccomp_data, nr));
    add_step(&f, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
    add_result(&f, SECCOMP_RET_ERRNO | EPERM);
    add_step(&f, BPF_JMP | BPF_JGT | BPF_K, LAST_CALL, 0, 1);
    add_result(&f, SECCOMP_RET_ERRNO | ENOSYS);
    add_call(&f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    add_call(&f, SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < sizeof refused_calls / sizeof *refused_calls; i++)
        add_call(&f, refused_calls[i], SECCOMP_RET_ERRNO | EPERM);
    for (size_t i = 0; i < sizeof ignored_calls / sizeof *ignored_calls; i++)
        add_call(&f, ignored_calls[i], SECCOMP_RET_ERRNO);
    add_arguments(&f);
    add_result(&f, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {f.count, f.steps};
    /* A kernel without filters has Landlock all the same. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL;
}

bool confine_enter(int confinement)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, confinement, 0) == 0 && filter_calls();
}
