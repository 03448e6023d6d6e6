/*
 * What the writers of HTML pages share. A page is the skeleton of src/report/html/ with *islands*
 * in it: pieces of JSON or text, compressed, that its script unpacks when it needs them. Island 0
 * is the index, which the first screen is made of; it names the others by number. What is in them
 * is described where it is written, and read in src/report/html/page.js and nowhere else, so it may
 * change.
 *
 * Nothing from a profile or a source becomes part of the page itself but through html_put_text.
 */
#ifndef COTREE_REPORT_HTML_H
#define COTREE_REPORT_HTML_H

#include "base/buffer.h"
#include "base/hash.h"
#include "report/deflate.h"
#include "report/path_list.h"
#include "report/report.h"

struct islands {
    struct buffer text;        /* elements, ready to be written */
    uint32_t count;            /* of all, the index included: 1 to begin with */
    struct deflater *deflater; /* made when it is needed */
    struct buffer packed;      /* digits are still to be made of it */
};
/* Adds an island and returns its number. */
uint32_t islands_add(struct islands *all, const void *data, size_t length);
void islands_release(struct islands *all);

/* Writes text: characters that mean something in HTML as references; valid UTF-8 without control
 * characters in any case. */
void html_put_text(FILE *out, const char *text);

/* These add JSON to a buffer. */
void html_add_number(struct buffer *b, int64_t number);
/* null when it is not known; a string of digits where a script's numbers would not be exact. */
void html_add_count(struct buffer *b, int64_t count);
void html_add_text(struct buffer *b, const char *text); /* null for NULL */

/* What became of a source file. */
enum html_source { HTML_SOURCE_FOUND, HTML_SOURCE_NEWER, HTML_SOURCE_MISSING, HTML_SOURCE_LEFT_OUT };
struct html_source_island {
    enum html_source state;
    const char *reason; /* when it is missing */
    uint32_t island;    /* 0: none */
    char *path;         /* where it was looked for */
};
/* The text of a source file, lines ended by '\n', as an island. */
struct html_source_island html_add_source(struct islands *all, const struct report *r, const char *file);
/* The same without a report; program: what the file should not be newer than. */
struct html_source_island html_add_file(struct islands *all, const char *path, const char *program);

/* A page: what precedes its islands, in which put_head writes the title and the heading, then all
 * the rest. */
struct html_page {
    const char *title;
    void (*put_head)(FILE *out, const void *context);
    const void *context;
    const struct buffer *index;
    struct islands *islands;
};
void html_put_page(FILE *out, const struct html_page *page);
/* Parts of a heading, for put_head: whether counts are exact, and why not; of which build they are;
 * a sum with its share. */
void html_put_exactness(FILE *out, const struct report *r, const char *of);
void html_put_build(FILE *out, const struct profile *p);
void html_put_sum(FILE *out, const char *what, const char *verb, uint64_t part, uint64_t whole);

/* Adds the islands of the functions' graphs, and the member "graphs" of the index. files: by
 * hash_text of a name, the number of the file in the index. */
void html_add_graphs(struct buffer *index, struct islands *all, const struct report *r,
                     const struct hash_map *files, const struct path_list *paths);

/* The files of src/report/html, embedded by tools/embed; their hashes as a content security policy
 * names them. */
extern const char html_page_html[], html_page_css[], html_page_js[];
extern const char html_page_css_hash[], html_page_js_hash[];

#endif
