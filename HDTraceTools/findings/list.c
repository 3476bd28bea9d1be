/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The list of findings: its order, and freeing it.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/findings.h"

void findingClear(void *data)
{
	struct finding *finding = data;

	g_array_unref(finding->waiting);
	g_array_unref(finding->causing);
	g_array_unref(finding->nodes);
	g_array_unref(finding->threads);
	g_free(finding->command);
}

#define FINDING_COMPARE(a, b)                      \
	do {                                       \
		if ((a) != (b))                    \
			return (a) > (b) ? -1 : 1; \
	} while (0)

/** What counts by itself first; then what saves most time, what avoids most
 *  energy, and what took most time. */
static gint compareFindings(gconstpointer a, gconstpointer b)
{
	const struct finding *x = a;
	const struct finding *y = b;

	FINDING_COMPARE(!x->partOf, !y->partOf);
	FINDING_COMPARE(x->saved, y->saved);
	FINDING_COMPARE(x->avoidable, y->avoidable);
	FINDING_COMPARE(x->time, y->time);
	return strcmp(x->kind, y->kind);
}

void findingsSortList(struct findings *findings)
{
	g_array_sort(findings->list, compareFindings);
}
