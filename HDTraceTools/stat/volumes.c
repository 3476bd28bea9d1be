/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --volume: bytes and sizes of messages, by function, call site,
 * pair of ranks, and communicator.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/mpi/traffic.h"
#include "HDTraceTools/stat/volumes.h"
#include "cli/output.h"
#include "cli/rows.h"

/** The whole work. */
struct volumes {
	struct tool *tool;
	struct scan scan;
	struct traffic *traffic;
	struct addresses *addresses;
	struct sites *sites; /**< Of the trace that is read. */
	uint64_t epochs;     /**< Of it, that begin after an interruption. */
	struct outJson json;
};

static const struct rowColumn columns[] = {
	{ NULL, "by", ROW_TEXT, 0 },
	{ "<Call site", "site", ROW_TEXT, ROW_NOT_JSON },
	{ "<Function", "region", ROW_TEXT, 0 },
	{ "<Communicator", "communicator", ROW_TEXT, 0 },
	{ ">Number", "communicator_number", ROW_COUNT, 0 },
	{ ">Rank", "rank", ROW_COUNT, 0 },
	{ ">Peer", "peer", ROW_COUNT, ROW_DASH },
	{ "<Direction", "direction", ROW_TEXT, 0 },
	{ ">Messages", "count", ROW_COUNT, 0 },
	{ ">Volume", "sum_bytes", ROW_NUMBER, ROW_DASH },
	{ ">Min", "min_bytes", ROW_COUNT, ROW_DASH },
	{ ">Median", "median_bytes", ROW_NUMBER, ROW_DASH },
	{ ">Max", "max_bytes", ROW_COUNT, ROW_DASH },
	{ NULL, "unknown", ROW_COUNT, 0 },
	{ "<Sizes (at least: messages)", "histogram", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_BY,
	COLUMN_SITE,
	COLUMN_REGION,
	COLUMN_COMMUNICATOR,
	COLUMN_COMMUNICATOR_NUMBER,
	COLUMN_RANK,
	COLUMN_PEER,
	COLUMN_DIRECTION,
	COLUMN_COUNT,
	COLUMN_SUM,
	COLUMN_MIN,
	COLUMN_MEDIAN,
	COLUMN_MAX,
	COLUMN_UNKNOWN,
	COLUMN_HISTOGRAM,
};

static const char *const keys[TRAFFIC_BYS] = {
	[TRAFFIC_FUNCTION] = "function",
	[TRAFFIC_SITE] = "site",
	[TRAFFIC_PEER] = "peer",
	[TRAFFIC_COMMUNICATOR] = "communicator",
};

static const char *const titles[TRAFFIC_BYS] = {
	[TRAFFIC_FUNCTION] = "Functions",
	[TRAFFIC_SITE] = "Call sites",
	[TRAFFIC_PEER] = "Pairs of ranks",
	[TRAFFIC_COMMUNICATOR] = "Communicators",
};

/* ---- Printing ---------------------------------------------------------- */

/** For people a size has a unit. */
static void volumesShowBytes(struct rows *rows, size_t column, int64_t bytes)
{
	char buffer[OUT_NUMBER_SIZE];

	rowsShow(rows, column, outSize(buffer, bytes));
}

/** "0:3 64:5": bins that have messages, for CSV; with units for people. */
static char *volumesHistogramText(const struct sizes *sizes, bool isForPeople)
{
	GString *text = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE];

	for (int i = 0; i < SIZES_BINS; i++) {
		int64_t start = sizesBinStart(i);

		if (!sizes->bins[i])
			continue;
		g_string_append_printf(text, "%s%s:%" PRIu64,
				       text->len ? isForPeople ? ", " : " "
						 : "",
				       isForPeople ? outSize(buffer, start)
						   : outInteger(buffer, start),
				       sizes->bins[i]);
	}
	return g_string_free(text, FALSE);
}

static void volumesSetSizes(struct rows *rows, const struct sizes *sizes)
{
	char *plain = volumesHistogramText(sizes, false);
	char *shown = volumesHistogramText(sizes, true);
	double median = sizesMedian(sizes);

	rowsCount(rows, COLUMN_COUNT, sizes->count + sizes->unknown);
	rowsCount(rows, COLUMN_UNKNOWN, sizes->unknown);
	rowsText(rows, COLUMN_HISTOGRAM, plain);
	rowsShow(rows, COLUMN_HISTOGRAM, shown);
	if (sizes->count) {
		rowsInteger(rows, COLUMN_SUM, sizes->sum);
		rowsCount(rows, COLUMN_MIN, (uint64_t)sizes->min);
		rowsNumber(rows, COLUMN_MEDIAN, median);
		rowsCount(rows, COLUMN_MAX, (uint64_t)sizes->max);
		volumesShowBytes(rows, COLUMN_SUM,
				 (int64_t)MIN(sizes->sum, INT64_MAX));
		volumesShowBytes(rows, COLUMN_MIN, sizes->min);
		volumesShowBytes(rows, COLUMN_MEDIAN, (int64_t)median);
		volumesShowBytes(rows, COLUMN_MAX, sizes->max);
	}
	g_free(plain);
	g_free(shown);
}

static void volumesSetRow(const struct volumes *self, struct rows *rows,
			  const struct trafficRow *row)
{
	char *text = row->site ? siteText(row->site, self->addresses) : NULL;

	rowsText(rows, COLUMN_BY, keys[row->by]);
	rowsText(rows, COLUMN_SITE, text);
	rowsText(rows, COLUMN_REGION, row->function);
	rowsText(rows, COLUMN_DIRECTION, trafficWayName(row->way));
	if (row->group) {
		rowsText(rows, COLUMN_COMMUNICATOR, row->group->name);
		rowsCount(rows, COLUMN_COMMUNICATOR_NUMBER, row->group->number);
	}
	if (row->by == TRAFFIC_PEER) {
		rowsCount(rows, COLUMN_RANK, (uint64_t)row->rank);
		if (row->peer >= 0)
			rowsCount(rows, COLUMN_PEER, (uint64_t)row->peer);
	}
	volumesSetSizes(rows, &row->sizes);
	g_free(text);
}

static void volumesPutHistogram(struct outJson *json, const struct sizes *sizes)
{
	outJsonArray(json, "histogram", true);
	for (int i = 0; i < SIZES_BINS; i++) {
		if (!sizes->bins[i])
			continue;
		outJsonObject(json, NULL, true);
		outJsonInteger(json, "from_bytes", sizesBinStart(i));
		outJsonInteger(json, "count", (int64_t)sizes->bins[i]);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void volumesPutRow(struct volumes *self, struct rows *rows,
			  const struct trafficRow *row)
{
	volumesSetRow(self, rows, row);
	if (self->tool->format != OUT_JSON) {
		rowsEnd(rows);
		return;
	}
	rowsPut(rows);
	volumesPutHistogram(&self->json, &row->sizes);
	if (row->site) {
		outJsonObject(&self->json, "call_site", false);
		resultsPutSite(&self->json, row->site, self->addresses);
		outJsonEnd(&self->json);
	}
	outJsonEnd(&self->json);
}

/** The columns that a table of people has none of. */
static void volumesHideOthers(struct rows *rows, enum trafficBy by)
{
	if (by != TRAFFIC_SITE)
		rowsHide(rows, COLUMN_SITE);
	if (by != TRAFFIC_SITE && by != TRAFFIC_FUNCTION)
		rowsHide(rows, COLUMN_REGION);
	for (size_t i = COLUMN_COMMUNICATOR;
	     i <= COLUMN_COMMUNICATOR_NUMBER && by != TRAFFIC_COMMUNICATOR; i++)
		rowsHide(rows, i);
	for (size_t i = COLUMN_RANK; i <= COLUMN_PEER && by != TRAFFIC_PEER;
	     i++)
		rowsHide(rows, i);
}

static void volumesPrintTable(struct volumes *self, const GPtrArray *list,
			      enum trafficBy by, bool isFirst)
{
	struct rows *rows = rowsNew(columns, OUT_TEXT, NULL);
	bool isColored = self->tool->isColored;

	for (guint i = 0; i < list->len; i++) {
		const struct trafficRow *row = list->pdata[i];

		if (row->by == by)
			volumesPutRow(self, rows, row);
	}
	printf("%s%s%s%s\n", isFirst ? "" : "\n", isColored ? "\033[1m" : "",
	       titles[by], isColored ? "\033[0m" : "");
	volumesHideOthers(rows, by);
	rowsPrint(rows, "  ", isColored);
	rowsFree(rows);
}

static void volumesPrintText(struct volumes *self, const GPtrArray *list)
{
	guint first = 0;

	while (first < list->len) {
		const struct trafficRow *row = list->pdata[first];
		enum trafficBy by = row->by;

		volumesPrintTable(self, list, by, first == 0);
		while (first < list->len) {
			row = list->pdata[first];
			if (row->by != by)
				break;
			first++;
		}
	}
	if (!list->len)
		puts("No messages.");
}

static void volumesPrintRows(struct volumes *self, const GPtrArray *list)
{
	struct rows *rows = rowsNew(columns, self->tool->format, &self->json);
	const hdIProject *project = self->scan.project;

	rowsHeader(rows);
	if (self->tool->format == OUT_JSON) {
		outJsonDocument(&self->json, "hdtrace-stat-volume");
		outJsonText(&self->json, "project", project->name);
		outJsonText(&self->json, "file", project->file);
		outJsonArray(&self->json, "rows", false);
	}
	for (guint i = 0; i < list->len; i++)
		volumesPutRow(self, rows, list->pdata[i]);
	if (self->tool->format == OUT_JSON) {
		outJsonEnd(&self->json);
		outJsonEnd(&self->json);
	}
	rowsFree(rows);
}

/* ---- Reading ----------------------------------------------------------- */

static bool volumesTakeRecord(const hdIRecord *record, void *data)
{
	struct volumes *self = data;
	const struct selection *selection = self->scan.selection;
	const struct site *site = NULL;

	bool isCounted =
		record->end > selection->start && record->end <= selection->end;

	sitesTake(self->sites, record, &site);
	trafficTake(self->traffic, record, site, isCounted);
	if (isCounted)
		self->epochs += messagesEpoch(record, NULL);
	toolProgressAt(self->tool, record->offset);
	return true;
}

static void volumesTakeTrace(const hdITraceFile *trace, void *data)
{
	struct volumes *self = data;

	if (!trafficEnter(self->traffic, trace))
		return;
	self->sites = sitesNew();
	self->epochs = 0;
	scanTrace(&self->scan, trace, volumesTakeRecord, self);
	sitesFree(self->sites);
	if (self->epochs > 0)
		toolReport(self->tool, "trc.part", trace->file, -1, 0,
			   MESSAGES_EPOCHS, self->epochs);
}

int volumesPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection)
{
	struct volumes self = {
		.tool = tool,
		.scan = {
			.tool = tool,
			.project = project,
			.selection = selection,
		},
		.traffic = trafficNew(project),
		.addresses = addressesNew(),
	};
	const GPtrArray *rows;

	toolProgressStart(tool, scanTracesSize(&self.scan));
	scanTraces(&self.scan, volumesTakeTrace, &self);
	toolProgressEnd(tool);
	rows = trafficRows(self.traffic);
	if (tool->format == OUT_TEXT)
		volumesPrintText(&self, rows);
	else
		volumesPrintRows(&self, rows);
	resultsTellSites(tool, project, self.addresses);
	trafficFree(self.traffic);
	addressesFree(self.addresses);
	return 0;
}
