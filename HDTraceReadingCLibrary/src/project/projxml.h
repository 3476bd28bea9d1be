/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the parts of reading a .proj file share.
 */
#ifndef HDI_PROJXML_H
#define HDI_PROJXML_H

#include "HDTraceReadingCLibrary/src/project/project.h"
#include "HDTraceReadingCLibrary/src/xml.h"

/** A .proj file that is being read. */
struct hdIProjXml {
	struct hdIProjectData *project;
	const char *file;
	int isOldFormat;
};

/** Move a text of libxml2 to the project; NULL stays NULL. */
const char *hdIProjTake(struct hdIProjXml *xml, char *text);

/** An attribute, or a default where it is missing; NULL: no memory. */
const char *hdIProjGet(struct hdIProjXml *xml, const xmlNode *node,
		       const char *name, const char *fallback);

/** The text in an element, trimmed; NULL: no memory. */
const char *hdIProjText(struct hdIProjXml *xml, const xmlNode *node);

/** Report a problem; the format has one text. */
void hdIProjReport(struct hdIProjXml *xml, enum hdIRuleId rule,
		   const xmlNode *node, const char *format, const char *text);

/* ---- lists.c: each takes one list; returns 0 or -ENOMEM ------------ */

/** CommunicatorList. */
int hdIProjCommunicators(struct hdIProjXml *xml, const xmlNode *list);

/** Datatypes. */
int hdIProjDatatypes(struct hdIProjXml *xml, const xmlNode *list);

/** ClockList. */
int hdIProjClocks(struct hdIProjXml *xml, const xmlNode *list);

/** FileList. */
int hdIProjFiles(struct hdIProjXml *xml, const xmlNode *list);

#endif
