/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages and requests of a rank in a time-independent trace.
 */
#ifndef HD_TI_REQUEST_H
#define HD_TI_REQUEST_H

#include "HDTraceTools/model/ti/tiinside.h"

/** Give a collective call the tag of its messages; all ranks of the group give
 *  it the same. */
void tiRequestTag(struct tiRank *self, struct tiCall *call);

/** Calls that wait for a message. */
enum tiOutcome tiRequestSend(struct tiRank *self,
			     const struct messageRecord *read);
enum tiOutcome tiRequestRecv(struct tiRank *self,
			     const struct messageRecord *read);
enum tiOutcome tiRequestExchange(struct tiRank *self,
				 const struct messageRecord *read);

/** Add a request that does nothing yet. */
struct tiRequest *tiRequestNew(struct tiRank *self, int64_t rid,
			       bool isPersistent);

/** Add the request of a call, and start it unless that comes later. */
enum tiOutcome tiRequestMake(struct tiRank *self,
			     const struct messageRecord *read, bool isSent,
			     bool isReceived, bool isLater);

/** Start a request; all that a call of Start or Startall has. */
void tiRequestStart(struct tiRank *self, struct tiRequest *request);
void tiRequestStartAll(struct tiRank *self, const struct messageRecord *read);

/** Wait for all that a call has completed. */
void tiRequestComplete(struct tiRank *self, const struct messageRecord *read);

/** A request that receives is taken back: if it is complete, its status says
 *  nothing. */
void tiRequestCancel(struct tiRank *self, const struct messageRecord *read);

/** A request is given up. */
void tiRequestForget(struct tiRank *self, const struct messageRecord *read);

/** The trace is over: what is still open never was a message. */
void tiRequestEnd(struct tiRank *self);

void tiRequestFree(void *request);

#endif
