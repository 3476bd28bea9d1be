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
#include "PredictionLibrary/command/mapchoice.h"
#include "PredictionLibrary/command/samples.h"
#include "PredictionLibrary/command/summary.h"
#include "PredictionLibrary/command/writegraph.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"

#define SAMPLES_MAX 10000000

/* What was asked for. */
struct settings {
	char *platform, *resources, *slowdown, *comm, *format;
	struct mapChoice choice;
	hdPMapping mapping; /* As chosen. */
	char *output, *annotate, *form;
	char *against, *againstPlatform, *againstResources;
	char **limits;
	struct limitValues limitValues;
	gboolean isBrief;
	gboolean hasTasks, isWithoutUnused, isForced, hasSubgraphs, fails;
	double powerLimit;
	int sampleCount;
};

static void freeModels(struct predictModels *models)
{
	hdP_destroyGraph(models->graph);
	hdP_destroyPlatform(models->platform);
	hdP_destroyResources(models->resources);
}

static int simulateCommandReadModels(struct predict *predict, const char *path,
				     const struct settings *settings,
				     struct predictModels *models)
{
	int status = settings->platform && settings->resources
			     ? PREDICT_OK
			     : predictOpens(predict, path);

	if (status != PREDICT_OK)
		return status;
	if (!settings->platform || !settings->resources)
		return predictMissingOption(
			predict, settings->platform ? "resources" : "platform");
	status = predictRead(predict, path, &models->graph, settings->platform,
			     &models->platform, settings->resources,
			     &models->resources);
	return status == PREDICT_OK
		       ? mapChoiceSelect(predict, &settings->choice,
					 models->platform)
		       : status;
}

static int mapModels(struct predict *predict, const struct settings *settings,
		     struct predictModels *models)
{
	return mapChoiceRun(predict, &settings->choice, &settings->mapping,
			    models->graph, models->platform, models->resources);
}

int mapRun(struct predict *predict, int argc, char **argv)
{
	struct settings settings = { .choice = { .seed = 1 } };
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &settings.platform,
		  "Platform: a file, thesis, thesis-eval or thesis-xu4",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &settings.resources,
		  "Resource model: a file, or thesis", "FILE" },
		{ "map", 0, 0, G_OPTION_ARG_STRING, &settings.choice.map,
		  "Method: eft, heft, anneal, or a file with the part of "
		  "each task (default: eft, earliest finishing time)",
		  "HOW" },
		MAP_CHOICE_OPTIONS(&settings.choice),
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &settings.choice.seed,
		  "Seed of --map anneal (default: 1)", "N" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &settings.form,
		  PREDICT_FORMS "(default: xml)", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &settings.output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"GRAPH|-", "Map each task to a PE, and write the graph.",
		"Examples:\n"
		"  hdpredict map ch80.xml --platform p.xml --resources r.xml "
		"-o mapped.xml\n"
		"  hdpredict map ch80.xml --platform thesis --resources thesis "
		"--use 'XU4-*' -o xu4.xml\n"
		"  hdpredict map g.xml --platform p.xml --resources r.xml "
		"--map anneal --cost 'energy at time<=10' -o least.xml\n"
		"  hdpredict map g.xml --platform p.xml --resources r.xml "
		"--map g.metis.part.4 -o parts.xml\n",
		1, 1
	};
	struct predictModels models = { NULL, NULL, NULL };
	bool isGiven;
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (predictForm(predict, "--to", settings.form) < 0)
		return PREDICT_FAILED;
	status = mapChoiceCheck(predict, &settings.choice, settings.choice.map,
				false, &settings.mapping, &isGiven);
	if (status == PREDICT_OK)
		status = simulateCommandReadModels(predict, argv[1], &settings,
						   &models);
	if (status == PREDICT_OK)
		status = mapModels(predict, &settings, &models);
	if (status == PREDICT_OK)
		status = predictWrite(predict, models.graph,
				      settings.output ? settings.output : "-",
				      settings.form ? settings.form : "xml",
				      NULL, models.resources);
	freeModels(&models);
	return status;
}

static int simulateCommandWriteProject(struct predict *predict,
				       const struct settings *settings,
				       hdPResult *result,
				       const struct samples *samples)
{
	struct hdReplacement *replacement;
	char *file = hdProjectFileName(settings->output, ".proj");
	int ret = file && access(file, F_OK) == 0 && !settings->isForced
			  ? -EEXIST
			  : hdReplacementBegin(settings->output, &replacement);

	free(file);
	if (ret == -EEXIST)
		return predictError(
			predict, "%s: the project exists; use -f to replace it",
			settings->output);
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
		return predictErrorWrite(predict, settings->output, ret);
	return PREDICT_OK;
}

static int chooseOptions(struct predict *predict, struct settings *settings,
			 hdPOptions *options, bool *isMapped, bool *isJson)
{
	static const char *const onOff[] = { "on", "off", NULL };
	static const char *const comms[] = { "exclusive", "share", NULL };
	static const char *const formats[] = { "text", "json", NULL };
	int map =
		mapChoiceCheck(predict, &settings->choice, settings->choice.map,
			       true, &settings->mapping, isMapped);
	int slowdown = predictChoose(
		predict, "--slowdown",
		settings->slowdown ? settings->slowdown : "on", onOff);
	int comm = predictChoose(predict, "--comm",
				 settings->comm ? settings->comm : "exclusive",
				 comms);
	int format = predictChoose(predict, "--format",
				   settings->format ? settings->format : "text",
				   formats);

	if (map != PREDICT_OK || slowdown < 0 || comm < 0 || format < 0)
		return PREDICT_FAILED;
	options->isWithoutSlowdown = slowdown == 1;
	options->sharing = comm == 1 ? HDP_SHARE : HDP_EXCLUSIVE;
	options->isWithoutUnused = settings->isWithoutUnused;
	options->recordsTransfers = settings->output != NULL;
	settings->mapping.simulation = *options;
	*isJson = format == 1;
	/* They need each transfer. */
	options->recordsTransfers |= *isJson || settings->isBrief;
	if (limitsParse(predict, settings->limits, &settings->limitValues) !=
	    PREDICT_OK)
		return PREDICT_FAILED;
	if (settings->isBrief &&
	    (*isJson || settings->hasTasks || settings->hasSubgraphs ||
	     settings->sampleCount))
		return predictUsage(predict, "--brief: not available with %s",
				    *isJson                 ? "--format=json"
				    : settings->hasTasks    ? "--tasks"
				    : settings->sampleCount ? "--mc"
							    : "--subgraphs");
	if (settings->powerLimit && settings->limitValues.power > 0)
		return predictUsage(predict,
				    "--limit=power: not available with "
				    "--power-limit");
	if (!(settings->powerLimit >= 0 && settings->powerLimit < HUGE_VAL))
		return predictOutOfRange(predict, "power-limit",
					 settings->powerLimit,
					 "watts, 0 or more");
	return PREDICT_OK;
}

static int checkSamples(struct predict *predict,
			const struct settings *settings)
{
	if (settings->sampleCount < 0 || settings->sampleCount > SAMPLES_MAX)
		return predictOutOfRange(predict, "mc", settings->sampleCount,
					 "1 to 10000000");
	if (settings->against && !settings->sampleCount)
		return predictNeeds(predict, "against", "mc");
	if ((settings->againstPlatform || settings->againstResources) &&
	    !settings->against)
		return predictNeeds(predict,
				    settings->againstPlatform
					    ? "against-platform"
					    : "against-resources",
				    "against");
	return PREDICT_OK;
}

/* Take samples, of the models that these are compared with, too. */
static int simulateCommandRunSamples(struct predict *predict,
				     const struct settings *settings,
				     const hdPOptions *options, bool isMapped,
				     const struct predictModels *models,
				     struct samples *samples)
{
	struct predictModels other = { NULL, NULL, NULL };
	struct settings more = *settings;
	int status = PREDICT_OK;

	samples->count = (size_t)settings->sampleCount;
	samples->seed = (uint64_t)settings->choice.seed;
	samples->against = settings->against;
	if (!samples->count)
		return PREDICT_OK;
	if (settings->againstPlatform)
		more.platform = settings->againstPlatform;
	if (settings->againstResources)
		more.resources = settings->againstResources;
	if (settings->against)
		status = simulateCommandReadModels(predict, settings->against,
						   &more, &other);
	if (status == PREDICT_OK && settings->against && !isMapped)
		status = mapModels(predict, &more, &other);
	if (status == PREDICT_OK)
		status = samplesTake(predict, samples, options, models,
				     settings->against ? &other : NULL);
	freeModels(&other);
	return status;
}

static void simulateCommandPrintDeadlock(const hdPDeadlock *deadlock,
					 void *data)
{
	const struct predictModels *models = data;

	summaryPrintDeadlock(models->graph, models->platform, deadlock);
}

int simulateRun(struct predict *predict, int argc, char **argv)
{
	struct settings settings = { .choice = { .seed = 1 } };
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &settings.platform,
		  "Platform: a file, thesis, thesis-eval or thesis-xu4",
		  "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &settings.resources,
		  "Resource model: a file, or thesis", "FILE" },
		{ "map", 0, 0, G_OPTION_ARG_STRING, &settings.choice.map,
		  "Mapping: given, eft (earliest finishing time), heft, "
		  "anneal, or a file with parts (default: given)",
		  "HOW" },
		MAP_CHOICE_OPTIONS(&settings.choice),
		{ "slowdown", 0, 0, G_OPTION_ARG_STRING, &settings.slowdown,
		  "Let kernels on one node slow each other down (default: on)",
		  "on|off" },
		{ "comm", 0, 0, G_OPTION_ARG_STRING, &settings.comm,
		  "Use of links: exclusive or share (default: exclusive)",
		  "HOW" },
		{ "off-unused", 0, 0, G_OPTION_ARG_NONE,
		  &settings.isWithoutUnused,
		  "Ignore the idle power of unused servers", NULL },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &settings.format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ "tasks", 0, 0, G_OPTION_ARG_NONE, &settings.hasTasks,
		  "Also print each task", NULL },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &settings.output,
		  "Write a project for hdtrace", "PROJECT" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &settings.isForced,
		  "Replace an existing project", NULL },
		{ "annotate", 0, 0, G_OPTION_ARG_FILENAME, &settings.annotate,
		  "Write the graph with times to FILE", "FILE" },
		{ "power-limit", 0, 0, G_OPTION_ARG_DOUBLE,
		  &settings.powerLimit,
		  "Print the times when all servers together exceed W watts, "
		  "and the responsible tasks",
		  "W" },
		LIMITS_OPTION(&settings.limits),
		{ "brief", 0, 0, G_OPTION_ARG_NONE, &settings.isBrief,
		  "Print ten lines only", NULL },
		{ "subgraphs", 0, 0, G_OPTION_ARG_NONE, &settings.hasSubgraphs,
		  "Print the time of each independent part of the graph",
		  NULL },
		{ "fail", 0, 0, G_OPTION_ARG_NONE, &settings.fails,
		  "Exit with 3 if a limit is exceeded or memory "
		  "overflows",
		  NULL },
		{ "mc", 0, 0, G_OPTION_ARG_INT, &settings.sampleCount,
		  "Also simulate N samples from the distributions of time and "
		  "energy",
		  "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &settings.choice.seed,
		  "Seed of the samples and of --map anneal (default: 1)", "N" },
		{ "against", 0, 0, G_OPTION_ARG_FILENAME, &settings.against,
		  "With --mc: print the probability that GRAPH is better than "
		  "FILE",
		  "FILE" },
		{ "against-platform", 0, 0, G_OPTION_ARG_FILENAME,
		  &settings.againstPlatform,
		  "Platform for --against (default: as for GRAPH)", "FILE" },
		{ "against-resources", 0, 0, G_OPTION_ARG_FILENAME,
		  &settings.againstResources,
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
	status =
		chooseOptions(predict, &settings, &options, &isMapped, &isJson);
	if (status == PREDICT_OK)
		status = checkSamples(predict, &settings);
	if (status == PREDICT_OK)
		status = simulateCommandReadModels(predict, argv[1], &settings,
						   &models);
	if (status == PREDICT_OK && !isMapped)
		status = mapModels(predict, &settings, &models);
	if (status == PREDICT_OK) {
		int ret;

		limits = (struct limits){
			.hasPower = settings.powerLimit > 0 ||
				    settings.limitValues.power > 0 ||
				    limitsHasPeak(models.platform),
			.limit = settings.limitValues.power > 0
					 ? settings.limitValues.power
					 : settings.powerLimit,
			.memory = settings.limitValues.memory,
			.hasSubgraphs = settings.hasSubgraphs,
		};
		options.recordsTransfers |= limits.hasPower;
		options.progress = predictShow;
		options.progressData = predict;
		options.deadlock = isJson ? simulateCommandPrintDeadlock : NULL;
		options.deadlockData = &models;
		cliProgressStart(&predict->progress,
				 hdP_getTaskCount(models.graph));
		ret = hdP_simulate(models.graph, models.platform,
				   models.resources, &options, &result,
				   predictTake, predict);

		status = predictStatus(predict, ret, "simulation");
	}
	if (status == PREDICT_OK)
		status = simulateCommandRunSamples(predict, &settings, &options,
						   isMapped, &models, &samples);
	if (status == PREDICT_OK && settings.annotate)
		status = predictWrite(predict, models.graph, settings.annotate,
				      "xml", result, NULL);
	if (status == PREDICT_OK && settings.output)
		status = simulateCommandWriteProject(predict, &settings, result,
						     &samples);
	if (status == PREDICT_OK)
		summaryPrint(models.graph, models.platform, result, &samples,
			     &limits,
			     settings.isBrief ? SUMMARY_BRIEF
			     : isJson ? settings.hasTasks ? SUMMARY_JSON_TASKS
							  : SUMMARY_JSON
			     : settings.hasTasks ? SUMMARY_TASKS
						 : SUMMARY_TEXT);
	if (status == PREDICT_OK && settings.fails && limits.findings)
		status = PREDICT_FOUND;
	samplesFree(&samples);
	hdP_destroyResult(result);
	freeModels(&models);
	g_strfreev(settings.limits);
	return status;
}
