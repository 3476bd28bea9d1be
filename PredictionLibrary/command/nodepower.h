/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of hosts from a model of hdtrace power-model.
 */
#ifndef HD_PREDICT_NODE_POWER_H
#define HD_PREDICT_NODE_POWER_H

#include "PredictionLibrary/command/hdpredict.h"
#include "common/powermodel/powermodel.h"

/** Read a model. @return Exit status. */
int nodePowerRead(struct predict *predict, const char *path,
		  struct hdPowerModel *model);

/** Power if all components are busy. Kinds of CPU load exclude each other, so
 *  that one of them counts. */
double nodePowerPeak(const struct hdPowerModel *model);

/**
 * Power if only CPUs are busy.
 *
 * @param load From 0 to 1.
 * @param clock Factor of the clock for which the model holds.
 */
double nodePowerCpu(const struct hdPowerModel *model, double load,
		    double clock);

#endif
