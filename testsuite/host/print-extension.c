/* SPDX-License-Identifier: MIT
 *
 * What the extension tells: threads, runtimes, regions, tasks, what they wait for, locks,
 * barriers.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>

#include "extension.h"
#include "print.h"

static uint64_t lwp_of(const struct extension *x, const ompd_ext_object_t *thread)
{
    for (ompd_size_t i = 0; i < x->threads.count; i++)
        if (x->threads.items[i].thread.id == thread->id)
            return x->threads.items[i].lwp;
    return 0;
}

/* Words of an enumeration of the extension, whose values begin with 1. */
static const char *word(const char *const *words, size_t count, uint32_t value)
{
    return value >= 1 && value <= count ? words[value - 1] : "?";
}
#define WORD(words, value) word(words, sizeof words / sizeof *words, value)

static const char *const task_kinds[] = {"initial", "implicit", "explicit"};
static const char *const task_states[] = {"created",   "ready",     "waiting", "running",
                                          "suspended", "completed", "detached"};
static const char *const depend_kinds[] = {"in", "out", "mutexinoutset", "inoutset", "?"};
static const char *const lock_kinds[] = {"lock", "nest lock", "critical", "atomic"};

/* A hostile library is none of this host's worries, a wrong index would be. */
static bool waiters_fit(const struct extension *x)
{
    for (ompd_size_t i = 0; i < x->locks.count; i++)
        if (x->locks.items[i].first_waiter > x->waiters.count ||
            x->locks.items[i].waiters > x->waiters.count - x->locks.items[i].first_waiter)
            return false;
    return true;
}

static const char *const runtime_kinds[] = {"libgomp", "libomp"};
static const char *const recorded_words[] = {"yes", "no hooks", "off", "other", "not called"};

static const char *name_of_runtime(const struct extension *x, ompd_size_t i)
{
    return x->files && x->files[i] ? x->files[i] : "?";
}

static void json_runtimes(FILE *out, const struct extension *x)
{
    fprintf(out, ",\n\"runtimes_answer\":\"%s\",\"runtimes\":[", answer_name(x->runtimes.answer));
    for (ompd_size_t i = 0; i < x->runtimes.count; i++) {
        const ompd_ext_runtime_t *r = &x->runtimes.items[i];
        fprintf(out,
                "%s\n{\"known\":%" PRIu64 ",\"number\":%u,\"kind\":\"%s\","
                "\"recorded\":\"%s\",\"threads\":%u,\"first_version\":%u,"
                "\"last_version\":%u,\"file\":",
                i ? "," : "", r->known, r->number, WORD(runtime_kinds, r->kind),
                WORD(recorded_words, r->recorded), r->threads, r->first_version, r->last_version);
        json_string(out, name_of_runtime(x, i));
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

static void json_threads(FILE *out, const struct extension *x)
{
    fprintf(out, "\"threads_answer\":\"%s\",\"threads\":[", answer_name(x->threads.answer));
    for (ompd_size_t i = 0; i < x->threads.count; i++) {
        const ompd_ext_thread_t *t = &x->threads.items[i];
        fprintf(out,
                "%s\n{\"known\":%" PRIu64 ",\"lwp\":%" PRIu64 ",\"pthread\":%" PRIu64
                ",\"state\":%u,\"num\":%u,\"team\":%u,\"level\":%u,\"wait_id\":%" PRIu64
                ",\"codeptr\":%" PRIu64 ",\"frame\":%" PRIu64 ",\"region\":%" PRIu64
                ",\"task\":%" PRIu64 ",\"id\":%" PRIu64 ",\"runtime\":%" PRIu64 "}",
                i ? "," : "", t->known, t->lwp, t->pthread, t->state, t->thread_num, t->team_size,
                t->level, t->wait_id, t->codeptr, t->frame, t->region.id, t->task.id, t->thread.id,
                t->runtime);
    }
    fprintf(out, "]");
}

static void json_regions(FILE *out, const struct extension *x)
{
    fprintf(out, ",\n\"regions_answer\":\"%s\",\"regions\":[", answer_name(x->regions.answer));
    for (ompd_size_t i = 0; i < x->regions.count; i++) {
        const ompd_ext_region_t *r = &x->regions.items[i];
        fprintf(out,
                "%s\n{\"known\":%" PRIu64 ",\"id\":%" PRIu64 ",\"threads\":%u,"
                "\"level\":%u,\"enclosing\":%" PRIu64 ",\"runtime\":%" PRIu64 "}",
                i ? "," : "", r->known, r->region.id, r->num_threads, r->level, r->enclosing.id,
                r->runtime);
    }
    fprintf(out, "]");
}

static void json_tasks(FILE *out, struct target *target, const struct extension *x)
{
    fprintf(out, ",\n\"tasks_answer\":\"%s\",\"tasks\":[", answer_name(x->tasks.answer));
    for (ompd_size_t i = 0; i < x->tasks.count; i++) {
        const ompd_ext_task_t *t = &x->tasks.items[i];
        fprintf(out,
                "%s\n{\"id\":%" PRIu64 ",\"serial\":%" PRIu64
                ",\"kind\":\"%s\",\"state\":\"%s\",\"flags\":%u"
                ",\"level\":%u,\"function\":%" PRIu64 ",\"parent\":%" PRIu64 ",\"region\":%" PRIu64
                ",\"thread\":%" PRIu64 ",\"place\":",
                i ? "," : "", t->task.id, t->serial, WORD(task_kinds, t->kind),
                WORD(task_states, t->state), t->flags, t->level, t->function, t->parent.id,
                t->region.id, lwp_of(x, &t->thread));
        json_call_place(out, target, t->codeptr);
        fprintf(out, "}");
    }
    fprintf(out, "],\n\"dependences_answer\":\"%s\",\"dependences\":[",
            answer_name(x->dependences.answer));
    for (ompd_size_t i = 0; i < x->dependences.count; i++) {
        const ompd_ext_dependence_t *d = &x->dependences.items[i];
        fprintf(out,
                "%s\n{\"predecessor\":%" PRIu64 ",\"successor\":%" PRIu64 ",\"address\":%" PRIu64
                ",\"predecessor_kind\":\"%s\""
                ",\"successor_kind\":\"%s\"}",
                i ? "," : "", d->predecessor.id, d->successor.id, d->address,
                WORD(depend_kinds, d->predecessor_kind), WORD(depend_kinds, d->successor_kind));
    }
    fprintf(out, "]");
}

void json_extension(FILE *out, struct target *target, const struct extension *x)
{
    fprintf(out,
            ",\n\"extension\":{\"version\":%" PRId64 ",\"omp_version\":%" PRId64 ",\"omp_name\":",
            x->version, x->omp_version);
    json_string(out, x->omp_name ? x->omp_name : "?");
    fprintf(out, ",");
    json_threads(out, x);
    json_runtimes(out, x);
    json_regions(out, x);
    json_tasks(out, target, x);
    fprintf(out, ",\n\"locks_answer\":\"%s\",\"locks\":[", answer_name(x->locks.answer));
    for (ompd_size_t i = 0; waiters_fit(x) && i < x->locks.count; i++) {
        const ompd_ext_lock_t *l = &x->locks.items[i];
        fprintf(out,
                "%s\n{\"address\":%" PRIu64 ",\"kind\":\"%s\",\"count\":%u"
                ",\"owner\":%" PRIu64 ",\"owner_task\":%" PRIu64 ",\"waiters\":[",
                i ? "," : "", l->address, WORD(lock_kinds, l->kind), l->count, lwp_of(x, &l->owner),
                l->owner_task.id);
        for (uint64_t w = 0; w < l->waiters; w++)
            fprintf(out, "%s%" PRIu64, w ? "," : "",
                    lwp_of(x, &x->waiters.items[l->first_waiter + w]));
        fprintf(out, "]}");
    }
    fprintf(out, "],\n\"barriers_answer\":\"%s\",\"barriers\":[", answer_name(x->barriers.answer));
    for (ompd_size_t i = 0; i < x->barriers.count; i++) {
        const ompd_ext_barrier_t *b = &x->barriers.items[i];
        fprintf(out,
                "%s{\"region\":%" PRIu64 ",\"team\":%u,\"members\":%u,\"arrived\":%u"
                ",\"state\":%u}",
                i ? "," : "", b->region.id, b->team_size, b->members, b->arrived, b->state);
    }
    fprintf(out, "]}");
}
