/* Lists and trees: pointers that loops carry. */
#include "../point.h"
#include <stdio.h>

struct node {
    int key, count;
    struct node *left, *right, *next;
};
static struct node *root, *all;
static volatile int noise;

static int depth_of(const struct node *n)
{
    if (!n)
        return 0;
    int left = depth_of(n->left), right = depth_of(n->right);
    return 1 + (left > right ? left : right);
}

static struct node *insert(int key)
{
    struct node **at = &root;
    int odd = 0;
    if (key & 1)
        odd = 1;
    while (*at) {
        if ((*at)->key == key) {
            (*at)->count += odd ? 2 : 1;
            return *at;
        }
        if (key < (*at)->key)
            at = &(*at)->left;
        else
            at = &(*at)->right;
    }
    struct node *new = arena(sizeof *new);
    new->key = key;
    new->next = all;
    all = new;
    *at = new;
    return new;
}

static int sum(const struct node *n, int how)
{
    int s = 0;
    if (how & 1)
        s = 1;
    else if (how & 2)
        s = 2;
    for (; n; n = n->next) {
        if (n->key & how)
            s += n->count;
        else if (n->count > 2)
            s -= n->key;
        if (n->left && n->left->count == how)
            noise++;
        if ((n->key & 63) == how)
            point();
    }
    return s;
}

int main(void)
{
    unsigned x = 1;
    long total = 0;
    for (int i = 0; i < 3000; i++) {
        x = x * 1103515245 + 12345;
        struct node *n = insert((int)(x >> 20 & 511));
        if (i % 7 == 0)
            point();
        if (i % 3 == 0)
            total += n->count;
        if (i % 100 == 0) {
            point();
            total += depth_of(root);
        }
        if (i % 50 == 0)
            total += sum(all, i / 50);
    }
    printf("%ld\n", total);
    return 0;
}
