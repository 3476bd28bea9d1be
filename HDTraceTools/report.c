/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file report.c
 * hdtrace report: finds out what a run did and drew.
 *
 * One pass through every .stat file, and one through every .trc file together
 * with the power of its node.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "report.h"

/** What most intervals are like is told from so many at the beginning. */
#define PROBE_SIZE 4096

/** A group while it is read. */
struct reading {
	struct report *report;
	struct reportGroup *group;
	GArray *probe; /**< struct reportSpan, the first intervals. */
	bool isProbed;
	int64_t last; /**< End of the entry before. */
};

/* ---- Energy ------------------------------------------------------------ */

struct bound reportBound(const struct reportGroup *group, size_t value)
{
	return boundGet(group->group, &group->group->values[value],
			&group->moments[value], group->gaps.count + 1,
			group->shortest);
}

double reportTotal(const struct reportGroup *group, size_t value, double *bound,
		   char **unit)
{
	const hdIValue *of = &group->group->values[value];
	const struct moments *moments = &group->moments[value];
	struct momentsResult result = momentsGet(moments, of->type);
	struct bound bounds = reportBound(group, value);

	*unit = NULL;
	*bound = NAN;
	if (of->type == HDI_STRING || moments->count == 0)
		return NAN;
	if (unitIsPower(of->unit) || g_str_has_suffix(of->unit, "/s")) {
		*unit = momentsIntegralUnit(of->unit);
		*bound = bounds.isKnown ? bounds.integral : NAN;
		return result.integral;
	}
	if (!unitIsEnergy(of->unit))
		return NAN;
	*unit = g_strdup(of->unit);
	*bound = bounds.isKnown ? bounds.sum : NAN;
	return result.sum;
}

struct reportEnergy reportGroupEnergy(const struct reportGroup *group,
				      const struct moments *moments)
{
	struct reportEnergy energy = { .hasBound = true };

	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		double scale = unitParse(value->unit).scale;
		bool isPower = unitIsPower(value->unit);
		struct momentsResult result;
		struct bound bound;

		if (!group->isPower[i] || moments[i].count == 0)
			continue;
		result = momentsGet(&moments[i], value->type);
		bound = boundGet(group->group, value, &moments[i],
				 group->gaps.count + 1, group->shortest);
		energy.isKnown = true;
		energy.joules +=
			scale * (isPower ? result.integral : result.sum);
		energy.bound += scale * (isPower ? bound.integral : bound.sum);
		energy.hasBound &= bound.isKnown;
		energy.isSimulated |= valueIsSimulated(group->group, value);
		energy.seconds =
			MAX(energy.seconds, (double)moments[i].weight / 1e9);
	}
	energy.hasBound &= energy.isKnown;
	return energy;
}

void reportEnergyAdd(struct reportEnergy *sum,
		     const struct reportEnergy *energy)
{
	if (!energy->isKnown)
		return;
	sum->hasBound = energy->hasBound && (sum->hasBound || !sum->isKnown);
	sum->isKnown = true;
	sum->joules += energy->joules;
	sum->bound += energy->bound;
	sum->isSimulated |= energy->isSimulated;
	sum->seconds = MAX(sum->seconds, energy->seconds);
}

/** Whether names are the same but for numbers: those of sockets, say. */
static bool areAlike(const char *a, const char *b)
{
	for (;;) {
		while (g_ascii_isdigit(*a))
			a++;
		while (g_ascii_isdigit(*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/**
 * Choose the values that the energy of a node is told from: those in W, else
 * those in J, that match, or else that are alike the first one.
 */
static void choosePower(const struct report *report, struct reportGroup *group)
{
	const hdIGroup *of = group->group;

	for (int isEnergy = 0; isEnergy < 2 && !group->powerCount; isEnergy++) {
		const char *first = NULL;

		for (size_t i = 0; i < of->valueCount; i++) {
			const hdIValue *value = &of->values[i];

			if (value->type == HDI_STRING ||
			    !(isEnergy ? unitIsEnergy(value->unit)
				       : unitIsPower(value->unit)))
				continue;
			if (report->power
				    ? fnmatch(report->power, value->name, 0)
				    : first && !areAlike(first, value->name))
				continue;
			if (!first)
				first = value->name;
			group->isPower[i] = true;
			group->powerCount++;
		}
	}
}

/** Of a node only the first group with power counts, and only if no node
 *  above has one. */
static void choosePowers(struct report *report)
{
	const hdIProject *project = report->project;
	GHashTable *nodes = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];
		const hdINode *node = project->groups[i]->node;

		group->isPower =
			g_new0(bool, project->groups[i]->valueCount + 1);
		if (g_hash_table_contains(nodes, node))
			continue;
		choosePower(report, group);
		if (!group->powerCount)
			continue;
		group->energyIndex = report->energyCount++;
		g_hash_table_add(nodes, (gpointer)node);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdINode *node = project->groups[i]->node->parent;

		while (node && !g_hash_table_contains(nodes, node))
			node = node->parent;
		report->groups[i].countsForTotal = !node;
	}
	g_hash_table_destroy(nodes);
}

/* ---- Statistics -------------------------------------------------------- */

static void addSpan(struct reportSpans *spans, int64_t start, int64_t end)
{
	struct reportSpan span = { start, end };

	if (!spans->list)
		spans->list = g_array_new(FALSE, FALSE, sizeof(span));
	if (spans->count++ < REPORT_KEPT)
		g_array_append_val(spans->list, span);
	spans->total += end - start;
}

static gint compareLengths(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static void judge(struct reportGroup *group, int64_t start, int64_t end)
{
	if (group->usual && end - start >= group->usual + group->usual / 2)
		addSpan(&group->late, start, end);
}

/** Tell the usual length of an interval, if there is one. */
static void endProbe(struct reading *work)
{
	struct reportGroup *group = work->group;
	GArray *lengths = g_array_new(FALSE, FALSE, sizeof(int64_t));
	guint count = work->probe->len;
	guint near = 0;
	int64_t median = 0;

	for (guint i = 0; i < count; i++) {
		const struct reportSpan *span =
			&g_array_index(work->probe, struct reportSpan, i);
		int64_t length = span->end - span->start;

		g_array_append_val(lengths, length);
	}
	g_array_sort(lengths, compareLengths);
	if (count)
		median = g_array_index(lengths, int64_t, count / 2);
	for (guint i = 0; i < count; i++) {
		int64_t length = g_array_index(lengths, int64_t, i);

		near += length > median / 2 && length < median + median / 2;
	}
	/* Who writes when something happens has no usual interval. */
	if (count >= 4 && near >= count - count / 4)
		group->usual = median;
	for (guint i = 0; i < count; i++) {
		const struct reportSpan *span =
			&g_array_index(work->probe, struct reportSpan, i);

		judge(group, span->start, span->end);
	}
	g_array_unref(lengths);
	work->isProbed = true;
}

static void addInterval(struct reading *work, int64_t start, int64_t end)
{
	struct reportSpan span = { start, end };

	if (end > start)
		work->group->shortest = MIN(work->group->shortest, end - start);
	if (work->isProbed) {
		judge(work->group, start, end);
		return;
	}
	g_array_append_val(work->probe, span);
	if (work->probe->len == PROBE_SIZE)
		endProbe(work);
}

static void addBlock(struct reading *work, const hdIBlock *block)
{
	struct reportGroup *group = work->group;

	for (size_t i = 0; i < group->group->valueCount; i++)
		momentsAdd(&group->moments[i], group->group->values[i].type,
			   &block->columns[i], block, 0, block->count);
	for (size_t i = 0; i < block->count; i++) {
		if (block->isAfterGap[i])
			addSpan(&group->gaps, MIN(work->last, block->start[i]),
				block->start[i]);
		addInterval(work, block->start[i], block->end[i]);
		work->last = block->end[i];
	}
	group->entries += block->count;
	group->start = MIN(group->start, block->start[0]);
	group->end = MAX(group->end, block->end[block->count - 1]);
}

/** A phase of a group is over. */
static void takePhase(struct summary *summary, const struct summarySlot *slot,
		      size_t name)
{
	struct reading *work = summary->data;
	struct report *report = work->report;
	size_t index = report->isByName ? name : summary->phase;
	struct reportPhase *phase =
		&g_array_index(report->phases, struct reportPhase, index);
	struct reportEnergy *energy = &phase->groups[work->group->energyIndex];

	*energy = reportGroupEnergy(work->group, slot->moments);
	if (work->group->countsForTotal)
		reportEnergyAdd(&phase->energy, energy);
}

static void readGroup(struct report *report, struct reportGroup *group)
{
	struct reading work = { .report = report, .group = group };
	struct summary summary = {
		.group = group->group,
		.phases = &report->phaseList,
		.isByName = report->isByName,
		.take = takePhase,
		.data = &work,
	};
	bool hasPhases = report->hasPhases && group->powerCount;
	hdIStatReader *reader = hdI_openStat(report->project, group->group);
	const hdIBlock *block;

	if (!reader) {
		if (errno != EBADMSG)
			toolError(report->tool, "%s: %s", group->group->file,
				  strerror(errno));
		return;
	}
	if (!hdI_getStatStart(reader, &work.last))
		work.last = INT64_MAX;
	work.probe = g_array_new(FALSE, FALSE, sizeof(struct reportSpan));
	if (hasPhases)
		summaryStart(&summary, NULL);
	while (hdI_readStat(reader, &block) == 1) {
		addBlock(&work, block);
		if (hasPhases)
			summaryAddBlock(&summary, block);
		toolProgressAt(report->tool, block->offset[block->count - 1]);
	}
	if (!work.isProbed)
		endProbe(&work);
	if (hasPhases)
		summaryFinish(&summary);
	g_array_unref(work.probe);
	hdI_closeStat(reader);
	if (group->shortest == INT64_MAX)
		group->shortest = 0;
}

static void readGroups(struct report *report)
{
	const hdIProject *project = report->project;

	for (size_t i = 0; i < project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];

		if (project->groups[i]->isReadable)
			readGroup(report, group);
		toolProgressFile(report->tool, project->groups[i]->fileSize);
		report->start = MIN(report->start, group->start);
		report->end = MAX(report->end, group->end);
	}
}

/* ---- Sums -------------------------------------------------------------- */

static void addTracer(struct report *report, const struct reportGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		int64_t sum;

		if (value->type != HDI_INT64)
			continue;
		sum = (int64_t)group->moments[i].sumInteger;
		if (strcmp(value->name, "RUT_CPU_TIME") == 0)
			report->tracerNs = MAX(report->tracerNs, 0) + sum;
		else if (strcmp(value->name, "RUT_LATE") == 0)
			report->tracerLate += sum;
	}
}

static void addUp(struct report *report)
{
	for (size_t i = 0; i < report->project->groupCount; i++) {
		const struct reportGroup *group = &report->groups[i];
		struct reportEnergy energy =
			reportGroupEnergy(group, group->moments);

		if (group->countsForTotal)
			reportEnergyAdd(&report->energy, &energy);
		addTracer(report, group);
	}
}

/* ---- Phases ------------------------------------------------------------ */

static void startPhases(struct report *report)
{
	size_t count = report->isByName ? report->phaseList.names->len
					: report->phaseList.count;

	for (size_t i = 0; i < count; i++) {
		size_t name =
			report->isByName ? i : report->phaseList.list[i].name;
		struct reportPhase phase = {
			.name = report->phaseList.names->pdata[name],
			.start = INT64_MAX,
			.end = INT64_MIN,
			.groups = g_new0(struct reportEnergy,
					 report->energyCount + 1),
		};

		g_array_append_val(report->phases, phase);
	}
}

/** Set the times of the phases, with those of the data for open ends. */
static void endPhases(struct report *report)
{
	for (size_t i = 0; i < report->phaseList.count; i++) {
		const struct phase *phase = &report->phaseList.list[i];
		int64_t start = MAX(phase->start, report->start);
		int64_t end = MIN(phase->end, report->end);
		struct reportPhase *sum =
			&g_array_index(report->phases, struct reportPhase,
				       report->isByName ? phase->name : i);

		sum->occurrences++;
		if (start > end)
			continue;
		sum->start = MIN(sum->start, start);
		sum->end = MAX(sum->end, end);
		sum->length += end - start;
	}
}

static int findPhases(struct report *report)
{
	int64_t start = 0;
	int ret = 0;

	report->hasPhases = report->phasesFile || report->phasesFrom;
	if (report->phasesFile) {
		selectProjectStart(report->project, &start);
		ret = phasesRead(&report->phaseList, report->tool,
				 report->phasesFile, start);
	} else if (report->phasesFrom) {
		ret = phasesTake(&report->phaseList, report->tool,
				 report->project, report->phasesFrom);
	}
	if (ret == 0)
		startPhases(report);
	return ret;
}

/* ---- The command ------------------------------------------------------- */

/** Keep a message, once: files are read more than once. */
static void takeMessage(const hdIMessage *message, void *data)
{
	struct report *report = data;
	struct reportMessage copy = {
		.severity = message->severity,
		.offset = message->offset,
	};

	for (guint i = 0; i < report->messages->len; i++) {
		const struct reportMessage *other = &g_array_index(
			report->messages, struct reportMessage, i);

		if (other->offset == message->offset &&
		    strcmp(other->rule, message->rule) == 0 &&
		    strcmp(other->file, message->file) == 0 &&
		    strcmp(other->text, message->text) == 0)
			return;
	}
	report->messageCount++;
	if (report->messages->len >= REPORT_KEPT)
		return;
	copy.rule = g_strdup(message->rule);
	copy.file = g_strdup(message->file);
	copy.text = g_strdup(message->text);
	g_array_append_val(report->messages, copy);
}

static void startReport(struct report *report)
{
	const hdIProject *project = report->project;
	int64_t total = 0;

	report->start = INT64_MAX;
	report->end = INT64_MIN;
	report->tracerNs = -1;
	report->names = g_array_new(FALSE, FALSE, sizeof(struct reportState));
	report->phases = g_array_new(FALSE, FALSE, sizeof(struct reportPhase));
	report->groups = g_new0(struct reportGroup, project->groupCount + 1);
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		report->groups[i] = (struct reportGroup){
			.group = group,
			.start = INT64_MAX,
			.end = INT64_MIN,
			.shortest = INT64_MAX,
			.moments =
				g_new0(struct moments, group->valueCount + 1),
		};
		total += group->fileSize;
	}
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	report->size = total;
	choosePowers(report);
	toolProgressStart(report->tool, total);
}

static void freeReport(struct report *report)
{
	for (size_t i = 0; i < report->project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];

		g_free(group->moments);
		g_free(group->isPower);
		if (group->gaps.list)
			g_array_unref(group->gaps.list);
		if (group->late.list)
			g_array_unref(group->late.list);
	}
	g_free(report->groups);
	for (guint i = 0; i < report->names->len; i++)
		g_free(g_array_index(report->names, struct reportState, i)
			       .name);
	g_array_unref(report->names);
	for (guint i = 0; i < report->phases->len; i++)
		g_free(g_array_index(report->phases, struct reportPhase, i)
			       .groups);
	g_array_unref(report->phases);
}

static void makeReport(struct report *report)
{
	readGroups(report);
	reportStates(report);
	addUp(report);
	endPhases(report);
	toolProgressEnd(report->tool);
	if (report->tool->format == TOOL_JSON)
		reportPrintJson(report);
	else
		reportPrintText(report);
}

static int runOn(struct report *report, const char *path)
{
	hdIProject *project;
	int status;

	report->tool->take = takeMessage;
	report->tool->takeData = report;
	project = toolOpen(report->tool, path);
	if (!project) {
		/* Why not is among the messages. */
		for (guint i = 0; i < report->messages->len; i++) {
			const struct reportMessage *message = &g_array_index(
				report->messages, struct reportMessage, i);

			toolError(report->tool, "%s: %s [%s]", message->file,
				  message->text, message->rule);
		}
		return toolFinish(report->tool);
	}
	report->project = project;
	phasesInit(&report->phaseList);
	startReport(report);
	if (findPhases(report) == 0)
		makeReport(report);
	status = toolFinish(report->tool);
	freeReport(report);
	phasesFree(&report->phaseList);
	hdI_closeProject(project);
	return status;
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Reports what a run did and drew: its length, energy and "
		"values of every node, the states\nthat took most time and "
		"energy, phases, what tracing cost, and every gap, late "
		"sample and\nproblem. Energy and means have the error bounds "
		"that follow from what their sources\nstate.",
	.examples = "  hdtrace report run1.proj\n"
		    "  hdtrace report --phases borders.txt run1\n"
		    "  hdtrace report --format=json run1 >run1.json\n",
	.minArguments = 1,
	.maxArguments = 1,
};

static void freeMessages(struct report *report)
{
	for (guint i = 0; i < report->messages->len; i++) {
		struct reportMessage *message = &g_array_index(
			report->messages, struct reportMessage, i);

		g_free(message->rule);
		g_free(message->file);
		g_free(message->text);
	}
	g_array_unref(report->messages);
}

int reportRun(struct tool *tool, int argc, char **argv)
{
	struct report report = { .tool = tool, .top = 10 };
	const GOptionEntry entries[] = {
		{ "phases", 0, 0, G_OPTION_ARG_FILENAME, &report.phasesFile,
		  "Phases between the border times in FILE", "FILE" },
		{ "phases-from", 0, 0, G_OPTION_ARG_FILENAME,
		  &report.phasesFrom, "Phases are the states of a trace",
		  "NODE[:STATE[:DEPTH]]" },
		{ "by-name", 0, 0, G_OPTION_ARG_NONE, &report.isByName,
		  "Add up phases of the same name", NULL },
		{ "power", 0, 0, G_OPTION_ARG_FILENAME, &report.power,
		  "Values that tell the energy of a node", "PATTERN" },
		{ "top", 0, 0, G_OPTION_ARG_INT, &report.top,
		  "Number of states to list (10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &report.isAll,
		  "List every state, gap, late sample and problem", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	report.messages =
		g_array_new(FALSE, FALSE, sizeof(struct reportMessage));
	if (status < 0 && tool->format == TOOL_CSV)
		status = toolUsage(tool, "--format: not text or json; "
					 "hdtrace stat prints csv");
	else if (status < 0 && report.phasesFile && report.phasesFrom)
		status = toolUsage(tool, "--phases and --phases-from exclude "
					 "each other");
	else if (status < 0 && report.isByName && !report.phasesFile &&
		 !report.phasesFrom)
		status = toolUsage(tool, "--by-name needs --phases or "
					 "--phases-from");
	else if (status < 0 && report.top < 0)
		status = toolUsage(tool, "--top is negative");
	if (status < 0)
		status = runOn(&report, argv[1]);
	freeMessages(&report);
	g_free(report.phasesFile);
	g_free(report.phasesFrom);
	g_free(report.power);
	return status;
}
