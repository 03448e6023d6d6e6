/* Plain: -O0, or __builtin_setjmp and __builtin_longjmp could not be in one unit. */
static void *kept[5];
void b(void);

void jump(void)
{
    __builtin_longjmp(kept, 1);
}

int go(void)
{
    if (__builtin_setjmp(kept) != 0)
        return 0;
    b();
    return 1;
}
