/* Sets the seal of the object that this compiler writes (format/carry/seal.h). */
#ifndef COTREE_INSTRUMENT_CARRY_SEAL_H
#define COTREE_INSTRUMENT_CARRY_SEAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call it while the object is open: it is written, and gets its name, after the last pass. */
void carry_seal_at_exit(uint64_t unit);

#ifdef __cplusplus
}
#endif

#endif
