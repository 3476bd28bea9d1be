/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge --into: projects of several programs as one.
 *
 * The files of all are copied under one name, with the times of their project
 * shifted, and a .proj is made of the copies. What they are made from stays as
 * it is. In the topology there are hosts, the processes of all programs below
 * them, and parts of these (Host > Process > Part). Labels of processes that
 * two programs have get the name of the program before them.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/merge/joined.h"
#include "cli/newfile.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/merge/join.h"
#include "cli/errors.h"
#include "cli/rows.h"
#include "common/format/level.h"
#include "common/format/projectname.h"

void joinFreeFile(void *data)
{
	struct joinFile *file = data;

	g_strfreev(file->labels);
	g_free(file->path);
	g_free(file);
}

/* ---- Projects ---------------------------------------------------------- */

/** Labels of programs differ, and are no numbers. */
static void uniteLabels(struct join *self)
{
	GHashTable *seen =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < self->count; i++) {
		struct joinProject *project = &self->projects[i];
		char *plain = g_strdup(project->merge.name);
		char *label;

		hdProjectMakePlain(plain);
		label = g_strdup(plain);
		if (strspn(plain, "0123456789") == strlen(plain)) {
			g_free(label);
			label = g_strdup_printf("program-%s", plain);
		}
		for (int number = 2; g_hash_table_contains(seen, label);
		     number++) {
			g_free(label);
			label = g_strdup_printf("%s-%d", plain, number);
		}
		g_hash_table_add(seen, g_strdup(label));
		project->label = label;
		g_free(plain);
	}
	g_hash_table_destroy(seen);
}

/** Where a project has its hosts, and whether processes are below them. */
static void findLevels(struct joinProject *project)
{
	char *const *levels = (char *const *)project->project->levels;
	size_t count = project->project->levelCount;
	const char *next = "";

	project->hostLevel =
		(unsigned int)MAX(hdLevelFind(levels, count, HD_LEVEL_HOST), 1);
	if (project->hostLevel < count)
		next = levels[project->hostLevel];
	/* Where types are not known they are those of 2009. */
	project->hasProcesses =
		!*next ||
		hdLevelFind((char *const *)&next, 1, HD_LEVEL_RANK) > 0 ||
		hdLevelFind((char *const *)&next, 1, HD_LEVEL_PROCESS) > 0;
}

/** What is wrong with files was said when they were found. */
static void joinAddDiagnostic(const hdIMessage *message, void *data)
{
	struct joinProject *project = data;

	project->isBroken |= message->severity == HDI_ERROR &&
			     g_str_has_prefix(message->rule, "proj.");
}

/** Whether two paths lead to the same file. */
static bool isSameFile(const char *a, const char *b)
{
	char *left = realpath(a, NULL);
	char *right = realpath(b, NULL);
	bool isSame = left && right && strcmp(left, right) == 0;

	free(left);
	free(right);
	return isSame;
}

/** Find a project and its files. */
static int openProject(struct join *self, struct joinProject *project)
{
	struct merge *merge = &project->merge;
	bool hasInfo = false;
	bool isItself;
	char *file, *into;
	int status;

	merge->tool = self->tool;
	status = mergeFind(merge, project->argument, NULL);
	if (status >= 0)
		return status;
	file = g_strdup_printf("%s.proj", merge->prefix);
	into = g_strdup_printf("%s.proj", self->prefix);
	isItself = strcmp(file, into) == 0 || isSameFile(file, into);
	g_free(into);
	if (isItself) {
		toolError(self->tool,
			  "--into: %s is one of the joined projects; choose "
			  "another name",
			  project->argument);
		g_free(file);
		return TOOL_FAILED;
	}
	if (!g_file_test(file, G_FILE_TEST_EXISTS)) {
		toolError(self->tool,
			  CLI_TEXT_OPEN "; 'hdtrace merge %s' writes it", file,
			  strerror(ENOENT), project->argument);
		g_free(file);
		return TOOL_FAILED;
	}
	errno = 0;
	project->project = hdI_openProject(file, joinAddDiagnostic, project);
	if (!project->project || project->isBroken)
		toolError(
			self->tool, "%s: %s", file,
			project->project || errno == EBADMSG
				? "cannot read the project; see 'hdtrace check'"
				: strerror(errno));
	g_free(file);
	if (!project->project || project->isBroken)
		return TOOL_FAILED;
	for (guint i = 0; i < merge->files->len; i++)
		hasInfo |= ((const struct mergeFile *)merge->files->pdata[i])
				   ->kind == MERGE_INFO;
	if (project->project->communicatorCount > 0 && !hasInfo)
		toolReport(self->tool, "merge.communicators",
			   project->project->file, -1, 0,
			   "no .info files with the communicators; "
			   "communicators are omitted");
	findLevels(project);
	return -1;
}

/** Relations of two projects that cannot be told apart. */
static int joinCheckOwners(struct join *self)
{
	GHashTable *owners = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < self->count; i++)
		mergeAddOwners(self->tool, owners,
			       self->projects[i].merge.files);
	g_hash_table_destroy(owners);
	return self->tool->hasFailed ? TOOL_FAILED : -1;
}

/** Whether a project was given before. */
static int checkTwice(struct join *self)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (isSameFile(self->projects[i].project->file,
				       self->projects[k].project->file))
				return toolUsage(self->tool, "%s: given twice",
						 self->projects[i].argument);
		}
	}
	return -1;
}

static int joinOpenAll(struct join *self)
{
	int status = -1;

	for (size_t i = 0; status < 0 && i < self->count; i++)
		status = openProject(self, &self->projects[i]);
	if (status < 0)
		status = checkTwice(self);
	if (status < 0)
		status = joinCheckOwners(self);
	if (status < 0)
		uniteLabels(self);
	return status;
}

/* ---- Offsets ----------------------------------------------------------- */

/** Find the project that an option means: by argument, or by name. */
static struct joinOffset *offsetOf(struct join *self, const char *name)
{
	struct joinOffset *found = NULL;

	for (size_t i = 0; i < self->count; i++) {
		if (strcmp(self->projects[i].argument, name) == 0)
			return &self->offsets[i];
	}
	for (size_t i = 0; i < self->count; i++) {
		if (strcmp(self->projects[i].merge.name, name) != 0)
			continue;
		if (found)
			return NULL;
		found = &self->offsets[i];
	}
	return found;
}

/** Take "PROJECT=DURATION, such as run2=-250ms". */
static int takeOffset(struct join *self, const char *option)
{
	const char *equals = strrchr(option, '=');
	struct joinOffset *offset;
	int64_t ns;
	char *name;

	if (!equals || !mergeParseShift(equals + 1, &ns))
		return toolUsage(self->tool,
				 "--offset: invalid value \"%s\"; expected "
				 "PROJECT=DURATION, such as run2=-250ms",
				 option);
	name = g_strndup(option, (gsize)(equals - option));
	offset = offsetOf(self, name);
	if (!offset)
		toolUsage(self->tool,
			  "--offset: \"%s\" does not name exactly one of the "
			  "projects",
			  name);
	else if (offset->isByHand)
		toolUsage(self->tool, "--offset: \"%s\" is given twice", name);
	g_free(name);
	if (!offset || offset->isByHand)
		return TOOL_FAILED;
	*offset = (struct joinOffset){
		.offset = ns,
		.isGiven = true,
		.isByHand = true,
	};
	return -1;
}

static int findOffsets(struct join *self)
{
	int status = -1;

	self->offsets[0].isGiven = true;
	for (size_t i = 0;
	     status < 0 && self->options->offsets && self->options->offsets[i];
	     i++)
		status = takeOffset(self, self->options->offsets[i]);
	if (status < 0)
		status = joinFindOffsets(self->tool, self->projects,
					 self->count, self->offsets);
	for (size_t i = 0; status < 0 && i < self->count; i++) {
		const struct joinOffset *offset = &self->offsets[i];

		if (!offset->isGiven && !offset->hasLowest &&
		    !offset->hasHighest)
			toolReport(self->tool, "merge.unbound",
				   self->projects[i].project->file, -1, 0,
				   "no relation connects it with the other "
				   "projects, so its times stay unchanged; "
				   "--offset shifts them");
	}
	return status;
}

/* ---- Files ------------------------------------------------------------- */

/** Nothing else may be there, which would be taken for a part of the project.
 */
static int checkPlace(struct join *self)
{
	GError *error = NULL;
	GDir *directory = g_dir_open(self->directory, 0, &error);
	char *base = g_path_get_basename(self->prefix);
	size_t length = strlen(base);
	const char *name;

	if (!directory) {
		toolError(self->tool, "%s", error->message);
		g_error_free(error);
		g_free(base);
		return TOOL_FAILED;
	}
	while ((name = g_dir_read_name(directory)) != NULL) {
		enum mergeKind kind;
		char *path;

		if (strncmp(name, base, length) != 0 ||
		    (name[length] != '_' && name[length] != '.') ||
		    !mergeKindOf(name, &kind))
			continue;
		path = strcmp(self->directory, ".") == 0
			       ? g_strdup(name)
			       : g_build_filename(self->directory, name, NULL);
		if (!g_hash_table_contains(self->byPath, path))
			toolError(self->tool,
				  "%s: exists, but does not belong to any of "
				  "the projects",
				  path);
		g_free(path);
	}
	g_dir_close(directory);
	g_free(base);
	return self->tool->hasFailed ? TOOL_FAILED : -1;
}

/** Whether a copy has other bytes. */
static bool isChanged(const struct joinFile *file, const char *levels)
{
	char *old;
	bool isOther;

	if (file->from->kind == MERGE_INFO)
		return false;
	if (file->add)
		return true;
	if (file->from->kind == MERGE_STAT) {
		old = file->from->labels ? g_strjoinv("_", file->from->labels)
					 : NULL;
		isOther = old && strcmp(old, file->from->node->path) == 0;
		g_free(old);
		/* A header that says something else stays as it is. */
		old = g_strjoinv("_", file->labels);
		isOther = isOther && strcmp(old, file->from->node->path) != 0;
	} else {
		old = file->from->levels ? g_strjoinv(" ", file->from->levels)
					 : NULL;
		isOther = old && strcmp(old, levels) != 0;
	}
	g_free(old);
	return isOther;
}

/** Write a file beside where it goes, unless it is there already. */
static int prepareFile(struct join *self, struct joinFile *file,
		       const char *levels)
{
	const struct mergeChange change = {
		.add = file->add,
		.path = file->path,
		.levels = levels,
		.labels = file->labels,
	};
	struct merge *merge = (struct merge *)&file->of->merge;
	int status =
		isChanged(file, levels)
			? mergePrepare(merge, file->from, &change, &file->new)
			: mergePrepareCopy(self->tool, file->from->path,
					   file->path, &file->new);

	if (status >= 0)
		return status;
	file->isNew = !g_file_test(file->path, G_FILE_TEST_EXISTS);
	if (file->isNew)
		return mergeClose(self->tool, file->path, &file->new);
	if (fflush(file->new.file) == 0 && file->new.temporary &&
	    plainFileIsSame(file->new.temporary, file->path)) {
		newFileAbort(&file->new);
		return -1;
	}
	if (self->options->isForced)
		return mergeClose(self->tool, file->path, &file->new);
	toolError(self->tool, "%s: exists and differs; --force replaces it",
		  file->path);
	newFileAbort(&file->new);
	return TOOL_FAILED;
}

static int commitFile(struct join *self, struct joinFile *file)
{
	int ret = newFileCommit(&file->new, self->options->isForced);

	file->isNew &= ret == 0;
	if (ret < 0)
		toolErrorWrite(self->tool, file->path, ret);
	return ret < 0 ? TOOL_FAILED : -1;
}

/** Write all files, and only then give them their names: where there is no room
 *  for one the others of a project that is replaced stay. */
static int joinWriteFiles(struct join *self)
{
	char *levels = g_strjoinv(" ", (char **)self->levels->pdata);
	int64_t size = 0;
	int status = -1;

	for (guint i = 0; i < self->files->len; i++) {
		struct joinFile *file = self->files->pdata[i];

		size += plainFileSize(file->from->path);
		file->add = self->offsets[file->of - self->projects].offset;
	}
	toolProgressStart(self->tool, size);
	for (guint i = 0; status < 0 && i < self->files->len; i++) {
		struct joinFile *file = self->files->pdata[i];

		status = prepareFile(self, file, levels);
		toolProgressFile(self->tool, plainFileSize(file->from->path));
	}
	toolProgressEnd(self->tool);
	g_free(levels);
	for (guint i = 0; i < self->files->len; i++) {
		struct joinFile *file = self->files->pdata[i];

		if (file->new.path && status < 0) {
			status = commitFile(self, file);
			continue;
		}
		file->isNew = false;
		if (file->new.path)
			newFileAbort(&file->new);
	}
	return status;
}

/** What is of no use without the rest. */
static void removeFiles(struct join *self)
{
	for (guint i = 0; i < self->files->len; i++) {
		const struct joinFile *file = self->files->pdata[i];

		if (file->isNew)
			unlink(file->path);
	}
}

/* ---- The whole --------------------------------------------------------- */

static void dropDiagnostic(const hdIMessage *message, void *data)
{
	(void)message;
	(void)data;
}

/** Make the .proj of the copies. */
static int joinWriteProject(struct join *self, struct merge *merge)
{
	struct tool *tool = self->tool;
	hdIMessageHandler take = tool->take;
	GString *content = NULL;
	int status;

	merge->tool = tool;
	merge->hasRawTimes = true;
	/* All was said of the files that they are copies of. */
	tool->take = dropDiagnostic;
	status = mergeFind(merge, self->prefix, (char **)self->levels->pdata);
	tool->take = take;
	if (status < 0)
		content = mergeWriteProject(merge, self->options->texts);
	if (status < 0 && tool->hasFailed)
		status = TOOL_FAILED;
	if (status < 0) {
		char *path = g_strdup_printf("%s.proj", self->prefix);

		status = mergeWriteText(tool, path, content,
					self->options->isForced);
		g_free(path);
	}
	if (content)
		g_string_free(content, TRUE);
	return status;
}

static const struct rowColumn columns[] = {
	{ "<project", "project", ROW_TEXT, 0 },
	{ "<label", "label", ROW_TEXT, 0 },
	{ ".offset", "shift_s", ROW_TIME, 0, "offset_s" },
	{ "<by", "by", ROW_TEXT, 0 },
	{ ".lowest", "lowest_s", ROW_TIME, ROW_DASH },
	{ ".highest", "highest_s", ROW_TIME, ROW_DASH },
	{ ">pairs", "pairs", ROW_COUNT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

enum column {
	COLUMN_PROJECT,
	COLUMN_LABEL,
	COLUMN_OFFSET,
	COLUMN_BY,
	COLUMN_LOWEST,
	COLUMN_HIGHEST,
	COLUMN_PAIRS,
};

/** Where an offset is from. */
static const char *byOf(const struct joinOffset *offset)
{
	if (offset->isByHand)
		return "hand";
	if (offset->isGiven)
		return "reference";
	return offset->hasLowest || offset->hasHighest ? "relations"
						       : "nothing";
}

static void printProjects(const struct join *self, struct outJson *json)
{
	struct rows *rows = rowsNew(columns, self->tool->format, json);

	rowsHeader(rows);
	for (size_t i = 0; i < self->count; i++) {
		const struct joinOffset *offset = &self->offsets[i];

		rowsText(rows, COLUMN_PROJECT, self->projects[i].argument);
		rowsText(rows, COLUMN_LABEL, self->projects[i].label);
		rowsTime(rows, COLUMN_OFFSET, offset->offset);
		rowsText(rows, COLUMN_BY, byOf(offset));
		if (offset->hasLowest)
			rowsTime(rows, COLUMN_LOWEST, offset->lowest);
		if (offset->hasHighest)
			rowsTime(rows, COLUMN_HIGHEST, offset->highest);
		rowsCount(rows, COLUMN_PAIRS, offset->pairs);
		rowsEnd(rows);
	}
	rowsPrint(rows, "", self->tool->isColored);
	rowsFree(rows);
}

static void joinPrint(const struct join *self, const struct merge *merge)
{
	struct outJson json = { .depth = 0 };
	char *path = g_strdup_printf("%s.proj", self->prefix);

	if (self->tool->format == OUT_JSON) {
		mergeStartJson(&json, merge, path);
		outJsonArray(&json, "projects", false);
		printProjects(self, &json);
		outJsonEnd(&json);
		outJsonEnd(&json);
	} else {
		printProjects(self, NULL);
		if (self->tool->format == OUT_TEXT)
			mergePrintText(merge, path);
	}
	g_free(path);
}

/** Whether there may be a project of that name. */
static int checkInto(struct join *self)
{
	char *path = g_strdup_printf("%s.proj", self->prefix);
	int status = -1;

	if (g_file_test(path, G_FILE_TEST_EXISTS) &&
	    !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		toolError(self->tool, CLI_TEXT_WRITE, path,
			  plainFileError(-EINVAL));
		status = TOOL_FAILED;
	} else if (!self->options->isForced &&
		   g_file_test(path, G_FILE_TEST_EXISTS)) {
		toolErrorExists(self->tool, path);
		status = TOOL_FAILED;
	}
	g_free(path);
	return status;
}

static int splitInto(struct join *self)
{
	const char *into = self->options->into;
	char *path = g_strdup(into);
	char *name;

	if (g_str_has_suffix(path, ".proj"))
		path[strlen(path) - strlen(".proj")] = '\0';
	name = g_path_get_basename(path);
	self->directory = g_path_get_dirname(path);
	self->prefix = strcmp(self->directory, ".") == 0
			       ? g_strdup(name)
			       : g_build_filename(self->directory, name, NULL);
	if (!*path || g_str_has_suffix(path, "/") ||
	    g_file_test(path, G_FILE_TEST_IS_DIR)) {
		g_free(path);
		g_free(name);
		return toolUsage(self->tool,
				 "--into: invalid project name \"%s\"", into);
	}
	g_free(path);
	g_free(name);
	return -1;
}

static void joinFreeAll(struct join *self)
{
	for (size_t i = 0; i < self->count; i++) {
		struct joinProject *project = &self->projects[i];

		hdI_closeProject(project->project);
		if (project->merge.files)
			mergeFree(&project->merge);
		g_free(project->label);
	}
	g_free(self->projects);
	g_free(self->offsets);
	g_ptr_array_unref(self->files);
	g_hash_table_destroy(self->byPath);
	g_ptr_array_unref(self->levels);
	g_free(self->directory);
	g_free(self->prefix);
}

int joinRun(struct tool *tool, const struct joinOptions *options,
	    char *const *arguments)
{
	struct join self = {
		.tool = tool,
		.options = options,
		.count = g_strv_length((char **)arguments),
		.files = g_ptr_array_new_with_free_func(joinFreeFile),
		.byPath = g_hash_table_new(g_str_hash, g_str_equal),
		.levels = g_ptr_array_new_with_free_func(g_free),
	};
	struct merge merge = { .tool = tool };
	int status;

	self.projects = g_new0(struct joinProject, self.count);
	self.offsets = g_new0(struct joinOffset, self.count);
	for (size_t i = 0; i < self.count; i++)
		self.projects[i].argument = arguments[i];
	status = splitInto(&self);
	if (status < 0)
		status = checkInto(&self);
	if (status < 0)
		status = joinOpenAll(&self);
	if (status < 0)
		status = findOffsets(&self);
	if (status < 0)
		status = joinPlaceAll(&self);
	if (status < 0)
		status = checkPlace(&self);
	if (status < 0) {
		joinChooseLevels(&self);
		status = joinWriteFiles(&self);
		if (status < 0)
			status = joinWriteProject(&self, &merge);
		if (status >= 0)
			removeFiles(&self);
		else
			joinPrint(&self, &merge);
	}
	if (merge.files)
		mergeFree(&merge);
	joinFreeAll(&self);
	return status;
}
