#!/usr/bin/env bash
# Wrong words get one line and the status that the manual names; nothing is written.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree

refuses 64 "unknown option '--nonsense'" "$cotree" report --nonsense m.cotree
refuses 64 "unknown option '-z'" "$cotree" report -z m.cotree
refuses 64 "needs a value" "$cotree" report m.cotree -o
refuses 64 "not 'html5'" "$cotree" report --format=html5 m.cotree
refuses 64 "unknown option '--no' (short for '--no-" "$cotree" report --no m.cotree # four begin so
refuses 64 "option '--no-source' takes no value" "$cotree" report --no-source=yes m.cotree
refuses 64 "option '--help' takes no value" "$cotree" report --help=yes m.cotree
refuses 64 "option '--top' needs a value" "$cotree" report m.cotree --to
refuses 64 "option '-o' needs a value" "$cotree" report m.cotree -o
# The option is named, and not what stands with it: its value, the letters beside it.
refuses 64 "unknown option '--bogus';" "$cotree" report --bogus=1 m.cotree
refuses 64 "unknown option '-x';" "$cotree" merge -xq m.cotree -o out.cotree
refuses 64 "unknown option '-x';" "$cotree" merge -qx m.cotree -o out.cotree
refuses 64 "unknown option '--colour' (did you mean '--color'?);" "$cotree" report --colour=never m.cotree
refuses 64 "unknown option '--fucntion' (did you mean '--function'?);" "$cotree" graph --fucntion=f m.cotree
refuses 64 "unknown option '--folow';" "$cotree" trace --folow=f m.cotree # no option for people is near
refuses 64 "--sort is" "$cotree" report --sort=size m.cotree
refuses 64 "--top is" "$cotree" report --top=-1 m.cotree
refuses 64 "--top is" "$cotree" report --top=99999999999999999999999 m.cotree
refuses 64 "--fail-under-lines is" "$cotree" report --fail-under-lines=101 m.cotree
refuses 64 "--fail-under-lines is" "$cotree" report --fail-under-lines=nan m.cotree
refuses 64 "--color is" "$cotree" report --color=blue m.cotree
refuses 64 "a pattern is missing" "$cotree" report --function= m.cotree
refuses 64 "is not OLD=NEW" "$cotree" report --source-map=x m.cotree
refuses 64 "no program and no data" "$cotree" report
refuses 64 "no data for" "$cotree" report "$cotree"
refuses 64 "unknown option '--?[31m'" "$cotree" report $'--\033[31m' m.cotree
refuses 1 "nothing matches 'no_such_function'" "$cotree" report --function=no_such_function m.cotree
refuses 1 "nothing matches" "$cotree" report --file=other.c m.cotree

refuses 64 "unknown option" "$cotree" graph --nonsense m.cotree
refuses 64 "no program given" "$cotree" graph
refuses 64 "--format is" "$cotree" graph --format=png m.cotree
refuses 64 "no such placement" "$cotree" graph --placement=best m.cotree
refuses 64 "needs --function" "$cotree" graph --format=dot m.cotree
refuses 64 "functions match '*'" "$cotree" graph --format=dot m.cotree '--function=*'
refuses 1 "nothing matches 'nobody'" "$cotree" graph m.cotree --function=nobody

# Abbreviated, between words, and words after --.
status 0 "$cotree" report --no-sou --no-p m.cotree -- m.cotree
status 0 "$cotree" report --no-source --help --nonsense
status 0 "$cotree" report --help
grep -q '^usage: cotree report' out
status 0 "$cotree" graph --help
grep -q '^usage: cotree graph' out
for command in report graph; do
    for option in $("$cotree" $command --help | grep -oE '^  --[a-z-]+'); do
        grep -qF -- "$option" "$COTREE_TOP/docs/cotree-$command.1.scd" || die "$option is not in the manual"
    done
done
