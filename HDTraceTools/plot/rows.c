/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: draws time lines.
 *
 * Where a bin has several states each takes as much of the height as of the
 * time, in the order of the legend from below.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/plot/layout.h"

/** Heights are so many steps, so that bins that are alike are one piece. */
#define STEPS 24

/** Where a name is drawn in a bin, in steps from below. */
struct piece {
	long bottom, top;
};

static struct piece pieceOf(const struct plot *plot, const int64_t *times,
			    size_t bin, guint name)
{
	int64_t length = plotBinStart(plot, bin + 1) - plotBinStart(plot, bin);
	int64_t all = 0;
	int64_t below = 0;

	for (guint i = 0; i <= plot->colored; i++)
		all += times[i];
	/* States that overlap would need more room than there is. */
	length = MAX(length, all);
	for (guint i = 0; i < name; i++)
		below += times[i];
	return (struct piece){
		lround(STEPS * (double)below / (double)length),
		lround(STEPS * (double)(below + times[name]) / (double)length),
	};
}

/** A piece of a time line: its upper and its lower edge, as steps. */
struct shape {
	GArray *upper; /**< struct canvasPoint */
	GArray *lower;
};

static void plotRowsAddEdge(GArray *edge, double start, double end, double y)
{
	struct canvasPoint points[] = { { start, y }, { end, y } };
	struct canvasPoint *last = NULL;

	if (edge->len)
		last = &g_array_index(edge, struct canvasPoint, edge->len - 1);
	if (last && fabs(last->y - y) < 1e-9)
		last->x = end;
	else
		g_array_append_vals(edge, points, 2);
}

static void flushShape(struct canvas *canvas, struct shape *shape,
		       struct canvasColor color)
{
	for (guint i = shape->lower->len; i > 0; i--)
		g_array_append_val(
			shape->upper,
			g_array_index(shape->lower, struct canvasPoint, i - 1));
	canvasArea(canvas, (const void *)shape->upper->data, shape->upper->len,
		   color, 1);
	g_array_set_size(shape->upper, 0);
	g_array_set_size(shape->lower, 0);
}

/** Draw the states of a name at a depth. */
static void drawName(const struct plotLayout *layout, struct canvas *canvas,
		     const struct plotRow *row, unsigned int depth, guint name,
		     double bottom, double height)
{
	const struct plot *plot = layout->plot;
	struct canvasColor color = plotStateColor(plot, name);
	struct shape shape = {
		g_array_new(FALSE, FALSE, sizeof(struct canvasPoint)),
		g_array_new(FALSE, FALSE, sizeof(struct canvasPoint)),
	};

	for (size_t i = 0; i < plot->binCount; i++) {
		struct piece piece = pieceOf(
			plot, plotTimesOf(plot, row, depth, i), i, name);
		double start = plotXOf(layout, plotBinStart(plot, i));
		double end = plotXOf(layout, plotBinStart(plot, i + 1));

		if (piece.bottom == piece.top) {
			flushShape(canvas, &shape, color);
			continue;
		}
		plotRowsAddEdge(shape.upper, start, end,
				bottom - height * (double)piece.top / STEPS);
		plotRowsAddEdge(shape.lower, start, end,
				bottom - height * (double)piece.bottom / STEPS);
	}
	flushShape(canvas, &shape, color);
	g_array_unref(shape.upper);
	g_array_unref(shape.lower);
}

static void drawRow(const struct plotLayout *layout, struct canvas *canvas,
		    const struct plotRow *row, double top)
{
	double height = layout->rowHeight * (layout->rowHeight > 4 ? 0.86 : 1);
	unsigned int depths = MAX(row->depths, 1);

	canvasBegin(canvas, "states", row->path);
	for (unsigned int i = 0; i < row->depths; i++) {
		for (guint k = 0; k <= layout->plot->colored; k++)
			drawName(layout, canvas, row, i, k,
				 top + (i + 1) * height / depths,
				 height / depths);
	}
	canvasEnd(canvas);
}

void plotDrawRows(const struct plotLayout *layout, struct canvas *canvas)
{
	const struct plot *plot = layout->plot;
	double bottom = layout->rows + plot->rows->len * layout->rowHeight;
	const struct canvasFont font = {
		.size = MIN(plot->fontSize, MAX(layout->rowHeight, 5)),
		.anchor = CANVAS_END,
	};

	if (!plot->rows->len)
		return;
	plotDrawPhases(layout, canvas, layout->rows, bottom);
	for (guint i = 0; i < plot->rows->len; i++) {
		const struct plotRow *row = plot->rows->pdata[i];
		const char *path = row->path;
		double top = layout->rows + i * layout->rowHeight;
		char *label;

		drawRow(layout, canvas, row, top);
		if (i % layout->rowsPerLabel)
			continue;
		label = canvasTextFit(*path ? path : row->source->name,
				      font.size, layout->left - 6);
		canvasText(canvas, layout->left - 5,
			   top + 0.43 * layout->rowHeight + 0.35 * font.size,
			   label, &font);
		g_free(label);
	}
	plotDrawRule(canvas, layout->left, layout->rows, layout->left, bottom,
		     (struct canvasColor){ 0, 0, 0 }, 0.6);
	plotDrawLegend(layout, canvas, layout->names, layout->namesTop);
}
