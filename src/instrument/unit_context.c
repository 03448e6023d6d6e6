#include "instrument/unit_context.h"
#include "base/hash.h"
#include "base/memory.h"

#include <pthread.h>

/* The only state of the plugin that is not of one unit. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash_map contexts; /* LLVMContextRef -> struct unit_context *, 0 when it has ended */

void unit_options_init(struct unit_options *o, const char *text)
{
    *o = (struct unit_options){.text = text};
    o->valid = instrument_options_parse(&o->parsed, text, &o->error);
}

void unit_options_release(struct unit_options *o)
{
    if (o->valid)
        instrument_options_release(&o->parsed);
}

bool unit_options_move_counts(const struct unit_options *o)
{
    return o->valid && !o->parsed.durable && !o->parsed.bitcode;
}

bool unit_options_count_paths(const struct unit_options *o)
{
    for (size_t i = 0; o->valid && i < o->parsed.set_count; i++)
        if (placement_counts_paths(o->parsed.sets[i]))
            return true;
    return false;
}

bool unit_options_promote_calls(const struct unit_options *o)
{
    return o->valid && o->parsed.use && o->parsed.no_counters;
}

struct unit_context *unit_context_of(LLVMContextRef llvm)
{
    pthread_mutex_lock(&lock);
    uint64_t *place = hash_map_put(&contexts, (uint64_t)(uintptr_t)llvm, NULL);
    if (!*place)
        *place = (uint64_t)(uintptr_t)ZALLOC(struct unit_context, 1);
    struct unit_context *context = (struct unit_context *)(uintptr_t)*place;
    pthread_mutex_unlock(&lock);
    return context;
}

void unit_context_end(LLVMContextRef llvm)
{
    struct unit_context *context = NULL;
    pthread_mutex_lock(&lock);
    uint64_t *place = hash_map_get(&contexts, (uint64_t)(uintptr_t)llvm);
    if (place) {
        context = (struct unit_context *)(uintptr_t)*place;
        *place = 0;
    }
    pthread_mutex_unlock(&lock);
    if (context) {
        position_table_release(&context->positions);
        buffer_release(&context->carried);
        crash_table_release(&context->crash);
    }
    free(context);
}
