/* SPDX-License-Identifier: MIT
 *
 * Recognises a stock libgomp by evidence: symbols say the version, the code of exported
 * accessors says where things stand, and both must agree with one of the layouts. Then
 * the threads that are in a team, if any, must look as that layout says.
 */
#include <string.h>

#include "libompd/runtime/gomp.h"

/* Which version first had a symbol. The newest found counts. */
static const struct {
    const char *symbol;
    unsigned version;
} evidence[] = {
    {"omp_target_memset", 16},       {"GOMP_interop", 15}, {"GOMP_is_alloc", 14},
    {"omp_in_explicit_task", 13},    {"GOMP_teams4", 12},  {"GOMP_alloc", 11},
    {"GOMP_parallel_reductions", 9},
};

static unsigned version_by_symbols(const struct space *space)
{
    taddr unused;
    for (size_t i = 0; i < sizeof evidence / sizeof *evidence; i++) {
        if (target_symbol(space, evidence[i].symbol, &unused) == RC_OK)
            return evidence[i].version;
    }
    return 0;
}

/* What an accessor loads last is the field it is named after. */
static const struct {
    const char *symbol;
    enum gomp_field in_thread; /* the field of struct gomp_thread */
    bool follows;              /* and then one of what that points to */
    enum gomp_field in_object;
    enum gomp_field base; /* the object's place in the larger one, GOMP_FIELD_COUNT: 0 */
} accessors[] = {
    {"omp_get_thread_num", GOMP_gomp_thread_team_id, false, 0, GOMP_FIELD_COUNT},
    {"omp_get_level", GOMP_gomp_thread_level, false, 0, GOMP_FIELD_COUNT},
    {"omp_get_active_level", GOMP_gomp_thread_active_level, false, 0, GOMP_FIELD_COUNT},
    {"omp_get_num_threads", GOMP_gomp_thread_team, true, GOMP_gomp_team_nthreads,
     GOMP_FIELD_COUNT},
    {"omp_in_final", GOMP_gomp_thread_task, true, GOMP_gomp_task_final_task,
     GOMP_FIELD_COUNT},
    {"omp_get_max_threads", GOMP_gomp_thread_task, true, GOMP_gomp_task_icv_nthreads,
     GOMP_gomp_task_icv},
    {"omp_get_dynamic", GOMP_gomp_thread_task, true, GOMP_gomp_task_icv_dyn,
     GOMP_gomp_task_icv},
    {"omp_get_num_teams", GOMP_gomp_thread_num_teams, false, 0, GOMP_FIELD_COUNT},
};
enum {
    ACCESSORS = sizeof accessors / sizeof *accessors,
    THREAD_NUM = 0,
    /* The distance, and a field of the task: its place is what tells layouts apart. */
    IN_FINAL = 4,
    MAX_THREADS = 5,
};

struct probes {
    struct probe_trace trace[ACCESSORS];
};

static void follow(enum probe_machine machine, const unsigned char *code, size_t bytes,
                   taddr at, struct probe_trace *out)
{
    (machine == PROBE_AARCH64 ? probe_aarch64 : probe_x86_64)(code, bytes, at, out);
}

/* Code at the end of a mapping: as much of it as can be read. */
static enum rc read_code(const struct space *space, taddr at, unsigned char *code,
                         size_t *bytes)
{
    enum rc rc = RC_READ_ERROR;
    for (*bytes = PROBE_CODE_BYTES; *bytes >= 16; *bytes /= 2) {
        rc = target_read(space, at, *bytes, code);
        if (rc == RC_OK)
            return rc;
    }
    return rc;
}

static enum rc run_probes(const struct space *space, enum probe_machine machine,
                          struct probes *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < ACCESSORS; i++) {
        taddr at;
        size_t bytes;
        unsigned char code[PROBE_CODE_BYTES];
        enum rc rc = target_symbol(space, accessors[i].symbol, &at);
        if (rc == RC_UNAVAILABLE)
            continue;
        if (rc == RC_OK)
            rc = read_code(space, at, code, &bytes);
        if (rc != RC_OK)
            return rc;
        follow(machine, code, bytes, at, &out->trace[i]);
    }
    return RC_OK;
}

/* Where the traces say the threads' data stand. False: they say nothing, or differ. */
static bool take_distance(const struct probes *probes, struct gomp_state *state)
{
    const struct probe_trace *first = NULL;
    for (unsigned i = 0; i < ACCESSORS; i++) {
        const struct probe_trace *trace = &probes->trace[i];
        if (trace->contradictory)
            return false;
        if (!trace->has_slot && !trace->has_distance)
            continue;
        if (first && (first->has_slot != trace->has_slot || first->slot != trace->slot ||
                      first->distance != trace->distance))
            return false;
        first = trace;
    }
    if (!first)
        return false;
    state->slot = first->has_slot ? first->slot : 0;
    state->distance = first->distance;
    state->distance_known = first->has_distance;
    return true;
}

/* How much of the distance is a part of each offset, if this is the layout. */
static int32_t shift_of(const struct gomp_layout *layout, const struct probes *probes)
{
    const struct probe_trace *trace = &probes->trace[THREAD_NUM];
    const struct probe_step *step = probe_find(trace, PROBE_THREAD_LOAD);
    return trace->has_distance && step
               ? step->offset - layout->place[accessors[THREAD_NUM].in_thread].offset
               : 0;
}

/* Does the accessor do what it does in this layout? An accessor that could not be
 * followed says nothing. */
static bool accessor_fits(const struct gomp_layout *layout, unsigned i, int32_t shift,
                          const struct probe_trace *trace, bool *says)
{
    const struct probe_step *step = probe_find(trace, PROBE_THREAD_LOAD);
    *says = false;
    if (!step)
        return true;
    struct gomp_place place = layout->place[accessors[i].in_thread];
    if (place.offset == GOMP_LACKING || step->offset - shift != place.offset ||
        step->size != place.size)
        return false;
    *says = !accessors[i].follows;
    if (!accessors[i].follows)
        return true;
    int32_t base = accessors[i].base == GOMP_FIELD_COUNT
                       ? 0
                       : layout->place[accessors[i].base].offset;
    const struct probe_step *inner = probe_find(trace, PROBE_FIELD_ADDRESS);
    if (base && inner) { /* the one address for both ways the ICVs may stand */
        *says = true;
        if (inner->field - shift != place.offset || inner->offset != base)
            return false;
    }
    const struct probe_step *next = probe_find(trace, PROBE_FIELD_LOAD);
    if (!next)
        return true;
    *says = true;
    return next->field - shift == place.offset &&
           next->offset == base + layout->place[accessors[i].in_object].offset;
}

static bool layout_fits(const struct gomp_layout *layout, const struct probes *probes)
{
    bool knows_task = false;
    int32_t shift = shift_of(layout, probes);
    for (unsigned i = 0; i < ACCESSORS; i++) {
        bool says;
        if (!accessor_fits(layout, i, shift, &probes->trace[i], &says))
            return false;
        if (says && (i == IN_FINAL || i == MAX_THREADS))
            knows_task = true;
    }
    return knows_task;
}

/* The layout that the code agrees with. Those of 11 and 12 differ in little: a libgomp
 * that counts teams in each thread is 12, and GCC 11 has its count in a global. */
static const struct gomp_layout *choose_layout(const struct probes *probes,
                                               unsigned version)
{
    const struct gomp_layout *chosen = NULL;
    for (unsigned i = 0; i < GOMP_LAYOUTS; i++) {
        const struct gomp_layout *layout = &gomp_layouts[i];
        if (!layout_fits(layout, probes))
            continue;
        bool named = version >= layout->first_version && version <= layout->last_version;
        if (!chosen || named)
            chosen = layout;
    }
    return chosen;
}

static enum rc read_descriptor(const struct space *space, const char *name,
                               uint32_t *offset)
{
    taddr at;
    unsigned char bytes[12]; /* bits, count, byte offset */
    enum rc rc = target_symbol(space, name, &at);
    if (rc == RC_OK)
        rc = target_read(space, at, sizeof bytes, bytes);
    if (rc == RC_OK)
        *offset = (uint32_t)target_decode(space, bytes + 8, 4);
    return rc;
}

/* The heads of glibc's two rings of threads, in the dynamic linker's data. Before glibc
 * 2.34, and in programs that were linked statically, they are variables. */
static void find_rings(const struct space *space, struct gomp_threads_place *out)
{
    static const struct {
        const char *field, *variable, *old_variable;
    } ring[] = {
        {"_thread_db_rtld_global__dl_stack_user", "_dl_stack_user", "__stack_user"},
        {"_thread_db_rtld_global__dl_stack_used", "_dl_stack_used", "stack_used"},
    };
    taddr loader, at;
    uint32_t offset;
    bool has_loader = target_symbol(space, "_rtld_global", &loader) == RC_OK;
    for (unsigned i = 0; i < 2; i++) {
        if (has_loader && read_descriptor(space, ring[i].field, &offset) == RC_OK)
            out->ring[out->ring_count++] = loader + offset;
        else if (target_symbol(space, ring[i].variable, &at) == RC_OK ||
                 target_symbol(space, ring[i].old_variable, &at) == RC_OK)
            out->ring[out->ring_count++] = at;
    }
}

/* What is not there leaves its part 0; gomp-threads.c may find out later. */
static void find_threads_place(const struct space *space, struct gomp_threads_place *out)
{
    taddr at;
    unsigned char bytes[4];
    enum { STRUCT_MAX = 4096 };
    find_rings(space, out);
    if (target_symbol(space, "_thread_db_sizeof_pthread", &at) == RC_OK &&
        target_read(space, at, sizeof bytes, bytes) == RC_OK)
        out->pthread_size = (uint32_t)target_decode(space, bytes, 4);
    if (out->pthread_size > 2 * STRUCT_MAX)
        out->pthread_size = 0;
    uint32_t list, tid;
    if (read_descriptor(space, "_thread_db_pthread_list", &list) != RC_OK ||
        read_descriptor(space, "_thread_db_pthread_tid", &tid) != RC_OK ||
        list > STRUCT_MAX || tid > STRUCT_MAX)
        return;
    out->list_offset = list;
    out->tid_offset = tid;
}

struct trial {
    struct space *space;
    unsigned members, strangers;
};

/* A thread that stands in something that is no team, or in a team that does not know it.
 * One on its way out of a team that is whole is none. */
static bool is_stranger(struct space *space, const struct gomp_thread *thread)
{
    struct gomp_team team;
    bool listed = false;
    if (thread->team % 16)
        return true;
    if (gomp_read_team(space, thread->team, &team) != RC_OK || !team.sound ||
        thread->team_id >= team.nthreads)
        return true;
    return gomp_is_listed(space, thread, &team, &listed) != RC_OK || !listed;
}

static bool try_thread(void *arg, taddr pthread, uint64_t tid)
{
    struct trial *trial = arg;
    struct gomp_thread thread;
    struct gomp_team team;
    enum gomp_standing standing;
    (void)tid;
    if (gomp_read_thread(trial->space, pthread, &thread) != RC_OK ||
        gomp_stand(trial->space, &thread, &standing, &team) != RC_OK)
        return true;
    trial->members += standing == GOMP_ACTIVE;
    trial->strangers += standing == GOMP_PASSING && is_stranger(trial->space, &thread);
    return true;
}

/* A thread may be caught as it comes to a team or when its team is freed, but not several
 * at once and none that is in a team. */
static bool threads_agree(struct space *space)
{
    struct trial trial = {.space = space};
    gomp_walk_pthreads(space, try_thread, &trial);
    if (trial.members)
        gomp_state(space)->proven = true;
    return trial.members || trial.strangers < 2;
}

enum rc gomp_prove(struct space *space)
{
    return gomp_state(space)->proven || threads_agree(space) ? RC_OK : RC_INCOMPATIBLE;
}

static const struct {
    const char *symbol;
    unsigned size;
} globals[GOMP_GLOBALS] = {
    [GOMP_GLOBAL_CANCEL] = {"omp_get_cancellation", 1},
    [GOMP_GLOBAL_MAX_TASK_PRIORITY] = {"omp_get_max_task_priority", 4},
    [GOMP_GLOBAL_NTEAMS] = {"omp_get_max_teams", 4},
    [GOMP_GLOBAL_TEAMS_THREAD_LIMIT] = {"omp_get_teams_thread_limit", 4},
};

/* What cannot be followed stays unknown. Accessors of one variable load nothing else. */
static void find_globals(const struct space *space, struct gomp_state *state)
{
    for (unsigned i = 0; i < GOMP_GLOBALS; i++) {
        struct probe_trace trace;
        taddr at;
        size_t bytes;
        unsigned char code[PROBE_CODE_BYTES];
        if (target_symbol(space, globals[i].symbol, &at) != RC_OK ||
            read_code(space, at, code, &bytes) != RC_OK)
            continue;
        follow(state->machine, code, bytes, at, &trace);
        const struct probe_step *load = probe_find(&trace, PROBE_GLOBAL_LOAD);
        if (load && trace.count == 1 && load->size == globals[i].size)
            state->global[i] = (struct gomp_global){load->address, load->size};
    }
}

static enum rc recognise(const struct space *space, struct gomp_state *state)
{
    taddr unused;
    /* LLVM's runtime has entry points of both names. */
    enum rc rc = target_symbol(space, "GOMP_parallel", &unused);
    if (rc == RC_OK && target_symbol(space, "__kmpc_fork_call", &unused) == RC_OK)
        return RC_UNAVAILABLE;
    if (rc != RC_OK)
        return rc;

    struct probes probes;
    for (unsigned machine = 0; machine < PROBE_MACHINES; machine++) {
        state->machine = machine;
        rc = run_probes(space, machine, &probes);
        if (rc != RC_OK)
            return rc;
        if (!take_distance(&probes, state))
            continue;
        state->version = version_by_symbols(space);
        state->layout = choose_layout(&probes, state->version);
        /* A version to come has all symbols of the newest that is known. */
        state->proven = state->version < evidence[0].version;
        const struct probe_step *icv =
            probe_find(&probes.trace[MAX_THREADS], PROBE_GLOBAL_ADDRESS);
        state->global_icv = icv ? icv->address : 0;
        if (!state->layout)
            continue;
        state->distance += shift_of(state->layout, &probes);
        find_threads_place(space, &state->threads);
        find_globals(space, state);
        return RC_OK;
    }
    return RC_INCOMPATIBLE;
}

enum rc gomp_open(struct space *space)
{
    if (space->sizes.sizeof_pointer != 8 || space->big_endian)
        return RC_INCOMPATIBLE;
    struct gomp_state state;
    memset(&state, 0, sizeof state);
    state.hints = array_of(space->ops, sizeof(struct gomp_hint));
    enum rc rc = recognise(space, &state);
    if (rc != RC_OK)
        return rc;
    void *memory;
    rc = space->ops->alloc(sizeof state, &memory);
    if (rc != RC_OK)
        return rc;
    memcpy(memory, &state, sizeof state);
    space->reader_state = memory;
    gomp_begin(space);
    bool agree = threads_agree(space);
    gomp_end(space);
    if (!agree) {
        gomp_close(space);
        return RC_INCOMPATIBLE;
    }
    return RC_OK;
}

void gomp_close(struct space *space)
{
    struct gomp_state *state = gomp_state(space);
    array_free(&state->hints);
    if (state->pages)
        space->ops->release(state->pages);
    space->ops->release(state);
    space->reader_state = NULL;
}

/* The dynamic linker writes the word before libgomp can have any thread. On x86-64 thread
 * data stand below the thread pointer and on aarch64 above it, neither far away. */
enum rc gomp_distance(struct space *space, int64_t *out)
{
    struct gomp_state *state = gomp_state(space);
    if (!state->distance_known) {
        taddr word;
        enum rc rc = gomp_pointer(space, state->slot, &word);
        if (rc != RC_OK)
            return rc;
        int64_t distance = (int64_t)word;
        bool below = state->machine == PROBE_X86_64;
        if (!distance)
            return RC_UNAVAILABLE;
        if (distance % 8 || (below ? distance > 0 || distance < -(INT64_C(1) << 32)
                                   : distance < 0 || distance > INT64_C(1) << 32))
            return RC_NONSENSE;
        state->distance = distance;
        state->distance_known = true;
    }
    *out = state->distance;
    return RC_OK;
}
