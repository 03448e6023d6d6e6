/*
 * -fcotree-carry: the link is made by `cotree-ld`, which is cotree itself in the linker's place. It
 * runs the real linker, then adds what the program was made of (weave/record.h).
 *
 * cotree-ld learns from words of its own, which no linker sees, which linker to run, what this link
 * is for cotree, and which words are cotree's.
 */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/driver.h"
#include "cli/install.h"
#include "instrument/options.h"
#include "weave/process.h"
#include "weave/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD_LINKER "--cotree-linker="
#define WORD_DRIVER "--cotree-driver="
#define WORD_FIRST "--cotree-first"
#define WORD_AFTER "--cotree-after"
#define WORD_END "--cotree-end"

/* ---- What a link is for cotree, as text ---- */

static const struct {
    const char *key;
    size_t at; /* of a bool in struct request */
} link_facts[] = {
    {"probe", offsetof(struct request, probe)},
    {"no-libc", offsetof(struct request, no_libc)},
    {"own-unwinder", offsetof(struct request, own_unwinder)},
    {"lto", offsetof(struct request, lto)},
    {"lld", offsetof(struct request, lld)},
    {"lto-partitions", offsetof(struct request, lto_partitions)},
    {"build-id", offsetof(struct request, build_id)},
    {"gold", offsetof(struct request, gold)},
    {"folds-code", offsetof(struct request, folds_code)},
    {"crash-output", offsetof(struct request, crash_output)},
};
enum { LINK_FACTS = sizeof link_facts / sizeof *link_facts };

static bool *fact_of(struct request *r, size_t i)
{
    return (bool *)((char *)r + link_facts[i].at);
}

static void describe_link(const struct request *r, struct buffer *text)
{
    char kind[2] = {(char)('0' + r->link), 0};
    instrument_option_add(text, "link", kind);
    for (size_t i = 0; i < LINK_FACTS; i++)
        if (*fact_of((struct request *)(uintptr_t)r, i))
            instrument_option_add(text, link_facts[i].key, "1");
    for (size_t i = 0; i < r->wrapped.count; i++)
        instrument_option_add(text, "wrap", r->wrapped.items[i]);
}

static bool read_pair(struct request *r, const char *key, const char *value)
{
    if (!strcmp(key, "link") && value[0] >= '0' + LINK_EXECUTABLE && value[0] <= '0' + LINK_SHARED &&
        !value[1]) {
        r->link = (enum link_kind)(value[0] - '0');
        return true;
    }
    if (!strcmp(key, "wrap") && !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                     "0123456789_.$")]) {
        words_add(&r->wrapped, value);
        return true;
    }
    for (size_t i = 0; i < LINK_FACTS; i++)
        if (!strcmp(key, link_facts[i].key))
            return *fact_of(r, i) = true;
    return false;
}

bool driver_read_link(struct request *r, const char *text, struct error *error)
{
    char *copy = memory_string(text), *rest = copy;
    bool ok = true;
    for (char *pair; ok && (pair = strsep(&rest, ";"));) {
        char *value = strchr(pair, '=');
        if (value)
            *value++ = 0;
        ok = (value && read_pair(r, pair, value)) ||
             error_set(error, "the record of the link is damaged: '%s'", pair);
    }
    free(copy);
    return ok;
}

/* ---- Words for cotree-ld ---- */

static void add_linker_word(struct words *command, const char *word)
{
    words_add(command, "-Xlinker");
    words_add(command, word);
}

void driver_carry_begin(const struct request *r, bool first, struct words *command)
{
    if (r->carries_link)
        add_linker_word(command, first ? WORD_FIRST : WORD_AFTER);
}

void driver_carry_end(const struct request *r, struct words *command)
{
    if (r->carries_link)
        add_linker_word(command, WORD_END);
}

void driver_carry_add(const struct request *r, const char *library, struct words *command)
{
    if (!r->carries_link)
        return;
    struct buffer word = {0};
    buffer_addf(&word, "--ld-path=%s/cotree-ld", library);
    words_add(command, buffer_text(&word));
    word.length = 0;
    buffer_addf(&word, WORD_LINKER "%s", r->linker ? r->linker : "ld");
    add_linker_word(command, buffer_text(&word));
    word.length = 0;
    buffer_add_text(&word, WORD_DRIVER);
    struct buffer facts = {0};
    describe_link(r, &facts);
    buffer_add_text(&word, buffer_text(&facts));
    add_linker_word(command, buffer_text(&word));
    buffer_release(&facts);
    buffer_release(&word);
}

/* ---- cotree-ld ---- */

/* Response files hold words as those of clang do; one that cannot be read is left to the linker. */
static void open_words(int argc, char **argv, struct words *words)
{
    for (int i = 1; i < argc; i++) {
        size_t length;
        char *text = argv[i][0] == '@' ? driver_read_file(argv[i] + 1, &length) : NULL;
        if (text)
            driver_split(text, words);
        else
            words_add(words, argv[i]);
        free(text);
    }
}

/* Takes cotree's own words out. */
static void sort_words(const struct words *all, struct link_command *command, const char **linker)
{
    struct own_words *own = &command->first;
    command->driver = "";
    for (size_t i = 0; i < all->count; i++) {
        const char *word = all->items[i];
        if (text_starts_with(word, WORD_LINKER)) {
            *linker = word + strlen(WORD_LINKER);
        } else if (text_starts_with(word, WORD_DRIVER)) {
            command->driver = word + strlen(WORD_DRIVER);
        } else if (!strcmp(word, WORD_FIRST) || !strcmp(word, WORD_AFTER)) {
            own = !strcmp(word, WORD_FIRST) ? &command->first : &command->after;
            own->begin = own->end = command->words.count;
        } else if (!strcmp(word, WORD_END)) {
            own->end = command->words.count;
        } else {
            words_add(&command->words, word);
        }
    }
}

int cmd_ld(int argc, char **argv)
{
    struct error error = {0};
    struct words all = {0};
    struct link_command command = {0};
    const char *linker = "ld";
    open_words(argc, argv, &all);
    sort_words(&all, &command, &linker);
    char *path =
        strchr(linker, '/') ? memory_string(linker) : process_find(INSTALL_COMPILER_DIRECTORY, linker);
    command.linker = path;
    command.name = strrchr(linker, '/') ? strrchr(linker, '/') + 1 : linker;
    int status = path ? link_and_carry(&command, &error) : -1;
    if (!path)
        error_set(&error, "cannot find the linker '%s'", linker);
    if (status < 0)
        fprintf(stderr, "cotree: %s\n", error.text);
    free(path);
    words_release(&command.words);
    words_release(&all);
    return status < 0 ? EXIT_CANNOT : status;
}
