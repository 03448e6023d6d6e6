#include "weave/linker_words.h"
#include "base/buffer.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum value_form {
    NO_VALUE,
    MAY_EQUAL, /* =VALUE, or none */
    VALUE,     /* =VALUE, or the next word */
};

/* Options with long names, spelt with one dash or two. */
static const struct long_option {
    const char *names; /* separated by blanks */
    enum linker_word_kind kind;
    enum value_form form;
} long_options[] = {
    {"pie pic-executable no-pie shared Bshareable static Bstatic dn non_shared Bdynamic dy call_shared "
     "export-dynamic no-export-dynamic as-needed no-as-needed add-needed no-add-needed whole-archive "
     "no-whole-archive start-group end-group start-lib end-lib gc-sections no-gc-sections eh-frame-hdr "
     "no-eh-frame-hdr no-undefined allow-multiple-definition allow-shlib-undefined no-allow-shlib-undefined "
     "Bsymbolic Bsymbolic-functions Bno-symbolic strip-all strip-debug discard-all discard-locals "
     "discard-none "
     "omagic nmagic no-omagic no-nmagic relax no-relax enable-new-dtags disable-new-dtags "
     "no-warn-mismatch no-warnings copy-dt-needed-entries no-copy-dt-needed-entries demangle no-demangle "
     "no-ld-generated-unwind-info ld-generated-unwind-info emit-relocs rosegment no-rosegment "
     "no-dynamic-linker push-state pop-state no-keep-memory undefined-version no-undefined-version "
     "no-define-common define-common nostdlib noinhibit-exec warn-common no-warn-common warn-once "
     "warn-textrel warn-execstack no-warn-execstack warn-rwx-segments no-warn-rwx-segments "
     "warn-unresolved-symbols error-unresolved-symbols check-sections no-check-sections "
     "apply-dynamic-relocs no-apply-dynamic-relocs warn-shared-textrel text-reorder "
     "no-text-reorder no-threads "
     "print-icf-sections no-print-icf-sections ctors-in-init-array "
     "no-ctors-in-init-array detect-odr-violations no-detect-odr-violations separate-code "
     "gdb-index no-gdb-index warn-ifunc-textrel no-warn-ifunc-textrel no-call-graph-profile-sort "
     "enable-non-contiguous-regions Bsymbolic-non-weak Bsymbolic-non-weak-functions gc-keep-exported "
     "optimize-bb-jumps lto-O0 lto-O1 lto-O2 lto-O3 lto-CGO0 lto-CGO1 lto-CGO2 lto-CGO3 "
     "dynamic-list-data dynamic-list-cpp-new dynamic-list-cpp-typeinfo",
     LINKER_SHAPES, NO_VALUE},
    /* Only what no linker takes the next word for. */
    {"fatal-warnings no-fatal-warnings color-diagnostics build-id sort-common package-metadata",
     LINKER_SHAPES, MAY_EQUAL},
    {"hash-style icf sort-section unresolved-symbols compress-debug-sections orphan-handling "
     "pack-dyn-relocs thread-count error-limit hash-size spare-dynamic-tags lto-partitions "
     "thinlto-jobs",
     LINKER_SHAPES, VALUE},
    {"dynamic-linker entry undefined soname rpath defsym wrap image-base section-start Ttext Tdata Tbss "
     "Ttext-segment Trodata-segment Tldata-segment export-dynamic-symbol require-defined exclude-libs init "
     "fini",
     LINKER_SHAPES, VALUE},
    {"version-script dynamic-list retain-symbols-file symbol-ordering-file call-graph-ordering-file "
     "export-dynamic-symbol-list",
     LINKER_FILE, VALUE},
    {"output", LINKER_OUTPUT, VALUE},
    {"library-path", LINKER_DIRECTORY, VALUE},
    {"library", LINKER_LIBRARY, VALUE},
    {"Map rpath-link dependency-file trace-symbol time-trace-file why-extract print-archive-stats "
     "print-symbol-order reproduce",
     LINKER_SAYS, VALUE},
    {"threads print-map cref trace verbose version stats print-memory-usage print-gc-sections "
     "no-print-gc-sections "
     "print-map-discarded time-trace time-trace-granularity",
     LINKER_SAYS, MAY_EQUAL},
    {"plugin", LINKER_PLUGIN, VALUE},
    {"plugin-opt", LINKER_TO_PLUGIN, VALUE},
};

/* Options of one letter, with the value in the same word or the next. */
static const struct short_option {
    char letter;
    enum linker_word_kind kind;
    bool value;
} short_options[] = {
    {'m', LINKER_SHAPES, true},  {'z', LINKER_SHAPES, true},    {'h', LINKER_SHAPES, true},
    {'e', LINKER_SHAPES, true},  {'u', LINKER_SHAPES, true},    {'O', LINKER_SHAPES, true},
    {'E', LINKER_SHAPES, false}, {'s', LINKER_SHAPES, false},   {'S', LINKER_SHAPES, false},
    {'x', LINKER_SHAPES, false}, {'X', LINKER_SHAPES, false},   {'N', LINKER_SHAPES, false},
    {'n', LINKER_SHAPES, false}, {'q', LINKER_SHAPES, false},   {'d', LINKER_SHAPES, false},
    {'g', LINKER_SHAPES, false}, {'(', LINKER_SHAPES, false},   {')', LINKER_SHAPES, false},
    {'o', LINKER_OUTPUT, true},  {'L', LINKER_DIRECTORY, true}, {'l', LINKER_LIBRARY, true},
    {'t', LINKER_SAYS, false},   {'M', LINKER_SAYS, false},     {'v', LINKER_SAYS, false},
    {'V', LINKER_SAYS, false},   {'y', LINKER_SAYS, true},
};

/* Is the name, of this length, one of the names? */
static bool is_among(const char *name, size_t length, const char *names)
{
    while (*names) {
        size_t own = strcspn(names, " ");
        if (own == length && !memcmp(name, names, own))
            return true;
        names += own + (names[own] == ' ');
    }
    return false;
}

static bool read_long(const char *word, const char *next, struct linker_word *result)
{
    const char *name = word + 1 + (word[1] == '-');
    size_t length = strcspn(name, "=");
    if (word[1] == 'o') /* -omagic is -o magic */
        return false;
    for (size_t i = 0; i < sizeof long_options / sizeof *long_options; i++) {
        const struct long_option *o = &long_options[i];
        if (!is_among(name, length, o->names) || (name[length] && o->form == NO_VALUE))
            continue;
        *result = (struct linker_word){o->kind, 1, name[length] ? name + length + 1 : NULL, length};
        if (o->form == VALUE && !result->value) {
            result->count = next ? 2 : 1;
            result->value = next;
            if (!next)
                result->kind = LINKER_UNKNOWN;
        }
        return true;
    }
    return false;
}

static bool read_short(const char *word, const char *next, struct linker_word *result)
{
    for (size_t i = 0; i < sizeof short_options / sizeof *short_options; i++) {
        const struct short_option *o = &short_options[i];
        if (word[1] != o->letter || (word[2] && !o->value))
            continue;
        bool separate = o->value && !word[2];
        *result = (struct linker_word){o->kind, separate && next ? 2 : 1,
                                       separate   ? next
                                       : o->value ? word + 2
                                                  : NULL,
                                       0};
        if (separate && !next)
            result->kind = LINKER_UNKNOWN;
        return true;
    }
    return false;
}

struct linker_word linker_word_read(const struct words *words, size_t at)
{
    const char *word = words->items[at], *next = at + 1 < words->count ? words->items[at + 1] : NULL;
    struct linker_word result = {LINKER_UNKNOWN, 1, NULL, 0};
    if (word[0] != '-' || !word[1])
        return (struct linker_word){word[0] == '@' ? LINKER_UNKNOWN : LINKER_INPUT, 1, word, 0};
    if (!read_long(word, next, &result) && word[1] != '-')
        read_short(word, next, &result);
    if (result.kind == LINKER_TO_PLUGIN && text_starts_with(result.value, "-pass-remarks"))
        result.kind = LINKER_SAYS;
    return result;
}

void linker_word_add(struct words *to, const struct words *words, size_t at, const struct linker_word *read)
{
    const char *word = words->items[at];
    struct buffer text = {0};
    if (read->name_length) {
        buffer_addf(&text, "--%.*s", (int)read->name_length, word + 1 + (word[1] == '-'));
        if (read->value)
            buffer_addf(&text, "=%s", read->value);
    } else if (word[1] == 'O') { /* not every linker takes its value from the next word */
        buffer_addf(&text, "-O%s", read->value);
    } else if (read->value) {
        buffer_addf(&text, "-%c", word[1]);
        words_add(to, buffer_text(&text));
        text.length = 0;
        buffer_add_text(&text, read->value);
    } else {
        buffer_add_text(&text, word);
    }
    words_add(to, buffer_text(&text));
    buffer_release(&text);
}

void library_kind_follow(struct library_kind *kind, const char *word)
{
    static const char *const archives[] = {"Bstatic", "static", "dn", "non_shared"}, *const any[] = {
                                                                                         "Bdynamic", "dy",
                                                                                         "call_shared"};
    const char *name = word + strspn(word, "-");
    if (name == word)
        return;
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        kind->archives |= !strcmp(name, archives[i]);
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        kind->archives &= strcmp(name, any[i]) != 0;
    if (!strcmp(name, "push-state")) {
        kind->before = kind->before << 1 | kind->archives;
    } else if (!strcmp(name, "pop-state")) {
        kind->archives = kind->before & 1;
        kind->before >>= 1;
    }
}

bool linker_plugin_word_shapes(const char *value)
{
    static const char *const shaping[] = {"mcpu=*",
                                          "O?",
                                          "thinlto",
                                          "jobs=*",
                                          "-function-sections=?",
                                          "-data-sections=?",
                                          "lto-partitions=*",
                                          "-generate-arange-section",
                                          "-debugger-tune=*",
                                          "dwarf-version=*",
                                          "new-pass-manager",
                                          "-relocation-model=*"};
    for (size_t i = 0; i < sizeof shaping / sizeof *shaping; i++)
        if (text_matches(shaping[i], value) && !strchr(value, '/'))
            return true;
    return false;
}
