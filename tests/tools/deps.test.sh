#!/usr/bin/env bash
# tools/deps is silent when all packages are there; otherwise it says what it installs, updates
# apt's lists first, uses sudo unless it is root, and reports a failure in one line. Played with
# stand-ins for dpkg, apt and sudo: nothing is installed.
set -eu
die() { echo "$*"; cat out log 2>/dev/null; exit 1; }
deps=$COTREE_TOP/tools/deps
mkdir bin
stand_in() { cat >"bin/$1"; chmod +x "bin/$1"; }
here=$PWD
stand_in dpkg-query <<END
#!/bin/sh
sed 's/^/installed /' "$here/installed"
echo 'config-files removed-package'
END
stand_in apt-get <<END
#!/bin/sh
echo "apt-get \$*" >>"$here/log"
[ ! -e "$here/broken" ]
END
stand_in sudo <<END
#!/bin/sh
echo sudo >>"$here/log"
exec "\$@"
END
stand_in id <<END
#!/bin/sh
cat "$here/uid"
END
run() { : >log; status=0; PATH=$here/bin:$PATH "$@" >out 2>&1 || status=$?; }

# What it wants: everything is missing at first.
: >installed; echo 0 >uid
run "$deps"
[ $status -eq 0 ] || die "status $status"
sed -n 's/^installing Debian packages: //p' out | tr ' ' '\n' >wanted
for package in clang-19 llvm-19-dev libelf-dev libcmocka-dev make gcc; do
    grep -qx "$package" wanted || die "$package is not wanted"
done
grep -q 'apt-get.* update' log && grep -q 'apt-get.* install .*clang-19' log || die "apt-get was not called"
[ "$(grep -n update log | head -1 | cut -d: -f1)" -lt "$(grep -n ' install ' log | head -1 | cut -d: -f1)" \
    ] || die "no update before install"
! grep -q sudo log || die "sudo as root"

cp wanted installed
run "$deps"
[ $status -eq 0 ] && [ ! -s out ] && [ ! -s log ] || die "not silent when all is there"

grep -vx 'graphviz' wanted >installed
echo 1000 >uid
run "$deps"
[ "$(cat out)" = 'installing Debian packages: graphviz' ] && grep -q sudo log &&
    grep -q 'install.* graphviz$' log || die "one missing, not root"
run env LLVM=42 "$deps"
grep -q clang-42 out && grep -q llvm-42-dev out && ! grep -q clang-19 out || die "LLVM=42 is ignored"

touch broken
run "$deps"
[ $status -ne 0 ] && grep -q 'apt-get could not install: graphviz' out || die "a failure is not reported"
rm bin/sudo
run env PATH="$here/bin:/bin" sh -c "command -v sudo >/dev/null || exec $deps; exit 1"
[ $status -ne 0 ] && { grep -q 'no sudo' out || command -v sudo >/dev/null; } || die "not root, no sudo"
