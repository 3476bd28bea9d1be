/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files that read the configuration of a service share.
 */
#ifndef PT_SITEPARSE_H
#define PT_SITEPARSE_H

#include "PowerTracingLibrary/service/site/site.h"
#include "PowerTracingLibrary/src/config/parse.h"

/** Read the section [Server]. */
void ptSiteServer(struct ptParse *parse, struct ptSite *site,
		  const struct hdIniSection *section);

/** Read the sections [Device], [Line] and [Trace]. */
void ptSiteDevices(struct ptParse *parse, struct ptSite *site);

/** Free what ptSiteDevices() made. */
void ptSiteFreeDevices(struct ptSite *site);

/** Read the sections [User]. */
void ptSiteUsers(struct ptParse *parse, struct ptSite *site);

/** Check a name: letters, digits, ".", "_" and "-"; reports. */
bool ptSiteCheckName(struct ptParse *parse, const struct hdIniKey *key,
		     const char *name);

#endif
