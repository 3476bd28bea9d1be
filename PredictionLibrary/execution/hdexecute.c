/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdexecute: options, models, and the course of a run; see execute.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/execution/watch.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/duration.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"
#include "recording/record.h"

/* What was asked for. */
struct settings {
	char *platform, *resources, *map, *kernels, *pace, *project, *sizes;
	char *parts;
	const char *partition; /* A file that --map names; or NULL. */
	int partsArePes;
	gboolean isChecked, isForced, isQuiet, ignoresMap;
	int pes;
	struct hdExecuteLinks links; /* No sizes: a graph is run. */
};

/* A process of all. */
struct process {
	struct settings settings;
	int rank, size;
	GString *said; /* What is wrong, until it is known who says it. */
	hdPGraph *graph;
	hdPPlatform *platform;
	hdPResources *resources;
	struct hdKernelSet *kernels;
	struct hdExecution run;
	struct hdExecuteRecord *record;
	struct hdReplacement *replacement;
};

/* ---- What is wrong ------------------------------------------------------ */

G_GNUC_PRINTF(3, 4)
static int hdexecuteReportError(struct process *self, int status,
				const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_string_append(self->said, "hdexecute: ");
	g_string_append_vprintf(self->said, format, list);
	g_string_append_c(self->said, '\n');
	va_end(list);
	return status;
}

static void hdexecutePrintMessage(const hdPMessage *message, void *data)
{
	struct process *self = data;
	char *line = message->line ? g_strdup_printf(":%" PRId64, message->line)
				   : g_strdup("");

	hdexecuteReportError(
		self, 0, "%s%s%s%s%s%s%s", message->file ? message->file : "",
		message->file ? line : "", message->file ? ": " : "",
		message->isWarning ? "warning: " : "",
		message->id ? message->id : "", message->id ? ": " : "",
		message->text);
	g_free(line);
}

/* The worst status of all processes; the first that has it says why. */
static int agree(struct process *self, int status)
{
	struct {
		int status, rank;
	} own = { status, self->rank }, worst;

	MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
	if (self->rank == worst.rank && self->said->len)
		fputs(self->said->str, stderr);
	g_string_truncate(self->said, 0);
	return worst.status;
}

static int statusOf(struct process *self, int ret, const char *what)
{
	if (ret == 0)
		return HD_EXECUTE_OK;
	if (ret == -EINVAL)
		return self->said->len
			       ? HD_EXECUTE_INVALID
			       : hdexecuteReportError(self, HD_EXECUTE_INVALID,
						      "%s: invalid model",
						      what);
	if (ret == -ENOENT || ret == -EACCES || ret == -ENOTDIR)
		return hdexecuteReportError(self, HD_EXECUTE_FAILED,
					    CLI_TEXT_OPEN, what,
					    cliErrorReason(ret));
	return hdexecuteReportError(self, HD_EXECUTE_FAILED, "%s: %s", what,
				    hdRecordReason(-ret));
}

/* ---- Models ------------------------------------------------------------- */

/* A platform for these processes. */
static int hdexecuteMakePlatform(struct process *self)
{
	uint32_t pes = self->settings.pes ? (uint32_t)self->settings.pes
					  : hdExecuteDefaultPes();
	uint32_t *all = calloc((size_t)self->size, sizeof(*all));
	double memory =
		(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	int ret;

	if (!all)
		hdExecuteAbort("not enough memory for a platform");
	MPI_Allgather(&pes, 1, MPI_UINT32_T, all, 1, MPI_UINT32_T,
		      MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_MIN,
		      MPI_COMM_WORLD);
	ret = hdExecutePlatform((uint32_t)self->size, all, memory,
				&self->platform);
	free(all);
	return statusOf(self, ret, "platform");
}

/* Of two statuses; a macro would do twice what they are of. */
static int worse(int one, int other)
{
	return one > other ? one : other;
}

static int readPlatform(struct process *self)
{
	const char *path = self->settings.platform;

	if (!path)
		return hdexecuteMakePlatform(self);
	return statusOf(self,
			hdP_readPlatform(path, &self->platform,
					 hdexecutePrintMessage, self),
			path);
}

/* Links are measured without tasks. */
static int makeGraph(struct process *self)
{
	self->graph = hdP_createGraph();
	return statusOf(self,
			self->graph
				? hdP_finishGraph(self->graph,
						  hdexecutePrintMessage, self)
				: -ENOMEM,
			"graph");
}

static int readGraph(struct process *self, const char *path)
{
	return statusOf(
		self,
		hdP_readGraph(path, &self->graph, hdexecutePrintMessage, self),
		path);
}

static int hdexecuteReadModels(struct process *self, const char *path)
{
	const struct settings *settings = &self->settings;
	int status = path ? readGraph(self, path) : makeGraph(self);

	status = worse(status, readPlatform(self));
	if (status != HD_EXECUTE_OK)
		return status;
	if (settings->resources)
		return statusOf(self,
				hdP_readResources(settings->resources,
						  &self->resources,
						  hdexecutePrintMessage, self),
				settings->resources);
	return statusOf(
		self,
		hdExecuteCosts(self->graph, self->platform, &self->resources),
		"resources");
}

static int mapTasks(struct process *self)
{
	int64_t servers = hdP_getServerCount(self->platform);
	int64_t mapped = hdP_getMappedCount(self->graph);
	const char *map = self->settings.map;
	hdPMapping mapping = { .keepsMapping = !self->settings.ignoresMap,
			       .partition = self->settings.partition,
			       .partsArePes = self->settings.partsArePes };

	if (servers != self->size)
		return hdexecuteReportError(
			self, HD_EXECUTE_FAILED,
			"the platform has %" PRId64 " nodes, but there %s "
			"%d process%s; use mpiexec -n %" PRId64,
			servers, self->size == 1 ? "is" : "are", self->size,
			self->size == 1 ? "" : "es", servers);
	if (!map && self->graph->taskCount && !mapped)
		map = "eft";
	if (!map || strcmp(map, "given") == 0)
		return HD_EXECUTE_OK;
	if (mapped && self->settings.ignoresMap && self->rank == 0)
		fprintf(stderr,
			"hdexecute: the mapping of %" PRId64
			" task%s in the graph is ignored\n",
			mapped, mapped == 1 ? "" : "s");
	return statusOf(self,
			hdP_mapAs(self->graph, self->platform, self->resources,
				  &mapping, hdexecutePrintMessage, self),
			mapping.partition ? mapping.partition : "mapping");
}

/* Tasks that wait for each other would do so for ever. */
static int hdexecuteCheckOrder(struct process *self)
{
	int ret = hdExecuteCheckOrder(self->graph, self->platform,
				      hdexecutePrintMessage, self);

	if (ret == -EDEADLK)
		return HD_EXECUTE_INVALID;
	if (ret < 0)
		return statusOf(self, ret, "order of tasks");
	/* What else it found is for those who simulate. */
	g_string_truncate(self->said, 0);
	return HD_EXECUTE_OK;
}

/* MPI counts bytes by int. */
static int hdexecuteCheckSizes(struct process *self)
{
	const struct hdExecutePlan *plan = &self->run.plan;
	char name[200];

	for (uint32_t m = 0; m < plan->messageCount; m++) {
		uint32_t dataSet = plan->messages[m].dataSet;

		if (hdExecuteSize(plan, dataSet) > INT_MAX)
			return hdexecuteReportError(
				self, HD_EXECUTE_INVALID,
				"task %s: messages of more than 2 GiB are not "
				"supported",
				hdExecuteTaskName(
					&self->run,
					hdPredictProducer(plan->graph, dataSet),
					name, sizeof(name)));
	}
	return HD_EXECUTE_OK;
}

/* There is somebody to send to, and a PE whose trace says so. */
static int checkLinks(struct process *self)
{
	const struct hdPredictBase *base = &self->run.plan.base;

	if (self->size < 2)
		return hdexecuteReportError(
			self, HD_EXECUTE_FAILED,
			"--links: requires at least two nodes; use mpiexec "
			"-n 2");
	if (base->serverFirst[self->rank] == base->serverFirst[self->rank + 1])
		return hdexecuteReportError(
			self, HD_EXECUTE_INVALID,
			"node %s: no PE to measure links with",
			self->platform->serverIds[self->rank]);
	return HD_EXECUTE_OK;
}

static int plan(struct process *self)
{
	struct hdPredictReport report = { hdexecutePrintMessage, self, NULL,
					  0 };
	struct hdExecutePlan *all = &self->run.plan;
	int ret;

	*all = (struct hdExecutePlan){
		.graph = self->graph,
		.platform = self->platform,
		.base = { .graph = self->graph,
			  .platform = self->platform,
			  .resources = self->resources },
		.server = (uint32_t)self->rank,
	};
	self->run.keepsResults = self->settings.isChecked;
	ret = hdPredictBaseMake(&all->base, false, &report);
	if (ret == 0)
		ret = hdExecutePlanMake(all);
	if (ret < 0)
		return statusOf(self, ret, "plan");
	return self->settings.links.sizeCount ? checkLinks(self)
					      : hdexecuteCheckSizes(self);
}

static int hdexecutePrepare(struct process *self, const char *path)
{
	int status = agree(self, hdexecuteReadModels(self, path)), ret;

	if (status == HD_EXECUTE_OK)
		status = agree(self, mapTasks(self));
	if (status == HD_EXECUTE_OK)
		status = agree(self, plan(self));
	if (status == HD_EXECUTE_OK)
		status = agree(self, self->rank == 0 ? hdexecuteCheckOrder(self)
						     : HD_EXECUTE_OK);
	if (status != HD_EXECUTE_OK)
		return status;
	ret = hdKernelSetNew(self->settings.kernels, &self->kernels);
	if (ret == 0 && hdKernelBlasWrong())
		hdexecuteReportError(self, 0,
				     HD_KERNEL_BLAS ": %s; using plain C",
				     hdKernelBlasWrong());
	if (ret == 0)
		ret = hdExecutePrepare(&self->run, self->kernels);
	/* Those that are missing were said. */
	return agree(self, ret == -ENOENT ? HD_EXECUTE_INVALID
					  : statusOf(self, ret, "kernels"));
}

/* ---- The project -------------------------------------------------------- */

/* Where all write it, until it is what it is called; only the first knows. */
static int beginProject(struct process *self, char *name)
{
	const char *project = self->settings.project;
	char *file = hdProjectFileName(project, ".proj");
	int ret = file && access(file, F_OK) == 0 && !self->settings.isForced
			  ? -EEXIST
			  : hdReplacementBegin(project, &self->replacement);

	free(file);
	if (ret == -EEXIST)
		return hdexecuteReportError(
			self, HD_EXECUTE_FAILED,
			"%s: the project exists; use -f to replace it",
			project);
	if (ret == 0)
		g_strlcpy(name, hdReplacementProject(self->replacement),
			  PATH_MAX);
	return statusOf(self, ret, project);
}

static int hdexecuteRecord(struct process *self)
{
	char name[PATH_MAX] = "";
	int status = agree(self, self->rank == 0 ? beginProject(self, name)
						 : HD_EXECUTE_OK);
	int ret;

	if (status != HD_EXECUTE_OK)
		return status;
	MPI_Bcast(name, sizeof(name), MPI_BYTE, 0, MPI_COMM_WORLD);
	ret = hdExecuteRecordBegin(&self->run, name, self->rank == 0,
				   &self->record);
	status = agree(self, statusOf(self, ret, self->settings.project));
	self->run.record = status == HD_EXECUTE_OK ? self->record : NULL;
	if (self->rank == 0 && status == HD_EXECUTE_OK)
		status = statusOf(self,
				  hdReplacementKeep(self->replacement, true),
				  self->settings.project);
	else
		hdReplacementDrop(self->replacement);
	return agree(self, status);
}

static int hdexecuteEndRecord(struct process *self)
{
	int ret = hdExecuteRecordEnd(&self->run, self->record);

	self->record = self->run.record = NULL;
	if (ret < 0)
		return hdexecuteReportError(self, HD_EXECUTE_FAILED,
					    "%s: cannot write all files: %s",
					    self->settings.project,
					    hdRecordReason(-ret));
	return HD_EXECUTE_OK;
}

/* ---- The run ------------------------------------------------------------ */

static int checkResults(struct process *self)
{
	struct hdExecuteCheck check;
	int ret = hdExecuteResults(&self->run, &check);

	if (ret < 0 || self->rank != 0)
		return statusOf(self, ret, "check");
	if (!check.what)
		return hdexecuteReportError(
			self, HD_EXECUTE_FAILED,
			"--check: not supported for this graph; only for "
			"POTRF, GETRF and STENCIL");
	if (check.bound > 0)
		printf("check: %s = %.3g, at most %.3g: %s\n", check.what,
		       check.error, check.bound,
		       check.wrong ? "wrong" : "right");
	return check.wrong
		       ? hdexecuteReportError(self, HD_EXECUTE_INVALID,
					      "wrong result: %s (%" PRIu64 ")",
					      check.what, check.wrong)
		       : HD_EXECUTE_OK;
}

/* The length of all, and the bytes that went to other nodes. */
static void hdexecuteSummarize(struct process *self, int64_t startNs)
{
	const struct hdExecutePlan *plan = &self->run.plan;
	int64_t length = 0;
	int64_t moving = self->run.movingNs;
	double bytes = 0;
	char sizes[OUT_NUMBER_SIZE], times[OUT_NUMBER_SIZE];

	for (uint32_t w = 0; w < self->run.workerCount; w++)
		length = MAX(length, self->run.workers[w].endNs - startNs);
	MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_INT64_T, MPI_MAX,
		      MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &moving, 1, MPI_INT64_T, MPI_SUM,
		      MPI_COMM_WORLD);
	for (uint32_t m = 0; m < plan->messageCount; m++)
		bytes += (double)hdExecuteSize(plan, plan->messages[m].dataSet);
	if (self->rank != 0 || self->settings.isQuiet)
		return;
	printf("time: %s\n", outSeconds(times, length));
	printf("tasks: %" PRIu32 " on %" PRIu32 " PEs of %d nodes\n",
	       plan->graph->taskCount, self->platform->peCount, self->size);
	printf("messages: %" PRIu32 ", %s\n", plan->messageCount,
	       outSize(sizes, (int64_t)bytes));
	printf("data transfers: %s of CPU time\n", outSeconds(times, moving));
	printf("linear algebra: %s\n", hdKernelBlasName());
}

static int measureLinks(struct process *self)
{
	const struct hdExecuteLinks *links = &self->settings.links;
	int pairs = self->size * (self->size - 1) / 2, status;

	if (self->rank == 0 && !self->settings.isQuiet) {
		printf("links: %d, each with %zu sizes of messages: %.0f s\n",
		       pairs, links->sizeCount,
		       pairs * (double)links->sizeCount *
			       (links->batchSeconds + 2 * links->pauseSeconds));
		fflush(stdout);
	}
	status = statusOf(self, hdExecuteExchange(&self->run, links),
			  self->settings.project);
	return agree(self, worse(status, hdexecuteEndRecord(self)));
}

static int hdexecuteRun(struct process *self)
{
	struct hdExecution *all = &self->run;
	int64_t startNs;
	int ret, status;

	if (self->settings.links.sizeCount)
		return measureLinks(self);
	MPI_Barrier(MPI_COMM_WORLD);
	startNs = hdMonotonicNow();
	ret = hdExecuteStart(all);
	if (ret < 0) {
		all->status = statusOf(self, ret, "thread");
		atomic_store(&all->isCulprit, true);
	}
	hdExecuteTransport(all);
	hdExecuteJoin(all);
	status = worse(all->status, hdexecuteEndRecord(self));
	status = agree(self, status);
	if (status != HD_EXECUTE_OK)
		return status;
	hdexecuteSummarize(self, startNs);
	return self->settings.isChecked ? agree(self, checkResults(self))
					: status;
}

static void destroy(struct process *self)
{
	hdExecuteRecordEnd(&self->run, self->record);
	if (self->run.plan.graph)
		hdExecuteFree(&self->run);
	hdKernelSetFree(self->kernels);
	hdP_destroyGraph(self->graph);
	hdP_destroyPlatform(self->platform);
	hdP_destroyResources(self->resources);
	g_string_free(self->said, TRUE);
	g_free(self->settings.platform);
	g_free(self->settings.resources);
	g_free(self->settings.map);
	g_free(self->settings.parts);
	g_free(self->settings.kernels);
	g_free(self->settings.pace);
	g_free(self->settings.project);
	g_free(self->settings.sizes);
	g_free(self->settings.links.sizes);
}

static int execute(struct process *self, const char *path)
{
	int status = hdexecutePrepare(self, path), watcher;

	if (status != HD_EXECUTE_OK)
		return status;
	hdExecutePlace(&self->run);
	watcher = hdExecuteWatch(&self->run);
	if (self->settings.project)
		status = hdexecuteRecord(self);
	if (status == HD_EXECUTE_OK)
		status = hdexecuteRun(self);
	hdExecuteWatchEnd(watcher);
	return status;
}

/* ---- The command line --------------------------------------------------- */

static const char *const maps[] = { "given", "eft", NULL };
static const char *const partWords[] = { "nodes", "pes", NULL };
static const struct cliWords words[] = { { "map", maps, false },
					 { "parts", partWords, false },
					 { NULL, NULL, false } };
static const struct cliNumber numbers[] = {
	{ "pes", 0, 100000, NULL },
	{ "batch", CLI_ABOVE_ZERO, 3600, "s" },
	{ "pause", CLI_ABOVE_ZERO, 3600, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdexecute",
	.arguments = "[GRAPH]",
	.description = "Run a task graph on the nodes of a platform.",
	.notes = "Exit status: 0 success; 1 the model is invalid, a task "
		 "failed, or a result is wrong;\n2 usage, input or output "
		 "error.\n\nExamples:\n  mpiexec -n 2 hdexecute ch8.xml --pes "
		 "1 --check -p ch8\n  mpiexec -n 2 hdexecute "
		 "--links=10000,100000,1000000 -p links\n",
	.usageStatus = HD_EXECUTE_FAILED,
	.numbers = numbers,
	.words = words,
};

/* What is no word of --map is a file with the part of each task. */
static int hdexecuteChooseMap(struct settings *settings)
{
	const char *map = settings->map;
	struct stat about;
	int status;

	if (map && strcmp(map, "given") != 0 && strcmp(map, "eft") != 0) {
		if (access(map, F_OK) != 0 && !strchr(map, '/'))
			return cliErrorValue(&command, "map", map,
					     "given, eft or a file with the "
					     "part of each task");
		/* Each process reads it. */
		if (stat(map, &about) == 0 && !S_ISREG(about.st_mode))
			return cliErrorValue(&command, "map", map,
					     "given, eft or a regular file");
		settings->partition = map;
	}
	if (settings->parts && !settings->partition)
		return cliUsage(&command, "--parts: requires --map FILE");
	status = cliChoose(&command, "parts", settings->parts,
			   &settings->partsArePes);
	if (status >= 0)
		return status;
	if (settings->ignoresMap && !settings->partition &&
	    g_strcmp0(map, "eft") != 0)
		return cliUsage(&command, "--ignore-map: requires --map eft or "
					  "a file");
	return -1;
}

static int hdexecuteParse(struct settings *settings, struct hdExecutePace *pace,
			  int *argc, char ***argv)
{
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &settings->platform,
		  "Platform with a node per process (default: generated)",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME,
		  &settings->resources,
		  "Resource model for --map eft (default: equal times)",
		  "FILE" },
		{ "map", 0, 0, G_OPTION_ARG_STRING, &settings->map,
		  "Mapping: given, eft, or a file with the part of each task "
		  "(default: given if the graph has one)",
		  "HOW" },
		{ "parts", 0, 0, G_OPTION_ARG_STRING, &settings->parts,
		  "For --map FILE: meaning of the parts, nodes or pes "
		  "(default: nodes)",
		  "WHAT" },
		{ "ignore-map", 0, 0, G_OPTION_ARG_NONE, &settings->ignoresMap,
		  "Replace the mapping of the graph; otherwise mapped tasks "
		  "stay",
		  NULL },
		{ "pes", 0, 0, G_OPTION_ARG_INT, &settings->pes,
		  "PEs per node without --platform (default: one per CPU)",
		  "N" },
		{ "kernels", 0, 0, G_OPTION_ARG_FILENAME, &settings->kernels,
		  "Directories of kernels (default: $HDTRACE_KERNELS)", "DIR" },
		{ "check", 0, 0, G_OPTION_ARG_NONE, &settings->isChecked,
		  "Check the results", NULL },
		{ "pace", 0, 0, G_OPTION_ARG_STRING, &settings->pace,
		  "Emulate a network with this bandwidth and latency",
		  "BYTES_PER_S[,LATENCY]" },
		{ "links", 0, 0, G_OPTION_ARG_STRING, &settings->sizes,
		  "Measure links with these message sizes instead of "
		  "running a graph",
		  "BYTES[,BYTES...]" },
		{ "batch", 0, 0, G_OPTION_ARG_DOUBLE,
		  &settings->links.batchSeconds,
		  "Measuring time per message size for --links (default: 4 s)",
		  "SECONDS" },
		{ "pause", 0, 0, G_OPTION_ARG_DOUBLE,
		  &settings->links.pauseSeconds,
		  "Pause before and after each size for --links (default: 2 s)",
		  "SECONDS" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &settings->project,
		  "Record the run as a project (default: no recording)",
		  "PROJECT" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &settings->isForced,
		  "Replace an existing project", NULL },
		CLI_OPTION_COMPRESS,
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &settings->isQuiet,
		  "Print no summary", NULL },
		{ NULL }
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&command, lists, argc, argv);

	if (status >= 0)
		return status;
	if (!settings->sizes && *argc < 2)
		return cliErrorMissing(&command, "GRAPH");
	if (*argc > (settings->sizes ? 1 : 2))
		return cliErrorUnexpected(&command,
					  (*argv)[settings->sizes ? 1 : 2]);
	if (!hdExecuteReadSizes(settings->sizes, &settings->links))
		return cliErrorValue(&command, "links", settings->sizes,
				     "numbers of bytes, separated by commas");
	if (settings->sizes && !settings->project)
		return cliErrorNeeds(&command, "links", "project");
	status = hdexecuteChooseMap(settings);
	if (status >= 0)
		return status;
	if (!hdExecuteReadPace(settings->pace, pace))
		return cliErrorValue(&command, "pace", settings->pace,
				     "bytes per second, 1 or more, and an "
				     "optional latency, such as 1e6,1ms");
	return -1;
}

int main(int argc, char **argv)
{
	struct process self = { .settings.links = { .batchSeconds = 4,
						    .pauseSeconds = 2 },
				.said = g_string_new(NULL) };
	int status, level;

	setlocale(LC_ALL, "");
	hdExecuteKeepMemory();
	status = hdexecuteParse(&self.settings, &self.run.pace, &argc, &argv);
	if (status >= 0) {
		g_string_free(self.said, TRUE);
		return status;
	}
	/* The thread that moves data sets is this one. */
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &self.size);
	status = level < MPI_THREAD_FUNNELED
			 ? hdexecuteReportError(
				   &self, HD_EXECUTE_FAILED,
				   "the MPI library does not support threads")
			 : HD_EXECUTE_OK;
	status = agree(&self, status);
	if (status == HD_EXECUTE_OK)
		status = execute(&self, argc > 1 ? argv[1] : NULL);
	destroy(&self);
	status = worse(status, cliFinish(&command));
	MPI_Finalize();
	return status;
}
