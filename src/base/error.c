#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *error, const char *format, ...)
{
    if (!error)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    text_make_printable(error->text);
    return false;
}

bool error_prefix(struct error *error, const char *format, ...)
{
    if (!error)
        return false;
    char old[sizeof error->text];
    memcpy(old, error->text, sizeof old);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof error->text)
        snprintf(error->text + n, sizeof error->text - (size_t)n, ": %.*s", (int)sizeof old - 1, old);
    text_make_printable(error->text);
    return false;
}
