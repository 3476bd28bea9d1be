/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading WfFormat: what wfformat.c, for tasks, and wfformatfiles.c share.
 */
#ifndef HD_PREDICT_WFFORMAT_H
#define HD_PREDICT_WFFORMAT_H

#include <jansson.h>

#include "PredictionLibrary/command/import/import.h"

/** That a task comes before another one. */
struct order {
	uint32_t before, after;
	bool hasFile;
};

/** A workflow that is read. */
struct wfformat {
	struct import *import;
	struct hdPredictReport *report;
	bool isOld;        /**< Before 1.5. */
	const char *place; /**< Of tasks, in messages. */
	const char *part;  /**< Of a task, in messages; or NULL. */
	json_t *tasks;
	json_t *executions;  /**< Since 1.5; or NULL. */
	GHashTable *byId;    /**< Numbers of executions + 1, by task. */
	GHashTable *byOther; /**< Tasks by their other name: id or name;
			      *   HD_PREDICT_NONE: several have it. */
	GHashTable *files;   /**< struct file, by name. */
	GArray *orders;      /**< struct order */
	GHashTable *byPair;  /**< Their numbers + 1, by pair of tasks. */
	struct lineage *lineage;
	GArray *found; /**< uint32_t: writers of a file. */
	bool hasTimes;
	uint64_t manyCores;
	uint64_t unwritten, differing; /**< Files. */
	double unwrittenBytes;
};

/** Report an error at tasks[TASK].PART.KEY[ITEM]; PART and KEY may be NULL, and
 *  ITEM -1. Returns -EINVAL. */
int wfformatFail(struct wfformat *self, size_t task, const char *key,
		 int64_t item, const char *format, ...) G_GNUC_PRINTF(5, 6);

/** A text of a task; NULL: there is none, or it is reported. */
const char *wfformatText(struct wfformat *self, size_t task, json_t *object,
			 const char *key);

/** A number of a task of 0 or more; NaN: there is none, or it is reported. */
double wfformatNumber(struct wfformat *self, size_t task, json_t *object,
		      const char *key);

/** A list of a task; NULL: there is none, or it is reported. */
json_t *wfformatList(struct wfformat *self, size_t task, json_t *object,
		     const char *key);

/** That one task comes before another one; NULL: it is not said. */
struct order *wfformatFindOrder(const struct wfformat *self, uint32_t before,
				uint32_t after);

/** Prepare to find which tasks come before others, directly or not: 0, -ELOOP
 *  for a cycle, or -ENOMEM. */
int wfformatMakeLineage(struct wfformat *self);

/** Free it. Takes NULL. */
void wfformatFreeLineage(struct lineage *self);

/** Whether more may be searched: hostile files would take hours. */
bool wfformatHasSteps(const struct wfformat *self);

/** Count further steps. */
void wfformatCountSteps(struct wfformat *self, uint64_t steps);

/** How many tasks come before a task in a row, at the most. */
uint32_t wfformatLevel(const struct wfformat *self, uint32_t task);

/** Find all tasks up to a level that come after a task, directly or not. */
void wfformatFindNext(struct wfformat *self, uint32_t task, uint32_t level);

/** Whether wfformatFindNext() has found a task. */
bool wfformatIsFound(const struct wfformat *self, uint32_t task);

/**
 * Find the last writers before a task.
 *
 * @param writers Keys are their numbers.
 * @param[out] found uint32_t: those that come before the task, directly or not,
 *             and before none of the others that do.
 */
void wfformatFindLast(struct wfformat *self, uint32_t task, GHashTable *writers,
		      GArray *found);

/** Free a file. */
void wfformatFreeFile(void *file);

/** Since 1.5: read all files with their sizes. 0 or -EINVAL. */
int wfformatFiles(struct wfformat *self, json_t *files);

/** Before 1.5: find sizes of all files in those of tasks. 0 or -EINVAL. */
int wfformatSizes(struct wfformat *self);

/** Add data sets, and link tasks that need them. 0 or -EINVAL. */
int wfformatData(struct wfformat *self);

#endif
