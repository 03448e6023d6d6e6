/*
 * Frames of children of vfork. Such a child runs on its parent's stack; whatever frames it leaves
 * there never return: it is like a longjmp to where vfork returns. So calls of vfork are noted
 * (process/vfork.c), and when the child ends or executes another program, the frames are counted as
 * a jump leaves them.
 *
 * The notes of one thread are a stack: a child may call vfork as well. A child that ends unseen (it
 * is killed) is noticed by what its parent does next.
 */
#include "runtime/frames/frames.h"

#ifdef COTREE_RUNTIME_SHARED

struct cotree_vfork *cotree_vfork_child(void)
{
    return NULL;
}

void cotree_vfork_leaves(struct cotree_vfork *call, const struct cotree_cursor *from, int times)
{
    (void)call, (void)from, (void)times;
}

#else

#define DEPTH 4u
static __thread struct cotree_vfork {
    uint64_t sp, return_address; /* where it returns */
    uint32_t parent;             /* the process that called it */
    bool pending;                /* its child has not left so far */
    bool own_stack;              /* the child has one (clone): its parent's frames are none of its own */
} calls[DEPTH] __attribute__((tls_model("local-exec")));

/* The call that made this process, or NULL: this process has memory of its own. */
struct cotree_vfork *cotree_vfork_child(void)
{
    if (!calls[0].pending)
        return NULL;
    if (cotree_getpid() == cotree_process.pid) {
        calls[0].pending = false;
        cotree_frames_lost(); /* its child ended unseen, or there was none */
        return NULL;
    }
    if (cotree_process.witness != NULL && *cotree_process.witness == 0)
        return NULL; /* a copy of the memory, made by a raw fork system call */
    uint32_t parent = (uint32_t)COTREE_CALL(SYS_getppid, 0, 0, 0, 0, 0, 0);
    for (unsigned i = 1; i < DEPTH; i++)
        if (calls[i].pending && calls[i].parent == parent)
            return &calls[i];
    return &calls[0];
}

static struct cotree_vfork *note(uint64_t sp, uint64_t return_address, bool own_stack)
{
    if (cotree_process.file.header == NULL)
        return NULL;
    const struct cotree_vfork *ours = cotree_vfork_child();
    unsigned depth = ours == NULL ? 0 : (unsigned)(ours - calls) + 1;
    if (depth == DEPTH) {
        cotree_frames_lost();
        return NULL;
    }
    if (calls[depth].pending)
        cotree_frames_lost();
    calls[depth] = (struct cotree_vfork){sp, return_address, cotree_getpid(), true, own_stack};
    return &calls[depth];
}

void cotree_vfork_note(uint64_t sp, uint64_t return_address)
{
    (void)note(sp, return_address, false);
}

struct cotree_vfork *cotree_vfork_begins(void)
{
    return note(0, 0, true);
}

void cotree_vfork_returned(struct cotree_vfork *call)
{
    call->pending = false;
}

bool cotree_vfork_ends(struct cotree_vfork *call, bool had_child)
{
    bool killed = had_child && call->pending;
    if (killed)
        cotree_frames_lost();
    call->pending = false;
    return !killed;
}

/* The child leaves all frames of its stack. Marks are for the parent's. */
static void leave_own_stack(const struct cotree_cursor *from, int times)
{
    unsigned before = cotree_mark_count;
    if (times < 0)
        cotree_mark_count = before + 1; /* which is taken back */
    cotree_cut_stack(from, times);
    cotree_mark_count = before;
}

/* The child leaves; TIMES -1: it did not, after all. */
void cotree_vfork_leaves(struct cotree_vfork *call, const struct cotree_cursor *from, int times)
{
    if (call->own_stack)
        leave_own_stack(from, times);
    else if (times > 0)
        cotree_jump_from(from, call->sp, call->return_address);
    else
        cotree_jump_back(from, call->sp, call->return_address);
    call->pending = times < 0;
}

#endif
