/* SPDX-License-Identifier: MIT
 *
 * The devices of libgomp and what is mapped to them. The variables are static: the code of
 * omp_get_num_devices() loads their number, and a function that omp_target_is_present() calls the
 * address of the first, which is near that.
 */
#include <string.h>

#include "libompd/runtime/devices.h"
#include "libompd/runtime/gomp.h"

struct layout {
    unsigned first_version;
    uint16_t bytes, name, capabilities, target_id, type, init_device, mem_map, lock, state;
    uint16_t copy_start;
};

static const struct layout layouts[] = {
#define GOMP_DEVICES(...) {__VA_ARGS__},
#include "libompd/runtime/gomp-fields.def"
};

static const struct layout *find_layout(const struct instance *instance,
                                        const struct device_code *code)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].first_version <= gomp_state(instance)->version &&
            device_code_find(code, (uint32_t[]){layouts[i].mem_map, layouts[i].lock}) ==
                DEVICE_EVIDENCE_ALL)
            return &layouts[i];
    return NULL;
}

/* Where the number of devices is, and the word that says whether libgomp has looked for them. */
static enum rc find_number(const struct instance *instance, taddr *number, taddr *once)
{
    struct probe_trace trace;
    enum rc rc = probe_function(instance, PROBE_X86_64, "omp_get_num_devices", &trace);
    if (rc == RC_OK && trace.tail)
        rc = probe_code(instance, PROBE_X86_64, trace.tail, &trace);
    const struct probe_step *load = rc == RC_OK ? probe_find(&trace, PROBE_GLOBAL_LOAD) : NULL;
    if (rc != RC_OK || !load || load->size != sizeof(uint32_t))
        return rc == RC_OK || rc == RC_UNAVAILABLE ? RC_UNSUPPORTED : rc;
    *number = load->address;
    *once = 0;
    for (unsigned i = 0; i < trace.count; i++) {
        const struct probe_step *step = &trace.step[i];
        if (step->kind == PROBE_GLOBAL_ADDRESS &&
            step->address - *number + GOMP_DEVICE_VARIABLES < 2 * GOMP_DEVICE_VARIABLES)
            *once = step->address;
    }
    return *once ? RC_OK : RC_UNSUPPORTED;
}

/* A pointer that the code loads and that is near the number. */
static bool find_first(const struct device_code *code, taddr number, taddr *out)
{
    for (size_t at = 0; device_code_next(code, DEVICE_LOAD, &at, out);)
        if (*out - number + GOMP_DEVICE_VARIABLES < 2 * GOMP_DEVICE_VARIABLES &&
            *out % sizeof(taddr) == 0)
            return true;
    return false;
}

static enum rc read_number(const struct instance *instance, taddr at, uint32_t *out)
{
    unsigned char bytes[sizeof *out];
    enum rc rc = memory_read(instance, at, sizeof bytes, bytes);
    if (rc == RC_OK)
        *out = (uint32_t)target_decode(instance->space, bytes, sizeof bytes);
    return rc;
}

static enum rc find_devices(const struct instance *instance, struct device_list *out)
{
    struct device_code code, called;
    taddr at, number, once, first;
    uint32_t done;
    if (gomp_state(instance)->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    enum rc rc = target_image_symbol(instance, "omp_target_is_present", &at);
    if (rc != RC_OK)
        return rc == RC_UNAVAILABLE ? RC_UNSUPPORTED : rc;
    rc = device_code_read(instance, at, &code);
    if (rc == RC_OK)
        rc = find_number(instance, &number, &once);
    out->layout = rc == RC_OK ? find_layout(instance, &code) : NULL;
    if (!out->layout)
        return rc == RC_OK ? RC_UNSUPPORTED : rc;
    bool found = find_first(&code, number, &first);
    for (size_t next = 0; !found && device_code_next(&code, DEVICE_CALL, &next, &at);)
        found =
            device_code_read(instance, at, &called) == RC_OK && find_first(&called, number, &first);
    if (!found)
        return RC_UNSUPPORTED;
    rc = read_number(instance, once, &done);
    if (rc == RC_OK && done != GOMP_ONCE_DONE)
        return RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = read_number(instance, number, &out->count);
    if (rc == RC_OK)
        rc = memory_pointer(instance, first, &out->first);
    return rc == RC_OK && (out->count > DEVICES_MAX || out->first % GOMP_ALIGNMENT ||
                           (out->count && !out->first))
               ? RC_NONSENSE
               : rc;
}

static enum rc read_device(const struct instance *instance, const struct device_list *list,
                           uint32_t number, struct device_facts *facts, struct device_tree *tree)
{
    static const enum device_state states[] = {[GOMP_DEVICE_UNUSED] = DEVICE_STATE_UNUSED,
                                               [GOMP_DEVICE_READY] = DEVICE_STATE_READY,
                                               [GOMP_DEVICE_FINALISED] = DEVICE_STATE_FINALISED};
    static const enum device_kind kinds[] = {[GOMP_DEVICE_TYPE_CUDA] = DEVICE_KIND_CUDA,
                                             [GOMP_DEVICE_TYPE_HSA] = DEVICE_KIND_HSA,
                                             [GOMP_DEVICE_TYPE_GCN] = DEVICE_KIND_HSA};
    const struct layout *layout = list->layout;
    unsigned char bytes[GOMP_DEVICE_BYTES_MAX];
    facts->descriptor = list->first + (taddr)number * layout->bytes;
    enum rc rc = memory_read(instance, facts->descriptor, layout->bytes, bytes);
    if (rc != RC_OK)
        return rc;
#define FIELD(field, type) target_decode(instance->space, bytes + layout->field, sizeof(type))
    uint64_t capabilities = FIELD(capabilities, uint32_t), state = FIELD(state, uint32_t),
             type = FIELD(type, uint32_t);
    facts->name = fact_of(FIELD(name, taddr));
    facts->plugin = fact_of(FIELD(init_device, taddr));
    if (!facts->name.value || !facts->plugin.value || !(capabilities & GOMP_DEVICE_OPENMP) ||
        capabilities & ~(uint64_t)GOMP_DEVICE_CAPABILITIES || state > GOMP_DEVICE_FINALISED ||
        FIELD(target_id, uint32_t) >= list->count || type > GOMP_DEVICE_TYPE_GCN)
        return RC_NONSENSE;
    if (capabilities & GOMP_DEVICE_NATIVE || kinds[type])
        facts->kind = fact_of(capabilities & GOMP_DEVICE_NATIVE ? DEVICE_KIND_HOST : kinds[type]);
    facts->state = fact_of(states[state]);
    *tree = (struct device_tree){.root = FIELD(mem_map, taddr),
                                 .left = GOMP_RANGE_LEFT,
                                 .right = GOMP_RANGE_RIGHT,
                                 .key = GOMP_RANGE_START,
                                 .bytes = GOMP_RANGE_BYTES,
                                 .is_locked = FIELD(lock, uint32_t) != 0};
#undef FIELD
    return RC_OK;
}

static enum rc decode_references(const struct instance *instance, uint64_t references,
                                 uint64_t member, struct mapping_facts *out)
{
    const uint64_t first_special = ~(uint64_t)GOMP_REFERENCES_SPECIAL;
    bool is_shared = gomp_state(instance)->version >= GOMP_REFERENCES_SHARED_SINCE &&
                     references & GOMP_REFERENCES_MEMBER;
    out->forever = fact_of(references >= first_special && !is_shared);
    if (out->forever.value)
        return RC_OK;
    out->references = fact_of(references);
    if (references < first_special)
        return RC_OK;
    out->references.value = member;
    return references & GOMP_REFERENCES_FIRST
               ? RC_OK
               : memory_pointer(instance, member, &out->references.value);
}

static enum rc decode_range(const struct instance *instance, const struct device_list *list,
                            const unsigned char *node, struct mapping_facts *out)
{
    const struct layout *layout = list->layout;
    taddr start;
#define FIELD(field) target_decode(instance->space, node + GOMP_RANGE_##field, sizeof(taddr))
    out->host = FIELD(START);
    out->bytes = FIELD(END) - out->host;
    if (FIELD(END) < out->host || FIELD(COPY) % GOMP_ALIGNMENT)
        return RC_NONSENSE;
    enum rc rc = memory_pointer(instance, FIELD(COPY) + layout->copy_start, &start);
    if (rc != RC_OK)
        return rc;
    out->address = fact_of(start + FIELD(OFFSET));
    return decode_references(instance, FIELD(REFERENCES), FIELD(MEMBER), out);
#undef FIELD
}

static const struct device_source source = {find_devices, read_device, decode_range};

enum rc gomp_each_device(struct instance *instance, device_visitor *visit, void *arg)
{
    return devices_visit(instance, &source, visit, NULL, arg);
}

enum rc gomp_each_mapping(struct instance *instance, mapping_visitor *visit, void *arg)
{
    return devices_visit(instance, &source, NULL, visit, arg);
}
