/*
 * The process: how it begins, its threads, its modules, and how it makes others.
 */
#ifndef COTREE_RUNTIME_PROCESS_PROCESS_H
#define COTREE_RUNTIME_PROCESS_PROCESS_H

#include "runtime/runtime.h"

extern struct cotree_module cotree_pic_module; /* of code that is -fPIC, in this module */

/* start.c */
void cotree_start(char **environment);
void cotree_identify(void); /* fills pid, start_time, pid_namespace */
char *cotree_thread_range(const void *thread);

/* early.c */
void cotree_take_early_counts(uint64_t length); /* static programs */

/* modules.c */
void cotree_module_path(struct cotree_module *module);
void cotree_modules_start(void);
void cotree_open_and_attach(void);
long cotree_attach_here(long *delta); /* for attach.c */
void cotree_account_for_run(void);

/* threads.c */
void cotree_threads_start(void);

/* fork.c */
void cotree_fork_start(void);
bool cotree_fork_begins(void); /* false: nothing to do */
void cotree_fork_ends(bool in_child, const struct cotree_cursor *caller);

/* vfork.c */
void cotree_vfork_start(void);

/* watch.c */
void cotree_watch_start(void);

/* raw_calls.c */
void cotree_raw_calls_start(void);

/* sandbox.c */
void cotree_sandbox_start(void);
bool cotree_sandbox_begins(void);
void cotree_sandbox_failed(bool before);

/* api.c */
int cotree_dump_now(const char *path);
int cotree_reset_now(void);
void cotree_clear_counters(uint64_t *block, uint64_t words);

#endif
