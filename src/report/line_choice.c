#include "report/line_choice.h"

static struct file_choice *look_at(const struct line_choice *choice, const char *file)
{
    struct file_choice *f = ZALLOC(struct file_choice, 1);
    char *path = source_maps_apply(choice->maps, file);
    f->file = memory_string(file);
    f->all_lines = !choice->changes;
    f->changed = choice->changes ? changes_of(choice->changes, path) : NULL;
    if (!choice->ignore_markers && (f->all_lines || f->changed))
        markers_read(path, &f->marked);
    free(path);
    return f;
}

static const struct file_choice *file_of(struct line_choice *choice, const char *file)
{
    bool added;
    uint64_t *place = hash_map_put(&choice->places, hash_text(file), &added);
    if (added) {
        *place = choice->files.count;
        ARRAY_PUSH(&choice->files, look_at(choice, file));
    }
    return choice->files.items[*place];
}

enum line_wish line_choice_of(struct line_choice *choice, const char *file, uint32_t line)
{
    const struct file_choice *f = file_of(choice, file);
    if (!f->all_lines && (!f->changed || !line_ranges_hold(f->changed, line)))
        return LINE_UNCHANGED;
    return line_ranges_hold(&f->marked.lines, line) ? LINE_MARKED : LINE_WANTED;
}

bool line_choice_wants_branch(struct line_choice *choice, const char *file, uint32_t line)
{
    return line_choice_of(choice, file, line) == LINE_WANTED &&
           !line_ranges_hold(&file_of(choice, file)->marked.branches, line);
}

bool line_choice_has_marks(const struct line_choice *choice)
{
    for (size_t i = 0; i < choice->files.count; i++)
        if (choice->files.items[i]->marked.lines.count)
            return true;
    return false;
}

void line_choice_release(struct line_choice *choice)
{
    for (size_t i = 0; i < choice->files.count; i++) {
        free(choice->files.items[i]->file);
        marked_lines_release(&choice->files.items[i]->marked);
        free(choice->files.items[i]);
    }
    ARRAY_RELEASE(&choice->files);
    hash_map_release(&choice->places);
}
