/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values of a group tell the power of its node.
 */
#include "config.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/units.h"
#include "common/nodepower.h"

/** What there is to choose from. */
struct choice {
	const hdIProject *project;
	const hdIGroup *group;
	struct hdPowerChannel *channels;
	struct hdPowerGain *gains; /**< In the window. */
	struct hdPowerGain *all;   /**< Over all the time. */
	size_t *values;            /**< Numbers of the values. */
	size_t count;
	int64_t windowNs, allNs;
	bool isJudged;
};

/* ---- Values that tell power -------------------------------------------- */

/** Whether a value tells power, as a gauge, or energy, as an amount. */
static bool tellsEnergy(const hdIGroup *group, const hdIValue *value,
			bool isAmount)
{
	return value->type != HDI_STRING &&
	       kindIsAmount(valueKind(group, value, NULL)) == isAmount &&
	       (isAmount ? unitIsEnergy(value->unit)
			 : unitIsPower(value->unit));
}

/** Length of the quantity in the name of a value, "P" in "P_package-0". */
static size_t stemLength(const char *name)
{
	return strcspn(name, "_ ");
}

static const char *powerChoiceLabelOf(const char *name)
{
	size_t length = stemLength(name);

	return name[length] ? name + length + 1 : name;
}

/** Whether names are those of one quantity, of several channels: the same but
 *  for numbers and what follows. */
static bool powerChoiceAreAlike(const char *a, const char *b)
{
	const char *endA = a + stemLength(a), *endB = b + stemLength(b);

	for (;;) {
		while (a < endA && g_ascii_isdigit(*a))
			a++;
		while (b < endB && g_ascii_isdigit(*b))
			b++;
		if (a == endA || b == endB)
			return a == endA && b == endB;
		if (*a++ != *b++)
			return false;
	}
}

/** Whether a value is one to choose from; first is the first one, or NULL. */
static bool powerChoiceIsCandidate(const hdIValue *value, const char *pattern,
				   const char *first)
{
	if (pattern)
		return fnmatch(pattern, value->name, 0) == 0;
	return !first || powerChoiceAreAlike(first, value->name);
}

/** Collect the numbers of the candidates: those in W, else those in J. */
static size_t powerChoiceCollectValues(const hdIGroup *group,
				       const char *pattern, size_t *values)
{
	size_t count = 0;

	for (int isAmount = 0; isAmount < 2 && !count; isAmount++) {
		const char *first = NULL;

		for (size_t i = 0; i < group->valueCount; i++) {
			const hdIValue *value = &group->values[i];

			if (!tellsEnergy(group, value, isAmount) ||
			    !powerChoiceIsCandidate(value, pattern, first))
				continue;
			first = first ? first : value->name;
			values[count++] = i;
		}
	}
	return count;
}

bool groupTellsPower(const hdIGroup *group, const char *pattern)
{
	size_t *values = g_new(size_t, group->valueCount + 1);
	bool tells = powerChoiceCollectValues(group, pattern, values) > 0;

	g_free(values);
	return tells;
}

/* ---- What they are ----------------------------------------------------- */

/** Whether the power of a value is computed from a counter of energy. */
static bool isCounted(const hdIValue *value, const char *device)
{
	const char *source = attributeFind(value->attributes,
					   value->attributeCount, "source");

	if (source)
		return hdPowerIsCounted(source);
	return device &&
	       (strcmp(device, "powercap") == 0 || strcmp(device, "perf") == 0);
}

static void powerChoiceDescribe(struct choice *self, size_t number,
				const char *device, bool isNamed)
{
	const hdIValue *value = &self->group->values[self->values[number]];
	const hdIAttribute *attributes = value->attributes;
	size_t count = value->attributeCount;
	struct hdPowerChannel *channel = &self->channels[number];

	*channel = (struct hdPowerChannel){
		.device = device,
		.label = powerChoiceLabelOf(value->name),
		.role = attributeFind(attributes, count, "role"),
		.partOf = attributeFind(attributes, count, "part_of"),
		.isNamed = isNamed,
	};
	hdPowerClassify(channel);
	self->gains[number] = (struct hdPowerGain){
		.isCounter = isCounted(value, device),
		.isKnown = true,
		.resolution = hdPowerResolution(
			attributeFind(attributes, count, "resolution")),
	};
	self->all[number] = self->gains[number];
}

/* ---- Whether they count ------------------------------------------------ */

static void powerChoiceLeaveOut(struct choice *self)
{
	hdPowerJudge(self->channels, self->gains, self->count, self->windowNs);
	for (size_t i = 0; i < self->count; i++) {
		self->gains[i].joules = 0;
		self->gains[i].isKnown = true;
	}
	self->windowNs = 0;
	self->isJudged = true;
}

/** Add what a value tells of an entry. */
static void powerChoiceAddEntry(struct choice *self,
				const struct amounts *amounts, size_t number,
				size_t entry, int64_t lengthNs)
{
	const hdIValue *value = &self->group->values[self->values[number]];
	double amount = amountsGet(amounts, self->values[number], entry) *
			unitParse(value->unit).scale;

	if (!isfinite(amount)) {
		self->gains[number].isKnown = false;
		return;
	}
	if (!kindIsAmount(amountsKind(amounts, self->values[number])))
		amount *= (double)lengthNs / 1e9;
	self->gains[number].joules += amount;
	self->all[number].joules += amount;
}

static void watchBlock(struct choice *self, const struct amounts *amounts,
		       const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++) {
		int64_t length = block->end[i] - block->start[i];

		for (size_t k = 0; k < self->count; k++)
			powerChoiceAddEntry(self, amounts, k, i, length);
		self->windowNs += length;
		self->allNs += length;
		if (self->windowNs >= HD_POWER_WINDOW_NS)
			powerChoiceLeaveOut(self);
	}
}

/** Read all entries to find what does not count. */
static void powerChoiceReadAll(struct choice *self)
{
	hdIStatReader *reader = diagnosticsOpenStat(self->project, self->group,
						    &diagnosticsDropped);
	struct amounts *amounts;
	const hdIBlock *block;

	if (!reader)
		return;
	amounts = amountsNew(self->group);
	while (hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		watchBlock(self, amounts, block);
	}
	amountsFree(amounts);
	hdI_closeStat(reader);
	if (!self->isJudged && self->windowNs > 0)
		powerChoiceLeaveOut(self);
	hdPowerFindMirrors(self->channels, self->all, self->count, self->allNs);
}

/* ---- The choice -------------------------------------------------------- */

static void powerChoiceReportLeftOut(const struct choice *self, bool *isPower,
				     struct powerLeftOut *leftOut)
{
	for (size_t i = 0; i < self->count; i++) {
		const struct hdPowerChannel *channel = &self->channels[i];

		isPower[self->values[i]] = channel->isCounted;
		if (!leftOut || channel->isCounted)
			continue;
		leftOut[self->values[i]] = (struct powerLeftOut){
			.reason = g_strdup(channel->reason),
			.isFault = channel->fault,
		};
	}
}

size_t valuesOfPower(const hdIProject *project, const hdIGroup *group,
		     const char *pattern, bool *isPower,
		     struct powerLeftOut *leftOut)
{
	const char *device = attributeFind(group->attributes,
					   group->attributeCount, "device");
	struct choice self = {
		.project = project,
		.group = group,
		.channels =
			g_new0(struct hdPowerChannel, group->valueCount + 1),
		.gains = g_new0(struct hdPowerGain, group->valueCount + 1),
		.all = g_new0(struct hdPowerGain, group->valueCount + 1),
		.values = g_new0(size_t, group->valueCount + 1),
	};
	size_t count;

	self.count = powerChoiceCollectValues(group, pattern, self.values);
	for (size_t i = 0; i < self.count; i++)
		powerChoiceDescribe(&self, i, device, pattern != NULL);
	if (!pattern && hdPowerIsDoubtful(self.channels, self.count))
		powerChoiceReadAll(&self);
	count = hdPowerChoose(self.channels, self.count);
	powerChoiceReportLeftOut(&self, isPower, leftOut);
	g_free(self.channels);
	g_free(self.gains);
	g_free(self.all);
	g_free(self.values);
	return count;
}
