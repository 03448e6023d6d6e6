/*
 * The deflate format. Data is read once; repetitions are found by a table of the last place of each
 * hash of four bytes. A block is written when BLOCK symbols have been collected: by codes of its
 * own, or as it is where codes do not make it smaller.
 */
#include "report/deflate.h"
#include "base/memory.h"

#include <string.h>

enum {
    HASH_BITS = 15,
    WINDOW = 32768,
    SHORTEST = 4,
    LONGEST = 258,
    BLOCK = 32768, /* symbols */
    LITERALS = 286,
    DISTANCES = 30,
    KINDS = 19, /* of lengths of codes */
    END = 256,
    LONGEST_CODE = 15,
    LONGEST_KIND = 7,
    STORED = 65535,
};

/* ---- Symbols of lengths and distances ---- */

/* A number's symbol is given by its two highest bits (of lengths: three); its other bits follow as
 * they are. */
static inline uint32_t high_bit(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

struct symbol {
    uint32_t number, extra, extra_bits;
};

static inline struct symbol length_symbol(uint32_t length)
{
    if (length == LONGEST)
        return (struct symbol){285, 0, 0};
    uint32_t rest = length - 3;
    if (rest < 8)
        return (struct symbol){257 + rest, 0, 0};
    uint32_t bits = high_bit(rest) - 2;
    return (struct symbol){257 + 4 * bits + (rest >> bits), rest & ((1u << bits) - 1), bits};
}

static inline struct symbol distance_symbol(uint32_t distance)
{
    uint32_t rest = distance - 1;
    if (rest < 4)
        return (struct symbol){rest, 0, 0};
    uint32_t bits = high_bit(rest) - 1;
    return (struct symbol){2 * bits + (rest >> bits), rest & ((1u << bits) - 1), bits};
}

/* ---- Codes ---- */

struct code {
    uint32_t bits[LITERALS]; /* as they are written: the first bit lowest */
    uint8_t length[LITERALS];
};

struct leaf {
    uint32_t weight;
    uint32_t symbol;
};

static int compare_leaves(const void *left, const void *right)
{
    const struct leaf *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/*
 * Computes Huffman's code lengths of sorted leaves: the two lightest of leaves and trees become a
 * tree, whose weights only grow. counts: how many codes have each length. Codes that are too long
 * are shortened, and others lengthened until all fit again.
 */
static void count_lengths(const struct leaf *leaves, uint32_t count, uint32_t longest,
                          uint32_t counts[LONGEST_CODE + 1])
{
    uint64_t weight[LITERALS];
    uint32_t parent[2 * LITERALS], depth[2 * LITERALS];
    uint32_t leaf = 0, tree = 0;
    for (uint32_t made = 0; made + 1 < count; made++) {
        uint64_t sum = 0;
        for (int i = 0; i < 2; i++) {
            bool from_leaves = tree == made || (leaf < count && leaves[leaf].weight <= weight[tree]);
            sum += from_leaves ? leaves[leaf].weight : weight[tree];
            parent[from_leaves ? leaf++ : count + tree++] = count + made;
        }
        weight[made] = sum;
    }
    memset(counts, 0, (LONGEST_CODE + 1) * sizeof *counts);
    depth[2 * count - 2] = 0;
    uint64_t room = 0; /* that is taken, in units of the longest code */
    for (uint32_t node = 2 * count - 2; node-- > 0;) {
        depth[node] = depth[parent[node]] + 1;
        if (node < count) {
            uint32_t length = depth[node] < longest ? depth[node] : longest;
            counts[length]++;
            room += 1ull << (longest - length);
        }
    }
    while (room > 1ull << longest) {
        uint32_t length = longest - 1;
        while (!counts[length])
            length--;
        counts[length]--;
        counts[length + 1]++;
        room -= 1ull << (longest - length - 1);
    }
    for (; room < 1ull << longest; room++) { /* readers want all room taken */
        counts[longest]--;
        counts[longest - 1]++;
    }
}

static uint32_t reversed(uint32_t bits, uint32_t count)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < count; i++)
        result |= (bits >> i & 1) << (count - 1 - i);
    return result;
}

static void code_init(struct code *c, const uint32_t *weights, uint32_t symbols, uint32_t longest)
{
    struct leaf leaves[LITERALS];
    uint32_t count = 0, counts[LONGEST_CODE + 1];
    memset(c->length, 0, sizeof c->length);
    for (uint32_t s = 0; s < symbols; s++)
        if (weights[s])
            leaves[count++] = (struct leaf){weights[s], s};
    for (uint32_t s = 0; count < 2; s++) /* readers want codes of two symbols at least */
        if (!weights[s])
            leaves[count++] = (struct leaf){0, s};
    qsort(leaves, count, sizeof *leaves, compare_leaves);
    count_lengths(leaves, count, longest, counts);
    uint32_t next[LONGEST_CODE + 2] = {0}, leaf = 0;
    for (uint32_t length = longest; length > 0; length--)
        for (uint32_t i = 0; i < counts[length]; i++)
            c->length[leaves[leaf++].symbol] = (uint8_t)length;
    for (uint32_t length = 1; length <= longest; length++)
        next[length + 1] = (next[length] + counts[length]) << 1;
    for (uint32_t s = 0; s < symbols; s++)
        if (c->length[s])
            c->bits[s] = reversed(next[c->length[s]]++, c->length[s]);
}

/* ---- A block ---- */

struct writer {
    struct buffer *to;
    uint8_t *at;
    uint64_t held; /* bits that do not make a byte yet */
    uint32_t count;
};

static inline void put(struct writer *w, uint64_t bits, uint32_t count)
{
    w->held |= bits << w->count;
    w->count += count;
}

/* Writes whole bytes. At most 56 bits may be put between two calls. */
static inline void flush(struct writer *w)
{
    memcpy(w->at, &w->held, sizeof w->held);
    w->at += w->count >> 3;
    w->held >>= w->count & ~7u;
    w->count &= 7;
}

/* A repetition is length << 16 | distance - 1, anything else is itself. */
struct symbols {
    uint32_t *items;
    uint32_t count;
    uint32_t literals[LITERALS], distances[DISTANCES];
    uint32_t lengths[LONGEST + 1]; /* of repetitions; by symbols when a block ends */
};

/* How codes' lengths are written: runs of lengths, and of zeros. */
struct kinds {
    struct symbol items[LITERALS + DISTANCES];
    uint32_t count, weights[KINDS];
};

static void add_kind(struct kinds *k, uint32_t number, uint32_t extra, uint32_t extra_bits)
{
    k->items[k->count++] = (struct symbol){number, extra, extra_bits};
    k->weights[number]++;
}

static void kinds_init(struct kinds *k, const uint8_t *lengths, uint32_t count)
{
    *k = (struct kinds){0};
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && lengths[end] == lengths[i];)
            end++;
        uint32_t run = end - i;
        if (lengths[i]) {
            add_kind(k, lengths[i], 0, 0);
            run--;
        }
        while (run >= 3) {
            uint32_t most = lengths[i] ? 6 : 138, part = run < most ? run : most;
            if (lengths[i])
                add_kind(k, 16, part - 3, 2);
            else if (part <= 10)
                add_kind(k, 17, part - 3, 3);
            else
                add_kind(k, 18, part - 11, 7);
            run -= part;
        }
        while (run-- > 0)
            add_kind(k, lengths[i], 0, 0);
    }
}

static void put_stored(struct writer *w, const uint8_t *data, size_t length, bool last)
{
    do {
        uint32_t part = length < STORED ? (uint32_t)length : STORED;
        put(w, last && part == length, 3);
        put(w, 0, (8 - w->count % 8) % 8);
        flush(w);
        put(w, part | (uint64_t)(part ^ 0xffff) << 16, 32);
        flush(w);
        memcpy(w->at, data, part);
        w->at += part;
        data += part;
        length -= part;
    } while (length);
}

static void put_symbols(struct writer *w, const struct symbols *s, const struct code *literals,
                        const struct code *distances)
{
    uint32_t bits[LONGEST + 1];
    uint8_t counts[LONGEST + 1];
    for (uint32_t length = SHORTEST; length <= LONGEST; length++) {
        struct symbol symbol = length_symbol(length);
        bits[length] = literals->bits[symbol.number] | symbol.extra << literals->length[symbol.number];
        counts[length] = (uint8_t)(literals->length[symbol.number] + symbol.extra_bits);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t item = s->items[i];
        if (item < END) {
            put(w, literals->bits[item], literals->length[item]);
        } else {
            struct symbol distance = distance_symbol((item & 0xffff) + 1);
            put(w, bits[item >> 16], counts[item >> 16]);
            put(w, distances->bits[distance.number], distances->length[distance.number]);
            put(w, distance.extra, distance.extra_bits);
        }
        flush(w);
    }
    put(w, literals->bits[END], literals->length[END]);
    flush(w);
}

static uint64_t bits_needed(const struct code *c, const uint32_t *weights, uint32_t symbols)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < symbols; s++)
        sum += (uint64_t)c->length[s] * weights[s];
    return sum;
}

/* Writes a block. The symbols stand for `length` bytes of data. */
static void put_block(struct writer *w, struct symbols *s, const uint8_t *data, size_t length, bool last)
{
    static const uint8_t kind_order[KINDS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct code literals, distances, kind_code;
    struct kinds kinds;
    uint8_t lengths[LITERALS + DISTANCES];
    s->literals[END] = 1;
    for (uint32_t i = SHORTEST; i <= LONGEST; i++)
        s->literals[length_symbol(i).number] += s->lengths[i];
    code_init(&literals, s->literals, LITERALS, LONGEST_CODE);
    code_init(&distances, s->distances, DISTANCES, LONGEST_CODE);
    uint32_t literal_count = LITERALS, distance_count = DISTANCES, kind_count = KINDS;
    while (literal_count > 257 && !literals.length[literal_count - 1])
        literal_count--;
    while (distance_count > 1 && !distances.length[distance_count - 1])
        distance_count--;
    memcpy(lengths, literals.length, literal_count);
    memcpy(lengths + literal_count, distances.length, distance_count);
    kinds_init(&kinds, lengths, literal_count + distance_count);
    code_init(&kind_code, kinds.weights, KINDS, LONGEST_KIND);
    while (kind_count > 4 && !kind_code.length[kind_order[kind_count - 1]])
        kind_count--;

    uint64_t bits = 17 + 3 * kind_count + bits_needed(&kind_code, kinds.weights, KINDS) +
                    bits_needed(&literals, s->literals, LITERALS) +
                    bits_needed(&distances, s->distances, DISTANCES);
    for (uint32_t i = 0; i < kinds.count; i++)
        bits += kinds.items[i].extra_bits;
    for (uint32_t i = 257 + 8; i < 285; i++)
        bits += (uint64_t)s->literals[i] * ((i - 261) / 4);
    for (uint32_t i = 4; i < DISTANCES; i++)
        bits += (uint64_t)s->distances[i] * (i / 2 - 1);
    bool stored = bits / 8 >= length;
    size_t needed = (stored ? length + 8 * (length / STORED + 1) : (size_t)(bits / 8)) + 16;
    w->at = buffer_room(w->to, needed);
    if (stored) {
        put_stored(w, data, length, last);
    } else {
        put(w,
            (uint64_t)last | 2 << 1 | (literal_count - 257) << 3 | (distance_count - 1) << 8 |
                (kind_count - 4) << 13,
            17);
        flush(w);
        for (uint32_t i = 0; i < kind_count; i++) {
            put(w, kind_code.length[kind_order[i]], 3);
            flush(w);
        }
        for (uint32_t i = 0; i < kinds.count; i++) {
            const struct symbol *kind = &kinds.items[i];
            put(w, kind_code.bits[kind->number], kind_code.length[kind->number]);
            put(w, kind->extra, kind->extra_bits);
            flush(w);
        }
        put_symbols(w, s, &literals, &distances);
    }
    if (last && w->count) {
        put(w, 0, 8 - w->count);
        flush(w);
    }
    w->to->length = (size_t)(w->at - w->to->data);
    s->count = 0;
    memset(s->literals, 0, sizeof s->literals);
    memset(s->distances, 0, sizeof s->distances);
    memset(s->lengths, 0, sizeof s->lengths);
}

/* ---- Repetitions ---- */

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t hash_of(uint32_t four)
{
    return four * 0x9e3779b1u >> (32 - HASH_BITS);
}

/* Returns how many bytes are the same, up to `most`. */
static inline uint32_t same_bytes(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t same = 0;
    for (; same + 8 <= most; same += 8) {
        uint64_t x, y;
        memcpy(&x, a + same, sizeof x);
        memcpy(&y, b + same, sizeof y);
        if (x != y)
            return same + (uint32_t)__builtin_ctzll(x ^ y) / 8;
    }
    while (same < most && a[same] == b[same])
        same++;
    return same;
}

struct deflater {
    struct writer writer;
    struct symbols symbols;
    uint32_t items[BLOCK + SHORTEST];
    uint32_t table[1 << HASH_BITS];
};

struct deflater *deflater_new(void)
{
    struct deflater *d = ZALLOC(struct deflater, 1);
    d->symbols.items = d->items;
    return d;
}

void deflater_free(struct deflater *d)
{
    free(d);
}

/* Compresses data that is small enough for places in 32 bits. */
static void add_part(struct deflater *d, const uint8_t *data, uint32_t length, bool last)
{
    struct symbols *s = &d->symbols;
    uint32_t at = 0, block = 0, *table = d->table;
    for (uint32_t i = 0; i < 1u << HASH_BITS; i++)
        table[i] = UINT32_MAX - WINDOW; /* too far away */
    while (at + SHORTEST <= length) {
        uint32_t four = load32(data + at), *place = &table[hash_of(four)], before = *place;
        *place = at;
        if (at - before - 1 < WINDOW && load32(data + before) == four) {
            uint32_t most = length - at < LONGEST ? length - at : LONGEST, distance = at - before;
            uint32_t same =
                SHORTEST + same_bytes(data + before + SHORTEST, data + at + SHORTEST, most - SHORTEST);
            s->items[s->count++] = same << 16 | (distance - 1);
            s->lengths[same]++;
            s->distances[distance_symbol(distance).number]++;
            uint32_t end = at + same;
            if (end + SHORTEST <= length) {
                table[hash_of(load32(data + at + 1))] = at + 1;
                table[hash_of(load32(data + end - 1))] = end - 1;
            }
            at = end;
        } else {
            s->items[s->count++] = data[at];
            s->literals[data[at]]++;
            at++;
        }
        if (s->count >= BLOCK) {
            put_block(&d->writer, s, data + block, at - block, false);
            block = at;
        }
    }
    for (; at < length; at++) {
        s->items[s->count++] = data[at];
        s->literals[data[at]]++;
    }
    put_block(&d->writer, s, data + block, length - block, last);
}

void deflate_add(struct deflater *d, struct buffer *to, const void *data, size_t length, bool last)
{
    enum { PART = 1 << 30 };
    const uint8_t *from = data;
    d->writer.to = to;
    for (; length > PART; from += PART, length -= PART)
        add_part(d, from, PART, false);
    add_part(d, from, (uint32_t)length, last);
}
