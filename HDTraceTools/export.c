/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file export.c
 * hdtrace export: writes a project in a format of other tools.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

static const struct exportFormat *const formats[] = {
	&exportCsvLong,     &exportCsvWide, &exportCtf,     &exportJson,
	&exportOpenMetrics, &exportOtf2,    &exportParaver, &exportPerfetto,
};

/* ---- What formats use -------------------------------------------------- */

void exportLose(struct export *export, const char *what, uint64_t count)
{
	struct exportLoss loss = { what, count };

	if (count == 0)
		return;
	for (guint i = 0; i < export->losses->len; i++) {
		struct exportLoss *other =
			&g_array_index(export->losses, struct exportLoss, i);

		if (strcmp(other->what, what) == 0) {
			other->count += count;
			return;
		}
	}
	g_array_append_val(export->losses, loss);
}

void exportLoseProject(struct export *export)
{
	const hdIProject *project = export->project;

	exportLose(export, "description of the project",
		   *project->description && !export->format->keepsDescription);
	exportLose(export, "MPI datatypes", project->datatypeCount);
	exportLose(export, "files that the application used",
		   project->usedFileCount);
	exportLose(export, "error bounds of clocks", project->clockCount);
}

int exportStartFile(struct export *export, struct newFile *file,
		    const char *name)
{
	char *path = name ? g_build_filename(export->output, name, NULL)
			  : g_strdup(export->output);
	int ret = 0;

	*file = (struct newFile){ .path = NULL };
	if (!name && strcmp(path, "-") == 0)
		file->file = stdout;
	else if (!export->isForced && g_file_test(path, G_FILE_TEST_IS_REGULAR))
		ret = -EEXIST;
	else
		ret = newFileStart(file, path);
	if (ret < 0)
		toolError(export->tool, "%s: %s%s", path, strerror(-ret),
			  ret == -EEXIST ? "; --force replaces it" : "");
	else
		g_ptr_array_add(export->files, g_strdup(path));
	g_free(path);
	return ret < 0 ? -1 : 0;
}

int exportEndFile(struct export *export, struct newFile *file, bool hasFailed)
{
	const char *path = export->files->pdata[export->files->len - 1];
	int ret;

	if (file->file == stdout)
		return hasFailed ? -1 : 0;
	if (hasFailed) {
		newFileAbort(file);
		return -1;
	}
	ret = newFileCommit(file, export->isForced);
	if (ret < 0)
		toolError(export->tool, "%s: %s", path, strerror(-ret));
	return ret < 0 ? -1 : 0;
}

hdIStatReader *exportOpenStat(struct export *export, const hdIGroup *group)
{
	hdIStatReader *reader;

	if (!group->isReadable)
		return NULL;
	reader = hdI_openStat(export->project, group);
	if (!reader && errno != EBADMSG)
		toolError(export->tool, "%s: %s", group->file, strerror(errno));
	return reader;
}

struct ordered *exportOpenTrace(struct export *export,
				const hdITraceFile *trace)
{
	struct ordered *ordered = orderedOpen(export->project, trace);

	if (!ordered && errno != EBADMSG)
		toolError(export->tool, "%s: %s", trace->file, strerror(errno));
	return ordered;
}

int exportReadTrace(struct export *export, struct ordered *ordered,
		    const hdITraceFile *trace, struct orderedStep *step)
{
	int ret = orderedRead(ordered, step);

	if (ret < 0)
		toolError(export->tool, "%s: temporary file: %s", trace->file,
			  strerror(errno));
	else if (ret == 0)
		exportLose(export, "exact times of states that overlap",
			   orderedMoved(ordered));
	else if (step->kind == ORDERED_EVENT)
		export->events++;
	else if (step->kind == ORDERED_LEAVE)
		export->states++;
	if (ret == 1)
		toolProgressAt(export->tool, orderedOffset(ordered));
	return ret;
}

double exportNumber(const hdIBlock *block, hdIType type, size_t column,
		    size_t entry)
{
	const hdIColumn *values = &block->columns[column];

	switch (type) {
	case HDI_INT32:
		return values->int32[entry];
	case HDI_INT64:
		return (double)values->int64[entry];
	case HDI_UINT64:
		return (double)values->uint64[entry];
	case HDI_FLOAT:
		return (double)values->float32[entry];
	case HDI_DOUBLE:
		return values->float64[entry];
	case HDI_STRING:
		break;
	}
	return NAN;
}

/* ---- What was done ----------------------------------------------------- */

static void sayLosses(const struct export *export)
{
	if (export->tool->isQuiet)
		return;
	toolProgressHide(export->tool);
	for (guint i = 0; i < export->losses->len; i++) {
		const struct exportLoss *loss =
			&g_array_index(export->losses, struct exportLoss, i);

		fprintf(stderr,
			"hdtrace export: %s does not carry: %s (%" PRIu64 ")\n",
			export->format->name, loss->what, loss->count);
	}
}

static void printJson(const struct export *export)
{
	struct outJson json = { .depth = 0 };

	outJsonObject(&json, NULL, false);
	outJsonText(&json, "project", export->project->name);
	outJsonText(&json, "format", export->format->name);
	outJsonArray(&json, "files", false);
	for (guint i = 0; i < export->files->len; i++)
		outJsonText(&json, NULL, export->files->pdata[i]);
	outJsonEnd(&json);
	outJsonInteger(&json, "entries", (int64_t) export->entries);
	outJsonInteger(&json, "states", (int64_t) export->states);
	outJsonInteger(&json, "events", (int64_t) export->events);
	outJsonInteger(&json, "messages", (int64_t) export->messages);
	outJsonArray(&json, "lost", false);
	for (guint i = 0; i < export->losses->len; i++) {
		const struct exportLoss *loss =
			&g_array_index(export->losses, struct exportLoss, i);

		outJsonObject(&json, NULL, true);
		outJsonText(&json, "what", loss->what);
		outJsonInteger(&json, "count", (int64_t)loss->count);
		outJsonEnd(&json);
	}
	outJsonEnd(&json);
	outJsonEnd(&json);
}

static void printText(const struct export *export)
{
	const struct {
		uint64_t count;
		const char *one;
		const char *many;
	} counts[] = {
		{ export->entries, "entry", "entries" },
		{ export->states, "state", "states" },
		{ export->events, "event", "events" },
		{ export->messages, "message", "messages" },
	};

	outPrintable(export->output);
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
		printf("%s %" PRIu64 " %s", i ? "," : ":", counts[i].count,
		       counts[i].count == 1 ? counts[i].one : counts[i].many);
	putchar('\n');
}

/* ---- The command ------------------------------------------------------- */

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Writes a project in a format of other tools, and says what "
		"that format cannot carry.\n\nFORMAT is csv, csv-wide, ctf, "
		"json, openmetrics, otf2, paraver, or perfetto.",
	.examples = "  hdtrace export --to csv run1.proj\n"
		    "  hdtrace export --to openmetrics --output=- run1 | "
		    "less\n",
	.minArguments = 1,
	.maxArguments = 1,
};

static int findFormat(struct export *export, const char *name)
{
	if (!name)
		return toolUsage(export->tool, "--to is missing");
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(name, formats[i]->name) != 0)
			continue;
		if (!formats[i]->write)
			return toolUsage(export->tool,
					 "--to: this hdtrace was built without "
					 "%s",
					 name);
		export->format = formats[i];
		return -1;
	}
	return toolUsage(export->tool, "--to: no such format: \"%s\"", name);
}

/** Whether this is a directory without files; leaves errno alone. */
static bool isEmpty(const char *path)
{
	int error = errno;
	GDir *dir = g_dir_open(path, 0, NULL);
	bool ret = dir && !g_dir_read_name(dir);

	if (dir)
		g_dir_close(dir);
	errno = error;
	return ret;
}

/** Choose the output, beside us; make it if it is a directory. */
static int openOutput(struct export *export)
{
	char *base;

	if (!export->output) {
		base = g_path_get_basename(export->project->prefix);
		export->output =
			g_strconcat(base, export->format->suffix, NULL);
		g_free(base);
	}
	if (!export->format->isDirectory)
		return 0;
	if (strcmp(export->output, "-") == 0) {
		toolUsage(export->tool,
			  "%s is several files: --output must "
			  "be a directory",
			  export->format->name);
		return -1;
	}
	if (mkdir(export->output, 0777) == 0 || isEmpty(export->output))
		return 0;
	/* Files of another export would become part of this one. */
	toolError(export->tool, "%s: %s", export->output,
		  errno == EEXIST ? "exists and is no empty directory"
				  : strerror(errno));
	return -1;
}

static int64_t totalSize(const hdIProject *project)
{
	int64_t total = 0;

	for (size_t i = 0; i < project->groupCount; i++)
		total += project->groups[i]->fileSize;
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	return total;
}

static int runOn(struct export *export, const char *path)
{
	struct tool *tool = export->tool;
	hdIProject *project = toolOpen(tool, path);
	int ret;

	if (!project)
		return toolFinish(tool);
	export->project = project;
	export->files = g_ptr_array_new_with_free_func(g_free);
	export->losses = g_array_new(FALSE, FALSE, sizeof(struct exportLoss));
	ret = openOutput(export);
	if (ret == 0) {
		toolProgressStart(tool, totalSize(project));
		ret = export->format->write(export);
		toolProgressEnd(tool);
	}
	if (ret == 0) {
		sayLosses(export);
		if (strcmp(export->output, "-") != 0 &&
		    tool->format == TOOL_JSON)
			printJson(export);
		else if (strcmp(export->output, "-") != 0)
			printText(export);
	}
	ret = toolFinish(tool);
	g_ptr_array_unref(export->files);
	g_array_unref(export->losses);
	hdI_closeProject(project);
	return ret;
}

int exportRun(struct tool *tool, int argc, char **argv)
{
	struct export export = { .tool = tool };
	char *to = NULL;
	const GOptionEntry entries[] = {
		{ "to", 't', 0, G_OPTION_ARG_FILENAME, &to, "Format to write",
		  "FORMAT" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &export.output,
		  "File or directory to write; - is stdout", "PATH" },
		{ "force", 0, 0, G_OPTION_ARG_NONE, &export.isForced,
		  "Replace files that exist", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = findFormat(&export, to);
	if (status < 0 && tool->format == TOOL_CSV)
		status = toolUsage(tool, "--format: not text or json; "
					 "--to says what to write");
	if (status < 0)
		status = runOn(&export, argv[1]);
	g_free(export.output);
	g_free(to);
	return status;
}
