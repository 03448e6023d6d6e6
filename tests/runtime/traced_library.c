/* Traced by hand: a library (-DLIBRARY), and a program that calls it, traced (-DTRACED) or plain. */
#if defined(LIBRARY) || defined(TRACED)
#include "traced.h"
#endif

void library_function(void);

#ifdef LIBRARY
__attribute__((visibility("default"))) void library_function(void)
{
    ENTERS(6000);
    EVENT(33);
    EVENT(33);
}
#elif defined(TRACED)
int main(void)
{
    ENTERS(1000);
    EVENT(1);
    UNKNOWN(library_function());
    EVENT(1);
    return 0;
}
#else
int main(void)
{
    library_function();
    return 0;
}
#endif
