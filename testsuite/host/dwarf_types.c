/* SPDX-License-Identifier: MIT
 *
 * Types and variables of C, in each way that a debugger has words for.
 */
#include <stdint.h>

typedef struct account {
    int number;
    unsigned kind : 3, state : 7;
    union {
        long whole;
        float part;
    };
    struct account *next, *const *others[2];
    int (*compare)(const struct account *, void *);
    double values[3][4];
    volatile char *restrict text;
    uint64_t rest[];
} account_t;

enum color { red, green = 5 };
union either {
    int whole;
    double part;
};
struct {
    int x, y;
} point = {1, 2};

account_t accounts[2];
static account_t *first = &accounts[1];
const char *const names[] = {"a", "b"};
enum color shade = green;
union either both;
unsigned long long large = 1;
unsigned char bytes[5];
signed char small;
_Bool is_set;
long double wide;
float (*matrix)[4];
void (*handlers[3])(int, ...);
void *anything;
extern int elsewhere;
int elsewhere = 3;
typedef int row_t[7];
row_t rows[2];
const volatile int port;
_Thread_local int own;
double (*(*maker)(void))[2];

__attribute__((noinline)) void stop(const void *what)
{
    __asm__ volatile("" ::"r"(what) : "memory");
}

static inline int twice(int value)
{
    int result = value * 2;
    static int calls;
    calls++;
    stop(&result);
    return result;
}

__attribute__((noinline)) static int walk(account_t *one, int n, const enum color *how)
{
    int sum = 0;
    double local[4] = {n, n};
    for (int i = 0; i < n; i++) {
        account_t *here = one + i;
        int pair[2] = {here->number, i};
        {
            account_t *here = first;
            sum += twice(pair[0]) + here->number;
        }
        stop(local);
    }
    return sum + (how != &shade);
}

int main(int argc, char **argv)
{
    register long kept = 0;
    account_t here = {.number = argc};
    int result = walk(accounts, 2, &shade);
    stop(&here);
    return result > 100 || kept > 5;
}
