# For tests of `cotree report` and `cotree graph`: source it. made FILE writes the profile of
# tests/unit/report_profile.h.
cotree=$COTREE_BUILD/cotree
unset NO_COLOR COTREE_PAGER PAGER LESS

die() { echo "$*"; exit 1; }

made() { "$COTREE_BUILD/unit/report" "$1" || die "cannot write $1"; }

# status STATUS COMMAND...: the command ends so; stdout in ./out, stderr in ./err.
status() {
    local want=$1 got=0; shift
    "$@" >out 2>err || got=$?
    [ "$got" -eq "$want" ] || die "status $got instead of $want: $* ($(cat err))"
}

# refuses STATUS TEXT COMMAND...: the command ends so, with nothing on stdout and one line on stderr
# that holds the text.
refuses() {
    local want=$1 text=$2; shift 2
    status "$want" "$@"
    [ ! -s out ] || die "an answer besides the error from: $*"
    [ "$(wc -l <err)" -eq 1 ] || die "not one line from: $*: $(cat err)"
    grep -qF -- "$text" err || die "no '$text' in: $(cat err)"
}
