/* A function whose description depends on FRAME, its code's length does not; and one in C. */
#include <stdlib.h>

void library_at_end(void (*f)(void));
void library_through(void (*f)(void));
int library_plain(void (*f)(void), int x);

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(".text\n"
        ".globl library_through\n"
        ".type library_through, @function\n"
        "library_through:\n"
        ".cfi_startproc\n"
        "sub $" TEXT(FRAME) ", %rsp\n"
                            ".cfi_adjust_cfa_offset " TEXT(
                                FRAME) "\n"
                                       ".byte 0xff, 0xd7\n" /* call *%rdi */
                                       "add $" TEXT(
                                           FRAME) ", %rsp\n"
                                                  ".cfi_adjust_cfa_offset -" TEXT(
                                                      FRAME) "\n"
                                                             "ret\n"
                                                             ".cfi_endproc\n"
                                                             ".size library_through, . - library_through\n");

static volatile int sink;

int library_plain(void (*f)(void), int x)
{
    volatile char room[64];
    room[x & 63] = (char)x;
    library_through(f);
    sink = x;
    return room[x & 63] + x;
}

static void (*last)(void);

static void at_end(void)
{
    last();
    sink = 1;
}

/* Called when the library is unloaded, by code that the compiler brings along and nobody describes. */
void library_at_end(void (*f)(void))
{
    last = f;
    atexit(at_end);
}
