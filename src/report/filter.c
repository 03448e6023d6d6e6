#include "report/filter.h"
#include "base/buffer.h"
#include "base/text.h"
#include "decode/lines/demangle.h"

bool path_matches(const char *glob, const char *path)
{
    if (text_matches(glob, path))
        return true;
    for (const char *s = path; (s = strchr(s, '/'));)
        if (text_matches(glob, ++s))
            return true;
    return false;
}

void filter_release(struct report_filter *filter)
{
    ARRAY_RELEASE(&filter->functions);
    ARRAY_RELEASE(&filter->excluded_functions);
    ARRAY_RELEASE(&filter->files);
    ARRAY_RELEASE(&filter->excluded_files);
}

bool filter_chooses(const struct report_filter *filter)
{
    return filter->functions.count || filter->files.count;
}

bool filter_is_empty(const struct report_filter *filter)
{
    return !filter_chooses(filter) && !filter->excluded_functions.count && !filter->excluded_files.count;
}

static bool any_name(const struct globs *globs, const struct map_function *f, const char *shown_name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (name_matches(globs->items[i], f->name, shown_name))
            return true;
    return false;
}

static bool any_path(const struct globs *globs, const char *path)
{
    for (size_t i = 0; i < globs->count; i++)
        if (path_matches(globs->items[i], path))
            return true;
    return false;
}

bool filter_wants_file(const struct report_filter *filter, const char *path)
{
    return (!filter->files.count || any_path(&filter->files, path)) &&
           !any_path(&filter->excluded_files, path);
}

bool filter_wants_function(const struct report_filter *filter, const struct map_function *f,
                           const char *shown_name)
{
    if (filter->functions.count && !any_name(&filter->functions, f, shown_name))
        return false;
    if (any_name(&filter->excluded_functions, f, shown_name))
        return false;
    if (f->file_count && any_path(&filter->excluded_files, f->files[0]))
        return false;
    if (!filter->files.count)
        return true;
    for (uint32_t i = 0; i < f->file_count; i++)
        if (filter_wants_file(filter, f->files[i]))
            return true;
    return false;
}

/* " WORD 'a', 'b' or 'c'"; nothing if there are no patterns. */
static void add_list(struct buffer *text, const char *word, const struct globs *globs)
{
    if (globs->count)
        buffer_addf(text, " %s '%s'", word, globs->items[0]);
    for (size_t i = 1; i < globs->count; i++)
        buffer_addf(text, "%s '%s'", i + 1 < globs->count ? "," : " or", globs->items[i]);
}

bool filter_explain_nothing(const struct report_filter *filter, struct error *error)
{
    struct buffer text = {0};
    struct globs excluded = {0};
    buffer_add_text(&text, filter_chooses(filter) ? "nothing" : "nothing is left");
    add_list(&text, "matches", &filter->functions);
    add_list(&text, filter->functions.count ? "in files that match" : "matches", &filter->files);
    for (size_t i = 0; i < filter->excluded_functions.count; i++)
        ARRAY_PUSH(&excluded, filter->excluded_functions.items[i]);
    for (size_t i = 0; i < filter->excluded_files.count; i++)
        ARRAY_PUSH(&excluded, filter->excluded_files.items[i]);
    add_list(&text, "without what matches", &excluded);
    error_set(error, "%s", buffer_text(&text));
    ARRAY_RELEASE(&excluded);
    buffer_release(&text);
    return false;
}
