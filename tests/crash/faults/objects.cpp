// C++: inlined methods, virtual calls, exceptions on the way.
#include "../point.h"
#include <cstdio>
#include <new>

struct shape {
    int kind, size;
    shape *next;
    virtual int area() const
    {
        return size;
    }
};
struct square : shape {
    int area() const override
    {
        return kind & 1 ? size * size : size;
    }
};
struct circle : shape {
    int more[4];
    int area() const override
    {
        int s = 0;
        for (int i = 0; i < 4; i++)
            s += more[i] > 2 ? more[i] : size;
        return s;
    }
};

template <typename T> struct stack_of {
    T *items;
    int count, room;
    T &top()
    {
        return items[count - 1];
    }
    void push(T item)
    {
        if (count == room)
            throw count;
        items[count++] = item;
    }
    T pop()
    {
        if (!count)
            throw -1;
        return items[--count];
    }
};

static int use(stack_of<shape *> &s, int how)
{
    int sum = 0;
    try {
        while (true) {
            shape *at = s.pop();
            if (how % 5 == 0)
                point();
            if (at->kind == how % 3)
                sum += at->area();
            else if (at->size > 3)
                sum -= at->size;
            if (sum > 1000)
                s.push(at);
            how++;
        }
    } catch (int n) {
        return sum + n;
    }
}

int main()
{
    stack_of<shape *> s = {static_cast<shape **>(arena(64 * sizeof(shape *))), 0, 60};
    long total = 0;
    for (int round = 0; round < 60; round++) {
        try {
            for (int i = 0;; i++) {
                shape *at;
                if ((i + round) % 3 == 0)
                    at = new (arena(sizeof(square))) square;
                else
                    at = new (arena(sizeof(circle))) circle;
                at->kind = i % 3;
                at->size = (i * 7 + round) % 9;
                if ((i + round) % 3)
                    for (int k = 0; k < 4; k++)
                        static_cast<circle *>(at)->more[k] = i % (k + 2);
                if (i % 13 == 0)
                    point();
                s.push(at);
            }
        } catch (int n) {
            total += n;
        }
        total += use(s, round);
    }
    printf("%ld\n", total);
}
