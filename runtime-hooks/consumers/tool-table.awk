# SPDX-License-Identifier: MIT
# Prints the event list of a tool interface (collector/events.def, ompt-2/events.def) as the
# rows of the table in its document.
# Usage: awk -f tool-table.awk events.def
/^[A-Z_0-9]*EVENT\(/ { row = "" ; open = 1 }
open {
    line = $0
    sub(/^[ \t]+/, "", line)
    row = row (row == "" ? "" : " ") line
    if (line !~ /\)$/)
        next
    open = 0
    sub(/^[A-Z_0-9]*EVENT\(/, "", row)
    sub(/\)$/, "", row)
    remark = row
    sub(/^[^"]*"/, "", remark)
    gsub(/" "|"$/, "", remark)
    sub(/, *".*/, "", row)
    gsub(/NEEDS\(|\)/, "", row)
    gsub(/ \| /, " + ", row)
    gsub(/NOTHING/, "-", row)
    gsub(/, /, " | ", row)
    print "| " row " | " remark " |"
}
