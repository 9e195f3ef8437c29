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

mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's/^Debian //p' | head -n 1)

copy_sources() {
    rm -rf "$root/src"
    mkdir "$root/src"
    if git -C "$top_srcdir" rev-parse 2>/dev/null; then
        git -C "$top_srcdir" ls-files -z --cached --others --exclude-standard
    else
        (cd "$top_srcdir" && find . -type f -not -path './build*' -print0)
    fi | tar -C "$top_srcdir" -c --null --ignore-failed-read --files-from=- 2>/dev/null |
        tar -C "$root/src" -x
}

# Runs a command in the root, with mounts and processes that end with it.
in_root() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            mount --rbind /sys "$1/sys" && exec chroot "$@"' - "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 BUILDDIR=/build "$@"
}

for suite in "$@"; do
    root=$cache/suites/$suite
    log=$cache/suites/$suite.log
    if why=$([ "$(id -u)" -eq 0 ] || echo "root makes its root"
        command -v debootstrap >/dev/null || echo "debootstrap is not installed"
        [ -n "$mirror" ] || echo "apt has no mirror of Debian here") && [ -n "$why" ]
    then
        summary+=("$(printf '%-9s skipped: %s' "$suite" "${why%%$'\n'*}")")
        continue
    fi
    if [ ! -e "$root.complete" ]; then
        rm -rf "$root"
        mkdir -p "$root"
        if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$log" 2>&1; then
            summary+=("$(printf '%-9s skipped: no root: %s' "$suite" "$(tail -n 1 "$log")")")
            continue
        fi
        : >"$root.complete"
    fi
    copy_sources
    in_root /src/bootstrap check ${CHECK_TESTS:+TESTS="$CHECK_TESTS"} >"$log" 2>&1 || status=1
    sed -n "s/^\(FAIL\|XPASS\|ERROR\): .* - /$suite: &/p" "$log" | sort -u
    summary+=("$(printf '%-9s %s (%s)' "$suite" "$(tail -n 1 "$log")" "$log")")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
