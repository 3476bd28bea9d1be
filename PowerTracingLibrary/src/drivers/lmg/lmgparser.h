/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What an LMG450 sends, taken apart: bytes go in as they come, messages out.
 *
 * Three kinds of messages are expected. Which one is known beforehand, by what
 * was asked:
 * - text: up to LF; a LF inside double quotes does not end it;
 * - values in ASCII: up to LF, numbers separated by ';';
 * - values packed: one or more blocks `#` D LEN DATA, back to back, then LF; D
 *   is one digit, the number of digits of LEN; DATA are IEEE-754 single
 *   precision numbers, little endian. A message may have one block for all
 *   values, or one for each, or any other division.
 *
 * What cannot be such a message is discarded up to where the next one begins,
 * and told once. In packed messages that is the next `#` from which on
 * everything fits, so a message that lost bytes does not take the one after it
 * along.
 *
 * Works on the bytes alone: no clock, no device, no memory but the parser's.
 */
#ifndef PT_LMGPARSER_H
#define PT_LMGPARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest message in bytes, with its LF. */
#define PT_LMG_MESSAGE_MAX 4096
/** Most values in a message. */
#define PT_LMG_VALUES_MAX 64

/** What is expected. */
enum ptLmgKind {
	PT_LMG_TEXT,
	PT_LMG_ASCII,
	PT_LMG_PACKED,
};

/** A message. */
struct ptLmgMessage {
	/** Position of its first byte among all bytes since ptLmgInit(). */
	uint64_t position;
	/** Length in bytes, with the LF. */
	size_t length;
	/** PT_LMG_TEXT: without the LF; until the next call for the parser. */
	const char *text;
	/** Others: the bits of the values, as many as expected. */
	uint32_t values[PT_LMG_VALUES_MAX];
	/** Why there is none, if ptLmgNext() returned -EPROTO. */
	char why[96];
};

/** Bytes on their way to be messages. */
struct ptLmgParser {
	enum ptLmgKind kind;
	size_t count;      /**< Expected values. */
	bool isLost;       /**< Told already that what comes is no message. */
	bool isTail;       /**< Up to the next LF it is no line. */
	uint64_t position; /**< Of bytes[begin]. */
	size_t begin, end; /**< Of what is not used yet. */
	uint8_t bytes[2 * PT_LMG_MESSAGE_MAX];
};

/** Begin with nothing at position 0; expects text. */
void ptLmgInit(struct ptLmgParser *parser);

/**
 * Expect something else, and forget the bytes that are not used yet.
 *
 * @param parser Parser to use.
 * @param kind What is expected from now on.
 * @param count Values of a message, at most PT_LMG_VALUES_MAX.
 */
void ptLmgExpect(struct ptLmgParser *parser, enum ptLmgKind kind, size_t count);

/**
 * Add bytes.
 *
 * @return How many were taken; all, if ptLmgNext() has been called until it
 *         returned 0 and @p size is not larger than PT_LMG_MESSAGE_MAX.
 */
size_t ptLmgPush(struct ptLmgParser *parser, const void *bytes, size_t size);

/** Get the number of bytes that are not used yet. */
static inline size_t ptLmgPending(const struct ptLmgParser *parser)
{
	return parser->end - parser->begin;
}

/**
 * Take the next message.
 *
 * @retval 1 There is one.
 * @retval 0 More bytes are needed.
 * @retval -EPROTO Something was no message; @p message says why. The next call
 *         goes on behind it.
 */
int ptLmgNext(struct ptLmgParser *parser, struct ptLmgMessage *message);

#endif
