/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --precision: significant digits of the numbers in text tables.
 */
#ifndef HD_CLI_PRECISION_H
#define HD_CLI_PRECISION_H

#include <glib.h>

/** The option, for cliParse(); it sets outPrecision(). */
extern const GOptionEntry cliPrecision[];

#endif
