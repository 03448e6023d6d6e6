/*
 * dlsym, for the runtime and for the program.
 *
 * The runtime finds the C library's own by the loader's list: a program may define a dlsym itself.
 * The program's lookups pass here because a watched function can be found by name in the C library
 * as well (dlsym(libc, "longjmp"), RTLD_NEXT), and its calls would then pass the runtime by. Where
 * the answer would be the function that the runtime's goes on to, the runtime's is the answer: what
 * the program gets by calling it by name.
 *
 * RTLD_NEXT and RTLD_DEFAULT depend on the object that calls, so all other lookups go on with
 * nothing of the runtime on the stack.
 */
#include <dlfcn.h>
#include <link.h>
#include "runtime/interpose.h"
#include "runtime/loader/loaded.h"
#include "runtime/loader/watched.h"
#include "runtime/runtime.h"

#ifdef COTREE_RUNTIME_EXEC

INTERPOSED_WEAKLY(void *, dlsym, (void *, const char *))
INTERPOSED_WEAKLY(void *, dlvsym, (void *, const char *, const char *))

typedef void *lookup_function(void *, const char *);
__attribute__((used)) static lookup_function *real_dlsym, *real_dlvsym;

/* The first definition of NAME in an object after this one, in the loader's list. */
static void *next_definition(const struct link_map *behind, const char *name)
{
    void *found = NULL;
    for (const struct link_map *map = behind->l_next; map != NULL && found == NULL; map = map->l_next)
        found = cotree_loaded_definition(map, name);
    return found;
}

__attribute__((used)) static void find_lookups(void)
{
    const struct link_map *first = real_dlsym == NULL ? cotree_loaded_first() : NULL;
    if (first == NULL)
        return;
    real_dlvsym = (lookup_function *)(uintptr_t)next_definition(first, "dlvsym");
    real_dlsym = (lookup_function *)(uintptr_t)next_definition(first, "dlsym");
}

void *cotree_dlsym(void *library, const char *name)
{
    find_lookups();
    /* The call stays a call: the real dlsym sees by its return address which object asks. */
    void *found = real_dlsym != NULL ? real_dlsym(library, name) : NULL;
    __asm__ volatile("" : : "r"(found));
    return found;
}

void *cotree_next(const char *interceptor)
{
    void *next = cotree_executable_definition(interceptor);
    return next != NULL ? next : cotree_dlsym(RTLD_NEXT, interceptor + sizeof INTERCEPTOR_PREFIX - 1);
}

/* ---- the program's ---- */

WATCHED_LIST(cotree_found,
             WATCHED_LOOKUPS(WATCHED_ENTRY) WATCHED_EVERYWHERE(WATCHED_ENTRY) WATCHED_DYNAMIC(WATCHED_ENTRY));

/* What the lookup would find, if that is the function that ours goes on to. Objects that have a
 * function of this name themselves may be where it goes on. */
static const void *found_by(void *library, const char *name, uint64_t caller)
{
    if (library != RTLD_NEXT)
        return library == RTLD_DEFAULT ? NULL : cotree_dlsym(library, name);
    const struct link_map *asking = cotree_loaded_at(caller);
    if (asking == NULL || (asking != cotree_loaded_first() && cotree_loaded_definition(asking, name) != NULL))
        return NULL;
    return next_definition(asking, name);
}

/* A sanitizer looks for the real function by these very lookups. */
static bool is_intercepted(const char *name)
{
    char interceptor[64] = INTERCEPTOR_PREFIX;
    cotree_put(interceptor + sizeof INTERCEPTOR_PREFIX - 1, sizeof interceptor - sizeof INTERCEPTOR_PREFIX,
               name);
    return cotree_executable_definition(interceptor) != NULL;
}

/* The runtime's function, or NULL: the lookup goes on. */
__attribute__((used)) static const void *answer(void *library, const char *name, uint64_t caller)
{
    find_lookups();
    struct watched one;
    for (const char *at = cotree_found; cotree_watched_next(&at, &one);)
        if (cotree_same_text(one.name, name) && !is_intercepted(name)) {
            const void *found = found_by(library, name, caller);
            return found != NULL && found == cotree_dlsym(RTLD_NEXT, name) ? one.own : NULL;
        }
    return NULL;
}

__attribute__((naked)) void *INTERPOSE(dlsym)(__attribute__((unused)) void *library,
                                              __attribute__((unused)) const char *name)
{
    COTREE_LOOKUP_BODY(answer, real_dlsym);
}

__attribute__((naked)) void *INTERPOSE(dlvsym)(__attribute__((unused)) void *library,
                                               __attribute__((unused)) const char *name,
                                               __attribute__((unused)) const char *version)
{
    COTREE_LOOKUP_BODY(answer, real_dlvsym);
}

#endif

#ifdef COTREE_RUNTIME_SHARED
void *cotree_next_or_first(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    return next != NULL ? next : dlsym(RTLD_DEFAULT, name);
}
#endif
