/*
 * The comparison of what a program writes to standard output with what is expected, inside of the
 * program (`cotree run --abort-at-output`): preloaded, or linked into static programs
 * (-fcotree-crash=output). It is no part of the runtime, and does nothing unless EXPECT_VARIABLE says so.
 *
 * Bytes are compared after they were written, in the function that wrote them: at the first wrong one
 * that function calls abort, and the core has the stack that led there.
 */
#ifndef COTREE_EXPECT_EXPECT_H
#define COTREE_EXPECT_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- compare.c ---- */

/* Bytes have been written to a descriptor. Does not return after a wrong one. Keeps errno. */
void expect_written(int descriptor, const void *data, size_t size);
/* `function` wrote to the descriptor what cannot be seen. */
void expect_unseen(int descriptor, const char *function);
/* Are writes of this process compared? */
bool expect_is_on(void);

/* ---- descriptors.c: which descriptors are the standard output that is compared ---- */

bool expect_is_output(int descriptor);
void expect_set_output(int descriptor, bool is_output);

/* ---- streams.c ---- */

/* Makes writes and closes of the C library's own streams known. False if its streams are not as they
 * should be. */
bool expect_watch_streams(void);
/* Makes stdout unbuffered, and keeps it so. */
void expect_unbuffer(void);

/*
 * Standing in front of functions: EXPECT_INTERPOSED(type, name, (parameters)) declares what is needed,
 * `type EXPECT_OWN(name)(parameters)` defines the function, EXPECT_REAL(name) is the C library's. A
 * constructor of a library may call before the next definition was looked up.
 */
#ifdef EXPECT_STATIC
#define EXPECT_INTERPOSED(type, name, parameters)                                                            \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;
#define EXPECT_OWN(name) __wrap_##name
#define EXPECT_REAL(name) __real_##name
#else
#include <dlfcn.h>
#define EXPECT_INTERPOSED(type, name, parameters)                                                            \
    type name parameters __attribute__((visibility("default")));                                             \
    typedef type(*expect_type_##name) parameters;                                                            \
    static expect_type_##name expect_next_##name;
#define EXPECT_OWN(name) name
#define EXPECT_REAL(name)                                                                                    \
    (expect_next_##name ? expect_next_##name                                                                 \
                        : (expect_next_##name = (expect_type_##name)dlsym(RTLD_NEXT, #name)))
#endif

#endif
