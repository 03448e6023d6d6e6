# What implied.awk asks of a profile that has paths.
.functions[] | select(.paths) |
"function \(.linkage_name) \(.exact and .resumed == 0 and .paths_unknown == []) \(.entries)",
(.edges[] | "edge \(.from // "-") \(.to // "-") \(.count) \(.virtual // false)"),
(.paths[] | "path \(.finished) \(.count) \(.from_entry) \(.next // "-") \(.blocks | map(tostring) | join(" "))")
