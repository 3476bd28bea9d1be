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
	json_t *tasks;
	json_t *executions;  /**< Since 1.5; or NULL. */
	GHashTable *byId;    /**< Executions, by task. */
	GHashTable *byOther; /**< Tasks by their other name: id or name. */
	GHashTable *files;   /**< struct file, by name. */
	GArray *orders;      /**< struct order */
	GHashTable *byPair;  /**< Their numbers + 1, by pair of tasks. */
	bool hasTimes;
	uint64_t manyCores;
	uint64_t unwritten, differing; /**< Files. */
	double unwrittenBytes;
};

/** Report an error at tasks[TASK].KEY[ITEM]; KEY may be NULL, and ITEM -1.
 *  Returns -EINVAL. */
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

/** Free a file. */
void wfformatFreeFile(void *file);

/** Since 1.5: read all files with their sizes. 0 or -EINVAL. */
int wfformatFiles(struct wfformat *self, json_t *files);

/** Before 1.5: find sizes of all files in those of tasks. 0 or -EINVAL. */
int wfformatSizes(struct wfformat *self);

/** Add data sets, and link tasks that need them. 0 or -EINVAL. */
int wfformatData(struct wfformat *self);

#endif
