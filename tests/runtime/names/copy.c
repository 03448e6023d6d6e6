/* With memcpy.c, one unit traced, the other counted: memcpy is entered once, and its loop runs six times. */
#include <stdio.h>
#include <string.h>
char a[8] = "hello", b[8];
volatile size_t n = 6;
int main(void)
{
    memcpy(b, a, n);
    return puts(b) < 0;
}
