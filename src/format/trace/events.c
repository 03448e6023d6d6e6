#include "format/trace/events.h"
#include "base/text.h"
#include "base/temporary.h"
#include "format/data/data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, FRAMES_MOST = 1 << 20 };

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Finds those in the directory of the data file. A directory that cannot be listed may still be
 * entered. */
static void find_beside(struct trace_names *names, const char *data_path)
{
    const char *slash = strrchr(data_path, '/'), *base = slash ? slash + 1 : data_path;
    char *directory =
        slash ? memory_substring(data_path, (size_t)(slash - data_path) + 1) : memory_string("./");
    struct buffer name = {0};
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        const char *rest = entry->d_name + strlen(base);
        if (!text_starts_with(entry->d_name, base) || !text_starts_with(rest, TRACE_EVENTS_SUFFIX))
            continue;
        rest += strlen(TRACE_EVENTS_SUFFIX);
        if (*rest && (*rest != '.' || rest[1 + strspn(rest + 1, "0123456789")]))
            continue;
        name.length = 0;
        buffer_addf(&name, "%s%s", slash ? directory : "", entry->d_name);
        ARRAY_PUSH(names, memory_string(buffer_text(&name)));
    }
    struct stat st;
    name.length = 0;
    buffer_addf(&name, "%s%s", data_path, TRACE_EVENTS_SUFFIX);
    if (stream)
        closedir(stream);
    else if (stat(buffer_text(&name), &st) == 0)
        ARRAY_PUSH(names, memory_string(buffer_text(&name)));
    free(directory);
    buffer_release(&name);
}

/* A symbolic link may give a data file another name: the events file is beside the file itself. */
void trace_events_find(struct trace_names *names, const char *data_path)
{
    struct stat st;
    char *real = lstat(data_path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(data_path, NULL) : NULL;
    find_beside(names, data_path);
    if (!names->count && real)
        find_beside(names, real);
    free(real);
    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, by_name);
}

void trace_names_release(struct trace_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    ARRAY_RELEASE(names);
}

bool trace_events_refresh(struct trace_events *t)
{
    return data_read_at(t->fd, &t->header, sizeof t->header, 0) &&
           data_read_at(t->fd, t->streams, TRACE_STREAMS_MOST * sizeof *t->streams, TRACE_STREAMS_OFFSET);
}

/* Adds the pages of [offset, offset + length) to the hash; holes are stepped over. */
static bool hash_pages(int fd, uint64_t *hash, uint64_t offset, uint64_t length)
{
    uint8_t *piece = ALLOC(uint8_t, PIECE);
    uint64_t end = offset + (length & ~(uint64_t)(DATA_PAGE - 1));
    bool good = true;
    for (uint64_t at = offset; good && at < end;) {
        off_t data = lseek(fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        if (data > 0 && (uint64_t)data > at)
            at = (uint64_t)data & ~(uint64_t)(DATA_PAGE - 1);
        uint64_t part = at >= end ? 0 : end - at < PIECE ? end - at : PIECE;
        good = data_read_at(fd, piece, part, at);
        *hash = good ? data_seal_pages(*hash, piece, at, part) : 0;
        at = part ? at + part : end;
    }
    free(piece);
    return good;
}

/* Is the file as its program left it, if that was sealed? A packer takes the seal away before
 * anything else. */
static bool check_seal(struct trace_events *t, struct error *error)
{
    struct trace_header h = t->header;
    struct stat st;
    if (!data_is_sealed(h.seal))
        return true;
    h.follower = h.seal = 0;
    uint64_t hash = data_seal_words(DATA_SEAL_BEGIN, (const uint64_t *)(const void *)&h, sizeof h / 8);
    bool good = h.sealed_streams <= TRACE_STREAMS_MOST && h.end % DATA_PAGE == 0 &&
                h.end >= TRACE_REGIONS_OFFSET && fstat(t->fd, &st) == 0 && h.end <= (uint64_t)st.st_size;
    uint64_t rest = DATA_PAGE - 1;
    good = good &&
           hash_pages(t->fd, &hash, TRACE_STREAMS_OFFSET,
                      h.sealed_streams * sizeof(struct trace_stream) + rest) &&
           hash_pages(t->fd, &hash, TRACE_ADDRESSES_OFFSET,
                      h.sealed_streams * sizeof(struct trace_address_stream) + rest) &&
           hash_pages(t->fd, &hash, TRACE_REGIONS_OFFSET, h.end - TRACE_REGIONS_OFFSET) &&
           (hash | 1) == t->header.seal;
    uint64_t before = t->header.seal;
    return good || !trace_events_refresh(t) || t->header.seal != before ||
           error_set(error, "is damaged: it is not what its program left (its seal)");
}

bool trace_events_open(struct trace_events *t, const char *path, bool writable, struct error *error)
{
    struct stat st;
    *t = (struct trace_events){
        .fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
    if (t->fd < 0)
        return error_set(error, "cannot open: %s", strerror(errno));
    t->streams = ALLOC(struct trace_stream, TRACE_STREAMS_MOST);
    if (fstat(t->fd, &st) < 0 || !S_ISREG(st.st_mode))
        error_set(error, "is not a regular file");
    else if (!trace_events_refresh(t))
        error_set(error, "is cut short: it ends inside its list of streams");
    else if (memcmp(t->header.magic, TRACE_MAGIC, 8))
        error_set(error, "is no file of events");
    else if (t->header.version != TRACE_VERSION)
        error_set(error, "has version %u of the format, this cotree reads version %u", t->header.version,
                  TRACE_VERSION);
    else if (check_seal(t, error))
        return true;
    trace_events_close(t);
    return false;
}

void trace_events_close(struct trace_events *t)
{
    if (t->fd >= 0)
        close(t->fd);
    free(t->streams);
    *t = (struct trace_events){.fd = -1};
}

bool trace_events_belong(const struct trace_events *t, const struct data_header *data, struct error *error)
{
    const struct trace_header *h = &t->header;
    return data->flags & DATA_FLAG_POOL ||
           (h->image == data->image && h->pid == data->pid && h->start_time == data->start_time &&
            h->pid_namespace == data->pid_namespace) ||
           error_set(error, "is of another run");
}

uint32_t *trace_events_firsts(const struct trace_events *t, size_t *count)
{
    uint32_t *firsts = ALLOC(uint32_t, TRACE_STREAMS_MOST);
    bool *goes_on = ZALLOC(bool, TRACE_STREAMS_MOST);
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++)
        if (t->streams[i].state >= 2 && t->streams[i].next - 1 < TRACE_STREAMS_MOST)
            goes_on[t->streams[i].next - 1] = true;
    *count = 0;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++)
        if (t->streams[i].state >= 2 && !goes_on[i])
            firsts[(*count)++] = i;
    free(goes_on);
    return firsts;
}

/* Does the process map the file? A process that has executed another program does not any more. */
static bool is_mapped(const struct trace_events *t)
{
    char path[48], *line = NULL;
    size_t room = 0;
    struct stat st;
    snprintf(path, sizeof path, "/proc/%llu/maps", (unsigned long long)t->header.pid);
    FILE *maps = fstat(t->fd, &st) == 0 ? fopen(path, "re") : NULL;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        unsigned long long inode = 0;
        found = sscanf(line, "%*s %*s %*s %*s %llu", &inode) == 1 && inode == (unsigned long long)st.st_ino;
    }
    free(line);
    if (maps)
        fclose(maps);
    return found;
}

static enum data_owner judge_writer(const struct trace_events *t)
{
    const struct data_slot slot = {.owner = DATA_OWNER(t->header.pid, DATA_USED),
                                   .start_time = t->header.start_time,
                                   .pid_namespace = t->header.pid_namespace};
    return data_owner_judge(&slot);
}

bool trace_events_unsettled(const struct trace_events *t)
{
    return judge_writer(t) == DATA_OWNER_UNKNOWN && !t->header.finished;
}

bool trace_events_running(const struct trace_events *t)
{
    enum data_owner owner = judge_writer(t);
    if (owner == DATA_OWNER_ALIVE) /* `finished` is set before exec, and taken back if exec fails */
        return !t->header.finished || is_mapped(t);
    return owner == DATA_OWNER_UNKNOWN && !t->header.finished;
}

/* Reads a file of /proc about a process and puts a zero after it. Returns its length. */
static size_t read_about(uint64_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%llu/%s", (unsigned long long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

/* Does such a file, in which zeros separate words, have this word? */
static bool has_word(uint64_t pid, const char *name, const char *word)
{
    char text[4096];
    size_t length = read_about(pid, name, text, sizeof text);
    bool found = false;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\n' ? '\0' : text[i];
    for (size_t at = 0; at < length && !found; at += strlen(text + at) + 1)
        found = !strcmp(text + at, word);
    return found;
}

/* Is it a zombie, which has ended but was not waited for? In some containers no process waits for
 * it. */
static bool is_over(uint64_t pid)
{
    char text[512];
    const char *name_end = read_about(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    return !name_end || strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0;
}

/* Is the process a follower, or a sleeper, which will become one (runtime/trace/sleeper.c)? Another
 * process may have its id by now. */
static bool is_follower(uint64_t pid)
{
    return !is_over(pid) && (has_word(pid, "comm", "cotree") || has_word(pid, "comm", "sleeper") ||
                             has_word(pid, "cmdline", "--follow"));
}

uint64_t trace_events_follower(const struct trace_events *t)
{
    uint64_t sleeper = 0;
    if (!t->header.follower && pread(t->fd, &sleeper, sizeof sleeper, TRACE_SLEEPER_OFFSET) != sizeof sleeper)
        return 0;
    return t->header.follower ? t->header.follower : sleeper;
}

bool trace_events_followed(const struct trace_events *t)
{
    struct stat st;
    bool near = stat("/proc/self/ns/pid", &st) == 0 && (uint64_t)st.st_ino == t->header.pid_namespace;
    uint64_t pid = trace_events_follower(t);
    return pid && near && (kill((pid_t)pid, 0) == 0 || errno == EPERM) && is_follower(pid);
}

/* ---- Readers and packers ---- */

/* Where locks are not supported (some network file systems), everything goes on without them. */
static bool lock(const struct trace_events *t, int how, short kind)
{
    struct flock first_byte = {.l_type = kind, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    int result;
    while ((result = fcntl(t->fd, how, &first_byte)) < 0 && errno == EINTR)
        ;
    return result == 0 || (errno != EAGAIN && errno != EACCES);
}

bool trace_events_hold(struct trace_events *t)
{
    return lock(t, F_OFD_SETLK, F_RDLCK);
}

void trace_events_change(struct trace_events *t)
{
    (void)lock(t, F_OFD_SETLKW, F_WRLCK);
}

void trace_events_let_go(struct trace_events *t)
{
    (void)lock(t, F_OFD_SETLK, F_UNLCK);
}

/* Copies [offset, offset + length) but for its holes. `left`: how many bytes may still be
 * copied. */
static bool copy_range(int from, int to, uint64_t offset, uint64_t length, uint64_t *left)
{
    if (offset > INT64_MAX || length > INT64_MAX - offset)
        return false;
    uint8_t *piece = ALLOC(uint8_t, PIECE);
    const off_t end = (off_t)(offset + length);
    bool good = true;
    for (off_t at = (off_t)offset, hole = at; good && at < end;) {
        if (at == hole) {
            at = lseek(from, at, SEEK_DATA);
            if (at < 0 || at >= end) /* only a hole */
                break;
            hole = lseek(from, at, SEEK_HOLE);
            hole = hole < at || hole > end ? end : hole;
        }
        size_t want = hole - at < PIECE ? (size_t)(hole - at) : PIECE;
        ssize_t got = want <= *left ? pread(from, piece, want, at) : -1;
        good = got > 0 && pwrite(to, piece, (size_t)got, at) == got;
        at += got;
        *left -= want;
    }
    free(piece);
    return good;
}

/*
 * Copies in the order in which a reader would read, since the program may be writing: where streams
 * go on, then events, then records, then words. (The streams are those of the last refresh.)
 */
static bool copy_all(const struct trace_events *t, int to, uint64_t left)
{
    if (pwrite(to, &t->header, sizeof t->header, 0) != (ssize_t)sizeof t->header ||
        pwrite(to, t->streams, TRACE_STREAMS_MOST * sizeof *t->streams, TRACE_STREAMS_OFFSET) < 0)
        return false;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++)
        if (t->streams[i].state >= 2 &&
            !copy_range(t->fd, to, t->streams[i].events_offset, t->streams[i].events_length, &left))
            return false;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++)
        if (t->streams[i].state >= 2 &&
            !copy_range(t->fd, to, t->streams[i].side_offset, t->streams[i].side_length, &left))
            return false;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++) {
        struct trace_address_stream words;
        uint64_t at = TRACE_ADDRESSES_OFFSET + (uint64_t)i * sizeof words;
        if (t->streams[i].state < 2 || !data_read_at(t->fd, &words, sizeof words, at) || !words.length)
            continue;
        if (pwrite(to, &words, sizeof words, (off_t)at) != (ssize_t)sizeof words ||
            !copy_range(t->fd, to, words.offset, words.length, &left))
            return false;
    }
    return true;
}

bool trace_events_copy(struct trace_events *t, uint64_t most)
{
    struct stat st;
    int to = open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (to < 0)
        to = memfd_create("cotree-events", MFD_CLOEXEC);
    bool good = to >= 0 && fstat(t->fd, &st) == 0 && ftruncate(to, st.st_size) == 0 && copy_all(t, to, most);
    int done = good ? t->fd : to;
    if (good)
        t->fd = to;
    if (done >= 0)
        close(done);
    return good;
}

/* ---- One stream ---- */

static const struct trace_stream *entry_of(const struct trace_source *s, uint32_t number)
{
    return &s->file->streams[number];
}

/* The first byte that was not taken. What was taken lies before it; a child of fork begins where
 * its parent stood. */
static uint64_t first_left(uint64_t begin, uint64_t address, uint64_t taken)
{
    uint64_t offset = begin > address ? begin - address : 0;
    return taken > offset ? taken : offset;
}

static void enter_region(struct trace_source *s, uint32_t number)
{
    const struct trace_stream *e = entry_of(s, number);
    s->number = number;
    s->at = first_left(e->events_begin, e->events_address, e->events_taken);
}

static void enter_side(struct trace_source *s, uint32_t number)
{
    const struct trace_stream *e = entry_of(s, number);
    s->side_number = number;
    s->side_at = first_left(e->side_begin, e->side_address, e->side_taken);
}

void trace_source_begin(struct trace_source *s, const struct trace_events *t, uint32_t first)
{
    *s = (struct trace_source){.file = t};
    enter_region(s, first);
    enter_side(s, first);
}

void trace_source_skip(struct trace_source *s, uint64_t address, uint64_t records)
{
    const struct trace_stream *e = entry_of(s, s->number);
    if (address - e->events_address <= e->events_length && address - e->events_address > s->at)
        s->at = address - e->events_address;
    e = entry_of(s, s->side_number);
    uint64_t begin = first_left(e->side_begin, e->side_address, 0);
    if (!s->side_steps && records <= e->side_length / sizeof(struct trace_record) &&
        begin + records * sizeof(struct trace_record) > s->side_at)
        s->side_at = begin + records * sizeof(struct trace_record);
}

uint64_t trace_source_address(const struct trace_source *s)
{
    return entry_of(s, s->number)->events_address + s->at;
}

/* Reads as many bytes of [offset, offset + length) as there are; after the end of the file come
 * zeros. */
static size_t read_some(int fd, void *to, size_t length, uint64_t offset)
{
    ssize_t got;
    if (offset > INT64_MAX - length)
        return 0;
    do
        got = pread(fd, to, length, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

/* Has the stream moved on to another entry? Asked before its bytes are read, so that these are all
 * of them. */
static bool has_next(const struct trace_source *s, uint32_t number, uint32_t steps)
{
    const struct trace_stream *e = entry_of(s, number);
    return e->next && e->next - 1 < TRACE_STREAMS_MOST && steps < TRACE_STREAMS_MOST &&
           entry_of(s, (uint32_t)e->next - 1)->state >= 2;
}

static void read_events(struct trace_source *s, size_t most, struct buffer *events)
{
    uint8_t *piece = ALLOC(uint8_t, PIECE);
    for (size_t done = 0; done < most;) {
        const struct trace_stream *e = entry_of(s, s->number);
        uint64_t left = s->at < e->events_length ? e->events_length - s->at : 0;
        size_t want = most - done < PIECE ? most - done : PIECE;
        if (want > left)
            want = (size_t)left;
        size_t got = want ? read_some(s->file->fd, piece, want, e->events_offset + s->at) : 0;
        const uint8_t *zero = got ? memchr(piece, 0, got) : NULL;
        size_t taken = zero ? (size_t)(zero - piece) : got;
        buffer_add(events, piece, taken);
        done += taken;
        s->at += taken;
        if (taken == PIECE || done == most)
            continue;
        if (!has_next(s, s->number, s->steps))
            break;
        s->steps++;
        enter_region(s, (uint32_t)e->next - 1);
    }
    free(piece);
}

size_t trace_record_parts(const struct trace_record *record, size_t left)
{
    if (!left || record->what == TRACE_NOTHING)
        return 0;
    size_t parts = 1;
    switch (record->what) {
    case TRACE_LAND:
    case TRACE_LAND_HANDLER:
        parts = 3;
        break;
    case TRACE_THREAD:
    case TRACE_MOVED:
    case TRACE_LOST:
        parts = 2;
        break;
    case TRACE_END: /* an end by exec is taken back if exec fails, so its second part may be gone */
        parts = left < 2 || record[1].what ? 2 : SIZE_MAX;
        break;
    case TRACE_SIGNAL:
        parts = 4;
        break;
    case TRACE_FRAMES:
    case TRACE_STOOD:
    case TRACE_LEFT:
    case TRACE_BACK:
        if (left < 2)
            return 0;
        parts = record[1].what > FRAMES_MOST ? SIZE_MAX : 2 + (size_t)record[1].what;
        break;
    }
    return parts <= left ? parts : 0;
}

/* Reads records. True when there are more. */
static bool read_records(struct trace_source *s, size_t most, struct trace_records *records)
{
    size_t before = records->count;
    bool goes_on = false;
    size_t room = PIECE / sizeof(struct trace_record);
    struct trace_record *piece = ALLOC(struct trace_record, room);
    while (!(goes_on = records->count - before >= most)) {
        const struct trace_stream *e = entry_of(s, s->side_number);
        uint64_t left = s->side_at < e->side_length ? (e->side_length - s->side_at) / sizeof *piece : 0;
        size_t want = room < left ? room : (size_t)left, used = 0, parts;
        size_t got = want ? read_some(s->file->fd, piece, want * sizeof *piece, e->side_offset + s->side_at) /
                                sizeof *piece
                          : 0;
        while ((parts = trace_record_parts(piece + used, got - used)))
            used += parts;
        while (records->capacity < records->count + used) {
            records->capacity = records->capacity ? 2 * records->capacity : 1024;
            RESIZE(records->items, records->capacity);
        }
        if (used)
            memcpy(records->items + records->count, piece, used * sizeof *piece);
        records->count += used;
        s->side_at += used * sizeof *piece;
        if (used) /* a record that is cut off by the piece is read again */
            continue;
        bool has_frames = piece[0].what == TRACE_FRAMES || piece[0].what == TRACE_STOOD ||
                          piece[0].what == TRACE_LEFT || piece[0].what == TRACE_BACK;
        if (got == room && has_frames && room < FRAMES_MOST + 2) {
            room = FRAMES_MOST + 2;
            RESIZE(piece, room);
            continue;
        }
        if (!has_next(s, s->side_number, s->side_steps))
            break;
        s->side_steps++;
        enter_side(s, (uint32_t)e->next - 1);
    }
    free(piece);
    return goes_on;
}

bool trace_source_read(struct trace_source *s, size_t most, struct buffer *events, size_t most_records,
                       struct trace_records *records, bool *goes_on)
{
    size_t events_before = events->length, records_before = records->count;
    if (most)
        read_events(s, most, events);
    *goes_on = read_records(s, most_records, records);
    return events->length > events_before || records->count > records_before;
}
