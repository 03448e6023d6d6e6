/* Where things are: cotree's own files, and clang. The only place of the driver that reads the environment.
 */
#ifndef COTREE_CLI_INSTALL_H
#define COTREE_CLI_INSTALL_H

#include "cli/driver.h"

/* The directory of plugin and runtime: lib/cotree beside the program (build tree) or beside its bin
 * (installed). */
char *install_library_directory(struct error *error);
/* Appends the compiler's command: COTREE_CLANG's words, or clang of the LLVM that cotree was built for. */
bool install_compiler(struct words *command, struct error *error);
/* Of the plugin this program was built with (the Makefile makes it). */
extern const char cotree_plugin_hash[];

#endif
