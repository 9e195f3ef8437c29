/* SPDX-License-Identifier: MIT
 *
 * All threads of a process with two witnesses. Each list is read once; threads are
 * matched by what glibc has of them, teams by the members that both have in them.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* What one witness says of a thread. */
struct said {
    struct instance *witness;
    struct ref ref;
    struct thread_facts facts;
};

/* A thread among those of the runtimes, by what glibc has of it and in the order of places. */
struct key {
    uint64_t pthread, lwp;
    size_t index;
};

/* A team or a region, among those that threads are in. */
struct named {
    uint64_t id;
    size_t index;
};

_Static_assert(sizeof(struct key) <= ARRAY_ELEMENT_MAX, "keys are sorted");

struct survey {
    struct recorded *state;
    struct array records, runtime; /* of struct said */
    struct array keys;             /* of struct key: threads of the runtimes */
    struct array matched;          /* of bool: by index, has the thread a record? */
    struct array regions, region_names; /* of struct recorded_region; struct named */
    struct array teams, team_names;     /* of struct recorded_team; struct named */
};

static bool key_before(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    return a->pthread != b->pthread ? a->pthread < b->pthread
           : a->lwp != b->lwp       ? a->lwp < b->lwp
                                    : a->index < b->index;
}

static bool name_before(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    return a->id < b->id;
}

struct gathering {
    struct instance *witness;
    struct collector collector;
};

static bool take(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct gathering *gathering = arg;
    struct said said = {gathering->witness, ref, *facts};
    return collect(&gathering->collector, &said);
}

static enum rc gather(struct instance *witness, struct array *out)
{
    struct gathering gathering = {witness, {out, SIZE_MAX, RC_OK}};
    enum rc rc = ON(witness, each_thread, take, &gathering);
    return rc_join(rc, gathering.collector.rc);
}

/* The same of all runtimes; RC_UNAVAILABLE: none of them has threads. */
static enum rc gather_runtimes(struct survey *s)
{
    enum rc all = RC_UNAVAILABLE;
    for (struct instance *i = NULL; (i = recorded_next(s->state, i));) {
        enum rc rc = gather(i, &s->runtime);
        if (rc == RC_NOMEM)
            return rc;
        if (rc == RC_UNAVAILABLE)
            continue;
        bool is_part = all != RC_UNAVAILABLE && rc_is_answer(rc) != rc_is_answer(all);
        all = all == RC_UNAVAILABLE ? rc : is_part ? RC_INCOMPLETE : rc_join(all, rc);
    }
    return all;
}

/* The next runtime's word of a thread, whose key `at` is; NULL: no further one knows it. */
static const struct said *next_word(const struct survey *s,
                                    const struct thread_facts *record, size_t *at)
{
    const struct key *all = s->keys.elements;
    if (record->pthread.known != KNOWN || record->lwp.known != KNOWN ||
        *at >= s->keys.count || all[*at].pthread != record->pthread.value ||
        all[*at].lwp != record->lwp.value)
        return NULL;
    return (const struct said *)s->runtime.elements + all[(*at)++].index;
}

static size_t first_word(const struct survey *s, const struct thread_facts *record)
{
    struct key key = {.pthread = record->pthread.value, .lwp = record->lwp.value};
    return array_lower(&s->keys, &key, key_before);
}

static enum rc add_keys(struct survey *s)
{
    const struct said *all = s->runtime.elements;
    for (size_t i = 0; i < s->runtime.count; i++) {
        struct key key = {all[i].facts.pthread.value, all[i].facts.lwp.value, i};
        static const bool not_yet;
        enum rc rc = array_add(&s->matched, &not_yet);
        if (rc == RC_OK && all[i].facts.pthread.known == KNOWN &&
            all[i].facts.lwp.known == KNOWN)
            rc = array_add(&s->keys, &key);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(&s->keys, key_before);
    return RC_OK;
}

static struct recorded_thread thread_at(const struct said *record,
                                        const struct said *runtime)
{
    struct recorded_thread thread = {.has_record = record, .has_runtime = runtime};
    if (record) {
        thread.record = record->ref;
        thread.by_record = record->facts;
    }
    if (runtime) {
        thread.memory = runtime->witness;
        thread.runtime = runtime->ref;
        thread.by_runtime = runtime->facts;
    }
    return thread;
}

/* The ids that threads have as their region, each once. */
static enum rc add_names(const struct array *threads, struct array *names,
                         struct array *refs)
{
    const struct said *all = threads->elements;
    for (size_t i = 0; i < threads->count; i++) {
        const struct ref_fact *region = &all[i].facts.region;
        struct named named = {region->ref.id, i};
        if (region->known != KNOWN || !region->ref.id)
            continue;
        enum rc rc = array_add(names, &named);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(names, name_before);
    struct named *name = names->elements;
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (kept && name[kept - 1].id == name[i].id)
            continue;
        enum rc rc = array_add(refs, &all[name[i].index].facts.region.ref);
        if (rc != RC_OK)
            return rc;
        name[kept] = (struct named){name[i].id, kept};
        kept++;
    }
    names->count = kept;
    return RC_OK;
}

static enum rc add_regions(struct survey *s)
{
    struct array refs = array_of(s->records.ops, sizeof(struct ref));
    enum rc rc = add_names(&s->records, &s->region_names, &refs);
    const struct ref *all = refs.elements;
    for (size_t i = 0; rc == RC_OK && i < refs.count; i++) {
        struct recorded_region region;
        rc = recorded_find_region(s->state, (struct ref_fact){KNOWN, false, all[i]},
                                  &region);
        if (rc == RC_OK)
            rc = array_add(&s->regions, &region);
    }
    array_free(&refs);
    return rc;
}

static enum rc add_teams(struct survey *s)
{
    struct array refs = array_of(s->runtime.ops, sizeof(struct ref));
    enum rc rc = add_names(&s->runtime, &s->team_names, &refs);
    const struct ref *all = refs.elements;
    for (size_t i = 0; rc == RC_OK && i < refs.count; i++) {
        struct recorded_team team = {.ref = all[i]};
        rc = array_add(&s->teams, &team);
    }
    array_free(&refs);
    return rc;
}

static void *find_named(const struct array *names, const struct array *objects,
                        struct ref_fact ref)
{
    const struct named *all = names->elements;
    size_t at = array_lower(names, &(struct named){.id = ref.ref.id}, name_before);
    if (ref.known != KNOWN || at == names->count || all[at].id != ref.ref.id)
        return NULL;
    return (char *)objects->elements + all[at].index * objects->size;
}

static const struct recorded_region no_region;
static const struct recorded_team no_team;

static const struct recorded_region *region_of(const struct survey *s,
                                               const struct recorded_thread *thread)
{
    const struct recorded_region *found =
        thread->has_record
            ? find_named(&s->region_names, &s->regions, thread->by_record.region)
            : NULL;
    return found ? found : &no_region;
}

static struct recorded_team *team_of(const struct survey *s,
                                     const struct recorded_thread *thread)
{
    return thread->has_runtime
               ? find_named(&s->team_names, &s->teams, thread->by_runtime.region)
               : NULL;
}

/* A team and a region that are one, and those around them as far as they are not paired. */
static enum rc add_pair(struct survey *s, struct ref ref, struct recorded_region region)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; rc == RC_OK && ref.id && i < RECORDED_LEVELS_MAX; i++) {
        struct recorded_team *team = find_named(
            &s->team_names, &s->teams, (struct ref_fact){.known = KNOWN, .ref = ref});
        if (team && team->region.ref.id)
            return RC_OK;
        if (team)
            team->region = region;
        rc = recorded_pair_around(s->state, &ref, &region);
    }
    return rc;
}

/* By one runtime's word of a thread. */
static enum rc pair_by_word(struct survey *s, const struct said *record,
                            const struct said *runtime)
{
    struct ref ref;
    struct recorded_region paired;
    struct recorded_thread thread = thread_at(record, runtime);
    struct recorded_team *team = team_of(s, &thread);
    if (!team)
        return RC_OK;
    const struct recorded_region *region = region_of(s, &thread);
    uint32_t passed = recorded_passed(&record->facts);
    if (recorded_step(s->state, &thread, region) == RECORDED_SAME && passed > team->passed)
        team->passed = passed;
    if (team->region.ref.id)
        return RC_OK;
    enum rc rc = recorded_pair(s->state, &thread, region, &ref, &paired);
    return rc == RC_OK ? add_pair(s, ref, paired) : rc;
}

static enum rc pair_by_thread(struct survey *s, const struct said *record)
{
    const struct said *runtime;
    enum rc rc = RC_OK;
    for (size_t at = first_word(s, &record->facts);
         rc == RC_OK && (runtime = next_word(s, &record->facts, &at));)
        rc = pair_by_word(s, record, runtime);
    return rc;
}

static enum rc pair_teams(struct survey *s)
{
    const struct said *records = s->records.elements;
    struct recorded_team *teams = s->teams.elements;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < s->records.count; i++)
        rc = pair_by_thread(s, &records[i]);
    for (size_t i = 0; rc == RC_OK && i < s->teams.count; i++) {
        if (teams[i].region.ref.id)
            recorded_count_arrivals(s->state, &teams[i]);
    }
    return rc;
}

/* A thread that has a record, in the runtime that it is in of those that know it. */
static struct recorded_thread match(struct survey *s, const struct said *record)
{
    const struct said *all = s->runtime.elements, *runtime;
    struct recorded_thread thread = thread_at(record, NULL);
    const struct recorded_region *region = region_of(s, &thread);
    for (size_t at = first_word(s, &record->facts);
         (runtime = next_word(s, &record->facts, &at));) {
        struct recorded_thread now = thread_at(record, runtime);
        ((bool *)s->matched.elements)[runtime - all] = true;
        if (recorded_is_inner(s->state, &now, &thread, region))
            thread = now;
    }
    return thread;
}

/* Those that have a record in the order of the records, then the others. */
static void visit_all(struct survey *s, thread_visitor *visit, void *arg)
{
    const struct said *records = s->records.elements, *runtime = s->runtime.elements;
    const bool *is_matched = s->matched.elements;
    for (size_t i = 0; i < s->records.count + s->runtime.count; i++) {
        bool has_record = i < s->records.count;
        size_t index = i - s->records.count;
        if (!has_record && is_matched[index])
            continue;
        struct recorded_thread thread =
            has_record ? match(s, &records[i]) : thread_at(NULL, &runtime[index]);
        const struct recorded_team *team = team_of(s, &thread);
        struct thread_facts facts = recorded_merge(s->state, &thread, region_of(s, &thread),
                                                   team ? team : &no_team);
        if (!visit(arg, has_record ? thread.record : thread.runtime, &facts))
            return;
    }
}

static enum rc read_all(struct survey *s)
{
    enum rc records = gather(&s->state->records, &s->records);
    enum rc runtime = gather_runtimes(s);
    if (records == RC_NOMEM || runtime == RC_NOMEM)
        return RC_NOMEM;
    /* One that cannot be read leaves what the other says. */
    if (!rc_is_answer(records) && !rc_is_answer(runtime))
        return records;
    enum rc rc = add_keys(s);
    if (rc == RC_OK)
        rc = add_regions(s);
    if (rc == RC_OK)
        rc = add_teams(s);
    if (rc == RC_OK)
        rc = pair_teams(s);
    return rc == RC_OK && (records != RC_OK || (runtime != RC_OK && runtime != RC_UNAVAILABLE))
               ? RC_INCOMPLETE
               : rc;
}

enum rc recorded_each_thread(struct instance *instance, thread_visitor *visit, void *arg)
{
    const struct target_ops *ops = instance->space->ops;
    struct survey s = {
        .state = recorded_state(instance),
        .records = array_of(ops, sizeof(struct said)),
        .runtime = array_of(ops, sizeof(struct said)),
        .keys = array_of(ops, sizeof(struct key)),
        .matched = array_of(ops, sizeof(bool)),
        .regions = array_of(ops, sizeof(struct recorded_region)),
        .region_names = array_of(ops, sizeof(struct named)),
        .teams = array_of(ops, sizeof(struct recorded_team)),
        .team_names = array_of(ops, sizeof(struct named)),
    };
    reader_begin(instance);
    enum rc rc = read_all(&s);
    reader_end(instance);
    if (rc_is_answer(rc))
        visit_all(&s, visit, arg);
    array_free(&s.records);
    array_free(&s.runtime);
    array_free(&s.keys);
    array_free(&s.matched);
    array_free(&s.regions);
    array_free(&s.region_names);
    array_free(&s.teams);
    array_free(&s.team_names);
    return rc;
}

struct ref_walk {
    ref_visitor *visit;
    void *arg;
};

static bool visit_ref(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct ref_walk *walk = arg;
    (void)facts;
    return walk->visit(walk->arg, ref);
}

enum rc recorded_walk_threads(struct instance *instance, ref_visitor *visit, void *arg)
{
    struct ref_walk walk = {visit, arg};
    return recorded_each_thread(instance, visit_ref, &walk);
}
