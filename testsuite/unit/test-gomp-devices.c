/* SPDX-License-Identifier: MIT
 *
 * The devices of libgomp in each of their layouts, and what is mapped to them.
 */
#include <check.h>

#include "gomp-unit.h"

#include "device-fake.h"

static const struct row {
    unsigned first_version;
    uint16_t bytes, name, capabilities, target_id, type, init_device, mem_map, lock, state;
    uint16_t copy_start;
} rows[] = {
#define GOMP_DEVICES(...) {__VA_ARGS__},
#include "libompd/runtime/gomp-fields.def"
};
enum { ROWS = sizeof rows / sizeof *rows, DEVICES = 2, COPY = 0x5000, PLUGIN = 0x7000 };

/* Kinds of x86-64; the last has the symbols of GCC 16. */
enum { GCC_10, GCC_12 = 2, GCC_16, AARCH64 };

static const struct row *row;
static taddr number, first, once, devices, node[DF_RANGES];
static struct df_found found;

static taddr make_range(unsigned i)
{
    taddr copy = gf_memory(gf, 64);
    node[i] = gf_memory(gf, GOMP_RANGE_BYTES);
    gf_number(gf, node[i] + GOMP_RANGE_START, 8, (taddr)i * DF_STEP);
    gf_number(gf, node[i] + GOMP_RANGE_END, 8, (taddr)i * DF_STEP + i + 1);
    gf_number(gf, node[i] + GOMP_RANGE_COPY, 8, copy);
    gf_number(gf, node[i] + GOMP_RANGE_OFFSET, 8, i);
    gf_number(gf, node[i] + GOMP_RANGE_REFERENCES, 8, i + 2);
    gf_number(gf, copy + row->copy_start, 8, COPY);
    return node[i];
}

/* lea once(%rip),%rdi; mov number(%rip),%eax. mov first(%rip),%rdi. call; lea lock(%rbx),%r12;
 * lea mem_map(%rbx),%rdi. */
static void make_code(void)
{
    df_code(gf, "omp_get_num_devices", "48 8d 3d to 8b 05 to c3", once, number);
    taddr called = df_code(gf, NULL, "48 8b 3d to c3", first);
    df_code(gf, "omp_target_is_present", "e8 to 4c 8d a3 is 48 8d bb is c3", called,
            (taddr)row->lock, (taddr)row->mem_map);
}

static void begin_devices(int kind, unsigned which)
{
    begin(kind);
    row = &rows[which];
    number = gf_memory(gf, 64);
    first = number + 8;
    once = number + 36;
    devices = gf_memory(gf, (size_t)DEVICES * row->bytes);
    gf_number(gf, number, 4, DEVICES);
    gf_number(gf, first, 8, devices);
    gf_number(gf, once, 4, GOMP_ONCE_DONE);
    for (unsigned i = 0; i < DEVICES; i++) {
        taddr at = devices + (taddr)i * row->bytes;
        gf_number(gf, at + row->name, 8, PLUGIN + 1);
        gf_number(gf, at + row->capabilities, 4, GOMP_DEVICE_OPENMP);
        gf_number(gf, at + row->target_id, 4, i);
        gf_number(gf, at + row->init_device, 8, PLUGIN);
        gf_number(gf, at + row->state, 4, i ? GOMP_DEVICE_UNUSED : GOMP_DEVICE_READY);
    }
    gf_number(gf, devices + row->mem_map, 8,
              df_tree(gf, 0, DF_RANGES, GOMP_RANGE_LEFT, GOMP_RANGE_RIGHT, make_range));
    make_code();
}

EACH(devices_and_ranges, ROWS)
{
    begin_devices(_i ? GCC_16 : GCC_12, (unsigned)_i);
    ck_assert_int_eq(DF_ASK(&found), RC_OK);
    ck_assert_uint_eq(found.devices, DEVICES);
    assert_known(found.device[0].state, DEVICE_STATE_READY);
    assert_known(found.device[0].plugin, PLUGIN);
    ck_assert_uint_eq(found.device[1].descriptor, devices + row->bytes);
    assert_known(found.device[0].name, PLUGIN + 1);
    assert_known(found.device[1].state, DEVICE_STATE_UNUSED);
    for (unsigned i = 0; i < DF_RANGES; i++) {
        ck_assert_uint_eq(found.mapping[i].device, 0);
        ck_assert_uint_eq(found.mapping[i].bytes, i + 1);
        assert_known(found.mapping[i].address, COPY + i);
        assert_known(found.mapping[i].references, i + 2);
        assert_known(found.mapping[i].forever, 0);
    }
    end();
}

/* The last bits of a count that is none, what is beside it, and what that means; 0: for ever. */
EACH(reference_counts, 2)
{
    static const struct {
        unsigned special;
        uint64_t beside, shared, old;
    } counts[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {5, 3, 3, 0}, {7, 9, 9, 0}};
    begin_devices(_i ? GCC_12 : GCC_10, 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t expected = _i ? counts[i].shared : counts[i].old;
        gf_number(gf, node[5] + GOMP_RANGE_REFERENCES, 8,
                  ~(uint64_t)GOMP_REFERENCES_SPECIAL | counts[i].special);
        gf_number(gf, node[5] + GOMP_RANGE_MEMBER, 8, counts[i].beside);
        ck_assert_int_eq(DF_ASK(&found), RC_OK);
        assert_known(found.mapping[5].forever, !expected);
        ck_assert_int_eq(found.mapping[5].references.known, expected ? KNOWN : NOT_HELD);
        ck_assert_uint_eq(found.mapping[5].references.value, expected);
    }
    /* Of a further member: where the first one has it. */
    gf_number(gf, node[5] + GOMP_RANGE_REFERENCES, 8, ~UINT64_C(3));
    gf_number(gf, node[5] + GOMP_RANGE_MEMBER, 8, node[6] + GOMP_RANGE_REFERENCES);
    ck_assert_int_eq(DF_ASK(&found), RC_OK);
    ck_assert_uint_eq(found.mapping[5].references.value, _i ? 8 : 0);
    end();
}

EACH(not_known, 5)
{
    begin_devices(_i ? GCC_12 : AARCH64, _i == 4); /* the last: offsets of GCC 13 */
    if (_i == 1)
        gf_hide(gf, "omp_target_is_present");
    if (_i == 2)
        gf_number(gf, once, 4, 1);
    if (_i == 3)
        gf_hide(gf, "omp_get_num_devices");
    ck_assert_int_eq(DF_ASK(&found), _i == 2 ? RC_UNAVAILABLE : RC_UNSUPPORTED);
    ck_assert_uint_eq(found.devices + found.mappings, 0);
    end();
}

/* What no libgomp has, one after the other: where, how many bytes, what, and what is answered. */
EACH(damage, 8)
{
    begin_devices(GCC_12, 0);
    const struct {
        taddr at;
        unsigned bytes;
        uint64_t value;
        enum rc rc;
    } cases[] = {
        {number, 4, 1u << 30, RC_NONSENSE},
        {first, 8, 0, RC_NONSENSE},
        {devices + row->state, 4, 3, RC_NONSENSE},
        {devices + row->capabilities, 4, 0, RC_NONSENSE},
        {devices + row->lock, 4, 1, RC_INCOMPLETE}, /* none of it, but mid-update */
        {node[0] + GOMP_RANGE_LEFT, 8, node[DF_RANGES / 2], RC_INCOMPLETE},
        {node[DF_RANGES / 2] + GOMP_RANGE_RIGHT, 8, node[1], RC_INCOMPLETE},
        {node[3] + GOMP_RANGE_COPY, 8, 8, RC_INCOMPLETE},
    };
    gf_number(gf, cases[_i].at, cases[_i].bytes, cases[_i].value);
    ck_assert_int_eq(DF_ASK(&found), cases[_i].rc);
    end();
}

EACH(callbacks_fail, 1)
{
    begin_devices(GCC_12, 0);
    DF_FAIL_EACH(gf, &found)
    ck_assert_int_eq(DF_ASK(&found), RC_OK);
    end();
}

/* By what a device can do, and by its type. */
EACH(handles, 5)
{
    static const struct {
        uint32_t capabilities, type;
        enum device_kind kind; /* 0: none that is known */
    } devices_of[] = {{0, GOMP_DEVICE_TYPE_CUDA, DEVICE_KIND_CUDA},
                      {0, GOMP_DEVICE_TYPE_GCN, DEVICE_KIND_HSA},
                      {0, 6, (enum device_kind)0},
                      {GOMP_DEVICE_NATIVE, GOMP_DEVICE_TYPE_CUDA, DEVICE_KIND_HOST},
                      {GOMP_DEVICE_NATIVE | 1, 2, DEVICE_KIND_HOST}};
    begin_devices(GCC_12, 0);
    for (unsigned i = 0; i < DEVICES; i++) {
        taddr at = devices + (taddr)i * row->bytes;
        gf_number(gf, at + row->capabilities, 4, GOMP_DEVICE_OPENMP | devices_of[_i].capabilities);
        gf_number(gf, at + row->type, 4, devices_of[_i].type);
    }
    df_ask_handles(gf, devices_of[_i].kind, RC_UNAVAILABLE);
    gf_number(gf, once, 4, 0); /* the program has not asked for devices */
    struct handle *none = NULL;
    uint64_t id = 0;
    gf->said = 0;
    ck_assert_int_eq(device_create(space, DEVICE_KIND_HOST, 8, &id, &none), RC_UNAVAILABLE);
    ck_assert_uint_eq(gf->said, 1);
    end();
}
