/* Included before a program of the corpus that is interrupted anywhere: its main is a function like others,
 * and what it prints goes nowhere, since a handler that jumps out of the C library's stdio would leave its
 * locks behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
int quiet(const char *format, ...);
int corpus_main(void);
#ifdef __cplusplus
}
#endif
#define main corpus_main
#define printf(...) quiet(__VA_ARGS__)
