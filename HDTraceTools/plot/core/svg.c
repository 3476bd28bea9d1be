/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A page to draw on, as SVG 1.1.
 *
 * Coordinates have two decimals: a hundredth of a point is finer than print.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/plot/core/canvas.h"
#include "common/format/escape.h"
#include "cli/output.h"

static void svgPutNumber(FILE *file, double value)
{
	char buffer[OUT_NUMBER_SIZE];

	if (!isfinite(value))
		value = 0;
	/* No "-0". */
	fputs(outDouble(buffer, round(value * 100) / 100 + 0.0), file);
}

static void svgPutAttribute(FILE *file, const char *name, double value)
{
	fprintf(file, " %s=\"", name);
	svgPutNumber(file, value);
	putc('"', file);
}

static void putColor(FILE *file, const char *name, struct canvasColor color)
{
	fprintf(file, " %s=\"#%02x%02x%02x\"", name,
		(unsigned int)lround(color.red * 255),
		(unsigned int)lround(color.green * 255),
		(unsigned int)lround(color.blue * 255));
}

/** Points as a path: the first as it is, others by how far they are from the
 *  one before. Horizontal and vertical lines are short that way. */
static void svgPutPath(FILE *file, const struct canvasPoint *points,
		       size_t count, bool isClosed)
{
	struct canvasPoint last = { 0, 0 };

	fputs("<path d=\"", file);
	for (size_t i = 0; i < count; i++) {
		/* Rounded here, so that errors do not add up. */
		struct canvasPoint at = {
			round(points[i].x * 100) / 100,
			round(points[i].y * 100) / 100,
		};
		double x = at.x - last.x;
		double y = at.y - last.y;

		if (i == 0) {
			putc('M', file);
			svgPutNumber(file, at.x);
			putc(' ', file);
			svgPutNumber(file, at.y);
		} else if (fabs(y) < 0.005) {
			putc('h', file);
			svgPutNumber(file, x);
		} else if (fabs(x) < 0.005) {
			putc('v', file);
			svgPutNumber(file, y);
		} else {
			putc('l', file);
			svgPutNumber(file, x);
			putc(' ', file);
			svgPutNumber(file, y);
		}
		last = at;
	}
	fputs(isClosed ? "z\"" : "\"", file);
}

static void svgLine(struct canvas *self, const struct canvasPoint *points,
		    size_t count, const struct canvasPen *pen)
{
	FILE *file = self->file;

	svgPutPath(file, points, count, false);
	fputs(" fill=\"none\"", file);
	putColor(file, "stroke", pen->color);
	svgPutAttribute(file, "stroke-width", pen->width);
	if (pen->dashCount)
		fputs(" stroke-dasharray=\"", file);
	for (size_t i = 0; i < pen->dashCount; i++) {
		svgPutNumber(file, pen->dashes[i]);
		putc(i + 1 < pen->dashCount ? ' ' : '"', file);
	}
	fputs("/>\n", file);
}

static void svgArea(struct canvas *self, const struct canvasPoint *points,
		    size_t count, struct canvasColor color, double alpha)
{
	svgPutPath(self->file, points, count, true);
	putColor(self->file, "fill", color);
	if (alpha < 1)
		svgPutAttribute(self->file, "fill-opacity", alpha);
	fputs("/>\n", self->file);
}

static void svgText(struct canvas *self, double x, double y, const char *text,
		    const struct canvasFont *font)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	FILE *file = self->file;

	fputs("<text", file);
	svgPutAttribute(file, "x", x);
	svgPutAttribute(file, "y", y);
	if (font->isUpright) {
		fputs(" transform=\"rotate(-90 ", file);
		svgPutNumber(file, x);
		putc(' ', file);
		svgPutNumber(file, y);
		fputs(")\"", file);
	}
	svgPutAttribute(file, "font-size", font->size);
	if (font->anchor != CANVAS_START)
		fprintf(file, " text-anchor=\"%s\"", anchors[font->anchor]);
	if (font->isBold)
		fputs(" font-weight=\"bold\"", file);
	else if (canvasTextIsKnown(text))
		svgPutAttribute(file, "textLength",
				canvasTextWidth(text, font->size));
	putColor(file, "fill", font->color);
	putc('>', file);
	hdEscapeTo(file, text);
	fputs("</text>\n", file);
}

static void svgBegin(struct canvas *self, const char *kind, const char *title)
{
	fprintf(self->file, "<g class=\"%s\">\n", kind);
	if (!*title)
		return;
	fputs("<title>", self->file);
	hdEscapeTo(self->file, title);
	fputs("</title>\n", self->file);
}

static void svgEnd(struct canvas *self)
{
	fputs("</g>\n", self->file);
}

static int svgClose(struct canvas *self)
{
	int ret = 0;

	fputs("</svg>\n", self->file);
	if (fflush(self->file) != 0)
		ret = -errno;
	else if (ferror(self->file))
		ret = -EIO;
	g_free(self);
	return ret;
}

static const struct canvasKind svgKind = {
	.line = svgLine,
	.area = svgArea,
	.text = svgText,
	.begin = svgBegin,
	.end = svgEnd,
	.close = svgClose,
};

struct canvas *canvasOpenSvg(FILE *file, double width, double height,
			     const char *title)
{
	struct canvas *self = g_new0(struct canvas, 1);

	*self = (struct canvas){ &svgKind, file, width, height };
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
	      file);
	svgPutNumber(file, width);
	fputs("pt\" height=\"", file);
	svgPutNumber(file, height);
	fputs("pt\" viewBox=\"0 0 ", file);
	svgPutNumber(file, width);
	putc(' ', file);
	svgPutNumber(file, height);
	fputs("\" font-family=\"" CANVAS_FAMILIES "\" role=\"img\">\n<title>",
	      file);
	hdEscapeTo(file, title);
	fputs("</title>\n", file);
	return self;
}
