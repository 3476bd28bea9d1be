/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The rut command: traces the resources of this node while a command runs.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ResourcesUtilizationTracingLibrary/rut/rut.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/freename.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"

struct options {
	int interval;
	char *sources;
	char *project;
	char *topology;
	char *mount;
	gboolean force;
	gboolean number;
	gboolean quiet;
	gboolean list;
	gboolean explain;
	char *root;
	struct cliWait wait;
	gboolean hasDuration;
	gboolean hasPid;
};

/* Check what options do not check themselves; returns a message or NULL. */
static const char *rutMainCheckOptions(const struct options *options)
{
	int modes = !!options->wait.command + options->hasDuration +
		    options->hasPid;

	if (modes == 0)
		return "missing argument: COMMAND, --duration or --pid";
	if (modes > 1)
		return options->hasDuration && options->hasPid
			       ? "--duration: cannot be combined with --pid"
		       : options->hasPid
			       ? "--pid: cannot be combined with COMMAND"
			       : "--duration: cannot be combined with COMMAND";
	if (options->hasPid && kill(options->wait.pid, 0) != 0 &&
	    errno == ESRCH)
		return "--pid: no such process";
	if (!*options->project)
		return "--project: empty name";
	if (options->force && options->number)
		return "--force: cannot be combined with --number";
	return NULL;
}

static UtilTrace *rutMainCreateTrace(const struct rutTarget *target,
				     const rutSources *sources, int interval)
{
	int depth = (int)target->levels->len;
	hdTopology *topology = hdT_createTopology(
		target->project, (const char **)target->levels->pdata, depth);
	hdTopoNode *node = NULL;
	UtilTrace *trace = NULL;

	if (topology)
		node = hdT_createTopoNode(
			topology, (const char **)target->labels->pdata, depth);
	if (!node)
		fprintf(stderr,
			"rut: --topology: invalid name; use letters, digits, "
			"\".\" and \"-\"\n");
	else if (rut_createTrace(node, depth, *sources, interval, &trace) !=
		 RUT_SUCCESS)
		outSay(stderr, "rut: %s: cannot trace", target->project);
	if (node)
		hdT_destroyTopoNode(node);
	if (topology)
		hdT_destroyTopology(topology);
	return trace;
}

/* What is put in the place of an old project when the command runs. */
struct replacing {
	struct hdReplacement *replacement; /* NULL: nothing, or done. */
	gboolean hasFailed;
};

static void rutMainOnStarted(void *context)
{
	struct replacing *replacing = context;
	int ret = hdReplacementKeep(replacing->replacement, false);

	replacing->replacement = NULL;
	if (ret == 0)
		return;
	replacing->hasFailed = TRUE;
	fprintf(stderr,
		"rut: cannot replace the old project; the new one is separate: "
		"%s\n",
		ret == -EBUSY ? "it is being recorded" : strerror(-ret));
}

/* Say what was measured, and end the trace; the exit status. */
static int rutMainEndTrace(const struct options *options, UtilTrace *trace,
			   const char *file, gboolean hasStarted, int result)
{
	if (!options->quiet && hasStarted)
		summaryPrint(stderr, trace, file);
	if (rut_finalizeTrace(trace) == RUT_SUCCESS)
		return result;
	fprintf(stderr, "rut: incomplete trace\n");
	return result == 0 ? CLI_EXIT_FAILED : result;
}

/* Trace into the project of a target, which is at @p file in the end. */
static int traceWait(const struct rutTarget *target, struct options *options,
		     const rutSources *sources, const char *file,
		     struct replacing *replacing)
{
	char *written = hdProjectFileName(target->project, ".proj");
	UtilTrace *trace;
	int result;

	cliPrepare();
	trace = rutMainCreateTrace(target, sources, options->interval);
	if (!trace) {
		remove(written);
		free(written);
		return CLI_EXIT_FAILED;
	}
	free(written);
	options->wait.started = rutMainOnStarted;
	options->wait.context = replacing;
	rut_startTrace(trace);
	result = cliWaitFor(&options->wait);
	rut_stopTrace(trace);
	result = rutMainEndTrace(options, trace, file, !replacing->replacement,
				 result);
	return result == 0 && replacing->hasFailed ? CLI_EXIT_FAILED : result;
}

static int rutMainWriteProject(const struct rutTarget *target)
{
	static const char *const groups[] = { "Utilization", NULL };
	const struct hdProjectNode node = {
		.labels = (char **)target->labels->pdata,
		.depth = target->labels->len,
	};
	const struct hdProjectFile project = {
		.project = target->project,
		.levels = (char **)target->levels->pdata,
		.levelCount = target->levels->len,
		.nodes = &node,
		.nodeCount = 1,
		.groups = groups,
	};

	return hdProjectFileWrite(&project, false);
}

/* From now on the target is that of a project that replaces the old one. */
static int beginReplacing(struct rutTarget *target, struct replacing *replacing)
{
	int ret = hdReplacementBegin(target->project, &replacing->replacement);

	if (ret < 0)
		return ret;
	g_free(target->project);
	target->project =
		g_strdup(hdReplacementProject(replacing->replacement));
	return 0;
}

static int traceInto(struct rutTarget *target, struct options *options,
		     const rutSources *sources)
{
	char *file = hdProjectFileName(target->project, ".proj");
	struct replacing replacing = { 0 };
	int ret = options->force ? beginReplacing(target, &replacing) : 0;
	int result = CLI_EXIT_FAILED;

	/* The project file first: what was traced until a crash is readable. */
	if (ret == 0)
		ret = rutMainWriteProject(target);
	if (ret == -EEXIST)
		outSay(stderr,
		       "rut: " CLI_TEXT_EXISTS ", --number takes another name",
		       file);
	else if (ret < 0)
		cliErrorCreate("rut", file, ret);
	else
		result = traceWait(target, options, sources, file, &replacing);
	hdReplacementDrop(replacing.replacement);
	free(file);
	return result;
}

static gboolean rutMainUseFreeName(struct options *options)
{
	char *name = cliFreeName(options->project);

	if (!name) {
		outSay(stderr, "rut: %s: no free name with a number",
		       options->project);
		return FALSE;
	}
	g_free(options->project);
	options->project = name;
	return TRUE;
}

static int rutMainRun(struct options *options)
{
	struct rutTarget target = { 0 };
	rutSources sources;
	char *message = NULL;
	int result = CLI_EXIT_FAILED;
	int status = 0;

	if (!sourcesParse(options->sources, &sources, &message)) {
		outSay(stderr,
		       "rut: --sources: unknown source \"%s\"; see rut --list",
		       message);
		g_free(message);
		return result;
	}
	if (options->wait.command)
		status = cliCheckCommand("rut", options->wait.command[0]);
	if (status != 0)
		return status;
	if (options->number && !rutMainUseFreeName(options))
		return result;
	if (options->mount)
		g_setenv("RUT_HDD_MOUNTPOINT", options->mount, TRUE);
	if (!targetParse(&target, options->project, options->topology,
			 &message))
		outSay(stderr, "rut: --topology: %s", message);
	else
		result = traceInto(&target, options, &sources);
	g_free(message);
	targetClear(&target);
	return result;
}

static void rutMainListSources(const struct options *options)
{
	const char *root = options->root ? options->root : "";

	if (options->explain)
		sourcesExplain(stdout, root, options->mount);
	else
		sourcesPrint(stdout, root, options->mount);
}

static int rutMainParseAndRun(struct options *options, int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "interval", 'i', 0, G_OPTION_ARG_INT, &options->interval,
		  "Interval between samples in ms (default: 100)", "MS" },
		{ "sources", 's', 0, G_OPTION_ARG_STRING, &options->sources,
		  "Sources to trace, separated by commas; see --list (default: "
		  "all)",
		  "LIST" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &options->project,
		  "Name of the project, with its directory (default: rut)",
		  "NAME" },
		{ "topology", 't', 0, G_OPTION_ARG_STRING, &options->topology,
		  "Place in the topology (default: Host=HOSTNAME)",
		  "LEVEL=LABEL,..." },
		{ "mount", 'm', 0, G_OPTION_ARG_FILENAME, &options->mount,
		  "Mount point of the disk to trace (default: all disks)",
		  "DIR" },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE,
		  &options->wait.duration, "Duration of the trace in seconds",
		  "S" },
		{ "pid", 'P', 0, G_OPTION_ARG_INT, &options->wait.pid,
		  "Trace until this process ends", "PID" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options->force,
		  "Replace the files of an old project", NULL },
		CLI_OPTION_NUMBER(&options->number),
		CLI_OPTION_COMPRESS,
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet,
		  "Print no summary", NULL },
		{ "list", 'l', 0, G_OPTION_ARG_NONE, &options->list,
		  "List all sources with their values on this node", NULL },
		{ "explain", 0, 0, G_OPTION_ARG_NONE, &options->explain,
		  "With --list: list the CPUs' counters, interfaces and disks, "
		  "and the sums that contain them",
		  NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options->root,
		  "With --list: read /sys and /proc below DIR, as of another "
		  "machine",
		  "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct cliWords words[] = {
		{ "sources", sourcesWords(), true },
		{ NULL, NULL, false },
	};
	static const struct cliNumber numbers[] = {
		{ "interval", 1, INFINITY, "ms" },
		{ "duration", CLI_ABOVE_ZERO, 1e9, "s" },
		{ "pid", 1, INFINITY, NULL },
		{ NULL, 0, 0, NULL },
	};
	const struct cliCommand command = {
		.name = "rut",
		.arguments = "[--] COMMAND [ARGUMENT...]",
		.description =
			"Trace the utilization of this node's CPUs, memory, "
			"network and disks while COMMAND\nruns.",
		.notes =
			"Examples:\n"
			"  rut --interval=10 -- make -j8\n"
			"  rut -s cpu,net -p /tmp/run7 --duration=60\n\n"
			"Exit status: the status of COMMAND; 125 if rut fails, "
			"126 if COMMAND cannot be run,\n127 if it is not "
			"found.",
		.usageStatus = CLI_EXIT_FAILED,
		/* What follows COMMAND is its own. */
		.isPrefix = true,
		.words = words,
		.numbers = numbers,
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	int status = cliParse(&command, lists, &argc, &argv);
	const char *message;

	if (status >= 0)
		return status;
	if (options->list) {
		rutMainListSources(options);
		return cliFinish(&command);
	}
	if (options->explain || options->root)
		return cliUsage(&command, "--%s: requires --list",
				options->explain ? "explain" : "root");
	if (argc > 1)
		options->wait.command = argv + 1;
	options->hasDuration = options->wait.duration != 0;
	options->hasPid = options->wait.pid != 0;
	/* Not before parsing: that would lose them. */
	if (!options->sources)
		options->sources = g_strdup("all");
	if (!options->project)
		options->project = g_strdup("rut");
	message = rutMainCheckOptions(options);
	return message ? cliUsage(&command, "%s", message)
		       : rutMainRun(options);
}

int main(int argc, char **argv)
{
	struct options options = { .interval = 100, .wait.tool = "rut" };
	int result;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	result = rutMainParseAndRun(&options, argc, argv);
	g_free(options.sources);
	g_free(options.project);
	g_free(options.topology);
	g_free(options.mount);
	g_free(options.root);
	return result;
}
