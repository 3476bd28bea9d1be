/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Aggregates the entries of a group, in each phase.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/summary.h"

static void slotClear(struct summarySlot *slot, size_t columnCount)
{
	memset(slot->moments, 0, columnCount * sizeof(*slot->moments));
	slot->occurrences = 0;
	slot->length = 0;
	slot->start = slot->coverStart = INT64_MAX;
	slot->end = slot->coverEnd = INT64_MIN;
}

static void slotCover(struct summary *self, struct summarySlot *slot,
		      uint64_t first, uint64_t last, int64_t start, int64_t end)
{
	/* Parts of an entry may lie in several phases. */
	first = MAX(first, self->counted);
	self->entries += last - first;
	self->counted = last;
	self->start = MIN(self->start, start);
	self->end = MAX(self->end, end);
	slot->coverStart = MIN(slot->coverStart, start);
	slot->coverEnd = MAX(slot->coverEnd, end);
}

static bool hasPhase(const struct summary *self)
{
	return self->phase < self->phases->count;
}

static void openPhase(struct summary *self, size_t phase)
{
	self->phase = phase;
	if (hasPhase(self))
		self->current = phasesAt(self->phases, phase);
}

static struct summarySlot *currentSlot(const struct summary *self)
{
	return &self->slots[self->isByName ? self->current.name : 0];
}

/** The start of a phase that is open there. */
static int64_t openStart(const struct summary *self,
			 const struct summarySlot *slot)
{
	const struct phaseWindows *windows = &self->phases->windows;

	return windows->length ? windows->start : slot->coverStart;
}

/** The current phase is over: print it, or leave it for the end. */
static void summaryEndPhase(struct summary *self)
{
	const struct phase *phase = &self->current;
	struct summarySlot *slot = currentSlot(self);

	slot->occurrences++;
	slot->length += extentLength(&self->run, phase->start, phase->end);
	/* Open ends become those of the data. */
	slot->start = MIN(slot->start, phase->start == INT64_MIN
					       ? openStart(self, slot)
					       : phase->start);
	slot->end = MAX(slot->end,
			phase->end == INT64_MAX ? slot->coverEnd : phase->end);
	if (!self->isByName) {
		self->take(self, slot, phase->name);
		slotClear(slot, self->columnCount);
	}
	openPhase(self, self->phase + 1);
}

/** Whether nothing is to be said of the current phase. */
static bool isSkipped(const struct summary *self)
{
	const struct summarySlot *slot = currentSlot(self);

	return self->skipsEmpty && slot->coverStart > slot->coverEnd;
}

/** Go on to where an entry starts. */
static void leavePhase(struct summary *self, int64_t start)
{
	size_t next;

	if (isSkipped(self)) {
		next = phasesWindowAt(self->phases, start);
		if (next > self->phase) {
			openPhase(self, next);
			return;
		}
	}
	summaryEndPhase(self);
}

/** Add entries that lie in the current phase as a whole. */
static void addEntries(struct summary *self, const hdIBlock *block,
		       size_t first, size_t last)
{
	struct summarySlot *slot = currentSlot(self);

	for (size_t i = 0; i < self->columnCount; i++)
		amountsAdd(self->amounts, self->columns[i], &slot->moments[i],
			   first, last);
	slotCover(self, slot, block->first + first, block->first + last,
		  block->start[first], block->end[last - 1]);
}

static void summaryAddPart(struct summary *self, const hdIBlock *block,
			   size_t entry, int64_t start, int64_t end)
{
	struct summarySlot *slot = currentSlot(self);

	for (size_t i = 0; i < self->columnCount; i++)
		amountsAddPart(self->amounts, self->columns[i],
			       &slot->moments[i], entry, start, end);
	slotCover(self, slot, block->first + entry, block->first + entry + 1,
		  start, end);
}

/** Number of entries from the given one on that lie in a phase as a whole. */
static size_t countWhole(const struct phase *phase, const hdIBlock *block,
			 size_t first)
{
	size_t last = first;

	if (block->start[first] < phase->start ||
	    block->end[first] <= phase->start)
		return 0;
	while (last < block->count && block->end[last] <= phase->end)
		last++;
	return last - first;
}

/** Add the next entries of the block, or end a phase before them. */
static void summaryAddEntries(struct summary *self)
{
	const hdIBlock *block = self->block;
	const struct phase *phase = &self->current;
	size_t entry = self->entry;
	int64_t start = block->start[entry];
	int64_t end = block->end[entry];
	size_t whole;

	if (start > phase->end || (start == phase->end && end > start)) {
		leavePhase(self, start);
		return;
	}
	if (end <= phase->start && phase->start != INT64_MIN) {
		self->entry++;
		return;
	}
	whole = countWhole(phase, block, entry);
	if (whole) {
		addEntries(self, block, entry, entry + whole);
		self->entry += whole;
		return;
	}
	summaryAddPart(self, block, entry, MAX(start, phase->start),
		       MIN(end, phase->end));
	if (end <= phase->end)
		self->entry++;
	else
		summaryEndPhase(self);
}

void summaryGoOn(struct summary *self)
{
	self->isPaused = false;
	while (self->entry < self->block->count && hasPhase(self) &&
	       !self->isPaused)
		summaryAddEntries(self);
}

void summaryAddBlock(struct summary *self, const hdIBlock *block)
{
	amountsTake(self->amounts, block);
	self->block = block;
	self->entry = 0;
	summaryGoOn(self);
}

void summaryStart(struct summary *self, const struct selection *selection)
{
	const hdIGroup *group = self->group;

	self->start = INT64_MAX;
	self->end = INT64_MIN;
	self->amounts = amountsNew(group);
	self->columns = g_new(size_t, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++) {
		if (!selection ||
		    selectionHasValue(selection, group->values[i].name))
			self->columns[self->columnCount++] = i;
	}
	self->slotCount = self->isByName ? self->phases->names->len : 1;
	self->slots = g_new0(struct summarySlot, self->slotCount);
	for (size_t i = 0; i < self->slotCount; i++) {
		self->slots[i].moments =
			g_new(struct moments, self->columnCount + 1);
		slotClear(&self->slots[i], self->columnCount);
	}
	openPhase(self, 0);
}

void summaryFinish(struct summary *self)
{
	while (hasPhase(self) && !isSkipped(self) && !self->isPaused)
		summaryEndPhase(self);
	for (size_t i = 0; self->isByName && i < self->slotCount; i++)
		self->take(self, &self->slots[i], i);
	for (size_t i = 0; i < self->slotCount; i++)
		g_free(self->slots[i].moments);
	g_free(self->slots);
	g_free(self->columns);
	amountsFree(self->amounts);
}
