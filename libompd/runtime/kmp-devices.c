/* SPDX-License-Identifier: MIT
 *
 * The devices of LLVM's libomptarget and what is mapped to them. It is an image of its own, of which
 * the code of a function has the address of the pointer to all that it holds.
 */
#include <string.h>

#include "libompd/runtime/devices.h"
#include "libompd/runtime/kmp.h"

/* Of libomptarget. Offsets; 0: this version lacks it. */
struct layout {
    const char *symbol, *lacks;
    uint32_t evidence[DEVICE_EVIDENCE];
    uint16_t devices, is_vector, device_bytes, plugin_code, ready, ranges;
    uint16_t entry, copy, states, machine;
};

static const struct layout layouts[] = {
#define KMP_DEVICES(symbol, lacks, first, second, ...)                                             \
    {symbol, lacks, {first, second}, __VA_ARGS__},
#include "libompd/runtime/kmp-fields.def"
};

/* RC_UNAVAILABLE: it is another version. */
static enum rc read_evidence(const struct instance *instance, const struct layout *layout,
                             struct device_code *code)
{
    taddr at, unused;
    enum rc rc = target_symbol(instance->space, layout->symbol, &at);
    if (rc != RC_OK)
        return rc;
    rc = layout->lacks ? target_symbol(instance->space, layout->lacks, &unused) : RC_UNAVAILABLE;
    if (rc != RC_UNAVAILABLE)
        return rc == RC_OK ? RC_UNAVAILABLE : rc;
    rc = device_code_read(instance, at, code);
    if (rc != RC_OK)
        return rc;
    struct device_code called;
    unsigned found = device_code_find(code, layout->evidence);
    for (size_t next = 0;
         found != DEVICE_EVIDENCE_ALL && device_code_next(code, DEVICE_CALL, &next, &at);)
        if (device_code_read(instance, at, &called) == RC_OK)
            found |= device_code_find(&called, layout->evidence);
    return found == DEVICE_EVIDENCE_ALL ? RC_OK : RC_UNAVAILABLE;
}

/* lea variable(%rip),%r; mov (%r),%r2. */
static bool find_variable(const struct device_code *code, taddr *out)
{
    enum { MOV = 3, REX_MASK = 0xfb, OPERAND_MASK = 0xc7 };
    for (size_t at = 0; device_code_next(code, DEVICE_LEA, &at, out) && at + MOV <= code->bytes;) {
        const unsigned char *mov = code->code + at;
        unsigned pointer = mov[-5] >> 3 & 7;
        if ((mov[0] & REX_MASK) == 0x48 && mov[1] == 0x8b && (mov[2] & OPERAND_MASK) == pointer)
            return true;
    }
    return false;
}

static enum rc read_words(const struct instance *instance, taddr at, unsigned count, uint64_t *out)
{
    enum { WORDS_MAX = 2 };
    unsigned char bytes[WORDS_MAX * sizeof *out];
    enum rc rc =
        at % sizeof *out ? RC_NONSENSE : memory_read(instance, at, count * sizeof *out, bytes);
    for (unsigned i = 0; rc == RC_OK && i < count; i++)
        out[i] = target_decode(instance->space, bytes + i * sizeof *out, sizeof *out);
    return rc;
}

static enum rc read_list(const struct instance *instance, const struct layout *layout,
                         taddr variable, struct device_list *out)
{
    taddr all;
    uint64_t vector[2];
    enum rc rc = read_words(instance, variable, 1, &all);
    if (rc == RC_OK && !all)
        return RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = read_words(instance, all + layout->devices, 2, vector);
    if (rc != RC_OK)
        return rc;
    uint64_t count =
        layout->is_vector ? (vector[1] - vector[0]) / sizeof(taddr) : vector[1] & UINT32_MAX;
    *out = (struct device_list){layout, vector[0], (uint32_t)count};
    return count > DEVICES_MAX ? RC_NONSENSE : RC_OK;
}

/* Without libomptarget there is no device. */
static enum rc find_devices(const struct instance *instance, struct device_list *out)
{
    struct device_code code;
    taddr variable, unused;
    *out = (struct device_list){0};
    enum rc rc = target_symbol(instance->space, "__tgt_register_lib", &unused);
    if (rc != RC_OK)
        return rc == RC_UNAVAILABLE ? RC_OK : rc;
    if (kmp_state(instance)->layout->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    for (size_t i = 0; rc == RC_OK && i < sizeof layouts / sizeof *layouts; i++) {
        rc = read_evidence(instance, &layouts[i], &code);
        if (rc == RC_OK)
            return find_variable(&code, &variable) ? read_list(instance, &layouts[i], variable, out)
                                                   : RC_UNSUPPORTED;
        rc = rc == RC_UNAVAILABLE ? RC_OK : rc;
    }
    return rc == RC_OK ? RC_UNSUPPORTED : rc;
}

/* What is in the code of a function, mov $machine,%esi or mov $machine,%ax, which endbr64, a frame pointer
 * set up (and restored), one jmp or a push may precede; 0: something else. */
static enum rc read_machine(const struct instance *instance, taddr function,
                            struct device_code *read, unsigned *machine)
{
    enum { JMP = 0xe9, JMP_BYTES = 5, PUSH = 0x50, POP = 0x5d, WORD = 0x66 };
    enum { MOV_ESI = 0xbe, MOV_EAX = 0xb8 };
    static const unsigned char before[][4] = {{0xf3, 0x0f, 0x1e, 0xfa}, {0x55, 0x48, 0x89, 0xe5}};
    const unsigned char *code = read->code;
    for (unsigned jumps = 0; jumps < 2; jumps++) {
        enum rc rc = device_code_read(instance, function, read);
        if (rc != RC_OK)
            return rc;
        code = read->code;
        for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
            code += memcmp(code, before[i], sizeof *before) ? 0 : sizeof *before;
        code += *code == POP;
        if (*code != JMP)
            break;
        function += (taddr)(code - read->code) + JMP_BYTES +
                    memory_signed(target_decode(instance->space, code + 1, sizeof(uint32_t)));
    }
    code += *code == PUSH || *code == WORD;
    *machine = (*code == MOV_ESI || *code == MOV_EAX) && !code[2] ? code[1] : 0;
    return RC_OK;
}

/* By the machine that a function of the plugin has in its code, or a virtual one of the object that it
 * loads. */
static struct fact read_kind(const struct instance *instance, const struct layout *layout,
                             taddr plugin)
{
    static const enum device_kind kinds[UINT8_MAX + 1] = {[KMP_MACHINE_X86_64] = DEVICE_KIND_HOST,
                                                          [KMP_MACHINE_CUDA] = DEVICE_KIND_CUDA,
                                                          [KMP_MACHINE_AMDGPU] = DEVICE_KIND_HSA};
    struct device_code read;
    taddr at;
    size_t next = 0;
    unsigned machine = 0;
    enum rc rc = memory_pointer(instance, plugin + layout->plugin_code, &at);
    if (rc == RC_OK && layout->plugin_code)
        rc = read_machine(instance, at, &read, &machine);
    if (rc == RC_OK && !machine && layout->machine &&
        (!layout->plugin_code || device_code_next(&read, DEVICE_LOAD, &next, &at))) {
        for (unsigned i = 0; rc == RC_OK && layout->plugin_code && i < 2; i++)
            rc = memory_pointer(instance, at, &at);
        rc = rc == RC_OK ? memory_pointer(instance, at + layout->machine, &at) : rc;
        rc = rc == RC_OK ? read_machine(instance, at, &read, &machine) : rc;
    }
    if (rc != RC_OK)
        return (struct fact){.known = memory_mark(rc)};
    return kinds[machine] ? fact_of(kinds[machine]) : (struct fact){.known = NOT_HELD};
}

/* The root's parent is the header of the set, and so is the first element of one that is empty. */
static bool is_set(const struct instance *instance, taddr header, taddr root, taddr first)
{
    if (!root)
        return first == header;
    taddr parent;
    return memory_pointer(instance, root + KMP_SET_PARENT, &parent) == RC_OK && parent == header;
}

static enum rc read_device(const struct instance *instance, const struct device_list *list,
                           uint32_t number, struct device_facts *facts, struct device_tree *tree)
{
    const struct layout *layout = list->layout;
    unsigned char bytes[KMP_DEVICE_BYTES_MAX];
    taddr device, plugin, code;
    enum rc rc = memory_pointer(instance, list->first + number * sizeof(taddr), &device);
    if (rc == RC_OK)
        rc = device % sizeof(taddr) ? RC_NONSENSE
                                    : memory_read(instance, device, layout->device_bytes, bytes);
    if (rc != RC_OK)
        return rc;
#define FIELD(at, type) target_decode(instance->space, bytes + (at), sizeof(type))
    facts->descriptor = device;
    plugin = FIELD(KMP_DEVICE_PLUGIN, taddr);
    if (FIELD(KMP_DEVICE_NUMBER, uint32_t) != number || !plugin)
        return RC_NONSENSE;
    if (layout->plugin_code) {
        rc = memory_pointer(instance, plugin + layout->plugin_code, &code);
        if (rc != RC_OK)
            return rc;
        facts->plugin = fact_of(code);
    }
    facts->kind = read_kind(instance, layout, plugin);
    facts->state =
        fact_of(!layout->ready || bytes[layout->ready] ? DEVICE_STATE_READY : DEVICE_STATE_UNUSED);
    *tree = (struct device_tree){.root = FIELD(layout->ranges + KMP_SET_ROOT, taddr),
                                 .left = KMP_SET_LEFT,
                                 .right = KMP_SET_RIGHT,
                                 .key = layout->entry + KMP_ENTRY_START,
                                 .bytes = layout->entry + layout->states + sizeof(taddr),
                                 .count = fact_of(FIELD(layout->ranges + KMP_SET_COUNT, taddr))};
    if (!layout->entry) { /* the node has the key, and the address of the entry */
        tree->key = KMP_SET_VALUE;
        tree->bytes = KMP_SET_VALUE + 2 * sizeof(taddr);
    }
    if (!is_set(instance, device + layout->ranges + KMP_SET_HEADER, tree->root,
                FIELD(layout->ranges + KMP_SET_FIRST, taddr)))
        *tree = (struct device_tree){.is_locked = true};
#undef FIELD
    return RC_OK;
}

static enum rc decode_entry(const struct instance *instance, const struct device_list *list,
                            const unsigned char *node, struct mapping_facts *out)
{
    const struct layout *layout = list->layout;
    unsigned char bytes[DEVICE_NODE_BYTES_MAX];
    const unsigned char *entry = node + layout->entry;
    uint64_t references[2];
    enum rc rc = RC_OK;
    if (!layout->entry) {
        taddr at = target_decode(instance->space, node + KMP_SET_VALUE + sizeof(taddr), sizeof at);
        entry = bytes;
        rc = at % sizeof at ? RC_NONSENSE
                            : memory_read(instance, at, layout->states + sizeof(taddr), bytes);
        if (rc == RC_OK &&
            memcmp(node + KMP_SET_VALUE, entry + KMP_ENTRY_START, sizeof(taddr)) != 0)
            rc = RC_NONSENSE;
        if (rc != RC_OK)
            return rc;
    }
#define FIELD(at) target_decode(instance->space, entry + (at), sizeof(taddr))
    out->host = FIELD(KMP_ENTRY_START);
    out->bytes = FIELD(KMP_ENTRY_END) - out->host;
    out->address = fact_of(FIELD(layout->copy));
    out->source.value = FIELD(KMP_ENTRY_NAME);
    out->source.known = out->source.value ? KNOWN : NONE_HERE;
    if (FIELD(KMP_ENTRY_END) < out->host)
        return RC_NONSENSE;
    rc = read_words(instance, FIELD(layout->states), 2, references);
#undef FIELD
    if (rc != RC_OK)
        return rc;
    out->forever = fact_of(references[0] == UINT64_MAX);
    if (!out->forever.value) {
        out->references = fact_of(references[0] + references[1]);
        out->held = fact_of(references[1]);
    }
    return RC_OK;
}

static const struct device_source source = {find_devices, read_device, decode_entry};

enum rc kmp_each_device(struct instance *instance, device_visitor *visit, void *arg)
{
    return devices_visit(instance, &source, visit, NULL, arg);
}

enum rc kmp_each_mapping(struct instance *instance, mapping_visitor *visit, void *arg)
{
    return devices_visit(instance, &source, NULL, visit, arg);
}
