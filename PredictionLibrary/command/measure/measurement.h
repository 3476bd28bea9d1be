/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict measure: a running measurement.
 */
#ifndef HD_MEASUREMENT_H
#define HD_MEASUREMENT_H

#include <glib.h>
#include <hdPredict.h>
#include <hdTrace.h>

#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/measure/plan.h"

struct measure {
	struct predict *predict;
	char *directory;     /**< Where it is measured into. */
	char *configuration; /**< pt.cfg */
	char *architecture;
	char *kernels; /**< Directories of shared objects. */
	char *platformPath;
	char *threadList; /**< Numbers of PEs, with commas between; NULL. */
	GArray *threads;  /**< The same as uint32_t. */
	int batches;
	int pes;
	double batchSeconds; /**< 0: by the meter. */
	double pauseSeconds;
	double stillSeconds; /**< 0: by whether there are temperatures. */
	gboolean isPlan;
	gboolean isSteady;
	gboolean isAlone; /**< No loads. */
	gboolean hasFiles;
	gboolean isQuiet;

	hdPGraph *graph;
	hdPPlatform *platform;
	struct plan plan;
	struct hdKernelSet *set;
	int *cpus;
	struct measureCalls **calls; /**< Of each PE. */
	struct hdLoadRecord *record;
	hdTrace *const *traces;
	const char *project; /**< That these are of. */
	double left;         /**< Seconds that are planned. */
	double done;         /**< Seconds of the batches that are done. */
};

struct planRow *measureRowAt(const struct measure *self, guint i);

/** One batch takes so long, with what is before it. */
double measureBatchTime(const struct measure *self, const struct planRow *row);

struct planRow *measureFileAt(const struct measure *self, guint i);

double measureTimeOf(const struct measure *self);

void measureFormatTime(double seconds, char *text, size_t size);

int measureAddPairs(struct measure *self);

int measurePrintPlan(struct measure *self);

#endif
