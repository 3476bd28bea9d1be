/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report --html: a page with the viewer and the data of a project.
 *
 * All zooms of all tracks are made first. Then all tracks get the same number
 * of bytes, as many as there are: each begins with its finest zoom that fits,
 * and those that need less leave the rest to the others.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cli/newfile.h"
#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/model/projectstart.h"
#include "HDTraceTools/pages/meta.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/report/html.h"
#include "HDTraceTools/report/report.h"

/** Nothing becomes smaller than one of so many bytes of its file. */
#define SHRINK_MAX 20

/** A line of the page. */
struct line {
	struct track *track;
	size_t number; /**< Of its kind. */
	int64_t fileSize;
	bool isStored; /**< Whether the finest zooms may fit. */
	guint first;   /**< The finest zoom that is stored. */
	guint from;    /**< The finest zoom in the page. */
	int error;     /**< Negative errno of reading it. */
};

struct html {
	struct findings *findings;
	struct store *store;
	struct tracks *tracks;
	uint64_t maxSize;
	struct line *lines;
	guint count;
	gint isFailed; /**< Atomic. */
};

int htmlParseSize(const char *text, uint64_t *size)
{
	static const struct {
		const char *suffix;
		uint64_t scale;
	} suffixes[] = {
		{ "", 1 },           { "k", 1000 },        { "kB", 1000 },
		{ "K", 1000 },       { "M", 1000000 },     { "MB", 1000000 },
		{ "G", 1000000000 }, { "GB", 1000000000 },
	};
	char *end;
	double number = g_ascii_strtod(text, &end);

	for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		double bytes = number * (double)suffixes[i].scale;

		if (end == text || strcmp(end, suffixes[i].suffix) != 0 ||
		    !(bytes >= 1 && bytes < 1e15))
			continue;
		*size = (uint64_t)bytes;
		return 0;
	}
	return -EINVAL;
}

/* ---- Sizes ------------------------------------------------------------- */

static uint64_t asBase64(uint64_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

static guint lastZoom(const struct line *line)
{
	return line->track->zooms->len ? line->track->zooms->len - 1 : 0;
}

/** The finest zoom with which a line needs no more than so many bytes. */
static guint fit(const struct line *line, uint64_t bytes)
{
	guint from = line->first;

	while (from < lastZoom(line) &&
	       asBase64(trackSize(line->track, from)) > bytes)
		from++;
	return from;
}

static uint64_t totalIf(const struct html *self, uint64_t bytes)
{
	uint64_t total = 0;

	for (guint i = 0; i < self->count; i++)
		total += asBase64(trackSize(self->lines[i].track,
					    fit(&self->lines[i], bytes)));
	return total;
}

/** Choose the zooms: the largest share that all lines can have. */
static void chooseZooms(struct html *self, uint64_t bytes)
{
	uint64_t low = 0;
	uint64_t high = bytes;

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (totalIf(self, middle) <= bytes)
			low = middle;
		else
			high = middle - 1;
	}
	for (guint i = 0; i < self->count; i++)
		self->lines[i].from = fit(&self->lines[i], low);
}

/** Choose what is worth storing, by the sizes of the files. */
static void chooseStored(struct html *self)
{
	uint64_t low = 0;
	uint64_t high = self->maxSize;

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;
		uint64_t total = 0;

		for (guint i = 0; i < self->count; i++)
			total += MIN((uint64_t)self->lines[i].fileSize /
					     SHRINK_MAX,
				     middle);
		if (total <= self->maxSize)
			low = middle;
		else
			high = middle - 1;
	}
	for (guint i = 0; i < self->count; i++) {
		struct line *line = &self->lines[i];

		line->isStored = (uint64_t)line->fileSize / SHRINK_MAX <= low;
	}
}

/* ---- Reading ----------------------------------------------------------- */

static bool htmlIsWanted(int64_t offset, void *data)
{
	struct html *self = data;

	(void)offset;
	return !g_atomic_int_get(&self->isFailed);
}

static void readLine(struct tasks *tasks, void *data, size_t number)
{
	struct html *self = data;
	struct line *line = &self->lines[number];

	(void)tasks;
	if (line->track->kind == TRACK_STATISTICS) {
		line->error =
			tracksReadGroup(self->tracks, line->number,
					line->isStored, htmlIsWanted, self);
		line->first = line->isStored ? 0 : 1;
	} else if (line->track->kind == TRACK_TRACE) {
		line->error =
			tracksReadTrace(self->tracks, line->number,
					line->isStored, htmlIsWanted, self);
		line->first = line->isStored ? 0 : 2;
	}
	line->first = MIN(line->first, lastZoom(line));
	if (line->error < 0)
		g_atomic_int_set(&self->isFailed, 1);
}

static void htmlAddReadLine(void *data, size_t number)
{
	struct html *self = data;
	const struct line *line = &self->lines[number];
	const hdIProject *project = self->findings->project;
	const char *file = "temporary file";

	toolProgressFile(self->findings->tool, line->fileSize);
	if (line->error == 0 || line->error == -ECANCELED)
		return;
	if (line->track->kind == TRACK_STATISTICS)
		file = project->groups[line->number]->file;
	else if (line->track->kind == TRACK_TRACE)
		file = project->traces[line->number]->file;
	toolError(self->findings->tool, "%s: %s", file, strerror(-line->error));
}

static void htmlAddLine(struct html *self, struct track *track, size_t number,
			int64_t fileSize)
{
	self->lines[self->count++] = (struct line){
		.track = track,
		.number = number,
		.fileSize = fileSize,
	};
}

/** Lines of the waits of rows, of traces that have some. */
static void htmlAddWaits(struct html *self)
{
	for (size_t i = 0; i < self->findings->project->traceCount; i++) {
		struct track *track = &self->tracks->waits[i];

		if (track->zooms->len || track->isCut)
			htmlAddLine(self, track, i, 0);
	}
}

/** Read all tracks. */
static int htmlReadAll(struct html *self)
{
	struct tool *tool = self->findings->tool;
	int ret;

	toolProgressStart(tool, self->findings->size);
	tasksDo(self->count, readLine, htmlAddReadLine, self);
	toolProgressEnd(tool);
	if (self->isFailed)
		return -1;
	ret = tracksFinish(self->tracks);
	if (ret == 0)
		ret = tracksMakeCauses(self->tracks, self->findings);
	if (ret == 0)
		ret = tracksMakeWaits(self->tracks, NULL, NULL);
	htmlAddWaits(self);
	if (ret < 0)
		toolErrorTemporary(tool, ret);
	return ret < 0 ? -1 : 0;
}

/** Groups first, whose power traces need; of these and those the largest first,
 *  so that threads end together. */
static int compareLines(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	bool isGroup = x->track->kind == TRACK_STATISTICS;

	if (isGroup != (y->track->kind == TRACK_STATISTICS))
		return isGroup ? -1 : 1;
	return (x->fileSize < y->fileSize) - (x->fileSize > y->fileSize);
}

static void addLines(struct html *self)
{
	const hdIProject *project = self->findings->project;

	self->lines =
		g_new(struct line, project->groupCount + project->traceCount +
					   project->relationCount +
					   project->traceCount + 2);
	for (size_t i = 0; i < project->groupCount; i++)
		htmlAddLine(self, &self->tracks->groups[i], i,
			    project->groups[i]->fileSize);
	for (size_t i = 0; i < project->traceCount; i++)
		htmlAddLine(self, &self->tracks->traces[i], i,
			    project->traces[i]->fileSize);
	for (size_t i = 0; i < project->relationCount; i++)
		htmlAddLine(self, &self->tracks->relations[i], i, 0);
	htmlAddLine(self, &self->tracks->messages, 0, 0);
	htmlAddLine(self, &self->tracks->causes, 0, 0);
	qsort(self->lines, self->count, sizeof(*self->lines), compareLines);
}

/* ---- Writing ----------------------------------------------------------- */

/** All but the tracks. */
static char *makeMeta(const struct html *self, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	struct outJson json;
	int64_t start;
	bool hasStart = projectStartFind(self->findings->project,
					 &diagnosticsDropped, &start);

	if (!file)
		g_error("no memory");
	pageStartMeta(file);
	metaBegin(&json, file, self->findings, hasStart ? &start : NULL,
		  self->maxSize);
	reportPutJson(self->findings, &json, "report", NULL);
	metaEnd(&json);
	pageEndMeta(file);
	if (fclose(file) != 0)
		g_error("no memory");
	return text;
}

/** What is there besides the lines' data, which is chosen by the rest. */
static uint64_t descriptionSize(const struct html *self)
{
	GByteArray *bytes = g_byte_array_new();
	uint64_t size = 0;

	for (guint i = 0; i < self->count; i++) {
		trackDescribe(self->lines[i].track, self->lines[i].first, true,
			      bytes);
		size += asBase64(bytes->len) + 80;
	}
	g_byte_array_unref(bytes);
	return size + asBase64(trackSize(&self->tracks->overview, 0));
}

static int writePage(struct html *self, FILE *file, const char *meta,
		     size_t size)
{
	int ret = 0;

	pageStart(file, false);
	fwrite(meta, 1, size, file);
	for (guint i = 0; i < self->count && ret == 0; i++)
		ret = pagePutTrack(file, self->lines[i].track,
				   self->lines[i].number, self->lines[i].from);
	if (ret == 0)
		ret = pagePutTrack(file, &self->tracks->overview, 0, 0);
	pageEnd(file);
	return ret;
}

/** Choose zooms and write everything. */
static int htmlWriteAll(struct html *self, FILE *file)
{
	size_t size;
	char *meta = makeMeta(self, &size);
	uint64_t rest = size + pageSize() + descriptionSize(self);
	int ret;

	chooseZooms(self, self->maxSize > rest ? self->maxSize - rest : 0);
	ret = writePage(self, file, meta, size);
	free(meta);
	return ret;
}

/** Say what was written; what was left out stands in the page as well. */
static void sayResult(const struct html *self, const char *path, int64_t size)
{
	char buffer[OUT_NUMBER_SIZE];
	guint reduced = 0;
	guint rows = 0;

	for (guint i = 0; i < self->count; i++) {
		/* Waits are no row. */
		if (self->lines[i].track->kind == TRACK_CAUSES ||
		    self->lines[i].track->kind == TRACK_WAITS)
			continue;
		rows++;
		reduced += self->lines[i].from > 0;
	}
	outPrintable(path);
	printf(": %s", outSize(buffer, size));
	if (reduced)
		printf(", %u of %u rows in lower resolution", reduced, rows);
	else
		printf(", exact");
	putchar('\n');
	if ((uint64_t)size > self->maxSize && !self->findings->tool->isQuiet)
		fprintf(stderr,
			"hdtrace report: %s: larger than --max-size, but "
			"cannot be reduced further\n",
			path);
}

static int htmlWriteFile(struct html *self, const char *path, bool mayReplace)
{
	struct tool *tool = self->findings->tool;
	struct newFile file;
	int64_t size = 0;
	int ret = newFileStart(&file, path);

	if (ret == 0) {
		ret = htmlWriteAll(self, file.file);
		size = ftell(file.file);
		if (ret == 0)
			ret = newFileCommit(&file, mayReplace);
		else
			newFileAbort(&file);
	}
	if (ret == -EEXIST)
		toolErrorExists(tool, path);
	else if (ret < 0)
		toolErrorWrite(tool, path, ret);
	else
		sayResult(self, path, size);
	return ret < 0 ? -1 : 0;
}

int htmlWrite(struct findings *findings, const char *path, uint64_t maxSize,
	      bool mayReplace)
{
	struct html self = { .findings = findings, .maxSize = maxSize };
	int ret;

	self.store = storeNew();
	self.tracks = tracksNew(findings, self.store);
	addLines(&self);
	chooseStored(&self);
	ret = htmlReadAll(&self);
	/* What was found may miss something: the reason was printed. */
	if (findings->tool->hasTemporaryError)
		ret = -1;
	if (ret == 0 && strcmp(path, "-") == 0)
		ret = htmlWriteAll(&self, stdout);
	else if (ret == 0)
		ret = htmlWriteFile(&self, path, mayReplace);
	g_free(self.lines);
	tracksFree(self.tracks);
	storeFree(self.store);
	return ret;
}
