/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations as rows: the slowest, and the tree of one.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/relations/slowest.h"
#include "HDTraceTools/relations/relations.h"
#include "cli/known.h"
#include "cli/quantity.h"

/** More blanks than that say nothing. */
#define INDENT_MAX 60

static const struct rowColumn columns[] = {
	{ ">Start", NULL, ROW_TEXT, 0 },
	{ ">Total", "total_s", ROW_DURATION, 0 },
	{ ">Self", "self_s", ROW_DURATION, 0 },
	{ ">Waited", "wait_s", ROW_DURATION, 0 },
	{ ">Energy", "energy_j", ROW_NUMBER, ROW_DASH },
	{ "<Name", NULL, ROW_TEXT, 0 },
	{ "<Layer", "layer", ROW_TEXT, 0 },
	{ "<Host", "host", ROW_TEXT, 0 },
	{ "<Token", "token", ROW_TEXT, 0 },
	{ NULL, "parent", ROW_TEXT, 0 },
	{ NULL, "parent_found", ROW_FLAG, 0 },
	{ NULL, "node", ROW_TEXT, 0 },
	{ NULL, "name", ROW_TEXT, 0 },
	{ NULL, "depth", ROW_COUNT, 0 },
	{ NULL, "start_s", ROW_TIME, 0 },
	{ NULL, "end_s", ROW_TIME, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, "error", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_BEGAN,
	COLUMN_TOTAL,
	COLUMN_SELF,
	COLUMN_WAITED,
	COLUMN_ENERGY,
	COLUMN_TITLE,
	COLUMN_LAYER,
	COLUMN_HOST,
	COLUMN_TOKEN,
	COLUMN_PARENT,
	COLUMN_FOUND,
	COLUMN_NODE,
	COLUMN_NAME,
	COLUMN_DEPTH,
	COLUMN_START,
	COLUMN_END,
	COLUMN_KNOWN,
	COLUMN_DURATION,
	COLUMN_ERROR,
};

/* ---- Rows -------------------------------------------------------------- */

static void beginRows(struct relationsRun *self)
{
	self->rows = rowsNew(columns, self->format, self->json);
	rowsHeader(self->rows);
	if (self->format == OUT_JSON)
		outJsonArray(self->json, "relations", false);
}

static void endRows(struct relationsRun *self)
{
	if (self->format == OUT_JSON)
		outJsonEnd(self->json);
	rowsPrint(self->rows, "  ", self->tool->isColored);
	rowsFree(self->rows);
	self->rows = NULL;
}

void relationsShowEnergy(struct rows *rows, size_t column,
			 const struct attributionAmount *amount,
			 int64_t duration)
{
	char number[OUT_NUMBER_SIZE];
	char text[2 * OUT_NUMBER_SIZE];

	if (amount->measured <= 0)
		return;
	snprintf(text, sizeof(text), "%s%s",
		 knownMark((struct known){ amount->measured, duration }),
		 quantityText(number, attributionEnergy(amount), "J"));
	rowsNumber(rows, column, attributionEnergy(amount));
	rowsShow(rows, column, text);
}

/** The name as people read it. */
static void showTitle(struct relationsRun *self,
		      const struct forestRelation *relation, uint32_t indent,
		      bool isMarked)
{
	const char *error = forestError(relation);
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < MIN(indent, INDENT_MAX); i++)
		g_string_append(text, "  ");
	g_string_append(text, isMarked ? "* " : "");
	g_string_append(text, relation->name ? relation->name : "-");
	if (relation->end == HDI_NEVER)
		g_string_append(text, " (never ended)");
	if (forestIsCircular(self->forest, relation->number))
		g_string_append(text, " (circular cause)");
	else if (relation->parent && !relation->isParentFound)
		g_string_append(text, " (cause not found)");
	if (error)
		g_string_append_printf(text, " (failed: %s)", error);
	rowsText(self->rows, COLUMN_TITLE, text->str);
	g_string_free(text, TRUE);
}

static void relationsListPutState(struct outJson *json,
				  const hdIRelationState *state)
{
	outJsonObject(json, NULL, true);
	outJsonText(json, "name", state->name);
	outJsonSeconds(json, "start_s", state->start);
	if (state->end == HDI_NEVER)
		outJsonPlain(json, "end_s", "null");
	else
		outJsonSeconds(json, "end_s", state->end);
	outJsonInteger(json, "depth", state->depth);
	outJsonObject(json, "attributes", true);
	for (size_t i = 0; i < state->attributeCount; i++)
		outJsonText(json, state->attributes[i].name,
			    state->attributes[i].value);
	outJsonEnd(json);
	outJsonEnd(json);
}

/** What rows do not have. */
static void putLists(struct outJson *json,
		     const struct forestRelation *relation)
{
	outJsonArray(json, "links", true);
	for (size_t i = 0; i < relation->linkCount; i++)
		outJsonText(json, NULL, relation->links[i]);
	outJsonEnd(json);
	outJsonArray(json, "states", false);
	for (size_t i = 0; i < relation->stateCount; i++)
		relationsListPutState(json, &relation->states[i]);
	outJsonEnd(json);
	if (relation->span)
		outJsonText(json, "parent_span", relation->span);
	outJsonEnd(json);
}

static void relationsListPrintRow(struct relationsRun *self,
				  const struct forestRelation *relation,
				  uint32_t indent, bool isMarked)
{
	struct rows *rows = self->rows;
	struct forestTimes times = forestTimesOf(self->forest, relation);
	struct attributionAmount amount;
	char buffer[OUT_NUMBER_SIZE];

	if (relationsFailed(self,
			    joulesGet(self->joules, relation->number, &amount)))
		return;
	rowsText(rows, COLUMN_BEGAN,
		 outDuration(buffer, relation->start - self->start));
	rowsTime(rows, COLUMN_TOTAL, times.total);
	rowsTime(rows, COLUMN_SELF, times.self);
	rowsTime(rows, COLUMN_WAITED, times.waited);
	relationsShowEnergy(rows, COLUMN_ENERGY, &amount, times.active);
	showTitle(self, relation, indent, isMarked);
	rowsText(rows, COLUMN_NAME, relation->name);
	rowsText(rows, COLUMN_LAYER, relation->file->file->node->label);
	rowsText(rows, COLUMN_HOST, relation->file->host);
	rowsText(rows, COLUMN_TOKEN, relation->token);
	rowsText(rows, COLUMN_PARENT, relation->parent);
	rowsFlag(rows, COLUMN_FOUND, relation->isParentFound);
	rowsText(rows, COLUMN_NODE, relation->file->file->node->path);
	rowsCount(rows, COLUMN_DEPTH, relation->depth);
	rowsTime(rows, COLUMN_START, relation->start);
	if (relation->end != HDI_NEVER)
		rowsTime(rows, COLUMN_END, relation->end);
	rowsTime(rows, COLUMN_KNOWN, amount.measured);
	rowsTime(rows, COLUMN_DURATION, times.active);
	rowsText(rows, COLUMN_ERROR, forestError(relation));
	if (self->format != OUT_JSON) {
		rowsEnd(rows);
		return;
	}
	rowsPut(rows);
	putLists(self->json, relation);
}

static void printNumber(struct relationsRun *self, uint32_t number,
			uint32_t indent, bool isMarked)
{
	struct forestRelation relation;

	if (!relationsFailed(self, forestGet(self->forest, number, &relation)))
		relationsListPrintRow(self, &relation, indent, isMarked);
}

/* ---- The slowest ------------------------------------------------------- */

static void relationsListChooseSlowest(struct relationsRun *self,
				       struct slowest *slowest)
{
	struct forestRelation relation;

	for (uint32_t i = 0; i < forestCount(self->forest); i++) {
		if (relationsFailed(self,
				    forestGet(self->forest, i, &relation)))
			return;
		if (relationsWants(self, &relation) &&
		    relationsFailed(self, slowestAdd(slowest, &relation)))
			return;
	}
}

void relationsPrintList(struct relationsRun *self)
{
	struct slowest *slowest =
		slowestNew(self->top >= 0             ? (size_t)self->top
			   : self->format == OUT_TEXT ? RELATIONS_TOP
						      : SIZE_MAX);
	uint32_t number;
	int ret = 1;

	relationsListChooseSlowest(self, slowest);
	beginRows(self);
	while (!toolIsOutputBroken() && !self->tool->hasFailed &&
	       (ret = slowestNext(slowest, &number)) == 1)
		printNumber(self, number, 0, false);
	relationsFailed(self, ret);
	endRows(self);
	slowestFree(slowest);
}

void relationsPrintNumbers(struct relationsRun *self, const GArray *numbers)
{
	beginRows(self);
	for (guint i = 0; i < numbers->len; i++)
		printNumber(self, g_array_index(numbers, uint32_t, i), 0,
			    false);
	endRows(self);
}

/* ---- The tree of one --------------------------------------------------- */

/** For those of one cause, the first last. */
static gint relationsListCompareStarts(gconstpointer left, gconstpointer right,
				       gpointer forest)
{
	const uint32_t *a = left, *b = right;
	int64_t x = forestStart(forest, *a), y = forestStart(forest, *b);

	if (x != y)
		return x < y ? 1 : -1;
	return *a < *b ? 1 : -1;
}

/** Put what a relation caused on a stack. */
static void pushChildren(struct relationsRun *self, GArray *stack,
			 uint32_t number)
{
	GArray *children = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t child = forestChild(self->forest, number);

	for (; child != FOREST_NONE; child = forestSibling(self->forest, child))
		g_array_append_val(children, child);
	g_array_sort_with_data(children, relationsListCompareStarts,
			       self->forest);
	g_array_append_vals(stack, children->data, children->len);
	g_array_unref(children);
}

/** Keep the name of a host, in the order in which they are met. */
static void addHost(GPtrArray *hosts, const char *host)
{
	if (!g_ptr_array_find_with_equal_func(hosts, host, g_str_equal, NULL))
		g_ptr_array_add(hosts, (gpointer)host);
}

static void printOne(struct relationsRun *self, uint32_t number, uint32_t asked,
		     GPtrArray *hosts)
{
	struct forestRelation relation;

	if (relationsFailed(self, forestGet(self->forest, number, &relation)))
		return;
	addHost(hosts, relation.file->host);
	/* Where there is room for all, what is printed first depends on
	 * nothing: its depth is 0. */
	relationsListPrintRow(self, &relation, relation.depth, number == asked);
}

static void relationsListPrintHosts(struct relationsRun *self,
				    const GPtrArray *hosts)
{
	if (self->format == OUT_JSON) {
		outJsonArray(self->json, "hosts", true);
		for (guint i = 0; i < hosts->len; i++)
			outJsonText(self->json, NULL, hosts->pdata[i]);
		outJsonEnd(self->json);
	}
	if (self->format != OUT_TEXT)
		return;
	printf("\nHosts: ");
	for (guint i = 0; i < hosts->len; i++) {
		printf("%s", i ? ", " : "");
		outPrintable(hosts->pdata[i]);
	}
	putchar('\n');
}

/** Print what caused one, from the first on; where there is not room for it
 *  and all of these, the nearest. Returns how many were printed. */
static uint64_t printCauses(struct relationsRun *self, uint32_t number,
			    GPtrArray *hosts, uint64_t *leftOut)
{
	GArray *way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t at = forestParent(self->forest, number);
	uint64_t count;

	for (; at != FOREST_NONE; at = forestParent(self->forest, at))
		g_array_append_val(way, at);
	count = self->room ? MIN(way->len, self->room - 1) : way->len;
	*leftOut = way->len - count;
	for (uint64_t i = count; i-- > 0;)
		printOne(self, g_array_index(way, uint32_t, i), number, hosts);
	g_array_unref(way);
	return count;
}

/** Say what a tree was probably caused by: never a part of it. */
static void printInferred(struct relationsRun *self, uint32_t number)
{
	const struct inferredCause *cause;
	char buffer[OUT_NUMBER_SIZE];
	uint32_t root = number, parent;

	while ((parent = forestParent(self->forest, root)) != FOREST_NONE)
		root = parent;
	cause = inferredOf(self->inferred, root);
	if (!cause)
		return;
	if (self->format == OUT_JSON) {
		outJsonObject(self->json, "inferred_cause", true);
		outJsonText(self->json, "node", cause->trace->node->path);
		outJsonText(self->json, "state", cause->name);
		if (cause->name) {
			outJsonSeconds(self->json, "start_s", cause->start);
			outJsonSeconds(self->json, "end_s", cause->end);
		} else {
			outJsonPlain(self->json, "start_s", "null");
			outJsonPlain(self->json, "end_s", "null");
		}
		outJsonEnd(self->json);
	}
	if (self->format != OUT_TEXT)
		return;
	printf("Probable cause, from process and time: ");
	outPrintable(cause->trace->node->path);
	printf(", ");
	outPrintable(cause->name ? cause->name : "outside its states");
	if (cause->name)
		printf(", which took %s",
		       outDuration(buffer, cause->end - cause->start));
	putchar('\n');
}

void relationsPrintTree(struct relationsRun *self, uint32_t number)
{
	GArray *stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GPtrArray *hosts = g_ptr_array_new();
	uint64_t count, leftOut;

	beginRows(self);
	count = printCauses(self, number, hosts, &leftOut);
	g_array_append_val(stack, number);
	while (stack->len > 0 && !toolIsOutputBroken() &&
	       !self->tool->hasFailed) {
		uint32_t at = g_array_index(stack, uint32_t, stack->len - 1);

		g_array_set_size(stack, stack->len - 1);
		if (self->room && count >= self->room)
			leftOut++;
		else
			printOne(self, at, number, hosts);
		count++;
		pushChildren(self, stack, at);
	}
	endRows(self);
	if (self->room && self->format == OUT_JSON)
		outJsonInteger(self->json, "left_out", (int64_t)leftOut);
	else if (leftOut > 0 && self->format == OUT_TEXT)
		printf("  and %" PRIu64 " more\n", leftOut);
	relationsListPrintHosts(self, hosts);
	if (self->inferred)
		printInferred(self, number);
	g_ptr_array_unref(hosts);
	g_array_unref(stack);
}
