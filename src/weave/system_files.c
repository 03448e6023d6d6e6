#include "weave/system_files.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool is_of_system(const char *path)
{
    static const char *const places[] = {"/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
                                         "/lib/",     "/lib64/",     "/lib32/",     "/libx32/"};
    char resolved[PATH_MAX];
    if (!realpath(path, resolved))
        return false;
    size_t length = strlen(resolved);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_starts_with(resolved, places[i]) ||
            (length + 1 == strlen(places[i]) && text_starts_with(places[i], resolved)))
            return true;
    return false;
}
