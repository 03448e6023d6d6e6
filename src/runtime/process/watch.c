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
#include "runtime/loader/watched.h"
#include "runtime/process/process.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_watch_start(void) {}

#else

#ifdef COTREE_RUNTIME_STATIC
static uint32_t what_is_seen(void)
{
    return DATA_FLAG_WATCHED | DATA_FLAG_FRAMES; /* the linker has wrapped them */
}
#else
WATCHED_LIST(cotree_needed, WATCHED_EVERYWHERE(WATCHED_ENTRY) WATCHED_DYNAMIC(WATCHED_ENTRY));

/* The executable is the first that is looked through, wherever a name comes from. */
static uint32_t what_is_seen(void)
{
    uint32_t seen = DATA_FLAG_WATCHED | DATA_FLAG_FRAMES;
    struct watched one;
    for (const char *at = cotree_needed; seen != 0 && cotree_watched_next(&at, &one);) {
        if (cotree_executable_definition(one.name) == one.own)
            continue;
        seen = DATA_FLAG_WATCHED & seen;
        if (cotree_same_text(one.name, "longjmp") || cotree_same_text(one.name, "setcontext") ||
            cotree_same_text(one.name, "pthread_cancel"))
            seen = 0;
    }
    return seen;
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
