# A document of -v items=N items, with attributes, entities, comments and text.
function random(n) { seed = (seed * 16807) % 2147483647; return int(seed / 7) % n }
BEGIN {
    seed = 4711
    print "<?xml version=\"1.0\"?>\n<!-- made by a script --><shop currency='EUR'>"
    for (i = 0; i < items; i++) {
        printf "  <item id=\"%d\" kind=\"k%d\"><name>thing &amp; part %d &lt;%c&gt;</name><price>%d.%02d</price>\n", i, random(9), i, 97 + random(26), random(500), random(100)
        for (j = random(4); j > 0; j--) printf "    <tag weight='%d'><![CDATA[some <text> %d]]></tag><!-- %d -->\n", random(50), j, j
        print "    some text between, with &quot;quotes&quot; and &#65;&#x42;\n  </item>"
    }
    print "</shop>"
}
