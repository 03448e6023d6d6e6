#include "expect/expect.h"

#include <fcntl.h>
#include <stdarg.h>

/* Descriptors above are not compared. */
enum { DESCRIPTORS_MOST = 65536 };

static unsigned char is_output[DESCRIPTORS_MOST];

bool expect_is_output(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS_MOST &&
           __atomic_load_n(&is_output[descriptor], __ATOMIC_RELAXED);
}

void expect_set_output(int descriptor, bool is)
{
    if (descriptor >= 0 && descriptor < DESCRIPTORS_MOST)
        __atomic_store_n(&is_output[descriptor], is, __ATOMIC_RELAXED);
}

EXPECT_INTERPOSED(int, dup, (int))
EXPECT_INTERPOSED(int, dup2, (int, int))
EXPECT_INTERPOSED(int, dup3, (int, int, int))
EXPECT_INTERPOSED(int, fcntl, (int, int, ...))
EXPECT_INTERPOSED(int, fcntl64, (int, int, ...))
EXPECT_INTERPOSED(int, close, (int))

static int copied(int from, int to)
{
    if (to >= 0 && to != from)
        expect_set_output(to, expect_is_output(from));
    return to;
}

int EXPECT_OWN(dup)(int from)
{
    return copied(from, EXPECT_REAL(dup)(from));
}

int EXPECT_OWN(dup2)(int from, int to)
{
    return copied(from, EXPECT_REAL(dup2)(from, to));
}

int EXPECT_OWN(dup3)(int from, int to, int flags)
{
    return copied(from, EXPECT_REAL(dup3)(from, to, flags));
}

static int controlled(int descriptor, int command, int result)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(descriptor, result) : result;
}

/* All arguments that fcntl takes are as large as a pointer, or smaller. */
#define CONTROLS(name)                                                                                       \
    int EXPECT_OWN(name)(int descriptor, int command, ...)                                                   \
    {                                                                                                        \
        va_list arguments;                                                                                   \
        va_start(arguments, command);                                                                        \
        void *argument = va_arg(arguments, void *);                                                          \
        va_end(arguments);                                                                                   \
        return controlled(descriptor, command, EXPECT_REAL(name)(descriptor, command, argument));            \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

int EXPECT_OWN(close)(int descriptor)
{
    /* Before: as soon as it is closed another thread may get its number. */
    bool was_output = expect_is_output(descriptor);
    expect_set_output(descriptor, false);
    int result = EXPECT_REAL(close)(descriptor);
    if (result < 0 && was_output && fcntl(descriptor, F_GETFD) >= 0)
        expect_set_output(descriptor, true);
    return result;
}
