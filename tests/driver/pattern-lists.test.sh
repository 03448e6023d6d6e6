#!/usr/bin/env bash
# Only files and functions that the lists allow are counted; the lists can be in files; attributes
# and prefix maps are honoured.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
mkdir -p lib
cat >lib/helper.c <<'END'
int helper(int n) { return n + 1; }
int helper_debug(int n) { return n + 2; }
__attribute__((no_profile_instrument_function)) int never(int n) { return n + 3; }
END
cat >main.c <<'END'
int helper(int), helper_debug(int), never(int);
int main(void) { return helper(1) + helper_debug(1) + never(1) == 9 ? 0 : 1; }
END
functions() { # ARG...: names in the report of a program built so
    cotree cc "$@" main.c lib/helper.c -o prog
    rm -f ./*.cotree
    ./prog
    if ! ls prog.*.cotree >/dev/null 2>&1; then echo none; return; fi
    cotree report --format=json prog prog.*.cotree -o report.json
    jq -r '.functions[].name' report.json | sort | tr '\n' ' '
}
is() {
    local want=$1 got; shift; got=$(functions "$@"); [ "$got" = "$want" ] ||
        die "$*: '$got' instead of '$want'"
}
is 'helper helper_debug main '
is 'main ' '-fcotree-exclude-files=*lib/*'
is 'helper helper_debug ' '-fcotree-files=*/helper.c' '-fcotree-files=lib/*'
is 'helper main ' '-fcotree-exclude-functions=*_debug'
is 'helper helper_debug ' '-fcotree-functions=helper*'
is 'helper ' '-fcotree-functions=helper*' '-fcotree-exclude-functions=*_debug'
is 'main ' '-fcotree-functions=ma?n'
printf '# patterns\n\n  helper \nmain\n' >list
is 'helper main ' -fcotree-functions=@list
is 'main ' -fcotree-functions=@list '-fcotree-exclude-files=*lib/*'
# a name with every character that the option string treats specially
printf 'a;b%%c=d,e\n' >odd
is 'helper helper_debug main ' -fcotree-exclude-functions=@odd '-fcotree-exclude-functions=%3b;=,'
cotree cc -ffile-prefix-map=lib/=mapped/ main.c lib/helper.c -o prog && rm -f ./*.cotree && ./prog
cotree report --format=json prog prog.*.cotree -o report.json
jq -r '.functions[] | select(.name == "helper") | .file' report.json | grep -q 'mapped/helper.c$' ||
    die "prefix map ignored"
