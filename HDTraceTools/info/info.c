/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: shows what a project consists of.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "cli/output.h"
#include "cli/rows.h"

/** What reading a file through tells about it. */
struct content {
	const hdINode *node; /**< Where it belongs. */
	const char *file;
	int64_t fileSize;
	uint64_t entries; /**< Or states. */
	uint64_t events;
	uint64_t relations;
	uint64_t ended; /**< Of these. */
	uint64_t links;
	uint64_t gaps;
	unsigned int depth; /**< Number of levels of states. */
	bool hasTime;
	int64_t start;
	int64_t end;
};

/** State of the command. */
struct info {
	struct tool *tool;
	const hdIProject *project;
	struct scan scan;
	struct content *groups; /**< In the order of the project. */
	struct content *traces;
	struct content *relations;
	/** By hdIGroup, hdITraceFile and hdIRelationFile. */
	GHashTable *contents;
	struct content all;
	/** Declared groups without any file. */
	GPtrArray *missingGroups;
	struct outJson json;
};

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
	return true;
}

static void infoReadTrace(struct info *info, const hdITraceFile *trace,
			  struct content *content)
{
	content->node = trace->node;
	content->file = trace->file;
	content->fileSize = trace->fileSize;
	scanTrace(&info->scan, trace, infoAddRecord, content);
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
	return true;
}

static void infoReadRelations(struct info *info, const hdIRelationFile *file,
			      struct content *content)
{
	hdIRelationReader *reader = scanOpenRelations(&info->scan, file);

	content->node = file->node;
	content->file = file->file;
	content->fileSize = file->fileSize;
	scanElements(&info->scan, reader, infoAddElement, content);
	hdI_closeRelations(reader);
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

/** What a group or a trace of the project holds. */
static const struct content *contentOf(const struct info *info,
				       const void *file)
{
	return g_hash_table_lookup(info->contents, file);
}

/* ---- Text -------------------------------------------------------------- */

static void infoPrintLine(const char *key, const char *text)
{
	printf("%-14s", key);
	outPrintable(text);
	putchar('\n');
}

static void heading(const struct info *info, const char *text)
{
	printf("\n%s%s%s\n", info->tool->isColored ? "\033[1m" : "", text,
	       info->tool->isColored ? "\033[0m" : "");
}

static void infoPrintSummary(const struct info *info)
{
	const hdIProject *project = info->project;
	char buffer[OUT_NUMBER_SIZE];
	GString *text = g_string_new(NULL);

	infoPrintLine("Project", project->name);
	infoPrintLine("File", project->file);
	if (*project->description)
		infoPrintLine("Description", project->description);
	for (size_t i = 0; i < project->levelCount; i++)
		g_string_append_printf(text, "%s%s", i ? " > " : "",
				       *project->levels[i] ? project->levels[i]
							   : "?");
	if (project->levelCount)
		infoPrintLine("Levels", text->str);
	if (info->all.hasTime) {
		g_string_printf(text, "%s UTC",
				outDate(buffer, info->all.start, 3));
		g_string_append_printf(text, " (%s)",
				       outSeconds(buffer, info->all.start));
		infoPrintLine("Start", text->str);
		g_string_printf(text, "%s UTC",
				outDate(buffer, info->all.end, 3));
		g_string_append_printf(text, " (%s)",
				       outSeconds(buffer, info->all.end));
		infoPrintLine("End", text->str);
		infoPrintLine(
			"Duration",
			outDuration(buffer, info->all.end - info->all.start));
	}
	g_string_printf(text, "%s in %zu %s and %zu %s",
			outSize(buffer, info->all.fileSize),
			project->groupCount,
			project->groupCount == 1 ? "group" : "groups",
			project->traceCount,
			project->traceCount == 1 ? "trace" : "traces");
	if (project->relationCount)
		g_string_append_printf(
			text, " and %zu %s", project->relationCount,
			project->relationCount == 1 ? "file of relations"
						    : "files of relations");
	infoPrintLine("Data", text->str);
	if (project->communicatorCount || project->datatypeCount ||
	    project->usedFileCount) {
		g_string_printf(text,
				"%zu communicators, %zu datatypes, %zu files",
				project->communicatorCount,
				project->datatypeCount, project->usedFileCount);
		infoPrintLine("MPI", text->str);
	}
	if (project->clockCount) {
		int64_t error = 0;

		for (size_t i = 0; i < project->clockCount; i++)
			error = MAX(error, project->clocks[i].error);
		g_string_printf(text, "%zu compared, error up to %s",
				project->clockCount,
				outDuration(buffer, error));
		infoPrintLine("Clocks", text->str);
	}
	g_string_free(text, TRUE);
}

static void infoPrintTime(const struct info *info,
			  const struct content *content)
{
	char buffer[OUT_NUMBER_SIZE];

	if (content->hasTime) {
		printf(", %s",
		       outDuration(buffer, content->end - content->start));
		printf(" from +%s",
		       outDuration(buffer, content->start - info->all.start));
	}
	printf(", %s", outSize(buffer, content->fileSize));
}

/** "3812 entries, 60.081 s from 1.205 s" */
static void printContent(const struct info *info, const struct content *content,
			 bool isTrace)
{
	if (isTrace)
		printf("%" PRIu64 " %s", content->entries,
		       content->entries == 1 ? "state" : "states");
	else
		printf("%" PRIu64 " %s", content->entries,
		       content->entries == 1 ? "entry" : "entries");
	if (content->depth > 1)
		printf(" nested %u deep", content->depth);
	if (content->events)
		printf(", %" PRIu64 " %s", content->events,
		       content->events == 1 ? "event" : "events");
	if (content->gaps)
		printf(", %" PRIu64 " %s", content->gaps,
		       content->gaps == 1 ? "gap" : "gaps");
	infoPrintTime(info, content);
}

/** "12 relations with 30 states, 1 link, 2 do not end, 5 s from 1 s" */
static void infoPrintRelations(const struct info *info,
			       const struct content *content)
{
	printf("%" PRIu64 " %s with %" PRIu64 " %s", content->relations,
	       content->relations == 1 ? "relation" : "relations",
	       content->entries, content->entries == 1 ? "state" : "states");
	if (content->links)
		printf(", %" PRIu64 " %s", content->links,
		       content->links == 1 ? "link" : "links");
	if (content->ended < content->relations)
		printf(", %" PRIu64 " without an end",
		       content->relations - content->ended);
	infoPrintTime(info, content);
}

/** The parts that a tree is drawn with. */
struct branches {
	const char *tee;
	const char *last;
	const char *through;
	const char *blank;
};

static const struct branches asciiBranches = { "|- ", "`- ", "|  ", "   " };
static const struct branches unicodeBranches = {
	"\342\224\234\342\224\200 ",
	"\342\224\224\342\224\200 ",
	"\342\224\202  ",
	"   ",
};

static void printBranch(const struct branches *branches, const GString *indent,
			bool isLast)
{
	fputs(indent->str, stdout);
	fputs(isLast ? branches->last : branches->tee, stdout);
}

/** Print what lies below a node: its files, then its children. */
static void infoPrintNode(const struct info *info, const hdINode *node,
			  GString *indent)
{
	const struct branches *branches =
		info->tool->isUnicode ? &unicodeBranches : &asciiBranches;
	size_t rest = (node->trace ? 1 : 0) + (node->relations ? 1 : 0) +
		      node->groupCount + node->childCount;

	if (node->trace) {
		printBranch(branches, indent, --rest == 0);
		printf("trace: ");
		printContent(info, contentOf(info, node->trace), true);
		putchar('\n');
	}
	if (node->relations) {
		printBranch(branches, indent, --rest == 0);
		printf("relations: ");
		infoPrintRelations(info, contentOf(info, node->relations));
		putchar('\n');
	}
	for (size_t i = 0; i < node->groupCount; i++) {
		const hdIGroup *group = node->groups[i];

		printBranch(branches, indent, --rest == 0);
		outPrintable(group->name);
		printf(": ");
		if (group->isReadable)
			printContent(info, contentOf(info, group), false);
		else
			printf("not readable");
		puts(group->isDeclared ? "" : ", not declared");
	}
	for (size_t i = 0; i < node->childCount; i++) {
		const hdINode *child = node->children[i];
		const char *type = rolesLevelType(info->project, child);
		size_t length = indent->len;
		bool isLast = --rest == 0;

		printBranch(branches, indent, isLast);
		outPrintable(child->label);
		if (*type) {
			printf(" (");
			outPrintable(type);
			putchar(')');
		}
		puts(child->isDeclared ? "" : ", not declared");
		g_string_append(indent,
				isLast ? branches->blank : branches->through);
		infoPrintNode(info, child, indent);
		g_string_truncate(indent, length);
	}
}

static void printTopology(const struct info *info)
{
	GString *indent = g_string_new(NULL);

	heading(info, "Topology");
	outPrintable(info->project->root->label);
	putchar('\n');
	infoPrintNode(info, info->project->root, indent);
	g_string_free(indent, TRUE);
}

/** What groups that are alike have in common, in one text: XML has no control
 *  characters that could part names. */
static char *likeness(const hdIGroup *group)
{
	GString *text = g_string_new(group->name);

	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];

		g_string_append_printf(text, "\1%s\2%d %d\2%s\2%s\2%s",
				       value->name, (int)value->type,
				       valueIsSimulated(group, value),
				       valueKindTitle(group, value),
				       value->unit, value->grouping);
	}
	return g_string_free(text, FALSE);
}

static const char *const valueHeadings[] = { "<Value", "<Kind",     "<Type",
					     "<Unit",  "<Grouping", NULL };

/** Print the values of groups that are alike, and which nodes have them. */
static void printGroup(const struct info *info, const GPtrArray *alike)
{
	const hdIGroup *group = alike->pdata[0];
	struct outTable *table;
	const char *between = " ";
	bool hasGuesses = false;
	bool isGuessed;

	printf("\n%s", info->tool->isColored ? "\033[1m" : "");
	outPrintable(group->name);
	printf("%s of", info->tool->isColored ? "\033[0m" : "");
	for (guint i = 0; i < alike->len; i++) {
		const hdIGroup *other = alike->pdata[i];
		const char *path = rolesPath(other->node);

		printf("%s", between);
		outPrintable(*path ? path : "the project");
		between = ", ";
	}
	putchar('\n');
	table = outTableNew(valueHeadings);
	for (size_t i = 0; i < group->valueCount; i++) {
		char *title = valueTitle(group, &group->values[i]);

		outTableAdd(table, title);
		g_free(title);
		outTableAdd(table, valueKindTitle(group, &group->values[i]));
		valueKind(group, &group->values[i], &isGuessed);
		hasGuesses |= isGuessed;
		outTableAdd(table, columnTypeName(group->values[i].type));
		outTableAdd(table, group->values[i].unit);
		outTableAdd(table, group->values[i].grouping);
	}
	outTablePrint(table, "  ", info->tool->isColored);
	if (hasGuesses)
		puts("  " KIND_GUESSED_NOTE);
}

static void printGroups(const struct info *info)
{
	const hdIProject *project = info->project;
	GHashTable *known =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *kinds = g_ptr_array_new_with_free_func(
		(GDestroyNotify)g_ptr_array_unref);

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		GPtrArray *alike;
		char *key;

		if (!group->isReadable)
			continue;
		key = likeness(group);
		alike = g_hash_table_lookup(known, key);
		if (!alike) {
			alike = g_ptr_array_new();
			g_ptr_array_add(kinds, alike);
			g_hash_table_insert(known, g_strdup(key), alike);
		}
		g_ptr_array_add(alike, (void *)group);
		g_free(key);
	}
	for (guint i = 0; i < kinds->len; i++)
		printGroup(info, kinds->pdata[i]);
	g_ptr_array_unref(kinds);
	g_hash_table_destroy(known);
}

static void infoPrintText(const struct info *info)
{
	infoPrintSummary(info);
	printTopology(info);
	printGroups(info);
	if (!info->missingGroups->len)
		return;
	heading(info, "Declared, but without a file");
	for (size_t i = 0; i < info->missingGroups->len; i++) {
		printf("  ");
		outPrintable(info->missingGroups->pdata[i]);
		putchar('\n');
	}
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
	const struct content *content = contentOf(info, group);

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
				contentOf(info, node->trace);

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
			jsonRelations(json, contentOf(info, node->relations));
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
		    "  hdtrace info --format=json run1_node06_Energy.stat\n",
	.minArguments = 1,
	.maxArguments = 1,
};

int infoRun(struct tool *tool, int argc, char **argv)
{
	struct info info = { .tool = tool };
	const GOptionEntry entries[] = { { NULL } };
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
	infoCollect(&info);
	switch (tool->format) {
	case OUT_TEXT:
		infoPrintText(&info);
		break;
	case OUT_CSV:
		infoPrintCsv(&info);
		break;
	case OUT_JSON:
		infoPrintJson(&info);
		break;
	}
	g_ptr_array_free(info.missingGroups, TRUE);
	g_hash_table_destroy(info.contents);
	g_free(info.groups);
	g_free(info.traces);
	g_free(info.relations);
	hdI_closeProject(project);
	return toolFinish(tool);
}
