/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulated meter sends.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/sim/message.h"

static void clearItem(void *data)
{
	struct simItem *item = data;

	g_free(item->text);
}

GArray *simItemsNew(void)
{
	GArray *items = g_array_new(false, false, sizeof(struct simItem));

	g_array_set_clear_func(items, clearItem);
	return items;
}

double simFloat(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void addText(GString *message, const struct simItem *item)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	double value = simFloat(item->bits);

	if (item->text) {
		g_string_append(message, item->text);
		return;
	}
	/* What SCPI has for these. */
	if (isnan(value))
		value = 9.91e37;
	else if (isinf(value))
		value = value < 0 ? -9.9e37 : 9.9e37;
	g_ascii_formatd(number, sizeof(number), item->whole ? "%.0f" : "%.4E",
			value);
	g_string_append(message, number);
}

static void addBlock(GString *message, const char *data, gsize length,
		     int digits, long off)
{
	g_string_append_printf(message, "#%d%0*ld", digits, digits,
			       MAX((long)length + off, 0));
	g_string_append_len(message, data, (gssize)length);
}

GString *simMessageCompose(const GArray *items, const struct simForm *form,
			   long values)
{
	GString *message = g_string_new(NULL);
	GString *block = g_string_new(NULL);
	long count = MAX((long)items->len + values, 0);

	for (long i = 0; items->len && i < count; i++) {
		const struct simItem *item = &g_array_index(
			items, struct simItem, MIN((guint)i, items->len - 1));
		uint32_t little = GUINT32_TO_LE(item->bits);

		if (!form->packed) {
			if (i)
				g_string_append_c(message, ';');
			addText(message, item);
			continue;
		}
		if (item->text && block->len) {
			addBlock(message, block->str, block->len, 5,
				 form->lengthOff);
			g_string_truncate(block, 0);
		}
		if (item->text)
			addBlock(message, item->text, strlen(item->text), 5,
				 form->lengthOff);
		else if (form->blocks == SIM_BLOCK_EACH)
			addBlock(message, (const char *)&little, 4, 1,
				 form->lengthOff);
		else
			g_string_append_len(block, (const char *)&little, 4);
	}
	if (block->len)
		addBlock(message, block->str, block->len, 5, form->lengthOff);
	g_string_append_c(message, '\n');
	g_string_free(block, true);
	return message;
}
