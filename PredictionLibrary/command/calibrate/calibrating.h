/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict calibrate: the command, and the processes that it starts.
 */
#ifndef HD_CALIBRATING_H
#define HD_CALIBRATING_H

#include "PredictionLibrary/command/calibrate/calibration.h"
#include "PredictionLibrary/command/hdpredict.h"

/** The directory of a calibration. */
struct calibrateRun {
	const struct predict *predict;
	char *place;
	bool isKept;
	double max; /**< Largest message in bytes. */
	int sizes;
	int rounds;
};

/** Make the directory: a temporary one, or the one that is kept. From now on
 *  signals end what is started here. @return Exit status. */
int calibrateRunBegin(struct calibrateRun *self, const char *keep);

/** Remove it unless it is kept; a signal that came before ends the process. */
void calibrateRunEnd(struct calibrateRun *self);

/** Name of a file in it, to be freed. */
char *calibrateRunFile(const struct calibrateRun *self, const char *name);

/** Run hdcalibrate under hdmpirun; @p launcher is what starts ranks. The
 *  project is "run". @return Exit status. */
int calibrateRunProgram(struct calibrateRun *self, char *const *launcher);

/** Replay the run on the platform "platform.xml"; the project is NAME.
 *  @param selector Algorithms of collective calls. @return Whether it was. */
bool calibrateRunReplay(struct calibrateRun *self, const char *selector,
			const char *name);

/** Why the last replay failed, to be freed. */
char *calibrateRunFailure(const struct calibrateRun *self);

#endif
