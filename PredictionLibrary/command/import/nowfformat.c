/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instead of wfformat.c, without jansson. */
#include "config.h"

#include <errno.h>

#include "PredictionLibrary/command/import/import.h"

int importWfformat(const char *text, size_t length, struct import *self,
		   struct hdPredictReport *report)
{
	(void)text;
	(void)length;
	(void)self;
	(void)report;
	return -ENOTSUP;
}
