/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a disk that is dead, or a driver, does to those who ask it: it hangs,
 * until the test says that it goes on. By any thread.
 */
#ifndef STALL_H
#define STALL_H

#include <stdbool.h>

/** Let testStall() hang from now on, or go on. */
void testStallSet(bool is);

/** Count a question; return once nothing hangs. */
void testStall(void);

/** Get how many questions there were. */
int testStallCount(void);

#endif
