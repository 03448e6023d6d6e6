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
#include "runtime/runtime.h"
#include "runtime/watched_functions.h"

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

/* ---- the program's ---- */

#define DECLARE(name, ...)                                                                                   \
    extern const char own_##name[] __asm__("cotree_own_" #name) __attribute__((visibility("hidden")));       \
    extern const char sanitizers_##name[] __asm__("__interceptor_" #name) __attribute__((weak));
WATCHED_EVERYWHERE(DECLARE)
WATCHED_DYNAMIC(DECLARE)
WATCHED_LOOKUPS(DECLARE)

static const struct {
    const char *name;
    const void *own, *sanitizers; /* a sanitizer looks for the real function by these very lookups */
} functions[] = {
#define LIST(name, ...) {#name, own_##name, sanitizers_##name},
    WATCHED_EVERYWHERE(LIST) WATCHED_DYNAMIC(LIST) WATCHED_LOOKUPS(LIST)};

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

/* The runtime's function, or NULL: the lookup goes on. */
__attribute__((used)) static const void *answer(void *library, const char *name, uint64_t caller)
{
    find_lookups();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (cotree_same_text(functions[i].name, name) && functions[i].sanitizers == NULL) {
            const void *found = found_by(library, name, caller);
            return found != NULL && found == cotree_dlsym(RTLD_NEXT, name) ? functions[i].own : NULL;
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
