/*
 * Standing in front of a function of the C library. In a dynamic executable we define the function under its
 * own name, exported, and find the next definition with dlsym; in a static one the linker's --wrap turns
 * calls of X into __wrap_X and __real_X into X (link_flags.h).
 *
 *   INTERPOSED(type, name, (parameters))   at file level, declares what is needed
 *   INTERPOSED_WEAKLY(...)                 the same, but a program that has such a function itself keeps it
 *   type INTERPOSE(name)(parameters) {...} the definition
 *   REAL(name)(arguments)                  the C library's own
 *   RESOLVE(name)                          looks it up now: dlsym is not safe everywhere later
 *
 * Weakly is right unless a sanitizer stands in front of the same function: its definitions are weak, too, and
 * come before ours on the line. Those functions we define strongly, and go on to the sanitizer's.
 */
#ifndef COTREE_RUNTIME_INTERPOSE_H
#define COTREE_RUNTIME_INTERPOSE_H

#include <dlfcn.h>

#ifdef COTREE_RUNTIME_STATIC
#define INTERPOSED(type, name, parameters)                                                                   \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;
#define INTERPOSED_WEAKLY(type, name, parameters) INTERPOSED(type, name, parameters)
#define INTERPOSE(name) __wrap_##name
#define REAL(name) __real_##name
#define RESOLVE(name) ((void)0)
#else
#define INTERPOSED_AS(attributes, type, name, parameters)                                                    \
    type cotree_own_##name parameters;                                                                       \
    type name parameters __attribute__((visibility("default"), alias("cotree_own_" #name) attributes));      \
    __attribute__((weak)) type __interceptor_##name parameters;                                              \
    typedef type(*cotree_type_##name) parameters;                                                            \
    __attribute__((unused)) static cotree_type_##name cotree_next_##name;
#define WEAK_TOO , weak
#define INTERPOSED(type, name, parameters) INTERPOSED_AS(, type, name, parameters)
#define INTERPOSED_WEAKLY(type, name, parameters) INTERPOSED_AS(WEAK_TOO, type, name, parameters)
#define INTERPOSE(name) cotree_own_##name
#define NEXT(name)                                                                                           \
    (&__interceptor_##name != NULL ? &__interceptor_##name                                                   \
                                   : (cotree_type_##name)(uintptr_t)dlsym(RTLD_NEXT, #name))
#define RESOLVE(name) (cotree_next_##name != NULL ? cotree_next_##name : (cotree_next_##name = NEXT(name)))
#define REAL(name) RESOLVE(name)
#endif

#endif
