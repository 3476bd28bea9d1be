/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>

#include <glib.h>

#include "HDTraceTools/plot/core/drawfile.h"
#include "cli/errors.h"
#include "cli/newfile.h"

/* Dots per inch of PNG. */
#define DRAW_DPI 192

static struct canvas *drawFileOpen(const struct drawing *drawing, FILE *file,
				   const char *path)
{
	if (g_str_has_suffix(path, ".png"))
		return canvasOpenPng(file, drawing->width, drawing->height,
				     DRAW_DPI);
	if (g_str_has_suffix(path, ".pdf"))
		return canvasOpenPdf(file, drawing->width, drawing->height,
				     drawing->title);
	return canvasOpenSvg(file, drawing->width, drawing->height,
			     drawing->title);
}

char *drawFileCheck(const char *path)
{
	bool isCairo = g_str_has_suffix(path, ".png") ||
		       g_str_has_suffix(path, ".pdf");
	const char *missing = isCairo ? canvasCairoMissing() : NULL;

	if (!isCairo && !g_str_has_suffix(path, ".svg"))
		return g_strdup_printf(
			"%s: unknown suffix; expected .svg, .png or .pdf",
			path);
	return missing ? g_strdup_printf("%s: %s; .svg works without it", path,
					 missing)
		       : NULL;
}

char *drawFile(const struct drawing *drawing, const char *path)
{
	struct canvas *canvas;
	struct newFile file;
	int ret = newFileStart(&file, path);

	if (ret < 0)
		return g_strdup_printf(CLI_TEXT_CREATE, path,
				       cliErrorReason(ret));
	canvas = drawFileOpen(drawing, file.file, path);
	if (canvas)
		drawing->draw(canvas, drawing->data);
	ret = canvas ? canvasClose(canvas) : -ENOMEM;
	if (ret == 0)
		ret = newFileCommit(&file, true);
	else
		newFileAbort(&file);
	return ret < 0 ? g_strdup_printf(CLI_TEXT_WRITE, path,
					 cliErrorReason(ret))
		       : NULL;
}
