/* SPDX-License-Identifier: MIT
 *
 * Identifies LLVM's runtime: exported symbols give the version, the code of exported accessors
 * gives offsets and the array of threads; both select a layout. What a version that is not known
 * may look like is proven by live threads.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

static const struct probe_version versions[] = {
#define KMP_VERSION(symbol, version) {symbol, version},
#include "libompd/runtime/kmp-fields.def"
};
enum { VERSIONS = sizeof versions / sizeof *versions };

static const struct {
    const char *symbol;
    enum kmp_field field, object;
} accessors[] = {
#define KMP_ACCESSOR(symbol, field, object) {symbol, KMP_##field, KMP_##object},
#include "libompd/runtime/kmp-fields.def"
};
enum { ACCESSORS = sizeof accessors / sizeof *accessors };

struct probes {
    struct probe_trace trace[ACCESSORS];
};

static enum rc run_probes(const struct instance *instance, enum probe_machine machine,
                          struct probes *out)
{
    for (unsigned i = 0; i < ACCESSORS; i++) {
        enum rc rc = probe_function(instance, machine, accessors[i].symbol, &out->trace[i]);
        if (rc != RC_OK && rc != RC_UNAVAILABLE)
            return rc;
    }
    return RC_OK;
}

/* Where the pointer to the array of threads is. False: no trace has it, or they contradict
 * each other. */
static bool find_threads(const struct probes *probes, taddr *out)
{
    bool found = false;
    for (unsigned i = 0; i < ACCESSORS; i++) {
        const struct probe_trace *trace = &probes->trace[i];
        if (!trace->has_slot)
            continue;
        if (trace->contradictory || trace->slot % 8 || (found && trace->slot != *out))
            return false;
        *out = trace->slot;
        found = true;
    }
    return found;
}

/* Every accessor that could be followed must do what it does in this layout, and of each of
 * the three structures one must have been. */
static bool layout_fits(const struct kmp_layout *layout, const struct probes *probes)
{
    bool knows_team = false, knows_task = false, knows_icv = false;
    for (unsigned i = 0; i < ACCESSORS; i++) {
        const struct probe_trace *trace = &probes->trace[i];
        const struct probe_step *outer = probe_find(trace, PROBE_THREAD_LOAD);
        const struct probe_step *inner = probe_find(trace, PROBE_FIELD_LOAD);
        if (!outer || !inner)
            continue;
        struct kmp_place field = layout->place[accessors[i].field];
        struct kmp_place object = layout->place[accessors[i].object];
        if (outer->offset != field.offset || outer->size != field.size ||
            inner->field != field.offset || inner->offset != object.offset ||
            inner->size != object.size)
            return false;
        knows_team |= accessors[i].field == KMP_kmp_base_info_team;
        knows_task |= accessors[i].object == KMP_kmp_taskdata_flags;
        knows_icv |= accessors[i].object == KMP_kmp_taskdata_proc_bind;
    }
    return knows_team && knows_task && knows_icv;
}

/* Of several that fit, the one of the version: what 14 and 15, and 19 and 23, differ in no
 * accessor loads. */
static const struct kmp_layout *choose_layout(const struct probes *probes,
                                              enum probe_machine machine, unsigned version)
{
    const struct kmp_layout *chosen = NULL;
    for (unsigned i = 0; i < KMP_LAYOUTS; i++) {
        const struct kmp_layout *layout = &kmp_layouts[i];
        if (layout->machine != machine || !layout_fits(layout, probes))
            continue;
        bool named = version >= layout->first_version && version <= layout->last_version;
        if (!chosen || named)
            chosen = layout;
    }
    return chosen;
}

/* lea table(%rip),%r; mov row_count(%r),%r2; shl $10,%r2. */
static taddr lock_table_x86_64(const struct instance *instance, taddr at, const unsigned char *code,
                               unsigned rows)
{
    enum { LEA = 7, MOV = 3, SHL = 3, LENGTH = LEA + MOV + SHL };
    for (unsigned i = 0; i + LENGTH <= PROBE_CODE_BYTES; i++) {
        const unsigned char *lea = code + i, *mov = lea + LEA, *shl = mov + MOV;
        unsigned pointer = lea[2] >> 3 & 7, count = mov[1] >> 3 & 7;
        if (lea[0] != 0x48 || lea[1] != 0x8d || (lea[2] & 0xc7) != 5 || mov[0] != 0x8b ||
            mov[1] != (0x40 | count << 3 | pointer) || mov[2] != rows || shl[0] != 0xc1 ||
            shl[1] != (0xe0 | count) || shl[2] != 10)
            continue;
        int32_t distance = (int32_t)target_decode(instance->space, lea + 3, 4);
        return at + i + LEA + (taddr)(int64_t)distance;
    }
    return 0;
}

/* adr or adrp of the table, row_count of it, and lsl #10 of that, with little between. */
static taddr lock_table_aarch64(const struct instance *instance, taddr at,
                                const unsigned char *code, unsigned rows)
{
    enum { BEFORE_MAX = 6, STEPS = 2 };
#define WORD(i) (uint32_t) target_decode(instance->space, code + (i), 4)
    for (unsigned i = 0; i + 4 <= PROBE_CODE_BYTES; i += 4) {
        if ((WORD(i) & 0xfffffc00) != 0x53165400)
            continue;
        for (unsigned k = 1; k <= BEFORE_MAX && 4 * k <= i; k++) {
            struct probe_trace trace;
            const struct probe_step *step = trace.step;
            if ((WORD(i - 4 * k) & 0x1f000000) == 0x10000000 &&
                probe_code(instance, PROBE_AARCH64, at + i - 4 * k, &trace) == RC_OK &&
                trace.count >= STEPS && step[0].kind == PROBE_GLOBAL_ADDRESS &&
                step[1].kind == PROBE_GLOBAL_LOAD && step[1].size == sizeof(uint32_t) &&
                step[1].address == step[0].address + rows)
                return step[0].address;
        }
    }
#undef WORD
    return 0;
}

/* __kmpc_destroy_lock() looks an index up in the table of locks. Not found: locks are not known. */
static taddr find_lock_table(const struct instance *instance, const struct kmp_layout *layout)
{
    static const char symbol[] = "__kmpc_destroy_lock";
    unsigned rows = layout->place[KMP_kmp_indirect_lock_table_row_count].offset;
    unsigned char code[PROBE_CODE_BYTES];
    taddr at;
    if (target_image_symbol(instance, symbol, &at) != RC_OK ||
        target_read(instance->space, at, sizeof code, code) != RC_OK)
        return 0;
    return (layout->machine == PROBE_AARCH64 ? lock_table_aarch64 : lock_table_x86_64)(instance, at,
                                                                                       code, rows);
}

static bool is_unresolved(const struct probes *probes)
{
    for (unsigned i = 0; i < ACCESSORS; i++)
        if (probes->trace[i].unresolved && probes->trace[i].has_slot)
            return true;
    return false;
}

/* Before the image is relocated it cannot be read yet. */
static enum rc recognise(const struct instance *instance, struct kmp_state *state)
{
    struct probes probes;
    unsigned version = probe_version(instance, versions, VERSIONS);
    for (unsigned machine = 0; version && machine < PROBE_MACHINES; machine++) {
        enum rc rc = run_probes(instance, machine, &probes);
        if (rc != RC_OK)
            return rc;
        if (is_unresolved(&probes))
            return RC_READ_ERROR;
        if (!find_threads(&probes, &state->threads))
            continue;
        state->layout = choose_layout(&probes, machine, version);
        if (!state->layout)
            continue;
        state->memory.proven = probe_is_certain(versions, kmp_layouts[0].first_version, version);
        state->lock_table = find_lock_table(instance, state->layout);
        kmp_find_globals(instance, state);
        return RC_OK;
    }
    return RC_INCOMPATIBLE;
}

struct trial {
    struct instance *instance;
    unsigned fit, strangers;
};

/* Does a thread look as the layout says? One that moves between teams need not. */
static void try_thread(struct trial *trial, uint32_t gtid, taddr at)
{
    struct instance *instance = trial->instance;
    struct kmp_thread thread;
    struct kmp_team team;
    struct kmp_task task;
    taddr listed;
    enum rc rc = kmp_read_thread(instance, at, &thread);
    if (rc == RC_UNAVAILABLE || rc_is_unreadable(rc))
        return;
    bool fits = rc == RC_OK && thread.gtid == gtid && thread.team &&
                kmp_read_team(instance, thread.team, &team) == RC_OK &&
                thread.number < team.nproc &&
                kmp_listed(instance, &team, thread.number, &listed) == RC_OK && listed == at &&
                kmp_read_task(instance, thread.task, &task) == RC_OK;
    bool is_new = rc == RC_OK && !thread.gtid && gtid;
    bool waits = rc == RC_OK && (thread.in_pool || !thread.team);
    trial->fit += fits;
    trial->strangers += !fits && !is_new && !waits;
}

/* Whoever changes teams may be caught at it while others have not begun. */
enum { STRANGERS_MAX = 1 };

bool kmp_threads_agree(struct instance *instance)
{
    struct trial trial = {.instance = instance};
    struct kmp_table table;
    if (kmp_thread_table(instance, &table) == RC_NONSENSE)
        return false;
    for (uint32_t i = 0; i < table.capacity; i++) {
        taddr at;
        if (kmp_thread_of_gtid(instance, i, &at) == RC_OK)
            try_thread(&trial, i, at);
    }
    memory_of(instance)->proven |= trial.fit > 0;
    return trial.fit || trial.strangers <= STRANGERS_MAX;
}

void kmp_begin(struct instance *instance)
{
    if (memory_begin(instance))
        kmp_state(instance)->waiters_known = false;
}

enum rc kmp_open(struct instance *instance)
{
    if (instance->space->sizes.sizeof_pointer != 8 || instance->space->big_endian)
        return RC_UNAVAILABLE;
    struct kmp_state state;
    memset(&state, 0, sizeof state);
    state.waiters = array_of(instance->space->ops, sizeof(struct kmp_waiter));
    enum rc rc = recognise(instance, &state);
    if (rc != RC_OK)
        return rc;
    pthreads_find(instance->space, &state.memory.pthreads);
    if (!state.memory.pthreads.tid_offset)
        return RC_INCOMPATIBLE; /* kernel ids are what threads are known by */
    return memory_open(instance, &state.memory, sizeof state, kmp_threads_agree);
}

void kmp_close(struct instance *instance)
{
    array_free(&kmp_state(instance)->waiters);
    memory_close(instance);
}
