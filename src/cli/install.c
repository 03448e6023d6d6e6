#include "cli/install.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define COMPILER "clang-" COTREE_LLVM

/* Finds the resolved path of this program; where /proc is not mounted, as it was called. */
static bool find_program(char program[PATH_MAX])
{
    const char *called = (const char *)getauxval(AT_EXECFN);
    return realpath("/proc/self/exe", program) || (called && realpath(called, program));
}

char *install_library_directory(struct error *error)
{
    char program[PATH_MAX];
    if (!find_program(program)) {
        error_set(error, "cannot find cotree's own files: /proc/self/exe: %s", strerror(errno));
        return NULL;
    }
    *strrchr(program, '/') = 0;
    static const char *const places[] = {"lib/cotree", "../lib/cotree"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct buffer path = {0};
        buffer_addf(&path, "%s/%s", program, places[i]);
        char *resolved = realpath(buffer_text(&path), NULL);
        buffer_addf(&path, "/plugin.so");
        bool found = resolved && access(buffer_text(&path), R_OK) == 0;
        buffer_release(&path);
        if (found)
            return resolved;
        free(resolved);
    }
    error_set(error, "cannot find lib/cotree/plugin.so beside '%s': build or install cotree again", program);
    return NULL;
}

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    struct buffer file = {0};
    bool found = false;
    for (const char *at = path ? path : "/usr/bin:/bin"; !found;) {
        size_t length = strcspn(at, ":");
        file.length = 0;
        buffer_add(&file, at, length);
        buffer_addf(&file, "%s%s", length ? "/" : "", name);
        found = access(buffer_text(&file), X_OK) == 0;
        if (!at[length])
            break;
        at += length + 1;
    }
    buffer_release(&file);
    return found;
}

bool install_compiler(struct words *command, struct error *error)
{
    static const char debian[] = INSTALL_COMPILER_DIRECTORY "/clang";
    const char *chosen = getenv("COTREE_CLANG");
    if (chosen && *chosen) {
        driver_split(chosen, command);
        if (command->count && (strchr(command->items[0], '/') ? access(command->items[0], X_OK) == 0
                                                              : in_path(command->items[0])))
            return true;
        return error_set(error, "COTREE_CLANG: cannot find '%s'",
                         command->count ? command->items[0] : chosen);
    }
    if (in_path(COMPILER)) {
        words_add(command, COMPILER);
        return true;
    }
    if (access(debian, X_OK) == 0) {
        words_add(command, debian);
        return true;
    }
    return error_set(error, "cannot find " COMPILER ": install it (Debian: apt-get install " COMPILER
                            ") or name it in COTREE_CLANG");
}
