/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict compare: a predicted project against runs that were measured, as
 * data; printed as text and JSON.
 *
 * What states cost in energy is what hdtrace compare finds of them; what is
 * known of projects of tasks alone is found here: tasks by their ids, PEs,
 * links, and the energy of nodes from the first task to the last.
 */
#ifndef HD_PREDICT_TRIAL_H
#define HD_PREDICT_TRIAL_H

#include <stdbool.h>
#include <glib.h>

#include "HDTraceTools/compare/core/compare.h"
#include "PredictionLibrary/command/hdpredict.h"

/** What is compared of whole runs. */
enum trialMeasure { TRIAL_TIME, TRIAL_DYNAMIC, TRIAL_TOTAL, TRIAL_MEASURES };

/** What rows are of. */
enum trialKind { TRIAL_KERNEL, TRIAL_PE, TRIAL_NODE, TRIAL_LINK, TRIAL_KINDS };

/** What a kernel, PE, node or link did in a run; NaN: not known. */
struct trialUse {
	bool isThere;
	double count; /**< Tasks, or messages. */
	double busy;  /**< s. */
	double waiting;
	double bytes;
	double energy; /**< J. */
	double dynamic;
	/** Of nodes: bytes of data sets, and messages to be sent. */
	double memoryPeak, memoryMean, pendingMost, pendingMean;
};

/** The same in all runs, the predicted one first. */
struct trialRow {
	enum trialKind kind;
	char *name;
	struct trialUse *uses;
};

/** A task in all runs. */
struct trialTask {
	char *id, *kernel;
	double *durations; /**< NaN: it is not there. */
	double measured;   /**< Median of those that are. */
};

/** A run. */
struct trialRun {
	const char *path;
	int64_t start, end; /**< Of its tasks, and what they await. */
	double values[TRIAL_MEASURES]; /**< NaN: not known. */
	double idle;                   /**< Power of all nodes; likewise. */
	double known; /**< Of its time, how much of the power is known, in s. */
	double pes;   /**< That ran tasks. */
	double busy;  /**< Of these together. */
	double transfers; /**< That they waited for data of other nodes. */
	/** Where samples lie; NaN: there are none. */
	double low[TRIAL_MEASURES], high[TRIAL_MEASURES];
};

/** Where a difference comes from. */
struct trialCause {
	const char *name;
	const char *key; /**< Of its difference in JSON. */
	const char *title;
	double difference; /**< Predicted minus measured; NaN: not known. */
};

/** Causes of time, and then of energy. */
#define TRIAL_CAUSES 3

/** A measure of all runs. */
struct trialResult {
	double predicted, measured; /**< The latter: median; NaN: not known. */
	double error;               /**< Of the prediction, as a part. */
	double spread; /**< Standard deviation of the runs, as a part. */
	double least, most;
	int inside;   /**< Runs in the interval; -1: there is none. */
	size_t known; /**< Runs of which one knows. */
	bool isInside;
};

struct trial {
	struct predict *predict;
	struct tool tool;
	struct compare compare;
	size_t count; /**< Runs; the first one is predicted. */
	struct trialRun *runs;
	GPtrArray *rows;    /**< struct trialRow */
	GHashTable *places; /**< Their kinds and names to them. */
	GPtrArray *tasks;   /**< struct trialTask */
	GHashTable *taskById;
	struct trialResult results[TRIAL_MEASURES];
	struct trialCause causes[2][TRIAL_CAUSES];
	double idle; /**< Power of a node, as given; NaN: not given. */
	gboolean isAsRecorded;
	int top;
};

/** Keys of the measures in JSON. */
extern const char *const trialMeasureKeys[TRIAL_MEASURES];

/** Read a run, by its number; false after an error, which was said. */
bool trialRead(struct trial *self, size_t run);

/** The row of a kind and name; a new one if there is none. */
struct trialUse *trialUseOf(struct trial *self, enum trialKind kind,
			    const char *name, size_t run);

/** All runs were read: find out what differs, and why. */
void trialJudge(struct trial *self);

/** Median of what runs that are measured have; NaN: nothing is known.
 *  @param value Of a run, by its number. */
double trialMedian(const struct trial *self,
		   double (*value)(const void *of, size_t run), const void *of);

/** (predicted - measured) / measured; NaN: not known. */
double trialError(double predicted, double measured);

/** A value of a row, by its place in struct trialUse: predicted, and the median
 *  of the others. */
void trialPair(const struct trial *self, const struct trialRow *row,
	       size_t place, double pair[2]);

/** Tasks that are in the prediction only, and in no prediction. */
void trialUnmatched(const struct trial *self, size_t *predicted,
		    size_t *measured);

void trialText(const struct trial *self);
void trialJson(const struct trial *self);

#endif
