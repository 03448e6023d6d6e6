# Points as SVG: rows are functions, in the order of the input, and the values of `columns` are their
# points (0 to 200 per cent). Neighbours share a point, their mean, so that there are at most 300 of a
# kind.   awk -F '\t' -v columns="6 7" -v title=TEXT -f points.awk
BEGIN {
    series = split(columns, column, " ")
    split("#4878a8 #5b9a5b #d98032 #b65656", colour, " ")
    width = 760
    height = 300
    left = 48
    top = 40
}
{ rows++; ratio[rows] = $5; for (i = 1; i <= series; i++) value[rows, i] = $(column[i]) }
END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", width + left + 16, height + top + 40
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/><text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n", left, title
    for (v = 0; v <= 200; v += 50) {
        y = top + height - v * height / 200
        printf "<line x1=\"%d\" y1=\"%g\" x2=\"%d\" y2=\"%g\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%g\" text-anchor=\"end\">%d%%</text>\n", left, y, left + width, y, left - 6, y + 4, v
    }
    for (r = 1; r <= rows && ratio[r] < 0.999; r++) ;
    x = left + r * width / (rows + 1)
    printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#999\" stroke-dasharray=\"4\"/>\n", x,
        top, x, top + height
    share = int((rows + 299) / 300); if (share < 1) share = 1
    for (r = 1; r <= rows; r += share)
        for (i = 1; i <= series; i++) {
            sum = n = 0
            for (k = r; k < r + share && k <= rows; k++) if (value[k, i] != "-") { sum += value[k, i]; n++ }
            if (n)
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>\n",
                    left + (r + share / 2) * width / (rows + 1),
                    top + height - (sum / n > 200 ? 200 : sum / n) * height / 200, colour[i]
        }
    printf "<text x=\"%d\" y=\"%d\">%d functions by paths / 2^probes, a point is the mean of %d; right of the dashes: 1, chains of branches</text>\n</svg>\n", left, top + height + 24, rows, share
}
