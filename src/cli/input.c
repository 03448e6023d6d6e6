#include "cli/input.h"
#include "decode/decode.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool input_is_program(const char *path)
{
    char magic[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    bool is = read(fd, magic, sizeof magic) == (ssize_t)sizeof magic && memcmp(magic, "\177ELF", 4) == 0;
    close(fd);
    return is;
}

static void say_skipped(void *context, const char *file, const char *reason)
{
    struct error line; /* for its clean-up of names */
    error_set(&line, "skipped '%s': %s", file, reason);
    fprintf(stderr, "%s: %s\n", (const char *)context, line.text);
}

int input_decode(struct profile *profile, const char *who, char **words, size_t count, bool check_sets)
{
    struct error error;
    const char *program = NULL;
    if (count > 0 && (input_is_program(words[0]) || access(words[0], F_OK) != 0)) {
        program = words[0];
        words++;
        count--;
    }
    if (count == 0) {
        if (program)
            error_set(&error, "no data for '%s': run it, then name what it left, as in %s %s NAME.PID.cotree",
                      program, who, program);
        else
            error_set(&error, "no program and no data given");
        fprintf(stderr, "%s: %s\n", who, error.text);
        return EXIT_USAGE;
    }
    struct decode_options options = {.every_set = check_sets, .skipped = say_skipped, .context = (void *)who};
    struct decode_totals totals = {0};
    if (!decode(profile, program, (const char *const *)words, count, &options, &totals, &error)) {
        fprintf(stderr, "%s: %s\n", who, error.text);
        return totals.used == 0 ? EXIT_UNUSABLE : EXIT_CANNOT;
    }
    return totals.skipped ? EXIT_SKIPPED : EXIT_OK;
}
