/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: writes the .proj file for the files that are there.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/newfile.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/merge/join.h"
#include "cli/errors.h"
#include "cli/rows.h"

/** Options of the command. */
struct options {
	char *output;
	char *levels;
	char *description;
	char *name;
	char **adjustments;
	char *into;
	char **offsets;
	gboolean hasRawTimes;
	gboolean isForced;
};

/** Split --levels; NULL after an error that was said. */
static int splitLevels(struct tool *tool, const char *text, char ***levels)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789.-";

	*levels = NULL;
	if (!text)
		return -1;
	*levels = g_strsplit(text, ",", -1);
	for (size_t i = 0; (*levels)[i]; i++) {
		const char *level = (*levels)[i];

		if (!*level || strspn(level, allowed) != strlen(level))
			return toolUsage(
				tool,
				"--levels: invalid type of a level: \"%s\"",
				level);
	}
	if (!**levels)
		return toolUsage(tool, "--levels: the list is empty");
	if (g_strv_length(*levels) > MERGE_LEVELS_MAX)
		return toolUsage(tool, "--levels: more than %d levels",
				 MERGE_LEVELS_MAX);
	return -1;
}

int mergeWriteText(struct tool *tool, const char *path, const GString *content,
		   bool isForced)
{
	struct newFile new;
	int ret = newFileStart(&new, path);

	if (ret == 0) {
		fwrite(content->str, 1, content->len, new.file);
		ret = newFileCommit(&new, isForced);
	}
	if (ret == 0)
		return -1;
	if (ret == -EEXIST)
		toolErrorExists(tool, path);
	else
		toolErrorWrite(tool, path, ret);
	return TOOL_FAILED;
}

/** A number and what was counted, for the last line. */
struct count {
	const char *name;
	const char *singular;
	size_t value;
};

/** So many are counted. */
#define COUNTS 7

static void getCounts(const struct merge *merge, struct count *counts)
{
	const struct count all[COUNTS] = {
		{ "files", "file", merge->files->len },
		{ "nodes", "node", merge->nodes },
		{ "groups", "group", merge->groups->len },
		{ "communicators", "communicator", merge->communicators },
		{ "datatypes", "datatype", merge->datatypes },
		{ "used_files", "used file", merge->usedFiles },
		{ "clocks", "clock", merge->clocks->len },
	};

	memcpy(counts, all, sizeof(all));
}

void mergePrintText(const struct merge *merge, const char *path)
{
	struct count counts[COUNTS];
	const char *before = ":";

	getCounts(merge, counts);
	outPrintable(path);
	for (size_t i = 0; i < COUNTS; i++) {
		if (counts[i].value == 0)
			continue;
		printf("%s %zu %s%s", before, counts[i].value,
		       counts[i].singular, counts[i].value == 1 ? "" : "s");
		before = ",";
	}
	putchar('\n');
}

void mergeStartJson(struct outJson *json, const struct merge *merge,
		    const char *path)
{
	struct count counts[COUNTS];

	getCounts(merge, counts);
	outJsonDocument(json, "hdtrace-merge");
	outJsonText(json, "project", path);
	for (size_t i = 0; i < COUNTS; i++)
		outJsonInteger(json, counts[i].name, (int64_t)counts[i].value);
}

static void printCounts(const struct merge *merge, const char *path)
{
	struct outJson json = { .depth = 0 };
	struct count counts[COUNTS];
	struct rowColumn columns[COUNTS + 2] = {
		{ NULL, "project", ROW_TEXT, 0 },
	};
	struct rows *rows;

	if (merge->tool->format == OUT_TEXT) {
		mergePrintText(merge, path);
		return;
	}
	if (merge->tool->format == OUT_JSON) {
		mergeStartJson(&json, merge, path);
		outJsonEnd(&json);
		return;
	}
	getCounts(merge, counts);
	for (size_t i = 0; i < COUNTS; i++)
		columns[i + 1] = (struct rowColumn){ NULL, counts[i].name,
						     ROW_COUNT, 0 };
	rows = rowsNew(columns, OUT_CSV, NULL);
	rowsHeader(rows);
	rowsText(rows, 0, path);
	for (size_t i = 0; i < COUNTS; i++)
		rowsCount(rows, i + 1, counts[i].value);
	rowsEnd(rows);
	rowsFree(rows);
}

/** Write the .proj, after the files that it belongs to. */
static int mergeWriteAll(struct merge *merge, const struct options *options)
{
	const struct mergeTexts texts = {
		.name = options->name,
		.description = options->description,
	};
	bool isStdout = options->output && strcmp(options->output, "-") == 0;
	char *path = options->output
			     ? g_strdup(options->output)
			     : g_strdup_printf("%s.proj", merge->prefix);
	GString *content = NULL;
	int status = -1;

	if (!isStdout && !options->isForced &&
	    g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		toolErrorExists(merge->tool, path);
		status = TOOL_FAILED;
	}
	/* Only who names a pipe wants to write to it. */
	if (!options->output && g_file_test(path, G_FILE_TEST_EXISTS) &&
	    !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		toolError(merge->tool, CLI_TEXT_WRITE, path,
			  plainFileError(-EINVAL));
		status = TOOL_FAILED;
	}
	if (status < 0)
		content = mergeWriteProject(merge, &texts);
	if (status < 0 && merge->tool->hasFailed)
		status = TOOL_FAILED;
	if (status < 0)
		status = mergeAdjust(merge, options->adjustments);
	if (status < 0 && isStdout)
		fwrite(content->str, 1, content->len, stdout);
	else if (status < 0)
		status = mergeWriteText(merge->tool, path, content,
					options->isForced);
	if (status < 0 && !isStdout)
		printCounts(merge, path);
	if (content)
		g_string_free(content, TRUE);
	g_free(path);
	return status;
}

static const struct cliOldLetter oldLetters[] = {
	{ 'l', "levels", NULL },
	{ 'd', "description", NULL },
	{ 't', "time-adjust", NULL },
	{ '\0', NULL, NULL },
};

static const struct toolHelp help = {
	.arguments = "PREFIX|DIRECTORY|PROJECT [DIRECTORY|PROJECT...]",
	.description =
		"Write PREFIX.proj for the .trc, .info, .stat and .rel files "
		"of a run: topology,\ncommunicators, datatypes, used files and "
		"statistics groups. Clock comparisons in .info files\ncorrect "
		"the times of the other files. Files in further directories "
		"are copied first. --into\njoins projects of several programs; "
		"--offset or the relations between them align their times.",
	.examples =
		"  hdtrace merge run1\n"
		"  hdtrace merge --levels Host,Rank --description 'first try' "
		"run1\n"
		"  hdtrace merge --force --time-adjust node07=-250ms run1\n"
		"  hdtrace merge run1 /mnt/node07/tmp /mnt/node08/tmp\n"
		"  hdtrace merge --into both client server\n",
	.minArguments = 1,
	.oldLetters = oldLetters,
	.maxArguments = -1,
};

/** What says how files become a project is not for projects. */
static int runInto(struct tool *tool, char *const *arguments,
		   const struct options *options)
{
	const struct mergeTexts texts = {
		.name = options->name,
		.description = options->description,
	};
	const struct joinOptions join = {
		.into = options->into,
		.offsets = options->offsets,
		.texts = &texts,
		.isForced = options->isForced,
	};
	const char *other = options->output        ? "--output"
			    : options->levels      ? "--levels"
			    : options->adjustments ? "--time-adjust"
			    : options->hasRawTimes ? "--raw-times"
						   : NULL;
	int status;

	if (other)
		return toolUsage(tool, "%s: cannot be combined with --into",
				 other);
	status = joinRun(tool, &join, arguments);
	return status < 0 ? toolFinish(tool) : status;
}

static int mergeRunOn(struct tool *tool, char *const *arguments,
		      const struct options *options)
{
	struct merge merge = {
		.tool = tool,
		.hasRawTimes = options->hasRawTimes,
	};
	char **levels;
	int status;

	if (options->into)
		return runInto(tool, arguments, options);
	if (options->offsets)
		return toolNeeds(tool, "offset", "into");
	status = splitLevels(tool, options->levels, &levels);
	if (status < 0)
		status = mergeCollect(tool, arguments[0], arguments + 1);
	if (status < 0) {
		status = mergeFind(&merge, arguments[0], levels);
		if (status < 0)
			status = mergeCheckAdjust(&merge, options->adjustments);
		if (status < 0)
			status = mergeWriteAll(&merge, options);
		mergeFree(&merge);
	}
	g_strfreev(levels);
	return status < 0 ? toolFinish(tool) : status;
}

int mergeRun(struct tool *tool, int argc, char **argv)
{
	struct options options = { .output = NULL };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Output file, - for stdout (default: PREFIX.proj)", "FILE" },
		{ "levels", 0, 0, G_OPTION_ARG_FILENAME, &options.levels,
		  "Types of the levels, such as Host,Rank,Thread", "TYPES" },
		{ "name", 0, 0, G_OPTION_ARG_FILENAME, &options.name,
		  "Name of the project (default: name in PREFIX)", "NAME" },
		{ "description", 0, 0, G_OPTION_ARG_FILENAME,
		  &options.description, "Description of the project", "TEXT" },
		{ "time-adjust", 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &options.adjustments,
		  "Shift all times of a node and the nodes below it",
		  "NODE=DURATION" },
		{ "raw-times", 0, 0, G_OPTION_ARG_NONE, &options.hasRawTimes,
		  "Do not correct times by clock comparisons", NULL },
		{ "into", 0, 0, G_OPTION_ARG_FILENAME, &options.into,
		  "Join the projects into a new one of this name", "PROJECT" },
		{ "offset", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.offsets,
		  "Shift all times of a joined project", "PROJECT=DURATION" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace an existing project", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = mergeRunOn(tool, argv + 1, &options);
	g_free(options.output);
	g_free(options.levels);
	g_free(options.name);
	g_free(options.description);
	g_strfreev(options.adjustments);
	g_free(options.into);
	g_strfreev(options.offsets);
	return status;
}
