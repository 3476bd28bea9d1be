/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The probes of another process, read from its page.
 */
#ifndef HDPROBE_ATTACH_H
#define HDPROBE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <glib.h>

#include <hdProbe.h>

/** A part of a probe: of the threads of one lane. */
struct lanePart {
	uint32_t lane;
	uint32_t thread;  /**< The last one; 0: those that share. */
	uint32_t threads; /**< How many there were, one after the other. */
	bool isUnknown;   /**< A slot was skipped: the figures are NaN and 0. */
	struct hdProbeFigures figures;
};

/** A probe. */
struct probeRow {
	struct hdProbeFigures figures;
	bool isUnknown; /**< As of a part. */
	GArray *lanes;  /**< struct lanePart, those with instances. */
};

/** What is known at one moment. */
struct probeTable {
	GArray *rows; /**< struct probeRow, in the order of first use. */
	const char *clock;
	double seconds;   /**< Since the begin, or the last reset; or NaN. */
	uint64_t lost;    /**< Measurements that were not recorded. */
	uint32_t outside; /**< Slots that are not in the page. */
	/** Slots that were in use and could not be read. Their measurements
	 *  are not lost: the next reading has them. */
	unsigned int skipped;
	bool isCut; /**< Slots are left: the time or the number ran out. */
};

/** What a reading may take. */
struct attachLimits {
	int64_t deadlineNs; /**< hdMonotonicNow() at which it ends. */
	/** How long it waits for threads that are counting, in all slots
	 *  together. */
	int64_t waitNs;
	unsigned int slots; /**< That are read at most. */
	bool hasLanes;      /**< Whether the parts of lanes are wanted. */
};

struct attached;

/**
 * Find the page of a process.
 *
 * @param isReset Whether it will be reset.
 * @param deadlineNs hdMonotonicNow() at which the search ends.
 * @param[out] error What is wrong, for people; to be freed.
 *
 * @return NULL after an error.
 */
struct attached *attach(pid_t pid, bool isReset, int64_t deadlineNs,
			char **error);

/** Free it; NULL does nothing. */
void detach(struct attached *self);

/** Read all within limits; 0, or a negative errno: -EBUSY if the page stays
 *  locked. */
int attachedRead(struct attached *self, bool isReset,
		 const struct attachLimits *limits, struct probeTable *table);

/** Wait for so many milliseconds; false when the process has ended. */
bool attachedWait(struct attached *self, int milliseconds);

/** Free what is in a table. */
void probeTableClear(struct probeTable *table);

#endif
