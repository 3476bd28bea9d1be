/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is measured, and what was measured before: rows, each some batches.
 */
#ifndef HD_PREDICT_MEASURE_PLAN_H
#define HD_PREDICT_MEASURE_PLAN_H

#include <glib.h>

#include "PredictionLibrary/command/lines.h"
#include "PredictionLibrary/model/graph.h"

/** No load. */
#define ROW_ALONE UINT32_MAX

/** A kernel with variables, alone or with others beside it. */
struct planRow {
	uint32_t config;   /**< Of the graph. */
	uint32_t load;     /**< Configuration of what competes, or ROW_ALONE. */
	uint32_t count;    /**< PEs that run it. */
	uint32_t pes;      /**< PEs that run the kernel together. */
	char *key;         /**< What it is called, here and in the journal. */
	unsigned int done; /**< Batches that were measured. */
	double seconds;    /**< Mean of one run; 0: not known. */
};

/** The plan of a directory. */
struct plan {
	const hdPGraph *graph;
	GArray *rows;         /**< struct planRow */
	GArray *files;        /**< Likewise, of accesses to files. */
	GPtrArray *lines;     /**< Of the journal, as they were read. */
	struct lines journal; /**< All zero: nothing is measured. */
	size_t length;        /**< Of the journal, when it was opened. */
};

/**
 * Read what was measured already.
 *
 * @param path The journal; it need not be there.
 * @param options How it is measured, a line: a journal of others is wrong.
 * @param isWritten Lock it and open it for writing, too.
 * @return NULL, or what is wrong, to be freed.
 */
char *planOpen(struct plan *self, const hdPGraph *graph, const char *path,
	       const char *options, bool isWritten);
void planClose(struct plan *self);

/** Add a row for each kernel with values of its variables, in their order in
 *  the graph, alone: by so many PEs together. */
void planAddAlone(struct plan *self, uint32_t pes);

/** Add a row with a load. */
void planAddLoaded(struct plan *self, uint32_t config, uint32_t load,
		   uint32_t count);

/** Add a row for accesses to files, which have a name. */
void planAddFiles(struct plan *self, const char *name);

/** A batch was measured: it is written at once. 0 or negative errno. */
int planDone(struct plan *self, struct planRow *row, double seconds);

/** What was written since the plan was opened does not count: the power of it
 *  may not be there. 0 or negative errno. */
int planForget(struct plan *self);

/** A task with a configuration: the first one. */
uint32_t planTask(const hdPGraph *graph, uint32_t config);

#endif
