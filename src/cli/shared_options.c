#include "cli/shared_options.h"
#include "cli/output.h"

#include <errno.h>
#include <unistd.h>

bool take_glob(void *target, const char *word, struct error *error)
{
    struct globs *globs = target;
    if (!*word)
        return error_set(error, "a pattern is missing: '' matches nothing");
    ARRAY_PUSH(globs, word);
    return true;
}

bool take_source_map(void *target, const char *word, struct error *error)
{
    return source_maps_add(target, word, error);
}

bool take_path_ends(void *target, const char *word, struct error *error)
{
    static const struct {
        const char *name;
        enum path_ends ends;
    } known[] = {{"back", PATH_ENDS_BACK}, {"loops", PATH_ENDS_LOOPS}, {"mixed", PATH_ENDS_MIXED}};
    enum path_ends *ends = target;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i].name)) {
            *ends = known[i].ends;
            return true;
        }
    return error_set(error, "--path-ends is back, loops or mixed, not '%s'", word);
}

bool debug_paths_finish(struct option_words *paths, struct error *error)
{
    for (size_t i = 0; i < paths->count; i++)
        if (access(paths->items[i], F_OK) != 0)
            return error_set(error, "--debug-path: '%s': %s", paths->items[i], strerror(errno));
    ARRAY_PUSH(paths, NULL);
    return true;
}

bool view_options_finish(struct view_options *view, struct error *error)
{
    return debug_paths_finish(&view->debug_paths, error) &&
           output_color(view->when ? view->when : "auto", view->output, &view->color, error);
}

void view_options_apply(const struct view_options *view, struct report_options *options)
{
    options->color = view->color;
    options->no_demangle = view->no_demangle;
    options->source_maps = view->source_maps;
}

void view_options_release(struct view_options *view)
{
    ARRAY_RELEASE(&view->source_maps);
    ARRAY_RELEASE(&view->debug_paths);
}
