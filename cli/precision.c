/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --precision: significant digits of the numbers in text tables.
 */
#include "config.h"

#include "cli/output.h"
#include "cli/precision.h"

static gboolean precisionParse(const gchar *option, const gchar *text,
			       gpointer data, GError **error)
{
	gint64 digits;

	(void)option;
	(void)data;
	if (!g_ascii_string_to_signed(text, 10, 1, OUT_PRECISION_MAX, &digits,
				      NULL)) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--precision: invalid number \"%s\"; expected 1 to "
			    "%d",
			    text, OUT_PRECISION_MAX);
		return FALSE;
	}
	outSetPrecision((int)digits);
	return TRUE;
}

const GOptionEntry cliPrecision[] = {
	{ "precision", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)precisionParse,
	  "Significant digits of numbers in text output, 1 to 17 (default: 4)",
	  "N" },
	{ NULL, 0, 0, 0, NULL, NULL, NULL },
};
