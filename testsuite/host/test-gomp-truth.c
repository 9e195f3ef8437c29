/* SPDX-License-Identifier: MIT
 *
 * Stops a program that nobody prepared at random instructions and holds what the library
 * says of every thread against the program's own word: number, team, levels, ancestors,
 * the kind of its task, and what it may be waiting for. Threads on their way into or out
 * of a team must be reported as such, and never while they are in user code. Every other
 * stop is read by libompd.so and its extension, with the regions and tasks of the whole
 * process.
 *
 * OMPD_TRUTH_STOPS and OMPD_TRUTH_CORES set the number of stops and cores, OMPD_TRUTH_SEED
 * the seed. OMPD_TRUTH_EMULATOR is a qemu that runs a program of another machine.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf-image.h"
#include "gomp-truth-extension.h"
#include "gomp-truth.h"
#include "print.h"
#include "snapshot.h"
#include "spawn.h"
#include "tap.h"

enum { STOPS = 400, CORES = 8, MAX_FAULTS = 20, CHAIN = 64 };
enum {
    SERIAL = 0x00,
    PARALLEL = 0x01,
    IDLE = 0x10,
    OVERHEAD = 0x20,
    TASKWAIT = 0x50,
    TASKGROUP = 0x51,
    UNDEFINED = 0x70,
};

static struct tally {
    unsigned long faults, threads, settled, fields, idle, nested, in_explicit, waits,
        passing, foreign, outside_target, in_target, tasks;
} tally;

static struct extension_tally extension_tally;
static int stop;

static void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# stop %d: ", stop);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    tally.faults++;
}

/* One field held against the program's word. */
static void expect(uint32_t lwp, const char *what, struct fact got, int64_t expected)
{
    tally.fields++;
    if (got.answer)
        fault("thread %u: %s: %s, not %" PRId64, lwp, what, answer_name(got.answer),
              expected);
    else if ((int64_t)got.value != expected)
        fault("thread %u: %s is %" PRId64 ", not %" PRId64, lwp, what, (int64_t)got.value,
              expected);
}

static struct fact known(int64_t value)
{
    return (struct fact){ANSWER_OK, (uint64_t)value};
}

/* ICVs of a task, by routines that the host's dialect does not know. */
static struct fact icv(struct session *s, const char *routine, struct omp_task *task)
{
    int (*ask)(const struct omp_task *, int64_t *);
    int64_t value = 0;
    *(void **)&ask = dlsym(s->dl, routine);
    if (!ask)
        return (struct fact){ANSWER_UNSUPPORTED, 0};
    return (struct fact){ask(task, &value) ? ANSWER_ERROR : ANSWER_OK, (uint64_t)value};
}

static const struct thread_facts *thread_of(const struct snapshot *snap, uint64_t lwp)
{
    for (size_t i = 0; i < snap->thread_count; i++)
        if (snap->threads[i].handle && snap->threads[i].lwp.value == lwp)
            return &snap->threads[i];
    return NULL;
}

/* The number of a thread in a region, by the list of the region's members. */
static int64_t number_in(const struct region_facts *region, uint64_t lwp)
{
    for (size_t i = 0; i < region->member_count; i++)
        if (region->members[i] == lwp)
            return region->member_count == region->size.value ? (int64_t)i : -2;
    return -1;
}

static void check_ancestors(const struct snapshot *snap, const struct thread_facts *t,
                            const struct gomp_truth *truth)
{
    int at = t->region;
    uint64_t lwp = truth->lwp;
    for (uint32_t level = truth->level; level > 0; level--) {
        if (at == NO_INDEX) {
            fault("thread %u: no region of level %u", truth->lwp, level);
            return;
        }
        const struct region_facts *region = &snap->regions[at];
        if (level < GOMP_TRUTH_LEVELS) {
            char what[32];
            int64_t number = number_in(region, lwp);
            snprintf(what, sizeof what, "team size at level %u", level);
            expect(truth->lwp, what, region->size, truth->size[level]);
            snprintf(what, sizeof what, "number at level %u", level);
            /* Teammates that have not begun leave numbers out. */
            if (number != -2)
                expect(truth->lwp, what, known(number), truth->ancestor[level]);
        }
        if (region->master.answer) {
            fault("region of thread %u has no first thread", truth->lwp);
            return;
        }
        lwp = region->master.value;
        at = region->parent;
    }
    if (at != NO_INDEX)
        fault("thread %u: a region around level 1", truth->lwp);
}

static void check_state(const struct thread_facts *t, const struct gomp_truth *truth)
{
    uint64_t state = t->state.value, plain = truth->level ? PARALLEL : SERIAL;
    tally.fields++;
    bool fits = state == plain ||
                (truth->stable == TRUTH_AT_TASKWAIT && state == TASKWAIT) ||
                (truth->stable == TRUTH_AT_TASKGROUP && state == TASKGROUP);
    tally.waits += state == TASKWAIT || state == TASKGROUP;
    if (!fits)
        fault("thread %u is in state %s (settled %u, level %u)", truth->lwp,
              state_name(state), truth->stable, truth->level);
}

/* A thread at a scheduling point may be between a task's beginning and that task's own
 * word. */
static bool may_run_others(const struct gomp_truth *truth)
{
    return truth->stable == TRUTH_AT_TASKWAIT || truth->stable == TRUTH_AT_TASKGROUP ||
           truth->stable == TRUTH_AT_BARRIER;
}

static void check_word(const struct snapshot *snap, const struct gomp_truth *truth)
{
    struct session *s = snap->session;
    const struct thread_facts *t = thread_of(snap, truth->lwp);
    if (truth->stable == TRUTH_FOREIGN) {
        tally.foreign++;
        if (t)
            fault("thread %u never met OpenMP and is listed", truth->lwp);
        return;
    }
    if (truth->in_target)
        tally.in_target++;
    if (!t) {
        if (truth->level > 0)
            fault("thread %u works at level %u and is not listed", truth->lwp,
                  truth->level);
        return;
    }
    tally.settled++;
    if (t->task == NO_INDEX) {
        fault("thread %u works and has no task: %s", truth->lwp,
              answer_name(t->task_answer));
        return;
    }
    const struct task_facts *task = &snap->tasks[t->task];
    expect(truth->lwp, "thread number", t->num, truth->num);
    expect(truth->lwp, "team size",
           t->region == NO_INDEX ? known(1) : snap->regions[t->region].size, truth->team);
    expect(truth->lwp, "level", task->level, truth->level);
    expect(truth->lwp, "active level", task->active_level, truth->active_level);
    check_ancestors(snap, t, truth);
    check_state(t, truth);
    if (may_run_others(truth))
        return;
    tally.in_explicit += truth->explicit_task;
    expect(truth->lwp, "is implicit", task->implicit, !truth->explicit_task);
    int64_t final = 0;
    enum answer answer = s->dialect->task_final(s, task->handle, &final);
    expect(truth->lwp, "nthreads-var", icv(s, "ompd_get_max_threads", task->handle),
           truth->max_threads);
    expect(truth->lwp, "dyn-var", icv(s, "ompd_get_dynamic", task->handle),
           truth->dynamic);
    expect(truth->lwp, "final", (struct fact){answer, (uint64_t) final}, truth->final);
}

/* What holds whether or not the thread has given its word. */
static void check_thread(const struct snapshot *snap, const struct thread_facts *t)
{
    struct session *s = snap->session;
    struct omp_thread *same;
    int order = 1;
    const struct lwp *lwp = target_lwp(s->target, (pid_t)t->lwp.value);
    if (t->lwp.answer || !lwp)
        fault("thread %s is not among the threads of the process", t->text);
    else if (t->pthread.answer || (lwp->pthread != t->pthread.value &&
                                   (lwp->pthread || !target_is_foreign(s->target))))
        fault("thread %" PRIu64 ": pthread %" PRIx64 ", libthread_db says %" PRIx64,
              t->lwp.value, t->pthread.value, lwp->pthread);
    if (s->dialect->thread_by_id(s, ID_LWP, t->lwp.value, &same))
        fault("thread %" PRIu64 " is not found by its id", t->lwp.value);
    else {
        if (s->dialect->thread_compare(s, same, t->handle, &order) || order)
            fault("thread %" PRIu64 " by its id is another", t->lwp.value);
        s->dialect->thread_release(s, same);
    }
    if (t->state.answer) {
        fault("thread %" PRIu64 " has no state: %s", t->lwp.value,
              answer_name(t->state.answer));
        return;
    }
    uint64_t state = t->state.value;
    bool out_of_teams = state == IDLE || state == OVERHEAD || state == UNDEFINED;
    tally.idle += state == IDLE;
    tally.passing += state == OVERHEAD || state == UNDEFINED;
    if (out_of_teams &&
        (t->region_answer != ANSWER_UNAVAILABLE || t->task_answer != ANSWER_UNAVAILABLE ||
         t->num.answer == ANSWER_OK))
        fault("thread %" PRIu64 " in state %s has a place", t->lwp.value,
              state_name(state));
    if (!out_of_teams && t->task == NO_INDEX)
        fault("thread %" PRIu64 " in state %s has no task: %s", t->lwp.value,
              state_name(state), answer_name(t->task_answer));
    if (state == SERIAL && t->region != NO_INDEX)
        fault("thread %" PRIu64 " is serial and in a region", t->lwp.value);
    if (t->region == NO_INDEX)
        return;
    const struct region_facts *region = &snap->regions[t->region];
    tally.nested += region->parent != NO_INDEX;
    int64_t number = number_in(region, t->lwp.value);
    if (number == -1 || (number >= 0 && number != (int64_t)t->num.value))
        fault("thread %" PRIu64 " is number %" PRId64 " and stands at %" PRId64
              " in its region",
              t->lwp.value, (int64_t)t->num.value, number);
}

static void check_rest(const struct snapshot *snap)
{
    for (size_t i = 0; i < snap->region_count; i++) {
        const struct region_facts *r = &snap->regions[i];
        if (r->size.answer || !r->size.value || r->members_answer || r->tasks_answer ||
            r->member_count > r->size.value || r->master.answer ||
            r->id.answer != ANSWER_NEEDS_STATE_TRACKING ||
            r->function.answer != ANSWER_NEEDS_STATE_TRACKING)
            fault("region %zu: size %s, %zu members %s, tasks %s, first %s, id %s, "
                  "function %s",
                  i, answer_name(r->size.answer), r->member_count,
                  answer_name(r->members_answer), answer_name(r->tasks_answer),
                  answer_name(r->master.answer), answer_name(r->id.answer),
                  answer_name(r->function.answer));
    }
    for (size_t i = 0; i < snap->task_count; i++) {
        const struct task_facts *t = &snap->tasks[i];
        tally.tasks++;
        if (t->level.answer || t->implicit.answer ||
            (t->parent_answer && t->parent_answer != ANSWER_UNAVAILABLE) ||
            (t->region_answer && t->region_answer != ANSWER_UNAVAILABLE) ||
            t->id.answer != ANSWER_NEEDS_STATE_TRACKING ||
            t->exit_frame.answer != ANSWER_NEEDS_STATE_TRACKING)
            fault("task %zu: level %s, implicit %s, parent %s, region %s, id %s", i,
                  answer_name(t->level.answer), answer_name(t->implicit.answer),
                  answer_name(t->parent_answer), answer_name(t->region_answer),
                  answer_name(t->id.answer));
    }
}

static bool read_truths(struct target *target, uint64_t words, struct gomp_truth *truths)
{
    if (!target_read(target, words, truths, sizeof *truths * GOMP_TRUTHS))
        return true;
    fault("the program's own table cannot be read");
    return false;
}

static void check(const struct snapshot *snap, uint64_t words)
{
    static struct gomp_truth truths[GOMP_TRUTHS];
    if (snap->threads_answer)
        fault("the threads cannot be listed: %s", answer_name(snap->threads_answer));
    if (!read_truths(snap->session->target, words, truths))
        return;
    for (size_t i = 0; i < snap->thread_count; i++) {
        if (!snap->threads[i].handle)
            continue;
        tally.threads++;
        check_thread(snap, &snap->threads[i]);
    }
    check_rest(snap);
    for (size_t i = 0; i < GOMP_TRUTHS; i++)
        if (truths[i].lwp && truths[i].stable)
            check_word(snap, &truths[i]);
}

static void check_5(struct session *session, uint64_t words)
{
    static struct gomp_truth truths[GOMP_TRUTHS];
    if (read_truths(session->target, words, truths))
        truth_check_extension(session, truths, &extension_tally, fault);
}

/* libompd.so stands beside libompd-2.so. */
static struct session *open_5(struct target *target, const char *library, struct why *why)
{
    char path[4096];
    enum answer answer;
    const char *slash = strrchr(library, '/');
    snprintf(path, sizeof path, "%.*s/libompd.so", (int)(slash - library), library);
    return session_open(target, 5, path, &answer, why);
}

static int number_from(const char *variable, int otherwise)
{
    const char *wanted = getenv(variable);
    return wanted && *wanted ? atoi(wanted) : otherwise;
}

static void pause_randomly(void)
{
    long us = random() % 4 ? random() % 700 : random() % 5000;
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static void watch(struct target *target, const char *library)
{
    struct why why = {""};
    struct symbol words;
    enum answer answer;
    if (!images_symbol(target, NULL, "gomp_truths", &words))
        return (void)tap_ok(false, "the program defines gomp_truths");
    /* Allocations are counted with the one that is opened last. */
    struct session *session_5 = open_5(target, library, &why);
    struct session *session =
        session_5 ? session_open(target, 2, library, &answer, &why) : NULL;
    if (!tap_ok(session != NULL, "the libraries take the process %s", why.text))
        return;
    struct counts opened = session->counts;
    int stops = number_from("OMPD_TRUTH_STOPS", STOPS);
    int64_t leaked = 0;
    for (stop = 0; stop < stops && tally.faults < MAX_FAULTS && leaked <= 0; stop++) {
        if (!target_resume(target, &why))
            break;
        pause_randomly();
        if (!target_stop(target, &why))
            break;
        int64_t alive = session->counts.allocations;
        if (stop % 2) {
            check_5(session_5, words.address);
            if (stop > 1) /* the first time it keeps memory of its own */
                leaked = session->counts.allocations - alive;
            continue;
        }
        struct snapshot *snapshot = snapshot_take(session);
        if (!snapshot)
            break;
        unsigned long before = tally.faults;
        alive = session->counts.allocations;
        check(snapshot, words.address);
        if (tally.faults != before)
            print_json(stderr, snapshot, NULL, NULL);
        leaked = session->counts.allocations - alive;
        snapshot_free(snapshot);
    }
    tap_ok(stop == stops, "stopped %d times of %d %s", stop, stops, why.text);
    tap_ok(tally.faults == 0,
           "no answer contradicts another or the program (%lu of %lu do)", tally.faults,
           tally.fields);
    tap_ok(session->counts.symbols == opened.symbols,
           "no symbol was looked up after initialisation");
    tap_ok(tally.settled > 0 && tally.idle > 0 && tally.nested > 0 &&
               tally.in_explicit > 0 && tally.waits > 0 && tally.foreign > 0,
           "all kinds were met: %lu threads, %lu held against their word, %lu fields, "
           "%lu idle, %lu nested, %lu in explicit tasks, %lu in taskwait or taskgroup, "
           "%lu in passing, %lu never met OpenMP, %lu in a target region, %lu tasks",
           tally.threads, tally.settled, tally.fields, tally.idle, tally.nested,
           tally.in_explicit, tally.waits, tally.passing, tally.foreign, tally.in_target,
           tally.tasks);
    tap_ok(extension_tally.settled > 0 && extension_tally.in_explicit > 0 &&
               extension_tally.barriers > 0 && extension_tally.dependences > 0,
           "and by the extension: %lu threads held against their word, %lu fields, %lu in "
           "explicit tasks, %lu barriers, %lu dependences",
           extension_tally.settled, extension_tally.fields, extension_tally.in_explicit,
           extension_tally.barriers, extension_tally.dependences);
    session_close(session);
    session_close(session_5);
}

/* NULL: the kernel leaves cores in the working directory. */
static const char *no_cores(void)
{
    static char text[256];
    char pattern[128] = "";
    struct rlimit limit;
    FILE *file = fopen("/proc/sys/kernel/core_pattern", "r");
    if (!file || !fgets(pattern, sizeof pattern, file))
        pattern[0] = '|';
    if (file)
        fclose(file);
    if (strchr(pattern, '/') || pattern[0] == '|') {
        pattern[strcspn(pattern, "\n")] = '\0';
        snprintf(text, sizeof text, "cores do not stay in the program's directory (%s)",
                 pattern);
        return text;
    }
    if (getrlimit(RLIMIT_CORE, &limit) || limit.rlim_max == 0)
        return "cores are forbidden here (hard limit 0)";
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    return NULL;
}

/* The only file in the directory whose name begins with "core". Emulators leave theirs under
 * another name, and the kernel the emulator's. */
static bool find_core(const char *directory, char *path, size_t size)
{
    const char *begin = getenv("OMPD_TRUTH_EMULATOR") ? "qemu_" : "core";
    DIR *list = opendir(directory);
    struct dirent *entry;
    bool found = false;
    while (list && (entry = readdir(list)))
        if (!strncmp(entry->d_name, begin, strlen(begin))) {
            snprintf(path, size, "%s/%s", directory, entry->d_name);
            found = true;
        }
    if (list)
        closedir(list);
    return found;
}

static bool check_core(const char *path, const char *library, struct why *why)
{
    struct symbol words;
    enum answer answer;
    struct target *target = core_open(path, why);
    struct session *session =
        target ? session_open(target, 2, library, &answer, why) : NULL;
    struct snapshot *snapshot = session ? snapshot_take(session) : NULL;
    bool ok = snapshot && images_symbol(target, NULL, "gomp_truths", &words);
    if (ok)
        check(snapshot, words.address);
    snapshot_free(snapshot);
    session_close(session);
    target_close(target);
    return ok;
}

/* The same program, dead: each core is one stop more. */
static void autopsies(char *const program[], const char *library)
{
    static char directory[] = "/tmp/ompd-gomp-truth-XXXXXX";
    char path[512], home[4096];
    const char *reason = no_cores();
    if (reason || !getcwd(home, sizeof home) || !mkdtemp(directory) || chdir(directory))
        return (void)printf("ok %d - the same of cores # SKIP %s\n", ++tap_cases,
                            reason ? reason : "no directory for them");
    struct why why = {""};
    unsigned long settled = tally.settled, faults = tally.faults;
    int cores = 0, wanted = number_from("OMPD_TRUTH_CORES", CORES);
    for (; cores < wanted; cores++, stop++) {
        struct spawned spawned = spawn_bare_ready(program, 30);
        if (!spawned.pid)
            break;
        nanosleep(&(struct timespec){.tv_nsec = random() % 20000000}, NULL);
        kill(spawned.pid, SIGABRT);
        waitpid(spawned.pid, NULL, 0);
        close(spawned.out);
        if (!find_core(directory, path, sizeof path) || !check_core(path, library, &why))
            break;
        unlink(path);
        unlink("core");
    }
    if (find_core(directory, path, sizeof path))
        unlink(path);
    if (chdir(home) == 0)
        rmdir(directory);
    tap_ok(cores == wanted && tally.faults == faults,
           "%d cores of %d are read, %lu threads of them agree with their word %s", cores,
           wanted, tally.settled - settled, why.text);
}

/* A core that somebody else made. */
static int look_at_core(const char *path, const char *library)
{
    struct why why = {""};
    bool read = check_core(path, library, &why);
    tap_ok(read && tally.faults == 0 && tally.settled > 0 && tally.nested > 0,
           "the core is read: %lu threads, %lu held against their word, %lu fields, "
           "%lu nested, %lu in explicit tasks, %lu never met OpenMP (%lu faults) %s",
           tally.threads, tally.settled, tally.fields, tally.nested, tally.in_explicit,
           tally.foreign, tally.faults, why.text);
    return tap_end();
}

int main(int argc, char **argv)
{
    bool core = argc == 3 && !strcmp(argv[1], "--core");
    if ((argc > 2 && !core) || (argc == 2 && !argv[1][0])) {
        fprintf(stderr, "usage: test-gomp-truth [PROGRAM | --core FILE]\n");
        return 2;
    }
    const char *build = getenv("top_builddir"), *stage = getenv("stage");
    const char *seed = getenv("OMPD_TRUTH_SEED");
    char name[4096], library[4096];
    snprintf(name, sizeof name, "%s/testsuite/host/gomp-truth-target",
             build ? build : ".");
    snprintf(library, sizeof library, "%s/lib/libompd-2.so", stage ? stage : "stage");
    if (core)
        return look_at_core(argv[2], library);
    /* The directory changes before the program is started for the last time. */
    char *file = realpath(argc == 2 ? argv[1] : name, NULL);
    char *emulator = getenv("OMPD_TRUTH_EMULATOR");
    char *program[] = {emulator ? emulator : file, emulator ? file : NULL, NULL};
    if (!file) {
        perror(argc == 2 ? argv[1] : name);
        return 1;
    }
    unsigned start = seed ? (unsigned)atoi(seed) : (unsigned)time(NULL);
    srandom(start);
    printf("# OMPD_TRUTH_SEED=%u\n", start);

    struct spawned spawned = spawn_bare_ready(program, 30);
    struct why why = {""};
    struct target *target = spawned.pid ? live_open(spawned.pid, &why) : NULL;
    if (tap_ok(target != NULL, "the program runs and is attached %s", why.text))
        watch(target, library);
    target_close(target);
    spawn_kill(&spawned);
    autopsies(program, library);
    free(file);
    return tap_end();
}
