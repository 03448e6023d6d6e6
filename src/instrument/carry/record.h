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

/* Has another variant claimed the same code? `place` is the value of INSTRUMENT_SHARE_OPTION, and the
 * options are those of the unit, as text: which paths they choose shows in the bitcode. */
bool carry_is_claimed(const char *place, const char *options, const void *bitcode, size_t length);

#ifdef __cplusplus
}
#endif

#endif
