/* Text work: a tokenizer, a hash table, a word count, number parsing. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { struct entry *next; int count; char word[]; };
static struct entry *table[31];

static unsigned hash(const char *s, size_t n)
{
    unsigned h = 2166136261u;
    while (n--)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}
static struct entry *look_up(const char *s, size_t n)
{
    struct entry **e = &table[hash(s, n) % 31];
    for (; *e; e = &(*e)->next)
        if (strlen((*e)->word) == n && !memcmp((*e)->word, s, n))
            return *e;
    *e = calloc(1, sizeof **e + n + 1);
    memcpy((*e)->word, s, n);
    return *e;
}
static int tokens(const char *s)
{
    int n = 0;
    while (*s) {
        while (isspace((unsigned char)*s) || ispunct((unsigned char)*s))
            s++;
        if (!*s)
            break;
        const char *end = s;
        while (isalnum((unsigned char)*end))
            end++;
        look_up(s, (size_t)(end - s))->count++;
        s = end;
        n++;
    }
    return n;
}
static long parse(const char *s, int base)
{
    long value = 0;
    int negative = 0;
    if (*s == '-' || *s == '+')
        negative = *s++ == '-';
    for (; isxdigit((unsigned char)*s); s++) {
        int digit = isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10;
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    return negative ? -value : value;
}
static int match(const char *pattern, const char *text)
{
    for (;; pattern++, text++)
        switch (*pattern) {
        case 0: return !*text;
        case '?': if (!*text) return 0; break;
        case '*':
            do
                if (match(pattern + 1, text))
                    return 1;
            while (*text++);
            return 0;
        default: if (*pattern != *text) return 0;
        }
}

int main(void)
{
    int n = tokens("It was the best of times, it was the worst of times; it was the age of wisdom, it was the age of foolishness...");
    int most = 0, words = 0;
    for (int i = 0; i < 31; i++)
        for (struct entry *e = table[i], *next; e; e = next) {
            next = e->next;
            words++;
            if (e->count > most || (e->count == most && most > 3))
                most = e->count;
            free(e);
        }
    printf("%d %d %d\n", n, words, most);
    printf("%ld %ld %ld %ld\n", parse("-123x", 10), parse("7f", 16), parse("12a", 8), parse("+", 10));
    printf("%d%d%d%d\n", match("a*b?c", "axxbbyc"), match("*", ""), match("*aab", "aaaaaac"), match("??", "a"));
    return 0;
}
