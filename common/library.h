/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Libraries that are opened at run time: ours must not need them.
 */
#ifndef HD_LIBRARY_H
#define HD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/** A function, or data, and where in a struct its address belongs. */
struct hdSymbol {
	const char *name;
	size_t offset;
	bool isOptional; /**< NULL if there is none. */
};

/**
 * Open a library and find what it has.
 *
 * @param symbols The last one has no name.
 * @param[out] api What the offsets are of.
 * @param[out] why Why not: what dlopen() says, or which function is missing.
 *
 * @return As of dlopen(); or NULL.
 */
void *hdLibraryOpen(const char *library, const struct hdSymbol *symbols,
		    void *api, char *why, size_t whySize);

#endif
