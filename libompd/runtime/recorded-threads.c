/* SPDX-License-Identifier: MIT
 *
 * All threads of a process with two witnesses. Both lists are read once; threads are
 * matched by what glibc has of them, teams by the members that both have in them.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* What one witness says of a thread. */
struct said {
    struct ref ref;
    struct thread_facts facts;
};

/* A thread among those of a witness, by what glibc has of it. */
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
    struct array keys;             /* of struct key: threads of the runtime */
    struct array matched;          /* of bool: by index, has the thread a record? */
    struct array regions, region_names; /* of struct recorded_region; struct named */
    struct array teams, team_names;     /* of struct recorded_team; struct named */
};

static bool key_before(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    return a->pthread != b->pthread ? a->pthread < b->pthread : a->lwp < b->lwp;
}

static bool name_before(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    return a->id < b->id;
}

static bool take(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct said said = {ref, *facts};
    return collect(arg, &said);
}

static enum rc gather(struct instance *witness, struct array *out)
{
    struct collector collector = {out, SIZE_MAX, RC_OK};
    enum rc rc = witness->reader->each_thread(witness, take, &collector);
    return rc_join(rc, collector.rc);
}

/* NULL: the runtime does not know it. */
static const struct said *find_in_runtime(const struct survey *s,
                                          const struct thread_facts *record, size_t *index)
{
    struct key key = {.pthread = record->pthread.value, .lwp = record->lwp.value};
    const struct key *all = s->keys.elements;
    size_t at = array_lower(&s->keys, &key, key_before);
    if (record->pthread.known != KNOWN || record->lwp.known != KNOWN ||
        at == s->keys.count || key_before(&key, &all[at]))
        return NULL;
    *index = all[at].index;
    return (const struct said *)s->runtime.elements + *index;
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

static enum rc pair_by_thread(struct survey *s, const struct said *record)
{
    size_t index;
    struct ref ref;
    struct recorded_region paired;
    const struct said *runtime = find_in_runtime(s, &record->facts, &index);
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

/* Those that have a record in the order of the records, then the others. */
static void visit_all(struct survey *s, thread_visitor *visit, void *arg)
{
    const struct said *records = s->records.elements, *runtime = s->runtime.elements;
    bool *is_matched = s->matched.elements;
    for (size_t i = 0; i < s->records.count + s->runtime.count; i++) {
        bool has_record = i < s->records.count;
        size_t index = i - s->records.count;
        const struct said *record = has_record ? &records[i] : NULL;
        const struct said *other = has_record
                                       ? find_in_runtime(s, &record->facts, &index)
                                       : &runtime[index];
        if (!has_record && is_matched[index])
            continue;
        if (has_record && other)
            is_matched[index] = true;
        struct recorded_thread thread = thread_at(record, other);
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
    enum rc runtime = gather(&s->state->runtime, &s->runtime);
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

enum rc recorded_id_of_thread(struct instance *instance, enum os_thread_kind kind,
                              uint64_t os_id, struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    struct ref runtime;
    enum rc rc = ON(records, find_thread, kind, os_id, out);
    if (rc != RC_UNAVAILABLE && !rc_is_damage(rc))
        return rc;
    enum rc other = ON(runtime, find_thread, kind, os_id, &runtime);
    if (other == RC_OK)
        *out = runtime;
    return other == RC_OK || rc == RC_UNAVAILABLE ? other : rc;
}

/* Members of the region that have passed the barrier in which the thread is. */
struct passing {
    struct recorded *state;
    struct ref region;
    uint64_t entered;
    uint32_t passed;
    unsigned left;
    enum rc rc;
};

static bool look_at_member(void *arg, struct ref ref)
{
    struct passing *passing = arg;
    struct recorded *state = passing->state;
    struct thread_facts facts;
    enum rc rc = ON(records, thread, ref, &facts);
    if (rc != RC_OK && rc != RC_STALE_HANDLE)
        passing->rc = rc;
    if (rc == RC_OK && facts.region.known == KNOWN && !facts.region.torn &&
        facts.region.ref.id == passing->region.id &&
        recorded_passed(&facts) > passing->passed)
        passing->passed = recorded_passed(&facts);
    return passing->rc == RC_OK && --passing->left && passing->passed < passing->entered;
}

static enum rc find_team(struct recorded *state, const struct recorded_thread *thread,
                         const struct recorded_region *region, struct recorded_team *team)
{
    const struct thread_facts *record = &thread->by_record;
    if (!thread->has_runtime || thread->by_runtime.region.known != KNOWN)
        return RC_OK;
    team->ref = thread->by_runtime.region.ref;
    if (recorded_step(state, thread, region) != RECORDED_SAME)
        return recorded_region_of_team(state, team->ref, &team->region);
    team->region = *region;
    if (record->barrier.known != KNOWN || record->barrier.value == BARRIER_NONE)
        return RC_OK;
    recorded_count_arrivals(state, team);
    struct passing passing = {state, region->ref, record->barriers_entered.value, 0,
                              RECORDED_MEMBERS_MAX, RC_OK};
    enum rc rc = ON(records, walk_team, region->ref, look_at_member, &passing);
    team->passed = passing.passed;
    if (rc == RC_OK)
        rc = passing.rc;
    return rc == RC_STALE_HANDLE || rc_is_damage(rc) ? RC_OK : rc;
}

enum rc recorded_thread(struct instance *instance, struct ref ref, struct thread_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    struct recorded_region region;
    struct recorded_team team = no_team;
    memset(&region, 0, sizeof region);
    reader_begin(instance);
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc == RC_OK && thread.has_record)
        rc = recorded_find_region(state, thread.by_record.region, &region);
    if (rc == RC_OK)
        rc = find_team(state, &thread, &region, &team);
    reader_end(instance);
    if (rc == RC_OK)
        *out = recorded_merge(state, &thread, &region, &team);
    return rc;
}
