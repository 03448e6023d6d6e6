#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>

enum { FIRST_VALUE = 256 }; /* what getopt_long returns for the first option of a table, beyond all letters */

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

static bool take(const struct command_option *option, void *request, struct error *error)
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
    return option->parse ? option->parse(request, optarg, error) : true;
}

/* The table as getopt_long wants it, and its letters. */
static struct option *translate(const struct command_option *options, char **letters)
{
    size_t count = 0, used = 0;
    while (options[count].name)
        count++;
    struct option *all = ZALLOC(struct option, count + 2);
    char *text = *letters = ALLOC(char, 2 * count + 3);
    text[used++] = ':'; /* a missing value is not an unknown option */
    text[used++] = 'h';
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct option){options[i].name, options[i].flag ? no_argument : required_argument, NULL,
                                 FIRST_VALUE + (int)i};
        if (!options[i].letter)
            continue;
        text[used++] = options[i].letter;
        if (!options[i].flag)
            text[used++] = ':';
    }
    text[used] = 0;
    all[count] = (struct option){"help", no_argument, NULL, 'h'};
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

/* Names the option that getopt did not know, or that lacks its value. */
static bool refuse_option(int c, char **argv, struct error *error)
{
    const char *reason = c == ':' ? "option '%s' needs a value" : "unknown option '%s'";
    char letter[] = {'-', (char)optopt, 0};
    /* It is a letter, perhaps one of several behind a single dash; 'h' is known, so that was --help=WORD. */
    bool is_letter = optopt && optopt < FIRST_VALUE && optopt != 'h';
    return error_set(error, reason, is_letter ? letter : argv[optind - 1]);
}

bool options_parse(const struct command_option *options, int argc, char **argv, void *request, bool *help,
                   struct error *error)
{
    char *letters;
    struct option *all = translate(options, &letters);
    opterr = 0;
    optind = 0;
    bool good = true;
    for (int c; good && !*help && (c = getopt_long(argc, argv, letters, all, NULL)) != -1;) {
        if (c == 'h')
            *help = true;
        else if (c == ':' || c == '?')
            good = refuse_option(c, argv, error);
        else
            good = take(find(options, c), request, error);
    }
    free(all);
    free(letters);
    return good;
}

int options_refuse(const char *command, const struct error *error)
{
    fprintf(stderr, "cotree %s: %s; `cotree %s --help` lists the options\n", command, error->text, command);
    return EXIT_USAGE;
}
