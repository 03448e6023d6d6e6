int ext(int a)
{
    return a * 3 + 1;
}
int extp(const char *s)
{
    return s[0];
}
