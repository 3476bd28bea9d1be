/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: where everything stands.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/plot/layout.h"

/** Space at the edges, and between panels. */
#define MARGIN 6
#define SPACE 9
/** Heights of panels if nobody says how high all is. */
#define PANEL_HEIGHT (34 * CANVAS_MM)
#define PANEL_HEIGHT_MANY (26 * CANVAS_MM)
#define PANEL_HEIGHT_MIN 24
/** The widest label of a time line. */
#define ROW_LABEL_MAX (40 * CANVAS_MM)

double plotBinMiddle(const struct plotLayout *layout, size_t bin)
{
	return layout->left + ((double)bin + 0.5) /
				      (double)layout->plot->binCount *
				      (layout->right - layout->left);
}

char *plotAxisTitle(const struct plotPanel *panel,
		    const struct plotScale *scale, double size, double room)
{
	char *unit = *scale->unit ? g_strdup_printf(" (%s)", scale->unit)
				  : g_strdup("");
	char *name = canvasTextFit(panel->title, size,
				   room - canvasTextWidth(unit, size));
	char *title = g_strconcat(name, unit, NULL);

	g_free(name);
	g_free(unit);
	return title;
}

void plotFormatValue(const struct plotScale *scale, int mark, char *label)
{
	double value = scale->first + mark * scale->step;

	if (fabs(value) < scale->step / 2)
		value = 0;
	snprintf(label, PLOT_LABEL_SIZE, "%s%.*f",
		 value < 0 ? "\342\210\222" : "", scale->decimals,
		 fabs(value) * scale->factor);
}

/* ---- Widths ------------------------------------------------------------ */

/** Room for the titles and labels of scales, and the labels of time lines. */
static void findLeft(struct plotLayout *layout)
{
	const struct plot *plot = layout->plot;
	double size = plot->fontSize;
	double labels = 0;

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];
		struct plotScale *scale = &layout->places[i].scale;
		char label[PLOT_LABEL_SIZE];

		*scale = plotScaleOf(panel->min, panel->max, 4, panel->unit);
		for (int k = 0; k < scale->count; k++) {
			plotFormatValue(scale, k, label);
			labels = MAX(labels, canvasTextWidth(label, size));
		}
	}
	layout->axisTitle = MARGIN + size;
	layout->left = MARGIN + 1.5 * size + labels + 6;
	for (guint i = 0; i < plot->rows->len; i++) {
		const struct plotRow *row = plot->rows->pdata[i];
		double width = canvasTextWidth(row->path, size);

		layout->left = MAX(layout->left,
				   MARGIN + MIN(width, ROW_LABEL_MAX) + 6);
	}
	layout->right = plot->width - MARGIN - 1.5 * size;
}

/* ---- Heights ----------------------------------------------------------- */

static void findRowHeight(struct plotLayout *layout)
{
	const struct plot *plot = layout->plot;
	guint count = plot->rows->len;
	double size = plot->fontSize;

	layout->rowHeight = count <= 16    ? 1.3 * size
			    : count <= 48  ? 0.8 * size
			    : count <= 128 ? 3
					   : 1.4;
	layout->rowsPerLabel =
		(guint)MAX(1, ceil(1.05 * MIN(size, MAX(layout->rowHeight, 5)) /
				   layout->rowHeight));
}

/** Whether the names of phases stand above the time lines, or the panels:
 *  above what comes first. */
static bool hasPhaseNames(const struct plotLayout *layout, bool areRows)
{
	const struct plot *plot = layout->plot;
	bool areRowsFirst = plot->rows->len &&
			    (plot->states == PLOT_ABOVE || !plot->panels->len);

	return plot->hasPhases && areRows == areRowsFirst;
}

static double heightOfRows(const struct plotLayout *layout)
{
	const struct plot *plot = layout->plot;

	if (!plot->rows->len)
		return 0;
	return plot->rows->len * layout->rowHeight + 3 +
	       layout->names->lines * layout->lineHeight + SPACE;
}

/** Place the time lines from a height on; returns where they end. */
static double placeRows(struct plotLayout *layout, double y)
{
	double names = layout->names->lines * layout->lineHeight + 3;

	layout->namesTop = y;
	y += names;
	if (hasPhaseNames(layout, true))
		layout->phaseNames = y;
	if (hasPhaseNames(layout, true))
		y += layout->lineHeight;
	layout->rows = y;
	return y + heightOfRows(layout) - names;
}

/** Height of a panel without what is drawn in it. */
static double heightAround(const struct plotLayout *layout, guint panel)
{
	const struct plotPlace *place = &layout->places[panel];
	const struct plotPanel *of = layout->plot->panels->pdata[panel];

	return (*of->heading ? layout->lineHeight : 0) +
	       (panel == 0 && hasPhaseNames(layout, false) ? layout->lineHeight
							   : 0) +
	       (place->legend ? place->legend->lines * layout->lineHeight + 2
			      : 0) +
	       SPACE;
}

/** Place the panels, each so high; returns where they end. */
static double placePanels(struct plotLayout *layout, double y, double height)
{
	const struct plot *plot = layout->plot;

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];
		struct plotPlace *place = &layout->places[i];

		place->head = y;
		if (*panel->heading)
			y += layout->lineHeight;
		place->legendTop = y;
		if (place->legend)
			y += place->legend->lines * layout->lineHeight + 2;
		if (i == 0 && hasPhaseNames(layout, false)) {
			layout->phaseNames = y;
			y += layout->lineHeight;
		}
		place->top = y;
		place->bottom = y + height;
		place->scale = plotScaleOf(
			panel->min, panel->max,
			(int)MAX(2, height / (2.2 * plot->fontSize)),
			panel->unit);
		y += height + SPACE;
	}
	return y;
}

/** Height of panels so that all fits. */
static double panelHeight(const struct plotLayout *layout, double y,
			  double below, double height)
{
	const struct plot *plot = layout->plot;
	guint count = plot->panels->len;
	/* There is no space behind the last one. */
	double rest = height - y - below + (count ? SPACE : 0);

	if (height <= 0)
		return count > 3 ? PANEL_HEIGHT_MANY : PANEL_HEIGHT;
	for (guint i = 0; i < count; i++)
		rest -= heightAround(layout, i);
	return count ? MAX(rest / count, PANEL_HEIGHT_MIN) : 0;
}

static void findNote(struct plotLayout *layout)
{
	const struct plot *plot = layout->plot;
	bool isDense = false;
	int64_t bin = (plot->end - plot->start) / (int64_t)plot->binCount;
	struct plotScale scale = plotTimeScale(0, bin, 1);
	double shown = (double)bin * scale.factor;

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		for (guint k = 0; k < panel->curves->len; k++)
			isDense |= plotIsDense(panel->curves->pdata[k]);
	}
	if (!isDense && plot->window.length && plot->panels->len) {
		layout->noteText = g_strdup_printf(
			"Line: mean over %s s; band: minimum to maximum",
			plot->window.text);
		return;
	}
	if (!isDense) {
		layout->noteText = g_strdup("");
		return;
	}
	layout->noteText = g_strdup_printf(
		"Line: mean over %.*f %s; band: minimum to maximum",
		shown < 10 ? 2 : (shown < 100 ? 1 : 0), shown, scale.unit);
}

static void findHeights(struct plotLayout *layout, double height)
{
	const struct plot *plot = layout->plot;
	double size = plot->fontSize;
	double y = MARGIN;
	double below;

	if (*plot->title) {
		layout->title = y + 1.2 * size;
		y += 2 * size;
	}
	if (plot->states == PLOT_ABOVE)
		y = placeRows(layout, y);
	below = 4 + 2.9 * size + MARGIN + (*layout->noteText ? 1.2 * size : 0) +
		(plot->states == PLOT_BELOW ? heightOfRows(layout) : 0);
	y = placePanels(layout, y, panelHeight(layout, y, below, height));
	if (plot->states == PLOT_BELOW)
		y = placeRows(layout, y);
	layout->axis = y - SPACE + (plot->states == PLOT_BELOW ? 2 : 0);
	y = layout->axis + 4 + 2.9 * size;
	layout->note = y + 0.7 * size;
	layout->height = y + MARGIN + (*layout->noteText ? 1.2 * size : 0);
}

struct plotLayout *plotLayoutNew(const struct plot *plot, double height)
{
	struct plotLayout *self = g_new0(struct plotLayout, 1);

	self->plot = plot;
	self->lineHeight = 1.35 * plot->fontSize;
	self->places = g_new0(struct plotPlace, plot->panels->len + 1);
	findLeft(self);
	plotMakeLegends(self);
	self->bandAlpha = 0.28;
	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		self->bandAlpha =
			MIN(self->bandAlpha, 1.2 / panel->curves->len);
	}
	findRowHeight(self);
	findNote(self);
	findHeights(self, height);
	self->marks = plotTimeMarks(
		plot,
		(int)MAX(2, (self->right - self->left) /
				    ((plot->time == PLOT_DATE ? 8 : 6) *
				     plot->fontSize)),
		self->timeTitle, sizeof(self->timeTitle));
	return self;
}

void plotLayoutFree(struct plotLayout *self)
{
	for (guint i = 0; i < self->plot->panels->len; i++)
		plotLegendFree(self->places[i].legend);
	plotLegendFree(self->names);
	g_array_unref(self->marks);
	g_free(self->places);
	g_free(self->noteText);
	g_free(self);
}

double plotHeight(const struct plot *plot)
{
	struct plotLayout *layout = plotLayoutNew(plot, 0);
	double height = layout->height;

	plotLayoutFree(layout);
	return height;
}
