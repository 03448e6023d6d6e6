# A report's JSON -> words for judge.awk, of the one source file, named $source, that has S lines:
#   profile EXACT REASON...
#   function INDEX LINE ENTRIES EXACT MAX_ERROR LEAST    LINE where it is defined; MAX_ERROR: - if not known
#   within LINE INDEX                                    a line of a block of the function
#   line LINE COUNT EXACT LEAST                          COUNT: - if not known
def here: (. // "") | endswith("/" + $source);
"profile \(.exact) \(.why_not_exact | join("; "))",
(.functions | to_entries[] | select(.value.file | here) | .key as $i | .value |
    "function \($i) \(.line) \(.entries // "-") \(.exact) \(.max_error // "-") \(.entries_at_least // 0)",
    ([.blocks[].lines[] | select(.file | here) | .line] | unique[] | "within \(. ) \($i)")),
(.files[] | select(.file | here) | .lines[] | "line \(.line) \(.count // "-") \(.exact) \(.at_least // 0)")
