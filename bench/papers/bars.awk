# A bar chart as SVG: one group of bars a row. Input, tab separated: a line of series names (its first
# field is empty), then label and values;
# "-" leaves a bar out.  awk -v title=TEXT -v axis=TEXT [-v base=N: where bars begin] -f bars.awk
BEGIN { FS = "\t"; split("#4878a8 #d98032 #5b9a5b #b65656 #8268a8 #8a6d5b", colour, " ") }
NR == 1 { series = NF - 1; for (i = 1; i <= series; i++) name[i] = escaped($(i + 1)); next }
{
    label[++rows] = escaped($1)
    for (i = 1; i <= series; i++) {
        value[rows, i] = $(i + 1)
        if ($(i + 1) == "-") continue
        if (!values++) most = least = $(i + 1) + 0
        if ($(i + 1) + 0 > most) most = $(i + 1) + 0
        if ($(i + 1) + 0 < least) least = $(i + 1) + 0
    }
}
function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
# The smallest of 1, 2, 5 times a power of ten that divides the range into at most eight.
function step_of(range,    power, i, nice) {
    power = exp(int(log(range / 8) / log(10) - 1) * log(10))
    while (1) {
        for (i = 1; i <= 3; i++) {
            nice = power * (i == 1 ? 1 : i == 2 ? 2 : 5)
            if (nice * 8 >= range * 0.999999) return nice
        }
        power *= 10
    }
}
function x_of(v) { return left + (v - low) * scale }
function round_down(v, step,    n) { n = int(v / step); if (n * step > v) n--; return n * step }
END {
    left = 96; right = 24; width = 760; thick = 8; gap = 9; top = 62
    if (base == "") base = 0
    if (least > base) least = base
    if (most < base) most = base
    step = step_of(most - least)
    low = round_down(least, step); high = round_down(most, step); if (high < most) high += step
    scale = (width - left - right) / (high - low)
    group = series * thick + gap
    bottom = top + rows * group
    height = bottom + 44
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222222\">\n", width, height, width, height
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height
    printf "<text x=\"%d\" y=\"18\" font-size=\"13\">%s</text>\n", left, escaped(title)
    at = left
    for (i = 1; i <= series; i++) {
        printf "<rect x=\"%d\" y=\"30\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"39\">%s</text>\n", at, colour[i], at + 14, name[i]
        at += 30 + 6.2 * length(name[i])
    }
    for (v = low; v <= high + step / 1000; v += step)
        printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#dddddd\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", x_of(v), top - 4, x_of(v), bottom, x_of(v), bottom + 15, (v < step / 1000 && v > -step / 1000) ? 0 : v
    for (r = 1; r <= rows; r++) {
        y = top + (r - 1) * group
        printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 8,
            y + series * thick / 2 + 4, label[r]
        for (i = 1; i <= series; i++) {
            if (value[r, i] == "-") continue
            from = x_of(base); to = x_of(value[r, i])
            if (to < from) { swap = from; from = to; to = swap }
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", from,
                y + (i - 1) * thick, to - from, thick - 1, colour[i]
        }
    }
    printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#222222\"/>\n", x_of(base), top - 4,
        x_of(base), bottom
    printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n</svg>\n", (left + width - right) / 2,
        bottom + 34, escaped(axis)
}
