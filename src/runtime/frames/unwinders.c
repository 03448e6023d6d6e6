/*
 * Unwinders: the one that is linked with the program, and libgcc_s, which the C library loads to
 * end a thread. Both are found by the addresses of their functions, and believed only if they ask
 * where they should (throws.c): a test question is asked through them.
 */
#include "runtime/frames/unwinders.h"
#include "runtime/frames/frames.h"
#include "runtime/interpose.h"
#include <errno.h>

struct cotree_unwinder_code cotree_unwinder_code[UNWINDERS];

#ifndef COTREE_RUNTIME_SHARED

/* Of the unwinder, which programs in C do without; throws.c stands in front of the first two. */
#ifdef COTREE_RUNTIME_STATIC
int __real__Unwind_RaiseException(void *) __attribute__((weak));
void __real__Unwind_Resume(void *) __attribute__((weak));
#else
int _Unwind_RaiseException(void *) __attribute__((visibility("default")));
void _Unwind_Resume(void *) __attribute__((visibility("default")));
#endif
int _Unwind_ForcedUnwind(void *, void *, void *) __attribute__((weak));
int _Unwind_Resume_or_Rethrow(void *) __attribute__((weak));
int _Unwind_Backtrace(void *, void *) __attribute__((weak));
void *_Unwind_FindEnclosingFunction(void *) __attribute__((weak));

static uint64_t unwinders[UNWINDERS][KINDS];

#define CODE_LENGTH 0x10000u /* all code of an unwinder is near */

/* Is this a test whether questions come here? */
static __thread enum { NO_TEST, TEST, TEST_PASSED } test __attribute__((tls_model("local-exec")));

bool cotree_unwinder_is_tested(void)
{
    if (__builtin_expect(test == NO_TEST, 1))
        return false;
    test = TEST_PASSED;
    return true;
}

/* FIND: its _Unwind_FindEnclosingFunction, to see whether its questions come to throws.c. */
static void set_unwinder(unsigned number, const uint64_t *functions, void *(*find)(void *))
{
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        if (functions[i] == 0)
            return;
        unwinders[number][i] = functions[i];
        low = functions[i] < low ? functions[i] : low;
        high = functions[i] > high ? functions[i] : high;
    }
    test = TEST;
    (void)find((void *)(uintptr_t)functions[RAISE]);
    bool asks = test == TEST_PASSED;
    test = NO_TEST;
    if (!asks)
        return;
    cotree_unwinder_code[number].low = low;
    __atomic_store_n(&cotree_unwinder_code[number].length, high - low + FUNCTION_LENGTH, __ATOMIC_RELEASE);
    cotree_frames_forget();
}

enum kind cotree_unwinder_kind_at(uint64_t pc, uint64_t length)
{
    enum kind found = NO_KIND;
    for (unsigned u = 0; u < UNWINDERS && cotree_is_unwinder(pc); u++)
        for (unsigned i = 0; i < KINDS; i++)
            if (pc - unwinders[u][i] < length) {
                length = pc - unwinders[u][i];
                found = (enum kind)i;
            }
    return found;
}

#ifdef COTREE_RUNTIME_STATIC
#define LINKED(name, near) ((uint64_t)(uintptr_t)&__real_##name)
#else
/* FUNCTION has a name that is interposed: is it the unwinder's own, linked in beside its other
 * functions? */
static uint64_t linked(uint64_t function, const char *name, uint64_t near)
{
    if (function - (near - CODE_LENGTH) < 2 * CODE_LENGTH)
        return function;
    return (uint64_t)(uintptr_t)cotree_dlsym(RTLD_NEXT, name);
}
#define LINKED(name, near) linked((uint64_t)(uintptr_t)&name, #name, near)
#endif

void cotree_unwinders_start(void)
{
    uint64_t functions[KINDS] = {[FORCED] = (uint64_t)(uintptr_t)&_Unwind_ForcedUnwind,
                                 [RETHROW] = (uint64_t)(uintptr_t)&_Unwind_Resume_or_Rethrow,
                                 [BACKTRACE] = (uint64_t)(uintptr_t)&_Unwind_Backtrace};
    if (functions[BACKTRACE] == 0)
        return;
    functions[RAISE] = LINKED(_Unwind_RaiseException, functions[BACKTRACE]);
    functions[RESUME] = LINKED(_Unwind_Resume, functions[BACKTRACE]);
    set_unwinder(0, functions, &_Unwind_FindEnclosingFunction);
}

#ifndef COTREE_RUNTIME_STATIC
BORROWED(dlopen)
BORROWED(dlerror)

bool cotree_unwinder_is_near(uint64_t caller)
{
    for (unsigned u = 0; u < UNWINDERS; u++)
        if (cotree_unwinder_code[u].length != 0 &&
            caller - (cotree_unwinder_code[u].low - CODE_LENGTH) < 2 * CODE_LENGTH)
            return true;
    return false;
}

bool cotree_unwinder_find_loaded(int mode)
{
    static const char *const names[KINDS] = {
        [RAISE] = "_Unwind_RaiseException", [RESUME] = "_Unwind_Resume",
        [FORCED] = "_Unwind_ForcedUnwind",  [RETHROW] = "_Unwind_Resume_or_Rethrow",
        [BACKTRACE] = "_Unwind_Backtrace",
    };
    static bool looked; /* it stays loaded, then */
    uint64_t functions[KINDS];
    int error = errno;
    void *library = !looked ? BORROW(dlopen)("libgcc_s.so.1", mode) : NULL;
    if (library != NULL) {
        for (unsigned i = 0; i < KINDS; i++)
            functions[i] = (uint64_t)(uintptr_t)cotree_dlsym(library, names[i]);
        void *find = cotree_dlsym(library, "_Unwind_FindEnclosingFunction");
        if (find != NULL)
            set_unwinder(1, functions, (void *(*)(void *))(uintptr_t)find);
        __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
    } else if (!looked) {
        (void)BORROW(dlerror)(); /* the program did not ask: it must not see the error */
    }
    errno = error;
    return library != NULL;
}

bool cotree_unwinder_is_known(uint64_t raise)
{
    return (cotree_unwinder_code[0].length != 0 && raise == unwinders[0][RAISE]) ||
           (cotree_unwinder_code[1].length != 0 && raise == unwinders[1][RAISE]);
}

/* For functions that can be found by their names alone. */
void *cotree_unwinder_function(const char *name)
{
    static const char *const libraries[] = {"libgcc_s.so.1", "libunwind.so.1"};
    int error = errno;
    void *found = NULL;
    for (unsigned i = 0; i < 2 && found == NULL; i++) {
        void *library = BORROW(dlopen)(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL)
            found = cotree_dlsym(library, name);
    }
    (void)BORROW(dlerror)(); /* the program did not ask: it must not see the error */
    errno = error;
    return found;
}

/* pthread_exit, pthread_cancel: finds the unwinder before the C library loads it by itself, where
 * it would not be seen. */
void cotree_thread_will_end(void)
{
    (void)cotree_unwinder_find_loaded(RTLD_NOW);
    if (cotree_unwinder_code[1].length == 0)
        cotree_only_noted();
}

#else

void cotree_thread_will_end(void) {}

#endif
#endif
