/*
 * The functions of the C library that the comparison of output stands in front of. Preloaded, it
 * defines them; in static programs the linker wraps them. Written for the driver, too.
 */
#ifndef COTREE_EXPECT_FUNCTIONS_H
#define COTREE_EXPECT_FUNCTIONS_H

/* clang-format off */
#define EXPECT_FUNCTIONS(X)                                                                                  \
    X(write)                                                                                                 \
    X(writev)                                                                                                \
    X(sendfile)                                                                                              \
    X(sendfile64)                                                                                            \
    X(copy_file_range)                                                                                       \
    X(splice)                                                                                                \
    X(dup)                                                                                                   \
    X(dup2)                                                                                                  \
    X(dup3)                                                                                                  \
    X(fcntl)                                                                                                 \
    X(fcntl64)                                                                                               \
    X(close)                                                                                                 \
    X(freopen)                                                                                               \
    X(freopen64)                                                                                             \
    X(setvbuf)                                                                                               \
    X(setbuf)                                                                                                \
    X(setbuffer)                                                                                             \
    X(setlinebuf)

/* clang-format on */

#define EXPECT_WRAP_FLAG(name) "-Wl,--wrap=" #name,

/* clang-format off */
__attribute__((unused)) static const char *const expect_static_link_flags[] = {
    EXPECT_FUNCTIONS(EXPECT_WRAP_FLAG) (const char *)0};
/* clang-format on */

#endif
