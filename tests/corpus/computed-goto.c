/* A threaded interpreter: indirectbr with edges that cannot be split, several of them. */
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, DEC, JNZ, SWAP, PRINT, HALT };

static int run(const int *code)
{
    static void *const labels[] = {&&push, &&add, &&mul, &&dup, &&dec, &&jnz, &&swap, &&print, &&halt};
    int stack[64], top = 0, at = 0, executed = 0;
#define NEXT do { executed++; goto *labels[code[at++]]; } while (0)
    NEXT;
push:
    stack[top++] = code[at++];
    NEXT;
add:
    top--;
    stack[top - 1] += stack[top];
    NEXT;
mul:
    top--;
    stack[top - 1] = (int)((unsigned)stack[top - 1] * (unsigned)stack[top]);
    NEXT;
dup:
    stack[top] = stack[top - 1];
    top++;
    NEXT;
dec:
    if (--stack[top - 1] < 0)
        stack[top - 1] = 0;
    NEXT;
jnz:
    if (stack[top - 1]) {
        at = code[at];
        NEXT;
    }
    at++;
    NEXT;
swap: {
        int t = stack[top - 1];
        stack[top - 1] = stack[top - 2];
        stack[top - 2] = t;
    }
    NEXT;
print:
    printf("%d\n", stack[top - 1]);
    NEXT;
halt:
    return executed;
}

/* One indirect jump that everything shares, and labels nobody jumps to. */
static int shared(const unsigned char *s)
{
    static const void *const next[] = {&&end, &&letter, &&digit, &&letter, &&other};
    int letters = 0, digits = 0, others = 0;
again:;
    unsigned char c = *s++;
    goto *next[c == 0 ? 0 : c >= 'a' ? 1 : c >= '0' && c <= '9' ? 2 : c >= 'A' && c <= 'Z' ? 3 : 4];
letter:
    letters++;
    goto again;
digit:
    digits++;
    goto again;
other:
    others++;
    goto again;
end:
    return letters * 10000 + digits * 100 + others;
}

int main(void)
{
    const int factorial[] = {PUSH, 1, PUSH, 10, DUP, PUSH, 0, ADD, SWAP, DEC, JNZ, 4, PRINT, HALT};
    const int power[] = {PUSH, 12, DUP, PRINT, DEC, JNZ, 2, PUSH, 3, DUP, MUL, PRINT, HALT};
    printf("%d %d\n", run(factorial), run(power));
    printf("%d\n", shared((const unsigned char *)"Hello 2 you, 345 times; zZ"));
    return 0;
}
