# SPDX-License-Identifier: MIT
#
# For scripts that try the product in a bare root: cases that hold, and a program that hangs.
export DEBIAN_FRONTEND=noninteractive
passed=0 failed=0 logs=${TMPDIR:-/tmp}

holds() { # NAME COMMAND...: 0 is what holds
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "not ok $name"
    fi
}

quietly() { "$@" >"$logs/quietly.log" 2>&1 || { cat "$logs/quietly.log"; return 1; }; }
says() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" >"$logs/says.log" 2>&1
    grep -Eq "$pattern" "$logs/says.log" || { cat "$logs/says.log"; return 1; }
}
ends() { # STATUS COMMAND...
    local wanted=$1
    shift
    "$@" >"$logs/ends.log" 2>&1
    [ $? -eq "$wanted" ] || { cat "$logs/ends.log"; return 1; }
}

# Starts a program that hangs, and waits until each of its threads sleeps in a futex.
hang() {
    "$@" hang &
    pid=$!
    local task states
    for _ in $(seq 300); do
        sleep 0.2
        states=
        for task in "/proc/$pid/task"/*; do
            states+=$(cut -d' ' -f3 "$task/stat" 2>/dev/null)
        done
        [ "$states" != SS ] || return 0
    done
    return 1
}
