/*
 * C++ names, by the demangler of libstdc++.
 *
 * Its callback form is used, linked from the archive, and not __cxa_demangle: a hostile name of some hundred
 * bytes can stand for a text that does not fit into any machine (each substitution doubles the last), and
 * only the callback can say "enough". Nothing is allocated while it runs, so leaving it by longjmp loses
 * nothing.
 */
#include "report/demangle.h"
#include "base/memory.h"

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

/* The parameter list is the first '(' outside template arguments that is neither part of an operator's name
 * nor of a scope. */
unsigned long demangled_name_length(const char *name)
{
    static const char *const whole[] = {
        "operator()", "(anonymous namespace)", "operator<<", "operator>>", "operator->*",
        "operator->", "operator<=>",           "operator<=", "operator>=", "operator<",
        "operator>"};
    unsigned long depth = 0;
    for (const char *s = name; *s;) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof whole / sizeof *whole && !skip; i++)
            if (strncmp(s, whole[i], strlen(whole[i])) == 0)
                skip = strlen(whole[i]);
        if (skip) {
            s += skip;
            continue;
        }
        if (*s == '<') {
            depth++;
        } else if (*s == '>' && depth > 0) {
            depth--;
        } else if (*s == '(' && depth == 0 && s > name) {
            return (unsigned long)(s - name);
        }
        s++;
    }
    return strlen(name);
}
