/* Reading run files: format/data/data.h says what is promised. */
#include "format/data/data.h"
#include "base/hash.h"
#include "format/counters.h"
#include "format/trace/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_WORDS = 32768 }; /* a block is read in pieces of this many words */

bool data_read_at(int fd, void *to, size_t length, uint64_t offset)
{
    uint8_t *at = to;
    while (length) {
        ssize_t got = pread(fd, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

bool data_header_read(int fd, struct data_header *header)
{
    if (!data_read_at(fd, header, sizeof *header, 0))
        return false;
    if (header->header_size < sizeof *header && header->header_size >= offsetof(struct data_header, flags))
        memset((char *)header + header->header_size, 0, sizeof *header - header->header_size);
    return true;
}

int data_open(const char *path, uint32_t *kind, uint64_t *size, struct error *error)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    struct data_header h = {0};
    _Static_assert(offsetof(struct data_header, runs_started) == 64, "the container");
    if (fd < 0 || fstat(fd, &st) < 0) {
        error_set(error, "cannot open: %s", strerror(errno));
    } else if (S_ISDIR(st.st_mode)) {
        error_set(error, "is a directory");
    } else if (!S_ISREG(st.st_mode)) {
        error_set(error, "is not a regular file");
    } else if (st.st_size == 0) {
        error_set(error, "is empty");
    } else if (st.st_size < 64 || !data_read_at(fd, &h, 64, 0) || memcmp(h.magic, DATA_MAGIC, 8)) {
        bool events = st.st_size >= 64 && !memcmp(h.magic, TRACE_MAGIC, 8);
        error_set(error, events ? "is a file of events: name the data file that it belongs to"
                                : "is not a file of cotree: neither data nor a merged profile");
    } else if (h.version != DATA_VERSION) {
        error_set(error, "has version %u of the format, this cotree reads version %u", h.version,
                  DATA_VERSION);
    } else if (h.kind != DATA_KIND_RUN && h.kind != DATA_KIND_MERGED) {
        error_set(error, "is of an unknown kind (%u)", h.kind);
    } else {
        *kind = h.kind;
        *size = (uint64_t)st.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Is [offset, offset + length) in the file? Asks for the size again before it says no, since the
 * program may have made the file longer. */
static bool inside(struct data_file *f, uint64_t offset, uint64_t length)
{
    if (offset <= f->size && length <= f->size - offset)
        return true;
    struct stat st;
    if (fstat(f->fd, &st) == 0)
        f->size = (uint64_t)st.st_size;
    return offset <= f->size && length <= f->size - offset;
}

/* Reads the page that a link leads to; each page may be reached once. */
static bool read_page(struct data_file *f, struct hash_map *seen, uint64_t offset, void *page,
                      const char *what, struct error *error)
{
    bool added;
    if (offset % DATA_PAGE || offset < DATA_PAGE)
        return error_set(error, "is damaged: a %s at offset %llu", what, (unsigned long long)offset);
    if (!inside(f, offset, DATA_PAGE) || !data_read_at(f->fd, page, DATA_PAGE, offset))
        return error_set(error, "is cut short: a %s at offset %llu, the file ends at %llu", what,
                         (unsigned long long)offset, (unsigned long long)f->size);
    hash_map_put(seen, offset, &added);
    if (!added)
        return error_set(error, "is damaged: the page at offset %llu is used twice",
                         (unsigned long long)offset);
    return true;
}

static void add_module(struct data_file *f, const struct data_module *module)
{
    struct data_module *m = ARRAY_ADD(&f->modules);
    *m = *module;
    m->path[sizeof m->path - 1] = 0;
}

/* Hashes the sealed part of the first page: the header, as its writer knew it, and the first
 * module. */
static bool read_first(struct data_file *f, struct error *error)
{
    uint64_t page[(DATA_MODULE_OFFSET + sizeof(struct data_module)) / 8];
    if (!data_read_at(f->fd, page, sizeof page, 0))
        return error_set(error, "is cut short: it ends before its first module");
    f->hash = data_seal_first(DATA_SEAL_BEGIN, page, f->header.header_size);
    return true;
}

static bool read_modules(struct data_file *f, struct hash_map *seen, struct error *error)
{
    struct data_module first;
    if (!data_read_at(f->fd, &first, sizeof first, DATA_MODULE_OFFSET))
        return error_set(error, "is cut short: it ends before its first module");
    add_module(f, &first);
    for (uint64_t at = f->header.modules; at;) {
        struct data_module_page page;
        if (!read_page(f, seen, at, &page, "page of modules", error))
            return false;
        f->hash = data_seal_modules(f->hash, &page);
        for (size_t i = 0; i < sizeof page.modules / sizeof *page.modules; i++)
            add_module(f, &page.modules[i]);
        at = page.next;
    }
    for (size_t i = 0; i < f->modules.count; i++) {
        const struct data_module *m = &f->modules.items[i];
        if (m->state == 2 &&
            (m->build_id_size > DATA_BUILD_ID_MAX ||
             (m->block_length && (m->counters_length > m->block_length || m->counters_length % 8))))
            return error_set(error, "is damaged: module %zu makes no sense", i);
    }
    return true;
}

static int by_offset(const void *left, const void *right)
{
    const struct data_slot *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Blocks may share pages neither with each other nor with the lists. */
static bool check_overlap(struct data_file *f, const struct hash_map *seen, struct error *error)
{
    struct data_slots *slots = &f->slots;
    if (!slots->count)
        return true;
    qsort(slots->items, slots->count, sizeof *slots->items, by_offset);
    for (size_t i = 1; i < slots->count; i++)
        if (slots->items[i].offset - slots->items[i - 1].offset < slots->items[i - 1].length)
            return error_set(error, "is damaged: two blocks overlap at offset %llu",
                             (unsigned long long)slots->items[i].offset);
    for (size_t i = 0; i < seen->capacity; i++) {
        if (!seen->entries[i].used)
            continue;
        uint64_t page = seen->entries[i].key;
        size_t after = FIRST_WITHOUT(slots->count, k, slots->items[k].offset <= page);
        if (after && page - slots->items[after - 1].offset < slots->items[after - 1].length)
            return error_set(error, "is damaged: a block lies over the page at offset %llu",
                             (unsigned long long)page);
    }
    return true;
}

static bool read_slots(struct data_file *f, struct hash_map *seen, struct error *error)
{
    for (uint64_t at = f->header.table; at;) {
        struct data_table table;
        if (!read_page(f, seen, at, &table, "table of blocks", error))
            return false;
        f->hash = data_seal_table(f->hash, &table);
        for (size_t i = 0; i < sizeof table.slots / sizeof *table.slots; i++) {
            const struct data_slot *slot = &table.slots[i];
            if (DATA_OWNER_STATE(slot->owner) > DATA_SIGNALLED)
                return error_set(error, "is damaged: a block in state %u",
                                 (unsigned)DATA_OWNER_STATE(slot->owner));
            if (!slot->offset || !slot->length)
                continue;
            if (slot->offset % DATA_PAGE || slot->length % DATA_PAGE || slot->offset < 2 * DATA_PAGE)
                return error_set(error, "is damaged: a block at offset %llu",
                                 (unsigned long long)slot->offset);
            if (!inside(f, slot->offset, slot->length))
                return error_set(error,
                                 "is cut short: a block of %llu bytes at offset %llu, the file ends at %llu",
                                 (unsigned long long)slot->length, (unsigned long long)slot->offset,
                                 (unsigned long long)f->size);
            if (slot->module >= f->modules.count || f->modules.items[slot->module].state != 2 ||
                !f->modules.items[slot->module].block_length ||
                f->modules.items[slot->module].counters_length > slot->length)
                return error_set(error, "is damaged: the block at offset %llu belongs to no module",
                                 (unsigned long long)slot->offset);
            ARRAY_PUSH(&f->slots, *slot);
        }
        at = table.next;
    }
    return check_overlap(f, seen, error);
}

bool data_frame_kind_is_known(uint32_t kind)
{
    return (kind >= DATA_FRAME_CUT && kind <= DATA_FRAME_RESUME_AT) || kind == DATA_FRAME_UNWIND ||
           kind == DATA_FRAME_GOES_ON;
}

static bool read_frame_counts(struct data_file *f, struct hash_map *seen, struct error *error)
{
    for (uint64_t at = f->header.frame_counts; at;) {
        struct data_frame_count_page page;
        if (!read_page(f, seen, at, &page, "page of frame counts", error))
            return false;
        f->hash = data_seal_frame_counts(f->hash, &page);
        for (size_t i = 0; i < DATA_FRAME_COUNTS_A_PAGE; i++) {
            const struct data_frame_count *e = &page.counts[i];
            int64_t count = (int64_t)e->count;
            if (!e->kind_and_address || !count)
                continue;
            uint32_t module = DATA_FRAME_MODULE(e->kind_and_address);
            if (module >= f->modules.count || f->modules.items[module].state != 2)
                return error_set(error, "is damaged: a frame count of module %u, which is missing", module);
            if (!data_frame_kind_is_known(DATA_FRAME_KIND(e->kind_and_address)))
                return error_set(error, "is damaged: a frame count of kind %u",
                                 DATA_FRAME_KIND(e->kind_and_address));
            if (count >= DATA_FRAME_COUNT_MOST || count <= -DATA_FRAME_COUNT_MOST)
                return error_set(error, "is damaged: frames were left %lld times at one place",
                                 (long long)count);
            ARRAY_PUSH(&f->frame_counts, *e);
        }
        at = page.next;
    }
    return true;
}

/* A process that came since then has taken the seal away. */
static bool is_still_sealed(const struct data_file *f)
{
    struct data_header now;
    return data_header_read(f->fd, &now) && now.seal == f->header.seal &&
           now.runs_started == f->header.runs_started;
}

static bool check_seal(struct data_file *f, struct error *error)
{
    if (!data_is_sealed(f->header.seal) || f->header.flags & DATA_FLAG_DUMPED ||
        (f->hash | 1) == f->header.seal)
        return true;
    return !is_still_sealed(f) || error_set(error, "is damaged: it is not what its program left (its seal)");
}

static uint64_t runs_ended(const struct data_header *h)
{
    const uint64_t kinds[] = {h->runs_clean, h->runs_exec, h->runs_exited, h->runs_signalled};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (__builtin_add_overflow(sum, kinds[i], &sum))
            return UINT64_MAX;
    return sum;
}

uint64_t data_runs_open(const struct data_header *header)
{
    uint64_t ended = runs_ended(header);
    return header->runs_started > ended ? header->runs_started - ended : 0;
}

/* How many processes the slots name. */
static uint64_t count_owners(const struct data_file *f)
{
    struct hash_map owners = {0};
    for (size_t i = 0; i < f->slots.count; i++) {
        const struct data_slot *slot = &f->slots.items[i];
        const uint64_t name[] = {DATA_OWNER_PID(slot->owner), slot->start_time, slot->pid_namespace};
        if (DATA_OWNER_STATE(slot->owner) >= DATA_USED)
            hash_map_put(&owners, hash_bytes(name, sizeof name), NULL);
    }
    uint64_t count = owners.count;
    hash_map_release(&owners);
    return count;
}

/* Slots and flags repeat what the header counts, though less exactly. In a file in use the header
 * may be ahead. */
static bool check_runs(const struct data_file *f, struct error *error)
{
    const struct data_header *h = &f->header;
    uint64_t ended = runs_ended(h);
    const char *wrong = NULL;
    if (ended > h->runs_started)
        wrong = "more runs ended than began";
    else if (data_is_sealed(h->seal) && ended != h->runs_started && ended + 1 != h->runs_started)
        wrong = "it was sealed while runs went on"; /* one process may have come and been stopped at once */
    else if (h->runs_started > 1 && !(h->flags & DATA_FLAG_POOL))
        wrong = "several runs, though it is of one";
    else if (h->threads_lost && !(h->flags & DATA_FLAG_LOST_THREAD))
        wrong = "threads are counted as lost that its flags do not know of";
    else if (h->frames_lost && !(h->flags & DATA_FLAG_FRAMES_LOST))
        wrong = "frames are counted as lost that its flags do not know of";
    else if (count_owners(f) > h->runs_started)
        wrong = "more processes counted than began";
    return !wrong || data_file_changed(f) || error_set(error, "is damaged: %s", wrong);
}

bool data_file_read(struct data_file *f, int fd, struct error *error)
{
    *f = (struct data_file){.fd = fd};
    struct stat st;
    struct hash_map seen = {0};
    bool ok = false;
    if (fstat(fd, &st) == 0)
        f->size = (uint64_t)st.st_size;
    if (!data_header_read(fd, &f->header))
        error_set(error, "is cut short: it ends inside its header");
    else if (!DATA_HEADER_HAS(&f->header, handled) || f->header.header_size > DATA_MODULE_OFFSET)
        error_set(error, "is damaged: its header claims %u bytes", f->header.header_size);
    else if (!f->header.table)
        error_set(error, "was never set up: its program was stopped before it counted anything");
    else
        ok = read_first(f, error) && read_modules(f, &seen, error) && read_frame_counts(f, &seen, error) &&
             read_slots(f, &seen, error) && check_seal(f, error) && check_runs(f, error);
    f->header.run[sizeof f->header.run - 1] = 0;
    f->header.program[sizeof f->header.program - 1] = 0;
    hash_map_release(&seen);
    if (!ok)
        data_file_release(f);
    return ok;
}

void data_module_build_id(const struct data_module *m, char text[DATA_BUILD_ID_TEXT])
{
    *text = 0;
    for (uint32_t i = 0; i < m->build_id_size && i < DATA_BUILD_ID_MAX; i++)
        sprintf(text + 2 * i, "%02x", m->build_id[i]);
}

bool data_file_is_of_libraries(const struct data_file *f, const char *program)
{
    for (size_t i = 0; i < f->modules.count; i++) {
        const char *path = f->modules.items[i].path, *slash = strrchr(path, '/');
        if (f->modules.items[i].state == 2 && !strcmp(slash ? slash + 1 : path, f->header.program))
            return false;
    }
    return !strcmp(f->header.program, program);
}

bool data_file_changed(const struct data_file *f)
{
    struct data_header now;
    return !data_header_read(f->fd, &now) || now.runs_started != f->header.runs_started ||
           now.runs_clean != f->header.runs_clean || now.runs_exec != f->header.runs_exec ||
           now.runs_exited != f->header.runs_exited || now.runs_signalled != f->header.runs_signalled ||
           now.frames_lost != f->header.frames_lost || now.flags != f->header.flags;
}

void data_file_release(struct data_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    ARRAY_RELEASE(&f->modules);
    ARRAY_RELEASE(&f->slots);
    ARRAY_RELEASE(&f->frame_counts);
}

/* A block as a stream of words; `at` and `end` are offsets in the file. */
struct words {
    struct data_file *f;
    uint64_t at, end;
    size_t next, count; /* in piece */
    uint64_t piece[PIECE_WORDS];
};

/* Steps over a hole when the piece is used up; stays on whole words. */
static void skip_hole(struct words *w)
{
    off_t data = lseek(w->f->fd, (off_t)w->at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        w->at = w->end; /* only holes up to the end of the file */
    else if (data > 0 && (uint64_t)data > w->at)
        w->at = (uint64_t)data < w->end ? (uint64_t)data & ~7ull : w->end;
}

static bool refill(struct words *w, struct error *error)
{
    uint64_t left = (w->end - w->at) / 8;
    w->next = 0;
    w->count = left < PIECE_WORDS ? (size_t)left : PIECE_WORDS;
    if (!data_read_at(w->f->fd, w->piece, w->count * 8, w->at))
        return error_set(error, "is cut short: it ends inside the block at offset %llu",
                         (unsigned long long)w->at);
    w->at += w->count * 8;
    return true;
}

/* The next word that is not zero; 0 at the end of the block. */
static bool next_nonzero(struct words *w, uint64_t *word, struct error *error)
{
    for (;;) {
        while (w->next < w->count)
            if ((*word = w->piece[w->next++]))
                return true;
        skip_hole(w);
        if (w->at >= w->end) {
            *word = 0;
            return true;
        }
        if (!refill(w, error))
            return false;
    }
}

static bool add_array(struct words *w, uint64_t key, data_place *place, void *context, struct error *error)
{
    if (w->next == w->count && (w->at >= w->end || !refill(w, error)))
        return w->at >= w->end ? error_set(error, "is damaged: a block ends inside an array of counters")
                               : false;
    uint64_t count = w->piece[w->next++];
    if (count > (w->end - w->at) / 8 + (w->count - w->next))
        return error_set(error, "is damaged: an array of %llu counters does not fit its block",
                         (unsigned long long)count);
    int64_t *to = place(context, key, count, error);
    if (!to)
        return false;
    for (uint64_t i = 0; i < count;) {
        if (w->next == w->count && !refill(w, error))
            return false;
        for (; i < count && w->next < w->count; i++, w->next++)
            to[i] = (int64_t)((uint64_t)to[i] + w->piece[w->next]);
    }
    return true;
}

bool data_add_block(struct data_file *f, const struct data_slot *slot, data_place *place, void *context,
                    struct error *error)
{
    struct words *w = ALLOC(struct words, 1);
    w->f = f;
    w->at = slot->offset;
    w->end = slot->offset + f->modules.items[slot->module].counters_length;
    w->next = w->count = 0;
    bool ok;
    uint64_t key;
    while ((ok = next_nonzero(w, &key, error)) && key)
        if (!(ok = add_array(w, key, place, context, error)))
            break;
    free(w);
    return ok;
}

/* The hash of a block, a page at a time; holes are stepped over. */
static bool hash_block(struct data_file *f, const struct data_slot *slot, uint64_t *hash)
{
    enum { PIECE_PAGES = 64 };
    uint64_t end = slot->offset + slot->length;
    uint64_t *piece = ALLOC(uint64_t, PIECE_PAGES *DATA_PAGE_WORDS);
    bool ok = true;
    *hash = DATA_SEAL_BEGIN;
    for (uint64_t at = slot->offset; ok && at < end;) {
        off_t data = lseek(f->fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        if (data > 0 && (uint64_t)data > at)
            at = (uint64_t)data & ~(uint64_t)(DATA_PAGE - 1);
        size_t pages = at >= end ? 0 : (size_t)((end - at) / DATA_PAGE);
        pages = pages > PIECE_PAGES ? PIECE_PAGES : pages;
        ok = data_read_at(f->fd, piece, pages * DATA_PAGE, at);
        for (size_t i = 0; ok && i < pages; i++)
            *hash = data_seal_page(*hash, (at - slot->offset) / DATA_PAGE + i, piece + i * DATA_PAGE_WORDS);
        at = pages ? at + pages * DATA_PAGE : end;
    }
    free(piece);
    return ok;
}

/* Is the slot as it was read, so that no process has taken it since? */
static bool is_slot_unchanged(const struct data_file *f, const struct data_slot *slot)
{
    struct data_table table;
    for (uint64_t at = f->header.table; at && data_read_at(f->fd, &table, sizeof table, at); at = table.next)
        for (size_t i = 0; i < sizeof table.slots / sizeof *table.slots; i++)
            if (table.slots[i].offset == slot->offset)
                return !memcmp(&table.slots[i], slot, sizeof *slot);
    return false;
}

bool data_check_block(struct data_file *f, const struct data_slot *slot, struct error *error)
{
    uint64_t hash;
    if (!data_is_sealed(slot->seal) || DATA_OWNER_STATE(slot->owner) == DATA_CLAIMED ||
        DATA_OWNER_STATE(slot->owner) == DATA_USED || f->header.flags & DATA_FLAG_DUMPED)
        return true;
    if (!hash_block(f, slot, &hash))
        return error_set(error, "is cut short: it ends inside the block at offset %llu",
                         (unsigned long long)slot->offset);
    if (data_seal_of_slot(slot, hash) == slot->seal || !is_slot_unchanged(f, slot))
        return true;
    return error_set(error, "is damaged: the block at offset %llu is not what its process left (its seal)",
                     (unsigned long long)slot->offset);
}

/* Field 22 of /proc/PID/stat: clock ticks from boot to the process's start. False when there is no
 * such process. */
static bool start_time_of(uint32_t pid, uint64_t *start_time)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = 0;
    char *at = strrchr(text, ')'); /* the name may hold anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    *start_time = strtoull(at + 1, NULL, 10);
    char *state = strrchr(text, ')');
    return state[1] == 0 || (state[2] != 'Z' && state[2] != 'X'); /* a zombie counts no more */
}

enum data_owner data_owner_judge(const struct data_slot *slot)
{
    struct stat st;
    uint64_t start_time;
    if (stat("/proc/self/ns/pid", &st) < 0 || (uint64_t)st.st_ino != slot->pid_namespace)
        return DATA_OWNER_UNKNOWN;
    if (!start_time_of(DATA_OWNER_PID(slot->owner), &start_time))
        return DATA_OWNER_GONE;
    return slot->start_time && start_time != slot->start_time ? DATA_OWNER_GONE : DATA_OWNER_ALIVE;
}
