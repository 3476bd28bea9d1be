/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: layers, as hdtrace diagnose prints them.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/diagnose/diagnose.h"
#include "HDTraceTools/report/report.h"

static struct diagnose reportLayersPrinterOf(const struct findings *findings,
					     struct outJson *json)
{
	return (struct diagnose){
		.tool = findings->tool,
		.layers = findings->layers,
		.outliers = findings->outliers,
		.out = findings->out,
		.start = findings->start,
		.json = json,
	};
}

void reportPrintLayers(const struct report *report)
{
	const struct findings *findings = &report->findings;
	const struct diagnose printer = reportLayersPrinterOf(findings, NULL);

	if (!findings->layers)
		return;
	printf("\n%sLayers%s\n", findings->tool->isColored ? "\033[1m" : "",
	       findings->tool->isColored ? "\033[0m" : "");
	diagnosePrintLayers(&printer);
	putchar('\n');
	diagnosePrintVerdicts(&printer);
}

void reportPutLayers(const struct findings *findings, struct outJson *json)
{
	const struct diagnose printer = reportLayersPrinterOf(findings, json);

	if (!findings->layers)
		return;
	outJsonObject(json, "layers", false);
	diagnosePut(&printer);
	outJsonEnd(json);
}
