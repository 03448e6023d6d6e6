# mawk: the same work as gawk.
programs=mawk
configure() { "$SRC"/configure --with-builtin-regex; }
compile() { make CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS" mawk; } # its configure script adds a flag that only clang knows
inputs() { cat "$SRC"/CHANGES "$SRC"/*.c "$SRC"/man/* "$SRC"/CHANGES "$SRC"/*.c "$SRC"/man/* >text; cp "$RECIPES"/awk.awk work.awk; }
workload() { $RUN ./mawk -f work.awk text >out; }
