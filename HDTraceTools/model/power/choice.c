/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values tell the power of nodes.
 */
#include "config.h"

#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/power/candidates.h"
#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/units.h"

struct powerChoice {
	const hdIProject *project;
	struct powerGroup *groups; /**< By number. */
	GHashTable *nodes;         /**< Nodes to struct powerGroup. */
};

/** The time that entries of a group cover. */
struct choiceTime {
	int64_t start, end, coveredNs;
};

/** What there is to choose from: channels of one group follow each other. */
struct choosing {
	const hdIProject *project;
	struct hdPowerChannel *channels;
	struct hdPowerGain *gains; /**< In the window. */
	struct hdPowerGain *all;   /**< Over all the time. */
	struct hdPowerGain *own;   /**< Of them, those of one group. */
	struct choiceTime *times;  /**< Of the group of each. */
	size_t *values;            /**< Numbers of the values. */
	struct powerGroup **of;    /**< Whose they are. */
	size_t count;
};

/** A group whose counters are watched. */
struct watching {
	struct choosing *choosing;
	const hdIGroup *group;
	size_t first, count; /**< Of the channels. */
	int64_t leastNs, windowNs;
	struct choiceTime time;
	bool isJudged;
};

/* ---- Whether they count ------------------------------------------------ */

/** Those of a group among all: what others gained is not known. */
static const struct hdPowerGain *choiceOwnGains(const struct watching *self,
						const struct hdPowerGain *gains)
{
	struct choosing *choosing = self->choosing;

	for (size_t i = 0; i < choosing->count; i++) {
		choosing->own[i] = gains[i];
		choosing->own[i].isKnown &=
			i >= self->first && i - self->first < self->count;
	}
	return choosing->own;
}

static void choiceJudge(struct watching *self)
{
	struct choosing *choosing = self->choosing;

	hdPowerJudge(choosing->channels, choiceOwnGains(self, choosing->gains),
		     choosing->count, self->windowNs);
	for (size_t i = 0; i < self->count; i++) {
		choosing->gains[self->first + i].joules = 0;
		choosing->gains[self->first + i].isKnown = true;
	}
	self->windowNs = 0;
	self->isJudged = true;
}

/** Add what a value tells of an entry. */
static void choiceWatch(struct watching *self, const struct amounts *amounts,
			size_t number, size_t entry, int64_t lengthNs)
{
	struct choosing *choosing = self->choosing;
	size_t column = choosing->values[number];
	double amount = amountsGet(amounts, column, entry) *
			unitParse(self->group->values[column].unit).scale;

	if (!isfinite(amount)) {
		choosing->gains[number].isKnown = false;
		return;
	}
	if (!kindIsAmount(amountsKind(amounts, column)))
		amount *= (double)lengthNs / 1e9;
	choosing->gains[number].joules += amount;
	choosing->all[number].joules += amount;
}

static void choiceWatchBlock(struct watching *self,
			     const struct amounts *amounts,
			     const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++) {
		int64_t length = block->end[i] - block->start[i];

		for (size_t k = 0; k < self->count; k++)
			choiceWatch(self, amounts, self->first + k, i, length);
		self->windowNs += length;
		self->time.coveredNs += length;
		self->time.start = MIN(self->time.start, block->start[i]);
		self->time.end = MAX(self->time.end, block->end[i]);
		if (self->windowNs >= self->leastNs)
			choiceJudge(self);
	}
}

/** Read all entries of a group to find what does not count. */
static void choiceWatchGroup(struct choosing *choosing, size_t first,
			     size_t count)
{
	struct watching self = {
		.choosing = choosing,
		.group = choosing->of[first]->group,
		.first = first,
		.count = count,
		.leastNs = hdPowerWindow(choosing->gains + first, count),
		.time = { INT64_MAX, INT64_MIN, 0 },
	};
	hdIStatReader *reader = diagnosticsOpenStat(
		choosing->project, self.group, &diagnosticsDropped);
	struct amounts *amounts;
	const hdIBlock *block;

	if (!reader)
		return;
	amounts = amountsNew(self.group);
	while (hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		choiceWatchBlock(&self, amounts, block);
	}
	amountsFree(amounts);
	hdI_closeStat(reader);
	if (!self.isJudged && self.windowNs > 0)
		choiceJudge(&self);
	hdPowerFindMirrors(choosing->channels,
			   choiceOwnGains(&self, choosing->all),
			   choosing->count, self.time.coveredNs);
	for (size_t i = first; i < first + count; i++)
		choosing->times[i] = self.time;
}

/** Whether a channel was watched over the same time as another one, but for one
 *  percent. */
static bool choiceIsParallel(const struct choiceTime *a,
			     const struct choiceTime *b)
{
	int64_t both = MIN(a->end, b->end) - MAX(a->start, b->start);
	int64_t least = MAX(a->coveredNs, b->coveredNs) / 100 * 99;

	return a->coveredNs > 0 && b->coveredNs > 0 && both >= least &&
	       MIN(a->coveredNs, b->coveredNs) >= least;
}

/** Judge a channel by its parts in other files, over all the time. */
static void choiceJudgeFiles(struct choosing *self, size_t whole)
{
	const struct choiceTime *time = &self->times[whole];

	for (size_t i = 0; i < self->count; i++) {
		const struct choiceTime *other = &self->times[i];

		self->own[i] = self->all[i];
		self->own[i].isKnown &= choiceIsParallel(time, other);
		if (self->own[i].isKnown)
			self->own[i].joules *= (double)time->coveredNs /
					       (double)other->coveredNs;
	}
	if (time->coveredNs > 0)
		hdPowerJudge(self->channels, self->own, self->count,
			     time->coveredNs);
}

/** Watch the groups with counters, or all of them if those of one contain those
 *  of another. */
static void choiceWatchAll(struct choosing *self)
{
	bool hasFiles = self->count > 0 &&
			self->of[0] != self->of[self->count - 1] &&
			hdPowerIsDoubtful(self->channels, self->count);
	size_t count;

	for (size_t first = 0; first < self->count; first += count) {
		for (count = 1; first + count < self->count &&
				self->of[first + count] == self->of[first];
		     count++)
			;
		if (hasFiles ||
		    hdPowerIsDoubtful(self->channels + first, count) ||
		    hdPowerHasCounter(self->gains + first, count))
			choiceWatchGroup(self, first, count);
	}
	for (size_t i = 0; hasFiles && i < self->count; i++)
		if (self->gains[i].isCounter && !self->channels[i].fault)
			choiceJudgeFiles(self, i);
}

/* ---- The choice for a node --------------------------------------------- */

static void choiceStart(struct choosing *self, const hdIProject *project,
			size_t most)
{
	*self = (struct choosing){
		.project = project,
		.channels = g_new0(struct hdPowerChannel, most + 1),
		.gains = g_new0(struct hdPowerGain, most + 1),
		.all = g_new0(struct hdPowerGain, most + 1),
		.own = g_new0(struct hdPowerGain, most + 1),
		.times = g_new0(struct choiceTime, most + 1),
		.values = g_new0(size_t, most + 1),
		.of = g_new0(struct powerGroup *, most + 1),
	};
}

/** Add the candidates of a group. */
static void choiceAddGroup(struct choosing *self, struct powerGroup *group,
			   size_t number, const char *pattern)
{
	size_t found = candidatesFind(group->group, pattern,
				      self->values + self->count);

	for (size_t i = self->count; i < self->count + found; i++) {
		candidateDescribe(group->group,
				  &group->group->values[self->values[i]],
				  &self->channels[i], &self->gains[i]);
		self->channels[i].isNamed = pattern != NULL;
		self->channels[i].group = number;
		self->all[i] = self->gains[i];
		self->of[i] = group;
	}
	self->count += found;
}

/** Tell the groups what was chosen. */
static void choiceTell(const struct choosing *self)
{
	const struct powerGroup *first = NULL;

	for (size_t i = 0; i < self->count; i++) {
		const struct hdPowerChannel *channel = &self->channels[i];
		struct powerGroup *group = self->of[i];

		group->isPower[self->values[i]] = channel->isCounted;
		group->count += channel->isCounted;
		if (!channel->isCounted)
			group->leftOut[self->values[i]] = (struct powerLeftOut){
				.reason = g_strdup(channel->reason),
				.isFault = channel->fault,
			};
		else if (!first)
			first = group;
	}
	for (size_t i = 0; i < self->count; i++)
		self->of[i]->first = first;
}

static void choiceEnd(struct choosing *self)
{
	bool isNamed = self->count > 0 && self->channels[0].isNamed;

	if (!isNamed)
		choiceWatchAll(self);
	hdPowerChoose(self->channels, self->count);
	choiceTell(self);
	g_free(self->channels);
	g_free(self->gains);
	g_free(self->all);
	g_free(self->own);
	g_free(self->times);
	g_free(self->values);
	g_free(self->of);
}

/* ---- All nodes --------------------------------------------------------- */

/** The groups of the node of one, which is the first of them. */
static void choiceOfNode(struct powerChoice *self, size_t number,
			 const char *pattern)
{
	const hdIProject *project = self->project;
	const hdINode *node = project->groups[number]->node;
	struct choosing choosing;
	size_t most = 0;

	for (size_t i = number; i < project->groupCount; i++)
		if (project->groups[i]->node == node)
			most += project->groups[i]->valueCount;
	choiceStart(&choosing, project, most);
	for (size_t i = number; i < project->groupCount; i++)
		if (project->groups[i]->node == node &&
		    project->groups[i]->isReadable)
			choiceAddGroup(&choosing, &self->groups[i], i, pattern);
	choiceEnd(&choosing);
	g_hash_table_insert(self->nodes, (gpointer)node,
			    (gpointer)self->groups[number].first);
	for (size_t i = number; i < project->groupCount; i++)
		if (project->groups[i]->node == node && self->groups[i].first)
			g_hash_table_insert(self->nodes, (gpointer)node,
					    (gpointer)self->groups[i].first);
}

static struct powerGroup powerGroupNew(const hdIGroup *group)
{
	return (struct powerGroup){
		.group = group,
		.isPower = g_new0(bool, group->valueCount + 1),
		.leftOut = g_new0(struct powerLeftOut, group->valueCount + 1),
	};
}

static void powerGroupFree(struct powerGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++)
		g_free(group->leftOut[i].reason);
	g_free(group->leftOut);
	g_free(group->isPower);
}

struct powerChoice *powerChoiceNew(const hdIProject *project,
				   const char *pattern)
{
	struct powerChoice *self = g_new0(struct powerChoice, 1);

	self->project = project;
	self->groups = g_new0(struct powerGroup, project->groupCount + 1);
	self->nodes = g_hash_table_new(NULL, NULL);
	for (size_t i = 0; i < project->groupCount; i++)
		self->groups[i] = powerGroupNew(project->groups[i]);
	for (size_t i = 0; i < project->groupCount; i++)
		if (!g_hash_table_contains(self->nodes,
					   project->groups[i]->node))
			choiceOfNode(self, i, pattern);
	return self;
}

void powerChoiceFree(struct powerChoice *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->project->groupCount; i++)
		powerGroupFree(&self->groups[i]);
	g_free(self->groups);
	g_hash_table_destroy(self->nodes);
	g_free(self);
}

const struct powerGroup *powerChoiceAt(const struct powerChoice *self,
				       size_t number)
{
	return &self->groups[number];
}

const struct powerGroup *powerChoiceOf(const struct powerChoice *self,
				       const hdINode *node)
{
	return g_hash_table_lookup(self->nodes, node);
}

const struct powerGroup *powerChoiceNear(const struct powerChoice *self,
					 const hdINode *node)
{
	const struct powerGroup *found = NULL;

	for (; node && !found; node = node->parent)
		found = powerChoiceOf(self, node);
	return found;
}

size_t powerOfGroup(const hdIProject *project, const hdIGroup *group,
		    bool *isPower)
{
	struct powerGroup own = powerGroupNew(group);
	struct choosing choosing;

	choiceStart(&choosing, project, group->valueCount);
	choiceAddGroup(&choosing, &own, 0, NULL);
	choiceEnd(&choosing);
	memcpy(isPower, own.isPower, group->valueCount * sizeof(*isPower));
	powerGroupFree(&own);
	return own.count;
}
