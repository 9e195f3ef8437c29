#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the built libraries export, import and need: exactly the names of their .abilist,
# of the C library nothing but copying and comparing memory, and no other library. Each of the names
# is a row of the table from which tests call them all.
top=${top_srcdir:?}
. "$top_srcdir/testsuite/common/tap.sh"

check_library() { # LIBRARY ABI
    lib=$stage/lib/$1.so
    folder=$top/libompd/$2
    report "$1: rows of ompd-routines.def" "$(
        printf '#define %s(name, ...) ompd_##name\n' "ROUTINE_${2#abi-}" "LISTED_${2#abi-}" |
            cat - "$top/testsuite/common/ompd-routines.def" | ${CC:-cc} -E -P -x c - |
            tr -s ' ' '\n' | grep . | sort | diff "$folder/$1.abilist" - 2>&1)"
    if [ ! -f "$lib" ]; then
        for what in exports imports needed; do
            report "$1: $what" "$lib does not exist"
        done
        return
    fi
    report "$1: exports" "$(nm -D --defined-only "$lib" | awk '{print $NF}' | sort |
        diff "$folder/$1.abilist" - 2>&1)"
    imports=$(nm -D --undefined-only "$lib" | awk '{print $NF}' | sed 's/@.*//')
    if printf '%s\n' "$imports" | grep -qE '^__(asan|ubsan)'; then
        skip "$1: imports" "the sanitizers bring their own"
        skip "$1: needed" "the sanitizers bring their own"
        return
    fi
    report "$1: imports" "$(printf '%s\n' "$imports" | grep -vxE \
        'mem(cpy|set|cmp|move|chr)|str(len|cmp|ncmp)|__stack_chk_fail|__cxa_finalize|__gmon_start__|_ITM_(de)?registerTMCloneTable|__mem(cpy|set|move)_chk')"
    report "$1: needed" "$(readelf -dW "$lib" |
        sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vx 'libc\.so\.6')"
}

check_library libompd-2 abi-2
check_library libompd abi-5
finish
