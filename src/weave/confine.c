#include "weave/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
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

int confine_make(const struct words *readable, const char *writable)
{
    static const char *const system[] = {
        "/usr",         "/lib",      "/lib32",           "/lib64",
        "/libx32",      "/bin",      "/etc/ld.so.cache", "/etc/ld.so.preload",
        "/dev/urandom", "/dev/zero", "/proc/cpuinfo"};
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
    allow(ruleset, writable, handled.files);
    return ruleset;
}

/* System calls that no compiler and no linker needs, and that Landlock knows nothing of: sockets of all
 * kinds, other processes, other namespaces, other keys, and doors to what calls are not filtered for. */
static const int refused_calls[] = {
    SYS_socket,      SYS_socketpair,        SYS_connect,
    SYS_ptrace,      SYS_process_vm_readv,  SYS_process_vm_writev,
    SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_io_uring_setup,
    SYS_bpf,         SYS_perf_event_open,   SYS_userfaultfd,
    SYS_add_key,     SYS_request_key,       SYS_keyctl,
    SYS_mount,       SYS_umount2,           SYS_unshare,
    SYS_setns,       SYS_open_by_handle_at,
};
enum { REFUSED_CALLS = sizeof refused_calls / sizeof *refused_calls, X32_CALLS = 0x40000000 };

/* They fail with EPERM; so do all calls of other architectures. */
static bool refuse_calls(void)
{
    struct sock_filter filter[REFUSED_CALLS + 6];
    unsigned n = 0, refusal = REFUSED_CALLS + 5;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, (uint8_t)(refusal - 2));
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, (uint8_t)(refusal - 4), 0);
    for (size_t i = 0; i < REFUSED_CALLS; i++, n++)
        filter[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused_calls[i],
                                                 (uint8_t)(refusal - n - 1), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {(unsigned short)n, filter};
    /* A kernel without filters has Landlock all the same. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL;
}

bool confine_enter(int confinement)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, confinement, 0) == 0 && refuse_calls();
}
