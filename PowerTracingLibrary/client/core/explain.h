/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What meters this machine has, what contains what, and which of them make up
 * the power of the node.
 */
#ifndef PT_EXPLAIN_H
#define PT_EXPLAIN_H

#include <stdio.h>

/**
 * Print it. Nothing is measured, so a counter that does not count is not known.
 *
 * @param root As of struct ptSetup: a tree of another machine serves, too.
 */
void ptExplain(FILE *file, const char *root);

#endif
