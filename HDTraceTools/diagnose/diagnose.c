/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace diagnose: which node is slow, and in which of its layers.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/diagnose/diagnose.h"
#include "HDTraceTools/model/relations/slowest.h"

/** What the whole command works on. */
struct diagnoseRun {
	struct tool *tool;
	const char *path;
	const hdIProject *project;
	struct selection selection;
	int top;
	gboolean fails;
	gboolean isAsRecorded;
	bool hasFound;
	struct relationsRun relations;
	struct layers *layers;
	struct outJson json;
};

/* ---- Reading ----------------------------------------------------------- */

static bool diagnoseIsWanted(const hdIGroup *group, void *data)
{
	const struct diagnoseRun *self = data;

	return selectionHasGroup(&self->selection, group);
}

static bool diagnoseAddBlock(const hdIBlock *block, void *data)
{
	layerGaugeTake(data, block);
	return true;
}

static void readGauges(struct diagnoseRun *self)
{
	const struct scan scan = { .tool = self->tool,
				   .project = self->project };
	int64_t size = 0;

	for (size_t i = 0; i < self->layers->count; i++)
		size += self->layers->list[i].gauge.group->fileSize;
	toolProgressStart(self->tool, size);
	for (size_t i = 0; i < self->layers->count; i++) {
		struct layerGauge *gauge = &self->layers->list[i].gauge;

		scanGroup(&scan, gauge->group, diagnoseAddBlock, gauge);
		toolProgressFile(self->tool, gauge->group->fileSize);
	}
	toolProgressEnd(self->tool);
}

static bool isOfLayer(const struct diagnoseRun *self, uint32_t number)
{
	return layersOfRelations(
		       self->layers,
		       forestFileOf(self->relations.forest, number)->file) !=
	       NULL;
}

/** Whether a relation is a request: of a layer that is wanted, in the time, and
 *  nothing in such a layer caused it. Others may have, as a call of MPI. */
static bool isRequest(const struct diagnoseRun *self, uint32_t number)
{
	const struct forest *forest = self->relations.forest;
	uint32_t cause = forestParent(forest, number);

	if (!selectionHasTime(&self->selection, forestStart(forest, number),
			      forestLasted(forest, number)) ||
	    !isOfLayer(self, number))
		return false;
	while (cause != FOREST_NONE && !isOfLayer(self, cause))
		cause = forestParent(forest, cause);
	return cause == FOREST_NONE;
}

static GArray *findLongest(struct diagnoseRun *self)
{
	GArray *longest = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const struct forest *forest = self->relations.forest;
	struct slowest *slowest = slowestNew((size_t)self->top);
	uint32_t number;
	int ret = 0;

	for (uint32_t i = 0; forest && i < forestCount(forest) && ret == 0;
	     i++) {
		const struct forestRelation relation = {
			.number = i,
			.start = forestStart(forest, i),
			.lasted = forestLasted(forest, i),
		};

		if (isRequest(self, i))
			ret = slowestAdd(slowest, &relation);
	}
	while (ret == 0 && slowestNext(slowest, &number) == 1)
		g_array_append_val(longest, number);
	relationsFailed(&self->relations, ret);
	slowestFree(slowest);
	return longest;
}

/* ---- The whole --------------------------------------------------------- */

static void diagnosePrint(struct diagnoseRun *self)
{
	GArray *outliers = outliersFind(self->layers);
	GPtrArray *out = outliersOut(outliers);
	GArray *longest = findLongest(self);
	const struct diagnose diagnose = {
		.tool = self->tool,
		.layers = self->layers,
		.outliers = outliers,
		.out = out,
		.longest = longest,
		.start = self->selection.projectStart,
		.relations = &self->relations,
		.json = &self->json,
	};

	self->hasFound = out->len > 0;
	switch (self->tool->format) {
	case OUT_TEXT:
		diagnosePrintText(&diagnose);
		break;
	case OUT_CSV:
		diagnosePrintCsv(&diagnose);
		break;
	case OUT_JSON:
		diagnosePrintJson(&diagnose);
		break;
	}
	g_array_unref(longest);
	g_ptr_array_unref(out);
	g_array_unref(outliers);
}

static void diagnoseAnalyse(struct diagnoseRun *self)
{
	bool hasRelations = self->project->relationCount > 0;

	self->relations = (struct relationsRun){
		.tool = self->tool,
		.format = self->tool->format,
		.project = self->project,
		.top = -1,
		.depth = -1,
		.room = self->tool->format == OUT_JSON ? DIAGNOSE_ROOM_JSON
						       : DIAGNOSE_ROOM,
		.json = &self->json,
	};
	readGauges(self);
	if (hasRelations)
		relationsRead(&self->relations);
	if (!self->tool->hasFailed) {
		layersEnd(self->layers, self->relations.forest);
		diagnosePrint(self);
	}
	if (hasRelations)
		relationsForget(&self->relations);
}

static void diagnoseWork(const hdIProject *project, void *data)
{
	struct diagnoseRun *self = data;

	self->project = project;
	self->layers = layersNew(project, diagnoseIsWanted, self,
				 self->selection.start, self->selection.end);
	if (self->layers->count == 0)
		toolError(self->tool,
			  "%s: the project has no layers; record GlusterFS "
			  "with its translator, or a program whose groups have "
			  "a gauge Pending (see hdtrace-diagnose(1))",
			  self->path);
	else
		diagnoseAnalyse(self);
	layersFree(self->layers);
}

static int diagnoseRunOn(struct diagnoseRun *self, const char *path)
{
	int status;

	self->path = path;
	status = selectRun(&self->selection, self->tool, path, true,
			   self->isAsRecorded, diagnoseWork, self);
	return status == TOOL_OK && self->fails && self->hasFound ? TOOL_FOUND
								  : status;
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Find the slow node, and the slow layer in it. Prints the "
		"number of pending operations\nin each layer, the layer that "
		"held them, and the nodes that hold more than comparable\n"
		"nodes. Layers are statistics groups with a gauge Pending.",
	.examples = "  hdtrace diagnose run1.proj\n"
		    "  hdtrace diagnose --from=10 --to=20 run1\n"
		    "  hdtrace diagnose --format=json --fail run1\n",
	.minArguments = 1,
	.maxArguments = 1,
	.hasNumbers = true,
};

int diagnoseRun(struct tool *tool, int argc, char **argv)
{
	struct diagnoseRun self = { .tool = tool, .top = DIAGNOSE_TOP };
	const GOptionEntry entries[] = {
		SELECT_NODE_ENTRY(&self.selection),
		{ "group", 'g', 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &self.selection.groups, "Only matching layers", "PATTERN" },
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.from,
		  "Only operations after this time", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.to,
		  "Only operations before this time", "TIME" },
		{ "top", 0, 0, G_OPTION_ARG_INT, &self.top,
		  "Number of requests to show, longest first (default: 1)",
		  "N" },
		{ "fail", 0, 0, G_OPTION_ARG_NONE, &self.fails,
		  "Exit with status 3 if a node is an outlier", NULL },
		DELAY_ENTRY(&self.isAsRecorded),
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0 && self.top < 0)
		status = toolUsage(tool, "--top: must be 0 or more");
	if (status < 0)
		status = diagnoseRunOn(&self, argv[1]);
	selectionFree(&self.selection);
	return status;
}
