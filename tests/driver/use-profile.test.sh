#!/usr/bin/env bash
# -fcotree-use=FILE weighs by an earlier profile: counters move off the hot path, counts stay the
# same, what does not match is said, and a file that is no profile is refused with one line.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
# Each decision is there both ways round: no guess is right about all.
cat >odd.c <<'END'
__attribute__((noinline)) static int step(int n)
{
    int s;
    if (n & 1023)
        s = n * 3;
    else
        s = n + 5;
    if (n & 4096)
        s ^= n * 7;
    else
        s ^= n + 9;
    if ((n & 1023) == 0)
        s -= n * 3;
    else
        s -= n + 5;
    if ((n & 4096) == 0)
        s ^= n * 5;
    else
        s ^= n + 1;
    return s;
}
int main(void)
{
    unsigned s = 0;
    for (int i = 0; i < 4000; i++)
        s += (unsigned)step(i);
    return s == 0;
}
END
increments() { # PROGRAM: how often its counters in step were raised
    cotree graph "$1" "$1".*.cotree --function=step | grep -E '\[[0-9]+\]' |
        awk '{ gsub(",", "", $1); n += $1 } END { print n + 0 }'
}
edges() { # PROGRAM: the counts of all edges
    rm -f ./*.cotree
    "./$1" >/dev/null
    cotree report --format=json "$1" "$1".*.cotree -o "$1.json"
    jq -c '.functions | sort_by(.name)[] | [.name, ([.edges[] | [.id, .count]] | sort)]' "$1.json"
}
cotree cc -O1 odd.c -o guessed
edges guessed >guessed.edges
cotree merge guessed guessed.*.cotree -o odd.merged
cotree cc -O1 -fcotree-use=odd.merged odd.c -o weighed 2>messages
[ ! -s messages ] || { cat messages; die "messages about a profile that matches"; }
edges weighed >weighed.edges
cmp guessed.edges weighed.edges
cp guessed guessed_again && ./guessed_again >/dev/null
before=$(increments guessed_again) after=$(increments weighed)
[ "$after" -lt 4100 ] && [ "$before" -gt 7000 ] ||
    die "counters were raised $before times, with the profile $after times"

# A function that was changed since does not match; the rest does, and it compiles.
sed 's/n & 4096/n == 3 || n == 5/' odd.c >odd2.c && mv odd2.c odd.c
cotree cc -O1 -fcotree-use=odd.merged -fcotree-verbose odd.c -o changed 2>messages
grep -q step messages || { cat messages; die "the function that does not match is not named"; }
edges changed >/dev/null

# Not a profile.
echo nonsense >nonsense
for file in nonsense guessed /dev/null; do
    status=0; cotree cc -fcotree-use=$file -c odd.c >out 2>&1 || status=$?
    [ $status -ne 0 ] || die "$file was taken for a profile"
    has "$(cat out)" "$file"
done
