/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Saying what is wrong with a model.
 */
#ifndef HD_PREDICT_REPORT_H
#define HD_PREDICT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <hdPredict.h>

/** Where messages of one model go, and how many there were. */
struct hdPredictReport {
	hdPMessageHandler handler;
	void *data;
	const char *file; /**< May be NULL. */
	uint64_t errors;
};

/** Say an error; @p id may be NULL, and need not be terminated. */
void hdPredictError(struct hdPredictReport *report, int64_t line,
		    const char *id, size_t length, const char *format, ...)
	__attribute__((__format__(__printf__, 5, 6)));

/** Say a warning, likewise. */
void hdPredictWarn(struct hdPredictReport *report, int64_t line, const char *id,
		   size_t length, const char *format, ...)
	__attribute__((__format__(__printf__, 5, 6)));

#endif
