/*
 * Finds out whether calls of the watched functions (watched_functions.h) come to the runtime, from
 * libraries too. If those which jump, cancel or change contexts do, it is noted when one was called
 * (WATCHED). If all do, frames that are left are recorded (FRAMES). The file says so from the
 * start. A program may have functions of its own under some of these names, hide the runtime's
 * (version scripts), or be built with a sanitizer that has its own.
 */
#include <dlfcn.h>
#include "runtime/file/file.h"
#include "runtime/file/frame_counts.h"
#include "runtime/interpose.h"
#include "runtime/loader/loaded.h"
#include "runtime/process/process.h"
#include "runtime/watched_functions.h"

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

#ifdef COTREE_RUNTIME_EXEC

INTERPOSED_WEAKLY(int, dlclose, (void *))
BORROWED(dl_iterate_phdr)

static int check(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    cotree_frames_check_objects();
    return 1; /* that is all */
}

/* Objects that go away are looked at before. While the loader tells of its objects, the list stays
 * as it is. */
int INTERPOSE(dlclose)(void *library)
{
    if (cotree_loaded_may_lead_past() && BORROW(dl_iterate_phdr) != NULL)
        (void)BORROW(dl_iterate_phdr)(check, NULL);
    return REAL(dlclose)(library);
}

#endif
#endif
