/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: where everything stands.
 */
#ifndef HD_PLOTLAYOUT_H
#define HD_PLOTLAYOUT_H

#include "HDTraceTools/plot/plot.h"

/** Length of a piece of line in a legend, and what is between it and text. */
#define PLOT_SAMPLE 16
#define PLOT_SAMPLE_SPACE 3
/** Room for the label of a mark. */
#define PLOT_LABEL_SIZE 48

/** An entry of a legend. */
struct plotItem {
	char *text;
	enum plotSample {
		PLOT_SAMPLE_NONE,
		PLOT_SAMPLE_LINE,
		PLOT_SAMPLE_BOX
	} sample;
	const struct plotCurve *curve; /**< Of a line. */
	struct canvasColor color;      /**< Of the state. */
	double x;
	double width;
	int line;
};

/** A legend, in lines. */
struct plotLegend {
	GArray *items; /**< struct plotItem */
	int lines;
};

/** Width of what stands before the text of an entry. */
double plotSampleWidth(const struct plot *plot, const struct plotItem *item);

/** Where a panel is. */
struct plotPlace {
	double head;               /**< Its heading, if it has one. */
	struct plotLegend *legend; /**< NULL: that of the one before. */
	double legendTop;
	double top, bottom;
	struct plotScale scale;
};

struct plotLayout {
	const struct plot *plot;
	double lineHeight;
	double left, right; /**< Of what is drawn. */
	double axisTitle;   /**< Baseline of the titles of scales. */
	double title;       /**< Baseline. */
	double phaseNames;
	double rows; /**< Top of the first time line. */
	double rowHeight;
	guint rowsPerLabel;
	struct plotLegend *names;
	double namesTop;
	struct plotPlace *places; /**< One for each panel. */
	double axis;              /**< Of time. */
	GArray *marks;            /**< struct plotMark */
	char timeTitle[64];
	double bandAlpha; /**< Many bands are thinner. */
	double note;
	char *noteText;
	double height; /**< That is needed. */
};

/** Lay out a picture; height 0 is as much as is needed. */
struct plotLayout *plotLayoutNew(const struct plot *plot, double height);
void plotLayoutFree(struct plotLayout *self);

/** The middle of a bin. */
double plotBinMiddle(const struct plotLayout *layout, size_t bin);

/** Where a time is. */
double plotXOf(const struct plotLayout *layout, int64_t time);
/** Where a value is. */
double plotYOf(const struct plotPanel *panel, const struct plotPlace *place,
	       double value);

/** "Power (W)", no longer than there is room for; to be freed. */
char *plotAxisTitle(const struct plotPanel *panel,
		    const struct plotScale *scale, double size, double room);

/** Write what stands at a mark of a scale. */
void plotFormatValue(const struct plotScale *scale, int mark, char *label);

/* ---- legend.c ------------------------------------------------------ */

/** Make all legends; the width of the picture is known. */
void plotMakeLegends(struct plotLayout *layout);
/** @param legend may be NULL. */
void plotLegendFree(struct plotLegend *legend);

/* ---- Drawing: draw.c, curves.c, rows.c --------------------- */

/** How the line of a curve with a number is drawn. */
struct canvasPen plotPenOf(const struct plot *plot,
			   const struct plotCurve *curve);

void plotDrawRule(struct canvas *canvas, double x0, double y0, double x1,
		  double y1, struct canvasColor color, double width);
/** Every other phase is gray. */
void plotDrawPhases(const struct plotLayout *layout, struct canvas *canvas,
		    double top, double bottom);
void plotDrawLegend(const struct plotLayout *layout, struct canvas *canvas,
		    const struct plotLegend *legend, double top);
void plotDrawCurves(const struct plotLayout *layout, struct canvas *canvas,
		    const struct plotPanel *panel,
		    const struct plotPlace *place);
void plotDrawRows(const struct plotLayout *layout, struct canvas *canvas);

#endif
