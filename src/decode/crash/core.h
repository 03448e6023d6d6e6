/*
 * A core file: the threads of a process that died, their frames, its modules, and its memory.
 *
 *     struct core core;
 *     if (core_open(&core, "core", "./prog", NULL, &error))
 *         for (size_t i = 0; i < core.threads.count; i++)
 *             for (size_t k = 0; k < core.threads.items[i].frames.count; k++)
 *                 printf("%#lx\n", core.threads.items[i].frames.items[k].pc);
 *     core_release(&core);
 *
 * Modules are taken from the list of mapped files that every core has (NT_FILE), whatever memory was
 * written to it (/proc/PID/coredump_filter). Where the core holds the module's first page, its build
 * id is compared with the file's. Stacks are walked by libdwfl.
 *
 * Invariant: cores are untrusted. What is not in the core, or makes no sense, is said in `problems`,
 * one line each; the rest is still there.
 */
#ifndef COTREE_DECODE_CRASH_CORE_H
#define COTREE_DECODE_CRASH_CORE_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_NONE UINT32_MAX

/* Registers of a frame, as far as the unwinder could restore them. */
struct core_register {
    bool known;
    uint64_t value;
};

struct core_frame {
    uint64_t pc;
    bool at_call;                            /* pc is a return address */
    bool nowhere;                            /* there is no code at pc */
    struct core_register rsp, rbp, rbx, cfa; /* cfa: the stack pointer of the frame that called it */
    uint32_t module;                         /* or CORE_NONE */
    char *symbol;                            /* the function's linkage name, or NULL */
    /* The functions that debug information says were inlined there, innermost first. */
    struct ARRAY_OF(char *) inlined;
};

/* Registers of a thread, as DWARF numbers them. */
enum { CORE_RBX = 3, CORE_RBP = 6, CORE_RSP = 7, CORE_RIP = 16, CORE_REGISTERS = 17 };

struct core_thread {
    uint32_t id;
    uint64_t registers[CORE_REGISTERS];
    struct core_frames ARRAY_OF(struct core_frame) frames; /* innermost first */
    char *problem;                                         /* why the walk ended early, or NULL */
};

struct core_segment {
    uint64_t address, size, offset; /* size: of what the file has of it; offset: there */
    uint64_t extent;                /* its size in memory */
    bool writable, executable;
};

struct core_module {
    char *path;
    uint64_t bias;                               /* address in the process less address in the file */
    bool checked;                                /* its build id is the one that ran */
    struct ARRAY_OF(struct core_segment) pieces; /* what is mapped of its file */
};

/* What the signal means. */
enum core_meaning {
    CORE_NO_MEANING,
    CORE_NULL_POINTER,
    CORE_NULL_FUNCTION, /* it was called */
    CORE_NO_CODE,       /* control went where there is none */
    CORE_STACK_OVERFLOW,
    CORE_NO_ADDRESS, /* an address that no program can have */
    CORE_SENT,       /* by a process: core.sender */
    CORE_TRAP,       /* an instruction that compilers put where control must not come */
};

struct core {
    char *path;
    int fd;
    int signal;       /* that ended the process; 0: none (gcore) */
    int code;         /* si_code, if has_details */
    uint64_t address; /* si_addr, if has_details */
    uint32_t sender;  /* si_pid, if code <= 0 and has_details */
    bool has_details;
    enum core_meaning meaning;
    char *message;   /* what the C library said before it aborted (assert), or NULL */
    char *exception; /* the type of the exception that nobody caught, or NULL */
    char *what;      /* its text, or NULL */
    struct core_modules ARRAY_OF(struct core_module) modules; /* the program first */
    struct core_threads ARRAY_OF(struct core_thread) threads; /* the one that died first */
    struct ARRAY_OF(struct core_segment) segments;
    struct ARRAY_OF(char *) problems;
};

/* program: its file. sysroot: where the files of the machine are on which it died; NULL: here. Fails
 * where the core cannot be read at all, or is of another program. */
bool core_open(struct core *c, const char *path, const char *program, const char *sysroot,
               struct error *error);
void core_release(struct core *c);
/* Reads memory of the process; false: it is not in the core. */
bool core_read(const struct core *c, uint64_t address, void *to, size_t length);
/* The same, but takes what the process could not change from the files of modules. */
bool core_read_or_file(const struct core *c, uint64_t address, void *to, size_t length);
/* A text that ends with 0, or after so many bytes. Newly allocated; NULL: there is none. */
char *core_read_text(const struct core *c, uint64_t address, size_t most);
/* The piece of memory that holds the address; NULL: nothing was there. */
const struct core_segment *core_segment_of(const struct core *c, uint64_t address);
/* Says that something is missing. */
void core_add_problem(struct core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
