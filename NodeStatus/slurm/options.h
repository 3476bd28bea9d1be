/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a user of Slurm asks for by --hdtrace[=...], what the administrator says
 * in plugstack.conf, and the one variable in which srun tells the nodes.
 *
 * Nonsense never keeps a job from running: what is wrong is said, and counts as
 * not given.
 */
#ifndef HD_SLURM_OPTIONS_H
#define HD_SLURM_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** The option's name. */
#define HDSLURM_OPTION "hdtrace"

/** What srun has decided, for the nodes. Even srun --export=NONE passes on what
 *  begins with SLURM_. */
#define HDSLURM_VARIABLE "SLURM_HDTRACE"

/** Bytes of a project's name; there must be room for labels and numbers. */
#define HDSLURM_NAME_MAX 128

/** Of a word. */
#define HDSLURM_WORD_MAX 16

/** What is asked for. */
struct hdslurmOptions {
	char project[HDSLURM_NAME_MAX]; /**< Empty: a name is made. */
	char directory[PATH_MAX];       /**< Empty: where srun runs. */
	unsigned int intervalMs;        /**< 0: not given. */
	char mpi[HDSLURM_WORD_MAX];     /**< "auto", "none" or a library. */
};

/** What plugstack.conf says behind the plugin's name. */
struct hdslurmSite {
	char power[PATH_MAX];    /**< A pt.cfg, a device, "auto" or "none". */
	char from[PATH_MAX];     /**< All that is run and loaded; or empty. */
	unsigned int intervalMs; /**< Where the user gives none. */
};

/** What a node is told. */
struct hdslurmOrder {
	char path[PATH_MAX]; /**< Of the project, without ending. */
	unsigned int intervalMs;
	char mpi[HDSLURM_WORD_MAX];
};

/** Is told what is wrong, in a few words. */
typedef void hdslurmReport(const char *what);

/**
 * Read the option's argument: KEY=VALUE with commas between.
 *
 * @param text May be NULL or empty.
 * @param options Everything is set.
 */
void hdslurmOptionsParse(const char *text, struct hdslurmOptions *options,
			 hdslurmReport *report);

/** Read what is in plugstack.conf: KEY=VALUE each. */
void hdslurmSiteParse(int count, char **words, struct hdslurmSite *site,
		      hdslurmReport *report);

/** Write an order as a text; whether there is room. */
bool hdslurmOrderFormat(const struct hdslurmOrder *order, char *text,
			size_t size);

/** Read it; false if it is none. */
bool hdslurmOrderParse(const char *text, struct hdslurmOrder *order);

/**
 * Replace %n by the name of a node, and %% by %.
 *
 * @return Whether there is room.
 */
bool hdslurmExpand(const char *text, const char *node, char *result,
		   size_t size);

#endif
