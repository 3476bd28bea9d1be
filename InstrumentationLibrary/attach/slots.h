/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The slots of a page of another process, for the files that are attach.h.
 *
 * A page is read by pread(), not mapped: a hole is zeros then, and takes no
 * memory; and what was checked does not change afterwards. All that a process
 * can do to its reader is to let a slot look as if it were being counted in,
 * and to have many slots. So the reader waits for slots for a time that all
 * slots share, and reads none after the deadline. A slot that was not read is
 * skipped: unknown.
 */
#ifndef HDPROBE_SLOTS_H
#define HDPROBE_SLOTS_H

#include "InstrumentationLibrary/attach/core/attach.h"
#include "InstrumentationLibrary/src/readpage.h"

struct attached {
	int fd;
	pid_t pid;
	int process; /**< A descriptor that tells when it ends, or -1. */
	/** A copy of the head, and the same for who reads it. */
	struct hdProbeHead *head;
	struct hdProbeReader reader;
	struct attachLimits
		limits;          /**< Of this reading; waitNs: what is left. */
	struct hdProbeSlot slot; /**< A copy of the one that was read last. */
};

/** A slot that is in use. */
struct place {
	unsigned int probe; /**< The first of its name. */
	uint32_t lane;
	unsigned int slot;
};

/** Read bytes at an offset, all of them; 0, or a negative errno. */
int slotsGet(int fd, void *to, size_t size, off_t at);

/**
 * Find all slots that are in use, by probe and lane.
 *
 * @param firsts By hdProbeReaderFirsts().
 * @param[out] isCut Whether there may be more.
 *
 * @return Array of struct place.
 */
GArray *slotsFind(struct attached *self, const unsigned int *firsts,
		  bool *isCut);

/** Read a slot into self->slot; returns whether it could be. */
bool slotsRead(struct attached *self, unsigned int i);

/** Write what a reset has changed in self->slot, which is slot number @p i. */
void slotsReset(struct attached *self, unsigned int i);

/** What a slot had counted at the reset before. */
struct slotsBase {
	unsigned int slot;
	struct hdProbeSums base;
};

/** Write that again: as if the last reset of the slot had not been. */
void slotsUndo(struct attached *self, const struct slotsBase *before);

#endif
