#include "base/temporary.h"

#include <stdlib.h>

const char *temporary_directory(void)
{
    const char *chosen = getenv("TMPDIR");
    return chosen && *chosen ? chosen : "/tmp";
}
