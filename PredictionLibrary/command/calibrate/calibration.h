/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict calibrate: a model of messages for SMPI, of what was measured.
 *
 * The method is that of SMPI's authors (Bedaride et al., Toward better
 * simulation of MPI applications on Ethernet/TCP networks, PMBS 2013; Degomme
 * et al., IEEE TPDS 28(8), 2017): overheads of sender and receiver are measured
 * with a receiver that is late, and the network is what a ping-pong takes
 * besides; all are linear in segments of the size.
 */
#ifndef HD_CALIBRATION_H
#define HD_CALIBRATION_H

#include "PredictionLibrary/command/calibrate/fit.h"
#include "PredictionLibrary/command/calibrate/machinexml.h"
#include "PredictionLibrary/command/calibrate/samples.h"

/** SimGrid adds this to the size of each message. */
#define CALIBRATION_HEADER 16

/** The model. */
struct calibration {
	/** Smaller messages are sent without their receiver; 0: none. */
	double eager;
	/** Overheads by size: struct fitSegment. */
	GArray *send;
	GArray *isend;
	GArray *receive;
	/** Time on the network by size with the header. */
	GArray *transfer;
	double latency;
	double bandwidth;
	bool isShared; /**< By messages in both directions. */
};

/** Make the model, of messages in a host or between hosts. @return false:
 *  samples are missing. */
bool calibrationMake(struct calibration *self, const GPtrArray *samples,
		     bool isBetween);

/** Make a model of the network alone, of ping-pongs, with one segment; also if
 *  it returns false, there is something to free. */
bool calibrationMakeLine(struct calibration *self, const GPtrArray *samples);

/** Free what it has. */
void calibrationClear(struct calibration *self);

/** Put it into a platform, for messages in a host or between hosts. */
void calibrationPut(const struct calibration *self, struct machineXml *machine,
		    bool isBetween);

#endif
