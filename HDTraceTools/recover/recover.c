/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: writes repaired copies of damaged files.
 *
 * What is damaged is what the reading library reports. Files that are
 * not are copied byte by byte, so that the copies are a complete project.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceTools/recover/recoverstats.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/model/projectstart.h"
#include "HDTraceTools/recover/recover.h"
#include "cli/output.h"
#include "cli/rows.h"
#include "common/clock.h"
#include "common/format/frame.h"
#include "common/format/zip.h"

/** The first tag of relations ends within so many bytes. */
#define RELATION_HEAD 1048576

static const char *const traceRules[] = {
	"trc.xml", "trc.root",  "trc.time",   "trc.nested-no-owner",
	"trc.cut", "trc.name",  "trc.no-end", "zst.frame",
	"zst.cut", "zst.index", NULL
};

static const char *const traceCutRules[] = { "trc.xml", "trc.root", "trc.cut",
					     "zst.frame", NULL };

static const char *const relationRules[] = { "rel.xml",   "rel.root",
					     "rel.cut",   "rel.no-end",
					     "zst.frame", "zst.cut",
					     NULL };

static const char *const projectRules[] = { "proj.xml", "proj.root", NULL };

static const char *const infoRules[] = { "info.cut", NULL };

static const struct rowColumn columns[] = {
	{ "<File", "file", ROW_TEXT, 0 },
	{ "<Result", "result", ROW_TEXT, 0 },
	{ ">Bytes lost", "lost_bytes", ROW_COUNT, 0, "bytes_lost" },
	{ ">Records lost", NULL, ROW_TEXT, 0 },
	{ NULL, "records_lost", ROW_COUNT, 0 },
	{ "<Broken rules", "rules", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

enum {
	COLUMN_FILE,
	COLUMN_RESULT,
	COLUMN_BYTES,
	COLUMN_RECORDS_TITLE,
	COLUMN_RECORDS,
	COLUMN_RULES,
};

/** What is needed to say what became of the files. */
struct report {
	struct rows *rows;
	struct outJson json;
	bool hasFile;
};

/* ---- Messages ---------------------------------------------------------- */

static void recoverAddMessage(const hdIMessage *message, void *data)
{
	struct recover *recover = data;
	const char *file = message->file ? message->file : "";
	GString *line;
	GString *rules;

	toolCount(recover->tool, message->severity);
	if (recover->isMuted)
		return;
	if (strcmp(message->rule, "trc.nested-no-owner") == 0)
		recover->lostOwners++;
	if (strcmp(message->rule, "trc.time") == 0 ||
	    strcmp(message->rule, "trc.cut") == 0)
		recover->lostRecords++;
	if (message->severity != HDI_NOTE) {
		rules = g_hash_table_lookup(recover->broken, file);
		if (!rules) {
			rules = g_string_new(NULL);
			g_hash_table_insert(recover->broken, g_strdup(file),
					    rules);
		}
		if (!g_strstr_len(rules->str, -1, message->rule))
			g_string_append_printf(rules, "%s%s",
					       rules->len ? " " : "",
					       message->rule);
	}
	if (recover->tool->isQuiet || recover->isSilent)
		return;
	toolProgressHide(recover->tool);
	line = g_string_new(NULL);
	toolFormatDiagnostic(line, message->severity, message->rule, file,
			     message->offset, message->text);
	fprintf(stderr, "%s\n", line->str);
	g_string_free(line, TRUE);
}

bool recoverIsBroken(const struct recover *recover, const char *file,
		     const char *const *rules)
{
	const GString *broken = g_hash_table_lookup(recover->broken, file);
	char **list;
	bool found = false;

	if (!broken)
		return false;
	list = g_strsplit(broken->str, " ", -1);
	for (size_t i = 0; rules[i] && !found; i++)
		found = g_strv_contains((const char *const *)list, rules[i]);
	g_strfreev(list);
	return found;
}

/* ---- Report ------------------------------------------------------------ */

static void reportStart(struct recover *recover, struct report *report)
{
	report->rows = rowsNew(columns, recover->tool->format, &report->json);
	rowsHeader(report->rows);
	if (recover->tool->format != OUT_JSON)
		return;
	outJsonDocument(&report->json, "hdtrace-recover");
	outJsonText(&report->json, "directory", recover->directory);
	outJsonArray(&report->json, "files", false);
}

static void reportFile(struct recover *recover, struct report *report,
		       const char *file, const struct recovered *result)
{
	const GString *broken = g_hash_table_lookup(recover->broken, file);
	char records[OUT_NUMBER_SIZE];

	rowsText(report->rows, COLUMN_FILE, file);
	rowsText(report->rows, COLUMN_RESULT, result->action);
	rowsInteger(report->rows, COLUMN_BYTES, result->bytesLost);
	rowsText(report->rows, COLUMN_RECORDS_TITLE,
		 result->recordsLost < 0
			 ? "?"
			 : outInteger(records, result->recordsLost));
	if (result->recordsLost >= 0)
		rowsInteger(report->rows, COLUMN_RECORDS, result->recordsLost);
	rowsText(report->rows, COLUMN_RULES, broken ? broken->str : "");
	rowsEnd(report->rows);
	report->hasFile = true;
}

static void reportEnd(struct recover *recover, struct report *report)
{
	toolProgressHide(recover->tool);
	if (recover->tool->format != OUT_TEXT || report->hasFile)
		rowsPrint(report->rows, "", recover->tool->isColored);
	rowsFree(report->rows);
	if (recover->tool->format == OUT_TEXT && report->hasFile) {
		printf("The copies are in ");
		outPrintable(recover->directory);
		putchar('\n');
	}
	if (recover->tool->format == OUT_JSON) {
		outJsonEnd(&report->json);
		outJsonEnd(&report->json);
	}
}

/* ---- Files ------------------------------------------------------------- */

static int recoverFail(struct recover *recover, const char *path, int error)
{
	toolError(recover->tool, "%s: %s", path, plainFileError(error));
	return error;
}

static int recoverStart(struct recover *recover, const char *file, bool isCopy,
			struct newFile *new)
{
	char *name = g_path_get_basename(file);
	char *path;
	bool isSpecial;
	int ret;

	/* What is repaired is written as a plain file. */
	if (!isCopy && hdFrameIsCompressed(name))
		*strrchr(name, '.') = '\0';
	path = g_build_filename(recover->directory, name, NULL);
	isSpecial = g_file_test(path, G_FILE_TEST_EXISTS) &&
		    !g_file_test(path, G_FILE_TEST_IS_REGULAR);
	ret = isSpecial ? -EINVAL : newFileStart(new, path);
	if (ret < 0)
		recoverFail(recover, path, ret);
	g_free(name);
	g_free(path);
	return ret;
}

int recoverStartCopy(struct recover *recover, const char *file,
		     struct newFile *new)
{
	return recoverStart(recover, file, false, new);
}

int recoverEndCopy(struct recover *recover, const char *file,
		   struct newFile *new, int error)
{
	char *path = g_strdup(new->path);
	int ret = error;

	if (ret < 0) {
		newFileAbort(new);
		recoverFail(recover, file, ret);
	} else {
		ret = newFileCommit(new, false);
		if (ret < 0)
			recoverFail(recover, path, ret);
	}
	g_free(path);
	return ret;
}

int recoverCopyBytes(const char *file, int64_t length, struct newFile *new)
{
	return contentCopy(file, 0, length, new->file);
}

/** Copy a file as it is stored. */
static int recoverCopyStored(const char *file, struct newFile *new)
{
	off_t size;
	int fd = plainFileOpen(file, &size);
	int ret;

	if (fd < 0)
		return fd;
	ret = newFileCopy(new, fd, 0, size, NULL, NULL);
	close(fd);
	return ret;
}

int recoverCopyFile(struct recover *recover, const char *file,
		    struct recovered *result)
{
	struct newFile new;
	bool isArchived = contentIsArchived(file);
	int ret = recoverStart(recover, file, !isArchived, &new);

	result->action = "copied";
	if (ret < 0)
		return ret;
	ret = isArchived ? recoverCopyBytes(file, INT64_MAX, &new)
			 : recoverCopyStored(file, &new);
	return recoverEndCopy(recover, file, &new, ret);
}

/* ---- Traces ------------------------------------------------------------ */

static int repairTrace(struct recover *recover, const hdITraceFile *trace,
		       struct recovered *result)
{
	struct newFile new;
	hdITraceReader *reader;
	int ret = recoverStartCopy(recover, trace->file, &new);

	if (ret < 0)
		return ret;
	result->action = "repaired";
	reader = hdI_openTrace(recover->project, trace);
	ret = recoverWriteTrace(recover, reader, trace->fileSize, &new, result);
	hdI_closeTrace(reader);
	if (!recoverIsBroken(recover, trace->file, traceCutRules))
		result->bytesLost = 0;
	return recoverEndCopy(recover, trace->file, &new, ret);
}

static int recoverTrace(struct recover *recover, const hdITraceFile *trace,
			struct recovered *result)
{
	hdITraceReader *reader = hdI_openTrace(recover->project, trace);
	const hdIRecord *record;
	size_t warnings;
	size_t errors;
	int ret;

	if (!reader && errno != EBADMSG)
		return recoverFail(recover, trace->file, -errno);
	/* Nothing is left out, but a wrong index is reported. */
	if (reader)
		hdI_skipTrace(reader, INT64_MIN, INT64_MAX);
	while (reader && hdI_readTrace(reader, &record) == 1)
		toolProgressAt(recover->tool, record->offset);
	hdI_closeTrace(reader);
	if (!recoverIsBroken(recover, trace->file, traceRules))
		return recoverCopyFile(recover, trace->file, result);
	/* All was said; the second time it is only counted. */
	warnings = recover->tool->warnings;
	errors = recover->tool->errors;
	recover->isSilent = true;
	ret = repairTrace(recover, trace, result);
	recover->isSilent = false;
	recover->tool->warnings = warnings;
	recover->tool->errors = errors;
	return ret;
}

/* ---- Relations --------------------------------------------------------- */

/** Where the first tag of a file ends; 0: that is not there. */
static int64_t tagEnd(const char *file)
{
	GBytes *bytes;
	struct xmlPiece piece = { .kind = XML_OTHER };
	const char *text;
	size_t size;
	bool isThere;

	if (contentGet(file, RELATION_HEAD, &bytes) < 0)
		return 0;
	text = g_bytes_get_data(bytes, &size);
	isThere = text && xmlFindTag(text, size, 0, "relation", &piece) &&
		  piece.kind == XML_START;
	if (isThere && piece.end < size && text[piece.end] == '\n')
		piece.end++;
	g_bytes_unref(bytes);
	return isThere ? (int64_t)piece.end : 0;
}

/** Copy what is complete, and end it. */
static int repairRelations(struct recover *recover, const hdIRelationFile *file,
			   int64_t end, struct recovered *result)
{
	struct newFile new;
	int ret;

	result->bytesLost = file->fileSize - end;
	result->recordsLost = result->bytesLost > 0 ? -1 : 0;
	if (end == 0) {
		result->action = "left out";
		return 0;
	}
	result->action = "repaired";
	ret = recoverStartCopy(recover, file->file, &new);
	if (ret < 0)
		return ret;
	ret = recoverCopyBytes(file->file, end, &new);
	fputs("</relation>", new.file);
	return recoverEndCopy(recover, file->file, &new, ret);
}

static int recoverRelations(struct recover *recover,
			    const hdIRelationFile *file,
			    struct recovered *result)
{
	hdIRelationReader *reader = hdI_openRelations(recover->project, file);
	const hdIRelationRecord *record;
	int64_t end;

	if (!reader && errno != EBADMSG)
		return recoverFail(recover, file->file, -errno);
	end = tagEnd(file->file);
	while (reader && hdI_readRelationRecord(reader, &record) == 1) {
		end = MAX(end, record->endOffset);
		toolProgressAt(recover->tool, record->offset);
	}
	hdI_closeRelations(reader);
	if (recoverIsBroken(recover, file->file, relationRules))
		return repairRelations(recover, file, end, result);
	return recoverCopyFile(recover, file->file, result);
}

/* ---- Text files -------------------------------------------------------- */

static int recoverProject(struct recover *recover, const char *file,
			  struct recovered *result)
{
	struct newFile new;
	char *text;
	size_t size;
	int ret;

	if (!recoverIsBroken(recover, file, projectRules))
		return recoverCopyFile(recover, file, result);
	ret = contentText(file, &text, &size);
	if (ret < 0)
		return recoverFail(recover, file, ret);
	result->action = "repaired";
	ret = recoverStartCopy(recover, file, &new);
	if (ret == 0) {
		ret = recoverWriteProject(recover, text, size, &new, result);
		ret = recoverEndCopy(recover, file, &new, ret);
	}
	g_free(text);
	return ret;
}

static int recoverInfo(struct recover *recover, const char *file,
		       struct recovered *result)
{
	struct newFile new;
	char *text;
	size_t size;
	int ret;

	ret = contentText(file, &text, &size);
	if (ret < 0)
		return recoverFail(recover, file, ret);
	g_ptr_array_unref(infoParse(recover->tool, file, text, size));
	if (!recoverIsBroken(recover, file, infoRules)) {
		ret = recoverCopyFile(recover, file, result);
	} else {
		result->action = "repaired";
		ret = recoverStartCopy(recover, file, &new);
		if (ret == 0) {
			ret = recoverWriteInfo(recover, file, text, size, &new,
					       result);
			ret = recoverEndCopy(recover, file, &new, ret);
		}
	}
	g_free(text);
	return ret;
}

/* ---- The command ------------------------------------------------------- */

/** The .info file of a node, if it has one. */
static void recoverBeside(struct recover *recover, struct report *report,
			  const hdINode *node)
{
	const hdIProject *project = recover->project;
	struct recovered result = { .action = NULL };
	char *file = g_strdup_printf("%s%s%s.info", project->prefix,
				     *node->path ? "_" : "", node->path);

	hdIFile *found = hdI_openFile(file, NULL, NULL);

	if ((found || g_file_test(file, G_FILE_TEST_EXISTS)) &&
	    recoverInfo(recover, file, &result) == 0)
		reportFile(recover, report, file, &result);
	hdI_closeFile(found);
	g_free(file);
}

static void recoverAll(struct recover *recover, struct report *report)
{
	const hdIProject *project = recover->project;
	bool isProject = g_str_has_suffix(project->file, ".proj");
	int64_t total = 0;

	for (size_t i = 0; i < project->groupCount; i++)
		total += project->groups[i]->fileSize;
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	for (size_t i = 0; i < project->relationCount; i++)
		total += project->relations[i]->fileSize;
	toolProgressStart(recover->tool, total);
	if (isProject) {
		struct recovered result = { .action = NULL };

		if (recoverProject(recover, project->file, &result) == 0)
			reportFile(recover, report, project->file, &result);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		struct recovered result = { .action = NULL };

		if (recoverGroup(recover, group, &result) == 0)
			reportFile(recover, report, group->file, &result);
		toolProgressFile(recover->tool, group->fileSize);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdITraceFile *trace = project->traces[i];
		struct recovered result = { .action = NULL };

		if (recoverTrace(recover, trace, &result) == 0)
			reportFile(recover, report, trace->file, &result);
		toolProgressFile(recover->tool, trace->fileSize);
	}
	for (size_t i = 0; i < project->relationCount; i++) {
		const hdIRelationFile *file = project->relations[i];
		struct recovered result = { .action = NULL };

		if (recoverRelations(recover, file, &result) == 0)
			reportFile(recover, report, file->file, &result);
		toolProgressFile(recover->tool, file->fileSize);
	}
	for (size_t i = 0; isProject && i < project->nodeCount; i++)
		recoverBeside(recover, report, project->nodes[i]);
}

/** Where the copies go if --output does not say. */
static char *defaultDirectory(const char *path)
{
	char *copy = g_strdup(path);
	char *directory;

	while (strlen(copy) > 1 && g_str_has_suffix(copy, "/"))
		copy[strlen(copy) - 1] = '\0';
	if (hdFrameIsCompressed(copy))
		*strrchr(copy, '.') = '\0';
	if (g_str_has_suffix(copy, ".proj") || g_str_has_suffix(copy, ".stat"))
		copy[strlen(copy) - 5] = '\0';
	else if (g_str_has_suffix(copy, ".trc") ||
		 g_str_has_suffix(copy, ".rel") ||
		 g_str_has_suffix(copy, HD_ZIP_SUFFIX))
		copy[strlen(copy) - 4] = '\0';
	else if (g_str_has_suffix(copy, ".info"))
		copy[strlen(copy) - 5] = '\0';
	directory = g_strdup_printf("%s-recovered", copy);
	g_free(copy);
	return directory;
}

static bool recoverMakeDirectory(struct recover *recover, bool mayExist)
{
	if (mkdir(recover->directory, 0777) == 0 ||
	    (errno == EEXIST && mayExist))
		return true;
	toolErrorCreate(recover->tool, recover->directory, errno);
	return false;
}

/** Recover a project, or a single file. */
static void recoverPath(struct recover *recover, struct report *report,
			const char *path)
{
	hdIProject *project;

	if (g_str_has_suffix(path, ".info")) {
		struct recovered result = { .action = NULL };

		if (recoverInfo(recover, path, &result) == 0)
			reportFile(recover, report, path, &result);
		return;
	}
	project = toolOpen(recover->tool, path);
	if (!project)
		return;
	recover->project = project;
	recover->hasStart = projectStartFind(project, &diagnosticsDropped,
					     &recover->projectStart) == 1;
	recoverAll(recover, report);
	hdI_closeProject(project);
}

static void freeRules(void *rules)
{
	g_string_free(rules, TRUE);
}

static const struct toolHelp help = {
	.arguments = "PROJECT|FILE...",
	.description = "Write repaired copies of damaged files. Incomplete "
		       "records at the end are removed, open XML\nelements are "
		       "closed, and missing starts are completed. Undamaged "
		       "files are copied; the\noriginals stay unchanged.",
	.examples = "  hdtrace recover run1.proj\n"
		    "  hdtrace recover -o repaired run1_node06_0.trc\n",
	.minArguments = 1,
	.maxArguments = -1,
};

static int recoverRunOn(struct tool *tool, const char *output, char **paths,
			int count)
{
	struct recover recover = { .tool = tool };
	struct report report = { .rows = NULL };
	char *directory =
		output ? g_strdup(output) : defaultDirectory(paths[0]);

	tool->take = recoverAddMessage;
	tool->takeData = &recover;
	recover.directory = directory;
	if (recoverMakeDirectory(&recover, output != NULL)) {
		recover.broken = g_hash_table_new_full(g_str_hash, g_str_equal,
						       g_free, freeRules);
		reportStart(&recover, &report);
		for (int i = 0; i < count; i++)
			recoverPath(&recover, &report, paths[i]);
		reportEnd(&recover, &report);
		g_hash_table_destroy(recover.broken);
		/* Gone if nothing could be copied. */
		rmdir(directory);
	}
	g_free(directory);
	return toolFinish(tool);
}

int recoverRun(struct tool *tool, int argc, char **argv)
{
	char *output = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Directory for the copies (default: PREFIX-recovered)",
		  "DIRECTORY" },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0 && !output && argc > 2)
		status = toolUsage(tool, "several files require --output");
	if (status < 0)
		status = recoverRunOn(tool, output, argv + 1, argc - 1);
	g_free(output);
	return status;
}
