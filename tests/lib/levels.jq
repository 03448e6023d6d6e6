# What contradicts itself in a profile's JSON: exact at a level implies exact below it; bounds and
# reasons are where they belong. One text for each.
def wrong(condition; text): if condition then [text] else [] end;
. as $p
| ([.functions[] | select(.entries != null and (.exact | not)) | .blocks[] | select(.count != null) |
    .lines[] | "\(.file):\(.line)"] | map({(.): true}) | add // {}) as $doubted
| wrong(.exact != (.why_not_exact == []); "exact: \(.exact), with \(.why_not_exact | length) reasons")
+ wrong(.exact and .inexact_file_count > 0; "exact, of files that are not")
+ [.functions[] | . as $f
    | (wrong($p.exact and (.exact | not); "the profile is exact, and this is not")
      + wrong(.exact and .entries == null; "exact, without counts")
      + wrong(.exact and .max_error != 0; "exact, but for \(.max_error)")
      + wrong((.exact | not) and .max_error == 0; "not exact, by 0")
      + wrong((.exact | not) and .why == null; "not exact, and nobody says why")
      + wrong(.exact and .why != null; "exact, but: \(.why)")
      + wrong(.exact and ([.blocks[], (.edges // [])[] | has("at_least") or has("may_have_run")] |
          any); "exact, at least")
      + wrong([.blocks[] | select(.at_least != null and .count != null) | .at_least > .count] |
          any; "a block ran less often than at least")
      + wrong(.entries_at_least != null and .entries != null and
          .entries_at_least > .entries; "entered less often than at least")
      + wrong(.exact and ([.entries, .blocks[].count] |
          any(. != null and . < 0)); "exact, with a count below 0")
      )[] | "\($f.name): \(.)"]
+ [.files[] | .file as $file | .lines[] | "\($file):\(.line)" as $at
    | (wrong($p.exact and (.exact | not); "the profile is exact, and this line is not")
      + wrong(.exact and $doubted[$at]; "exact, though a function that is not has it")
      + wrong(.exact and (has("at_least") or has("may_have_run")); "exact, at least")
      + wrong(.at_least != null and .count != null and .at_least > .count; "ran less often than at least")
      )[] | "\($at): \(.)"]
| .[]
