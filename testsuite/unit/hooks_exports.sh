# SPDX-License-Identifier: MIT
# Each wrapper carries the name and the version of a function of libgomp, and each
# function that functions.def says is hooked is exported. A wrapper under another version
# name would be passed over by the dynamic linker without a word.
. "$top_srcdir/testsuite/common/tap.sh"
libgomp=$($CC -print-file-name=libgomp.so.1)
[ -r "$libgomp" ] || libgomp=$($CC -print-file-name=libgomp.so)

exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort
}

ours=$(exported "$hooks" | grep -v '@OMPD_HOOKS_\|@GLIBC_\|@VERSION$')
theirs=$(exported "$libgomp")
# A version that it does not have at all is one of a later libgomp.
versions=$(nm -D --defined-only "$libgomp" | sed -n 's/.* A \(.*\)/@\1$/p')
strange=$(printf '%s\n' "$ours" | grep -vxF -e "$theirs" | grep -e "$versions")
if [ -n "$ours" ] && [ -z "$strange" ]; then
    result ok "every wrapper stands in for a function of libgomp"
else
    report "every wrapper stands in for a function of libgomp" "not in libgomp: $strange"
fi

hooked=$(sed -n 's/^HOOKED([A-Z]*, [^,]*, \([A-Za-z_0-9]*\),.*/\1/p
    s/^HOOKED_AS([^,]*, [^,]*, \([a-z_]*\), "\([A-Z_0-9.]*\)".*/\1@\2/p' \
    "$top_srcdir/runtime-hooks/functions.def" | sort)
names=$(printf '%s\n' "$ours" | sed 's/@@.*//' | sort)
if [ -n "$hooked" ] && [ "$hooked" = "$names" ]; then
    result ok "functions.def and the exports agree"
else
    printf '%s\n' "$hooked" >hooked
    report "functions.def and the exports agree" "$(printf '%s\n' "$names" | diff hooked -)."
fi

# Six functions of the C library, under a version that the library of this machine has.
libc=$($CC -print-file-name=libc.so.6)
strange=$(exported "$hooks" | grep '@GLIBC_' | tr -s @ | grep -vxF -e "$(exported "$libc" | tr -s @)")
if [ "$(exported "$hooks" | grep '@GLIBC_' | sed 's/@.*//' | sort -u | tr '\n' ' ')" = \
    "__libc_start_main __register_atfork dlclose prctl sigaction signal " ] && [ -z "$strange" ]; then
    result ok "of the C library, six functions alone"
else
    report "of the C library, six functions alone" \
        "not in the C library: $strange"
fi

same "of LLVM's runtime, what it looks for tools by alone" \
    "$(exported "$hooks" | grep '@VERSION$' | tr -s @)" "ompt_start_tool@VERSION"

report "the hooks do not bring libgomp into a program" \
    "$(objdump -p "$hooks" | grep 'NEEDED.*gomp')"

breakpoints() {
    grep -oh 'ompd_bp_[a-z_]*(void)' "$@" | sed 's/(void)//' | sort -u
}
same "the breakpoint functions are those of both headers" \
    "$(nm -D --defined-only "$hooks" | awk '$3 ~ /^ompd_bp_/ { sub(/@.*/, "", $3); print $3 }' | sort)" \
    "$(breakpoints "$stage/include/ompd/omp-tools-ompd.h")"
same "and no others" "$(breakpoints "$stage/include/omp-ompd.h")" \
    "$(breakpoints "$stage/include/ompd/omp-tools-ompd.h")"
same "each breakpoint function has an address of its own" \
    "$(nm -D --defined-only "$hooks" | awk '$3 ~ /^ompd_bp_/ { print $1 }' | sort | uniq -d)" ""
finish
