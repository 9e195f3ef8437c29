#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-packages.sh SUITE...
#
# Makes the Debian packages in roots of Debian suites (roots.sh) and tries them in others that have
# nothing but what apt installs with them: packages-tried.sh. The roots that packages are made in
# stay in $cache/packages, with the output of each step beside them.
set -uo pipefail
: "${top_srcdir:?}" "${cache:?}"
. "$top_srcdir/testsuite/platforms/roots.sh"
status=0
summary=()

# Bare roots are made once and copied: SUITE.
try() {
    local bare=$cache/packages/$1.bare makes=$cache/packages/$1.makes root=$cache/packages/$1
    make_root "$1" "$bare" "$log" || { echo "no root: $(tail -n 1 "$log")"; return 1; }
    [ -d "$makes" ] || cp -a "$bare" "$makes"
    copy_sources "$makes"
    in_root "$makes" /src/bootstrap deb >"$log" 2>&1 ||
        { echo "no packages: $(tail -n 1 "$log")"; return 1; }
    rm -rf "$root"
    cp -a "$bare" "$root"
    cp -a "$makes/build/deb" "$root/debs"
    mkdir "$root/src"
    cp "$top_srcdir"/testsuite/platforms/{packages-tried,tried}.sh \
        "$top_srcdir"/examples/transfer.c "$root/src"
    in_root "$root" bash /src/packages-tried.sh >>"$log" 2>&1
    local result=$?
    grep -E '^(not )?ok ' "$log" | sed "s/^/$1: /" >&2
    rm -rf "$root"
    tail -n 1 "$log"
    return $result
}

mkdir -p "$cache/packages"
for suite in "$@"; do
    log=$cache/packages/$suite.log
    why=$(why_no_root)
    if [ -n "$why" ]; then
        summary+=("$(printf '%-9s skipped: %s' "$suite" "$why")")
        continue
    fi
    said=$(try "$suite") || status=1
    summary+=("$(printf '%-9s %s (%s)' "$suite" "$said" "$log")")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
