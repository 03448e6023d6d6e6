/*
 * Counters made by hand, as the compiler would lay them out (format/counters.h), for tests of the runtime
 * alone. HANDMADE_PIC, or -fPIC, selects the layout of shared libraries.
 *
 *   COUNTERS(name, key, n)   at file level: an array of n counters
 *   COUNT(name, i)           one more in counter i
 */
#ifndef HANDMADE_H
#define HANDMADE_H
#include <stdint.h>
#include "format/counters.h"

#ifdef __cplusplus
extern "C" {
#endif
extern char cotree_runtime_is_missing_so_link_with_cotree_cc __attribute__((visibility("hidden")));
__attribute__((used)) static char *handmade_needs_the_runtime =
    &cotree_runtime_is_missing_so_link_with_cotree_cc;

#if defined(HANDMADE_PIC) || (defined(__PIC__) && !defined(__PIE__))
extern __thread long cotree_delta __attribute__((visibility("hidden"), tls_model("initial-exec")));
__attribute__((visibility("hidden"))) long cotree_attach(void);
#define COUNTERS(name, key, n)                                                                               \
    __attribute__((section(COUNTERS_PIC_SECTION), used)) static uint64_t name[COUNTERS_HEADER_WORDS + n] = { \
        key, n};
static inline long handmade_delta(void)
{
    long delta = cotree_delta;
    return delta != 0 ? delta : cotree_attach();
}
#define COUNT(name, i)                                                                                       \
    __asm__ volatile("incq %0"                                                                               \
                     : "+m"(*(uint64_t *)((char *)&name[COUNTERS_HEADER_WORDS + (i)] + handmade_delta())))
#else
#define COUNTERS(name, key, n)                                                                               \
    __attribute__((section(COUNTERS_TLS_SECTION), tls_model("local-exec"),                                   \
                   used)) static __thread uint64_t name[COUNTERS_HEADER_WORDS + n] = {key, n};
#define COUNT(name, i) __asm__ volatile("incq %0" : "+m"(name[COUNTERS_HEADER_WORDS + (i)]))
#endif
#ifdef __cplusplus
}
#endif
#endif
