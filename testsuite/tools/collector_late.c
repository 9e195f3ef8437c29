/* SPDX-License-Identifier: MIT
 *
 * Threads whose region the Collector does not know, and threads that ask from a signal handler
 * while the runtime makes them. "collector_late start" begins the session inside a region,
 * "collector_late births" before the program has used the runtime.
 */
#include "testsuite/tools/collector.h"
#include "testsuite/unit/hooks_records.h"

#include <omp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static collector_fn collector;

/* The state, and the code of CURRENT_PRID: as two digits. */
static int answers(void)
{
    uint64_t id;
    int state = collector_my_state(collector, NULL);
    int code = collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id);
    return 10 * state + code + (code == OMP_ERRCODE_OK && id ? 5 : 0);
}

enum { WORK_UNKNOWN = 26, SERIAL = 60, WORK = 25 };

static void start_inside(void)
{
    static int inside[2];
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        CHECK("START inside a region",
              collector_simple(collector, OMP_REQ_START) == OMP_ERRCODE_OK);
#pragma omp barrier
        inside[omp_get_thread_num()] = answers();
    }
    CHECK("the master of that region works, in which one is not known",
          inside[0] == WORK_UNKNOWN);
    CHECK("and so does its worker", inside[1] == WORK_UNKNOWN);
    CHECK("serial code after it, with no other call between", answers() == SERIAL);
#pragma omp parallel num_threads(2)
    inside[omp_get_thread_num()] = answers();
    CHECK("the next region is known", inside[0] == WORK && inside[1] == WORK);
    CHECK("and serial code after it", answers() == SERIAL);
}

static unsigned long asked, refused, odd;

static void on_signal(int signal)
{
    (void)signal;
    uint64_t id;
    __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    int code = collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id);
    if (code != OMP_ERRCODE_OK)
        __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    int state = collector_my_state(collector, NULL);
    if (state < THR_OVHD_STATE || state >= THR_LAST_STATE)
        __atomic_add_fetch(&odd, 1, __ATOMIC_RELAXED);
}

/* The threads of inner teams are new ones each time. */
static void births(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    CHECK("START", collector_simple(collector, OMP_REQ_START) == OMP_ERRCODE_OK);
    omp_set_max_active_levels(2);
    setitimer(ITIMER_PROF, &often, NULL);
    double end = omp_get_wtime() + 3;
    while (omp_get_wtime() < end) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
        __asm__ volatile("");
    }
    setitimer(ITIMER_PROF, &never, NULL);
    printf("# asked %lu times\n", asked);
    CHECK("handlers came", asked > 50);
    CHECK("CURRENT_PRID has an answer on any thread", refused == 0);
    CHECK("and so has STATE", odd == 0);
}

int main(int count, char **arguments)
{
    collector = collector_find();
    if (!collector) {
        printf("Bail out! there is no " OMP_COLLECTOR_API "\n");
        return 1;
    }
    /* The program has used the runtime without a session. */
    if (count > 1 && strcmp(arguments[1], "start") == 0)
        start_inside();
    else
        births();
    return checks_done();
}
