/*
 * Programs that lock their memory (mlockall) do not mean the events file: terabytes of addresses,
 * which would be more than they may lock, or become real at once. So everything else is locked,
 * mapping by mapping, as the kernel would; what comes later is the kernel's. (watched_lock.c has
 * mlockall itself.)
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "runtime/trace/trace.h"

/* One line of /proc/self/maps: what it says first. */
struct range {
    uint64_t begin, end;
    bool is_closed; /* no access is allowed: there is nothing to make real */
};

static bool read_hexadecimal(const char **text, uint64_t *number)
{
    const char *begin = *text;
    for (*number = 0;; (*text)++) {
        unsigned digit = (unsigned)(**text - '0'), letter = (unsigned)(**text - 'a');
        if (digit < 10)
            *number = *number << 4 | digit;
        else if (letter < 6)
            *number = *number << 4 | (letter + 10);
        else
            return *text > begin;
    }
}

static bool parse(const char *line, struct range *range)
{
    if (!read_hexadecimal(&line, &range->begin) || *line++ != '-' || !read_hexadecimal(&line, &range->end) ||
        *line++ != ' ')
        return false;
    range->is_closed = line[0] == '-' && line[1] == '-' && line[2] == '-';
    return true;
}

/* As much of the range as is not the file's. */
static long lock_range(const struct range *range, bool on_fault)
{
    uint64_t file = (uint64_t)(uintptr_t)cotree_trace_file.header;
    if (range->begin >> 47 != 0 || range->begin - file < cotree_trace_file.length)
        return 0;
    long result = COTREE_CALL(SYS_mlock2, range->begin, range->end - range->begin,
                              on_fault || range->is_closed ? MLOCK_ONFAULT : 0, 0, 0, 0);
    /* That some pages cannot be made real (a file is shorter) is no error of mlockall. */
    return result == 0
               ? 0
               : COTREE_CALL(SYS_mlock2, range->begin, range->end - range->begin, MLOCK_ONFAULT, 0, 0, 0);
}

static long lock_everything_else(bool on_fault)
{
    char text[1024];
    size_t kept = 0;
    long length, result = 0;
    long descriptor = cotree_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (cotree_failed(descriptor))
        return descriptor;
    bool in_line = false; /* the rest of one that was too long */
    while (result == 0 &&
           (length = COTREE_CALL(SYS_read, descriptor, text + kept, sizeof text - 1 - kept, 0, 0, 0)) > 0) {
        size_t all = kept + (size_t)length, at = 0;
        text[all] = '\0';
        for (size_t i = 0; i < all && result == 0; i++) {
            struct range range;
            if (text[i] != '\n')
                continue;
            if (!in_line && parse(text + at, &range))
                result = lock_range(&range, on_fault);
            in_line = false;
            at = i + 1;
        }
        kept = all - at;
        cotree_copy(text, text + at, kept); /* forwards: the ranges may overlap */
        if (kept == sizeof text - 1) {
            struct range range;
            if (!in_line && parse(text, &range))
                result = lock_range(&range, on_fault);
            in_line = true;
            kept = 0;
        }
    }
    cotree_close(descriptor);
    return result;
}

long cotree_trace_lock_memory(int flags)
{
    if (cotree_trace_file.header == NULL || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) != 0 ||
        (flags & (MCL_CURRENT | MCL_FUTURE)) == 0) {
        /* The file may come later. */
        return COTREE_CALL(SYS_mlockall, flags & MCL_FUTURE ? flags | MCL_ONFAULT : flags, 0, 0, 0, 0, 0);
    }
    long result = (flags & MCL_CURRENT) != 0 ? lock_everything_else((flags & MCL_ONFAULT) != 0) : 0;
    if (result == 0 && (flags & MCL_FUTURE) != 0)
        result = COTREE_CALL(SYS_mlockall, flags & ~MCL_CURRENT, 0, 0, 0, 0, 0);
    return result;
}
