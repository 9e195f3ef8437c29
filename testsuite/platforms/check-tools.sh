#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-tools.sh
#
# Performance tools of others, as this system's release has them in packages that apt fetches: a
# tool library of OMPT with a program of $CC on libgomp, by the command that OMPT.md gives, and
# one of $CLANG on libomp, where the hooks are one tool and it is another. What the tool writes
# must be complete, and with $CLANG what it writes without the hooks. A package without a tool
# library is skipped; what it has instead must go with the hooks. The output is also in
# tools/log.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${stage:?}" "${cache:?}" "${CC:?}"
CLANG=${CLANG:-clang}
tools=$cache/tools
mkdir -p "$tools"
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
number=0 failed=0
unset LD_PRELOAD
wanted="$((4950 + 8)) 20"

result() { # ok|"not ok" NAME
    number=$((number + 1))
    case $1 in not*) failed=1 ;; esac
    echo "$1 $number - $2"
}

report() { # NAME COMPLAINTS
    if [ -z "$2" ]; then
        result ok "$1"
    else
        result "not ok" "$1"
        printf '%s\n' "$2" | head -n 40 | sed 's/^/#   /'
    fi
}

fetch() { # NAME PACKAGE...
    "$here/fetch.sh" "$release" "$(dpkg --print-architecture)" "$tools/$1" "${@:2}" \
        2>"$tools/why"
}

# The packages that a package needs and whose names change from release to release.
needed() { # PACKAGE PATTERN
    apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: //p' | grep -E "^($2)"
}

compile() { # COMPILER NAME
    "$1" -g -O1 -fopenmp "$here/traced.c" -o "$tools/$2" 2>"$tools/why"
}

# What EZTrace's library wrote of a run in an empty directory, counted by event; first what is
# wrong with the run.
trace() { # LIBRARIES PROGRAM COMMAND...
    local libraries=$1 program=$2 where said
    where=$(mktemp -d "$tools/run.XXXXXX")
    said=$(cd "$where" && EZTRACE_TRACE=ompt LD_LIBRARY_PATH=$libraries \
        OMP_TOOL_LIBRARIES=$(find "$tools/eztrace/root" -name libeztrace-ompt.so) \
        timeout -k 5 60 "${@:3}" "$program" 2>&1) || echo "status $?"
    [ "$said" = "$wanted" ] || echo "it printed: $said"
    LD_LIBRARY_PATH=$libraries "$(find "$tools/eztrace/root" -name otf2-print)" \
        "$where/${program##*/}_trace/eztrace_log.otf2" 2>/dev/null |
        awk '/^(ENTER|LEAVE)/ { key = $1; sub(/.*Region: "/, ""); sub(/".*/, ""); n[key " " $0]++ }
             /^THREAD_/ { n[$1]++ }
             END { for (key in n) if (key !~ /EZTrace/) print n[key], key }' | sort -k 2
    rm -rf "$where"
}

# The lines that a complete trace of traced.c has, whatever the runtime.
facts='4 THREAD_BEGIN
4 THREAD_END
1 ENTER OpenMP parallel
1 LEAVE OpenMP parallel
4 ENTER OpenMP loop
4 LEAVE OpenMP loop
20 THREAD_TASK_CREATE
8 THREAD_ACQUIRE_LOCK
8 THREAD_RELEASE_LOCK'

missing() { # TRACE
    printf '%s\n' "$facts" | grep -vxF -e "$1" | sed 's/^/missing: /'
}

unbalanced() { # TRACE
    printf '%s\n' "$1" | awk '
        $2 == "ENTER" || $2 == "LEAVE" { side = $2; n = $1; sub(/^[0-9]+ [A-Z]+ /, "")
            balance[$0] += side == "ENTER" ? n : -n }
        END { for (name in balance) if (balance[name]) print "unbalanced: " name }'
}

eztrace() {
    local name='eztrace (tracer)' libraries traced bare
    if ! fetch eztrace libeztrace0 otf2-tools $(needed libeztrace0 'libopen-trace|libotf2|libomp5|libatomic'); then
        result ok "$name # SKIP $(tail -n 1 "$tools/why")"
        return
    fi
    libraries=$(find "$tools/eztrace/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    traced=$(trace "$libraries" "$tools/traced-gcc" "$stage/bin/ompd-run")
    report "$name: a program of gcc on libgomp, a complete trace" \
        "$(missing "$traced"; unbalanced "$traced")"
    if ! compile "$CLANG" traced-clang; then
        result ok "$name: clang # SKIP $(tail -n 1 "$tools/why")"
        return
    fi
    bare=$(trace "$libraries" "$tools/traced-clang" env)
    traced=$(trace "$libraries" "$tools/traced-clang" "$stage/bin/ompd-run")
    report "$name: a program of clang on libomp, the trace that it has without the hooks" \
        "$(missing "$traced"; diff <(echo "$bare") <(echo "$traced"))"
}

# likwid-pin places threads by a library that is preloaded.
likwid() {
    local name='likwid (pinning)' library bare
    if ! fetch likwid likwid; then
        result ok "$name # SKIP $(tail -n 1 "$tools/why")"
        return
    fi
    library=$(find "$tools/likwid/root" -name liblikwidpin.so)
    pinned() { # COMMAND...
        LIKWID_PIN=0 LD_PRELOAD=$library timeout -k 5 60 "$@" "$tools/traced-gcc" 2>&1 |
            sed 's/threadid [0-9]*/threadid/'
    }
    bare=$(pinned env)
    report "$name: three threads are placed as without the hooks" \
        "$([ "$(grep -c 'threadid -> hwthread .* OK' <<<"$bare")" = 3 ] || echo "bare: $bare"
            diff <(echo "$bare") <(pinned "$stage/bin/ompd-run"))"
    has_tool likwid
}

# A skip while the packages have no tool library; a failure when they have one that nothing
# above tries.
has_tool() { # NAME
    local found=$(grep -rl ompt_start_tool "$tools/$1/root")
    if [ -z "$found" ]; then
        result ok "$1: OMPT # SKIP no tool library in $(paste -sd, "$tools/$1/packages")"
    else
        result "not ok" "$1: OMPT: ${found##*/} is a tool library"
    fi
}

papi() {
    if fetch papi papi-tools $(needed papi-tools libpapi); then
        has_tool papi
    else
        result ok "papi # SKIP $(tail -n 1 "$tools/why")"
    fi
}

main() {
    if ! compile "$CC" traced-gcc; then
        echo "Bail out! traced.c does not compile"
        return 1
    fi
    eztrace
    likwid
    papi
    echo "1..$number"
    return $failed
}

main | tee "$tools/log"
