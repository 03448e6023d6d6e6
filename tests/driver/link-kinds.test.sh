#!/usr/bin/env bash
# Each kind of link gets its own runtime, a build id unless the user has an opinion, and -r gets nothing.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
$clang -fPIC -c a.c b.c

text=$(steps_of cotree cc a.o b.o -o prog)
has "$text" /runtime-exec.o --build-id --export-dynamic-symbol=cotree_runtime_v2
hasnt "$text" --wrap /runtime-static /runtime-shared plugin.so
text=$(steps_of cotree cc a.c b.o -o prog)
has "$text" /runtime-exec.o plugin.so
for flag in -static -static-pie; do
    text=$(steps_of cotree cc $flag a.o b.o)
    has "$text" /runtime-static.o --build-id --wrap=_dl_allocate_tls --wrap=pthread_create
    hasnt "$text" /runtime-exec /runtime-shared
done
text=$(steps_of cotree cc -shared b.o)
has "$text" /runtime-shared.a --build-id
hasnt "$text" --wrap /runtime-exec /runtime-static
for flags in -r '-r -shared' -Wl,-r '-Xlinker -r' -Wl,--relocatable; do
    hasnt "$(steps_of cotree cc $flags a.o b.o)" cotree
done
for flag in -c -S -E -fsyntax-only; do
    hasnt "$(steps_of cotree cc $flag a.c)" runtime- --build-id
done

# The user's word on the build id stands.
for word in -Wl,--build-id=none -Wl,--build-id=md5 -Wl,-build-id=0xabcdef '-Xlinker --build-id=none' \
    -Wl,-z,now,--build-id; do
    count=$(steps_of cotree cc $word a.o b.o | grep -c -- '-build-id' || :)
    plain=$(steps_of $clang $word a.o b.o | grep -c -- '-build-id' || :)
    [ "$count" = "$plain" ] || die "$word: $count build-id words instead of $plain"
done
# ... but a file that happens to be called so is not one.
has "$(steps_of cotree cc a.o b.o -o --build-id)" runtime-exec

# Order: the object before everything of the user (lld lays sections out as it meets them), the
# archive behind it; an open -x reaches neither.
steps_of cotree cc -x c a.c -lm >words
awk '/^-lm$/ { m = NR } /runtime-exec\.o$/ { r = NR } END { exit !(r && r < m) }' words
steps_of cotree cc -fcotree=none -x c a.c -lm >words
awk '/^-lm$/ { m = NR } /runtime-exec\.a$/ { r = NR } END { exit !(m && m < r) }' words
# `--` ends the options, ours too.
cp a.o -- -a.o
text=$(cotree cc -### -o prog -- -a.o b.o 2>&1)
has "$text" ./-a.o b.o /runtime-exec.o
# An argument of a linker option is no option.
has "$(steps_of cotree cc -shared -Wl,-soname,r b.o)" /runtime-shared.a
has "$(steps_of cotree cc -shared -Wl,-soname,build-id b.o)" --build-id
