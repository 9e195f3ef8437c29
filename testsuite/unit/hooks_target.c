/* SPDX-License-Identifier: MIT
 *
 * What tools hear of target constructs (runtime-hooks/consumers/ompt/target.c), where begins and ends
 * do not pair: the file alone, with the rest of the hooks played by this one.
 */
#include "consumers/ompt/consume.h"
#include "consumers/ompt/inquiry.h"

#include <stdio.h>
#include <string.h>

static struct rec_thread record;
static struct thread self = {.rec = &record};
static unsigned told[3]; /* by endpoint */
static ompt_id_t last_id;

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                      ompt_data_t *task, ompt_id_t id, const void *codeptr)
{
    (void)kind, (void)device, (void)task, (void)codeptr;
    told[endpoint]++;
    last_id = id;
}

ompt_callback_t ompt_registered[CALLBACK_COUNT] = {
    [ompt_callback_target] = (ompt_callback_t)(void (*)(void))on_target,
};

uintptr_t event_code_inside(const struct thread *t, uintptr_t codeptr)
{
    (void)t;
    return codeptr;
}

uint64_t ompt_get_unique_id(void)
{
    static uint64_t last;
    return ++last;
}

static unsigned number, failures;

static void check(int good, const char *what)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++number, what);
    failures += !good;
}

static void end(void)
{
    ompt_on_target(&self, TARGET_REGION, EVENT_END, 0, (struct place){1, 0});
}

static void begin(void)
{
    ompt_on_target(&self, TARGET_REGION, EVENT_BEGIN, 0, (struct place){1, 0});
}

int main(void)
{
    end();
    end();
    check(!told[EVENT_END] && !self.target.depth, "an end without a begin is not told");
    begin();
    ompt_id_t first = last_id;
    begin();
    end();
    end();
    check(told[EVENT_BEGIN] == 2 && told[EVENT_END] == 2 && last_id == first, "constructs nest");
    memset(told, 0, sizeof told);
    for (unsigned i = 0; i < 3 * TARGET_LEVELS; i++)
        begin();
    for (unsigned i = 0; i < 3 * TARGET_LEVELS; i++)
        end();
    check(told[EVENT_BEGIN] == 3 * TARGET_LEVELS && told[EVENT_END] == 3 * TARGET_LEVELS &&
              !self.target.depth,
          "deeper than there is room for");
    printf("1..%u\n", number);
    return failures != 0;
}
