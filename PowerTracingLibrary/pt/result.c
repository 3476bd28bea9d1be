/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded of a value, in a line; see pt.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/pt/pt.h"
#include "cli/quantity.h"

static void resultPrintEnergy(FILE *file, const struct resultLine *line)
{
	char buffer[OUT_NUMBER_SIZE];
	double seconds = (double)line->known.knownNs / 1e9;

	fprintf(file, ", %s%s", knownMark(line->known),
		quantityText(buffer, line->sum, "J"));
	if (knownIsWhole(line->known))
		fprintf(file, " in %.3f s", seconds);
	else
		fprintf(file, ", known for %.3f s of %.3f s", seconds,
			(double)line->known.durationNs / 1e9);
}

void resultPrint(FILE *file, const struct resultLine *line)
{
	double mean = knownMean(
		line->known, line->sum / ((double)line->known.knownNs / 1e9));

	fprintf(file, "  %-16s %-16s ", line->node, line->value);
	if (line->known.knownNs <= 0)
		fprintf(file, "%12s", "not measured");
	else if (isnan(mean))
		fprintf(file, "%12s %s on average", "-", line->unit);
	else
		fprintf(file, "%12.3f %s on average", mean, line->unit);
	if (line->known.knownNs > 0 && strcmp(line->unit, "W") == 0)
		resultPrintEnergy(file, line);
	fprintf(file, "%s\n", line->isSimulated ? " (simulated)" : "");
}
