# SPDX-License-Identifier: MIT
#
# For scripts that try the product in a bare root: cases that hold, and a program that hangs.
export DEBIAN_FRONTEND=noninteractive
passed=0 failed=0

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

quietly() { "$@" >/tmp/quietly.log 2>&1 || { cat /tmp/quietly.log; return 1; }; }
says() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" >/tmp/says.log 2>&1
    grep -Eq "$pattern" /tmp/says.log || { cat /tmp/says.log; return 1; }
}
ends() { # STATUS COMMAND...
    local wanted=$1
    shift
    "$@" >/tmp/ends.log 2>&1
    [ $? -eq "$wanted" ] || { cat /tmp/ends.log; return 1; }
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
