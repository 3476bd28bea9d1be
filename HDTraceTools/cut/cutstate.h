/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Cutting a state to a part of the time.
 *
 * Amounts that belong to the time of a state are divided. A message is sent
 * where its state starts, and received where its state ends: there only a state
 * keeps the attributes of that end of the message. A collective call belongs to
 * the part where it starts.
 */
#ifndef HD_CUT_CUTSTATE_H
#define HD_CUT_CUTSTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include <hdReading.h>

/** A record as the part has it. */
struct cutState {
	hdIRecord record;
	GArray *attributes; /**< hdIAttribute */
	GArray *elements;   /**< hdIElement */
	GPtrArray *texts;   /**< Made for it. */
};

void cutStateInit(struct cutState *self);
void cutStateClear(struct cutState *self);

/** Make it a record, cut to ]start, end]; valid until the next call, as long
 *  as the record. */
void cutStateSet(struct cutState *self, const hdIRecord *record, int64_t start,
		 int64_t end);

/** Add an attribute, unless there is one of its name. */
void cutStateAddText(struct cutState *self, const char *name,
		     const char *value);

/** The same, of a number. */
void cutStateAddNumber(struct cutState *self, const char *name, int64_t number);

/** Give an attribute that is a number another one; without it, add it if
 *  @p isAdded. */
void cutStateSetNumber(struct cutState *self, const char *name, int64_t number,
		       bool isAdded);

/** All was added. */
const hdIRecord *cutStateGet(struct cutState *self);

#endif
