/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions --by-site: states by where they were called.
 *
 * Of a state its own time counts, without states in it: so the sites of a
 * function add up to what report says of it. Events of the processor are those
 * of the whole state.
 */
#include "config.h"

#include <fnmatch.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/stat/callsites.h"
#include "HDTraceTools/stat/costs.h"
#include "cli/known.h"
#include "cli/output.h"
#include "cli/rows.h"

struct callSites {
	struct tool *tool;
	struct costs costs;
	struct profile *profile; /**< Of all traces. */
	GPtrArray *sites;        /**< struct profileSite that match, sorted. */
	struct addresses *addresses;
	struct costsTable table;
};

static const struct rowColumn columns[] = {
	{ NULL, "group", ROW_TEXT, 0 },
	{ NULL, "value", ROW_TEXT, 0 },
	{ NULL, "unit", ROW_TEXT, 0 },
	{ NULL, "simulated", ROW_FLAG, 0 },
	{ "<Call site", NULL, ROW_TEXT, 0 },
	{ "<Region", "region", ROW_TEXT, 0 },
	{ NULL, "function", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "file", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "line", ROW_COUNT, ROW_NOT_JSON },
	{ NULL, "object", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "build_id", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "address", ROW_TEXT, ROW_NOT_JSON },
	{ NULL, "site", ROW_TEXT, ROW_NOT_JSON },
	{ ">Count", "count", ROW_COUNT, 0 },
	{ "<Time", NULL, ROW_DURATION, 0 },
	{ "<Longest", "longest_s", ROW_DURATION, 0 },
	{ "<Known", NULL, ROW_DURATION, 0 },
	{ ".Energy", "energy", ROW_NUMBER, ROW_DASH },
	{ "<", "energy_unit", ROW_TEXT, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	COSTS_EVENT_COLUMNS,
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_GROUP,
	COLUMN_VALUE,
	COLUMN_UNIT,
	COLUMN_SIMULATED,
	COLUMN_TITLE,
	COLUMN_REGION,
	COLUMN_FUNCTION,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_OBJECT,
	COLUMN_BUILD_ID,
	COLUMN_ADDRESS,
	COLUMN_SITE,
	COLUMN_COUNT,
	COLUMN_TIME,
	COLUMN_LONGEST,
	COLUMN_KNOWN,
	COLUMN_ENERGY,
	COLUMN_ENERGY_UNIT,
	COLUMN_DURATION_S,
	COLUMN_KNOWN_S,
	COLUMN_EVENTS,
};

/* ---- Printing ---------------------------------------------------------- */

static void callSitesSetPlace(struct callSites *self, struct rows *rows,
			      const struct site *site)
{
	const struct addressFound *found = siteFind(site, self->addresses);
	const struct addressPlace *place;
	char *address = g_strdup_printf("0x%" PRIx64, site->address);
	char *text = siteText(site, self->addresses);

	rowsText(rows, COLUMN_TITLE, text);
	rowsText(rows, COLUMN_SITE, text);
	rowsText(rows, COLUMN_OBJECT, site->object.path);
	if (*site->object.buildId)
		rowsText(rows, COLUMN_BUILD_ID, site->object.buildId);
	rowsText(rows, COLUMN_ADDRESS, address);
	g_free(address);
	g_free(text);
	if (!found->places->len)
		return;
	place = &g_array_index(found->places, struct addressPlace, 0);
	rowsText(rows, COLUMN_FUNCTION, place->function);
	if (place->file) {
		rowsText(rows, COLUMN_FILE, place->file);
		rowsCount(rows, COLUMN_LINE, (uint64_t)place->line);
	}
}

static void callSitesSetEnergy(const struct callSites *self, guint number,
			       struct rows *rows,
			       const struct profileSite *states)
{
	const struct costsMeasure *measure =
		costsMeasureAt(&self->costs, number);
	const struct attributionAmount *amount = &states->own.amounts[number];
	const struct known known = { amount->measured, states->own.time };

	costsSetMeasure(rows, COLUMN_GROUP, measure);
	rowsTime(rows, COLUMN_KNOWN, amount->measured);
	rowsTime(rows, COLUMN_KNOWN_S, amount->measured);
	costsSetNumber(rows, COLUMN_ENERGY, knownMark(known),
		       knownTotal(known, attributionEnergy(amount)),
		       measure->energyUnit);
}

static void callSitesBegin(struct outJson *json)
{
	outJsonDocument(json, "hdtrace-stat-sites");
}

static void callSitesFill(void *data, guint measure, struct rows *rows,
			  struct outJson *json)
{
	struct callSites *self = data;

	for (guint i = 0; i < self->sites->len; i++) {
		const struct profileSite *states = self->sites->pdata[i];

		callSitesSetPlace(self, rows, states->site);
		rowsText(rows, COLUMN_REGION, states->name);
		rowsCount(rows, COLUMN_COUNT, states->count);
		rowsTime(rows, COLUMN_TIME, states->own.time);
		rowsTime(rows, COLUMN_LONGEST, states->longest);
		rowsTime(rows, COLUMN_DURATION_S, states->own.time);
		costsSetEvents(rows, COLUMN_EVENTS, &states->own,
			       states->count);
		if (measure < self->costs.measures->len)
			callSitesSetEnergy(self, measure, rows, states);
		if (self->tool->format == OUT_JSON) {
			rowsPut(rows);
			resultsPutSite(json, states->site, self->addresses);
			outJsonEnd(json);
		} else {
			rowsEnd(rows);
		}
	}
}

/* ---- The whole --------------------------------------------------------- */

/** Read all traces that were asked for; false if no such state has a site. */
static bool callSitesReadAll(struct callSites *self, const char *pattern,
			     enum attributionRule rule)
{
	costsRead(&self->costs, rule);
	self->profile = profileNew(self->costs.measures->len);
	for (guint i = 0; i < self->costs.traces->len; i++) {
		const struct costsTrace *read = costsTraceAt(&self->costs, i);

		if (read->profile)
			profileAdd(self->profile, read->profile);
	}
	for (guint i = 0; i < self->profile->sites->len; i++) {
		struct profileSite *states = self->profile->sites->pdata[i];

		if (fnmatch(pattern, states->name, 0) != 0)
			continue;
		g_ptr_array_add(self->sites, states);
		profileEventsAdd(&self->table.inside, &states->own.events);
		profileEventsAdd(&self->table.outside, &states->own.outside);
	}
	g_ptr_array_sort(self->sites, profileCompareSites);
	if (!self->sites->len)
		toolError(self->tool,
			  "--by-site: no state that matches \"%s\" has a call "
			  "site; record with hdmpirun --call-sites",
			  pattern);
	return self->sites->len;
}

int callSitesPrint(struct tool *tool, const hdIProject *project,
		   const struct selection *selection, const char *pattern,
		   enum attributionRule rule)
{
	struct callSites self = {
		.tool = tool,
		.sites = g_ptr_array_new(),
		.addresses = addressesNew(),
		.table = {
			.columns = columns,
			.energy = COLUMN_KNOWN,
			.energyCount = COLUMN_ENERGY_UNIT + 1 - COLUMN_KNOWN,
			.events = COLUMN_EVENTS,
			.begin = callSitesBegin,
			.list = "sites",
			.fill = callSitesFill,
			.data = &self,
		},
	};
	int ret = -1;

	costsInit(&self.costs, tool, project, selection);
	if (callSitesReadAll(&self, pattern, rule)) {
		costsPrint(&self.costs, &self.table);
		resultsTellSites(tool, project, self.addresses);
		ret = 0;
	}
	g_ptr_array_unref(self.sites);
	profileFree(self.profile);
	addressesFree(self.addresses);
	costsClear(&self.costs);
	return ret;
}
