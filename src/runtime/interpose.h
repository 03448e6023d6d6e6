/*
 * Standing in front of a function of the C library. In a dynamic executable the runtime defines the
 * function under its own name, exported, and finds the next definition with dlsym; in a static one
 * the linker's --wrap turns calls of X into __wrap_X and __real_X into X (link_flags.h).
 *
 *   INTERPOSED(type, name, (parameters))   at file level, declares what is needed
 *   INTERPOSED_WEAKLY(...)                 the same, but a function of the program comes first
 *   type INTERPOSE(name)(parameters) {...} the definition
 *   REAL(name)(arguments)                  the C library's own
 *   RESOLVE(name)                          looks it up now: dlsym is not safe everywhere later
 *
 * And calling functions of the C library that are not interposed. The program may have functions of
 * the same names, which must not be called:
 *
 *   BORROWED(name)                         at file level; the C library's header declares it
 *   BORROW(name)(arguments)                calls the next one; BORROW(name) alone looks it up now
 *
 * Weakly is right unless a sanitizer interposes the same function: its definitions are weak, too,
 * and come before the runtime's on the command line. Such functions are defined strongly, and go on
 * to the sanitizer's.
 */
#ifndef COTREE_RUNTIME_INTERPOSE_H
#define COTREE_RUNTIME_INTERPOSE_H

#include <dlfcn.h>
#include <stdint.h>

/* Sanitizers export what they interpose under names of their own as well. */
#define INTERCEPTOR_PREFIX "__interceptor_"

/* The C library's dlsym. (In a library, what the name dlsym leads to for all libraries.) */
#ifdef COTREE_RUNTIME_EXEC
void *cotree_dlsym(void *library, const char *name); /* lookup.c */
/* What comes after the runtime's function: that of a sanitizer, or the next. Takes the sanitizer's
 * name for it. */
void *cotree_next(const char *interceptor);
#else
#define cotree_dlsym dlsym
#endif
/* What a borrowed function is looked up by. A library may stand after the C library in the order of lookups:
 * nothing comes next then. */
#ifdef COTREE_RUNTIME_SHARED
void *cotree_next_or_first(const char *name);
#else
#define cotree_next_or_first(name) cotree_dlsym(RTLD_NEXT, name)
#endif

#ifdef COTREE_RUNTIME_STATIC
#define INTERPOSED_ALIAS(type, alias_name, name, parameters)
#define BORROWED(name)
#define BORROW(name) name
#define INTERPOSED(type, name, parameters)                                                                   \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters __attribute__((noinline));
#define INTERPOSED_WEAKLY(type, name, parameters) INTERPOSED(type, name, parameters)
#define INTERPOSE(name) __wrap_##name
#define REAL(name) __real_##name
#define RESOLVE(name) ((void)0)
#else
#define BORROWED(name) static __typeof__(&(name)) cotree_borrowed_##name;
#define BORROW(name)                                                                                         \
    (cotree_borrowed_##name != NULL                                                                          \
         ? cotree_borrowed_##name                                                                            \
         : (cotree_borrowed_##name = (__typeof__(&(name)))(uintptr_t)cotree_next_or_first(#name)))
#define INTERPOSED_AS(attributes, type, name, parameters)                                                    \
    type cotree_own_##name parameters __attribute__((noinline));                                             \
    type name parameters __attribute__((visibility("default"), alias("cotree_own_" #name) attributes));      \
    typedef type(*cotree_type_##name) parameters;                                                            \
    __attribute__((unused)) static cotree_type_##name cotree_next_##name;
#define WEAK_TOO , weak
/* Another name of a function that is interposed. */
#define INTERPOSED_ALIAS(type, alias_name, name, parameters)                                                 \
    type alias_name parameters __attribute__((visibility("default"), weak, alias("cotree_own_" #name)));
#define INTERPOSED(type, name, parameters) INTERPOSED_AS(, type, name, parameters)
#define INTERPOSED_WEAKLY(type, name, parameters) INTERPOSED_AS(WEAK_TOO, type, name, parameters)
#define INTERPOSE(name) cotree_own_##name
#define NEXT(name) ((cotree_type_##name)(uintptr_t)cotree_next(INTERCEPTOR_PREFIX #name))
#define RESOLVE(name) (cotree_next_##name != NULL ? cotree_next_##name : (cotree_next_##name = NEXT(name)))
#define REAL(name) RESOLVE(name)
#endif

#endif
