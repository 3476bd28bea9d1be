/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: the command.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/powers.h"
#include "cli/newfile.h"
#include "HDTraceTools/command/alignoption.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/plot/scaling.h"
#include "HDTraceTools/plot/options.h"

/** Bins in a point of the picture's width. */
#define BINS_PER_POINT 1.5
/** More panels are a mistake. */
#define PANELS_MAX 64

/* ---- What is drawn ----------------------------------------------------- */

static int plotFindPhases(struct plotJob *job)
{
	struct plot *plot = &job->plot;

	plot->hasPhases = phaseOptionsAre(&job->options.phases);
	return phaseOptionsFind(&job->options.phases, plot->tool,
				plot->sources[0].project,
				plot->selection.projectStart, &plot->phases);
}

/** Windows are those of the run, and not of what is drawn of it. */
static void findWindows(struct plot *plot)
{
	struct extent run;

	if (!plot->window.length)
		return;
	run = plotExtent(plot);
	windowOptionFind(&plot->window, &plot->selection, &run, &plot->windows);
}

/** Read what is drawn. Traces were read before, to choose the names of states
 *  that have a colour; groups only if the times of the picture were not given.
 */
static void plotReadAll(struct plot *plot, bool wereGroupsRead)
{
	if (wereGroupsRead)
		plotSilence(plot);
	plotReadCurves(plot);
	plotReadRows(plot);
}

/** Choose what is drawn and read it; an exit status, or -1. */
static int plotGather(struct plotJob *job)
{
	struct plot *plot = &job->plot;
	bool wereGroupsRead;

	plot->start = INT64_MAX;
	plot->end = INT64_MIN;
	plot->binCount = (size_t)(plot->width * BINS_PER_POINT);
	if (job->hasCurves)
		plotChoose(plot);
	plotChooseRows(plot);
	if (plot->panels->len > PANELS_MAX) {
		toolError(plot->tool,
			  "too many panels: %u; select values with --node, "
			  "--group and --value",
			  plot->panels->len);
		return TOOL_FAILED;
	}
	wereGroupsRead = plotFindTimes(plot);
	if ((!plot->panels->len && !plot->rows->len) ||
	    plot->start >= plot->end) {
		toolError(plot->tool, "nothing to draw");
		return TOOL_FAILED;
	}
	/* A bin is a nanosecond at least. */
	plot->binCount =
		(size_t)MIN((int64_t)plot->binCount, plot->end - plot->start);
	phasesClip(&plot->phases, plot->start, plot->end);
	findWindows(plot);
	plotReadAll(plot, wereGroupsRead);
	return -1;
}

/* ---- The file ---------------------------------------------------------- */

static struct canvas *plotOpenCanvas(const struct plotJob *job, FILE *file)
{
	const struct plot *plot = &job->plot;

	switch (job->type) {
	case PLOT_PNG:
		return canvasOpenPng(file, plot->width, plot->height,
				     plot->dpi);
	case PLOT_PDF:
		return canvasOpenPdf(file, plot->width, plot->height,
				     plot->title);
	default:
		return canvasOpenSvg(file, plot->width, plot->height,
				     plot->title);
	}
}

/** Draw into a file; 0 or a negative errno. */
static int plotDrawFile(const struct plotJob *job, FILE *file)
{
	struct canvas *canvas = plotOpenCanvas(job, file);

	if (!canvas)
		return -ENOMEM;
	if (job->runs)
		plotDrawScaling(
			&(struct plotScalingLook){
				.title = job->plot.title,
				.width = job->plot.width,
				.height = job->plot.height,
				.fontSize = job->plot.fontSize,
			},
			job->runs, canvas);
	else
		plotDraw(&job->plot, canvas);
	return canvasClose(canvas);
}

/** Write the picture; 0 or a negative errno. */
static int plotWriteFile(const struct plotJob *job)
{
	const char *path = job->plot.output;
	struct newFile file;
	int ret;

	if (strcmp(path, "-") == 0)
		return plotDrawFile(job, stdout);
	if (!job->options.isForced && g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return -EEXIST;
	ret = newFileStart(&file, path);
	if (ret < 0)
		return ret;
	ret = plotDrawFile(job, file.file);
	if (ret < 0) {
		newFileAbort(&file);
		return ret;
	}
	return newFileCommit(&file, job->options.isForced);
}

static void plotReportWrite(const struct plot *plot, int ret)
{
	if (ret == -EEXIST)
		toolErrorExists(plot->tool, plot->output);
	else if (ret < 0)
		toolErrorWrite(plot->tool, plot->output, ret);
}

/** The names of all projects. */
static char *plotNamesOf(const struct plot *plot)
{
	GString *names = g_string_new(plot->sources[0].name);

	for (size_t i = 1; i < plot->sourceCount; i++)
		g_string_append_printf(names, ", %s", plot->sources[i].name);
	return g_string_free(names, FALSE);
}

static void plotSetDefaults(struct plotJob *job)
{
	static const char *const suffixes[] = { "", ".svg", ".png", ".pdf" };
	struct plot *plot = &job->plot;
	char *base = g_path_get_basename(plot->sources[0].project->prefix);

	if (!plot->output)
		plot->output = g_strconcat(base, suffixes[job->type], NULL);
	if (!plot->title)
		plot->title = plotNamesOf(plot);
	g_free(base);
}

static void plotPrintSummary(const struct plotJob *job)
{
	const struct plot *plot = &job->plot;
	guint curves = 0;
	uint64_t infinite = 0;

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		curves += panel->curves->len;
		for (guint k = 0; k < panel->curves->len; k++)
			infinite += ((const struct plotCurve *)
					     panel->curves->pdata[k])
					    ->infinite;
	}
	if (infinite && !plot->tool->isQuiet)
		fprintf(stderr,
			"hdtrace plot: infinite values omitted (%" PRIu64 ")\n",
			infinite);
	if (strcmp(plot->output, "-") == 0)
		return;
	if (plot->tool->format == OUT_JSON) {
		plotPrintJson(plot);
		return;
	}
	outPrintable(plot->output);
	printf(": %u %s in %u %s, %u %s\n", curves,
	       curves == 1 ? "curve" : "curves", plot->panels->len,
	       plot->panels->len == 1 ? "panel" : "panels", plot->rows->len,
	       plot->rows->len == 1 ? "time line" : "time lines");
	for (size_t i = 0; plot->isVerbose && i < plot->sourceCount; i++)
		powersPrint(plot->sources[i].project, plot->sources[i].powers);
}

/* ---- The command ------------------------------------------------------- */

static int plotProjects(struct plotJob *job, const hdIProject *const *projects,
			char **paths, size_t count)
{
	struct plot *plot = &job->plot;
	const char *align = job->options.align ? job->options.align : "start";
	int status = plotStartSources(plot, projects, count, align, paths);
	int ret;

	if (status < 0 && plotFindPhases(job) < 0)
		status = TOOL_FAILED;
	if (status < 0)
		status = plotGather(job);
	if (status >= 0)
		return status;
	plotSetDefaults(job);
	if (plot->height <= 0)
		plot->height = plotHeight(plot);
	ret = plotWriteFile(job);
	plotReportWrite(plot, ret);
	if (ret == 0)
		plotPrintSummary(job);
	return toolFinish(plot->tool);
}

/** Draw how runs scale. */
static int plotScaling(struct plotJob *job, char **paths, size_t count)
{
	static const char *const suffixes[] = { "", ".svg", ".png", ".pdf" };
	struct plot *plot = &job->plot;
	int ret;

	if (count < 2)
		return toolUsage(plot->tool,
				 "--scaling: needs several projects");
	if (plot->tool->format == OUT_JSON)
		return toolUsage(plot->tool,
				 "--scaling: not available in JSON; use "
				 "hdtrace report");
	job->runs = plotReadScaling(plot->tool, paths, count);
	if (!job->runs)
		return TOOL_FAILED;
	if (!plot->output)
		plot->output =
			g_strconcat("scaling", suffixes[job->type], NULL);
	if (!plot->title)
		plot->title = g_strdup("Efficiencies");
	if (plot->height <= 0)
		plot->height = plotScalingHeight();
	ret = plotWriteFile(job);
	plotReportWrite(plot, ret);
	if (ret == 0 && strcmp(plot->output, "-") != 0) {
		outPrintable(plot->output);
		printf(": %zu runs\n", count);
	}
	g_array_unref(job->runs);
	return toolFinish(plot->tool);
}

/** Draw projects that are open. */
static int plotRunOn(struct plotJob *job, const hdIProject *const *projects,
		     char **paths, size_t count)
{
	struct plot *plot = &job->plot;
	int status;

	plot->panels = g_ptr_array_new_with_free_func(plotFreePanel);
	plot->rows = g_ptr_array_new_with_free_func(plotFreeRow);
	plot->names = g_array_new(FALSE, FALSE, sizeof(struct plotName));
	plot->profile = profileNew(0);
	phasesInit(&plot->phases);
	phasesInit(&plot->windows);
	status = plotProjects(job, projects, paths, count);
	phasesFree(&plot->windows);
	phasesFree(&plot->phases);
	profileFree(plot->profile);
	g_array_unref(plot->names);
	g_ptr_array_unref(plot->rows);
	g_ptr_array_unref(plot->panels);
	plotEndSources(plot);
	return status;
}

static int plotOpenAll(struct plotJob *job, char **paths, size_t count)
{
	hdIProject *projects[ALIGN_PROJECTS_MAX];
	size_t opened = 0;
	int status;

	while (opened < count &&
	       (projects[opened] = toolOpen(job->plot.tool, paths[opened]))) {
		delayApply(job->plot.tool, projects[opened],
			   job->options.isAsRecorded);
		opened++;
	}
	if (opened == count)
		status = plotRunOn(job, (const hdIProject *const *)projects,
				   paths, count);
	else
		status = toolFinish(job->plot.tool);
	while (opened > 0)
		hdI_closeProject(projects[--opened]);
	return status;
}

static const char *const typeWords[] = { "svg", "png", "pdf", NULL };
static const char *const panelsWords[] = { "grouping", "value", "node", NULL };
static const char *const statesWords[] = { "above", "below", "only", NULL };
static const char *const timeWords[] = { "relative", "date", NULL };
static const struct cliWords words[] = {
	{ "type", typeWords, false },
	{ "panels", panelsWords, false },
	{ "states", statesWords, false },
	{ "time", timeWords, false },
	{ NULL, NULL, false },
};

static const struct toolHelp help = {
	.arguments = "PROJECT...",
	.description =
		"Draw values and states over time as SVG, PNG or PDF: a panel "
		"for each grouping of values,\nwith a curve for each node, and "
		"time lines of traces. Many entries are drawn as a line of\n"
		"means and a band from minimum to maximum.\n\nTIME "
		"counts from the start of the project, in seconds or with a "
		"unit (500ms); @SECONDS counts from 1970.",
	.examples =
		"  hdtrace plot --value P --states=above -o run1.svg run1\n"
		"  hdtrace plot --group Energy --from 10 --to 20 --size=85x60 "
		"-o run1.png run1\n"
		"  hdtrace plot --scaling -o scaling.svg run-on-1 run-on-2 "
		"run-on-4\n"
		"  hdtrace plot --align=Solve -o both.svg run1 run2\n",
	.minArguments = 1,
	.maxArguments = ALIGN_PROJECTS_MAX,
	.formats = TOOL_TEXT_JSON,
	.words = words,
};

static void plotFreeRun(struct plotJob *job)
{
	selectionFree(&job->plot.selection);
	windowOptionFree(&job->plot.window);
	g_free(job->plot.title);
	g_free(job->plot.output);
	g_free(job->options.align);
	g_free(job->options.type);
	g_free(job->options.panels);
	g_free(job->options.states);
	phaseOptionsFree(&job->options.phases);
	g_free(job->options.time);
	g_free(job->options.size);
	g_free(job->options.fontSize);
}

int plotRun(struct tool *tool, int argc, char **argv)
{
	struct plotJob job = {
		.plot = { .tool = tool },
		.options = { .dpi = PLOT_DPI },
	};
	struct plotOptions *options = &job.options;
	const GOptionEntry entries[] = {
		SELECT_ENTRIES(&job.plot.selection),
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &job.plot.output,
		  "Output file: .svg, .png or .pdf; - is standard output",
		  "FILE" },
		{ "type", 0, 0, G_OPTION_ARG_FILENAME, &options->type,
		  "Output format: svg, png or pdf (default: svg)", "TYPE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options->isForced,
		  "Replace an existing file", NULL },
		{ "panels", 0, 0, G_OPTION_ARG_FILENAME, &options->panels,
		  "One panel per grouping, value or node (default: grouping)",
		  "WHAT" },
		{ "states", 0, 0, G_OPTION_ARG_FILENAME, &options->states,
		  "Time lines of states: above or below the panels, or "
		  "only (no panels)",
		  "WHERE" },
		{ "nesting", 0, 0, G_OPTION_ARG_INT, &options->depth,
		  "Number of nested states to draw (default: 2; 1 for many "
		  "traces)",
		  "N" },
		/* What --nesting was called once. */
		{ "depth", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT,
		  &options->depth, "As --nesting", "N" },
		{ "phases", 0, 0, G_OPTION_ARG_FILENAME, &options->phases.file,
		  "Mark phases between the border times in FILE", "FILE" },
		{ "phases-from", 0, 0, G_OPTION_ARG_FILENAME,
		  &options->phases.from, "Mark the states of a trace",
		  "NODE[:STATE[:NESTING]]" },
		{ "scaling", 0, 0, G_OPTION_ARG_NONE, &options->isScaling,
		  "Draw efficiencies of several runs over their ranks", NULL },
		WINDOW_ENTRY(&job.plot.window),
		ALIGN_ENTRY(&options->align),
		DELAY_ENTRY(&options->isAsRecorded),
		POWERS_ENTRY(0, &job.plot.isVerbose),
		{ "time", 0, 0, G_OPTION_ARG_FILENAME, &options->time,
		  "Format of times: relative or date (default: relative)",
		  "FORM" },
		{ "zero", 0, 0, G_OPTION_ARG_NONE, &options->hasZero,
		  "Start all scales at zero", NULL },
		{ "title", 0, 0, G_OPTION_ARG_FILENAME, &job.plot.title,
		  "Title (default: the name of the project)", "TEXT" },
		{ "size", 0, 0, G_OPTION_ARG_FILENAME, &options->size,
		  "Size in mm (default: width 170, and the required height)",
		  "WxH" },
		{ "font-size", 0, 0, G_OPTION_ARG_FILENAME, &options->fontSize,
		  "Size of the text in points (default: 8)", "PT" },
		{ "dpi", 0, 0, G_OPTION_ARG_INT, &options->dpi,
		  "Dots per inch of a PNG (default: 200)", "N" },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = plotParseOptions(&job);
	if (status < 0 && options->isScaling)
		status = plotScaling(&job, argv + 1, (size_t)(argc - 1));
	if (status < 0)
		status = plotOpenAll(&job, argv + 1, (size_t)(argc - 1));
	plotFreeRun(&job);
	return status;
}
