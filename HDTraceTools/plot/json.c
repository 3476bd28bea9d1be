/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot --format=json: what the picture shows, as numbers.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/plot/plot.h"
#include "cli/known.h"

/** The length of the part of the run that was asked for. */
static int64_t plotJsonLengthOf(const struct plotSource *source)
{
	struct extent run = extentOfProject(source->project);

	return extentLength(&run, source->selection.start,
			    source->selection.end);
}

static const char *plotJsonPathOf(const struct plotSource *source,
				  const hdINode *node)
{
	return *source->prefix ? plotPathOf(source, node) : rolesPath(node);
}

/** @param lengthNs Of the part of the run that was asked for. */
static void putCurve(struct outJson *json, const struct plotCurve *curve,
		     int64_t lengthNs)
{
	const struct moments *moments = &curve->moments;
	struct momentsResult result = momentsGet(moments, curve->value->type);
	struct known known = { (int64_t)moments->weight, lengthNs };
	bool isAmount = kindIsAmount(curve->kind);
	double seconds = (double)moments->weight / 1e9;
	char *unit = momentsIntegralUnit(curve->value->unit);

	outJsonObject(json, NULL, true);
	outJsonText(json, "label", curve->label);
	outJsonText(json, "node",
		    plotJsonPathOf(curve->source, curve->group->node));
	outJsonText(json, "group", curve->group->name);
	outJsonText(json, "value", curve->value->name);
	outJsonText(json, "unit", curve->value->unit);
	outJsonBool(json, "simulated", curve->isSimulated);
	outJsonBool(json, "dense", plotIsDense(curve));
	outJsonInteger(json, "count", (int64_t)momentsCount(moments));
	outJsonInteger(json, "nan", (int64_t)moments->missing);
	outJsonDouble(json, "mean",
		      isAmount ? NAN : knownMean(known, result.mean));
	resultsPutRange(json, moments, curve->value->type, curve->kind);
	outJsonDouble(json, "integral",
		      isAmount ? NAN : knownTotal(known, result.integral));
	outJsonText(json, "integral_unit", isAmount ? NULL : unit);
	outJsonSeconds(json, "duration_s", known.durationNs);
	outJsonSeconds(json, "known_s", known.knownNs);
	resultsPutKind(json, curve->group, curve->value);
	outJsonDouble(json, "total",
		      isAmount ? knownTotal(known, result.sum) : NAN);
	outJsonText(json, "total_unit", isAmount ? curve->value->unit : NULL);
	outJsonDouble(json, "rate",
		      isAmount && seconds > 0
			      ? knownMean(known, result.sum * curve->rateScale /
							 seconds)
			      : NAN);
	outJsonText(json, "rate_unit", curve->rateUnit);
	outJsonEnd(json);
	g_free(unit);
}

static void putPanel(struct outJson *json, const struct plot *plot,
		     const struct plotPanel *panel, const int64_t *lengths)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "title", panel->title);
	outJsonText(json, "unit", panel->unit);
	outJsonDouble(json, "min", panel->min);
	outJsonDouble(json, "max", panel->max);
	outJsonArray(json, "curves", false);
	for (guint i = 0; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];

		putCurve(json, curve, lengths[curve->source - plot->sources]);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void putProjects(struct outJson *json, const struct plot *plot)
{
	outJsonArray(json, "projects", false);
	for (size_t i = 0; i < plot->sourceCount; i++) {
		const struct plotSource *source = &plot->sources[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", source->name);
		outJsonText(json, "file", source->project->file);
		outJsonSeconds(json, "shift_s", source->shift);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** Power of projects, and its difference. */
static void putComparison(struct outJson *json, const struct plotPanel *panel)
{
	outJsonArray(json, "comparison", false);
	for (guint i = 0; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];
		double joules = curve->window.sum / 1e9;
		int64_t known = curve->window.weight;

		outJsonObject(json, NULL, true);
		outJsonText(json, "label", curve->label);
		outJsonDouble(json, "power_w",
			      known ? joules / ((double)known / 1e9) : NAN);
		outJsonDouble(json, "energy_j", known ? joules : NAN);
		outJsonSeconds(json, "known_s", known);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** Which values make up the power of nodes. */
static void putPowers(struct outJson *json, const struct plot *plot)
{
	outJsonArray(json, "powers", false);
	for (size_t i = 0; i < plot->sourceCount; i++) {
		const struct plotSource *source = &plot->sources[i];

		outJsonObject(json, NULL, false);
		outJsonText(json, "project", source->project->name);
		powersPut(json, source->project, source->powers);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void plotPrintJson(const struct plot *plot)
{
	struct outJson json = { .depth = 0 };
	int64_t *lengths = g_new(int64_t, plot->sourceCount);

	for (size_t i = 0; i < plot->sourceCount; i++)
		lengths[i] = plotJsonLengthOf(&plot->sources[i]);
	outJsonDocument(&json, "hdtrace-plot");
	outJsonText(&json, "project", plot->sources[0].project->name);
	outJsonText(&json, "file", plot->output);
	outJsonDouble(&json, "width_pt", plot->width);
	outJsonDouble(&json, "height_pt", plot->height);
	outJsonSeconds(&json, "start_s", plot->start);
	outJsonSeconds(&json, "end_s", plot->end);
	if (plot->window.length)
		outJsonSeconds(&json, "window_s", plot->window.length);
	if (plot->sourceCount > 1)
		putProjects(&json, plot);
	if (plot->panels->len &&
	    ((const struct plotPanel *)plot->panels->pdata[0])->isComparison)
		putComparison(&json, plot->panels->pdata[0]);
	putPowers(&json, plot);
	outJsonArray(&json, "panels", false);
	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		if (!panel->isComparison)
			putPanel(&json, plot, panel, lengths);
	}
	outJsonEnd(&json);
	outJsonArray(&json, "time_lines", false);
	for (guint i = 0; i < plot->rows->len; i++) {
		const struct plotRow *row = plot->rows->pdata[i];

		outJsonText(&json, NULL,
			    plotJsonPathOf(row->source, row->trace->node));
	}
	outJsonEnd(&json);
	outJsonEnd(&json);
	g_free(lengths);
}
