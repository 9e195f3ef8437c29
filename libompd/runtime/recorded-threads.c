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
    struct array regions; /* of struct recorded_region, by rising id: those that threads are in */
    struct array teams;   /* of struct recorded_team, likewise */
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

/* The next runtime's word of a thread, whose key `at` is; NULL: no further one knows it. */
static struct said *next_word(const struct survey *s, const struct thread_facts *record,
                              size_t *at)
{
    const struct key *all = s->keys.elements;
    if (record->pthread.known != KNOWN || record->lwp.known != KNOWN ||
        *at >= s->keys.count || all[*at].pthread != record->pthread.value ||
        all[*at].lwp != record->lwp.value)
        return NULL;
    return (struct said *)s->runtime.elements + all[(*at)++].index;
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
        bool has_key =
            all[i].facts.pthread.known == KNOWN && all[i].facts.lwp.known == KNOWN;
        enum rc rc = has_key ? array_add(&s->keys, &key) : RC_OK;
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

/* The references that threads have to their regions, each once, by rising id. */
static enum rc list_regions(const struct array *threads, struct array *out)
{
    const struct said *all = threads->elements;
    for (size_t i = 0; i < threads->count; i++) {
        const struct ref_fact *region = &all[i].facts.region;
        bool has_region = region->known == KNOWN && region->ref.id;
        enum rc rc = has_region ? array_add(out, &region->ref) : RC_OK;
        if (rc != RC_OK)
            return rc;
    }
    array_sort(out, id_before);
    struct ref *ref = out->elements;
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (!kept || ref[kept - 1].id != ref[i].id)
            ref[kept++] = ref[i];
    out->count = kept;
    return RC_OK;
}

static enum rc add_region(struct survey *s, struct ref ref)
{
    struct recorded_region region;
    enum rc rc = recorded_find_region(s->state, (struct ref_fact){KNOWN, false, ref}, &region);
    return rc == RC_OK && region.ref.id ? array_add(&s->regions, &region) : rc;
}

static enum rc add_team(struct survey *s, struct ref ref)
{
    struct recorded_team team = {.ref = ref};
    return array_add(&s->teams, &team);
}

static enum rc add_each(struct survey *s, const struct array *threads,
                        enum rc (*add)(struct survey *s, struct ref ref))
{
    struct array refs = array_of(threads->ops, sizeof(struct ref));
    enum rc rc = list_regions(threads, &refs);
    const struct ref *all = refs.elements;
    for (size_t i = 0; rc == RC_OK && i < refs.count; i++)
        rc = add(s, all[i]);
    array_free(&refs);
    return rc;
}

/* A region or a team. */
static void *find_by_id(const struct array *objects, struct ref_fact ref)
{
    size_t at = array_lower(objects, &ref.ref, id_before);
    if (ref.known != KNOWN || at == objects->count)
        return NULL;
    struct ref *found = (void *)((char *)objects->elements + at * objects->size);
    return found->id == ref.ref.id ? found : NULL;
}

static const struct recorded_region no_region;
static const struct recorded_team no_team;

static const struct recorded_region *region_of(const struct survey *s,
                                               const struct recorded_thread *thread)
{
    const struct recorded_region *found =
        thread->has_record ? find_by_id(&s->regions, thread->by_record.region) : NULL;
    return found ? found : &no_region;
}

static struct recorded_team *team_of(const struct survey *s,
                                     const struct recorded_thread *thread)
{
    return thread->has_runtime ? find_by_id(&s->teams, thread->by_runtime.region) : NULL;
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

/* Finds a record's thread, in the runtime that it is in of those that know it. */
static void match(struct survey *s, struct said *record)
{
    struct said *runtime;
    struct recorded_thread thread = thread_at(record, NULL);
    const struct recorded_region *region = region_of(s, &thread);
    for (size_t at = first_word(s, &record->facts);
         (runtime = next_word(s, &record->facts, &at));) {
        struct recorded_thread now = thread_at(record, runtime);
        runtime->match = record;
        if (!recorded_is_inner(s->state, &now, &thread, region))
            continue;
        thread = now;
        record->match = runtime;
    }
}

/* Where records name threads, those that have one in the order of the records, then the others;
 * else those of memory. */
static void visit_all(struct survey *s, thread_visitor *visit, void *arg)
{
    struct recorded *state = s->state;
    struct said *records = s->records.elements;
    const struct said *runtime = s->runtime.elements;
    bool records_name = state->rules->records_name;
    for (size_t i = 0; i < s->records.count; i++)
        match(s, &records[i]);
    for (size_t i = 0; i < s->records.count + s->runtime.count; i++) {
        bool is_record = i < s->records.count;
        const struct said *said =
            is_record ? &records[i] : &runtime[i - s->records.count];
        bool is_listed_by_other = is_record ? !records_name : records_name && said->match;
        if (is_listed_by_other)
            continue;
        struct recorded_thread thread =
            is_record ? thread_at(said, said->match) : thread_at(said->match, said);
        const struct recorded_team *team = team_of(s, &thread);
        struct thread_facts facts = state->rules->merge_thread(
            state, &thread, region_of(s, &thread), team ? team : &no_team);
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
    if (rc != RC_OK || !state->rules->records_name)
        return rc == RC_OK ? answer : rc;
    rc = add_each(s, &s->records, add_region);
    if (rc == RC_OK)
        rc = add_each(s, &s->runtime, add_team);
    if (rc == RC_OK)
        rc = pair_teams(s);
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
        .regions = array_of(ops, sizeof(struct recorded_region)),
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

enum rc recorded_walk_threads(struct instance *instance, ref_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    if (!state->rules->records_name)
        return ON(RUNTIME, walk_threads, visit, arg);
    return reader_walk_refs(instance, recorded_each_thread, visit, arg);
}
