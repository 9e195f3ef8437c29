/* SPDX-License-Identifier: MIT
 *
 * Stops a program that nobody prepared at random instructions and holds what the library
 * says of every thread against the program's own word: number, team, levels, ancestors,
 * the kind of its task, and what it may be waiting for. Threads on their way into or out
 * of a team must be reported as such, and never while they are in user code. Every other
 * stop is read by libompd.so and its extension, with the regions and tasks of the whole
 * process.
 *
 * OMPD_TRUTH_STOPS and OMPD_TRUTH_CORES set the number of stops and cores,
 * OMPD_TRUTH_SEED the seed. OMPD_TRUTH_EMULATOR is a qemu that runs a program of another
 * machine.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf-image.h"
#include "gomp-truth-check.h"
#include "print.h"
#include "random-stops.h"
#include "snapshot.h"
#include "tap.h"

enum { STOPS = 400, CORES = 8, MAX_FAULTS = 20 };

static int stop;
static void find_runtime(struct target *target)
{
    struct symbol unused;
    truth_is_kmp = images_symbol(target, NULL, "__kmpc_fork_call", &unused);
}

struct watch {
    struct session *session, *session_5;
    uint64_t words;
    int64_t leaked;
};

static enum verdict look(void *arg, int at)
{
    struct watch *w = arg;
    int64_t alive = w->session->counts.allocations;
    truth_at("stop %d", at);
    if (at % 2) {
        truth_check_5(w->session_5, w->words);
        if (at > 1) /* the first time it keeps memory of its own */
            w->leaked = w->session->counts.allocations - alive;
    } else {
        struct snapshot *snapshot = snapshot_take(w->session);
        if (!snapshot)
            return BROKEN;
        unsigned long before = truth_tally.faults;
        alive = w->session->counts.allocations;
        truth_check(snapshot, w->words);
        if (truth_tally.faults != before)
            print_json(stderr, snapshot, NULL, NULL);
        w->leaked = w->session->counts.allocations - alive;
        snapshot_free(snapshot);
    }
    return truth_tally.faults < MAX_FAULTS && w->leaked <= 0 ? GO_ON : ENOUGH;
}

static void watch(struct target *target, const char *library)
{
    struct why why = {""};
    struct watch w = {0};
    enum answer answer;
    if (!address_of(target, "gomp_truths", &w.words))
        return (void)tap_ok(false, "the program defines gomp_truths");
    find_runtime(target);
    /* Allocations are counted with the one that is opened last. */
    w.session_5 = truth_open_5(target, library, &why);
    w.session = w.session_5 ? session_open(target, 2, library, &answer, &why) : NULL;
    if (!tap_ok(w.session != NULL, "the libraries take the process %s", why.text))
        return;
    struct counts opened = w.session->counts;
    int stops = number_from("OMPD_TRUTH_STOPS", STOPS);
    stop = random_stops(target, stops, 0, &why, look, &w);
    tap_ok(stop == stops, "stopped %d times of %d %s", stop, stops, why.text);
    tap_ok(truth_tally.faults == 0, "no answer contradicts another or the program (%lu of %lu do)",
           truth_tally.faults, truth_tally.fields);
    tap_ok(w.session->counts.symbols == opened.symbols,
           "no symbol was looked up after initialisation");
    tap_ok(truth_tally.settled > 0 && truth_tally.idle > 0 && truth_tally.nested > 0 &&
               truth_tally.in_explicit > 0 && truth_tally.waits > 0 && truth_tally.foreign > 0,
           "all kinds were met: %lu threads, %lu held against their word, %lu fields, "
           "%lu idle, %lu nested, %lu in explicit tasks, %lu in taskwait or taskgroup, "
           "%lu in passing, %lu never met OpenMP, %lu in a target region, %lu tasks",
           truth_tally.threads, truth_tally.settled, truth_tally.fields, truth_tally.idle,
           truth_tally.nested, truth_tally.in_explicit, truth_tally.waits, truth_tally.passing,
           truth_tally.foreign, truth_tally.in_target, truth_tally.tasks);
    tap_ok(truth_extension_tally.settled > 0 && truth_extension_tally.in_explicit > 0 &&
               truth_extension_tally.barriers > 0 && truth_extension_tally.dependences > 0,
           "and by the extension: %lu threads held against their word, %lu fields, %lu in "
           "explicit tasks, %lu barriers, %lu dependences",
           truth_extension_tally.settled, truth_extension_tally.fields,
           truth_extension_tally.in_explicit, truth_extension_tally.barriers,
           truth_extension_tally.dependences);
    session_close(w.session);
    session_close(w.session_5);
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
        snprintf(text, sizeof text, "cores do not stay in the program's directory (%s)", pattern);
        return text;
    }
    if (getrlimit(RLIMIT_CORE, &limit) || limit.rlim_max == 0)
        return "cores are forbidden here (hard limit 0)";
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    return NULL;
}

/* The only file in the directory whose name begins with "core". Emulators leave theirs
 * under another name, and the kernel the emulator's. */
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
    struct session *session = target ? session_open(target, 2, library, &answer, why) : NULL;
    struct snapshot *snapshot = session ? snapshot_take(session) : NULL;
    bool ok = snapshot && images_symbol(target, NULL, "gomp_truths", &words);
    truth_at("core %d", stop);
    if (ok) {
        find_runtime(target);
        truth_check(snapshot, words.address);
    }
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
        return tap_skip("the same of cores", reason ? reason : "no directory for them");
    struct why why = {""};
    unsigned long settled = truth_tally.settled, faults = truth_tally.faults;
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
    tap_ok(cores == wanted && truth_tally.faults == faults,
           "%d cores of %d are read, %lu threads of them agree with their word %s", cores, wanted,
           truth_tally.settled - settled, why.text);
}

/* A core that somebody else made. */
static int look_at_core(const char *path, const char *library)
{
    struct why why = {""};
    bool read = check_core(path, library, &why);
    tap_ok(read && truth_tally.faults == 0 && truth_tally.settled > 0 && truth_tally.nested > 0,
           "the core is read: %lu threads, %lu held against their word, %lu fields, "
           "%lu nested, %lu in explicit tasks, %lu never met OpenMP (%lu faults) %s",
           truth_tally.threads, truth_tally.settled, truth_tally.fields, truth_tally.nested,
           truth_tally.in_explicit, truth_tally.foreign, truth_tally.faults, why.text);
    return tap_end();
}

int main(int argc, char **argv)
{
    bool core = argc == 3 && !strcmp(argv[1], "--core");
    if ((argc > 2 && !core) || (argc == 2 && !argv[1][0])) {
        fprintf(stderr, "usage: test-gomp-truth [PROGRAM | --core FILE]\n");
        return 2;
    }
    char name[PATH_BYTES], library[PATH_BYTES];
    built_program("gomp-truth-target", name);
    staged_library("libompd-2.so", library);
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
    struct held held;
    seed_from("OMPD_TRUTH_SEED");
    if (held_begin(&held, program, false))
        watch(held.target, library);
    held_end(&held);
    autopsies(program, library);
    free(file);
    return tap_end();
}
