/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdload: known loads at known times, and their power.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "LoadLevels/core/load.h"
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

#define STATUS_OK 0
#define STATUS_INCOMPLETE 1
#define STATUS_FAILED 2
/** Shorter steps and plans have no edges to speak of. */
#define SECONDS_MIN 1e-3
#define SECONDS_MAX 86400.0
/** Idle time before and after a sequence. */
#define PAUSE_NS HD_NS_PER_S
/** A step of a sequence in cycles of the meter: so edges lie anywhere in it. */
#define STEP_CYCLES 2.37
#define ORDER_DEFAULT 7
/** Names a file for who follows the load. */
#define EDGES "HDLOAD_EDGES"

struct options {
	char *cpus;
	char *loads;
	char *configuration;
	char *project;
	double load;
	double duration;
	double step; /**< In ms. */
	int order;   /**< 0: no sequence. */
	int seed;
	gboolean isSequence;
	gboolean isForced;
	gboolean isNumbered;
	gboolean isQuiet;
};

struct run {
	const struct options *options;
	struct hdLoadPlan plan;
	int cpus[HD_LOAD_CPUS_MAX];
	size_t count;
};

static const struct cliNumber numbers[] = {
	{ "load", 0, 1, NULL },
	{ "duration", SECONDS_MIN, SECONDS_MAX, "s" },
	{ "order", HD_LOAD_ORDER_MIN, HD_LOAD_ORDER_MAX, NULL },
	{ "step", SECONDS_MIN * 1e3, SECONDS_MAX * 1e3, "ms" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdload",
	.description =
		"Keep CPUs busy at a known load, and record their power.\n"
		"Each CPU has a pinned thread. The plan is one load, several "
		"loads in turn, or a\npseudo-random on-off sequence. -p "
		"records the edges, and -c also records the power.",
	.notes = "Examples:\n"
		 "  hdload --load=0.5 --duration=10\n"
		 "  hdload --loads=5s:0,5s:1,5s:0.3 -p steps\n"
		 "  hdload --sequence -c pt.cfg -p lag && hdtrace delay "
		 "--state=Load lag",
	.usageStatus = STATUS_FAILED,
	.numbers = numbers,
};

/* ---- What is asked for --------------------------------------------------- */

/* "0,2-4"; of numbers that this process may use. */
static bool parseCpus(struct run *self, const char *text)
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
			self->cpus[self->count++] = (int)first;
		text = *end ? end + 1 : end;
	}
	return isGood && self->count > 0;
}

static bool isTwice(const struct run *self)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (self->cpus[i] == self->cpus[j])
				return true;
		}
	}
	return false;
}

/* In ns; -1 after a message. */
static int64_t hdloadStepOf(const struct options *options)
{
	int64_t cycle = HD_LOAD_CYCLE_NS;

	if (options->step > 0)
		return (int64_t)(options->step * 1e6);
	if (options->configuration)
		cycle = hdLoadCycle(command.name, options->configuration);
	return cycle < 0 ? -1 : (int64_t)(STEP_CYCLES * (double)cycle);
}

static int planSequence(struct run *self)
{
	const struct options *options = self->options;
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
	const struct options *options = self->options;
	int ret;

	if (options->isSequence)
		ret = planSequence(self);
	else if (options->loads)
		ret = hdLoadPlanText(&self->plan, options->loads);
	else
		ret = hdLoadPlanAdd(&self->plan, options->load,
				    (int64_t)(options->duration * 1e9));
	if (ret == -ENOENT)
		return STATUS_FAILED;
	if (ret == -EINVAL && options->isSequence)
		return cliUsage(&command, "--sequence: too long; use a smaller "
					  "--order, --step or --duration");
	if (ret == -EINVAL)
		return cliErrorValue(&command, "loads", options->loads,
				     "DURATION:LOAD,...");
	if (ret < 0) {
		outSay(stderr, "hdload: %s", strerror(-ret));
		return STATUS_FAILED;
	}
	return -1;
}

static const char *hdloadCheckOptions(const struct options *options)
{
	if (options->loads && options->isSequence)
		return "--loads: cannot be combined with --sequence";
	if (options->duration != 0 && options->loads)
		return "--loads: cannot be combined with --duration";
	if (options->duration == 0 && !options->loads && !options->isSequence)
		return "missing option: --duration, --loads or --sequence";
	if (options->step != 0 && !options->isSequence)
		return "--step: requires --sequence";
	if (options->seed != 0 && !options->isSequence)
		return "--seed: requires --sequence";
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

/* Who follows the load reads it from a file, while it is written. */
static bool openEdges(struct run *self)
{
	const char *path = hdEnvironmentText(EDGES);

	int fd;

	if (!path)
		return true;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	/* 0 is none. */
	if (fd == STDIN_FILENO) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(STDIN_FILENO);
	}
	if (fd < 0)
		cliErrorOpen(command.name, path, errno);
	self->plan.edgesFd = fd;
	return fd > 0;
}

/* ---- The load ------------------------------------------------------------ */

static void hdloadSummarize(const struct run *self,
			    const struct hdLoadUse *uses, double seconds)
{
	for (size_t i = 0; i < self->count; i++)
		fprintf(stderr,
			"hdload: CPU %d: busy for %.3f s of %.3f s, requested "
			"%.3f s; latest edge %.1f ms late\n",
			self->cpus[i], (double)uses[i].cpuNs / 1e9, seconds,
			(double)uses[i].wantedNs / 1e9,
			(double)uses[i].lateNs / 1e6);
}

/* Whether who follows the load could. */
static bool isFollowed(const struct run *self, const struct hdLoadUse *uses)
{
	bool isGood = true;

	for (size_t i = 0; i < self->count; i++)
		isGood = isGood && !uses[i].isEdgeLost;
	if (!isGood)
		outSay(stderr, "hdload: %s: cannot write an edge",
		       hdEnvironmentText(EDGES));
	return isGood;
}

static int sayUnusable(int ret)
{
	outSay(stderr, "hdload: CPUs: cannot be used: %s", strerror(-ret));
	return STATUS_FAILED;
}

static int runLoad(const struct run *self, hdTrace *const *traces)
{
	const struct cliWait wait = {
		.tool = command.name,
		.duration = (double)self->plan.endNs / 1e9,
	};
	struct hdLoadUse *uses = g_new0(struct hdLoadUse, self->count);
	struct hdLoad *load;
	int64_t begin = hdMonotonicNow();
	int ret = hdLoadStart(self->cpus, self->count, &self->plan, traces,
			      &load);
	int status = STATUS_OK;

	if (ret < 0) {
		status = sayUnusable(ret);
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
			status = STATUS_INCOMPLETE;
	}
	g_free(uses);
	return status;
}

static int recordLoad(const struct run *self)
{
	const struct options *options = self->options;
	char *name = options->isNumbered ? cliFreeName(options->project)
					 : g_strdup(options->project);
	const struct hdLoadTarget target = {
		.tool = command.name,
		.project = name ? name : options->project,
		.level = "CPU",
		.labels = self->cpus,
		.count = self->count,
		.configuration = options->configuration,
		.isForced = options->isForced,
	};
	struct hdLoadRecord *record;
	int status = STATUS_FAILED;

	if (hdLoadRecordBegin(&target, &record)) {
		status = runLoad(self, hdLoadRecordTraces(record));
		if (!hdLoadRecordEnd(record) && status == STATUS_OK)
			status = STATUS_INCOMPLETE;
	}
	g_free(name);
	return status;
}

/* An old project is replaced only by one that has its CPUs. */
static int checkAndRun(const struct run *self)
{
	int ret = self->count ? hdLoadCheck(self->cpus, self->count) : -ENXIO;

	if (ret < 0)
		return sayUnusable(ret);
	cliPrepare();
	return self->options->project ? recordLoad(self) : runLoad(self, NULL);
}

static int hdloadRun(const struct options *options)
{
	struct run *self = g_new0(struct run, 1);
	const char *message = hdloadCheckOptions(options);
	int status = -1;

	self->options = options;
	if (message)
		status = cliUsage(&command, "%s", message);
	else if (!options->cpus)
		self->count = hdLoadCpus(self->cpus, HD_LOAD_CPUS_MAX);
	else if (!parseCpus(self, options->cpus) || isTwice(self))
		status = cliErrorValue(&command, "cpus", options->cpus,
				       "a list of CPUs, such as 0,2-3");
	if (status < 0)
		status = makePlan(self);
	if (status < 0 && !openEdges(self))
		status = STATUS_FAILED;
	if (status < 0)
		status = checkAndRun(self);
	if (self->plan.edgesFd > 0)
		close(self->plan.edgesFd);
	hdLoadPlanClear(&self->plan);
	g_free(self);
	return status;
}

static int hdloadParseAndRun(struct options *options, int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "cpus", 0, 0, G_OPTION_ARG_STRING, &options->cpus,
		  "CPUs, such as 0,2-3 (default: all CPUs that the process may "
		  "use)",
		  "LIST" },
		{ "load", 0, 0, G_OPTION_ARG_DOUBLE, &options->load,
		  "Fraction of time that each CPU is busy, 0 to 1 (default: 1)",
		  "LOAD" },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &options->duration,
		  "Duration in seconds", "SECONDS" },
		{ "loads", 0, 0, G_OPTION_ARG_STRING, &options->loads,
		  "Run these loads in turn, each for its duration",
		  "DURATION:LOAD,..." },
		{ "sequence", 0, 0, G_OPTION_ARG_NONE, &options->isSequence,
		  "Run a pseudo-random on-off sequence, once or for --duration",
		  NULL },
		{ "order", 0, 0, G_OPTION_ARG_INT, &options->order,
		  "Order of the sequence of 2^N - 1 steps, 2 to 20 (default: "
		  "7)",
		  "N" },
		{ "step", 0, 0, G_OPTION_ARG_DOUBLE, &options->step,
		  "Length of one step in ms (default: 2.37 meter cycles)",
		  "MS" },
		{ "seed", 0, 0, G_OPTION_ARG_INT, &options->seed,
		  "Position at which the sequence begins (default: 0)", "N" },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME,
		  &options->configuration,
		  "Measure power with this configuration; see pt.cfg(5)",
		  "FILE" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &options->project,
		  "Record into this project", "NAME" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options->isForced,
		  "Replace an old project", NULL },
		CLI_OPTION_NUMBER(&options->isNumbered),
		CLI_OPTION_COMPRESS,
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->isQuiet,
		  "Print no summary", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&command, lists, &argc, &argv);

	if (status >= 0)
		return status;
	if (argc > 1)
		return cliErrorUnexpected(&command, argv[1]);
	return hdloadRun(options);
}

int main(int argc, char **argv)
{
	struct options options = { .load = 1, .order = ORDER_DEFAULT };
	int status;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	status = hdloadParseAndRun(&options, argc, argv);
	g_free(options.cpus);
	g_free(options.loads);
	g_free(options.configuration);
	g_free(options.project);
	return status;
}
