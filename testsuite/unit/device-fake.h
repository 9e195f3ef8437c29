/* SPDX-License-Identifier: MIT
 *
 * Devices of a process that exists only here: code that has the addresses of variables, and trees of
 * mapped ranges, for either runtime.
 */
#ifndef DEVICE_FAKE_H
#define DEVICE_FAKE_H

#include <stdarg.h>
#include <stdlib.h>

#include "gomp-fake.h"
#include "libompd/handle/icv.h"
#include "libompd/runtime/reader.h"

enum { DF_RANGES = 40, DF_STEP = 0x10000 };

/* Writes a function: bytes in hex, "is" a word and "to" the distance to an address, of which each is
 * a further taddr. Answers where it is. */
static inline taddr df_code(struct gf *of, const char *name, const char *code, ...)
{
    taddr start = gf_memory(of, 512), at = start;
    va_list values;
    va_start(values, code);
    for (; *code; code += code[2] ? 3 : 2) {
        bool is_word = *code == 'i' || *code == 't';
        taddr value = is_word ? va_arg(values, taddr) : strtoul(code, NULL, 16);
        gf_number(of, at, is_word ? 4 : 1, *code == 't' ? value - (at + 4) : value);
        at += is_word ? 4 : 1;
    }
    va_end(values);
    if (name)
        gf_symbol(of, name, start);
    return start;
}

/* Ranges from `first` up to `last`, as a balanced tree; `make` answers the address of one's node,
 * and `left` and `right` are where that has its children. */
static inline taddr df_tree(struct gf *of, unsigned first, unsigned last, unsigned left,
                            unsigned right, taddr (*make)(unsigned number))
{
    if (first >= last)
        return 0;
    unsigned middle = (first + last) / 2;
    taddr node = make(middle);
    gf_number(of, node + left, 8, df_tree(of, first, middle, left, right, make));
    gf_number(of, node + right, 8, df_tree(of, middle + 1, last, left, right, make));
    return node;
}

/* What was visited. */
struct df_found {
    unsigned devices, mappings;
    struct device_facts device[4];
    struct mapping_facts mapping[DF_RANGES]; /* by its number */
};

static inline bool df_take_device(void *arg, const struct device_facts *facts)
{
    struct df_found *found = arg;
    ck_assert_uint_lt(found->devices, 4);
    found->device[found->devices++] = *facts;
    return true;
}

static inline bool df_take_mapping(void *arg, const struct mapping_facts *facts)
{
    struct df_found *found = arg;
    ck_assert_uint_lt(facts->host / DF_STEP, DF_RANGES);
    ck_assert_uint_eq(found->mapping[facts->host / DF_STEP].bytes, 0); /* none is visited twice */
    found->mapping[facts->host / DF_STEP] = *facts;
    found->mappings++;
    return true;
}

#define DF_ASK(found)                                                                              \
    (*(found) = (struct df_found){0},                                                              \
     rc_join(ASK(each_device, df_take_device, found), ASK(each_mapping, df_take_mapping, found)))

static inline enum rc df_icv(const void *handle, enum scope scope, const char *name, int64_t *out)
{
    const char *found;
    enum scope listed;
    uint64_t icv = 1;
    while (icv_name(icv, ICV_VERSION_6_0, &found, &listed) == RC_OK && strcmp(found, name) != 0)
        icv++;
    return icv_number(handle, scope, icv, out);
}

/* What is said of a device of this kind that has the number 0 and is one of two. The host is the one
 * after these. */
static inline void df_ask_device(struct gf *of, struct handle *device, enum device_kind kind)
{
    static const char *const names[] = {"num-devices-var", "device-num-var",
                                        "max-task-priority-var", "num-procs-var",
                                        "teams-thread-limit-var"};
    int64_t host, own;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        enum rc of_host = df_icv(space, SCOPE_address_space, names[i], &host);
        bool is_lacking = i > 2 && (i > 3 || kind != DEVICE_KIND_HOST);
        of->said = 0;
        enum rc of_device = df_icv(device, SCOPE_address_space, names[i], &own);
        ck_assert_int_eq(of_device, is_lacking ? RC_UNSUPPORTED : of_host);
        ck_assert_uint_eq(of->said, of_device == RC_UNSUPPORTED);
        if (of_device == RC_OK)
            ck_assert_int_eq(own, i == 1 ? 0 : host);
    }
    ck_assert_int_eq(df_icv(device, SCOPE_global, names[0], &own), RC_OTHER_HANDLE);
    struct instance *runtime;
    struct handle *none = NULL;
    uint64_t id = 0;
    enum rc of_memory = kind == DEVICE_KIND_HOST ? RC_OK : RC_UNSUPPORTED;
    ck_assert_int_eq(any_space_runtime(device, &runtime), of_memory);
    ck_assert_int_eq(host_memory_check(device), of_memory);
    ck_assert_int_eq(thread_of_any_space(device, OS_THREAD_LWP, 8, &id, &none), RC_UNSUPPORTED);
    ck_assert_int_eq(device_create((struct space *)device, kind, 8, &id, &none), RC_OTHER_HANDLE);
    ck_assert_int_eq(space_check((struct space *)device), RC_STALE_HANDLE);
    ck_assert_ptr_null(none);
}

/* Handles of device 0, which is of this kind, 0: of none that is known; of 1, which a runtime may know
 * not to be in use; and of what is none. */
static inline void df_ask_handles(struct gf *of, enum device_kind kind, enum rc unused)
{
    const struct {
        unsigned char number, size;
        enum rc rc;
    } wrong[] = {
        {1, 8, kind ? unused : RC_UNSUPPORTED}, {2, 8, RC_BAD_INPUT}, {0, 3, RC_BAD_INPUT}};
    struct handle *device = NULL;
    uint64_t id = 0;
    for (int asked = DEVICE_KIND_HOST; asked <= DEVICE_KIND_HSA; asked++) {
        bool fits = asked == (int)kind;
        of->said = 0;
        ck_assert_int_eq(device_create(space, (enum device_kind)asked, 8, &id, &device),
                         fits   ? RC_OK
                         : kind ? RC_BAD_INPUT
                                : RC_UNSUPPORTED);
        ck_assert_uint_eq(of->said, !fits);
        if (fits)
            df_ask_device(of, device, kind);
        ck_assert_int_eq(any_space_release(device), fits ? RC_OK : RC_STALE_HANDLE);
        ck_assert_int_eq(any_space_release(device), RC_STALE_HANDLE);
        device = NULL;
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        id = wrong[i].number;
        ck_assert_int_eq(device_create(space, kind, wrong[i].size, &id, &device), wrong[i].rc);
        any_space_release(device);
        device = NULL;
    }
    ck_assert_int_eq(device_create(NULL, kind, 8, &id, &device), RC_STALE_HANDLE);
    for (unsigned n = 1, reached = n; reached >= n; n++) {
        int alive = of->alive;
        id = 0;
        of->fail_at = n;
        of->callbacks = 0;
        enum rc rc = device_create(space, kind, 8, &id, &device);
        reached = of->callbacks;
        of->fail_at = 0;
        ck_assert_int_eq(any_space_release(device), rc == RC_OK ? RC_OK : RC_STALE_HANDLE);
        ck_assert_int_eq(of->alive, alive);
        device = NULL;
    }
}

/* Each callback of both questions fails in turn: nothing is leaked, and what is said to be all is. */
#define DF_FAIL_EACH(of, found)                                                                    \
    for (unsigned n = 1;; n++) {                                                                   \
        int alive = (of)->alive;                                                                   \
        (of)->fail_at = n;                                                                         \
        (of)->callbacks = 0;                                                                       \
        enum rc rc = DF_ASK(found);                                                                \
        bool reached = (of)->callbacks >= n;                                                       \
        (of)->fail_at = 0;                                                                         \
        ck_assert_int_le((of)->alive, alive + 1);                                                  \
        ck_assert(rc != RC_OK || (found)->mappings == DF_RANGES);                                  \
        if (!reached)                                                                              \
            break;                                                                                 \
    }

#endif
