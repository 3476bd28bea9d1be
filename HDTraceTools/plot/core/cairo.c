/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A page to draw on, as PNG or PDF, by cairo.
 */
#include "config.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <glib.h>

#include "HDTraceTools/plot/core/canvas.h"
#include "common/library.h"

/* ---- The library ------------------------------------------------------- */

#define FUNCTIONS(X)                           \
	X(cairo_close_path)                    \
	X(cairo_create)                        \
	X(cairo_destroy)                       \
	X(cairo_fill)                          \
	X(cairo_get_target)                    \
	X(cairo_image_surface_create)          \
	X(cairo_line_to)                       \
	X(cairo_move_to)                       \
	X(cairo_new_path)                      \
	X(cairo_paint)                         \
	X(cairo_pdf_surface_create_for_stream) \
	X(cairo_pdf_surface_set_metadata)      \
	X(cairo_restore)                       \
	X(cairo_rotate)                        \
	X(cairo_save)                          \
	X(cairo_scale)                         \
	X(cairo_select_font_face)              \
	X(cairo_set_dash)                      \
	X(cairo_set_font_size)                 \
	X(cairo_set_line_width)                \
	X(cairo_set_source_rgb)                \
	X(cairo_set_source_rgba)               \
	X(cairo_show_text)                     \
	X(cairo_status)                        \
	X(cairo_stroke)                        \
	X(cairo_surface_destroy)               \
	X(cairo_surface_finish)                \
	X(cairo_surface_status)                \
	X(cairo_surface_write_to_png_stream)   \
	X(cairo_text_extents)                  \
	X(cairo_translate)

static struct cairoApi {
	FUNCTIONS(HD_LIBRARY_FUNCTION)
} api;

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct cairoApi, name)
static const struct hdSymbol symbols[] = { FUNCTIONS(SYMBOL) HD_LIBRARY_END };

static struct hdLibrary library = {
	.what = "cairo",
	.file = CAIRO_SONAME,
	.package = "libcairo2",
	.symbols = symbols,
	.api = &api,
};

const char *canvasCairoMissing(void)
{
	return hdLibraryMissing(&library);
}

/* ---- The canvas -------------------------------------------------------- */

struct cairoCanvas {
	struct canvas canvas; /**< First. */
	cairo_t *cairo;
	bool isPng;
	int error;
};

static struct cairoCanvas *own(struct canvas *canvas)
{
	return (struct cairoCanvas *)canvas;
}

static void setColor(cairo_t *cairo, struct canvasColor color, double alpha)
{
	api.cairo_set_source_rgba(cairo, color.red, color.green, color.blue,
				  alpha);
}

static void cairoCanvasSetPath(cairo_t *cairo, const struct canvasPoint *points,
			       size_t count)
{
	api.cairo_new_path(cairo);
	for (size_t i = 0; i < count; i++)
		api.cairo_line_to(cairo, points[i].x, points[i].y);
}

static void cairoLine(struct canvas *canvas, const struct canvasPoint *points,
		      size_t count, const struct canvasPen *pen)
{
	cairo_t *cairo = own(canvas)->cairo;

	cairoCanvasSetPath(cairo, points, count);
	setColor(cairo, pen->color, 1);
	api.cairo_set_line_width(cairo, pen->width);
	api.cairo_set_dash(cairo, pen->dashes, (int)pen->dashCount, 0);
	api.cairo_stroke(cairo);
}

static void cairoArea(struct canvas *canvas, const struct canvasPoint *points,
		      size_t count, struct canvasColor color, double alpha)
{
	cairo_t *cairo = own(canvas)->cairo;

	cairoCanvasSetPath(cairo, points, count);
	api.cairo_close_path(cairo);
	setColor(cairo, color, alpha);
	api.cairo_fill(cairo);
}

static void cairoText(struct canvas *canvas, double x, double y,
		      const char *text, const struct canvasFont *font)
{
	static const double parts[] = { 0, 0.5, 1 };
	cairo_t *cairo = own(canvas)->cairo;
	char *valid = g_utf8_make_valid(text, -1);
	double width = canvasTextWidth(valid, font->size);
	cairo_text_extents_t extents;

	api.cairo_save(cairo);
	api.cairo_select_font_face(cairo, CANVAS_FAMILY,
				   CAIRO_FONT_SLANT_NORMAL,
				   font->isBold ? CAIRO_FONT_WEIGHT_BOLD
						: CAIRO_FONT_WEIGHT_NORMAL);
	api.cairo_set_font_size(cairo, font->size);
	api.cairo_text_extents(cairo, valid, &extents);
	api.cairo_translate(cairo, x, y);
	if (font->isUpright)
		api.cairo_rotate(cairo, -G_PI / 2);
	if (!font->isBold && canvasTextIsKnown(valid) && extents.x_advance > 0)
		api.cairo_scale(cairo, width / extents.x_advance, 1);
	api.cairo_move_to(cairo, -parts[font->anchor] * extents.x_advance, 0);
	setColor(cairo, font->color, 1);
	api.cairo_show_text(cairo, valid);
	api.cairo_restore(cairo);
	g_free(valid);
}

static void cairoBegin(struct canvas *canvas, const char *kind,
		       const char *title)
{
	(void)canvas;
	(void)kind;
	(void)title;
}

static void cairoEnd(struct canvas *canvas)
{
	(void)canvas;
}

static cairo_status_t cairoCanvasPutBytes(void *data,
					  const unsigned char *bytes,
					  unsigned int size)
{
	struct cairoCanvas *self = data;

	if (fwrite(bytes, 1, size, self->canvas.file) == size)
		return CAIRO_STATUS_SUCCESS;
	self->error = -errno;
	return CAIRO_STATUS_WRITE_ERROR;
}

static int cairoClose(struct canvas *canvas)
{
	struct cairoCanvas *self = own(canvas);
	cairo_surface_t *surface = api.cairo_get_target(self->cairo);
	cairo_status_t status = api.cairo_status(self->cairo);
	int ret;

	if (status == CAIRO_STATUS_SUCCESS && self->isPng)
		status = api.cairo_surface_write_to_png_stream(
			surface, cairoCanvasPutBytes, self);
	api.cairo_surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = api.cairo_surface_status(surface);
	if (status == CAIRO_STATUS_SUCCESS && fflush(canvas->file) != 0)
		self->error = -errno;
	api.cairo_destroy(self->cairo);
	ret = self->error;
	if (ret == 0 && status == CAIRO_STATUS_NO_MEMORY)
		ret = -ENOMEM;
	else if (ret == 0 && status != CAIRO_STATUS_SUCCESS)
		ret = -EIO;
	g_free(self);
	return ret;
}

static const struct canvasKind cairoKind = {
	.line = cairoLine,
	.area = cairoArea,
	.text = cairoText,
	.begin = cairoBegin,
	.end = cairoEnd,
	.close = cairoClose,
};

/** Draw on a surface, which is taken. */
static struct canvas *openSurface(struct cairoCanvas *self,
				  cairo_surface_t *surface)
{
	self->cairo = api.cairo_create(surface);
	api.cairo_surface_destroy(surface);
	if (api.cairo_status(self->cairo) == CAIRO_STATUS_SUCCESS)
		return &self->canvas;
	api.cairo_destroy(self->cairo);
	g_free(self);
	return NULL;
}

struct canvas *canvasOpenPng(FILE *file, double width, double height,
			     double dpi)
{
	struct cairoCanvas *self = g_new0(struct cairoCanvas, 1);
	double scale = dpi / 72;
	struct canvas *canvas;

	self->canvas = (struct canvas){ &cairoKind, file, width, height };
	self->isPng = true;
	canvas = openSurface(self, api.cairo_image_surface_create(
					   CAIRO_FORMAT_RGB24,
					   (int)ceil(width * scale),
					   (int)ceil(height * scale)));
	if (canvas) {
		api.cairo_scale(self->cairo, scale, scale);
		api.cairo_set_source_rgb(self->cairo, 1, 1, 1);
		api.cairo_paint(self->cairo);
	}
	return canvas;
}

struct canvas *canvasOpenPdf(FILE *file, double width, double height,
			     const char *title)
{
	struct cairoCanvas *self = g_new0(struct cairoCanvas, 1);
	cairo_surface_t *surface;
	char *valid = g_utf8_make_valid(title, -1);

	self->canvas = (struct canvas){ &cairoKind, file, width, height };
	surface = api.cairo_pdf_surface_create_for_stream(cairoCanvasPutBytes,
							  self, width, height);
	api.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
					   valid);
	g_free(valid);
	return openSurface(self, surface);
}
