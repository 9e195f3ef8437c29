/* SPDX-License-Identifier: MIT
 *
 * devices.h.
 */
#include <string.h>

#include "libompd/runtime/devices.h"

enum rc device_code_read(const struct instance *instance, taddr at, struct device_code *out)
{
    enum rc rc = RC_OK;
    out->at = at;
    for (out->bytes = DEVICE_CODE_BYTES; out->bytes >= DEVICE_CODE_BYTES_MIN; out->bytes /= 2) {
        rc = target_read(instance->space, at, out->bytes, out->code);
        if (rc == RC_OK)
            break;
    }
    return rc;
}

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

unsigned device_code_find(const struct device_code *code, const uint32_t evidence[DEVICE_EVIDENCE])
{
    unsigned found = 0;
    for (size_t i = 0; i + sizeof *evidence <= code->bytes; i++)
        for (unsigned k = 0; k < DEVICE_EVIDENCE; k++)
            if (word_at(code->code + i) == evidence[k])
                found |= 1u << k;
    return found;
}

/* Of the operand bytes that say "relative to the next instruction". */
enum { OPERAND_MASK = 0xc7, OPERAND_RELATIVE = 5, WIDE_MASK = 0xfb, WIDE = 0x48 };

bool device_code_next(const struct device_code *code, enum device_operand kind, size_t *at,
                      taddr *out)
{
    static const unsigned char opcode[] = {
        [DEVICE_CALL] = 0xe8, [DEVICE_LEA] = 0x8d, [DEVICE_LOAD] = 0x8b};
    size_t head = kind == DEVICE_CALL ? 1 : 3;
    for (size_t i = *at; i + head + sizeof(uint32_t) <= code->bytes; i++) {
        const unsigned char *in = code->code + i;
        bool is_kind = kind == DEVICE_CALL ? in[0] == opcode[kind]
                                           : (in[0] & WIDE_MASK) == WIDE && in[1] == opcode[kind] &&
                                                 (in[2] & OPERAND_MASK) == OPERAND_RELATIVE;
        if (!is_kind)
            continue;
        *at = i + head + sizeof(uint32_t);
        *out = code->at + *at + (taddr)(int64_t)(int32_t)word_at(in + head);
        return true;
    }
    return false;
}

/* A node that is to be visited, whose key is between these. So no node is visited twice. */
struct pending {
    taddr node;
    uint64_t low, high;
};

struct walk {
    const struct instance *instance;
    const struct device_source *source;
    const struct device_list *list;
    uint32_t device;
    uint64_t count; /* of nodes */
    mapping_visitor *visit;
    void *arg;
    bool is_over;
};

static enum rc add_child(const struct instance *instance, struct array *pending,
                         const unsigned char *link, uint64_t low, uint64_t high, bool is_possible)
{
    struct pending child = {target_decode(instance->space, link, sizeof(taddr)), low, high};
    if (!child.node)
        return RC_OK;
    return is_possible ? array_add(pending, &child) : RC_NONSENSE;
}

static enum rc visit_node(struct walk *walk, const struct device_tree *tree,
                          const struct pending *next, struct array *pending)
{
    const struct instance *instance = walk->instance;
    unsigned char node[DEVICE_NODE_BYTES_MAX];
    if (next->node % sizeof(taddr))
        return RC_NONSENSE;
    enum rc rc = memory_read(instance, next->node, tree->bytes, node);
    if (rc != RC_OK)
        return rc;
    uint64_t key = target_decode(instance->space, node + tree->key, sizeof(taddr));
    if (key < next->low || key > next->high)
        return RC_NONSENSE;
    struct mapping_facts mapping = {.device = walk->device};
    rc = walk->source->decode(instance, walk->list, node, &mapping);
    if (rc != RC_OK)
        return rc;
    walk->count++;
    walk->is_over = !walk->visit(walk->arg, &mapping);
    rc = add_child(instance, pending, node + tree->left, next->low, key - 1, key > next->low);
    if (rc == RC_OK)
        rc =
            add_child(instance, pending, node + tree->right, key + 1, next->high, key < next->high);
    return rc;
}

/* A node that cannot be read was freed, or is damaged: others may be right. */
static enum rc walk_tree(struct walk *walk, const struct device_tree *tree)
{
    struct array pending = array_of(walk->instance->space->ops, sizeof(struct pending));
    struct pending next = {tree->root, 0, UINT64_MAX};
    enum rc rc = tree->root ? array_add(&pending, &next) : RC_OK, result = RC_OK;
    while (rc == RC_OK && pending.count && !walk->is_over) {
        next = ((struct pending *)pending.elements)[--pending.count];
        rc = walk->count < DEVICE_MAPPINGS_MAX ? visit_node(walk, tree, &next, &pending)
                                               : RC_INCOMPLETE;
        if (rc_is_damage(rc)) {
            result = RC_INCOMPLETE;
            rc = RC_OK;
        }
    }
    array_free(&pending);
    bool is_all =
        !tree->is_locked && (tree->count.known != KNOWN || tree->count.value == walk->count);
    rc = rc_join(rc, result);
    return rc == RC_OK && !walk->is_over && !is_all ? RC_INCOMPLETE : rc;
}

enum rc devices_visit(const struct instance *instance, const struct device_source *source,
                      device_visitor *visit_device, mapping_visitor *visit_mapping, void *arg)
{
    struct device_list list;
    struct walk walk = {.instance = instance, .source = source, .list = &list};
    walk.visit = visit_mapping;
    walk.arg = arg;
    enum rc result = source->find(instance, &list);
    for (; rc_is_answer(result) && !walk.is_over && walk.device < list.count; walk.device++) {
        struct device_facts facts = {.number = walk.device};
        struct device_tree tree = {0};
        enum rc rc = source->read(instance, &list, walk.device, &facts, &tree);
        walk.count = 0;
        if (rc == RC_OK && visit_device)
            walk.is_over = !visit_device(arg, &facts);
        else if (rc == RC_OK)
            rc = walk_tree(&walk, &tree);
        result = rc_is_answer(rc) ? rc_join(result, rc) : rc;
    }
    return result;
}
