/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions; see PT.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/runner.h"
#include "PowerTracingLibrary/src/meter/writer.h"
#include "PowerTracingLibrary/src/trace.h"
#include "common/environment.h"

struct powertrace_s {
	struct ptConfig config;
	struct ptRunner runner;
	struct ptWriter *writer;
	pid_t owner; /* The process that has the thread. */
};

static int traceCreateWriter(PowerTrace *trace, hdTopology *topology)
{
	int ret = ptWriterCreate(&trace->config,
				 &trace->runner.meter.device.found, topology,
				 &trace->writer);

	if (ret == 0)
		ptMeterAddSink(&trace->runner.meter,
			       ptWriterSink(trace->writer));
	return ret;
}

int ptTraceCreate(struct ptConfig *config, hdTopology *topology,
		  const char *root, PowerTrace **result)
{
	PowerTrace *trace;
	int ret, saved;

	if (!ptConfigIsHere(config->host)) {
		ptMessage(
			HD_LOG_ERROR,
			"port: the device is connected to %s, not to this host",
			config->host);
		return PT_EWRONGHOST;
	}
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return PT_EMEMORY;
	trace->config = *config;
	trace->owner = getpid();
	ret = ptRunnerInit(&trace->runner, &trace->config, root);
	if (ret < 0) {
		free(trace);
		return ret;
	}
	ret = ptMeterOpen(&trace->runner.meter);
	if (ret == 0)
		ret = traceCreateWriter(trace, topology);
	if (ret == 0)
		ret = ptRunnerBegin(&trace->runner);
	if (ret == 0) {
		*config = (struct ptConfig){ 0 };
		*result = trace;
		return 0;
	}
	saved = errno;
	ptRunnerEnd(&trace->runner, NULL);
	ptWriterDestroy(trace->writer);
	free(trace);
	errno = saved;
	return ret;
}

const struct ptConfig *ptTraceConfig(const PowerTrace *trace)
{
	return &trace->config;
}

void ptTraceCounts(PowerTrace *trace, struct ptCounts *counts)
{
	ptRunnerGetCounts(&trace->runner, counts);
}

struct ptResult ptTraceResult(PowerTrace *trace, size_t column)
{
	return ptWriterResult(trace->writer, column);
}

int pt_createTrace(const char *configfile, hdTopology *topology,
		   PowerTrace **trace)
{
	struct ptRequest request = {
		.file = configfile,
		.drivers = ptDrivers,
		.root = "",
		.depth = topology ? hdT_getTopoDepth(topology) - 1 : -1,
	};
	struct ptConfig config;
	int saved = errno, ret;

	hdLogSetVerbosity(&ptLogger, hdEnvironment("PT_VERBOSITY"));
	if (!configfile || !trace) {
		ptMessage(HD_LOG_ERROR, "pt_createTrace: invalid argument");
		return PT_ESYNTAX;
	}
	ret = ptConfigRead(&request, &config);
	if (ret < 0)
		return ret;
	ret = ptTraceCreate(&config, topology, request.root, trace);
	ptConfigClear(&config);
	if (ret == PT_SUCCESS)
		errno = saved;
	return ret;
}

char *pt_getHostname(PowerTrace *trace)
{
	return trace ? trace->config.host : NULL;
}

static int traceSet(PowerTrace *trace, bool isStarted)
{
	if (!trace || trace->owner != getpid())
		return 2;
	return ptRunnerSet(&trace->runner, isStarted);
}

int pt_startTracing(PowerTrace *trace)
{
	return traceSet(trace, true);
}

int pt_stopTracing(PowerTrace *trace)
{
	return traceSet(trace, false);
}

/* End the thread, close the device, and say what happened. */
static int meterTraceEnd(PowerTrace *trace)
{
	struct ptCounts counts;
	bool isOpen = ptRunnerEnd(&trace->runner, &counts);

	ptMessage(HD_LOG_INFO,
		  "%s: %llu readings, %llu cycles lost, %llu errors, %llu "
		  "reconnects, %llu late, %llu times set back",
		  trace->config.driver->name,
		  (unsigned long long)counts.readings,
		  (unsigned long long)counts.lost,
		  (unsigned long long)counts.errors,
		  (unsigned long long)counts.reconnects,
		  (unsigned long long)counts.late,
		  (unsigned long long)ptWriterSteps(trace->writer));
	return isOpen ? PT_SUCCESS : PT_EDEVICE;
}

int pt_finalizeTrace(PowerTrace *trace)
{
	int ret = PT_SUCCESS, saved = errno;

	if (!trace)
		return PT_SUCCESS;
	if (trace->owner == getpid())
		ret = meterTraceEnd(trace);
	else
		ptRunnerForget(&trace->runner);
	if (ptWriterDestroy(trace->writer) != 0) {
		saved = errno;
		ret = PT_EHDLIB;
	}
	ptConfigClear(&trace->config);
	free(trace);
	errno = saved;
	return ret;
}
