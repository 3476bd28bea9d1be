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

#include "HDTraceTools/command/rules.h"
#include "HDTraceTools/command/tool.h"
#include "cli/output.h"

/** A progress bar appears after this time, in us, and moves this often. */
#define PROGRESS_DELAY 500000
#define PROGRESS_INTERVAL 100000
#define PROGRESS_WIDTH 40

void toolProgressHide(struct tool *tool)
{
	if (!tool->progress.isVisible)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	tool->progress.isVisible = false;
}

static void sayLine(struct tool *tool, const char *format, va_list arguments)
{
	char *text = g_strdup_vprintf(format, arguments);
	GString *line = g_string_new("hdtrace");

	toolProgressHide(tool);
	if (tool->command)
		g_string_append_printf(line, " %s", tool->command);
	g_string_append(line, ": ");
	outAppendPrintable(line, text, strlen(text));
	g_string_append_c(line, '\n');
	fputs(line->str, stderr);
	g_string_free(line, TRUE);
	g_free(text);
	tool->hasFailed = true;
}

void toolError(struct tool *tool, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sayLine(tool, format, arguments);
	va_end(arguments);
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

static bool wantsColor(const char *when)
{
	const char *term = getenv("TERM");
	const char *off = getenv("NO_COLOR");

	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDOUT_FILENO) && !(off && *off) && term &&
	       strcmp(term, "dumb") != 0;
}

static void printHelp(GOptionContext *context, const struct toolHelp *help)
{
	char *text = g_option_context_get_help(context, TRUE, NULL);
	/* GLib writes the ellipsis in UTF-8, whatever the terminal takes. */
	char **parts = g_strsplit(text, "\342\200\246", -1);
	char *plain = g_strjoinv("...", parts);

	fputs(plain, stdout);
	if (help->examples)
		printf("Examples:\n%s\n", help->examples);
	g_free(plain);
	g_strfreev(parts);
	g_free(text);
}

int toolParse(struct tool *tool, int *argc, char ***argv,
	      const GOptionEntry *entries, const struct toolHelp *help)
{
	char *format = NULL;
	char *color = NULL;
	gboolean isSafe = FALSE;
	gboolean isQuiet = FALSE;
	gboolean wantsHelp = FALSE;
	const GOptionEntry common[] = {
		{ "format", 'f', 0, G_OPTION_ARG_FILENAME, &format,
		  "Print text (default), csv or json", "FORMAT" },
		{ "csv-safe", 0, 0, G_OPTION_ARG_NONE, &isSafe,
		  "CSV without formulas: an apostrophe before such text",
		  NULL },
		{ "color", 0, 0, G_OPTION_ARG_FILENAME, &color,
		  "Colours: auto (default), always, never", "WHEN" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &isQuiet,
		  "Do not print messages about the data", NULL },
		{ "help", 'h', 0, G_OPTION_ARG_NONE, &wantsHelp,
		  "Print this help", NULL },
		{ NULL },
	};
	const char *charset;
	GOptionContext *context = g_option_context_new(help->arguments);
	GError *error = NULL;
	char *name = g_strdup_printf("hdtrace %s", tool->command);
	int status = -1;

	g_set_prgname(name);
	g_free(name);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, help->description);
	g_option_context_add_main_entries(context, entries, NULL);
	g_option_context_add_main_entries(context, common, NULL);
	if (!g_option_context_parse(context, argc, argv, &error)) {
		status = toolUsage(tool, "%s", error->message);
		g_error_free(error);
	} else if (wantsHelp) {
		printHelp(context, help);
		status = toolFinish(tool);
	} else if (color && strcmp(color, "auto") != 0 &&
		   strcmp(color, "always") != 0 &&
		   strcmp(color, "never") != 0) {
		status = toolUsage(tool,
				   "--color: not auto, always or never: "
				   "\"%s\"",
				   color);
	} else if (format && strcmp(format, "csv") == 0) {
		tool->format = OUT_CSV;
	} else if (format && strcmp(format, "json") == 0) {
		tool->format = OUT_JSON;
	} else if (format && strcmp(format, "text") != 0) {
		status = toolUsage(tool,
				   "--format: not text, csv or json: "
				   "\"%s\"",
				   format);
	}
	/* GOption leaves "--" in place. */
	if (status < 0 && *argc > 1 && strcmp((*argv)[1], "--") == 0) {
		(*argv)[1] = (*argv)[0];
		(*argv)++;
		(*argc)--;
	}
	if (status < 0 && *argc - 1 < help->minArguments)
		status = toolUsage(tool, "%s is missing", help->arguments);
	if (status < 0 && help->maxArguments >= 0 &&
	    *argc - 1 > help->maxArguments)
		status = toolUsage(tool, "too many arguments: \"%s\"",
				   (*argv)[help->maxArguments + 1]);
	outCsvSetSafe(isSafe);
	tool->isQuiet = isQuiet;
	tool->isColored = tool->format == OUT_TEXT && wantsColor(color);
	tool->isUnicode = !g_get_charset(&charset) ? false : true;
	tool->progress.isOn = isatty(STDERR_FILENO) && !isQuiet &&
			      g_strcmp0(getenv("TERM"), "dumb") != 0;
	g_option_context_free(context);
	g_free(format);
	g_free(color);
	return status;
}

hdIProject *toolOpen(struct tool *tool, const char *path)
{
	size_t errors = tool->errors;
	hdIProject *project;

	errno = 0;
	project = hdI_openProject(path, toolTakeDiagnostic, tool);
	if (!project && errno != EBADMSG)
		toolError(tool, "%s: %s", path, strerror(errno));
	else if (!project && tool->errors == errors)
		toolReport(tool, "proj.unreadable", path, -1, 0,
			   "not an HDTrace project");
	return project;
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
		/* Who reads our output and goes away has seen enough. */
		if (errno != EPIPE)
			toolError(tool, "cannot write the output: %s",
				  errno ? strerror(errno) : "write error");
		return TOOL_FAILED;
	}
	if (tool->hasFailed)
		return TOOL_FAILED;
	return tool->warnings + tool->errors ? TOOL_PROBLEMS : TOOL_OK;
}

void toolProgressStart(struct tool *tool, int64_t total)
{
	tool->progress.total = total;
	tool->progress.done = 0;
	tool->progress.started = g_get_monotonic_time();
	tool->progress.shown = tool->progress.started;
}

void toolProgressAt(struct tool *tool, int64_t bytes)
{
	struct toolProgress *progress = &tool->progress;
	int64_t now;
	double part;
	int bars;

	if (!progress->isOn || progress->total <= 0)
		return;
	now = g_get_monotonic_time();
	if (now - progress->started < PROGRESS_DELAY ||
	    now - progress->shown < PROGRESS_INTERVAL)
		return;
	part = (double)(progress->done + bytes) / (double)progress->total;
	part = CLAMP(part, 0.0, 1.0);
	bars = (int)(part * PROGRESS_WIDTH);
	fprintf(stderr, "\r\033[K[%.*s%*s] %3d %%", bars,
		"########################################",
		PROGRESS_WIDTH - bars, "", (int)(part * 100));
	fflush(stderr);
	progress->isVisible = true;
	progress->shown = now;
}

void toolProgressFile(struct tool *tool, int64_t bytes)
{
	tool->progress.done += bytes;
	toolProgressAt(tool, 0);
}

void toolProgressEnd(struct tool *tool)
{
	toolProgressHide(tool);
	tool->progress.total = 0;
}
