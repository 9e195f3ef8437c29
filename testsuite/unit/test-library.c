/* SPDX-License-Identifier: MIT
 *
 * Section 4: the library's life, and which targets it takes.
 */
#include <string.h>

#include "unit.h"

TEST(version_needs_no_initialisation)
{
    int version = 0;
    const char *string = NULL;
    assert_ok(ompd_get_version(&version));
    ck_assert_int_eq(version, 2);
    assert_ok(ompd_get_version_string(&string));
    ck_assert_uint_gt(strlen(string), 0);
    assert_rc(ompd_get_version(NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_version_string(NULL), ompd_rc_bad_input);
}

TEST(initialize_checks_the_table)
{
    assert_rc(ompd_initialize(NULL), ompd_rc_bad_input);
    ompd_callbacks_t table;
#define WITHOUT(member)                                                                            \
    table = fake_debugger;                                                                         \
    table.member = NULL;                                                                           \
    assert_rc(ompd_initialize(&table), ompd_rc_bad_input)
    WITHOUT(d_alloc_memory);
    WITHOUT(d_free_memory);
    WITHOUT(t_sizeof_prim_type);
    WITHOUT(t_symbol_addr_lookup);
    WITHOUT(t_read_memory);
    WITHOUT(target_to_host);
    assert_ok(ompd_initialize(&fake_debugger));
    assert_rc(ompd_initialize(&fake_debugger), ompd_rc_error);
    assert_ok(ompd_finalize());
    assert_rc(ompd_finalize(), ompd_rc_error);
    assert_ok(ompd_initialize(&fake_debugger));
    assert_ok(ompd_finalize());
}

TEST(initialize_copies_the_table)
{
    struct program *program = program_new(8, false, 4);
    ompd_callbacks_t table = fake_debugger;
    assert_ok(ompd_initialize(&table));
    memset(&table, 0, sizeof table);
    ompd_address_space_handle_t *space;
    assert_ok(ompd_process_initialize(context_of(program->fake), &space));
    assert_ok(ompd_release_address_space_handle(space));
    assert_ok(ompd_finalize());
    program_free(program);
    fake_forget_freed();
}

TEST(process_needs_the_library)
{
    struct fake *fake = fake_new(8, false);
    ompd_address_space_handle_t *space = NULL;
    assert_rc(ompd_process_initialize(context_of(fake), &space), ompd_rc_error);
    ck_assert_ptr_null(space);
    fake_free(fake);
}

UNIT(process_checks_its_arguments, 4)
{
    ompd_address_space_handle_t *space = NULL;
    assert_rc(ompd_process_initialize(NULL, &space), ompd_rc_bad_input);
    assert_rc(ompd_process_initialize(context_of(unit->fake), NULL), ompd_rc_bad_input);
}

UNIT(process_released_twice_is_stale, 4)
{
    ompd_address_space_handle_t *space;
    assert_ok(ompd_process_initialize(context_of(unit->fake), &space));
    assert_ok(ompd_release_address_space_handle(space));
    assert_rc(ompd_release_address_space_handle(space), ompd_rc_stale_handle);
    int count;
    assert_rc(ompd_get_threads(space, NULL, &count), ompd_rc_stale_handle);
}

/* Opens the process anew; the answer. */
static ompd_rc_t open_again(struct unit *unit)
{
    unsigned alive = fake_counts.allocs_alive;
    ompd_address_space_handle_t *space = NULL;
    ompd_rc_t rc = ompd_process_initialize(context_of(unit->fake), &space);
    if (rc == ompd_rc_ok)
        assert_ok(ompd_release_address_space_handle(space));
    else
        ck_assert_ptr_null(space);
    ck_assert_uint_eq(fake_counts.allocs_alive, alive);
    return rc;
}

UNIT(process_without_symbols_is_incompatible, 4)
{
    uint64_t kept = unit->fake->descriptor;
    unit->fake->descriptor = 0;
    assert_rc(open_again(unit), ompd_rc_incompatible);
    unit->fake->descriptor = kept;
    kept = unit->fake->root;
    unit->fake->root = 0;
    assert_rc(open_again(unit), ompd_rc_incompatible);
    unit->fake->root = kept;
    assert_ok(open_again(unit));
}

UNIT(process_with_unreadable_symbols, 4)
{
    uint64_t kept = unit->fake->descriptor;
    unit->fake->descriptor = 0x100;
    assert_rc(open_again(unit), ompd_rc_target_read_error);
    unit->fake->descriptor = kept;
    kept = unit->fake->root;
    unit->fake->root = 0x100;
    assert_rc(open_again(unit), ompd_rc_target_read_error);
    unit->fake->root = kept;
}

/* Descriptor words by their position after the cookie. */
enum { BYTE_ORDER_WORD, MAJOR_WORD, MINOR_WORD, RECORDS_WORD, FIELDS_WORD, POINTER_WORD };

static uint64_t word_at(const struct unit *unit, unsigned word)
{
    return unit->fake->descriptor + 8 + 4 * word;
}

static uint64_t size_at(const struct unit *unit, unsigned record)
{
    return word_at(unit, 6 + record);
}

static uint64_t offset_at(const struct unit *unit, unsigned field)
{
    return word_at(unit, 6 + RECORD_COUNT + 2 * field);
}

static ompd_rc_t open_with(struct unit *unit, uint64_t address, uint32_t value)
{
    unsigned char kept[4];
    unsigned char *bytes = unit->fake->bytes + (address - 0x10000);
    memcpy(kept, bytes, 4);
    fake_put_number(unit->fake, address, 4, value);
    ompd_rc_t rc = open_again(unit);
    memcpy(bytes, kept, 4);
    return rc;
}

UNIT(descriptor_header_is_checked, 4)
{
    static const uint32_t wrong[] = {0, 1, 2, 3, 5, 6, 16, 65, 0x7fffffff, 0x80000000, UINT32_MAX};
    assert_rc(open_with(unit, unit->fake->descriptor, 0), ompd_rc_incompatible);
    assert_rc(open_with(unit, unit->fake->descriptor + 4, 0), ompd_rc_incompatible);
    assert_rc(open_with(unit, word_at(unit, BYTE_ORDER_WORD), 0x04030201), ompd_rc_incompatible);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (wrong[i] != HOOKS_VERSION_MAJOR)
            assert_rc(open_with(unit, word_at(unit, MAJOR_WORD), wrong[i]), ompd_rc_incompatible);
        if (wrong[i] != RECORD_COUNT)
            assert_rc(open_with(unit, word_at(unit, RECORDS_WORD), wrong[i]), ompd_rc_incompatible);
        if (wrong[i] != FIELD_COUNT)
            assert_rc(open_with(unit, word_at(unit, FIELDS_WORD), wrong[i]), ompd_rc_incompatible);
        assert_rc(open_with(unit, word_at(unit, POINTER_WORD), wrong[i]), ompd_rc_incompatible);
    }
    /* One record or field more than there are, with nothing behind the tables. */
    assert_rc(open_with(unit, word_at(unit, RECORDS_WORD), RECORD_COUNT + 1), ompd_rc_incompatible);
    assert_rc(open_with(unit, word_at(unit, FIELDS_WORD), FIELD_COUNT + 1), ompd_rc_incompatible);
    assert_rc(open_with(unit, word_at(unit, FIELDS_WORD), FIELD_COUNT - 1), ompd_rc_incompatible);
    assert_rc(open_with(unit, word_at(unit, POINTER_WORD), 12 - TARGET_POINTER(_i)),
              ompd_rc_incompatible);
}

UNIT(descriptor_sizes_are_checked, 4)
{
    for (unsigned r = 0; r < RECORD_COUNT; r++) {
        assert_rc(open_with(unit, size_at(unit, r), 0), ompd_rc_incompatible);
        assert_rc(open_with(unit, size_at(unit, r), 7), ompd_rc_incompatible);
        assert_rc(open_with(unit, size_at(unit, r), 4097), ompd_rc_incompatible);
        assert_rc(open_with(unit, size_at(unit, r), UINT32_MAX), ompd_rc_incompatible);
    }
}

UNIT(descriptor_fields_are_checked, 4)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint64_t at = offset_at(unit, f);
        static const uint32_t offsets[] = {1u << 12, 0x7ffffffc, 0xfffffffc};
        for (unsigned i = 0; i < 3; i++)
            assert_rc(open_with(unit, at, offsets[i]), ompd_rc_incompatible);
        /* 0 opens a record where none begins, anything else closes the gap to it. */
        bool opens = unit->fake->field[f].offset == 0;
        assert_rc(open_with(unit, at, opens ? 4 : 0), ompd_rc_incompatible);
        static const uint32_t sizes[] = {0, 1, 2, 3, 5, 12, 16, UINT32_MAX};
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            assert_rc(open_with(unit, at + 4, sizes[i]), ompd_rc_incompatible);
        assert_rc(open_with(unit, at + 4, 12 - unit->fake->field[f].size), ompd_rc_incompatible);
    }
}

/* A record must hold its last field whole, and no two fields may overlap. */
UNIT(descriptor_fields_have_their_own_place, 4)
{
    const struct hooks_field_place *field = unit->fake->field;
    unsigned record = 0;
    for (unsigned f = 1; f <= FIELD_COUNT; f++) {
        if (f == FIELD_COUNT || !field[f].offset) {
            uint32_t end = field[f - 1].offset + field[f - 1].size;
            assert_rc(open_with(unit, size_at(unit, record), end - 1), ompd_rc_incompatible);
            assert_ok(open_with(unit, size_at(unit, record), end));
            record++;
        } else {
            uint32_t inside = field[f - 1].offset + field[f - 1].size - 1;
            assert_rc(open_with(unit, offset_at(unit, f), inside), ompd_rc_incompatible);
        }
    }
    ck_assert_uint_eq(record, RECORD_COUNT);
}

UNIT(debugger_and_target_differ_in_pointers, 4)
{
    unit->fake->pointer_size = 12 - unit->fake->pointer_size;
    assert_rc(open_again(unit), ompd_rc_incompatible);
    unit->fake->pointer_size = 2;
    assert_rc(open_again(unit), ompd_rc_error);
    unit->fake->pointer_size = TARGET_POINTER(_i);
}

/* A later minor version has one more field at the end of a record, and one more record. */
UNIT(newer_minor_version_is_read, 4)
{
    struct fake *fake = unit->fake;
    uint64_t newer = fake_memory(fake, 4096);
    memcpy(fake->bytes + (newer - 0x10000), HOOKS_COOKIE, 8);
    uint64_t at = newer + 8;
    const uint32_t header[] = {HOOKS_BYTE_ORDER, HOOKS_VERSION_MAJOR, HOOKS_VERSION_MINOR + 1,
                               RECORD_COUNT + 1, FIELD_COUNT + 2,     fake->pointer_size};
    for (unsigned i = 0; i < 6; i++, at += 4)
        fake_put_number(fake, at, 4, header[i]);
    for (unsigned i = 0; i < RECORD_COUNT; i++, at += 4)
        fake_put_number(fake, at, 4, fake->record_size[i] + (i == RECORD_slab ? 8 : 0));
    fake_put_number(fake, at, 4, 8);
    at += 4;
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        fake_put_number(fake, at, 4, fake->field[i].offset);
        fake_put_number(fake, at + 4, 4, fake->field[i].size);
        at += 8;
        if (i == FIELD_slab_used) {
            fake_put_number(fake, at, 4, fake->record_size[RECORD_slab]);
            fake_put_number(fake, at + 4, 4, 8);
            at += 8;
        }
    }
    fake_put_number(fake, at, 4, 0);
    fake_put_number(fake, at + 4, 4, 8);

    uint64_t kept = fake->descriptor;
    fake->descriptor = newer;
    ompd_address_space_handle_t *space;
    assert_ok(ompd_process_initialize(context_of(fake), &space));
    int count = 0;
    assert_ok(ompd_get_threads(space, NULL, &count));
    ck_assert_int_eq(count, 5);
    assert_ok(ompd_release_address_space_handle(space));
    fake->descriptor = kept;
}

EACH(tracking_off_needs_tracking, TARGET_KINDS)
{
    struct fake *fake = fake_new(TARGET_POINTER(_i), TARGET_BIG(_i));
    assert_ok(ompd_initialize(&fake_debugger));
    struct unit unit = {.fake = fake};
    assert_ok(ompd_process_initialize(context_of(fake), &unit.space));
    ompd_thread_handle_t *thread = NULL;
    ompd_thread_handle_t **vector = NULL;
    int count = -1;
    assert_rc(unit_find_lwp(&unit, 3000, 4, &thread), ompd_rc_needs_state_tracking);
    ck_assert_ptr_null(thread);
    assert_rc(ompd_get_threads(unit.space, &vector, &count), ompd_rc_needs_state_tracking);
    ck_assert_int_eq(count, -1);
    ck_assert_ptr_null(vector);

    /* On, and not yet any thread. */
    fake_put(fake, fake->root, FIELD_root_tracking, 1);
    assert_rc(unit_find_lwp(&unit, 3000, 4, &thread), ompd_rc_bad_input);
    assert_ok(ompd_get_threads(unit.space, &vector, &count));
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(vector);
    assert_ok(ompd_release_address_space_handle(unit.space));
    assert_ok(ompd_finalize());
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    fake_free(fake);
    fake_forget_freed();
}

/* The index appears after the address space was opened. */
EACH(tracking_begins_later, TARGET_KINDS)
{
    struct program *program = program_new(TARGET_POINTER(_i), TARGET_BIG(_i), 4);
    struct fake *fake = program->fake;
    uint64_t index = fake_get(fake, fake->root, FIELD_root_index);
    fake_put(fake, fake->root, FIELD_root_index, 0);
    fake_put(fake, fake->root, FIELD_root_tracking, 0);
    assert_ok(ompd_initialize(&fake_debugger));
    struct unit unit = {.fake = fake, .program = program};
    assert_ok(ompd_process_initialize(context_of(fake), &unit.space));
    ompd_thread_handle_t *thread;
    assert_rc(unit_find_lwp(&unit, FIRST_LWP, 8, &thread), ompd_rc_needs_state_tracking);

    /* Threads and no index yet: the slabs have them. */
    fake_put(fake, fake->root, FIELD_root_tracking, 1);
    assert_ok(ompd_release_thread_handle(unit_thread(&unit, 2)));
    fake_put(fake, fake->root, FIELD_root_index, index);
    assert_ok(ompd_release_thread_handle(unit_thread(&unit, 0)));
    fake_counts_reset();
    assert_ok(ompd_release_thread_handle(unit_thread(&unit, 3)));
    ck_assert_uint_eq(fake_counts.reads, 1);
    unit_end(&unit);
}

TEST(two_processes_at_once)
{
    struct unit unit = unit_begin(0, 4);
    struct program *other = program_new(4, true, 8);
    ompd_address_space_handle_t *space;
    assert_ok(ompd_process_initialize(context_of(other->fake), &space));
    int count;
    assert_ok(ompd_get_threads(unit.space, NULL, &count));
    ck_assert_int_eq(count, 5);
    assert_ok(ompd_get_threads(space, NULL, &count));
    ck_assert_int_eq(count, 9);
    assert_ok(ompd_release_address_space_handle(space));
    program_free(other);
    unit_end(&unit);
}
