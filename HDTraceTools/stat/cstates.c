/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * In which C-states the CPUs of nodes were.
 */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/stat/cstates.h"

/** Who has recorded a group. */
enum recorder { RECORDER_NONE, RECORDER_RUT, RECORDER_PT };

/** A cell, as it is found. */
struct found {
	guint row;
	guint column;
	struct shareCell cell;
};

/** The whole work. */
struct cstates {
	const struct scan *scan;
	const struct extent *run;
	struct shareTable *table;
	GArray *found; /**< struct found */
	/* While a group is read. */
	enum recorder recorder;
	GHashTable *cpus; /**< CPU as text to its row + 1. */
};

/* ---- Which value is what ----------------------------------------------- */

/** Take a name apart: "Share_cpu0-C1E", "Share_all-C1", "CPU_IDLE_0_C1E".
 *
 * @param[out] cpu "0" or "all", for the caller to free.
 * @param[out] state A part of the name.
 */
static enum recorder cstatesParseValue(const hdIValue *value, char **cpu,
				       const char **state)
{
	const char *begin = NULL, *end;
	bool isPt = strcmp(value->grouping, "CStates") == 0;

	if (value->type == HDI_STRING || strcmp(value->unit, "%") != 0)
		return RECORDER_NONE;
	if (isPt && (begin = strstr(value->name, "_cpu")))
		begin += strlen("_cpu");
	else if (isPt && (begin = strstr(value->name, "_all-")))
		begin += strlen("_");
	else if (strcmp(value->grouping, "IDLE") == 0 &&
		 g_str_has_prefix(value->name, "CPU_IDLE_"))
		begin = value->name + strlen("CPU_IDLE_");
	if (!begin)
		return RECORDER_NONE;
	end = begin + strcspn(begin, isPt ? "-" : "_");
	if (end == begin || !end[0] || !end[1])
		return RECORDER_NONE;
	*cpu = g_strndup(begin, (gsize)(end - begin));
	*state = end + 1;
	return isPt ? RECORDER_PT : RECORDER_RUT;
}

/** Whether a value is the share of time of one CPU in one state. */
static enum recorder recorderOf(const hdIValue *value, bool *isMean)
{
	char *cpu = NULL;
	const char *state;
	enum recorder recorder = cstatesParseValue(value, &cpu, &state);

	*isMean = cpu && !isdigit((unsigned char)*cpu);
	g_free(cpu);
	return recorder;
}

/** @param[out] hasCpus Whether there is more than the mean of all. */
static enum recorder groupRecorder(const hdIGroup *group, bool *hasCpus)
{
	enum recorder recorder = RECORDER_NONE;

	*hasCpus = false;
	for (size_t i = 0; i < group->valueCount; i++) {
		bool isMean;
		enum recorder other = recorderOf(&group->values[i], &isMean);

		recorder = MAX(recorder, other);
		if (other && !isMean)
			*hasCpus = true;
	}
	return recorder;
}

/** Of several groups of a node one counts: libPT's, for it tells C0, else the
 *  first. */
static bool isBest(const struct scan *scan, const hdIGroup *group)
{
	const hdINode *node = group->node;
	const hdIGroup *best = NULL;
	enum recorder bestRecorder = RECORDER_NONE;

	for (size_t i = 0; i < node->groupCount; i++) {
		bool hasCpus;
		enum recorder recorder =
			groupRecorder(node->groups[i], &hasCpus);

		if (scanHasGroup(scan, node->groups[i]) &&
		    recorder > bestRecorder) {
			best = node->groups[i];
			bestRecorder = recorder;
		}
	}
	return best == group;
}

/* ---- Reading ----------------------------------------------------------- */

/** Find the column of a state; it is added if there was none. */
static guint cstatesColumnOf(struct cstates *self, const char *state)
{
	GPtrArray *states = self->table->states;
	guint i = 0;

	while (i < states->len && strcmp(states->pdata[i], state) != 0)
		i++;
	if (i == states->len)
		g_ptr_array_add(states, g_string_chunk_insert(
						self->table->texts, state));
	return i;
}

/** Find the row of a CPU of the group that is read; likewise. */
static guint cstatesRowOf(struct cstates *self, const hdIGroup *group,
			  const char *cpu)
{
	gpointer known = g_hash_table_lookup(self->cpus, cpu);
	struct shareTable *table = self->table;
	char *copy;

	if (known)
		return GPOINTER_TO_UINT(known) - 1;
	copy = g_string_chunk_insert(table->texts, cpu);
	shareTableRow(table, group->node->path, copy);
	g_hash_table_insert(self->cpus, copy,
			    GUINT_TO_POINTER(table->nodes->len));
	return table->nodes->len - 1;
}

static void cstatesAddCell(struct cstates *self, guint row, guint column,
			   const struct moments *moments, hdIType type,
			   int64_t length)
{
	struct found found = {
		.row = row,
		.column = column,
		.cell = { NAN, -1, { (int64_t)moments->weight, length } },
	};

	if (moments->count)
		found.cell.amount = knownMean(found.cell.known,
					      momentsGet(moments, type).mean);
	g_array_append_val(self->found, found);
}

/** Take the results of a group; there is one phase. */
static void cstatesAddSlot(struct summary *summary,
			   const struct summarySlot *slot, size_t name)
{
	struct cstates *self = summary->data;
	const hdIGroup *group = summary->group;
	const struct selection *selection = self->scan->selection;
	int64_t length =
		extentLength(self->run, selection->start, selection->end);
	bool hasCpus;

	(void)name;
	groupRecorder(group, &hasCpus);
	for (size_t i = 0; i < summary->columnCount; i++) {
		const hdIValue *value = &group->values[summary->columns[i]];
		char *cpu = NULL;
		const char *state;

		/* The mean of all is no CPU more. */
		if (cstatesParseValue(value, &cpu, &state) == self->recorder &&
		    (!hasCpus || isdigit((unsigned char)*cpu)))
			cstatesAddCell(self, cstatesRowOf(self, group, cpu),
				       cstatesColumnOf(self, state),
				       &slot->moments[i], value->type, length);
		g_free(cpu);
	}
}

static bool cstatesAddBlock(const hdIBlock *block, void *data)
{
	summaryAddBlock(data, block);
	return true;
}

/** libRUT has no C0: it is what remains, of the CPUs from a row on. */
static void addWorking(struct cstates *self, guint firstRow, guint firstFound)
{
	guint count = self->found->len;

	for (guint row = firstRow; row < self->table->nodes->len; row++) {
		struct found rest = { .row = row,
				      .cell = { 100, -1, { INT64_MAX, 0 } } };

		for (guint i = firstFound; i < count; i++) {
			const struct found *found =
				&g_array_index(self->found, struct found, i);

			if (found->row != row)
				continue;
			rest.cell.amount -= found->cell.amount;
			rest.cell.known =
				knownOfAll(rest.cell.known, found->cell.known);
		}
		/* The kernel counts a sleep when it is over. */
		if (rest.cell.amount < 0)
			rest.cell.amount = 0;
		g_array_append_val(self->found, rest);
	}
}

static void cstatesReadGroup(const hdIGroup *group, void *data)
{
	struct cstates *self = data;
	guint row = self->table->nodes->len, found = self->found->len;
	struct phases phases;
	struct summary summary = {
		.group = group,
		.phases = &phases,
		.take = cstatesAddSlot,
		.data = self,
	};
	bool hasCpus;

	self->recorder = groupRecorder(group, &hasCpus);
	if (!self->recorder || !isBest(self->scan, group))
		return;
	self->cpus = g_hash_table_new(g_str_hash, g_str_equal);
	phasesInit(&phases);
	phasesAdd(&phases, self->scan->selection->start,
		  self->scan->selection->end, "");
	summaryStart(&summary, self->scan->selection);
	if (summary.columnCount)
		scanGroup(self->scan, group, cstatesAddBlock, &summary);
	summaryFinish(&summary);
	phasesFree(&phases);
	if (self->recorder == RECORDER_RUT)
		addWorking(self, row, found);
	g_hash_table_destroy(self->cpus);
}

/** Put what was found into the table; states that a CPU does not have are not
 *  known. */
static void fillTable(struct cstates *self)
{
	struct shareTable *table = self->table;
	const struct shareCell none = { NAN, -1, { 0, 0 } };
	guint columns = table->states->len;

	for (guint i = 0; i < table->nodes->len * columns; i++)
		g_array_append_val(table->cells, none);
	for (guint i = 0; i < self->found->len; i++) {
		const struct found *found =
			&g_array_index(self->found, struct found, i);

		g_array_index(table->cells, struct shareCell,
			      found->row * columns + found->column) =
			found->cell;
	}
}

struct shareTable *cstatesRead(const struct scan *scan,
			       const struct extent *run)
{
	struct cstates self = {
		.scan = scan,
		.run = run,
		.table = shareTableNew("cstates", "C-states of CPUs", "%"),
		.found = g_array_new(FALSE, FALSE, sizeof(struct found)),
	};

	cstatesColumnOf(&self, "C0");
	scanGroups(scan, cstatesReadGroup, &self);
	if (self.table->nodes->len) {
		fillTable(&self);
	} else {
		shareTableFree(self.table);
		self.table = NULL;
	}
	g_array_unref(self.found);
	return self.table;
}
