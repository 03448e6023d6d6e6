# A report's JSON -> lines of words for judge.awk:
#   exact BOOLEAN MODE REASONS
#   function NAME EXACT MAX_ERROR       (MAX_ERROR: - if not known)
#   entries NAME COUNT
#   block NAME ID COUNT
#   edge NAME ID FROM TO KIND COUNT
#   line FILE:LINE COUNT EXACT          (FILE without directories)
#   within FILE:LINE NAME               a line of a block of the function
# Only functions and lines in the sources of the programs. $own: their directory.
def base: sub(".*/"; "");
def name: if .linkage_name == "program_main" then "main" else .linkage_name end;
"exact \(.exact) \(.mode) \(.why_not_exact | tostring)",
(.functions[] | select(.file // "" | startswith($own) and (endswith("/thin-main.c") | not)) | name as $f |
    "function \($f) \(.exact) \(.max_error // "-")",
    "entries \($f) \(.entries)",
    (.blocks[] | "block \($f) \(.id) \(.count)",
        (.lines[] | "within \(.file | base):\(.line) \($f)")),
    (.edges[] | "edge \($f) \(.id) \(.from // "-") \(.to // "-") \(.kind) \(.count)")),
(.files[] | select(.file | startswith($own) and (endswith("/thin-main.c") | not)) | (.file | base) as $f |
    .lines[] | "line \($f):\(.line) \(.count) \(.exact)")
