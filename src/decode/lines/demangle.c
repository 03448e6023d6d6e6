/*
 * C++ names, by the demangler of libstdc++.
 *
 * Its callback form is used, linked from the archive, and not __cxa_demangle: a hostile name of
 * some hundred bytes can stand for a text that does not fit into any machine (each substitution
 * doubles the last), and only the callback can say "enough". Nothing is allocated while it runs, so
 * leaving it by longjmp loses nothing.
 */
#include "decode/lines/demangle.h"
#include "base/memory.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdbool.h>

int __gcclibcxx_demangle_callback(const char *mangled, void (*callback)(const char *, size_t, void *),
                                  void *context);

enum { LONGEST = 16384 };

struct target {
    size_t length;
    jmp_buf too_long;
    char text[LONGEST];
};

static void add(const char *text, size_t length, void *context)
{
    struct target *t = context;
    if (length > LONGEST - t->length)
        longjmp(t->too_long, 1);
    memcpy(t->text + t->length, text, length);
    t->length += length;
}

char *demangle(const char *linkage_name)
{
    if (strncmp(linkage_name, "_Z", 2) != 0)
        return memory_string(linkage_name);
    struct target *t = ALLOC(struct target, 1);
    t->length = 0;
    char *volatile name = NULL;
    if (setjmp(t->too_long) == 0 && __gcclibcxx_demangle_callback(linkage_name, add, t) == 0 && t->length > 0)
        name = memory_substring(t->text, t->length);
    free(t);
    return name ? name : memory_string(linkage_name);
}

/* Length of a part that is one word although it holds brackets or blanks: an operator, an unnamed
 * scope, the argument of decltype. 0 if there is none. */
static size_t skip_whole(const char *s)
{
    static const char *const whole[] = {
        "operator()", "(anonymous namespace)", "operator<<", "operator>>", "operator->*",
        "operator->", "operator<=>",           "operator<=", "operator>=", "operator<",
        "operator>",
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strncmp(s, whole[i], strlen(whole[i])) == 0)
            return strlen(whole[i]);
    if (strncmp(s, "operator ", 9) == 0) /* a conversion: its type ends where the parameters begin */
        return strcspn(s, "(");
    if (strncmp(s, "decltype", 8) != 0 || s[8 + strspn(s + 8, " ")] != '(')
        return 0;
    const char *end = s + 8;
    for (size_t depth = 0; *end; end++) {
        depth += *end == '(';
        if (*end == ')' && --depth == 0)
            return (size_t)(end + 1 - s);
    }
    return 0;
}

char *demangled_bare_name(const char *name)
{
    const char *start = name, *s = name;
    for (size_t depth = 0; *s;) {
        size_t whole = skip_whole(s);
        if (whole) {
            s += whole;
            continue;
        }
        if (*s == '<')
            depth++;
        else if (*s == '>' && depth > 0)
            depth--;
        else if (*s == '(' && depth == 0 && s > start)
            break;
        else if (*s == ' ' && depth == 0)
            start = s + 1; /* the text before is the type that a template returns */
        s++;
    }
    return memory_substring(start, (size_t)(s - start));
}

bool name_matches(const char *glob, const char *linkage_name, const char *shown_name)
{
    if (text_matches(glob, linkage_name) || text_matches(glob, shown_name))
        return true;
    char *bare = demangled_bare_name(shown_name);
    bool matches = text_matches(glob, bare);
    free(bare);
    return matches;
}
