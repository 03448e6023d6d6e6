/* Code that is not traced, and to which control comes back by jumps and exceptions of traced code that it
 * calls. */
#include <csetjmp>

static jmp_buf back;
extern "C" void jump_back(int value)
{
    longjmp(back, value);
}
extern "C" int call_and_wait(int (*f)(int), int n)
{
    int value = setjmp(back);
    return value ? -value : f(n) + (f(n + 1) > 5);
}
extern "C" int call_and_catch(int (*f)(int), int n)
{
    try {
        return f(n) + (f(n + 1) > 5);
    } catch (int value) {
        return -value;
    }
}
