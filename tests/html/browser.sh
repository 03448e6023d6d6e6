# For tests in a browser: source it. in_browser SCRIPT ARG... runs SCRIPT by node, which finds
# playwright-core by COTREE_NODE and Chromium, the one in PATH, by COTREE_CHROMIUM. playwright-core
# comes by npm, once, checked by its hash, into ${COTREE_NODE:-$COTREE_BUILD/node}.
. "$COTREE_TOP/tests/lib/report.sh"
playwright_version=1.56.1
playwright=playwright-core-$playwright_version.tgz
playwright_hash=fa648e5442796d4160c68dcfc3914ed5224f147852264993e6376e29f0228238
COTREE_NODE=${COTREE_NODE:-$COTREE_BUILD/node}
export COTREE_NODE

fetch_playwright() {
    [ -e "$COTREE_NODE/playwright-core/package.json" ] && return
    mkdir -p "$COTREE_NODE"
    ( # tests run at the same time
        flock 9
        [ -e "$COTREE_NODE/playwright-core/package.json" ] && exit 0
        cd "$COTREE_NODE"
        npm pack --silent "playwright-core@$playwright_version" >npm.log 2>&1 || exit 1
        echo "$playwright_hash  $playwright" | sha256sum --check --quiet || exit 1
        rm -rf package
        tar -xzf "$playwright" && mv package playwright-core
    ) 9>"$COTREE_NODE/lock" || die "cannot fetch $playwright"
}

in_browser() {
    fetch_playwright
    COTREE_CHROMIUM=$(command -v chromium) || die "chromium is missing: \`make check\` installs it"
    export COTREE_CHROMIUM
    node "$@"
}
