/*
 * The name of the data file: the pattern of COTREE_FILE with its escapes, made absolute when the
 * program starts, so that chdir does not matter.
 *
 *   %e  file name of the program
 *   %p  process id
 *   %b  build id in hexadecimal
 *   %%  a per cent sign
 *   %m  build id and ".pool": all runs of this build share the file
 *
 * A file is never overwritten: attempt N > 0 puts ".N" before the ending ".cotree", or at the end.
 */
#include <errno.h>
#include "runtime/file/file.h"

static size_t append_build_id(char *out, size_t size, size_t at)
{
    static const char hexadecimal[] = "0123456789abcdef";
    const struct cotree_module *module = cotree_process.modules;
    if (module == NULL || module->build_id_size == 0)
        return cotree_append(out, size, at, "no-build-id");
    for (uint32_t i = 0; i < module->build_id_size; i++) {
        char pair[3] = {hexadecimal[module->build_id[i] >> 4], hexadecimal[module->build_id[i] & 15], '\0'};
        at = cotree_append(out, size, at, pair);
    }
    return at;
}

/* Writes the file's name; *pool tells whether it is one for all runs. Returns 0 or a negative
 * error. */
int cotree_name(char *out, size_t size, unsigned attempt, bool *pool)
{
    static const char ending[] = ".cotree";
    size_t at = 0;
    *pool = false;
    out[0] = '\0';
    for (const char *p = cotree_process.pattern; *p != '\0' && at < size; p++) {
        char one[2] = {*p, '\0'};
        if (*p != '%') {
            at = cotree_append(out, size, at, one);
            continue;
        }
        switch (*++p) {
        case 'e':
            at = cotree_append(out, size, at, cotree_process.program);
            break;
        case 'p':
            at = cotree_append_number(out, size, at, cotree_process.pid);
            break;
        case 'b':
            at = append_build_id(out, size, at);
            break;
        case 'm':
            *pool = true;
            at = append_build_id(out, size, at);
            at = at < size ? cotree_append(out, size, at, ".pool") : at;
            break;
        case '%':
            at = cotree_append(out, size, at, "%");
            break;
        default: /* an unknown escape stays as it is written */
            at = cotree_append(out, size, at, "%");
            p--;
            break;
        }
    }
    if (at < size && attempt > 0) {
        size_t length = sizeof ending - 1;
        bool has_ending = at > length;
        for (size_t i = 0; i < length && has_ending; i++)
            has_ending = out[at - length + i] == ending[i];
        if (has_ending)
            at -= length;
        at = cotree_append(out, size, at, ".");
        at = at < size ? cotree_append_number(out, size, at, attempt) : at;
        if (has_ending && at < size)
            at = cotree_append(out, size, at, ending);
    }
    return at < size ? 0 : -ENAMETOOLONG;
}
