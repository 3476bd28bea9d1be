/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot --scaling: efficiencies of runs over their ranks.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/plot/scaling.h"

/** The picture, in points, where its size is not given. */
#define SCALING_HEIGHT 300
#define SCALING_LEFT 44
#define SCALING_RIGHT 130
#define SCALING_TOP 30
#define SCALING_BOTTOM 40
#define SCALING_DOT 2.2
/** A tick is 20 %. */
#define SCALING_TICK 0.2

static const struct canvasColor scalingBlack = { 0.1, 0.1, 0.1 };
static const struct canvasColor scalingPale = { 0.85, 0.85, 0.85 };

/** The efficiencies that are drawn. */
static const struct {
	enum findingsEfficiency of;
	const char *name;
	struct canvasColor color;
} scalingLines[] = {
	{ EFFICIENCY_GLOBAL, "Global", { 0.1, 0.1, 0.1 } },
	{ EFFICIENCY_OMP_PARALLEL, "OpenMP", { 0.6, 0.5, 0.0 } },
	{ EFFICIENCY_MPI_BALANCE, "MPI load balance", { 0.0, 0.35, 0.7 } },
	{ EFFICIENCY_SERIALISATION, "Serialisation", { 0.8, 0.3, 0.0 } },
	{ EFFICIENCY_TRANSFER, "Transfer", { 0.5, 0.2, 0.6 } },
	{ EFFICIENCY_SCALING, "Computation scaling", { 0.0, 0.5, 0.3 } },
};

/* ---- Reading ------------------------------------------------------------- */

static bool scalingRead(struct tool *tool, const char *path,
			struct findingsScale *scale)
{
	struct tool quiet = *tool;
	struct findings findings;
	hdIProject *project;
	bool isGood = false;

	findingsInit(&findings, &quiet);
	project = findingsOpen(&findings, path);
	if (project) {
		isGood = findingsStart(&findings, project) == 0;
		if (isGood) {
			findingsRead(&findings);
			*scale = findingsScaleOf(&findings);
		}
		findingsEnd(&findings);
		hdI_closeProject(project);
	}
	findingsClear(&findings);
	return isGood;
}

static gint scalingComparePlaces(gconstpointer a, gconstpointer b)
{
	const struct findingsScale *x = a;
	const struct findingsScale *y = b;

	if (x->ranks != y->ranks)
		return x->ranks > y->ranks ? 1 : -1;
	return (x->threads > y->threads) - (x->threads < y->threads);
}

GArray *plotReadScaling(struct tool *tool, char **paths, size_t count)
{
	GArray *runs = g_array_new(FALSE, FALSE, sizeof(struct findingsScale));
	const struct findingsScale *all;
	struct findingsScale first;
	bool isWeak;

	for (size_t i = 0; i < count; i++) {
		struct findingsScale scale;

		if (!scalingRead(tool, paths[i], &scale)) {
			g_array_unref(runs);
			return NULL;
		}
		g_array_append_val(runs, scale);
	}
	g_array_sort(runs, scalingComparePlaces);
	all = (const struct findingsScale *)(const void *)runs->data;
	first = all[0];
	isWeak = findingsScaleIsWeak(&first, &all[count - 1]);
	for (guint i = 0; i < runs->len; i++)
		findingsScaleFrom(&g_array_index(runs, struct findingsScale, i),
				  &first, isWeak);
	return runs;
}

/* ---- Drawing ------------------------------------------------------------- */

/** Where it is drawn. */
struct scalingField {
	struct canvas *canvas;
	const GArray *runs;
	double fontSize;
	double left, right, top, bottom;
	double most; /**< Of the efficiencies. */
	bool isOfThreads;
};

static const struct findingsScale *scalingRunAt(
	const struct scalingField *field, guint i)
{
	return &g_array_index(field->runs, struct findingsScale, i);
}

/** Ranks, or threads if all runs have the same ranks. */
static double scalingSize(const struct scalingField *field, guint i)
{
	const struct findingsScale *scale = scalingRunAt(field, i);

	return (double)(field->isOfThreads ? scale->threads : scale->ranks);
}

/** Twice the ranks are always as far. */
static double scalingX(const struct scalingField *field, guint i)
{
	double first = log(fmax(scalingSize(field, 0), 1));
	double last = log(fmax(scalingSize(field, field->runs->len - 1), 1));
	double at = log(fmax(scalingSize(field, i), 1));

	if (last <= first)
		return field->left + (field->right - field->left) * i /
					     MAX(field->runs->len - 1, 1);
	return field->left +
	       (field->right - field->left) * (at - first) / (last - first);
}

static double scalingY(const struct scalingField *field, double value)
{
	return field->bottom -
	       (field->bottom - field->top) * value / field->most;
}

static void scalingText(const struct scalingField *field, double x, double y,
			const char *text, enum canvasAnchor anchor,
			struct canvasColor color)
{
	const struct canvasFont font = {
		.size = field->fontSize,
		.color = color,
		.anchor = anchor,
	};

	canvasText(field->canvas, x, y, text, &font);
}

static void scalingRule(const struct scalingField *field, double x1, double y1,
			double x2, double y2, struct canvasColor color)
{
	const struct canvasPen pen = { .color = color, .width = 0.6 };
	const struct canvasPoint points[] = { { x1, y1 }, { x2, y2 } };

	canvasLine(field->canvas, points, 2, &pen);
}

static void scalingDrawAxes(const struct scalingField *field)
{
	const struct canvasFont upright = {
		.size = field->fontSize,
		.color = scalingBlack,
		.anchor = CANVAS_MIDDLE,
		.isUpright = true,
	};
	char text[32];

	canvasBegin(field->canvas, "axes", "Ranks and efficiencies");
	for (double value = 0; value <= field->most + SCALING_TICK / 2;
	     value += SCALING_TICK) {
		double y = scalingY(field, value);

		g_snprintf(text, sizeof(text), "%.0f", 100 * value);
		scalingRule(field, field->left, y, field->right, y,
			    scalingPale);
		scalingText(field, field->left - 5, y + field->fontSize / 3,
			    text, CANVAS_END, scalingBlack);
	}
	for (guint i = 0; i < field->runs->len; i++) {
		double x = scalingX(field, i);

		g_snprintf(text, sizeof(text), "%.0f", scalingSize(field, i));
		scalingRule(field, x, field->top, x, field->bottom,
			    scalingPale);
		scalingText(field, x, field->bottom + 1.4 * field->fontSize,
			    text, CANVAS_MIDDLE, scalingBlack);
	}
	scalingRule(field, field->left, field->bottom, field->right,
		    field->bottom, scalingBlack);
	scalingRule(field, field->left, field->bottom, field->left, field->top,
		    scalingBlack);
	scalingText(field, (field->left + field->right) / 2,
		    field->bottom + 3 * field->fontSize,
		    field->isOfThreads ? "Threads" : "Ranks", CANVAS_MIDDLE,
		    scalingBlack);
	canvasText(field->canvas, 14, (field->top + field->bottom) / 2,
		   "Efficiency [%]", &upright);
	canvasEnd(field->canvas);
}

/** Draw an efficiency where it is known; true: it is anywhere. */
static bool scalingDrawLine(const struct scalingField *field, size_t line)
{
	const struct canvasPen pen = {
		.color = scalingLines[line].color,
		.width = line == 0 ? 1.8 : 1.2,
	};
	struct canvasPoint *points =
		g_new(struct canvasPoint, field->runs->len);
	size_t count = 0;

	for (guint i = 0; i < field->runs->len; i++) {
		double value =
			scalingRunAt(field, i)
				->efficiencies.values[scalingLines[line].of];

		if (!isnan(value))
			points[count++] =
				(struct canvasPoint){ scalingX(field, i),
						      scalingY(field, value) };
	}
	if (count) {
		canvasBegin(field->canvas, "curve", scalingLines[line].name);
		canvasLine(field->canvas, points, count, &pen);
		for (size_t i = 0; i < count; i++)
			canvasBox(field->canvas, points[i].x - SCALING_DOT,
				  points[i].y - SCALING_DOT, 2 * SCALING_DOT,
				  2 * SCALING_DOT, pen.color, 1);
		canvasEnd(field->canvas);
	}
	g_free(points);
	return count > 0;
}

/** The largest that is drawn, at least 100 %. */
static double scalingMost(const GArray *runs)
{
	double most = 1;

	for (guint i = 0; i < runs->len; i++) {
		const double *values =
			g_array_index(runs, struct findingsScale, i)
				.efficiencies.values;

		for (size_t k = 0; k < G_N_ELEMENTS(scalingLines); k++)
			most = fmax(most, values[scalingLines[k].of]);
	}
	return ceil(most / SCALING_TICK - 1e-9) * SCALING_TICK;
}

double plotScalingHeight(void)
{
	return SCALING_HEIGHT;
}

void plotDrawScaling(const struct plotScalingLook *look, const GArray *runs,
		     struct canvas *canvas)
{
	const struct findingsScale *first =
		&g_array_index(runs, struct findingsScale, 0);
	const struct findingsScale *last =
		&g_array_index(runs, struct findingsScale, runs->len - 1);
	const struct scalingField field = {
		.canvas = canvas,
		.runs = runs,
		.fontSize = look->fontSize,
		.left = SCALING_LEFT,
		.right = look->width - SCALING_RIGHT,
		.top = SCALING_TOP,
		.bottom = look->height - SCALING_BOTTOM,
		.most = scalingMost(runs),
		.isOfThreads = first->ranks == last->ranks,
	};
	double y = field.top + look->fontSize;
	char *title = g_strdup_printf("%s (%s scaling)", look->title,
				      first->isWeak ? "weak" : "strong");

	scalingText(&field, field.left, 14, title, CANVAS_START, scalingBlack);
	scalingDrawAxes(&field);
	for (size_t i = 0; i < G_N_ELEMENTS(scalingLines); i++) {
		if (!scalingDrawLine(&field, i))
			continue;
		scalingText(&field, field.right + 10, y, scalingLines[i].name,
			    CANVAS_START, scalingLines[i].color);
		y += 1.6 * look->fontSize;
	}
	g_free(title);
}
