# SPDX-License-Identifier: MIT
# The event lists of the tools' interfaces and the tables in their documents say the same, and
# the tables leave out nothing of the header.
. "$top_srcdir/testsuite/common/tap.sh"
for interface in collector ompt-2; do
    folder=$top_srcdir/runtime-hooks/consumers/$interface
    awk -f "$top_srcdir/runtime-hooks/consumers/tool-table.awk" "$folder/events.def" >tables
    if [ -s tables ] && problem=$(grep '^| [A-Za-z_]* | [0-9]' "$folder"/*.md | diff tables -); then
        result ok "$interface: the table is the list"
    else
        report "$interface: the table is the list" "$problem."
    fi
    names=$(sed -n 's/^ *\(OMP_EVENT_THR_\|OMP_EVENT_\|ompt_event_\)\([A-Za-z_]*\) = \([0-9]*\),*.*/\2 \3/p' "$folder"/*.h |
        grep -v RESERVED | sort)
    if [ -n "$names" ] && [ "$names" = "$(sed 's/^| \(THR_\)*\([A-Za-z_]*\) | \([0-9]*\) .*/\2 \3/' tables | sort)" ]; then
        result ok "$interface: it has all events of the header"
    else
        result "not ok" "$interface: it has all events of the header"
    fi
done
finish
