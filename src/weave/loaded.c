#include "weave/loaded.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

bool loaded_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool loaded_line_read(char *line, struct loaded_line *loaded)
{
    char *open = strrchr(line, '('), *close;
    size_t length = strlen(line);
    if (loaded_is_file(line)) {
        *loaded = (struct loaded_line){line, NULL};
        return true;
    }
    if (open && open != line && line[length - 1] == ')') {
        *open = line[length - 1] = 0;
        if (loaded_is_file(line)) {
            *loaded = (struct loaded_line){line, open + 1};
            return true;
        }
        *open = '(', line[length - 1] = ')';
    }
    if (line[0] == '(' && (close = strchr(line, ')')) != NULL) {
        *close = 0;
        if (loaded_is_file(line + 1)) {
            *loaded = (struct loaded_line){line + 1, close + 1};
            return true;
        }
        *close = ')';
    }
    return false;
}
