#include "weave/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
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
};
enum { VERSION_REFER = 2, VERSION_TRUNCATE = 3, VERSION_NETWORK = 4 };
enum {
    READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE,
    READ = READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    FIRST_VERSION = (1 << 13) - 1,
};

struct ruleset {
    uint64_t files, network;
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
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled,
                               handled.network ? sizeof handled : sizeof handled.files, 0);
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

bool confine_enter(int confinement)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, confinement, 0) == 0;
}
