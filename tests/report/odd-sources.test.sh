#!/usr/bin/env bash
# Sources that changed, shrank, vanished or became a pipe since the program was built are said to
# have; nothing waits, and no count is lost.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

mkdir src below
{
    for i in $(seq 12); do echo "int unused$i(int n) { return n + $i; }"; done
    echo 'int main(void)'; echo '{'; echo '    return 0;'; echo '}'
} >src/many.c
"$cotree" cc src/many.c -o many
./many
status 0 "$cotree" report ./many many.*.cotree
grep -q 'newer' out && die "an old source is called newer"
grep -q '12 functions never ran; --sort=line lists them' out || die "$(cat out)"
grep -q ' unused3 ' out && die "functions that never ran crowd the report"
status 0 "$cotree" report ./many many.*.cotree --sort=name --no-source
[ "$(grep -c ' unused' out)" -eq 12 ]
# Paths near by are relative, also upwards.
(cd below && "$cotree" report ../many ../many.*.cotree --no-source) | grep -q ' main .*  ../src/many.c:13$'

touch -d 'now + 1 hour' src/many.c
status 0 "$cotree" report ./many many.*.cotree
[ "$(grep -c 'source is newer than the program' out)" -eq 1 ]
head -5 src/many.c >cut; mv cut src/many.c
status 0 "$cotree" report ./many many.*.cotree
grep -q 'the source ends here' out
grep -Eq '^ +1 +15 \|$' out || die "counts past the end are lost: $(cat out)"
rm src/many.c; mkfifo src/many.c
status 0 timeout 600 "$cotree" report ./many many.*.cotree
grep -q 'source not found (not a regular file)' out
grep -Eq '^ +1 +15 \|$' out
timeout 600 "$cotree" graph ./many many.*.cotree --function=main | grep -q 'block 0'

# Two static functions of one name in one file: lcov tells functions by name, so the second gets its
# line as well.
cat >twin.c <<'C'
#ifdef FIRST
static int twin(void) { return 1; }
int first(void) { return twin() + twin(); }
#else
int first(void);
static int twin(void) { return 2; }
int main(void) { return first() + twin() != 4; }
#endif
C
"$cotree" cc -DFIRST -c twin.c -o first.o
"$cotree" cc twin.c first.o -o twins
./twins
status 0 "$cotree" report ./twins twins.*.cotree --format=lcov
[ "$(grep '^FNDA:.*twin' out | tr '\n' ' ')" = "FNDA:2,twin FNDA:1,twin.6 " ] || die "$(cat out)"
cp out info
lcov --summary info 2>&1 | grep -q 'functions.*(4 of 4' || die "$(lcov --summary info 2>&1)"
# The same function in two units is one definition: counts add up.
cat >both.h <<'C'
static inline int half(int n) { return n / 2; }
C
printf '#include "both.h"\nint other(void) { return half(4) + half(6); }\n' >other.c
printf '#include "both.h"\nint other(void);\nint main(void) { return other() + half(2) != 6; }\n' >prog.c
"$cotree" cc prog.c other.c -o prog
./prog
status 0 "$cotree" report ./prog prog.*.cotree --format=lcov
[ "$(grep '^FNDA:.*half' out)" = "FNDA:3,half" ] || die "$(cat out)"

# Marks of direction in names and lines reach no terminal: by them one text could look like another.
turned=$(printf '\342\200\256\342\201\246')
mkdir "t$turned"
printf '// %selse if%s\nint r%s(void)\n{\n    return 0; // %s\n}\nint main(void)\n{\n    return r%s();\n}\n' \
    "$turned" "$turned" é "$turned" é >"t$turned/a.c"
"$cotree" cc "t$turned/a.c" -o turned
./turned
for format in text lcov cobertura callgrind folded; do
    status 0 "$cotree" report turned turned.*.cotree --format=$format
    ! LC_ALL=C grep -q "$(printf '\342\200\256\|\342\201\246')" out || die "$format: marks of direction"
done
status 0 "$cotree" report turned turned.*.cotree
grep -q '/a.c' out && grep -q 'ré' out && grep -q '??????' out || die "$(cat out)"
status 0 "$cotree" report turned turned.*.cotree --format=json
jq -e --arg dir "t$turned" 'any(.. | strings; contains($dir))' out >/dev/null || die "JSON has other names"
! LC_ALL=C grep -q "$(printf '\342\200\256')" out || die "json: marks of direction"
