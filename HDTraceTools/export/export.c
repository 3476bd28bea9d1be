/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: writes a project in a format of other tools.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/ti/ti.h"

#define ADDRESS(name) &export##name,

static const struct exportFormat *const formats[] = { EXPORT_FORMATS(ADDRESS) };

/* ---- What was done ----------------------------------------------------- */

static void sayLosses(const struct export *export)
{
	if (export->tool->isQuiet)
		return;
	toolProgressHide(export->tool);
	for (guint i = 0; i < export->losses->len; i++) {
		const struct exportLoss *loss =
			&g_array_index(export->losses, struct exportLoss, i);

		fprintf(stderr,
			"hdtrace export: %s cannot represent: %s (%" PRIu64
			")\n",
			export->format->name, loss->what, loss->count);
	}
}

static void exportPrintJson(const struct export *export)
{
	struct outJson json = { .depth = 0 };
	struct powerChoice *powers;

	outJsonDocument(&json, "hdtrace-export");
	outJsonText(&json, "project", export->project->name);
	outJsonText(&json, "format", export->format->name);
	if (export->window.length)
		outJsonSeconds(&json, "window_s", export->window.length);
	outJsonArray(&json, "files", false);
	for (guint i = 0; i < export->files->len; i++)
		outJsonText(&json, NULL, export->files->pdata[i]);
	outJsonEnd(&json);
	outJsonInteger(&json, "entries", (int64_t) export->entries);
	outJsonInteger(&json, "states", (int64_t) export->states);
	outJsonInteger(&json, "events", (int64_t) export->events);
	outJsonInteger(&json, "messages", (int64_t) export->messages);
	if (export->project->relationCount)
		outJsonInteger(&json, "relations", (int64_t) export->relations);
	powers = powerChoiceNew(export->project, NULL);
	powersPut(&json, export->project, powers);
	powerChoiceFree(powers);
	outJsonArray(&json, "lost", false);
	for (guint i = 0; i < export->losses->len; i++) {
		const struct exportLoss *loss =
			&g_array_index(export->losses, struct exportLoss, i);

		outJsonObject(&json, NULL, true);
		outJsonText(&json, "what", loss->what);
		outJsonInteger(&json, "count", (int64_t)loss->count);
		outJsonEnd(&json);
	}
	outJsonEnd(&json);
	outJsonEnd(&json);
}

static void printPowers(const struct export *export)
{
	struct powerChoice *powers = powerChoiceNew(export->project, NULL);

	powersPrint(export->project, powers);
	powerChoiceFree(powers);
}

static void exportPrintText(const struct export *export)
{
	const struct {
		uint64_t count;
		const char *one;
		const char *many;
	} counts[] = {
		{ export->entries, "entry", "entries" },
		{ export->states, "state", "states" },
		{ export->events, "event", "events" },
		{ export->messages, "message", "messages" },
		{ export->relations, "relation", "relations" },
	};
	/* Most projects have no relations. */
	size_t count = G_N_ELEMENTS(counts) - !export->project->relationCount;

	outPrintable(export->output);
	for (size_t i = 0; i < count; i++)
		printf("%s %" PRIu64 " %s", i ? "," : ":", counts[i].count,
		       counts[i].count == 1 ? counts[i].one : counts[i].many);
	putchar('\n');
	if (export->isVerbose)
		printPowers(export);
}

/* ---- The command ------------------------------------------------------- */

static const char *const onlyWords[] = { "stats", "traces", "relations", NULL };
static const char *toWords[G_N_ELEMENTS(formats) + 1]; /* Their names. */
static const struct cliWords words[] = {
	{ "only", onlyWords, false },
	{ "to", toWords, false },
	{ NULL, NULL, false },
};
static const struct cliOldLetter oldLetters[] = {
	{ 't', "to", NULL },
	{ '\0', NULL, NULL },
};

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Write a project in a format of other tools, and list the data "
		"that the format cannot represent.\n\nFORMAT is arrow, csv, "
		"csv-wide, ctf, "
		"json, openmetrics, otf2, otlp, paraver, perfetto or "
		"simgrid.\nTIME "
		"counts from the start of the project, in seconds or with a "
		"unit (500ms); @SECONDS counts from 1970.",
	.examples = "  hdtrace export --to csv run1.proj\n"
		    "  hdtrace export --to perfetto --from 10 --until 20 "
		    "run1\n"
		    "  hdtrace export --to csv-wide --window=0.5 run1\n"
		    "  hdtrace export --to openmetrics --value P --output=- "
		    "run1 | less\n",
	.minArguments = 1,
	.formats = TOOL_TEXT_JSON,
	.writesCsv = true,
	.words = words,
	.oldLetters = oldLetters,
	.maxArguments = 1,
};

static int findFormat(struct export *export, const char *name)
{
	const char *missing = NULL;
	int found;
	int status;

	if (!name)
		return toolMissingOption(export->tool, "to");
	status = toolChoose(export->tool, "to", name, &found);
	if (status >= 0)
		return status;
	export->format = formats[found];
	if (export->format->missing)
		missing = export->format->missing();
	return missing ? toolUsage(export->tool, "--to: %s", missing) : status;
}

/** Whether this is a directory without files; leaves errno alone. */
static bool isEmpty(const char *path)
{
	int error = errno;
	GDir *dir = g_dir_open(path, 0, NULL);
	bool ret = dir && !g_dir_read_name(dir);

	if (dir)
		g_dir_close(dir);
	errno = error;
	return ret;
}

/** Choose the output, beside us; make it if it is a directory. */
static int exportOpenOutput(struct export *export)
{
	char *base;

	if (!export->output) {
		base = g_path_get_basename(export->project->prefix);
		export->output =
			g_strconcat(base, export->format->suffix, NULL);
		g_free(base);
	}
	if (!export->format->isDirectory)
		return 0;
	if (strcmp(export->output, "-") == 0) {
		toolUsage(export->tool,
			  "%s: has several files; --output must be a directory",
			  export->format->name);
		return -1;
	}
	if (mkdir(export->output, 0777) == 0) {
		export->madeOutput = true;
		return 0;
	}
	if (isEmpty(export->output))
		return 0;
	/* Files of another export would become part of this one. */
	if (errno == EEXIST)
		toolError(export->tool,
			  "%s: exists and is not an empty directory",
			  export->output);
	else
		toolErrorCreate(export->tool, export->output, errno);
	return -1;
}

static int64_t exportTotalSize(const struct export *export)
{
	int64_t total = 0;

	for (guint i = 0; i < export->groups->len; i++)
		total += ((const struct exportGroup *)export->groups->pdata[i])
				 ->group->fileSize;
	for (guint i = 0; i < export->traces->len; i++)
		total += ((const hdITraceFile *)export->traces->pdata[i])
				 ->fileSize;
	for (size_t i = 0;
	     export->hasRelations && export->format->keepsRelations &&
	     i < export->project->relationCount;
	     i++)
		total += export->project->relations[i]->fileSize;
	return total;
}

static int parseOnly(struct export *export, const char *only)
{
	int found;
	int status = toolChoose(export->tool, "only", only, &found);

	export->hasStats = !only || found == 0;
	export->hasTraces = !only || found == 1;
	export->hasRelations = !only || found == 2;
	return status;
}

static int exportParseSpeed(struct export *export, const char *text)
{
	char *end;

	export->speed = TI_SPEED;
	if (!text)
		return -1;
	export->speed = g_ascii_strtod(text, &end);
	if (end == text || *end || !(export->speed > 0) || isinf(export->speed))
		return toolInvalidNumber(export->tool, "speed", text,
					 "a number above 0");
	if (!export->format->isWhole)
		return toolNeeds(export->tool, "speed", "to=simgrid");
	return -1;
}

static int writeFormat(struct export *export)
{
	int ret;

	phasesInit(&export->windows);
	if (export->window.length) {
		export->run = extentOfProject(export->project);
		windowOptionFind(&export->window, &export->selection,
				 &export->run, &export->windows);
	}
	exportChoose(export);
	ret = exportOpenOutput(export);
	if (ret == 0) {
		toolProgressStart(export->tool, exportTotalSize(export));
		ret = export->format->write(export);
		toolProgressEnd(export->tool);
		if (ret < 0 && export->madeOutput)
			rmdir(export->output);
	}
	exportForget(export);
	phasesFree(&export->windows);
	return ret;
}

static int exportCheckWhole(struct export *export)
{
	const struct selection *selection = &export->selection;
	bool isPart = selection->nodes || selection->groups ||
		      selection->values || selection->from || selection->to ||
		      export->window.length || !export->hasTraces;

	if (!export->format->isWhole || !isPart)
		return -1;
	return toolUsage(export->tool,
			 "--to=%s writes whole runs, without --node, --group, "
			 "--value, --from, --until, --window and --only",
			 export->format->name);
}

static int exportRunOn(struct export *export, const char *path)
{
	struct tool *tool = export->tool;
	hdIProject *project = toolOpen(tool, path);
	int ret;

	if (!project)
		return toolFinish(tool);
	delayApply(tool, project, export->isAsRecorded);
	export->project = project;
	ret = exportCheckWhole(export);
	if (ret < 0)
		ret = selectResolve(&export->selection, tool, project, false);
	if (ret >= 0) {
		hdI_closeProject(project);
		return ret;
	}
	export->files = g_ptr_array_new_with_free_func(g_free);
	export->losses = g_array_new(FALSE, FALSE, sizeof(struct exportLoss));
	ret = writeFormat(export);
	if (ret == 0) {
		sayLosses(export);
		if (strcmp(export->output, "-") != 0 &&
		    tool->format == OUT_JSON)
			exportPrintJson(export);
		else if (strcmp(export->output, "-") != 0)
			exportPrintText(export);
	}
	ret = toolFinish(tool);
	g_ptr_array_unref(export->files);
	g_array_unref(export->losses);
	hdI_closeProject(project);
	return ret;
}

int exportRun(struct tool *tool, int argc, char **argv)
{
	struct export export = {
		.tool = tool,
		.selection = { .until = "until" },
	};
	char *only = NULL;
	char *to = NULL;
	char *speed = NULL;
	const GOptionEntry entries[] = {
		SELECT_ENTRIES_UNTIL(&export.selection, "until"),
		{ "only", 0, 0, G_OPTION_ARG_FILENAME, &only,
		  "Part to write: stats, traces or relations (default: all)",
		  "PART" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &to, "Output format",
		  "FORMAT" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &export.output,
		  "Output file or directory; - is standard output", "PATH" },
		WINDOW_ENTRY(&export.window),
		DELAY_ENTRY(&export.isAsRecorded),
		POWERS_ENTRY(0, &export.isVerbose),
		{ "speed", 0, 0, G_OPTION_ARG_FILENAME, &speed,
		  "Operations per second of CPU or wall time, for simgrid "
		  "(default: 1e9)",
		  "FLOPS" },
		{ "findings", 0, 0, G_OPTION_ARG_NONE, &export.hasFindings,
		  "Include the findings of hdtrace report (perfetto, otf2)",
		  NULL },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &export.isForced,
		  "Replace existing files", NULL },
		{ NULL },
	};
	int status;

	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
		toWords[i] = formats[i]->name;
	status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = findFormat(&export, to);
	if (status < 0 && export.hasFindings && !export.format->keepsFindings)
		status = toolUsage(tool, "--findings: not available for %s",
				   export.format->name);
	if (status < 0)
		status = parseOnly(&export, only);
	if (status < 0)
		status = exportParseSpeed(&export, speed);
	if (status < 0)
		status = windowOptionParse(&export.window, tool);
	if (status < 0)
		status = exportRunOn(&export, argv[1]);
	selectionFree(&export.selection);
	windowOptionFree(&export.window);
	g_free(export.output);
	g_free(only);
	g_free(to);
	g_free(speed);
	return status;
}
