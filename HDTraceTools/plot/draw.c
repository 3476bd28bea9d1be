/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: draws curves, time lines and what stands around them, where
 * layout.c has put it.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/plot/layout.h"

static const struct canvasColor black = { 0, 0, 0 };
static const struct canvasColor gray = { 0.45, 0.45, 0.45 };
static const struct canvasColor gridColor = { 0.87, 0.87, 0.87 };
static const struct canvasColor bandColor = { 0.945, 0.945, 0.945 };

void plotDrawRule(struct canvas *canvas, double x0, double y0, double x1,
		  double y1, struct canvasColor color, double width)
{
	const struct canvasPoint points[] = { { x0, y0 }, { x1, y1 } };
	const struct canvasPen pen = { .color = color, .width = width };

	canvasLine(canvas, points, 2, &pen);
}

static void drawText(const struct plotLayout *layout, struct canvas *canvas,
		     double x, double y, const char *text,
		     enum canvasAnchor anchor)
{
	const struct canvasFont font = {
		.size = layout->plot->fontSize,
		.color = black,
		.anchor = anchor,
	};

	canvasText(canvas, x, y, text, &font);
}

/* ---- Legends ----------------------------------------------------------- */

static void drawItem(const struct plotLayout *layout, struct canvas *canvas,
		     const struct plotItem *item, double top)
{
	double size = layout->plot->fontSize;
	double x = layout->left + item->x;
	double y = top + item->line * layout->lineHeight;
	const struct canvasPoint points[] = {
		{ x, y + 0.62 * size },
		{ x + PLOT_SAMPLE, y + 0.62 * size },
	};

	if (item->sample == PLOT_SAMPLE_BOX)
		canvasBox(canvas, x, y + 0.2 * size, 0.85 * size, 0.8 * size,
			  item->color, 1);
	if (item->sample == PLOT_SAMPLE_LINE) {
		const struct canvasPen pen =
			plotPenOf(layout->plot, item->curve);

		canvasLine(canvas, points, 2, &pen);
	}
	drawText(layout, canvas, x + plotSampleWidth(layout->plot, item),
		 y + 0.95 * size, item->text, CANVAS_START);
}

void plotDrawLegend(const struct plotLayout *layout, struct canvas *canvas,
		    const struct plotLegend *legend, double top)
{
	canvasBegin(canvas, "legend", "");
	for (guint i = 0; i < legend->items->len; i++)
		drawItem(layout, canvas,
			 &g_array_index(legend->items, struct plotItem, i),
			 top);
	canvasEnd(canvas);
}

/* ---- What lies behind and around --------------------------------------- */

void plotDrawPhases(const struct plotLayout *layout, struct canvas *canvas,
		    double top, double bottom)
{
	const struct plot *plot = layout->plot;

	for (size_t i = 0; plot->hasPhases && i < plot->phases.count; i++) {
		const struct phase *phase = &plot->phases.list[i];
		double start = plotXOf(layout, MAX(phase->start, plot->start));
		double end = plotXOf(layout, MIN(phase->end, plot->end));

		if (i % 2 == 0 && end > start)
			canvasBox(canvas, start, top, end - start, bottom - top,
				  bandColor, 1);
		else if (end >= start)
			plotDrawRule(canvas, start, top, start, bottom,
				     gridColor, 0.5);
	}
}

static void drawPhaseNames(const struct plotLayout *layout,
			   struct canvas *canvas)
{
	const struct plot *plot = layout->plot;

	canvasBegin(canvas, "phases", "");
	for (size_t i = 0; plot->hasPhases && i < plot->phases.count; i++) {
		const struct phase *phase = &plot->phases.list[i];
		const char *name = plot->phases.names->pdata[phase->name];
		double start = plotXOf(layout, MAX(phase->start, plot->start));
		double end = plotXOf(layout, MIN(phase->end, plot->end));
		char *text;

		/* Two letters and dots say nothing. */
		if (end - start < 4 * plot->fontSize &&
		    end - start < 2 + canvasTextWidth(name, plot->fontSize))
			continue;
		text = canvasTextFit(name, plot->fontSize, end - start - 2);
		drawText(layout, canvas, (start + end) / 2,
			 layout->phaseNames + 0.95 * plot->fontSize, text,
			 CANVAS_MIDDLE);
		g_free(text);
	}
	canvasEnd(canvas);
}

static void drawTimeGrid(const struct plotLayout *layout, struct canvas *canvas,
			 double top, double bottom)
{
	for (guint i = 0; i < layout->marks->len; i++) {
		const struct plotMark *mark =
			&g_array_index(layout->marks, struct plotMark, i);
		double x = plotXOf(layout, mark->time);

		plotDrawRule(canvas, x, top, x, bottom, gridColor, 0.4);
	}
}

static void drawTimeAxis(const struct plotLayout *layout, struct canvas *canvas)
{
	double size = layout->plot->fontSize;
	double y = layout->axis;

	canvasBegin(canvas, "time", "");
	plotDrawRule(canvas, layout->left, y, layout->right, y, black, 0.6);
	for (guint i = 0; i < layout->marks->len; i++) {
		const struct plotMark *mark =
			&g_array_index(layout->marks, struct plotMark, i);
		double x = plotXOf(layout, mark->time);

		plotDrawRule(canvas, x, y, x, y + 3, black, 0.6);
		drawText(layout, canvas, x, y + 4 + size, mark->label,
			 CANVAS_MIDDLE);
	}
	drawText(layout, canvas, (layout->left + layout->right) / 2,
		 y + 4 + 2.4 * size, layout->timeTitle, CANVAS_MIDDLE);
	canvasEnd(canvas);
}

/* ---- Panels ------------------------------------------------------------ */

static void drawValueAxis(const struct plotLayout *layout,
			  struct canvas *canvas, const struct plotPanel *panel,
			  const struct plotPlace *place)
{
	double size = layout->plot->fontSize;
	const struct plotScale *scale = &place->scale;
	struct canvasFont font = {
		.size = size,
		.color = black,
		.anchor = CANVAS_MIDDLE,
		.isUpright = true,
	};
	char *title = plotAxisTitle(panel, scale, size,
				    place->bottom - place->top + size);

	canvasText(canvas, layout->axisTitle, (place->top + place->bottom) / 2,
		   title, &font);
	for (int i = 0; i < scale->count; i++) {
		double value = scale->first + i * scale->step;
		double y = plotYOf(panel, place, value);
		char label[PLOT_LABEL_SIZE];

		plotDrawRule(canvas, layout->left - 3, y, layout->left, y,
			     black, 0.6);
		plotFormatValue(scale, i, label);
		drawText(layout, canvas, layout->left - 5, y + 0.35 * size,
			 label, CANVAS_END);
	}
	plotDrawRule(canvas, layout->left, place->top, layout->left,
		     place->bottom, black, 0.6);
	g_free(title);
}

static void drawPanel(const struct plotLayout *layout, struct canvas *canvas,
		      const struct plotPanel *panel,
		      const struct plotPlace *place)
{
	const struct plotScale *scale = &place->scale;

	canvasBegin(canvas, "panel", panel->title);
	plotDrawPhases(layout, canvas, place->top, place->bottom);
	drawTimeGrid(layout, canvas, place->top, place->bottom);
	for (int i = 0; i < scale->count; i++) {
		double y =
			plotYOf(panel, place, scale->first + i * scale->step);

		plotDrawRule(canvas, layout->left, y, layout->right, y,
			     gridColor, 0.4);
	}
	plotDrawCurves(layout, canvas, panel, place);
	drawValueAxis(layout, canvas, panel, place);
	plotDrawRule(canvas, layout->left, place->bottom, layout->right,
		     place->bottom, place->bottom < layout->axis ? gray : black,
		     0.5);
	if (*panel->heading)
		drawText(layout, canvas, layout->left,
			 place->head + 0.95 * layout->plot->fontSize,
			 panel->heading, CANVAS_START);
	if (place->legend)
		plotDrawLegend(layout, canvas, place->legend, place->legendTop);
	canvasEnd(canvas);
}

/* ---- All --------------------------------------------------------------- */

void plotDraw(const struct plot *plot, struct canvas *canvas)
{
	struct plotLayout *layout = plotLayoutNew(plot, canvas->height);
	struct canvasFont font = {
		.size = 1.2 * plot->fontSize,
		.color = black,
		.anchor = CANVAS_MIDDLE,
		.isBold = true,
	};
	char *title = canvasTextFit(plot->title, font.size, canvas->width - 12);
	char *note;

	canvasBox(canvas, 0, 0, canvas->width, canvas->height,
		  (struct canvasColor){ 1, 1, 1 }, 1);
	canvasText(canvas, canvas->width / 2, layout->title, title, &font);
	drawPhaseNames(layout, canvas);
	plotDrawRows(layout, canvas);
	for (guint i = 0; i < plot->panels->len; i++)
		drawPanel(layout, canvas, plot->panels->pdata[i],
			  &layout->places[i]);
	drawTimeAxis(layout, canvas);
	font = (struct canvasFont){
		.size = 0.85 * plot->fontSize,
		.color = gray,
	};
	note = canvasTextFit(layout->noteText, font.size,
			     layout->right - layout->left);
	canvasText(canvas, layout->left, layout->note, note, &font);
	plotLayoutFree(layout);
	g_free(title);
	g_free(note);
}
