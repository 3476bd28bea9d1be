/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace power-model: the power of nodes as a function of their utilization,
 * fitted to runs in which both were recorded.
 *
 * A run is one node of one project. Its power and loads are divided into
 * windows, as long as an entry of the slowest of them. Least squares over all
 * windows give the power without load and, for each component, the slopes of a
 * continuous, piecewise linear function.
 */
#ifndef HD_POWERMODEL_POWERMODEL_H
#define HD_POWERMODEL_POWERMODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "common/powermodel/powermodel.h"

/** Components, as hdload names them, and "cpu" for any use of CPUs. */
enum modelPart {
	MODEL_CPU,
	MODEL_CPU_INT,
	MODEL_CPU_FLOAT,
	MODEL_CPU_VECTOR,
	MODEL_BANDWIDTH,
	MODEL_MEMORY,
	MODEL_NETWORK,
	MODEL_READ,
	MODEL_WRITE,
	MODEL_SYNC,
	MODEL_PARTS,
};

/** Names of components. */
extern const char *const modelPartNames[MODEL_PARTS];

/** Interior knots of a component at most. */
#define MODEL_KNOTS_MAX 2

/** A value over an interval, as recorded. */
struct modelStep {
	int64_t start;
	int64_t end;
	double value;
};

/** A window: power, and the mean load of each component in percent. */
struct modelWindow {
	int64_t start; /**< Of the load. */
	int64_t end;
	double power;
	double load[MODEL_PARTS];
	double clock; /**< In MHz; NaN: unknown. */
	bool isSteady;
};

/** Origin of the delay of a meter. */
enum modelDelay {
	MODEL_DELAY_NONE,     /**< None was found, or it was not searched. */
	MODEL_DELAY_RECORDED, /**< The file states it. */
	MODEL_DELAY_FOUND,
};

/** A node of a project. */
struct modelRun {
	char *project;
	char *node;
	size_t number;              /**< Of the project. */
	GArray *power;              /**< struct modelStep, in W */
	GArray *loads[MODEL_PARTS]; /**< NULL: not recorded; else in percent or,
				       of rates, per s. */
	GArray *clock;              /**< In MHz; NULL: not recorded. */
	enum modelDelay delaySource;
	int64_t delayNs; /**< By which power is later than its load. */
	bool hasDrift;   /**< A trend over time is taken out. */
	struct modelWindow *windows;
	size_t count;
	/* Results: */
	double bias;    /**< Mean residual, in W. */
	double error;   /**< Cross-validated, root mean square. */
	double percent; /**< Cross-validated, mean absolute, in percent. */
	double linear;  /**< The same error of power = a + b cpu. */
};

/** What became of a component. */
enum modelVerdict {
	MODEL_ABSENT,  /**< Not recorded. */
	MODEL_UNUSED,  /**< Its load is too small. */
	MODEL_REFUSED, /**< The data cannot tell it apart. */
	MODEL_FITTED,
};

/** Components that are not told apart. */
struct modelRefusal {
	bool parts[MODEL_PARTS];
	bool isConstant; /**< One component whose load does not change. */
	char *command;   /**< Runs of hdload that would tell them apart. */
};

/** A component of the fit. */
struct modelShape {
	enum modelVerdict verdict;
	double max; /**< The rate that is 100 %; 0: it is no rate. */
	size_t knotCount;
	double knots[MODEL_KNOTS_MAX];
	double slopes[MODEL_KNOTS_MAX + 1];
	bool isHidden; /**< Fitted, but stands for refused components, too. */
};

/** All data, and the fit. */
struct modelFit {
	struct tool *tool;
	GPtrArray *runs; /**< struct modelRun */
	size_t projects;
	struct modelShape shapes[MODEL_PARTS];
	GArray *refused; /**< struct modelRefusal */
	double clockMhz; /**< Reference clock; 0: the model has none. */
	double clockExponent;
	bool isPowerOnly;  /**< Runs without any load count, too. */
	bool isSteadyOnly; /**< Only windows of constant load count. */
	size_t windows;    /**< Those that count. */
	struct hdPowerModel model;
	/* Cross-validation over all runs, weighted by windows: */
	bool isByProject; /**< Otherwise by parts of the time. */
	size_t folds;
	double error;
	double percent;
	double linear;
};

/** Free a run. */
void modelRunFree(void *run);

/**
 * Read power and loads of each chosen node of a project.
 *
 * @param isAsRecorded Whether delays stay.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int modelRead(struct modelFit *fit, const struct scan *scan, bool isAsRecorded);

/** Divide a run into windows; the loads of rates become percent. */
void modelRunDivide(const struct modelFit *fit, struct modelRun *run);

/** Find the delay of the meter of a run, if the file does not state it. */
void modelFindDelay(const struct modelFit *fit, struct modelRun *run);

/** Get the mean of min(max(value, low), high) \- low over a window; INFINITY is
 *  no limit. @p known gets the known part of the time. */
double modelMean(const GArray *steps, int64_t start, int64_t end, double low,
		 double high, double *known);

/** Decide which components are fitted and which are refused. */
void modelJudge(struct modelFit *fit);

/** Whether any component is fitted. */
bool modelHasParts(const struct modelFit *fit);

/** Leave out components, but for CPUs, without which runs that were not fitted
 *  are predicted as well. */
void modelSelect(struct modelFit *fit);

/** Fit the model to all runs; false: the windows are too few. */
bool modelFitAll(struct modelFit *fit);

/** Predict runs that were not fitted. */
void modelValidate(struct modelFit *fit);

/** Get the power of a window by the written model, without trends. */
double modelPredict(const struct modelFit *fit, const struct modelRun *run,
		    const struct modelWindow *window);

/** Print the model in the format of the tool. */
void modelPrint(const struct modelFit *fit, const char *path);

/** Write all residuals as CSV; 0 or a negative errno. */
int modelWriteResiduals(const struct modelFit *fit, const char *path);

#endif
