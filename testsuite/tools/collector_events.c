/* SPDX-License-Identifier: MIT
 *
 * A collector inside an OpenMP program: it starts its session in a constructor, before
 * the program has used the runtime, listens to every event and checks each against what
 * the thread is told about itself at that moment, and all of them against each other.
 */
#include "testsuite/tools/collector.h"
#include "testsuite/unit/hooks_records.h"

#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = OMP_EVENT_FORK, LAST = OMP_EVENT_THR_END_ATWT, DEPTH = 8 };

static collector_fn collector;
static int start_code, register_codes[LAST + 1];
static unsigned long counts[LAST + 1];

/* What a thread is in the middle of, by the events. */
static __thread unsigned open_waits; /* bit: begin event */
static __thread uint64_t forked[DEPTH];
static __thread unsigned fork_depth;
static __thread uintptr_t expected_lock;

static uint64_t last_forked;

static void check_fork(void)
{
    uint64_t id = 0, parent = 77;
    CHECK("FORK: the new region is the current one",
          collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id) == OMP_ERRCODE_OK &&
              id);
    CHECK("FORK: the master may ask for the enclosing region",
          collector_my_region(collector, OMP_REQ_PARENT_PRID, &parent) ==
                  OMP_ERRCODE_OK &&
              parent == region_of(records_self()));
    CHECK("FORK: a region is entered once",
          id != __atomic_load_n(&last_forked, __ATOMIC_RELAXED));
    CHECK("FORK: the state is overhead",
          collector_my_state(collector, NULL) == THR_OVHD_STATE);
    __atomic_store_n(&last_forked, id, __ATOMIC_RELAXED);
    if (fork_depth < DEPTH)
        forked[fork_depth] = id;
    fork_depth++;
}

static void check_join(void)
{
    uint64_t id = 77;
    CHECK("JOIN: follows a FORK of the same thread", fork_depth > 0);
    if (fork_depth == 0)
        return;
    fork_depth--;
    CHECK("JOIN: the outer region is current",
          collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id) == OMP_ERRCODE_OK &&
              id != forked[fork_depth] && id == region_of(records_self()));
}

static const struct {
    int begin, state;
    bool barrier; /* the wait id is that of the region */
} waits[] = {
    {OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, true},
    {OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE, true},
    {OMP_EVENT_THR_BEGIN_LKWT, THR_LKWT_STATE, false},
    {OMP_EVENT_THR_BEGIN_CTWT, THR_CTWT_STATE, false},
    {OMP_EVENT_THR_BEGIN_ODWT, THR_ODWT_STATE, true},
    {OMP_EVENT_THR_BEGIN_ATWT, THR_ATWT_STATE, false},
};

static void check_wait(int event)
{
    for (unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        if (event != waits[i].begin)
            continue;
        uintptr_t wait_id = 0;
        uint64_t region = 0;
        int state = collector_my_state(collector, &wait_id);
        CHECK("the state at the beginning of a wait", state == waits[i].state);
        collector_my_region(collector, OMP_REQ_CURRENT_PRID, &region);
        CHECK("the wait id of a barrier or an ordered section",
              !waits[i].barrier || wait_id == (uintptr_t)region);
        CHECK("the wait id of a mutex", waits[i].barrier || wait_id != 0);
        CHECK("the wait id is that of OMPD",
              wait_id == (uintptr_t)records_self()->wait_id);
        if (event == OMP_EVENT_THR_BEGIN_LKWT && expected_lock)
            CHECK("the wait id of a lock is its address", wait_id == expected_lock);
    }
}

static void on_event(OMP_COLLECTORAPI_EVENT event)
{
    __atomic_add_fetch(&counts[event], 1, __ATOMIC_RELAXED);
    if (event == OMP_EVENT_FORK) {
        check_fork();
    } else if (event == OMP_EVENT_JOIN) {
        check_join();
    } else if (event == OMP_EVENT_THR_BEGIN_IBAR) { /* its end is not supported */
        check_wait((int)event);
    } else if (event % 2) {
        CHECK("a wait begins once", !(open_waits & 1u << event));
        open_waits |= 1u << event;
        check_wait((int)event);
    } else {
        CHECK("a wait that ends has begun", open_waits & 1u << (event - 1));
        open_waits &= ~(1u << (event - 1));
    }
}

static void __attribute__((constructor)) start(void)
{
    collector = collector_find();
    if (!collector)
        return;
    start_code = collector_simple(collector, OMP_REQ_START);
    for (int event = FIRST; event <= LAST; event++)
        register_codes[event] = collector_listen(collector, event, on_event);
}

static unsigned long count(int event)
{
    return __atomic_load_n(&counts[event], __ATOMIC_RELAXED);
}

static void session(void)
{
    CHECK("START before the program uses the runtime", start_code == OMP_ERRCODE_OK);
    for (int event = FIRST; event <= LAST; event++) {
        bool unseen =
            event == OMP_EVENT_THR_BEGIN_MASTER || event == OMP_EVENT_THR_END_MASTER ||
            event == OMP_EVENT_THR_BEGIN_IDLE || event == OMP_EVENT_THR_END_IDLE ||
            event == OMP_EVENT_THR_END_IBAR;
        CHECK("REGISTER takes what can be seen, and nothing else",
              register_codes[event] ==
                  (unseen ? OMP_ERRCODE_UNSUPPORTED : OMP_ERRCODE_OK));
    }
}

/* Work that makes the others wait. */
static void linger(void)
{
    usleep(1000);
}

/* What barriers a construct has on three threads, beside that of its region. */
#define BARRIERS(what, implicit, explicit, ...)                                          \
    do {                                                                                 \
        unsigned long before_i = count(OMP_EVENT_THR_BEGIN_IBAR);                        \
        unsigned long before_e = count(OMP_EVENT_THR_BEGIN_EBAR);                        \
        _Pragma("omp parallel num_threads(3)")                                           \
        {                                                                                \
            __VA_ARGS__                                                                  \
        }                                                                                \
        CHECK(what, count(OMP_EVENT_THR_BEGIN_IBAR) - before_i == 3 + (implicit) &&      \
                        count(OMP_EVENT_THR_BEGIN_EBAR) - before_e == (explicit));       \
    } while (0)

/* Each thread reports each barrier, as implicit if its entry point is that of no other. */
static void barriers(void)
{
    int given;
    BARRIERS("the end of a region", 0, 0, linger(););
    BARRIERS("a barrier", 0, 3, _Pragma("omp barrier"));
    BARRIERS("a dynamic loop", 3, 0,
             _Pragma("omp for schedule(dynamic)") for (int i = 0; i < 3; i++) linger(););
    BARRIERS("an ordered loop", 3, 0,
             _Pragma("omp for ordered") for (int i = 0; i < 3; i++) linger(););
    BARRIERS("sections", 3, 0, _Pragma("omp sections") { linger(); });
    BARRIERS("copyprivate, which has a barrier behind it", 3, 3, int own;
             _Pragma("omp single copyprivate(own)") own = 1; given = own;);
    BARRIERS("single, which ends as a barrier does", 0, 3,
             _Pragma("omp single") linger(););
    BARRIERS("a static loop, likewise", 0, 3,
             _Pragma("omp for") for (int i = 0; i < 3; i++) linger(););
    BARRIERS("nowait", 0, 0,
             _Pragma("omp for schedule(dynamic) nowait") for (int i = 0; i < 3; i++)
                 linger(););
    (void)given;
}

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long double big; /* no instruction adds to it */

static void mixed(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp barrier
        expected_lock = (uintptr_t)&lock;
        omp_set_lock(&lock);
        linger();
        omp_unset_lock(&lock);
        if (omp_test_lock(&lock))
            omp_unset_lock(&lock);
        expected_lock = (uintptr_t)&nest_lock;
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        if (omp_test_nest_lock(&nest_lock))
            omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        expected_lock = 0;
#pragma omp critical
        linger();
#pragma omp critical(named)
        linger();
#pragma omp atomic
        big += 1;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 6; i++) {
#pragma omp ordered
            sum += i;
        }
#pragma omp single
        linger();
#pragma omp sections
        {
            linger();
#pragma omp section
            linger();
        }
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task
            {
#pragma omp critical
                sum++;
            }
        }
#pragma omp taskwait
    }
}

void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
static void *section;

/* Takes or releases one of the mutexes. */
static void take(unsigned which, bool release)
{
    switch (which) {
    case 0:
        return release ? omp_unset_lock(&lock) : omp_set_lock(&lock);
    case 1:
        return release ? omp_unset_nest_lock(&nest_lock) : omp_set_nest_lock(&nest_lock);
    case 2:
        return release ? GOMP_critical_end() : GOMP_critical_start();
    case 3:
        return release ? GOMP_critical_name_end(&section)
                       : GOMP_critical_name_start(&section);
    default:
        return release ? GOMP_atomic_end() : GOMP_atomic_start();
    }
}

/* A mutex is waited for when another thread has it, and not when it is free. */
static void mutexes(void)
{
    static const int events[] = {OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_BEGIN_LKWT,
                                 OMP_EVENT_THR_BEGIN_CTWT, OMP_EVENT_THR_BEGIN_CTWT,
                                 OMP_EVENT_THR_BEGIN_ATWT};
    for (unsigned which = 0; which < 5; which++) {
        int event = events[which];
        unsigned long before = count(event);
        for (unsigned i = 0; i < 1000; i++) {
            take(which, false);
            take(which, true);
        }
        CHECK("nobody waits for a free mutex", count(event) == before);

        static bool held;
        __atomic_store_n(&held, false, __ATOMIC_RELEASE);
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) {
            take(which, false);
            __atomic_store_n(&held, true, __ATOMIC_RELEASE);
            for (unsigned i = 0; i < 2000 && count(event) == before; i++)
                linger();
            take(which, true);
        } else {
            while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
                usleep(100);
            take(which, false);
            take(which, true);
        }
        CHECK("a mutex that another thread has is waited for",
              count(event) == before + 1 && count(event + 1) == before + 1);
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        uint64_t outer, again;
        collector_my_region(collector, OMP_REQ_CURRENT_PRID, &outer);
#pragma omp parallel num_threads(2)
        {
            uint64_t inner, parent;
            int code = collector_my_region(collector, OMP_REQ_PARENT_PRID, &parent);
            collector_my_region(collector, OMP_REQ_CURRENT_PRID, &inner);
            CHECK("a nested region is another one", inner != outer && inner && outer);
            if (omp_get_thread_num() == 0)
                CHECK("PARENT_PRID inside a nested region",
                      code == OMP_ERRCODE_OK && parent == outer);
            else
                CHECK("PARENT_PRID is for masters", code == OMP_ERRCODE_THREAD_ERR);
        }
        collector_my_region(collector, OMP_REQ_CURRENT_PRID, &again);
        CHECK("the outer region is current again", again == outer);
    }
}

static void *stranger(void *unused)
{
    uint64_t id = 1;
    CHECK("a thread that is not OpenMP's is serial",
          collector_my_state(collector, NULL) == THR_SERIAL_STATE &&
              collector_my_region(collector, OMP_REQ_CURRENT_PRID, &id) ==
                  OMP_ERRCODE_OK &&
              id == 0 &&
              collector_my_region(collector, OMP_REQ_PARENT_PRID, &id) ==
                  OMP_ERRCODE_THREAD_ERR);
    return unused;
}

/* How often FORK is told. `state` is what a thread is told in there. */
static unsigned regions(int state)
{
    unsigned long before = count(OMP_EVENT_FORK);
    for (unsigned i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
        CHECK("the state in a region", collector_my_state(collector, NULL) == state);
    }
    return (unsigned)(count(OMP_EVENT_FORK) - before);
}

static void totals(void)
{
    static const struct {
        int event;
        unsigned long least;
    } wanted[] = {{OMP_EVENT_FORK, 1},
                  {OMP_EVENT_THR_BEGIN_IBAR, 1 + 3 + 3},
                  {OMP_EVENT_THR_BEGIN_EBAR, 3},
                  {OMP_EVENT_THR_BEGIN_ODWT, 6},
                  {OMP_EVENT_THR_BEGIN_ORDERED, 6},
                  {OMP_EVENT_THR_BEGIN_SINGLE, 2}};
    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        CHECK("each construct is told", count(wanted[i].event) >= wanted[i].least);
        if (count(wanted[i].event) < wanted[i].least)
            printf("# event %d: %lu\n", wanted[i].event, count(wanted[i].event));
    }
    for (int event = OMP_EVENT_THR_BEGIN_EBAR; event < LAST; event += 2) {
        CHECK("each wait has an end", count(event) == count(event + 1));
        if (count(event) != count(event + 1))
            printf("# event %d: %lu, %lu\n", event, count(event), count(event + 1));
    }
    CHECK("each FORK has a JOIN", count(OMP_EVENT_FORK) == count(OMP_EVENT_JOIN));
}

static void pauses(void)
{
    CHECK("one FORK for each region", regions(THR_WORK_STATE) == 3);
    collector_simple(collector, OMP_REQ_PAUSE);
    CHECK("no event in a pause", regions(THR_WORK_STATE) == 0);
    collector_unlisten(collector, OMP_EVENT_FORK);
    collector_listen(collector, OMP_EVENT_FORK, on_event);
    CHECK("REGISTER does not end a pause", regions(THR_WORK_STATE) == 0);
    collector_simple(collector, OMP_REQ_RESUME);
    fork_depth = 0;
    CHECK("events after RESUME", regions(THR_WORK_STATE) == 3);
    collector_unlisten(collector, OMP_EVENT_JOIN);
    collector_unlisten(collector, OMP_EVENT_FORK);
    CHECK("no event after UNREGISTER", regions(THR_WORK_STATE) == 0);
    collector_listen(collector, OMP_EVENT_FORK, on_event);
    CHECK("events after REGISTER", regions(THR_WORK_STATE) == 3);
    collector_simple(collector, OMP_REQ_STOP);
    CHECK("no event after STOP", regions(-1) == 0);
    CHECK("START after STOP",
          collector_simple(collector, OMP_REQ_START) == OMP_ERRCODE_OK);
    CHECK("START brings back no registration", regions(THR_WORK_STATE) == 0);
}

/* The child goes on with the session of its parent. The runtime cannot give it threads.
 */
static void in_child(void)
{
    collector_listen(collector, OMP_EVENT_FORK, on_event);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        unsigned long before = count(OMP_EVENT_FORK);
        fork_depth = 0;
#pragma omp parallel num_threads(1)
        linger();
        _exit(count(OMP_EVENT_FORK) == before + 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK("the session goes on in a forked child", status == 0);
}

int main(void)
{
    if (!collector) {
        printf("Bail out! there is no " OMP_COLLECTOR_API "\n");
        return 1;
    }
    session();
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    barriers();
    mixed();
    mutexes();
    nested();
    pthread_t thread;
    pthread_create(&thread, NULL, stranger, NULL);
    pthread_join(thread, NULL);
    totals();
    pauses();
    in_child();
    return checks_done();
}
