/*
 * Names of definitions. A linkage name alone is not enough: f<int> and f<char> are instances of one
 * definition.
 *
 *  - C++ names are compared as people write them, so that the bodies of a constructor have one
 *    name. Names of templates are compared without the parts that differ between instances, which
 *    are arguments of templates, parameters, and the returned type: "int
 *    twice<int>(int)::{lambda(int)#1}::operator()(int) const" is "twice::{lambda#1}::operator". The
 *    demangler does not know what constraints look like (C++20): then the text before the first
 *    arguments of a template is the name.
 *  - Other names are compared by where the function ends, if it does so on a later line: C's
 *    templates, files that are included with other macros each time, define functions of different
 *    names from line to line. Functions that one line defines (by a macro) are compared by name.
 */
#include "decode/lines/definitions.h"
#include "base/text.h"
#include "decode/lines/demangle.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The end of a group of brackets that s begins; "->" and ">>" of expressions inside do not matter
 * much. */
static const char *behind_group(const char *s)
{
    char open = *s, close = open == '<' ? '>' : ')';
    size_t depth = 0;
    for (; *s; s++) {
        depth += *s == open;
        if (*s == close && --depth == 0)
            return s + 1;
    }
    return s;
}

/* Length of an operator's name at s, whose characters are no brackets; of a conversion, up to its
 * parameters: the type may be an argument of the template. 0 if there is none. */
static size_t operator_length(const char *s, const char *start)
{
    if (!text_starts_with(s, "operator") || (s > start && is_word(s[-1])) || is_word(s[8]))
        return 0;
    if (text_starts_with(s, "operator()"))
        return 10;
    return s[8] == ' ' ? 8 + strcspn(s + 8, "(") : 8 + strspn(s + 8, "<>=-*!&|^+/%~,[]");
}

/* The part of a C++ name that is compared (see above). templated: whether a part of a template was
 * taken off. */
static char *without_arguments(const char *name, bool *templated)
{
    struct buffer kept = {0};
    size_t start = 0, braces = 0;
    *templated = false;
    for (const char *s = name; *s;) {
        size_t length = operator_length(s, name);
        if (length) {
            buffer_add_text(&kept, "operator");
            if (s[8] != ' ' && s[8] != '(')
                buffer_add(&kept, s + 8, length - 8);
            s += length;
        } else if (*s == '<' || *s == '(') {
            *templated |= *s == '<';
            s = behind_group(s);
        } else {
            braces += *s == '{';
            braces -= *s == '}' && braces > 0;
            /* the text before is the returned type, unless it is the name, and qualifiers follow */
            if (*s == ' ' && !braces && s[1] != '(' && !text_starts_with(s, " const") &&
                !text_starts_with(s, " volatile"))
                start = kept.length + 1;
            buffer_add(&kept, s++, 1);
        }
    }
    char *result = memory_string(buffer_text(&kept) + (start < kept.length ? start : 0));
    buffer_release(&kept);
    return result;
}

/* The same for a name that could not be demangled: "_Z4sizeITk5SmallcEiT_" is "_Z4size". */
static char *without_constraints(const char *name, bool *templated)
{
    const char *s = name;
    while (*s && *s != 'I') {
        size_t length = 0;
        while (*s >= '0' && *s <= '9' && length < INT32_MAX / 10)
            length = length * 10 + (size_t)(*s++ - '0');
        s += length ? strnlen(s, length) : *s != 0;
    }
    *templated = *s != 0;
    return memory_substring(name, (size_t)(s - name));
}

static uint32_t last_line(const struct map_function *f)
{
    uint32_t last = f->line;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++)
            if (f->blocks[b].lines[i].file == 0 && f->blocks[b].lines[i].line > last)
                last = f->blocks[b].lines[i].line;
    return last;
}

static uint64_t hash_of_name(const struct map_function *f)
{
    if (!text_starts_with(f->name, "_Z"))
        return last_line(f) > f->line ? last_line(f) : hash_text(f->name);
    char *full = demangle(f->name);
    bool templated;
    bool demangled = !text_starts_with(full, "_Z");
    char *bare = demangled ? without_arguments(full, &templated) : without_constraints(full, &templated);
    uint64_t hash = hash_text(templated ? bare : full);
    free(bare);
    free(full);
    return hash;
}

uint32_t definitions_number(struct definitions *d, const struct map_function *f)
{
    if (!f->file_count || !f->line)
        return d->count++;
    const uint64_t place[2] = {hash_text(f->files[0]), f->line};
    bool added;
    uint64_t *found = hash_map_put(&d->places, hash_bytes(place, sizeof place), &added);
    if (added) {
        *found = d->firsts.count;
        ARRAY_PUSH(&d->firsts, ((struct definition_first){.function = f, .number = d->count}));
        return d->count++;
    }
    struct definition_first *first = &d->firsts.items[*found];
    if (!strcmp(first->function->name, f->name))
        return first->number;
    uint64_t identity[3] = {place[0], place[1]};
    if (!first->named) {
        first->named = true;
        identity[2] = hash_of_name(first->function);
        *hash_map_put(&d->names, hash_bytes(identity, sizeof identity), NULL) = first->number;
    }
    identity[2] = hash_of_name(f);
    uint64_t *number = hash_map_put(&d->names, hash_bytes(identity, sizeof identity), &added);
    if (added)
        *number = d->count++;
    return (uint32_t)*number;
}

void definitions_release(struct definitions *d)
{
    hash_map_release(&d->places);
    hash_map_release(&d->names);
    ARRAY_RELEASE(&d->firsts);
    *d = (struct definitions){0};
}
