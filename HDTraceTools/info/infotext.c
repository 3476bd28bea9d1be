/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: contents as text.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/info/content.h"
#include "HDTraceTools/info/sizes.h"
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

/** So many missing groups are listed. */
#define INFO_MISSING 5

/** Files of a node that are no groups. */
enum { INFO_TRACE = -1, INFO_RELATIONS = -2 };

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

/** A file of each of some nodes that are alike: a trace, a file of relations,
 * or the group of a number. */
static const void *infoFileOf(const hdINode *node, int which)
{
	if (which == INFO_TRACE)
		return node->trace;
	if (which == INFO_RELATIONS)
		return node->relations;
	return node->groups[which];
}

/** Print the contents of a file of each node; group is of the first one, or
 * NULL.
 */
static void printFiles(const struct info *info, const GPtrArray *nodes,
		       int which, const char *name)
{
	const struct content **contents =
		g_new(const struct content *, nodes->len);
	const hdINode *first = nodes->pdata[0];

	outPrintable(name);
	printf(": ");
	for (guint i = 0; i < nodes->len; i++)
		contents[i] =
			infoContentOf(info, infoFileOf(nodes->pdata[i], which));
	if (which >= 0 && !first->groups[which]->isReadable)
		printf("not readable");
	else if (nodes->len > 1)
		infoPrintMany(contents, nodes->len,
			      which == INFO_TRACE       ? "states"
			      : which == INFO_RELATIONS ? "states"
							: "entries");
	else if (which == INFO_RELATIONS)
		infoPrintRelations(info, contents[0]);
	else
		printContent(info, contents[0], which == INFO_TRACE);
	puts(which < 0 || first->groups[which]->isDeclared ? ""
							   : ", not declared");
	g_free(contents);
}

/** "node0 (Host)", or "500 nodes: node0 to node499 (Host)" */
static void printLabels(const struct info *info, const GPtrArray *nodes)
{
	const hdINode *first = nodes->pdata[0];
	const hdINode *last = nodes->pdata[nodes->len - 1];
	const char *type = rolesLevelType(info->project, first);

	outPrintable(first->label);
	if (strcmp(first->label, last->label) != 0) {
		printf(nodes->len > 2 ? " to " : ", ");
		outPrintable(last->label);
	}
	if (nodes->len > 1)
		printf(" (%u", nodes->len);
	if (*type) {
		printf(nodes->len > 1 ? " x " : " (");
		outPrintable(type);
	}
	puts(*type || nodes->len > 1
		     ? (first->isDeclared ? ")" : "), not declared")
		     : (first->isDeclared ? "" : ", not declared"));
}

/** Print what lies below nodes that are alike: their files, then their
 * children. */
static void infoPrintNodes(const struct info *info, const GPtrArray *nodes,
			   GString *indent)
{
	const struct branches *branches =
		info->tool->isUnicode ? &unicodeBranches : &asciiBranches;
	const hdINode *node = nodes->pdata[0];
	GPtrArray *children = infoChildren(info, nodes);
	size_t rest = (node->trace ? 1 : 0) + (node->relations ? 1 : 0) +
		      node->groupCount + children->len;

	if (node->trace) {
		printBranch(branches, indent, --rest == 0);
		printFiles(info, nodes, INFO_TRACE, "trace");
	}
	if (node->relations) {
		printBranch(branches, indent, --rest == 0);
		printFiles(info, nodes, INFO_RELATIONS, "relations");
	}
	for (size_t i = 0; i < node->groupCount; i++) {
		printBranch(branches, indent, --rest == 0);
		printFiles(info, nodes, (int)i, node->groups[i]->name);
	}
	for (guint i = 0; i < children->len; i++) {
		const GPtrArray *alike = children->pdata[i];
		size_t length = indent->len;
		bool isLast = --rest == 0;

		printBranch(branches, indent, isLast);
		printLabels(info, alike);
		g_string_append(indent,
				isLast ? branches->blank : branches->through);
		infoPrintNodes(info, alike, indent);
		g_string_truncate(indent, length);
	}
	g_ptr_array_unref(children);
}

static void printTopology(const struct info *info)
{
	GString *indent = g_string_new(NULL);
	GPtrArray *root = g_ptr_array_new();

	heading(info, "Topology");
	outPrintable(info->project->root->label);
	putchar('\n');
	g_ptr_array_add(root, (void *)info->project->root);
	infoPrintNodes(info, root, indent);
	g_ptr_array_unref(root);
	g_string_free(indent, TRUE);
	if (info->isFolded && !info->isOfRanks)
		puts("Folded; --nodes and --ranks print more.");
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

/** Whether only a part of what is alike is printed. */
static bool infoIsShort(const struct info *info)
{
	return info->isFolded && !info->isOfNodes && !info->isOfRanks;
}

/** "a, b, c", or "500 nodes, a to c" */
static void printPlaces(const struct info *info, const GPtrArray *alike)
{
	bool isShort = infoIsShort(info) && alike->len > 3;

	if (isShort)
		printf(" %u nodes,", alike->len);
	for (guint i = 0; i < alike->len; i++) {
		const hdIGroup *group = alike->pdata[i];
		const char *path = rolesPath(group->node);

		if (isShort && i > 0 && i + 1 < alike->len)
			continue;
		printf("%s", i == 0 ? " " : isShort ? " to " : ", ");
		outPrintable(*path ? path : "the project");
	}
	putchar('\n');
}

/** Whether values differ in a number in their names only. */
static bool infoIsAlike(const hdIGroup *group, size_t a, size_t b)
{
	const hdIValue *x = &group->values[a];
	const hdIValue *y = &group->values[b];
	const char *left = x->name;
	const char *right = y->name;
	bool hasNumber = false;

	while (*left && *right) {
		if (g_ascii_isdigit(*left) && g_ascii_isdigit(*right)) {
			hasNumber = true;
			while (g_ascii_isdigit(*left))
				left++;
			while (g_ascii_isdigit(*right))
				right++;
		} else if (*left++ != *right++) {
			return false;
		}
	}
	return hasNumber && *left == *right && x->type == y->type &&
	       strcmp(valueKindTitle(group, x), valueKindTitle(group, y)) ==
		       0 &&
	       strcmp(x->unit, y->unit) == 0 &&
	       strcmp(x->grouping, y->grouping) == 0;
}

/** Print values: one, or several that are alike. True: their kind is guessed.
 */
static bool infoAddValues(struct outTable *table, const hdIGroup *group,
			  size_t first, size_t last)
{
	const hdIValue *value = &group->values[first];
	char *title = valueTitle(group, value);
	bool isGuessed;

	if (last > first) {
		char *end = valueTitle(group, &group->values[last]);
		char *both = g_strdup_printf("%s to %s", title, end);

		g_free(title);
		g_free(end);
		title = both;
	}
	outTableAdd(table, title);
	g_free(title);
	outTableAdd(table, valueKindTitle(group, value));
	valueKind(group, value, &isGuessed);
	outTableAdd(table, columnTypeName(value->type));
	outTableAdd(table, value->unit);
	outTableAdd(table, value->grouping);
	return isGuessed;
}

/** Print the values of groups that are alike, and which nodes have them. */
static void printGroup(const struct info *info, const GPtrArray *alike)
{
	const hdIGroup *group = alike->pdata[0];
	struct outTable *table = outTableNew(valueHeadings);
	bool hasGuesses = false;
	size_t last;

	printf("\n%s", info->tool->isColored ? "\033[1m" : "");
	outPrintable(group->name);
	printf("%s of", info->tool->isColored ? "\033[0m" : "");
	printPlaces(info, alike);
	for (size_t i = 0; i < group->valueCount; i = last + 1) {
		last = i;
		while (infoIsShort(info) && last + 1 < group->valueCount &&
		       infoIsAlike(group, i, last + 1))
			last++;
		hasGuesses |= infoAddValues(table, group, i, last);
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
	if (info->sizes) {
		heading(info, "Sizes");
		sizesPrintText(info->sizes, info->tool);
	}
	if (!info->missingGroups->len)
		return;
	heading(info, "Declared, but without a file");
	for (guint i = 0; i < info->missingGroups->len; i++) {
		if (infoIsShort(info) && i == INFO_MISSING) {
			printf("  and %u more; --nodes lists all\n",
			       info->missingGroups->len - i);
			break;
		}
		printf("  ");
		outPrintable(info->missingGroups->pdata[i]);
		putchar('\n');
	}
}
