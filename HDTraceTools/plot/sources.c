/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: the projects that are drawn, on one clock.
 *
 * That is the clock of the first one; what is read of the others is shifted.
 */
#include "config.h"

#include "HDTraceTools/command/alignoption.h"
#include "HDTraceTools/plot/plot.h"

const char *plotPathOf(const struct plotSource *source, const hdINode *node)
{
	char *path;
	const char *kept;

	if (!*source->prefix || !*node->path)
		return *source->prefix ? source->name : node->path;
	path = g_strconcat(source->prefix, node->path, NULL);
	kept = g_intern_string(path);
	g_free(path);
	return kept;
}

const char *plotNodeName(const struct plotSource *source, const hdINode *node)
{
	return *node->path ? plotPathOf(source, node) : source->name;
}

void plotSilence(struct plot *plot)
{
	for (size_t i = 0; i < plot->sourceCount; i++)
		plot->sources[i].scan.sink = &diagnosticsDropped;
}

/** Find out which values tell the energy of nodes. */
static struct findings *findPowers(struct tool *tool, const hdIProject *project)
{
	struct findings *findings = g_new0(struct findings, 1);
	struct tool *quiet = g_new(struct tool, 1);

	*quiet = *tool;
	quiet->progress.isOn = false;
	findingsInit(findings, quiet);
	findings->isPowerOnly = true;
	findingsStart(findings, project);
	return findings;
}

static void freePowers(struct findings *findings)
{
	struct tool *quiet;

	if (!findings)
		return;
	quiet = findings->tool;
	findingsEnd(findings);
	findingsClear(findings);
	g_free(findings);
	g_free(quiet);
}

/** What is chosen of a project: of others than the first the same time. */
static int plotSourcesResolve(struct plot *plot, struct plotSource *source)
{
	const struct selection *first = &plot->sources[0].selection;
	struct selection *own = &source->selection;
	int status;

	*own = plot->selection;
	if (source == plot->sources) {
		status = selectResolve(own, plot->tool, source->project, true);
		plot->selection = *own;
		return status;
	}
	own->from = NULL;
	own->to = NULL;
	status = selectResolve(own, plot->tool, source->project, true);
	if (first->start != INT64_MIN)
		own->start = first->start - source->shift;
	if (first->end != INT64_MAX)
		own->end = first->end - source->shift;
	return status;
}

int plotStartSources(struct plot *plot, const hdIProject *const *projects,
		     size_t count, const char *align, char **paths)
{
	char **names = alignNames(projects, count);
	int64_t zero = 0;
	int64_t first = 0;
	int status = -1;

	plot->sources = g_new0(struct plotSource, count);
	for (size_t i = 0; i < count && status < 0; i++) {
		struct plotSource *source = &plot->sources[i];
		char *prefix = count > 1 ? g_strconcat(names[i], ":", NULL)
					 : g_strdup("");

		source->project = projects[i];
		source->name = g_intern_string(names[i]);
		source->prefix = g_intern_string(prefix);
		g_free(prefix);
		plot->sourceCount = i + 1;
		if (count > 1 &&
		    !alignFind(align, plot->tool, projects[i], paths[i], &zero))
			status = TOOL_FAILED;
		if (i == 0)
			first = zero;
		source->shift = first - zero;
		source->scan = (struct scan){ .tool = plot->tool,
					      .project = projects[i],
					      .selection = &source->selection };
		if (status < 0)
			status = plotSourcesResolve(plot, source);
		if (status < 0 && count > 1)
			source->findings = findPowers(plot->tool, projects[i]);
		if (status < 0 &&
		    (plot->isVerbose || plot->tool->format == OUT_JSON))
			source->powers = powerChoiceNew(projects[i], NULL);
	}
	g_strfreev(names);
	return status;
}

void plotEndSources(struct plot *plot)
{
	for (size_t i = 0; i < plot->sourceCount; i++) {
		freePowers(plot->sources[i].findings);
		powerChoiceFree(plot->sources[i].powers);
	}
	g_free(plot->sources);
}

struct extent plotExtent(const struct plot *plot)
{
	struct extent all = EXTENT_NONE;

	for (size_t i = 0; i < plot->sourceCount; i++) {
		const struct plotSource *source = &plot->sources[i];
		struct extent one = extentOfProject(source->project);

		if (one.start <= one.end)
			extentAdd(&all, one.start + source->shift,
				  one.end + source->shift);
	}
	return all;
}
