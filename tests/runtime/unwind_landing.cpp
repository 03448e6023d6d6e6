// Where exceptions land is where cotree_has_landing_pad says: compared with what the personality routine of C++ tells the unwinder.
#include <dlfcn.h>
#include <vector>
#include "unwind_oracle.h"

struct landing {
    uint64_t pc, sp;
};
static std::vector<landing> real, said;
static volatile int one = 1;
static volatile unsigned long sink;

extern "C" _Unwind_Reason_Code __gxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                                    _Unwind_Exception *exception, _Unwind_Context *context)
{
    typedef _Unwind_Reason_Code personality(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception *, _Unwind_Context *);
    static personality *next = (personality *)dlsym(RTLD_NEXT, "__gxx_personality_v0");
    uint64_t pc = _Unwind_GetIP(context), sp = _Unwind_GetCFA(context);
    _Unwind_Reason_Code code = next(version, actions, kind, exception, context);
    // A frame that is landed in several times goes on from its own clean-up: the first landing is the call's.
    if (code == _URC_INSTALL_CONTEXT && (real.empty() || real.back().sp != sp))
        real.push_back({pc, sp});
    return code;
}

struct guard {
    unsigned long &counter;
    explicit guard(unsigned long &c) : counter(c) { counter = counter + 1; }
    __attribute__((noinline)) ~guard() { sink = sink + counter; }
};

static bool throws;

// Notes what is said of every frame above, then throws.
__attribute__((noinline)) static void bottom(uint64_t last)
{
    cotree_cursor c;
    CURSOR_HERE(&c);
    do
        if (cotree_has_landing_pad(&c))
            said.push_back({c.pc, c.sp});
    while (c.sp < last && cotree_unwind(&c) == COTREE_STEP_OK);
    if (throws)
        throw 5;
}

typedef void step(unsigned depth, uint64_t last);
static step plain, guarded, guarded_later, guarded_before, caught_otherwise, caught, rethrown;
static step *const steps[] = {plain, guarded, guarded_later, guarded_before, caught_otherwise, rethrown};

static unsigned long choices;

static void next(unsigned depth, uint64_t last)
{
    if (depth == 0) {
        bottom(last);
        return;
    }
    choices = choices * 6364136223846793005u + 1442695040888963407u;
    steps[choices >> 33 & 7 ? (choices >> 33) % 6 : 0](depth - 1, last);
    sink = sink + 1;
}

__attribute__((noinline)) static void plain(unsigned depth, uint64_t last)
{
    next(depth, last);
    sink = sink + 1;
}

__attribute__((noinline)) static void guarded(unsigned depth, uint64_t last)
{
    unsigned long counter = 0;
    guard g(counter);
    next(depth, last);
}

// The call is outside of what would be cleaned up.
__attribute__((noinline)) static void guarded_later(unsigned depth, uint64_t last)
{
    next(depth, last);
    unsigned long counter = 0;
    guard g(counter);
    if (!one)
        next(depth, last);
}

__attribute__((noinline)) static void guarded_before(unsigned depth, uint64_t last)
{
    {
        unsigned long counter = 0;
        guard g(counter);
        if (!one)
            next(depth, last);
    }
    next(depth, last);
    sink = sink + 1;
}

__attribute__((noinline)) static void caught_otherwise(unsigned depth, uint64_t last)
{
    unsigned long counter = 0;
    try {
        guard g(counter);
        next(depth, last);
    } catch (const char *) {
        sink = sink + 2;
    }
}

__attribute__((noinline)) static void rethrown(unsigned depth, uint64_t last)
{
    unsigned long counter = 0;
    guard g(counter);
    try {
        guard h(counter);
        next(depth, last);
    } catch (...) {
        throw;
    }
}

__attribute__((noinline)) static void caught(unsigned depth, uint64_t)
{
    try {
        // the frame of `caught` is the last one
        next(depth, (uint64_t)__builtin_frame_address(0));
    } catch (int) {
        sink = sink + 3;
    }
}

int main()
{
    unsigned long landings = 0;
    for (unsigned i = 0; i < 3000; i++) {
        choices = i * 7919 + 1;
        real.clear();
        said.clear();
        throws = true;
        caught(i % 12, 0);
        for (size_t k = 0; k < said.size() || k < real.size(); k++)
            if (k >= real.size() || k >= said.size() || real[k].pc != said[k].pc || real[k].sp != said[k].sp) {
                fprintf(stderr, "run %u, landing %zu: said %zu, real %zu\n", i, k, said.size(), real.size());
                for (size_t n = 0; n < said.size() || n < real.size(); n++)
                    fprintf(stderr, "  said %lx %lx, real %lx %lx\n", n < said.size() ? said[n].pc : 0, n < said.size() ? said[n].sp : 0,
                            n < real.size() ? real[n].pc : 0, n < real.size() ? real[n].sp : 0);
                return 1;
            }
        landings += real.size();
    }
    printf("%lu landings\n", landings);
    return landings < 3000;
}
