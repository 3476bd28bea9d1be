/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What srun does about a step that is recorded: it finds a name for the project
 * before, and merges the files after it.
 *
 * Used by one thread; writes to standard error what the user has to know.
 */
#ifndef HD_SLURM_STEP_H
#define HD_SLURM_STEP_H

#include <limits.h>
#include <stdbool.h>

#include "NodeStatus/slurm/options.h"

/** Steps that are no steps of programs (batch, interactive, extern) have
 *  numbers from here on. */
#define HDSLURM_STEP_MAX 0xfffffff0U

struct hdslurmStep {
	char path[PATH_MAX];    /**< Of the project, without ending. */
	char account[PATH_MAX]; /**< See account.h. */
	unsigned int nodes;
};

/** What is known of a step. */
struct hdslurmStepInfo {
	unsigned int job, step, nodes;
	/** Number in a job array; NULL for none. */
	const char *task;
	/** Whether sbatch or salloc was given the option: all steps share it.
	 */
	bool isInherited;
};

/**
 * Find a name for the project that no other has, and keep it.
 *
 * @param[out] step To be given to hdslurmStepEnd().
 *
 * @return Whether the step can be recorded; if not, it was said why not.
 */
bool hdslurmStepBegin(const struct hdslurmOptions *options,
		      const struct hdslurmStepInfo *info,
		      struct hdslurmStep *step);

/**
 * Merge what the nodes have recorded, and say what is missing.
 *
 * @param hdtrace The program that does it.
 */
void hdslurmStepEnd(const struct hdslurmStep *step, const char *hdtrace);

/** Print a line for the user. */
void hdslurmSay(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
