/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Call sites: where in the program a state was called (doc/format/format.md).
 *
 * A trace says of each site the object (program or library), by its build id,
 * and the address in it. So the same place in several processes is the same
 * site, wherever it was loaded.
 */
#ifndef HD_SITES_SITES_H
#define HD_SITES_SITES_H

#include <inttypes.h>
#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

#include "HDTraceTools/sites/addresses.h"

/** A program or shared library. Its texts are shared by the sites in it. */
struct siteObject {
	GRefString *path;
	GRefString *buildId; /**< Empty: it has none. */
};

/** As long is a key, with the 0 at its end: SHA-256 in hexadecimal. */
#define SITE_KEY_SIZE 65

/** A place in a program, and who called the function that it is in. */
struct site {
	/** A digest of what it is: the same for the same place. */
	char key[SITE_KEY_SIZE];
	struct siteObject object;
	uint64_t address;    /**< To return to: the call is before it. */
	struct site *caller; /**< NULL: not known. */
	uint32_t number;     /**< Among those of the trace. */
	unsigned int depth;  /**< Callers around it. */
	gatomicrefcount references;
};

/** Sites of a trace, as far as it was read. */
struct sites;

struct sites *sitesNew(void);

/** Free it; NULL does nothing. */
void sitesFree(struct sites *self);

/** What a state says of its site. */
enum siteSaid {
	SITE_NONE,
	SITE_KNOWN,
	SITE_UNKNOWN, /**< It names one that the trace did not describe. */
	SITE_WRONG,   /**< What it describes is wrong. */
};

/**
 * Take the next record of the trace, in the order of the file.
 *
 * @param[out] site Where the state was called; NULL: not known. Valid as long
 * as
 *             @p self.
 */
enum siteSaid sitesTake(struct sites *self, const hdIRecord *record,
			const struct site **site);

/** Whether an element describes sites, and so is of no interest to people. */
bool siteIsElement(const hdIElement *element);

/** Keep a site beyond its trace; to be given back with siteUnref(). */
struct site *siteRef(const struct site *site);

/** NULL does nothing. */
void siteUnref(struct site *site);

/** Order sites by their places, which all traces have alike: below, equal to,
 * or above 0. */
int siteCompare(const struct site *a, const struct site *b);

/** Find what a site is in the source. */
const struct addressFound *siteFind(const struct site *site,
				    struct addresses *addresses);

/**
 * Say what a site is: "exchange (heat.c:120)", "exchange+0x1f (heat)", or
 * "heat+0x1194", with its callers behind it.
 *
 * @return To be freed with g_free().
 */
char *siteText(const struct site *site, struct addresses *addresses);

#endif
