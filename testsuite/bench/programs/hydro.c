/* SPDX-License-Identifier: MIT
 *
 * A blast in a cube, step by step: 34 short parallel loops a step, over the nodes, the
 * elements, the faces and lists of elements of different materials, as explicit
 * hydrodynamics codes have them. 12 elements a side and 2900 steps are 98 000 regions of
 * a few microseconds.
 */
#include <math.h>
#include <omp.h>
#include <string.h>
#include "kernel.h"

enum { SIDE = 12, POINTS = SIDE + 1, STEPS = 2900, CHECKED_STEPS = 40, MATERIALS = 4 };
enum {
    ELEMENTS = SIDE * SIDE * SIDE,
    NODES = POINTS * POINTS * POINTS,
    FACE = POINTS * POINTS
};

struct state {
    double position[3][NODES], velocity[3][NODES], force[3][NODES];
    double energy[ELEMENTS], pressure[ELEMENTS], viscosity[ELEMENTS], volume[ELEMENTS];
    double divergence[ELEMENTS], stress[ELEMENTS], gradient[ELEMENTS], work[ELEMENTS];
    double change[ELEMENTS], sound[ELEMENTS];
    double step;
};

static int corner[ELEMENTS][8], touching[NODES][8], face[3][FACE];
static int list[MATERIALS][ELEMENTS], listed[MATERIALS];

static int node_at(int x, int y, int z)
{
    return (z * POINTS + y) * POINTS + x;
}

static void make_mesh(void)
{
    int faces[3] = {0};
    memset(touching, -1, sizeof(touching));
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                int e = (z * SIDE + y) * SIDE + x;
                for (int c = 0; c < 8; c++) {
                    int n = node_at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                    corner[e][c] = n;
                    touching[n][c] = e;
                }
                /* Half of them of one material, the others fewer and fewer. */
                int m = e % 2 ? 0 : e % 4 ? 1 : e % 8 ? 2 : 3;
                list[m][listed[m]++] = e;
            }
    for (int z = 0; z < POINTS; z++)
        for (int y = 0; y < POINTS; y++)
            for (int x = 0; x < POINTS; x++) {
                int n = node_at(x, y, z);
                if (x == 0)
                    face[0][faces[0]++] = n;
                if (y == 0)
                    face[1][faces[1]++] = n;
                if (z == 0)
                    face[2][faces[2]++] = n;
            }
}

static void begin(struct state *s)
{
    memset(s, 0, sizeof(*s));
    for (int z = 0; z < POINTS; z++)
        for (int y = 0; y < POINTS; y++)
            for (int x = 0; x < POINTS; x++) {
                s->position[0][node_at(x, y, z)] = x;
                s->position[1][node_at(x, y, z)] = y;
                s->position[2][node_at(x, y, z)] = z;
            }
    for (int e = 0; e < ELEMENTS; e++) {
        s->volume[e] = 1;
        s->sound[e] = 1;
    }
    s->energy[0] = 100;
    s->step = 1e-3;
}

#define LOOP(variable, count)                                                            \
    _Pragma("omp parallel for schedule(static)") for (int variable = 0;                  \
                                                      variable < (count); variable++)

static void forces(struct state *s)
{
    LOOP(n, NODES)
    s->force[0][n] = s->force[1][n] = s->force[2][n] = 0;
    LOOP(e, ELEMENTS) s->stress[e] = -s->pressure[e] - s->viscosity[e];
    LOOP(e, ELEMENTS) s->stress[e] += 0.1 * s->divergence[e] * s->sound[e];
    LOOP(n, NODES)
    for (int c = 0; c < 8; c++) {
        int e = touching[n][c];
        if (e < 0)
            continue;
        s->force[0][n] -= (c & 1 ? -0.25 : 0.25) * s->stress[e] * -1;
        s->force[1][n] -= (c & 2 ? -0.25 : 0.25) * s->stress[e] * -1;
        s->force[2][n] -= (c & 4 ? -0.25 : 0.25) * s->stress[e] * -1;
    }
}

static void motion(struct state *s)
{
    for (int d = 0; d < 3; d++) {
        LOOP(i, FACE) s->force[d][face[d][i]] = 0;
    }
    for (int d = 0; d < 3; d++) {
        LOOP(n, NODES) s->velocity[d][n] += s->force[d][n] * s->step;
    }
    for (int d = 0; d < 3; d++) {
        LOOP(n, NODES) s->position[d][n] += s->velocity[d][n] * s->step;
    }
}

static void kinematics(struct state *s)
{
    LOOP(e, ELEMENTS)
    {
        double sum = 0;
        for (int c = 0; c < 8; c++) {
            int n = corner[e][c];
            sum += (c & 1 ? 0.25 : -0.25) * s->velocity[0][n] +
                   (c & 2 ? 0.25 : -0.25) * s->velocity[1][n] +
                   (c & 4 ? 0.25 : -0.25) * s->velocity[2][n];
        }
        s->divergence[e] = sum;
    }
    LOOP(e, ELEMENTS) s->change[e] = s->divergence[e] * s->step * s->volume[e];
    LOOP(e, ELEMENTS)
    {
        int next = e + 1 < ELEMENTS ? e + 1 : e, before = e ? e - 1 : e;
        s->gradient[e] = (s->divergence[next] - s->divergence[before]) / 2;
    }
}

/* The equation of state of each material: one list after the other. */
static void material(struct state *s, int m)
{
    const int *of = list[m];
    double gamma = 1.3 + 0.1 * m;
    LOOP(i, listed[m])
    {
        int e = of[i];
        double compressed = s->divergence[e] < 0 ? s->divergence[e] : 0;
        s->viscosity[e] =
            compressed * compressed + 0.1 * fabs(s->gradient[e]) * -compressed;
    }
    LOOP(i, listed[m])
    s->work[of[i]] = (s->pressure[of[i]] + s->viscosity[of[i]]) * s->change[of[i]];
    LOOP(i, listed[m])
    {
        int e = of[i];
        s->energy[e] -= s->work[e];
        if (s->energy[e] < 0)
            s->energy[e] = 0;
        s->pressure[e] = (gamma - 1) * s->energy[e] / s->volume[e];
    }
    LOOP(i, listed[m])
    s->sound[of[i]] = sqrt(gamma * s->pressure[of[i]] * s->volume[of[i]] + 1e-6);
}

static void volumes(struct state *s)
{
    LOOP(e, ELEMENTS)
    {
        s->volume[e] += s->change[e];
        if (s->volume[e] < 0.1)
            s->volume[e] = 0.1;
    }
    double fastest = 0;
#pragma omp parallel for reduction(max : fastest)
    for (int e = 0; e < ELEMENTS; e++)
        if (s->sound[e] > fastest)
            fastest = s->sound[e];
    double allowed = 1e-2 / (fastest + 1);
    s->step = allowed < 1.02 * s->step ? allowed : 1.02 * s->step;
}

static void run(struct state *s, int steps)
{
    begin(s);
    for (int i = 0; i < steps; i++) {
        forces(s);
        motion(s);
        kinematics(s);
        for (int m = 0; m < MATERIALS; m++)
            material(s, m);
        volumes(s);
    }
}

int main(void)
{
    struct state *parallel = allocate(1, sizeof(*parallel));
    struct state *serial = allocate(1, sizeof(*serial));
    make_mesh();
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    run(serial, CHECKED_STEPS);
    omp_set_num_threads(threads);
    run(parallel, CHECKED_STEPS);
    int right = memcmp(serial, parallel, sizeof(*serial)) == 0;
    run(parallel, STEPS - CHECKED_STEPS);
    double sum = 0;
    for (int e = 0; e < ELEMENTS; e++)
        sum += parallel->energy[e];
    return verdict("hydro", right && isfinite(sum) && sum > 0 && sum < 1000);
}
