/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a recorder is, and the frames of its stream.
 */
#ifndef PT_RECORDING_H
#define PT_RECORDING_H

#include <pthread.h>

#include "PowerTracingLibrary/client/core/recorder.h"
#include "common/backoff.h"

/** What is known of a group at the moment. */
struct ptRecordingState {
	bool isUp;     /**< Its device is there. */
	int64_t endNs; /**< End of its last reading. */
};

/** A group as the server of now has it. */
struct ptRecordingGroup {
	size_t group;   /**< Which one it is; SIZE_MAX for none. */
	size_t *column; /**< Which column each is; SIZE_MAX for none. */
	size_t count;
};

struct ptRecorder {
	const struct ptRecorderSetup *setup;
	const struct ptRecorderCalls *calls;
	void *context;
	/* What was opened first. */
	struct ptRecorderGroup *groups;
	struct ptRecordingState *states;
	size_t groupCount;
	double *values; /**< Of a reading. */
	bool isOpened;
	bool hasFailed; /**< opened() has said so. */
	/* The connection; NULL while it is lost. */
	struct ptRemote *remote;
	uint32_t stream;
	bool isStarted;
	struct ptRecordingGroup *served;
	size_t servedCount;
	int64_t pingNs, lostNs;
	struct hdBackoff backoff;
	uint64_t reconnects;
	GArray *moments; /**< struct ptRemoteMoment */
	/* The thread. */
	pthread_t thread;
	bool isRunning;
	bool isEnding; /**< Atomic. */
	int wakeFd;
	int64_t untilNs; /**< Set before isEnding. */
	int64_t lastNs;  /**< When to end at the latest; 0 for not. */
};

/** Open the stream: the first time this says what there is. */
int ptRecordingOpen(struct ptRecorder *recorder);

/** Let it begin. */
int ptRecordingStart(struct ptRecorder *recorder);

/** Take a frame; errors as of ptRemoteReceive(). */
int ptRecordingTake(struct ptRecorder *recorder,
		    const struct ptRemoteFrame *frame);

/** Tell that something is missing in a group. */
void ptRecordingGap(struct ptRecorder *recorder, size_t group);

/** End it and take what is left; says if that fails. */
void ptRecordingStop(struct ptRecorder *recorder);

/** Free what was opened. */
void ptRecordingClear(struct ptRecorder *recorder);

#endif
