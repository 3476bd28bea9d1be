/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where the states of a thread go: into a trace of a project of this library's,
 * or, in a process that libhdMPI traces, into the trace that the thread has
 * there, among its MPI calls.
 */
#ifndef HD_OMP_OUTPUT_H
#define HD_OMP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/** Find out where. Nothing is created yet. */
void ompOutputInit(void);

/** Open that of the calling thread; NULL: none, now. */
void *ompOutputOpen(unsigned int number);

/** Whether an output belongs to the thread rather than to its lane. */
bool ompOutputIsOfThread(void);

void ompOutputClose(void *output);

/** All are closed: end the project. */
void ompOutputEnd(void);

/** Begin a state; whether it is to be ended. when: in ns, or -1: now. */
bool ompOutputBegin(void *output, const char *name, int64_t when);

/** End it. */
void ompOutputFinish(void *output, int64_t when);

/** Add integers to it; keys have a blank between them. */
void ompOutputAttributes(void *output, const char *keys, const int64_t *values);

/** The thread has used this much CPU time until now; both in nanoseconds. */
void ompOutputCpu(void *output, int64_t now, int64_t used);

/** Add a text to it. */
void ompOutputText(void *output, const char *key, const char *value);

#endif
