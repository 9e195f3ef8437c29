/* SPDX-License-Identifier: MIT
 *
 * The devices of libomptarget in each of its layouts, and what is mapped to them.
 */
#include <check.h>

#include "kmp-unit.h"

#include "device-fake.h"

static const struct row {
    const char *symbol, *lacks;
    uint32_t first, second;
    uint16_t devices, is_vector, device_bytes, plugin_code, ready, ranges;
    uint16_t entry, copy, states, machine;
} rows[] = {
#define KMP_DEVICES(...) {__VA_ARGS__},
#include "libompd/runtime/kmp-fields.def"
};
enum {
    ROWS = sizeof rows / sizeof *rows,
    DEVICES = 2,
    DAMAGES = 9,
    COPY = 0x5000,
    PLUGIN = 0x7000,
    NAME = 0x6000
};

static const struct row *row;
static taddr all, plugin, called, root, device[DEVICES], node[DF_RANGES], entry[DF_RANGES],
    counts[DF_RANGES];
static struct df_found found;

static taddr make_range(unsigned i)
{
    struct gf *gf = kf.gf;
    node[i] = gf_memory(gf, 128);
    entry[i] = row->entry ? node[i] + row->entry : gf_memory(gf, 128);
    counts[i] = gf_memory(gf, 64);
    if (!row->entry) {
        gf_number(gf, node[i] + KMP_SET_VALUE, 8, (taddr)i * DF_STEP);
        gf_number(gf, node[i] + KMP_SET_VALUE + 8, 8, entry[i]);
    }
    gf_number(gf, entry[i] + KMP_ENTRY_START, 8, (taddr)i * DF_STEP);
    gf_number(gf, entry[i] + KMP_ENTRY_END, 8, (taddr)i * DF_STEP + i + 1);
    gf_number(gf, entry[i] + KMP_ENTRY_NAME, 8, i ? NAME : 0);
    gf_number(gf, entry[i] + row->copy, 8, COPY + i);
    gf_number(gf, entry[i] + row->states, 8, counts[i]);
    gf_number(gf, counts[i], 8, i ? i + 1 : UINT64_MAX);
    gf_number(gf, counts[i] + 8, 8, 1);
    return node[i];
}

static void begin_devices(unsigned which)
{
    begin(0);
    struct gf *gf = kf.gf;
    row = &rows[which];
    all = gf_memory(gf, 1024);
    taddr variable = gf_memory(gf, 64), vector = gf_memory(gf, 64);
    plugin = gf_memory(gf, 64);
    gf_number(gf, variable, 8, all);
    gf_number(gf, all + row->devices, 8, vector);
    gf_number(gf, all + row->devices + 8, 8, row->is_vector ? vector + 8 * DEVICES : DEVICES);
    gf_number(gf, plugin + row->plugin_code, 8, PLUGIN);
    for (unsigned i = 0; i < DEVICES; i++) {
        device[i] = gf_memory(gf, row->device_bytes);
        gf_number(gf, vector + 8 * (taddr)i, 8, device[i]);
        gf_number(gf, device[i] + KMP_DEVICE_NUMBER, 4, i);
        gf_number(gf, device[i] + KMP_DEVICE_PLUGIN, 8, plugin);
    }
    if (row->ready)
        gf_number(gf, device[0] + row->ready, 1, 1);
    gf_number(gf, device[0] + row->ranges + KMP_SET_COUNT, 8, DF_RANGES);
    root = df_tree(gf, 0, DF_RANGES, KMP_SET_LEFT, KMP_SET_RIGHT, make_range);
    gf_number(gf, device[0] + row->ranges + KMP_SET_ROOT, 8, root);
    gf_number(gf, root + KMP_SET_PARENT, 8, device[0] + row->ranges + KMP_SET_HEADER);
    gf_number(gf, device[1] + row->ranges + KMP_SET_FIRST, 8,
              device[1] + row->ranges + KMP_SET_HEADER);
    gf_symbol(gf, "__tgt_register_lib", gf_memory(gf, 64));
    /* lea variable(%rip),%rax; mov (%rax),%rdi */
    called = df_code(gf, NULL, "is", (taddr)row->second);
    df_code(gf, row->symbol, "48 8d 05 to 48 8b 38 is e8 to", variable, (taddr)row->first, called);
}

EACH(devices_and_ranges, ROWS)
{
    begin_devices((unsigned)_i);
    ck_assert_int_eq(DF_ASK(&found), RC_OK);
    ck_assert_uint_eq(found.devices, DEVICES);
    ck_assert_int_eq(found.device[0].name.known, NOT_HELD);
    assert_known(found.device[0].state, DEVICE_STATE_READY);
    assert_known(found.device[1].state, row->ready ? DEVICE_STATE_UNUSED : DEVICE_STATE_READY);
    if (row->plugin_code)
        assert_known(found.device[0].plugin, PLUGIN);
    for (unsigned i = 0; i < DF_RANGES; i++) {
        ck_assert_uint_eq(found.mapping[i].bytes, i + 1);
        assert_known(found.mapping[i].address, COPY + i);
        assert_known(found.mapping[i].forever, !i);
        ck_assert_int_eq(found.mapping[i].source.known, i ? KNOWN : NONE_HERE);
        if (!i)
            continue;
        assert_known(found.mapping[i].references, i + 2);
        assert_known(found.mapping[i].held, 1);
    }
    end();
}

/* Without libomptarget there is no device; one of another version is not known; so is one that has
 * not begun. */
EACH(not_known, 5)
{
    begin_devices(0);
    if (_i == 0)
        gf_hide(kf.gf, "__tgt_register_lib");
    if (_i == 1)
        gf_symbol(kf.gf, row->lacks, all);
    if (_i == 2)
        gf_hide(kf.gf, row->symbol);
    if (_i == 3)
        gf_number(kf.gf, all + row->devices + 8, 8, 0); /* before its beginning */
    if (_i == 4)
        gf_number(kf.gf, called, 4, row->second + 1);
    static const enum rc expected[] = {RC_OK, RC_UNSUPPORTED, RC_UNSUPPORTED, RC_NONSENSE,
                                       RC_UNSUPPORTED};
    ck_assert_int_eq(DF_ASK(&found), expected[_i]);
    ck_assert_uint_eq(found.devices + found.mappings, 0);
    end();
}

/* As in test-gomp-devices.c. */
EACH(damage, DAMAGES *ROWS)
{
    begin_devices((unsigned)_i / DAMAGES);
    const struct {
        taddr at;
        uint64_t value;
        enum rc rc;
    } cases[] = {
        {device[1], 7, RC_NONSENSE},
        {device[0] + row->ranges + KMP_SET_COUNT, DF_RANGES + 1, RC_INCOMPLETE},
        {node[0] + KMP_SET_LEFT, node[DF_RANGES / 2], RC_INCOMPLETE},
        {node[3] + KMP_SET_RIGHT, 4, RC_INCOMPLETE},
        {entry[3] + KMP_ENTRY_START, DF_RANGES * DF_STEP, RC_INCOMPLETE},
        {entry[3] + KMP_ENTRY_END, 0, RC_INCOMPLETE},
        {entry[3] + row->states, 4, RC_INCOMPLETE},
        {root + KMP_SET_PARENT, 4, RC_INCOMPLETE},
        {device[1] + row->ranges + KMP_SET_FIRST, 4, RC_INCOMPLETE},
    };
    gf_number(kf.gf, cases[_i % DAMAGES].at, 8, cases[_i % DAMAGES].value);
    ck_assert_int_eq(DF_ASK(&found), cases[_i % DAMAGES].rc);
    end();
}

EACH(callbacks_fail, ROWS)
{
    begin_devices((unsigned)_i);
    DF_FAIL_EACH(kf.gf, &found)
    ck_assert_int_eq(DF_ASK(&found), RC_OK);
    end();
}

/* By the machine whose code a plugin executes. */
EACH(handles, 4 * ROWS)
{
    static const struct {
        const char *code[2];   /* of a function that is virtual or not */
        enum device_kind kind; /* 0: none that is known */
    } machines[] = {{{"be 3e 00 00 00", "f3 0f 1e fa 66 b8 3e 00 c3"}, DEVICE_KIND_HOST},
                    {{"be be 00 00 00", "55 48 89 e5 66 b8 be 00 5d c3"}, DEVICE_KIND_CUDA},
                    {{"50 be e0 00 00 00", "66 b8 e0 00 c3"}, DEVICE_KIND_HSA},
                    {{"be 3e 01 00 00", "66 b8 fb 00 c3"}, (enum device_kind)0}};
    begin_devices((unsigned)_i / 4);
    taddr code = df_code(kf.gf, NULL, machines[_i % 4].code[row->machine != 0]);
    taddr virtual = gf_memory(kf.gf, 256), object = gf_memory(kf.gf, 16);
    if (row->machine) {
        gf_number(kf.gf, virtual + row->machine, 8,
                  df_code(kf.gf, NULL, "f3 0f 1e fa 55 48 89 e5 5d e9 to", code));
        gf_number(kf.gf, object, 8, virtual);
        gf_number(kf.gf, object + 8, 8, object);
        code = row->plugin_code ? df_code(kf.gf, NULL, "f3 0f 1e fa 48 8b 3d to", object + 8)
                                : virtual;
    }
    gf_number(kf.gf, plugin + row->plugin_code, 8, code);
    df_ask_handles(kf.gf, machines[_i % 4].kind, row->ready ? RC_UNAVAILABLE : RC_OK);
    end();
}
