/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of messages, written and read; see fields.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "net/fields.h"

/* ---- Texts ------------------------------------------------------------- */

/* Bytes of the UTF-8 character (RFC 3629) at the begin of a text; 0 if it is
 * none, or one that must not be there. */
static size_t textCharacter(const unsigned char *at, size_t length)
{
	size_t size = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	unsigned char low = 0x80, high = 0xbf;

	if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) ||
	    *at > 0xf4 || size > length)
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
	return size;
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

/* ---- Fields ------------------------------------------------------------ */

static void putNumber(unsigned char *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t getNumber(const unsigned char *bytes, size_t size)
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
		[HD_FIELD_BYTES32] = 32, [HD_FIELD_REST] = 0,
	};

	return sizes[type];
}

/* Write a field; returns its size, or -ENOSPC. */
static int fieldPut(const struct hdField *field, const void *message,
		    unsigned char *bytes, size_t size)
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
		putNumber(bytes, u16, sizeof(u16));
		break;
	case HD_FIELD_U32:
		memcpy(&u32, member, sizeof(u32));
		putNumber(bytes, u32, sizeof(u32));
		break;
	case HD_FIELD_U64:
		memcpy(&u64, member, sizeof(u64));
		putNumber(bytes, u64, sizeof(u64));
		break;
	case HD_FIELD_TEXT:
		putNumber(bytes, text.length, 2);
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
		unsigned char *bytes, size_t size)
{
	size_t used = 0;

	for (; fields->type != HD_FIELD_END; fields++) {
		int ret = fieldPut(fields, message, bytes + used, size - used);

		if (ret < 0)
			return ret;
		used += (size_t)ret;
	}
	return (int)used;
}

static int fieldGetText(struct hdFieldRest *rest, struct hdFieldText *text)
{
	size_t length;

	if (rest->length < 2)
		return -EBADMSG;
	length = getNumber(rest->at, 2);
	if (length > HD_FIELD_TEXT_MAX || rest->length - 2 < length ||
	    !textIsGood(rest->at + 2, length))
		return -EBADMSG;
	*text = (struct hdFieldText){ (const char *)rest->at + 2, length };
	rest->at += 2 + length;
	rest->length -= 2 + length;
	return 0;
}

/* Read a field and go behind it. */
static int fieldGet(const struct hdField *field, struct hdFieldRest *rest,
		    void *message)
{
	unsigned char *member = (unsigned char *)message + field->offset;
	size_t size = fieldSize(field->type);
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	if (field->type == HD_FIELD_TEXT)
		return fieldGetText(rest, (struct hdFieldText *)(void *)member);
	if (size > rest->length)
		return -EBADMSG;
	switch (field->type) {
	case HD_FIELD_U8:
		*member = *rest->at;
		break;
	case HD_FIELD_U16:
		u16 = (uint16_t)getNumber(rest->at, sizeof(u16));
		memcpy(member, &u16, sizeof(u16));
		break;
	case HD_FIELD_U32:
		u32 = (uint32_t)getNumber(rest->at, sizeof(u32));
		memcpy(member, &u32, sizeof(u32));
		break;
	case HD_FIELD_U64:
		u64 = getNumber(rest->at, sizeof(u64));
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
		void *message)
{
	int ret = 0;

	for (; ret == 0 && fields->type != HD_FIELD_END; fields++)
		ret = fieldGet(fields, rest, message);
	return ret;
}
