#!/usr/bin/env bash
# Chosen paths: what is watched has the count of the full profile, nothing else has a count, groups
# together are the whole, on the corpus; output is as without cotree. Selectors that make no sense
# are one line.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"

# paths_of PROGRAM: function, place, id and count of each path that ran; exact profiles only.
paths_of() {
    jq -r '.functions[] | . as $f | .paths[]? | "\($f.linkage_name) \($f.file):\($f.line) \(.id) \(.count)"' \
        "$1.json" | sort
}
# build_and_run NAME PROGRAM FLAG...: PROGRAM.paths
build_and_run() {
    local name=$1 program=$2
    shift 2
    cotree_build "$name" "$program" -fcotree=paths "$@" || return 1
    rm -rf "$program.data"
    cotree_run "$program"
    cotree_json "$program" --check-sets || return 1
    paths_of "$program" >"$program.paths"
}

# judge NAME SELECTOR FLAG...: all that is counted is what the full profile has; what is watched and
# has no count has none there, either.
judge() {
    local name=$1 selector=$2
    shift 2
    numbering=$((numbering % 4 + 1)) # the cheapest, or one of the three
    local ways=("" -fcotree-path-numbering=all -fcotree-path-numbering=pspp -fcotree-path-numbering=compact)
    # shellcheck disable=SC2086
    build_and_run "$name" some "$@" -fcotree-paths="$selector" ${ways[numbering - 1]} || return 0
    same "$name $selector: output and exit status" plain.out some.out || :
    comm -13 full.paths some.paths >wrong
    [ ! -s wrong ] ||
        failed "$name $selector $*: counts that the full profile does not have: $(head -n 3 wrong)"
    jq -r '.functions[] | .path_numbering // empty' some.json >>numberings
    jq -r '[.functions[] | .paths_watched // 0] | add' some.json >>watched
    wc -l <some.paths >>counted
}

n=0 numbering=0 groups=0
for name in big-switch c99-inline comdat computed-goto duffs-device interpreter irreducible-goto \
    nested-loops switches templates try-without-throw; do
    n=$((n + 1))
    case $((n % 3)) in 0) level="-O0" ;; 1) level="-O2" ;; *) level="-O2 -fcotree-path-ends=loops" ;; esac
    corpus_plain "$name" plain
    corpus_run ./plain plain.out
    # shellcheck disable=SC2086
    build_and_run "$name" full $level || continue
    [ -s full.paths ] || { failed "$name: no path ran"; continue; }
    "$cotree" merge -q ./full full.data -o seen 2>/dev/null || failed "$name: cannot be merged"
    case $((n % 4)) in
    0) selectors="hot:90%:seen group:1/2 group:2/2" ;;
    1) selectors="hot:50%:seen uncovered:seen" ;;
    2) selectors="group:1/3 group:2/3 group:3/3" ;;
    *) # a path, a function and a line that ran, and many lines that may
        line=$(jq -r '[.functions[] | . as $f | .paths[]? | {f: $f.file, l: .lines[-1]} |
            select(.f != null and .l != null)] | sort_by(.l) | .[length / 2 | floor] // empty |
            "\(.f | sub(".*/"; "")):\(.l)"' full.json)
        selectors="$(awk 'NR % 3 == 1 { print $1 "#" $3; exit }' full.paths) main ${line:+through:$line}" ;;
    esac
    : >united
    for selector in $selectors; do
        # shellcheck disable=SC2086
        judge "$name" "$selector" $level
        case $selector in
        group:*) cat some.paths >>united ;;
        uncovered:*)
            [ ! -s some.paths ] || failed "$name $selector: what had run is watched: $(head -n 3 some.paths)"
            ;;
        main)
            grep '^main ' full.paths | diff -q - some.paths >/dev/null ||
                failed "$name: paths of main are others"
            ;;
        *#*) # its count, and no other
            [ "$(cut -d' ' -f1,3 some.paths)" = "${selector%#*} ${selector##*#}" ] ||
                failed "$name $selector: $(cat some.paths)" ;;
        hot:*) # so much of all executions, and with one path less not
            awk -v percent="$(echo "$selector" | tr -dc '0-9\n')" '
                NR == FNR { all += $NF; next } { some += $NF; least = least == "" || $NF < least ? $NF : least }
                END { exit !(some * 100 >= all * percent && (some - least) * 100 < all * percent) }' \
                    full.paths some.paths ||
                failed "$name $selector: too few or too many: $(wc -l <some.paths) of $(wc -l <full.paths)" ;;
        through:*) # exactly those of the full profile that run the line, in functions of this file
            jq -r --arg place "${selector#through:}" \
                '.functions[] | . as $f |
                    select(.file != null and (.file | sub(".*/"; "")) == ($place | split(":")[0])) |
                    .paths[]? |
                select(any(.lines[]; . == ($place | split(":")[1] | tonumber))) |
                    "\($f.linkage_name) \($f.file):\($f.line) \(.id) \(.count)"' full.json | sort >expected
            diff expected some.paths >/dev/null ||
                failed "$name $selector: not the paths through the line: $(diff expected some.paths |
                head -n 3)" ;;
        esac
    done
    case $selectors in *group:*) # the union is the whole, each path once
        sort united | diff full.paths - >wrong ||
            failed "$name: the groups are not the whole, each path once: $(head -n 3 wrong)"
        groups=$((groups + 1)) ;;
    esac
done
[ "$(sort -u numberings | tr '\n' ' ')" = "all compact pspp " ] ||
    failed "not all numberings were tried: $(sort numberings | uniq -c | tr '\n' ' ')"
[ $groups -ge 5 ] || failed "only $groups programs were divided into groups"
[ "$(awk '{ sum += $1 } END { print (sum > 300) }' watched)" = 1 ] || failed "hardly any path was watched"
[ "$(awk '{ sum += $1 } END { print (sum > 150) }' counted)" = 1 ] || failed "hardly any path was counted"
finish
