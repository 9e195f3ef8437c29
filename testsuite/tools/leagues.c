/* SPDX-License-Identifier: MIT
 *
 * Leagues of teams on the host, outside of target regions and in them: what debuggers read and
 * what a tool is told must be the same but for who calls the teams. The tool is in here.
 */
#define _GNU_SOURCE
#include "testsuite/unit/hooks_records.h"

#include <ompd/omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "../common/start-tool.h"

static char said[2000];

static void say(const char *format, int a, int b, int c)
{
    size_t length = strlen(said);
    snprintf(said + length, sizeof(said) - length, format, a, b, c);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned requested, int flags,
                              const void *code)
{
    (void)task, (void)parallel;
    CHECK("a region is met somewhere", frame->enter_frame.ptr && code);
    if (flags & (int)ompt_parallel_league)
        say("league of %d;", (int)requested, 0, 0);
    else
        say(" parallel", 0, 0, 0);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                            const void *code)
{
    (void)parallel, (void)task, (void)code;
    if (flags & (int)ompt_parallel_league)
        say(" over", 0, 0, 0);
}

static bool telling_all;

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned actual, unsigned index, int flags)
{
    (void)parallel, (void)task;
    if (!telling_all || !(flags & ompt_task_initial))
        return;
    if (at == ompt_scope_begin)
        say(" %d of %d", (int)index, (int)actual, 0);
    else
        say(" end %d;", (int)index, 0, 0);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    return 1;
}

START_TOOL(initialize, finalize_nothing)

/* In a team, before and after its parallel region. */
static void check_team(void)
{
    const struct rec_thread *self = records_self();
    const struct rec_region *region = (const struct rec_region *)self->region;
    CHECK("the thread is in a league",
          region && region->id == region_of(self) && region->kind == REGION_TEAMS);
    if (!region)
        return;
    CHECK("of so many teams", self->team_size == (uint32_t)omp_get_num_teams() &&
                                  region->actual == self->team_size);
    CHECK("in this one of them", self->thread_num == (uint32_t)omp_get_team_num());
    CHECK("it works", state_of(self) == WORK_PARALLEL);
    CHECK("in the team's implicit task",
          task_of(self)->region_id == region->id &&
              task_of(self)->thread_num == self->thread_num && task_of(self)->exit_frame);
}

static void check_nested(void)
{
    const struct rec_thread *self = records_self();
    const struct rec_region *region = (const struct rec_region *)self->region;
    const struct rec_region *league =
        region ? (const struct rec_region *)region->parent : NULL;
    CHECK("a team's region is one in the league",
          league && region->kind == REGION_PARALLEL && league->id == region->parent_id &&
              league->kind == REGION_TEAMS);
}

static void check_outside(void)
{
    const struct rec_thread *self = records_self();
    CHECK("no league is left", !region_of(self) && !self->region && self->team_size == 1);
    CHECK("its encountering task goes on",
          task_of(self)->kind == TASK_INITIAL && !task_of(self)->enter_frame);
}

static void finish(const char *name, const char *expected)
{
    check_outside();
    CHECK(name, strcmp(said, expected) == 0);
    if (strcmp(said, expected) != 0)
        printf("# %s: %s\n", name, said);
    said[0] = 0;
}

void GOMP_teams(unsigned num_teams, unsigned thread_limit);

int main(void)
{
    static const char three[] = "league of 3; 0 of 3 parallel end 0; 1 of 3 parallel end 1;"
                                " 2 of 3 parallel end 2; over";
#pragma omp parallel num_threads(2)
    telling_all = true;
    said[0] = 0;

#pragma omp teams num_teams(3)
    {
        check_team();
#pragma omp parallel num_threads(2)
        check_nested();
        check_team();
    }
    finish("teams", three);

    for (int i = 0; i < 2; i++) {
#pragma omp target teams num_teams(3)
        {
            check_team();
#pragma omp parallel num_threads(2)
            check_nested();
            check_team();
        }
        finish("target teams", three);
    }

    /* As GCC up to 11 compiles it: a call before the body, and none after. */
    for (int i = 0; i < 2; i++) {
#pragma omp target
        {
            GOMP_teams(2, 0);
            check_team();
#pragma omp parallel num_threads(2)
            check_nested();
        }
        finish("target teams, old style", "league of 2; 0 of 1 parallel end 0; over");
    }

#pragma omp target
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        CHECK("a target region without teams has no league",
              !((const struct rec_region *)records_self()->region)->parent);
    finish("target parallel", " parallel");
    return checks_done();
}
