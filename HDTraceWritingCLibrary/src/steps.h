/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Steps of the wall clock: who sets it changes no time of a file, but it is
 * written down that the clock was set, when, and by how much.
 *
 * A slew changes the rate of all clocks alike and is no step; that the machine
 * has slept is none either.
 */
#ifndef HD_STEPS_H
#define HD_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/** Steps, of this process or of the time of a file. */
struct hdSteps {
	uint64_t count;
	int64_t sumNs;
};

/** One of them. */
struct hdStep {
	int64_t timeNs; /**< When it was seen, by the clock of files. */
	int64_t byNs;
};

/**
 * Look whether the wall clock was set since the last look. One thread at a
 * time.
 *
 * @param steps Of this process; all zero in the beginning.
 * @param[out] step What was found.
 *
 * @return Whether it was set by more than a millisecond.
 */
bool hdStepsLook(struct hdSteps *steps, struct hdStep *step);

/**
 * Write a step down, where it is found if this process is killed: a line of the
 * .info of the node that a file belongs to.
 *
 * @param path Of a .trc, .stat or .rel.
 * @param fd Its descriptor, by which it is found after chdir().
 */
void hdStepsWrite(const char *path, int fd, const struct hdStep *step);

/** Whether a file is there, and has steps only. */
bool hdStepsAreAll(const char *path);

#endif
