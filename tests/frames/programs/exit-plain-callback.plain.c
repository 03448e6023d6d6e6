/* A shared library that is not counted. */
void plain_twice(void (*call)(void *), void *p)
{
    for (int i = 0; i < 2; i++)
        call(p);
}
