# A project of autotools and libtool: a program with a shared library of its own, and one with the static
# one, carry and are woven to what they are built to without.
# packages: autoconf automake libtool
. "$COTREE_TOP/tests/builds/lib.sh"
. "$COTREE_TOP/tests/lib/weave.sh"
install_cotree
mkdir project && cd project
cat >configure.ac <<'END'
AC_INIT([demo], [1.0])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
lib_LTLIBRARIES = libpart.la
libpart_la_SOURCES = part.c
libpart_la_LIBADD = libinner.la
libpart_la_LDFLAGS = -version-info 2:1:0 -no-undefined
noinst_LTLIBRARIES = libinner.la
libinner_la_SOURCES = inner.c
bin_PROGRAMS = one two
one_SOURCES = main.c
one_LDADD = libpart.la
two_SOURCES = main.c
two_LDADD = libpart.la
two_LDFLAGS = -static
END
echo 'int inner(int x) { return x > 7 ? x - 7 : 3 * x; }' >inner.c
echo 'int inner(int x); int part(int x) { return x > 2 ? inner(2 * x) : x; }' >part.c
printf '%s\n' 'int part(int x);' 'int main(int argc, char **argv)' '{' '    int s = 0;' \
    '    for (int i = 0; i < 10 * argc; i++)' '        s += part(i);' '    return !argv || s < 5;' '}' >main.c
autoreconf -fi
cd ..
# In one folder, since what libtool links names the place where it is installed.
for variant in -fcotree-carry -fcotree=edges -fcotree=none; do
    rm -rf built installed && mkdir built
    (cd built && ../project/configure --prefix="${PWD%/*}/installed" CC="cotree cc $variant" CFLAGS=-O2 &&
        make -j2 && make install)
    [ -z "$(find built -name '*.cotree')" ] || die "a check of configure's left data"
    mv installed "installed$variant"
done
for file in bin/one bin/two lib/libpart.so.2.0.1; do
    carries "installed-fcotree-carry/$file" || die "$file: carries nothing"
    for variant in -fcotree=edges -fcotree=none; do
        cotree weave "installed-fcotree-carry/$file" $variant -o woven
        same_program woven "installed$variant/$file" || die "$file $variant: woven is another program"
    done
done
# What is woven together runs together.
cotree weave installed-fcotree-carry/bin/one -fcotree=$sets -o one
cotree weave installed-fcotree-carry/lib/libpart.so.2.0.1 -fcotree=$sets -o libpart.so.2
LD_LIBRARY_PATH=$PWD COTREE_FILE=$PWD/%e.%p.cotree ./one
exact one one.*.cotree
jq -e '[.functions[].name] | contains(["part", "inner", "main"])' report.json >/dev/null ||
    die "the library does not count"
echo "a program with its shared library, and one with the static one, carry and are woven"
