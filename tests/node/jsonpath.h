/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What stands in a JSON value, by a path: "cpu.0.mhz".
 */
#ifndef JSONPATH_H
#define JSONPATH_H

#include <jansson.h>

/** Get what is there; fails the test if it is not. */
json_t *jsonAt(json_t *json, const char *path);

/** Assert that it is there, and that its text is this; objects keep their
 *  order. */
void jsonIs(json_t *json, const char *path, const char *text);

/** Get a number; NaN for null. */
double jsonNumber(json_t *json, const char *path);

#endif
