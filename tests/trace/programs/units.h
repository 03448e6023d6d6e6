// What two units have in common: inline functions, some of which call what each unit has of its own.
#include "reporter.h"

static int own(int n);
inline int shared(int n)
{
    return n > 3 ? own(n) + shared(n - 1) : n;
}
template <class T> struct Box {
    T value;
    int weigh(int n)
    {
        int s = 0;
        for (int i = 0; i < n; i++)
            s += value > T(i) ? 1 : 2;
        return s;
    }
    virtual int pick(int n)
    {
        return n % 2 ? weigh(n) : call_back(shared, n);
    }
    virtual ~Box() {}
};
inline int counted()
{
    static int n;
    return ++n > 2 ? n * 2 : n;
}
int first(int n);
int second(int n);
__attribute__((weak)) int replaced(int n);
extern "C" int in_library(int n, int (*f)(int));
