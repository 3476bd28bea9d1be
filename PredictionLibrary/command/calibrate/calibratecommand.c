/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict calibrate: the command. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "PredictionLibrary/command/calibrate/calibrating.h"
#include "PredictionLibrary/command/calibrate/calibrateprint.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/nodepower.h"

/* What was asked for. */
struct calibrateSettings {
	char *output, *keep, *format, *model;
	double max;
	int sizes, rounds;
	bool isJson;
};

/* Numbers of the program, hdcalibrate. */
#define CALIBRATE_MAX 4194304
#define CALIBRATE_SIZES 48
#define CALIBRATE_SIZES_MAX 200
#define CALIBRATE_ROUNDS 20

static int calibrateCheck(struct predict *predict,
			  struct calibrateSettings *settings)
{
	static const char *const formats[] = { "text", "json", NULL };
	int format = predictChoose(predict, "--format",
				   settings->format ? settings->format : "text",
				   formats);

	if (format < 0)
		return PREDICT_FAILED;
	settings->isJson = format == 1;
	if (!settings->output)
		return predictMissingOption(predict, "output");
	if (!(settings->max >= 1024) || settings->max > 1e9)
		return predictOutOfRange(predict, "max", settings->max,
					 "1024 to 1e9");
	if (settings->sizes < 16 || settings->sizes > CALIBRATE_SIZES_MAX)
		return predictOutOfRange(predict, "sizes", settings->sizes,
					 "16 to 200");
	if (settings->rounds < 1 || settings->rounds > 100000)
		return predictOutOfRange(predict, "rounds", settings->rounds,
					 "1 to 100000");
	return PREDICT_OK;
}

/* ---- The run ----------------------------------------------------------- */

/* Hosts in the order of ranks; their numbers by rank. */
static GArray *calibrateHosts(const hdIProject *project,
			      struct machineXml *machine)
{
	const hdINode **nodes =
		g_new0(const hdINode *, project->traceCount + 1);
	int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
	GArray *hosts = g_array_new(FALSE, FALSE, sizeof(guint));

	for (size_t i = 0; i < project->traceCount; i++) {
		int64_t rank =
			messagesRankOf(project, project->traces[i]->node);

		if (rank >= 0 && rank < (int64_t)project->traceCount)
			nodes[rank] = project->traces[i]->node;
	}
	for (size_t i = 0; i < project->traceCount && nodes[i]; i++) {
		guint host = machineXmlAddHost(
			machine, rolesAt(nodes[i], 1)->label, MAX(cores, 1));

		g_array_append_val(hosts, host);
	}
	g_free(nodes);
	return hosts;
}

/* For --ranks of the replay. */
static int calibrateWriteHosts(const struct calibrateRun *run,
			       const struct machineXml *machine,
			       const GArray *hosts)
{
	char *path = calibrateRunFile(run, "hosts");
	FILE *file = fopen(path, "we");
	int status = PREDICT_OK;

	for (guint i = 0; file && i < hosts->len; i++)
		fprintf(file, "%s\n",
			g_array_index(machine->hosts, struct machineXmlHost,
				      g_array_index(hosts, guint, i))
				.name);
	if (!file || ferror(file) | (fclose(file) != 0))
		status = predictErrorWrite(run->predict, path, errno);
	g_free(path);
	return status;
}

static int calibrateWritePlatform(const struct predict *predict,
				  const struct machineXml *machine,
				  const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return predictErrorCreate(predict, path, errno);
	errno = 0;
	machineXmlPut(machine, file);
	if (ferror(file) | (fclose(file) != 0))
		return predictErrorWrite(predict, path, errno);
	return PREDICT_OK;
}

static GPtrArray *calibrateSamples(const char *path)
{
	struct tool tool = { .program = "hdpredict", .command = "calibrate" };
	hdIProject *project = toolOpenProject(&tool, path);
	GPtrArray *samples = project ? samplesRead(project) : NULL;

	if (project)
		hdI_closeProject(project);
	return samples;
}

/* ---- The comparison ---------------------------------------------------- */

/* Whether what was measured is a collective call, by its name in MPI. */
static bool calibrateIsCollective(const char *what)
{
	return g_ascii_isupper(*what);
}

/* The mean of relative errors of collective calls; NaN: there are none. */
static double calibrateError(const GPtrArray *measured,
			     const GPtrArray *replayed)
{
	double sum = 0;
	int count = 0;

	for (guint i = 0; replayed && i < measured->len; i++) {
		const struct samplesGroup *group = measured->pdata[i];
		const struct samplesGroup *other =
			samplesFind(replayed, group->what, group->size);

		if (!other || !calibrateIsCollective(group->what))
			continue;
		sum += fabs(log(fitQuartile(other->times) /
				fitQuartile(group->times)));
		count++;
	}
	return count ? sum / count : NAN;
}

/* Replay the run with the algorithms that SMPI has for collective calls, and
 * keep the ones that are closest. */
static void calibrateReplay(struct calibrateRun *run,
			    struct calibrateResult *result)
{
	static const char *const selectors[] = { "default", "ompi" };
	double best = INFINITY;

	for (size_t i = 0; i < G_N_ELEMENTS(selectors); i++) {
		char *path = calibrateRunFile(run, selectors[i]);
		GPtrArray *replayed =
			calibrateRunReplay(run, selectors[i], selectors[i])
				? calibrateSamples(path)
				: NULL;
		double error = calibrateError(result->measured, replayed);

		g_free(path);
		if (!replayed)
			continue;
		if (result->replayed && !(error < best)) {
			g_ptr_array_unref(replayed);
			continue;
		}
		if (result->replayed)
			g_ptr_array_unref(result->replayed);
		result->replayed = replayed;
		result->selector = selectors[i];
		best = error;
	}
	if (!result->replayed)
		result->failure = calibrateRunFailure(run);
}

/* ---- The command ------------------------------------------------------- */

static int calibrateEvaluate(struct calibrateRun *run,
			     struct calibrateResult *result,
			     const struct calibrateSettings *settings)
{
	struct tool tool = { .program = "hdpredict", .command = "calibrate" };
	char *path = calibrateRunFile(run, "run");
	hdIProject *project = toolOpenProject(&tool, path);
	GArray *hosts;
	bool isBetween;
	int status;

	g_free(path);
	if (!project)
		return PREDICT_FAILED;
	hosts = calibrateHosts(project, &result->machine);
	isBetween = hosts->len &&
		    g_array_index(hosts, guint, 0) !=
			    g_array_index(hosts, guint, hosts->len - 1);
	result->measured = samplesRead(project);
	if (!result->measured ||
	    !calibrationMake(&result->model, result->measured, isBetween)) {
		status = predictError(run->predict,
				      "the run has not all messages; it needs "
				      "two ranks or more");
	} else {
		calibrationPut(&result->model, &result->machine, isBetween);
		path = calibrateRunFile(run, "platform.xml");
		status = calibrateWritePlatform(run->predict, &result->machine,
						path);
		g_free(path);
		if (status == PREDICT_OK)
			status = calibrateWriteHosts(run, &result->machine,
						     hosts);
	}
	g_array_unref(hosts);
	hdI_closeProject(project);
	if (status != PREDICT_OK)
		return status;
	calibrateReplay(run, result);
	if (result->selector)
		machineXmlAddOption(&result->machine,
				    g_strconcat("smpi/coll-selector:",
						result->selector, NULL));
	return calibrateWritePlatform(run->predict, &result->machine,
				      settings->output);
}

static int calibrateWatts(struct predict *predict, const char *path,
			  struct machineXml *machine)
{
	char idle[G_ASCII_DTOSTR_BUF_SIZE], peak[G_ASCII_DTOSTR_BUF_SIZE];
	struct hdPowerModel model;
	int status;

	if (!path)
		return PREDICT_OK;
	status = nodePowerRead(predict, path, &model);
	if (status != PREDICT_OK)
		return status;
	g_ascii_formatd(idle, sizeof(idle), "%.9g", model.idle);
	g_ascii_formatd(peak, sizeof(peak), "%.9g", nodePowerCpu(&model, 1, 1));
	machine->watts = g_strdup_printf("%s:%s:%s", idle, idle, peak);
	return PREDICT_OK;
}

static int calibrateDo(struct predict *predict,
		       const struct calibrateSettings *settings,
		       char *const *launcher)
{
	struct calibrateRun run = { .predict = predict,
				    .max = settings->max,
				    .sizes = settings->sizes,
				    .rounds = settings->rounds };
	struct calibrateResult result = { .measured = NULL };
	int status;

	machineXmlInit(&result.machine);
	status = calibrateWatts(predict, settings->model, &result.machine);
	if (status == PREDICT_OK)
		status = calibrateRunBegin(&run, settings->keep);
	if (status == PREDICT_OK)
		status = calibrateRunProgram(&run, launcher);
	if (status == PREDICT_OK)
		status = calibrateEvaluate(&run, &result, settings);
	calibrateRunEnd(&run);
	if (status == PREDICT_OK && settings->isJson)
		calibratePrintJson(&result);
	else if (status == PREDICT_OK)
		calibratePrintText(&result, settings->output);
	g_free(result.failure);
	if (result.model.transfer)
		calibrationClear(&result.model);
	machineXmlClear(&result.machine);
	if (result.measured)
		g_ptr_array_unref(result.measured);
	if (result.replayed)
		g_ptr_array_unref(result.replayed);
	return status;
}

int predictCalibrateRun(struct predict *predict, int argc, char **argv)
{
	struct calibrateSettings settings = { .max = CALIBRATE_MAX,
					      .sizes = CALIBRATE_SIZES,
					      .rounds = CALIBRATE_ROUNDS };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &settings.output,
		  "Write the platform", "FILE" },
		{ "max", 0, 0, G_OPTION_ARG_DOUBLE, &settings.max,
		  "Largest message in bytes (default: 4194304)", "BYTES" },
		{ "sizes", 0, 0, G_OPTION_ARG_INT, &settings.sizes,
		  "Sizes of messages (default: 48)", "N" },
		{ "rounds", 0, 0, G_OPTION_ARG_INT, &settings.rounds,
		  "Measurements of each size (default: 20)", "N" },
		{ "power-model", 0, 0, G_OPTION_ARG_FILENAME, &settings.model,
		  "Power of the hosts from a model of hdtrace power-model",
		  "FILE" },
		{ "keep", 0, 0, G_OPTION_ARG_FILENAME, &settings.keep,
		  "Keep the run and its replays in a new directory", "DIR" },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &settings.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"[-- LAUNCHER [OPTION...]]",
		"Measure messages of MPI on this machine, and write a platform "
		"of SimGrid.",
		"LAUNCHER starts the ranks (default: mpiexec -n 2). Rank 0 "
		"and the last rank exchange messages.\n"
		"\n"
		"Exit status: 0 success; 2 usage, input or output error, or "
		"the ranks fail.\n"
		"\n"
		"Examples:\n"
		"  hdpredict calibrate -o machine.xml\n"
		"  hdpredict calibrate -o cluster.xml --keep=run -- mpiexec "
		"-n 2 --host=node1,node2\n",
		0, 100
	};
	int status = predictParse(predict, &argc, &argv, entries, &help);

	/* The help was printed, or an option is wrong. */
	if (status >= 0)
		return status;
	status = calibrateCheck(predict, &settings);
	if (status == PREDICT_OK)
		status = calibrateDo(predict, &settings, argv + 1);
	return status;
}
