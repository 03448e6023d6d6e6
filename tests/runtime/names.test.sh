#!/usr/bin/env bash
# The runtime calls no function that a program may have under the same name: such a function may
# count, be traced, or do anything.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
cotree=$COTREE_BUILD/cotree

# What objects and archives of the runtime leave to others. NAME WHERE: why. Names with two
# underscores, or one and a capital letter, are not a program's.
cat >allowed <<'LIST'
_DYNAMIC exec: the linker's
__ehdr_start exec,static,shared: the linker's
__dso_handle exec,static,shared: the compiler's
__errno_location exec,static,shared: reserved; errno is kept
__libc_single_threaded exec,static,shared: reserved, weak
__cxa_atexit exec: reserved
__cxa_at_quick_exit exec,static,shared: reserved
__register_atfork exec,static,shared: reserved; what pthread_atfork is made of
__environ shared: reserved
__tsan_init exec,static: reserved, weak; is there a sanitizer?
_Unwind_Backtrace exec,static: reserved, weak; is the unwinder inside?
_Unwind_FindEnclosingFunction exec,static: reserved, weak
_Unwind_ForcedUnwind exec,static: reserved, weak
_Unwind_Resume_or_Rethrow exec,static: reserved, weak
_dl_find_object static,shared: the loader's, weak
fopencookie static: weak, and not called; is it there?
dlsym shared: a library is given what all libraries of the program are
pthread_attr_destroy static: in a static program one definition is everybody's, that of the C library's own thread functions too
pthread_attr_getstack static: the same
pthread_attr_getstacksize static: the same
pthread_attr_setstacksize static: the same
pthread_getattr_default_np static: the same
pthread_setattr_default_np static: the same
pthread_getcpuclockid static: the same
LIST
for file in "$RUNTIME"/runtime-*.o "$RUNTIME"/runtime-*.a "$RUNTIME"/trace-*.a; do
    variant=${file##*-} variant=${variant%.*}
    [ $variant != none ] || variant=exec # of links with -fcotree=none
    awk -v variant=$variant \
        '{ name = $1; sub(/:.*/, "", $2); n = split($2, where, ","); for (i = 1; i <= n; i++)
            if (where[i] == variant) print name }' allowed >here
    # What one of our objects defines another may need; what we stand in front of is needed as the
    # linker or a sanitizer names it.
    nm -g --defined-only "$RUNTIME/runtime-$variant.o" "$file" | awk 'NF == 3 { print $3 }' >own
    case $variant in exec) kind=exec ;; *) kind=$variant ;; esac
    { [ $variant = shared ] || ./flags.bin $kind | sed '/^-Wl,-u,/d; s/.*=//'; echo __libc_start_main; } |
        sed 's/^/__real_/p; s/^__real_/__interceptor_/' >wrapped
    nm -u "$file" | awk 'NF == 2 { print $2 }' | sort -u | grep -vE '^__(start|stop)___cotree_' |
        grep -vxF -f here -f own -f wrapped >unexpected || :
    expect "${file##*/} needs" "$(cat unexpected)" ""
done
# Each name of the list is needed somewhere, or it would excuse what is not there.
nm -u "$RUNTIME"/*.o "$RUNTIME"/*.a | awk 'NF == 2 { print $2 }' | sort -u >needed
expect "names that nothing needs" "$(cut -d' ' -f1 allowed | grep -vxF -f needed || :)" ""

# A function that we stand in front of has no other name in the C library by which it would pass us by.
library=$(ldd ./dump.bin | awk '$1 ~ /^libc\.so/ { print $3 }')
./flags.bin exec | sed 's/.*=//' | sort -u >names
readelf --dyn-syms -W "$library" | awk 'NR == FNR { ours[$1] = 1; next }
    ($4 == "FUNC" || $4 == "IFUNC") && $7 != "UND" { sub(/@.*/, "", $8); at[$8] = $2; is[$2] = is[$2] " " $8 }
    END { for (name in ours) if (name in at) { n = split(is[at[name]], all, " "); found++
            for (i = 1; i <= n; i++) if (!(all[i] in ours)) print name " is " all[i] }
        if (found < 40) print "only " found + 0 " names are in the C library" }' names - >others
expect "other names" "$(sort -u others)" ""

# A program that has such functions runs as it would, and they are entered as often as it calls them.
here=$HERE/names
for way in edges paths trace; do
    for mode in "" -static "-fuse-ld=lld" "-O0"; do
        case $mode in -static) define=-DSTATIC ;; *) define= ;; esac
        rm -f armed*.cotree*
        "$cotree" cc -fcotree=$way -O2 -fno-builtin $mode $define "$here/armed.c" -o armed 2>link.err ||
            fail "$way $mode: $(cat link.err)"
        "$CLANG" -O2 -fno-builtin $mode $define "$here/armed.c" -o plain
        plain=0 status=0
        ./plain 2>/dev/null || plain=$? # a static C library copies by the program's functions
        ./armed 2>/dev/null || status=$?
        expect "armed, $way $mode: status" $status $plain
        [ "$mode" != -static ] || continue
        expect "armed, plain $mode" $plain 0
        [ "$("$cotree" report --format=json ./armed armed.*.cotree | jq .exact)" = true ] ||
            fail "armed, $way $mode: $("$cotree" report ./armed armed.*.cotree | sed -n 1,5p)"
    done
done
line=$(grep -n '/\* 6 \*/' "$here/memcpy.c" | cut -d: -f1)
"$cotree" cc -g -O1 -fno-builtin -fcotree=trace -c "$here/copy.c" -o copy.o
"$cotree" cc -g -O1 -fno-builtin -fcotree=edges -c "$here/memcpy.c" -o memcpy.o
"$cotree" cc copy.o memcpy.o -o copy
expect "output" "$(./copy)" hello
"$cotree" report --format=json ./copy copy.*.cotree >copy.json
expect "entries and rounds of memcpy" "$(jq -c "[(.functions[] | select(.name == \"memcpy\") | .entries),
    (.files[] | select(.file | endswith(\"memcpy.c\")) | .lines[] | select(.line == $line) | .count)]" \
        copy.json)" "[1,6]"
