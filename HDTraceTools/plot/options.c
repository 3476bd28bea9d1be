/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: what its options say.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/plot/options.h"

/** What a picture is in points if nothing is said: the width of a text. */
#define WIDTH_MM 170
#define FONT_SIZE 8

static int parsePanels(struct plotJob *job)
{
	int found;
	int status = toolChoose(job->plot.tool, "panels", job->options.panels,
				&found);

	job->plot.panelsBy = (enum plotPanels)found;
	return status;
}

static int parseStates(struct plotJob *job)
{
	int found;
	int status = toolChoose(job->plot.tool, "states", job->options.states,
				&found);

	job->hasCurves = true;
	if (status >= 0 || !job->options.states)
		return status;
	job->plot.states = found == 1 ? PLOT_BELOW : PLOT_ABOVE;
	job->hasCurves = found < 2;
	return -1;
}

static int plotOptionsParseTime(struct plotJob *job)
{
	int found;
	int status =
		toolChoose(job->plot.tool, "time", job->options.time, &found);

	job->plot.time = (enum plotTime)found;
	return status;
}

/** Parse a length; false if it is none, or not in a sensible range. */
static bool parseLength(const char *text, char **end, double min, double max,
			double *length)
{
	*length = g_ascii_strtod(text, end);
	return *end != text && *length >= min && *length <= max;
}

static int parseSize(struct plotJob *job)
{
	const char *text = job->options.size;
	double width = WIDTH_MM;
	double height = 0;
	char *end;
	bool isGood = true;

	if (text)
		isGood = parseLength(text, &end, 30, 2000, &width) &&
			 (!*end ||
			  (*end == 'x' &&
			   parseLength(end + 1, &end, 20, 2000, &height) &&
			   !*end));
	job->plot.width = width * CANVAS_MM;
	job->plot.height = height * CANVAS_MM;
	if (!isGood)
		return toolUsage(job->plot.tool,
				 "--size: invalid size \"%s\"; expected WIDTH "
				 "or WIDTHxHEIGHT in mm",
				 text);
	text = job->options.fontSize;
	job->plot.fontSize = FONT_SIZE;
	if (text &&
	    (!parseLength(text, &end, 3, 72, &job->plot.fontSize) || *end))
		return toolInvalidNumber(job->plot.tool, "font-size", text,
					 "3 to 72 points");
	if (job->options.dpi < 20 || job->options.dpi > 2400)
		return toolInvalidInt(job->plot.tool, "dpi", job->options.dpi,
				      "20 to 2400");
	job->plot.dpi = job->options.dpi;
	if (job->options.depth < 0)
		return toolInvalidInt(job->plot.tool, "nesting",
				      job->options.depth, "0 or more");
	job->plot.depth = job->options.depth;
	job->plot.hasZero = job->options.hasZero;
	return -1;
}

/** What to write: as is said, or as the name of the file ends. */
static int parseType(struct plotJob *job)
{
	static const char *const endings[] = { ".svg", ".png", ".pdf" };
	const char *output = job->plot.output;
	const char *missing;
	int found = -1;
	int status;

	if (!job->options.type && output && strcmp(output, "-") != 0) {
		for (int i = 0; i < (int)G_N_ELEMENTS(endings); i++) {
			if (g_str_has_suffix(output, endings[i]))
				found = i;
		}
		if (found < 0)
			return toolUsage(job->plot.tool,
					 "--output: invalid suffix in \"%s\"; "
					 "use .svg, .png or .pdf, or --type",
					 output);
	} else {
		status = toolChoose(job->plot.tool, "type", job->options.type,
				    &found);
		if (status >= 0)
			return status;
	}
	missing = found > 0 ? canvasCairoMissing() : NULL;
	if (missing)
		return toolUsage(job->plot.tool, "%s: %s; use svg",
				 endings[found] + 1, missing);
	job->type = (enum plotType)(found + 1);
	return -1;
}

int plotParseOptions(struct plotJob *job)
{
	struct tool *tool = job->plot.tool;
	int status = parsePanels(job);

	if (status < 0)
		status = parseStates(job);
	if (status < 0)
		status = plotOptionsParseTime(job);
	if (status < 0)
		status = parseSize(job);
	if (status < 0)
		status = parseType(job);
	if (status < 0)
		status = phaseOptionsCheck(&job->options.phases, tool);
	if (status < 0)
		status = windowOptionParse(&job->plot.window, tool);
	return status;
}
