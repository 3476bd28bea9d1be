/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of options of hdexecute; see execute.h. */
#include "config.h"

#include <limits.h>
#include <math.h>

#include <glib.h>

#include "PredictionLibrary/execution/execute.h"
#include "common/clock.h"
#include "common/duration.h"

/* BYTES_PER_S[,LATENCY] */
bool hdExecuteReadPace(const char *text, struct hdExecutePace *pace)
{
	int64_t ns;
	char *end;

	if (!text)
		return true;
	pace->rate = g_ascii_strtod(text, &end);
	/* Times of messages are to fit into 64 bits of ns. */
	if (end == text || !(pace->rate >= 1 && pace->rate < HUGE_VAL))
		return false;
	if (*end == '\0')
		return true;
	if (*end != ',' ||
	    hdDurationParse(end + 1, HD_NS_PER_S, &ns, NULL) != 0)
		return false;
	pace->latency = (double)ns / 1e9;
	return pace->latency >= 0 && pace->latency <= 3600;
}

/* BYTES,BYTES... */
bool hdExecuteReadSizes(const char *text, struct hdExecuteLinks *links)
{
	char **words = g_strsplit(text ? text : "", ",", -1);
	guint count = g_strv_length(words);
	bool isGood = true;

	links->sizes = g_new0(int, count + 1);
	links->sizeCount = count;
	for (guint i = 0; i < count && isGood; i++) {
		char *end;
		double size = g_ascii_strtod(words[i], &end);

		isGood = end != words[i] && !*end && size >= 1 &&
			 size <= INT_MAX;
		links->sizes[i] = isGood ? (int)size : 0;
	}
	g_strfreev(words);
	return isGood;
}
