/* SPDX-License-Identifier: MIT
 *
 * The memory and the symbols of a process with several runtimes.
 */
#include <stdlib.h>
#include <string.h>

#include "libompd/target/target.h"
#include "world.h"

const char *const image_file[NODES] = {"",
                                        "linux-vdso.so.1",
                                        "/lib/libgomp.so.1",
                                        "/lib/libomp.so.5",
                                        "./libgomp-a34b3233.so.1.0.0",
                                        "/lib64/ld.so"};

struct world world;
static bool fails(void)
{
    if (!world.fail_at)
        return false;
    unsigned number = ++world.callbacks;
    return number == world.fail_at || (world.fails_on && number > world.fail_at);
}

static enum rc cb_alloc(size_t bytes, void **out)
{
    if (!world.fails_on && fails())
        return RC_NOMEM;
    *out = malloc(bytes);
    world.alive++;
    return RC_OK;
}

static void cb_release(void *block)
{
    free(block);
    world.alive--;
}

static enum rc cb_sizes(void *context, struct type_sizes *out)
{
    (void)context;
    *out = (struct type_sizes){.sizeof_long = 8, .sizeof_pointer = 8};
    return fails() ? RC_CALLBACK_ERROR : RC_OK;
}

static enum rc in_llvm(const char *name, taddr *out)
{
    static const char *const names[] = {"omp_get_thread_num", "GOMP_parallel",
                                        "__kmpc_fork_call"};
    for (unsigned i = 0; world.has_llvm && i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = LLVM + 64 * (i + 1);
            return RC_OK;
        }
    }
    return RC_UNAVAILABLE;
}

static enum rc cb_symbol(void *context, const char *in, const char *name, taddr *out)
{
    (void)context;
    world.lookups++;
    if (fails())
        return world.fails_on ? RC_UNAVAILABLE : RC_READ_ERROR;
    if (strcmp(name, "_r_debug") == 0) {
        *out = WORLD;
        return RC_OK;
    }
    bool is_global = !in || world.ignores_files;
    if (strcmp(name, "_rtld_global") == 0 && is_global && world.gf[0]->symbols) {
        *out = world.gf[0]->loader;
        return RC_OK;
    }
    if (is_global && world.llvm_first && in_llvm(name, out) == RC_OK)
        return RC_OK;
    for (unsigned n = 0; n < 2; n++) {
        unsigned i = n ^ world.second_first;
        if (world.gf[i] && (is_global || strcmp(in, image_file[i ? SECOND : FIRST]) == 0) &&
            gf_ops.symbol(world.gf[i], NULL, name, out) == RC_OK)
            return RC_OK;
    }
    return is_global || strcmp(in, image_file[LLVM_NODE]) == 0 ? in_llvm(name, out)
                                                         : RC_UNAVAILABLE;
}

static enum rc cb_read(void *context, taddr address, size_t bytes, void *out)
{
    (void)context;
    world.reads++;
    if (fails())
        return RC_READ_ERROR;
    if (world.endless && address >= NODE && address - NODE < (taddr)world.endless * 64) {
        const uint64_t node[] = {0, NAME, 0, (address + 64), 0};
        ck_assert_uint_le(bytes, sizeof node);
        memcpy(out, node, bytes);
        return RC_OK;
    }
    if (address >= WORLD) {
        if (address - WORLD > BYTES - bytes)
            return RC_READ_ERROR;
        memcpy(out, world.bytes + (address - WORLD), bytes);
        return RC_OK;
    }
    for (unsigned i = 0; i < 2; i++)
        if (world.gf[i] && address >= world.gf[i]->base &&
            address - world.gf[i]->base < GF_BYTES)
            return gf_ops.read(world.gf[i], address, bytes, out);
    return RC_READ_ERROR;
}

static enum rc cb_to_host(void *context, const void *in, int unit, int count, void *out)
{
    (void)context;
    memcpy(out, in, (size_t)unit * (size_t)count);
    return fails() ? RC_CALLBACK_ERROR : RC_OK;
}

const struct target_ops world_ops = {
    .alloc = cb_alloc,
    .release = cb_release,
    .type_sizes = cb_sizes,
    .goes_by_file = true,
    .symbol = cb_symbol,
    .read = cb_read,
    .to_host = cb_to_host,
};

void world_put(taddr at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        world.bytes[at - WORLD + i] = (unsigned char)(value >> 8 * i);
}

taddr node_at(unsigned node)
{
    return NODE + 64 * (taddr)node;
}

void link_images(unsigned which)
{
    /* What is in the list's own image is the dynamic linker. */
    const taddr base[NODES] = {
        0x1000, 0x20000, GF_BASE + 64, LLVM, GF_BASE + GF_BYTES, world.gf[0]->loader};
    taddr last = 0;
    unsigned count = 0;
    world_put(WORLD, 1);
    world_put(WORLD + 8, 0);
    for (unsigned i = 0; i < NODES; i++) {
        if (!(which >> i & 1))
            continue;
        taddr name = i == KERNEL ? base[i] + 64 : NAME + 64 * (taddr)i;
        if (i != KERNEL)
            strcpy((char *)world.bytes + (name - WORLD), image_file[i]);
        world_put(last ? last + 24 : WORLD + 8, node_at(i));
        world_put(node_at(i), base[i]);
        world_put(node_at(i) + 8, name);
        world_put(node_at(i) + 24, 0);
        world_put(node_at(i) + 32, last);
        last = node_at(i);
        count++;
    }
    gf_number(world.gf[0], world.gf[0]->loader, 8, world.counted ? node_at(PROGRAM) : 0);
    gf_number(world.gf[0], world.gf[0]->loader + 8, 8, count);
}

bool alike;

void begin_world(int kind)
{
    memset(&world, 0, sizeof world);
    world.gf[0] = gf_new_of(LAYOUT(kind), MACHINE(kind), 0);
    world.gf[1] = gf_new_of((LAYOUT(kind) + !alike) % GOMP_LAYOUTS, MACHINE(kind), 1);
    world.counted = world.has_llvm = true;
    gf_join(world.gf[0], world.gf[1]);
    link_images(ALL);
}

void end_world(void)
{
    ck_assert_int_eq(world.alive, 0);
    gf_free(world.gf[0]);
    gf_free(world.gf[1]);
}

void begin_space(int kind)
{
    begin_world(kind);
    ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
}

void end_space(void)
{
    space_destroy(space);
    end_world();
}
