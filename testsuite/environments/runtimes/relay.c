/* SPDX-License-Identifier: MIT
 *
 * A library without OpenMP that calls what it is given, as any library with callbacks
 * does.
 */
void relay(void (*function)(void));
void relay_tail(void (*function)(void));

static volatile int calls;

void relay(void (*function)(void))
{
    function();
    calls++;
}

void relay_tail(void (*function)(void))
{
    calls++;
    function();
}
