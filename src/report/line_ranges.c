#include "report/line_ranges.h"

void line_ranges_add(struct line_ranges *ranges, uint32_t line)
{
    struct line_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && line <= last->last + 1)
        last->last = line > last->last ? line : last->last;
    else
        ARRAY_PUSH(ranges, ((struct line_range){line, line}));
}

bool line_ranges_hold(const struct line_ranges *ranges, uint32_t line)
{
    size_t at = FIRST_WITHOUT(ranges->count, i, ranges->items[i].last < line);
    return at < ranges->count && ranges->items[at].first <= line;
}
