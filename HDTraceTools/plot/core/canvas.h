/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A page to draw on, as SVG, or with cairo as PNG or PDF.
 *
 * Lengths are in points (1/72 inch), from the upper left corner; text stands on
 * its baseline. SVG is written here and not by cairo, which turns text into
 * shapes: so it can be found, copied, and edited for a paper.
 *
 * hdtrace plot writes SVG itself: cairo turns text into shapes, which nobody
 * can edit, search, or read aloud. Widths of text are those of one font, in
 * a table (canvas.c), so that all kinds of pictures are laid out alike, with
 * any font. No gnuplot: it would have to be there when a picture is drawn,
 * and reads no more than a part of the entries in time.
 */
#ifndef HD_CANVAS_H
#define HD_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Points in a millimetre. */
#define CANVAS_MM (72 / 25.4)

struct canvasColor {
	double red, green, blue; /**< 0 to 1. */
};

struct canvasPoint {
	double x, y;
};

/** How a line is drawn. */
struct canvasPen {
	struct canvasColor color;
	double width;
	const double *dashes; /**< Lengths of strokes and gaps, or NULL. */
	size_t dashCount;
};

enum canvasAnchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END };

/** How text is drawn. */
struct canvasFont {
	double size;
	struct canvasColor color;
	enum canvasAnchor anchor;
	bool isBold;
	bool isUpright; /**< Turned to the left, bottom to top. */
};

struct canvas;

/** What a kind of canvas can do. */
struct canvasKind {
	void (*line)(struct canvas *self, const struct canvasPoint *points,
		     size_t count, const struct canvasPen *pen);
	void (*area)(struct canvas *self, const struct canvasPoint *points,
		     size_t count, struct canvasColor color, double alpha);
	void (*text)(struct canvas *self, double x, double y, const char *text,
		     const struct canvasFont *font);
	void (*begin)(struct canvas *self, const char *kind, const char *title);
	void (*end)(struct canvas *self);
	/** Write what is left, and free; 0 or a negative errno. */
	int (*close)(struct canvas *self);
};

/** A canvas; kinds have more behind it. */
struct canvas {
	const struct canvasKind *kind;
	FILE *file;
	double width, height;
};

/** Open an SVG; errors stick to the file. */
struct canvas *canvasOpenSvg(FILE *file, double width, double height,
			     const char *title);

/** Open a PNG of so many dots per inch; NULL: no memory. */
struct canvas *canvasOpenPng(FILE *file, double width, double height,
			     double dpi);

/** Open a PDF; NULL as above. */
struct canvas *canvasOpenPdf(FILE *file, double width, double height,
			     const char *title);

/** Why there are no PNG and PDF; NULL if there are. To be asked before one is
 *  opened. */
const char *canvasCairoMissing(void);

/** Draw a line through points. */
static inline void canvasLine(struct canvas *self,
			      const struct canvasPoint *points, size_t count,
			      const struct canvasPen *pen)
{
	if (count > 1)
		self->kind->line(self, points, count, pen);
}

/** Fill what lies between points. */
static inline void canvasArea(struct canvas *self,
			      const struct canvasPoint *points, size_t count,
			      struct canvasColor color, double alpha)
{
	if (count > 2)
		self->kind->area(self, points, count, color, alpha);
}

/** Fill a rectangle. */
void canvasBox(struct canvas *self, double x, double y, double width,
	       double height, struct canvasColor color, double alpha);

/** Write text of any content. */
static inline void canvasText(struct canvas *self, double x, double y,
			      const char *text, const struct canvasFont *font)
{
	if (*text)
		self->kind->text(self, x, y, text, font);
}

/** Begin a part of the picture: what it is, in one word, and its title. */
static inline void canvasBegin(struct canvas *self, const char *kind,
			       const char *title)
{
	self->kind->begin(self, kind, title);
}

static inline void canvasEnd(struct canvas *self)
{
	self->kind->end(self);
}

/** End the picture and free the canvas; 0 or a negative errno. */
static inline int canvasClose(struct canvas *self)
{
	return self->kind->close(self);
}

/* ---- Text -------------------------------------------------------------- */

/** The font that all texts are in, for SVG, and for cairo. */
#define CANVAS_FAMILIES "Liberation Sans, Arial, Helvetica, sans-serif"
#define CANVAS_FAMILY "Liberation Sans"

/** Width of text in that font, in points; a good guess beyond ASCII. */
double canvasTextWidth(const char *text, double size);

/** Whether the width of a text is known and no guess: then it is drawn that
 * wide with any font, so that nothing overlaps where that font is not there. */
bool canvasTextIsKnown(const char *text);

/** Cut text so that it is not wider, with an ellipsis; to be freed. */
char *canvasTextFit(const char *text, double size, double width);

#endif
