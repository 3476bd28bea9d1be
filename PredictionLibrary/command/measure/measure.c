/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict measure: kernels of a graph on this machine, with their power.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "PredictionLibrary/command/measure/measurement.h"
#include "LoadLevels/core/load.h"
#include "LoadLevels/core/loadrecord.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/measure/batch.h"
#include "PredictionLibrary/command/measure/files.h"
#include "PredictionLibrary/command/measure/plan.h"
#include "PredictionLibrary/command/measure/steady.h"
#include "cli/errors.h"
#include "cli/freename.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "recording/reason.h"

#define TOOL "hdpredict measure"

/** Of a cycle at each end may be wrong what a batch is charged with: 1 %. */
#define BATCH_CYCLES 200
#define BATCH_SECONDS_MIN 2.0
#define PAUSE_CYCLES 10
#define PAUSE_SECONDS_MIN 2.0

/** Times are found by running for so long, so often. */
#define TRIAL_NS (HD_NS_PER_S / 40)
#define TRIALS 3
#define MARK "0.1:1,0.1:0,0.1:1,0.1:0"

/** Set by a signal. */
static atomic_int isStopped;

static void measureOnSignal(int number)
{
	(void)number;
	atomic_store(&isStopped, 1);
}

static void catchSignals(void)
{
	struct sigaction action = { .sa_handler = measureOnSignal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- Measuring ----------------------------------------------------------- */

static int measureReportError(const struct measure *self, const char *what,
			      int ret)
{
	cliProgressEnd(&self->predict->progress);
	if (ret == -EINTR)
		return predictError(
			self->predict,
			"interrupted; run the same command to continue");
	return predictError(self->predict, "%s: %s", what,
			    hdRecordReason(-ret));
}

/* Begin with the progress bar, or adapt it to a plan that has changed. */
static void setProgress(struct measure *self)
{
	int64_t total = (int64_t)((self->done + self->left) * 1e9);

	if (self->done > 0)
		self->predict->progress.total = total;
	else
		cliProgressStart(&self->predict->progress, total);
}

/* Nothing, for a while; whether it was not interrupted. Only here is the bar
 * moved, as that needs the processor. */
static bool measurePauseFor(const struct measure *self, double before)
{
	int64_t start, end, done;

	/* The state is at least as long as the pause. */
	hdT_logStateStart(self->traces[0], "Pause");
	start = hdMonotonicNow();
	end = start + (int64_t)(self->pauseSeconds * 1e9);
	done = (int64_t)((self->done + before) * 1e9) - start;
	while (!atomic_load(&isStopped) && hdMonotonicNow() < end) {
		cliProgressAt(&self->predict->progress,
			      done + hdMonotonicNow());
		g_usleep((gulong)MIN(50000,
				     MAX(1, (end - hdMonotonicNow()) / 1000)));
	}
	if (atomic_load(&isStopped))
		hdT_logAttributeInt64(self->traces[0], "interrupted", 1);
	hdT_logStateEnd(self->traces[0]);
	return !atomic_load(&isStopped);
}

static int measureMarkTrace(const struct measure *self)
{
	struct hdLoadPlan plan = { .count = 0 };
	struct hdLoad *load;
	int ret = hdLoadPlanText(&plan, MARK);

	hdT_logStateStart(self->traces[0], "Mark");
	if (ret == 0)
		ret = hdLoadStart(self->cpus, 1, &plan, NULL, &load);
	if (ret == 0) {
		hdLoadWait(load);
		hdLoadStop(load, NULL);
	}
	hdT_logStateEnd(self->traces[0]);
	hdLoadPlanClear(&plan);
	return ret;
}

/* What a PE runs: its own data, of a task that has the configuration. */
static int setWork(struct measure *self, int pe, uint32_t config, uint32_t pes,
		   bool isRecorded, struct batchWork *work)
{
	char *why;

	*work = (struct batchWork){
		.call = measureCallOf(self->calls[pe],
				      planTask(self->graph, config), &why),
		.cpus = &self->cpus[pe],
		.cpuCount = pes,
		.trace = isRecorded ? self->traces[pe] : NULL,
		.parts = isRecorded && pes > 1 ? &self->traces[pe + 1] : NULL,
	};
	if (work->call)
		return PREDICT_OK;
	predictError(self->predict, "%s", why);
	g_free(why);
	return PREDICT_INVALID;
}

/* How long one run takes, roughly: the least of some trials, for others may
 * have had the processor in one of them. */
static int trial(struct measure *self, struct batch *batch)
{
	struct batch alone = {
		.architecture = self->architecture,
		.work = { batch->work.call, batch->work.cpus,
			  batch->work.cpuCount, NULL, NULL },
		.lengthNs = TRIAL_NS,
		.stop = &isStopped,
	};
	struct batchResult result = { .seconds = 0 };
	int ret = batchRun(&alone, &result);
	double seconds = result.seconds;

	/* One that is long has others in it anyway. */
	for (int i = 1;
	     i < TRIALS && ret == 0 && seconds * HD_NS_PER_S < TRIAL_NS; i++) {
		ret = batchRun(&alone, &result);
		seconds = fmin(seconds, result.seconds);
	}
	batch->repetitions =
		seconds > 0 ? (uint64_t)ceil(self->batchSeconds / seconds) : 1;
	batch->lengthNs = (int64_t)(self->batchSeconds * HD_NS_PER_S);
	return ret;
}

/* What was recorded is in the files; libPT hands power on by itself. */
static int flushAll(const struct measure *self)
{
	int ret = 0;

	for (int i = 0; i < self->pes && ret == 0; i++)
		ret = hdT_flush(self->traces[i]) == 0 ? 0
						      : -(errno ? errno : EIO);
	return ret;
}

/* What a batch is of: kernels, or accesses to a file. */
struct subject {
	const struct batch *batch;
	struct files *files;
};

static int runSubject(const struct measure *self, const struct subject *subject,
		      double *seconds)
{
	struct batchResult result = { .seconds = 0 };
	int ret;

	if (subject->files)
		return filesRun(subject->files,
				(int64_t)(self->batchSeconds * 1e9),
				self->traces[0], &isStopped, seconds);
	ret = batchRun(subject->batch, &result);
	*seconds = result.seconds;
	return ret;
}

static int runBatch(struct measure *self, struct planRow *row,
		    const struct subject *subject)
{
	double seconds;
	int ret = measureMarkTrace(self);

	if (ret < 0)
		return measureReportError(self, "mark", ret);
	if (!measurePauseFor(self, 0))
		return measureReportError(self, row->key, -EINTR);
	ret = runSubject(self, subject, &seconds);
	if (ret < 0)
		return measureReportError(self, row->key, ret);
	if (!measurePauseFor(self, self->pauseSeconds + self->batchSeconds))
		return measureReportError(self, row->key, -EINTR);
	ret = flushAll(self);
	if (ret < 0)
		return measureReportError(self, self->project, ret);
	ret = planDone(&self->plan, row, seconds);
	self->left -= measureBatchTime(self, row);
	self->done += measureBatchTime(self, row);
	return ret < 0 ? measureReportError(self, self->plan.journal.path, ret)
		       : PREDICT_OK;
}

static void measureReportProgress(struct measure *self, const char *what)
{
	char text[64];

	if (self->isQuiet)
		return;
	cliProgressHide(&self->predict->progress);
	measureFormatTime(fmax(self->left, 0), text, sizeof(text));
	outSay(stderr, TOOL ": %s; %s left", what, text);
}

/* Find out how long a run takes; a state says that this is no pause. */
static int tryRow(struct measure *self, const struct planRow *row,
		  struct batch *batch, struct batchWork *loads, int *error)
{
	int status;

	hdT_logStateStart(self->traces[0], "Trial");
	status = setWork(self, 0, row->config, row->pes, true, &batch->work);
	for (uint32_t i = 0; i < row->count && status == PREDICT_OK; i++)
		status = setWork(self, (int)i + 1, row->load, 1, true,
				 &loads[i]);
	if (status == PREDICT_OK) {
		measureReportProgress(self, row->key);
		*error = trial(self, batch);
	}
	hdT_logStateEnd(self->traces[0]);
	return status;
}

static int runRow(struct measure *self, struct planRow *row)
{
	struct batchWork *loads = g_new0(struct batchWork, row->count + 1);
	struct batch batch = { .architecture = self->architecture,
			       .loads = loads,
			       .loadCount = row->count,
			       .stop = &isStopped };
	const struct subject subject = { .batch = &batch };
	int ret = 0, status = tryRow(self, row, &batch, loads, &ret);

	if (ret < 0)
		status = measureReportError(self, row->key, ret);
	while (status == PREDICT_OK && row->done < (unsigned int)self->batches)
		status = runBatch(self, row, &subject);
	g_free(loads);
	return status;
}

static int runRows(struct measure *self, guint from)
{
	int status = PREDICT_OK;

	for (guint i = from; i < self->plan.rows->len && status == PREDICT_OK;
	     i++) {
		struct planRow row = *measureRowAt(self, i);

		if (row.done < (unsigned int)self->batches)
			status = runRow(self, measureRowAt(self, i));
	}
	return status;
}

/* To make a file and to give it back is no pause. */
static int runClass(struct measure *self, int number)
{
	struct planRow *row = measureFileAt(self, (guint)number);
	struct subject subject = { .files = NULL };
	int status = PREDICT_OK, ret;

	measureReportProgress(self, row->key);
	hdT_logStateStart(self->traces[0], "Trial");
	ret = filesNew(self->directory, number, &subject.files);
	hdT_logStateEnd(self->traces[0]);
	if (ret < 0)
		return measureReportError(self, self->directory, ret);
	while (status == PREDICT_OK && row->done < (unsigned int)self->batches)
		status = runBatch(self, row, &subject);
	hdT_logStateStart(self->traces[0], "Trial");
	filesFree(subject.files);
	hdT_logStateEnd(self->traces[0]);
	return status;
}

static int runFiles(struct measure *self)
{
	int status = PREDICT_OK;

	for (guint i = 0; i < self->plan.files->len && status == PREDICT_OK;
	     i++) {
		if (measureFileAt(self, i)->done < (unsigned int)self->batches)
			status = runClass(self, (int)i);
	}
	return status;
}

static int measureRunAll(struct measure *self)
{
	guint alone = self->plan.rows->len;
	int status = PREDICT_OK, ret;

	self->left = measureTimeOf(self);
	setProgress(self);
	if (self->isSteady) {
		measureReportProgress(self, "waiting for a steady temperature");
		ret = steadyWait(NULL, (int64_t)(self->stillSeconds * 1e9),
				 &isStopped);
		if (ret < 0)
			return measureReportError(self, "load", ret);
	}
	status = runRows(self, 0);
	if (status == PREDICT_OK)
		status = measureAddPairs(self);
	self->left = measureTimeOf(self);
	setProgress(self);
	if (status == PREDICT_OK)
		status = runRows(self, alone);
	if (status == PREDICT_OK)
		status = runFiles(self);
	cliProgressEnd(&self->predict->progress);
	return status;
}

/* ---- The project --------------------------------------------------------- */

/* Whether there is anything left to do. */
static bool isDone(struct measure *self)
{
	guint alone = self->plan.rows->len;
	bool isDone = true;

	for (guint i = 0; i < self->plan.files->len; i++)
		isDone = isDone && measureFileAt(self, i)->done >=
					   (unsigned int)self->batches;
	for (guint i = 0; i < alone; i++)
		isDone = isDone && measureRowAt(self, i)->done >=
					   (unsigned int)self->batches;
	if (!isDone || measureAddPairs(self) != PREDICT_OK)
		return false;
	isDone = measureTimeOf(self) <= 0;
	g_array_set_size(self->plan.rows, alone);
	return isDone;
}

/* Batches without all of their power are measured again. */
static int measureEndRecord(struct measure *self, int status)
{
	int ret;

	if (hdLoadRecordEnd(self->record))
		return status;
	ret = planForget(&self->plan);
	if (ret < 0)
		return measureReportError(self, self->plan.journal.path, ret);
	return predictError(self->predict,
			    "these measurements are discarded; run the same "
			    "command to repeat them");
}

static int measureStartRecord(struct measure *self)
{
	int *labels = g_new(int, (gsize)self->pes);
	char *path = g_build_filename(self->directory, "measured", NULL);
	char *project = cliFreeName(path);
	const struct hdLoadTarget target = {
		.tool = TOOL,
		.project = project ? project : path,
		.level = HD_LEVEL_RANK,
		.labels = labels,
		.count = (size_t)self->pes,
		.configuration = self->configuration,
	};
	int status = PREDICT_FAILED;

	for (int i = 0; i < self->pes; i++)
		labels[i] = i;
	if (hdLoadRecordBegin(&target, &self->record)) {
		self->traces = hdLoadRecordTraces(self->record);
		self->project = target.project;
		status = measureEndRecord(self, measureRunAll(self));
		if (!self->isQuiet)
			outSay(stderr, TOOL ": %s.proj", target.project);
	}
	g_free(project);
	g_free(path);
	g_free(labels);
	return status;
}

static int recordWithCalls(struct measure *self)
{
	int ret = hdKernelSetNew(self->kernels, &self->set);
	int status;

	if (ret < 0)
		return measureReportError(self, "kernels", ret);
	if (hdKernelBlasWrong())
		outSay(stderr, TOOL ": " HD_KERNEL_BLAS ": %s; using plain C",
		       hdKernelBlasWrong());
	self->calls = g_new0(struct measureCalls *, (gsize)self->pes);
	for (int i = 0; i < self->pes; i++)
		self->calls[i] = measureCallsNew(self->graph, self->set,
						 self->architecture);
	catchSignals();
	status = measureStartRecord(self);
	for (int i = 0; i < self->pes; i++)
		measureCallsFree(self->calls[i]);
	g_free(self->calls);
	hdKernelSetFree(self->set);
	return status;
}

/* What times and powers depend on, besides kernels and their values; without
 * tabulators and ends of lines. */
static char *measureOptionsOf(const struct measure *self)
{
	char *architecture = g_strescape(self->architecture, NULL);
	char *kernels = g_strescape(self->kernels ? self->kernels : "", NULL);
	char seconds[G_ASCII_DTOSTR_BUF_SIZE];
	char *text;

	g_ascii_dtostr(seconds, sizeof(seconds), self->batchSeconds);
	text = g_strdup_printf("%s\t%s\t%s\t%s", architecture, kernels, seconds,
			       self->configuration ? "power" : "");
	g_free(architecture);
	g_free(kernels);
	return text;
}

static int workIn(struct measure *self)
{
	char *path = g_build_filename(self->directory, "journal", NULL);
	char *options = measureOptionsOf(self);
	int status = PREDICT_OK;
	char *wrong = NULL;

	if (!self->isPlan && g_mkdir_with_parents(self->directory, 0777) < 0)
		wrong = g_strdup_printf(CLI_TEXT_CREATE, self->directory,
					cliErrorReason(errno));
	if (!wrong)
		wrong = planOpen(&self->plan, self->graph, path, options,
				 !self->isPlan);
	if (wrong)
		status = predictError(self->predict, "%s", wrong);
	g_free(wrong);
	if (status == PREDICT_OK) {
		planAddAlone(&self->plan, 1);
		for (guint i = 0; i < self->threads->len; i++)
			planAddAlone(&self->plan,
				     g_array_index(self->threads, uint32_t, i));
		for (int i = 0; self->hasFiles && i < FILES_CLASSES; i++)
			planAddFiles(&self->plan, filesName(i));
		if (self->isPlan)
			status = measurePrintPlan(self);
		else if (isDone(self))
			measureReportProgress(self,
					      "all measurements are complete");
		else
			status = recordWithCalls(self);
	}
	planClose(&self->plan);
	g_free(options);
	g_free(path);
	return status;
}

/* ---- The command --------------------------------------------------------- */

static int measureSetDefaults(struct measure *self)
{
	int64_t cycle = HD_LOAD_CYCLE_NS;
	int count;

	if (self->configuration)
		cycle = hdLoadCycle(TOOL, self->configuration);
	if (cycle < 0)
		return PREDICT_FAILED;
	count = (int)hdLoadCpus(self->cpus, HD_LOAD_CPUS_MAX);
	if (count == 0)
		return predictError(self->predict,
				    "cannot determine the available CPUs");
	if (self->pes == 0)
		self->pes = count;
	if (self->pes > count) {
		char expected[32];

		g_snprintf(expected, sizeof(expected), "1 to %d", count);
		return predictOutOfRange(self->predict, "pes", self->pes,
					 expected);
	}
	if (self->batchSeconds == 0)
		self->batchSeconds = fmax(BATCH_SECONDS_MIN,
					  BATCH_CYCLES * (double)cycle / 1e9);
	if (self->pauseSeconds == 0)
		self->pauseSeconds = fmax(PAUSE_SECONDS_MIN,
					  PAUSE_CYCLES * (double)cycle / 1e9);
	return PREDICT_OK;
}

/* Read the numbers of PEs that run kernels together: ascending, from 2 on. */
static int measureReadThreads(struct measure *self)
{
	char **list = g_strsplit(self->threadList, ",", -1);
	uint32_t last = 1;
	bool isGood = *list != NULL;

	for (char **i = list; *i && isGood; i++) {
		guint64 value = 0;
		uint32_t pes;

		isGood = (uint32_t)self->pes > last &&
			 g_ascii_string_to_unsigned(*i, 10, last + 1,
						    (guint64)self->pes, &value,
						    NULL);
		pes = last = (uint32_t)value;
		g_array_append_val(self->threads, pes);
	}
	g_strfreev(list);
	return isGood ? PREDICT_OK
		      : predictInvalidValue(self->predict, "threads",
					    self->threadList,
					    "ascending numbers of PEs, from 2 "
					    "to --pes");
}

static int measureCheck(struct measure *self)
{
	int status;

	if (!self->directory)
		return predictMissingOption(self->predict, "output");
	if (self->stillSeconds > 0 && !self->isSteady)
		return predictNeeds(self->predict, "steady-for", "steady");
	status = measureSetDefaults(self);
	return status == PREDICT_OK && self->threadList
		       ? measureReadThreads(self)
		       : status;
}

static int readAndWork(struct measure *self, const char *graphPath)
{
	int status = predictRead(
		self->predict, graphPath, &self->graph, self->platformPath,
		self->platformPath ? &self->platform : NULL, NULL, NULL);

	if (status == PREDICT_OK)
		status = workIn(self);
	hdP_destroyGraph(self->graph);
	hdP_destroyPlatform(self->platform);
	return status;
}

int measureRun(struct predict *predict, int argc, char **argv)
{
	struct measure self = { .predict = predict, .batches = 5 };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &self.directory,
		  "Directory for projects and journal; an interrupted "
		  "measurement continues",
		  "DIR" },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &self.configuration,
		  "Also measure power with this pt.cfg(5); its node must be "
		  "this host",
		  "FILE" },
		{ "architecture", 0, 0, G_OPTION_ARG_STRING, &self.architecture,
		  "Architecture of the PEs of this machine (default: core)",
		  "ID" },
		{ "pes", 0, 0, G_OPTION_ARG_INT, &self.pes,
		  "Number of PEs, one per CPU (default: all allowed CPUs)",
		  "N" },
		{ "threads", 0, 0, G_OPTION_ARG_STRING, &self.threadList,
		  "Also measure each kernel on these numbers of PEs together",
		  "N[,N...]" },
		{ "kernels", 0, 0, G_OPTION_ARG_STRING, &self.kernels,
		  "Directories with shared objects of kernels, separated by "
		  "colons",
		  "DIRECTORIES" },
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &self.platformPath,
		  "Target platform; selects the loads to measure (default: one "
		  "node like this)",
		  "FILE" },
		{ "batches", 0, 0, G_OPTION_ARG_INT, &self.batches,
		  "Batches per kernel and set of values (default: 5)", "N" },
		{ "batch", 0, 0, G_OPTION_ARG_DOUBLE, &self.batchSeconds,
		  "Minimum length of a batch (default: 200 meter cycles, at "
		  "least 2 s)",
		  "SECONDS" },
		{ "pause", 0, 0, G_OPTION_ARG_DOUBLE, &self.pauseSeconds,
		  "Minimum length of a pause (default: 10 meter cycles, at "
		  "least 2 s)",
		  "SECONDS" },
		{ "alone", 0, 0, G_OPTION_ARG_NONE, &self.isAlone,
		  "Measure each kernel alone, not together with others", NULL },
		{ "files", 0, 0, G_OPTION_ARG_NONE, &self.hasFiles,
		  "Also measure accesses to files in DIR", NULL },
		{ "steady", 0, 0, G_OPTION_ARG_NONE, &self.isSteady,
		  "First load the machine until its temperature is steady",
		  NULL },
		{ "steady-for", 0, 0, G_OPTION_ARG_DOUBLE, &self.stillSeconds,
		  "Time without rising temperature (default: 60 s; 180 s "
		  "without sensors)",
		  "SECONDS" },
		{ "plan", 0, 0, G_OPTION_ARG_NONE, &self.isPlan,
		  "Print only the planned batches and the remaining time",
		  NULL },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &self.isQuiet,
		  "Print no progress", NULL },
		{ NULL }
	};
	static const struct cliNumber numbers[] = {
		{ "pes", 1, INFINITY, NULL },
		{ "batches", 1, 1000, NULL },
		{ "batch", CLI_ABOVE_ZERO, 86400, "s" },
		{ "pause", CLI_ABOVE_ZERO, 86400, "s" },
		{ "steady-for", CLI_ABOVE_ZERO, 86400, "s" },
		{ NULL, 0, 0, NULL },
	};
	static const struct predictHelp help = {
		"GRAPH",
		"Measure the kernels of a task graph on this machine.",
		"Examples:\n"
		"  hdpredict measure -c pt.cfg -o here graph.xml\n"
		"  hdpredict measure --alone --pes=1 --batches=2 --batch=0.1 "
		"--pause=0.05 -o here graph.xml\n",
		1,
		1,
		numbers,
	};
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	cliProgressInit(&predict->progress, self.isQuiet);
	if (!self.architecture) {
		self.architecture = g_strdup("core");
		g_ptr_array_add(predict->texts, self.architecture);
	}
	self.cpus = g_new0(int, HD_LOAD_CPUS_MAX);
	self.threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	status = measureCheck(&self);
	if (status == PREDICT_OK)
		status = readAndWork(&self, argv[1]);
	g_array_unref(self.threads);
	g_free(self.cpus);
	return status;
}
