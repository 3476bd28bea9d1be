/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values with bars; see screen.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/pt/client/screen.h"
#include "cli/output.h"

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define END "\033[K\r\n"
/* "12345.678 Wh" and a blank. */
#define NUMBER_WIDTH 16
#define BAR_MIN 10

/* The next 1, 2 or 5 times a power of ten. */
static double roundUp(double value)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(value)));

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

/* End of the bars of a unit; 0 if there is nothing to show. */
static double scaleOf(const struct screenRow *rows, size_t count,
		      const char *unit)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].unit, unit) == 0 && rows[i].most > most)
			most = rows[i].most;
	return most > 0 && isfinite(most) ? roundUp(most) : 0;
}

/* A text that is safe, and as wide as wanted. */
static void screenAddCell(GString *out, const char *text, size_t width)
{
	GString *cell = g_string_new(NULL);
	size_t length;

	outAppendPrintable(cell, text, strlen(text));
	length = (size_t)g_utf8_strlen(cell->str, -1);
	if (length > width) {
		*g_utf8_offset_to_pointer(cell->str, (glong)width) = '\0';
		length = width;
	}
	g_string_append_printf(out, "%s%*s", cell->str, (int)(width - length),
			       "");
	g_string_free(cell, TRUE);
}

static size_t screenWidthOf(const struct screenRow *rows, size_t count,
			    gboolean isNode, size_t most)
{
	size_t width = 4;

	for (size_t i = 0; i < count; i++)
		width = MAX(width,
			    (size_t)g_utf8_strlen(
				    isNode ? rows[i].node : rows[i].name, -1));
	return MIN(width, most);
}

static void screenAddNumber(GString *out, double value, const char *unit)
{
	char number[64], text[100];

	if (isfinite(value))
		g_snprintf(number, sizeof(number), "%.3f", value);
	else
		g_snprintf(number, sizeof(number), "-");
	g_snprintf(text, sizeof(text), "%10s %s", number, unit);
	screenAddCell(out, text, NUMBER_WIDTH);
}

static void addBar(GString *out, double value, double scale, size_t width,
		   gboolean isUnicode)
{
	/* Eighths of a block, beginning with none. */
	static const char *const blocks[] = { "",  "▏", "▎", "▍",
					      "▌", "▋", "▊", "▉" };
	double share = isfinite(value) && scale > 0 ? value / scale : 0;
	size_t eighths = (size_t)(CLAMP(share, 0, 1) * (double)width * 8 + 0.5);

	for (size_t i = 0; i < eighths / 8; i++)
		g_string_append(out, isUnicode ? "█" : "#");
	if (isUnicode)
		g_string_append(out, blocks[eighths % 8]);
}

static void screenAddRow(GString *out, const struct screen *screen,
			 const struct screenRow *row, double scale,
			 size_t nodeWidth, size_t nameWidth)
{
	size_t used = nodeWidth + nameWidth + NUMBER_WIDTH + 3;

	screenAddCell(out, row->node, nodeWidth);
	g_string_append_c(out, ' ');
	screenAddCell(out, row->name, nameWidth);
	g_string_append_c(out, ' ');
	screenAddNumber(out, row->isStale ? NAN : row->value, row->unit);
	if (!row->isUp)
		g_string_append(out, "out of reach");
	else if (row->isStale && isfinite(row->age))
		g_string_append_printf(out, "stale; last reading %.1f s ago",
				       row->age);
	else if (screen->width >= used + BAR_MIN)
		addBar(out, row->value, scale, screen->width - used,
		       screen->isUnicode);
	g_string_append(out, END);
}

/* Add up what is in watts; FALSE if that is no sum of several. */
static gboolean screenAddUp(const struct screenRow *rows, size_t count,
			    double *sum)
{
	size_t number = 0;

	*sum = 0;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].unit, "W") != 0)
			continue;
		*sum += rows[i].isUp && !rows[i].isStale ? rows[i].value : NAN;
		number++;
	}
	return number > 1;
}

/* What the scales of bars are. */
static void addScales(GString *out, const struct screenRow *rows, size_t count)
{
	const char *before = "bars to";

	for (size_t i = 0; i < count; i++) {
		double scale = scaleOf(rows, count, rows[i].unit);
		gboolean isSaid = FALSE;

		for (size_t k = 0; k < i; k++)
			isSaid = isSaid ||
				 strcmp(rows[k].unit, rows[i].unit) == 0;
		if (isSaid || scale <= 0)
			continue;
		g_string_append_printf(out, "%s %g ", before, scale);
		outAppendPrintable(out, rows[i].unit, strlen(rows[i].unit));
		before = ",";
	}
	g_string_append(out, END);
}

void screenDraw(GString *out, const struct screen *screen, const char *title,
		const struct screenRow *rows, size_t count)
{
	size_t nodeWidth = screenWidthOf(rows, count, TRUE, 24);
	size_t nameWidth = screenWidthOf(rows, count, FALSE, 16);
	/* Title, sum and scales, and a line for what has no room. */
	size_t room = screen->height > 4 ? screen->height - 4 : 1;
	size_t shown = count <= room ? count : room;
	gboolean isSimulated = FALSE;
	double sum;

	g_string_append(out, BOLD);
	screenAddCell(out, title, screen->width);
	g_string_append(out, PLAIN END);
	for (size_t i = 0; i < shown; i++)
		screenAddRow(out, screen, &rows[i],
			     scaleOf(rows, count, rows[i].unit), nodeWidth,
			     nameWidth);
	if (shown < count)
		g_string_append_printf(out, "... and %zu more" END,
				       count - shown);
	if (screenAddUp(rows, count, &sum)) {
		screenAddCell(out, "sum", nodeWidth + nameWidth + 2);
		screenAddNumber(out, sum, "W");
		g_string_append(out, END);
	}
	for (size_t i = 0; i < count; i++)
		isSimulated = isSimulated || rows[i].isSimulated;
	if (isSimulated)
		g_string_append(out, "simulated; ");
	addScales(out, rows, count);
}
