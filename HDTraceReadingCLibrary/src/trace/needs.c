/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which records readers of later ones need, also those of another interval
 * (doc/format). */
#include "config.h"

#include <stdlib.h>

#include "HDTraceReadingCLibrary/src/trace/trace.h"

/* Names of states that are told apart; a trace with more has no index. */
#define NEEDS_NAMES 4096

/* Attributes and elements that readers of later records need. */
static const char *const needsOf[] = {
	"part", "sampleNs", "sampleSource", "callNs", "Site", "Object",
};
#define NEEDS_COUNT (sizeof(needsOf) / sizeof(*needsOf))

struct hdITraceNeeds {
	const char *needed[NEEDS_COUNT]; /* As the parser has them. */
	const char *namePolls[2];
	const char *nameTracer;
	/* Names of states that were met, as the parser has them. */
	const char *names[2 * NEEDS_NAMES];
	size_t count;
	int isFull;
};

struct hdITraceNeeds *hdITraceNeedsCreate(struct hdITraceXml *xml)
{
	struct hdITraceNeeds *needs = calloc(1, sizeof(*needs));
	int isGood = needs != NULL;

	for (size_t i = 0; isGood && i < NEEDS_COUNT; i++) {
		needs->needed[i] = hdITraceXmlName(xml, needsOf[i]);
		isGood = needs->needed[i] != NULL;
	}
	if (isGood) {
		needs->namePolls[0] = hdITraceXmlName(xml, "Polls");
		needs->namePolls[1] = hdITraceXmlName(xml, "Profile");
		needs->nameTracer = hdITraceXmlName(xml, "tracerNs");
	}
	if (isGood && needs->namePolls[0] && needs->namePolls[1] &&
	    needs->nameTracer)
		return needs;
	hdITraceNeedsFree(needs);
	return NULL;
}

void hdITraceNeedsFree(struct hdITraceNeeds *needs)
{
	free(needs);
}

int hdITraceNeedsIsFull(const struct hdITraceNeeds *needs)
{
	return needs->isFull;
}

/* Whether a name of the parser is met for the first time. */
static int needsIsNew(struct hdITraceNeeds *needs, const char *name)
{
	const size_t mask = 2 * NEEDS_NAMES - 1;
	size_t at = ((uintptr_t)name >> 3) * 2654435761u & mask;

	for (; needs->names[at]; at = (at + 1) & mask)
		if (needs->names[at] == name)
			return 0;
	if (needs->count == NEEDS_NAMES) {
		needs->isFull = 1;
		return 0;
	}
	needs->names[at] = name;
	needs->count++;
	return 1;
}

static int needsIsName(const struct hdITraceNeeds *needs, const char *name)
{
	for (size_t i = 0; i < NEEDS_COUNT; i++)
		if (needs->needed[i] == name)
			return 1;
	return 0;
}

int hdITraceNeedsAdd(struct hdITraceNeeds *needs, const hdIRecord *record)
{
	int isNeeded, isMixed;

	if (record->kind == HDI_EVENT)
		return 0;
	isMixed = record->name == needs->namePolls[0] ||
		  record->name == needs->namePolls[1];
	isNeeded = needsIsNew(needs, record->name);
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];

		isNeeded |= needsIsName(needs, attribute->name);
		/* They stand for states of functions, if there were calls.
		 * Readers may make a state only of a later one, if attributes
		 * beside it are missing: then names without time come in
		 * another order, which no command prints. */
		if ((isMixed || attribute->name == needs->nameTracer) &&
		    *attribute->value >= '1' && *attribute->value <= '9')
			isNeeded |= needsIsNew(needs, attribute->name);
	}
	for (size_t i = 0; i < record->elementCount; i++)
		isNeeded |= needsIsName(needs, record->elements[i].name);
	return isNeeded;
}
