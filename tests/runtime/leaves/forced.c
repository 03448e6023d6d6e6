/* pthread_exit in the stop function of a forced unwinding: the frames further out are passed twice. */
#include <pthread.h>
#include <string.h>
#include <unwind.h>
#include "truth.h"

static struct _Unwind_Exception exception;

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                struct _Unwind_Exception *what, struct _Unwind_Context *context, void *outer)
{
    if (_Unwind_GetCFA(context) >= (unsigned long)outer || (actions & _UA_END_OF_STACK) != 0) {
        T;
        pthread_exit(NULL);
    }
    return _URC_NO_REASON;
}

__attribute__((noinline)) static void unwind(void *outer)
{
    T;
    memset(&exception, 0, sizeof exception);
    _Unwind_ForcedUnwind(&exception, stop, outer);
    T;
}

static void *run(void *argument)
{
    T;
    unwind(__builtin_frame_address(0));
    T;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        T;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
    T;
    return 0;
}
