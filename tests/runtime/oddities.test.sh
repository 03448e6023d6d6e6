#!/usr/bin/env bash
# Sanitizers, indirect functions, thread hooks that are not reached, and what the runtime asks of the C library.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"

# A resolver runs before there is storage to count in (compilers must leave it plain); in -fPIC code it can be seen.
build_exec ifunc-pic -fPIE -pie -DHANDMADE_PIC "$HERE/ifunc.c"
./ifunc-pic
flag 128 ifunc-pic.*.cotree || fail "a resolver in -fPIC code is not flagged"
expect "ifunc, -fPIC" "$(sum 8001 ifunc-pic.*.cotree)" "0 1"

# Where the C library does not call the hooks, threads run and the file says that they are not exact.
objcopy --localize-symbol=_dl_allocate_tls --localize-symbol=_dl_allocate_tls_init --localize-symbol=_dl_deallocate_tls \
    "$RUNTIME/runtime-exec.o" hookless.o
"$CLANG" $CFLAGS_TEST hookless.o "$HERE/threads.c" -Wl,--export-dynamic-symbol=cotree_runtime_v2 -o hookless
for kind in pthread thrd; do
    rm -f hookless.*.cotree
    ./hookless $kind 4 100
    flag 4 hookless.*.cotree || fail "hooks that are not reached are not flagged ($kind)"
done

# Sanitizers stand in front of the same functions.
for sanitizer in address undefined thread; do
    build_exec san-$sanitizer -g -fsanitize=$sanitizer "$HERE/threads.c"
    ./san-$sanitizer pthread 4 100 || fail "$sanitizer: status $?"
    expect "$sanitizer" "$(sum 2001 san-$sanitizer.*.cotree) $(field flags san-$sanitizer.*.cotree)" "4 400 4 0 0"
    case $(states san-$sanitizer.*.cotree) in *USED*) fail "$sanitizer: $(states san-$sanitizer.*.cotree)" ;; esac
done
build_exec san-fork -g -fsanitize=address "$HERE/processes.c"
ASAN_OPTIONS=detect_leaks=0 ./san-fork fork 3
expect "address, fork" "$(sum 3001 san-fork.*.cotree)" "10 3 300 0 0 4"

# Functions that the program may define itself (memcpy, malloc, write ...) are not called: they may be counted.
cat >allowed <<'LIST'
_DYNAMIC
_Unwind_Backtrace
_Unwind_FindEnclosingFunction
_Unwind_ForcedUnwind
_Unwind_Resume_or_Rethrow
__cxa_at_quick_exit
__cxa_atexit
__dso_handle
__ehdr_start
__errno_location
__libc_single_threaded
__real__Exit
__real__Fork
__real__Unwind_Find_FDE
__real__Unwind_RaiseException
__real__Unwind_Resume
__real___libc_start_main
__real___longjmp_chk
__real___pthread_register_cancel
__real___pthread_unregister_cancel
__real___pthread_unwind_next
__real___sysv_signal
__real__dl_allocate_tls
__real__dl_allocate_tls_init
__real__dl_deallocate_tls
__real__exit
__real__longjmp
__real_abort
__real_bsd_signal
__real_clone
__real_execv
__real_execve
__real_execvp
__real_execvpe
__real_fexecve
__real_kill
__real_killpg
__real_longjmp
__real_prctl
__real_pthread_cancel
__real_pthread_create
__real_pthread_exit
__real_setcontext
__real_sigaction
__real_sigaltstack
__real_sigignore
__real_siginterrupt
__real_siglongjmp
__real_signal
__real_sigqueue
__real_sigset
__real_ssignal
__real_swapcontext
__real_syscall
__real_sysv_signal
__real_thrd_create
__real_thrd_exit
__real_vfork
__tsan_init
_dl_find_object
dladdr
dlerror
dlopen
dlsym
environ
fopencookie
fork
getauxval
pthread_atfork
pthread_attr_destroy
pthread_attr_getstack
pthread_attr_getstacksize
pthread_attr_setstacksize
pthread_getattr_default_np
pthread_getcpuclockid
pthread_setattr_default_np
LIST
for variant in exec static shared; do
    nm -u "$RUNTIME/runtime-$variant.o" | awk '{ print $NF }' |
        grep -vE '^__(start|stop)___cotree_|^__interceptor_' | grep -vxF -f allowed >unexpected || :
    expect "runtime-$variant.o needs" "$(cat unexpected)" ""
    # Names are ours or those we stand in front of.
    nm -g --defined-only "$RUNTIME/runtime-$variant.o" | awk '{ print $NF }' | sed 's/^__wrap_//' | grep -v '^cotree_' |
        sort >names || :
    kind=exec
    [ $variant = static ] && kind=static
    ./flags.bin $kind | sed '/^-Wl,-u,/d; s/.*=//' | grep -v '^cotree_' | sort >wanted
    [ $variant = shared ] && : >wanted
    diff wanted names || fail "runtime-$variant.o defines other names"
done
