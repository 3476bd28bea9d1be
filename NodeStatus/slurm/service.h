/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of a node from a power service: `pt record` asks it, into a project
 * of its own whose file of the node becomes one of ours at the end.
 *
 * What only root may read, as RAPL, is read by the service, for the users of
 * jobs.
 */
#ifndef HD_SLURM_SERVICE_H
#define HD_SLURM_SERVICE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct hdslurmService {
	pid_t child; /**< 0: none. */
	int input;   /**< It ends when this does. */
	char project[PATH_MAX];
};

/**
 * Begin.
 *
 * @param pt Path of the program.
 * @param project Of the step.
 * @param node Its name, in Slurm and in the service.
 * @param address As of `pt --server`; NULL: where a service usually is.
 */
bool hdslurmServiceStart(struct hdslurmService *service, const char *pt,
			 const char *project, const char *node,
			 const char *address);

/** End; whether there is a file now. */
bool hdslurmServiceEnd(struct hdslurmService *service, const char *project,
		       const char *node);

#endif
