/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The account of a step: a file beside the project, PROJECT.slurm, in which
 * each node writes a line when its files are complete.
 *
 * srun makes it before anything else, so that no two steps have a name, and
 * removes it once the project is merged. Nodes lock it: the one that writes the
 * last line knows that it is the last.
 */
#ifndef HD_SLURM_ACCOUNT_H
#define HD_SLURM_ACCOUNT_H

#include <limits.h>
#include <stdbool.h>

/** Bytes of a node's name. */
#define HDSLURM_NODE_MAX 128
/** Of what a node says is missing. */
#define HDSLURM_TEXT_MAX 256
/** Of the inputs that make up its energy. */
#define HDSLURM_INPUTS_MAX 512
/** What they are made of. */
#define HDSLURM_INPUTS_BYTES \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_,;-"

/** What a node says. Times are seconds since the epoch. */
struct hdslurmNode {
	char name[HDSLURM_NODE_MAX];
	unsigned int job; /**< Parts of a heterogeneous job have one each. */
	double fromS;
	double toS;
	double joules; /**< Of the whole node; 0 where nothing is known. */
	double knownS; /**< For so long they are known. */
	bool isSimulated;
	/** Which inputs count, and which do not: "P_a,P_b;P_c", "-" for none.
	 */
	char inputs[HDSLURM_INPUTS_MAX];
	char text[HDSLURM_TEXT_MAX]; /**< What is not recorded, or empty. */
};

/** What all nodes of a job's step say together. */
struct hdslurmTotal {
	unsigned int nodes;
	double fromS;
	double toS;
	double joules;
	double knownS;    /**< Mean of the nodes. */
	double durationS; /**< The same. */
	bool isSimulated;
	/** As of a node; "various" if those of nodes with energy differ. */
	char inputs[HDSLURM_INPUTS_MAX];
};

/** Make the path of the account of a project; whether there is room. */
bool hdslurmAccountPath(const char *project, char *path);

/**
 * Make the account.
 *
 * @retval -EEXIST There is one. (Or another negative errno value.)
 */
int hdslurmAccountCreate(const char *path);

/**
 * Add a line.
 *
 * @param nodes How many nodes its job's step has.
 * @param[out] total Of those of its job.
 *
 * @retval 1 It was the last of them.
 * @return 0, or a negative errno value.
 */
int hdslurmAccountAdd(const char *path, const struct hdslurmNode *node,
		      unsigned int nodes, struct hdslurmTotal *total);

/**
 * Read it.
 *
 * @param take Is given each line.
 *
 * @return How many lines, or a negative errno value.
 */
int hdslurmAccountRead(const char *path,
		       void (*take)(void *context,
				    const struct hdslurmNode *node),
		       void *context);

#endif
