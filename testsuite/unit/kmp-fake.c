/* SPDX-License-Identifier: MIT
 *
 * kmp-fake.h.
 */
#include "kmp-fake.h"

#include <stdlib.h>
#include <string.h>

const unsigned kf_gtid[GF_THREADS] = {0, 9, 10, 11, 12, 0, 14, 15, 16};

void kf_put(struct kf *kf, taddr object, enum kmp_field field, uint64_t value)
{
    struct kmp_place place = kf->layout->place[field];
    gf_number(kf->gf, object + place.offset, place.size, value);
}

uint64_t kf_get(const struct kf *kf, taddr object, enum kmp_field field)
{
    struct kmp_place place = kf->layout->place[field];
    uint64_t value = 0;
    memcpy(&value, kf->gf->bytes + (object + place.offset - GF_BASE), place.size);
    return value;
}

#define SIZE(object) kf->layout->size[KMP_STRUCT_##object]
#define OFFSET(field) kf->layout->place[KMP_##field].offset

static taddr object(struct kf *kf, size_t bytes)
{
    taddr at = gf_memory(kf->gf, bytes);
    if (kf->gf->objects < GF_OBJECTS)
        kf->gf->object[kf->gf->objects++] = at;
    return at;
}

static unsigned char *emit(unsigned char *p, const void *bytes, size_t count)
{
    memcpy(p, bytes, count);
    return p + count;
}

static bool is_aarch64(const struct kf *kf)
{
    return kf->layout->machine == PROBE_AARCH64;
}

/* What an aarch64 function is written to, an instruction at a time. */
struct writer {
    struct kf *kf;
    taddr at;
};

static void put(struct writer *to, uint32_t word)
{
    gf_number(to->kf->gf, to->at, 4, word);
    to->at += 4;
}

/* adrp x8; ldr x8,[x8]: of a new entry of the global offset table. lld makes adrp x8; add x8,x8
 * of it, or adr x8; nop. */
static void put_address(struct writer *to, taddr target)
{
    enum { ADD, ADR, LOAD };
    struct kf *kf = to->kf;
    unsigned way = kf->layout->first_version % 3;
    taddr at = way == LOAD ? (kf->pointers += 8) : target;
    uint32_t rest = (uint32_t)(at & 0xfff);
    uint32_t distance = (uint32_t)(way == ADR ? at - to->at : (at >> 12) - (to->at >> 12));
    uint32_t immediate = (distance & 3) << 29 | (distance >> 2 & 0x7ffff) << 5;
    put(to, (way == ADR ? 0x10000008 : 0x90000008) | immediate);
    put(to, way == ADR   ? 0xd503201f
            : way == ADD ? 0x91000108 | rest << 10
                         : 0xf9400108 | rest / 8 << 10);
    if (way == LOAD)
        gf_number(kf->gf, at, 8, target);
}

static struct writer aarch64_function(struct kf *kf, const char *name)
{
    struct writer to = {kf, gf_memory(kf->gf, 128)};
    gf_symbol(kf->gf, name, to.at);
    put(&to, 0xd503233f); /* paciasp */
    put(&to, 0xa9bf7bfd); /* stp x29,x30,[sp,#-16]! */
    put(&to, 0x910003fd); /* mov x29,sp */
    return to;
}

static void accessor_aarch64(struct kf *kf, const char *name, struct kmp_place outer,
                             struct kmp_place inner)
{
    struct writer to = aarch64_function(kf, name);
    put(&to, 0x94000000); /* bl */
    put_address(&to, kf->variable);
    put(&to, 0xf9400108);                                    /* ldr x8,[x8] */
    put(&to, 0xf860d908);                                    /* ldr x8,[x8,w0,sxtw #3] */
    put(&to, 0xf9400108 | (uint32_t)outer.offset / 8 << 10); /* ldr x8,[x8,outer] */
    if (!strcmp(name, "omp_get_level"))
        kf->inner_load = to.at;
    put(&to, 0xb9400100 | (uint32_t)inner.offset / 4 << 10); /* ldr w0,[x8,inner] */
    put(&to, 0xa8c17bfd);                                    /* ldp x29,x30,[sp],#16 */
    put(&to, 0xd65f03c0);                                    /* ret */
}

/* As clang compiles them: the gtid from a function, the array's pointer, the thread's, and two
 * fields. */
static void accessor(struct kf *kf, const char *name, enum kmp_field field, enum kmp_field inner)
{
    if (is_aarch64(kf)) {
        accessor_aarch64(kf, name, kf->layout->place[field], kf->layout->place[inner]);
        return;
    }
    taddr at = gf_memory(kf->gf, 128);
    unsigned char *first = kf->gf->bytes + (at - GF_BASE), *p = first;
    int32_t none = 0, outer = OFFSET(kmp_base_info_pthread);
    gf_symbol(kf->gf, name, at);
    p = emit(p, "\x50\xe8", 2); /* push %rax; call */
    p = emit(p, &none, 4);
    p = emit(p, "\x48\x8d\x0d", 3); /* lea variable(%rip),%rcx */
    int32_t distance = (int32_t)(kf->variable - (at + (taddr)(p - first) + 4));
    p = emit(p, &distance, 4);
    p = emit(p, "\x48\x8b\x09\x48\x98\x48\x8b\x04\xc1", 9); /* mov (%rcx),%rcx; cltq;
                                                               mov (%rcx,%rax,8),%rax */
    outer = kf->layout->place[field].offset;
    p = emit(p, "\x48\x8b\x80", 3); /* mov outer(%rax),%rax */
    p = emit(p, &outer, 4);
    outer = kf->layout->place[inner].offset;
    if (!strcmp(name, "omp_get_level"))
        kf->inner_load = at + (taddr)(p - first);
    p = emit(p, "\x8b\x80", 2); /* mov inner(%rax),%eax */
    p = emit(p, &outer, 4);
    emit(p, "\x59\xc3", 2);
}

static void lock_finder_aarch64(struct kf *kf, taddr table)
{
    struct writer to = aarch64_function(kf, "__kmpc_destroy_lock");
    put(&to, 0xb9400048); /* ldr w8,[x2] */
    put(&to, 0x14000000); /* b */
    put_address(&to, table);
    put(&to, 0xb940010a | OFFSET(kmp_indirect_lock_table_row_count) / 4U
                              << 10); /* ldr w10,[x8,row_count] */
    put(&to, 0x53017d29);             /* lsr w9,w9,#1 */
    put(&to, 0x5316554a);             /* lsl w10,w10,#10 */
    put(&to, 0xf9400908);             /* ldr x8,[x8,#16]; ldr w10,[x8,#8] of a further table */
    put(&to, 0xb940090a);
    put(&to, 0xd65f03c0);
}

static void lock_finder(struct kf *kf, taddr table)
{
    if (is_aarch64(kf)) {
        lock_finder_aarch64(kf, table);
        return;
    }
    taddr at = gf_memory(kf->gf, 128);
    unsigned char *first = kf->gf->bytes + (at - GF_BASE), *p = first;
    gf_symbol(kf->gf, "__kmpc_destroy_lock", at);
    p = emit(p, "\x55\x53\x48\x8d\x0d", 5); /* lea table(%rip),%rcx */
    int32_t distance = (int32_t)(table - (at + (taddr)(p - first) + 4));
    p = emit(p, &distance, 4);
    unsigned char rows = OFFSET(kmp_indirect_lock_table_row_count);
    p = emit(p, "\x8b\x51", 2); /* mov row_count(%rcx),%edx; shl $10,%edx */
    p = emit(p, &rows, 1);
    emit(p, "\xc1\xe2\x0a\xc3", 4);
}

static unsigned char *emit_lea(unsigned char *p, taddr at, taddr target)
{
    p = emit(p, "\x48\x8d\x05", 3); /* lea target(%rip),%rax */
    int32_t distance = (int32_t)(target - (at + 7));
    return emit(p, &distance, 4);
}

static void global_accessor_aarch64(struct kf *kf, const char *name, taddr variable, unsigned size,
                                    bool jumps)
{
    struct writer to = aarch64_function(kf, name);
    put_address(&to, kf->initialised);
    put(&to, 0xb9400108); /* ldr w8,[x8]; cbnz w8; bl */
    put(&to, 0x35000048);
    put(&to, 0x94000000);
    put(&to, 0xa8c17bfd);
    if (jumps) {
        taddr local = gf_memory(kf->gf, 128);
        put(&to, 0x14000000 | (uint32_t)((local - to.at) / 4)); /* b */
        to.at = local;
    }
    if (!strcmp(name, "omp_get_cancellation"))
        kf->variable_load = to.at;
    put_address(&to, variable);
    put(&to, size == 8 ? 0xf9400100 : 0xb9400100); /* ldr x0 or w0,[x8] */
    put(&to, 0xd65f03c0);
}

/* Initialises the runtime, then returns a variable of `size` bytes, or has a local function do
 * so. */
static void global_accessor(struct kf *kf, const char *name, taddr variable, unsigned size,
                            bool jumps)
{
    if (is_aarch64(kf)) {
        global_accessor_aarch64(kf, name, variable, size, jumps);
        return;
    }
    taddr at = gf_memory(kf->gf, 128), local = gf_memory(kf->gf, 128);
    unsigned char *first = kf->gf->bytes + (at - GF_BASE), *p = first;
    gf_symbol(kf->gf, name, at);
    p = emit(p, "\x50", 1); /* push %rax */
    p = emit_lea(p, at + 1, kf->initialised);
    p = emit(p, "\x83\x38\x00\x75\x05\xe8\x00\x00\x00\x00", 10); /* cmpl $0,(%rax); jne; call */
    if (jumps) {
        int32_t distance = (int32_t)(local - (at + (taddr)(p - first) + 6));
        p = emit(p, "\x59\xe9", 2); /* pop %rcx; jmp */
        emit(p, &distance, 4);
        at = local;
        first = p = kf->gf->bytes + (local - GF_BASE);
    }
    if (!strcmp(name, "omp_get_cancellation"))
        kf->variable_load = at + (taddr)(p - first);
    p = emit_lea(p, at + (taddr)(p - first), variable);
    p = size == 8 ? emit(p, "\x48\x8b\x00", 3) : emit(p, "\x8b\x00", 2); /* mov (%rax),%rax */
    emit(p, jumps ? "\xc3\xc3" : "\x59\xc3", 2);                         /* pop %rcx; ret */
}

static void globals(struct kf *kf)
{
    kf->initialised = object(kf, 64);
    gf_number(kf->gf, kf->initialised, 4, 1);
#define KMP_GLOBAL_ICV(name, accessor, bytes)                                                      \
    kf->global[KMP_GLOBAL_##name] = object(kf, 64);                                                \
    global_accessor(kf, accessor, kf->global[KMP_GLOBAL_##name], bytes,                            \
                    KMP_GLOBAL_##name == KMP_GLOBAL_nteams);
#include "libompd/runtime/kmp-fields.def"
}

static void libomp(struct kf *kf)
{
    static const struct {
        const char *symbol;
        unsigned version;
    } versions[] = {
#define KMP_VERSION(symbol, version) {symbol, version},
#include "libompd/runtime/kmp-fields.def"
    };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].version <= kf->layout->first_version)
            gf_symbol(kf->gf, versions[i].symbol, gf_memory(kf->gf, 64));
    gf_symbol(kf->gf, "omp_get_thread_num", gf_memory(kf->gf, 64));
    kf->variable = object(kf, 64);
#define KMP_ACCESSOR(symbol, field, object) accessor(kf, symbol, KMP_##field, KMP_##object);
#include "libompd/runtime/kmp-fields.def"
}

static void threads(struct kf *kf)
{
    struct gf *gf = kf->gf;
    kf->array = object(kf, 8 * KF_CAPACITY + 8 * KF_CAPACITY);
    kf->roots = kf->array + 8 * KF_CAPACITY;
    gf_number(gf, kf->variable, 8, kf->array);
    gf_number(gf, kf->variable + 8, 8, kf->roots);
    for (unsigned i = 0; i < GF_THREADS; i++) {
        if (i == KF_FOREIGN)
            continue;
        gf->thread[i] = object(kf, SIZE(kmp_base_info));
        gf_number(gf, kf->array + 8 * kf_gtid[i], 8, gf->thread[i]);
        kf_put(kf, gf->thread[i], KMP_kmp_base_info_pthread, gf->pthread[i]);
        kf_put(kf, gf->thread[i], KMP_kmp_base_info_gtid, kf_gtid[i]);
    }
    kf_put(kf, gf->thread[KF_POOL], KMP_kmp_base_info_in_pool, 1);
}

taddr kf_implicit(const struct kf *kf, taddr team, unsigned number)
{
    return kf_get(kf, team, KMP_kmp_base_team_implicit_task) + (taddr)number * SIZE(kmp_taskdata);
}

static taddr team_new(struct kf *kf, unsigned n, unsigned level, taddr parent, unsigned master,
                      taddr parent_task)
{
    taddr team = object(kf, SIZE(kmp_base_team));
    kf_put(kf, team, KMP_kmp_base_team_nproc, n);
    kf_put(kf, team, KMP_kmp_base_team_level, level);
    kf_put(kf, team, KMP_kmp_base_team_active_level, level);
    kf_put(kf, team, KMP_kmp_base_team_parent, parent);
    kf_put(kf, team, KMP_kmp_base_team_master_number, master);
    kf_put(kf, team, KMP_kmp_base_team_function, KF_ROUTINE + level);
    kf_put(kf, team, KMP_kmp_base_team_threads, gf_memory(kf->gf, 8 * n));
    taddr implicit = object(kf, (size_t)n * SIZE(kmp_taskdata));
    kf_put(kf, team, KMP_kmp_base_team_implicit_task, implicit);
    for (unsigned i = 0; i < n; i++) {
        kf_put(kf, kf_implicit(kf, team, i), KMP_kmp_taskdata_team, team);
        kf_put(kf, kf_implicit(kf, team, i), KMP_kmp_taskdata_parent, parent_task);
        kf_put(kf, kf_implicit(kf, team, i), KMP_kmp_taskdata_nproc, 3 + i);
    }
    return team;
}

static void join(struct kf *kf, unsigned which, taddr team, unsigned number)
{
    taddr thread = kf->gf->thread[which];
    kf_put(kf, thread, KMP_kmp_base_info_team, team);
    kf_put(kf, thread, KMP_kmp_base_info_number, number);
    kf_put(kf, thread, KMP_kmp_base_info_task, kf_implicit(kf, team, number));
    gf_number(kf->gf, kf_get(kf, team, KMP_kmp_base_team_threads) + 8 * number, 8, thread);
}

static uint32_t flag(const struct kf *kf, enum kmp_flag which)
{
    return UINT32_C(1) << kf->layout->bit[which];
}

static taddr task_new(struct kf *kf, taddr team, taddr parent, uint32_t flags, taddr routine)
{
    taddr task = object(kf, SIZE(kmp_taskdata) + SIZE(kmp_task));
    kf_put(kf, task, KMP_kmp_taskdata_flags,
           flags | flag(kf, KMP_FLAG_is_explicit) | flag(kf, KMP_FLAG_tied));
    kf_put(kf, task, KMP_kmp_taskdata_team, team);
    kf_put(kf, task, KMP_kmp_taskdata_parent, parent);
    kf_put(kf, task + SIZE(kmp_taskdata), KMP_kmp_task_routine, routine);
    return task;
}

static taddr depnode_new(struct kf *kf, taddr task, unsigned predecessors)
{
    taddr node = object(kf, SIZE(kmp_base_depnode));
    kf_put(kf, node, KMP_kmp_base_depnode_task, task + SIZE(kmp_taskdata));
    kf_put(kf, node, KMP_kmp_base_depnode_predecessors, predecessors);
    kf_put(kf, task, KMP_kmp_taskdata_depnode, node);
    return node;
}

static void tasks(struct kf *kf)
{
    struct gf *gf = kf->gf;
    taddr first = kf_implicit(kf, kf->team, 0);
    uint32_t begun = flag(kf, KMP_FLAG_started) | flag(kf, KMP_FLAG_executing);
    kf->running = task_new(kf, kf->team, first, begun, KF_ROUTINE + 0x10);
    kf->ready = task_new(kf, kf->team, first, 0, KF_ROUTINE + 0x20);
    kf->blocked = task_new(kf, kf->team, first, flag(kf, KMP_FLAG_final), KF_ROUTINE + 0x30);
    kf_put(kf, gf->thread[KF_RUNS], KMP_kmp_base_info_task, kf->running);
    taddr before = depnode_new(kf, kf->running, 0), after = depnode_new(kf, kf->blocked, 1);
    taddr list = object(kf, SIZE(kmp_depnode_list));
    kf_put(kf, list, KMP_kmp_depnode_list_node, after);
    kf_put(kf, before, KMP_kmp_base_depnode_successors, list);

    taddr task_team = kf->task_team = object(kf, SIZE(kmp_base_task_team));
    taddr data = object(kf, 4 * SIZE(kmp_thread_data));
    kf->deque = object(kf, 8 * 256);
    kf_put(kf, task_team, KMP_kmp_base_task_team_threads_data, data);
    kf_put(kf, task_team, KMP_kmp_base_task_team_found_tasks, 1);
    kf_put(kf, task_team, KMP_kmp_base_task_team_nproc, 4);
    taddr own = data + SIZE(kmp_thread_data);
    kf_put(kf, own, KMP_kmp_thread_data_deque, kf->deque);
    kf_put(kf, own, KMP_kmp_thread_data_deque_size, 256);
    kf_put(kf, own, KMP_kmp_thread_data_deque_head, 255);
    kf_put(kf, own, KMP_kmp_thread_data_deque_count, 1);
    gf_number(gf, kf->deque + 8 * 255, 8, kf->ready);
    gf_number(gf, kf->team + OFFSET(kmp_base_team_task_team) + 8, 8, task_team);

    uint32_t ended =
        flag(kf, KMP_FLAG_started) | flag(kf, KMP_FLAG_detachable) | flag(kf, KMP_FLAG_proxy);
    kf->detached = task_new(kf, kf->team, first, ended, KF_ROUTINE + 0x40);
    kf_put(kf, kf->detached, KMP_kmp_taskdata_event_type, KMP_EVENT_OPEN);
    kf_put(kf, kf->detached, KMP_kmp_taskdata_event_task, kf->detached + SIZE(kmp_taskdata));
    gf_number(gf, kf->deque + 8 * 17, 8, kf->detached);

    /* The second root waits for the child that it runs. */
    kf->parent = kf_implicit(kf, kf->root_team, 0);
    kf_put(kf, kf->parent, KMP_kmp_taskdata_taskwait_thread, kf_gtid[KF_ROOT] + 1);
    kf_put(kf, kf->parent, KMP_kmp_taskdata_children, 1);
}

static taddr lock_new(struct kf *kf, unsigned head, unsigned tail)
{
    taddr lock = object(kf, SIZE(kmp_base_queuing_lock));
    kf_put(kf, lock, KMP_kmp_base_queuing_lock_self, lock);
    kf_put(kf, lock, KMP_kmp_base_queuing_lock_head, head);
    kf_put(kf, lock, KMP_kmp_base_queuing_lock_tail, tail);
    return lock;
}

static void locks(struct kf *kf)
{
    struct gf *gf = kf->gf;
    unsigned waiter = kf_gtid[KF_LOCK] + 1;
    taddr table = object(kf, SIZE(kmp_indirect_lock_table));
    taddr rows = object(kf, 64);
    taddr row = object(kf, (size_t)KMP_LOCK_ROW * SIZE(kmp_indirect_lock_t));
    kf->lock = lock_new(kf, waiter, waiter);
    kf->nest_lock = lock_new(kf, UINT32_MAX, 0);
    kf->critical = lock_new(kf, UINT32_MAX, 0);
    kf_put(kf, kf->nest_lock, KMP_kmp_base_queuing_lock_owner, kf_gtid[KF_LEADS] + 1);
    kf_put(kf, kf->nest_lock, KMP_kmp_base_queuing_lock_depth, 2);
    kf_put(kf, kf->critical, KMP_kmp_base_queuing_lock_location, 0x1234);
    kf_put(kf, gf->thread[KF_LOCK], KMP_kmp_base_info_spin_here, 1);
    gf_number(gf, rows, 8, row);
    kf_put(kf, table, KMP_kmp_indirect_lock_table_rows, rows);
    kf_put(kf, table, KMP_kmp_indirect_lock_table_row_count, 8);
    kf_put(kf, table, KMP_kmp_indirect_lock_table_used, 3);
    const taddr all[] = {kf->lock, kf->nest_lock, kf->critical};
    for (unsigned i = 0; i < 3; i++) {
        taddr entry = row + (taddr)i * SIZE(kmp_indirect_lock_t);
        kf_put(kf, entry, KMP_kmp_indirect_lock_t_lock, all[i]);
        kf_put(kf, entry, KMP_kmp_indirect_lock_t_kind,
               i != 1           ? KMP_LOCK_QUEUING
               : is_aarch64(kf) ? KMP_LOCK_NESTED_QUEUING - KMP_LOCKS_OF_X86
                                : KMP_LOCK_NESTED_QUEUING);
        if (i == 1)
            kf->nest_entry = entry;
        if (i == 2) {
            kf->critical_word = gf_memory(gf, 8);
            gf_number(gf, kf->critical_word, 8, entry);
        }
    }
    kf->lock_word = gf_memory(gf, 8);
    kf->nest_word = gf_memory(gf, 8);
    gf_number(gf, kf->nest_word, 4, 2);
    lock_finder(kf, table);
}

/* One has counted its arrival, the other sleeps on that of its only teammate. */
static void barriers(struct kf *kf)
{
    struct gf *gf = kf->gf;
    uint32_t first = OFFSET(kmp_base_info_bar), arrived = OFFSET(kmp_barrier_union_arrived);
    gf_number(gf, kf->team + OFFSET(kmp_base_team_bar), 8, 5 << KMP_BARRIER_SHIFT);
    gf_number(gf, gf->thread[KF_ARRIVED] + first + arrived, 8, 6 << KMP_BARRIER_SHIFT);
    taddr sleep = object(kf, 64);
    gf_number(gf, sleep + KMP_FLAG_WORD, 8,
              gf->thread[KF_SERIAL] + first + SIZE(kmp_barrier_union) + arrived);
    kf_put(kf, gf->thread[KF_LEADS], KMP_kmp_base_info_sleep_loc, sleep);
}

struct kf kf_new(unsigned layout)
{
    struct kf made = {.layout = &kmp_layouts[layout]}, *kf = &made;
    kf->gf = gf_blank(made.layout->machine, 0);
    kf->pointers = gf_memory(kf->gf, 512);
    libomp(kf);
    globals(kf);
    gf_glibc(kf->gf);
    threads(kf);
    taddr root = kf->outermost = team_new(kf, 1, 0, 0, 0, 0);
    kf_put(kf, root, KMP_kmp_base_team_serialized, 1);
    kf->team = team_new(kf, 4, 1, root, 0, kf_implicit(kf, root, 0));
    for (unsigned i = 0; i < 4; i++)
        join(kf, i, kf->team, i);
    kf->nested = team_new(kf, 2, 2, kf->team, 1, kf_implicit(kf, kf->team, 1));
    join(kf, KF_LEADS, kf->nested, 0);
    join(kf, KF_SERIAL, kf->nested, 1);
    kf->serial = team_new(kf, 1, 4, kf->nested, 1, kf_implicit(kf, kf->nested, 1));
    kf_put(kf, kf->serial, KMP_kmp_base_team_serialized, 2);
    kf_put(kf, kf->serial, KMP_kmp_base_team_active_level, 2);
    join(kf, KF_SERIAL, kf->serial, 0);
    kf->root_team = team_new(kf, 1, 0, 0, 0, 0);
    kf_put(kf, kf->root_team, KMP_kmp_base_team_serialized, 1);
    kf->idle_team = team_new(kf, 2, 1, kf->root_team, 0, kf_implicit(kf, kf->root_team, 0));
    join(kf, KF_ROOT, kf->idle_team, 0);
    join(kf, KF_IDLE, kf->idle_team, 1);
    join(kf, KF_ROOT, kf->root_team, 0);
    tasks(kf);
    locks(kf);
    barriers(kf);
    return made;
}

void kf_free(struct kf *kf)
{
    gf_free(kf->gf);
}
