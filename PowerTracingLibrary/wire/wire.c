/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes of the power service's protocol; see wire.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/wire/wire.h"

const struct hdAuthentication ptWireAuthentication = {
	.protocol = "HDPS 1",
	.exporter = "EXPORTER-HDTrace-Power-Service",
};

/* ---- Data -------------------------------------------------------------- */

/* Bytes of a reading without its values, and of the fields before the arrays.
 */
#define READING_SIZE (3 * 8 + 2 * 4)
#define DATA_SIZE 16

size_t ptWireDataSize(size_t count, size_t columns)
{
	return DATA_SIZE + count * (READING_SIZE + 8 * columns);
}

int ptWireViewData(const struct ptWireData *data, struct ptWireView *view)
{
	size_t n = data->count;
	const unsigned char *at = data->arrays.at;

	if (n == 0 ||
	    data->arrays.length / n < READING_SIZE + 8 * (size_t)data->columns)
		return -EBADMSG;
	view->wall = at;
	view->mono = at + 8 * n;
	view->length = at + 16 * n;
	view->lost = at + 24 * n;
	view->marks = at + 28 * n;
	view->values = at + 32 * n;
	return 0;
}

/* Look at the arrays of readings. */
static int checkData(const struct ptWireData *data, struct hdFieldFault *fault)
{
	const struct hdField *field = ptWireArrayFields;
	struct ptWireView view;
	const unsigned char *arrays[6];
	int ret = ptWireViewData(data, &view);

	if (ret < 0 && fault)
		snprintf(fault->text, sizeof(fault->text),
			 "Data.count is %lu; there are fewer readings",
			 (unsigned long)data->count);
	if (ret < 0)
		return ret;
	arrays[0] = view.wall;
	arrays[1] = view.mono;
	arrays[2] = view.length;
	arrays[3] = view.lost;
	arrays[4] = view.marks;
	arrays[5] = view.values;
	for (size_t i = 0; ret == 0 && field[i].type != HD_FIELD_END; i++)
		if (field[i].range)
			ret = hdFieldsCheck(
				&field[i], arrays[i],
				data->count *
					(i == 5 ? (size_t)data->columns : 1),
				fault);
	return ret;
}

/* ---- Frames ------------------------------------------------------------ */

/* Look at what is behind the fields of a message. */
static int checkRest(unsigned int type, const void *message,
		     struct hdFieldFault *fault)
{
	const struct ptWireTotal *total = message;
	struct ptWireColumnTotal column;
	struct hdFieldRest rest;
	int ret = 0;

	if (type == PT_WIRE_DATA)
		return checkData(message, fault);
	if (type != PT_WIRE_TOTAL)
		return 0;
	rest = total->totals;
	for (size_t i = 0; ret == 0 && i < total->columns; i++)
		ret = hdFieldsGet(ptWireColumnTotalFields, &rest, &column,
				  fault);
	return ret;
}

size_t ptWireEncode(enum ptWireType type, uint16_t tag, const void *message,
		    unsigned char *bytes, size_t size,
		    struct hdFieldFault *fault)
{
	size_t used = hdFrameEncode(ptWireFieldsOf(type), type, tag, message,
				    bytes, size, fault);

	return used > 0 && checkRest(type, message, fault) < 0 ? 0 : used;
}

int ptWireDecode(unsigned int type, const unsigned char *payload, size_t length,
		 void *message, struct hdFieldFault *fault)
{
	const struct hdField *fields = ptWireFieldsOf(type);
	struct hdFieldRest rest = { payload, length };
	int ret;

	if (!fields)
		return -ENOENT;
	ret = hdFieldsGet(fields, &rest, message, fault);
	return ret == 0 ? checkRest(type, message, fault) : ret;
}

size_t ptWirePutSelection(const struct ptWireSelection *selection,
			  unsigned char *bytes, size_t size)
{
	int ret = hdFieldsPut(ptWireSelectionFields, selection, bytes, size,
			      NULL);

	return ret < 0 ? 0 : (size_t)ret;
}

int ptWireGetSelection(struct hdFieldRest *rest,
		       struct ptWireSelection *selection,
		       struct hdFieldFault *fault)
{
	return hdFieldsGet(ptWireSelectionFields, rest, selection, fault);
}

void ptWirePutColumnTotal(const struct ptWireColumnTotal *total,
			  unsigned char bytes[PT_WIRE_COLUMN_TOTAL_SIZE])
{
	hdFieldsPut(ptWireColumnTotalFields, total, bytes,
		    PT_WIRE_COLUMN_TOTAL_SIZE, NULL);
}

int ptWireGetColumnTotal(struct hdFieldRest *rest,
			 struct ptWireColumnTotal *total)
{
	return hdFieldsGet(ptWireColumnTotalFields, rest, total, NULL);
}

/* ---- Numbers ----------------------------------------------------------- */

uint64_t ptWireGet64(const unsigned char *array, size_t index)
{
	uint64_t number = 0;

	for (size_t i = 8; i-- > 0;)
		number = number << 8 | array[8 * index + i];
	return number;
}

uint32_t ptWireGet32(const unsigned char *array, size_t index)
{
	uint32_t number = 0;

	for (size_t i = 4; i-- > 0;)
		number = number << 8 | array[4 * index + i];
	return number;
}

double ptWireGetDouble(const unsigned char *array, size_t index)
{
	uint64_t bits = ptWireGet64(array, index);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

#ifdef WORDS_BIGENDIAN
static void putTurned(unsigned char *array, const unsigned char *bytes,
		      size_t size, size_t count)
{
	for (size_t i = 0; i < count * size; i++)
		array[i] = bytes[i - i % size + size - 1 - i % size];
}
#else
static void putTurned(unsigned char *array, const unsigned char *bytes,
		      size_t size, size_t count)
{
	memcpy(array, bytes, size * count);
}
#endif

void ptWirePut64(unsigned char *array, const void *numbers, size_t count)
{
	putTurned(array, numbers, 8, count);
}

void ptWirePut32(unsigned char *array, const void *numbers, size_t count)
{
	putTurned(array, numbers, 4, count);
}
