/* SPDX-License-Identifier: MIT
 *
 * both.h.
 */
#include "both.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct both both;

static bool fails(void)
{
    return both.fail_at && ++both.callbacks == both.fail_at;
}

static enum rc cb_alloc(size_t bytes, void **out)
{
    if (fails())
        return RC_NOMEM;
    *out = malloc(bytes);
    both.alive++;
    return RC_OK;
}

static void cb_release(void *block)
{
    free(block);
    both.alive--;
}

static enum rc cb_sizes(void *context, struct type_sizes *out)
{
    return fails() ? RC_CALLBACK_ERROR : gf_ops.type_sizes(context, out);
}

static enum rc cb_symbol(void *context, const char *file, const char *name, taddr *out)
{
    if (fails())
        return RC_CALLBACK_ERROR;
    return fake_cb_symbol(both.hooks->fake, name, out) ? RC_OK
                                                       : gf_ops.symbol(context, file, name, out);
}

static enum rc cb_read(void *context, taddr address, size_t bytes, void *out)
{
    both.reads++;
    if (fails() || (address < both.hole_end && address + bytes > both.hole_first))
        return RC_READ_ERROR;
    if (address >= GF_BASE)
        return gf_ops.read(context, address, bytes, out);
    return fake_cb_read(both.hooks->fake, address, bytes, out) ? RC_OK : RC_READ_ERROR;
}

static enum rc cb_to_host(void *context, const void *in, int unit, int count, void *out)
{
    return fails() ? RC_CALLBACK_ERROR : gf_ops.to_host(context, in, unit, count, out);
}

const struct target_ops both_ops = {
    .alloc = cb_alloc,
    .release = cb_release,
    .type_sizes = cb_sizes,
    .symbol = cb_symbol,
    .read = cb_read,
    .to_host = cb_to_host,
};

void both_record(bool on)
{
    struct fake *fake = both.hooks->fake;
    fake_put(fake, fake->root, FIELD_root_tracking, on);
}

void both_begin(void)
{
    both = (struct both){.gomp = gf_new(GOMP_LAYOUTS - 1, PROBE_X86_64),
                         .hooks = program_new(8, false, BOTH_THREADS)};
    ck_assert_uint_le(both.hooks->fake->end, GF_BASE);
    both_record(false);
}

void both_end(void)
{
    ck_assert_int_eq(both.alive, 0);
    gf_free(both.gomp);
    program_free(both.hooks);
}

/* The threads that are OpenMP's, by their numbers in the two fakes. */
static void marry(unsigned hooks, unsigned gomp)
{
    struct fake *fake = both.hooks->fake;
    fake_put(fake, both.hooks->thread[hooks], FIELD_thread_lwp, GF_TID_FIRST + gomp);
    fake_put(fake, both.hooks->thread[hooks], FIELD_thread_pthread, both.gomp->pthread[gomp]);
}

/* The team of two in the inner region has a member that has no record: it has not begun. */
void both_begin_as_one(void)
{
    both_begin();
    struct fake *fake = both.hooks->fake;
    for (unsigned i = 0; i < BOTH_THREADS; i++)
        marry(i, GF_MASTER + i);
    fake_put(fake, both.hooks->idle, FIELD_thread_lwp, GF_TID_FIRST + GF_IDLE);
    fake_put(fake, both.hooks->idle, FIELD_thread_pthread, both.gomp->pthread[GF_IDLE]);
    fake_put(fake, both.hooks->inner, FIELD_region_actual, 2);
    fake_put(fake, both.hooks->inner, FIELD_region_level, 2);
    fake_put(fake, both.hooks->thread[1], FIELD_thread_team_size, 2);
    fake_put(fake, fake->root, FIELD_root_index_overflow, 1);
    both_record(true);
}

void both_open(void)
{
    ck_assert_int_eq(space_create(&both_ops, both.gomp, &space), RC_OK);
}
