/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * There is no cairo: no PNG and PDF.
 */
#include "config.h"

#include "HDTraceTools/plot/core/canvas.h"

struct canvas *canvasOpenPng(FILE *file, double width, double height,
			     double dpi)
{
	(void)file;
	(void)width;
	(void)height;
	(void)dpi;
	return NULL;
}

struct canvas *canvasOpenPdf(FILE *file, double width, double height,
			     const char *title)
{
	(void)file;
	(void)width;
	(void)height;
	(void)title;
	return NULL;
}

const char *canvasCairoMissing(void)
{
	return "hdtrace was built without cairo";
}
