/* Where cotree's own files and clang are. Of the driver, only this reads the environment. */
#ifndef COTREE_CLI_INSTALL_H
#define COTREE_CLI_INSTALL_H

#include "cli/driver.h"

/* Where Debian has the compiler, and the linker that belongs to it. */
#define INSTALL_COMPILER_DIRECTORY "/usr/lib/llvm-" COTREE_LLVM "/bin"

/* Returns the directory of plugin and runtime: lib/cotree beside the program (build tree) or beside
 * its bin (installed). */
char *install_library_directory(struct error *error);
/* Appends the compiler's command: COTREE_CLANG's words, or clang of the LLVM that cotree was built
 * for. */
bool install_compiler(struct words *command, struct error *error);
/* The hash of the plugin that this program was built with (made by the Makefile). */
extern const char cotree_plugin_hash[];

#endif
