/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of a .proj file: how they were compared. */
#include "config.h"

#include <errno.h>

#include "HDTraceReadingCLibrary/src/project/projxml.h"
#include "HDTraceReadingCLibrary/src/timeparse.h"

/* Returns 0, -EINVAL (no time is there), or -ENOMEM. */
static int getTime(struct hdIProjXml *xml, const xmlNode *node,
		   const char *name, int64_t *time)
{
	const char *text = hdIProjGet(xml, node, name, "");

	return text ? hdITimeParse(text, time) : -ENOMEM;
}

static int readPoint(struct hdIProjXml *xml, const xmlNode *element,
		     hdIClockPoint *point)
{
	int ret = getTime(xml, element, "time", &point->time);

	if (ret == 0)
		ret = getTime(xml, element, "offset", &point->offset);
	if (ret == 0)
		ret = getTime(xml, element, "error", &point->error);
	return ret == 0 && point->error < 0 ? -EINVAL : ret;
}

/* Returns 1, 0 if the element is left out, or -ENOMEM. */
static int projClocksReadClock(struct hdIProjXml *xml, const xmlNode *element,
			       hdIClock *clock)
{
	hdIClockPoint *points;
	size_t count = 0;
	int ret;

	for (const xmlNode *n = hdIXmlFirst(element); n; n = hdIXmlNext(n))
		count++;
	points = hdIArenaAllocArray(&xml->project->arena, count,
				    sizeof(*points));
	clock->node = hdIProjGet(xml, element, "node", "");
	clock->method = hdIProjGet(xml, element, "method", "");
	if (!points || !clock->node || !clock->method)
		return -ENOMEM;
	clock->points = points;
	ret = getTime(xml, element, "error", &clock->error);
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0 || clock->error < 0) {
		hdIProjReport(xml, HDI_RULE_PROJ_CLOCK, element,
			      "the clock of \"%s\" has no valid error; "
			      "omitted",
			      clock->node);
		return 0;
	}
	for (const xmlNode *n = hdIXmlFirst(element); n; n = hdIXmlNext(n)) {
		if (!hdIXmlIs(n, "Point"))
			continue;
		ret = readPoint(xml, n, &points[clock->pointCount]);
		if (ret == -ENOMEM)
			return ret;
		if (ret == 0)
			clock->pointCount++;
		else
			hdIProjReport(xml, HDI_RULE_PROJ_CLOCK, n,
				      "a point of the clock of \"%s\" has no "
				      "valid times; omitted",
				      clock->node);
	}
	return 1;
}

int hdIProjClocks(struct hdIProjXml *xml, const xmlNode *list)
{
	hdIProject *pub = &xml->project->pub;
	hdIClock *clocks;
	size_t count = 0;

	for (const xmlNode *n = hdIXmlFirst(list); n; n = hdIXmlNext(n))
		count++;
	clocks = hdIArenaAllocArray(&xml->project->arena, count,
				    sizeof(*clocks));
	if (!clocks)
		return -ENOMEM;
	pub->clocks = clocks;
	for (const xmlNode *n = hdIXmlFirst(list); n; n = hdIXmlNext(n)) {
		hdIClock *clock = &clocks[pub->clockCount];
		int ret = 0;

		if (hdIXmlIs(n, "Clock"))
			ret = projClocksReadClock(xml, n, clock);
		if (ret < 0)
			return ret;
		pub->clockCount += (size_t)ret;
	}
	return 0;
}
