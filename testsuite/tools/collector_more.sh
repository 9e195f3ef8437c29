# SPDX-License-Identifier: MIT
# The Collector where the runtime comes late, where it is another one, and in 32-bit
# programs.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset OMP_TOOL OMP_NUM_THREADS OMP_THREAD_LIMIT LD_PRELOAD OMP_OMPD
tools=$top_srcdir/testsuite/tools
number=0
result() {
    number=$((number + 1))
    echo "$1 $number - $2"
}

# shows NAME: the lines of $scratch/out under one number: all of them are ok.
shows() {
    if grep -q '^1\.\.[1-9]' "$scratch/out" && ! grep -q '^not ok' "$scratch/out"; then
        result ok "$1, $(grep -c '^ok' "$scratch/out") checks"
    else
        grep -v '^ok' "$scratch/out" | sed 's/^/# /'
        result "not ok" "$1"
    fi
}

cat >"$scratch/late.c" <<'END'
#include "testsuite/tools/collector.h"
static int forks, joins;
static collector_fn collector;
static void on_event(OMP_COLLECTORAPI_EVENT event)
{
    forks += event == OMP_EVENT_FORK;
    joins += event == OMP_EVENT_JOIN;
    if (forks == 3) /* from inside a callback */
        collector_unlisten(collector, OMP_EVENT_FORK);
    if (joins == 4)
        collector_simple(collector, OMP_REQ_STOP);
}
int main(int count, char **arguments)
{
    collector = collector_find();
    uint64_t id = 7;
    printf("%d", collector_simple(collector, OMP_REQ_START));
    printf(" %d", collector_listen(collector, OMP_EVENT_FORK, on_event));
    printf(" %d", collector_listen(collector, OMP_EVENT_JOIN, on_event));
    printf(" %d", collector_my_state(collector, NULL));
    printf(" %d", collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id));
    printf(" %d\n", (int)id);
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library) {
        void (*work)(void) = (void (*)(void))dlsym(library, "work");
        for (int i = 0; i < 5; i++)
            work();
        printf("%d %d\n", forks, joins);
    }
    return 0;
}
END
cat >"$scratch/library.c" <<'END'
#include <stdlib.h>
void work(void)
{
#pragma omp parallel num_threads(2)
    if (getenv("never"))
        abort();
}
END
cat >"$scratch/foreign.c" <<'END'
void __kmpc_fork_call(void) {}
END
$CC -w -D_GNU_SOURCE -I"$top_srcdir" "$scratch/late.c" -o "$scratch/late" -ldl &&
    $CC -w -fopenmp -fPIC -shared "$scratch/library.c" -o "$scratch/library.so" &&
    $CC -w -D_GNU_SOURCE -rdynamic -I"$top_srcdir" "$scratch/late.c" \
        "$scratch/foreign.c" -o "$scratch/foreign" -ldl || {
    echo "Bail out! the programs do not build"
    exit 1
}
said=$(timeout 60 env LD_PRELOAD="$stage/lib/libompd-hooks.so" "$scratch/late" "$scratch/library.so")
if [ "$said" = "0 0 0 6 0 0
3 4" ]; then
    result ok "START before the runtime is loaded; UNREGISTER and STOP in a callback"
else
    printf '# %s\n' "$said"
    result "not ok" "START before the runtime is loaded; UNREGISTER and STOP in a callback"
fi
said=$(timeout 60 env LD_PRELOAD="$stage/lib/libompd-hooks.so" "$scratch/foreign")
if [ "$said" = "3 4 4 -1 4 0" ]; then
    result ok "START is unsupported with another runtime"
else
    printf '# %s\n' "$said"
    result "not ok" "START is unsupported with another runtime"
fi

hooks=$stage/lib/32/libompd-hooks.so
if [ ! -r "$hooks" ]; then
    number=$((number + 1))
    echo "ok $number - 32 bits # SKIP the hooks were not built for 32 bits"
elif ! $CC -m32 -std=gnu11 -O1 -w -fopenmp -D_GNU_SOURCE -I"$top_srcdir" \
    "$tools/collector_events.c" "$top_srcdir/testsuite/unit/hooks_records.c" \
    -o "$scratch/events" -lpthread -ldl >"$scratch/build" 2>&1; then
    number=$((number + 1))
    echo "ok $number - 32 bits # SKIP $(tail -1 "$scratch/build")"
else
    timeout 60 env LD_PRELOAD="$hooks" "$scratch/events" >"$scratch/out"
    shows "events with 32 bits"
    $CC -m32 -std=gnu11 -O1 -w -D_GNU_SOURCE -I"$top_srcdir" "$tools/collector_requests.c" \
        -o "$scratch/requests" -ldl
    timeout 60 env LD_PRELOAD="$hooks" "$scratch/requests" >"$scratch/out"
    shows "requests with 32 bits"
fi
echo "1..$number"
