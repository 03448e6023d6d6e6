#include "cli/options.h"
#include "base/buffer.h"
#include "base/text.h"
#include "cli/suggest.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>

enum {
    FIRST_VALUE = 256, /* what getopt_long returns for the first row of a table: beyond all letters */
    HELP_INDENT = 2,
    HELP_WIDEST = 28, /* wider options have their help on the next line */
};

/* ---- --help ---- */

/* "-o, --output=FILE" */
static void add_spelling(struct buffer *text, const struct command_option *option)
{
    if (option->letter)
        buffer_addf(text, "-%c, ", option->letter);
    buffer_addf(text, "--%s", option->name);
    if (option->value)
        buffer_addf(text, "=%s", option->value);
}

static bool is_end(const struct command_option *option)
{
    return !option->name && !option->heading;
}

static size_t widest_spelling(const struct command_option *options)
{
    size_t widest = strlen("-h, --help");
    struct buffer text = {0};
    for (; !is_end(options); options++) {
        text.length = 0;
        if (options->name && options->help)
            add_spelling(&text, options);
        if (text.length > widest && text.length <= HELP_WIDEST)
            widest = text.length;
    }
    buffer_release(&text);
    return widest;
}

void options_put_row(const char *spelling, const char *help, size_t widest, FILE *out)
{
    const int column = (int)(HELP_INDENT + widest + 2);
    fprintf(out, "%*s%-*s", HELP_INDENT, "", (int)widest + 2, spelling);
    if (strlen(spelling) > widest)
        fprintf(out, "\n%*s", column, "");
    for (const char *line = help; *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "%*s%.*s\n", line == help ? 0 : column, "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void put_option(const struct command_option *option, size_t widest, FILE *out)
{
    struct buffer text = {0};
    add_spelling(&text, option);
    options_put_row(buffer_text(&text), option->help, widest, out);
    buffer_release(&text);
}

void options_put_statuses(const struct command_about *about, FILE *out)
{
    const struct {
        enum exit_status status;
        const char *meaning;
    } statuses[] = {
        {EXIT_OK, "done"},
        {EXIT_CANNOT, about->cannot ? about->cannot : "cannot"},
        {EXIT_UNUSABLE, about->unusable ? about->unusable : "no usable input"},
        {EXIT_THRESHOLD, about->threshold},
        {EXIT_SKIPPED, about->skipped ? about->skipped : "done, but some inputs were skipped"},
        {EXIT_USAGE, "wrong usage"},
    };
    if (about->statuses) {
        fprintf(out, "\nExit status: %s\n", about->statuses);
        return;
    }
    fprintf(out, "\nExit status:\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].meaning && *statuses[i].meaning)
            fprintf(out, "  %-4d%s\n", (int)statuses[i].status, statuses[i].meaning);
}

static void put_help(const struct command_about *about, const struct command_option *options, FILE *out)
{
    static const struct command_option help = {"help", 'h', .help = "this text"};
    for (size_t i = 0; i < sizeof about->usages / sizeof *about->usages && about->usages[i]; i++)
        fprintf(out, "%-6s cotree %s %s\n", i ? "" : "usage:", about->name, about->usages[i]);
    fprintf(out, "\n%s", about->text);
    size_t widest = widest_spelling(options);
    for (; !is_end(options); options++) {
        if (options->heading)
            fprintf(out, "\n%s:\n", options->heading);
        else if (options->help)
            put_option(options, widest, out);
    }
    putc('\n', out);
    put_option(&help, widest, out);
    options_put_statuses(about, out);
}

/* ---- Values ---- */

static bool take_count(const struct command_option *option, const char *word, struct error *error)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(word, &end, 10);
    if (errno || *end || end == word || *word == '-' || number == 0)
        return error_set(error, "--%s is a number from 1 on, not '%s'", option->name, word);
    *option->count = (size_t)number;
    return true;
}

static bool take_percent(const struct command_option *option, const char *word, struct error *error)
{
    char *end;
    double percent = strtod(word, &end);
    if (*end == '%')
        end++;
    if (*end || end == word || !isfinite(percent) || percent < 0 || (option->of_whole && percent > 100))
        return error_set(error, "--%s is a number from 0 %s, not '%s'", option->name,
                         option->of_whole ? "to 100" : "on", word);
    *option->percent = percent;
    return true;
}

static bool take(const struct command_option *option, struct error *error)
{
    if (option->flag)
        *option->flag = true;
    if (option->word)
        *option->word = optarg;
    if (option->words)
        ARRAY_PUSH(option->words, optarg);
    if (option->count)
        return take_count(option, optarg, error);
    if (option->percent)
        return take_percent(option, optarg, error);
    return option->parse ? option->parse(option->target, optarg, error) : true;
}

/* ---- Options that are refused ---- */

/* Returns how many options begin so; `found` gets the first two. */
static size_t count_beginnings(const struct command_option *options, const char *name, const char *found[2])
{
    size_t count = 0;
    for (; !is_end(options); options++)
        if (options->name && text_starts_with(options->name, name) && count++ < 2)
            found[count - 1] = options->name;
    return count;
}

static bool refuse_name(const struct command_option *options, const char *word, struct error *error)
{
    const char *some[2];
    char *name = memory_substring(word, strcspn(word, "="));
    struct suggestion meant = {.word = name + 2};
    for (const struct command_option *o = options; !is_end(o); o++)
        if (o->name && o->help)
            suggestion_try(&meant, o->name);
    if (count_beginnings(options, name + 2, some) > 1)
        error_set(error, "unknown option '%s' (short for '--%s' or '--%s'?)", name, some[0], some[1]);
    else if (meant.name)
        error_set(error, "unknown option '%s' (did you mean '--%s'?)", name, meant.name);
    else
        error_set(error, "unknown option '%s'", name);
    free(name);
    return false;
}

/*
 * Names the option that getopt refused. optopt is then a letter, perhaps one of several after a
 * single dash; or what stands for a long option, whose value is missing or not wanted; or 0 when no
 * long option has the name. The letter h is known, so 'h' stands for --help=WORD.
 */
static bool refuse_option(const struct command_option *options, int c, char **argv, struct error *error)
{
    char letter[] = {'-', (char)optopt, 0};
    struct buffer spelling = {0};
    if (!optopt)
        return refuse_name(options, argv[optind - 1], error);
    if (optopt >= FIRST_VALUE)
        buffer_addf(&spelling, "--%s", options[optopt - FIRST_VALUE].name);
    else
        buffer_add_text(&spelling, optopt == 'h' ? "--help" : letter);
    error_set(error,
              c == ':'                                 ? "option '%s' needs a value"
              : optopt >= FIRST_VALUE || optopt == 'h' ? "option '%s' takes no value"
                                                       : "unknown option '%s'",
              buffer_text(&spelling));
    buffer_release(&spelling);
    return false;
}

/* ---- Reading ---- */

/* The table as getopt_long wants it, and its letters. */
static struct option *translate(const struct command_option *options, char **letters)
{
    size_t count = 0, used = 0, filled = 0;
    while (!is_end(&options[count]))
        count++;
    struct option *all = ZALLOC(struct option, count + 2);
    char *text = *letters = ALLOC(char, 2 * count + 3);
    text[used++] = ':'; /* a missing value is not an unknown option */
    text[used++] = 'h';
    for (size_t i = 0; i < count; i++) {
        if (!options[i].name)
            continue;
        all[filled++] = (struct option){options[i].name, options[i].flag ? no_argument : required_argument,
                                        NULL, FIRST_VALUE + (int)i};
        if (!options[i].letter)
            continue;
        text[used++] = options[i].letter;
        if (!options[i].flag)
            text[used++] = ':';
    }
    text[used] = 0;
    all[filled] = (struct option){"help", no_argument, NULL, 'h'};
    return all;
}

static const struct command_option *find(const struct command_option *options, int value)
{
    if (value >= FIRST_VALUE)
        return &options[value - FIRST_VALUE];
    while (options->letter != value)
        options++;
    return options;
}

bool options_parse(const struct command_about *about, const struct command_option *options, int argc,
                   char **argv, bool *help, struct error *error)
{
    char *letters, *posix = memory_string(getenv("POSIXLY_CORRECT"));
    struct option *all = translate(options, &letters);
    unsetenv("POSIXLY_CORRECT"); /* getopt would let no option follow other words */
    opterr = 0;
    optind = 0;
    bool good = true;
    for (int c; good && !*help && (c = getopt_long(argc, argv, letters, all, NULL)) != -1;) {
        if (c == 'h')
            *help = true;
        else if (c == ':' || c == '?')
            good = refuse_option(options, c, argv, error);
        else
            good = take(find(options, c), error);
    }
    if (posix)
        setenv("POSIXLY_CORRECT", posix, 1);
    if (good && *help)
        put_help(about, options, stdout);
    free(posix);
    free(all);
    free(letters);
    return good;
}

int options_refuse(const char *command, const struct error *error)
{
    fprintf(stderr, "cotree %s: %s; `cotree %s --help` lists the options\n", command, error->text, command);
    return EXIT_USAGE;
}

int options_fail(const char *command, const struct error *error, int status)
{
    fprintf(stderr, "cotree %s: %s\n", command, error->text);
    return status;
}
