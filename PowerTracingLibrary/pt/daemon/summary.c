/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, in a few lines. */
#include "config.h"

#include "PowerTracingLibrary/pt/core/ptcommand.h"

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

	for (size_t i = node->first; i < node->first + node->count; i++)
		hasPower = hasPower || isPower(config, i);
	for (size_t i = node->first; i < node->first + node->count; i++) {
		const struct ptColumn *column = &config->columns[i];
		struct ptResult result;

		if (hasPower ? !isPower(config, i) : i > node->first)
			continue;
		result = ptTraceResult(trace, i);
		resultPrint(file,
			    &(struct resultLine){
				    .node = node->path,
				    .value = config->names[i],
				    .unit = column->quantity->unit
						    ? column->quantity->unit
						    : "",
				    .sum = result.total.sum,
				    .known = { result.total.coveredNs,
					       result.durationNs },
				    .isSimulated = column->isSimulated,
			    });
	}
}

void summaryPrint(FILE *file, PowerTrace *trace, const char *project)
{
	const struct ptConfig *config = ptTraceConfig(trace);
	struct ptResult result = ptTraceResult(trace, 0);
	struct ptCounts counts;

	ptTraceCounts(trace, &counts);
	fprintf(file, "pt: %.3f s of %s in %s.proj: %llu readings, %llu lost",
		(double)result.durationNs / 1e9, config->driver->name, project,
		(unsigned long long)counts.readings,
		(unsigned long long)counts.lost);
	fprintf(file, ", %llu errors, %llu reconnects\n",
		(unsigned long long)counts.errors,
		(unsigned long long)counts.reconnects);
	for (size_t i = 0; i < config->nodeCount; i++)
		summaryNode(file, trace, config, &config->nodes[i]);
}
