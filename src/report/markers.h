/*
 * Markers in comments of the source that leave lines out of sums, as lcov and gcovr read them:
 *
 *   LCOV_EXCL_LINE                     the line, with its branches
 *   LCOV_EXCL_START, LCOV_EXCL_STOP    from the first to in front of the second
 *   LCOV_EXCL_BR_LINE, _BR_START, _BR_STOP    the same for branches alone
 *   cotree: ignore                     the line, with its branches
 *
 * GCOV_EXCL_ and GCOVR_EXCL_ mean the same as LCOV_EXCL_. A marker counts wherever it stands in a line.
 */
#ifndef COTREE_REPORT_MARKERS_H
#define COTREE_REPORT_MARKERS_H

#include "report/line_ranges.h"

struct marked_lines {
    struct line_ranges lines, branches;
    uint32_t unended; /* the line of a START without a STOP, which goes to the end of the file; or 0 */
};

/* A file that cannot be read has no markers. */
void markers_read(const char *path, struct marked_lines *marked);
void marked_lines_release(struct marked_lines *marked);

#endif
