# A test suite that starts thousands of processes, all of which count into one file: sed's own.
# Every process is there, and the sum is exact.
# sources: sed
. "$COTREE_TOP/tests/builds/lib.sh"
mkdir built data && cd built
CC="$cotree cc -fcotree=$sets" CFLAGS=-O2 "$SOURCES/sed/configure" --disable-dependency-tracking --disable-nls
make -j 2
export COTREE_FILE=$PWD/../data/%e.%m.cotree # its helpers have files of their own
status=0
# Without panic-tests, which wants a user who is not root.
tests=$(sed -n 's|^  \(testsuite/[a-z0-9-]*\.sh\).*|\1|p' "$SOURCES/sed/testsuite/local.mk" |
    grep -v panic-tests | sort -u | tr '\n' ' ')
for _ in 1 2 3 4; do make check SUBDIRS=. TESTS="$tests" || status=$?; done
unset COTREE_FILE
[ "$status" = 0 ] || die "sed's own tests fail"
[ "$(ls ../data/sed.*.cotree | wc -l)" -ge 1 ] || die "no data"
exact sed/sed ../data/sed.*.cotree
[ "$runs" -gt 1000 ] || die "only $runs processes"
echo "sed's tests: $runs processes in $(ls ../data | wc -l) files of $(du -sk ../data | cut -f 1) KiB, exact"
