/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict replay: the command. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "HDTraceTools/command/core/tool.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/nodepower.h"
#include "PredictionLibrary/command/replay/links.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"

/* What was asked for. */
struct replaySettings {
	char *platform, *output, *ranks, *scale, *waiting, *keep, *format;
	char *speed, *model;
	char **cfg;
	gboolean isForced, isMeasured;
	/* Read: */
	struct replayScale factors;
	struct hdPowerModel power;
	double operations;
	bool isJson;
};

static int replayCommandCheck(struct replay *self,
			      struct replaySettings *settings)
{
	static const char *const waits[] = { "busy", "idle", NULL };
	static const char *const formats[] = { "text", "json", NULL };
	int waiting = predictChoose(
		self->predict, "--waiting",
		settings->waiting ? settings->waiting : "busy", waits);
	int format = predictChoose(self->predict, "--format",
				   settings->format ? settings->format : "text",
				   formats);
	char *end;

	if (waiting < 0 || format < 0)
		return PREDICT_FAILED;
	self->isBusy = waiting == 0;
	settings->isJson = format == 1;
	settings->operations = TI_SPEED;
	if (!settings->platform && !settings->isMeasured)
		return predictMissingOption(self->predict, "platform");
	if (settings->platform && settings->isMeasured)
		return predictExcludes(self->predict, "platform",
				       "from-measured");
	if (settings->speed) {
		settings->operations = g_ascii_strtod(settings->speed, &end);
		if (end == settings->speed || *end ||
		    !(settings->operations > 0) || isinf(settings->operations))
			return predictInvalidNumber(self->predict, "speed",
						    settings->speed,
						    "a number above 0");
	}
	for (char **cfg = settings->cfg; cfg && *cfg; cfg++) {
		if (!strchr(*cfg, ':'))
			return predictInvalidValue(self->predict, "cfg", *cfg,
						   "KEY:VALUE");
	}
	return platformFileScale(self->predict, settings->scale,
				 &settings->factors);
}

/* ---- The traces -------------------------------------------------------- */

/* Calls of a function that are left out; NULL: it has none at this number. */
static const struct tiFate *replayCommandRefused(const struct replay *self,
						 guint number)
{
	const struct tiFate *fate = &g_array_index(tiReport(self->ti)->fates,
						   struct tiFate, number);

	return fate->to ? NULL : fate;
}

static void replayCommandWarn(const struct replay *self)
{
	for (guint i = 0; i < tiReport(self->ti)->fates->len; i++) {
		const struct tiFate *fate = replayCommandRefused(self, i);

		if (fate)
			predictError(self->predict,
				     PREDICT_WARNING
				     "%s: calls of MPI_%s are left out: "
				     "%" PRIu64,
				     self->project->file, fate->function,
				     fate->count);
	}
}

static int replayCommandRead(struct replay *self, struct tool *tool)
{
	const struct diagnosticSink sink = { toolTakeDiagnostic, tool };
	const GPtrArray *problems;
	int ret;

	for (size_t i = 0; i < self->count; i++) {
		ret = tiRead(self->ti, i, &sink);
		if (ret < 0)
			return predictErrorRead(
				self->predict, tiTrace(self->ti, i)->file, ret);
	}
	tiJoin(self->ti);
	problems = tiProblems(self->ti);
	for (guint i = 0; i < problems->len; i++)
		predictError(self->predict, "%s: %s", self->project->file,
			     (const char *)problems->pdata[i]);
	if (problems->len)
		return PREDICT_INVALID;
	if (self->count == 0) {
		predictError(self->predict,
			     "%s: has no ranks; only runs of MPI are replayed",
			     self->project->file);
		return PREDICT_INVALID;
	}
	replayCommandWarn(self);
	return PREDICT_OK;
}

static int replayCommandWriteRank(struct replay *self, size_t rank, FILE *list)
{
	char *name = g_strdup_printf("rank-%zu.ti", rank);
	char *path = replayFile(self, name);
	FILE *file = fopen(path, "we");
	int ret = file ? tiWrite(self->ti, rank, file) : -errno;

	if (file && ferror(file) | (fclose(file) != 0) && ret == 0)
		ret = errno ? -errno : -EIO;
	fprintf(list, "%s\n", name);
	if (ret < 0)
		ret = predictErrorWrite(self->predict, path, ret);
	g_free(name);
	g_free(path);
	return ret;
}

static int replayCommandWrite(struct replay *self)
{
	char *path = replayFile(self, "ti.list");
	FILE *list = fopen(path, "we");
	int status = PREDICT_OK;

	for (size_t i = 0; list && i < self->count && status == PREDICT_OK; i++)
		status = replayCommandWriteRank(self, i, list);
	if (status == PREDICT_OK &&
	    (!list || ferror(list) | (fclose(list) != 0)))
		status = predictErrorWrite(self->predict, path, errno);
	g_free(path);
	return status;
}

/* ---- What came of it --------------------------------------------------- */

static double replayCommandMeasured(const struct replay *self)
{
	const struct tiReport *report = tiReport(self->ti);

	return (double)(report->end - report->start) / 1e9;
}

/* Of all hosts with ranks; NaN: the power of one is unknown. */
static double replayCommandEnergy(const struct replay *self)
{
	double energy = 0;

	for (guint i = 0; i < self->hosts->len; i++) {
		const struct replayHost *host = replayHostAt(self, i);

		if (host->ranks > 0)
			energy += host->watts.isKnown ? host->energy : NAN;
	}
	return energy;
}

static void replayCommandPutEnergy(struct outJson *json,
				   const struct replay *self, double energy)
{
	outJsonDouble(json, "energy_j", energy);
	outJsonDouble(json, "known_s", isnan(energy) ? 0 : self->time);
	outJsonDouble(json, "duration_s", self->time);
}

static void replayCommandPutLost(struct outJson *json,
				 const struct replay *self)
{
	const struct tiReport *report = tiReport(self->ti);

	outJsonInteger(json, "estimated", (int64_t)report->estimated);
	outJsonArray(json, "refused", false);
	for (guint i = 0; i < report->fates->len; i++) {
		const struct tiFate *fate = replayCommandRefused(self, i);

		if (!fate)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "function", fate->function);
		outJsonInteger(json, "count", (int64_t)fate->count);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonInteger(json, "synchronous_lost", (int64_t)report->synchronous);
}

static void replayCommandJson(const struct replay *self)
{
	double measured = replayCommandMeasured(self);
	struct outJson json = { .depth = 0 };

	outJsonDocument(&json, "hdpredict-replay");
	outJsonText(&json, "project", self->project->name);
	outJsonDouble(&json, "time_s", self->time);
	outJsonDouble(&json, "measured_s", measured);
	outJsonDouble(&json, "error_percent",
		      measured > 0 ? (self->time - measured) / measured * 100
				   : NAN);
	replayCommandPutEnergy(&json, self, replayCommandEnergy(self));
	outJsonText(&json, "waiting", self->isBusy ? "busy" : "idle");
	outJsonText(&json, "compute_from",
		    tiComputeName(tiReport(self->ti)->compute));
	replayCommandPutLost(&json, self);
	outJsonArray(&json, "hosts", false);
	for (guint i = 0; i < self->hosts->len; i++) {
		const struct replayHost *host = replayHostAt(self, i);

		if (host->ranks == 0)
			continue;
		outJsonObject(&json, NULL, true);
		outJsonText(&json, "host", host->name);
		outJsonInteger(&json, "cores", host->cores);
		outJsonInteger(&json, "ranks", host->ranks);
		replayCommandPutEnergy(
			&json, self, host->watts.isKnown ? host->energy : NAN);
		outJsonEnd(&json);
	}
	outJsonEnd(&json);
	outJsonArray(&json, "ranks", false);
	for (size_t i = 0; i < self->count; i++) {
		const struct replayRank *rank = &self->ranks[i];

		outJsonObject(&json, NULL, true);
		outJsonInteger(&json, "rank", (int64_t)i);
		outJsonText(&json, "host",
			    replayHostAt(self, rank->host)->name);
		outJsonDouble(&json, "computation_s", rank->computation);
		outJsonDouble(&json, "mpi_s", rank->mpi);
		outJsonDouble(&json, "files_s", rank->files);
		outJsonEnd(&json);
	}
	outJsonEnd(&json);
	outJsonObject(&json, "simgrid", false);
	outJsonText(&json, "version", self->version);
	outJsonArray(&json, "options", false);
	for (guint i = 0; i < self->options->len; i++)
		outJsonText(&json, NULL, self->options->pdata[i]);
	outJsonEnd(&json);
	outJsonEnd(&json);
	outJsonEnd(&json);
}

static void replayCommandText(const struct replay *self)
{
	double measured = replayCommandMeasured(self);
	double energy = replayCommandEnergy(self);

	printf("Predicted time: %.6g s\n", self->time);
	printf("Measured time: %.6g s", measured);
	if (measured > 0)
		printf(" (prediction: %+.1f %%)",
		       (self->time - measured) / measured * 100);
	putchar('\n');
	if (isnan(energy))
		puts("Energy: unknown (a host has no wattage_per_state, and "
		     "there is no --power-model)");
	else
		printf("Energy: %.6g J (waiting ranks are %s)\n", energy,
		       self->isBusy ? "busy" : "idle");
	printf("SimGrid %s: %.3g s; traces: %.3g s\n", self->version,
	       self->engineTime, self->exportTime);
}

/* ---- The command ------------------------------------------------------- */

static int replayCommandProject(struct replay *self,
				const struct replaySettings *settings)
{
	struct hdReplacement *replacement;
	char *file;
	int ret, status;

	if (!settings->output)
		return timedRead(self, NULL);
	file = hdProjectFileName(settings->output, ".proj");
	ret = file && access(file, F_OK) == 0 && !settings->isForced
		      ? -EEXIST
		      : hdReplacementBegin(settings->output, &replacement);
	free(file);
	if (ret == -EEXIST)
		return predictError(
			self->predict,
			"%s: the project exists; use -f to replace it",
			settings->output);
	if (ret < 0)
		return predictErrorWrite(self->predict, settings->output, ret);
	status = timedRead(self, hdReplacementProject(replacement));
	if (status != PREDICT_OK) {
		hdReplacementDrop(replacement);
		return status;
	}
	ret = hdReplacementKeep(replacement, true);
	return ret < 0 ? predictErrorWrite(self->predict, settings->output, ret)
		       : PREDICT_OK;
}

static double replayCommandSince(int64_t start)
{
	return (double)(g_get_monotonic_time() - start) / 1e6;
}

static int replayCommandDo(struct replay *self, struct replaySettings *settings,
			   struct tool *tool)
{
	int64_t start = g_get_monotonic_time();
	bool isStuck = false;
	int status = engineCheck(self->predict);

	if (status == PREDICT_OK && settings->model) {
		self->model = &settings->power;
		status = nodePowerRead(self->predict, settings->model,
				       &settings->power);
	}
	if (status == PREDICT_OK)
		status = replayCommandRead(self, tool);
	if (status == PREDICT_OK)
		status = workdirBegin(self, settings->keep);
	if (status == PREDICT_OK)
		status = platformFileWrite(self, settings->platform,
					   &settings->factors);
	if (status == PREDICT_OK)
		status = machineFind(self, settings->factors.cpu);
	if (status == PREDICT_OK)
		status = machinePlace(self, settings->ranks);
	if (status == PREDICT_OK && settings->output)
		flatWrite(self, settings->platform ? settings->platform
						   : self->project->file);
	if (status == PREDICT_OK)
		status = replayCommandWrite(self);
	self->exportTime = replayCommandSince(start);
	start = g_get_monotonic_time();
	if (status == PREDICT_OK)
		status = engineRun(self, settings->cfg, &isStuck);
	self->engineTime = replayCommandSince(start);
	if (isStuck)
		timedExplain(self);
	if (status == PREDICT_OK)
		status = replayCommandProject(self, settings);
	workdirEnd(self);
	if (status == PREDICT_OK && settings->isJson)
		replayCommandJson(self);
	else if (status == PREDICT_OK)
		replayCommandText(self);
	return status;
}

/* Each rank has two files open at once, here and in SimGrid. */
static void replayCommandAllowFiles(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void replayCommandFreeHost(void *data)
{
	struct replayHost *host = data;

	g_free(host->name);
}

static int replayCommandRun(struct replay *self,
			    struct replaySettings *settings, const char *path)
{
	struct tool tool = { .program = "hdpredict", .command = "replay" };
	hdIProject *project = toolOpenProject(&tool, path);
	int status;

	if (!project)
		return PREDICT_FAILED;
	replayCommandAllowFiles();
	self->project = project;
	self->platform = "platform.xml";
	self->ti = tiNew(project, settings->operations);
	self->count = tiRanks(self->ti);
	self->ranks = g_new0(struct replayRank, self->count + 1);
	self->hosts = g_array_new(FALSE, FALSE, sizeof(struct replayHost));
	g_array_set_clear_func(self->hosts, replayCommandFreeHost);
	self->options = g_ptr_array_new_with_free_func(g_free);
	status = replayCommandDo(self, settings, &tool);
	g_ptr_array_unref(self->options);
	if (self->ownHosts)
		g_ptr_array_unref(self->ownHosts);
	g_array_unref(self->hosts);
	g_free(self->ranks);
	g_free(self->version);
	tiFree(self->ti);
	hdI_closeProject(project);
	return status;
}

int predictReplayRun(struct predict *predict, int argc, char **argv)
{
	struct replaySettings settings = { .platform = NULL };
	struct replay replay = { .predict = predict };
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &settings.platform,
		  "Platform of SimGrid or of hdpredict", "FILE" },
		{ "from-measured", 0, 0, G_OPTION_ARG_NONE,
		  &settings.isMeasured,
		  "Use the platform of the run: its hosts, and the latency and "
		  "bandwidth of its messages",
		  NULL },
		{ "power-model", 0, 0, G_OPTION_ARG_FILENAME, &settings.model,
		  "Power of the hosts from a model of hdtrace power-model",
		  "FILE" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &settings.output,
		  "Write a project for hdtrace", "PROJECT" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &settings.isForced,
		  "Replace an existing project", NULL },
		{ "ranks", 0, 0, G_OPTION_ARG_FILENAME, &settings.ranks,
		  "Hosts of ranks: block, cyclic, or a file with a host in "
		  "each line (default: block; with --from-measured: as in the "
		  "run)",
		  "HOW" },
		{ "scale", 0, 0, G_OPTION_ARG_STRING, &settings.scale,
		  "Factors of the platform: cpu=F,bandwidth=F,latency=F",
		  "FACTORS" },
		{ "waiting", 0, 0, G_OPTION_ARG_STRING, &settings.waiting,
		  "Power of ranks that wait in MPI: busy or idle (default: "
		  "busy)",
		  "HOW" },
		{ "cfg", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &settings.cfg,
		  "Option of SimGrid, after those of hdpredict; may be "
		  "repeated",
		  "KEY:VALUE" },
		{ "speed", 0, 0, G_OPTION_ARG_STRING, &settings.speed,
		  "Operations per second of CPU or wall time in the run "
		  "(default: 1e9)",
		  "FLOPS" },
		{ "keep", 0, 0, G_OPTION_ARG_FILENAME, &settings.keep,
		  "Keep the files of SimGrid in a new directory", "DIR" },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &settings.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"PROJECT", "Replay a run on another platform, by SimGrid.",
		"Exit status: 0 success; 1 the run cannot be replayed, or "
		"deadlocks, or the platform is invalid;\n"
		"2 usage, input or output error, or SimGrid is missing.\n"
		"\n"
		"Examples:\n"
		"  hdpredict replay run --platform=cluster.xml -o replayed\n"
		"  hdpredict replay run --platform=cluster.xml "
		"--scale=bandwidth=2\n",
		1, 1
	};
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status < 0) {
		status = replayCommandCheck(&replay, &settings);
		if (status == PREDICT_OK && argc > 1)
			status = replayCommandRun(&replay, &settings, argv[1]);
	}
	g_strfreev(settings.cfg);
	return status;
}
