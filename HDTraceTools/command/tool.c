/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options, messages, progress and the end of a subcommand.
 */
#include "config.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/rules.h"
#include "HDTraceTools/command/core/tool.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/precision.h"

const char *const toolTextJson[] = { "text", "json", NULL };
const char *const toolTextOnly[] = { "text", NULL };
static const char *const toolAll[] = { "text", "csv", "json", NULL };
static const char *const toolColors[] = { "auto", "always", "never", NULL };

/** Words and old letters of the subcommand that runs: those that all have, and
 *  its own. */
#define TOOL_TABLE_MAX 16
static struct cliWords toolWords[TOOL_TABLE_MAX];
static struct cliOldLetter toolOldLetters[TOOL_TABLE_MAX];

void toolWaitTurn(struct tool *tool)
{
	if (tool->turn)
		tool->turn->wait(tool->turn);
}

bool toolIsStopped(const struct tool *tool)
{
	return tool->turn && tool->turn->isStopped(tool->turn);
}

static void sayLine(struct tool *tool, const char *format, va_list arguments)
{
	char *text;
	GString *line;

	tool->hasFailed = true;
	if (tool->turn && !tool->turn->wait(tool->turn))
		return;
	text = g_strdup_vprintf(format, arguments);
	line = g_string_new(tool->program ? tool->program : "hdtrace");
	toolProgressHide(tool);
	if (tool->command)
		g_string_append_printf(line, " %s", tool->command);
	g_string_append(line, ": ");
	outAppendPrintable(line, text, strlen(text));
	g_string_append_c(line, '\n');
	fputs(line->str, stderr);
	g_string_free(line, TRUE);
	g_free(text);
}

void toolError(struct tool *tool, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sayLine(tool, format, arguments);
	va_end(arguments);
}

void toolErrorTemporary(struct tool *tool, int error)
{
	toolError(tool, "temporary file: %s", strerror(-error));
	tool->hasTemporaryError = true;
}

int toolUsage(struct tool *tool, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sayLine(tool, format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try 'hdtrace%s%s --help'.\n", tool->command ? " " : "",
		tool->command ? tool->command : "");
	return TOOL_FAILED;
}

const char *toolSeverityName(hdISeverity severity)
{
	switch (severity) {
	case HDI_NOTE:
		return "note";
	case HDI_WARNING:
		return "warning";
	case HDI_ERROR:
		break;
	}
	return "error";
}

void toolFormatDiagnostic(GString *out, hdISeverity severity, const char *rule,
			  const char *file, int64_t offset, const char *text)
{
	outAppendPrintable(out, file, strlen(file));
	if (offset >= 0)
		g_string_append_printf(out, ": offset %" PRId64, offset);
	g_string_append_printf(out, ": %s: ", toolSeverityName(severity));
	outAppendPrintable(out, text, strlen(text));
	g_string_append_printf(out, " [%s]", rule);
}

void toolCount(struct tool *tool, hdISeverity severity)
{
	switch (severity) {
	case HDI_NOTE:
		tool->notes++;
		break;
	case HDI_WARNING:
		tool->warnings++;
		break;
	case HDI_ERROR:
		tool->errors++;
		break;
	}
}

void toolTakeDiagnostic(const hdIMessage *message, void *data)
{
	struct tool *tool = data;
	GString *line;

	if (tool->take) {
		tool->take(message, tool->takeData);
		return;
	}
	toolCount(tool, message->severity);
	if (tool->isQuiet)
		return;
	toolProgressHide(tool);
	line = g_string_new(NULL);
	toolFormatDiagnostic(line, message->severity, message->rule,
			     message->file ? message->file : "",
			     message->offset, message->text);
	g_string_append_c(line, '\n');
	fputs(line->str, stderr);
	g_string_free(line, TRUE);
}

void toolReport(struct tool *tool, const char *rule, const char *file,
		int64_t offset, int64_t line, const char *format, ...)
{
	va_list arguments;
	hdIMessage message = {
		.severity = rulesFind(rule)->severity,
		.rule = rule,
		.file = file,
		.offset = offset,
		.line = line,
	};
	char *text;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	message.text = text;
	toolTakeDiagnostic(&message, tool);
	g_free(text);
}

static bool wantsColor(int when)
{
	const char *term = getenv("TERM");
	const char *off = getenv("NO_COLOR");

	if (when > 0)
		return when == 1;
	return isatty(STDOUT_FILENO) && !(off && *off) && term &&
	       strcmp(term, "dumb") != 0;
}

int toolChoose(struct tool *tool, const char *option, const char *word,
	       int *index)
{
	return cliChoose(&tool->parsed, option, word, index);
}

static void toolFillTables(const struct toolHelp *help)
{
	const char *const *formats = help->formats ? help->formats : toolAll;
	struct cliWords *words = toolWords;
	struct cliOldLetter *letters = toolOldLetters;

	*words++ = (struct cliWords){ "format", formats, false };
	*words++ = (struct cliWords){ "color", toolColors, false };
	for (const struct cliWords *w = help->words; w && w->option; w++)
		*words++ = *w;
	*words = (struct cliWords){ .option = NULL };
	*letters++ = (struct cliOldLetter){ 'f', "format", NULL };
	*letters++ = (struct cliOldLetter){ 'v', "value", NULL };
	for (const struct cliOldLetter *l = help->oldLetters; l && l->option;
	     l++)
		*letters++ = *l;
	*letters = (struct cliOldLetter){ .option = NULL };
	g_assert(words < toolWords + TOOL_TABLE_MAX &&
		 letters < toolOldLetters + TOOL_TABLE_MAX);
}

/** What is left must be as many arguments as there may be; -1, or the exit
 *  status. */
static int toolCheckCount(struct tool *tool, int argc, char **argv,
			  const struct toolHelp *help)
{
	bool isLast = argc - 1 == help->minArguments - 1;

	if (argc - 1 < help->minArguments)
		return toolMissing(
			tool,
			help->missing && isLast
				? help->missing
				: cliArgumentName(help->arguments, argc - 1));
	if (help->maxArguments >= 0 && argc - 1 > help->maxArguments)
		return toolUnexpected(tool, argv[help->maxArguments + 1]);
	return -1;
}

int toolParse(struct tool *tool, int *argc, char ***argv,
	      const GOptionEntry *entries, const struct toolHelp *help)
{
	static char name[64];
	static char notes[4096];
	char *format = NULL;
	char *color = NULL;
	gboolean isSafe = FALSE;
	gboolean isQuiet = FALSE;
	const GOptionEntry formats[] = {
		{ "format", 0, 0, G_OPTION_ARG_FILENAME, &format,
		  help->formats == toolTextJson
			  ? "Output format: text or json (default: text)"
			  : "Output format: text, csv or json (default: text)",
		  "FORMAT" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry csv[] = {
		{ "csv-safe", 0, 0, G_OPTION_ARG_NONE, &isSafe,
		  "Put an apostrophe before CSV texts that look like formulas",
		  NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry common[] = {
		{ "color", 0, 0, G_OPTION_ARG_FILENAME, &color,
		  "Use of colours: auto, always or never (default: auto)",
		  "WHEN" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &isQuiet,
		  "Do not print data diagnostics or progress", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[6] = { entries };
	size_t count = 1;
	const char *charset;
	int chosen = 0;
	int status;

	if (help->formats != toolTextOnly)
		lists[count++] = formats;
	if (!help->formats || help->writesCsv)
		lists[count++] = csv;
	if (help->hasNumbers)
		lists[count++] = cliPrecision;
	lists[count] = common;
	g_snprintf(name, sizeof(name), "hdtrace %s", tool->command);
	g_snprintf(notes, sizeof(notes), "Examples:\n%s",
		   help->examples ? help->examples : "");
	toolFillTables(help);
	tool->parsed = (struct cliCommand){
		.name = name,
		.arguments = help->arguments,
		.description = help->description,
		.notes = help->examples ? notes : NULL,
		.usageStatus = TOOL_FAILED,
		.words = toolWords,
		.oldLetters = toolOldLetters,
		.numbers = help->numbers,
	};
	status = cliParse(&tool->parsed, lists, argc, argv);
	if (status < 0)
		status = toolChoose(tool, "color", color, &chosen);
	tool->isColored = wantsColor(chosen);
	if (status < 0)
		status = toolChoose(tool, "format", format, &chosen);
	if (status < 0 && format)
		tool->format = strcmp(format, "csv") == 0    ? OUT_CSV
			       : strcmp(format, "json") == 0 ? OUT_JSON
							     : OUT_TEXT;
	tool->isColored = tool->isColored && tool->format == OUT_TEXT;
	if (status < 0)
		status = toolCheckCount(tool, *argc, *argv, help);
	outCsvSetSafe(isSafe);
	tool->isQuiet = isQuiet;
	tool->isUnicode = !g_get_charset(&charset) ? false : true;
	cliProgressInit(&tool->progress, isQuiet);
	g_free(format);
	g_free(color);
	return status;
}

bool toolIsOutputBroken(void)
{
	return ferror(stdout);
}

int toolFinish(struct tool *tool)
{
	toolProgressEnd(tool);
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		if (!errno)
			errno = tool->outputError;
		/* A reader that closes the pipe has all that it needs. */
		if (errno != EPIPE)
			toolErrorWrite(tool, CLI_STDOUT, errno ? errno : EIO);
		return TOOL_FAILED;
	}
	if (tool->hasFailed)
		return TOOL_FAILED;
	return tool->warnings + tool->errors ? TOOL_PROBLEMS : TOOL_OK;
}

void toolProgressStart(struct tool *tool, int64_t total)
{
	cliProgressStart(&tool->progress, total);
}

void toolProgressAt(struct tool *tool, int64_t bytes)
{
	if (tool->turn)
		tool->turn->showAt(tool->turn, bytes);
	else
		cliProgressAt(&tool->progress, bytes);
}

void toolProgressFile(struct tool *tool, int64_t bytes)
{
	cliProgressAdd(&tool->progress, bytes);
}

void toolProgressHide(struct tool *tool)
{
	cliProgressHide(&tool->progress);
}

void toolProgressEnd(struct tool *tool)
{
	cliProgressEnd(&tool->progress);
}
