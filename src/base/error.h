/*
 * The one error type: a line of text, lower case, problem first, subject quoted, no full stop.
 *
 * Functions that can fail return bool and take a struct error last:
 *     if (n > left)
 *         return error_set(error, "'%s': section is cut short", path);
 */
#ifndef COTREE_BASE_ERROR_H
#define COTREE_BASE_ERROR_H

#include <stdbool.h>

struct error {
    char text[1024];
};

/* Stores the message (names made printable) and returns false. error may be NULL. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "prefix: " before the message that is there. Returns false. */
bool error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Exit statuses of every command; --help and the manual repeat them. */
enum exit_status {
    EXIT_OK = 0,
    EXIT_CANNOT = 1,    /* the request could not be carried out */
    EXIT_UNUSABLE = 2,  /* no input was usable */
    EXIT_THRESHOLD = 3, /* --fail-under-... was not reached, or --fail-above passed */
    EXIT_SKIPPED = 4,   /* done, but some inputs were skipped */
    EXIT_USAGE = 64,
};

#endif
