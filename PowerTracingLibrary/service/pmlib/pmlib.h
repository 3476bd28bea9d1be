/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files share that speak pmlib.
 *
 * The protocol has no version and no lengths: integers of 4 bytes, little
 * endian, and texts as their length and bytes. A connection either has one
 * counter, or asks one thing.
 *
 * pmlib cannot say that something is missing. A counter that meets a limit
 * ends, STOP answers -1 and GET has what there was: the program is told, and
 * keeps what is right. Our own streams lose the oldest readings instead and
 * go on, with a mark that says how many.
 */
#ifndef PT_SERVICE_PMLIB_H
#define PT_SERVICE_PMLIB_H

#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/service/pmlib/counter.h"

/** Operations. */
enum ptPmlibOperation {
	PT_PMLIB_CREATE,
	PT_PMLIB_START,
	PT_PMLIB_CONTINUE,
	PT_PMLIB_STOP,
	PT_PMLIB_GET,
	PT_PMLIB_FINALIZE,
	PT_PMLIB_INFO,
	PT_PMLIB_LIST,
	PT_PMLIB_STATUS,
	PT_PMLIB_READ,
};

/** Lines that a mask can name. */
#define PT_PMLIB_LINES 128
/** Bytes of a name in a request at most: what clients have room for. */
#define PT_PMLIB_NAME_MAX 1023

/** What a client does. */
struct ptPmlib {
	struct ptCounter *counter; /**< NULL for none. */
	size_t lines[PT_PMLIB_LINES];
	size_t lineCount;
	bool isGetting; /**< GET waits for the last readings. */
	bool isSending; /**< GET's values are on their way. */
	/* READ. */
	struct ptServed *watched; /**< NULL for none. */
	uint64_t every;
	uint64_t seen; /**< Number of the last reading that was sent. */
};

/** Get the session of a client. */
struct ptPmlib *ptPmlibOf(const struct ptClient *client);

/** Get the number of lines of a device as pmlib sees it. */
size_t ptPmlibLineCount(const struct ptServed *served);

/** Tell whether a client sees any line of a device. */
bool ptPmlibSees(const struct ptClient *client, const struct ptServed *served);

/** Get the highest rate of a device for a client, in whole hertz and at least
 * 1. */
int32_t ptPmlibRate(const struct ptClient *client, struct ptServed *served);

/** Answer one integer. */
void ptPmlibAnswer(struct ptClient *client, int32_t number);

/** Answer LIST. */
void ptPmlibList(struct ptClient *client);

/** Answer INFO of a device. */
void ptPmlibInfo(struct ptClient *client, struct ptServed *served);

/** Answer STATUS. */
void ptPmlibStatus(struct ptClient *client);

/** Begin READ, or refuse it. */
void ptPmlibRead(struct ptClient *client, struct ptServed *served,
		 int32_t frequency);

/** Send the next reading of READ, if it is time. */
void ptPmlibReadMore(struct ptClient *client);

#endif
