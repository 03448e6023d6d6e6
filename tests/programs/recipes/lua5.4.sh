# lua: an interpreter; errors are thrown by longjmp. Debian's patch that builds with libtool (and every file a second time as C++) is taken back.
programs=src/lua
unit=lvm.c
configure() {
    cp -r "$SRC"/. .
    patch -s -R -p1 -i debian/patches/0001-build-system.patch
    echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >src/lua5.4-deb-multiarch.h
}
compile() {
    make -C src CC="$CC -std=gnu99" CFLAGS="$CFLAGS -Wall -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" MYLIBS=-ldl posix
}
inputs() { cp "$RECIPES"/lua5.4.lua work.lua; cp "$RECIPES"/lua5.4.errors.lua errors.lua; }
workload() { $RUN ./lua work.lua >out; }
failures() {
    fails syntax ./lua -e 'x = = 1'
    fails unfinished ./lua -e 'function f() return "abc'
    fails nesting ./lua -e "return $(printf '(%.0s' {1..300})1"
    fails missing ./lua nowhere.lua
    fails option ./lua -x
    fails library ./lua -l nowhere
    ends errors ./lua errors.lua all
    fails uncaught ./lua errors.lua uncaught
    fails uncaught-object ./lua errors.lua object
    fails uncaught-nil ./lua errors.lua nothing
    fails in-coroutine ./lua errors.lua coroutine
    fails in-handler ./lua errors.lua handler
    fails closing ./lua errors.lua closing
    fails overflow ./lua errors.lua overflow
    fails unpack ./lua errors.lua unpack
    fails exit ./lua errors.lua exit
    fails exit-closing ./lua errors.lua exit-closing
    fails exit-in-coroutine ./lua errors.lua exit-in-coroutine
    fails exit-in-collector ./lua errors.lua exit-in-collector
    fails child ./lua errors.lua child
    fails child-abort ./lua errors.lua child-abort
    fails stdin ./lua - <<<'local t = nil; print(1); print(t.x)'
    ends_full full ./lua -e 'for i = 1, 1e5 do assert(io.write(i, "\n")) end'
    cut_off cut ./lua -e 'for i = 1, 1e6 do print(i) end'
    killed_reading term TERM 'print(1)
' ./lua -
    killed_reading term-in-calls TERM 'a
b
' ./lua errors.lua read
    killed_reading interrupted INT 'a
b
' ./lua errors.lua read
    for i in 1 2 3; do killed_busy busy.$i TERM ./lua errors.lua busy; done
    killed_busy interrupted-busy INT ./lua -e 'while true do end'
}
