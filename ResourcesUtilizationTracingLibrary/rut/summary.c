/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, in a few lines. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "ResourcesUtilizationTracingLibrary/rut/rut.h"
#include "cli/output.h"

/* Get a result by the name of the value. */
static gboolean summaryGet(UtilTrace *trace, const char *name, double *result)
{
	const struct rutColumns *columns = rutTraceColumns(trace);

	for (size_t i = 0; i < columns->count; i++) {
		if (strcmp(columns->list[i].name, name) == 0) {
			*result = rutTraceResult(trace, i, NULL);
			return TRUE;
		}
	}
	return FALSE;
}

static void summaryBytes(FILE *file, double bytes, const char *text)
{
	char *size = isfinite(bytes)
			     ? g_format_size_full((guint64)(bytes + 0.5),
						  G_FORMAT_SIZE_IEC_UNITS)
			     : g_strdup("-");

	fprintf(file, " %s %s", size, text);
	g_free(size);
}

/* A line of two amounts. */
static void summaryPair(FILE *file, UtilTrace *trace, const char *title,
			const char *in, const char *inText, const char *out,
			const char *outText)
{
	double bytesIn, bytesOut;

	if (!summaryGet(trace, in, &bytesIn) ||
	    !summaryGet(trace, out, &bytesOut))
		return;
	fprintf(file, "  %-8s", title);
	summaryBytes(file, bytesIn, inText);
	fputc(',', file);
	summaryBytes(file, bytesOut, outText);
	fputc('\n', file);
}

void summaryPrint(FILE *file, UtilTrace *trace, const char *project)
{
	char number[OUT_NUMBER_SIZE];
	double seconds, value;
	uint64_t late, samples;
	int64_t cpuNs;

	rutTraceResult(trace, 0, &seconds);
	rutTraceCost(trace, &cpuNs, &late, &samples);
	outSay(file, "rut: %.3f s in %s", seconds, project);
	if (summaryGet(trace, "CPU_TOTAL", &value))
		fprintf(file, "  %-8s %s %% used\n", "CPUs",
			outRounded(number, value));
	if (summaryGet(trace, "MEM_USED", &value)) {
		fprintf(file, "  %-8s", "memory");
		summaryBytes(file, value, "used on average\n");
	}
	summaryPair(file, trace, "network", "NET_IN_EXT", "in", "NET_OUT_EXT",
		    "out");
	summaryPair(file, trace, "disk", "HDD_READ", "read", "HDD_WRITE",
		    "written");
	fprintf(file, "  %-8s %s %% of one CPU, %.0f us each of %llu samples",
		"tracing",
		outRounded(number,
			   seconds > 0 ? (double)cpuNs / seconds / 1e7 : 0),
		samples > 0 ? (double)cpuNs / (double)samples / 1e3 : 0,
		(unsigned long long)samples);
	fprintf(file, ", %llu skipped\n", (unsigned long long)late);
}
