# A large C++ program that throws: cppcheck (110,000 lines), built by its own makefile at -O2,
# checks C and C++ sources, some of them broken. It says what Debian's says, and the few counters of
# `edges` say what one on every edge says.
# sources: cppcheck gzip lzip
# packages: cppcheck
. "$COTREE_TOP/tests/builds/lib.sh"
cp -r "$SOURCES/cppcheck" source
make -C source -j 2 CXX="$cotree c++ -fcotree=$sets" \
    CXXFLAGS="-O2 -w -DNDEBUG -DFILESDIR='\"/usr/share/cppcheck\"'" RDYNAMIC= cppcheck
[ "$(source/cppcheck --version)" = "$(cppcheck --version)" ] ||
    die "Debian's cppcheck is another: $(cppcheck --version)"
mkdir work &&
    cp -r source/samples "$SOURCES"/gzip/{gzip,deflate,inflate,util}.c "$SOURCES"/lzip/*.{cc,h} work/ &&
    cd work
# Where its tokenizer gives up: these end in an exception that is reported.
echo 'int f( { if (x } ' >broken.c
echo 'template<class T> struct A : A<A<T>> { ; A<int' >broken.cc
head -c 3000 main.cc >cut.cc
check() { "$@" -q --enable=all --inconclusive --suppress=missingIncludeSystem . 2>&1 || echo "status $?"; }
check cppcheck >../theirs
COTREE_FILE=$PWD/../run.%p.cotree check ../source/cppcheck >../ours
for option in --dump --xml --check-config -E; do
    cppcheck -q $option broken.c gzip.c >../theirs.option 2>&1 || :
    COTREE_FILE=$PWD/../run.%p.cotree ../source/cppcheck -q $option broken.c gzip.c >../ours.option 2>&1 || :
    cmp ../theirs.option ../ours.option || die "cppcheck $option says something else"
done
cd ..
[ "$(grep -c : theirs)" -gt 50 ] && grep -q syntaxError theirs ||
    die "Debian's cppcheck finds hardly anything"
cmp theirs ours || die "cppcheck says something else"
exact source/cppcheck run.*.cotree
thrown=$(jq '[.functions[] | select(.name | test("^InternalError::InternalError")) | .entries] | add' \
    report.json)
[ "$thrown" -gt 0 ] || die "nothing was thrown"
echo "cppcheck: $(jq '.functions | length' report.json) functions, $(jq \
    '[.functions[].blocks[].count] | add' report.json) blocks run, exact in $runs runs, $thrown errors thrown"
