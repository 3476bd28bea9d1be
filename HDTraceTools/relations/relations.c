/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace relations: what caused what, how long it took, and what it cost.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/model/power/node.h"
#include "HDTraceTools/relations/relations.h"
#include "cli/known.h"
#include "cli/quantity.h"

bool relationsFailed(struct relationsRun *self, int ret)
{
	if (ret >= 0)
		return false;
	if (!self->tool->hasFailed)
		toolErrorTemporary(self->tool, ret);
	return true;
}

bool relationsWants(const struct relationsRun *self,
		    const struct forestRelation *relation)
{
	if (!selectionHasNode(&self->selection, relation->file->file->node))
		return false;
	if (!selectionHasTime(&self->selection, relation->start,
			      relation->lasted))
		return false;
	if (self->depth >= 0 && relation->depth > (uint32_t)self->depth)
		return false;
	return !self->name ||
	       (relation->name && fnmatch(self->name, relation->name, 0) == 0);
}

/* ---- Reading ----------------------------------------------------------- */

static void relationsReadRelations(struct relationsRun *self)
{
	const struct scan scan = { .tool = self->tool,
				   .project = self->project };

	toolProgressStart(self->tool, scanRelationsSize(&scan));
	scanRelations(&scan, self->forest);
	toolProgressEnd(self->tool);
	relationsFailed(self, forestEnd(self->forest));
	self->start = INT64_MAX;
	for (uint32_t i = 0; i < forestCount(self->forest); i++)
		self->start = MIN(self->start, forestStart(self->forest, i));
}

/** Read the power of a group, and divide it. */
static int divideGroup(struct relationsRun *self, const struct scan *scan,
		       struct attribution *ranks, const hdIGroup *group)
{
	struct powerSeries *rest = NULL;
	struct powerSeries *series =
		nodePowerNew(powerChoiceOf(self->powers, group->node));
	int ret = scanSeries(scan, group, series);

	if (ret == 0)
		ret = nodePowerComplete(self->project, self->powers, group,
					&series);
	if (ret == 0)
		ret = joulesDivide(self->joules, ranks, group, series, true,
				   &rest);
	if (ret == 0)
		ret = joulesRanks(self->joules, ranks, group, rest);
	powerSeriesFree(rest);
	powerSeriesFree(series);
	return ret;
}

static void showDivided(void *data, int64_t relations)
{
	toolProgressFile(data, relations);
}

static void readJoules(struct relationsRun *self)
{
	const struct scan scan = { .tool = self->tool,
				   .project = self->project };
	struct attribution *ranks = NULL;
	const GArray *nodes;
	int64_t total = 0;
	int ret = 0;

	self->powers = powerChoiceNew(self->project, NULL);
	self->joules = joulesNew(self->forest, self->powers);
	nodes = joulesNodes(self->joules);
	for (guint i = 0; i < nodes->len; i++)
		total += joulesNodeAt(self->joules, i)->group->fileSize +
			 joulesWork(self->joules,
				    joulesNodeAt(self->joules, i)->group);
	joulesOnProgress(self->joules, showDivided, self->tool);
	if (nodes->len)
		ranks = attributionNew(self->project, ATTRIBUTION_EQUAL);
	toolProgressStart(self->tool, total);
	for (guint i = 0; i < nodes->len && ret == 0; i++) {
		const hdIGroup *group = joulesNodeAt(self->joules, i)->group;

		ret = divideGroup(self, &scan, ranks, group);
		toolProgressFile(self->tool, group->fileSize);
	}
	if (ret == 0 && nodes->len)
		ret = joulesEnd(self->joules);
	toolProgressEnd(self->tool);
	relationsFailed(self, ret);
	attributionFree(ranks);
}

/* ---- Printing ---------------------------------------------------------- */

static void relationsPutNode(struct outJson *json,
			     const struct joulesNode *node)
{
	const struct attributionAmount parts[] = {
		{ node->relations, 0 },
		{ node->ranks, 0 },
		{ node->unattributed, 0 },
	};
	static const char *const keys[] = { "relations_j", "ranks_j",
					    "unattributed_j" };
	bool isKnown = node->all.measured > 0;

	outJsonObject(json, NULL, true);
	outJsonText(json, "node", node->group->node->path);
	if (isKnown)
		outJsonDouble(json, "energy_j", attributionEnergy(&node->all));
	else
		outJsonPlain(json, "energy_j", "null");
	outJsonSeconds(json, "known_s", node->all.measured);
	outJsonSeconds(json, "duration_s", node->duration);
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (isKnown)
			outJsonDouble(json, keys[i],
				      attributionEnergy(&parts[i]));
		else
			outJsonPlain(json, keys[i], "null");
	}
	outJsonEnd(json);
}

void relationsPutCounts(const struct forest *forest,
			const struct inferred *inferred, struct outJson *json)
{
	struct forestCounts counts = forestCountAll(forest);

	outJsonInteger(json, "count", forestCount(forest));
	outJsonInteger(json, "roots", (int64_t)counts.roots);
	outJsonInteger(json, "unknown_parents", (int64_t)counts.unknown);
	outJsonInteger(json, "unended", (int64_t)counts.unended);
	outJsonInteger(json, "circular", (int64_t)counts.circular);
	outJsonInteger(json, "inferred", (int64_t)inferredCount(inferred));
	outJsonInteger(json, "inferred_links", (int64_t)counts.inferred);
}

static void beginJson(struct relationsRun *self)
{
	const GArray *nodes = joulesNodes(self->joules);

	outJsonDocument(self->json, "hdtrace-relations");
	outJsonText(self->json, "project", self->project->name);
	outJsonText(self->json, "file", self->project->file);
	relationsPutCounts(self->forest, self->inferred, self->json);
	outJsonArray(self->json, "energy", false);
	for (guint i = 0; i < nodes->len; i++)
		relationsPutNode(self->json, joulesNodeAt(self->joules, i));
	outJsonEnd(self->json);
	if (self->tree)
		outJsonText(self->json, "tree", self->tree);
}

static void sayCount(uint64_t count, const char *what)
{
	if (count > 0)
		printf(", %" PRIu64 " %s", count, what);
}

static void relationsPrintNode(const struct joulesNode *node)
{
	char buffer[OUT_NUMBER_SIZE];
	const powerPico parts[] = { node->relations, node->ranks,
				    node->unattributed };
	static const char *const names[] = { "relations", "ranks", "nobody" };

	printf("Energy of ");
	outPrintable(*node->group->node->path ? node->group->node->path
					      : node->group->node->label);
	if (node->all.measured <= 0) {
		puts(": unknown");
		return;
	}
	printf(": %s%s,",
	       knownMark((struct known){ node->all.measured, node->duration }),
	       quantityText(buffer, attributionEnergy(&node->all), "J"));
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct attributionAmount part = { parts[i], 0 };

		printf("%s %s of %s", i ? "," : "",
		       quantityText(buffer, attributionEnergy(&part), "J"),
		       names[i]);
	}
	putchar('\n');
}

static void beginText(struct relationsRun *self)
{
	struct forestCounts counts = forestCountAll(self->forest);
	const GArray *nodes = joulesNodes(self->joules);

	printf("%" PRIu32 " relations", forestCount(self->forest));
	sayCount(counts.roots, "without a cause");
	sayCount(inferredCount(self->inferred),
		 "of them with a probable cause in a state of a rank");
	sayCount(counts.inferred, "with a cause inferred from their origin");
	sayCount(counts.unknown, "with a cause that is not in any file");
	sayCount(counts.unended, "that never ended");
	sayCount(counts.circular, "with a circular cause");
	putchar('\n');
	for (guint i = 0; i < nodes->len; i++)
		relationsPrintNode(joulesNodeAt(self->joules, i));
	putchar('\n');
}

static void relationsPrintAll(struct relationsRun *self, uint32_t tree)
{
	const enum outFormat format = self->tool->format;

	if (format == OUT_JSON)
		beginJson(self);
	if (format == OUT_TEXT)
		beginText(self);
	if (tree != FOREST_NONE) {
		relationsPrintTree(self, tree);
	} else {
		if (self->onlySums || format != OUT_CSV)
			relationsPrintSums(self);
		if (!self->onlySums) {
			if (format == OUT_TEXT)
				puts("\nSlowest:");
			relationsPrintList(self);
		}
	}
	if (format == OUT_JSON)
		outJsonEnd(self->json);
}

/* ---- The whole --------------------------------------------------------- */

void relationsRead(struct relationsRun *self)
{
	self->forest = forestNew(self->project);
	relationsReadRelations(self);
	if (!self->tool->hasFailed)
		readJoules(self);
	if (!self->tool->hasFailed) {
		self->inferred = inferredNew(self->forest);
		relationsFailed(self, inferredFind(self->inferred));
	}
}

void relationsForget(struct relationsRun *self)
{
	inferredFree(self->inferred);
	joulesFree(self->joules);
	powerChoiceFree(self->powers);
	forestFree(self->forest);
}

static void relationsAnalyse(struct relationsRun *self)
{
	uint32_t tree = FOREST_NONE;
	int error = 0;

	relationsRead(self);
	if (!self->tool->hasFailed && self->tree) {
		tree = forestFind(self->forest, self->tree, &error);
		if (!relationsFailed(self, error) && tree == FOREST_NONE)
			toolError(self->tool, "--tree: unknown relation \"%s\"",
				  self->tree);
	}
	if (!self->tool->hasFailed)
		relationsPrintAll(self, tree);
	relationsForget(self);
}

static int relationsRunOn(struct relationsRun *self, const char *path)
{
	hdIProject *project = toolOpen(self->tool, path);
	int status = -1;

	if (!project)
		return toolFinish(self->tool);
	delayApply(self->tool, project, self->isAsRecorded);
	self->project = project;
	if (project->relationCount == 0)
		toolError(self->tool, "%s: the project has no relations", path);
	else
		status = selectResolve(&self->selection, self->tool, project,
				       false);
	if (status < 0 && !self->tool->hasFailed)
		relationsAnalyse(self);
	hdI_closeProject(project);
	return status < 0 ? toolFinish(self->tool) : status;
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Show relations: causes and effects across threads, processes "
		"and hosts. Prints sums by\nname and layer and the slowest "
		"relations, or the tree of one relation. Every entry has "
		"total\ntime, self time, waiting time and energy.",
	.examples =
		"  hdtrace relations run1.proj\n"
		"  hdtrace relations --name='write*' --top=20 run1.proj\n"
		"  hdtrace relations --tree=node06:20360.1:3:17 run1.proj\n",
	.minArguments = 1,
	.maxArguments = 1,
	.hasNumbers = true,
};

int relationsRun(struct tool *tool, int argc, char **argv)
{
	struct relationsRun self = { .tool = tool, .top = -1, .depth = -1 };
	gboolean onlySums = FALSE;
	const GOptionEntry entries[] = {
		{ "tree", 0, 0, G_OPTION_ARG_STRING, &self.tree,
		  "Show a relation with its causes and effects", "TOKEN" },
		{ "name", 0, 0, G_OPTION_ARG_STRING, &self.name,
		  "Only relations with a matching name", "PATTERN" },
		SELECT_NODE_ENTRY(&self.selection),
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.from,
		  "Only relations active after this time", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.to,
		  "Only relations active before this time", "TIME" },
		{ "depth", 0, 0, G_OPTION_ARG_INT, &self.depth,
		  "Only relations at most N causes below a root", "N" },
		{ "top", 0, 0, G_OPTION_ARG_INT, &self.top,
		  "Number of relations to list, slowest first (default: 10 in "
		  "text, else all)",
		  "N" },
		DELAY_ENTRY(&self.isAsRecorded),
		{ "sums", 0, 0, G_OPTION_ARG_NONE, &onlySums,
		  "Print only sums by name and layer", NULL },
		{ NULL },
	};
	struct outJson json = { .depth = 0 };
	int status = toolParse(tool, &argc, &argv, entries, &help);

	self.json = &json;
	self.format = tool->format;
	self.onlySums = onlySums;
	if (status < 0 && self.top < -1)
		status = toolUsage(tool, "--top: must be 0 or more");
	if (status < 0 && self.depth < -1)
		status = toolUsage(tool, "--depth: must be 0 or more");
	if (status < 0 && onlySums && self.tree)
		status = toolExcludes(tool, "sums", "tree");
	if (status < 0 && self.tree &&
	    (self.name || self.selection.nodes || self.selection.from ||
	     self.selection.to || self.depth >= 0 || self.top >= 0))
		status = toolUsage(tool,
				   "--tree: cannot be combined with --name, "
				   "--node, --from, --to, --depth or --top");
	if (status < 0)
		status = relationsRunOn(&self, argv[1]);
	selectionFree(&self.selection);
	g_free(self.name);
	g_free(self.tree);
	return status;
}
