/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of messages, written and read; see fields.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "net/fields.h"

/* ---- Texts ------------------------------------------------------------- */

/* Whether a character would do something to what shows it: it controls (Cc),
 * begins a line, or turns the direction of those around it (UAX #9). */
static bool textControls(const unsigned char *at, size_t size)
{
	if (size == 1)
		return *at < 0x20 || *at == 0x7f;
	if (size == 2) /* U+0080 to U+009F, and U+061C. */
		return (*at == 0xc2 && at[1] < 0xa0) ||
		       (*at == 0xd8 && at[1] == 0x9c);
	if (size != 3 || *at != 0xe2)
		return false;
	if (at[1] == 0x80) /* U+200E, U+200F, and U+2028 to U+202E. */
		return at[2] == 0x8e || at[2] == 0x8f ||
		       (at[2] >= 0xa8 && at[2] <= 0xae);
	/* U+2066 to U+2069. */
	return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

/* Bytes of the UTF-8 character (RFC 3629) at the begin of a text; 0 if it is
 * none, or one that must not be there. */
static size_t textCharacter(const unsigned char *at, size_t length)
{
	size_t size = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	unsigned char low = 0x80, high = 0xbf;

	if ((*at >= 0x80 && *at < 0xc2) || *at > 0xf4 || size > length)
		return 0;
	if (*at == 0xe0)
		low = 0xa0;
	else if (*at == 0xed)
		high = 0x9f;
	else if (*at == 0xf0)
		low = 0x90;
	else if (*at == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < size; i++) {
		if (at[i] < low || at[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return textControls(at, size) ? 0 : size;
}

static bool textIsGood(const unsigned char *at, size_t length)
{
	while (length > 0) {
		size_t size = textCharacter(at, length);

		if (size == 0)
			return false;
		at += size;
		length -= size;
	}
	return true;
}

/* Copy a text as far as it fits, with ? for what must not be there; returns its
 * length. */
static size_t textClean(struct hdFieldText text, unsigned char *bytes)
{
	const unsigned char *at = (const unsigned char *)text.at;
	size_t left = text.length, used = 0;

	while (left > 0) {
		size_t size = textCharacter(at, left), taken = size ? size : 1;

		if (used + taken > HD_FIELD_TEXT_MAX)
			break;
		if (size)
			memcpy(bytes + used, at, size);
		else
			bytes[used] = '?';
		used += taken;
		at += taken;
		left -= taken;
	}
	return used;
}

struct hdFieldText hdFieldTextOf(const char *string)
{
	return (struct hdFieldText){ string, string ? strlen(string) : 0 };
}

bool hdFieldTextIs(struct hdFieldText text, const char *string)
{
	return strlen(string) == text.length &&
	       (text.length == 0 || memcmp(text.at, string, text.length) == 0);
}

bool hdFieldTextCopy(struct hdFieldText text, char *string, size_t size)
{
	size_t length = text.length < size ? text.length : size - 1;

	if (length > 0)
		memcpy(string, text.at, length);
	string[length] = '\0';
	return length == text.length;
}

/* ---- Ranges ------------------------------------------------------------ */

#define MONO_MAX (INT64_C(1) << 62)

const struct hdFieldRange hdFieldName = { .min = 1, .max = HD_FIELD_TEXT_MAX };
const struct hdFieldRange hdFieldYes = { .max = 1 };
const struct hdFieldRange hdFieldSome = { .min = 1, .max = INT64_MAX };
const struct hdFieldRange hdFieldCount = { .max = INT64_C(1) << 53 };
const struct hdFieldRange hdFieldWall = { .max = HD_TIME_MAX };
const struct hdFieldRange hdFieldMono = { -MONO_MAX, MONO_MAX, 0, false,
					  false };
const struct hdFieldRange hdFieldLength = { .max = HD_FIELD_NS_MAX };
const struct hdFieldRange hdFieldInterval = { .min = 1,
					      .max = HD_FIELD_NS_MAX };
const struct hdFieldRange hdFieldCovered = { .max = HD_TIME_MAX };
/* A column may be the sum of many lines, a total that of many readings. */
const struct hdFieldRange hdFieldValue = { .magnitude =
						   HD_FIELD_VALUE_MAX * 1e6,
					   .canBeNan = true,
					   .isSigned = true };
const struct hdFieldRange hdFieldTotal = { .magnitude =
						   HD_FIELD_VALUE_MAX * 1e30,
					   .canBeNan = true,
					   .isSigned = true };
const struct hdFieldRange hdFieldRate = { .magnitude = 1e9 };

double hdFieldValueOf(double value)
{
	return fabs(value) <= HD_FIELD_VALUE_MAX ? value : NAN;
}

__attribute__((__format__(__printf__, 3, 4))) static int fieldFault(
	struct hdFieldFault *fault, const struct hdField *field,
	const char *format, ...)
{
	va_list arguments;
	int used;

	if (!fault)
		return -EBADMSG;
	used = snprintf(fault->text, sizeof(fault->text), "%s ", field->name);
	va_start(arguments, format);
	vsnprintf(fault->text + used, sizeof(fault->text) - (size_t)used,
		  format, arguments);
	va_end(arguments);
	return -EBADMSG;
}

static int checkInteger(const struct hdField *field, int64_t number,
			struct hdFieldFault *fault)
{
	const struct hdFieldRange *range = field->range;

	if (number < range->min)
		return fieldFault(fault, field, "is %lld, below %lld",
				  (long long)number, (long long)range->min);
	if (number > range->max)
		return fieldFault(fault, field, "is %lld, above %lld",
				  (long long)number, (long long)range->max);
	return 0;
}

static int checkUnsigned(const struct hdField *field, uint64_t number,
			 struct hdFieldFault *fault)
{
	if (number > INT64_MAX)
		return fieldFault(fault, field, "is %llu, above %lld",
				  (unsigned long long)number,
				  (long long)field->range->max);
	return checkInteger(field, (int64_t)number, fault);
}

static int checkDouble(const struct hdField *field, double number,
		       struct hdFieldFault *fault)
{
	const struct hdFieldRange *range = field->range;

	if (isnan(number) && !range->canBeNan)
		return fieldFault(fault, field, "is not a number");
	if (fabs(number) > range->magnitude)
		return fieldFault(fault, field, "is %g, beyond %g", number,
				  range->magnitude);
	if (number < 0 && !range->isSigned)
		return fieldFault(fault, field, "is %g, below 0", number);
	return 0;
}

static int checkText(const struct hdField *field, size_t length,
		     struct hdFieldFault *fault)
{
	if (length == 0 && field->range->min > 0)
		return fieldFault(fault, field, "is empty");
	if ((int64_t)length > field->range->max)
		return fieldFault(fault, field, "has %zu bytes, above %lld",
				  length, (long long)field->range->max);
	return 0;
}

/* Look at a field of a struct. */
static int fieldCheck(const struct hdField *field, const void *message,
		      struct hdFieldFault *fault)
{
	const void *member = (const unsigned char *)message + field->offset;
	struct hdFieldText text;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	float f32;
	double f64;

	if (!field->range)
		return 0;
	switch (field->type) {
	case HD_FIELD_U8:
		return checkInteger(field, *(const uint8_t *)member, fault);
	case HD_FIELD_U16:
		memcpy(&u16, member, sizeof(u16));
		return checkInteger(field, u16, fault);
	case HD_FIELD_U32:
		memcpy(&u32, member, sizeof(u32));
		return checkInteger(field, u32, fault);
	case HD_FIELD_U64:
		memcpy(&u64, member, sizeof(u64));
		return checkUnsigned(field, u64, fault);
	case HD_FIELD_I32:
		memcpy(&u32, member, sizeof(u32));
		return checkInteger(field, (int32_t)u32, fault);
	case HD_FIELD_I64:
		memcpy(&u64, member, sizeof(u64));
		return checkInteger(field, (int64_t)u64, fault);
	case HD_FIELD_F32:
		memcpy(&f32, member, sizeof(f32));
		return checkDouble(field, (double)f32, fault);
	case HD_FIELD_F64:
		memcpy(&f64, member, sizeof(f64));
		return checkDouble(field, f64, fault);
	case HD_FIELD_TEXT:
		memcpy(&text, member, sizeof(text));
		return checkText(field, text.length, fault);
	default:
		return 0;
	}
}

/* ---- Fields ------------------------------------------------------------ */

static void fieldsPutNumber(unsigned char *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t fieldsGetNumber(const unsigned char *bytes, size_t size)
{
	uint64_t number = 0;

	for (size_t i = size; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

/* Bytes of a field that always has as many, or 0. */
static size_t fieldSize(enum hdFieldType type)
{
	static const size_t sizes[] = {
		[HD_FIELD_U8] = 1,       [HD_FIELD_U16] = 2,
		[HD_FIELD_U32] = 4,      [HD_FIELD_U64] = 8,
		[HD_FIELD_I32] = 4,      [HD_FIELD_I64] = 8,
		[HD_FIELD_F32] = 4,      [HD_FIELD_F64] = 8,
		[HD_FIELD_BYTES32] = 32, [HD_FIELD_REST] = 0,
	};

	return sizes[type];
}

/* Write a field; returns its size, or -ENOSPC. */
static int fieldPut(const struct hdField *field, const void *message,
		    unsigned char *bytes, size_t size,
		    struct hdFieldFault *fault)
{
	const unsigned char *member =
		(const unsigned char *)message + field->offset;
	size_t need = fieldSize(field->type);
	unsigned char clean[HD_FIELD_TEXT_MAX];
	struct hdFieldText text = { NULL, 0 };
	struct hdFieldRest rest = { NULL, 0 };
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	if (field->type == HD_FIELD_TEXT) {
		memcpy(&text, member, sizeof(text));
		text.length = textClean(text, clean);
		need = 2 + text.length;
		/* As it is sent: it may have been cut off. */
		if (field->range && checkText(field, text.length, fault) < 0)
			return -EBADMSG;
	} else if (field->type == HD_FIELD_REST) {
		memcpy(&rest, member, sizeof(rest));
		need = rest.length;
	}
	if (need > size || need > INT_MAX / 2)
		return -ENOSPC;
	switch (field->type) {
	case HD_FIELD_U8:
		*bytes = *member;
		break;
	case HD_FIELD_U16:
		memcpy(&u16, member, sizeof(u16));
		fieldsPutNumber(bytes, u16, sizeof(u16));
		break;
	case HD_FIELD_U32:
	case HD_FIELD_I32:
	case HD_FIELD_F32:
		memcpy(&u32, member, sizeof(u32));
		fieldsPutNumber(bytes, u32, sizeof(u32));
		break;
	case HD_FIELD_U64:
	case HD_FIELD_I64:
	case HD_FIELD_F64:
		memcpy(&u64, member, sizeof(u64));
		fieldsPutNumber(bytes, u64, sizeof(u64));
		break;
	case HD_FIELD_TEXT:
		fieldsPutNumber(bytes, text.length, 2);
		memcpy(bytes + 2, clean, text.length);
		break;
	case HD_FIELD_REST:
		/* The sender may have put it in its place already. */
		if (need > 0 && rest.at != bytes)
			memmove(bytes, rest.at, need);
		break;
	default:
		memcpy(bytes, member, need);
		break;
	}
	return (int)need;
}

int hdFieldsPut(const struct hdField *fields, const void *message,
		unsigned char *bytes, size_t size, struct hdFieldFault *fault)
{
	size_t used = 0;

	for (; fields->type != HD_FIELD_END; fields++) {
		int ret = fields->type == HD_FIELD_TEXT
				  ? 0
				  : fieldCheck(fields, message, fault);

		if (ret == 0)
			ret = fieldPut(fields, message, bytes + used,
				       size - used, fault);
		if (ret < 0)
			return ret;
		used += (size_t)ret;
	}
	return (int)used;
}

static int fieldGetText(const struct hdField *field, struct hdFieldRest *rest,
			struct hdFieldText *text, struct hdFieldFault *fault)
{
	size_t length;

	if (rest->length < 2)
		return fieldFault(fault, field, "is missing");
	length = fieldsGetNumber(rest->at, 2);
	if (rest->length - 2 < length)
		return fieldFault(fault, field, "is truncated");
	if (length > HD_FIELD_TEXT_MAX)
		return fieldFault(fault, field, "has %zu bytes, above %d",
				  length, HD_FIELD_TEXT_MAX);
	if (!textIsGood(rest->at + 2, length))
		return fieldFault(fault, field,
				  "contains an invalid character");
	*text = (struct hdFieldText){ (const char *)rest->at + 2, length };
	rest->at += 2 + length;
	rest->length -= 2 + length;
	return 0;
}

/* Read a field and go behind it. */
static int fieldGet(const struct hdField *field, struct hdFieldRest *rest,
		    void *message, struct hdFieldFault *fault)
{
	unsigned char *member = (unsigned char *)message + field->offset;
	size_t size = fieldSize(field->type);
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	if (field->type == HD_FIELD_TEXT)
		return fieldGetText(field, rest,
				    (struct hdFieldText *)(void *)member,
				    fault);
	if (size > rest->length)
		return fieldFault(fault, field, "is missing");
	switch (field->type) {
	case HD_FIELD_U8:
		*member = *rest->at;
		break;
	case HD_FIELD_U16:
		u16 = (uint16_t)fieldsGetNumber(rest->at, sizeof(u16));
		memcpy(member, &u16, sizeof(u16));
		break;
	case HD_FIELD_U32:
	case HD_FIELD_I32:
	case HD_FIELD_F32:
		u32 = (uint32_t)fieldsGetNumber(rest->at, sizeof(u32));
		memcpy(member, &u32, sizeof(u32));
		break;
	case HD_FIELD_U64:
	case HD_FIELD_I64:
	case HD_FIELD_F64:
		u64 = fieldsGetNumber(rest->at, sizeof(u64));
		memcpy(member, &u64, sizeof(u64));
		break;
	case HD_FIELD_REST:
		memcpy(member, rest, sizeof(*rest));
		size = rest->length;
		break;
	default:
		memcpy(member, rest->at, size);
		break;
	}
	rest->at += size;
	rest->length -= size;
	return 0;
}

int hdFieldsGet(const struct hdField *fields, struct hdFieldRest *rest,
		void *message, struct hdFieldFault *fault)
{
	int ret = 0;

	for (; ret == 0 && fields->type != HD_FIELD_END; fields++) {
		ret = fieldGet(fields, rest, message, fault);
		if (ret == 0)
			ret = fieldCheck(fields, message, fault);
	}
	return ret;
}

int hdFieldsCheck(const struct hdField *field, const unsigned char *array,
		  size_t count, struct hdFieldFault *fault)
{
	const struct hdField one = { field->type, 0, field->range,
				     field->name };
	struct hdFieldRest rest = { array, count * fieldSize(field->type) };
	uint64_t number;
	int ret = 0;

	while (ret == 0 && rest.length > 0) {
		ret = fieldGet(&one, &rest, &number, fault);
		if (ret == 0)
			ret = fieldCheck(&one, &number, fault);
	}
	return ret;
}

int hdFieldsCheckText(const struct hdField *field, const unsigned char *bytes,
		      size_t length, struct hdFieldFault *fault)
{
	int ret = checkText(field, length, fault);

	for (size_t i = 0; ret == 0 && i < length; i++)
		if (textControls(bytes + i, 1))
			ret = fieldFault(fault, field,
					 "contains the control character %d",
					 bytes[i]);
	return ret;
}
