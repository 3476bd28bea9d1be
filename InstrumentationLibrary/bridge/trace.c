/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes in traces: when something is written, and where. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdError.h>
#include <hdProbeTrace.h>

#include "InstrumentationLibrary/bridge/aggregates.h"
#include "InstrumentationLibrary/bridge/states.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/format/level.h"
#include "common/format/projectname.h"
#include "common/log.h"
#include "common/sampler.h"
#include "recording/record.h"

#define MS (HD_NS_PER_S / 1000)
#define INTERVAL_MS 100
/** An hour: more is a mistake. */
#define INTERVAL_MS_MAX 3600000

static struct hdLogger logger = { .prefix = "libhdProbeTrace" };

static struct {
	pthread_mutex_t lock;
	bool isRunning;
	bool isInherited; /**< From the parent: to be freed, without writing. */
	bool hasHandlers;
	hdTopology *topology; /**< Of our own, or NULL. */
	hdTopoNode *node;
	char host[HD_PROJECT_PATH_MAX];
	char process[64];
	struct hdProbeAggregates *aggregates;
	struct hdSampler *sampler;
	int error; /**< The first one of what could not be written. */
} bridge = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Where -----------------------------------------------------------------
 */

/** A topology of our own; 0, or an errno. */
static int makeTopology(void)
{
	const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_PROCESS,
				 HD_LEVEL_THREAD };
	const char *given = hdEnvironmentText("HDPROBE_TRACE_PROJECT");
	const char *prefix = hdEnvironmentText("HDTRACE_PREFIX");
	const char *overwrite =
		hdEnvironmentText("HDTRACE_OVERWRITE_EXISTING_FILES");
	char project[HD_PROJECT_PATH_MAX], path[HD_PROJECT_PATH_MAX];

	snprintf(project, sizeof(project), "%s",
		 given                           ? given
		 : program_invocation_short_name ? program_invocation_short_name
						 : "");
	if (!given)
		hdProjectMakePlain(project);
	else if (hdProjectPath(prefix, project, path, sizeof(path)))
		hdProjectMakeDirectories(path);
	if (!given && !(overwrite && strcmp(overwrite, "1") == 0) &&
	    !hdProjectFindFree(prefix, project, sizeof(project)))
		return HD_ERR_BUFFER_OVERFLOW;
	bridge.topology = hdT_createTopology(project, levels, 3);
	return bridge.topology ? 0 : errno;
}

static void makeLabels(void)
{
	const char *process = hdEnvironmentText("HDPROBE_TRACE_PROCESS");

	hdProjectHost(hdEnvironmentText("HDPROBE_TRACE_HOST"), bridge.host,
		      sizeof(bridge.host));
	if (process)
		snprintf(bridge.process, sizeof(bridge.process), "%s", process);
	else
		snprintf(bridge.process, sizeof(bridge.process), "%d",
			 (int)getpid());
	hdProjectMakePlain(bridge.process);
}

/** The program's options, and what the environment says instead. */
static int probeTraceResolveOptions(const struct hdProbeTraceOptions *given,
				    struct hdProbeTraceOptions *is)
{
	const char *path[] = { bridge.host, bridge.process };
	const char *text = hdEnvironmentText("HDPROBE_TRACE_INTERVAL");
	char *end = NULL;
	long ms = text ? strtol(text, &end, 10) : INTERVAL_MS;

	if (given)
		*is = *given;
	if (text && (*end || ms < 1 || ms > INTERVAL_MS_MAX)) {
		hdLogLoss(&logger,
			  "HDPROBE_TRACE_INTERVAL=%s: invalid number; expected "
			  "1 to %d; using %d ms",
			  text, INTERVAL_MS_MAX, INTERVAL_MS);
		ms = INTERVAL_MS;
	}
	if (is->interval == 0)
		is->interval = ms * MS;
	if (!is->states)
		is->states = hdEnvironmentText("HDPROBE_TRACE_STATES");
	if (!is->states)
		is->states = "";
	if (!is->topology) {
		int error = makeTopology();

		if (error)
			return error;
		makeLabels();
		is->topology = bridge.topology;
		is->path = path;
		is->pathLength = 2;
	}
	if (*is->states && !hdProbeStatesAreElsewhere() &&
	    hdT_getTopoDepth(is->topology) <= is->pathLength + 1)
		return EINVAL;
	bridge.node =
		hdT_createTopoNode(is->topology, is->path, is->pathLength);
	return bridge.node ? 0 : errno == HD_ERR_MALLOC ? ENOMEM : EINVAL;
}

/* ---- When ------------------------------------------------------------------
 */

/** The lock is held. */
static void writeNow(bool isLast)
{
	int error =
		hdProbeAggregatesWrite(bridge.aggregates, hdClockNow(), isLast);

	if (error && !bridge.error) {
		bridge.error = error;
		hdLogLoss(&logger, "the record of the probes is incomplete: %s",
			  hdRecordReason(error));
	}
}

static void beginInterval(void *context)
{
	(void)context;
}

static void sample(void *context, uint64_t number, bool isLast)
{
	(void)context;
	(void)number;
	/* Who stops writes the last entry. */
	if (isLast)
		return;
	pthread_mutex_lock(&bridge.lock);
	if (bridge.isRunning)
		writeNow(false);
	pthread_mutex_unlock(&bridge.lock);
}

static int probeTraceStartSampler(int64_t interval)
{
	static const struct hdSamplerCalls calls = { beginInterval, sample };
	int ret = interval < 0 ? 0
			       : hdSamplerCreate(interval, &calls, NULL,
						 &bridge.sampler);

	if (ret == 0 && bridge.sampler)
		hdSamplerStart(bridge.sampler);
	return -ret;
}

/* ---- Forks and ends --------------------------------------------------------
 */

static void probeTraceLock(void)
{
	pthread_mutex_lock(&bridge.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&bridge.lock);
}

static void probeTraceBeginChild(void)
{
	unlock();
	bridge.isInherited = bridge.isInherited || bridge.isRunning;
	bridge.isRunning = false;
	hdProbeStatesForget();
}

static void stopAtEnd(void)
{
	if (bridge.isRunning)
		hdProbe_traceStop();
}

static int setHandlers(void)
{
	int error;

	if (bridge.hasHandlers)
		return 0;
	error = pthread_atfork(probeTraceLock, unlock, probeTraceBeginChild);
	if (!error && atexit(stopAtEnd) != 0)
		error = ENOMEM;
	bridge.hasHandlers = !error;
	return error;
}

/** Free all; 0, or the error of what could not be written. */
static int probeTraceClear(void)
{
	int error = hdProbeAggregatesDestroy(bridge.aggregates);

	if (bridge.node)
		hdT_destroyTopoNode(bridge.node);
	if (bridge.topology)
		hdT_destroyTopology(bridge.topology);
	bridge.aggregates = NULL;
	bridge.node = NULL;
	bridge.topology = NULL;
	return error;
}

/* ---- Calls -----------------------------------------------------------------
 */

/** The lock is held. */
static int probeTraceStart(const struct hdProbeTraceOptions *given)
{
	struct hdProbeTraceOptions options = { 0 };
	int error;

	if (bridge.isRunning)
		return EBUSY;
	if (bridge.isInherited) {
		hdSamplerDestroy(bridge.sampler);
		bridge.sampler = NULL;
		probeTraceClear();
		bridge.isInherited = false;
	}
	bridge.error = 0;
	error = setHandlers();
	if (!error)
		error = probeTraceResolveOptions(given, &options);
	if (!error) {
		bridge.aggregates =
			hdProbeAggregatesCreate(bridge.node, hdClockNow());
		error = bridge.aggregates ? 0 : errno;
	}
	if (!error && *options.states)
		error = hdProbeStatesStart(options.topology, bridge.node,
					   options.states);
	if (!error)
		error = probeTraceStartSampler(options.interval);
	if (error) {
		hdProbeStatesStop();
		probeTraceClear();
	}
	bridge.isRunning = !error;
	return error;
}

int hdProbe_traceStart(const struct hdProbeTraceOptions *options)
{
	const char *asked = hdEnvironmentText("HDPROBE_TRACE");
	int before = errno, error;

	hdLogSetVerbosity(&logger, hdEnvironment("HDPROBE_TRACE_VERBOSITY"));
	if (asked && strcmp(asked, "off") == 0)
		return 1;
	probeTraceLock();
	error = probeTraceStart(options);
	unlock();
	errno = before;
	if (!error)
		return 0;
	if (error != EBUSY && !hdRecordIsSaid(error))
		hdLogLoss(&logger, "nothing is recorded: %s",
			  hdRecordReason(error));
	errno = error;
	return -1;
}

int hdProbe_traceWrite(void)
{
	int error = EINVAL, flushed;

	probeTraceLock();
	if (bridge.isRunning) {
		writeNow(false);
		flushed = hdProbeAggregatesFlush(bridge.aggregates);
		error = bridge.error ? bridge.error : flushed;
	}
	unlock();
	if (!error)
		return 0;
	errno = error;
	return -1;
}

int hdProbe_traceStop(void)
{
	struct hdSampler *sampler;
	int error = EINVAL, closed;

	probeTraceLock();
	if (bridge.isRunning) {
		closed = hdProbeStatesStop();
		writeNow(true);
		bridge.isRunning = false;
		error = probeTraceClear();
		error = bridge.error ? bridge.error : error ? error : closed;
	}
	sampler = bridge.sampler;
	bridge.sampler = NULL;
	unlock();
	/* Its thread may be waiting for the lock. */
	hdSamplerDestroy(sampler);
	if (!error)
		return 0;
	errno = error;
	return -1;
}
