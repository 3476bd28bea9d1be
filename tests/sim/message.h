/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulated meter sends: text, or blocks of floats.
 */
#ifndef SIM_MESSAGE_H
#define SIM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** One answer to one query. */
struct simItem {
	char *text;    /**< A text, or NULL for a value. */
	uint32_t bits; /**< The bits of a float. */
	bool whole;    /**< A count: without decimals if printed. */
	bool isCount;  /**< An answer to COUNT?. */
};

/** How blocks are cut. */
enum simBlocks {
	SIM_BLOCK_ONE,  /**< One block for all values: #5 LLLLL. */
	SIM_BLOCK_EACH, /**< A block for each value: #1 4. */
};

/** The form of a message. */
struct simForm {
	bool packed;
	enum simBlocks blocks;
	long lengthOff; /**< What blocks state more than they have. */
};

/** An array of items; who clears it frees their texts. */
GArray *simItemsNew(void);

/**
 * Put answers into a message.
 *
 * @param values How many values more (or, if negative, less) than @p items.
 * @return The bytes, with their LF, to be freed by the caller.
 */
GString *simMessageCompose(const GArray *items, const struct simForm *form,
			   long values);

/** The float that has these bits. */
double simFloat(uint32_t bits);

#endif
