/* The optimiser makes one store of two: the program's own through `at`, and the one that says where events go
 * on. */
#include <stdio.h>

static unsigned number(const char **at)
{
    unsigned n = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        n = n * 10 + (unsigned)(**at - '0');
    if (**at == 'K' || **at == 'M') {
        n <<= 10;
        if (**at == 'M')
            n <<= 10;
        (*at)++;
        if (**at == 'i')
            (*at)++;
        if (**at == 'B')
            (*at)++;
    }
    return n;
}

int main(int argc, const char **argv)
{
    int level = 0;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (!argument)
            continue;
        if (argument[0] == '-')
            while (argument[1] != 0) {
                argument++;
                if (*argument >= '0' && *argument <= '9') {
                    level = (int)number(&argument);
                    argument--;
                    continue;
                }
                switch (argument[0]) {
                case 'z':
                    level++;
                    break;
                case 'd':
                    level += 2;
                    break;
                default:
                    puts("?");
                }
            }
    }
    printf("%d\n", level);
    return 0;
}
