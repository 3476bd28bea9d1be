/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: contents as text.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/info/content.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "cli/output.h"

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
		printContent(info, infoContentOf(info, node->trace), true);
		putchar('\n');
	}
	if (node->relations) {
		printBranch(branches, indent, --rest == 0);
		printf("relations: ");
		infoPrintRelations(info, infoContentOf(info, node->relations));
		putchar('\n');
	}
	for (size_t i = 0; i < node->groupCount; i++) {
		const hdIGroup *group = node->groups[i];

		printBranch(branches, indent, --rest == 0);
		outPrintable(group->name);
		printf(": ");
		if (group->isReadable)
			printContent(info, infoContentOf(info, group), false);
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

void infoPrintText(const struct info *info)
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
