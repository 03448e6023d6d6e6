/*
 * How a process ends, and what is done then: its end is noted in the file, its other threads are
 * stopped, and the frames of all are counted as cut.
 */
#ifndef COTREE_RUNTIME_DEATH_DEATH_H
#define COTREE_RUNTIME_DEATH_DEATH_H

#include "runtime/arch/arch.h"
#include "runtime/runtime.h"

/* endings.c */
void cotree_endings_start(void);
void cotree_note_clean_end(const struct cotree_cursor *from);
void cotree_note_end(uint32_t state, const struct cotree_cursor *from, bool may_go_on);
void cotree_note_exited(const struct cotree_cursor *from);
struct cotree_exec {
    struct cotree_cursor from;
    struct cotree_vfork *call; /* in a child of vfork */
    bool noted;
};
void cotree_exec_begins(struct cotree_exec *exec, const struct cotree_cursor *from);
void cotree_exec_failed(const struct cotree_exec *exec);
void cotree_forked_parent(void); /* after a fork, in the parent */

/* stop.c */
void cotree_stop_threads(const struct cotree_cursor *here, bool dumps_core);
void cotree_let_threads_go(void);
bool cotree_another_ends(void);
void cotree_wait_for_the_end(void);

/* signals.c */
void cotree_signals_start(void);
void cotree_signals_forked(void);
void cotree_abort_begins(void);
void cotree_signals_retire(void);
void cotree_signals_return(void);
bool cotree_signals_pass_here(void);
bool cotree_signal_is_foreign(int number);

/* signal_stacks.c */
void cotree_signal_stacks_start(void);
void cotree_signal_stacks_stop(void);
char *cotree_signal_stack_for(void *(**start)(void *), void **argument);
void cotree_signal_stack_unused(char *stack);
void cotree_signal_stack_left(void *thread);
struct kernel_frame *cotree_leave_signal_stack(struct kernel_frame *frame);

#endif
