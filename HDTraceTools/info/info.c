/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: shows what a project consists of.
 */
#include "config.h"

#include "HDTraceTools/info/content.h"
#include "HDTraceTools/info/sizes.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "cli/output.h"
#include "cli/rows.h"

/* ---- Collecting -------------------------------------------------------- */

static void cover(struct content *content, int64_t start, int64_t end)
{
	if (!content->hasTime || start < content->start)
		content->start = start;
	if (!content->hasTime || end > content->end)
		content->end = end;
	content->hasTime = true;
}

static bool infoAddBlock(const hdIBlock *block, void *data)
{
	struct content *content = data;

	content->entries += block->count;
	for (size_t i = 0; i < block->count; i++)
		content->gaps += block->isAfterGap[i];
	cover(content, block->start[0], block->end[block->count - 1]);
	return true;
}

static void infoReadGroup(struct info *info, const hdIGroup *group,
			  struct content *content)
{
	hdIStatReader *reader = NULL;
	int64_t start;

	content->node = group->node;
	content->file = group->file;
	content->fileSize = group->fileSize;
	if (group->isReadable)
		reader = scanOpenStat(&info->scan, group);
	if (reader && hdI_getStatStart(reader, &start) == 1)
		cover(content, start, start);
	scanBlocks(&info->scan, reader, infoAddBlock, content);
	hdI_closeStat(reader);
	if (info->sizes)
		sizesAddFile(info->sizes, content, group);
	toolProgressFile(info->tool, group->fileSize);
}

static bool infoAddRecord(const hdIRecord *record, void *data)
{
	struct content *content = data;

	if (record->kind == HDI_EVENT) {
		content->events++;
	} else {
		content->entries++;
		content->depth = MAX(content->depth, record->depth + 1);
	}
	cover(content, record->start, record->end);
	if (content->sizes)
		sizesAddRecord(content->sizes, record);
	return true;
}

static void infoReadTrace(struct info *info, const hdITraceFile *trace,
			  struct content *content)
{
	content->node = trace->node;
	content->file = trace->file;
	content->fileSize = trace->fileSize;
	content->sizes = info->sizes;
	scanTrace(&info->scan, trace, infoAddRecord, content);
	if (info->sizes)
		sizesAddFile(info->sizes, content, NULL);
	toolProgressFile(info->tool, trace->fileSize);
}

static bool infoAddElement(const hdIRelationRecord *record, void *data)
{
	struct content *content = data;

	content->relations += record->kind == HDI_RELATION_BEGIN;
	content->ended += record->kind == HDI_RELATION_END;
	content->links += record->kind == HDI_RELATION_LINK;
	content->entries += record->kind == HDI_STATE_BEGIN;
	cover(content, record->time, record->time);
	if (content->sizes)
		sizesAddElement(content->sizes, record);
	return true;
}

static void infoReadRelations(struct info *info, const hdIRelationFile *file,
			      struct content *content)
{
	hdIRelationReader *reader = scanOpenRelations(&info->scan, file);

	content->node = file->node;
	content->file = file->file;
	content->fileSize = file->fileSize;
	content->sizes = info->sizes;
	scanElements(&info->scan, reader, infoAddElement, content);
	hdI_closeRelations(reader);
	if (info->sizes)
		sizesAddFile(info->sizes, content, NULL);
	toolProgressFile(info->tool, file->fileSize);
}

static void infoAddUp(struct content *all, const struct content *content)
{
	all->fileSize += content->fileSize;
	if (content->hasTime)
		cover(all, content->start, content->end);
}

static void findMissing(struct info *info)
{
	const hdIProject *project = info->project;
	GHashTable *names =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < project->groupCount; i++)
		g_hash_table_add(names,
				 g_ascii_strdown(project->groups[i]->name, -1));
	for (size_t i = 0; i < project->declaredGroupCount; i++) {
		const char *declared = project->declaredGroups[i];
		char *name = g_ascii_strdown(declared, -1);

		if (!g_hash_table_contains(names, name))
			g_ptr_array_add(info->missingGroups, (void *)declared);
		g_free(name);
	}
	g_hash_table_destroy(names);
}

static void infoCollect(struct info *info)
{
	const hdIProject *project = info->project;
	int64_t total = 0;

	for (size_t i = 0; i < project->groupCount; i++)
		total += project->groups[i]->fileSize;
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	total += scanRelationsSize(&info->scan);
	toolProgressStart(info->tool, total);
	for (size_t i = 0; i < project->groupCount; i++) {
		infoReadGroup(info, project->groups[i], &info->groups[i]);
		g_hash_table_insert(info->contents, (void *)project->groups[i],
				    &info->groups[i]);
		infoAddUp(&info->all, &info->groups[i]);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		infoReadTrace(info, project->traces[i], &info->traces[i]);
		g_hash_table_insert(info->contents, (void *)project->traces[i],
				    &info->traces[i]);
		infoAddUp(&info->all, &info->traces[i]);
	}
	for (size_t i = 0; i < project->relationCount; i++) {
		const hdIRelationFile *file = project->relations[i];

		infoReadRelations(info, file, &info->relations[i]);
		g_hash_table_insert(info->contents, (void *)file,
				    &info->relations[i]);
		infoAddUp(&info->all, &info->relations[i]);
	}
	findMissing(info);
	toolProgressEnd(info->tool);
}

const struct content *infoContentOf(const struct info *info, const void *file)
{
	return g_hash_table_lookup(info->contents, file);
}

/* ---- CSV --------------------------------------------------------------- */

static const struct rowColumn columns[] = {
	{ NULL, "kind", ROW_TEXT, 0 },     { NULL, "node", ROW_TEXT, 0 },
	{ NULL, "group", ROW_TEXT, 0 },    { NULL, "file", ROW_TEXT, 0 },
	{ NULL, "bytes", ROW_COUNT, 0 },   { NULL, "values", ROW_COUNT, 0 },
	{ NULL, "entries", ROW_COUNT, 0 }, { NULL, "events", ROW_COUNT, 0 },
	{ NULL, "gaps", ROW_COUNT, 0 },    { NULL, "start", ROW_TIME, 0 },
	{ NULL, "end", ROW_TIME, 0 },      { NULL, "declared", ROW_FLAG, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

enum {
	COLUMN_KIND,
	COLUMN_NODE,
	COLUMN_GROUP,
	COLUMN_FILE,
	COLUMN_BYTES,
	COLUMN_VALUES,
	COLUMN_ENTRIES,
	COLUMN_EVENTS,
	COLUMN_GAPS,
	COLUMN_START,
	COLUMN_END,
	COLUMN_DECLARED,
};

static void csvContent(struct rows *rows, const struct content *content,
		       const char *kind, const char *group, size_t values,
		       bool isDeclared)
{
	rowsText(rows, COLUMN_KIND, kind);
	rowsText(rows, COLUMN_NODE, rolesPath(content->node));
	rowsText(rows, COLUMN_GROUP, group);
	rowsText(rows, COLUMN_FILE, content->file);
	rowsInteger(rows, COLUMN_BYTES, content->fileSize);
	rowsCount(rows, COLUMN_VALUES, values);
	rowsCount(rows, COLUMN_ENTRIES,
		  content->relations ? content->relations : content->entries);
	rowsCount(rows, COLUMN_EVENTS, content->events);
	rowsCount(rows, COLUMN_GAPS, content->gaps);
	if (content->hasTime) {
		rowsTime(rows, COLUMN_START, content->start);
		rowsTime(rows, COLUMN_END, content->end);
	}
	rowsFlag(rows, COLUMN_DECLARED, isDeclared);
	rowsEnd(rows);
}

static void infoPrintCsv(const struct info *info)
{
	const hdIProject *project = info->project;
	struct rows *rows = rowsNew(columns, OUT_CSV, NULL);

	rowsHeader(rows);
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		csvContent(rows, &info->groups[i], "group", group->name,
			   group->valueCount, group->isDeclared);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdINode *node = project->traces[i]->node;

		csvContent(rows, &info->traces[i], "trace", "", 0,
			   !node || node->isDeclared);
	}
	for (size_t i = 0; i < project->relationCount; i++)
		csvContent(rows, &info->relations[i], "relations", "", 0,
			   project->relations[i]->node->isDeclared);
	rowsFree(rows);
}

/* ---- JSON -------------------------------------------------------------- */

static void jsonContent(struct outJson *json, const struct content *content)
{
	outJsonText(json, "file", content->file);
	outJsonInteger(json, "size_bytes", content->fileSize);
	if (!content->hasTime)
		return;
	outJsonSeconds(json, "start_s", content->start);
	outJsonSeconds(json, "end_s", content->end);
}

static void jsonGroup(const struct info *info, struct outJson *json,
		      const hdIGroup *group)
{
	const struct content *content = infoContentOf(info, group);

	outJsonObject(json, NULL, false);
	outJsonText(json, "name", group->name);
	jsonContent(json, content);
	outJsonBool(json, "declared", group->isDeclared);
	outJsonBool(json, "readable", group->isReadable);
	outJsonInteger(json, "entries", (int64_t)content->entries);
	outJsonInteger(json, "gaps", (int64_t)content->gaps);
	outJsonArray(json, "values", false);
	for (size_t i = 0; i < group->valueCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "name", group->values[i].name);
		outJsonText(json, "type",
			    columnTypeName(group->values[i].type));
		outJsonText(json, "unit", group->values[i].unit);
		outJsonText(json, "grouping", group->values[i].grouping);
		outJsonBool(json, "simulated",
			    valueIsSimulated(group, &group->values[i]));
		resultsPutKind(json, group, &group->values[i]);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void jsonRelations(struct outJson *json, const struct content *content)
{
	outJsonObject(json, "relations", false);
	jsonContent(json, content);
	outJsonInteger(json, "count", (int64_t)content->relations);
	outJsonInteger(json, "ended", (int64_t)content->ended);
	outJsonInteger(json, "states", (int64_t)content->entries);
	outJsonInteger(json, "links", (int64_t)content->links);
	outJsonEnd(json);
}

static void jsonNodes(const struct info *info, struct outJson *json)
{
	const hdIProject *project = info->project;

	outJsonArray(json, "nodes", false);
	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		outJsonObject(json, NULL, false);
		outJsonText(json, "path", node->path);
		outJsonText(json, "label", node->label);
		outJsonInteger(json, "level", node->level);
		outJsonText(json, "type", rolesLevelType(project, node));
		outJsonBool(json, "declared", node->isDeclared);
		if (node->trace) {
			const struct content *content =
				infoContentOf(info, node->trace);

			outJsonObject(json, "trace", false);
			jsonContent(json, content);
			outJsonInteger(json, "states",
				       (int64_t)content->entries);
			outJsonInteger(json, "events",
				       (int64_t)content->events);
			outJsonInteger(json, "levels", content->depth);
			outJsonEnd(json);
		}
		if (node->relations)
			jsonRelations(json,
				      infoContentOf(info, node->relations));
		outJsonArray(json, "groups", false);
		for (size_t j = 0; j < node->groupCount; j++)
			jsonGroup(info, json, node->groups[j]);
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void infoPrintJson(struct info *info)
{
	struct outJson *json = &info->json;
	const hdIProject *project = info->project;

	outJsonDocument(json, "hdtrace-info");
	outJsonText(json, "name", project->name);
	jsonContent(json, &info->all);
	outJsonText(json, "description", project->description);
	outJsonArray(json, "levels", true);
	for (size_t i = 0; i < project->levelCount; i++)
		outJsonText(json, NULL, project->levels[i]);
	outJsonEnd(json);
	outJsonInteger(json, "communicators",
		       (int64_t)project->communicatorCount);
	outJsonInteger(json, "datatypes", (int64_t)project->datatypeCount);
	outJsonInteger(json, "files", (int64_t)project->usedFileCount);
	outJsonArray(json, "clocks", false);
	for (size_t i = 0; i < project->clockCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "node", project->clocks[i].node);
		outJsonText(json, "method", project->clocks[i].method);
		outJsonSeconds(json, "offset_error_s",
			       project->clocks[i].error);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonArray(json, "missing_groups", true);
	for (size_t i = 0; i < info->missingGroups->len; i++)
		outJsonText(json, NULL, info->missingGroups->pdata[i]);
	outJsonEnd(json);
	jsonNodes(info, json);
	if (info->sizes)
		sizesPrintJson(info->sizes, json);
	outJsonEnd(json);
}

/* ---- The command ------------------------------------------------------- */

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description = "Show the contents of a project: topology, statistics "
		       "groups and their values, traces,\nrelations, number of "
		       "entries, times and sizes. Missing and undeclared files "
		       "are marked.",
	.examples = "  hdtrace info run1.proj\n"
		    "  hdtrace info --sizes run1.proj\n"
		    "  hdtrace info --format=json run1_node06_Energy.stat\n",
	.minArguments = 1,
	.maxArguments = 1,
};

int infoRun(struct tool *tool, int argc, char **argv)
{
	struct info info = { .tool = tool };
	const GOptionEntry entries[] = {
		{ "nodes", 0, 0, G_OPTION_ARG_NONE, &info.isOfNodes,
		  "Print all nodes, also where they are alike", NULL },
		{ "ranks", 0, 0, G_OPTION_ARG_NONE, &info.isOfRanks,
		  "Print all nodes and ranks, also where they are alike",
		  NULL },
		{ "sizes", 0, 0, G_OPTION_ARG_NONE, &info.isOfSizes,
		  "Also print which records take most bytes, and which "
		  "options would save some",
		  NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);
	hdIProject *project;

	if (status >= 0)
		return status;
	project = toolOpen(tool, argv[1]);
	if (!project)
		return toolFinish(tool);
	info.project = project;
	info.scan = (struct scan){ .tool = tool, .project = project };
	info.groups = g_new0(struct content, project->groupCount + 1);
	info.traces = g_new0(struct content, project->traceCount + 1);
	info.relations = g_new0(struct content, project->relationCount + 1);
	info.all.file = project->file;
	info.contents = g_hash_table_new(NULL, NULL);
	info.missingGroups = g_ptr_array_new();
	info.sizes = info.isOfSizes ? sizesNew() : NULL;
	infoCollect(&info);
	switch (tool->format) {
	case OUT_TEXT:
		infoDecideFold(&info);
		infoPrintText(&info);
		break;
	case OUT_CSV:
		infoPrintCsv(&info);
		break;
	case OUT_JSON:
		infoPrintJson(&info);
		break;
	}
	sizesFree(info.sizes);
	g_ptr_array_free(info.missingGroups, TRUE);
	g_hash_table_destroy(info.contents);
	g_free(info.groups);
	g_free(info.traces);
	g_free(info.relations);
	hdI_closeProject(project);
	return toolFinish(tool);
}
