/* A lexer, a recursive-descent parser and a stack machine, as programs have them. */
#include <stdio.h>
#include <stdlib.h>

struct parser { const char *at; int code[200], length, errors; };
enum { PUSH, ADD, SUB, MUL, DIV, NEG, LESS, DROP };

static void emit(struct parser *p, int op) { if (p->length < 200) p->code[p->length++] = op; else p->errors++; }
static int next(struct parser *p)
{
    while (*p->at == ' ')
        p->at++;
    return *p->at;
}
static void expression(struct parser *p, int level);
static void primary(struct parser *p)
{
    int c = next(p);
    if (c >= '0' && c <= '9') {
        int v = 0;
        do
            v = v * 10 + *p->at++ - '0';
        while (*p->at >= '0' && *p->at <= '9');
        emit(p, PUSH);
        emit(p, v);
    } else if (c == '(') {
        p->at++;
        expression(p, 0);
        if (next(p) == ')')
            p->at++;
        else
            p->errors++;
    } else if (c == '-') {
        p->at++;
        primary(p);
        emit(p, NEG);
    } else {
        p->errors++;
        if (c)
            p->at++;
        emit(p, PUSH), emit(p, 0);
    }
}
static void expression(struct parser *p, int level)
{
    static const char *const operators[] = {"<", "+-", "*/"};
    if (level == 3) {
        primary(p);
        return;
    }
    expression(p, level + 1);
    for (;;) {
        int c = next(p), op = -1;
        for (const char *o = operators[level]; *o; o++)
            if (*o == c)
                op = c == '+' ? ADD : c == '-' ? SUB : c == '*' ? MUL : c == '/' ? DIV : LESS;
        if (op < 0)
            return;
        p->at++;
        expression(p, level + 1);
        emit(p, op);
    }
}
static int run(const int *code, int length)
{
    int stack[50], top = 0;
    for (int i = 0; i < length; i++) {
        switch (code[i]) {
        case PUSH: stack[top++] = code[++i]; continue;
        case NEG: stack[top - 1] = -stack[top - 1]; continue;
        }
        int b = stack[--top], a = stack[--top];
        switch (code[i]) {
        case ADD: a += b; break;
        case SUB: a -= b; break;
        case MUL: a *= b; break;
        case DIV: a = b ? a / b : 0; break;
        case LESS: a = a < b; break;
        default: abort();
        }
        stack[top++] = a;
    }
    return stack[0];
}

int main(void)
{
    static const char *const lines[] = {"1+2*3", "(1+2)*3 - -4", "2*(3+4)*(5 - 6/2) < 100", "7/(1-1)", "8 % 3", "((1)", "", "1-2-3-4-5"};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct parser p = {.at = lines[i]};
        expression(&p, 0);
        printf("%s = %d, %d errors\n", lines[i], run(p.code, p.length), p.errors);
    }
    return 0;
}
