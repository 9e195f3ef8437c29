/* SPDX-License-Identifier: MIT
 *
 * What the extension tells of programs that nobody prepared, at rest in one situation
 * each: barriers by their counts. A program may take a moment to get there, so it is
 * asked again for some seconds before an answer is called wrong.
 */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "extension.h"
#include "session.h"
#include "spawn.h"
#include "tap.h"

enum { STATE_BARRIER = 0x010, STATE_IMPLICIT = 0x013 };

/* In the order of their sizes. */
struct expected {
    uint32_t team, members, arrived, state;
};

static bool has_barriers(const struct extension *x, const struct expected *expected)
{
    unsigned count = 0;
    for (; expected[count].team; count++) {
        unsigned found = 0;
        for (ompd_size_t i = 0; i < x->barriers.count; i++) {
            const ompd_ext_barrier_t *b = &x->barriers.items[i];
            found += b->team_size == expected[count].team &&
                     b->members == expected[count].members &&
                     b->arrived == expected[count].arrived &&
                     b->state == expected[count].state;
        }
        if (found != 1)
            return false;
    }
    return x->barriers.answer == ANSWER_OK && x->barriers.count == count;
}

static void show_barriers(const struct extension *x)
{
    printf("# barriers: %s\n", answer_name(x->barriers.answer));
    for (ompd_size_t i = 0; i < x->barriers.count; i++) {
        const ompd_ext_barrier_t *b = &x->barriers.items[i];
        printf("#   team %u members %u arrived %u state %#x\n", b->team_size, b->members,
               b->arrived, b->state);
    }
}

static struct session *open_session(struct target *target)
{
    struct why why = {""};
    enum answer answer;
    char path[4096];
    const char *stage = getenv("stage");
    snprintf(path, sizeof path, "%s/lib/libompd.so", stage ? stage : "stage");
    struct session *session = session_open(target, 5, path, &answer, &why);
    if (!session)
        printf("# %s\n", why.text);
    return session;
}

/* Asks until it is right or has been wrong for too long. */
static bool comes_to(struct target *target, const struct expected *expected)
{
    struct session *session = open_session(target);
    bool right = false;
    for (int i = 0; session && i < 100 && !right; i++) {
        struct extension x;
        struct why why = {""};
        if (i) {
            target_resume(target, &why);
            usleep(50000);
            target_stop(target, &why);
        }
        right = extension_take(session, &x) && has_barriers(&x, expected);
        if (i == 99)
            show_barriers(&x);
        extension_free(&x);
    }
    if (session)
        session_close(session);
    return right;
}

static void look(const char *situation, const struct expected *expected)
{
    const char *build = getenv("top_builddir");
    char path[4096], name[16];
    snprintf(path, sizeof path, "%s/testsuite/host/gomp-still", build ? build : ".");
    snprintf(name, sizeof name, "%s", situation);
    char *program[] = {path, name, NULL};
    struct spawned spawned = spawn_bare_ready(program, 60);
    struct why why = {""};
    struct target *target = spawned.pid ? live_open(spawned.pid, &why) : NULL;
    tap_ok(target && comes_to(target, expected), "barriers: %s %s", situation, why.text);
    target_close(target);
    spawn_kill(&spawned);
}

int main(void)
{
    look("explicit", (const struct expected[]){{4, 4, 3, STATE_BARRIER}, {0}});
    look("single", (const struct expected[]){{4, 4, 3, STATE_BARRIER}, {0}});
    look("end", (const struct expected[]){{4, 4, 2, STATE_IMPLICIT}, {0}});
    look("two", (const struct expected[]){
                    {4, 4, 1, STATE_BARRIER}, {4, 4, 1, STATE_IMPLICIT}, {0}});
    look("tasks", (const struct expected[]){{4, 4, 4, STATE_BARRIER}, {0}});
    look("nested", (const struct expected[]){
                       {3, 3, 2, STATE_BARRIER}, {2, 1, 1, STATE_BARRIER}, {0}});
    return tap_end();
}
