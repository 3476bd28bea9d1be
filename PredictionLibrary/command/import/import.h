/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Task graphs in the formats of other programs: what a reader of such a format
 * finds becomes a graph and the costs of its tasks.
 *
 * A reader adds tasks, data sets of tasks, and links: tasks that need a data
 * set. Tasks with the same kernel name and the same numbers of inputs and
 * outputs share a kernel; sizes and amounts are its variables.
 */
#ifndef HD_PREDICT_IMPORT_H
#define HD_PREDICT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/report.h"

/** Largest file that is read, in bytes; it takes up to 20 times that of memory.
 */
#define IMPORT_BYTES_MAX (INT64_C(1) << 28)

/** Largest data set, in bytes: a double holds each whole number up to it. */
#define IMPORT_SIZE_MAX 9007199254740992.0

/** A graph that is being read. */
struct import;

/** The contents of a file. */
struct imported {
	hdPGraph *graph;
	hdPResources *resources; /**< NULL: there are no times. */
	uint64_t withoutEnergy;  /**< Tasks. */
};

/** How amounts become costs. */
struct importCosts {
	const char *architecture;
	double speed; /**< Amount per second. */
};

/**
 * Begin a graph without tasks.
 *
 * @param amount Variable for the work of a task: "time_s" or "flops".
 */
struct import *importNew(const char *amount);

/** Free it. Takes NULL. */
void importFree(struct import *self);

/**
 * Add a task.
 *
 * @param id Its name; copied.
 * @param kernel Name of its kernel, of any characters; copied.
 * @param amount Its work; NaN: unknown, of all tasks or none.
 * @param energy In J; NaN: unknown.
 * @param[out] task Its number.
 *
 * @return NULL, or what is wrong with the name.
 */
const char *importTask(struct import *self, const char *id, const char *kernel,
		       double amount, double energy, uint32_t *task);

/** Find a task by name; false: there is none. */
bool importFind(const struct import *self, const char *id, uint32_t *task);

/** Name of a task. */
const char *importName(const struct import *self, uint32_t task);

/** Count tasks. */
uint32_t importCount(const struct import *self);

/** Add a data set of a task; returns its number among those of all. */
uint32_t importData(struct import *self, uint32_t task, double bytes);

/** Get the data set without bytes of a task, for those that only wait for it.
 */
uint32_t importSignal(struct import *self, uint32_t task);

/** Let a task need a data set. */
void importLink(struct import *self, uint32_t data, uint32_t task);

/**
 * Make the graph of what was added, and costs if amounts are known.
 *
 * @param[out] result To be freed by its owner.
 *
 * @return As hdP_finishGraph().
 */
int importFinish(struct import *self, const struct importCosts *costs,
		 struct hdPredictReport *report, struct imported *result);

/** Check a number: 0 or more, and finite. */
bool importIsAmount(double value);

/* ---- Formats ----------------------------------------------------------- */

/** Reads a format: what it finds is added, what is wrong is reported. 0,
 *  -EBADMSG: it is not this format; reported. -ENOTSUP: this build cannot
 *  read it. */
typedef int importReader(const char *text, size_t length, struct import *self,
			 struct hdPredictReport *report);

/** WfFormat of WfCommons: 1.4, 1.5 and 1.6. Amounts are times. */
importReader importWfformat;

/** DOT of Graphviz, with attributes as in SimGrid. Amounts are operations. */
importReader importDot;

#endif
