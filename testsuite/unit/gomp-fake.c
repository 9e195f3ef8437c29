/* SPDX-License-Identifier: MIT
 *
 * The fake process: memory, structures, code and callbacks.
 */
#include "gomp-fake.h"

#include <stdlib.h>
#include <string.h>

taddr gf_memory(struct gf *gf, size_t bytes)
{
    taddr at = gf->end;
    gf->end += (bytes + 63) / 64 * 64;
    if (gf->end > gf->base + GF_BYTES)
        abort();
    return at;
}

void gf_number(struct gf *gf, taddr at, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        gf->bytes[at - gf->base + i] = (unsigned char)(value >> 8 * i);
}

void gf_put(struct gf *gf, taddr object, enum gomp_field field, uint64_t value)
{
    struct gomp_place place = gf->layout->place[field];
    if (place.offset != GOMP_LACKING)
        gf_number(gf, object + place.offset, place.size, value);
}

uint64_t gf_get(const struct gf *gf, taddr object, enum gomp_field field)
{
    struct gomp_place place = gf->layout->place[field];
    uint64_t value = 0;
    memcpy(&value, gf->bytes + (object + place.offset - gf->base), place.size);
    return value;
}

void gf_symbol(struct gf *gf, const char *name, taddr address)
{
    gf->symbol[gf->symbols].name = name;
    gf->symbol[gf->symbols++].address = address;
}

void gf_hide(struct gf *gf, const char *name)
{
    for (unsigned i = 0; i < gf->symbols; i++) {
        if (strcmp(gf->symbol[i].name, name) == 0)
            gf->symbol[i].address = 0;
    }
}

/* Of the thread's data to the thread pointer. */
static int64_t distance(const struct gf *gf)
{
    return gf->machine == PROBE_AARCH64 ? 16 + 512 * gf->number : -144 - 256 * gf->number;
}

/* Loads of a field of the thread and, unless `inner` is negative, of what it points to.
 */
static void accessor_x86_64(struct gf *gf, const char *name, unsigned field, unsigned size,
                            int inner, unsigned inner_size)
{
    taddr at = gf_memory(gf, 128);
    unsigned char *p = gf->bytes + (at - gf->base);
    gf_symbol(gf, name, at);
    *p++ = 0x48; /* mov slot(%rip),%rax */
    *p++ = 0x8b;
    *p++ = 0x05;
    int32_t to_slot = (int32_t)(gf->slot - (at + 7));
    memcpy(p, &to_slot, 4);
    p += 4;
    *p++ = 0x64; /* mov %fs:field(%rax),%edx or %rdx */
    if (size == 8)
        *p++ = 0x48;
    *p++ = 0x8b;
    *p++ = 0x90;
    memcpy(p, &field, 4);
    p += 4;
    if (inner >= 0) {
        if (inner_size == 1) { /* movzbl inner(%rdx),%eax */
            *p++ = 0x0f;
            *p++ = 0xb6;
        } else {
            *p++ = 0x8b; /* mov inner(%rdx),%eax */
        }
        *p++ = 0x82;
        memcpy(p, &inner, 4);
        p += 4;
    }
    *p = 0xc3;
}

static void accessor_aarch64(struct gf *gf, const char *name, unsigned field, unsigned size,
                             int inner, unsigned inner_size)
{
    taddr at = gf_memory(gf, 128);
    uint32_t code[8];
    unsigned n = 0;
    gf_symbol(gf, name, at);
    uint32_t pages = (uint32_t)((gf->slot >> 12) - (at >> 12)) & 0x1fffff;
    code[n++] = 0x90000000 | (pages & 3) << 29 | (pages >> 2) << 5;  /* adrp x0 */
    code[n++] = 0xf9400000 | (uint32_t)(gf->slot & 0xfff) / 8 << 10; /* ldr x0,[x0,slot] */
    code[n++] = 0xd53bd041;                                          /* mrs x1,tpidr_el0 */
    code[n++] = 0x8b000020;                                          /* add x0,x1,x0 */
    code[n++] = (size == 8 ? 0xf9400000 : 0xb9400000) | field / size << 10;
    if (inner >= 0)
        code[n++] = (inner_size == 1 ? 0x39400000 : 0xb9400000) | (uint32_t)inner / inner_size
                                                                      << 10;
    code[n++] = 0xd65f03c0; /* ret */
    memcpy(gf->bytes + (at - gf->base), code, n * 4);
}

static void accessor(struct gf *gf, const char *name, enum gomp_field field, int inner,
                     unsigned inner_size)
{
    struct gomp_place place = gf->layout->place[field];
    if (place.offset == GOMP_LACKING)
        return;
    (gf->machine == PROBE_AARCH64 ? accessor_aarch64 : accessor_x86_64)(
        gf, name, place.offset, place.size, inner, inner_size);
}

#define PLACE(field) gf->layout->place[GOMP_##field].offset

static void libgomp(struct gf *gf)
{
    static const char *const evidence[] = {"GOMP_alloc",    "GOMP_teams4",  "omp_in_explicit_task",
                                           "GOMP_is_alloc", "GOMP_interop", "omp_target_memset"};
    gf_symbol(gf, "GOMP_parallel", gf_memory(gf, 64));
    gf_symbol(gf, "GOMP_parallel_reductions", gf_memory(gf, 64));
    gf_symbol(gf, "acc_get_property", gf_memory(gf, 64));
    for (unsigned i = 0; 11 + i <= gf->layout->last_version; i++)
        gf_symbol(gf, evidence[i], gf_memory(gf, 64));
    gf->slot = gf_memory(gf, 64);
    gf_number(gf, gf->slot, 8, (uint64_t)distance(gf));
    accessor(gf, "omp_get_thread_num", GOMP_gomp_thread_team_id, -1, 0);
    accessor(gf, "omp_get_level", GOMP_gomp_thread_level, -1, 0);
    accessor(gf, "omp_get_active_level", GOMP_gomp_thread_active_level, -1, 0);
    accessor(gf, "omp_get_num_threads", GOMP_gomp_thread_team, 0, 4);
    accessor(gf, "omp_in_final", GOMP_gomp_thread_task, PLACE(gomp_task_final_task), 1);
    accessor(gf, "omp_get_max_threads", GOMP_gomp_thread_task, PLACE(gomp_task_icv), 4);
    accessor(gf, "omp_get_num_teams", GOMP_gomp_thread_num_teams, -1, 0);
}

static taddr descriptor(struct gf *gf, uint32_t offset)
{
    taddr at = gf_memory(gf, 64);
    gf_number(gf, at, 4, 64);
    gf_number(gf, at + 4, 4, 1);
    gf_number(gf, at + 8, 4, offset);
    return at;
}

static void link_ring(struct gf *gf, taddr head, const taddr *pthread, unsigned count)
{
    taddr last = head;
    for (unsigned i = 0; i < count; i++) {
        gf_number(gf, last, 8, pthread[i] + GF_LIST_OFFSET);
        last = pthread[i] + GF_LIST_OFFSET;
    }
    gf_number(gf, last, 8, head);
}

void gf_glibc(struct gf *gf)
{
    gf->loader = gf_memory(gf, 256);
    gf_symbol(gf, "_rtld_global", gf->loader);
    gf->ring[0] = gf->loader + 32;
    gf->ring[1] = gf->loader + 64;
    gf_symbol(gf, "_thread_db_rtld_global__dl_stack_user", descriptor(gf, 32));
    gf_symbol(gf, "_thread_db_rtld_global__dl_stack_used", descriptor(gf, 64));
    gf_symbol(gf, "_dl_stack_user", gf->ring[0]);
    gf_symbol(gf, "_dl_stack_used", gf->ring[1]);
    gf_symbol(gf, "_thread_db_pthread_list", descriptor(gf, GF_LIST_OFFSET));
    gf_symbol(gf, "_thread_db_pthread_tid", descriptor(gf, GF_TID_OFFSET));
    taddr size = gf_memory(gf, 64);
    gf_number(gf, size, 4, GF_PTHREAD_BYTES);
    gf_symbol(gf, "_thread_db_sizeof_pthread", size);
    for (unsigned i = 0; i < GF_THREADS; i++) {
        taddr pthread = gf_memory(gf, 512 + GF_PTHREAD_BYTES + 1024) + 512;
        gf->pthread[i] = pthread;
        gf->thread[i] = gf_data_of(gf, pthread);
        if (gf->machine == PROBE_X86_64)
            gf_number(gf, pthread + 16, 8, pthread);
        gf_number(gf, pthread + GF_TID_OFFSET, 4, gf_tid(gf, i));
    }
    link_ring(gf, gf->ring[0], gf->pthread, 1);
    link_ring(gf, gf->ring[1], gf->pthread + 1, GF_THREADS - 1);
}

taddr gf_implicit(const struct gf *gf, taddr team, unsigned number)
{
    return team + PLACE(gomp_team_implicit_task) +
           (taddr)gf->layout->size[GOMP_STRUCT_gomp_task] * number;
}

static taddr team_new(struct gf *gf, unsigned n, taddr parent_task)
{
    taddr team = gf_memory(gf, gf->layout->size[GOMP_STRUCT_gomp_team] +
                                   n * (gf->layout->size[GOMP_STRUCT_gomp_task] + 8));
    gf_put(gf, team, GOMP_gomp_team_nthreads, n);
    gf_put(gf, team, GOMP_gomp_team_barrier_total, n);
    gf_put(gf, team, GOMP_gomp_team_barrier_awaited, n);
    gf_put(gf, team, GOMP_gomp_team_barrier_awaited_final, n);
    gf_put(gf, team, GOMP_gomp_team_barrier_generation, 16);
    gf_put(gf, team, GOMP_gomp_team_ordered_release, gf_implicit(gf, team, n));
    gf_number(gf, gf_implicit(gf, team, n), 8, team + PLACE(gomp_team_master_release));
    for (unsigned i = 0; i < n; i++)
        gf_put(gf, gf_implicit(gf, team, i), GOMP_gomp_task_parent, parent_task);
    return team;
}

static void join(struct gf *gf, unsigned which, taddr team, unsigned id, unsigned level, taddr pool)
{
    taddr thread = gf->thread[which];
    gf_put(gf, thread, GOMP_gomp_thread_team, team);
    gf_put(gf, thread, GOMP_gomp_thread_team_id, id);
    gf_put(gf, thread, GOMP_gomp_thread_level, level);
    gf_put(gf, thread, GOMP_gomp_thread_active_level, level);
    gf_put(gf, thread, GOMP_gomp_thread_task, gf_implicit(gf, team, id));
    gf_put(gf, thread, GOMP_gomp_thread_pool, pool);
    if (id)
        gf_number(gf, gf_get(gf, team, GOMP_gomp_team_ordered_release) + 8 * id, 8,
                  thread + PLACE(gomp_thread_release));
}

static taddr task_new(struct gf *gf, taddr parent, unsigned kind, taddr fn)
{
    /* With room for items of a depend clause behind it. */
    taddr task = gf_memory(gf, gf->layout->size[GOMP_STRUCT_gomp_task] + 128);
    gf_put(gf, task, GOMP_gomp_task_parent, parent);
    gf_put(gf, task, GOMP_gomp_task_kind, kind);
    gf_put(gf, task, GOMP_gomp_task_fn, fn);
    /* What malloc gave: libgomp writes it only for a task with a depend clause. */
    gf_put(gf, task, GOMP_gomp_task_num_dependees, UINT64_C(0xa5a5a5a5a5a5a5a5));
    return task;
}

/* The only task of a queue, by its node of that kind. */
static void enqueue(struct gf *gf, taddr queue, taddr task, unsigned kind)
{
    taddr node = task + PLACE(gomp_task_pnode) + 16 * kind;
    gf_put(gf, node, GOMP_priority_node_next, node);
    gf_put(gf, node, GOMP_priority_node_prev, node);
    gf_put(gf, queue, GOMP_priority_queue_tasks, node);
}

static taddr pool_new(struct gf *gf, unsigned n)
{
    taddr pool = gf_memory(gf, gf->layout->size[GOMP_STRUCT_gomp_thread_pool]);
    gf_put(gf, pool, GOMP_gomp_thread_pool_threads, gf_memory(gf, 8 * n));
    return pool;
}

static void tasks(struct gf *gf)
{
    taddr first = gf_implicit(gf, gf->team, 0), waits = gf_implicit(gf, gf->team, 3);
    gf->running = task_new(gf, first, 3, 0x5001);
    gf->waiting = task_new(gf, first, 2, 0x5002);
    gf->blocked = task_new(gf, first, 2, 0x5003);
    gf->grouped = task_new(gf, 0, 2, 0x5004);
    gf->undeferred = task_new(gf, gf->running, 1, 0xdead);
    gf_put(gf, gf->blocked, GOMP_gomp_task_depend_count, 1);
    gf_put(gf, gf->blocked, GOMP_gomp_task_num_dependees, 1);
    gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->undeferred);

    enqueue(gf, first + PLACE(gomp_task_children_queue), gf->waiting, 1);
    taddr node = gf_memory(gf, gf->layout->size[GOMP_STRUCT_prio_splay_tree_node_s]);
    gf_put(gf, node, GOMP_prio_splay_tree_node_s_tasks, gf->waiting + PLACE(gomp_task_pnode));
    taddr own = gf->waiting + PLACE(gomp_task_pnode);
    gf_put(gf, own, GOMP_priority_node_next, own);
    gf_put(gf, own, GOMP_priority_node_prev, own);
    gf_put(gf, gf->team + PLACE(gomp_team_task_queue), GOMP_priority_queue_root, node);
    taddr dependers = gf_memory(gf, 64);
    gf_put(gf, dependers, GOMP_gomp_dependers_vec_n_elem, 1);
    gf_number(gf, dependers + PLACE(gomp_dependers_vec_elem), 8, gf->blocked);
    gf_put(gf, gf->running, GOMP_gomp_task_dependers, dependers);

    taddr group = gf_memory(gf, gf->layout->size[GOMP_STRUCT_gomp_taskgroup]);
    gf_put(gf, group, GOMP_gomp_taskgroup_in_wait, 1);
    gf_put(gf, waits, GOMP_gomp_task_taskgroup, group);
    enqueue(gf, group + PLACE(gomp_taskgroup_queue), gf->grouped, 2);
}

struct gf *gf_new(unsigned layout, enum probe_machine machine)
{
    return gf_new_of(layout, machine, 0);
}

struct gf *gf_blank(enum probe_machine machine, int number)
{
    struct gf *gf = calloc(1, sizeof *gf);
    gf->number = number;
    gf->base = GF_BASE + (taddr)number * GF_BYTES;
    gf->bytes = calloc(1, GF_BYTES);
    gf->machine = machine;
    gf->end = gf->base + 0x1000;
    return gf;
}

struct gf *gf_new_of(unsigned layout, enum probe_machine machine, int number)
{
    struct gf *gf = gf_blank(machine, number);
    gf->layout = &gomp_layouts[layout];
    libgomp(gf);
    gf_glibc(gf);

    gf->pool = pool_new(gf, 8);
    gf->serial_pool = pool_new(gf, 2);
    gf_number(gf, gf_get(gf, gf->pool, GOMP_gomp_thread_pool_threads), 8, gf->thread[GF_MASTER]);
    gf->team = team_new(gf, 4, 0);
    join(gf, GF_MASTER, gf->team, 0, 1, gf->pool);
    join(gf, GF_LEADS, gf->team, 1, 1, gf->pool);
    join(gf, GF_RUNS, gf->team, 2, 1, gf->pool);
    join(gf, GF_WAITS, gf->team, 3, 1, gf->pool);

    gf->nested = team_new(gf, 2, gf_implicit(gf, gf->team, 1));
    gf_put(gf, gf->nested, GOMP_gomp_team_prev_team, gf->team);
    gf_put(gf, gf->nested, GOMP_gomp_team_prev_team_id, 1);
    gf_put(gf, gf->nested, GOMP_gomp_team_prev_level, 1);
    gf_put(gf, gf->nested, GOMP_gomp_team_prev_active_level, 1);
    join(gf, GF_LEADS, gf->nested, 0, 2, gf->pool);
    join(gf, GF_NESTED, gf->nested, 1, 2, gf->pool);

    gf->idle_team = team_new(gf, 2, 0);
    join(gf, GF_IDLE, gf->idle_team, 1, 1, gf->pool);
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_last_team, gf->idle_team);
    gf_put(gf, gf->thread[GF_RELEASED], GOMP_gomp_thread_team, gf->idle_team);

    gf->initial = task_new(gf, 0, 0, 0);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_task, gf->initial);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_pool, gf->serial_pool);
    tasks(gf);
    return gf;
}

void gf_join(struct gf *gf, struct gf *other)
{
    gf_number(gf, gf->pthread[GF_THREADS - 1] + GF_LIST_OFFSET, 8,
              other->pthread[0] + GF_LIST_OFFSET);
    for (unsigned i = 0; i < GF_THREADS; i++)
        gf_number(other, other->pthread[i] + GF_LIST_OFFSET, 8,
                  i + 1 < GF_THREADS ? other->pthread[i + 1] + GF_LIST_OFFSET : gf->ring[1]);
}

const char *const gf_image_file[GF_IMAGES] = {"", "/lib/libgomp.so.1", "/lib/ld.so",
                                              "./libgomp-a34b3233.so.1.0.0"};

void gf_list_images(struct gf *gf, const struct gf *second)
{
    /* The dynamic linker is where its own head of the list is. */
    const taddr base[GF_IMAGES] = {64, gf->base + 64, gf->loader, second->base};
    for (unsigned i = 0; i < GF_IMAGES; i++) {
        taddr name = gf_memory(gf, 64);
        strcpy((char *)gf->bytes + (name - gf->base), gf_image_file[i]);
        gf->image[i] = gf_memory(gf, 64);
        gf_number(gf, gf->image[i], 8, base[i]);
        gf_number(gf, gf->image[i] + 8, 8, name);
        if (i)
            gf_number(gf, gf->image[i - 1] + 24, 8, gf->image[i]);
    }
    gf_number(gf, gf->loader, 8, gf->image[GF_PROGRAM]);
    gf_number(gf, gf->loader + 8, 8, GF_IMAGES);
    taddr debug = gf_memory(gf, 64);
    gf_number(gf, debug + 8, 8, gf->image[GF_PROGRAM]);
    gf_symbol(gf, "_r_debug", debug);
}

taddr gf_data_of(const struct gf *gf, taddr pthread)
{
    return pthread + (gf->machine == PROBE_AARCH64 ? GF_PTHREAD_BYTES : 0) + (taddr)distance(gf);
}

void gf_free(struct gf *gf)
{
    free(gf->bytes);
    free(gf);
}

static struct gf *current;

static bool fails(struct gf *gf)
{
    return gf && gf->fail_at && ++gf->callbacks == gf->fail_at;
}

static enum rc cb_alloc(size_t bytes, void **out)
{
    if (fails(current))
        return RC_NOMEM;
    *out = malloc(bytes);
    current->alive++;
    return RC_OK;
}

static void cb_release(void *block)
{
    free(block);
    current->alive--;
}

static enum rc cb_sizes(void *context, struct type_sizes *out)
{
    current = context;
    if (fails(current))
        return RC_CALLBACK_ERROR;
    *out = (struct type_sizes){.sizeof_long = 8, .sizeof_pointer = 8};
    return RC_OK;
}

static enum rc cb_symbol(void *context, const char *file, const char *name, taddr *out)
{
    (void)file;
    struct gf *gf = context;
    gf->lookups++;
    if (fails(gf))
        return RC_CALLBACK_ERROR;
    for (unsigned i = 0; i < gf->symbols; i++) {
        if (strcmp(gf->symbol[i].name, name) == 0 && gf->symbol[i].address) {
            *out = gf->symbol[i].address;
            return RC_OK;
        }
    }
    return RC_UNAVAILABLE;
}

static enum rc cb_read(void *context, taddr address, size_t bytes, void *out)
{
    struct gf *gf = context;
    gf->reads++;
    if (bytes > gf->largest)
        gf->largest = bytes;
    if (fails(gf) || (gf->hole >= address && gf->hole - address < bytes) || address < gf->base ||
        bytes > GF_BYTES || address - gf->base > GF_BYTES - bytes)
        return gf->why ? gf->why : RC_READ_ERROR;
    memcpy(out, gf->bytes + (address - gf->base), bytes);
    return RC_OK;
}

static enum rc cb_to_host(void *context, const void *in, int unit, int count, void *out)
{
    if (fails(context))
        return RC_CALLBACK_ERROR;
    memcpy(out, in, (size_t)unit * (size_t)count);
    return RC_OK;
}

static enum rc cb_has_thread(void *context, size_t bytes, const void *lwp)
{
    struct gf *gf = context;
    uint64_t id = 0;
    if (fails(gf) || !gf->tells || bytes != sizeof id)
        return RC_UNSUPPORTED;
    gf->asked++;
    memcpy(&id, lwp, sizeof id);
    return id - GF_TID_FIRST < GF_THREADS && !(gf->gone >> (id - GF_TID_FIRST) & 1)
               ? RC_OK
               : RC_UNAVAILABLE;
}

static void cb_log(const char *sentence)
{
    current->said += sentence[0] != '\0';
}

const struct target_ops gf_ops = {
    .log = cb_log,
    .alloc = cb_alloc,
    .release = cb_release,
    .type_sizes = cb_sizes,
    .symbol = cb_symbol,
    .read = cb_read,
    .to_host = cb_to_host,
    .has_thread = cb_has_thread,
};
