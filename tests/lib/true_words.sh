# true_words DIRECTORY: what DIRECTORY/truth.STEP say (tests/trace/programs/truth.h), as lines "truth
# STEP LINE COUNT".
true_words() {
    wc -c "$1"/truth.* | awk '$2 ~ /truth/ { sub(/.*truth\./, "", $2); print $2, $1 / 8 }' >"$1/lengths"
    cat "$1"/truth.* | od -An -v -td8 -w8 | awk '
        NR == FNR { step[NR] = $1; length_of[NR] = $2; next }
        FNR == 1 { at = 1 }
        line == length_of[at] { at++; line = 0 }
        $1 { print "truth " step[at] " " line " " $1 }
        { line++ }' "$1/lengths" -
}
