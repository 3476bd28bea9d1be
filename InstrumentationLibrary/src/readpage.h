/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading a page: the probes in it, and the slots of each.
 *
 * A page of another process is what that process says; nothing in it is
 * believed that could lead out of it.
 */
#ifndef HD_PROBE_READPAGE_H
#define HD_PROBE_READPAGE_H

#include "InstrumentationLibrary/src/merge.h"

/** A page, and where its slots are. */
struct hdProbeReader {
	struct hdProbeHead *head;
	/** Slot number @p i, or NULL. */
	struct hdProbeSlot *(*slotAt)(void *context, unsigned int i);
	void *context;
};

/** Begin a reset, locked for it. */
void hdProbeReaderReset(struct hdProbeReader *self);

/** Lock the file of a page, by an open file description: for reading, or for a
 *  reset. 0, or a negative errno. */
int hdProbeReaderLock(int fd, int isReset);

/** How many slots there are to look at. */
unsigned int hdProbeReaderSlots(const struct hdProbeReader *self);

/** The probes that are there: to each number the first one that has its name
 *  and kind; 0: there is none. */
void hdProbeReaderFirsts(const struct hdProbeReader *self,
			 unsigned int *firsts);

/** Of which probe of the page a slot is; 0: of none. */
unsigned int hdProbeReaderProbeOf(struct hdProbeSlot *slot);

/** Add up probe @p i, under all numbers whose first it is. */
void hdProbeReaderTotals(const struct hdProbeReader *self,
			 const unsigned int *firsts, unsigned int i,
			 enum hdProbeSince since, struct hdProbeTotals *totals);

/** Get the figures of totals, with the name and kind of probe @p i. */
void hdProbeReaderFigures(const struct hdProbeReader *self, unsigned int i,
			  const struct hdProbeTotals *totals,
			  struct hdProbeFigures *figures);

#endif
