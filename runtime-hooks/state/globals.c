/* SPDX-License-Identifier: MIT
 *
 * The ICVs with global scope, from the runtime's routines or the environment; see
 * globals.h.
 */
#include "state/globals.h"
#include "core/environment.h"
#include "core/hooks.h"
#include "state/icvs.h"

#define SUPPORTED_LEVELS 255 /* before omp_get_supported_active_levels() */
#define SCHEDULE_STATIC 1

struct rec_globals globals;
const struct runtime *globals_runtime;

static char affinity_format[1024];

static uint32_t non_negative(int value)
{
    return value > 0 ? (uint32_t)value : 0;
}

/* ICVs that no routine changes: those of the environment, and others. */
static void query_environment(void)
{
    static const char *const booleans[] = {"false", "true", NULL};
    static const char *const offloads[] = {"default", "mandatory", "disabled", NULL};
    static const char *const policies[] = {"passive", "active", NULL};
    static const char *const enabled[] = {"disabled", "enabled", NULL};

    globals.num_devices = NUM_DEVICES_UNKNOWN;
    globals.display_affinity = environment_word("OMP_DISPLAY_AFFINITY", booleans, 0);
    globals.target_offload = environment_word("OMP_TARGET_OFFLOAD", offloads, 0);
    globals.wait_policy = environment_word("OMP_WAIT_POLICY", policies, 2);
    globals.debug = environment_word("OMP_DEBUG", enabled, 0);
    globals.tool = environment_word("OMP_TOOL", enabled, 1);
    globals.stacksize = environment_size("OMP_STACKSIZE");
    if (!globals.stacksize)
        globals.stacksize = environment_size("GOMP_STACKSIZE");
}

static void query_constant(const struct runtime *real)
{
    globals.cancel = real->omp_get_cancellation() != 0;
    if (real->omp_get_max_task_priority)
        globals.max_task_priority = non_negative(real->omp_get_max_task_priority());
    globals.num_procs = non_negative(real->omp_get_num_procs());
    globals.num_places = real->omp_get_num_places ? non_negative(real->omp_get_num_places()) : 0;
    globals.supported_active_levels = real->omp_get_supported_active_levels
                                          ? non_negative(real->omp_get_supported_active_levels())
                                          : SUPPORTED_LEVELS;
    globals.def_schedule = SCHEDULE_STATIC;
    query_environment();
}

static void publish_globals(void)
{
    globals.places = settings_value("OMP_PLACES");
    globals.tool_libraries = settings_value("OMP_TOOL_LIBRARIES");
    globals.tool_verbose_init = settings_value("OMP_TOOL_VERBOSE_INIT");
    globals.available_devices = settings_value("OMP_AVAILABLE_DEVICES");
    publish_order();
    ompd_hooks_root.globals = (uintptr_t)&globals;
}

void globals_changed(const struct runtime *real)
{
    if (real != globals_runtime)
        return;
    if (real->omp_get_max_teams)
        globals.nteams = non_negative(real->omp_get_max_teams());
    if (real->omp_get_teams_thread_limit)
        globals.teams_thread_limit = non_negative(real->omp_get_teams_thread_limit());
    if (real->omp_get_affinity_format) {
        real->omp_get_affinity_format(affinity_format, sizeof(affinity_format));
        globals.affinity_format = (uintptr_t)affinity_format;
    }
}

void globals_start(const struct runtime *real)
{
    static bool has_values;
    if (has_values)
        return;
    has_values = true;
    icvs_start(real);
    query_constant(real);
    globals_changed(real);
    struct rec_icvs none = {0};
    uintptr_t icvs = icvs_of_initial_task(real);
    settings_start(&globals, real, icvs ? (const struct rec_icvs *)icvs : &none, 0);
    publish_globals();
}

void globals_start_reported(unsigned openmp)
{
    if (ompd_hooks_root.globals)
        return;
    query_environment();
    settings_start(&globals, globals_runtime, NULL, openmp);
    publish_globals();
}
