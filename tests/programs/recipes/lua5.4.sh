# lua: an interpreter; errors are thrown by longjmp. Debian's patch that builds with libtool (and every file a second time as C++) is taken back.
programs=src/lua
unit=lvm.c
configure() {
    cp -r "$SRC"/. .
    patch -s -R -p1 -i debian/patches/0001-build-system.patch
    echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >src/lua5.4-deb-multiarch.h
}
compile() { make -C src CC="$CC -std=gnu99" CFLAGS="$CFLAGS -Wall -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" MYLIBS=-ldl posix; }
inputs() { cp "$RECIPES"/lua5.4.lua work.lua; }
workload() { $RUN ./lua work.lua >out; }
