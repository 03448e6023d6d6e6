/*
 * The data file of the process (format/data/layout.h): its name, its space, the blocks of threads
 * in it, and its seals.
 */
#ifndef COTREE_RUNTIME_FILE_FILE_H
#define COTREE_RUNTIME_FILE_FILE_H

#include "format/data/layout.h"
#include "runtime/runtime.h"

/* name.c */
int cotree_name(char *out, size_t size, unsigned attempt, bool *pool);

/* file.c */
int cotree_file_open(void);
void cotree_file_close(struct cotree_file *file);
void *cotree_file_at(uint64_t offset, uint64_t length);
void *cotree_file_mapped(uint64_t offset, uint64_t length);
bool cotree_file_may_be(uint64_t length);
int cotree_file_space(uint64_t length, uint64_t *offset);
int cotree_file_map(uint64_t offset, uint64_t length, char *address);
void cotree_flag(uint32_t flags);
void cotree_lost(const char *what, long error);

/* modules.c */
int cotree_module_in_file(struct cotree_module *module);
void cotree_module_describe(struct data_module *record, const struct cotree_module *module);

/* slots.c */
struct data_slot *cotree_slot_claim(struct cotree_module *module, const char *first, long *error);
void cotree_slot_state(struct data_slot *slot, uint32_t state);
struct cotree_mapping *cotree_mapping_new(void);
struct cotree_mapping *cotree_mapping_next(struct cotree_mapping *after);
struct cotree_mapping *cotree_mapping_of_thread(const void *thread);
void cotree_keep_in_memory(char *address, const struct cotree_module *module);
void cotree_slots_seal_free(void);
uint64_t cotree_slots_hash(uint64_t hash);

/* owners.c */
void cotree_owners_start(void);
uint32_t cotree_thread_id(const void *thread); /* 0: it has not started, or has ended */
bool cotree_thread_alive(const struct cotree_mapping *mapping);
bool cotree_thread_leaving(const struct cotree_mapping *mapping);

/* seals.c */
void cotree_seal_slot(struct data_slot *slot, const void *block);
/* HANDLERS_UNSEAL makes sure that handlers of the program that may still run call cotree_unseal;
 * false: that cannot be done. */
void cotree_seal(bool (*handlers_unseal)(void));
void cotree_unseal(void);

static inline uint64_t cotree_whole_pages(uint64_t length)
{
    return (length + DATA_PAGE - 1) & ~(uint64_t)(DATA_PAGE - 1);
}

#endif
