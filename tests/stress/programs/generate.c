/*
 * generate KIND SEED [DROPPED...]: a random program, on stdout; always the same for the same words. KIND is
 *   c        every run is the same: loops, switches, gotos, recursion, pointers, setjmp, fork, threads that
 * are joined, signals it sends itself, faults that are caught, and odd places to exit c++      the same, with
 * exceptions, destructors, lambdas, templates and virtual calls, without jumps timed    as c, but signals
 * come at any time, and threads run when it ends: no run is like another DROPPED are numbers of statements to
 * leave out (they are in comments, `// 12`), with all that is inside them, to make a program that shows a
 * defect smaller.
 *
 * S(...) and ONE(...) (program.h) stand alone on their line, and the line has no other code: what they count
 * is the line's true count. The line behind `// function` is the first of a function, and counts its
 * activations.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MOST = 9, STATEMENTS_MOST = 3000 };

static bool is_cxx, is_timed;
static bool is_dropped[STATEMENTS_MOST];
static int statements, hidden, indent, labels;
static int functions, first_pure; /* functions from first_pure on do nothing but compute, call and jump */
static bool is_plain_jump;        /* setjmp and longjmp, not those that keep the mask */

/* What may stand where a statement is made. */
struct place {
    int function;   /* its number */
    int depth;      /* of statements around it */
    bool is_pure;   /* only what a handler may interrupt for good */
    bool in_loop;   /* break and continue are allowed */
    bool may_leave; /* return is allowed */
};

static unsigned long long state;
static int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)n);
}
static bool one_in(int n)
{
    return below(n) == 0;
}

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    if (hidden > 0)
        return;
    va_list words;
    va_start(words, format);
    for (int i = 0; i < indent; i++)
        fputs("    ", stdout);
    vprintf(format, words);
    putchar('\n');
    va_end(words);
}
#define OPEN(...) (line(__VA_ARGS__), indent++)
#define CLOSE(...) (indent--, line(__VA_ARGS__))

static void statement(struct place at);
static void several(struct place at, int most)
{
    for (int n = 1 + below(most); n > 0; n--)
        statement(at);
}
static struct place inside(struct place at)
{
    at.depth++;
    return at;
}

static void compute(void)
{
    switch (below(6)) {
    case 0:
        line("S(x += %du);", 1 + below(99));
        break;
    case 1:
        line("S(x = x * %du + %du);", 3 + 2 * below(9), below(50));
        break;
    case 2:
        line("S(sink ^= x);");
        break;
    case 3:
        line("S(x ^= R(%d));", 2 + below(60));
        break;
    case 4:
        line("S(x = x & %d ? x >> 1 : x + %d);", 1 << below(5), 1 + below(9));
        break;
    default:
        line("S(sink += %d);", below(30));
    }
}

/* A condition that holds now and then. */
static const char *condition(void)
{
    static char text[80];
    switch (below(5)) {
    case 0:
        snprintf(text, sizeof text, "R(%d) == 0", 2 + below(4));
        break;
    case 1:
        snprintf(text, sizeof text, "x & %d", 1 << below(4));
        break;
    case 2:
        snprintf(text, sizeof text, "x %% %d < %d", 3 + below(5), 1 + below(3));
        break;
    case 3:
        snprintf(text, sizeof text, "(x & %d) && R(3)", 1 << below(4));
        break;
    default:
        snprintf(text, sizeof text, "x %% 3 == 1 || R(4) == 0");
    }
    return text;
}

/* Of which function a call of this one may be: pure ones call pure ones. */
static int callee(struct place at)
{
    int from = at.is_pure ? first_pure : 0;
    return from + below(functions - from);
}
/* The words of a call. In C++ functions are templates now and then, or are called by an object. */
static const char *call(struct place at, const char *argument)
{
    static char text[120];
    int f = callee(at);
    if (one_in(4))
        snprintf(text, sizeof text, "table[R(%d)](%s, d - 1)", functions - first_pure, argument);
    else if (is_cxx && one_in(4))
        snprintf(text, sizeof text, "some<%d>(%s, d - 1)", 2 + below(3), argument);
    else if (is_cxx && one_in(4))
        snprintf(text, sizeof text, "object(R(3)).does(%s, d - 1)", argument);
    else
        snprintf(text, sizeof text, "f%d(%s, d - 1)", f, argument);
    return text;
}
static void make_call(struct place at)
{
    OPEN("if (d > 0 && budget > 0) {");
    line("budget--;");
    if (at.may_leave && one_in(6))
        line("S(return %s);", call(at, "x"));
    else
        line("S(x %s %s);", one_in(2) ? "+=" : "=", call(at, one_in(2) ? "x" : "x / 2"));
    CLOSE("}");
}

static void make_loop(struct place at)
{
    struct place body = inside(at);
    int kind = below(7);
    body.in_loop = true;
    switch (kind) {
    case 0:
        OPEN("for (int i = 0; i < %d; i++) {", 1 + below(7));
        break;
    case 1:
        OPEN("for (unsigned i = R(5); i > 0; i--) {");
        break;
    case 2:
        OPEN("while (R(3) != 0) {");
        break;
    case 3:
        OPEN("for (unsigned i = 0, n = x %% 9; i < n; i += 2) {");
        break;
    case 4:
        OPEN("for (unsigned i = R(4); i < 5; i++) {");
        break;
    default:
        OPEN("do {");
    }
    several(body, 3);
    if (kind >= 5)
        CLOSE(kind == 5 ? "} while (R(4) == 1);" : "} while (0);");
    else
        CLOSE("}");
    if (!one_in(4)) /* otherwise a label may follow */
        compute();
}

/* Statements without braces: the end of one is that of all around it. */
static void make_bare(int depth)
{
    static const char *const loops[] = {"for (unsigned i = R(4); i < 3; i++)", "for (int i = 0; i < 2; i++)",
                                        "for (int i = 0; i < 0; i++)", "while (R(3) == 1)"};
    int kind = below(depth > 3 ? 2 : 10);
    if (kind < 2) {
        line("ONE(x %s %d);", kind ? "+=" : "^=", below(50));
        return;
    }
    if (kind < 6)
        line("%s", loops[kind - 2]);
    else if (kind < 8)
        line("if (%s)", condition());
    else if (kind < 9)
        line("switch (R(4))");
    else
        line("do");
    indent++;
    if (kind == 8)
        line("case %d:", below(5));
    make_bare(depth + 1);
    indent--;
    if (kind == 7) {
        line("else");
        indent++;
        make_bare(depth + 1);
        indent--;
    } else if (kind == 9) {
        line("while (R(4) == 1);");
    }
}

static void make_switch(struct place at)
{
    struct place body = inside(at);
    body.in_loop = false; /* continue would be right, break would not */
    int cases = 2 + below(4), width = one_in(4) ? 100 : 1;
    OPEN("switch (%s %% %d) {", one_in(2) ? "x" : "R(1024)", width * (cases + below(2)));
    for (int i = 0; i < cases; i++) {
        if (width > 1)
            OPEN("case %d ... %d:", width * i, width * i + width - 1);
        else
            OPEN("case %d:", i);
        if (!one_in(3)) /* otherwise it may begin with a label */
            compute();
        several(body, 2);
        if (!one_in(4))
            line("break;");
        else
            line("__attribute__((fallthrough));");
        indent--;
    }
    OPEN("default:");
    compute();
    indent--;
    CLOSE("}");
    line("S(sink++);");
}

static void make_goto(struct place at)
{
    int label = labels++;
    bool back = one_in(2);
    struct place body = inside(at);
    body.in_loop = false;
    if (back) {
        line("again%d:", label);
        compute();
        several(body, 2);
        OPEN("if (budget > 0 && R(2)) {");
        line("budget--;");
        line("S(goto again%d);", label);
        CLOSE("}");
    } else {
        OPEN("if (%s) {", condition());
        line("S(goto out%d);", label);
        CLOSE("}");
        several(body, 2);
        if (one_in(2)) {
            OPEN("for (unsigned i = 0; i < R(6); i++) {");
            compute();
            OPEN("if (%s) {", condition());
            line("goto out%d;", label);
            CLOSE("}");
            compute();
            CLOSE("}");
        }
        compute();
        line("out%d:", label);
        compute();
    }
}

/* A landing place for jumps, and for handlers of faults. What was in x is gone then. */
static void make_landing(struct place at)
{
    struct place body = inside(at);
    int n = labels++;
    bool is_armed = is_timed && !at.is_pure;
    body.may_leave = body.in_loop = false;
    body.is_pure |= is_armed;
    OPEN("{");
    line("sigjmp_buf here%d, *before%d = jump_to;", n, n);
    compute();
    OPEN("if (SET(here%d) == 0) {", n);
    line("jump_to = &here%d;", n);
    if (is_armed)
        line("armed = 1;");
    several(body, 3);
    make_call(body);
    compute();
    CLOSE("} else {");
    indent++;
    line("x = %du;", below(1000));
    line("S(sink += 2);");
    CLOSE("}");
    if (is_armed)
        line("armed = 0;");
    line("jump_to = before%d;", n);
    line("S(sink ^= 3);");
    CLOSE("}");
}

static void make_try(struct place at)
{
    struct place body = inside(at);
    int n = labels++;
    body.may_leave = body.in_loop = false;
    OPEN("{");
    line("int before%d = trying;", n);
    line("trying = 1;");
    OPEN("try {");
    several(body, 3);
    make_call(body);
    compute();
    if (one_in(2)) {
        CLOSE("} catch (int caught) {");
        indent++;
        line("S(x += (unsigned)caught);");
        if (one_in(3)) {
            /* What it throws must be caught further out: from a handler an exception would go on through
             * raise(), which is declared not to throw. */
            line("trying = before%d;", n);
            statement(body);
        }
    }
    if (one_in(2)) {
        CLOSE("} catch (const thing &caught) {");
        indent++;
        line("S(x ^= caught.n);");
    }
    CLOSE("} catch (...) {");
    indent++;
    line("S(x++);");
    if (one_in(2)) {
        OPEN("if (before%d) {", n);
        line("trying = before%d;", n);
        line("S(throw);");
        CLOSE("}");
    }
    CLOSE("}");
    line("trying = before%d;", n);
    line("S(sink ^= 5);");
    CLOSE("}");
}

static void make_throw(void)
{
    OPEN("if (trying && R(%d) == 0) {", 2 + below(4));
    line(one_in(2) ? "S(throw (int)x);" : "S(throw thing{x});");
    CLOSE("}");
}

static void make_object(struct place at)
{
    OPEN("{");
    line("S(guard kept(x));");
    several(inside(at), 2);
    compute();
    CLOSE("}");
}

static void make_lambda(struct place at)
{
    int n = labels++;
    struct place body = inside(at);
    body.in_loop = false;
    body.may_leave = true;
    OPEN("{");
    OPEN("auto lambda%d = [&](unsigned y) -> unsigned { // function", n);
    line("S(x += y);");
    several(body, 2);
    line("S(return x + y);");
    CLOSE("};");
    OPEN("for (unsigned i = 0; i < %du; i++) {", 1 + below(3));
    line("S(sink += lambda%d(i));", n);
    CLOSE("}");
    CLOSE("}");
}

static void make_jump(void)
{
    OPEN("if (jump_to && R(%d) == 0) {", 2 + below(4));
    switch (below(5)) {
    case 0:
        line("S(raise(SIGUSR2));");
        break;
    case 1:
        line("S(*(volatile int *)nowhere = 1);");
        break;
    case 2:
        line("S(__asm__ volatile(\"divl %%0\" ::\"r\"(0) : \"eax\", \"edx\", \"cc\"));");
        break;
    default:
        line("S(JUMP(*jump_to));");
    }
    line("S(sink--);");
    CLOSE("}");
}

/* A way to end at once. Children may have any. */
static void leave(bool in_child)
{
    switch (below(in_child ? 9 : 7)) {
    case 0:
        line("S(_exit(%d));", below(50));
        break;
    case 1:
        line("S(abort());");
        break;
    case 2:
        line("S(raise(SIGTERM));");
        break;
    case 3:
        line("S(quick_exit(%d));", below(50));
        break;
    case 4:
        line("signal(SIGSEGV, SIG_DFL);");
        line("S(*(volatile int *)nowhere = 1);");
        break;
    case 7:
        line("S(raise(SIGALRM));");
        break; /* as anybody may handle it */
    default:
        line("S(exit(%d));", below(50));
    }
}
static void make_end(void)
{
    OPEN("if (until_end > 0 && --until_end == 0) {");
    leave(false);
    line("S(sink--);");
    CLOSE("}");
}

static void make_fork(struct place at)
{
    struct place body = inside(at);
    body.may_leave = body.in_loop = false;
    OPEN("if (forks > 0) {");
    line("forks--;");
    line("S(pid_t child = fork());");
    OPEN("if (child == 0) {");
    line("S(forks = 0);");
    line("send_later();");
    several(body, 2);
    if (!one_in(4))
        leave(true);
    CLOSE("} else {");
    indent++;
    line("S(waitpid(child, NULL, 0));");
    CLOSE("}");
    CLOSE("}");
}

static void make_thread(void)
{
    OPEN("if (forks > 0) {"); /* the first thread, and not of a child: bounds how many there are */
    line("pthread_t thread;");
    line("forks--;");
    /* One line: the thread may end the process, and nobody knows how far this one has come then. */
    line("S(pthread_create(&thread, NULL, body, (void *)(long)R(1000)); pthread_join(thread, NULL));");
    CLOSE("}");
}

static void make_if(struct place at)
{
    struct place body = inside(at);
    OPEN("if (%s) {", condition());
    several(body, 2);
    if (at.in_loop && one_in(3))
        line(one_in(2) ? "S(break);" : "S(continue);");
    else if (at.may_leave && one_in(5))
        line("S(return x);");
    if (one_in(2)) {
        CLOSE("} else {");
        indent++;
        several(body, 2);
    }
    CLOSE("}");
}

static void statement(struct place at)
{
    int id = statements++, kind = below(at.depth > 3 ? 14 : 34);
    bool is_hidden = id < STATEMENTS_MOST && is_dropped[id];
    hidden += is_hidden;
    line("// %d", id);
    if (kind < 6)
        compute();
    else if (kind < 11)
        make_call(at);
    else if (kind < 13 && !is_cxx)
        make_jump();
    else if (kind < 13)
        make_throw();
    else if (kind < 14)
        make_end();
    else if (kind < 18)
        make_if(at);
    else if (kind < 21)
        make_loop(at);
    else if (kind < 22)
        make_switch(at);
    else if (kind < 24 && !is_cxx)
        make_goto(at);
    else if (kind < 24)
        make_object(at);
    else if (kind < 27 && !is_cxx)
        make_landing(at);
    else if (kind < 26)
        make_try(at);
    else if (kind < 27)
        make_lambda(at);
    else if (kind < 28)
        line("S(raise(SIGUSR1));");
    else if (kind >= 32)
        make_bare(0);
    else if (at.is_pure)
        make_call(at);
    else if (kind < 30)
        make_fork(at);
    else
        make_thread();
    hidden -= is_hidden;
}

static void make_function(int n, bool is_static, bool is_kept_apart)
{
    struct place at = {.function = n, .is_pure = n >= first_pure, .may_leave = true};
    line("%s", "");
    OPEN("%s%sunsigned f%d(unsigned x, int d) { // function", is_kept_apart ? "NOINLINE " : "",
         is_static ? "static " : "", n);
    line("S(sink += x);");
    several(at, 5);
    line("S(return x);");
    CLOSE("}");
}

static void make_handler(const char *name, void (*body)(void))
{
    line("%s", "");
    OPEN("static void %s(int signal, siginfo_t *info, void *context) { // function", name);
    line("S(handled++);");
    line("(void)signal, (void)info, (void)context;");
    body();
    line("S(sink += 7);");
    CLOSE("}");
}
/* Whatever interrupted code does goes on behind a handler that returns. */
static void returns(void)
{
    OPEN("if (handled %% 3 == 1) {");
    line("sigjmp_buf *before = jump_to;");
    line("int tried = trying;");
    line("jump_to = NULL;");
    line("trying = 0;");
    line("S(sink += f%d(%du, 1));", first_pure + below(functions - first_pure), below(50));
    line("jump_to = before;");
    line("trying = tried;");
    CLOSE("}");
}
static void jumps(void)
{
    OPEN("if (jump_to) {");
    line("interrupted_at(context);");
    line("S(JUMP(*jump_to));");
    CLOSE("}");
}
static void jumps_if_armed(void)
{
    returns();
    OPEN("if (armed && handled %% %d == 0) {", 1 + below(4));
    line("interrupted_at(context);");
    line("S(JUMP(*jump_to));");
    CLOSE("}");
    OPEN("if (armed && handled > %d) {", 20 + below(400));
    line("interrupted_at(context);");
    switch (below(4)) {
    case 0:
        line("S(exit(3));");
        break;
    case 1:
        line("S(abort());");
        break;
    default:
        line("S(_exit(4));");
    }
    CLOSE("}");
}
static void jumps_or_exits(void)
{
    if (!is_cxx)
        jumps();
    line("interrupted_at(context);");
    line("S(_exit(9));");
}

static void make_cxx(void)
{
    line("struct thing { unsigned n; };");
    OPEN("struct base {");
    OPEN("virtual unsigned does(unsigned x, int) { // function");
    line("S(return x + 1);");
    CLOSE("}");
    CLOSE("};");
    line("UNCOUNTED static base &object(unsigned n);");
    line("template <int N> static unsigned some(unsigned x, int d);");
    OPEN("struct guard {");
    line("unsigned n;");
    OPEN("guard(unsigned x) : n(x) {");
    line("S(sink += n);");
    make_throw();
    line("S(n++);");
    CLOSE("}");
    OPEN("~guard() {");
    line("S(sink ^= n);");
    OPEN("if (n & 1 && budget > 0) {"); /* who is called may have guards */
    line("budget--;");
    line("int before = trying;");
    line("trying = %s;", one_in(12) ? "before" : "0"); /* what a destructor throws ends the program */
    line("S(sink += table[0](n, 0));");
    line("trying = before;");
    CLOSE("}");
    CLOSE("}");
    CLOSE("};");
    OPEN("struct derived : base {");
    OPEN("unsigned does(unsigned x, int d) override { // function");
    line("S(sink++);");
    statement((struct place){.depth = 2, .is_pure = true, .may_leave = true});
    line("S(return x);");
    CLOSE("}");
    CLOSE("};");
    OPEN("struct other : derived {");
    OPEN("unsigned does(unsigned x, int d) override { // function");
    line("S(guard kept(x));");
    line("S(return derived::does(x, d));");
    CLOSE("}");
    CLOSE("};");
    line("static base one;");
    line("static derived two;");
    line("static other three;");
    OPEN("UNCOUNTED static base &object(unsigned n) {");
    line("return n == 0 ? one : n == 1 ? (base &)two : (base &)three;");
    CLOSE("}");
    OPEN("template <int N> static unsigned some(unsigned x, int d) { // function");
    line("S(sink += N);");
    OPEN("for (unsigned i = x %% N; i < N; i++) {");
    statement((struct place){.depth = 2, .is_pure = true, .may_leave = true, .in_loop = true});
    line("S(x += i);");
    CLOSE("}");
    line("S(return x);");
    CLOSE("}");
}

static void make_main(unsigned seed, int threads)
{
    struct place at = {.function = -1, .depth = 1};
    line("%s", "");
    OPEN("int main(int argc, char **argv) {");
    line("unsigned rounds, x = 1;");
    line("int d = %d;", 3 + below(6));
    line("start(argc, argv, &rounds);");
    line("number = %uu;", seed);
    line("until_end = %d;", one_in(3) ? 1 + below(60) : 0);
    line("forks = %d;", below(4));
    line("handle(SIGUSR1, on_usr1, 0);");
    line("handle(SIGUSR2, on_usr2, %s);", is_plain_jump ? "SA_NODEFER" : "0");
    line("handle(SIGSEGV, on_fault, %s);", is_plain_jump ? "SA_NODEFER" : "0");
    line("handle(SIGFPE, on_fault, %s);", is_plain_jump ? "SA_NODEFER" : "0");
    line("S(atexit(at_exit));");
    line("S(at_quick_exit(at_exit));");
    if (is_timed) {
        line("handle(SIGALRM, on_alarm, %s);", is_plain_jump ? "SA_NODEFER" : "0");
        OPEN("for (long i = 0; i < %d; i++) {", threads);
        line("pthread_t thread;");
        line("S(pthread_create(&thread, NULL, busy, (void *)i));");
        CLOSE("}");
        line("ticks(%d);", 100 + below(700));
    }
    OPEN("for (unsigned round = 0; round < rounds; round++) {");
    line("S(budget = %d);", 30 + below(300));
    several(at, 6);
    line("S(x += f0(round, d));");
    CLOSE("}");
    if (is_timed)
        line("ticks(0);");
    line("printf(\"%%u %%d\\n\", sink, handled);");
    line("S(return 0);");
    CLOSE("}");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: generate c|c++|timed SEED [DROPPED...]\n"), 2;
    unsigned seed = (unsigned)strtoul(argv[2], NULL, 10);
    is_cxx = strcmp(argv[1], "c++") == 0;
    is_timed = strcmp(argv[1], "timed") == 0;
    for (int i = 3; i < argc; i++)
        if (atoi(argv[i]) >= 0 && atoi(argv[i]) < STATEMENTS_MOST)
            is_dropped[atoi(argv[i])] = true;
    state = seed * 2862933555777941757ull + 3037000493ull;
    below(2), below(2);
    functions = 3 + below(FUNCTIONS_MOST - 2);
    first_pure = 1 + below(functions - 1);
    is_plain_jump = one_in(3);
    int threads = is_timed ? below(4) : 0;
    line("// threads: %d", threads);
    line("#include \"program.h\"");
    line(is_plain_jump ? "#define SET(place) setjmp(place)" : "#define SET(place) sigsetjmp(place, 1)");
    line(is_plain_jump ? "#define JUMP(place) longjmp(place, 1)"
                       : "#define JUMP(place) siglongjmp(place, 1)");
    line("static THREAD_LOCAL volatile int armed;");
    line("static void *body(void *argument);");
    bool is_static[FUNCTIONS_MOST], is_kept_apart[FUNCTIONS_MOST];
    for (int i = 0; i < functions; i++) {
        is_static[i] = !one_in(4), is_kept_apart[i] = one_in(2);
        line("%sunsigned f%d(unsigned x, int d);", is_static[i] ? "static " : "", i);
    }
    OPEN("static unsigned (*volatile table[])(unsigned, int) = {");
    for (int i = first_pure; i < functions; i++)
        line("f%d,", i);
    CLOSE("};");
    if (is_cxx)
        make_cxx();
    make_handler("on_usr1", returns);
    make_handler("on_usr2", is_cxx ? returns : jumps);
    make_handler("on_fault", jumps_or_exits);
    if (is_timed)
        make_handler("on_alarm", jumps_if_armed);
    for (int i = 0; i < functions; i++)
        make_function(i, is_static[i], is_kept_apart[i]);
    line("%s", "");
    OPEN("static void *body(void *argument) { // function");
    line("S(number = (unsigned)(long)argument);");
    line("S(budget = 60);");
    line("S(sink += f%d(number, 3));", first_pure);
    if (one_in(2))
        line("S(pthread_exit(NULL));");
    line("S(return NULL);");
    CLOSE("}");
    if (is_timed) {
        OPEN("static void *busy(void *argument) { // function");
        line("S(number = (unsigned)(long)argument);");
        OPEN("for (;;) {");
        line("S(budget = 50);");
        line("S(sink += f%d(number, 2));", first_pure);
        CLOSE("}");
        CLOSE("}");
    }
    OPEN("static void at_exit(void) { // function");
    line("S(sink++);");
    if (one_in(8))
        line("S(_exit(77));");
    line("jump_to = NULL;");
    line("trying = 0;");
    line("S(sink += table[0](3, 1));");
    CLOSE("}");
    make_main(seed, threads);
    return 0;
}
