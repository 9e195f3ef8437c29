# SPDX-License-Identifier: MIT
# The Collector where the runtime comes late, where it is another one, and in 32-bit
# programs.
. "$top_srcdir/testsuite/common/tap.sh"
tools=$top_srcdir/testsuite/tools

# shows NAME: the lines of $scratch/out under one number: all of them are ok.
shows() {
    if grep -q '^1\.\.[1-9]' "$scratch/out" && ! grep -q '^not ok' "$scratch/out"; then
        result ok "$1, $(grep -c '^ok' "$scratch/out") checks"
    else
        report "$1" "$(grep -v '^ok' "$scratch/out")."
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
same "START before the runtime is loaded; UNREGISTER and STOP in a callback" "$said" "0 0 0 6 0 0
3 4"
said=$(timeout 60 env LD_PRELOAD="$stage/lib/libompd-hooks.so" "$scratch/foreign")
same "START is unsupported with another runtime" "$said" "3 4 4 -1 4 0"

hooks=$stage/lib/32/libompd-hooks.so
reason=$(no_32_bit)
if [ -n "$reason" ]; then
    skip "32 bits" "$reason"
else
    $CC -m32 -std=gnu11 -O1 -w -fopenmp -D_GNU_SOURCE -I"$top_srcdir" \
        "$tools/collector_events.c" "$top_srcdir/testsuite/unit/hooks_records.c" \
        -o "$scratch/events" -lpthread -ldl
    timeout 60 env LD_PRELOAD="$hooks" "$scratch/events" >"$scratch/out"
    shows "events with 32 bits"
    $CC -m32 -std=gnu11 -O1 -w -D_GNU_SOURCE -I"$top_srcdir" "$tools/collector_requests.c" \
        -o "$scratch/requests" -ldl
    timeout 60 env LD_PRELOAD="$hooks" "$scratch/requests" >"$scratch/out"
    shows "requests with 32 bits"
fi
finish
