/*
 * Do we stand in front of the functions that link_flags.h lists, for libraries too? Of those which jump,
 * cancel or change contexts: then it is noted when one was called (WATCHED). Of all: then frames that are
 * left behind are recorded (FRAMES). The file says so from the start. A program may have functions of its own
 * under some of these names, hide ours (version scripts), or be built with a sanitizer that has its own.
 */
#include <dlfcn.h>
#include "runtime/interpose.h"
#include "runtime/runtime.h"
#include "runtime/watched_functions.h"

/* Something leaves frames behind that is only noted: the old rules hold for this file. In one that others
 * share, who would say it again, it is a loss. */
void cotree_only_noted(void)
{
    struct cotree_file *file = &cotree_process.file;
    cotree_process.always_flagged &= ~(uint32_t)DATA_FLAG_FRAMES;
    if (file->header == NULL)
        return;
    __atomic_fetch_and(&file->header->flags, ~(uint32_t)DATA_FLAG_FRAMES, __ATOMIC_RELAXED);
    if (file->shared)
        cotree_flag(DATA_FLAG_FRAMES_LOST);
}

#ifdef COTREE_RUNTIME_SHARED

void cotree_watch_start(void) {}

#else

#ifdef COTREE_RUNTIME_STATIC
static uint32_t what_is_seen(void)
{
    return DATA_FLAG_WATCHED | DATA_FLAG_FRAMES; /* the linker has wrapped them */
}
#else
#define OWN(name, ...)                                                                                       \
    extern const char cotree_address_of_##name[] __asm__("cotree_own_" #name)                                \
        __attribute__((visibility("hidden")));
WATCHED_EVERYWHERE(OWN)
WATCHED_DYNAMIC(OWN)
#define IS_OURS(name) (cotree_dlsym(RTLD_DEFAULT, #name) == (const void *)cotree_address_of_##name)

static uint32_t what_is_seen(void)
{
#define AND_IS_OURS(name, ...) &&IS_OURS(name)
    if (!IS_OURS(longjmp) || !IS_OURS(setcontext) || !IS_OURS(pthread_cancel))
        return 0;
    return DATA_FLAG_WATCHED |
           (true WATCHED_EVERYWHERE(AND_IS_OURS) WATCHED_DYNAMIC(AND_IS_OURS) ? DATA_FLAG_FRAMES : 0);
}
#endif

void cotree_watch_start(void)
{
    uint32_t seen = cotree_process.off ? 0 : what_is_seen();
    cotree_process.always_flagged |= seen;
    cotree_flag(seen);
}

#endif
