# SPDX-License-Identifier: MIT
# ompd-run finds the hooks in the layouts that distributions use, and in a tree that was moved.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
number=0
failed=0
result() {
    number=$((number + 1))
    case $1 in not*) failed=1 ;; esac
    echo "$1 $number - $2"
}

# What a script made for one libdir preloads when the hooks are in another, or nowhere.
run() { # TREE LIBDIR
    mkdir -p "$1/bin"
    sed "s|@LIBDIR@|$2|" "$top_srcdir/bin/ompd-run.in" >"$1/bin/ompd-run"
    chmod +x "$1/bin/ompd-run"
    "$1/bin/ompd-run" printenv LD_PRELOAD 2>&1
}
check() { # NAME TREE LIBDIR WANTED
    local found
    found=$(run "$2" "$3")
    if [ "$found" = "$4" ]; then
        result ok "$1"
    else
        result "not ok" "$1"
        echo "# found $found"
    fi
}
install() {
    mkdir -p "$1"
    cp "$stage/lib/libompd-hooks.so" "$1"
    readlink -f "$1/libompd-hooks.so"
}

usual=$(install "$scratch/usual/lib")
check "lib beside bin" "$scratch/usual" ../lib "$usual"
check "lib beside bin, though configured otherwise" "$scratch/usual" ../lib/multiarch "$usual"
check "a multiarch libdir" "$scratch/multi" ../lib/multiarch \
    "$(install "$scratch/multi/lib/multiarch")"
mv "$scratch/multi" "$scratch/moved"
check "the same, moved" "$scratch/moved" ../lib/multiarch \
    "$(readlink -f "$scratch/moved/lib/multiarch/libompd-hooks.so")"
case $(run "$scratch/none" ../lib64) in
*"lib64/libompd-hooks.so is missing"*) result ok "no hooks: it says which file is missing" ;;
*) result "not ok" "no hooks: it says which file is missing" ;;
esac
echo "1..$number"
exit $failed
