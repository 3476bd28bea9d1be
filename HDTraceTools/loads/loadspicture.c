/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of hdtrace loads: power over load; see loads.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/loads/loads.h"
#include "HDTraceTools/plot/core/drawfile.h"
#include "HDTraceTools/plot/core/scale.h"

#define PICTURE_WIDTH 480
#define PICTURE_HEIGHT 340
#define PICTURE_LEFT 62
#define PICTURE_RIGHT (PICTURE_WIDTH - 16)
#define PICTURE_TOP 24
#define PICTURE_BOTTOM (PICTURE_HEIGHT - 38)
#define PICTURE_FONT 9
#define PICTURE_DOT 2.5

static const struct canvasColor pictureBlack = { 0.1, 0.1, 0.1 };
static const struct canvasColor picturePale = { 0.85, 0.85, 0.85 };
static const struct canvasColor pictureColors[] = {
	{ 0.0, 0.35, 0.7 },
	{ 0.8, 0.3, 0.0 },
	{ 0.0, 0.5, 0.3 },
	{ 0.5, 0.2, 0.6 },
};

/* The scale of power. */
struct pictureScale {
	double least;
	double most;
};

static double loadsPictureX(double percent)
{
	return PICTURE_LEFT + percent / 100 * (PICTURE_RIGHT - PICTURE_LEFT);
}

static double loadsPictureY(const struct pictureScale *scale, double power)
{
	return PICTURE_BOTTOM - (power - scale->least) /
					(scale->most - scale->least) *
					(PICTURE_BOTTOM - PICTURE_TOP);
}

/* Load as it was reached, by the target if that is unknown. */
static double loadsPictureLoad(const struct level *level)
{
	double load = isnan(level->scaled) ? level->target : level->scaled;

	return fmin(fmax(load, 0), 100);
}

static bool loadsPictureIsDrawn(const struct level *level)
{
	return !level->isCalibration && !isnan(levelPower(level)) &&
	       !(isnan(level->scaled) && isnan(level->target));
}

/* ---- Axes -------------------------------------------------------------- */

static void loadsPictureText(struct canvas *canvas, double x, double y,
			     const char *text, enum canvasAnchor anchor)
{
	const struct canvasFont font = { .size = PICTURE_FONT,
					 .color = pictureBlack,
					 .anchor = anchor };

	canvasText(canvas, x, y, text, &font);
}

static void loadsPictureRule(struct canvas *canvas, double x1, double y1,
			     double x2, double y2, struct canvasColor color)
{
	const struct canvasPen pen = { .color = color, .width = 0.6 };
	const struct canvasPoint points[] = { { x1, y1 }, { x2, y2 } };

	canvasLine(canvas, points, 2, &pen);
}

static void loadsPictureAxes(struct canvas *canvas,
			     const struct pictureScale *scale)
{
	const struct canvasFont upright = { .size = PICTURE_FONT,
					    .color = pictureBlack,
					    .anchor = CANVAS_MIDDLE,
					    .isUpright = true };
	struct plotScale marks = plotScaleOf(scale->least, scale->most, 6, "W");
	char text[96];

	canvasBegin(canvas, "axes", "Load and power");
	for (int percent = 0; percent <= 100; percent += 10) {
		double x = loadsPictureX(percent);

		g_snprintf(text, sizeof(text), "%d", percent);
		loadsPictureRule(canvas, x, PICTURE_TOP, x, PICTURE_BOTTOM,
				 picturePale);
		loadsPictureText(canvas, x, PICTURE_BOTTOM + 12, text,
				 CANVAS_MIDDLE);
	}
	for (int i = 0; i < marks.count; i++) {
		double value = marks.first + i * marks.step;
		double y = loadsPictureY(scale, value);

		g_snprintf(text, sizeof(text), "%.*f", marks.decimals,
			   value * marks.factor);
		loadsPictureRule(canvas, PICTURE_LEFT, y, PICTURE_RIGHT, y,
				 picturePale);
		loadsPictureText(canvas, PICTURE_LEFT - 5, y + 3, text,
				 CANVAS_END);
	}
	loadsPictureRule(canvas, PICTURE_LEFT, PICTURE_BOTTOM, PICTURE_RIGHT,
			 PICTURE_BOTTOM, pictureBlack);
	loadsPictureRule(canvas, PICTURE_LEFT, PICTURE_BOTTOM, PICTURE_LEFT,
			 PICTURE_TOP, pictureBlack);
	loadsPictureText(canvas, (PICTURE_LEFT + PICTURE_RIGHT) / 2.0,
			 PICTURE_HEIGHT - 8, "Load [%]", CANVAS_MIDDLE);
	g_snprintf(text, sizeof(text), "Power [%s]", marks.unit);
	canvasText(canvas, 14, (PICTURE_TOP + PICTURE_BOTTOM) / 2.0, text,
		   &upright);
	canvasEnd(canvas);
}

/* ---- Runs -------------------------------------------------------------- */

static int loadsPictureCompare(const void *a, const void *b)
{
	const struct canvasPoint *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static void loadsPictureDots(struct canvas *canvas,
			     const struct canvasPoint *points, size_t count,
			     struct canvasColor color)
{
	for (size_t i = 0; i < count; i++)
		canvasBox(canvas, points[i].x - PICTURE_DOT,
			  points[i].y - PICTURE_DOT, 2 * PICTURE_DOT,
			  2 * PICTURE_DOT, color, 1);
}

/* Power in proportion to the load, up to the peak. */
static void loadsPictureIdeal(struct canvas *canvas,
			      const struct pictureScale *scale, double peak,
			      struct canvasColor color)
{
	static const double dashes[] = { 4, 3 };
	const struct canvasPen pen = {
		.color = color, .width = 0.8, .dashes = dashes, .dashCount = 2
	};
	const struct canvasPoint points[] = {
		{ loadsPictureX(0), loadsPictureY(scale, 0) },
		{ loadsPictureX(100), loadsPictureY(scale, peak) },
	};

	canvasLine(canvas, points, 2, &pen);
}

static void loadsPictureRun(struct canvas *canvas, const struct levels *levels,
			    guint number, const struct pictureScale *scale)
{
	const struct levelRun *run = levelsRunAt(levels, number);
	struct canvasColor color =
		pictureColors[number % G_N_ELEMENTS(pictureColors)];
	const struct canvasPen pen = { .color = color, .width = 1.2 };
	struct canvasPoint *points =
		g_new(struct canvasPoint, levels->list->len + 1);
	char *title = g_strconcat(run->node->path, " ",
				  run->component ? run->component : "", NULL);
	double peak = 0;
	size_t count = 0;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (level->run != number || !loadsPictureIsDrawn(level))
			continue;
		peak = fmax(peak, levelPower(level));
		points[count++] = (struct canvasPoint){
			loadsPictureX(loadsPictureLoad(level)),
			loadsPictureY(scale, levelPower(level))
		};
	}
	qsort(points, count, sizeof(*points), loadsPictureCompare);
	canvasBegin(canvas, "run", g_strstrip(title));
	loadsPictureIdeal(canvas, scale, peak, color);
	canvasLine(canvas, points, count, &pen);
	loadsPictureDots(canvas, points, count, color);
	if (levels->runs->len > 1) {
		const struct canvasFont font = { .size = PICTURE_FONT,
						 .color = color };

		canvasText(canvas, PICTURE_LEFT + 8,
			   PICTURE_TOP + 12.0 * (number + 1), title, &font);
	}
	canvasEnd(canvas);
	g_free(title);
	g_free(points);
}

static void loadsPictureDraw(struct canvas *canvas, void *data)
{
	const struct levels *levels = data;
	struct pictureScale scale = { .least = 0, .most = 0 };

	for (guint i = 0; i < levels->list->len; i++) {
		if (loadsPictureIsDrawn(levelsAt(levels, i)))
			scale.most = fmax(scale.most,
					  levelPower(levelsAt(levels, i)));
	}
	plotRoundRange(&scale.least, &scale.most, true);
	loadsPictureAxes(canvas, &scale);
	for (guint i = 0; i < levels->runs->len; i++)
		loadsPictureRun(canvas, levels, i, &scale);
}

char *loadsDraw(const struct levels *levels, const char *path)
{
	const struct drawing drawing = {
		.width = PICTURE_WIDTH,
		.height = PICTURE_HEIGHT,
		.title = "Power over load",
		.draw = loadsPictureDraw,
		.data = (void *)levels,
	};

	return drawFile(&drawing, path);
}
