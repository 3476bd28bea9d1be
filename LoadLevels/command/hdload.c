/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdload: known loads at known times, and their power. Sequences are run here,
 * with exact edges; levels are run in levels.c.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "LoadLevels/command/hdload.h"
#include "LoadLevels/cpu/sequence.h"
#include "LoadLevels/core/loadrecord.h"
#include "cli/command.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/freename.h"
#include "cli/options.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/environment.h"

/** Idle time before and after a sequence. */
#define PAUSE_NS HD_NS_PER_S
/** A step of a sequence in cycles of the meter: so edges lie anywhere in it. */
#define STEP_CYCLES 2.37
/** Names a file for who follows the load. */
#define EDGES "HDLOAD_EDGES"

struct run {
	const struct hdloadOptions *options;
	struct hdLoadPlan plan;
	struct hdloadCpus cpus;
};

/* ---- What is asked for --------------------------------------------------- */

/* "0,2-4"; of numbers that this process may use. */
static bool parseCpus(struct hdloadCpus *self, const char *text)
{
	bool isGood = true;

	while (isGood && *text) {
		char *end;
		guint64 first = g_ascii_strtoull(text, &end, 10), last = first;

		isGood = end > text && g_ascii_isdigit(*text);
		if (isGood && *end == '-') {
			text = end + 1;
			last = g_ascii_strtoull(text, &end, 10);
			isGood = end > text && g_ascii_isdigit(*text);
		}
		isGood = isGood && first <= last && last < HD_LOAD_CPUS_MAX &&
			 self->count + (last - first) < HD_LOAD_CPUS_MAX &&
			 (*end == '\0' || (*end == ',' && end[1]));
		for (; isGood && first <= last; first++)
			self->list[self->count++] = (int)first;
		text = *end ? end + 1 : end;
	}
	return isGood && self->count > 0;
}

static bool isTwice(const struct hdloadCpus *self)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (self->list[i] == self->list[j])
				return true;
		}
	}
	return false;
}

/* In ns; -1 after a message. */
static int64_t hdloadStepOf(const struct hdloadOptions *options)
{
	int64_t cycle = HD_LOAD_CYCLE_NS;

	if (options->step > 0)
		return (int64_t)(options->step * 1e6);
	if (options->configuration)
		cycle = hdLoadCycle(hdloadCommand.name, options->configuration);
	return cycle < 0 ? -1 : (int64_t)(STEP_CYCLES * (double)cycle);
}

static int planSequence(struct run *self)
{
	const struct hdloadOptions *options = self->options;
	int64_t step = hdloadStepOf(options);
	int ret;

	if (step < 0)
		return -ENOENT;
	ret = hdLoadPlanAdd(&self->plan, 0, PAUSE_NS);
	if (ret == 0)
		ret = hdLoadPlanSequence(&self->plan,
					 (unsigned int)options->order,
					 (uint32_t)options->seed, step,
					 (int64_t)(options->duration * 1e9));
	return ret < 0 ? ret : hdLoadPlanAdd(&self->plan, 0, PAUSE_NS);
}

/* Returns the exit status, or -1. */
static int makePlan(struct run *self)
{
	int ret = planSequence(self);

	if (ret == -ENOENT)
		return HDLOAD_FAILED;
	if (ret == -EINVAL)
		return cliUsage(&hdloadCommand,
				"--sequence: too long; use a smaller "
				"--order, --step or --duration");
	if (ret < 0) {
		outSay(stderr, "hdload: %s", strerror(-ret));
		return HDLOAD_FAILED;
	}
	return -1;
}

/* The plans exclude each other. */
static const char *hdloadCheckPlans(const struct hdloadOptions *options)
{
	int plans = (options->loads != NULL) + !!options->isSequence +
		    (options->staircase != NULL) + !!options->isSquare +
		    !!options->isRandom + (options->replay != NULL);

	if (options->loads && options->isSequence)
		return "--loads: cannot be combined with --sequence";
	if (plans > 1)
		return "--loads, --sequence, --staircase, --square, --random "
		       "and --replay: only one of them is possible";
	if (options->duration != 0 && options->loads)
		return "--loads: cannot be combined with --duration";
	if (options->duration != 0 && options->replay)
		return "--replay: cannot be combined with --duration";
	if (options->duration != 0 && options->staircase)
		return "--staircase: cannot be combined with --duration; use "
		       "--level-time";
	if (options->duration == 0 && !options->loads && !options->isSequence &&
	    !options->staircase && !options->replay)
		return "missing option: --duration, --loads, --staircase, "
		       "--replay or --sequence";
	if (options->components && (options->staircase || options->isSequence))
		return "--component: cannot be combined with --staircase or "
		       "--sequence";
	return NULL;
}

static const char *hdloadCheckOptions(const struct hdloadOptions *options)
{
	const char *message = hdloadCheckPlans(options);

	if (message)
		return message;
	if (options->step != 0 && !options->isSequence)
		return "--step: requires --sequence";
	if (options->seed != 0 && !options->isSequence && !options->isRandom &&
	    !options->operations)
		return "--seed: requires --sequence";
	if (options->node && !options->replay)
		return "--node: requires --replay";
	if (options->isOfNode && options->isSequence)
		return "--together: cannot be combined with --sequence";
	if (options->configuration && !options->project)
		return "--config: requires --project";
	if (options->isForced && options->isNumbered)
		return "--force: cannot be combined with --number";
	if (options->isForced && !options->project)
		return "--force: requires --project";
	if (options->isNumbered && !options->project)
		return "--number: requires --project";
	return NULL;
}

int hdloadOpenEdges(void)
{
	const char *path = hdEnvironmentText(EDGES);
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	/* 0 is none. */
	if (fd == STDIN_FILENO) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(STDIN_FILENO);
	}
	if (fd < 0)
		cliErrorOpen(hdloadCommand.name, path, errno);
	return fd;
}

void hdloadSayEdgeLost(void)
{
	outSay(stderr, "hdload: %s: cannot write an edge",
	       hdEnvironmentText(EDGES));
}

/* ---- The load ------------------------------------------------------------ */

static void hdloadSummarize(const struct run *self,
			    const struct hdLoadUse *uses, double seconds)
{
	for (size_t i = 0; i < self->cpus.count; i++)
		fprintf(stderr,
			"hdload: CPU %d: busy for %.3f s of %.3f s, requested "
			"%.3f s; latest edge %.1f ms late\n",
			self->cpus.list[i], (double)uses[i].cpuNs / 1e9,
			seconds, (double)uses[i].wantedNs / 1e9,
			(double)uses[i].lateNs / 1e6);
}

/* Whether who follows the load could. */
static bool isFollowed(const struct run *self, const struct hdLoadUse *uses)
{
	bool isGood = true;

	for (size_t i = 0; i < self->cpus.count; i++)
		isGood = isGood && !uses[i].isEdgeLost;
	if (!isGood)
		hdloadSayEdgeLost();
	return isGood;
}

int hdloadSayUnusable(int error)
{
	outSay(stderr, "hdload: CPUs: cannot be used: %s", strerror(-error));
	return HDLOAD_FAILED;
}

static int runLoad(const struct run *self, hdTrace *const *traces)
{
	const struct cliWait wait = {
		.tool = hdloadCommand.name,
		.duration = (double)self->plan.endNs / 1e9,
	};
	struct hdLoadUse *uses = g_new0(struct hdLoadUse, self->cpus.count);
	struct hdLoad *load;
	int64_t begin = hdMonotonicNow();
	int ret = hdLoadStart(self->cpus.list, self->cpus.count, &self->plan,
			      traces, &load);
	int status = HDLOAD_OK;

	if (ret < 0) {
		status = hdloadSayUnusable(ret);
	} else {
		/* Until it is over, or a signal comes. */
		cliWaitFor(&wait);
		if (hdMonotonicNow() - begin >= self->plan.endNs)
			hdLoadWait(load);
		hdLoadStop(load, uses);
		if (!self->options->isQuiet)
			hdloadSummarize(self, uses,
					(double)(hdMonotonicNow() - begin) /
						1e9);
		if (!isFollowed(self, uses))
			status = HDLOAD_INCOMPLETE;
	}
	g_free(uses);
	return status;
}

static int recordLoad(const struct run *self)
{
	const struct hdloadOptions *options = self->options;
	char *name = options->isNumbered ? cliFreeName(options->project)
					 : g_strdup(options->project);
	const struct hdLoadTarget target = {
		.tool = hdloadCommand.name,
		.project = name ? name : options->project,
		.level = "CPU",
		.labels = self->cpus.list,
		.count = self->cpus.count,
		.configuration = options->configuration,
		.isForced = options->isForced,
	};
	struct hdLoadRecord *record;
	int status = HDLOAD_FAILED;

	if (hdLoadRecordBegin(&target, &record)) {
		status = runLoad(self, hdLoadRecordTraces(record));
		if (!hdLoadRecordEnd(record) && status == HDLOAD_OK)
			status = HDLOAD_INCOMPLETE;
	}
	g_free(name);
	return status;
}

/* An old project is replaced only by one that has its CPUs. */
static int checkAndRun(struct run *self)
{
	int ret = self->cpus.count
			  ? hdLoadCheck(self->cpus.list, self->cpus.count)
			  : -ENXIO;

	if (ret < 0)
		return hdloadSayUnusable(ret);
	self->plan.edgesFd = hdloadOpenEdges();
	if (self->plan.edgesFd < 0)
		return HDLOAD_FAILED;
	cliPrepare();
	return self->options->project ? recordLoad(self) : runLoad(self, NULL);
}

static int hdloadRunSequence(struct run *self)
{
	int status = makePlan(self);

	if (status < 0)
		status = checkAndRun(self);
	if (self->plan.edgesFd > 0)
		close(self->plan.edgesFd);
	hdLoadPlanClear(&self->plan);
	return status;
}

static int hdloadRun(const struct hdloadOptions *options)
{
	struct run *self = g_new0(struct run, 1);
	const char *message = hdloadCheckOptions(options);
	int status = -1;

	self->options = options;
	if (message)
		status = cliUsage(&hdloadCommand, "%s", message);
	else if (!options->cpus)
		self->cpus.count =
			hdLoadCpus(self->cpus.list, HD_LOAD_CPUS_MAX);
	else if (!parseCpus(&self->cpus, options->cpus) || isTwice(&self->cpus))
		status = cliErrorValue(&hdloadCommand, "cpus", options->cpus,
				       "a list of CPUs, such as 0,2-3");
	if (status < 0)
		status = options->isSequence
				 ? hdloadRunSequence(self)
				 : hdloadRunLevels(options, &self->cpus);
	g_free(self);
	return status;
}

int main(int argc, char **argv)
{
	const struct hdloadOptions *options;
	int status;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	status = hdloadParse(argc, argv, &options);
	if (status < 0)
		status = hdloadRun(options);
	hdloadForgetOptions();
	return status;
}
