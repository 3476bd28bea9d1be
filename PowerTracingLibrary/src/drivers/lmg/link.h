/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Talking to an LMG450: lines to it, messages from it, and when they arrived.
 *
 * Functions return 0 or a negative errno value; times are of CLOCK_MONOTONIC.
 */
#ifndef PT_LMGLINK_H
#define PT_LMGLINK_H

#include "PowerTracingLibrary/src/drivers/lmg/lmgparser.h"
#include "PowerTracingLibrary/src/meter/receiver.h"

/** Longest line to the meter, with its LF. */
#define PT_LMG_LINE_MAX 1024

struct ptLmgLink {
	struct ptReceiver receiver;
	struct ptLmgParser parser;
	struct ptLmgMessage message; /**< The last one. */
	size_t usual; /**< Length of the messages that come, or 0. */
};

/** Begin, with a meter that needs @p byteNs for a byte. */
void ptLmgLinkInit(struct ptLmgLink *link, struct ptTransport *transport,
		   int wakeFd, int64_t byteNs);

/** Send a line; the LF is added. */
int ptLmgSend(struct ptLmgLink *link, const char *line, int64_t deadlineNs);

/**
 * Wait for the next message; it is in link->message.
 *
 * @return 0, or an error of ptTransportRead().
 * @retval -EPROTO Something was no message, link->message.why says why.
 */
int ptLmgReceive(struct ptLmgLink *link, int64_t deadlineNs);

/**
 * Wait until something follows the last message, which stays what it is.
 *
 * @return Whether something does.
 */
bool ptLmgIsFollowed(struct ptLmgLink *link, int64_t deadlineNs);

/**
 * Send a question and wait for the text that answers it; what is none is passed
 * over. The answer is in link->message.text.
 */
int ptLmgAsk(struct ptLmgLink *link, const char *question, int64_t deadlineNs);

/**
 * Wait until all is sent and nothing comes any more; forget what came.
 *
 * @retval -ETIMEDOUT It did not become quiet.
 */
int ptLmgQuiet(struct ptLmgLink *link, int64_t deadlineNs);

/** Tell when the first byte of the last message arrived, at the latest. */
int64_t ptLmgArrival(const struct ptLmgLink *link);

#endif
