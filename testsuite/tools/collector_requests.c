/* SPDX-License-Identifier: MIT
 *
 * Batches of requests to the Collector, right and wrong: each case gives the words of a
 * batch and says what must have become of them. Not run with an OpenMP runtime of its
 * own, so it also shows what the API answers before there is one.
 */
#include "testsuite/tools/collector.h"

#include <stdbool.h>

static unsigned number, failures;

static void result(bool ok, const char *name)
{
    printf("%sok %u - %s\n", ok ? "" : "not ", ++number, name);
    failures += !ok;
}

static void ignore(OMP_COLLECTORAPI_EVENT event)
{
    (void)event;
}

enum { WORDS = 32, UNTOUCHED = 0x5a5a5a5a };

/* What stands for the address of a callback. */
#define CALLBACK 0x7ffffff1

#define TIGHT (int)(4 + sizeof(void *))
#define PAIR (int)(2 * sizeof(void *))

/* A pair with its gap, where there is one, and without. */
#if UINTPTR_MAX > 0xffffffff
#define PAIR_WORDS(first, second) first, second, second, second
#define TIGHT_WORDS(first, second) first, second, second
#else
#define PAIR_WORDS(first, second) first, second
#define TIGHT_WORDS(first, second) first, second
#endif

/* A session is open before each case, unless it says that it is not. */
static const struct {
    const char *name;
    int32_t words[WORDS];
    unsigned count; /* of words */
    int offset;     /* bytes by which the batch is off its 16-byte place */
    bool closed;    /* no session */
    int returns;
    struct {
        unsigned word; /* 0: no more */
        int32_t is;
    } after[6];
} cases[] = {
#define BATCH(...) .words = {__VA_ARGS__}, .count = sizeof((int32_t[]){__VA_ARGS__}) / 4
    {"an empty batch", BATCH(0), .returns = 0},
    {"an empty batch without a session", BATCH(0), .closed = true, .returns = 0},
    {"a size below that of the head", BATCH(12, OMP_REQ_PAUSE, -2, -2, 0), .returns = -1,
     .after = {{2, -2}}},
    {"a size of 4", BATCH(4, OMP_REQ_PAUSE, -2, -2, 0), .returns = -1,
     .after = {{2, -2}}},
    {"a negative size", BATCH(-16, OMP_REQ_PAUSE, -2, -2, 0), .returns = -1,
     .after = {{2, -2}}},
    {"the most negative size", BATCH(INT32_MIN, OMP_REQ_PAUSE, -2, -2, 0), .returns = -1,
     .after = {{2, -2}}},
    {"a size that is no multiple of 4", BATCH(18, OMP_REQ_PAUSE, -2, -2, 0, 0),
     .returns = -1, .after = {{2, -2}}},
    {"a batch at an odd address", BATCH(16, OMP_REQ_PAUSE, -2, -2, 0), .offset = 1,
     .returns = -1, .after = {{2, -2}}},
    {"a batch that is aligned to 2 bytes", BATCH(16, OMP_REQ_PAUSE, -2, -2, 0),
     .offset = 2, .returns = -1, .after = {{2, -2}}},
    {"what stands before a fault is served, what stands behind is not",
     BATCH(16, OMP_REQ_PAUSE, -2, -2, 8, OMP_REQ_PAUSE, -2, -2, 16, OMP_REQ_PAUSE, -2, -2,
           0),
     .returns = -1, .after = {{2, OMP_ERRCODE_OK}, {3, 0}, {6, -2}, {10, -2}}},

    {"an unknown request", BATCH(16, OMP_REQ_LAST, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}, {3, 0}}},
    {"a negative request", BATCH(16, -1, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}, {3, 0}}},
    {"the largest request", BATCH(16, INT32_MAX, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}, {3, 0}}},
    {"what follows an unknown request is served",
     BATCH(20, 77, -2, -2, UNTOUCHED, 16, OMP_REQ_PAUSE, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}, {4, UNTOUCHED}, {7, OMP_ERRCODE_OK}}},

    {"a second START", BATCH(16, OMP_REQ_START, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}, {3, 0}}},
    {"STATE without a session", BATCH(32, OMP_REQ_STATE, -2, -2, 0, 0, 0, 0, 0),
     .closed = true, .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}, {3, 0}, {4, 0}}},
    {"CURRENT_PRID without a session", BATCH(24, OMP_REQ_CURRENT_PRID, -2, -2, 5, 6, 0),
     .closed = true, .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}, {4, 5}, {5, 6}}},
    {"PARENT_PRID without a session", BATCH(24, OMP_REQ_PARENT_PRID, -2, -2, 0, 0, 0),
     .closed = true, .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"REGISTER without a session",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, OMP_EVENT_FORK, 0, CALLBACK, CALLBACK, 0),
     .closed = true, .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"UNREGISTER without a session",
     BATCH(20, OMP_REQ_UNREGISTER, -2, -2, OMP_EVENT_FORK, 0), .closed = true,
     .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"STOP without a session", BATCH(16, OMP_REQ_STOP, -2, -2, 0), .closed = true,
     .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"PAUSE without a session", BATCH(16, OMP_REQ_PAUSE, -2, -2, 0), .closed = true,
     .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"RESUME without a session", BATCH(16, OMP_REQ_RESUME, -2, -2, 0), .closed = true,
     .after = {{2, OMP_ERRCODE_SEQUENCE_ERR}}},
    {"an unknown request without a session", BATCH(16, 9, -2, -2, 0), .closed = true,
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},
    {"START, PAUSE, STOP, PAUSE, START in one batch",
     BATCH(16, OMP_REQ_START, -2, -2, 16, OMP_REQ_PAUSE, -2, -2, 16, OMP_REQ_STOP, -2, -2,
           16, OMP_REQ_PAUSE, -2, -2, 16, OMP_REQ_START, -2, -2, 0),
     .closed = true,
     .after = {{2, OMP_ERRCODE_OK},
               {6, OMP_ERRCODE_OK},
               {10, OMP_ERRCODE_OK},
               {14, OMP_ERRCODE_SEQUENCE_ERR},
               {18, OMP_ERRCODE_OK}}},
    {"RESUME that nothing was paused for", BATCH(16, OMP_REQ_RESUME, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, 0}}},

    {"STATE", BATCH(16 + PAIR, OMP_REQ_STATE, -2, -2, PAIR_WORDS(0, -1), 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, PAIR}, {4, THR_SERIAL_STATE}}},
    {"STATE without the gap",
     BATCH(16 + TIGHT, OMP_REQ_STATE, -2, -2, TIGHT_WORDS(0, -1), 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, TIGHT}, {4, THR_SERIAL_STATE}, {5, 0}}},
    {"STATE without the gap at a place that is aligned to 4 bytes",
     BATCH(16 + TIGHT, OMP_REQ_STATE, -2, -2, TIGHT_WORDS(0, -1), 0), .offset = 4,
     .after = {{2, OMP_ERRCODE_OK}, {3, TIGHT}, {4, THR_SERIAL_STATE}, {5, 0}}},
    {"STATE with no room", BATCH(16, OMP_REQ_STATE, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_MEM_TOO_SMALL}, {3, PAIR}}},
    {"STATE with room for the state alone", BATCH(20, OMP_REQ_STATE, -2, -2, 7, 0),
     .after = {{2, OMP_ERRCODE_MEM_TOO_SMALL}, {3, PAIR}, {4, 7}}},
    {"STATE with more room than it needs",
     BATCH(48, OMP_REQ_STATE, -2, -2, 0, 0, 0, 0, UNTOUCHED, 0, 0, 0, 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, PAIR}, {4, THR_SERIAL_STATE}, {8, UNTOUCHED}}},

    {"CURRENT_PRID outside all regions", BATCH(24, OMP_REQ_CURRENT_PRID, -2, -2, 1, 1, 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, 8}, {4, 0}, {5, 0}}},
    {"CURRENT_PRID with 4 bytes", BATCH(20, OMP_REQ_CURRENT_PRID, -2, -2, 1, 0),
     .after = {{2, OMP_ERRCODE_MEM_TOO_SMALL}, {3, 8}, {4, 1}}},
    {"PARENT_PRID with no room", BATCH(16, OMP_REQ_PARENT_PRID, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_MEM_TOO_SMALL}, {3, 8}}},
    {"PARENT_PRID on a thread that is master of no team",
     BATCH(24, OMP_REQ_PARENT_PRID, -2, -2, 1, 1, 0),
     .after = {{2, OMP_ERRCODE_THREAD_ERR}, {3, 0}, {4, 1}}},

    {"REGISTER",
     BATCH(16 + PAIR, OMP_REQ_REGISTER, -2, -2, PAIR_WORDS(OMP_EVENT_FORK, CALLBACK), 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, 0}, {4, OMP_EVENT_FORK}}},
    {"REGISTER without a parameter", BATCH(16, OMP_REQ_REGISTER, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_ERROR}, {3, 0}}},
    {"REGISTER without a callback",
     BATCH(20, OMP_REQ_REGISTER, -2, -2, OMP_EVENT_FORK, 0),
     .after = {{2, OMP_ERRCODE_ERROR}, {3, 0}}},
    {"REGISTER with a callback of NULL",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, OMP_EVENT_FORK, 0, 0, 0, 0),
     .after = {{2, OMP_ERRCODE_ERROR}, {3, 0}}},
    {"REGISTER for event 0",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, 0, CALLBACK, CALLBACK, CALLBACK, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},
    {"REGISTER for an event beyond the last",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, 23, CALLBACK, CALLBACK, CALLBACK, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},
    {"REGISTER for an event of another implementation",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, 4096, CALLBACK, CALLBACK, CALLBACK, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},
    {"REGISTER for a negative event",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, -1, CALLBACK, CALLBACK, CALLBACK, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},
    {"REGISTER for an event that cannot be seen",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, OMP_EVENT_THR_BEGIN_MASTER, CALLBACK, CALLBACK,
           CALLBACK, 0),
     .after = {{2, OMP_ERRCODE_UNSUPPORTED}}},
    {"UNREGISTER of what was never registered",
     BATCH(20, OMP_REQ_UNREGISTER, -2, -2, OMP_EVENT_JOIN, 0),
     .after = {{2, OMP_ERRCODE_OK}, {3, 0}}},
    {"UNREGISTER without a parameter", BATCH(16, OMP_REQ_UNREGISTER, -2, -2, 0),
     .after = {{2, OMP_ERRCODE_ERROR}}},
    {"UNREGISTER of an unknown event", BATCH(20, OMP_REQ_UNREGISTER, -2, -2, 99, 0),
     .after = {{2, OMP_ERRCODE_UNKNOWN}}},

#if UINTPTR_MAX > 0xffffffff /* elsewhere a word of 4 bytes is aligned enough */
    {"CURRENT_PRID with mem off its alignment",
     BATCH(24, OMP_REQ_CURRENT_PRID, -2, -2, 1, 1, 0), .offset = 4,
     .after = {{2, OMP_ERRCODE_ERROR}, {3, 0}, {4, 1}}},
    {"STATE with mem off its alignment", BATCH(32, OMP_REQ_STATE, -2, -2, 1, 1, 1, 1, 0),
     .offset = 4, .after = {{2, OMP_ERRCODE_ERROR}, {3, 0}, {4, 1}}},
    {"REGISTER with mem off its alignment",
     BATCH(32, OMP_REQ_REGISTER, -2, -2, OMP_EVENT_FORK, 0, CALLBACK, CALLBACK, 0),
     .offset = 4, .after = {{2, OMP_ERRCODE_ERROR}}},
    {"what follows an entry off its alignment is served",
     BATCH(24, OMP_REQ_CURRENT_PRID, -2, -2, 1, 1, 16, OMP_REQ_PAUSE, -2, -2, 0),
     .offset = 4, .after = {{2, OMP_ERRCODE_ERROR}, {8, OMP_ERRCODE_OK}}},
#endif
};

/* Puts the address of the callback where CALLBACK stands: in the structure's place when
 * the entry has room for it. */
static void put_callback(char *batch, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int32_t word;
        memcpy(&word, batch + 4 * i, 4);
        if (word != CALLBACK)
            continue;
        void (*callback)(OMP_COLLECTORAPI_EVENT) = ignore;
        unsigned at = (i - 4) * 4 % sizeof(void *) ? i + 1 : i; /* behind the gap */
        memcpy(batch + 4 * at, &callback, sizeof(callback));
        return;
    }
}

static bool run(collector_fn collector, unsigned i)
{
    static char memory[4 * WORDS + 16] __attribute__((aligned(16)));
    memset(memory, UNTOUCHED & 0xff, sizeof(memory));
    char *batch = memory + cases[i].offset;
    memcpy(batch, cases[i].words, 4 * cases[i].count);
    put_callback(batch, cases[i].count);

    collector_simple(collector, OMP_REQ_STOP);
    if (!cases[i].closed && collector_simple(collector, OMP_REQ_START) != OMP_ERRCODE_OK)
        return false;
    int returned = collector(batch);
    bool ok = returned == cases[i].returns;
    if (!ok)
        printf("# returns %d\n", returned);
    for (unsigned k = 0; k < 6 && cases[i].after[k].word; k++) {
        int32_t word;
        memcpy(&word, batch + 4 * cases[i].after[k].word, 4);
        if (word != cases[i].after[k].is) {
            printf("# word %u is %d, not %d\n", cases[i].after[k].word, word,
                   cases[i].after[k].is);
            ok = false;
        }
    }
    /* Nothing is written behind the end. */
    for (char *end = batch + 4 * cases[i].count; end < memory + sizeof(memory); end++)
        if (*end != (char)(UNTOUCHED & 0xff))
            ok = false;
    return ok;
}

int main(void)
{
    collector_fn collector = collector_find();
    if (!collector) {
        printf("Bail out! there is no " OMP_COLLECTOR_API "\n");
        return 1;
    }
    result(collector_simple(collector, OMP_REQ_STATE) == OMP_ERRCODE_SEQUENCE_ERR,
           "nothing comes before the first START");
    result(collector(NULL) == -1, "no batch at all");
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        result(run(collector, i), cases[i].name);

    collector_simple(collector, OMP_REQ_STOP);
    collector_simple(collector, OMP_REQ_START);
    struct entry tight = {.size = 16 + TIGHT, .request = OMP_REQ_REGISTER};
    struct {
        struct entry entry;
        int32_t end[2];
    } batch = {.entry = tight};
    int32_t event = OMP_EVENT_FORK;
    void (*callback)(OMP_COLLECTORAPI_EVENT) = ignore;
    memcpy((char *)&batch + 16, &event, sizeof(event));
    memcpy((char *)&batch + 20, &callback, sizeof(callback));
    memset((char *)&batch + 16 + TIGHT, 0, 4);
    result(collector(&batch) == 0 && batch.entry.code == OMP_ERRCODE_OK,
           "REGISTER without the gap");

    struct entry wide = {.size = sizeof(wide), .request = OMP_REQ_REGISTER};
    batch.entry = wide;
    memcpy((char *)&batch + 16, &event, sizeof(event));
    memcpy((char *)&batch + 20, &callback, sizeof(callback));
    batch.end[0] = 0;
    result(collector(&batch) == 0 &&
               batch.entry.code == (sizeof(void *) == 4 ? OMP_ERRCODE_OK : OMP_ERRCODE_ERROR),
           "REGISTER without the gap in a larger entry: no callback where one would stand");
    result(collector_listen(collector, OMP_EVENT_FORK, (void (*)(OMP_COLLECTORAPI_EVENT))&event) ==
               OMP_ERRCODE_ERROR,
           "REGISTER with a callback that is no code");
    printf("1..%u\n", number);
    return failures != 0;
}
