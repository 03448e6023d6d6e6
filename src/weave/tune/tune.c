#include "weave/tune/tune.h"
#include "base/buffer.h"
#include "base/text.h"
#include "decode/lines/demangle.h"

enum { ENDBR = 4, JUMP = 5, JUMP_CODE = 0xe9 };

/* Where the jump is put: code that may be the target of an indirect call begins with endbr64. */
static uint8_t *jump_place(const struct tuning *t, const struct tunable *f, uint64_t *address)
{
    static const uint8_t endbr[ENDBR] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t *code = elf_image_code(&t->image, f->entry, f->size);
    uint32_t skipped = code && f->size >= ENDBR && !memcmp(code, endbr, ENDBR) ? ENDBR : 0;
    *address = f->entry + skipped;
    return code && f->size >= skipped + JUMP ? code + skipped : NULL;
}

/* The jump from there to the plain body; false: it is too far, or there is none. */
static bool make_jump(const struct tuning *t, const struct tunable *f, uint64_t address, uint8_t jump[JUMP])
{
    int64_t distance = (int64_t)(f->plain - (address + JUMP));
    if (!elf_image_code(&t->image, f->plain, 1) || distance != (int32_t)distance ||
        (f->plain >= f->entry && f->plain - f->entry < f->size))
        return false;
    jump[0] = JUMP_CODE;
    for (int i = 0; i < 4; i++)
        jump[1 + i] = (uint8_t)((uint64_t)distance >> 8 * i);
    return true;
}

/* Does the table of places, which has hashes of its own, know code that begins there? */
static bool is_code(const struct tuning *t, uint64_t address)
{
    const struct place_code *code = place_index_find(&t->places, address);
    return code && code->address == address;
}

/* Can it be turned off? *damaged: its code is not what its record says. */
static bool is_tunable(const struct tuning *t, const struct tunable *f, bool *damaged)
{
    uint64_t address;
    uint8_t *place = jump_place(t, f, &address), jump[JUMP];
    bool can = place && make_jump(t, f, address, jump), jumps = can && !memcmp(place, jump, JUMP);
    *damaged |= (f->off && !jumps) || (can && !(is_code(t, f->entry) && is_code(t, f->plain)));
    return can && f->off == jumps;
}

static int by_entry(const void *left, const void *right)
{
    const struct tunable *a = left, *b = right;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Keeps what can be turned off; false: the file is damaged. */
static bool check(struct tuning *t)
{
    size_t kept = 0;
    bool damaged = false;
    uint64_t end = 0;
    if (t->functions.count)
        qsort(t->functions.items, t->functions.count, sizeof *t->functions.items, by_entry);
    for (size_t i = 0; i < t->functions.count; i++) {
        const struct tunable *f = &t->functions.items[i];
        if (!is_tunable(t, f, &damaged))
            continue;
        damaged |= f->entry < end;
        end = f->entry + f->size;
        t->functions.items[kept++] = *f;
    }
    t->functions.count = kept;
    return !damaged;
}

static uint64_t word_at(const uint8_t *bytes)
{
    struct cursor c = cursor_over(bytes, sizeof(uint64_t));
    return cursor_u64(&c);
}

static bool find_records(struct tuning *t, struct error *error)
{
    size_t length = 0, scheme_length = 0;
    t->records = elf_image_section(&t->image, TUNABLE_SECTION, &length);
    t->scheme = elf_image_section(&t->image, SCHEME_SECTION, &scheme_length);
    if (!t->records)
        return error_set(error, "has no functions that can be turned off: compile it with "
                                "-fcotree=crash -fcotree-crash=tunable");
    if (!tunables_read(&t->functions, t->records, length, error))
        return false;
    return (t->scheme && scheme_length >= sizeof(uint64_t)) ||
           error_set(error, "does not say how it was tuned");
}

bool tuning_open(struct tuning *t, const char *path, struct error *error)
{
    *t = (struct tuning){0};
    if (!elf_image_read(&t->image, path, error))
        return false;
    bool damaged;
    bool good = (find_records(t, error) || error_prefix(error, "'%s'", path)) &&
                elf_module_read(&t->module, path, NULL, error) &&
                elf_places_read(&t->places, path, t->module.build_id, NULL, &damaged, error);
    if (good && (!check(t) || word_at(t->scheme) != tunables_scheme(&t->functions)))
        good = error_set(error, "'%s' is damaged: its code is not as its records say", path);
    if (!good)
        tuning_release(t);
    return good;
}

void tuning_release(struct tuning *t)
{
    place_index_release(&t->places);
    ARRAY_RELEASE(&t->functions);
    elf_module_release(&t->module);
    elf_image_release(&t->image);
}

const char *tuning_name(const struct tuning *t, const struct tunable *function)
{
    size_t at = FIRST_WITHOUT(t->module.functions.count, i, t->module.functions.items[i].key < function->key);
    bool found = at < t->module.functions.count && t->module.functions.items[at].key == function->key;
    return found ? t->module.functions.items[at].name : NULL;
}

static bool matches(const char *glob, const char *name)
{
    char *whole = demangle(name), *bare = demangled_bare_name(whole);
    const char *last = bare;
    for (const char *at = bare; (at = strstr(at, "::"));)
        last = at += 2;
    bool found = name_matches(glob, name, whole) || text_matches(glob, last);
    free(whole);
    free(bare);
    return found;
}

size_t tuning_set(struct tuning *t, const char *glob, bool on)
{
    size_t found = 0;
    for (size_t i = 0; i < t->functions.count; i++) {
        const char *name = tuning_name(t, &t->functions.items[i]);
        if (!name || !matches(glob, name))
            continue;
        t->functions.items[i].off = !on;
        found++;
    }
    return found;
}

size_t tuning_set_key(struct tuning *t, uint64_t key, bool on)
{
    size_t found = 0;
    for (size_t i = 0; i < t->functions.count; i++)
        if (t->functions.items[i].key == key) {
            t->functions.items[i].off = !on;
            found++;
        }
    return found;
}

/* Makes the code of the function what its record says. */
static void apply(struct tuning *t, struct tunable *f)
{
    uint64_t address;
    uint8_t *place = jump_place(t, f, &address), jump[JUMP];
    make_jump(t, f, address, jump);
    bool was_off = !memcmp(place, jump, JUMP);
    if (f->off && !was_off) {
        memcpy(f->saved, place, JUMP);
        memcpy(place, jump, JUMP);
    } else if (!f->off && was_off) {
        memcpy(place, f->saved, JUMP);
        memset(f->saved, 0, sizeof f->saved);
    }
    tunable_write(f, t->records + f->offset);
}

bool tuning_write(struct tuning *t, FILE *out)
{
    for (size_t i = 0; i < t->functions.count; i++)
        apply(t, &t->functions.items[i]);
    struct buffer word = {0};
    buffer_add_u64(&word, tunables_scheme(&t->functions));
    memcpy(t->scheme, word.data, word.length);
    buffer_release(&word);
    return fwrite(t->image.bytes, 1, t->image.length, out) == t->image.length;
}
