/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What all pages to draw on have in common: boxes, and the width of text.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/plot/core/canvas.h"

void canvasBox(struct canvas *self, double x, double y, double width,
	       double height, struct canvasColor color, double alpha)
{
	const struct canvasPoint corners[] = {
		{ x, y },
		{ x + width, y },
		{ x + width, y + height },
		{ x, y + height },
	};

	canvasArea(self, corners, G_N_ELEMENTS(corners), color, alpha);
}

/** Widths of ASCII from the blank on, in thousandths of the size: those that
 *  Helvetica, Arial and Liberation Sans share. */
static const unsigned short widths[] = {
	278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
	278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
	584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
	500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
	667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
	278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
	278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584,
};

#define MINUS 0x2212

static double canvasWidthOf(gunichar c)
{
	if (c >= ' ' && c - ' ' < G_N_ELEMENTS(widths))
		return widths[c - ' '] / 1000.0;
	if (c == MINUS)
		return 0.584;
	if (g_unichar_iszerowidth(c))
		return 0;
	return g_unichar_iswide(c) ? 1 : 0.6;
}

double canvasTextWidth(const char *text, double size)
{
	double width = 0;

	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);
		bool isText = c < (gunichar)-2;

		width += canvasWidthOf(isText ? c : '?');
		text = isText ? g_utf8_next_char(text) : text + 1;
	}
	return width * size;
}

bool canvasTextIsKnown(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

char *canvasTextFit(const char *text, double size, double width)
{
	static const char dots[] = "\342\200\246";
	char *valid = g_utf8_make_valid(text, -1);
	GString *fit;
	double used = canvasTextWidth(dots, size);

	if (canvasTextWidth(valid, size) <= width)
		return valid;
	fit = g_string_new(NULL);
	for (const char *c = valid; *c; c = g_utf8_next_char(c)) {
		gunichar character = g_utf8_get_char(c);

		used += canvasWidthOf(character) * size;
		if (used > width)
			break;
		g_string_append_unichar(fit, character);
	}
	g_string_append(fit, dots);
	g_free(valid);
	return g_string_free(fit, FALSE);
}
