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

/** The member of a struct for a function of a library: of the type that the
 *  library's header says. */
#define HD_LIBRARY_FUNCTION(name) __typeof__(name) *name;
/** The same function in a table of symbols, of a struct of this type. */
#define HD_LIBRARY_SYMBOL(type, name) { #name, offsetof(type, name), false },
/** Ends such a table. */
#define HD_LIBRARY_END         \
	{                      \
		NULL, 0, false \
	}

/**
 * A library that few uses of a program need: it is opened when the first one
 * does, and stays open. A file lists the functions once,
 *
 *     #define FUNCTIONS(X) X(cairo_create) X(cairo_destroy)
 *     static struct cairoApi { FUNCTIONS(HD_LIBRARY_FUNCTION) } api;
 *
 * and calls api.cairo_create(); one that is not in the list does not link.
 */
struct hdLibrary {
	const char *what;    /**< How people call it. */
	const char *file;    /**< As of dlopen(). */
	const char *package; /**< Of Debian, that has it. */
	const struct hdSymbol *symbols;
	void *api;
	bool isOpen;   /**< Of hdLibraryMissing(). */
	char why[400]; /**< Not; empty before anybody has asked. */
};

/**
 * Open the library, unless it is. Any thread may.
 *
 * @return NULL if it can be used; else why not, to be shown, valid for ever.
 */
const char *hdLibraryMissing(struct hdLibrary *library);

#endif
