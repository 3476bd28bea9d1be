/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics as text; see metrictext.h. */
#include "config.h"

#include <math.h>

#include "common/format/exposition.h"
#include "net/metrictext.h"

static void metricTextPutText(const struct hdMetricText *text,
			      enum hdExposition where, const char *value)
{
	char piece[HD_EXPOSITION_PIECE];

	while (*value) {
		size_t length = hdExpositionPiece(where, &value, piece);

		fwrite(piece, 1, length, text->file);
	}
}

void hdMetricFamily(const struct hdMetricText *text, const char *name,
		    bool isCounter, const char *unit, const char *help)
{
	const char *end = isCounter && !text->isOpen ? "_total" : "";

	fprintf(text->file, "# HELP %s%s ", name, end);
	metricTextPutText(text,
			  text->isOpen ? HD_EXPOSITION_OPEN_HELP
				       : HD_EXPOSITION_HELP,
			  help);
	fprintf(text->file, "\n# TYPE %s%s %s\n", name, end,
		isCounter ? "counter" : "gauge");
	if (unit && text->isOpen)
		fprintf(text->file, "# UNIT %s %s\n", name, unit);
}

void hdMetricName(const struct hdMetricText *text, const char *name,
		  bool isCounter)
{
	fprintf(text->file, "%s%s", name, isCounter ? "_total" : "");
}

void hdMetricLabel(const struct hdMetricText *text, char before,
		   const char *name, const char *value)
{
	fprintf(text->file, "%c%s=\"", before, name);
	metricTextPutText(text, HD_EXPOSITION_LABEL, value);
	fputc('"', text->file);
}

void hdMetricNumber(const struct hdMetricText *text, double value)
{
	if (isnan(value))
		fputs(" NaN\n", text->file);
	else if (isinf(value))
		fputs(value > 0 ? " +Inf\n" : " -Inf\n", text->file);
	else
		fprintf(text->file, " %.15g\n", value);
}

void hdMetricEnd(const struct hdMetricText *text)
{
	if (text->isOpen)
		fputs("# EOF\n", text->file);
}
