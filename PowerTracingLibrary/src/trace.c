/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions; see PT.h. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "loop.h"
#include "message.h"
#include "sampler.h"
#include "trace.h"

struct powertrace_s {
	struct ptConfig config;
	struct ptMeter meter;
	int wakeFd;
	pid_t owner; /* The process that has the thread. */
	/* One of the two has the thread, by who determines the time. */
	struct ptLoop *loop;
	struct hdSampler *sampler;
};

static void traceBegin(void *context)
{
	PowerTrace *trace = context;

	ptMeterStart(&trace->meter);
}

static void traceSample(void *context, uint64_t number, bool isLast)
{
	PowerTrace *trace = context;

	(void)number;
	if (!isLast || trace->meter.isMeasuring)
		ptMeterRead(&trace->meter);
	if (isLast)
		ptMeterStop(&trace->meter);
}

static const struct hdSamplerCalls traceCalls = {
	.begin = traceBegin,
	.sample = traceSample,
};

static int traceCreateThread(PowerTrace *trace)
{
	int ret;

	if (trace->config.driver->timing == PT_TIMED_BY_HOST)
		ret = hdSamplerCreate(trace->config.cycleNs, &traceCalls, trace,
				      &trace->sampler);
	else
		ret = ptLoopCreate(&trace->meter, trace->wakeFd, &trace->loop);
	if (ret == 0)
		return 0;
	if (ret == -ENOMEM)
		return PT_EMEMORY;
	ptMessage(HD_LOG_ERROR, "cannot create the tracing thread");
	return PT_ETHREAD;
}

static int traceCreateWriter(PowerTrace *trace, hdTopology *topology)
{
	const struct ptConfig *config = &trace->config;
	hdTopology *own = NULL;
	int ret, saved;

	if (!topology) {
		own = hdT_createTopology(config->project,
					 (const char **)config->levels,
					 (int)config->levelCount);
		if (!own) {
			ptMessage(HD_LOG_ERROR, "project %s: %s",
				  config->project, hdT_strerror(errno));
			return PT_EHDLIB;
		}
		topology = own;
	}
	ret = ptWriterCreate(config, topology, &trace->meter.writer);
	saved = errno;
	if (own)
		hdT_destroyTopology(own);
	errno = saved;
	return ret;
}

int ptTraceCreate(struct ptConfig *config, hdTopology *topology,
		  const char *root, PowerTrace **result)
{
	PowerTrace *trace;
	int ret, saved;

	if (!ptConfigIsHere(config->host)) {
		ptMessage(HD_LOG_ERROR,
			  "port says that the device is at %s; this is "
			  "another host",
			  config->host);
		return PT_EWRONGHOST;
	}
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return PT_EMEMORY;
	trace->config = *config;
	trace->owner = getpid();
	trace->wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (trace->wakeFd < 0) {
		ptMessage(HD_LOG_ERROR, "eventfd: %s", strerror(errno));
		free(trace);
		return PT_ETHREAD;
	}
	ret = ptMeterOpen(&trace->meter, &trace->config, root, trace->wakeFd);
	if (ret == 0)
		ret = traceCreateWriter(trace, topology);
	if (ret == 0)
		ret = traceCreateThread(trace);
	if (ret == 0) {
		*config = (struct ptConfig){ 0 };
		*result = trace;
		return 0;
	}
	saved = errno;
	ptMeterClose(&trace->meter);
	ptWriterDestroy(trace->meter.writer);
	close(trace->wakeFd);
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
	struct hdSamplerCounts sampled;

	ptMeterGetCounts(&trace->meter, counts);
	if (trace->sampler) {
		hdSamplerGetCounts(trace->sampler, &sampled);
		counts->late = sampled.late;
	}
}

double ptTraceResult(PowerTrace *trace, size_t column, double *seconds)
{
	return ptWriterResult(trace->meter.writer, column, seconds);
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

	hdLogSetVerbosity(&ptLogger, getenv("PT_VERBOSITY"));
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
	if (trace->loop)
		return ptLoopSet(trace->loop, isStarted);
	return isStarted ? hdSamplerStart(trace->sampler)
			 : hdSamplerStop(trace->sampler);
}

int pt_startTracing(PowerTrace *trace)
{
	return traceSet(trace, true);
}

int pt_stopTracing(PowerTrace *trace)
{
	return traceSet(trace, false);
}

static void traceReport(PowerTrace *trace)
{
	struct ptCounts counts;

	ptTraceCounts(trace, &counts);
	ptMessage(HD_LOG_INFO,
		  "%s: %llu readings, %llu cycles lost, %llu errors, "
		  "%llu reconnects, %llu late, %llu times that went back",
		  trace->config.driver->name,
		  (unsigned long long)counts.readings,
		  (unsigned long long)counts.lost,
		  (unsigned long long)counts.errors,
		  (unsigned long long)counts.reconnects,
		  (unsigned long long)counts.late,
		  (unsigned long long)ptWriterSteps(trace->meter.writer));
}

/* End the thread, close the device, and say what happened. */
static int traceEnd(PowerTrace *trace)
{
	bool isOpen;

	ptLoopDestroy(trace->loop);
	trace->loop = NULL;
	if (trace->sampler)
		hdSamplerStop(trace->sampler);
	traceReport(trace);
	hdSamplerDestroy(trace->sampler);
	isOpen = trace->meter.isOpen;
	ptMeterClose(&trace->meter);
	return isOpen ? PT_SUCCESS : PT_EDEVICE;
}

int pt_finalizeTrace(PowerTrace *trace)
{
	int ret = PT_SUCCESS, saved = errno;

	if (!trace)
		return PT_SUCCESS;
	if (trace->owner == getpid()) {
		ret = traceEnd(trace);
	} else {
		/* The device is the parent's. */
		ptLoopForget(trace->loop);
		hdSamplerDestroy(trace->sampler);
		free(trace->meter.cells);
	}
	if (ptWriterDestroy(trace->meter.writer) != 0) {
		saved = errno;
		ret = PT_EHDLIB;
	}
	ptConfigClear(&trace->config);
	close(trace->wakeFd);
	free(trace);
	errno = saved;
	return ret;
}
