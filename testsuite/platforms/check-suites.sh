#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-suites.sh SUITE...
#
# Runs `./bootstrap check` in bare roots of Debian suites, which debootstrap makes from the mirror
# that apt uses here. The sources are those of this tree as it is, without what was built. What
# bootstrap installs and builds stays in $cache/suites/SUITE; delete that for a bare root. With
# CHECK_TESTS only these tests are run.
set -uo pipefail
: "${top_srcdir:?}" "${cache:?}"
status=0
summary=()

. "$top_srcdir/testsuite/platforms/roots.sh"

for suite in "$@"; do
    root=$cache/suites/$suite
    log=$cache/suites/$suite.log
    why=$(why_no_root)
    if [ -n "$why" ]; then
        summary+=("$(printf '%-9s skipped: %s' "$suite" "$why")")
        continue
    fi
    if ! make_root "$suite" "$root" "$log"; then
        summary+=("$(printf '%-9s skipped: no root: %s' "$suite" "$(tail -n 1 "$log")")")
        continue
    fi
    copy_sources "$root"
    in_root "$root" /src/bootstrap check ${CHECK_TESTS:+TESTS="$CHECK_TESTS"} >"$log" 2>&1 || status=1
    sed -n "s/^\(FAIL\|XPASS\|ERROR\): .* - /$suite: &/p" "$log" | sort -u
    summary+=("$(printf '%-9s %s (%s)' "$suite" "$(tail -n 1 "$log")" "$log")")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
