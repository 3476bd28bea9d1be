/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Recording from a power service while a command runs.
 *
 * Whatever happens to the service, the command does not notice.
 */
#ifndef PT_DURING_H
#define PT_DURING_H

#include "PowerTracingLibrary/client/core/own.h"
#include "PowerTracingLibrary/client/core/powersum.h"
#include "PowerTracingLibrary/pt/client/where.h"
#include "cli/command.h"

struct during {
	struct ptOwn *own; /**< This machine's meters, instead of a service. */
	struct ptRecorderSetup setup;
	const struct ptRecorderCalls *calls; /**< In the recorder's thread. */
	void *context;
	struct cliWait wait;
	struct ptPowerSum *sum; /**< Gets the begin and the end; or NULL. */
	/* What came of it. */
	int64_t fromNs, toNs; /**< Our clock. */
	uint64_t reconnects;
	gboolean hasRun; /**< Whether anything was waited for. */
};

/**
 * Record until the command ends, or what else is waited for.
 *
 * @param[out] recorder What has recorded, to be freed; NULL if nothing was, or
 * by this machine's meters.
 *
 * @return Exit status: that of the command, or one of command.h.
 */
int duringRun(struct during *during, struct ptRecorder **recorder);

/**
 * Take what follows the options as the command, and check that there is only
 * one thing to wait for.
 *
 * @param hasDuration Whether a duration was given.
 * @param hasPid Whether the number of a process was given.
 *
 * @return A message, or NULL.
 */
const char *duringCheck(struct cliWait *wait, int argc, char **argv,
			gboolean hasDuration, gboolean hasPid);

#endif
