/*
 * Judges crash histories: judge GRAPHS TRUTH TOLD [ADDRESS]
 *
 * GRAPHS  "G name blocks", then "E from to" for each edge between blocks, for each function that can be
 *         judged
 * TRUTH   of one point: "F name block block ..." for each activation, innermost first: all blocks that
 *         it has executed. Of a fault there are several such lists, one for each access, after a line
 *         "A address"; one of those with the address of the fault has to be right
 * TOLD    what `cotree crash` says of a core made at the same point: "F name block why", innermost
 *         first (why: - or a reason), then "R candidates stop ..." for each part, outermost first;
 *         a stop is a block, with l after it for a loop entered there (a: or at another of its heads), and g
 *         for a gap before it;
 *         "H candidates stop ..." before the last part of a loop: a round that was completed before; and before
 *         each part "E n": so many rounds of the loop were completed before (-: not known)
 *         "C block ..." and "N block ...": blocks that the activation surely ran, and did not run
 *
 * The truth is reduced by the definition of a history: for the function, and for each loop around the
 * block where control stands (a strongly connected part once edges into the heads of the part around
 * it are taken away), what happened since control last came to a head of it; and, of completed rounds, what
 * happened from one coming to a head to the next, since control came to the loop from outside. Nothing here is taken
 * from cotree. Prints how many frames were compared, and ends with 1 if any was told wrongly.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000, NAMES = 20000, LEVELS = 100 };

struct function {
    char *name;
    int blocks, edges;
    int (*edge)[2];
};
static struct function functions[NAMES];
static int function_count;

static struct function *find(const char *name)
{
    for (int i = 0; i < function_count; i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

static void read_graphs(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[4096], name[4096];
    int a, b;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "G %s %d", name, &a) == 2) {
            functions[function_count++] = (struct function){.name = strdup(name), .blocks = a};
        } else if (sscanf(line, "E %d %d", &a, &b) == 2) {
            struct function *f = &functions[function_count - 1];
            f->edge = realloc(f->edge, (size_t)(f->edges + 1) * sizeof *f->edge);
            f->edge[f->edges][0] = a;
            f->edge[f->edges++][1] = b;
        }
    if (file)
        fclose(file);
}

/* ---- Loops by their definition ---- */

/* The blocks that `from` leads to inside a part without coming to its heads; or, back: that lead to it. */
static void leads_to(const struct function *f, const bool *inside, const bool *heads, int from, bool back,
                     bool *seen)
{
    memset(seen, 0, MOST);
    seen[from] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < f->edges; e++) {
            int a = f->edge[e][back], b = f->edge[e][!back];
            if (seen[a] && inside[b] && !heads[b] && !seen[b])
                changed = seen[b] = true;
        }
    }
}

/* Is the block in a loop inside the part? Sets the loop's blocks. */
static bool loop_of(const struct function *f, const bool *inside, const bool *heads, int block, bool *loop)
{
    bool after[MOST], before[MOST], any = false;
    if (heads[block])
        return false;
    leads_to(f, inside, heads, block, false, after);
    leads_to(f, inside, heads, block, true, before);
    for (int v = 0; v < MOST; v++)
        loop[v] = after[v] && before[v];
    for (int e = 0; e < f->edges; e++)
        any |= loop[f->edge[e][0]] && f->edge[e][1] == block && inside[f->edge[e][0]];
    return any;
}

struct stop {
    int block;
    bool loop, gap, around;
    bool *blocks; /* of a true loop */
};
struct part {
    struct stop *stops;
    int count;
    double candidates;
    long earlier;        /* rounds before it; -1: not known */
    struct part *rounds; /* that were completed and are told: the last ones */
    int round_count;
};
static struct part true_parts[LEVELS];

/* One level: what happened from blocks[start] on. Sets the loop that control stands in at the end. */
static bool reduce_level(const struct function *f, const bool *inside, const bool *heads, const int *blocks,
                         int start, int count, struct part *part, bool *stands_in)
{
    static bool loops[MOST][MOST], is_in[MOST], looked[MOST];
    memset(looked, 0, sizeof looked);
    part->count = 0;
    part->stops = realloc(part->stops, (size_t)(count - start + 1) * sizeof *part->stops);
    int current = -1;
    for (int i = start; i < count; i++) {
        int b = blocks[i];
        if (!looked[b]) {
            looked[b] = true;
            is_in[b] = loop_of(f, inside, heads, b, loops[b]);
        }
        if (current >= 0 && loops[current][b] && is_in[b])
            continue;
        current = is_in[b] ? b : -1;
        bool *copy = is_in[b] ? memcpy(malloc(MOST), loops[b], MOST) : NULL;
        part->stops[part->count++] = (struct stop){.block = b, .loop = is_in[b], .blocks = copy};
    }
    if (current >= 0)
        memcpy(stands_in, loops[current], MOST);
    return current >= 0;
}

/* The last rounds of a loop that were completed, as many as are told, and how many there were; start: of the
 * last round, which is not. */
static void reduce_rounds(const struct function *f, const bool *inside, const bool *heads, const int *blocks,
                          int start, const struct part *told, struct part *part)
{
    bool ignored[MOST];
    int end = start, left = told->round_count;
    part->earlier = 0;
    part->round_count = told->round_count;
    part->rounds = calloc((size_t)told->round_count + 1, sizeof *part->rounds);
    for (int i = start - 1; i >= 0 && inside[blocks[i]]; i--)
        if (heads[blocks[i]]) {
            part->earlier++;
            if (left)
                reduce_level(f, inside, heads, blocks, i, end, &part->rounds[--left], ignored);
            end = i;
        }
}

static int reduce(const struct function *f, const int *blocks, int count, const struct part *told, int told_count)
{
    bool inside[MOST] = {0}, heads[MOST] = {0}, next[MOST];
    int start = 0, level = 0;
    for (int v = 0; v < f->blocks; v++)
        inside[v] = true;
    while (reduce_level(f, inside, heads, blocks, start, count, &true_parts[level++], next)) {
        memcpy(inside, next, sizeof inside);
        memset(heads, 0, sizeof heads);
        heads[0] = inside[0];
        for (int e = 0; e < f->edges; e++)
            if (inside[f->edge[e][1]] && !inside[f->edge[e][0]])
                heads[f->edge[e][1]] = true;
        for (start = count - 1; !heads[blocks[start]]; start--)
            ;
        if (level < told_count)
            reduce_rounds(f, inside, heads, blocks, start, &told[level], &true_parts[level]);
    }
    return level;
}

/* ---- Comparing ---- */

static bool same(const struct stop *told, const struct stop *truth)
{
    if (told->around)
        return truth->loop && truth->blocks[told->block];
    return told->block == truth->block && told->loop == truth->loop;
}

static int rounds_told;

/* All stops are on the true way, in order; between two of them other blocks may be only at a gap. */
static bool fits(const struct part *told, const struct part *truth)
{
    int at = 0;
    for (int i = 0; i < told->count; i++, at++) {
        while (told->stops[i].gap && at < truth->count && !same(&told->stops[i], &truth->stops[at]))
            at++;
        if (at >= truth->count || !same(&told->stops[i], &truth->stops[at]))
            return false;
    }
    return at == truth->count && (told->candidates != 1 || told->count == truth->count);
}

/* Are rounds told rightly, and how many there were? */
static bool rounds_fit(const struct part *told, const struct part *truth)
{
    bool right = told->earlier < 0 ? !told->round_count : told->earlier == truth->earlier;
    for (int i = 0; right && i < told->round_count; i++, rounds_told++)
        right = told->rounds[i].earlier == truth->earlier - told->round_count + i &&
                fits(&told->rounds[i], &truth->rounds[i]);
    return right;
}

static void show(const char *what, const struct part *p)
{
    for (int i = 0; i < p->round_count; i++)
        show("round", &p->rounds[i]);
    printf("  %s (%g, after %ld rounds):", what, p->candidates, p->earlier);
    for (int i = 0; i < p->count; i++)
        printf(" %s%d%s", p->stops[i].gap ? "... " : "", p->stops[i].block, p->stops[i].loop ? "l" : "");
    printf("\n");
}

/* The activations of one point. */
struct activation {
    struct function *f;
    int *blocks, count;
};
static struct activation stack[10000];
static int depth;

/* The list with this number. Sets its address; false: there are not so many. */
static bool read_truth(const char *path, int list, char *address)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, name[4096];
    size_t room = 0;
    int lists = 0;
    while (depth)
        free(stack[--depth].blocks);
    *address = 0;
    while (file && getline(&line, &room, file) > 0) {
        int at = 0, block;
        struct activation *a = &stack[depth];
        if (line[0] == 'A' && lists++ == list)
            sscanf(line, "A %s", address);
        if (lists && lists - 1 != list)
            continue;
        if (sscanf(line, "F %s%n", name, &at) != 1)
            continue;
        *a = (struct activation){.f = find(name)};
        int capacity = 0;
        for (char *rest = line + at, *end; block = (int)strtol(rest, &end, 10), end != rest; rest = end) {
            if (a->count == capacity)
                a->blocks = realloc(a->blocks, (size_t)(capacity = 2 * capacity + 64) * sizeof *a->blocks);
            a->blocks[a->count++] = block;
        }
        depth++;
    }
    free(line);
    if (file)
        fclose(file);
    return list < lists || (!list && !lists);
}

static int compared, unique, several, unknown, wrong, unmatched;

/* What is said of the blocks of the frame that is judged: 'C', 'N' or 0. */
static char said[MOST];
static int certain, ruled_out;

static void read_said(char *line)
{
    for (char *word = strtok(line + 1, " \n"); word; word = strtok(NULL, " \n"))
        if (atoi(word) < MOST)
            said[atoi(word)] = line[0];
}

static bool said_is_true(const struct activation *a)
{
    bool ran[MOST] = {0}, right = true;
    for (int i = 0; i < a->count; i++)
        ran[a->blocks[i]] = true;
    for (int b = 0; b < a->f->blocks; b++) {
        certain += said[b] == 'C';
        ruled_out += said[b] == 'N';
        if ((said[b] == 'C' && !ran[b]) || (said[b] == 'N' && ran[b])) {
            printf("WRONG: block %d of %s %s\n", b, a->f->name, ran[b] ? "is ruled out" : "is said to have run");
            right = false;
        }
    }
    return right;
}

static void judge_frame(const char *name, int block, const char *why, struct part *parts, int count, int *next)
{
    if (strcmp(why, "-")) {
        unknown++;
        return;
    }
    if (!find(name))
        return;
    int at = *next;
    while (at < depth && !(stack[at].f && !strcmp(stack[at].f->name, name) && stack[at].count &&
                           stack[at].blocks[stack[at].count - 1] == block))
        at++;
    if (at == depth) {
        unmatched++;
        printf("no activation of %s stands in block %d\n", name, block);
        return;
    }
    *next = at + 1;
    struct activation *a = &stack[at];
    int levels = reduce(a->f, a->blocks, a->count, parts, count);
    bool right = levels == count, one = true;
    for (int i = 0; right && i < count; i++) {
        right = parts[i].candidates == 0 || fits(&parts[i], &true_parts[i]);
        right &= !i || rounds_fit(&parts[i], &true_parts[i]);
        one &= parts[i].candidates == 1;
    }
    right &= said_is_true(a);
    compared++;
    if (right) {
        *(one ? &unique : &several) += 1;
        return;
    }
    wrong++;
    printf("WRONG: %s in block %d\n", name, block);
    for (int i = 0; i < count; i++)
        show("told", &parts[i]);
    for (int i = 0; i < levels; i++)
        show("true", &true_parts[i]);
}

static void read_part(char *line, struct part *part)
{
    char *word = strtok(line + 1, " \n");
    part->candidates = atof(word);
    part->count = 0;
    while ((word = strtok(NULL, " \n"))) {
        part->stops = realloc(part->stops, (size_t)(part->count + 1) * sizeof *part->stops);
        part->stops[part->count++] = (struct stop){
            .block = atoi(word), .loop = strchr(word, 'l') != NULL, .gap = strchr(word, 'g') != NULL,
            .around = strchr(word, 'a') != NULL};
    }
}

static void clear_parts(struct part *parts)
{
    for (int i = 0; i < LEVELS; i++)
        parts[i].round_count = 0;
}

static bool judge_told(const char *path)
{
    static struct part parts[LEVELS];
    char *line = NULL, name[4096] = "", why[4096] = "";
    size_t room = 0;
    int block = 0, count = 0, next = 0;
    long earlier = -1;
    clear_parts(parts);
    compared = unique = several = unknown = wrong = unmatched = certain = ruled_out = rounds_told = 0;
    FILE *told = fopen(path, "r");
    while (told && getline(&line, &room, told) > 0) {
        if (line[0] == 'C' || line[0] == 'N') {
            read_said(line);
            continue;
        }
        struct part *next_part = &parts[count];
        if (line[0] == 'E') {
            earlier = line[2] == '-' ? -1 : atol(line + 2);
            continue;
        }
        if (line[0] == 'H') {
            next_part->rounds =
                realloc(next_part->rounds, (size_t)(next_part->round_count + 1) * sizeof *next_part);
            struct part *round = &next_part->rounds[next_part->round_count++];
            *round = (struct part){.earlier = earlier};
            read_part(line, round);
            continue;
        }
        if (line[0] == 'R') {
            next_part->earlier = earlier;
            read_part(line, next_part);
            count++;
            continue;
        }
        if (*name)
            judge_frame(name, block, why, parts, count, &next);
        clear_parts(parts);
        count = 0;
        memset(said, 0, sizeof said);
        if (sscanf(line, "F %s %d %4000[^\n]", name, &block, why) != 3)
            exit(2);
    }
    if (*name)
        judge_frame(name, block, why, parts, count, &next);
    if (told)
        fclose(told);
    free(line);
    return told && !wrong && !unmatched;
}

int main(int argc, char **argv)
{
    char address[4096];
    bool right = false;
    int fitting = 0;
    if (argc != 4 && argc != 5)
        return 2;
    read_graphs(argv[1]);
    for (int list = 0; !right && read_truth(argv[2], list, address); list++)
        if (argc == 4 || !strcmp(address, argv[4])) {
            fitting++;
            right = judge_told(argv[3]);
        }
    printf("frames %d unique %d several %d unknown %d wrong %d unmatched %d lists %d certain %d ruled out %d rounds %d\n",
           compared, unique, several, unknown, wrong, unmatched, fitting, certain, ruled_out, rounds_told);
    return !right;
}
