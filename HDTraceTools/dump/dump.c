/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump: prints everything that a project holds.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/dump/dump.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/extent.h"
#include "common/hex.h"

const char *dumpFormatTime(const struct dump *dump, char *buffer, int64_t ns)
{
	switch (dump->time) {
	case DUMP_EPOCH:
		break;
	case DUMP_RELATIVE:
		return outSeconds(buffer, ns - dump->selection.projectStart);
	case DUMP_DATE:
		return outDate(buffer, ns, 9);
	}
	return outSeconds(buffer, ns);
}

static const char *formatBits(char *buffer, hdIType type,
			      const hdIColumn *column, size_t entry)
{
	uint32_t bits32 = 0;
	uint64_t bits64 = 0;

	switch (type) {
	case HDI_INT32:
		bits32 = (uint32_t)column->int32[entry];
		break;
	case HDI_FLOAT:
		memcpy(&bits32, &column->float32[entry], sizeof(bits32));
		break;
	case HDI_INT64:
		bits64 = (uint64_t)column->int64[entry];
		break;
	case HDI_UINT64:
		bits64 = column->uint64[entry];
		break;
	case HDI_DOUBLE:
		memcpy(&bits64, &column->float64[entry], sizeof(bits64));
		break;
	case HDI_STRING:
		break;
	}
	if (type == HDI_INT32 || type == HDI_FLOAT)
		snprintf(buffer, OUT_NUMBER_SIZE, "%08" PRIx32, bits32);
	else
		snprintf(buffer, OUT_NUMBER_SIZE, "%016" PRIx64, bits64);
	return buffer;
}

const char *dumpFormatValue(char *buffer, const hdIValue *value,
			    const hdIColumn *column, size_t entry, bool isWide)
{
	if (columnIsMissing(value, column, entry))
		return strcpy(buffer, "NaN");
	switch (value->type) {
	case HDI_INT32:
		return outInteger(buffer, column->int32[entry]);
	case HDI_INT64:
		return outInteger(buffer, column->int64[entry]);
	case HDI_UINT64:
		return outInteger(buffer, column->uint64[entry]);
	case HDI_FLOAT:
		if (!isWide)
			return outFloat(buffer, column->float32[entry]);
		return outDouble(buffer, (double)column->float32[entry]);
	case HDI_DOUBLE:
		return outDouble(buffer, column->float64[entry]);
	case HDI_STRING:
		break;
	}
	return strcpy(buffer, "");
}

const char *dumpFormatNumber(const struct dump *dump, char *buffer,
			     const hdIValue *value, const hdIColumn *column,
			     size_t entry, bool isWide)
{
	return dump->isHex
		       ? formatBits(buffer, value->type, column, entry)
		       : dumpFormatValue(buffer, value, column, entry, isWide);
}

char *dumpFormatHex(const char *bytes, size_t length)
{
	char *text = g_malloc(2 * length + 1);

	*hdHexPut(text, (const unsigned char *)bytes, length) = '\0';
	return text;
}

static void dumpCallWith(void (*function)(struct dump *), struct dump *dump)
{
	if (function)
		function(dump);
}

/** Write the title of a file: at once, or before the first match. */
static void dumpBegin(struct dump *dump)
{
	if (dump->isBegun)
		return;
	dump->isBegun = true;
	if (dump->relations)
		dump->writer->beginRelations(dump);
	else if (dump->trace)
		dump->writer->beginTrace(dump);
	else
		dump->writer->beginGroup(dump);
}

/** End a file that was begun. */
static void dumpEnd(struct dump *dump, void (*function)(struct dump *))
{
	if (dump->isBegun)
		dumpCallWith(function, dump);
	whereCloseFile(dump->asked);
	dump->asked = NULL;
}

static bool dumpAddBlock(const hdIBlock *block, void *data)
{
	struct dump *dump = data;

	for (size_t i = 0; i < block->count; i++) {
		if (!selectionHasTime(&dump->selection, block->start[i],
				      block->end[i]))
			continue;
		if (dump->asked && !whereHasEntry(dump->asked, block, i))
			continue;
		dumpBegin(dump);
		dump->writer->entry(dump, block, i);
		dump->entries++;
	}
	return true;
}

/** Write windows that are complete. */
static bool takeWindows(const hdIBlock *block, void *data)
{
	struct dump *dump = data;

	if (block)
		windowTake(dump->window, block);
	else
		windowEnd(dump->window);
	while ((block = windowRead(dump->window)))
		dumpAddBlock(block, dump);
	return true;
}

static void openWindows(struct dump *dump, const hdIGroup *group)
{
	struct windowSource source = dump->windows;

	source.group = group;
	source.selection = &dump->selection;
	dump->window = windowNew(&source);
	dump->group = windowGroup(dump->window);
}

static void closeWindows(struct dump *dump)
{
	dump->merged += windowMerged(dump->window);
	dump->rounded += windowRounded(dump->window);
	windowFree(dump->window);
	dump->window = NULL;
}

static void dumpEntries(struct dump *dump, const hdIGroup *group)
{
	if (!group->isReadable)
		return;
	/* Windows know the readings before them, and CSV has numbers. */
	if (dump->window)
		scanGroup(&dump->scan, group, takeWindows, dump);
	else if (dump->tool->format == OUT_CSV)
		scanGroup(&dump->scan, group, dumpAddBlock, dump);
	else
		scanGroupFrom(&dump->scan, group, dumpAddBlock, dump);
	if (dump->window)
		takeWindows(NULL, dump);
}

static void dumpGroup(struct dump *dump, const hdIGroup *group)
{
	dump->group = group;
	if (dump->windows.phases)
		openWindows(dump, group);
	dump->columns = g_new(size_t, dump->group->valueCount + 1);
	dump->columnCount = 0;
	for (size_t i = 0; i < dump->group->valueCount; i++) {
		/* Windows have the values that were asked for. */
		if (dump->window ||
		    selectionHasValue(&dump->selection, group->values[i].name))
			dump->columns[dump->columnCount++] = i;
	}
	if (dump->columnCount || !group->valueCount) {
		if (dump->where)
			dump->asked = whereOpenGroup(dump->where, group);
		else
			dumpBegin(dump);
		dumpEntries(dump, group);
		dumpEnd(dump, dump->writer->endGroup);
	}
	if (dump->window)
		closeWindows(dump);
	g_free(dump->columns);
}

static bool dumpAddRecord(const hdIRecord *record, void *data)
{
	struct dump *dump = data;
	bool isAsked = !dump->asked || whereHasRecord(dump->asked, record);

	dump->number = dump->taken++ + hdI_getTraceSkipped(dump->reader);
	sitesTake(dump->sites, record, &dump->site);
	/* What was asked for their addresses is remembered by all. */
	if (dump->site)
		toolWaitTurn(dump->tool);
	if (isAsked &&
	    selectionHasTime(&dump->selection, record->start, record->end)) {
		dumpBegin(dump);
		dump->writer->record(dump, record);
		dump->states += record->kind == HDI_STATE;
		dump->events += record->kind == HDI_EVENT;
	}
	return true;
}

static void dumpTrace(struct dump *dump, const hdITraceFile *trace)
{
	hdITraceReader *reader = scanOpenTrace(&dump->scan, trace);
	const hdIRecord *record;
	int more;

	if (!reader)
		return;
	dump->trace = trace;
	dump->reader = reader;
	dump->taken = 0;
	dump->sites = sitesNew();
	/* Waits belong to the innermost state that has them, of all states. */
	if (!dump->where)
		extentSkipTrace(reader, dump->selection.start,
				dump->selection.end);
	/* With the first record its attributes are there. */
	more = hdI_readTrace(reader, &record);
	dump->attributes =
		hdI_getTraceAttributes(reader, &dump->attributeCount);
	if (!dump->attributes)
		dump->attributeCount = 0;
	if (dump->where)
		dump->asked = whereOpenTrace(dump->where, trace);
	else
		dumpBegin(dump);
	if (more == 1)
		dumpAddRecord(record, dump);
	if (more == 1)
		scanRecords(&dump->scan, reader, dumpAddRecord, dump);
	dumpEnd(dump, dump->writer->endTrace);
	sitesFree(dump->sites);
	hdI_closeTrace(reader);
}

const char *dumpElementName(const hdIRelationRecord *record)
{
	static const char *const names[] = {
		[HDI_RELATION_BEGIN] = "begin", [HDI_RELATION_END] = "end",
		[HDI_STATE_BEGIN] = "state",    [HDI_STATE_END] = "state-end",
		[HDI_RELATION_LINK] = "link",
	};

	return names[record->kind];
}

const char *dumpParentKind(const hdIRelationRecord *record)
{
	static const char *const names[] = {
		[HDI_PARENT_NONE] = "none",
		[HDI_PARENT_FILE] = "file",
		[HDI_PARENT_LOCAL] = "local",
		[HDI_PARENT_REMOTE] = "remote",
		[HDI_PARENT_PROCESS] = "process",
		[HDI_PARENT_SPAN] = "span",
	};

	return names[record->parentKind];
}

static bool dumpAddElement(const hdIRelationRecord *record, void *data)
{
	struct dump *dump = data;

	if (selectionHasTime(&dump->selection, record->time, record->time) &&
	    (!dump->asked || whereHasElement(dump->asked, record))) {
		dumpBegin(dump);
		dump->writer->element(dump, record);
	}
	dump->number++;
	return true;
}

static void dumpRelations(struct dump *dump, const hdIRelationFile *file)
{
	hdIRelationReader *reader = scanOpenRelations(&dump->scan, file);

	if (!reader)
		return;
	dump->relations = file;
	dump->number = 0;
	dump->owner = (hdIRelationOwner){ "", "", "" };
	hdI_getRelationOwner(reader, &dump->owner);
	if (dump->where)
		dump->asked = whereOpenRelations(dump->where, file);
	else
		dumpBegin(dump);
	scanElements(&dump->scan, reader, dumpAddElement, dump);
	dumpEnd(dump, dump->writer->endRelations);
	hdI_closeRelations(reader);
}

/* ---- Several files at a time -------------------------------------------- */

/** A file that is to be dumped: one of them. */
struct dumpFile {
	const hdIGroup *group;
	const hdITraceFile *trace;
	const hdIRelationFile *relations;
	int64_t size;
	/** What was written of it; for take. */
	struct dump *own;
};

struct dumpFiles {
	struct dump *dump;
	struct dump begun; /**< As it was before the first one. */
	GArray *list;      /**< struct dumpFile */
};

static struct dumpFile *dumpFileAt(struct dumpFiles *files, size_t number)
{
	return &g_array_index(files->list, struct dumpFile, (guint)number);
}

static void dumpRunFile(struct part *part, size_t number, void *data)
{
	struct dumpFiles *files = data;
	struct dumpFile *file = dumpFileAt(files, number);
	struct dump *own = g_memdup2(&files->begun, sizeof(*own));

	own->tool = &part->tool;
	own->file = part->file;
	own->json.file = part->file;
	own->scan.tool = &part->tool;
	own->scan.selection = &own->selection;
	own->scan.output = part->file;
	own->scan.sink = &part->sink;
	own->isLater = false;
	own->entries = own->states = own->events = 0;
	own->merged = own->rounded = 0;
	file->own = own;
	if (file->group)
		dumpGroup(own, file->group);
	else if (file->trace)
		dumpTrace(own, file->trace);
	else
		dumpRelations(own, file->relations);
}

static bool dumpAddFile(struct part *part, size_t number, void *data)
{
	struct dumpFiles *files = data;
	struct dumpFile *file = dumpFileAt(files, number);
	struct dump *dump = files->dump;

	(void)part;
	dump->entries += file->own->entries;
	dump->states += file->own->states;
	dump->events += file->own->events;
	dump->merged += file->own->merged;
	dump->rounded += file->own->rounded;
	g_free(file->own);
	toolProgressFile(dump->tool, file->size);
	return true;
}

/** Dump files in the order of the list, which is freed. */
static void dumpFiles(struct dump *dump, GArray *list)
{
	static const char *const between[] = {
		[OUT_TEXT] = "\n",
		[OUT_CSV] = NULL,
		[OUT_JSON] = ",",
	};
	struct dumpFiles files = { dump, *dump, list };
	const struct partsWork work = {
		.tool = dump->tool,
		.count = list->len,
		.output = dump->file,
		.between = between[dump->tool->format],
		/* An array of JSON has just begun. */
		.isLater = dump->tool->format == OUT_TEXT && dump->isLater,
		.run = dumpRunFile,
		.take = dumpAddFile,
		.data = &files,
	};

	if (partsDo(&work))
		dump->isLater = dump->json.hasMember[dump->json.depth] = true;
	g_array_unref(list);
}

static GArray *newList(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct dumpFile));
}

static void dumpAllRelations(struct dump *dump)
{
	const hdIProject *project = dump->project;
	GArray *list = newList();

	for (size_t i = 0; i < project->relationCount; i++) {
		const hdIRelationFile *relations = project->relations[i];
		const struct dumpFile file = { .relations = relations,
					       .size = relations->fileSize };

		if (selectionHasNode(&dump->selection, relations->node) &&
		    whereHasPlace(dump->where, relations->node, NULL))
			g_array_append_val(list, file);
	}
	dumpCallWith(dump->writer->beginAllRelations, dump);
	dumpFiles(dump, list);
	dumpCallWith(dump->writer->endAllRelations, dump);
}

static void dumpStats(struct dump *dump)
{
	const hdIProject *project = dump->project;
	GArray *list = newList();

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		const struct dumpFile file = { .group = group,
					       .size = group->fileSize };

		if (selectionHasGroup(&dump->selection, group) &&
		    whereHasPlace(dump->where, group->node, group->name))
			g_array_append_val(list, file);
	}
	dumpCallWith(dump->writer->beginStats, dump);
	dumpFiles(dump, list);
	dumpCallWith(dump->writer->endStats, dump);
}

static void dumpTraces(struct dump *dump)
{
	const hdIProject *project = dump->project;
	GArray *list = newList();

	for (size_t i = 0; i < project->traceCount; i++) {
		const hdITraceFile *trace = project->traces[i];
		const struct dumpFile file = { .trace = trace,
					       .size = trace->fileSize };

		if (scanHasTrace(&dump->scan, trace) &&
		    whereHasPlace(dump->where, trace->node, NULL))
			g_array_append_val(list, file);
	}
	dumpCallWith(dump->writer->beginTraces, dump);
	dumpFiles(dump, list);
	dumpCallWith(dump->writer->endTraces, dump);
}

static int64_t dumpTotalSize(const struct dump *dump,
			     const struct dumpParts *parts)
{
	const hdIProject *project = dump->project;
	int64_t total = 0;

	for (size_t i = 0; parts->stats && i < project->groupCount; i++)
		total += project->groups[i]->fileSize;
	for (size_t i = 0; parts->traces && i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	return total + (parts->relations ? scanRelationsSize(&dump->scan) : 0);
}

void dumpAll(struct dump *dump, const struct dumpParts *parts)
{
	static const struct dumpWriter *const writers[] = {
		[OUT_TEXT] = &dumpTextWriter,
		[OUT_CSV] = &dumpCsvWriter,
		[OUT_JSON] = &dumpJsonWriter,
	};

	dump->writer = writers[dump->tool->format];
	dump->scan = (struct scan){ .tool = dump->tool,
				    .project = dump->project,
				    .selection = &dump->selection,
				    .output = dump->file };
	dump->json.file = dump->file;
	dump->addresses = addressesNew();
	toolProgressStart(dump->tool, dumpTotalSize(dump, parts));
	dumpCallWith(dump->writer->begin, dump);
	if (parts->project)
		dumpCallWith(dump->writer->project, dump);
	if (parts->stats)
		dumpStats(dump);
	if (parts->traces)
		dumpTraces(dump);
	if (parts->relations && dump->project->relationCount)
		dumpAllRelations(dump);
	dumpCallWith(dump->writer->end, dump);
	resultsTellSites(dump->tool, dump->project, dump->addresses);
	addressesFree(dump->addresses);
}

static int dumpParseTime(struct dump *dump, const char *time)
{
	static const enum dumpTime times[] = { DUMP_EPOCH, DUMP_RELATIVE,
					       DUMP_DATE };
	int found;
	/* What unix was called once. */
	const char *word = g_strcmp0(time, "epoch") == 0 ? "unix" : time;
	int status = toolChoose(dump->tool, "time", word, &found);

	if (status >= 0)
		return status;
	dump->time = times[found];
	if (dump->time == DUMP_DATE && dump->tool->format == OUT_JSON)
		return toolUsage(dump->tool,
				 "--time=date: not available in JSON");
	return -1;
}

/** Which parts --only and the filters leave. */
static int parseParts(struct dump *dump, const char *only, bool hasQuery,
		      struct dumpParts *parts)
{
	const struct selection *selection = &dump->selection;

	*parts = (struct dumpParts){
		.project = !selection->nodes && !selection->groups &&
			   !selection->values && !selection->from &&
			   !selection->to && !hasQuery,
		.stats = true,
		.traces = !selection->groups && !selection->values,
		.relations = !selection->groups && !selection->values,
	};
	if (!only)
		return -1;
	*parts = (struct dumpParts){
		.project = strcmp(only, "project") == 0,
		.stats = strcmp(only, "stats") == 0,
		.traces = strcmp(only, "traces") == 0,
		.relations = strcmp(only, "relations") == 0,
	};
	if (parts->project && hasQuery)
		return toolUsage(dump->tool,
				 "--where: not available with --only=project");
	if (parts->project || parts->stats || parts->traces || parts->relations)
		return -1;
	return toolInvalidValue(dump->tool, "only", only,
				"project, stats, traces or relations");
}

static int dumpParseQuery(struct dump *dump, const char *text,
			  struct query **query)
{
	struct queryError error;
	int status;

	if (!text || queryParse(text, query, &error) == 0)
		return -1;
	status = toolUsage(dump->tool, "--where: column %zu: %s", error.column,
			   error.message);
	g_free(error.message);
	return status;
}

static const char *const onlyWords[] = { "project", "stats", "traces",
					 "relations", NULL };
static const char *const timeWords[] = { "unix", "relative", "date", NULL };
static const struct cliWords words[] = {
	{ "only", onlyWords, false },
	{ "time", timeWords, false },
	{ NULL, NULL, false },
};

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description = "Print the contents of a project in file order: "
		       "description and topology, entries of\nstatistics "
		       "groups, states and events of traces, and relations. "
		       "Numbers are exact.\n\nTIME counts from the start of "
		       "the project, in seconds or with a unit (500ms); "
		       "@SECONDS counts from 1970.\n\nQUERY consists of terms "
		       "KEY OP VALUE, separated by blanks, that must all "
		       "match.\nKEY: name, node, rank, thread, group, "
		       "duration, from, to, wait or @ATTRIBUTE.\nOP: = != < <= "
		       "> >= ~ (contains).  VALUE: pattern, number with unit, "
		       "N..M or \"text\";\nseveral values are separated by |.",
	.examples = "  hdtrace dump --node node06 --group Energy run1.proj\n"
		    "  hdtrace dump --where='name=MPI_Recv @size>1M' run1\n"
		    "  hdtrace dump --only=stats --format=csv run1\n",
	.minArguments = 1,
	.words = words,
	.maxArguments = 1,
};

static void dumpAllWhere(struct dump *dump, struct query *query,
			 const struct dumpParts *parts)
{
	const struct scan scan = { .tool = dump->tool,
				   .project = dump->project };

	if (query) {
		querySetStart(query, dump->selection.projectStart);
		dump->where = whereNew(query, &scan);
	}
	dumpAll(dump, parts);
	whereFree(dump->where);
}

static int dumpRunOn(struct dump *dump, const char *path, struct query *query,
		     const struct dumpParts *parts)
{
	hdIProject *project = toolOpen(dump->tool, path);
	int status;

	if (!project)
		return toolFinish(dump->tool);
	dump->project = project;
	status = selectResolve(&dump->selection, dump->tool, project,
			       (query && queryNeedsStart(query)) ||
				       dump->time == DUMP_RELATIVE);
	if (status < 0) {
		dumpAllWhere(dump, query, parts);
		status = toolFinish(dump->tool);
	}
	hdI_closeProject(project);
	return status;
}

int dumpRun(struct tool *tool, int argc, char **argv)
{
	struct dump dump = { .tool = tool, .file = stdout };
	struct dumpParts parts;
	char *only = NULL, *time = NULL, *where = NULL;
	struct query *query = NULL;
	const GOptionEntry entries[] = {
		SELECT_ENTRIES(&dump.selection),
		{ "only", 0, 0, G_OPTION_ARG_FILENAME, &only,
		  "Part to print: project, stats, traces or relations "
		  "(default: all)",
		  "PART" },
		{ "time", 0, 0, G_OPTION_ARG_FILENAME, &time,
		  "Format of times: unix, relative or date (default: unix)",
		  "FORM" },
		{ "where", 0, 0, G_OPTION_ARG_FILENAME, &where,
		  "Only entries, states, events and relations that match",
		  "QUERY" },
		{ "hex", 0, 0, G_OPTION_ARG_NONE, &dump.isHex,
		  "Print values as hexadecimal bits", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = dumpParseTime(&dump, time);
	if (status < 0)
		status = parseParts(&dump, only, where != NULL, &parts);
	if (status < 0)
		status = dumpParseQuery(&dump, where, &query);
	if (status < 0)
		status = dumpRunOn(&dump, argv[1], query, &parts);
	selectionFree(&dump.selection);
	queryFree(query);
	g_free(where);
	g_free(only);
	g_free(time);
	return status;
}
