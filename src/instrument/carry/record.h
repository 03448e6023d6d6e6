/* Makes the record of a unit that is carried in its object (format/carry/units.h). */
#ifndef COTREE_INSTRUMENT_CARRY_RECORD_H
#define COTREE_INSTRUMENT_CARRY_RECORD_H

#include "base/buffer.h"
#include "instrument/options.h"

#ifdef __cplusplus
extern "C" {
#endif

struct carried_module {
    const char *name, *compiler;
    const char *words; /* of clang -cc1, each followed by a zero byte */
    size_t words_length;
    const void *bitcode;
    size_t bitcode_length;
};

void carry_record_make(struct buffer *record, const struct carried_module *module,
                       const struct instrument_options *options);

#ifdef __cplusplus
}
#endif

#endif
