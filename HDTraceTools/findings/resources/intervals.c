/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of nodes that swap memory or have hardly any left, and whose CPUs
 * are throttled: what single entries of a group tell.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"
#include "common/format/level.h"

/** A node swaps if so many bytes are moved in a second. */
#define INTERVALS_SWAP (1 << 20)
/** It has hardly any memory left if less than this part of it, and less than so
 *  many bytes, are available. */
#define INTERVALS_MEMORY 0.02
#define INTERVALS_MEMORY_BYTES ((double)(1 << 30))
/** A CPU is busy from so many percent on. */
#define INTERVALS_BUSY 90
/** Frequencies are told apart by so many Hz, up to 10 GHz. */
#define INTERVALS_STEP 50e6
#define INTERVALS_STEPS 200
/** Below this part of the usual frequency a node is throttled. */
#define INTERVALS_THROTTLED 0.9

/** The columns of a CPU. */
struct intervalsCpu {
	size_t busy;
	size_t frequency;
};

/** A column of bytes. */
struct intervalsBytes {
	size_t column; /**< SIZE_MAX: there is none. */
	double scale;
};

struct intervals {
	const hdIGroup *group;
	GArray *swaps; /**< struct intervalsBytes: what was swapped. */
	GArray *cpus;  /**< struct intervalsCpu */
	struct intervalsBytes available;
	struct intervalsBytes used;
	struct intervalsBytes free;
	int64_t swapping; /**< Or with hardly any memory. */
	bool hasSwapped;
	/** By mean frequency of busy CPUs: time, and this times the frequency.
	 */
	int64_t times[INTERVALS_STEPS];
	double cycles[INTERVALS_STEPS];
};

/** The column of a value; SIZE_MAX: there is none. */
static size_t intervalsFind(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, name) == 0)
			return i;
	}
	return SIZE_MAX;
}

/** The same of bytes; of another unit it is not known how many they are. */
static struct intervalsBytes intervalsFindBytes(const hdIGroup *group,
						const char *name)
{
	struct intervalsBytes bytes = { .column = intervalsFind(group, name) };
	struct unit unit;

	if (bytes.column == SIZE_MAX)
		return bytes;
	unit = unitParse(group->values[bytes.column].unit);
	if (strcmp(unit.base, "B") != 0)
		bytes.column = SIZE_MAX;
	bytes.scale = unit.scale;
	return bytes;
}

#define INTERVALS_FREQUENCY "CPU_FREQ_"

static void intervalsAddColumn(struct intervals *self, size_t column)
{
	const char *name = self->group->values[column].name;
	struct intervalsCpu cpu = { .frequency = column };
	char *busy;

	if (!g_str_has_prefix(name, INTERVALS_FREQUENCY))
		return;
	busy = g_strconcat("CPU_TOTAL_", name + strlen(INTERVALS_FREQUENCY),
			   NULL);
	cpu.busy = intervalsFind(self->group, busy);
	g_free(busy);
	if (cpu.busy != SIZE_MAX)
		g_array_append_val(self->cpus, cpu);
}

static void intervalsAddSwap(struct intervals *self, const char *name)
{
	struct intervalsBytes swap = intervalsFindBytes(self->group, name);

	if (swap.column != SIZE_MAX)
		g_array_append_val(self->swaps, swap);
}

static bool intervalsHasMemory(const struct intervals *self)
{
	return self->available.column != SIZE_MAX &&
	       self->used.column != SIZE_MAX && self->free.column != SIZE_MAX;
}

struct intervals *intervalsNew(const hdIGroup *group)
{
	struct intervals *self = g_new0(struct intervals, 1);

	self->group = group;
	self->available = intervalsFindBytes(group, "MEM_AVAILABLE");
	self->used = intervalsFindBytes(group, "MEM_USED");
	self->free = intervalsFindBytes(group, "MEM_FREE");
	self->swaps = g_array_new(FALSE, FALSE, sizeof(struct intervalsBytes));
	intervalsAddSwap(self, "SWAP_IN");
	intervalsAddSwap(self, "SWAP_OUT");
	self->cpus = g_array_new(FALSE, FALSE, sizeof(struct intervalsCpu));
	for (size_t i = 0; i < group->valueCount; i++)
		intervalsAddColumn(self, i);
	if (self->swaps->len || self->cpus->len || intervalsHasMemory(self))
		return self;
	intervalsFree(self);
	return NULL;
}

void intervalsFree(struct intervals *self)
{
	if (!self)
		return;
	g_array_unref(self->swaps);
	g_array_unref(self->cpus);
	g_free(self);
}

static double intervalsNumber(const struct intervals *self,
			      const hdIBlock *block, size_t column,
			      size_t entry)
{
	return columnNumber(&self->group->values[column],
			    &block->columns[column], entry);
}

static double intervalsGetBytes(const struct intervals *self,
				const hdIBlock *block, struct intervalsBytes of,
				size_t entry)
{
	return of.scale * intervalsNumber(self, block, of.column, entry);
}

/** Bytes that were swapped in an interval. */
static double intervalsSwapped(const struct intervals *self,
			       const hdIBlock *block, size_t entry)
{
	double sum = 0;

	for (guint i = 0; i < self->swaps->len; i++) {
		double bytes = intervalsGetBytes(
			self, block,
			g_array_index(self->swaps, struct intervalsBytes, i),
			entry);

		sum += bytes > 0 ? bytes : 0;
	}
	return sum;
}

/** Whether hardly any memory was left. */
static bool intervalsIsFull(const struct intervals *self, const hdIBlock *block,
			    size_t entry)
{
	double all;

	if (!intervalsHasMemory(self))
		return false;
	all = intervalsGetBytes(self, block, self->used, entry) +
	      intervalsGetBytes(self, block, self->free, entry);
	return all > 0 &&
	       intervalsGetBytes(self, block, self->available, entry) <
		       MIN(INTERVALS_MEMORY * all, INTERVALS_MEMORY_BYTES);
}

/** The mean frequency of CPUs that are busy; NaN: none is. */
static double intervalsFrequency(const struct intervals *self,
				 const hdIBlock *block, size_t entry)
{
	double sum = 0, count = 0;

	for (guint i = 0; i < self->cpus->len; i++) {
		const struct intervalsCpu *cpu =
			&g_array_index(self->cpus, struct intervalsCpu, i);
		double frequency =
			intervalsNumber(self, block, cpu->frequency, entry);

		if (!(intervalsNumber(self, block, cpu->busy, entry) >=
		      INTERVALS_BUSY) ||
		    !(frequency > 0))
			continue;
		sum += frequency;
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

static void intervalsAddTime(struct intervals *self, double frequency,
			     int64_t time)
{
	size_t step;

	if (!(frequency < INTERVALS_STEP * INTERVALS_STEPS))
		return;
	step = (size_t)(frequency / INTERVALS_STEP);
	self->times[step] += time;
	self->cycles[step] += frequency * (double)time;
}

void intervalsTake(struct intervals *self, const hdIBlock *block,
		   const struct selection *selection)
{
	for (size_t i = 0; i < block->count; i++) {
		int64_t start = MAX(block->start[i], selection->start);
		int64_t end = MIN(block->end[i], selection->end);
		double length = (double)(block->end[i] - block->start[i]) / 1e9;
		bool swaps;

		if (start >= end)
			continue;
		swaps = intervalsSwapped(self, block, i) >=
				INTERVALS_SWAP * length &&
			self->swaps->len;
		self->hasSwapped |= swaps;
		if (swaps || intervalsIsFull(self, block, i))
			self->swapping += end - start;
		intervalsAddTime(self, intervalsFrequency(self, block, i),
				 end - start);
	}
}

/* ---- Findings -------------------------------------------------------------
 */

/** Time of a CPU that its clock costs, against the highest frequency that busy
 *  CPUs have for at least a hundredth of the time. */
static int64_t intervalsThrottled(const struct intervals *self)
{
	int64_t all = 0, above = 0;
	double usual, lost = 0;
	size_t top = INTERVALS_STEPS;

	for (size_t i = 0; i < INTERVALS_STEPS; i++)
		all += self->times[i];
	while (top > 0 && (above == 0 || above < all / 100))
		above += self->times[--top];
	if (all == 0)
		return 0;
	usual = self->cycles[top] / (double)self->times[top];
	for (size_t i = 0; i < top; i++) {
		double time = (double)self->times[i];

		if (self->cycles[i] < INTERVALS_THROTTLED * usual * time)
			lost += time - self->cycles[i] / usual;
	}
	return (int64_t)lost;
}

/** Findings of all nodes. */
struct intervalsSum {
	struct finding finding;
	GHashTable *most; /**< Nodes to int64_t: of their groups, the most. */
	GArray *nodes;
	GArray *ranks;
};

/** A group of a node has a time: of several groups the longest one counts. */
static void intervalsNote(struct intervalsSum *sum, const hdINode *node,
			  int64_t time)
{
	const int64_t *most = g_hash_table_lookup(sum->most, node);

	if (time > (most ? *most : 0))
		g_hash_table_insert(sum->most, (void *)node,
				    g_memdup2(&time, sizeof(time)));
}

/** All ranks and threads of a node lose a time. */
static void intervalsAdd(struct intervalsSum *sum,
			 const struct findings *findings, const hdINode *node)
{
	const int64_t *most = g_hash_table_lookup(sum->most, node);
	int64_t time = most ? *most : 0;
	int level = MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1);
	struct findingShare share = { .rank = -1, .node = node };

	if (time <= 0)
		return;
	g_hash_table_remove(sum->most, node);
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		struct findingShare rank = { .rank = trace->rank };

		if (trace->start >= trace->end ||
		    rolesAt(findings->project->traces[i]->node, level) != node)
			continue;
		rank.time = MIN(time, trace->end - trace->start);
		share.time += rank.time;
		if (rank.rank >= 0)
			g_array_append_val(sum->ranks, rank);
	}
	sum->finding.time += share.time;
	sum->finding.count++;
	g_array_append_val(sum->nodes, share);
}

void findingsFindIntervals(struct findings *findings)
{
	int level = MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1);
	struct intervalsSum swap = {
		.finding = {
			.kind = FINDING_SWAP,
			.title = "Nodes have hardly any memory left",
			.advice = "Use fewer ranks on each node, or nodes with "
				  "more memory.",
		},
		.most = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.nodes = findingShares(),
		.ranks = findingShares(),
	};
	struct intervalsSum throttling = {
		.finding = {
			.kind = FINDING_THROTTLING,
			.title = "Busy CPUs run slower than they can",
			.advice = "Check cooling and power limits of these "
				  "nodes, and the frequency governor.",
		},
		.most = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.nodes = findingShares(),
		.ranks = findingShares(),
	};

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		const hdINode *node = rolesAt(group->group->node, level);

		if (!group->intervals)
			continue;
		if (group->intervals->hasSwapped)
			swap.finding.title = "Nodes swap memory";
		intervalsNote(&swap, node, group->intervals->swapping);
		intervalsNote(&throttling, node,
			      intervalsThrottled(group->intervals));
	}
	/* In the order of the project. */
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const hdINode *node =
			rolesAt(findings->groups[i].group->node, level);

		intervalsAdd(&swap, findings, node);
		intervalsAdd(&throttling, findings, node);
	}
	g_hash_table_destroy(swap.most);
	g_hash_table_destroy(throttling.most);
	findingsAddFinding(findings, swap.finding, swap.ranks, findingShares(),
			   swap.nodes);
	findingsAddFinding(findings, throttling.finding, throttling.ranks,
			   findingShares(), throttling.nodes);
}

void findingsFindIdlePower(struct findings *findings)
{
	const struct findingsWaiting *waiting = &findings->waiting;
	double avoidable = (double)waiting->avoidable / 1e12;
	GArray *ranks = findingShares();
	const struct finding finding = {
		.kind = FINDING_IDLE_POWER,
		.title = "Ranks that wait draw more than idle power",
		.advice = "Let ranks sleep while they wait, such as with "
			  "mpi_yield_when_idle or OMP_WAIT_POLICY=passive, or "
			  "lower the frequency in long waits.",
		.time = waiting->time,
		.energy = waiting->energy,
		.hasAvoidable = true,
		.avoidable = waiting->avoidable,
		.count = 1,
	};

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		const struct findingShare share = {
			.rank = trace->rank,
			.time = trace->waitMpi + trace->waitIo +
				trace->waitOpenmp + trace->waitIdle,
		};

		if (share.rank >= 0 && share.time > 0)
			findingShareAdd(ranks, &share);
	}
	/* Less than 1 % of the energy is nothing to be told. */
	if (findings->idlePower >= 0 && waiting->energy.measured > 0 &&
	    findings->energy.isKnown &&
	    avoidable > findings->energy.joules / 100)
		findingsAddFinding(findings, finding, ranks, findingShares(),
				   findingShares());
	else
		g_array_unref(ranks);
}
