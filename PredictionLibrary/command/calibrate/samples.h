/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a trace of hdcalibrate has measured; its replay is read likewise.
 */
#ifndef HD_CALIBRATE_SAMPLES_H
#define HD_CALIBRATE_SAMPLES_H

#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>

/** Names of what is measured; collective calls have those of MPI. */
#define SAMPLES_PING_PONG "ping-pong"   /**< Half of a round trip. */
#define SAMPLES_ISEND "isend"           /**< The call alone. */
#define SAMPLES_ISEND_WAIT "isend-wait" /**< With the call that waits. */
#define SAMPLES_SEND "send"             /**< To a receiver that is late. */
#define SAMPLES_EARLY "early"           /**< Send ends before Recv starts. */
#define SAMPLES_RECEIVE "receive"       /**< What was sent long before. */
#define SAMPLES_OVERLAP "overlap"
#define SAMPLES_EXCHANGE "exchange"

/** Times of one size. */
struct samplesGroup {
	const char *what;
	int64_t size;
	GArray *times; /**< double, in seconds. */
};

/** Read both ranks that exchange messages. @return Array of struct
 *  samplesGroup *, by name and size; NULL: the project has no such ranks. */
GPtrArray *samplesRead(const hdIProject *project);

/** Find a group; NULL: there is none. */
struct samplesGroup *samplesFind(const GPtrArray *groups, const char *what,
				 int64_t size);

#endif
