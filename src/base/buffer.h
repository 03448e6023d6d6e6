/*
 * Bytes being written (struct buffer) and bytes being read (struct cursor).
 *
 * Integers are LEB128 varints unless a name says u32 or u64 (little endian). A cursor never reads
 * past its end: the first read that would sets `failed`, and every read from then on gives zero, so
 * a reader checks once per record.
 */
#ifndef COTREE_BASE_BUFFER_H
#define COTREE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data;
    size_t length, capacity;
};

void buffer_release(struct buffer *b);
/* Makes room for so many more bytes. The caller that fills it adds to the length. */
uint8_t *buffer_room(struct buffer *b, size_t length);
void buffer_add(struct buffer *b, const void *bytes, size_t length);
void buffer_add_text(struct buffer *b, const char *s); /* the characters of s, nothing else */
void buffer_addf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_add_varint(struct buffer *b, uint64_t value);
void buffer_add_signed(struct buffer *b, int64_t value); /* zigzag varint */
void buffer_add_u32(struct buffer *b, uint32_t value);
void buffer_add_u64(struct buffer *b, uint64_t value);
void buffer_add_string(struct buffer *b, const char *s); /* varint length, then the bytes */
/* The content as a C string; valid until the next change. */
const char *buffer_text(struct buffer *b);

struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

struct cursor cursor_over(const void *data, size_t length);
size_t cursor_left(const struct cursor *c);
const uint8_t *cursor_bytes(struct cursor *c, size_t length); /* NULL when there are fewer */
uint64_t cursor_varint(struct cursor *c);
int64_t cursor_signed(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
/* Reads a number of items of at least item_size bytes each; fails when they cannot fit into the
 * bytes that are left. */
size_t cursor_count(struct cursor *c, size_t item_size);
char *cursor_string(struct cursor *c); /* newly allocated; "" after a failure; fails on an embedded NUL */

#endif
