/* SPDX-License-Identifier: MIT
 *
 * Patients of a tree of clinics, step by step: a task for each clinic below, then its own
 * lists of those who wait, are treated or go one level up.
 */
#include <string.h>
#include "kernel.h"

enum { LEVELS = 5, BRANCHES = 4, PEOPLE = 12, STEPS = 1500, TREATMENT = 5 };

struct patient {
    struct patient *next;
    uint64_t luck;
    int left;
};

struct clinic {
    struct clinic *below[BRANCHES];
    struct patient *well, *waiting, *treated, *goes_up;
    int free_beds;
    long healed, moved;
};

static void push(struct patient **list, struct patient *p)
{
    p->next = *list;
    *list = p;
}

static struct clinic *make_clinic(int level, uint64_t seed)
{
    struct clinic *c = allocate(1, sizeof(*c));
    c->free_beds = 2 << level;
    for (int i = 0; i < PEOPLE; i++) {
        struct patient *p = allocate(1, sizeof(*p));
        p->luck = scramble(seed * PEOPLE + (uint64_t)i);
        push(&c->well, p);
    }
    for (int i = 0; level && i < BRANCHES; i++)
        c->below[i] = make_clinic(level - 1, scramble(seed + (uint64_t)i));
    return c;
}

/* Moves those of `from` that the patient's next number chooses. */
static void draw(struct patient **from, struct patient **to, double chance)
{
    for (struct patient **at = from; *at;) {
        struct patient *p = *at;
        p->luck = scramble(p->luck);
        if (fraction(p->luck) < chance) {
            *at = p->next;
            push(to, p);
        } else {
            at = &p->next;
        }
    }
}

static void own_step(struct clinic *c, int is_top)
{
    for (struct patient **at = &c->treated; *at;) {
        struct patient *p = *at;
        if (--p->left == 0) {
            *at = p->next;
            push(&c->well, p);
            c->free_beds++;
            c->healed++;
        } else {
            at = &p->next;
        }
    }
    if (!is_top)
        draw(&c->waiting, &c->goes_up, 0.1);
    while (c->waiting && c->free_beds) {
        struct patient *p = c->waiting;
        c->waiting = p->next;
        p->left = TREATMENT;
        push(&c->treated, p);
        c->free_beds--;
    }
    draw(&c->well, &c->waiting, 0.05);
}

static void step(struct clinic *c, int is_top)
{
    for (int i = 0; i < BRANCHES; i++)
        if (c->below[i])
#pragma omp task firstprivate(i, c)
            step(c->below[i], 0);
    own_step(c, is_top);
#pragma omp taskwait
    for (int i = 0; i < BRANCHES && c->below[i]; i++)
        while (c->below[i]->goes_up) {
            struct patient *p = c->below[i]->goes_up;
            c->below[i]->goes_up = p->next;
            push(&c->waiting, p);
            c->moved++;
        }
}

static uint64_t sum_of(const struct clinic *c)
{
    uint64_t sum = (uint64_t)(c->healed * 1000003 + c->moved);
    for (const struct patient *p = c->waiting; p; p = p->next)
        sum = scramble(sum ^ p->luck);
    for (int i = 0; i < BRANCHES && c->below[i]; i++)
        sum = scramble(sum + sum_of(c->below[i]));
    return sum;
}

int main(void)
{
    struct clinic *serial = make_clinic(LEVELS - 1, 1),
                  *tasks = make_clinic(LEVELS - 1, 1);
    for (int i = 0; i < STEPS; i++)
        step(serial, 1);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < STEPS; i++)
        step(tasks, 1);
    return verdict("clinics", sum_of(serial) == sum_of(tasks));
}
