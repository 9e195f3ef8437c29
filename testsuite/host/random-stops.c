/* SPDX-License-Identifier: MIT
 *
 * random-stops.h.
 */
#define _GNU_SOURCE
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "elf-image.h"
#include "random-stops.h"
#include "registers.h"
#include "tap.h"

char *built_program(const char *name, char path[PATH_BYTES])
{
    const char *build = getenv("top_builddir");
    snprintf(path, PATH_BYTES, "%s/testsuite/host/%s", build ? build : ".", name);
    return path;
}

char *staged_library(const char *name, char path[PATH_BYTES])
{
    const char *stage = getenv("stage");
    snprintf(path, PATH_BYTES, "%s/lib/%s", stage ? stage : "stage", name);
    return path;
}

int number_from(const char *variable, int otherwise)
{
    const char *wanted = getenv(variable);
    return wanted && *wanted ? atoi(wanted) : otherwise;
}

void seed_from(const char *variable)
{
    const char *wanted = getenv(variable);
    unsigned seed = wanted ? (unsigned)atoi(wanted) : (unsigned)time(NULL);
    srandom(seed);
    printf("# %s=%u\n", variable, seed);
}

bool address_of(struct target *target, const char *name, uint64_t *address)
{
    struct symbol symbol;
    if (!images_symbol(target, NULL, name, &symbol))
        return false;
    *address = symbol.address;
    return true;
}

bool held_begin(struct held *held, char *const argv[], bool recorded)
{
    *held = (struct held){
        .spawned = recorded ? spawn_ready(argv, 60) : spawn_bare_ready(argv, 60),
    };
    held->target = held->spawned.pid ? live_open(held->spawned.pid, &held->why) : NULL;
    return tap_ok(held->target != NULL, "the program runs and is attached %s", held->why.text);
}

void held_end(struct held *held)
{
    target_close(held->target);
    spawn_kill(&held->spawned);
}

static void pause_for(long us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

int random_stops(struct target *target, int most, long longest_us, struct why *why,
                 enum verdict (*oracle)(void *arg, int stop), void *arg)
{
    enum verdict verdict = GO_ON;
    int stop = 0;
    while (stop < most && verdict == GO_ON) {
        if (!target_resume(target, why))
            break;
        /* Mostly short, to land in different phases; sometimes long enough for a round. */
        long longest = longest_us ? longest_us : random() % 4 ? 700 : 5000;
        pause_for(random() % longest);
        if (!target_stop(target, why))
            break;
        verdict = oracle(arg, stop);
        if (verdict != BROKEN)
            stop++;
    }
    return stop;
}

struct lwp *lwp_between(struct target *target, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < target->lwp_count; i++) {
        uint64_t counter;
        if (lwp_program_counter(&target->lwps[i], &counter) && counter >= low && counter < high)
            return &target->lwps[i];
    }
    return NULL;
}

struct lwp *catch_at(struct target *target, uint64_t at, long us, struct why *why, bool *broken)
{
    static const unsigned char jump_to_self[JUMP_BYTES] = {0xeb, 0xfe};
    unsigned char bytes[JUMP_BYTES];
    if (lwp_between(target, at + 1, at + JUMP_BYTES) ||
        target_read(target, at, bytes, sizeof bytes) ||
        target_write(target, at, jump_to_self, sizeof bytes))
        return NULL;
    *broken = !target_resume(target, why);
    pause_for(us);
    *broken = *broken || !target_stop(target, why) || target_write(target, at, bytes, sizeof bytes);
    return *broken ? NULL : lwp_between(target, at, at + 1);
}
