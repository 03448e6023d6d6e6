#!/usr/bin/env bash
# Judges crash histories on Debian programs: tests/crash/on-programs.sh [PROGRAM...] (make check-crash).
#
# Cores are made at calls of the C library that the program makes, some of all of them ($COUNT a program,
# 60 by default), and at the first access after them to memory that malloc gave. What they tell of every
# frame on the stack is compared with what a build without optimisation did (judge.c). The levels are those
# of $LEVELS, -O2 by default; $SCHEME is added (-fcotree-crash=...); $KINDS: calls, faults.
#
# Both builds call the same functions of the C library in the same order: -fno-builtin keeps the compiler
# from knowing them, and functions whose calls it may still join (__attribute__((pure)) in headers) are no
# points. That the order is the same is checked; a program where it is not is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export COTREE_TOP=${here%/tests/crash}
export COTREE_BUILD=${COTREE_BUILD:-$COTREE_TOP/build}
. "$COTREE_TOP/tests/programs/lib.sh"
. "$COTREE_TOP/tests/crash/lib.sh"
here=$COTREE_TOP/tests/crash
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "cores are not written beside the program"; exit 77; }
ulimit -c unlimited
room=$PROGRAMS_CACHE/crash
mkdir -p "$room" && cd "$room"
# The first ones hand no memory to the kernel.
safe="malloc calloc realloc free getc fgetc getchar ungetc putc fputc putchar strtol strtoul getenv"
wrapped="$safe read write fread fwrite printf fprintf sprintf snprintf vfprintf puts fputs fgets fopen fclose
    fflush fseek open close qsort time setvbuf"
flags="-w -fcommon -fno-builtin -D__NO_INLINE__ -U_FORTIFY_SOURCE -no-pie -Wl,--no-as-needed"
for name in $wrapped; do flags="$flags -Wl,--wrap=$name"; done

# small NAME: runs the program once, on little input.
small() {
    case $1 in
    bzip2) ./bzip2 -c text ;;
    gzip) ./gzip -9c text ;;
    lua5.4) ./lua small.lua ;;
    mawk) ./mawk -f work.awk text ;;
    sed) ./sed -f markup text ;;
    grep) ./grep -nE '([a-z])\1([a-z])' text ;;
    diffutils) ./diff -u small.l small.lua || [ $? = 1 ] ;;
    bc) ./bc -lq <small.bc ;;
    flex) ./flex -t small.l ;;
    sqlite3) ./sqlite3 :memory: <small.sql ;;
    lzip) ./lzip -0c text ;;
    gperf) ./gperf -D words ;;
    esac
}
inputs_of() {
    cat >small.lua <<'LUA'
local t = {}
for i = 1, 200 do t[i] = (i * 7919) % 1009 end
table.sort(t)
local words = {}
for w in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do
    words[#words + 1] = w:upper() .. #w
    if #w == 5 then io.write(w, "\n") end
end
print(table.concat(words, ","), t[17], select("#", table.unpack(t, 1, 20)))
local ok, err = pcall(function() local x; x.y = 1 end)
print(ok, err, string.format("%5.2f %s %q", 3.14159, tostring(nil), "a\nb"))
print(load("return 1 + 2 * 3 // 4")(), #arg, coroutine.wrap(function(a) coroutine.yield(a + 1) end)(4))
LUA
    cat >small.sql <<'SQL'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
insert into t select i, 'row ' || i, i * 1.5 from n;
create index tb on t(b);
select count(*), sum(c), max(b) from t where a % 3 = 1 group by a % 5 order by 2 desc;
update t set c = c + 1 where b like 'row 1%';
select t1.a, t2.b from t t1 join t t2 on t1.a = t2.a + 1 where t1.c > 80 limit 5;
delete from t where a > 50; select a, c from t order by b desc limit 3;
SQL
    echo 'scale=30; for (i = 1; i < 9; i++) { sqrt(i); 2^i; a(i) }' >small.bc
    for file in text words; do
        [ ! -e $file ] || { head -n 150 $file | head -c 12000 >less && mv less $file; }
    done
    cat >small.l <<'LEX'
%option noyywrap
D [0-9]+
%%
{D}(\.{D})?  return 1;
[a-z]+|if|then return 2;
\"[^"\n]*\"  return 3;
.|\n ;
%%
LEX
}

# make_points NAME DEFINES...: NAME.o, with all that stands in front of functions of the library. All
# registers stay: what the arguments are is not known.
make_points() {
    local out=$1 number=0 name to register saved="rax rdi rsi rdx rcx r8 r9 r10"
    shift
    for name in $wrapped; do set -- "$@" "-D$name=__real_$name"; done
    clang-19 -O1 -fno-omit-frame-pointer -fno-builtin -D__NO_INLINE__ -DLIBRARY \
        "-DSAFE=$(echo "$safe" | wc -w)" "$@" -c "$here/point.c" -o "$out.point.o"
    {
        printf '%s\n' .text before_call: .cfi_startproc 'push %rbp' '.cfi_def_cfa_offset 16' \
            '.cfi_offset %rbp, -16' 'mov %rsp, %rbp' '.cfi_def_cfa_register %rbp'
        for register in $saved; do echo "push %$register"; done
        printf '%s\n' 'sub $512, %rsp' 'and $-16, %rsp' 'fxsave (%rsp)' 'mov %r11, %rdi' \
            'call library_point' 'fxrstor (%rsp)' 'lea -64(%rbp), %rsp'
        for register in r10 r9 r8 rcx rdx rsi rdi rax; do echo "pop %$register"; done
        printf '%s\n' 'pop %rbp' '.cfi_def_cfa %rsp, 8' ret .cfi_endproc
        for name in $wrapped; do
            number=$((number + 1))
            case $name in malloc | calloc | realloc | free) to=point_$name ;; *) to=__real_$name ;; esac
            printf '%s\n' ".globl __wrap_$name" "__wrap_$name:" .cfi_startproc "mov \$$number, %r11d" \
                'call before_call' "jmp $to" .cfi_endproc
        done
        echo '.section .note.GNU-stack,"",@progbits'
    } >"$out.S"
    clang-19 -c "$out.S" -o "$out.wrap.o"
    ld -r "$out.point.o" "$out.wrap.o" -o "$out.o"
}

# run_small NAME BUILD DIR VAR=VALUE...: what it prints is in DIR/out.
run_small() {
    local name=$1 build=$2 dir=$3 file work=$room/work.$1
    shift 3
    rm -rf "$work" "$dir" && mkdir "$work" "$dir" && cp -a "$(program_inputs "$name")"/. "$work/"
    (cd "$work" && inputs_of)
    for file in $(program_files "$name"); do cp "$build/$file" "$work/"; done
    (cd "$work" && env -i PATH="$PATH" HOME=/ LC_ALL=C TZ=UTC POINTS="$dir" COTREE=off "$@" \
        setarch -R bash -euc "$(declare -f small)"'; small "$1"' small "$name") </dev/null \
        >"$dir/out" 2>"$dir/err"
}

# build NAME KIND LEVEL WORDS: in NAME.KIND, once for these words and this build of cotree. The level comes
# after those of makefiles.
build() {
    local name=$1 tree=$room/$1.$2 level=$3 driver key
    key=$(echo "$4 $level" && cat "$COTREE_BUILD/cotree" "$COTREE_BUILD/lib/cotree/plugin.so" "$room"/*.o |
        sha256sum)
    [ "$(cat "$tree.key" 2>/dev/null)" != "$key" ] || return 0
    for driver in cc c++; do
        printf '#!/bin/sh\nexec "%s" %s %s "$@" %s\n' "$COTREE_BUILD/cotree" $driver "$4" "$level" \
            >"$tree.$driver"
        chmod +x "$tree.$driver"
    done
    # Configured by plain clang: what a configure script runs is none of the programs.
    program_configure "$name" "$tree" "$CLANG" "${CLANG/clang/clang++}" &&
        program_compile "$name" "$tree" "$tree.cc" "$tree.c++" || fail "$name: cannot build: $tree.log"
    echo "$key" >"$tree.key"
}
main_of() { echo "$room/$1.$2/$(program_files "$1" | cut -d' ' -f1)"; }

# judge_at NAME LEVEL VAR=VALUE...: makes cores and the truth, and compares them.
judge_at() {
    local name=$1 level=$2 n address told kind true=$room/points.truth points_at=$room/points.$2
    shift 2
    for kind in truth "$level"; do
        run_small "$name" "$room/$name.$kind" "$room/points.$kind" "$@" ||
            { echo "$name $kind fails: $room/points.$kind/err"; return 1; }
    done
    for n in out sum; do
        cmp -s "$true/$n" "$points_at/$n" ||
            { echo "$name $level is not compared: the $n of the two builds differs"; return 1; }
    done
    truth_of "$(main_of "$name" truth)" "$true"
    for n in $(ls "$points_at" | grep '^[0-9]*$'); do
        [ -e "$points_at/$n/core" ] || continue
        address=
        told=$points_at/$n/core.told
        tell "$(main_of "$name" "$level")" "$points_at/$n/core" 2>told.said ||
            fail "$name $level, point $n: $(cat told.said)"
        if [ "$kind_of_points" = faults ]; then
            value_of lx '$_siginfo._sifields._sigfault.si_addr' "$points_at/$n/core"
            address=$(cat "$points_at/$n/core.value")
            grep -qx "A $address" "$true/$n.truth" || { elsewhere=$((elsewhere + 1)); continue; }
        fi
        if ! ./judge graphs "$true/$n.truth" "$told" $address >judged; then
            kind=wrong/$name$level.$kind_of_points.$n
            mkdir -p "$kind"
            cp -r graphs "$told" judged "$true/$n.truth" "$points_at/$n/core" "$kind/"
            wrong=$((wrong + 1))
            echo "WRONG: $name $level, $kind_of_points, point $n: $room/$kind"
            continue
        fi
        points=$((points + 1))
        # shellcheck disable=SC2046
        add_up $(tail -1 judged)
        rm -rf "${points_at:?}/$n"
    done
}

# judge_kind NAME LEVEL KIND: calls or faults; prints a line.
judge_kind() {
    local name=$1 level=$2 all variables=()
    kind_of_points=$3
    points=0 compared=0 unique=0 unknown=0 elsewhere=0 rounds=0
    [ "$kind_of_points" = calls ] || variables=(POINT_FAULTS=1)
    # How many calls there are, first.
    run_small "$name" "$room/$name.$level" "$room/points.first" POINT_STEP=1000000000 "${variables[@]}" || :
    all=$(cut -d' ' -f1 "$room/points.first/sum" 2>/dev/null) || all=
    [ -n "$all" ] || { echo "$name $level $kind_of_points: it left no sum: $room/points.first/err"; return; }
    judge_at "$name" "$level" POINT_STEP=$((all / ${COUNT:-60} + 1)) "${variables[@]}" || return 0
    printf '%-10s %-4s %-7s %5d points %6d frames %6d unique %5d not known %5d elsewhere %6d rounds\n' \
        "$name" "$level" "$kind_of_points" "$points" "$compared" "$unique" "$unknown" "$elsewhere" "$rounds"
    all_points=$((all_points + points)) all_compared=$((all_compared + compared))
    all_unique=$((all_unique + unique)) all_unknown=$((all_unknown + unknown))
}

all_points=0 all_compared=0 all_unique=0 all_unknown=0 wrong=0
prepare_judge
make_points "$room/shipped"
make_points "$room/truth" -DTRUTH
for name in ${*:-bzip2 gzip lua5.4 mawk sed grep diffutils bc flex sqlite3 lzip gperf}; do
    "$COTREE_TOP/tests/programs/fetch" "$name" >/dev/null
    build "$name" truth -O0 "-fcotree=trace -fcotree-trace=report -Dalways_inline=noinline $flags \
        $room/truth.o"
    graphs_of "$(main_of "$name" truth)" >graphs.truth
    for level in ${LEVELS:--O2}; do
        build "$name" "$level" "$level" "-fcotree=crash ${SCHEME-} $flags $room/shipped.o"
        graphs_of "$(main_of "$name" "$level")" >graphs.shipped
        common_graphs graphs.truth graphs.shipped >graphs
        for kind in ${KINDS:-calls faults}; do judge_kind "$name" "$level" "$kind"; done
    done
done
echo "$all_points points, $all_compared frames compared: $all_unique unique, $wrong points wrong;" \
    "of $all_unknown more frames nothing is told"
[ "$wrong" = 0 ]
