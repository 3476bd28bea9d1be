/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a sweep; see table.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/plot/core/drawfile.h"
#include "HDTraceTools/plot/core/scale.h"
#include "PredictionLibrary/command/sweep/table.h"

#define WIDTH 480
#define HEIGHT 340
#define FONT_SIZE 9
#define RADIUS 2.5
/* Corners of what looks like a circle. */
#define CORNERS 12
#define LABEL_MAX 150

static const struct canvasColor black = { 0.1, 0.1, 0.1 };
static const struct canvasColor pale = { 0.85, 0.85, 0.85 };
static const struct canvasColor other = { 0.55, 0.55, 0.55 };
static const struct canvasColor best = { 0.0, 0.35, 0.7 };

/* Where a rectangle of values is on the page. */
struct frame {
	double left, right, top, bottom; /* Points of the page. */
	double least[2], most[2];        /* Of time and energy. */
	bool *differs;                   /* Points, in a parameter. */
};

/* A label that stands. */
struct label {
	double left, right, y;
};

static struct canvasPoint picturePlaceOf(const struct frame *frame,
					 const double *values)
{
	double x = (values[POINT_TIME] - frame->least[0]) /
		   (frame->most[0] - frame->least[0]);
	double y = (values[POINT_TOTAL] - frame->least[1]) /
		   (frame->most[1] - frame->least[1]);

	return (struct canvasPoint){
		frame->left + x * (frame->right - frame->left),
		frame->bottom - y * (frame->bottom - frame->top)
	};
}

static bool pictureIsDrawn(const struct sweepRow *row)
{
	return row->isThere && !row->error &&
	       isfinite(row->values[POINT_TIME]) &&
	       isfinite(row->values[POINT_TOTAL]);
}

static void pictureFindRange(const struct sweepRows *rows, struct frame *frame)
{
	for (int k = 0; k < 2; k++) {
		int value = k ? POINT_TOTAL : POINT_TIME;

		frame->least[k] = INFINITY;
		frame->most[k] = -INFINITY;
		for (size_t i = 0; i < rows->count; i++) {
			const struct sweepRow *row = &rows->rows[i];

			if (!pictureIsDrawn(row))
				continue;
			frame->least[k] =
				fmin(frame->least[k], row->values[value]);
			frame->most[k] =
				fmax(frame->most[k], row->values[value]);
		}
		plotRoundRange(&frame->least[k], &frame->most[k], false);
	}
}

/* ---- Axes -------------------------------------------------------------- */

static void label(struct canvas *canvas, double x, double y, const char *text,
		  enum canvasAnchor anchor)
{
	struct canvasFont font = { .size = FONT_SIZE,
				   .color = black,
				   .anchor = anchor };

	canvasText(canvas, x, y, text, &font);
}

static void rule(struct canvas *canvas, struct canvasPoint from,
		 struct canvasPoint to, struct canvasColor color)
{
	struct canvasPen pen = { .color = color, .width = 0.6 };
	struct canvasPoint points[] = { from, to };

	canvasLine(canvas, points, 2, &pen);
}

static void pictureMarkAxis(struct canvas *canvas, const struct frame *frame,
			    int axis, const struct plotScale *scale, int number)
{
	double value = scale->first + number * scale->step;
	double part = (value - frame->least[axis]) /
		      (frame->most[axis] - frame->least[axis]);
	char text[48];

	g_snprintf(text, sizeof(text), "%.*f", scale->decimals,
		   value * scale->factor);
	if (axis == 0) {
		double x = frame->left + part * (frame->right - frame->left);

		rule(canvas, (struct canvasPoint){ x, frame->top },
		     (struct canvasPoint){ x, frame->bottom }, pale);
		label(canvas, x, frame->bottom + 12, text, CANVAS_MIDDLE);
	} else {
		double y = frame->bottom - part * (frame->bottom - frame->top);

		rule(canvas, (struct canvasPoint){ frame->left, y },
		     (struct canvasPoint){ frame->right, y }, pale);
		label(canvas, frame->left - 5, y + 3, text, CANVAS_END);
	}
}

static void drawAxes(struct canvas *canvas, const struct frame *frame)
{
	struct canvasFont upright = { .size = FONT_SIZE,
				      .color = black,
				      .anchor = CANVAS_MIDDLE,
				      .isUpright = true };
	struct plotScale scales[2];
	char title[96];

	canvasBegin(canvas, "axes", "Time and energy");
	for (int axis = 0; axis < 2; axis++) {
		scales[axis] =
			plotScaleOf(frame->least[axis], frame->most[axis], 6,
				    axis ? "J" : "s");
		for (int i = 0; i < scales[axis].count; i++)
			pictureMarkAxis(canvas, frame, axis, &scales[axis], i);
	}
	rule(canvas, (struct canvasPoint){ frame->left, frame->bottom },
	     (struct canvasPoint){ frame->right, frame->bottom }, black);
	rule(canvas, (struct canvasPoint){ frame->left, frame->bottom },
	     (struct canvasPoint){ frame->left, frame->top }, black);
	g_snprintf(title, sizeof(title), "Time [%s]", scales[0].unit);
	label(canvas, (frame->left + frame->right) / 2, HEIGHT - 8, title,
	      CANVAS_MIDDLE);
	g_snprintf(title, sizeof(title), "Energy [%s]", scales[1].unit);
	canvasText(canvas, 14, (frame->top + frame->bottom) / 2, title,
		   &upright);
	canvasEnd(canvas);
}

/* ---- Points ------------------------------------------------------------ */

/* Whether points differ in a parameter. */
static bool isVaried(const struct sweepRows *rows, guint name)
{
	const char *first = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const char *value = rows->rows[i].isThere
					    ? rows->rows[i].texts->pdata[name]
					    : first;

		if (first && strcmp(value, first) != 0)
			return true;
		first = value;
	}
	return false;
}

/* The values by which points differ, to be freed. */
static char *pictureLabelOf(const struct frame *frame,
			    const struct sweepRows *rows, size_t point)
{
	GString *text = g_string_new(NULL);

	for (guint n = 0; n < rows->names->len; n++) {
		const char *value = rows->rows[point].texts->pdata[n];

		if (frame->differs[n])
			g_string_append_printf(
				text, "%s%s=%s", text->len ? " " : "",
				(char *)rows->names->pdata[n], value);
	}
	return g_string_free(text, FALSE);
}

static void pictureDrawDot(struct canvas *canvas, struct canvasPoint at,
			   struct canvasColor color)
{
	struct canvasPoint points[CORNERS];

	for (int i = 0; i < CORNERS; i++) {
		double angle = 2 * G_PI * i / CORNERS;

		points[i] = (struct canvasPoint){ at.x + RADIUS * cos(angle),
						  at.y + RADIUS * sin(angle) };
	}
	canvasArea(canvas, points, CORNERS, color, 1);
}

static void drawDots(struct canvas *canvas, const struct frame *frame,
		     const struct sweepRows *rows, const bool *front,
		     bool isFront)
{
	for (size_t i = 0; i < rows->count; i++) {
		char *label;

		if (!pictureIsDrawn(&rows->rows[i]) || front[i] != isFront)
			continue;
		label = pictureLabelOf(frame, rows, i);
		canvasBegin(canvas, "point", label);
		pictureDrawDot(canvas,
			       picturePlaceOf(frame, rows->rows[i].values),
			       isFront ? best : other);
		canvasEnd(canvas);
		g_free(label);
	}
}

static int byX(const void *a, const void *b)
{
	const struct canvasPoint *p = a, *q = b;

	return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
			    : (p->y < q->y) - (p->y > q->y);
}

static void drawFront(struct canvas *canvas, const struct frame *frame,
		      const struct sweepRows *rows, const bool *front)
{
	struct canvasPen pen = { .color = best, .width = 1 };
	struct canvasPoint *points = g_new(struct canvasPoint, rows->count);
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (front[i] && pictureIsDrawn(&rows->rows[i]))
			points[count++] =
				picturePlaceOf(frame, rows->rows[i].values);
	}
	if (count)
		qsort(points, count, sizeof(*points), byX);
	canvasBegin(canvas, "front", "Points of the front");
	canvasLine(canvas, points, count, &pen);
	canvasEnd(canvas);
	g_free(points);
}

/* A label stands right of its point, or left where the page ends; not where
 * another one is. */
static void drawLabel(struct canvas *canvas, struct canvasPoint at,
		      const char *label, GArray *labels)
{
	char *text = canvasTextFit(label, FONT_SIZE - 1, LABEL_MAX);
	double width = canvasTextWidth(text, FONT_SIZE - 1);
	bool isLeft = at.x + 5 + width > WIDTH - 4;
	struct canvasFont font = { .size = FONT_SIZE - 1,
				   .color = black,
				   .anchor =
					   isLeft ? CANVAS_END : CANVAS_START };
	struct label own = { .y = at.y - 4 };

	own.left = isLeft ? at.x - 5 - width : at.x + 5;
	own.right = own.left + width;
	for (guint i = 0; i < labels->len; i++) {
		const struct label *old =
			&g_array_index(labels, struct label, i);

		if (own.left < old->right + 3 && old->left < own.right + 3 &&
		    fabs(own.y - old->y) < FONT_SIZE) {
			g_free(text);
			return;
		}
	}
	g_array_append_val(labels, own);
	canvasText(canvas, isLeft ? own.right : own.left, own.y, text, &font);
	g_free(text);
}

static void drawLabels(struct canvas *canvas, const struct frame *frame,
		       const struct sweepRows *rows, const bool *front)
{
	GArray *labels = g_array_new(FALSE, FALSE, sizeof(struct label));

	for (size_t i = 0; i < rows->count; i++) {
		char *label;

		if (!front[i] || !pictureIsDrawn(&rows->rows[i]))
			continue;
		label = pictureLabelOf(frame, rows, i);
		drawLabel(canvas, picturePlaceOf(frame, rows->rows[i].values),
			  label, labels);
		g_free(label);
	}
	g_array_free(labels, TRUE);
}

static void pictureDraw(struct canvas *canvas, const struct sweepRows *rows,
			const bool *front)
{
	struct frame frame = { .left = 62,
			       .right = WIDTH - 16,
			       .top = 14,
			       .bottom = HEIGHT - 38 };

	frame.differs = g_new(bool, rows->names->len + 1);
	for (guint n = 0; n < rows->names->len; n++)
		frame.differs[n] = isVaried(rows, n);
	pictureFindRange(rows, &frame);
	drawAxes(canvas, &frame);
	drawDots(canvas, &frame, rows, front, false);
	drawFront(canvas, &frame, rows, front);
	drawDots(canvas, &frame, rows, front, true);
	drawLabels(canvas, &frame, rows, front);
	g_free(frame.differs);
}

/* ---- The file ---------------------------------------------------------- */

/* What is drawn. */
struct pictureData {
	const struct sweepRows *rows;
	const bool *front;
};

static void pictureDrawAll(struct canvas *canvas, void *data)
{
	const struct pictureData *picture = data;

	pictureDraw(canvas, picture->rows, picture->front);
}

char *sweepDraw(const struct sweepRows *rows, const bool *front,
		const char *path)
{
	struct pictureData data = { rows, front };
	const struct drawing drawing = {
		.width = WIDTH,
		.height = HEIGHT,
		.title = "Time and energy of a sweep",
		.draw = pictureDrawAll,
		.data = &data,
	};

	return drawFile(&drawing, path);
}
