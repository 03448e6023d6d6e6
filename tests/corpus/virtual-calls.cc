// Virtual functions, several bases, thunks, virtual bases, dynamic_cast, pure virtual, overriding destructors.
#include <stdio.h>

struct node {
    virtual int eval() const = 0;
    virtual ~node() {}
};
struct number : node {
    int n;
    explicit number(int k) : n(k) {}
    int eval() const override { return n; }
};
struct pair_node : node {
    node *a, *b;
    pair_node(node *x, node *y) : a(x), b(y) {}
    ~pair_node() override
    {
        delete a;
        delete b;
    }
};
struct sum : pair_node {
    using pair_node::pair_node;
    int eval() const override { return a->eval() + b->eval(); }
};
struct choice : pair_node {
    using pair_node::pair_node;
    int eval() const override { return a->eval() % 2 ? b->eval() : a->eval(); }
};
struct left { virtual int l() { return 1; } virtual ~left() {} int pad = 0; };
struct right { virtual int r() { return 2; } virtual ~right() {} int pad = 5; };
struct both : left, right {
    int l() override { return pad_sum() > 3 ? 10 : 11; }
    int r() override { return 20; }
    int pad_sum() { return left::pad + right::pad; }
};
struct base { int v = 3; virtual int get() { return v; } virtual ~base() {} };
struct via1 : virtual base { int get() override { return v + 1; } };
struct via2 : virtual base { };
struct diamond : via1, via2 { int get() override { return v > 2 ? via1::get() * 2 : 0; } };

static node *tree(int depth, int &seed)
{
    seed = seed * 75 % 65537;
    if (depth == 0 || seed % 5 == 0)
        return new number(seed % 10);
    node *a = tree(depth - 1, seed), *b = tree(depth - 1, seed);
    if (seed % 3)
        return new sum(a, b);
    return new choice(a, b);
}
static int kinds(node *n)
{
    if (auto *s = dynamic_cast<sum *>(n))
        return 1 + kinds(s->a) + kinds(s->b);
    if (auto *p = dynamic_cast<pair_node *>(n))
        return 100 + kinds(p->a) + kinds(p->b);
    return 0;
}

int main()
{
    int seed = 12345;
    for (int i = 0; i < 8; i++) {
        node *t = tree(i, seed);
        printf("%d %d\n", t->eval(), kinds(t));
        delete t;
    }
    both b;
    left *l = &b;
    right *r = new both;
    diamond d;
    base *p = &d;
    int (left::*member)() = &left::l;
    printf("%d %d %d %d\n", l->l(), r->r(), p->get(), (l->*member)());
    delete r;
    return 0;
}
