/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: writes a part of a project as a new project.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/cut/cutchoice.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "common/format/frame.h"

/* ---- Files ------------------------------------------------------------- */

/** The name of a new file: that of the source, with the new prefix. */
static char *cutPathOf(const struct cut *cut, const char *source)
{
	char *name = g_path_get_basename(source);
	char *old = g_path_get_basename(cut->project->prefix);
	const char *rest;
	char *path;

	if (hdFrameIsCompressed(name))
		*strrchr(name, '.') = '\0';
	if (g_str_has_prefix(name, old)) {
		rest = name + strlen(old);
	} else {
		/* Programs of 2009 left out some characters of the prefix. */
		rest = strchr(name, '_');
		rest = rest ? rest : strrchr(name, '.');
	}
	path = g_strconcat(cut->prefix, rest ? rest : "", NULL);
	g_free(name);
	g_free(old);
	return path;
}

struct newFile *cutStartFile(struct cut *cut, const char *source)
{
	char *path = cutPathOf(cut, source);
	struct newFile *new = g_new0(struct newFile, 1);
	int ret = newFileStart(new, path);

	if (ret < 0) {
		toolErrorCreate(cut->tool, path, ret);
		g_free(new);
		new = NULL;
	}
	g_free(path);
	return new;
}

bool cutEndFile(struct cut *cut, const char *source, struct newFile *new,
		int error)
{
	char *path = g_strdup(new->path);
	int ret;

	if (error < 0) {
		toolError(cut->tool, "%s: cannot cut: %s", source,
			  error == -EBADMSG ? "damaged; repair the project "
					      "with 'hdtrace recover'"
					    : plainFileError(error));
		newFileAbort(new);
	} else {
		ret = newFileClose(new);
		error = ret;
		if (ret < 0)
			toolErrorWrite(cut->tool, path, ret);
	}
	if (error < 0)
		g_free(new);
	else
		g_ptr_array_add(cut->files, new);
	g_free(path);
	return error == 0;
}

/** Give all files their names, or remove them: whether that went well. */
static bool cutCommit(struct cut *cut, bool isGood, bool isForced)
{
	for (guint i = 0; i < cut->files->len; i++) {
		struct newFile *new = cut->files->pdata[i];
		char *path = g_strdup(new->path);
		int ret = 0;

		if (!isGood)
			newFileAbort(new);
		else
			ret = newFileCommit(new, isForced);
		if (ret == -EEXIST)
			toolErrorExists(cut->tool, path);
		else if (ret < 0)
			toolErrorWrite(cut->tool, path, ret);
		isGood = isGood && ret == 0;
		g_free(path);
	}
	return isGood;
}

const char *cutMark(const char *old, bool isStart, bool isEnd)
{
	bool wasBoth = old && strcmp(old, "both") == 0;

	if (!isStart && !isEnd)
		return NULL;
	isStart = isStart || wasBoth || (old && strcmp(old, "start") == 0);
	isEnd = isEnd || wasBoth || (old && strcmp(old, "end") == 0);
	if (isStart && isEnd)
		return "both";
	return isStart ? "start" : "end";
}

/* ---- All --------------------------------------------------------------- */

static bool cutSeeEarlier(const hdIRecord *record, void *data)
{
	struct cut *cut = data;

	cut->hasEarlier = record->start < cut->selection.start;
	/* The first one that is not nested starts first. */
	return !cut->hasEarlier && record->depth > 0;
}

/** Look whether a trace has data before the part; cutTrace() reports problems.
 */
static void cutFindEarlier(struct cut *cut, const hdITraceFile *trace)
{
	struct scan scan = cutScan(cut);
	hdITraceReader *reader =
		diagnosticsOpenTrace(cut->project, trace, &diagnosticsDropped);

	scanRecords(&scan, reader, cutSeeEarlier, cut);
	hdI_closeTrace(reader);
}

/** Write all files; the .proj file last: without it, this is not a project. */
static bool cutWriteAll(struct cut *cut)
{
	const hdIProject *project = cut->project;
	bool isGood = true;

	for (size_t i = 0; !cut->hasEarlier && i < project->traceCount; i++)
		cutFindEarlier(cut, project->traces[i]);
	for (size_t i = 0; isGood && i < project->groupCount; i++) {
		if (cutHasNode(cut, project->groups[i]->node))
			isGood = cutGroup(cut, project->groups[i]);
		toolProgressFile(cut->tool, project->groups[i]->fileSize);
	}
	for (size_t i = 0; isGood && i < project->traceCount; i++) {
		if (cutHasNode(cut, project->traces[i]->node))
			isGood = cutTrace(cut, project->traces[i]);
		toolProgressFile(cut->tool, project->traces[i]->fileSize);
	}
	for (size_t i = 0; isGood && i < project->relationCount; i++) {
		if (cutHasNode(cut, project->relations[i]->node))
			isGood = cutRelations(cut, project->relations[i]);
		toolProgressFile(cut->tool, project->relations[i]->fileSize);
	}
	return isGood && cutTexts(cut) && cutProject(cut);
}

/** Find the prefix of the new project: -1, or the status of a mistake. */
static int cutFindPrefix(struct cut *cut, const struct cutOptions *options)
{
	char *path = g_strdup(options->output);
	char *project;
	struct stat old, new;
	int status = -1;

	if (g_str_has_suffix(path, ".proj"))
		path[strlen(path) - strlen(".proj")] = '\0';
	cut->prefix = path;
	if (!*path || g_str_has_suffix(path, "/") ||
	    g_file_test(path, G_FILE_TEST_IS_DIR))
		return toolUsage(cut->tool,
				 "--output: invalid project name \"%s\"",
				 options->output);
	project = g_strconcat(path, ".proj", NULL);
	if (stat(project, &new) == 0) {
		if (stat(cut->project->file, &old) == 0 &&
		    old.st_dev == new.st_dev && old.st_ino == new.st_ino) {
			toolError(cut->tool,
				  "%s: cannot replace the project that is cut",
				  project);
			status = TOOL_FAILED;
		} else if (!options->isForced) {
			toolErrorExists(cut->tool, project);
			status = TOOL_FAILED;
		}
	}
	g_free(project);
	return status;
}

bool cutIsPart(const struct cutOptions *options)
{
	return options->from || options->to || options->ranks ||
	       options->region;
}

void cutOptionsFree(struct cutOptions *options)
{
	g_free(options->output);
	g_free(options->from);
	g_free(options->to);
	g_free(options->ranks);
	g_free(options->region);
}

/** Whether a trace belongs to a rank of a range. */
static bool cutRangeExists(const hdIProject *project,
			   const struct cutRange *range)
{
	for (size_t i = 0; i < project->traceCount; i++) {
		int64_t rank =
			messagesRankOf(project, project->traces[i]->node);

		if (rank >= range->first && rank <= range->last)
			return true;
	}
	return false;
}

/** Find the ranks that were asked for. Each rank or range must exist, as all
 *  that is selected: -1, or the status of a mistake. */
static int cutFindRanks(struct cut *cut, const char *list)
{
	const hdIProject *project = cut->project;

	if (!list)
		return -1;
	cut->ranks = cutRanksParse(list);
	if (!cut->ranks)
		return toolUsage(cut->tool,
				 "--ranks: invalid value \"%s\"; expected a "
				 "list of ranks, such as 0-3,8",
				 list);
	for (guint i = 0; i < cut->ranks->len; i++) {
		const struct cutRange *range =
			&g_array_index(cut->ranks, struct cutRange, i);

		if (cutRangeExists(project, range))
			continue;
		if (range->first == range->last)
			toolError(cut->tool,
				  "--ranks: no trace of the project belongs to "
				  "rank %" PRId64,
				  range->first);
		else
			toolError(cut->tool,
				  "--ranks: no trace of the project belongs to "
				  "ranks %" PRId64 "-%" PRId64,
				  range->first, range->last);
		return TOOL_FAILED;
	}
	return -1;
}

/** Whether states were left out that should be there: then the region does not
 *  exist, which is said. */
static bool cutIsRegionMissing(const struct cut *cut)
{
	if (!cut->region || cut->hasRegion)
		return false;
	toolError(cut->tool, "--thin: no state has the name \"%s\"",
		  cut->region);
	return true;
}

static int cutMakeOpen(struct cut *cut, const struct cutOptions *options)
{
	struct scan scan = cutScan(cut);
	bool isGood;
	int status = cutFindPrefix(cut, options);

	if (status < 0)
		status = selectResolve(&cut->selection, cut->tool, cut->project,
				       false);
	if (status < 0)
		status = cutFindRanks(cut, options->ranks);
	if (status >= 0)
		return status;
	toolProgressStart(cut->tool, scanGroupsSize(&scan) +
					     scanTracesSize(&scan) +
					     scanRelationsSize(&scan));
	isGood = cutWriteAll(cut);
	toolProgressEnd(cut->tool);
	isGood = isGood && !cutIsRegionMissing(cut);
	isGood = cutCommit(cut, isGood, options->isForced);
	return isGood ? -1 : TOOL_FAILED;
}

int cutMake(struct tool *tool, const hdIProject *project,
	    const struct cutOptions *options, guint *fileCount)
{
	struct cut cut = {
		.tool = tool,
		.project = project,
		.selection = { .from = options->from, .to = options->to },
		.region = options->region,
		.files = g_ptr_array_new_with_free_func(g_free),
	};
	int status = cutMakeOpen(&cut, options);

	*fileCount = cut.files->len;
	g_ptr_array_unref(cut.files);
	if (cut.ranks)
		g_array_unref(cut.ranks);
	g_free(cut.prefix);
	return status;
}

/* ---- The command ------------------------------------------------------- */

static int cutRunOn(struct tool *tool, const struct cutOptions *options,
		    const char *path)
{
	hdIProject *project = toolOpenProject(tool, path);
	bool hasSuffix = g_str_has_suffix(options->output, ".proj");
	guint fileCount;
	int status;

	if (!project)
		return TOOL_FAILED;
	delayApply(tool, project, options->isAsRecorded);
	status = cutMake(tool, project, options, &fileCount);
	if (status < 0 && !tool->isQuiet) {
		outPrintable(options->output);
		printf("%s: %u files\n", hasSuffix ? "" : ".proj", fileCount);
	}
	hdI_closeProject(project);
	return status < 0 ? toolFinish(tool) : status;
}

static const struct toolHelp cutHelp = {
	.arguments = "PROJECT",
	.description =
		"Write a part of a project as a new project: a time range, "
		"some ranks, or a region. States,\nrelations and entries that "
		"cross a border of the time range are cut to it. Parts that "
		"follow\neach other add up to the project.",
	.examples = "  hdtrace cut -o step6 --from=13 --to=19 run1.proj\n"
		    "  hdtrace cut -o end --from=@1247419300.5 run1.hdz\n"
		    "  hdtrace cut -o few --ranks=0-3 --thin=solve run1\n",
	.minArguments = 1,
	.maxArguments = 1,
	.formats = TOOL_TEXT_ONLY,
};

int cutRun(struct tool *tool, int argc, char **argv)
{
	struct cutOptions options = { 0 };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Prefix of the new project", "PREFIX" },
		CUT_ENTRIES(&options),
		DELAY_ENTRY(&options.isAsRecorded),
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace existing files", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &cutHelp);

	if (status < 0 && !options.output)
		status = toolMissingOption(tool, "output");
	if (status < 0 && !cutIsPart(&options))
		status = toolMissingOption(tool, "from");
	if (status < 0)
		status = cutRunOn(tool, &options, argv[1]);
	cutOptionsFree(&options);
	return status;
}
