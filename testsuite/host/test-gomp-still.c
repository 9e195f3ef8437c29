/* SPDX-License-Identifier: MIT
 *
 * What the extension tells of programs that nobody prepared, at rest in one situation
 * each: barriers by their counts, locks by their addresses,
 * tasks and what they wait for. A program may take a moment
 * to get there, so it is asked again for some seconds before an answer is called wrong.
 */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf-image.h"
#include "extension.h"
#include "session.h"
#include "random-stops.h"
#include "tap.h"

enum { STATE_BARRIER = 0x010, STATE_IMPLICIT = 0x013 };

/* In the order of their sizes. */
struct expected {
    uint32_t team, members, arrived, state;
};

static bool has_barriers(struct session *s, const struct extension *x,
                         const struct expected *expected)
{
    (void)s;
    unsigned count = 0;
    for (; expected[count].team; count++) {
        unsigned found = 0;
        for (ompd_size_t i = 0; i < x->barriers.count; i++) {
            const ompd_ext_barrier_t *b = &x->barriers.items[i];
            found += b->team_size == expected[count].team &&
                     b->members == expected[count].members &&
                     b->arrived == expected[count].arrived && b->state == expected[count].state;
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
    char path[PATH_BYTES];
    struct session *session =
        session_open(target, 5, staged_library("libompd.so", path), &answer, &why);
    if (!session)
        printf("# %s\n", why.text);
    return session;
}

static bool find(struct session *s, const char *name, uint64_t *address)
{
    struct symbol symbol;
    bool found = images_symbol(s->target, NULL, name, &symbol);
    *address = found ? symbol.address : 0;
    return found;
}

static bool is_lock(struct session *s, const char *name, ompd_ext_lock_kind_t kind,
                    ompd_ext_lock_t *lock)
{
    uint64_t address;
    return find(s, name, &address) && extension_lock(s, address, kind, lock) == ANSWER_OK;
}

static bool knows(const ompd_ext_lock_t *lock, int field)
{
    return lock->known >> field & 1;
}

/* Held by the thread with that number, `count` times, by a task of that kind. */
static bool owned_by(struct session *s, const struct extension *x, const char *name,
                     uint32_t number, uint32_t count, bool by_current)
{
    ompd_ext_lock_t lock;
    if (!is_lock(s, name, ompd_ext_lock_nest, &lock) || lock.count != count ||
        !knows(&lock, OMPD_EXT_LOCK_OWNER) || !knows(&lock, OMPD_EXT_LOCK_OWNER_TASK))
        return false;
    for (ompd_size_t i = 0; i < x->threads.count; i++) {
        const ompd_ext_thread_t *t = &x->threads.items[i];
        if (t->thread.id == lock.owner.id)
            return t->thread_num == number && (t->task.id == lock.owner_task.id) == by_current;
    }
    return false;
}

static bool has_locks(struct session *s, const struct extension *x, const struct expected *none)
{
    ompd_ext_lock_t simple, wanted, free, nest;
    uint64_t address;
    (void)none;
    return is_lock(s, "simple_lock", ompd_ext_lock_simple, &simple) &&
           is_lock(s, "wanted_lock", ompd_ext_lock_simple, &wanted) &&
           is_lock(s, "free_lock", ompd_ext_lock_simple, &free) &&
           is_lock(s, "free_nest", ompd_ext_lock_nest, &nest) && simple.count == 1 &&
           !knows(&simple, OMPD_EXT_LOCK_OWNER) && wanted.count == 1 && !free.count &&
           knows(&free, OMPD_EXT_LOCK_COUNT) && !nest.count && !knows(&nest, OMPD_EXT_LOCK_OWNER) &&
           owned_by(s, x, "nest_lock", 1, 2, true) && owned_by(s, x, "task_nest", 2, 1, true) &&
           find(s, "no_lock", &address) &&
           extension_lock(s, address, ompd_ext_lock_simple, &free) == ANSWER_BAD_INPUT &&
           extension_lock(s, 16, ompd_ext_lock_simple, &free) == ANSWER_READ_ERROR;
}

static unsigned in_state(const struct extension *x, uint32_t state)
{
    unsigned count = 0;
    for (ompd_size_t i = 0; i < x->tasks.count; i++)
        count +=
            x->tasks.items[i].kind == ompd_ext_task_explicit && x->tasks.items[i].state == state;
    return count;
}

static unsigned waits_over(const struct extension *x, uint64_t address, uint32_t predecessor,
                           uint32_t successor)
{
    unsigned count = 0;
    for (ompd_size_t i = 0; i < x->dependences.count; i++) {
        const ompd_ext_dependence_t *d = &x->dependences.items[i];
        count += d->address == address && d->predecessor_kind == predecessor &&
                 d->successor_kind == successor;
    }
    return count;
}

/* The writer of item_a is waited for by two readers and by the next writer, who waits for
 * the readers as well. */
static bool has_dependences(struct session *s, const struct extension *x,
                            const struct expected *none)
{
    uint64_t a, d;
    (void)none;
    return x->tasks.answer == ANSWER_OK && x->dependences.answer == ANSWER_OK &&
           find(s, "item_a", &a) && find(s, "item_d", &d) &&
           in_state(x, ompd_ext_task_running) == 1 && in_state(x, ompd_ext_task_detached) == 1 &&
           in_state(x, ompd_ext_task_ready) == 1 && in_state(x, ompd_ext_task_waiting) == 5 &&
           x->dependences.count == 7 &&
           waits_over(x, a, ompd_ext_depend_out, ompd_ext_depend_in) == 2 &&
           waits_over(x, a, ompd_ext_depend_out, ompd_ext_depend_out) == 1 &&
           waits_over(x, a, ompd_ext_depend_in, ompd_ext_depend_out) == 2 &&
           waits_over(x, d, ompd_ext_depend_out, ompd_ext_depend_out) == 2;
}

typedef bool rightness(struct session *s, const struct extension *x,
                       const struct expected *expected);

/* Asks until it is right or has been wrong for too long. */
static bool comes_to(struct target *target, rightness *is_right, const struct expected *expected)
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
        right = extension_take(session, &x) && is_right(session, &x, expected);
        if (i == 99)
            show_barriers(&x);
        extension_free(&x);
    }
    if (session)
        session_close(session);
    return right;
}

static void look(const char *situation, rightness *is_right, const struct expected *expected)
{
    char path[PATH_BYTES], name[16];
    snprintf(name, sizeof name, "%s", situation);
    char *program[] = {built_program("gomp-still", path), name, NULL};
    struct spawned spawned = spawn_bare_ready(program, 60);
    struct why why = {""};
    struct target *target = spawned.pid ? live_open(spawned.pid, &why) : NULL;
    tap_ok(target && comes_to(target, is_right, expected), "%s %s", situation, why.text);
    target_close(target);
    spawn_kill(&spawned);
}

int main(void)
{
    look("two", has_barriers,
         (const struct expected[]){{4, 4, 1, STATE_BARRIER}, {4, 4, 1, STATE_IMPLICIT}, {0}});
    look("dependences", has_dependences, NULL);
    look("locks", has_locks, NULL);
    return tap_end();
}
