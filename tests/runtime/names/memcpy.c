void *memcpy(void *d, const void *s, unsigned long n)
{
    char *p = d;
    const char *q = s;
    while (n--)
        *p++ = *q++; /* 6 */
    return d;
}
