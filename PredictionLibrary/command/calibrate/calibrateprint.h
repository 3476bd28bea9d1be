/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Output of hdpredict calibrate.
 */
#ifndef HD_CALIBRATE_PRINT_H
#define HD_CALIBRATE_PRINT_H

#include "PredictionLibrary/command/calibrate/calibration.h"

/** What came of a calibration. */
struct calibrateResult {
	struct calibration model;
	struct machineXml machine;
	GPtrArray *measured;  /**< struct samplesGroup * */
	GPtrArray *replayed;  /**< The same of the replay; NULL: none. */
	const char *selector; /**< Algorithms of collective calls; NULL: no
				   replay. */
	char *failure;        /**< Why there is no replay. */
};

/** Print it. */
void calibratePrintText(const struct calibrateResult *result,
			const char *output);
void calibratePrintJson(const struct calibrateResult *result);

#endif
