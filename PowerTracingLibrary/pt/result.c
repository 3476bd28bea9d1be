/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded of a value, in a line; see pt.h. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <glib.h>

#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "cli/output.h"
#include "cli/quantity.h"

static void resultAddEnergy(GString *out, const struct resultLine *line)
{
	char buffer[OUT_NUMBER_SIZE];
	double seconds = (double)line->known.knownNs / 1e9;

	g_string_append_printf(out, ", %s%s", knownMark(line->known),
			       quantityText(buffer, line->sum, "J"));
	if (knownIsWhole(line->known))
		g_string_append_printf(out, " in %.3f s", seconds);
	else
		g_string_append_printf(out, ", known for %.3f s of %.3f s",
				       seconds,
				       (double)line->known.durationNs / 1e9);
}

void resultPrint(FILE *file, const struct resultLine *line)
{
	double mean = knownMean(
		line->known, line->sum / ((double)line->known.knownNs / 1e9));
	GString *out = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE];

	g_string_printf(out, "  %-16s %-16s ", line->node, line->value);
	if (line->known.knownNs <= 0)
		g_string_append_printf(out, "%12s", "not measured");
	else if (isnan(mean))
		g_string_append_printf(out, "%12s %s on average", "-",
				       line->unit);
	else
		g_string_append_printf(out, "%12s %s on average",
				       outRounded(buffer, mean), line->unit);
	if (line->known.knownNs > 0 && strcmp(line->unit, "W") == 0)
		resultAddEnergy(out, line);
	outSay(file, "%s%s", out->str, line->isSimulated ? " (simulated)" : "");
	g_string_free(out, TRUE);
}
