/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: what lines and colours stand for.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/plot/layout.h"

/** Space between entries. */
#define ITEM_SPACE 12
/** Legends have no more entries. */
#define ITEMS_MAX 48

double plotSampleWidth(const struct plot *plot, const struct plotItem *item)
{
	switch (item->sample) {
	case PLOT_SAMPLE_LINE:
		return PLOT_SAMPLE + PLOT_SAMPLE_SPACE;
	case PLOT_SAMPLE_BOX:
		return 0.85 * plot->fontSize + PLOT_SAMPLE_SPACE;
	case PLOT_SAMPLE_NONE:
		break;
	}
	return 0;
}

static struct plotLegend *legendNew(void)
{
	struct plotLegend *legend = g_new0(struct plotLegend, 1);

	legend->items = g_array_new(FALSE, FALSE, sizeof(struct plotItem));
	return legend;
}

void plotLegendFree(struct plotLegend *legend)
{
	if (!legend)
		return;
	for (guint i = 0; i < legend->items->len; i++)
		g_free(g_array_index(legend->items, struct plotItem, i).text);
	g_array_unref(legend->items);
	g_free(legend);
}

/** Add an entry; where it stands is not known yet. */
static void legendAdd(const struct plotLayout *layout,
		      struct plotLegend *legend, struct plotItem item)
{
	item.text =
		canvasTextFit(item.text, layout->plot->fontSize,
			      layout->right - layout->left - PLOT_SAMPLE - 3);
	g_array_append_val(legend->items, item);
}

/** Put the entries into lines, below each other if there are several. */
static void legendEnd(const struct plotLayout *layout,
		      struct plotLegend *legend)
{
	double room = layout->right - layout->left + ITEM_SPACE;
	double widest = 1;
	double all = 0;
	double x = 0;
	int columns;

	for (guint i = 0; i < legend->items->len; i++) {
		struct plotItem *item =
			&g_array_index(legend->items, struct plotItem, i);

		item->x = all;
		item->width =
			PLOT_SAMPLE + 3 + ITEM_SPACE +
			canvasTextWidth(item->text, layout->plot->fontSize);
		all += item->width;
		widest = MAX(widest, item->width);
	}
	legend->lines = legend->items->len > 0;
	if (all <= room)
		return;
	columns = MAX(1, (int)(room / widest));
	for (guint i = 0; i < legend->items->len; i++) {
		struct plotItem *item =
			&g_array_index(legend->items, struct plotItem, i);

		x = i % (guint)columns ? x + widest : 0;
		item->x = x;
		item->line = (int)i / columns;
		legend->lines = item->line + 1;
	}
}

static struct plotLegend *legendOf(const struct plotLayout *layout,
				   const struct plotPanel *panel)
{
	struct plotLegend *legend = legendNew();
	guint count = MIN(panel->curves->len, ITEMS_MAX);
	char more[64];

	for (guint i = 0; i < count; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];

		legendAdd(layout, legend,
			  (struct plotItem){
				  .text = curve->label,
				  .sample = PLOT_SAMPLE_LINE,
				  .curve = curve,
			  });
	}
	if (panel->curves->len > count) {
		snprintf(more, sizeof(more), "and %u more",
			 panel->curves->len - count);
		legendAdd(layout, legend,
			  (struct plotItem){
				  .text = more,
			  });
	}
	legendEnd(layout, legend);
	return legend;
}

/** Whether there is any time of a name where it would be drawn. */
static bool legendIsDrawn(const struct plot *plot, guint name)
{
	for (guint i = 0; i < plot->rows->len; i++) {
		const struct plotRow *row = plot->rows->pdata[i];

		for (unsigned int k = 0; k < row->depths; k++) {
			for (size_t bin = 0; bin < plot->binCount; bin++) {
				if (plotTimesOf(plot, row, k, bin)[name])
					return true;
			}
		}
	}
	return false;
}

static struct plotLegend *legendOfNames(const struct plotLayout *layout)
{
	const struct plot *plot = layout->plot;
	struct plotLegend *legend = legendNew();
	guint count = plot->colored;

	for (guint i = 0; i < count; i++) {
		const struct plotName *name =
			&g_array_index(plot->names, struct plotName, i);

		if (!legendIsDrawn(plot, i))
			continue;
		legendAdd(layout, legend,
			  (struct plotItem){
				  .text = (char *)name->name,
				  .sample = PLOT_SAMPLE_BOX,
				  .color = name->color,
			  });
	}
	if (plot->names->len > count && legendIsDrawn(plot, count))
		legendAdd(layout, legend,
			  (struct plotItem){
				  .text = (char *)"other states",
				  .sample = PLOT_SAMPLE_BOX,
				  .color = plotStateColor(plot, plot->colored),
			  });
	legendEnd(layout, legend);
	return legend;
}

/** Whether two panels have curves of the same labels. */
static bool legendAreAlike(const struct plotPanel *a, const struct plotPanel *b)
{
	if (a->curves->len != b->curves->len)
		return false;
	for (guint i = 0; i < a->curves->len; i++) {
		const struct plotCurve *x = a->curves->pdata[i];
		const struct plotCurve *y = b->curves->pdata[i];

		if (strcmp(x->label, y->label) != 0)
			return false;
	}
	return true;
}

/** Whether a panel's heading says all that its legend would. */
static bool isInHeading(const struct plotPanel *panel)
{
	const struct plotCurve *first = panel->curves->pdata[0];

	return panel->curves->len == 1 &&
	       strcmp(first->label, panel->heading) == 0;
}

/* A panel like the one before needs no legend of its own. */
void plotMakeLegends(struct plotLayout *layout)
{
	const GPtrArray *panels = layout->plot->panels;

	for (guint i = 0; i < panels->len; i++) {
		if (isInHeading(panels->pdata[i]))
			continue;
		if (i == 0 ||
		    !legendAreAlike(panels->pdata[i - 1], panels->pdata[i]))
			layout->places[i].legend =
				legendOf(layout, panels->pdata[i]);
	}
	layout->names = legendOfNames(layout);
}
