/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, in a few lines. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/pt/pt.h"
#include "recording/integral.h"

static gboolean isPower(const struct ptConfig *config, size_t column)
{
	return g_strcmp0(config->columns[column].quantity->unit, "W") == 0;
}

/* Print the power of a node, or its first value if it has none. */
static void summaryNode(FILE *file, PowerTrace *trace,
			const struct ptConfig *config,
			const struct ptNode *node)
{
	gboolean hasPower = FALSE;
	double seconds, mean;

	for (size_t i = node->first; i < node->first + node->count; i++)
		hasPower = hasPower || isPower(config, i);
	for (size_t i = node->first; i < node->first + node->count; i++) {
		const struct ptColumn *column = &config->columns[i];

		if (hasPower ? !isPower(config, i) : i > node->first)
			continue;
		mean = ptTraceResult(trace, i, &seconds);
		fprintf(file, "  %-16s %-16s %12.3f %s on average", node->path,
			config->names[i], mean,
			column->quantity->unit ? column->quantity->unit : "");
		if (hasPower)
			fprintf(file, ", %.3f J",
				hdIntegralOf(mean, llround(seconds * 1e9)));
		fprintf(file, "%s\n",
			column->isSimulated ? " (simulated)" : "");
	}
}

void summaryPrint(FILE *file, PowerTrace *trace, const char *project)
{
	const struct ptConfig *config = ptTraceConfig(trace);
	struct ptCounts counts;
	double seconds;

	ptTraceCounts(trace, &counts);
	ptTraceResult(trace, 0, &seconds);
	fprintf(file, "pt: %.3f s of %s in %s.proj: %llu readings, %llu lost",
		seconds, config->driver->name, project,
		(unsigned long long)counts.readings,
		(unsigned long long)counts.lost);
	fprintf(file, ", %llu errors, %llu reconnects\n",
		(unsigned long long)counts.errors,
		(unsigned long long)counts.reconnects);
	for (size_t i = 0; i < config->nodeCount; i++)
		summaryNode(file, trace, config, &config->nodes[i]);
}
