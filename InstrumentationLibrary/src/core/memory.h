/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where the process has its page, and who counts where in it.
 */
#ifndef HD_PROBE_MEMORY_H
#define HD_PROBE_MEMORY_H

#include "InstrumentationLibrary/src/core/page.h"

/** The slots of the thread that has the lane, by number of the probe; written
 *  by that thread only. */
struct hdProbeOwn {
	_Atomic(struct hdProbeSlot *) slots[HD_PROBE_PROBES];
	_Atomic uint32_t isTaken;
	uint32_t number;
	struct hdProbeCounting *counting; /**< See counters.h. */
};

/** The head; one that nobody else sees until there is a page. */
extern struct hdProbeHead *hdProbePage;

/** The calling thread's, or NULL. */
extern __thread struct hdProbeOwn *hdProbeOwn
	__attribute__((tls_model("initial-exec")));

/** What chances begin with; tests set it. */
extern uint64_t hdProbeSeed;

/** Have the page, if it is not there yet. */
void hdProbeSetUp(void);

/**
 * Find the slot of the calling thread, or make it.
 *
 * @param[in,out] probe Gets its number.
 *
 * @return The slot; that which threads share if there is no other; NULL if
 *         nothing is recorded (and counted so).
 */
struct hdProbeSlot *hdProbeClaim(struct hdProbe *probe);

/** Find the slot that threads share, or NULL. */
struct hdProbeSlot *hdProbeSharedSlot(unsigned int index);

/** Give a probe its number; 0 if there is none left. */
unsigned int hdProbeNumber(struct hdProbe *probe);

/** Slot number @p i of the process itself, inside the file or not, or NULL if
 * it is not there; for a reader of its page. */
struct hdProbeSlot *hdProbeOwnSlotAt(void *context, unsigned int i);

/** Lock the numbers, of this process and in others, for reading or for a reset.
 *  @return What hdProbeUnlock() needs, or a negative errno. */
int hdProbeLock(int isReset);
void hdProbeUnlock(int locked);

#endif
