/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run that is compared, from its project; see trial.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "PredictionLibrary/command/compare/trial.h"
#include "cli/known.h"
#include "common/clock.h"
#include "common/format/level.h"

/* Idle power is the mean of a second or more, this long after the last task: by
 * then power has followed the load. */
#define IDLE_AFTER_NS (HD_NS_PER_S / 4)
#define IDLE_LEAST_NS HD_NS_PER_S

/* Power that is known for less of a run tells no energy. */
#define KNOWN_LEAST 0.95

/* A project while it is read. */
struct reading {
	struct trial *trial;
	struct trialRun *run;
	size_t number;
	const hdIProject *project;
	struct trialUse use;        /* Of the trace. */
	double transfers;           /* Waited for, in it. */
	double parts;               /* Tasks that another PE is the first of. */
	bool hasTasks, hasMessages; /* In it. */
	bool isIdleKnown, isPowerKnown; /* Of all groups. */
	size_t powers;
};

/* A number that an attribute has, or NaN. */
static double trialReadNumberOf(const hdIValue *value, const char *name)
{
	const char *text =
		attributeFind(value->attributes, value->attributeCount, name);
	char *end;
	double number = text ? g_ascii_strtod(text, &end) : NAN;

	return text && end != text && !*end ? number : NAN;
}

/* ---- States ------------------------------------------------------------ */

/* A further PE of a task is as busy, but it is one task. */
static void trialReadAddPart(struct reading *self, const hdIRecord *record)
{
	self->hasTasks = true;
	self->parts++;
	self->use.busy += (double)(record->end - record->start) / 1e9;
}

static void takeTask(struct reading *self, const hdIRecord *record,
		     const char *id)
{
	struct trial *trial = self->trial;
	double seconds = (double)(record->end - record->start) / 1e9;
	struct trialTask *task = g_hash_table_lookup(trial->taskById, id);
	struct trialUse *kernel =
		trialUseOf(trial, TRIAL_KERNEL, record->name, self->number);

	self->hasTasks = true;
	self->use.count++;
	self->use.busy += seconds;
	kernel->count++;
	kernel->busy += seconds;
	if (!task) {
		task = g_new0(struct trialTask, 1);
		task->id = g_strdup(id);
		task->kernel = g_strdup(record->name);
		task->durations = g_new(double, trial->count);
		for (size_t i = 0; i < trial->count; i++)
			task->durations[i] = NAN;
		g_ptr_array_add(trial->tasks, task);
		g_hash_table_insert(trial->taskById, task->id, task);
	}
	task->durations[self->number] = seconds;
}

static void trialReadAddMessage(struct reading *self, const hdIRecord *record)
{
	const char *size = attributeFind(record->attributes,
					 record->attributeCount, "size");

	self->hasMessages = true;
	self->use.count++;
	self->use.busy += (double)(record->end - record->start) / 1e9;
	self->use.bytes += size ? g_ascii_strtod(size, NULL) : 0;
}

static bool trialReadAddRecord(const hdIRecord *record, void *data)
{
	struct reading *self = data;
	const char *id = attributeFind(record->attributes,
				       record->attributeCount, "task");
	/* What has a task is one, whatever its kernel is called. */
	bool isTransfer = !id && (strcmp(record->name, "Bsend") == 0 ||
				  strcmp(record->name, "Transfer") == 0);
	bool isReceived = !id && g_str_has_prefix(record->name, "Wait");
	double seconds = (double)(record->end - record->start) / 1e9;

	if (record->kind != HDI_STATE)
		return true;
	self->run->start = MIN(self->run->start, record->start);
	self->run->end = MAX(self->run->end, record->end);
	if (isTransfer)
		trialReadAddMessage(self, record);
	else if (id && attributeFind(record->attributes, record->attributeCount,
				     "partOf"))
		trialReadAddPart(self, record);
	else if (id)
		takeTask(self, record, id);
	else if (isReceived || strcmp(record->name, "Blocked") == 0)
		self->use.waiting += seconds;
	if (isReceived)
		self->transfers += seconds;
	return true;
}

static void trialReadAddUse(struct trialUse *sum, const struct trialUse *use)
{
	sum->count += use->count;
	sum->busy += use->busy;
	sum->waiting += use->waiting;
	sum->bytes += use->bytes;
}

/* A trace of a PE has tasks, one of a link messages. */
static void trialReadAddTrace(const hdITraceFile *trace, void *data)
{
	struct reading *self = data;
	struct scan scan = { .tool = &self->trial->tool,
			     .project = self->project };
	const hdINode *rank =
		rolesAt(trace->node, rolesRankLevel(self->project));
	const hdINode *host =
		rolesAt(trace->node, rolesLevel(self->project, HD_LEVEL_HOST));
	char *name = g_strdup_printf("%s/%s", host->label, rank->label);

	self->use = (struct trialUse){ .isThere = true };
	self->transfers = 0;
	self->parts = 0;
	self->hasTasks = self->hasMessages = false;
	scanTrace(&scan, trace, trialReadAddRecord, self);
	if (self->hasTasks) {
		struct trialUse *pe =
			trialUseOf(self->trial, TRIAL_PE, name, self->number);

		trialReadAddUse(pe, &self->use);
		pe->count += self->parts;
		trialReadAddUse(trialUseOf(self->trial, TRIAL_NODE, host->label,
					   self->number),
				&self->use);
		self->run->pes++;
		self->run->busy += self->use.busy;
		self->run->transfers += self->transfers;
	} else if (self->hasMessages) {
		trialReadAddUse(
			trialUseOf(self->trial, TRIAL_LINK, name, self->number),
			&self->use);
	}
	g_free(name);
}

/* ---- Power ------------------------------------------------------------- */

/* Mean power in a time, if that is long enough; or NaN. */
static double trialReadMeanOf(struct powerCursor *cursor, int64_t start,
			      int64_t end)
{
	struct powerAmount amount;
	struct known known;

	if (end - start < IDLE_LEAST_NS)
		return NAN;
	amount = powerCursorGet(cursor, start, end);
	known = (struct known){ amount.measured, end - start };
	return amount.measured < IDLE_LEAST_NS
		       ? NAN
		       : knownMean(known,
				   amount.energy /
					   ((double)amount.measured / 1e9));
}

/* Idle power of the node of a group: as given for what was measured, as the
 * value says, or after the run, or before. */
static double trialReadIdleOf(const struct reading *self,
			      const struct findingsGroup *group,
			      const struct powerSeries *series,
			      struct powerCursor *cursor)
{
	double idle = self->number > 0 ? self->trial->idle : NAN;
	int64_t start, end;

	if (!isnan(idle))
		return idle;

	for (size_t i = 0; i < group->group->valueCount; i++) {
		double own =
			trialReadNumberOf(&group->group->values[i], "idle");

		if (group->isPower[i] && !isnan(own))
			return own;
	}
	if (powerSeriesRange(series, &start, &end)) {
		idle = trialReadMeanOf(cursor, self->run->end + IDLE_AFTER_NS,
				       end);
		if (isnan(idle))
			idle = trialReadMeanOf(cursor, start, self->run->start);
	}
	return idle;
}

static void trialReadAddPower(struct reading *self,
			      const struct findingsGroup *group,
			      const struct powerSeries *series,
			      struct powerCursor *cursor)
{
	const struct trialRun *run = self->run;
	double seconds = (double)(run->end - run->start) / 1e9;
	struct powerAmount amount =
		powerCursorGet(cursor, run->start, run->end);
	double known = (double)amount.measured / 1e9;
	double idle = trialReadIdleOf(self, group, series, cursor);
	const hdINode *host = rolesAt(group->group->node,
				      rolesLevel(self->project, HD_LEVEL_HOST));
	struct trialUse *use =
		trialUseOf(self->trial, TRIAL_NODE, host->label, self->number);

	self->run->known =
		self->powers++ ? fmin(self->run->known, known) : known;
	if (known < KNOWN_LEAST * seconds || !(known > 0)) {
		self->isPowerKnown = false;
		return;
	}
	use->energy = (isnan(use->energy) ? 0 : use->energy) +
		      amount.energy / known * seconds;
	use->dynamic = (isnan(use->dynamic) ? 0 : use->dynamic) +
		       (amount.energy / known - idle) * seconds;
	self->isIdleKnown &= !isnan(idle);
	self->run->idle += idle;
	self->run->values[TRIAL_TOTAL] += amount.energy / known * seconds;
}

static void trialReadAddInterval(struct reading *self, const hdIGroup *group)
{
	static const char *const names[TRIAL_MEASURES][2] = {
		{ "timeLow", "timeHigh" },
		{ "dynamicLow", "dynamicHigh" },
		{ "totalLow", "totalHigh" },
	};

	for (size_t i = 0; i < group->valueCount; i++) {
		if (isnan(trialReadNumberOf(&group->values[i], names[0][0])))
			continue;
		for (int k = 0; k < TRIAL_MEASURES; k++) {
			self->run->low[k] = trialReadNumberOf(&group->values[i],
							      names[k][0]);
			self->run->high[k] = trialReadNumberOf(
				&group->values[i], names[k][1]);
		}
	}
}

static void trialReadAddGroup(struct reading *self,
			      const struct findingsGroup *group)
{
	struct scan scan = { .tool = &self->trial->tool,
			     .project = self->project };
	struct powerSeries *series;
	struct powerCursor *cursor;

	trialReadAddInterval(self, group->group);
	if (!group->powerCount || !group->countsForTotal)
		return;
	series = powerSeriesOfNode(group->group, group->isPower);
	if (scanSeries(&scan, group->group, series) < 0) {
		self->isPowerKnown = false;
	} else {
		cursor = powerCursorNew(series);
		trialReadAddPower(self, group, series, cursor);
		powerCursorFree(cursor);
	}
	powerSeriesFree(series);
}

/* ---- Memory, and pending messages -------------------------------------- */

/* A gauge of a node over the time of a run. */
struct trialGauge {
	const struct trialRun *run;
	const hdIValue *value;
	size_t column;
	double most, sum; /* The sum is by seconds. */
	int64_t known;
};

static bool trialReadAddGauge(const hdIBlock *block, void *data)
{
	struct trialGauge *self = data;

	for (size_t i = 0; i < block->count; i++) {
		const hdIColumn *column = &block->columns[self->column];
		double value = (double)column->int64[i];
		int64_t start = MAX(block->start[i], self->run->start);
		int64_t end = MIN(block->end[i], self->run->end);

		if (end <= start || columnIsMissing(self->value, column, i))
			continue;
		self->most = fmax(self->most, value);
		self->sum += value * (double)(end - start);
		self->known += end - start;
	}
	return true;
}

static void trialReadGauge(struct reading *self, const hdIGroup *group,
			   const char *value, double *most, double *mean)
{
	struct scan scan = { .tool = &self->trial->tool,
			     .project = self->project };
	struct trialGauge gauge = { .run = self->run, .most = 0 };

	while (gauge.column < group->valueCount &&
	       strcmp(group->values[gauge.column].name, value) != 0)
		gauge.column++;
	if (gauge.column == group->valueCount ||
	    group->values[gauge.column].type != HDI_INT64)
		return;
	gauge.value = &group->values[gauge.column];
	scanGroup(&scan, group, trialReadAddGauge, &gauge);
	if (!gauge.known)
		return;
	*most = gauge.most;
	*mean = gauge.sum / (double)gauge.known;
}

static void trialReadAddGauges(struct reading *self, const hdIGroup *group)
{
	const hdINode *host =
		rolesAt(group->node, rolesLevel(self->project, HD_LEVEL_HOST));
	struct trialUse *use;

	if (!host || (strcmp(group->name, "Memory") != 0 &&
		      strcmp(group->name, "Transfers") != 0))
		return;
	use = trialUseOf(self->trial, TRIAL_NODE, host->label, self->number);
	if (strcmp(group->name, "Memory") == 0)
		trialReadGauge(self, group, "Used", &use->memoryPeak,
			       &use->memoryMean);
	else
		trialReadGauge(self, group, "Pending", &use->pendingMost,
			       &use->pendingMean);
}

/* ---- All of it --------------------------------------------------------- */

static void trialReadAddAll(struct reading *self,
			    const struct findings *findings)
{
	struct trialRun *run = self->run;
	struct scan scan = { .tool = &self->trial->tool,
			     .project = self->project };
	double seconds;

	scanTraces(&scan, trialReadAddTrace, self);
	if (run->start > run->end)
		return;
	seconds = (double)(run->end - run->start) / 1e9;
	run->values[TRIAL_TIME] = seconds;
	run->values[TRIAL_TOTAL] = 0;
	run->idle = 0;
	for (size_t i = 0; i < self->project->groupCount; i++) {
		trialReadAddGroup(self, &findings->groups[i]);
		trialReadAddGauges(self, findings->groups[i].group);
	}
	if (!self->powers || !self->isPowerKnown)
		run->values[TRIAL_TOTAL] = NAN;
	if (!self->powers || !self->isIdleKnown)
		run->idle = NAN;
	run->values[TRIAL_DYNAMIC] =
		run->values[TRIAL_TOTAL] - run->idle * seconds;
}

/* Say what is wrong with a project, as far as it matters. */
static void sayProblems(const struct findings *findings)
{
	const GArray *list = findings->diagnostics.list;

	for (guint i = 0; i < list->len && i < PREDICT_SHOWN; i++) {
		const struct findingsDiagnostic *message =
			&g_array_index(list, struct findingsDiagnostic, i);
		GString *line;

		if (message->severity == HDI_NOTE)
			continue;
		line = g_string_new(NULL);
		toolFormatDiagnostic(line, message->severity, message->rule,
				     message->file, message->offset,
				     message->text);
		outSay(stderr, "%s", line->str);
		g_string_free(line, TRUE);
	}
}

static bool trialReadReadProject(struct trial *self, struct findings *findings,
				 struct reading *reading)
{
	hdIProject *project = findingsOpen(findings, reading->run->path);
	bool isGood;

	if (!project)
		return false;
	reading->project = project;
	isGood = findingsStart(findings, project) == 0;
	if (isGood)
		trialReadAddAll(reading, findings);
	findingsEnd(findings);
	hdI_closeProject(project);
	sayProblems(findings);
	self->tool.take = NULL;
	if (isGood && !reading->run->pes) {
		predictError(self->predict, "%s: contains no tasks",
			     reading->run->path);
		return false;
	}
	return isGood && !self->tool.hasFailed;
}

bool trialRead(struct trial *self, size_t run)
{
	struct reading reading = { .trial = self,
				   .run = &self->runs[run],
				   .number = run,
				   .isIdleKnown = true,
				   .isPowerKnown = true };
	struct findings findings;
	bool isGood;

	reading.run->start = INT64_MAX;
	reading.run->end = INT64_MIN;
	for (int k = 0; k < TRIAL_MEASURES; k++)
		reading.run->values[k] = reading.run->low[k] =
			reading.run->high[k] = NAN;
	findingsInit(&findings, &self->tool);
	findings.isPowerOnly = true;
	findings.isAsRecorded = self->isAsRecorded;
	isGood = trialReadReadProject(self, &findings, &reading);
	findingsClear(&findings);
	return isGood;
}
