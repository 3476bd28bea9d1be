/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Texts in the exposition formats of Prometheus and OpenMetrics.
 *
 * (Prometheus, "Exposition formats", text format 0.0.4; OpenMetrics 1.0,
 * "escaped-string".) A parser refuses the whole page for one wrong escape or
 * one byte that is not UTF-8.
 */
#ifndef HD_EXPOSITION_H
#define HD_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>

/** Most bytes of a piece. */
#define HD_EXPOSITION_PIECE 4

/** Where a text stands. */
enum hdExposition {
	HD_EXPOSITION_LABEL,     /**< Value of a label, in both formats. */
	HD_EXPOSITION_HELP,      /**< HELP of Prometheus: quotes are plain. */
	HD_EXPOSITION_OPEN_HELP, /**< HELP of OpenMetrics. */
};

/**
 * Get the next piece of a text as it is written; bytes that are not UTF-8
 * become U+FFFD.
 *
 * @param[in,out] text Not at its end; is moved behind what was taken.
 *
 * @return Bytes of the piece.
 */
size_t hdExpositionPiece(enum hdExposition where, const char **text,
			 char piece[HD_EXPOSITION_PIECE]);

/**
 * Get what a byte becomes in the name of a metric: letters are small,
 * separators become '_', and anything else its number, "x5c", so that no name
 * gets parts that it did not have.
 *
 * @return Bytes of the piece.
 */
size_t hdExpositionNamePiece(unsigned char byte,
			     char piece[HD_EXPOSITION_PIECE]);

#endif
