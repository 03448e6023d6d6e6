/* `cotree merge`: many runs become one self-contained file. */
#include "cli/commands.h"
#include "base/memory.h"
#include "cli/input.h"

#include <getopt.h>
#include <stdio.h>

static void print_help(void)
{
    printf("usage: cotree merge [OPTION]... PROG DATA... -o FILE\n"
           "       cotree merge [OPTION]... MERGED... -o FILE\n\n"
           "Adds up the counts of many runs of one build of PROG. DATA are run files, directories that are "
           "searched for run\n"
           "files (*.cotree), or files that 'cotree merge' wrote. FILE stands alone: it needs neither PROG "
           "nor DATA any more.\n\n"
           "  -o, --output=FILE      where to write; replaced only when all is well\n"
           "      --debug-path=PATH  where else the maps of stripped programs may be: a file or a directory; "
           "may be repeated\n"
           "  -q, --quiet            no summary\n"
           "  -h, --help             this text\n\n"
           "Exit status: 0 done, 1 cannot, 2 no usable input, 4 done but some inputs were skipped, 64 wrong "
           "usage.\n");
}

static void say_summary(const struct profile *p, const struct decode_totals *totals, const char *output)
{
    struct error line; /* for its clean-up of names */
    error_set(&line, "%llu run%s of %llu file%s in '%s', %s%s", (unsigned long long)p->runs,
              p->runs == 1 ? "" : "s", (unsigned long long)totals->used, totals->used == 1 ? "" : "s", output,
              p->exact ? "exact" : "not exact: ", p->exact ? "" : p->reasons.items[0]);
    fprintf(stderr, "cotree merge: %s\n", line.text);
}

int cmd_merge(int argc, char **argv)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"debug-path", required_argument, NULL, 'd'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    struct ARRAY_OF(const char *) debug_paths = {0};
    const char *output = NULL;
    bool quiet = false;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "o:qh", longs, NULL)) != -1;) {
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'd':
            ARRAY_PUSH(&debug_paths, optarg);
            break;
        case 'q':
            quiet = true;
            break;
        case 'h':
            print_help();
            ARRAY_RELEASE(&debug_paths);
            return EXIT_OK;
        default:
            ARRAY_RELEASE(&debug_paths);
            return EXIT_USAGE;
        }
    }
    int status = EXIT_USAGE;
    struct profile profile = {0};
    struct decode_totals totals;
    struct error error;
    ARRAY_PUSH(&debug_paths, NULL);
    const struct decode_options options = {.keep_negative = true, .debug_paths = debug_paths.items};
    if (!output)
        fprintf(stderr, "cotree merge: no output: say where with -o FILE\n");
    else
        status =
            input_decode(&profile, "cotree merge", argv + optind, (size_t)(argc - optind), &options, &totals);
    if (status == EXIT_OK || status == EXIT_SKIPPED) {
        if (!profile_write(&profile, output, &error)) {
            fprintf(stderr, "cotree merge: %s\n", error.text);
            status = EXIT_CANNOT;
        } else if (!quiet) {
            say_summary(&profile, &totals, output);
        }
    }
    profile_release(&profile);
    ARRAY_RELEASE(&debug_paths);
    return status;
}
