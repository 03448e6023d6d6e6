/*
 * Standing in front of a function of the C library. In a dynamic executable we define the function under its
 * own name, exported, and find the next definition with dlsym; in a static one the linker's --wrap turns
 * calls of X into __wrap_X and __real_X into X (link_flags.h).
 *
 *   INTERPOSED(type, name, (parameters))   at file level, declares what is needed
 *   type INTERPOSE(name)(parameters) {...} the definition
 *   REAL(name)(arguments)                  the C library's own
 *   RESOLVE(name)                          looks it up now: dlsym is not safe everywhere later
 */
#ifndef COTREE_RUNTIME_INTERPOSE_H
#define COTREE_RUNTIME_INTERPOSE_H

#include <dlfcn.h>

#ifdef COTREE_RUNTIME_STATIC
#define INTERPOSED(type, name, parameters)                                                                   \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;
#define INTERPOSE(name) __wrap_##name
#define REAL(name) __real_##name
#define RESOLVE(name) ((void)0)
#else
/* A sanitizer stands in front of some of the same functions: we come before it and go on to it. */
#define INTERPOSED(type, name, parameters)                                                                   \
    __attribute__((visibility("default"))) type name parameters;                                             \
    __attribute__((weak)) type __interceptor_##name parameters;                                              \
    typedef type(*cotree_type_##name) parameters;                                                            \
    __attribute__((unused)) static cotree_type_##name cotree_next_##name;
#define INTERPOSE(name) name
#define NEXT(name)                                                                                           \
    (&__interceptor_##name != NULL ? &__interceptor_##name                                                   \
                                   : (cotree_type_##name)(uintptr_t)dlsym(RTLD_NEXT, #name))
#define RESOLVE(name) (cotree_next_##name != NULL ? cotree_next_##name : (cotree_next_##name = NEXT(name)))
#define REAL(name) RESOLVE(name)
#endif

#endif
