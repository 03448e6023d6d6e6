# What trace_paths.awk asks of a profile.
.functions[] | select(.paths) | . as $f | .linkage_name as $name |
    (.paths_cut_at | map({key: tostring, value: true}) | from_entries) as $cut |
"function \($name) \(.exact) \(.blocks | length)",
(.edges[] | select(.from != null and .to != null) |
    "edge \($name) \(.from) \(.to) \($cut[.id | tostring] // false)"),
(.paths[] | "path \($name) \(.finished) \(.count) \(.blocks | map(tostring) | join(","))"),
(.paths_unknown[] | "unknown \($name) \(.block) \(.count)")
