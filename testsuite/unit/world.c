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

static const char *const llvm_names[] = {"omp_get_thread_num", "GOMP_parallel", "__kmpc_fork_call"};
enum { LLVM_NAMES = sizeof llvm_names / sizeof *llvm_names };

static enum rc in_llvm(const char *name, taddr *out)
{
    for (unsigned i = 0; world.has_llvm && i < LLVM_NAMES; i++) {
        if (strcmp(name, llvm_names[i]) == 0) {
            *out = LLVM + 64 * (i + 1);
            return RC_OK;
        }
    }
    return RC_UNAVAILABLE;
}

static enum rc find_symbol(const char *in, const char *name, taddr *out)
{
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

static enum rc cb_symbol(void *context, const char *in, const char *name, taddr *out)
{
    (void)context;
    world.lookups++;
    enum rc rc = find_symbol(in, name, out);
    world.missed += in && rc == RC_UNAVAILABLE;
    return rc;
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
        if (world.gf[i] && address >= world.gf[i]->base && address - world.gf[i]->base < GF_BYTES)
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

taddr table_at(unsigned node)
{
    return TABLES + TABLE_BYTES * (taddr)(node - FIRST);
}

static void put_small(taddr at, uint64_t value, unsigned size)
{
    memcpy(world.bytes + (at - WORLD), &value, size);
}

/* A table of the symbols: one bucket, a Bloom filter that lets all pass, and an older version of
 * each before it. */
static taddr put_table(unsigned node, taddr base)
{
    const struct gf *of = node == LLVM_NODE ? NULL : world.gf[node == SECOND];
    enum { HASHES = TABLE_HASH + 16 + 8 + 4, SYMBOLS = 0x600, STRINGS = 0x2000, VERSIONS = 0x2a00 };
    taddr at = table_at(node), string = at + STRINGS;
    unsigned names = of ? of->symbols : LLVM_NAMES, number = 1;
    const uint64_t section[] = {0x6ffffef5, at + TABLE_HASH, 5, at + STRINGS,
                                /* One that the dynamic linker has left relative. */
                                6, at + SYMBOLS - (node == SECOND ? base : 0), 0x6ffffff0,
                                at + VERSIONS, 0, 0};
    for (unsigned i = 0; i < sizeof section / sizeof *section; i++)
        world_put(at + 8 * i, section[i]);
    const uint32_t header[] = {1, 1, 1, 6};
    memcpy(world.bytes + (at + TABLE_HASH - WORLD), header, sizeof header);
    world_put(at + TABLE_HASH + 16, UINT64_MAX);
    put_small(at + TABLE_HASH + 24, 1, 4);
    for (unsigned i = 0; i < 2 * names; i++, number++) {
        const char *name = of ? of->symbol[i / 2].name : llvm_names[i / 2];
        taddr address = of ? of->symbol[i / 2].address : LLVM + 64 * (i / 2 + 1);
        uint32_t hash = 5381;
        for (const char *c = name; *c; c++)
            hash = hash * 33 + (unsigned char)*c;
        taddr symbol = at + SYMBOLS + 24 * (taddr)number;
        ck_assert_uint_lt(symbol + 24, at + STRINGS);
        ck_assert_uint_lt(string + strlen(name), at + VERSIONS);
        put_small(at + HASHES + 4 * (taddr)i, (hash & ~1U) | (i + 1 == 2 * names), 4);
        put_small(symbol, string - (at + STRINGS), 4);
        put_small(symbol + 6, address ? 1 : 0, 2);
        world_put(symbol + 8, i % 2 ? address - base : 8);
        put_small(at + VERSIONS + 2 * (taddr)number, i % 2 ? 2 : 0x8001, 2);
        strcpy((char *)world.bytes + (string - WORLD), name);
        string += i % 2 ? strlen(name) + 1 : 0;
    }
    return at;
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
        bool has_table = world.has_tables && i >= FIRST && i <= SECOND;
        world_put(node_at(i) + 16, has_table ? put_table(i, base[i]) : 0);
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
