/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading a page: the probes in it, by all threads or by one lane.
 *
 * A page of another process is what that process says; nothing in it is
 * believed that could lead out of it.
 */
#ifndef HD_PROBE_READPAGE_H
#define HD_PROBE_READPAGE_H

#include "InstrumentationLibrary/src/merge.h"

/** All lanes. */
#define HD_PROBE_ALL UINT32_MAX

/** A page, and where its slots are. */
struct hdProbeReader {
	struct hdProbeHead *head;
	/** Slot number @p i, or NULL. */
	struct hdProbeSlot *(*slotAt)(void *context, unsigned int i);
	void *context;
};

/** Begin a reset, locked for it. */
void hdProbeReaderReset(struct hdProbeReader *self);

/** Whether probe @p i is there, and none before has its name and kind. */
int hdProbeReaderIsFirst(const struct hdProbeReader *self, unsigned int i);

/** Add up a probe, under all numbers that have its name. */
void hdProbeReaderTotals(const struct hdProbeReader *self, unsigned int i,
			 uint32_t lane, int isReset,
			 struct hdProbeTotals *totals);

/** Get the figures of totals, with the name and kind of probe @p i. */
void hdProbeReaderFigures(const struct hdProbeReader *self, unsigned int i,
			  const struct hdProbeTotals *totals,
			  struct hdProbeFigures *figures);

#endif
