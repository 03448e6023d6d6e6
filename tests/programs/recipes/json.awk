# A document of -v items=N items: objects, arrays, numbers of several kinds, strings with escapes.
function random(n) { seed = (seed * 16807) % 2147483647; return int(seed / 7) % n }
BEGIN {
    seed = 815
    print "{ \"made\": true, \"nothing\": null, \"items\": ["
    for (i = 0; i < items; i++) {
        printf "  { \"id\": %d, \"name\": \"thing \\\"%d\\\" \\u00e9\\n\", \"price\": %d.%02d, \"small\": %d.5e-%d, \"tags\": [", i, random(99), random(500), random(100), random(9), random(12)
        for (j = random(6); j > 0; j--) printf "%d, [%s, {\"deep\": -%d}], ", random(50), random(2) ? "true" : "false", j
        print "\"end\"] }" (i < items - 1 ? "," : "")
    }
    print "] }"
}
