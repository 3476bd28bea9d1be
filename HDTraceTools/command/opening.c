/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Opening a project, and one message that helps where that fails.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "cli/errors.h"
#include "cli/nearest.h"
#include "common/format/frame.h"

/** Projects of a directory that a message names. */
#define OPENING_NAMES 5

/** Whether a diagnostic says why the file itself cannot be opened. */
static bool openingIsOwn(const char *path, const hdIMessage *message)
{
	size_t length = strlen(path);
	const char *file = message->file ? message->file : "";

	return (strcmp(message->rule, "file.open") == 0 ||
		strcmp(message->rule, "proj.several") == 0) &&
	       strncmp(file, path, length) == 0 &&
	       (!file[length] || strcmp(file + length, ".proj") == 0);
}

/**
 * Keep the diagnostic that toolOpen() prints itself; documents that list
 * diagnostics have it as well.
 *
 * The project keeps this handler, so the data is the tool, which outlives it.
 */
static void openingTake(const hdIMessage *message, void *data)
{
	struct tool *tool = data;

	if (tool->openingPath && !tool->openingReason &&
	    openingIsOwn(tool->openingPath, message)) {
		tool->openingReason = g_strdup(message->text);
		if (!tool->listsOpening)
			return;
	}
	toolTakeDiagnostic(message, tool);
}

static bool openingIsTrace(const char *name)
{
	return hdFrameStem(name, ".trc") || hdFrameStem(name, ".stat") ||
	       hdFrameStem(name, ".rel");
}

/**
 * Look for projects and trace files.
 *
 * @param prefix Trace files begin with it and a '_'; NULL: any count.
 * @param projects Names of projects are added.
 *
 * @return Whether there are trace files.
 */
static bool openingLook(const char *directory, const char *prefix,
			GPtrArray *projects)
{
	GDir *entries = g_dir_open(directory, 0, NULL);
	size_t length = prefix ? strlen(prefix) : 0;
	bool hasTraces = false;
	const char *name;

	while (entries && (name = g_dir_read_name(entries)) != NULL) {
		if (g_str_has_suffix(name, ".proj"))
			g_ptr_array_add(projects, g_strdup(name));
		if (openingIsTrace(name) &&
		    (!prefix || (strncmp(name, prefix, length) == 0 &&
				 name[length] == '_')))
			hasTraces = true;
	}
	if (entries)
		g_dir_close(entries);
	return hasTraces;
}

static gint openingCompare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** "a.proj, b.proj and 7 more" */
static char *openingList(GPtrArray *projects)
{
	GString *text = g_string_new(NULL);

	g_ptr_array_sort(projects, openingCompare);
	for (guint i = 0; i < projects->len && i < OPENING_NAMES; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "",
				       (char *)projects->pdata[i]);
	if (projects->len > OPENING_NAMES)
		g_string_append_printf(text, " and %u more",
				       projects->len - OPENING_NAMES);
	return g_string_free(text, FALSE);
}

static void openingFailedDirectory(struct tool *tool, const char *path,
				   int error)
{
	GPtrArray *projects = g_ptr_array_new_with_free_func(g_free);
	bool hasTraces = openingLook(path, NULL, projects);
	char *list = openingList(projects);

	if (error != ENOENT && error != EINVAL)
		toolErrorOpen(tool, path, error);
	else if (projects->len)
		toolError(tool,
			  "%s: this directory contains %u projects; name one "
			  "of them: %s",
			  path, projects->len, list);
	else
		toolError(tool, "%s: this directory contains no .proj file%s",
			  path,
			  hasTraces ? "; 'hdtrace merge' writes one for its "
				      "trace files"
				    : "");
	g_free(list);
	g_ptr_array_unref(projects);
}

/** "; did you mean X?" of the projects, which may be named without ".proj". */
static char *openingAsk(const char *name, const char *before,
			const GPtrArray *projects)
{
	GPtrArray *stems = g_ptr_array_new_with_free_func(g_free);
	const char *nearest = cliNearest(name, projects);
	const char *tail = nearest ? "" : ".proj";
	char *ask;

	for (guint i = 0; i < projects->len; i++) {
		const char *project = projects->pdata[i];

		g_ptr_array_add(stems, g_strndup(project, strlen(project) - 5));
	}
	if (!nearest)
		nearest = cliNearest(name, stems);
	ask = nearest ? g_strdup_printf("; did you mean %s%s%s?", before,
					nearest, tail)
		      : g_strdup("");
	g_ptr_array_unref(stems);
	return ask;
}

/** The file that could not be opened: a project may be named without ".proj".
 */
static char *openingFile(const char *path)
{
	char *file = g_strconcat(path, ".proj", NULL);

	if (!g_file_test(path, G_FILE_TEST_EXISTS) &&
	    (g_file_test(file, G_FILE_TEST_EXISTS) ||
	     g_file_test(file, G_FILE_TEST_IS_SYMLINK)))
		return file;
	g_free(file);
	return g_strdup(path);
}

static void openingFailedFile(struct tool *tool, const char *path, int error,
			      const char *reason)
{
	GPtrArray *projects = g_ptr_array_new_with_free_func(g_free);
	char *directory = g_path_get_dirname(path);
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *before = g_strndup(path, (size_t)(name - path));
	bool isProject = g_str_has_suffix(name, ".proj");
	char *prefix = g_strndup(path, strlen(path) - (isProject ? 5 : 0));
	bool hasTraces =
		openingLook(directory, prefix + strlen(before), projects);
	char *ask = openingAsk(name, before, projects);
	char *file = openingFile(path);

	if (error == ENOENT && hasTraces && *name)
		toolError(tool,
			  "%s.proj: cannot open: %s; 'hdtrace merge %s' "
			  "writes it for the trace files",
			  prefix, strerror(error), prefix);
	else if (error == ENOENT && g_file_test(path, G_FILE_TEST_EXISTS))
		toolError(tool, "%s: not an HDTrace project", path);
	else
		toolError(tool, CLI_TEXT_OPEN "%s", cliErrorObject(file),
			  reason ? reason : strerror(error),
			  error == ENOENT ? ask : "");
	g_free(file);
	g_free(ask);
	g_free(prefix);
	g_free(before);
	g_free(directory);
	g_ptr_array_unref(projects);
}

hdIProject *toolOpen(struct tool *tool, const char *path)
{
	size_t errors = tool->errors;
	hdIProject *project;
	int error;

	errno = 0;
	tool->openingPath = path;
	project = tool->opensFiles ? hdI_openFiles(path, openingTake, tool)
				   : hdI_openProject(path, openingTake, tool);
	/* The library takes an empty name for a wrong argument. */
	error = *path ? errno : ENOENT;
	tool->openingPath = NULL;
	if (project || error == EBADMSG) {
		if (!project && tool->errors == errors)
			toolReport(tool, "proj.unreadable", path, -1, 0,
				   "not an HDTrace project");
	} else if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
		openingFailedDirectory(tool, path, error);
	} else {
		openingFailedFile(tool, path, error, tool->openingReason);
	}
	g_clear_pointer(&tool->openingReason, g_free);
	return project;
}

hdIProject *toolOpenProject(struct tool *tool, const char *path)
{
	hdIProject *project = toolOpen(tool, path);

	if (!project || g_str_has_suffix(project->file, ".proj"))
		return project;
	toolError(tool, "%s: not a project", path);
	hdI_closeProject(project);
	return NULL;
}
