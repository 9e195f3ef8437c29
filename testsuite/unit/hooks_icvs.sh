# SPDX-License-Identifier: MIT
# What the records say of ICVs and settings; see hooks_icvs.c. Once as it comes, once with
# all that makes inner levels and threads differ from one another.
. "$top_srcdir/testsuite/common/tap.sh"
program=$top_builddir/testsuite/unit/hooks-icvs
shows() { # WHAT SETTING...
    what=$1
    shift
    env "$@" "$stage/bin/ompd-run" "$program" >out 2>&1
    relay out $? "$what"
}

unset OMP_PROC_BIND OMP_PLACES
shows "as it comes"
shows "with lists and places" OMP_NUM_THREADS=2,3,2 OMP_PROC_BIND=spread,close \
    OMP_PLACES='{0},{1}' OMP_DYNAMIC=false
shows "with settings" OMP_THREAD_LIMIT=7 OMP_SCHEDULE=monotonic:dynamic,4 OMP_PROC_BIND=true \
    OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5 OMP_NUM_THREADS=3

# libgomp shows its settings itself: NAME = 'value'. That of GCC 14 shows one thread where no
# number is set, and takes as many as there are processors.
settings() {
    "$stage/bin/ompd-run" "$program" settings 2>/dev/null
}
shown() {
    OMP_DISPLAY_ENV=verbose "$program" settings 2>&1 >/dev/null |
        sed -n "s/^ *\(\[[a-z]*\] \)*\([A-Z]*OMP_[A-Z_]*\) = '\(.*\)'$/\2=\3/p" |
        grep -v -e '^_OPENMP' -e '^OMP_NUM_THREADS=1$'
}
# In a program without hooks nothing is written before the runtime's own lines; that it
# then ends for lack of records is no matter.
shown | sort >shown
settings | sort >settings
missing=$(comm -23 shown settings)
if [ -s shown ] && [ -z "$missing" ]; then
    result ok "defaulted settings are those that libgomp shows"
else
    report "defaulted settings are those that libgomp shows" "not among the settings: $missing"
fi
twice=$(sed 's/=.*//' settings | sort | uniq -d)
report "no setting stands there twice" "$twice"
set_ones='OMP_NUM_THREADS=4,2
OMP_SCHEDULE= static , 8
GOMP_SPINCOUNT=12
OMP_TOOL_LIBRARIES=/none/a.so:/none/b.so'
given=$(OMP_NUM_THREADS=4,2 OMP_SCHEDULE=' static , 8' GOMP_SPINCOUNT=12 \
    OMP_TOOL_LIBRARIES=/none/a.so:/none/b.so settings |
    grep -e '^OMP_NUM_THREADS' -e '^OMP_SCH' -e '^GOMP_SPIN' -e '^OMP_TOOL_LIBRARIES' | sort)
same "settings of the environment stand as they were made" "$given" \
    "$(printf '%s\n' "$set_ones" | sort)"
for policy in active passive; do
    of_libgomp=$(OMP_WAIT_POLICY=$policy shown | grep GOMP_SPINCOUNT)
    if OMP_WAIT_POLICY=$policy settings | grep -qxF "$of_libgomp"; then
        result ok "spin count, $policy"
    else
        report "spin count, $policy" "libgomp: $of_libgomp"
    fi
done
finish
