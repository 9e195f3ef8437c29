/* SPDX-License-Identifier: MIT
 *
 * All threads of a process with two witnesses. Each list is read once; threads are
 * matched by what glibc has of them, teams by the members that both have in them.
 */
#include "libompd/runtime/recorded.h"

/* What one witness says of a thread. */
struct said {
    struct instance *witness;
    struct ref ref;
    struct thread_facts facts;
    const struct said *match; /* of the other witness, or NULL; of several runtimes, that of the
                               * one that the thread is in */
};

/* A thread among those of the runtimes, by what glibc has of it and in the order of places. */
struct key {
    uint64_t pthread, lwp;
    size_t index;
};

_Static_assert(sizeof(struct key) <= ARRAY_ELEMENT_MAX, "keys are sorted");

struct survey {
    struct recorded *state;
    struct array records, runtime; /* of struct said */
    struct array keys;             /* of struct key: threads of the runtimes */
    /* Of struct recorded_team, by rising id: regions of the records, which are their own, and
     * teams of the runtimes, that threads are in. */
    struct array regions, teams;
};

static bool key_before(const void *left, const void *right)
{
    const struct key *a = left;
    const struct key *b = right;
    return a->pthread != b->pthread ? a->pthread < b->pthread
           : a->lwp != b->lwp       ? a->lwp < b->lwp
                                    : a->index < b->index;
}

/* Of references, and of what begins with one. */
static bool id_before(const void *left, const void *right)
{
    const struct ref *a = left;
    const struct ref *b = right;
    return a->id < b->id;
}

struct gathering {
    struct instance *witness;
    struct collector collector;
};

static bool take(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct gathering *gathering = arg;
    struct said said = {gathering->witness, ref, *facts, NULL};
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

static enum rc add_keys(struct survey *s)
{
    const struct said *all = s->runtime.elements;
    for (size_t i = 0; i < s->runtime.count; i++) {
        struct key key = {all[i].facts.pthread.value, all[i].facts.lwp.value, i};
        bool has_key = all[i].facts.pthread.known == KNOWN && all[i].facts.lwp.known == KNOWN;
        enum rc rc = has_key ? array_add(&s->keys, &key) : RC_OK;
        if (rc != RC_OK)
            return rc;
    }
    array_sort(&s->keys, key_before);
    return RC_OK;
}

static struct recorded_thread thread_at(const struct said *record, const struct said *runtime)
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

/* The regions or teams that threads are in, each once. */
static enum rc list_regions(struct survey *s, const struct array *threads, struct array *out)
{
    const struct said *said = threads->elements;
    struct array refs = array_of(threads->ops, sizeof(struct ref));
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < threads->count; i++) {
        const struct ref_fact *region = &said[i].facts.region;
        if (region->known == KNOWN && region->ref.id)
            rc = array_add(&refs, &region->ref);
    }
    array_sort(&refs, id_before);
    const struct ref *all = refs.elements;
    for (size_t i = 0; rc == RC_OK && i < refs.count; i++) {
        struct recorded_team team = {.ref = all[i]};
        if (i && all[i].id == all[i - 1].id)
            continue;
        if (threads == &s->records)
            rc = recorded_find_region(s->state, (struct ref_fact){KNOWN, false, all[i]},
                                      &team.region);
        if (rc == RC_OK)
            rc = array_add(out, &team);
    }
    array_free(&refs);
    return rc;
}

static struct recorded_team *find_by_id(const struct array *teams, struct ref_fact ref)
{
    size_t at = array_lower(teams, &ref.ref, id_before);
    if (ref.known != KNOWN || at == teams->count)
        return NULL;
    struct recorded_team *found = (struct recorded_team *)teams->elements + at;
    return found->ref.id == ref.ref.id ? found : NULL;
}

static const struct recorded_team no_team;

static const struct recorded_region *region_of(const struct survey *s,
                                               const struct thread_facts *record)
{
    const struct recorded_team *found = find_by_id(&s->regions, record->region);
    return found ? &found->region : &no_team.region;
}

/* A team and a region that are one, and those around them as far as they are not paired. */
static enum rc add_pair(struct survey *s, struct ref ref, struct recorded_region region)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; rc == RC_OK && ref.id && i < RECORDED_LEVELS_MAX; i++) {
        struct recorded_team *team =
            find_by_id(&s->teams, (struct ref_fact){.known = KNOWN, .ref = ref});
        if (team && team->region.ref.id)
            return RC_OK;
        if (team)
            team->region = region;
        rc = recorded_pair_around(s->state, &ref, &region);
    }
    return rc;
}

/* Pairs what a thread, by one runtime's word of it, shows to be one. */
static enum rc pair(struct survey *s, const struct recorded_thread *thread,
                    const struct recorded_region *region)
{
    struct ref ref;
    struct recorded_region paired;
    struct recorded_team *team = find_by_id(&s->teams, thread->by_runtime.region);
    if (!team)
        return RC_OK;
    uint32_t passed = recorded_passed(&thread->by_record);
    if (recorded_step(s->state, thread, region) == RECORDED_SAME && passed > team->passed)
        team->passed = passed;
    if (team->region.ref.id)
        return RC_OK;
    enum rc rc = recorded_pair(s->state, thread, region, &ref, &paired);
    return rc == RC_OK ? add_pair(s, ref, paired) : rc;
}

/* Finds a record's thread, in the runtime that it is in of those that know it. */
static enum rc match(struct survey *s, struct said *record)
{
    struct key key = {record->facts.pthread.value, record->facts.lwp.value, 0};
    const struct key *all = s->keys.elements;
    bool has_key = record->facts.pthread.known == KNOWN && record->facts.lwp.known == KNOWN;
    size_t at = has_key ? array_lower(&s->keys, &key, key_before) : s->keys.count;
    const struct recorded_region *region = region_of(s, &record->facts);
    struct recorded_thread found = thread_at(record, NULL);
    enum rc rc = RC_OK;
    for (; rc == RC_OK && at < s->keys.count && all[at].pthread == key.pthread &&
           all[at].lwp == key.lwp;
         at++) {
        struct said *runtime = (struct said *)s->runtime.elements + all[at].index;
        struct recorded_thread now = thread_at(record, runtime);
        runtime->match = record;
        if (recorded_is_inner(s->state, &now, &found, region)) {
            found = now;
            record->match = runtime;
        }
        rc = pair(s, &now, region);
    }
    return rc;
}

static enum rc match_all(struct survey *s)
{
    struct said *records = s->records.elements;
    struct recorded_team *teams = s->teams.elements;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < s->records.count; i++)
        rc = match(s, &records[i]);
    for (size_t i = 0; rc == RC_OK && i < s->teams.count; i++) {
        if (teams[i].region.ref.id)
            recorded_count_arrivals(s->state, &teams[i]);
    }
    return rc;
}

/* Where records name threads, those that have one in the order of the records, then the others;
 * else those of memory. */
static void visit_all(struct survey *s, thread_visitor *visit, void *arg)
{
    struct recorded *state = s->state;
    const struct said *records = s->records.elements, *runtime = s->runtime.elements;
    bool records_name = state->rules->records_name;
    for (size_t i = 0; i < s->records.count + s->runtime.count; i++) {
        bool is_record = i < s->records.count;
        const struct said *said = is_record ? &records[i] : &runtime[i - s->records.count];
        bool is_listed_by_other = is_record ? !records_name : records_name && said->match;
        if (is_listed_by_other)
            continue;
        struct recorded_thread thread =
            is_record ? thread_at(said, said->match) : thread_at(said->match, said);
        const struct recorded_team *team = find_by_id(&s->teams, thread.by_runtime.region);
        struct thread_facts facts = recorded_merge_thread(
            state, &thread, region_of(s, &thread.by_record), team ? team : &no_team);
        if (!visit(arg, said->ref, &facts))
            return;
    }
}

/* One that cannot be read leaves what the other says, if that names threads. */
static enum rc join(const struct survey *s, enum rc records, enum rc runtime)
{
    if (records == RC_NOMEM || runtime == RC_NOMEM)
        return RC_NOMEM;
    if (!s->state->rules->records_name)
        return runtime;
    if (!rc_is_answer(records) && !rc_is_answer(runtime))
        return records;
    bool is_whole = records == RC_OK && (runtime == RC_OK || runtime == RC_UNAVAILABLE);
    return is_whole ? RC_OK : RC_INCOMPLETE;
}

static enum rc read_all(struct survey *s)
{
    struct recorded *state = s->state;
    enum rc records = gather(RECORDS, &s->records);
    enum rc answer = join(s, records, gather_runtimes(s));
    enum rc rc = rc_is_answer(answer) ? add_keys(s) : answer;
    if (rc == RC_OK && state->rules->records_name)
        rc = list_regions(s, &s->records, &s->regions);
    if (rc == RC_OK && state->rules->records_name)
        rc = list_regions(s, &s->runtime, &s->teams);
    if (rc == RC_OK)
        rc = match_all(s);
    return rc == RC_OK ? answer : rc;
}

enum rc recorded_each_thread(struct instance *instance, thread_visitor *visit, void *arg)
{
    const struct target_ops *ops = instance->space->ops;
    struct recorded *state = recorded_state(instance);
    if (!recorded_goes_on(state))
        return ON(RUNTIME, each_thread, visit, arg);
    struct survey s = {
        .state = state,
        .records = array_of(ops, sizeof(struct said)),
        .runtime = array_of(ops, sizeof(struct said)),
        .keys = array_of(ops, sizeof(struct key)),
        .regions = array_of(ops, sizeof(struct recorded_team)),
        .teams = array_of(ops, sizeof(struct recorded_team)),
    };
    reader_begin(instance);
    enum rc rc = read_all(&s);
    if (rc_is_answer(rc))
        visit_all(&s, visit, arg);
    reader_end(instance);
    array_free(&s.records);
    array_free(&s.runtime);
    array_free(&s.keys);
    array_free(&s.regions);
    array_free(&s.teams);
    return rc;
}
