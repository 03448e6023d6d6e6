/* The commands of `cotree`. Each gets its own words, argv[0] being the command's name, and returns
 * an exit status. */
#ifndef COTREE_CLI_COMMANDS_H
#define COTREE_CLI_COMMANDS_H

int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_graph(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_weave(int argc, char **argv);
/* Stands for the linker: driver_carry.c. */
int cmd_ld(int argc, char **argv);
int cmd_crash(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_run(int argc, char **argv);

#endif
