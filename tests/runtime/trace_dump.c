/*
 * Prints events files. Written against the layout alone, with read(2): shares nothing with the runtime or
 * decode.
 *
 *   header pid=P flags=F finished=F end=E streams=N
 *   stream N state=S next=K
 *   NAME calls=C [...]        each record; ENTER has the id; addresses of events as offsets from the stream's
 * begin events LENGTH: BYTExCOUNT ...  (the first 40 runs, and the sum of all bytes)
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "format/trace/layout.h"

static int file;

static void get(uint64_t offset, void *to, size_t size)
{
    memset(to, 0, size);
    if (pread(file, to, size, (off_t)offset) < 0) {
        perror("pread");
        exit(1);
    }
}

static void print_events(const struct trace_stream *s)
{
    uint64_t offset = s->events_offset + (s->events_begin - s->events_address),
             end = s->events_offset + s->events_length;
    uint64_t length = 0, sum = 0, count = 0, runs = 0;
    static uint8_t bytes[1 << 16];
    int last = 0, more = 1;
    char text[4096] = "";
    while (more && offset < end) {
        get(offset, bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes && more; i++) {
            if (bytes[i] != last) {
                if (last != 0 && runs++ < 40)
                    sprintf(text + strlen(text), " %dx%" PRIu64, last, count);
                count = 0;
                last = bytes[i];
            }
            more = bytes[i] != 0;
            count++;
            length += bytes[i] != 0;
            sum += bytes[i];
        }
        offset += sizeof bytes;
    }
    printf("events %" PRIu64 " sum=%" PRIu64 ":%s\n", length, sum, text);
}

static const char *const names[] = {"",    "LAND", "THREAD",       "FRAMES", "SIGNAL", "MOVED",
                                    "END", "LOST", "LAND_HANDLER", "STOOD",  "LEFT",   "BACK"};
static const unsigned parts[] = {0, 2, 1, 1, 3, 1, 1, 1, 2, 1, 1, 1};

static void print_side(const struct trace_stream *s)
{
    uint64_t at = s->side_offset + (s->side_begin - s->side_address);
    uint64_t enters = 0;
    for (;; at += sizeof(struct trace_record)) {
        struct trace_record r, more[3];
        get(at, &r, sizeof r);
        if (r.what == 0)
            break;
        if (r.what >= TRACE_KINDS) {
            if (enters++ < 100)
                printf("ENTER %" PRIu64 " calls=%" PRIu64 "\n", r.what, r.calls & TRACE_CALLS_MASK);
            continue;
        }
        if (r.what >= sizeof names / sizeof *names) {
            printf("impossible record %" PRIu64 "\n", r.what);
            exit(1);
        }
        unsigned n = parts[r.what];
        get(at + sizeof r, more, n * sizeof r);
        printf("%s calls=%" PRIu64, names[r.what], r.calls);
        switch (r.what) {
        case TRACE_LAND:
        case TRACE_LAND_HANDLER:
            printf(" function=%" PRIu64 " block=%u call=%u entry=%" PRId64 " at=%" PRId64, more[0].what,
                   (unsigned)(more[0].calls >> 32), (unsigned)more[0].calls,
                   (int64_t)(more[1].what - s->events_begin), (int64_t)(more[1].calls - s->events_begin));
            break;
        case TRACE_SIGNAL:
            printf(" signal=%" PRIu64 " of=%" PRIu64 " at=%" PRIx64 " its-calls=%" PRIu64, more[0].what,
                   more[0].calls, more[1].what, more[1].calls);
            break;
        case TRACE_MOVED:
            printf(" at=%" PRId64, (int64_t)(more[0].what - s->events_begin));
            break;
        default:
            printf(" what=%" PRIu64 " at=%" PRId64, more[0].what, (int64_t)(more[0].calls - s->events_begin));
        }
        printf("\n");
        at += n * sizeof r;
        if (r.what == TRACE_FRAMES || r.what == TRACE_STOOD || r.what == TRACE_LEFT || r.what == TRACE_BACK)
            for (uint64_t i = 0; i < more[0].what; i++) {
                at += sizeof r;
                get(at, &r, sizeof r);
                printf("frame %" PRIx64 " module=%" PRIu64 "\n", r.what, r.calls);
            }
    }
    if (enters > 100)
        printf("enters %" PRIu64 "\n", enters);
}

int main(int count, char **names_of_files)
{
    for (int i = 1; i < count; i++) {
        struct trace_header h;
        struct trace_stream s;
        unsigned streams = 0;
        file = open(names_of_files[i], O_RDONLY);
        get(0, &h, sizeof h);
        if (file < 0 || memcmp(h.magic, TRACE_MAGIC, 8) != 0) {
            fprintf(stderr, "%s: no events file\n", names_of_files[i]);
            return 1;
        }
        for (unsigned k = 0; k < TRACE_STREAMS_MOST; k++) {
            get(TRACE_STREAMS_OFFSET + k * sizeof s, &s, sizeof s);
            streams += s.state != 0;
        }
        printf("header pid=%" PRIu64 " flags=%u finished=%" PRIu64 " streams=%u\n", h.pid, h.flags,
               h.finished, streams);
        for (unsigned k = 0; k < TRACE_STREAMS_MOST; k++) {
            get(TRACE_STREAMS_OFFSET + k * sizeof s, &s, sizeof s);
            if (s.state < 2)
                continue;
            printf("stream %u state=%u next=%" PRIu64 "\n", k, s.state, s.next);
            print_side(&s);
            print_events(&s);
        }
        close(file);
    }
    return 0;
}
