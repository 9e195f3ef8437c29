# SPDX-License-Identifier: MIT
#
# Bare roots of suites of Debian and Ubuntu, for what is done as on a whole system: sourced with $top_srcdir set.

mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's/^Debian //p' | head -n 1)

# Prints why there can be no root; nothing if there can.
why_no_root() {
    { [ "$(id -u)" -eq 0 ] || echo "root makes its root"
    command -v debootstrap >/dev/null || echo "debootstrap is not installed"
    [ -n "$mirror" ] || echo "apt has no mirror of Debian here"; } | head -n 1
}

# Makes the root unless it is there: SUITE ROOT LOG. Whether a mirror's lists may be old is as here.
make_root() {
    [ ! -e "$2.complete" ] || return 0
    rm -rf "$2"
    mkdir -p "$2"
    local from=$mirror keys=()
    case $1 in
    xenial | bionic | focal | jammy | noble)
        # Ubuntu's keys come from a package that Debian has signed.
        "$top_srcdir/testsuite/platforms/fetch.sh" trixie amd64 "$2.keys" ubuntu-keyring >"$3" 2>&1 || return 1
        from=http://archive.ubuntu.com/ubuntu
        keys=(--keyring="$2.keys/root/usr/share/keyrings/ubuntu-archive-keyring.gpg")
        ;;
    esac
    debootstrap --variant=minbase "${keys[@]}" "$1" "$2" "$from" >"$3" 2>&1 &&
        { apt-config dump | grep '^Acquire::Check-Valid-Until' || true; } \
            >"$2/etc/apt/apt.conf.d/valid-until" && : >"$2.complete"
}

# This tree as it is, without what was built, as /src of the root: ROOT.
copy_sources() {
    rm -rf "$1/src"
    mkdir "$1/src"
    if git -C "$top_srcdir" rev-parse 2>/dev/null; then
        git -C "$top_srcdir" ls-files -z --cached --others --exclude-standard
    else
        (cd "$top_srcdir" && find . -type f -not -path './build*' -print0)
    fi | tar -C "$top_srcdir" -c --null --ignore-failed-read --files-from=- 2>/dev/null |
        tar -C "$1/src" -x
}

# Runs a command in a root, with mounts and processes that end with it: ROOT COMMAND...
in_root() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1
        shift
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            mount --rbind /sys "$root/sys" && exec chroot "$root" env -i \
            PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 BUILDDIR=/build "$@"' - "$@"
}
