/* SPDX-License-Identifier: MIT
 *
 * Tasks of LLVM's runtime: references and facts. A task knows its team and its parent, and not
 * the thread that has begun it.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

bool kmp_implicit_index(const struct instance *instance, const struct kmp_team *team, taddr task,
                        uint32_t *out)
{
    uint32_t size = kmp_size(instance, KMP_STRUCT_kmp_taskdata);
    if (task < team->implicit_task || (task - team->implicit_task) % size ||
        (task - team->implicit_task) / size >= team->nproc)
        return false;
    *out = (uint32_t)((task - team->implicit_task) / size);
    return true;
}

/* An implicit task is that of its region: a team's memory is used again at once. */
static enum rc make_ref(const struct instance *instance, const struct kmp_task *task,
                        struct ref *out)
{
    struct kmp_team team;
    uint64_t bits;
    if (kmp_flag(instance, task, KMP_FLAG_is_explicit)) {
        bits = memory_mix(memory_mix(task->team, task->parent), task->routine) >> 16;
    } else {
        enum rc rc = kmp_read_team(instance, task->team, &team);
        if (rc != RC_OK)
            return rc;
        struct kmp_region region = {.team = team, .depth = team.serialized != 0};
        bits = kmp_region_ref(instance, &region).id >> MEMORY_ADDRESS_BITS;
    }
    *out = (struct ref){.address = task->address,
                        .id = memory_id(instance, task->address, bits & 0xffff)};
    return RC_OK;
}

enum rc kmp_task_ref(const struct instance *instance, taddr address, struct ref *out)
{
    struct kmp_task task;
    enum rc rc = kmp_read_task(instance, address, &task);
    return rc == RC_OK ? make_ref(instance, &task, out) : rc;
}

enum rc kmp_read_task_ref(const struct instance *instance, struct ref ref, struct kmp_task *out)
{
    struct ref now;
    enum rc rc = kmp_read_task(instance, ref.address, out);
    if (rc == RC_OK)
        rc = make_ref(instance, out, &now);
    if (rc == RC_NONSENSE || (rc == RC_OK && now.id != ref.id))
        return RC_STALE_HANDLE;
    return rc;
}

static bool is_undeferred(const struct instance *instance, const struct kmp_task *task)
{
    return kmp_flag(instance, task, KMP_FLAG_is_explicit) &&
           (kmp_flag(instance, task, KMP_FLAG_serial) ||
            kmp_flag(instance, task, KMP_FLAG_tasking_serial) ||
            kmp_flag(instance, task, KMP_FLAG_team_serial));
}

/* A thread has begun its current task, the parent of an undeferred one, its own implicit task
 * of the region, and, as the primary thread of that, the task that encountered the region.
 * What it has suspended for a task that is no child of it is not known, nor is it of a hidden task,
 * which is executed by no member of its team. */
enum rc kmp_walk_begun(const struct instance *instance, const struct kmp_thread *thread,
                       kmp_begun_visitor *visit, void *arg)
{
    taddr task = thread->task;
    uint32_t own = thread->number;
    struct cycle cycle = {0};
    while (task) {
        struct kmp_task object;
        struct kmp_team team;
        uint32_t number;
        if (!cycle_advance(&cycle, task, KMP_LEVELS_MAX))
            return RC_NONSENSE;
        enum rc rc = kmp_read_task(instance, task, &object);
        if (rc == RC_OK)
            rc = kmp_read_team(instance, object.team, &team);
        if (rc != RC_OK)
            return rc;
        if (!visit(arg, task))
            return RC_OK;
        if (kmp_implicit_index(instance, &team, task, &number)) {
            task = number ? 0 : object.parent;
            own = team.master_number;
        } else if (is_undeferred(instance, &object) && object.parent) {
            task = object.parent;
        } else if (kmp_flag(instance, &object, KMP_FLAG_hidden_helper)) {
            return RC_OK;
        } else {
            number = team.serialized ? 0 : own;
            task = number >= team.nproc
                       ? 0
                       : team.implicit_task +
                             (taddr)number * kmp_size(instance, KMP_STRUCT_kmp_taskdata);
        }
    }
    return RC_OK;
}

struct runner_search {
    const struct instance *instance;
    taddr task;
    bool has_begun;
    struct kmp_thread found;
};

static bool compare_task(void *arg, taddr task)
{
    struct runner_search *search = arg;
    search->has_begun |= task == search->task;
    return !search->has_begun;
}

static bool try_runner(void *arg, const struct kmp_thread *thread)
{
    struct runner_search *search = arg;
    struct kmp_team team;
    enum kmp_thread_kind kind;
    if (kmp_classify(search->instance, thread, &kind, &team) != RC_OK || !kmp_may_have_tasks(kind))
        return true;
    (void)kmp_walk_begun(search->instance, thread, compare_task, search);
    if (search->has_begun)
        search->found = *thread;
    return !search->has_begun;
}

/* An implicit task is that of a member of its team, if it has begun its part. */
static enum rc find_member(const struct instance *instance, const struct kmp_task *task,
                           struct kmp_thread *out, bool *found)
{
    struct kmp_region region = {.depth = 0};
    uint32_t number;
    enum rc rc = kmp_read_team(instance, task->team, &region.team);
    if (rc != RC_OK || !kmp_implicit_index(instance, &region.team, task->address, &number))
        return rc;
    rc = kmp_member(instance, &region, number, out);
    *found = rc == RC_OK;
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

/* A task in a taskwait has the gtid of the thread that waits in it. */
static enum rc find_runner(struct instance *instance, const struct kmp_task *task,
                           struct kmp_thread *out, bool *found)
{
    bool part = false;
    taddr at;
    *found = false;
    if (!kmp_flag(instance, task, KMP_FLAG_is_explicit))
        return find_member(instance, task, out, found);
    if (!kmp_flag(instance, task, KMP_FLAG_started))
        return RC_OK;
    if (task->taskwait_thread > 0 &&
        kmp_thread_of_gtid(instance, (uint32_t)task->taskwait_thread - 1, &at) == RC_OK &&
        kmp_read_thread(instance, at, out) == RC_OK) {
        *found = true;
        return RC_OK;
    }
    struct runner_search search = {.instance = instance, .task = task->address};
    enum rc rc = kmp_walk_known(instance, try_runner, &search, &part);
    *found = search.has_begun;
    *out = search.found;
    return rc;
}

static enum task_progress progress_of(const struct instance *instance, const struct kmp_task *task)
{
#define FLAG(name) kmp_flag(instance, task, KMP_FLAG_##name)
    if (!FLAG(is_explicit))
        return TASK_PROGRESS_RUNNING;
    if (FLAG(complete))
        return TASK_PROGRESS_COMPLETED;
    if (FLAG(started))
        return FLAG(detachable) && FLAG(proxy) && !FLAG(executing) ? TASK_PROGRESS_DETACHED
                                                                   : TASK_PROGRESS_RUNNING;
    struct kmp_bytes node;
    if (task->depnode &&
        kmp_fetch(instance, KMP_STRUCT_kmp_base_depnode, task->depnode, &node) == RC_OK &&
        (int32_t)kmp_field(instance, node.bytes, KMP_kmp_base_depnode_predecessors) > 0)
        return TASK_PROGRESS_WAITING;
    return TASK_PROGRESS_READY;
}

/* The event, as long as it is not fulfilled, leads back to the task. */
static taddr event_of(const struct instance *instance, const struct kmp_task *task)
{
    const void *bytes = task->bytes.bytes;
    bool is_open = kmp_flag(instance, task, KMP_FLAG_is_explicit) &&
                   kmp_flag(instance, task, KMP_FLAG_detachable) &&
                   kmp_field(instance, bytes, KMP_kmp_taskdata_event_type) == KMP_EVENT_OPEN &&
                   kmp_field(instance, bytes, KMP_kmp_taskdata_event_task) ==
                       task->address + kmp_size(instance, KMP_STRUCT_kmp_taskdata);
    return is_open ? task->address + kmp_offset(instance, KMP_kmp_taskdata_event) : 0;
}

enum rc kmp_is_detached(const struct instance *instance, taddr address)
{
    struct kmp_task task;
    enum rc rc = kmp_read_task(instance, address, &task);
    if (rc_is_damage(rc))
        return RC_UNAVAILABLE;
    if (rc == RC_OK &&
        (!event_of(instance, &task) || progress_of(instance, &task) != TASK_PROGRESS_DETACHED))
        return RC_UNAVAILABLE;
    return rc;
}

static void fill_flags(const struct instance *instance, const struct kmp_task *task,
                       struct task_facts *facts)
{
    facts->undeferred = (struct fact){KNOWN, is_undeferred(instance, task)};
    facts->untied = (struct fact){KNOWN, FLAG(is_explicit) && !FLAG(tied)};
    facts->detachable = (struct fact){KNOWN, FLAG(is_explicit) && FLAG(detachable)};
    facts->final = (struct fact){KNOWN, FLAG(final)};
#undef FLAG
}

/* The region that a task is of. A team that represents several has one thread; which of them
 * an explicit task was created in is not kept. */
static void fill_region(const struct instance *instance, const struct kmp_team *team,
                        const struct kmp_task *task, bool is_explicit,
                        const struct kmp_thread *runner, struct task_facts *facts)
{
    struct kmp_region region = {.team = *team, .depth = team->serialized != 0};
    if (!team->level) {
        facts->level = facts->active_level = (struct fact){KNOWN, 0};
        return;
    }
    if (runner && runner->task == task->address && runner->team == team->address)
        region.depth = team->serialized;
    else if (is_explicit && team->serialized > 1) {
        facts->level.known = facts->active_level.known = facts->region.known = NEEDS_TRACKING;
        return;
    }
    facts->level = (struct fact){KNOWN, kmp_region_level(&region)};
    facts->active_level = (struct fact){KNOWN, team->active_level};
    facts->region = (struct ref_fact){.known = KNOWN, .ref = kmp_region_ref(instance, &region)};
}

static void fill_runner(const struct instance *instance, const struct kmp_thread *runner,
                        const struct kmp_team *team, struct task_facts *facts)
{
    facts->thread = (struct ref_fact){.known = KNOWN, .ref = kmp_thread_ref(instance, runner)};
    if (team->serialized) {
        facts->thread_num = (struct fact){KNOWN, 0};
        return;
    }
    for (uint32_t i = 0; i < team->nproc; i++) {
        taddr at;
        uint32_t number = (runner->number + i) % team->nproc;
        if (kmp_listed(instance, team, number, &at) == RC_OK && at == runner->address) {
            facts->thread_num = (struct fact){KNOWN, number};
            return;
        }
    }
}

static struct fact kept_frame(const struct instance *instance, const struct kmp_task *task,
                              enum kmp_field frame, enum kmp_field flags)
{
    uint64_t pointer = kmp_field(instance, task->bytes.bytes, frame);
    uint64_t kind = kmp_field(instance, task->bytes.bytes, flags);
    if (!pointer)
        return (struct fact){KNOWN, 0};
    if ((kind && kind != KMP_FRAME_POINTER && kind != KMP_FRAME_CFA) ||
        kmp_state(instance)->layout->machine != PROBE_X86_64)
        return (struct fact){.known = NEEDS_TRACKING};
    return (struct fact){KNOWN, pointer + KMP_FRAME_SAVED};
}

/* What the runtime keeps in a serialised region is that of the region within it at times, or of a
 * frame that has returned. At the end of a taskgroup it keeps no entry. */
static void fill_frames(const struct instance *instance, const struct kmp_team *team,
                        const struct kmp_task *task, struct task_facts *facts)
{
#define FRAME(which)                                                                               \
    kept_frame(instance, task, KMP_kmp_taskdata_##which##_frame, KMP_kmp_taskdata_##which##_flags)
    facts->exit_frame.known = facts->enter_frame.known = NEEDS_TRACKING;
    facts->reported_exit.known = facts->reported_enter.known = NEEDS_TRACKING;
    if (team->level && team->serialized)
        return;
    facts->reported_exit = FRAME(exit);
    facts->reported_enter = FRAME(enter);
    if (task->taskwait_thread > 0 && !facts->reported_enter.value)
        facts->reported_enter.known = NEEDS_TRACKING;
#undef FRAME
}

/* The team of the region that a task is of. That of a hidden task is the helpers', which execute it
 * for the team of the task that generated it. */
static enum rc read_team_of(const struct instance *instance, const struct kmp_task *task,
                            struct kmp_team *out)
{
    struct kmp_task parent;
    struct cycle cycle = {0};
    while (kmp_flag(instance, task, KMP_FLAG_hidden_helper) && task->parent) {
        if (!cycle_advance(&cycle, task->address, KMP_LEVELS_MAX))
            return RC_NONSENSE;
        enum rc rc = kmp_read_task(instance, task->parent, &parent);
        if (rc != RC_OK)
            return rc;
        task = &parent;
    }
    return kmp_read_team(instance, task->team, out);
}

enum rc kmp_task_facts(struct instance *instance, const struct kmp_task *task,
                       const struct kmp_thread *runner, struct task_facts *out)
{
    struct kmp_team team;
    uint32_t number;
    enum rc rc = read_team_of(instance, task, &team);
    if (rc != RC_OK)
        return rc;
    bool is_explicit = kmp_flag(instance, task, KMP_FLAG_is_explicit);
    if (!is_explicit && !kmp_implicit_index(instance, &team, task->address, &number))
        return RC_NONSENSE;
    struct task_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.kind = (struct fact){KNOWN, is_explicit  ? TASK_KIND_EXPLICIT
                                      : team.level ? TASK_KIND_IMPLICIT
                                                   : TASK_KIND_INITIAL};
    facts.implicit = (struct fact){KNOWN, !is_explicit};
    facts.is_explicit = (struct fact){KNOWN, is_explicit};
    facts.progress = (struct fact){KNOWN, progress_of(instance, task)};
    facts.event = (struct fact){KNOWN, event_of(instance, task)};
    facts.codeptr.known = facts.serial.known = facts.dependences.known =
        facts.dependence_count.known = facts.dependences_held.known = facts.scheduling.known =
            NEEDS_TRACKING;
    facts.record = (struct fact){KNOWN, task->record};
    facts.region.known = facts.parent.known = NONE_HERE;
    facts.thread.known = facts.thread_num.known = NONE_HERE;
    facts.function = is_explicit  ? (struct fact){KNOWN, task->routine}
                     : team.level ? kmp_region_function(instance, &team)
                                  : (struct fact){.known = NONE_HERE};
    fill_flags(instance, task, &facts);
    fill_frames(instance, &team, task, &facts);
    if (is_explicit && !facts.undeferred.value && !task->depnode &&
        facts.progress.value != TASK_PROGRESS_COMPLETED)
        facts.dependence_count = (struct fact){KNOWN, 0};
    fill_region(instance, &team, task, is_explicit, runner, &facts);
    if (task->parent && (is_explicit || team.level)) {
        rc = kmp_task_ref(instance, task->parent, &facts.parent.ref);
        /* The memory of a parent that has ended is used again. */
        facts.parent.known = rc == RC_NONSENSE ? NONE_HERE : memory_mark(rc);
    }
    if (!is_explicit) /* a worker has executed nothing before */
        facts.scheduling =
            team.level && !number ? facts.parent : (struct ref_fact){.known = NONE_HERE};
    if (runner)
        fill_runner(instance, runner, &team, &facts);
    else if (facts.progress.value == TASK_PROGRESS_RUNNING)
        facts.thread.known = facts.thread_num.known = NEEDS_TRACKING;
    *out = facts;
    return RC_OK;
}

enum rc kmp_task(struct instance *instance, struct ref ref, struct task_facts *out)
{
    struct kmp_task task;
    struct kmp_thread runner;
    bool found = false;
    enum rc rc = kmp_read_task_ref(instance, ref, &task);
    if (rc == RC_OK)
        rc = find_runner(instance, &task, &runner, &found);
    if (rc == RC_OK)
        rc = kmp_task_facts(instance, &task, found ? &runner : NULL, out);
    return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
}
