/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace diagnose: as text, CSV and JSON.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/diagnose/diagnose.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "cli/known.h"

static const struct rowColumn columns[] = {
	{ "<Node", "node", ROW_TEXT, 0 },
	{ "<Layer", "layer", ROW_TEXT, 0 },
	{ ".Mean", "mean", ROW_NUMBER, ROW_DASH },
	{ ">Max", "max", ROW_NUMBER, ROW_DASH },
	{ ".Held", "held", ROW_NUMBER, ROW_DASH },
	{ ">Idle", NULL, ROW_TEXT, ROW_DASH },
	{ ">Bytes", NULL, ROW_TEXT, ROW_DASH },
	{ ">Operations", NULL, ROW_TEXT, ROW_DASH },
	{ ">Each", NULL, ROW_DURATION, ROW_DASH },
	{ ">At end", NULL, ROW_NUMBER, ROW_DASH },
	{ NULL, "bytes", ROW_NUMBER, 0 },
	{ NULL, "idle_share", ROW_NUMBER, 0 },
	{ NULL, "idle_exact", ROW_FLAG, 0 },
	{ NULL, "held_exact", ROW_FLAG, 0 },
	{ NULL, "operations", ROW_NUMBER, 0 },
	{ NULL, "each_s", ROW_NUMBER, 0 },
	{ NULL, "little", ROW_NUMBER, 0 },
	{ NULL, "pending_at_end", ROW_NUMBER, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_NODE,
	COLUMN_LAYER,
	COLUMN_MEAN,
	COLUMN_MAX,
	COLUMN_HELD,
	COLUMN_IDLE_SHOWN,
	COLUMN_BYTES_SHOWN,
	COLUMN_OPERATIONS_SHOWN,
	COLUMN_EACH_SHOWN,
	COLUMN_AT_END_SHOWN,
	COLUMN_BYTES,
	COLUMN_IDLE,
	COLUMN_IDLE_EXACT,
	COLUMN_HELD_EXACT,
	COLUMN_OPERATIONS,
	COLUMN_EACH,
	COLUMN_LITTLE,
	COLUMN_AT_END,
	COLUMN_KNOWN,
	COLUMN_DURATION,
};

/* ---- Layers ------------------------------------------------------------ */

static void diagnosePrintShowNumber(struct rows *rows, size_t column,
				    const char *mark, double number)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (isnan(number))
		return;
	text = g_strconcat(mark, outRounded(buffer, number), NULL);
	rowsShow(rows, column, text);
	g_free(text);
}

static void setOperations(struct rows *rows, const struct layer *layer)
{
	double count = layer->operations.count, each;
	char text[OUT_NUMBER_SIZE];

	if (!layer->hasOperations)
		return;
	rowsNumber(rows, COLUMN_OPERATIONS, count);
	snprintf(text, sizeof(text), "%.0f", count);
	rowsText(rows, COLUMN_OPERATIONS_SHOWN, text);
	rowsNumber(rows, COLUMN_LITTLE, layer->little);
	if (count <= 0)
		return;
	each = (double)layer->operations.lasted / count;
	rowsNumber(rows, COLUMN_EACH, each / 1e9);
	rowsTime(rows, COLUMN_EACH_SHOWN, (int64_t)each);
}

static void printLayer(const struct diagnose *self, struct rows *rows,
		       const struct layer *layer)
{
	char text[OUT_NUMBER_SIZE];

	rowsText(rows, COLUMN_NODE, rolesPath(layer->node));
	rowsText(rows, COLUMN_LAYER, layer->name);
	rowsNumber(rows, COLUMN_MEAN, layer->mean);
	diagnosePrintShowNumber(rows, COLUMN_MEAN, "", layer->mean);
	rowsNumber(rows, COLUMN_MAX, layer->gauge.max);
	rowsNumber(rows, COLUMN_HELD, layer->held);
	diagnosePrintShowNumber(rows, COLUMN_HELD, layer->isLeast ? ">= " : "",
				layer->held);
	if (!isnan(layer->idle)) {
		snprintf(text, sizeof(text), "%s%.1f %%",
			 layer->gauge.isBound ? "<= " : "", 100 * layer->idle);
		rowsText(rows, COLUMN_IDLE_SHOWN, text);
	}
	if (!isnan(layer->bytes))
		rowsText(rows, COLUMN_BYTES_SHOWN,
			 outSize(text, (int64_t)layer->bytes));
	setOperations(rows, layer);
	rowsNumber(rows, COLUMN_AT_END_SHOWN, layer->gauge.last);
	rowsNumber(rows, COLUMN_BYTES, layer->bytes);
	rowsNumber(rows, COLUMN_IDLE, layer->idle);
	rowsFlag(rows, COLUMN_IDLE_EXACT, !layer->gauge.isBound);
	rowsFlag(rows, COLUMN_HELD_EXACT, layer->isTold);
	rowsNumber(rows, COLUMN_AT_END, layer->gauge.last);
	rowsTime(rows, COLUMN_KNOWN, layer->known);
	rowsTime(rows, COLUMN_DURATION, layersLength(self->layers));
	rowsEnd(rows);
}

static void printLayers(const struct diagnose *self, enum outFormat format)
{
	struct rows *rows = rowsNew(columns, format, self->json);
	bool isPending = false, hasOperations = false;

	rowsHeader(rows);
	if (format == OUT_JSON)
		outJsonArray(self->json, "layers", false);
	for (size_t i = 0; i < self->layers->count; i++) {
		const struct layer *layer = &self->layers->list[i];

		isPending |= layer->gauge.last > 0;
		hasOperations |= layer->hasOperations;
		printLayer(self, rows, layer);
	}
	if (format == OUT_JSON)
		outJsonEnd(self->json);
	if (!isPending)
		rowsHide(rows, COLUMN_AT_END_SHOWN);
	if (!hasOperations) {
		rowsHide(rows, COLUMN_OPERATIONS_SHOWN);
		rowsHide(rows, COLUMN_EACH_SHOWN);
	}
	rowsPrint(rows, "  ", self->tool->isColored);
	rowsFree(rows);
}

void diagnosePrintLayers(const struct diagnose *self)
{
	printLayers(self, OUT_TEXT);
}

void diagnosePrintCsv(const struct diagnose *self)
{
	printLayers(self, OUT_CSV);
}

/* ---- Verdicts ---------------------------------------------------------- */

/** Say which layer holds most, and how much of all. */
static void diagnosePrintPrintMost(const struct diagnose *self)
{
	const struct outlier *first = NULL, *best = NULL;
	double held = 0, most = 0, all = 0;

	for (guint i = 0; i < self->outliers->len; i++) {
		const struct outlier *item =
			&g_array_index(self->outliers, struct outlier, i);

		if (!first || !outlierIsAlike(first, item)) {
			first = item;
			held = 0;
		}
		held += item->held;
		all += item->held;
		if (held <= most)
			continue;
		best = first;
		most = held;
	}
	if (!best)
		return;
	printf("Of all held operations, %.1f %% are %s ", 100 * most / all,
	       best->isWay ? "on the way below" : "in");
	outPrintable(best->name);
	puts(".");
}

static void sayIfFew(const struct diagnose *self)
{
	for (guint i = 0; i < self->outliers->len; i++) {
		if (!isnan(g_array_index(self->outliers, struct outlier, i)
				   .others))
			return;
	}
	printf("Fewer than %d comparable nodes: no outlier can be found.\n",
	       OUTLIER_NODES);
}

void diagnosePrintVerdicts(const struct diagnose *self)
{
	for (guint i = 0; i < self->out->len; i++) {
		const struct outlier *item = self->out->pdata[i];
		char *title = outlierTitle(item);
		char *evidence = outlierEvidence(item);

		outPrintable(title);
		printf(": %s.\n", evidence);
		g_free(evidence);
		g_free(title);
	}
	if (layersLength(self->layers) == 0)
		puts("No operation was pending.");
	else if (self->out->len == 0)
		puts("No outlier.");
	sayIfFew(self);
	diagnosePrintPrintMost(self);
}

/* ---- JSON -------------------------------------------------------------- */

/** A ratio to nothing is no number. */
static void putRatio(struct outJson *json, double ratio)
{
	outJsonDouble(json, "ratio", isinf(ratio) ? NAN : ratio);
}

static void putVerdict(struct outJson *json, const struct outlier *item)
{
	char *evidence = outlierEvidence(item);
	char *title = outlierTitle(item);

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(item->node));
	outJsonText(json, "layer", item->name);
	putRatio(json, item->ratio);
	outJsonText(json, "evidence", evidence);
	outJsonText(json, "verdict", title);
	outJsonText(json, "kind",
		    item->isLoad  ? "load"
		    : item->isWay ? "way"
				  : "slow");
	outJsonDouble(json, "held", item->held);
	outJsonDouble(json, "others", item->others);
	outJsonDouble(json, "deviation", item->deviation);
	outJsonDouble(json, "share", item->share);
	outJsonInteger(json, "parts", item->lasts);
	outJsonInteger(json, "alike", (int64_t)item->alike);
	outJsonDouble(json, "each_s", item->each);
	outJsonDouble(json, "each_others_s", item->eachOthers);
	outJsonDouble(json, "operations_ratio", item->countRatio);
	outJsonDouble(json, "bytes_ratio", item->bytesRatio);
	outJsonEnd(json);
	g_free(evidence);
	g_free(title);
}

static void putHeld(struct outJson *json, const struct outlier *item)
{
	outJsonObject(json, NULL, true);
	outJsonText(json, "node", rolesPath(item->node));
	outJsonText(json, "layer", item->name);
	outJsonText(json, "alike", item->role);
	outJsonBool(json, "is_way", item->isWay);
	outJsonDouble(json, "held", item->held);
	outJsonDouble(json, "others", item->others);
	outJsonDouble(json, "deviation", item->deviation);
	putRatio(json, item->ratio);
	outJsonDouble(json, "share", item->share);
	outJsonEnd(json);
}

void diagnosePut(const struct diagnose *self)
{
	struct outJson *json = self->json;

	outJsonBool(json, "found", self->out->len > 0);
	outJsonArray(json, "verdicts", false);
	for (guint i = 0; i < self->out->len; i++)
		putVerdict(json, self->out->pdata[i]);
	outJsonEnd(json);
	printLayers(self, OUT_JSON);
	outJsonArray(json, "held", false);
	for (guint i = 0; i < self->outliers->len; i++)
		putHeld(json,
			&g_array_index(self->outliers, struct outlier, i));
	outJsonEnd(json);
	outJsonArray(json, "order", true);
	for (guint i = 0; i < self->layers->order->len; i++)
		outJsonText(json, NULL, self->layers->order->pdata[i]);
	outJsonEnd(json);
}

static void putLongest(const struct diagnose *self)
{
	struct outJson *json = self->json;
	struct relationsRun *relations = self->relations;
	struct forestRelation relation;

	outJsonArray(json, "longest", false);
	for (guint i = 0; i < self->longest->len; i++) {
		uint32_t number = g_array_index(self->longest, uint32_t, i);

		if (relationsFailed(relations, forestGet(relations->forest,
							 number, &relation)))
			break;
		outJsonObject(json, NULL, false);
		outJsonText(json, "token", relation.token);
		relationsPrintTree(relations, number);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void diagnosePrintJson(const struct diagnose *self)
{
	const struct layers *layers = self->layers;
	struct outJson *json = self->json;

	outJsonDocument(json, "hdtrace-diagnose");
	outJsonText(json, "project", layers->project->name);
	outJsonText(json, "file", layers->project->file);
	diagnosePut(self);
	if (layersLength(layers) > 0) {
		outJsonSeconds(json, "start_s", layers->time.start);
		outJsonSeconds(json, "end_s", layers->time.end);
	} else {
		outJsonPlain(json, "start_s", "null");
		outJsonPlain(json, "end_s", "null");
	}
	outJsonInteger(json, "early", (int64_t)layers->early);
	outJsonArray(json, "clocks", false);
	for (guint i = 0; i < layers->hosts->len; i++) {
		const struct layersHost *host =
			&g_array_index(layers->hosts, struct layersHost, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "node", rolesPath(host->node));
		outJsonSeconds(json, "shift_s", host->shift);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	putLongest(self);
	outJsonEnd(json);
}

/* ---- Text -------------------------------------------------------------- */

static void diagnosePrintPrintTime(const struct diagnose *self)
{
	const struct layers *layers = self->layers;

	if (layersLength(layers) == 0)
		return;
	printf("Pending operations per layer, from %.3f s to %.3f s:\n",
	       (double)(layers->time.start - self->start) / 1e9,
	       (double)(layers->time.end - self->start) / 1e9);
}

static void printNotes(const struct diagnose *self)
{
	const struct layers *layers = self->layers;

	if (layers->early)
		printf("%" PRIu64 " relations begin before their cause: the "
		       "clocks differ.\n",
		       layers->early);
	for (guint i = 0; i < layers->hosts->len; i++) {
		const struct layersHost *host =
			&g_array_index(layers->hosts, struct layersHost, i);
		char buffer[OUT_NUMBER_SIZE];

		if (host->shift == 0)
			continue;
		printf("Clock of ");
		outPrintable(host->node->path);
		printf(" corrected by %s s, so that no relation begins before "
		       "its cause.\n",
		       outSeconds(buffer, host->shift));
	}
	for (size_t i = 0; i < layers->count; i++) {
		const struct layer *layer = &layers->list[i];

		if (!layer->hasOperations || layer->isTold ||
		    isnan(layer->mean))
			continue;
		outPrintable(layer->node->path);
		printf(": ");
		outPrintable(layer->name);
		printf(": relations are incomplete: %.3f pending according to "
		       "them, %.3f according to the gauge.\n",
		       layer->little, layer->mean);
	}
}

void diagnosePrintText(const struct diagnose *self)
{
	diagnosePrintPrintTime(self);
	diagnosePrintLayers(self);
	putchar('\n');
	printNotes(self);
	diagnosePrintVerdicts(self);
	for (guint i = 0; i < self->longest->len; i++) {
		printf("\n%s\n", i ? "The next:" : "The longest request:");
		relationsPrintTree(self->relations,
				   g_array_index(self->longest, uint32_t, i));
	}
}
