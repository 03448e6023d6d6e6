#!/usr/bin/env bash
# Documents lead where they say: links and names of files in *.md exist, each room has a line in
# ARCHITECTURE.md, and the pages that everybody reads first stay short.
set -eu

# check_links FILE: every relative link has a file, and every #anchor a heading.
check_links() {
    local file=$1 folder link target anchor
    folder=$(dirname "$file")
    without_code "$file" | grep -oE '\]\([^)[:space:]]+\)' | sed 's/^](//; s/)$//' | sort -u >links || :
    while IFS= read -r link; do
        case $link in *://* | mailto:*) continue ;; esac
        target=${link%%#*}
        anchor=${link#"$target"}
        links=$((links + 1))
        if [ -n "$target" ]; then target=$folder/$target; else target=$file; fi
        [ -e "$target" ] || { complain "$file: a link leads nowhere: $link"; continue; }
        [ -z "$anchor" ] || headings "$target" | grep -qxF -- "${anchor#\#}" ||
            complain "$file: no heading for the link $link"
    done <links
}

without_code_blocks() {
    awk '/^[[:space:]]*```/ { inside = !inside; next } !inside && !/^    / { print }' "$1"
}
without_code() { without_code_blocks "$1" | sed 's/`[^`]*`//g'; }
# The anchors of a file's headings, as GitHub makes them.
headings() {
    sed -n 's/^#\{1,6\} //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# check_paths FILE: files of the repository that it names exist. NAME, YEAR, * and {} stand for something.
check_paths() {
    local file=$1 path
    local top='(src|tests|bench|tools|fuzz)/[[:alnum:]_./*{}-]*[[:alnum:]_*/}]'
    local room='(base|graph|plan|format|instrument|runtime|decode|follow|report|weave|stem|expect|run|cli)/[[:alnum:]_./-]*\.'
    room+='(c|h|cpp|hpp|js)'
    without_code_blocks "$file" | grep -oE "(^|[^[:alnum:]_/.-])($top|$room)" |
        sed -E 's/^[^[:alnum:]]//' | sort -u >paths || :
    while IFS= read -r path; do
        case $path in *NAME* | *GROUP* | *YEAR* | *'*'* | *'{'*) continue ;; esac
        paths=$((paths + 1))
        # A test may be named without its ending, as docs/runtime.md does.
        [ -e "$path" ] || [ -e "src/$path" ] || [ -e "$path.test.sh" ] || complain "$file: there is no $path"
    done <paths
}

# read_rooms: may[ROOM] is the last column of the table in ARCHITECTURE.md, of each room in it.
declare -A may
read_rooms() {
    local room rule
    may=()
    while read -r room rule; do may[$room]=$rule; done < <(awk -F"|" '
        /^[|].*[|].*[|].*[|]$/ {
            rule = $(NF - 1)
            gsub(/[`,]/, "", rule)
            count = split($2, names, "`")
            for (i = 2; i <= count; i += 2)
                if (sub(/\/$/, "", names[i])) print names[i], rule
        }' ARCHITECTURE.md)
}

# check_rooms: each folder of src has a line in that table.
check_rooms() {
    local room
    find src -mindepth 1 -type d | sed 's,^src/,,' | sort >rooms
    while IFS= read -r room; do
        rooms=$((rooms + 1))
        [ -n "${may[$room]+there}" ] || complain "ARCHITECTURE.md has no line for src/$room/"
    done <rooms
}

# check_rules: the last column of that table is what tests/rooms/include-rules.test.sh enforces.
check_rules() {
    local room rule
    sed -n "/cat <<'END'/,/^END/p" tests/rooms/include-rules.test.sh | sed '1d; $d; /^$/d' >rules
    while read -r room rule; do
        [ -d "src/$room" ] || continue # still to come
        rules=$((rules + 1))
        [ "${may[$room]-}" = "${rule:--}" ] ||
            complain "ARCHITECTURE.md: $room may include '$rule', not '${may[$room]-}'"
    done <rules
}

# check_tests: the last column of docs/runtime.md names tests.
check_tests() {
    local name
    sed -nE 's/^\|.*\| (.*) \|$/\1/p' docs/runtime.md | grep -vE '^(test|-+)$' | tr ',' '\n' |
        sed 's/ //g' | sort -u >tests.list
    while IFS= read -r name; do
        tests=$((tests + 1))
        [ -e "tests/runtime/$name.test.sh" ] || [ -e "$name.test.sh" ] ||
            complain "docs/runtime.md: there is no test $name"
    done <tests.list
}

# at_most FILE LINES
at_most() {
    local length
    length=$(wc -l <"$1")
    [ "$length" -lt "$2" ] || complain "$1 has $length lines, $2 and more are too many"
}

# Prose wraps at 100 columns; tables, code and pictures do not. Tables of man pages have three marks.
check_width() {
    awk '
        FNR == 1 { inside = 0 }
        /^[[:space:]]*```/ { inside = !inside }
        inside || /^    / || /^[[:space:]]*[|]/ || /^ *!\[/ { next }
        FILENAME ~ /[.]scd$/ && /^[[:space:]]*[]|:[]/ { next }
        length > 100 { printf "%s:%d: a line of %d columns\n", FILENAME, FNR, length; wrong = 1 }
        END { exit wrong }' "$@" || wrong=1
}

# check_decisions: the list of decisions names each page.
check_decisions() {
    local page listed
    listed=$(cat docs/decisions/README.md)
    for page in docs/decisions/[0-9]*.md; do
        case $listed in
        *"(${page##*/})"*) ;;
        *) complain "docs/decisions/README.md: ${page##*/} is missing" ;;
        esac
    done
}

# check_also: what a man page names under SEE ALSO is there, if it is ours, and names that page, too.
check_also() {
    local from to listed
    awk '
        FNR == 1 { inside = 0; from = FILENAME; gsub(/^docs\/|[.]scd$/, "", from) }
        /^# / { inside = /^# SEE ALSO/ }
        !inside { next }
        { while (match($0, /[*][a-z_-]+[*][(][0-9][)]/)) {
              to = substr($0, RSTART + 1, RLENGTH - 2)
              sub(/[*][(]/, ".", to)
              print from, to
              $0 = substr($0, RSTART + RLENGTH)
          } }' docs/*.scd >also
    also=$(wc -l <also)
    listed="
$(cat also)
"
    while read -r from to; do
        case $to in cotree*) ;; *) continue ;; esac
        [ -e "docs/$to.scd" ] || { complain "docs/$from.scd: there is no page $to"; continue; }
        case $listed in *"
$to $from
"*) ;; *) complain "docs/$to.scd: SEE ALSO does not name $from, which names it" ;; esac
    done <also
}

complain() { echo "$*"; wrong=1; }

check_all() {
    wrong=0 links=0 paths=0 rooms=0 rules=0 tests=0 also=0
    local file
    for file in $documents; do
        check_links "$file"
        check_paths "$file"
        case $file in tests/*) ;; *) check_width "$file" ;; esac
    done
    read_rooms
    check_rooms
    check_rules
    check_tests
    check_decisions
    check_also
    # shellcheck disable=SC2086 # several files
    check_width $pages
    at_most README.md 150
    at_most ARCHITECTURE.md 152
    rm -f links paths rooms rules tests.list also
    return $wrong
}

# A copy, since the tests write nothing into the source.
work=$PWD
mkdir copy
(cd "$COTREE_TOP" && tar -c --exclude=./build* --exclude=./.git .) | tar -x -C copy
cd copy
documents=$(find . -name '*.md' | sed 's,^\./,,' | sort)
pages=$(ls docs/*.scd)
check_all || exit 1
# A test that looks at nothing would pass.
if [ "$links" -lt 60 ] || [ "$paths" -lt 150 ] || [ "$rooms" -lt 30 ] || [ "$rules" -lt 30 ] ||
    [ "$tests" -lt 40 ] || [ "$also" -lt 100 ]; then
    echo "too little was looked at: $links, $paths, $rooms, $rules, $tests, $also"
    exit 1
fi

# It can fail: each kind of damage is found.
finds() { # finds TEXT: the checks complain of it
    local out
    out=$(check_all) && { echo "nothing was found: $1"; exit 1; }
    case $out in *"$1"*) ;; *) echo "not found: $1; but: $out"; exit 1 ;; esac
}
documents=README.md
cp README.md "$work/README.md"
damage() {
    printf '%s\n' "$1" >>README.md
    finds "$2"
    cp "$work/README.md" README.md
}
damage '[a page](docs/no-such-page.md)' 'leads nowhere: docs/no-such-page.md'
damage '[a part](docs/limits.md#no-such-part)' 'no heading for the link docs/limits.md#no-such-part'
damage '`src/plan/no_such_file.c`' 'there is no src/plan/no_such_file.c'
damage 'as decode/model/no_such_file.h says' 'there is no decode/model/no_such_file.h'
damage "$(yes word | head -n 40 | tr '\n' ' ')" 'a line of 200 columns'
damage "$(yes '' | head -n 150; echo end)" 'README.md has '
mv tests/runtime/hostile.test.sh "$work"
finds 'docs/runtime.md: there is no test hostile'
mv "$work/hostile.test.sh" tests/runtime
sed -i 's/^plan base graph$/plan base/' tests/rooms/include-rules.test.sh
finds "plan may include 'base', not 'base graph'"
sed -i 's/\*cotree-weave\*(1), //' docs/cotree-carry.5.scd
finds 'docs/cotree-carry.5.scd: SEE ALSO does not name cotree-weave.1'
yes word | head -n 40 | tr '\n' ' ' >>docs/cotree-carry.5.scd
finds 'a line of 200 columns'
touch docs/decisions/99-no-such-decision.md
finds '99-no-such-decision.md is missing'
mkdir src/plan/no_such_room
finds 'no line for src/plan/no_such_room/'
