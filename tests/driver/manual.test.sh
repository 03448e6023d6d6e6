#!/usr/bin/env bash
# Every man page renders without errors, and what a command's page and its --help say of options agree.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cd "$COTREE_TOP"

pages=$(ls docs/*.scd)
for page in $pages; do
    out=$OLDPWD/$(basename "$page" .scd)
    scdoc <"$page" >"$out" || die "$page: scdoc refuses it"
    mandoc -T lint -W error "$out" || die "$page: mandoc finds errors"
    [ "$(mandoc "$out" | wc -l)" -gt 10 ] || die "$page: nearly empty"
done

# Each command has a page, and cotree(1) names it; pages refer to pages that exist.
for name in $(cotree help | sed -nE 's/^  ([a-z+]+) .*/\1/p'); do
    case $name in help | version | cotree) continue ;; c++) page=cc ;; *) page=$name ;; esac
    [ -e docs/cotree-$page.1.scd ] || die "cotree $name has no page docs/cotree-$page.1.scd"
    grep -q "^\*$name\*" docs/cotree.1.scd || die "cotree(1) does not name $name"
done
# references: those in the text of standard input, as NAME.SECTION.
references() { grep -ohE '\*cotree[-_a-z+]*\*\([0-9]\)' | tr -d '*' | sed 's/(\(.\))/.\1/' | sort -u; }
for reference in $(cat $pages | references); do
    [ -e "docs/$reference.scd" ] || die "a page refers to $reference, which does not exist"
done

# A page that is referred to in the text of another is in its SEE ALSO, and no page refers to itself there.
# cotree(1) refers to all.
for page in $pages; do
    own=$(basename "$page" .scd)
    sed '/^# SEE ALSO/,$d' "$page" | references >"$OLDPWD/in-text"
    sed -n '/^# SEE ALSO/,$p' "$page" | references >"$OLDPWD/in-see-also"
    missing=$(comm -23 "$OLDPWD/in-text" "$OLDPWD/in-see-also" | grep -vxF "$own" | tr '\n' ' ') || :
    [ -z "$missing" ] || die "$page: not in SEE ALSO: $missing"
    grep -qxF "$own" "$OLDPWD/in-see-also" && die "$page refers to itself"
    [ "$own" = cotree.1 ] || references <docs/cotree.1.scd | grep -qxF "$own" ||
        die "cotree(1) does not refer to $own"
done

# cotree --help and the pages name the same variables of the environment.
cotree --help | sed -n '/^Environment/,/^Exit/p' | grep -oE '^  [A-Z_]+(, [A-Z_]+)*' |
    tr -d ' ' | tr , '\n' | sort -u >"$OLDPWD/in-help"
sed -n '/^# VARIABLES/,/^# P/p; /^# ENVIRONMENT/,/^# E/p' docs/cotree*.scd |
    grep -E '^\*[A-Z_]+\*' | grep -oE '\*[A-Z_]+\*' | tr -d '*' | sort -u >"$OLDPWD/in-page"
cmp "$OLDPWD/in-help" "$OLDPWD/in-page" || die "variables differ: $(diff "$OLDPWD/in-help" "$OLDPWD/in-page")"
[ "$(grep -c COTREE "$OLDPWD/in-help")" -ge 7 ] || die "variables in --help: $(cat "$OLDPWD/in-help")"

# Options: headings of the OPTIONS section against --help, both ways.
for page in docs/cotree-*.1.scd; do
    command=$(basename "$page" .1.scd); command=${command#cotree-}
    cotree help | grep -q "^  $command " || continue
    sed -n '/^# OPTIONS/,/^# [A-NP-Z]/p' "$page" | grep '^\*-' |
        grep -oE '\-\-?[a-z][-a-z]*' | sort -u >"$OLDPWD/in-page"
    # clang's own help follows that of cc
    help=$(COTREE_CLANG=true cotree $command --help)
    echo "$help" | grep -E '^ +-' |
        grep -oE '(^|[ ,])--?[a-z][-a-z]*' | tr -d ' ,' | sort -u >"$OLDPWD/in-help"
    while read -r option; do
        echo "$help" | grep -qE -- "(^|[^-a-z])$option([^-a-z]|$)" ||
            die "cotree $command --help does not mention $option"
    done <"$OLDPWD/in-page"
    while read -r option; do
        grep -qF -- "$option" "$page" || die "$page does not mention $option"
    done <"$OLDPWD/in-help"
    [ -s "$OLDPWD/in-page" ] && [ -s "$OLDPWD/in-help" ] ||
        die "$page or cotree $command --help lists no options"
done

# The exit statuses that a page and --help name are the same.
for page in docs/cotree-*.1.scd; do
    command=$(basename "$page" .1.scd); command=${command#cotree-}
    cotree help | grep -q "^  $command " || continue
    awk '/^# / { on = $0 == "# EXIT STATUS" } on' "$page" | grep -oE '\b[0-9]+\b' | sort -u >"$OLDPWD/in-page"
    COTREE_CLANG=true cotree $command --help | sed -n '/^Exit status/,$p' | grep -oE '\b[0-9]+\b' |
        sort -u >"$OLDPWD/in-help"
    [ -s "$OLDPWD/in-page" ] && cmp "$OLDPWD/in-page" "$OLDPWD/in-help" ||
        die "exit statuses of cotree $command: $(diff "$OLDPWD/in-page" "$OLDPWD/in-help")"
done

# Values that the help of cc names for its options are taken.
cd "$OLDPWD"
echo 'int main(void) { return 0; }' >values.c
COTREE_CLANG=true cotree cc --help >values.help
tried=0
for option in -fcotree-path-ends -fcotree-path-numbering -fcotree-witness; do
    values=$(sed -zE 's/\n {10,}/ /g' values.help | sed -n "s/^  $option=[A-Z]* *[^:]*: //p" |
        sed -E 's/\([^)]*\)//g; s/;.*//; s/, or /, /; s/,/ /g')
    for value in $values; do
        cotree cc -fcotree=paths,trace "$option=$value" -c values.c -o values.o ||
            die "--help names $option=$value, which is refused"
        tried=$((tried + 1))
    done
done
[ $tried -eq 13 ] || die "$tried values of options were found in --help"
