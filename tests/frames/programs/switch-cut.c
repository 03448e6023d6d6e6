/*
 * An interpreter (one big switch in a loop) is left in the middle of several instructions: by exit, by
 * longjmp.
 *
 * group: jumps
 * output: 3 errors
 * output: 42
 * status: 18
 */
#include "frames.h"
#include <setjmp.h>
#include <stdlib.h>

enum { PUSH, ADD, MULTIPLY, JUMP_IF, ERROR, PRINT, CALL, END };
static jmp_buf home;
static int stack[16], top;
static volatile int errors;
NOINLINE static void error(void)
{
    errors++;         /* count: 3 */
    longjmp(home, 1); /* count: 3 */
}
NOINLINE static void finish(int n)
{
    printf("%d\n", n);
    exit(18); /* count: 1 */
}
NOINLINE static int run(const int *code, int depth)
{
    for (int pc = 0;;) {
        switch (code[pc++]) {
        case PUSH:
            stack[top++] = code[pc++]; /* count: 12 */
            break;
        case ADD:
            top--; /* count: 4 */
            stack[top - 1] += stack[top];
            break;
        case MULTIPLY:
            top--; /* count: 1 */
            stack[top - 1] *= stack[top];
            break;
        case JUMP_IF:
            if (stack[--top])  /* count: 3 */
                pc = code[pc]; /* count: 1 */
            else
                pc++; /* count: 2 */
            break;
        case ERROR:
            error(); /* count: 3 */
            top++;   /* count: 0 */
            break;
        case PRINT:
            finish(stack[top - 1]); /* count: 1 */
            break;                  /* count: 0 */
        case CALL:
            top += run(code + pc + 1, depth + 1); /* count: 3 */
            pc += code[pc];                       /* count: 0 */
            break;
        case END:
            return depth; /* count: 0 */
        default:
            top = 0; /* count: 0 */
        }
    }
}

int main(void)
{
    static const int fails[3][12] = {
        {PUSH, 1, PUSH, 2, ADD, ERROR},
        {PUSH, 1, CALL, 0, PUSH, 2, ADD, ERROR},
        {PUSH, 1, PUSH, 0, JUMP_IF, 9, PUSH, 1, ADD, ERROR},
    };
    static const int good[] = {PUSH, 6,       PUSH, 1,    JUMP_IF, 7,    END, PUSH, 7,    MULTIPLY, PUSH,
                               0,    JUMP_IF, 0,    CALL, 0,       PUSH, 0,   ADD,  CALL, 0,        PRINT};
    volatile int i = 0;
    if (setjmp(home))
        i++; /* count: 3 */
    top = 0;
    if (i < 3)
        run(fails[i], 0);          /* count: 3 */
    printf("%d errors\n", errors); /* count: 1 */
    run(good, 0);                  /* count: 1 */
    return 0;                      /* count: 0 */
}
