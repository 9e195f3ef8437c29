# SPDX-License-Identifier: MIT
# What the records say of ICVs and settings; see hooks_icvs.c. Once as it comes, once with
# all that makes inner levels and threads differ from one another.
program=$top_builddir/testsuite/unit/hooks-icvs
run() {
    "$stage/bin/ompd-run" "$program" "$@"
}

unset OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES
number=0
failed=0
# Shows a run's lines under one row of numbers.
show() {
    while read -r line; do
        case $line in
        'ok '* | 'not ok '*)
            number=$((number + 1))
            case $line in not*) failed=1 ;; esac
            printf '%s\n' "$line, $1" | sed "s/ok [0-9]*/ok $number/"
            ;;
        1..*) ended=1 ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
    if [ -z "$ended" ]; then
        echo "Bail out! the program did not come to its end, $1"
        exit 1
    fi
}

result() {
    number=$((number + 1))
    case $1 in not*) failed=1 ;; esac
    echo "$1 $number - $2"
}

run >icvs.$$ 2>&1
ended= && show "as it comes" <icvs.$$
OMP_NUM_THREADS=2,3,2 OMP_PROC_BIND=spread,close OMP_PLACES='{0},{1}' OMP_DYNAMIC=false \
    run >icvs.$$ 2>&1
ended= && show "with lists and places" <icvs.$$
OMP_THREAD_LIMIT=7 OMP_SCHEDULE=monotonic:dynamic,4 OMP_PROC_BIND=true OMP_CANCELLATION=true \
    OMP_MAX_TASK_PRIORITY=5 OMP_NUM_THREADS=3 run >icvs.$$ 2>&1
ended= && show "with settings" <icvs.$$

# libgomp shows its settings itself: NAME = 'value'.
settings() {
    run settings 2>/dev/null
}
shown() {
    OMP_DISPLAY_ENV=verbose "$program" settings 2>&1 >/dev/null |
        sed -n "s/^ *\(\[[a-z]*\] \)*\([A-Z]*OMP_[A-Z_]*\) = '\(.*\)'$/\2=\3/p" |
        grep -v '^_OPENMP'
}
# In a program without hooks nothing is written before the runtime's own lines; that it
# then ends for lack of records is no matter.
shown | sort >shown.$$
settings | sort >settings.$$
missing=$(comm -23 shown.$$ settings.$$)
if [ -s shown.$$ ] && [ -z "$missing" ]; then
    result ok "defaulted settings are those that libgomp shows"
else
    printf '# not among the settings: %s\n' "$missing"
    result "not ok" "defaulted settings are those that libgomp shows"
fi
twice=$(sed 's/=.*//' settings.$$ | sort | uniq -d)
if [ -z "$twice" ]; then
    result ok "no setting stands there twice"
else
    echo "# twice: $twice"
    result "not ok" "no setting stands there twice"
fi
set_ones='OMP_NUM_THREADS=4,2
OMP_SCHEDULE= static , 8
GOMP_SPINCOUNT=12
OMP_TOOL_LIBRARIES=/none/a.so:/none/b.so'
given=$(OMP_NUM_THREADS=4,2 OMP_SCHEDULE=' static , 8' GOMP_SPINCOUNT=12 \
    OMP_TOOL_LIBRARIES=/none/a.so:/none/b.so settings |
    grep -e '^OMP_NUM_THREADS' -e '^OMP_SCH' -e '^GOMP_SPIN' -e '^OMP_TOOL_LIBRARIES' | sort)
if [ "$given" = "$(printf '%s\n' "$set_ones" | sort)" ]; then
    result ok "settings of the environment stand as they were made"
else
    printf '%s\n' "$given" | sed 's/^/# /'
    result "not ok" "settings of the environment stand as they were made"
fi
for policy in active passive; do
    of_libgomp=$(OMP_WAIT_POLICY=$policy shown | grep GOMP_SPINCOUNT)
    if OMP_WAIT_POLICY=$policy settings | grep -qxF "$of_libgomp"; then
        result ok "spin count, $policy"
    else
        echo "# libgomp: $of_libgomp"
        result "not ok" "spin count, $policy"
    fi
done
echo "1..$number"
rm -f icvs.$$ shown.$$ settings.$$
exit $failed
