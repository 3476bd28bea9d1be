/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict simulate, and map. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/limits.h"
#include "PredictionLibrary/command/samples.h"
#include "PredictionLibrary/command/summary.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"

#define SAMPLES_MAX 10000000

/* What was asked for. */
struct wishes {
	char *platform, *resources, *map, *slowdown, *comm, *format, *use;
	char *output, *annotate, *form;
	char *against, *againstPlatform, *againstResources;
	gboolean hasTasks, isWithoutUnused, isForced, hasSubgraphs, fails;
	double powerLimit;
	int sampleCount;
	gint64 seed;
};

static void freeModels(struct predictModels *models)
{
	hdP_destroyGraph(models->graph);
	hdP_destroyPlatform(models->platform);
	hdP_destroyResources(models->resources);
}

static int readModels(struct predict *predict, const char *path,
		      const struct wishes *wishes, struct predictModels *models)
{
	int status = wishes->platform && wishes->resources
			     ? PREDICT_OK
			     : predictOpens(predict, path);

	if (status != PREDICT_OK)
		return status;
	if (!wishes->platform || !wishes->resources)
		return predictMissingOption(
			predict, wishes->platform ? "resources" : "platform");
	return predictRead(predict, path, &models->graph, wishes->platform,
			   &models->platform, wishes->resources,
			   &models->resources);
}

static int mapModels(struct predict *predict, const struct wishes *wishes,
		     struct predictModels *models)
{
	int ret = hdP_map(models->graph, models->platform, models->resources,
			  wishes->use, predictTake, predict);

	return predictStatus(predict, ret, "mapping");
}

int mapRun(struct predict *predict, int argc, char **argv)
{
	struct wishes wishes = { NULL };
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &wishes.platform,
		  "Platform: a file, thesis, thesis-eval or thesis-xu4",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &wishes.resources,
		  "Resource model: a file, or thesis", "FILE" },
		{ "use", 0, 0, G_OPTION_ARG_STRING, &wishes.use,
		  "Patterns of PE names, such as 'XU4-*,ATB-1.*' (default: all "
		  "PEs)",
		  "PATTERN" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &wishes.form,
		  "Form of the graph: xml or binary (default: xml)", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &wishes.output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"GRAPH|-",
		"Map each task to the PE on which it finishes earliest, and "
		"write the graph.",
		"Examples:\n"
		"  hdpredict map ch80.xml --platform p.xml --resources r.xml "
		"-o mapped.xml\n"
		"  hdpredict map ch80.xml --platform thesis --resources thesis "
		"--use 'XU4-*' -o xu4.xml\n",
		1, 1
	};
	struct predictModels models = { NULL, NULL, NULL };
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	status = readModels(predict, argv[1], &wishes, &models);
	if (status == PREDICT_OK)
		status = mapModels(predict, &wishes, &models);
	if (status == PREDICT_OK)
		status = predictWrite(predict, models.graph,
				      wishes.output ? wishes.output : "-",
				      wishes.form ? wishes.form : "xml", NULL);
	freeModels(&models);
	return status;
}

static int writeProject(struct predict *predict, const struct wishes *wishes,
			hdPResult *result, const struct samples *samples)
{
	struct hdReplacement *replacement;
	char *file = hdProjectFileName(wishes->output, ".proj");
	int ret = file && access(file, F_OK) == 0 && !wishes->isForced
			  ? -EEXIST
			  : hdReplacementBegin(wishes->output, &replacement);

	free(file);
	if (ret == -EEXIST)
		return predictError(
			predict, "%s: the project exists; use -f to replace it",
			wishes->output);
	if (ret == 0) {
		if (samples->own)
			ret = hdP_keepSamples(result, samples->own,
					      samples->count);
		if (ret == 0)
			ret = hdP_writeProject(
				result, hdReplacementProject(replacement));
		if (ret == 0)
			ret = hdReplacementKeep(replacement, true);
		else
			hdReplacementDrop(replacement);
	}
	if (ret < 0)
		return predictErrorWrite(predict, wishes->output, ret);
	return PREDICT_OK;
}

static int chooseOptions(struct predict *predict, const struct wishes *wishes,
			 hdPOptions *options, bool *isMapped, bool *isJson)
{
	static const char *const maps[] = { "given", "eft", NULL };
	static const char *const onOff[] = { "on", "off", NULL };
	static const char *const comms[] = { "exclusive", "share", NULL };
	static const char *const formats[] = { "text", "json", NULL };
	int map = predictChoose(predict, "--map",
				wishes->map ? wishes->map : "given", maps);
	int slowdown = predictChoose(predict, "--slowdown",
				     wishes->slowdown ? wishes->slowdown : "on",
				     onOff);
	int comm =
		predictChoose(predict, "--comm",
			      wishes->comm ? wishes->comm : "exclusive", comms);
	int format = predictChoose(predict, "--format",
				   wishes->format ? wishes->format : "text",
				   formats);

	if (map < 0 || slowdown < 0 || comm < 0 || format < 0)
		return PREDICT_FAILED;
	options->isWithoutSlowdown = slowdown == 1;
	options->sharing = comm == 1 ? HDP_SHARE : HDP_EXCLUSIVE;
	options->isWithoutUnused = wishes->isWithoutUnused;
	options->recordsTransfers = wishes->output != NULL;
	*isMapped = map == 0;
	*isJson = format == 1;
	if (!(wishes->powerLimit >= 0 && wishes->powerLimit < HUGE_VAL))
		return predictOutOfRange(predict, "power-limit",
					 wishes->powerLimit,
					 "watts, 0 or more");
	if (wishes->use && *isMapped)
		return predictUsage(predict, "--use: requires --map eft");
	return PREDICT_OK;
}

static int checkSamples(struct predict *predict, const struct wishes *wishes)
{
	if (wishes->sampleCount < 0 || wishes->sampleCount > SAMPLES_MAX)
		return predictOutOfRange(predict, "mc", wishes->sampleCount,
					 "1 to 10000000");
	if (wishes->against && !wishes->sampleCount)
		return predictNeeds(predict, "against", "mc");
	if ((wishes->againstPlatform || wishes->againstResources) &&
	    !wishes->against)
		return predictNeeds(predict,
				    wishes->againstPlatform
					    ? "against-platform"
					    : "against-resources",
				    "against");
	return PREDICT_OK;
}

/* Take samples, of the models that these are compared with, too. */
static int takeSamples(struct predict *predict, const struct wishes *wishes,
		       const hdPOptions *options, bool isMapped,
		       const struct predictModels *models,
		       struct samples *samples)
{
	struct predictModels other = { NULL, NULL, NULL };
	struct wishes more = *wishes;
	int status = PREDICT_OK;

	samples->count = (size_t)wishes->sampleCount;
	samples->seed = (uint64_t)wishes->seed;
	samples->against = wishes->against;
	if (!samples->count)
		return PREDICT_OK;
	if (wishes->againstPlatform)
		more.platform = wishes->againstPlatform;
	if (wishes->againstResources)
		more.resources = wishes->againstResources;
	if (wishes->against)
		status = readModels(predict, wishes->against, &more, &other);
	if (status == PREDICT_OK && wishes->against && !isMapped)
		status = mapModels(predict, &more, &other);
	if (status == PREDICT_OK)
		status = samplesTake(predict, samples, options, models,
				     wishes->against ? &other : NULL);
	freeModels(&other);
	return status;
}

int simulateRun(struct predict *predict, int argc, char **argv)
{
	struct wishes wishes = { .seed = 1 };
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &wishes.platform,
		  "Platform: a file, thesis, thesis-eval or thesis-xu4",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &wishes.resources,
		  "Resource model: a file, or thesis", "FILE" },
		{ "map", 0, 0, G_OPTION_ARG_STRING, &wishes.map,
		  "Mapping: given or eft, earliest finishing time (default: "
		  "given)",
		  "HOW" },
		{ "use", 0, 0, G_OPTION_ARG_STRING, &wishes.use,
		  "For --map eft: patterns of PE names, such as "
		  "'XU4-*,ATB-1.*'",
		  "PATTERN" },
		{ "slowdown", 0, 0, G_OPTION_ARG_STRING, &wishes.slowdown,
		  "Let kernels on one node slow each other down (default: on)",
		  "on|off" },
		{ "comm", 0, 0, G_OPTION_ARG_STRING, &wishes.comm,
		  "Use of links: exclusive or share (default: exclusive)",
		  "HOW" },
		{ "off-unused", 0, 0, G_OPTION_ARG_NONE,
		  &wishes.isWithoutUnused,
		  "Ignore the idle power of unused servers", NULL },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &wishes.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ "tasks", 0, 0, G_OPTION_ARG_NONE, &wishes.hasTasks,
		  "Also print each task", NULL },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &wishes.output,
		  "Write a project for hdtrace", "PROJECT" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &wishes.isForced,
		  "Replace an existing project", NULL },
		{ "annotate", 0, 0, G_OPTION_ARG_FILENAME, &wishes.annotate,
		  "Write the graph with times to FILE", "FILE" },
		{ "power-limit", 0, 0, G_OPTION_ARG_DOUBLE, &wishes.powerLimit,
		  "Print the times when all servers together exceed W watts, "
		  "and the responsible tasks",
		  "W" },
		{ "subgraphs", 0, 0, G_OPTION_ARG_NONE, &wishes.hasSubgraphs,
		  "Print the time of each independent part of the graph",
		  NULL },
		{ "fail", 0, 0, G_OPTION_ARG_NONE, &wishes.fails,
		  "Exit with 3 if a power limit is exceeded or memory "
		  "overflows",
		  NULL },
		{ "mc", 0, 0, G_OPTION_ARG_INT, &wishes.sampleCount,
		  "Also simulate N samples from the distributions of time and "
		  "energy",
		  "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &wishes.seed,
		  "Seed of the samples (default: 1)", "N" },
		{ "against", 0, 0, G_OPTION_ARG_FILENAME, &wishes.against,
		  "With --mc: print the probability that GRAPH is better than "
		  "FILE",
		  "FILE" },
		{ "against-platform", 0, 0, G_OPTION_ARG_FILENAME,
		  &wishes.againstPlatform,
		  "Platform for --against (default: as for GRAPH)", "FILE" },
		{ "against-resources", 0, 0, G_OPTION_ARG_FILENAME,
		  &wishes.againstResources,
		  "Resource model for --against (default: as for GRAPH)",
		  "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"GRAPH|-",
		"Predict time, energy and power of a task graph.",
		"Exit status: 0 success; 1 the model is invalid, or tasks wait "
		"for each other in a cycle;\n"
		"2 usage, input or output error; 3 with --fail: a limit is "
		"exceeded.\n"
		"\n"
		"Examples:\n"
		"  hdpredict simulate ch80.xml --platform thesis --resources "
		"thesis --map eft -o ch80\n"
		"  hdpredict simulate a.xml --platform p.xml --resources r.xml "
		"--mc 1000 --against b.xml\n",
		1,
		1,
		NULL,
		true,
	};
	struct predictModels models = { NULL, NULL, NULL };
	hdPOptions options = { 0 };
	struct samples samples = { 0 };
	struct limits limits = { 0 };
	hdPResult *result = NULL;
	bool isMapped, isJson;
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	status = chooseOptions(predict, &wishes, &options, &isMapped, &isJson);
	if (status == PREDICT_OK)
		status = checkSamples(predict, &wishes);
	if (status == PREDICT_OK)
		status = readModels(predict, argv[1], &wishes, &models);
	if (status == PREDICT_OK && !isMapped)
		status = mapModels(predict, &wishes, &models);
	if (status == PREDICT_OK) {
		int ret;

		limits = (struct limits){
			.hasPower = wishes.powerLimit > 0 ||
				    limitsHasPeak(models.platform),
			.limit = wishes.powerLimit,
			.hasSubgraphs = wishes.hasSubgraphs,
		};
		options.recordsTransfers |= limits.hasPower;
		options.progress = predictShow;
		options.progressData = predict;
		cliProgressStart(&predict->progress,
				 hdP_getTaskCount(models.graph));
		ret = hdP_simulate(models.graph, models.platform,
				   models.resources, &options, &result,
				   predictTake, predict);

		status = predictStatus(predict, ret, "simulation");
	}
	if (status == PREDICT_OK)
		status = takeSamples(predict, &wishes, &options, isMapped,
				     &models, &samples);
	if (status == PREDICT_OK && wishes.annotate)
		status = predictWrite(predict, models.graph, wishes.annotate,
				      "xml", result);
	if (status == PREDICT_OK && wishes.output)
		status = writeProject(predict, &wishes, result, &samples);
	if (status == PREDICT_OK)
		summaryPrint(models.graph, models.platform, result, &samples,
			     &limits, isJson, wishes.hasTasks);
	if (status == PREDICT_OK && wishes.fails && limits.findings)
		status = PREDICT_FOUND;
	samplesFree(&samples);
	hdP_destroyResult(result);
	freeModels(&models);
	return status;
}
