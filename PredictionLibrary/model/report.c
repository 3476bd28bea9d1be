/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saying what is wrong with a model; see report.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/model/report.h"

/* Names in messages are cut off here. */
#define ID_SHOWN 200

static void predictReportAddMessage(struct hdPredictReport *report,
				    int isWarning, int64_t line, const char *id,
				    size_t length, const char *format,
				    va_list list)
{
	char name[ID_SHOWN + 4], text[1024];
	hdPMessage message = { isWarning, report->file, line, NULL, text };

	if (!report->handler)
		return;
	if (id) {
		size_t shown = length < ID_SHOWN ? length : ID_SHOWN;

		memcpy(name, id, shown);
		strcpy(name + shown, shown < length ? "..." : "");
		message.id = name;
	}
	vsnprintf(text, sizeof(text), format, list);
	report->handler(&message, report->data);
}

void hdPredictError(struct hdPredictReport *report, int64_t line,
		    const char *id, size_t length, const char *format, ...)
{
	va_list list;

	report->errors++;
	va_start(list, format);
	predictReportAddMessage(report, 0, line, id, length, format, list);
	va_end(list);
}

void hdPredictWarn(struct hdPredictReport *report, int64_t line, const char *id,
		   size_t length, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	predictReportAddMessage(report, 1, line, id, length, format, list);
	va_end(list);
}
