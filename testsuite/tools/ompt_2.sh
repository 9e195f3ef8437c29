# SPDX-License-Identifier: MIT
# Programs of all constructs under a tool of report version 2 that hears of everything: no
# event may lack its partner or contradict what the tool is told on demand; see
# ompt2_pairs.c. Once more for 32-bit programs.
. "$top_srcdir/testsuite/common/tap.sh"

# builds FLAG: the tool and the programs for that class.
builds() {
    $CC $1 -std=gnu11 -O1 -w -fPIC -shared -D_GNU_SOURCE -I"$stage/include" \
        "$top_srcdir/testsuite/tools/ompt2_pairs.c" \
        "$top_srcdir/testsuite/tools/ompt2_watch.c" -o "$scratch/tool.so" -lpthread \
        >"$scratch/build" 2>&1
}

# watch STATUS COUNTERS PROGRAM ARGUMENTS: runs it; each of COUNTERS must have counted.
watch() {
    status=$1 counters=$2 program=$3
    shift 3
    what="$program $*$flag"
    if ! $CC $flag -std=gnu11 -O1 -w -fopenmp -D_GNU_SOURCE \
        "$top_srcdir/testsuite/programs/$program.c" -o "$scratch/$program" -lpthread \
        >"$scratch/build" 2>&1; then
        report "$what builds" "$(cat "$scratch/build")."
        return
    fi
    rm -f "$scratch/report"
    timeout 60 env OMPT2_PAIRS="$scratch/report" LD_PRELOAD="$hooks:$scratch/tool.so" \
        "$scratch/$program" "$@" >"$scratch/out" 2>"$scratch/err"
    ended=$?
    bad=
    [ $ended -eq "$status" ] || bad="status $ended instead of $status"
    grep -q '^end: 0 problems, 0 tasks never ran' "$scratch/report" || bad="$bad no clean end"
    grep -v '^end: 0 problems' "$scratch/report" >"$scratch/problems" && bad="$bad problems"
    for counter in $counters; do
        grep -q "^end:.* $counter [1-9]" "$scratch/report" || bad="$bad no $counter"
    done
    if [ -z "$bad" ]; then
        result ok "$what"
    else
        report "$what" "$bad
$(cat "$scratch/problems" "$scratch/err" | head -30)"
    fi
}

all='thread_begin thread_end parallel_begin implicit_task'
flag=
if ! builds; then
    sed 's/^/# /' "$scratch/build"
    echo "Bail out! the tool does not build"
    exit 1
fi
watch 0 "$all barrier wait_barrier idle" nesting
watch 0 "$all acquired released" ordered
watch 0 "$all acquired released init_lock" locks
watch 0 "$all task_begin task_switch task_end taskwait taskgroup wait_taskgroup" taskgroup
watch 0 "$all dependences" tasks_depend
watch 0 "$all task_end" tasks_detach
watch 0 "$all" teams
watch 0 "$all" pthreads
watch 0 "$all by_program" oldabi_parallel
watch 0 "$all" forks
watch 0 "$all work" loops
watch 0 "$all work" sections
watch 0 "target in_target" target
watch 0 "$all task_begin task_switch task_end taskgroup" taskloop
OMP_CANCELLATION=true
export OMP_CANCELLATION
watch 0 "$all task_end" cancel
unset OMP_CANCELLATION
watch 12 thread_begin ends exit-worker
watch 17 thread_begin ends exit-outside

flag=-m32
hooks=$stage/lib/32/libompd-hooks.so
reason=$(no_32_bit)
if [ -n "$reason" ]; then
    skip "32 bits" "$reason"
elif ! builds -m32; then
    report "the tool builds for 32 bits" "$(cat "$scratch/build")."
else
    watch 0 "$all barrier idle" nesting
    watch 0 "$all acquired released init_lock" locks
    watch 0 "$all task_begin taskgroup" taskgroup
fi
finish
