/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: corrects the times of files, and --time-adjust adds to their
 * time adjustment.
 *
 * A new file takes the place of the old one when it is complete. Its header
 * says that its times were corrected.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/newfile.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/duration.h"
#include "common/format/frame.h"
#include "common/format/seconds.h"
#include "common/format/statheader.h"

/** The beginning of a file. */
struct head {
	const char *bytes;
	size_t size;
	GBytes *held;
};

/** Where something stands in the beginning of a file. */
struct place {
	size_t start;
	size_t end;
};

static int headOpen(struct head *head, const char *path)
{
	int ret = contentGet(path, MERGE_HEAD_SIZE, &head->held);

	if (ret < 0)
		return ret;
	head->bytes = g_bytes_get_data(head->held, &head->size);
	head->size = MIN(head->size, MERGE_HEAD_SIZE);
	return 0;
}

static void headClose(struct head *head)
{
	g_bytes_unref(head->held);
}

static char *formatStat(int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	return g_strdup_printf("%s%010" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
			       size / HD_NS_PER_S, size % HD_NS_PER_S);
}

/** Whole seconds if they are whole. */
static char *formatTrace(int64_t ns)
{
	char buffer[OUT_NUMBER_SIZE];
	size_t end;

	outSeconds(buffer, ns);
	for (end = strlen(buffer); buffer[end - 1] == '0'; end--)
		;
	if (buffer[end - 1] == '.')
		end--;
	return g_strndup(buffer, end);
}

/** What the head of a file says, and what the new one does. */
struct adjustment {
	int64_t before;
	int64_t corrected; /**< By the clock, but for what is added. */
	int64_t after;     /**< By both. */
};

/** Whether times of relations have to be written anew, not only the header:
 *  that has whole seconds. */
static bool rewrites(enum mergeKind kind, const struct mergeChange *change)
{
	return change->clock ||
	       (kind == MERGE_RELATIONS && change->add % HD_NS_PER_S != 0);
}

/** Compute the new time adjustment; of a trace that is a whole second. */
static bool computeAdjustment(enum mergeKind kind,
			      const struct mergeChange *change,
			      struct adjustment *adjustment, int64_t *after)
{
	adjustment->corrected = adjustment->before;
	if (kind != MERGE_STAT && change->clock && adjustment->before) {
		adjustment->corrected =
			mergeCorrect(change->clock, adjustment->before);
		adjustment->corrected -= adjustment->corrected % HD_NS_PER_S;
	}
	if (__builtin_add_overflow(adjustment->corrected, change->add, after))
		return false;
	if (kind == MERGE_RELATIONS && *after % HD_NS_PER_S != 0)
		*after -= (*after % HD_NS_PER_S + HD_NS_PER_S) % HD_NS_PER_S;
	adjustment->after = *after;
	return true;
}

/** Replace the levels that the head of a trace, or of relations, names. */
static void putLevels(GString *out, const char *levels)
{
	struct xmlPiece tag;
	size_t start, end;
	GString *text;

	if (!xmlFindTag(out->str, out->len, 0, NULL, &tag) ||
	    !xmlFindAttribute(out->str, &tag, "levels", &start, &end))
		return;
	text = g_string_new(NULL);
	xmlAppend(text, levels);
	g_string_erase(out, (gssize)start, (gssize)(end - start));
	g_string_insert(out, (gssize)start, text->str);
	g_string_free(text, TRUE);
}

/** Replace the base of the clock that the head names. */
static void putBase(GString *out, bool isStat, int64_t base)
{
	char text[OUT_NUMBER_SIZE];
	struct xmlPiece tag;
	size_t start, end;

	if (!xmlFindTag(out->str, out->len, 0, isStat ? "Group" : NULL, &tag) ||
	    !xmlFindAttribute(out->str, &tag, "clockBase", &start, &end))
		return;
	g_string_erase(out, (gssize)start, (gssize)(end - start));
	g_string_insert(out, (gssize)start, outSeconds(text, base));
}

/** Replace the labels that the head of statistics names. */
static bool putLabels(GString *out, char *const *labels)
{
	size_t depth = g_strv_length((char **)labels);
	GString *text = g_string_new("<TopologyNode>\n");
	struct xmlPiece tag, end;
	bool isThere = xmlFindTag(out->str, out->len, 0, "TopologyNode", &tag);

	for (size_t i = 0; i < depth; i++) {
		g_string_append_printf(text, "%*s<Label value=\"",
				       (int)(2 * i + 2), "");
		xmlAppend(text, labels[i]);
		g_string_append(text, i + 1 < depth ? "\">\n" : "\" />\n");
	}
	for (size_t i = depth; i-- > 1;)
		g_string_append_printf(text, "%*s</Label>\n", (int)(2 * i), "");
	g_string_append(text, "</TopologyNode>");
	end = tag;
	while (isThere && tag.kind == XML_START &&
	       !(end.kind == XML_END &&
		 xmlHasName(out->str, &end, "TopologyNode")))
		isThere = xmlNext(out->str, out->len, end.end, &end);
	if (isThere) {
		g_string_erase(out, (gssize)tag.start,
			       (gssize)(end.end - tag.start));
		g_string_insert(out, (gssize)tag.start, text->str);
	}
	g_string_free(text, TRUE);
	return isThere;
}

static const char noHeader[] = "no header with a timeAdjustment";

/**
 * Make the new beginning of a file, up to and with the tag that has the
 * adjustment.
 *
 * @param[out] out The new beginning.
 * @param[out] rest Where the old beginning ends.
 *
 * @return NULL, or why that cannot be done.
 */
static const char *makeHead(const struct head *head, enum mergeKind kind,
			    const struct mergeChange *change, GString *out,
			    size_t *rest, struct adjustment *adjustment)
{
	bool isStat = kind == MERGE_STAT;
	struct xmlPiece tag;
	struct place value;
	size_t start = 0;
	int64_t sum;
	char *text;
	bool hasValue;
	bool isGood = true;
	bool isCorrected = change->clock || change->isCorrected;

	if (isStat) {
		const char *newline = memchr(head->bytes, '\n', head->size);

		if (!newline)
			return noHeader;
		start = (size_t)(newline + 1 - head->bytes);
	}
	if (!xmlFindTag(head->bytes, head->size, start, isStat ? "Group" : NULL,
			&tag))
		return noHeader;
	if (isCorrected && xmlFindAttribute(head->bytes, &tag, "clock",
					    &value.start, &value.end))
		return noHeader;
	adjustment->before = 0;
	hasValue = xmlFindAttribute(head->bytes, &tag, "timeAdjustment",
				    &value.start, &value.end);
	if (hasValue) {
		text = g_strndup(head->bytes + value.start,
				 value.end - value.start);
		isGood = hdAdjustmentParse(text, &adjustment->before) == 0;
		g_free(text);
	}
	if (!isGood || !computeAdjustment(kind, change, adjustment, &sum))
		return noHeader;
	text = isStat ? formatStat(sum) : formatTrace(sum);
	g_string_append_len(out, head->bytes + start,
			    (gssize)(tag.name + tag.nameLength - start));
	if (isCorrected)
		g_string_append(out, " clock=\"corrected\"");
	if (!hasValue) {
		value.start = value.end = tag.name + tag.nameLength;
		g_string_append_printf(out, " timeAdjustment=\"%s\"", text);
	} else {
		size_t name = tag.name + tag.nameLength;

		g_string_append_len(out, head->bytes + name,
				    (gssize)(value.start - name));
		g_string_append(out, text);
	}
	g_string_append_len(out, head->bytes + value.end,
			    (gssize)(tag.end - value.end));
	g_free(text);
	*rest = tag.end;
	if (change->base)
		putBase(out, isStat, *change->base);
	if (change->levels && !isStat)
		putLevels(out, change->levels);
	if (change->labels && isStat && !putLabels(out, change->labels))
		return "no TopologyNode in the header";
	if (isStat) {
		/* The length grows by as much as the tag did. */
		gint64 length = g_ascii_strtoll(head->bytes, NULL, 10);
		char number[32];

		length += (gint64)out->len - (gint64)(tag.end - start);
		if (length >= HD_STAT_HEADER_MAX)
			return "the header would become too long";
		g_snprintf(number, sizeof(number), "%0*" PRId64 "\n",
			   (int)MIN(start - 1, 18), length);
		g_string_prepend(out, number);
	}
	return NULL;
}

/** Write what follows the head of a file, with corrected times; 0, or -EBADMSG,
 *  which was said. */
static int writeCorrected(struct merge *merge, const struct mergeFile *file,
			  const struct mergeChange *change, size_t rest,
			  const struct adjustment *adjustment, FILE *out)
{
	GBytes *bytes;
	hdIProject *project;
	const char *text;
	size_t size;
	int ret = contentGet(file->path, -1, &bytes);

	if (ret < 0) {
		toolError(merge->tool, CLI_TEXT_READ, file->path,
			  plainFileError(ret));
		return -EBADMSG;
	}
	text = g_bytes_get_data(bytes, &size);
	if (file->kind == MERGE_RELATIONS) {
		mergeCorrectRelations(merge->tool, change->clock, change->add,
				      text + rest, size - rest,
				      adjustment->before, adjustment->after,
				      out);
		g_bytes_unref(bytes);
		return 0;
	}
	if (file->kind == MERGE_TRACE) {
		mergeCorrectTrace(merge->tool, change->clock, text + rest,
				  size - rest, adjustment->before,
				  adjustment->corrected, out);
		g_bytes_unref(bytes);
		return 0;
	}
	/* Its problems were reported when it was found. */
	project = hdI_openProject(file->path, NULL, NULL);
	if (project && project->groupCount == 1 &&
	    project->groups[0]->isReadable) {
		const hdIGroup *group = project->groups[0];
		size_t data = (size_t)group->dataOffset;

		fwrite(text + rest, 1, data - rest, out);
		mergeCorrectStat(merge->tool, change->clock, group, text + data,
				 size - data, group->timeAdjustment, out);
	} else {
		toolError(merge->tool, "%s: cannot correct times", file->path);
	}
	hdI_closeProject(project);
	g_bytes_unref(bytes);
	return merge->tool->hasFailed ? -EBADMSG : 0;
}

/** Write a compressed file with its new head and corrected times; as
 *  writeChanged(). */
static int adjustRecompress(struct merge *merge, const struct mergeFile *file,
			    const struct mergeChange *change,
			    const GString *head, size_t rest,
			    const struct adjustment *adjustment,
			    struct newFile *new)
{
	FILE *plain = tmpfile();
	int ret;

	if (!plain)
		return -errno;
	fwrite(head->str, 1, head->len, plain);
	ret = writeCorrected(merge, file, change, rest, adjustment, plain);
	if (ret == 0)
		ret = mergeRecompress(file, plain,
				      (int64_t)head->len - (int64_t)rest,
				      new->file);
	fclose(plain);
	return ret;
}

/** Write a file with its new head; 0 or a negative errno, of which -EBADMSG was
 *  said. */
static int writeChanged(struct merge *merge, const struct mergeFile *file,
			const struct mergeChange *change, const GString *head,
			size_t rest, const struct adjustment *adjustment,
			struct newFile *new)
{
	bool isCompressed = hdFrameIsCompressed(file->path);
	off_t size;
	int fd, ret;

	if (rewrites(file->kind, change) && isCompressed)
		return adjustRecompress(merge, file, change, head, rest,
					adjustment, new);
	if (isCompressed)
		return contentReplaceHead(file->path, head, (int64_t)rest, new);
	fwrite(head->str, 1, head->len, new->file);
	if (rewrites(file->kind, change))
		return writeCorrected(merge, file, change, rest, adjustment,
				      new->file);
	fd = plainFileOpen(file->path, &size);
	if (fd < 0)
		return fd;
	ret = newFileCopy(new, fd, (off_t)rest, size - (off_t)rest,
			  mergeShowCopied, merge->tool);
	close(fd);
	return ret;
}

int mergePrepare(struct merge *merge, const struct mergeFile *file,
		 const struct mergeChange *change, struct newFile *new)
{
	const char *path = change->path ? change->path : file->path;
	GString *out = g_string_new(NULL);
	struct adjustment adjustment;
	struct head head;
	const char *wrong;
	size_t rest;
	int ret = headOpen(&head, file->path);

	if (ret < 0) {
		g_string_free(out, TRUE);
		toolError(merge->tool, CLI_TEXT_READ, file->path,
			  plainFileError(ret));
		return TOOL_FAILED;
	}
	wrong = makeHead(&head, file->kind, change, out, &rest, &adjustment);
	if (wrong) {
		toolError(merge->tool, "%s: %s", file->path, wrong);
		ret = -EBADMSG;
	} else {
		ret = newFileStart(new, path);
		if (ret == 0) {
			ret = writeChanged(merge, file, change, out, rest,
					   &adjustment, new);
			if (ret < 0)
				newFileAbort(new);
		}
		if (ret < 0 && ret != -EBADMSG)
			toolError(merge->tool, CLI_TEXT_WRITE, path,
				  plainFileError(ret));
	}
	headClose(&head);
	g_string_free(out, TRUE);
	return ret < 0 ? TOOL_FAILED : -1;
}

int mergeClose(struct tool *tool, const char *path, struct newFile *new)
{
	int ret = newFileClose(new);

	if (ret < 0)
		toolErrorWrite(tool, path, ret);
	return ret < 0 ? TOOL_FAILED : -1;
}

/* ---- Which files by how much ------------------------------------------- */

static bool nodeExists(const struct mergeNode *node, const char *path)
{
	if (strcmp(node->path, path) == 0)
		return true;
	for (guint i = 0; i < node->children->len; i++) {
		if (nodeExists(node->children->pdata[i], path))
			return true;
	}
	return false;
}

/** Parse "NODE=SECONDS". */
bool mergeParseShift(const char *text, int64_t *ns)
{
	return hdSecondsParse(text, ns) == 0 ||
	       hdDurationParse(text, 0, ns, NULL) == 0;
}

static bool parseOption(const char *option, char **node, int64_t *ns)
{
	const char *equals = strrchr(option, '=');

	if (!equals || !mergeParseShift(equals + 1, ns))
		return false;
	*node = g_strndup(option, (size_t)(equals - option));
	return true;
}

static bool adjustIsBelow(const struct mergeNode *node, const char *path)
{
	for (; node; node = node->parent) {
		if (strcmp(node->path, path) == 0)
			return true;
	}
	return false;
}

static int64_t adjustAdjustmentOf(const struct mergeFile *file,
				  char **adjustments)
{
	int64_t sum = 0;

	for (size_t i = 0; adjustments && adjustments[i]; i++) {
		int64_t ns = 0;
		char *node = NULL;

		if (parseOption(adjustments[i], &node, &ns) &&
		    adjustIsBelow(file->node, node))
			sum += ns;
		g_free(node);
	}
	return sum;
}

int mergeCheckAdjust(struct merge *merge, char **adjustments)
{
	for (size_t i = 0; adjustments && adjustments[i]; i++) {
		char *node;
		int64_t ns;
		bool exists;

		if (!parseOption(adjustments[i], &node, &ns))
			return toolUsage(merge->tool,
					 "--time-adjust: invalid value \"%s\"; "
					 "expected NODE=DURATION, such as "
					 "node07=-250ms",
					 adjustments[i]);
		exists = nodeExists(merge->root, node);
		if (!exists)
			toolError(merge->tool,
				  "--time-adjust: unknown node \"%s\"", node);
		g_free(node);
		if (!exists)
			return TOOL_FAILED;
	}
	return -1;
}

/** Whether a clock is always the same time apart, and how much. */
static bool adjustIsConstant(const struct mergeClock *clock, int64_t *offset)
{
	const struct hdClockPoint *points =
		(const struct hdClockPoint *)(const void *)clock->points->data;

	for (guint i = 1; i < clock->points->len; i++) {
		if (points[i].offset != points[0].offset)
			return false;
	}
	*offset = clock->points->len ? points[0].offset : 0;
	return true;
}

/** Correct the times of a compressed file by its header only, if that is
 *  enough. */
static void adjustUseHeader(const struct mergeFile *file,
			    struct mergeChange *change)
{
	int64_t offset, add;

	if (!change->clock || !hdFrameIsCompressed(file->path) ||
	    !adjustIsConstant(change->clock, &offset) ||
	    __builtin_add_overflow(change->add, offset, &add) ||
	    (file->kind == MERGE_RELATIONS && add % HD_NS_PER_S != 0))
		return;
	change->add = add;
	change->clock = NULL;
	change->isCorrected = true;
}

/** What is to be done to a file; false: nothing. */
static bool changeOf(struct merge *merge, const struct mergeFile *file,
		     char **adjustments, struct mergeChange *change)
{
	*change = (struct mergeChange){
		.add = adjustAdjustmentOf(file, adjustments),
		.clock = mergeClockOf(merge, file),
		.base = file->shift ? &file->newBase : NULL,
	};
	/* Without a clock that has it in its points. */
	if (!change->clock)
		change->add += file->shift;
	adjustUseHeader(file, change);
	return file->kind != MERGE_INFO &&
	       (change->add || change->clock || change->isCorrected);
}

/** Bytes of all that is to be changed. */
static int64_t adjustSizeOf(struct merge *merge, char **adjustments)
{
	int64_t size = 0;

	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];
		struct mergeChange change;

		if (changeOf(merge, file, adjustments, &change))
			size += plainFileSize(file->path);
	}
	return size;
}

int mergeAdjust(struct merge *merge, char **adjustments)
{
	struct newFile *new = g_new0(struct newFile, merge->files->len);
	guint count = 0;
	int status = -1;

	toolProgressStart(merge->tool, adjustSizeOf(merge, adjustments));
	for (guint i = 0; status < 0 && i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];
		struct mergeChange change;

		if (!changeOf(merge, file, adjustments, &change))
			continue;
		status = mergePrepare(merge, file, &change, &new[count]);
		toolProgressFile(merge->tool, plainFileSize(file->path));
		if (status < 0)
			status = mergeClose(merge->tool, file->path,
					    &new[count]);
		if (status < 0)
			count++;
	}
	toolProgressEnd(merge->tool);
	for (guint i = 0; i < count; i++) {
		char *path = g_strdup(new[i].path);
		int ret = 0;

		if (status < 0)
			ret = newFileCommit(&new[i], true);
		else
			newFileAbort(&new[i]);
		if (ret < 0) {
			toolError(merge->tool,
				  "%s: cannot rename: %s; %u of %u files "
				  "were changed",
				  path, strerror(-ret), i, count);
			status = TOOL_FAILED;
		}
		g_free(path);
	}
	g_free(new);
	return status;
}
