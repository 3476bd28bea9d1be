/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: lists everything that is wrong with a project.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/check/check.h"
#include "HDTraceTools/command/rules.h"
#include "HDTraceTools/model/units.h"
#include "common/clock.h"

/** A file that is further away than this from all others stands alone. */
#define SPAN_DISTANCE (3600 * HD_NS_PER_S)

void checkCover(struct checkSpan *span, int64_t start, int64_t end)
{
	if (!span->hasTime || start < span->start)
		span->start = start;
	if (!span->hasTime || end > span->end)
		span->end = end;
	span->hasTime = true;
}

/* ---- Printing ---------------------------------------------------------- */

static void printText(const struct tool *tool, const hdIMessage *message)
{
	static const char *const colors[] = {
		[HDI_NOTE] = "\033[36m",
		[HDI_WARNING] = "\033[33m",
		[HDI_ERROR] = "\033[31m",
	};
	GString *line = g_string_new(NULL);

	toolFormatMessage(line, message->severity, message->rule,
			  message->file ? message->file : "", message->offset,
			  message->text);
	if (tool->isColored)
		printf("%s%s\033[0m\n", colors[message->severity], line->str);
	else
		puts(line->str);
	g_string_free(line, TRUE);
}

static void printCsv(const hdIMessage *message)
{
	struct outCsv csv = { false };
	char buffer[OUT_NUMBER_SIZE];

	outCsvPlain(&csv, toolSeverityName(message->severity));
	outCsvText(&csv, message->rule);
	outCsvText(&csv, message->file ? message->file : "");
	outCsvPlain(&csv, message->offset < 0
				  ? ""
				  : outInteger(buffer, message->offset));
	outCsvPlain(&csv, message->line <= 0
				  ? ""
				  : outInteger(buffer, message->line));
	outCsvText(&csv, message->text);
	outCsvEnd(&csv);
}

static void printJson(struct outJson *json, const hdIMessage *message)
{
	outJsonObject(json, NULL, true);
	outJsonText(json, "severity", toolSeverityName(message->severity));
	outJsonText(json, "rule", message->rule);
	outJsonText(json, "file", message->file ? message->file : "");
	if (message->offset >= 0)
		outJsonInteger(json, "offset", message->offset);
	if (message->line > 0)
		outJsonInteger(json, "line", message->line);
	outJsonText(json, "text", message->text);
	outJsonEnd(json);
}

static void takeMessage(const hdIMessage *message, void *data)
{
	struct check *check = data;

	toolCount(check->tool, message->severity);
	if (strcmp(message->rule, "trc.nested-no-owner") == 0)
		check->lostOwner = true;
	if (check->tool->isQuiet)
		return;
	toolProgressHide(check->tool);
	switch (check->tool->format) {
	case TOOL_TEXT:
		printText(check->tool, message);
		break;
	case TOOL_CSV:
		printCsv(message);
		break;
	case TOOL_JSON:
		printJson(&check->json, message);
		break;
	}
}

static void startOutput(struct check *check)
{
	if (check->tool->isQuiet || check->tool->format == TOOL_TEXT)
		return;
	if (check->tool->format == TOOL_CSV) {
		outCsvLine("severity,rule,file,offset,line,text");
		return;
	}
	outJsonObject(&check->json, NULL, false);
	outJsonArray(&check->json, "messages", false);
}

static void count(const char *between, size_t number, const char *what)
{
	printf("%s%zu %s%s", between, number, what, number == 1 ? "" : "s");
}

static void endOutput(struct check *check, const char *path)
{
	const struct tool *tool = check->tool;

	if (tool->isQuiet)
		return;
	switch (tool->format) {
	case TOOL_TEXT:
		outPrintable(path);
		count(": ", tool->errors, "error");
		count(", ", tool->warnings, "warning");
		count(", ", tool->notes, "note");
		putchar('\n');
		break;
	case TOOL_CSV:
		break;
	case TOOL_JSON:
		outJsonEnd(&check->json);
		outJsonInteger(&check->json, "errors", (int64_t)tool->errors);
		outJsonInteger(&check->json, "warnings",
			       (int64_t)tool->warnings);
		outJsonInteger(&check->json, "notes", (int64_t)tool->notes);
		outJsonEnd(&check->json);
		break;
	}
}

/* ---- Checking ---------------------------------------------------------- */

static void checkValues(struct check *check, const hdIGroup *group)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const char *name = group->values[i].name;
		size_t j = 0;

		if (valueIsSimulated(group, &group->values[i]))
			toolReport(check->tool, "stat.simulated", group->file,
				   -1, 0, "value \"%s\" is simulated", name);

		while (j < i && strcmp(group->values[j].name, name) != 0)
			j++;
		if (j < i)
			toolReport(check->tool, "stat.value-twice", group->file,
				   -1, 0,
				   "values %zu and %zu have the same name "
				   "\"%s\"",
				   j + 1, i + 1, name);
	}
}

/** A group while it is read. */
struct groupCheck {
	struct checkSpan span;
	bool hasEntry;
};

static bool takeBlock(const hdIBlock *block, void *data)
{
	struct groupCheck *self = data;

	self->hasEntry = true;
	checkCover(&self->span, block->start[0], block->end[block->count - 1]);
	return true;
}

static void checkGroup(struct check *check, const hdIGroup *group)
{
	struct groupCheck self = { .span = { .file = group->file } };
	hdIStatReader *reader = NULL;
	bool hasStart;
	int64_t start;

	checkValues(check, group);
	if (group->isReadable)
		reader = scanOpenStat(&check->scan, group);
	if (!reader)
		return;
	hasStart = hdI_getStatStart(reader, &start) == 1;
	if (hasStart)
		checkCover(&self.span, start, start);
	if (scanBlocks(&check->scan, reader, takeBlock, &self) == 0 &&
	    hasStart && !self.hasEntry)
		toolReport(check->tool, "stat.empty", group->file, -1, 0,
			   "there are no entries");
	g_array_append_val(check->spans, self.span);
	hdI_closeStat(reader);
	toolProgressFile(check->tool, group->fileSize);
}

static gint compareSpans(gconstpointer a, gconstpointer b)
{
	const struct checkSpan *x = a;
	const struct checkSpan *y = b;

	if (x->hasTime != y->hasTime)
		return x->hasTime ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/** Whether a time is later than another one by more than the distance. */
static bool isFar(int64_t later, int64_t earlier)
{
	int64_t distance;

	return later > earlier &&
	       (__builtin_sub_overflow(later, earlier, &distance) ||
		distance > SPAN_DISTANCE);
}

/** Find files whose times are far from those of all other files. */
static void checkSpans(struct check *check)
{
	const struct checkSpan *spans = (void *)check->spans->data;
	guint length = 0;
	int64_t end = 0;

	g_array_sort(check->spans, compareSpans);
	while (length < check->spans->len && spans[length].hasTime)
		length++;
	for (guint i = 0; i < length; i++) {
		bool isFarBefore = i == 0 || isFar(spans[i].start, end);
		bool isFarAfter = i + 1 == length ||
				  isFar(spans[i + 1].start, spans[i].end);

		if (length > 1 && isFarBefore && isFarAfter) {
			char buffer[OUT_NUMBER_SIZE];

			toolReport(check->tool, "proj.span", spans[i].file, -1,
				   0,
				   "no other file has times within an hour "
				   "of this one's, which start at %s UTC",
				   outDate(buffer, spans[i].start, 0));
		}
		end = i == 0 ? spans[i].end : MAX(end, spans[i].end);
	}
}

static void checkAll(struct check *check)
{
	toolProgressStart(check->tool, scanGroupsSize(&check->scan) +
					       scanTracesSize(&check->scan));
	checkProject(check);
	checkInfos(check);
	for (size_t i = 0; i < check->project->groupCount; i++)
		checkGroup(check, check->project->groups[i]);
	scanTraces(&check->scan, checkTrace, check);
	checkMessagesEnd(check);
	checkSpans(check);
}

/* ---- Rules ------------------------------------------------------------- */

static const char *const ruleHeadings[] = { "<Rule", "<Severity", "<Meaning",
					    NULL };

/** Print rules; text goes to the table. */
static void printRules(struct check *check, struct outTable *table,
		       const hdIRule *rules, size_t ruleCount)
{
	for (size_t i = 0; i < ruleCount; i++) {
		const char *severity = toolSeverityName(rules[i].severity);
		struct outCsv csv = { false };

		switch (check->tool->format) {
		case TOOL_TEXT:
			outTableAdd(table, rules[i].id);
			outTableAdd(table, severity);
			outTableAdd(table, rules[i].meaning);
			break;
		case TOOL_CSV:
			outCsvText(&csv, rules[i].id);
			outCsvText(&csv, severity);
			outCsvText(&csv, rules[i].meaning);
			outCsvEnd(&csv);
			break;
		case TOOL_JSON:
			outJsonObject(&check->json, NULL, true);
			outJsonText(&check->json, "rule", rules[i].id);
			outJsonText(&check->json, "severity", severity);
			outJsonText(&check->json, "meaning", rules[i].meaning);
			outJsonEnd(&check->json);
			break;
		}
	}
}

static int listRules(struct tool *tool)
{
	struct check check = { .tool = tool };
	struct outTable *table = outTableNew(ruleHeadings);
	size_t libraryCount;
	size_t toolCount;
	const hdIRule *library = hdI_getRules(&libraryCount);
	const hdIRule *own = rulesGet(&toolCount);

	if (tool->format == TOOL_CSV)
		outCsvLine("rule,severity,meaning");
	if (tool->format == TOOL_JSON)
		outJsonArray(&check.json, NULL, false);
	printRules(&check, table, library, libraryCount);
	printRules(&check, table, own, toolCount);
	if (tool->format == TOOL_JSON)
		outJsonEnd(&check.json);
	if (tool->format == TOOL_TEXT)
		outTablePrint(table, "", tool->isColored);
	else
		outTableFree(table);
	return toolFinish(tool);
}

/* ---- The command ------------------------------------------------------- */

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description = "Reads all files of a project to their ends and lists "
		       "everything that is wrong, with\nthe file, the offset "
		       "in it and the rule that is broken. Notes are "
		       "harmless; warnings\nand errors make the exit status "
		       "1.",
	.examples = "  hdtrace check run1.proj\n"
		    "  hdtrace check --rules\n",
	.maxArguments = 1,
};

static int runOn(struct tool *tool, const char *path)
{
	struct check check = { .tool = tool };
	hdIProject *project;

	tool->take = takeMessage;
	tool->takeData = &check;
	startOutput(&check);
	project = toolOpen(tool, path);
	if (!project && tool->hasFailed) {
		/* Nothing was checked. */
		if (tool->format == TOOL_JSON && !tool->isQuiet)
			endOutput(&check, path);
		return toolFinish(tool);
	}
	if (project) {
		check.project = project;
		check.scan = (struct scan){ .tool = tool, .project = project };
		check.comms = g_hash_table_new_full(g_str_hash, g_str_equal,
						    g_free, NULL);
		check.datatypes = g_hash_table_new_full(g_str_hash, g_str_equal,
							g_free, NULL);
		check.spans =
			g_array_new(FALSE, FALSE, sizeof(struct checkSpan));
		check.messages = checkMessagesNew(project);
		checkAll(&check);
		toolProgressEnd(tool);
		g_hash_table_destroy(check.comms);
		g_hash_table_destroy(check.datatypes);
		g_array_free(check.spans, TRUE);
		checkMessagesFree(check.messages);
	}
	endOutput(&check, path);
	hdI_closeProject(project);
	return toolFinish(tool);
}

int checkRun(struct tool *tool, int argc, char **argv)
{
	gboolean wantsRules = FALSE;
	const GOptionEntry entries[] = {
		{ "rules", 0, 0, G_OPTION_ARG_NONE, &wantsRules,
		  "List all rules", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (wantsRules && argc > 1)
		return toolUsage(tool, "--rules takes no project");
	if (wantsRules)
		return listRules(tool);
	if (argc < 2)
		return toolUsage(tool, "PROJECT is missing");
	return runOn(tool, argv[1]);
}
