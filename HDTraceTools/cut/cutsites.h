/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Descriptions of call sites in a part of a trace.
 *
 * A trace describes a site where it is named first (doc/format). If that is not
 * in the part, the first state of the part that names the site describes it.
 */
#ifndef HD_CUT_CUTSITES_H
#define HD_CUT_CUTSITES_H

#include <glib.h>

#include <hdReading.h>

struct cutSites;

struct cutSites *cutSitesNew(void);
void cutSitesFree(struct cutSites *self);

/** See the descriptions of the next record, in the part or not. */
void cutSitesSee(struct cutSites *self, const hdIRecord *record);

/**
 * Add the descriptions that a record of the part needs.
 *
 * @param elements hdIElement: those of the record; more are added, which are
 *        valid until the next call of cutSitesSee().
 */
void cutSitesAdd(struct cutSites *self, const hdIRecord *record,
		 GArray *elements);

#endif
