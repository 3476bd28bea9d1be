/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to csv, csv-wide and json.
 *
 * csv and json are what hdtrace dump writes: everything, in one file. csv-wide
 * is a table for each group and each trace.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/column.h"

/* ---- csv, json --------------------------------------------------------- */

/** What CSV takes as it is JSON must have as UTF-8. */
static void countBadStrings(struct export *export,
			    const struct exportGroup *group, size_t value)
{
	struct exportReader *reader = exportOpenStat(export, group);
	struct exportEntries entries;

	while (exportReadStat(reader, &entries)) {
		const hdIBytes *strings =
			exportColumn(group, entries.block, value)->string;

		for (size_t i = entries.first; i < entries.last; i++)
			exportLose(export,
				   "strings that are not UTF-8, byte by byte",
				   !g_utf8_validate(strings[i].bytes,
						    (gssize)strings[i].length,
						    NULL));
	}
	exportCloseStat(reader);
}

/** Write what hdtrace dump prints. */
static int dumpTo(struct export *export, enum outFormat format)
{
	enum outFormat own = export->tool->format;
	const struct selection *selection = &export->selection;
	struct dump dump = {
		.tool = export->tool,
		.project = export->project,
		.selection = *selection,
	};
	const struct dumpParts parts = {
		.project = export->hasStats && export->hasTraces &&
			   !selection->nodes && !selection->groups &&
			   !selection->values && !selection->from &&
			   !selection->to,
		.stats = export->hasStats,
		.traces = export->hasTraces,
	};
	struct newFile file;

	if (exportStartFile(export, &file, NULL) < 0)
		return -1;
	dump.file = file.file;
	if (export->window.length)
		dump.windows = exportWindowSource(export, NULL);
	export->tool->format = format;
	dumpAll(&dump, &parts);
	export->tool->format = own;
	export->entries = dump.entries;
	export->states = dump.states;
	export->events = dump.events;
	exportLoseMerged(export, dump.merged, dump.rounded);
	/* Lines of a temporary file are missing, which was printed. A trace
	 * that cannot be read leaves out its own lines only. */
	return exportEndFile(export, &file, export->tool->hasTemporaryError);
}

static int writeLong(struct export *export)
{
	return dumpTo(export, OUT_CSV);
}

static int writeJson(struct export *export)
{
	for (guint i = 0; i < export->groups->len; i++) {
		const struct exportGroup *group = export->groups->pdata[i];

		for (size_t k = 0; k < group->valueCount; k++) {
			if (group->values[k]->type == HDI_STRING)
				countBadStrings(export, group, k);
		}
	}
	return dumpTo(export, OUT_JSON);
}

const struct exportFormat exportCsvLong = {
	.name = "csv",
	.suffix = ".csv",
	.keepsDetails = true,
	.write = writeLong,
};

const struct exportFormat exportJson = {
	.name = "json",
	.suffix = ".json",
	.keepsDetails = true,
	.write = writeJson,
};

/* ---- csv-wide ---------------------------------------------------------- */

static void putTitle(struct outCsv *csv, const struct exportGroup *group)
{
	outCsvPlain(csv, "start,end,gap");
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = group->values[i];
		char *title = *value->unit
				      ? g_strdup_printf("%s [%s]", value->name,
							value->unit)
				      : g_strdup(value->name);

		outCsvText(csv, title);
		g_free(title);
	}
	outCsvEnd(csv);
}

static void csvPutEntry(struct outCsv *csv, const struct exportGroup *group,
			const hdIBlock *block, size_t entry)
{
	const struct dump plain = { .isHex = FALSE };
	char buffer[OUT_NUMBER_SIZE];

	outCsvPlain(csv, outSeconds(buffer, block->start[entry]));
	outCsvPlain(csv, outSeconds(buffer, block->end[entry]));
	outCsvPlain(csv, block->isAfterGap[entry] ? "1" : "0");
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIColumn *column = exportColumn(group, block, i);
		const hdIValue *value = group->values[i];

		if (value->type == HDI_STRING)
			outCsvBytes(csv, column->string[entry].bytes,
				    column->string[entry].length);
		else if (isnan(columnNumber(value, column, entry)))
			outCsvPlain(csv, "");
		else
			outCsvPlain(csv, dumpFormatNumber(&plain, buffer, value,
							  column, entry, true));
	}
	outCsvEnd(csv);
}

/** The name of a file without its directory, with another ending. */
static char *csvName(const char *path)
{
	char *base = exportBaseName(path);
	char *name = g_strconcat(base, ".csv", NULL);

	g_free(base);
	return name;
}

/** A table that is written in any thread. */
struct csvPart {
	struct export *export;
	struct newFile file; /**< Complete but for its name. */
	bool isThere;        /**< Whether there is one. */
	int error;           /**< -1: it was said. */
};

static int csvWriteGroup(struct csvPart *part, const struct exportGroup *group)
{
	struct export *export = part->export;
	struct exportReader *reader = exportOpenStat(export, group);
	char *name = csvName(group->group->file);
	struct exportEntries entries;
	int ret = 0;

	for (size_t i = 0; i < group->valueCount; i++)
		exportLoseValue(export, group->values[i]);
	part->isThere = reader;
	if (reader)
		ret = exportStartFile(export, &part->file, name);
	if (reader && ret == 0) {
		struct outCsv csv = { .file = part->file.file };

		putTitle(&csv, group);
		while (exportReadStat(reader, &entries)) {
			for (size_t i = entries.first; i < entries.last; i++)
				csvPutEntry(&csv, group, entries.block, i);
		}
		ret = exportCloseFile(export, &part->file, false);
	}
	g_free(name);
	exportCloseStat(reader);
	return ret;
}

/** Attributes and elements as text: "a=1 b=2 Data(offset=0 size=8)". */
static void appendDetails(GString *text, const hdIAttribute *attributes,
			  size_t attributeCount, const hdIElement *elements,
			  size_t elementCount)
{
	const char *between = "";

	for (size_t i = 0; i < attributeCount; i++) {
		g_string_append_printf(text, "%s%s=%s", between,
				       attributes[i].name, attributes[i].value);
		between = " ";
	}
	for (size_t i = 0; i < elementCount; i++) {
		const hdIElement *element = &elements[i];

		g_string_append_printf(text, "%s%s(", between, element->name);
		appendDetails(text, element->attributes,
			      element->attributeCount, element->children,
			      element->childCount);
		g_string_append_c(text, ')');
		between = " ";
	}
}

static int csvWriteTrace(struct csvPart *part, const hdITraceFile *trace)
{
	struct export *export = part->export;
	struct ordered *ordered = exportOpenTrace(export, trace);
	char *name = csvName(trace->file);
	GString *details = g_string_new(NULL);
	struct orderedStep step;
	struct outCsv csv = { .file = NULL };
	bool isOpen =
		ordered && exportStartFile(export, &part->file, name) == 0;
	int ret = ordered && !isOpen ? -1 : 0;
	int got = 0;

	part->isThere = ordered;
	if (isOpen) {
		csv.file = part->file.file;
		outCsvLine(&csv, "kind,name,nesting,start,end,attributes");
	}
	while (isOpen &&
	       (got = exportReadTrace(export, ordered, trace, &step)) == 1) {
		const hdIRecord *record = step.record;
		char buffer[OUT_NUMBER_SIZE];

		if (step.kind == ORDERED_LEAVE)
			continue;
		outCsvPlain(&csv,
			    step.kind == ORDERED_EVENT ? "event" : "state");
		outCsvText(&csv, record->name);
		outCsvPlain(&csv, outInteger(buffer, record->depth));
		outCsvPlain(&csv, outSeconds(buffer, record->start));
		outCsvPlain(&csv, outSeconds(buffer, record->end));
		g_string_truncate(details, 0);
		appendDetails(details, record->attributes,
			      record->attributeCount, record->elements,
			      record->elementCount);
		outCsvBytes(&csv, details->str, details->len);
		outCsvEnd(&csv);
		exportLose(export, "texts in states",
			   record->text && *record->text);
	}
	if (isOpen)
		ret = exportCloseFile(export, &part->file, got < 0);
	orderedClose(ordered);
	g_string_free(details, TRUE);
	g_free(name);
	return ret;
}

/** All tables. */
struct csvWide {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
	int error;
};

static void csvRunPart(struct part *part, size_t number, void *data)
{
	const struct csvWide *self = data;
	const struct exportGroup *group = exportGroupAt(self->export, number);
	struct csvPart *own = g_new0(struct csvPart, 1);

	part->result = own;
	own->export = exportStartPart(self->begun, part);
	own->error =
		group ? csvWriteGroup(own, group)
		      : csvWriteTrace(own, exportTraceAt(self->export, number));
}

static bool csvAddPart(struct part *part, size_t number, void *data)
{
	struct csvWide *self = data;
	struct csvPart *own = part->result;
	int ret = 0;

	if (!own)
		return false;
	if (!part->isDropped)
		ret = own->error;
	exportEndPart(self->export, own->export);
	if (!part->isDropped && own->isThere && ret == 0)
		ret = exportEndFile(self->export, &own->file, false);
	else
		newFileAbort(&own->file);
	exportFileDone(self->export, number);
	g_free(own);
	if (ret < 0)
		self->error = ret;
	return ret == 0;
}

static int writeWide(struct export *export)
{
	const hdIProject *project = export->project;
	struct csvWide self = { .export = export };
	struct export begun;
	const struct partsWork work = {
		.tool = export->tool,
		.count = exportFileCount(export),
		.run = csvRunPart,
		.take = csvAddPart,
		.data = &self,
	};

	exportLoseProject(export);
	exportLose(export, "communicators", project->communicatorCount);
	begun = *export;
	self.begun = &begun;
	partsDo(&work);
	return self.error;
}

const struct exportFormat exportCsvWide = {
	.name = "csv-wide",
	.suffix = ".csv.d",
	.isDirectory = true,
	.keepsDetails = true,
	.write = writeWide,
};
