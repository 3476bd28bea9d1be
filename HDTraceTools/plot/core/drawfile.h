/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Pictures as files: the suffix of the name tells the kind.
 */
#ifndef HD_DRAWFILE_H
#define HD_DRAWFILE_H

#include "HDTraceTools/plot/core/canvas.h"

/** What is drawn. */
struct drawing {
	double width, height; /**< In points. */
	const char *title;
	void (*draw)(struct canvas *canvas, void *data);
	void *data;
};

/** Whether a picture can be drawn into a file of this name; NULL, or a message
 * to be freed. */
char *drawFileCheck(const char *path);

/** Draw into a file, which replaces the one that is there when it is complete;
 * NULL, or a message to be freed. */
char *drawFile(const struct drawing *drawing, const char *path);

#endif
