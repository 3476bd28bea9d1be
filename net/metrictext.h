/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Metrics as text: the format of Prometheus, version 0.0.4, and OpenMetrics
 * 1.0.
 */
#ifndef HD_METRICTEXT_H
#define HD_METRICTEXT_H

#include <stdbool.h>
#include <stdio.h>

/** A text that is being written. */
struct hdMetricText {
	FILE *file;
	bool isOpen; /**< OpenMetrics. */
};

/**
 * Begin a family.
 *
 * @param name Of a counter without "_total".
 * @param unit What the name ends with, or NULL.
 */
void hdMetricFamily(const struct hdMetricText *text, const char *name,
		    bool isCounter, const char *unit, const char *help);

/** Write the name of a sample. */
void hdMetricName(const struct hdMetricText *text, const char *name,
		  bool isCounter);

/** Write a label; @p before is '{' for the first one, else ','. */
void hdMetricLabel(const struct hdMetricText *text, char before,
		   const char *name, const char *value);

/** Write a value, and end the line. */
void hdMetricNumber(const struct hdMetricText *text, double value);

/** End the text. */
void hdMetricEnd(const struct hdMetricText *text);

#endif
