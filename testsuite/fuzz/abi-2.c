/* SPDX-License-Identifier: MIT
 *
 * The 2.000 interface for the fuzz driver: its routines, and its callback table over the
 * driver's callbacks.
 */
#include "libompd/abi-2/ompd.h"
#include "target.h"

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
    return (ompd_rc_t)callback_alloc(bytes, ptr);
}

static ompd_rc_t free_memory(void *ptr)
{
    return (ompd_rc_t)callback_free(ptr);
}

static ompd_rc_t sizes_of(ompd_address_space_context_t *context,
                          ompd_target_type_sizes_t *sizes)
{
    sizes->sizeof_char = 1;
    sizes->sizeof_short = 2;
    sizes->sizeof_int = 4;
    sizes->sizeof_long_long = 8;
    return (ompd_rc_t)callback_sizes(context, &sizes->sizeof_long,
                                     &sizes->sizeof_pointer);
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const char *name,
                             ompd_address_t *out)
{
    (void)thread;
    out->segment = 7;
    return (ompd_rc_t)callback_symbol(context, NULL, name, &out->address);
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const ompd_address_t *addr,
                             ompd_tword_t nbytes, void *buffer)
{
    (void)thread;
    return (ompd_rc_t)callback_read(context, addr->address, (uint64_t)nbytes, buffer);
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         int unit_size, int count, void *output)
{
    return (ompd_rc_t)callback_to_host(context, input, unit_size, count, output);
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context,
                                ompd_osthread_kind_t kind, ompd_size_t bytes,
                                const void *id, ompd_thread_context_t **out)
{
    if (kind != ompd_osthread_lwp)
        fuzz_fail("thread ids of kind %d", (int)kind);
    return (ompd_rc_t)callback_thread(context, bytes, id, (void **)out);
}

static int initialize(void)
{
    static const ompd_callbacks_t table = {
        .d_alloc_memory = alloc_memory,
        .d_free_memory = free_memory,
        .t_sizeof_prim_type = sizes_of,
        .t_symbol_addr_lookup = symbol_addr,
        .t_read_memory = read_memory,
        .get_thread_context_for_osthread = thread_context,
        .target_to_host = to_host,
    };
    return (int)ompd_initialize(&table);
}

static int finalize(void)
{
    return (int)ompd_finalize();
}

#define OUT(bit, member) (a->null & 1u << (bit) ? NULL : (void *)&o->member)
#define ID(bit) (a->null & 1u << (bit) ? NULL : a->id)
#define ROUTINE(name, takes, gives, cost, flags, arguments)                              \
    static int call_##name(const struct args *a, struct outs *o)                         \
    {                                                                                    \
        (void)a;                                                                         \
        (void)o;                                                                         \
        return (int)ompd_##name arguments;                                               \
    }
#include "routines-2.def"
#undef ROUTINE

static const struct routine routines[] = {
#define ROUTINE(name, takes, gives, cost, flags, arguments)                              \
    {#name, call_##name, KIND_##takes, GIVES_##gives, COST_##cost, flags},
#include "routines-2.def"
#undef ROUTINE
};

#define RELEASE(kind)                                                                    \
    static int release_##kind(void *handle)                                              \
    {                                                                                    \
        return (int)ompd_release_##kind##_handle(handle);                                \
    }
#define COMPARE_AND_STRING(kind)                                                         \
    static int compare_##kind(void *x, void *y, int *out)                                \
    {                                                                                    \
        return (int)ompd_##kind##_handle_compare(x, y, out);                             \
    }                                                                                    \
    static int string_##kind(void *handle, char **out)                                   \
    {                                                                                    \
        return (int)ompd_get_##kind##_handle_string_id(handle, out);                     \
    }
RELEASE(address_space)
RELEASE(thread)
RELEASE(parallel)
RELEASE(task)
COMPARE_AND_STRING(thread)
COMPARE_AND_STRING(parallel)
COMPARE_AND_STRING(task)

static int release_vars(void *list)
{
    return (int)ompd_release_display_control_vars(list);
}

const struct abi fuzz_abi = {
    .name = "abi-2",
    .routines = routines,
    .count = sizeof routines / sizeof *routines,
    .initialize = initialize,
    .finalize = finalize,
    .initialized = RC_error,
    .uninitialized = RC_error,
    .release = {release_address_space, release_thread, release_parallel, release_task},
    .compare = {NULL, compare_thread, compare_parallel, compare_task},
    .string = {NULL, string_thread, string_parallel, string_task},
    .release_vars = release_vars,
};
