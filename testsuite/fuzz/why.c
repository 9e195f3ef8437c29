/* SPDX-License-Identifier: MIT
 *
 * Any evidence, judged: an answer within its vectors, the same in the reverse order, none
 * that promises more than the evidence allows, nothing left allocated when an allocation
 * fails. None is more than possible of what a team waits for once another member works.
 *
 *   fuzz-why FILE...           runs these inputs
 *   fuzz-why --random N SEED   runs N inputs of a generator that always gives the same ones
 *
 * A piece of evidence is five bytes of the input: kind and witness, what, flags, and two ids,
 * few enough that they meet; the rest of the bits are of flags, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libompd/why/why.h"

enum { PIECES_MAX = 512, PIECE_BYTES = 5, IDS = 32, OTHER_TEAM = 100, OTHER_MEMBER };

static unsigned allocations, alive, fail_at;

static enum rc allocate(size_t bytes, void **out)
{
    if (++allocations == fail_at)
        return RC_NOMEM;
    *out = malloc(bytes ? bytes : 1);
    alive++;
    return RC_OK;
}

static void release(void *memory)
{
    alive--;
    free(memory);
}

static const struct target_ops ops = {.alloc = allocate, .release = release};

#define DEMAND(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "not so: %s\n", #what);                                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static size_t decode(const unsigned char *data, size_t size, struct why_evidence *out)
{
    size_t count = 0;
    for (; size >= PIECE_BYTES && count < PIECES_MAX; data += PIECE_BYTES, size -= PIECE_BYTES) {
        struct why_evidence *one = &out[count++];
        *one = (struct why_evidence){
            .kind = data[0] % 16,
            .witness = data[0] / 16 % 8,
            .what = data[1] % 32,
            .flags = data[2] | (data[1] / 32u) << 8 | (data[3] / IDS) << 11,
            .id = data[3] % IDS,
            .other = data[4] % IDS,
        };
        if (one->kind == EVIDENCE_PROCESS || one->kind >= EVIDENCE_WAITS)
            one->what = data[1] >= 0xf8; /* mostly valid */
    }
    return count;
}

/* May a verdict of this certainty be given at all? */
static bool may_be_more_than_possible(const struct why_evidence *evidence, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (evidence[i].flags & (FLAG_CONFIRMED | FLAG_SAME_PLACE | FLAG_MOVED | FLAG_REPEATS))
            return true;
        if (evidence[i].kind == EVIDENCE_THREAD &&
            (evidence[i].what == DOING_CRASHED || evidence[i].what == DOING_ENDLESS))
            return true;
        /* Things and tasks that need each other are waited for by nobody but each other. */
        if (evidence[i].kind == EVIDENCE_NEEDS)
            return true;
    }
    return false;
}

/* Not what crashed, nor what a second look at who works has told, or at all of a team. */
static bool may_be_opened(uint32_t name)
{
    switch (name) {
    case VERDICT_MPI:
    case VERDICT_IN_MPI:
    case VERDICT_HOLDER_ASLEEP:
    case VERDICT_ABSENT_ASLEEP:
    case VERDICT_SPIN:
    case VERDICT_SPINS:
    case VERDICT_SLOW:
    case VERDICT_CANCELLED:
    case VERDICT_TEAM_SMALLER:
    case VERDICT_SHARE_STARVED:
    case VERDICT_READY_STARVED:
        return false;
    default:
        return name > VERDICT_CRASH_SIGNAL;
    }
}

static void check(const struct why_evidence *evidence, size_t count, const struct array *verdicts,
                  const struct array *links)
{
    const struct why_verdict *all = verdicts->elements;
    const struct why_link *linked = links->elements;
    DEMAND(verdicts->count > 0);
    for (size_t i = 0; i < verdicts->count; i++) {
        DEMAND(all[i].name < VERDICT_END && all[i].cause < CAUSE_END);
        DEMAND(all[i].next < 1u << NEXT_END && all[i].certainty <= CERTAINTY_CERTAIN);
        DEMAND(all[i].first_link <= links->count &&
               all[i].links <= links->count - all[i].first_link);
        bool open = all[i].name == VERDICT_NOTHING || all[i].name == VERDICT_WAITING;
        DEMAND(open == (all[i].certainty == CERTAINTY_NONE));
        DEMAND(all[i].certainty <= CERTAINTY_POSSIBLE ||
               may_be_more_than_possible(evidence, count));
    }
    for (size_t i = 0; i < links->count; i++)
        DEMAND(linked[i].role >= ROLE_WAITS && linked[i].role <= ROLE_OTHER &&
               linked[i].evidence < count);
}

/* Does something that a verdict links belong to a team? */
static bool is_of_team(const struct why_evidence *evidence, size_t count,
                       const struct why_verdict *verdict, const struct array *links)
{
    const struct why_link *linked = (const struct why_link *)links->elements + verdict->first_link;
    for (uint32_t i = 0; i < verdict->links; i++) {
        const struct why_evidence *edge = &evidence[linked[i].evidence];
        uint64_t thing = edge->kind == EVIDENCE_WAITS   ? edge->other
                         : edge->kind == EVIDENCE_NEEDS ? edge->id
                                                        : 0;
        for (size_t n = 0; linked[i].role != ROLE_OTHER && n < count; n++)
            if (evidence[n].kind == EVIDENCE_THING && evidence[n].id == thing &&
                evidence[n].other == OTHER_TEAM)
                return true;
    }
    return false;
}

/* All things belong to a team of which a member works. */
static void check_open(const struct why_evidence *given, size_t count)
{
    static struct why_evidence evidence[PIECES_MAX + 3];
    struct array verdicts, links;
    memcpy(evidence, given, count * sizeof *given);
    for (size_t i = 0; i < count; i++)
        if (evidence[i].kind == EVIDENCE_THING || evidence[i].kind == EVIDENCE_TASK)
            evidence[i].other = OTHER_TEAM;
    evidence[count] =
        (struct why_evidence){.kind = EVIDENCE_TEAM, .witness = WITNESS_RUNTIME, .id = OTHER_TEAM};
    evidence[count + 1] = (struct why_evidence){.kind = EVIDENCE_THREAD,
                                                .witness = WITNESS_KERNEL,
                                                .what = DOING_WORKS,
                                                .id = OTHER_MEMBER};
    evidence[count + 2] = (struct why_evidence){.kind = EVIDENCE_MEMBER,
                                                .witness = WITNESS_RUNTIME,
                                                .id = OTHER_TEAM,
                                                .other = OTHER_MEMBER};
    DEMAND(why_judge(&ops, evidence, count + 3, &verdicts, &links) == RC_OK);
    const struct why_verdict *all = verdicts.elements;
    for (size_t i = 0; i < verdicts.count; i++)
        DEMAND(all[i].certainty <= CERTAINTY_POSSIBLE || !may_be_opened(all[i].name) ||
               !is_of_team(evidence, count + 3, &all[i], &links));
    array_free(&verdicts);
    array_free(&links);
}

static void check_reverse(const struct why_evidence *evidence, size_t count,
                          const struct array *verdicts, const struct array *links)
{
    static struct why_evidence reverse[PIECES_MAX];
    struct array others, other_links;
    for (size_t i = 0; i < count; i++)
        reverse[i] = evidence[count - 1 - i];
    DEMAND(why_judge(&ops, reverse, count, &others, &other_links) == RC_OK);
    DEMAND(others.count == verdicts->count && other_links.count == links->count);
    DEMAND(!memcmp(others.elements, verdicts->elements, others.count * sizeof(struct why_verdict)));
    const struct why_link *one = links->elements, *other = other_links.elements;
    for (size_t i = 0; i < links->count; i++)
        DEMAND(one[i].role == other[i].role &&
               !memcmp(&evidence[one[i].evidence], &reverse[other[i].evidence], sizeof *evidence));
    array_free(&others);
    array_free(&other_links);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct why_evidence evidence[PIECES_MAX];
    struct array verdicts, links;
    size_t count = decode(data, size, evidence);
    allocations = fail_at = 0;
    enum rc rc = why_judge(&ops, evidence, count, &verdicts, &links);
    unsigned needed = allocations;
    if (rc == RC_OK) {
        check(evidence, count, &verdicts, &links);
        check_reverse(evidence, count, &verdicts, &links);
        check_open(evidence, count);
    } else {
        DEMAND(rc == RC_BAD_INPUT && !verdicts.count && !links.count);
    }
    array_free(&verdicts);
    array_free(&links);
    DEMAND(!alive);
    if (needed) {
        allocations = 0;
        fail_at = 1 + (size ? data[size - 1] : 0) % needed;
        DEMAND(why_judge(&ops, evidence, count, &verdicts, &links) == RC_NOMEM);
        DEMAND(!verdicts.count && !verdicts.elements && !links.elements && !alive);
        fail_at = 0;
    }
    return 0;
}

#ifndef FUZZ_ENGINE
/* A generator that does not depend on the C library's. */
static unsigned char next_byte(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned char)(*state >> 56);
}

/* Evidence of which all but a few pieces are valid. */
static size_t generate(uint64_t *state, unsigned char *out)
{
    unsigned pieces = 1 + next_byte(state) % 64;
    unsigned flags = next_byte(state);
    for (unsigned i = 0; i < pieces; i++, out += PIECE_BYTES) {
        unsigned kind = 1 + next_byte(state) % 8;
        unsigned witness = 1 + next_byte(state) % 6;
        unsigned what = kind == EVIDENCE_THREAD  ? 1 + next_byte(state) % (DOING_END - 1)
                        : kind == EVIDENCE_THING ? 1 + next_byte(state) % (THING_END - 1)
                        : kind == EVIDENCE_TASK  ? 1 + next_byte(state) % 3
                                                 : 0;
        if (kind == EVIDENCE_THREAD && next_byte(state) % 2)
            what = DOING_WAITS;
        out[0] = (unsigned char)(kind | witness << 4);
        out[1] = (unsigned char)(what | (flags & 3) << 5);
        out[2] = (unsigned char)(next_byte(state) & flags);
        out[3] = (unsigned char)((1 + next_byte(state) % (IDS - 1)) | (flags & 3) * IDS);
        out[4] = (unsigned char)(1 + next_byte(state) % (IDS - 1));
    }
    return pieces * PIECE_BYTES;
}

static int run_file(const char *path)
{
    static unsigned char input[PIECES_MAX * PIECE_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(input, 1, sizeof input, file);
    fclose(file);
    return LLVMFuzzerTestOneInput(input, size);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--random")) {
        uint64_t state = strtoull(argv[3], NULL, 0);
        unsigned long runs = strtoul(argv[2], NULL, 0);
        for (unsigned long i = 0; i < runs; i++) {
            unsigned char input[64 * PIECE_BYTES];
            LLVMFuzzerTestOneInput(input, generate(&state, input));
        }
        printf("# %lu inputs\n", runs);
        return 0;
    }
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_file(argv[i]);
    return failed;
}
#endif
