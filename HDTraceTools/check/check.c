/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: lists everything that is wrong with a project.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/check/check.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/rules.h"
#include "HDTraceTools/model/kind.h"
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

static void checkPrintText(const struct tool *tool, const hdIMessage *message)
{
	static const char *const colors[] = {
		[HDI_NOTE] = "\033[36m",
		[HDI_WARNING] = "\033[33m",
		[HDI_ERROR] = "\033[31m",
	};
	GString *line = g_string_new(NULL);

	toolFormatDiagnostic(line, message->severity, message->rule,
			     message->file ? message->file : "",
			     message->offset, message->text);
	if (tool->isColored)
		printf("%s%s\033[0m\n", colors[message->severity], line->str);
	else
		puts(line->str);
	g_string_free(line, TRUE);
}

static const struct rowColumn columns[] = {
	{ NULL, "severity", ROW_TEXT, 0 },
	{ NULL, "rule", ROW_TEXT, 0 },
	{ NULL, "file", ROW_TEXT, 0 },
	{ NULL, "offset_bytes", ROW_COUNT, ROW_OPTIONAL, "offset" },
	{ NULL, "line", ROW_COUNT, ROW_OPTIONAL },
	{ NULL, "text", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_SEVERITY,
	COLUMN_RULE,
	COLUMN_FILE,
	COLUMN_OFFSET,
	COLUMN_LINE,
	COLUMN_TEXT,
};

static void checkPrintRow(struct rows *rows, const hdIMessage *message)
{
	rowsText(rows, COLUMN_SEVERITY, toolSeverityName(message->severity));
	rowsText(rows, COLUMN_RULE, message->rule);
	rowsText(rows, COLUMN_FILE, message->file ? message->file : "");
	if (message->offset >= 0)
		rowsInteger(rows, COLUMN_OFFSET, message->offset);
	if (message->line > 0)
		rowsInteger(rows, COLUMN_LINE, message->line);
	rowsText(rows, COLUMN_TEXT, message->text);
	rowsEnd(rows);
}

static void checkAddMessage(const hdIMessage *message, void *data)
{
	struct check *check = data;

	toolCount(check->tool, message->severity);
	if (check->tool->isQuiet)
		return;
	toolProgressHide(check->tool);
	if (check->tool->format == OUT_TEXT)
		checkPrintText(check->tool, message);
	else
		checkPrintRow(check->rows, message);
}

static void checkStartOutput(struct check *check)
{
	check->rows = rowsNew(columns, check->tool->format, &check->json);
	if (check->tool->isQuiet)
		return;
	rowsHeader(check->rows);
	if (check->tool->format != OUT_JSON)
		return;
	outJsonDocument(&check->json, "hdtrace-check");
	outJsonArray(&check->json, "messages", false);
}

static void checkCount(const char *between, size_t number, const char *what)
{
	printf("%s%zu %s%s", between, number, what, number == 1 ? "" : "s");
}

static void endOutput(struct check *check, const char *path)
{
	const struct tool *tool = check->tool;

	if (tool->isQuiet)
		return;
	switch (tool->format) {
	case OUT_TEXT:
		outPrintable(path);
		checkCount(": ", tool->errors, "error");
		checkCount(", ", tool->warnings, "warning");
		checkCount(", ", tool->notes, "note");
		putchar('\n');
		break;
	case OUT_CSV:
		break;
	case OUT_JSON:
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

static void checkKind(struct check *check, const hdIGroup *group,
		      const hdIValue *value)
{
	const char *unknown = valueKindUnknown(value);

	if (unknown)
		toolReport(check->tool, "stat.kind", group->file, -1, 0,
			   "value \"%s\": unknown kind \"%s\"; treated as a %s",
			   value->name, unknown,
			   hdKindName(valueKind(group, value, NULL)));
}

/** Say that a group is late by more, or less, than was taken away. */
static void checkDelay(struct check *check, const hdIGroup *group)
{
	int64_t delay, applied;

	if (delayOfGroup(group, &delay, &applied) && delay != applied)
		toolReport(check->tool, "stat.delay", group->file, -1, 0,
			   "time stamps %s the measured interval by %g ms",
			   delay > applied ? "lag" : "lead",
			   fabs((double)(delay - applied)) / 1e6);
}

static void checkValues(struct check *check, const hdIGroup *group)
{
	GHashTable *first = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < group->valueCount; i++) {
		const char *name = group->values[i].name;
		void *number = g_hash_table_lookup(first, name);

		if (valueIsSimulated(group, &group->values[i]))
			toolReport(check->tool, "stat.simulated", group->file,
				   -1, 0, "value \"%s\" is simulated", name);
		checkKind(check, group, &group->values[i]);
		if (number)
			toolReport(
				check->tool, "stat.value-twice", group->file,
				-1, 0,
				"values %zu and %zu have the same name: \"%s\"",
				GPOINTER_TO_SIZE(number), i + 1, name);
		else
			g_hash_table_insert(first, (void *)name,
					    GSIZE_TO_POINTER(i + 1));
	}
	g_hash_table_destroy(first);
}

/** A group while it is read. */
struct groupCheck {
	struct checkSpan span;
	struct checkPace pace;
	bool hasEntry;
};

static bool checkAddBlock(const hdIBlock *block, void *data)
{
	struct groupCheck *self = data;

	self->hasEntry = true;
	checkPaceAdd(&self->pace, block);
	checkCover(&self->span, block->start[0], block->end[block->count - 1]);
	return true;
}

static void checkStatGroup(struct check *check, const hdIGroup *group)
{
	struct groupCheck self = {
		.span = { .file = group->file },
		.pace = { .node = group->node, .file = group->file },
	};
	hdIStatReader *reader = NULL;
	bool hasStart;
	int64_t start;

	checkDelay(check, group);
	checkValues(check, group);
	if (group->isReadable)
		reader = scanOpenStat(&check->scan, group);
	if (!reader)
		return;
	hasStart = hdI_getStatStart(reader, &start) == 1;
	if (hasStart)
		checkCover(&self.span, start, start);
	if (scanBlocks(&check->scan, reader, checkAddBlock, &self) == 0 &&
	    hasStart && !self.hasEntry)
		toolReport(check->tool, "stat.empty", group->file, -1, 0,
			   "no entries");
	g_array_append_val(check->spans, self.span);
	if (checkPaceIsUsed(&self.pace, group))
		g_array_append_val(check->paces, self.pace);
	hdI_closeStat(reader);
}

/* ---- Several files at a time -------------------------------------------- */

/** The groups, then the traces. */
struct checkFiles {
	struct check *check;
	const struct check *begun; /**< As it was before the first one. */
	size_t groups;
};

/** Takes what the library says of a trace. */
static void takeOfTrace(const hdIMessage *message, void *data)
{
	struct check *own = data;

	if (strcmp(message->rule, "trc.nested-no-owner") == 0)
		own->lostOwner = true;
	toolTakeDiagnostic(message, own->tool);
}

static void checkRunFile(struct part *part, size_t number, void *data)
{
	const struct checkFiles *files = data;
	const struct check *check = files->begun;
	const hdIProject *project = check->project;
	struct check *own = g_memdup2(check, sizeof(*own));
	const struct diagnosticSink sink = { takeOfTrace, own };

	own->tool = &part->tool;
	own->scan.tool = &part->tool;
	own->scan.sink = &sink;
	own->spans = g_array_new(FALSE, FALSE, sizeof(struct checkSpan));
	own->paces = g_array_new(FALSE, FALSE, sizeof(struct checkPace));
	own->messages = NULL;
	if (number < files->groups) {
		checkStatGroup(own, project->groups[number]);
	} else {
		own->messages = checkMessagesPart(check->messages);
		checkTrace(own, project->traces[number - files->groups]);
	}
	part->result = own;
}

static bool checkAddFile(struct part *part, size_t number, void *data)
{
	const struct checkFiles *files = data;
	struct check *check = files->check;
	const hdIProject *project = check->project;
	struct check *own = part->result;

	g_array_append_vals(check->spans, own->spans->data, own->spans->len);
	g_array_append_vals(check->paces, own->paces->data, own->paces->len);
	g_array_unref(own->spans);
	g_array_unref(own->paces);
	if (own->messages) {
		checkMessagesAdd(check->messages, own->messages);
		checkMessagesFree(own->messages);
	}
	g_free(own);
	toolProgressFile(
		check->tool,
		number < files->groups
			? project->groups[number]->fileSize
			: project->traces[number - files->groups]->fileSize);
	return true;
}

static void checkFiles(struct check *check)
{
	const struct check begun = *check;
	struct checkFiles files = { check, &begun, check->project->groupCount };
	const struct partsWork work = {
		.tool = check->tool,
		.count = files.groups + check->project->traceCount,
		.run = checkRunFile,
		.take = checkAddFile,
		.data = &files,
	};

	partsDo(&work);
}

static gint checkCompareSpans(gconstpointer a, gconstpointer b)
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

	g_array_sort(check->spans, checkCompareSpans);
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
				   "starts at %s UTC, more than an hour apart "
				   "from every other file",
				   outDate(buffer, spans[i].start, 0));
		}
		end = i == 0 ? spans[i].end : MAX(end, spans[i].end);
	}
}

static void checkAllFiles(struct check *check)
{
	int64_t size =
		scanGroupsSize(&check->scan) + scanTracesSize(&check->scan);

	for (size_t i = 0; i < check->project->relationCount; i++)
		size += check->project->relations[i]->fileSize;
	toolProgressStart(check->tool, size);
	checkProject(check);
	checkMissing(check);
	checkInfos(check);
	checkFiles(check);
	checkMessagesEnd(check);
	checkRelations(check);
	checkSpans(check);
	checkPaces(check);
}

/* ---- Rules ------------------------------------------------------------- */

static const struct rowColumn ruleColumns[] = {
	{ "<Rule", "rule", ROW_TEXT, 0 },
	{ "<Severity", "severity", ROW_TEXT, 0 },
	{ "<Meaning", "meaning", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void checkPrintRules(struct rows *rows, const hdIRule *rules,
			    size_t ruleCount)
{
	for (size_t i = 0; i < ruleCount; i++) {
		rowsText(rows, 0, rules[i].id);
		rowsText(rows, 1, toolSeverityName(rules[i].severity));
		rowsText(rows, 2, rules[i].meaning);
		rowsEnd(rows);
	}
}

static int listRules(struct tool *tool)
{
	struct outJson json = { .file = NULL };
	struct rows *rows = rowsNew(ruleColumns, tool->format, &json);
	size_t libraryCount;
	size_t toolCount;
	const hdIRule *library = hdI_getRules(&libraryCount);
	const hdIRule *own = rulesGet(&toolCount);

	rowsHeader(rows);
	if (tool->format == OUT_JSON) {
		outJsonDocument(&json, "hdtrace-check-rules");
		outJsonArray(&json, "rules", false);
	}
	checkPrintRules(rows, library, libraryCount);
	checkPrintRules(rows, own, toolCount);
	if (tool->format == OUT_JSON) {
		outJsonEnd(&json);
		outJsonEnd(&json);
	}
	rowsPrint(rows, "", tool->isColored);
	rowsFree(rows);
	return toolFinish(tool);
}

/* ---- The command ------------------------------------------------------- */

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description = "List all problems of a project. Reads every file to "
		       "its end and prints each problem with\nits file, "
		       "offset, severity and rule. Notes are harmless; with "
		       "warnings or errors the exit\nstatus is 1.",
	.examples = "  hdtrace check run1.proj\n"
		    "  hdtrace check --rules\n",
	.maxArguments = 1,
};

static int checkRunOn(struct tool *tool, const char *path)
{
	struct check check = { .tool = tool };
	hdIProject *project;

	tool->take = checkAddMessage;
	tool->takeData = &check;
	tool->listsOpening = tool->format != OUT_TEXT;
	checkStartOutput(&check);
	project = toolOpen(tool, path);
	if (!project && tool->hasFailed) {
		/* Nothing was checked. */
		if (tool->format == OUT_JSON && !tool->isQuiet)
			endOutput(&check, path);
		rowsFree(check.rows);
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
		check.paces =
			g_array_new(FALSE, FALSE, sizeof(struct checkPace));
		check.messages = checkMessagesNew(project);
		checkAllFiles(&check);
		toolProgressEnd(tool);
		g_hash_table_destroy(check.comms);
		g_hash_table_destroy(check.datatypes);
		g_array_free(check.spans, TRUE);
		g_array_free(check.paces, TRUE);
		checkMessagesFree(check.messages);
	}
	endOutput(&check, path);
	rowsFree(check.rows);
	hdI_closeProject(project);
	return toolFinish(tool);
}

int checkRun(struct tool *tool, int argc, char **argv)
{
	gboolean wantsRules = FALSE;
	const GOptionEntry entries[] = {
		{ "rules", 0, 0, G_OPTION_ARG_NONE, &wantsRules,
		  "List the rules with their severity, and exit", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (wantsRules && argc > 1)
		return toolUsage(tool,
				 "--rules: cannot be combined with a project");
	if (wantsRules)
		return listRules(tool);
	if (argc < 2)
		return toolMissing(tool, "PROJECT");
	return checkRunOn(tool, argv[1]);
}
