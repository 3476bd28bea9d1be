/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A load that tells delays, and its power, into a project.
 *
 * hdload(1) makes both: the command that reads links nothing that measures.
 */
#ifndef HD_DELAY_MEASURE_H
#define HD_DELAY_MEASURE_H

#include "HDTraceTools/command/core/tool.h"

/** How the load is called in the project. */
#define MEASURE_STATE "Load"

/** What to measure; what is NULL is up to hdload. */
struct measureChoice {
	const char *configuration; /**< Of the meter. */
	const char *project;
	const char *cpus;
	const char *order; /**< Of the sequence. */
	bool isForced;
};

/** Make it; false if it is not there, after a message. */
bool measureRun(struct tool *tool, const struct measureChoice *choice);

#endif
