/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Levels of components: run, printed and recorded; see hdload.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <RUT.h>
#include "LoadLevels/command/hdload.h"
#include "LoadLevels/core/loadrecord.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/freename.h"
#include "cli/output.h"
#include "cli/progress.h"

#define LEVELS_MB 1e6
/* Interval of the recorded utilization, in ms. */
#define LEVELS_UTILIZATION_MS 250

struct levelsCommand {
	const struct hdloadOptions *options;
	struct hdLevelJob job;
	struct cliProgress progress;
	UtilTrace *utilization;
	bool isMissed; /**< A level was not reached. */
	/** Of a replay: sums over its levels, in full load times seconds. */
	double replayedS;
	double replayedTarget;
	double replayedReached;
	double replayedOwn;
};

/* ---- What is printed ----------------------------------------------------- */

static void levelsSayMissed(const struct hdLevelResult *result)
{
	char quota[64] = "";

	if (isfinite(result->quota) && *result->reason == 'C')
		snprintf(quota, sizeof(quota), ": %.2f CPUs", result->quota);
	outSay(stderr,
	       "hdload: %s: level not reached: target %.1f %%, reached %.1f "
	       "%%, own %.1f %%%s%s%s",
	       result->kind->name, 100 * result->phase->target,
	       100 * result->reached, 100 * result->own,
	       *result->reason ? "; " : "", result->reason, quota);
}

static void levelsSayReached(const struct hdLevelResult *result)
{
	const char *name = result->kind->name;

	if (result->phase->isCalibration)
		outSay(stderr, "hdload: %s: calibration: %.1f operations/s",
		       name, result->rate);
	else if (isnan(result->reached))
		outSay(stderr, "hdload: %s: target %.1f %%", name,
		       100 * result->phase->target);
	else
		outSay(stderr,
		       "hdload: %s: target %.1f %%, reached %.1f %%, own "
		       "%.1f %%",
		       name, 100 * result->phase->target, 100 * result->reached,
		       100 * result->own);
}

/* Levels of a replay are too short to be judged one by one. */
static void levelsAddReplayed(struct levelsCommand *self,
			      const struct hdLevelResult *result)
{
	const struct hdLevelPhase *phase = result->phase;
	double seconds = (double)(phase->endNs - phase->startNs) / 1e9;

	if (phase->isCalibration || isnan(result->reached))
		return;
	self->replayedS += seconds;
	self->replayedTarget += phase->target * seconds;
	self->replayedReached += result->reached * seconds;
	self->replayedOwn += result->own * seconds;
}

static void levelsJudgeReplay(struct levelsCommand *self)
{
	const struct hdLoadKind *kind = self->job.kinds[0];
	double target = 100 * self->replayedTarget / self->replayedS;
	double reached = 100 * self->replayedReached / self->replayedS;

	if (!(self->replayedS > 0))
		return;
	if (fabs(reached - target) > kind->tolerance &&
	    self->replayedS * 1e9 >= (double)HD_LEVEL_JUDGED_NS)
		self->isMissed = true;
	if (!self->isMissed && self->options->isQuiet)
		return;
	outSay(stderr,
	       "hdload: %s: replay%s: target %.1f %%, reached %.1f %%, own "
	       "%.1f %% in %.1f s",
	       kind->name, self->isMissed ? " not reached" : "", target,
	       reached, 100 * self->replayedOwn / self->replayedS,
	       self->replayedS);
}

static void levelsDone(void *context, const struct hdLevelResult *result)
{
	struct levelsCommand *self = context;

	cliProgressHide(&self->progress);
	if (self->options->replay && !result->phase->isCalibration) {
		levelsAddReplayed(self, result);
	} else if (!result->isReached) {
		self->isMissed = true;
		levelsSayMissed(result);
	} else if (!self->options->isQuiet) {
		levelsSayReached(result);
	}
	if (result->steal > HD_LEVEL_STEAL && !self->options->isQuiet)
		outSay(stderr,
		       "hdload: %s: disturbed: the hypervisor took %.1f %% of "
		       "the CPU time",
		       result->kind->name, 100 * result->steal);
}

static void levelsShowProgress(void *context, int64_t passedNs)
{
	struct levelsCommand *self = context;

	cliProgressAt(&self->progress, passedNs);
}

static int levelsSayEnd(const struct levelsCommand *self, enum hdLevelEnd end)
{
	switch (end) {
	case HD_LEVEL_TOO_HOT:
		outSay(stderr, "hdload: stopped: temperature above %g degrees",
		       self->options->maxTemperature);
		return HDLOAD_INCOMPLETE;
	case HD_LEVEL_NO_SPACE:
		outSay(stderr, "hdload: stopped: less than %g MB free",
		       self->options->minFree);
		return HDLOAD_INCOMPLETE;
	case HD_LEVEL_EDGE_LOST:
		hdloadSayEdgeLost();
		return HDLOAD_INCOMPLETE;
	default:
		return self->isMissed ? HDLOAD_INCOMPLETE : HDLOAD_OK;
	}
}

/* ---- Run and record ------------------------------------------------------ */

static int levelsRun(struct levelsCommand *self)
{
	const struct hdLevelPhases *phases = &self->job.phases;
	const struct hdLoadKind *failed;
	enum hdLevelEnd end;
	int ret;

	cliProgressInit(&self->progress, self->options->isQuiet);
	cliProgressStart(&self->progress,
			 phases->list[phases->count - 1].endNs);
	ret = hdLevelRun(&self->job, &end, &failed);
	cliProgressEnd(&self->progress);
	if (ret == 0 && self->options->replay)
		levelsJudgeReplay(self);
	if (ret == 0)
		return levelsSayEnd(self, end);
	outSay(stderr, "hdload: %s: cannot be used: %s",
	       failed ? failed->name : "CPUs", strerror(-ret));
	return HDLOAD_FAILED;
}

/* Without a utilization, the project still has the states. */
static void levelsCreateUtilization(void *context, hdTopoNode *host)
{
	struct levelsCommand *self = context;
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_CPU(sources);
	if (rut_createTrace(host, 1, sources, LEVELS_UTILIZATION_MS,
			    &self->utilization) == RUT_SUCCESS)
		rut_startTrace(self->utilization);
	else
		self->utilization = NULL;
}

static bool levelsHaveCpu(const struct hdLevelJob *job)
{
	return job->kinds[0]->scale == HD_LOAD_BUSY;
}

static int levelsRecord(struct levelsCommand *self)
{
	const struct hdloadOptions *options = self->options;
	char *name = options->isNumbered ? cliFreeName(options->project)
					 : g_strdup(options->project);
	const struct hdLoadTarget target = {
		.tool = "hdload",
		.project = name ? name : options->project,
		.level = "CPU",
		.labels = self->job.cpus,
		.count = levelsHaveCpu(&self->job) ? self->job.cpuCount : 0,
		.configuration = options->configuration,
		.isForced = options->isForced,
		.hasHost = true,
		.group = "Utilization",
		.createGroup = levelsCreateUtilization,
		.context = self,
	};
	struct hdLoadRecord *record;
	int status = HDLOAD_FAILED;

	if (hdLoadRecordBegin(&target, &record)) {
		self->job.host = hdLoadRecordHostTrace(record);
		if (target.count)
			self->job.cpu = hdLoadRecordTraces(record);
		status = levelsRun(self);
		if (self->utilization)
			rut_finalizeTrace(self->utilization);
		self->utilization = NULL;
		if (!hdLoadRecordEnd(record) && status == HDLOAD_OK)
			status = HDLOAD_INCOMPLETE;
	}
	if (self->utilization)
		rut_finalizeTrace(self->utilization);
	g_free(name);
	return status;
}

/* An old project is replaced only by one that has its CPUs. */
static int levelsCheckAndRun(struct levelsCommand *self)
{
	int ret = self->job.cpuCount
			  ? hdLoadCheck(self->job.cpus, self->job.cpuCount)
			  : -ENXIO;

	if (ret < 0)
		return hdloadSayUnusable(ret);
	self->job.edgesFd = hdloadOpenEdges();
	if (self->job.edgesFd < 0)
		return HDLOAD_FAILED;
	cliPrepare();
	return self->options->project ? levelsRecord(self) : levelsRun(self);
}

int hdloadRunLevels(const struct hdloadOptions *options,
		    const struct hdloadCpus *cpus)
{
	struct levelsCommand self = { .options = options };
	int status;

	self.job = (struct hdLevelJob){
		.cpus = cpus->list,
		.cpuCount = cpus->count,
		.setup = { .directory = options->directory ? options->directory
							   : ".",
			   .fileBytes =
				   (int64_t)(options->fileSize * LEVELS_MB),
			   .peer = options->peer,
			   .memoryBytes =
				   (int64_t)(options->memory * LEVELS_MB) },
		.isOfNode = options->isOfNode,
		.rate = options->rate,
		.seed = (uint64_t)options->seed,
		.maxTemperature = options->maxTemperature,
		.minFree = (int64_t)(options->minFree * LEVELS_MB),
		.root = "",
		.done = levelsDone,
		.progress = levelsShowProgress,
		.context = &self,
	};
	status = hdloadMakePhases(options, &self.job);
	if (status < 0)
		status = levelsCheckAndRun(&self);
	if (self.job.edgesFd > 0)
		close(self.job.edgesFd);
	hdLevelPhasesClear(&self.job.phases);
	return status;
}
