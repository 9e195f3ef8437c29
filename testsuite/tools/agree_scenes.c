/* SPDX-License-Identifier: MIT
 *
 * A construct a scene, for agree_events.py: `agree-scenes list` prints the names, `agree-scenes
 * NAME` plays one. Built by gcc and by clang, each scene raises the same events in every run,
 * but for the thread that executes a task or a single block.
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static int x, y, met, cells[8];
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long double large; /* no instruction adds to it */

static void use(int *cell)
{
    __atomic_add_fetch(cell, 1, __ATOMIC_RELAXED);
}

/* Returns once four threads are here: no team may have the threads of one that has ended. */
static void meet(void)
{
    __atomic_add_fetch(&met, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&met, __ATOMIC_RELAXED) < 4)
        sched_yield();
}

/* clang-format off */
#define SCENES(X)                                                                        \
    X(region, PARALLEL use(&x);)                                                         \
    X(region_if, _Pragma("omp parallel if(0)") use(&x);)                                 \
    X(region_of_one, _Pragma("omp parallel num_threads(1)") use(&x);)                    \
    X(regions, PARALLEL use(&x); PARALLEL use(&y);)                                      \
    X(smaller, PARALLEL use(&x); _Pragma("omp parallel num_threads(1)") use(&y);         \
      PARALLEL use(&x);)                                                                 \
    X(nested, omp_set_max_active_levels(2); PARALLEL { PARALLEL meet(); })               \
    X(nested_serialized, omp_set_max_active_levels(1); PARALLEL { PARALLEL use(&x); })   \
    X(threads, two_initial_threads();)                                                   \
    X(barrier, PARALLEL { use(&x); _Pragma("omp barrier") use(&y); })                    \
    X(barrier_alone, _Pragma("omp barrier") use(&x);)                                    \
    X(loop_static, PARALLEL { _Pragma("omp for schedule(static)") FOR use(&cells[i]); }) \
    X(loop_static_nowait, PARALLEL {                                                     \
        _Pragma("omp for schedule(static) nowait") FOR use(&cells[i]); })                \
    X(loop_dynamic, PARALLEL { _Pragma("omp for schedule(dynamic)") FOR use(&cells[i]); }) \
    X(loop_guided, PARALLEL { _Pragma("omp for schedule(guided)") FOR use(&cells[i]); }) \
    X(loop_runtime, PARALLEL { _Pragma("omp for schedule(runtime)") FOR use(&cells[i]); }) \
    X(loop_dynamic_nowait, PARALLEL {                                                    \
        _Pragma("omp for schedule(dynamic) nowait") FOR use(&cells[i]); })               \
    X(loop_combined, _Pragma("omp parallel for num_threads(2) schedule(dynamic)")        \
      FOR use(&cells[i]);)                                                               \
    X(loop_combined_static, _Pragma("omp parallel for num_threads(2) schedule(static)")  \
      FOR use(&cells[i]);)                                                               \
    X(loop_ordered, PARALLEL { _Pragma("omp for ordered schedule(static)") FOR {        \
        _Pragma("omp ordered") use(&x); } })                                             \
    X(doacross, PARALLEL { _Pragma("omp for ordered(1) schedule(static)") FOR {          \
        _Pragma("omp ordered depend(sink: i - 1)") use(&x);                              \
        _Pragma("omp ordered depend(source)") } })                                       \
    X(sections, PARALLEL { _Pragma("omp sections") { use(&x);                            \
        _Pragma("omp section") use(&y); } })                                             \
    X(sections_combined, _Pragma("omp parallel sections num_threads(2)") { use(&x);      \
        _Pragma("omp section") use(&y); })                                               \
    X(single, PARALLEL { _Pragma("omp single") use(&x); })                         \
    X(single_last, _Pragma("omp parallel num_threads(2)") { _Pragma("omp single") use(&x); }) \
    X(single_nowait, PARALLEL { _Pragma("omp single nowait") use(&x);                    \
        _Pragma("omp barrier") use(&y); })                                               \
    X(copyprivate, PARALLEL { int mine = 0;                                              \
        _Pragma("omp single copyprivate(mine)") mine = 1; use(&cells[mine]); })          \
    X(masked, PARALLEL { _Pragma("omp master") use(&x); })                               \
    X(critical, PARALLEL { _Pragma("omp critical") use(&x); })                           \
    X(critical_named, PARALLEL { _Pragma("omp critical(named)") use(&x); })              \
    X(critical_hint, PARALLEL {                                                          \
        _Pragma("omp critical(hinted) hint(omp_sync_hint_contended)") use(&x); })        \
    X(atomic, PARALLEL { _Pragma("omp atomic") x++; })                                   \
    X(atomic_large, PARALLEL { _Pragma("omp atomic") large += 1; })                      \
    X(lock, omp_init_lock(&lock); PARALLEL { omp_set_lock(&lock);                        \
        omp_unset_lock(&lock); } omp_destroy_lock(&lock);)                               \
    X(test_lock, omp_init_lock(&lock); if (omp_test_lock(&lock)) {                       \
        use(&cells[omp_test_lock(&lock)]); omp_unset_lock(&lock); }                      \
      omp_destroy_lock(&lock);)                                                          \
    X(nest_lock, omp_init_nest_lock(&nest_lock); omp_set_nest_lock(&nest_lock);          \
      omp_set_nest_lock(&nest_lock); omp_unset_nest_lock(&nest_lock);                    \
      omp_unset_nest_lock(&nest_lock); omp_destroy_nest_lock(&nest_lock);)               \
    X(test_lock_held, omp_init_lock(&lock); omp_init_nest_lock(&nest_lock);              \
      omp_set_lock(&lock); omp_set_nest_lock(&nest_lock);                                \
      PARALLEL { if (omp_get_thread_num() == 1) {                                        \
          omp_test_lock(&lock); omp_test_nest_lock(&nest_lock); } }                      \
      omp_unset_nest_lock(&nest_lock); omp_unset_lock(&lock);                            \
      omp_destroy_nest_lock(&nest_lock); omp_destroy_lock(&lock);)                       \
    X(test_nest_lock, omp_init_nest_lock(&nest_lock); omp_test_nest_lock(&nest_lock);    \
      omp_test_nest_lock(&nest_lock); omp_unset_nest_lock(&nest_lock);                   \
      omp_unset_nest_lock(&nest_lock); omp_destroy_nest_lock(&nest_lock);)               \
    X(reduction, int sum = 0;                                                            \
      _Pragma("omp parallel num_threads(2) reduction(+: sum)") sum++; use(&cells[!sum]);) \
    X(reduction_loop, int sum = 0; PARALLEL {                                            \
        _Pragma("omp for reduction(+: sum) schedule(dynamic)") FOR sum += i; }           \
      use(&cells[!sum]);)                                                                \
    X(task, ONE { _Pragma("omp task") use(&x); _Pragma("omp taskwait") })                \
    X(task_in_barrier, ONE { _Pragma("omp task") use(&x); })                             \
    X(task_if, ONE { _Pragma("omp task if(0)") use(&x); })                               \
    X(task_final, ONE { _Pragma("omp task final(1)") { _Pragma("omp task") use(&x); }    \
        _Pragma("omp taskwait") })                                                       \
    X(task_untied, ONE { _Pragma("omp task untied") use(&x); _Pragma("omp taskwait") })  \
    X(task_of_one, _Pragma("omp parallel num_threads(1)") {                              \
        _Pragma("omp task") use(&x); })                                                  \
    X(task_if_first, PARALLEL { if (omp_get_thread_num() == 0) {                         \
        _Pragma("omp task if(0)") use(&x); } })                                          \
    X(task_mergeable, ONE { _Pragma("omp task mergeable") use(&x);                       \
        _Pragma("omp taskwait") })                                                       \
    X(task_serial, _Pragma("omp task") use(&x); _Pragma("omp taskwait"))                 \
    X(task_nested, ONE { _Pragma("omp task") { _Pragma("omp task") use(&x);              \
        _Pragma("omp taskwait") } _Pragma("omp taskwait") })                             \
    X(task_depend, ONE { _Pragma("omp task depend(out: x)") x = 1;                       \
        _Pragma("omp task depend(in: x) depend(inout: y)") y = x;                        \
        _Pragma("omp taskwait") })                                                       \
    X(task_mutexinoutset, ONE { _Pragma("omp task depend(mutexinoutset: x)") use(&x);    \
        _Pragma("omp taskwait") })                                                       \
    X(task_priority, ONE { _Pragma("omp task priority(1)") use(&x);                      \
        _Pragma("omp taskwait") })                                                       \
    X(task_yield, ONE { _Pragma("omp task") { use(&x); _Pragma("omp taskyield") use(&x); } \
        _Pragma("omp taskwait") })                                                       \
    X(taskwait_alone, _Pragma("omp taskwait") use(&x);)                                  \
    X(taskwait_depend, ONE { _Pragma("omp task depend(out: x)") x = 1;                   \
        _Pragma("omp taskwait depend(in: x)") use(&x); })                                \
    X(taskgroup, ONE { _Pragma("omp taskgroup") {                                        \
        _Pragma("omp task") use(&x); } })                                                \
    X(taskgroup_reduction, int sum = 0; ONE {                                            \
        _Pragma("omp taskgroup task_reduction(+: sum)") {                                \
            _Pragma("omp task in_reduction(+: sum)") sum++; } } use(&cells[!sum]);)      \
    X(taskloop, ONE { _Pragma("omp taskloop num_tasks(2)") FOR use(&cells[i]); })        \
    X(taskloop_nogroup, ONE { _Pragma("omp taskloop num_tasks(2) nogroup")               \
        FOR use(&cells[i]); })                                                           \
    X(detach, ONE { omp_event_handle_t event;                                            \
        _Pragma("omp task detach(event)") omp_fulfill_event(event);                      \
        _Pragma("omp taskwait") })                                                       \
    X(cancel_region, PARALLEL {                                                          \
        if (omp_get_thread_num() == 0) { _Pragma("omp cancel parallel") }                \
        _Pragma("omp barrier") use(&x); })                                               \
    X(cancel_taskgroup, ONE { _Pragma("omp taskgroup") {                                 \
        _Pragma("omp task if(0)") { _Pragma("omp cancel taskgroup") use(&x); } } })      \
    X(flush, PARALLEL { _Pragma("omp flush") use(&x); })                                 \
    X(teams, _Pragma("omp teams num_teams(2) thread_limit(1)") use(&x);)                 \
    X(distribute, _Pragma("omp teams num_teams(1) thread_limit(1)") {                    \
        _Pragma("omp distribute") FOR use(&cells[i]); })                                 \
    X(target, PARALLEL use(&y); _Pragma("omp target map(tofrom: x)") use(&x);)            \
    X(target_data, PARALLEL use(&y); _Pragma("omp target data map(tofrom: x)") use(&x);)  \
    X(target_region, _Pragma("omp target map(tofrom: x)") { PARALLEL use(&x); })         \
    X(control, PARALLEL use(&x); control_tool();)
/* clang-format on */

/* The loop, as GCC omits the barrier of a construct at the end of a region. */
#define PARALLEL _Pragma("omp parallel num_threads(2)") for (int n = 1; n; n--)
#define ONE PARALLEL _Pragma("omp single")
#define FOR for (int i = 0; i < 4; i++)

/* libgomp has none: the hooks do. */
int omp_control_tool(int, int, void *) __attribute__((weak));

static void control_tool(void)
{
    if (omp_control_tool)
        omp_control_tool(1, 0, NULL);
}

static void *initial_thread(void *unused)
{
    PARALLEL use(&x);
    return unused;
}

static void two_initial_threads(void)
{
    pthread_t thread;
    PARALLEL use(&x);
    pthread_create(&thread, NULL, initial_thread, NULL);
    pthread_join(thread, NULL);
}

#define SCENE(name, ...)                                                                 \
    static void scene_##name(void)                                                       \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
SCENES(SCENE)

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
#define ROW(name, ...) {#name, scene_##name},
    SCENES(ROW)
};

int main(int count, char **arguments)
{
    for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
        if (count < 2 || strcmp(arguments[1], "list") == 0)
            puts(scenes[i].name);
        else if (strcmp(arguments[1], scenes[i].name) == 0)
            scenes[i].play();
    return 0;
}
