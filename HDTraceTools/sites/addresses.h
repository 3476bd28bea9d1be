/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Addresses in programs and shared libraries: which file, line and function.
 *
 * A file is used only if it has the build id that was asked for: after it was
 * compiled again all addresses are others, and what they say would look right.
 * It is looked for at its path and then, by its build id, in directories of
 * debuggers (`.build-id/5f/0c….debug` and `.build-id/5f/0c…` in them): those of
 * HDTRACE_DEBUG_PATH, with `:` between, and /usr/lib/debug.
 *
 * libdw reads them, which is opened when the first address is looked for. It is
 * optional; without it nothing is found.
 */
#ifndef HD_SITES_ADDRESSES_H
#define HD_SITES_ADDRESSES_H

#include <inttypes.h>
#include <stdbool.h>
#include <glib.h>

/** A function at an address. */
struct addressPlace {
	char *function; /**< NULL: not known. */
	char *file;     /**< With its directory; NULL: not known. */
	int line;       /**< 0: not known. */
};

/** What is at an address. */
struct addressFound {
	/** struct addressPlace: the innermost inlined function first, the one
	 *  that was compiled last. Empty: nothing is known. */
	GArray *places;
	uint64_t offset; /**< In the function; where only that is known. */
};

struct addresses;

struct addresses *addressesNew(void);

/** Free it; NULL does nothing. */
void addressesFree(struct addresses *self);

/**
 * Find what an instruction belongs to.
 *
 * @param path Of the program or library.
 * @param buildId In hexadecimal; empty: it has none, and is taken as it is.
 * @param address As in the file: without what the loader adds to it.
 *
 * @return Valid as long as @p self; never NULL.
 */
const struct addressFound *addressesFind(struct addresses *self,
					 const char *path, const char *buildId,
					 uint64_t address);

/** Why a file could not be used. */
struct addressProblem {
	char *path; /**< NULL: no file can be. */
	char *text;
};

/** What was wrong: struct addressProblem, one for each file. */
const GArray *addressesProblems(const struct addresses *self);

#endif
