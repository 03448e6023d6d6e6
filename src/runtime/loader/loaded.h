/*
 * The loader's list of objects, read without its functions: what objects define, and what their
 * tables lead to.
 */
#ifndef COTREE_RUNTIME_LOADER_LOADED_H
#define COTREE_RUNTIME_LOADER_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The executable, with which the list begins; NULL: not known. */
const struct link_map *cotree_loaded_first(void);
/* The object around an address, or NULL. */
const struct link_map *cotree_loaded_at(uint64_t address);
/* Where the object defines a function of this name, or NULL. */
void *cotree_loaded_definition(const struct link_map *object, const char *name);
void *cotree_executable_definition(const char *name);
/* Is there an object whose own table leads past the runtime, to a function that leaves frames? */
bool cotree_loaded_leads_past(void);
/* Can there be one? Answered without reading tables. */
bool cotree_loaded_may_lead_past(void);

#endif
