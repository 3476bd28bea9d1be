/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What may be in the fields of the frames that servers send; net/fields.h looks
 * at them.
 *
 * Numbers are 32 bits, with a sign: -1 is "no". What a server sends altogether
 * stays below 2^31 bytes, so that the limits of values and sets are what they
 * are.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/pm/src/pm.h"

#define COUNT_MAX (INT32_MAX / 16)
#define TEXT_MAX 65535

static const struct hdFieldRange answers = { .min = -1, .max = 0 };
static const struct hdFieldRange rates = { .min = -1, .max = 1000000000 };
static const struct hdFieldRange numbers = { .min = 0, .max = 65535 };
static const struct hdFieldRange lengths = { .min = 0, .max = TEXT_MAX };
static const struct hdFieldRange names = { .min = 1, .max = TEXT_MAX };
static const struct hdFieldRange counts = { .min = 0, .max = COUNT_MAX };
static const struct hdFieldRange totals = { .min = -1, .max = COUNT_MAX };
static const struct hdFieldRange sets = { .min = 1, .max = COUNT_MAX };
static const struct hdFieldRange lines = { .min = 0, .max = PM_LINES_MAX };

const struct hdField pmFieldAnswer = { HD_FIELD_I32, 0, &answers, "answer" };
const struct hdField pmFieldRate = { HD_FIELD_I32, 0, &rates,
				     "samples per second" };
const struct hdField pmFieldNumber = { HD_FIELD_I32, 0, &numbers,
				       "number of lines" };
const struct hdField pmFieldLine = { HD_FIELD_I32, 0, &numbers, "line" };
const struct hdField pmFieldYes = { HD_FIELD_I32, 0, &hdFieldYes, "is a PDU" };
const struct hdField pmFieldVolts = { HD_FIELD_F32, 0, &hdFieldValue,
				      "voltage" };
const struct hdField pmFieldLength = { HD_FIELD_I32, 0, &lengths,
				       "length of a text" };
const struct hdField pmFieldCount = { HD_FIELD_I32, 0, &counts, "number" };
const struct hdField pmFieldValues = { HD_FIELD_I32, 0, &totals,
				       "number of values" };
const struct hdField pmFieldSets = { HD_FIELD_I32, 0, &sets, "number of sets" };
const struct hdField pmFieldSampled = { HD_FIELD_I32, 0, &lines,
					"number of lines" };
const struct hdField pmFieldBorder = { HD_FIELD_I32, 0, &counts,
				       "start of a set" };
const struct hdField pmFieldSingle = { HD_FIELD_F32, 0, &hdFieldValue,
				       "value" };
const struct hdField pmFieldDouble = { HD_FIELD_F64, 0, &hdFieldValue,
				       "value" };
const struct hdField pmFieldName = { HD_FIELD_TEXT, 0, &names, "name" };
const struct hdField pmFieldText = { HD_FIELD_TEXT, 0, &lengths, "text" };

/* Say what is wrong, if somebody wants to know. */
static int frameFault(const char *culprit, const struct hdFieldFault *fault)
{
	if (culprit)
		pmLog(HD_LOG_ERROR, "%s: %s", culprit, fault->text);
	return -EPROTO;
}

int pmGetInt(const struct hdField *field, const char *culprit,
	     const unsigned char *bytes, int32_t *number)
{
	const struct hdField fields[] = { *field, { .type = HD_FIELD_END } };
	struct hdFieldRest rest = { bytes, 4 };
	struct hdFieldFault fault;

	if (hdFieldsGet(fields, &rest, number, &fault) < 0)
		return frameFault(culprit, &fault);
	return 0;
}

int pmCheckArray(const struct hdField *field, const char *culprit,
		 const unsigned char *bytes, size_t count)
{
	struct hdFieldFault fault;

	if (hdFieldsCheck(field, bytes, count, &fault) < 0)
		return frameFault(culprit, &fault);
	return 0;
}

int pmCheckText(const struct hdField *field, const char *culprit,
		const unsigned char *bytes, size_t length)
{
	struct hdFieldFault fault;

	if (hdFieldsCheckText(field, bytes, length, &fault) < 0)
		return frameFault(culprit, &fault);
	return 0;
}
