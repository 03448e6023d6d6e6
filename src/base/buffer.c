#include "base/buffer.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buffer_release(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}

uint8_t *buffer_room(struct buffer *b, size_t length)
{
    if (b->capacity - b->length < length) {
        size_t wanted = b->length + length;
        b->capacity = b->capacity * 2 > wanted ? b->capacity * 2 : wanted + 64;
        RESIZE(b->data, b->capacity);
    }
    return b->data + b->length;
}

void buffer_add(struct buffer *b, const void *bytes, size_t length)
{
    if (!length)
        return;
    memcpy(buffer_room(b, length), bytes, length);
    b->length += length;
}

void buffer_add_text(struct buffer *b, const char *s)
{
    buffer_add(b, s, strlen(s));
}

void buffer_addf(struct buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        vsnprintf((char *)buffer_room(b, (size_t)length + 1), (size_t)length + 1, format, again);
        b->length += (size_t)length;
    }
    va_end(again);
}

void buffer_add_varint(struct buffer *b, uint64_t value)
{
    uint8_t *bytes = buffer_room(b, 10);
    size_t n = 0;
    do {
        bytes[n++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        value >>= 7;
    } while (value);
    b->length += n;
}

void buffer_add_signed(struct buffer *b, int64_t value)
{
    buffer_add_varint(b, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void add_little_endian(struct buffer *b, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    buffer_add(b, bytes, size);
}

void buffer_add_u32(struct buffer *b, uint32_t value)
{
    add_little_endian(b, value, 4);
}

void buffer_add_u64(struct buffer *b, uint64_t value)
{
    add_little_endian(b, value, 8);
}

void buffer_add_string(struct buffer *b, const char *s)
{
    buffer_add_varint(b, strlen(s));
    buffer_add_text(b, s);
}

const char *buffer_text(struct buffer *b)
{
    *buffer_room(b, 1) = 0;
    return (const char *)b->data;
}

struct cursor cursor_over(const void *data, size_t length)
{
    return (struct cursor){.at = data, .end = (const uint8_t *)data + length};
}

size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

const uint8_t *cursor_bytes(struct cursor *c, size_t length)
{
    if (c->failed || cursor_left(c) < length) {
        c->failed = true;
        return NULL;
    }
    const uint8_t *bytes = c->at;
    c->at += length;
    return bytes;
}

uint64_t cursor_varint(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = cursor_bytes(c, 1);
        if (!byte)
            return 0;
        if (shift == 63 && *byte > 1)
            break; /* more than 64 bits */
        value |= (uint64_t)(*byte & 127) << shift;
        if (!(*byte & 128))
            return value;
    }
    c->failed = true;
    return 0;
}

int64_t cursor_signed(struct cursor *c)
{
    uint64_t value = cursor_varint(c);
    return (int64_t)((value >> 1) ^ (value & 1 ? UINT64_MAX : 0));
}

static uint64_t little_endian(struct cursor *c, size_t size)
{
    const uint8_t *bytes = cursor_bytes(c, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)little_endian(c, 4);
}

uint64_t cursor_u64(struct cursor *c)
{
    return little_endian(c, 8);
}

size_t cursor_count(struct cursor *c, size_t item_size)
{
    uint64_t count = cursor_varint(c);
    if (item_size && count > cursor_left(c) / item_size) {
        c->failed = true;
        return 0;
    }
    return (size_t)count;
}

char *cursor_string(struct cursor *c)
{
    size_t length = cursor_count(c, 1);
    const uint8_t *bytes = cursor_bytes(c, length);
    if (!bytes)
        return memory_string("");
    if (memchr(bytes, 0, length))
        c->failed = true;
    return memory_substring((const char *)bytes, length);
}
