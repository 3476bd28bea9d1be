/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A utilization trace; see trace.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/due.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "common/clock.h"
#include "common/sampler.h"
#include "recording/integral.h"
#include "recording/record.h"

/* A 32 bit counter wraps after 3.4 s at 10 Gb/s; look more often. */
#define FOLLOW_NS INT64_C(1000000000)

struct UtilTrace_s {
	struct hdRecord record;
	struct hdSampler *sampler;
	struct rutUsed used;
	struct rutDue due;
	bool hasFailed;
	struct hdIntegral *sums; /* Of amounts, their sum. */
	double seconds;
	int64_t lastNs;
};

static void traceBegin(void *context)
{
	UtilTrace *trace = context;

	rutUsedRead(&trace->used, RUT_WHY_BEGIN);
	trace->lastNs = hdMonotonicNow();
	rutDueBegin(&trace->due);
	hdS_enableGroup(trace->record.group);
}

static void traceAddUp(UtilTrace *trace)
{
	int64_t now = hdMonotonicNow();
	int64_t length = now - trace->lastNs;

	trace->lastNs = now;
	trace->seconds += (double)length / 1e9;
	for (size_t i = 0; i < trace->used.columns.count; i++) {
		const struct rutColumn *column = &trace->used.columns.list[i];
		double value = hdCellNumber(column->type, trace->used.cells[i]);

		if (!isfinite(value))
			continue;
		trace->sums[i].coveredNs += length;
		trace->sums[i].sum += column->kind == HD_KIND_DELTA
					      ? value
					      : hdIntegralOf(value, length);
	}
}

/* Say that the utilization is not recorded, if nobody has. */
static void traceSayLoss(int error)
{
	if (hdRecordIsSaid(error))
		rutMessage(HD_LOG_INFO, "the utilization is not recorded: %s",
			   hdRecordReason(error));
	else
		rutLoss("the utilization is not recorded: %s",
			hdRecordReason(error));
}

static void traceWrite(UtilTrace *trace, int64_t now)
{
	if (hdRecordWrite(&trace->record, trace->used.cells, now) != 0 &&
	    !trace->hasFailed) {
		trace->hasFailed = true;
		traceSayLoss(errno);
	}
}

static void traceSample(void *context, uint64_t number, bool isLast)
{
	UtilTrace *trace = context;
	int64_t now = hdClockNow();

	if (!isLast && trace->due.steps > 1 &&
	    !rutDueIs(&trace->due, number, hdMonotonicNow() - trace->lastNs)) {
		rutUsedRead(&trace->used, RUT_WHY_FOLLOW);
		return;
	}
	rutUsedRead(&trace->used, RUT_WHY_SAMPLE);
	traceAddUp(trace);
	traceWrite(trace, now);
	if (isLast)
		hdRecordDisable(&trace->record);
}

static const struct hdSamplerCalls traceCalls = {
	.begin = traceBegin,
	.sample = traceSample,
};

static void traceGetCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	rutTraceCost(context, cpuNs, late, NULL);
}

static size_t textLength(const char *text)
{
	return text ? strlen(text) : 0;
}

/* What the header of a file says of a value. */
enum traceTold {
	TRACE_NAMES,
	TRACE_KINDS, /* Its kind, too. */
	TRACE_ALL,   /* And all other attributes. */
};

/* Whether the header of a file has room for so much of all values. */
static bool utilTraceHasRoom(const UtilTrace *trace, enum traceTold told)
{
	size_t length = 2000;

	for (size_t i = 0; i < trace->used.columns.count; i++) {
		const struct rutColumn *column = &trace->used.columns.list[i];

		length += strlen("  <Value name=\"\" type=\"INT64\" unit=\"\" "
				 "grouping=\"\"/>\n") +
			  strlen(column->name) + textLength(column->unit) +
			  textLength(column->grouping);
		if (told >= TRACE_KINDS)
			length += strlen(" kind=\"\"") +
				  strlen(hdKindName(column->kind));
		if (told == TRACE_ALL)
			length += strlen(" source=\"\" resolution=\"\"") +
				  textLength(column->source) +
				  textLength(column->resolution);
	}
	return length < HDS_MAX_HEADER_LENGTH;
}

/* What is left without the values of each unit. */
static rutSources sumsOf(rutSources sources)
{
	sources.CPU_UTIL_X = 0;
	sources.CPU_STATES_X = 0;
	sources.NET_IN_X = 0;
	sources.NET_OUT_X = 0;
	sources.CPU_FREQ_X = 0;
	sources.CPU_IDLE_X = 0;
	sources.HDD_DEV_X = 0;
	sources.NET_PACKETS_X = 0;
	sources.STORAGE = 0;
	sources.GPU_X = 0;
	return sources;
}

/* Open a source, or as much of it as there is room for. */
static int traceOpenFitting(UtilTrace *trace, const struct rutSource *kind,
			    const struct rutSetup *setup)
{
	struct rutSetup sums = *setup;
	size_t before = trace->used.columns.count;
	int ret = rutUsedAdd(&trace->used, kind, setup);

	if (ret < 0 || utilTraceHasRoom(trace, TRACE_NAMES))
		return ret;
	sums.sources = sumsOf(setup->sources);
	hdLog(&rutLogger, HD_LOG_WARNING,
	      "%s: too many values for the header of the file: %zu; values of "
	      "single units are not traced",
	      kind->name, trace->used.columns.count - before);
	rutUsedDrop(&trace->used);
	if (!kind->isWanted(&sums.sources))
		return -E2BIG;
	return rutUsedAdd(&trace->used, kind, &sums);
}

static int traceOpenSource(UtilTrace *trace, const struct rutSource *kind,
			   const struct rutSetup *setup)
{
	int ret = traceOpenFitting(trace, kind, setup);

	if (ret == -ENOMEM)
		return RUT_EMEMORY;
	if (ret == -ENODEV)
		return RUT_ESOURCE;
	if (ret < 0 && ret != -E2BIG)
		hdLog(&rutLogger, HD_LOG_WARNING, "%s: not traced: %s",
		      kind->name,
		      ret == -ETIMEDOUT ? "no answer" : strerror(-ret));
	return 0;
}

static int traceOpenSources(UtilTrace *trace,
			    const struct rutSource *const *list,
			    const struct rutSetup *setup)
{
	struct rutSetup own = *setup;

	own.getCost = traceGetCost;
	own.context = trace;
	for (size_t i = 0; list[i]; i++) {
		int ret = 0;

		if (list[i]->isWanted(&setup->sources))
			ret = traceOpenSource(trace, list[i], &own);
		if (ret < 0)
			return ret;
	}
	if (trace->used.columns.count > 0)
		return 0;
	rutLoss("the utilization is not recorded: no source is available");
	return RUT_ESOURCE;
}

static int traceAllocate(UtilTrace *trace)
{
	trace->sums = calloc(trace->used.columns.count, sizeof(*trace->sums));
	return trace->sums && rutUsedReady(&trace->used) == 0 ? 0 : RUT_EMEMORY;
}

/* Whether a column has the attributes of the one before. */
static bool traceIsLike(const struct rutColumn *a, const struct rutColumn *b)
{
	return a->source == b->source && a->resolution == b->resolution;
}

static int traceCreateGroup(UtilTrace *trace, hdTopoNode *node, int level)
{
	bool hasRoom = utilTraceHasRoom(trace, TRACE_ALL);
	bool hasKinds = utilTraceHasRoom(trace, TRACE_KINDS);
	int ret = 0;

	if (hdRecordOpen(&trace->record, node, level, "Utilization") < 0 ||
	    hdRecordCanMiss(&trace->record) < 0)
		return RUT_EHDLIB;
	for (size_t i = 0; ret == 0 && i < trace->used.columns.count; i++) {
		const struct rutColumn *column = &trace->used.columns.list[i];

		/* With very many values, only the first of a kind says. */
		bool says =
			hasRoom || i == 0 || !traceIsLike(column, column - 1);
		const struct hdRecordColumn recorded = {
			.name = column->name,
			.type = column->type,
			.unit = column->unit,
			.grouping = column->grouping,
			.source = says ? column->source : NULL,
			.resolution = says ? column->resolution : NULL,
			.kind = column->kind,
			.leavesKindOut = !hasKinds,
		};

		ret = hdRecordAddColumn(&trace->record, &recorded);
	}
	if (ret == 0)
		ret = hdRecordCommit(&trace->record);
	return ret == 0 ? 0 : RUT_EHDLIB;
}

/* Whoever waits for a source has a thread of its own, lest others wait, too. */
static int traceCreateSampler(UtilTrace *trace, int64_t intervalNs,
			      bool isAlone)
{
	bool isShared = !isAlone && !rutUsedWaits(&trace->used);
	int64_t steps = 1, stepNs;
	int ret;

	while (intervalNs / steps > FOLLOW_NS || intervalNs % steps != 0)
		steps++;
	stepNs = intervalNs / steps;
	trace->due.steps = (uint64_t)steps;
	trace->due.stepNs = stepNs;
	ret = isShared ? hdSamplerCreateShared(stepNs, &traceCalls, trace,
					       &trace->sampler)
		       : hdSamplerCreate(stepNs, &traceCalls, trace,
					 &trace->sampler);
	if (ret == 0)
		return 0;
	return ret == -ENOMEM ? RUT_EMEMORY : RUT_ETHREAD;
}

/* Free all but the sampler; returns as hdS_finalize(). */
static int utilTraceFree(UtilTrace *trace)
{
	int ret = hdRecordClose(&trace->record);

	rutUsedClose(&trace->used);
	free(trace->sums);
	free(trace);
	return ret;
}

int rutTraceCreate(hdTopoNode *node, int level,
		   const struct rutSource *const *list,
		   const struct rutSetup *setup, UtilTrace **result)
{
	UtilTrace *trace = calloc(1, sizeof(*trace));
	int ret, saved;

	if (!trace)
		return RUT_EMEMORY;
	ret = traceOpenSources(trace, list, setup);
	if (ret == 0)
		ret = traceAllocate(trace);
	if (ret == 0)
		ret = traceCreateGroup(trace, node, level);
	if (ret == 0)
		ret = traceCreateSampler(trace, setup->intervalNs,
					 setup->isAlone);
	if (ret == 0) {
		*result = trace;
		return 0;
	}
	/* The value of the HDTrace library. */
	saved = errno;
	if (ret == RUT_EHDLIB)
		traceSayLoss(saved);
	utilTraceFree(trace);
	errno = saved;
	return ret;
}

const struct rutColumns *rutTraceColumns(const UtilTrace *trace)
{
	return &trace->used.columns;
}

double rutTraceResult(const UtilTrace *trace, size_t column, double *seconds)
{
	if (seconds)
		*seconds = trace->seconds;
	if (trace->seconds <= 0)
		return trace->sums[column].sum;
	if (trace->used.columns.list[column].kind == HD_KIND_DELTA)
		return trace->sums[column].coveredNs > 0
			       ? trace->sums[column].sum
			       : NAN;
	return trace->sums[column].sum /
	       ((double)trace->sums[column].coveredNs / 1e9);
}

void rutTraceCost(UtilTrace *trace, int64_t *cpuNs, uint64_t *late,
		  uint64_t *samples)
{
	struct hdSamplerCounts counts;

	hdSamplerGetCounts(trace->sampler, &counts);
	*cpuNs = counts.cpuNs + rutUsedCpuNs(&trace->used);
	*late = counts.late;
	if (samples)
		*samples = counts.samples;
}

int rut_startTrace(UtilTrace *trace)
{
	return trace ? hdSamplerStart(trace->sampler) : 2;
}

int rut_stopTrace(UtilTrace *trace)
{
	return trace ? hdSamplerStop(trace->sampler) : 2;
}

int rut_finalizeTrace(UtilTrace *trace)
{
	if (!trace)
		return RUT_EARGUMENT;
	hdSamplerDestroy(trace->sampler);
	return utilTraceFree(trace) == 0 ? RUT_SUCCESS : RUT_EHDLIB;
}
