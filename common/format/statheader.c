/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of a statistics file; see statheader.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/format/entry.h"
#include "common/format/escape.h"
#include "common/format/statheader.h"

/* Append strings up to NULL; 0 or -ENOMEM. */
static int headerAdd(struct hdText *text, const char *const *strings)
{
	int ret = 0;

	for (; *strings && ret == 0; strings++)
		ret = hdTextAdd(text, *strings);
	return ret;
}

#define HEADER_ADD(text, ...) \
	headerAdd(text, (const char *const[]){ __VA_ARGS__, NULL })

/* Append ` key="value"`. */
static int statHeaderAttribute(struct hdText *text, const char *key,
			       const char *value, size_t max)
{
	int ret = HEADER_ADD(text, " ", key, "=\"");
	size_t start = text->used;

	if (ret == 0)
		ret = hdEscape(text, value, strlen(value));
	if (ret == 0 && text->used - start > max)
		ret = -EOVERFLOW;
	return ret < 0 ? ret : hdTextAdd(text, "\"");
}

static int headerIndent(struct hdText *text, int level)
{
	int ret = 0;

	for (int i = 0; i < level && ret == 0; i++)
		ret = hdTextAdd(text, "  ");
	return ret;
}

static int headerNode(struct hdText *text, const char *const *labels, int depth)
{
	int ret = hdTextAdd(text, "<TopologyNode>\n");

	for (int i = 1; i <= depth && ret == 0; i++) {
		ret = headerIndent(text, i);
		if (ret == 0)
			ret = HEADER_ADD(text, "<Label value=\"", labels[i - 1],
					 i < depth ? "\">\n" : "\" />\n");
	}
	for (int i = depth - 1; i >= 1 && ret == 0; i--) {
		ret = headerIndent(text, i);
		if (ret == 0)
			ret = hdTextAdd(text, "</Label>\n");
	}
	return ret < 0 ? ret : hdTextAdd(text, "</TopologyNode>\n");
}

int hdStatHeaderBegin(struct hdStatHeader *header, const char *const *labels,
		      int depth, const char *group)
{
	struct hdText *text = &header->text;
	int ret = hdTextAdd(text, "00000\n<Statistics>\n");

	if (ret == 0)
		ret = headerNode(text, labels, depth);
	header->element = text->used;
	return ret < 0 ? ret
		       : HEADER_ADD(text, "<Group name=\"", group,
				    "\" timestampDatatype=\"EPOCH\""
				    " timeAdjustment=\"-0000000000.000000000"
				    "\"");
}

/* Close the element that is open, which is the group's or a value's. */
static int headerClose(struct hdStatHeader *header)
{
	bool isGroup = header->text.bytes[header->element] == '<';

	return hdTextAdd(&header->text, isGroup ? ">\n" : " />\n");
}

int hdStatHeaderAddValue(struct hdStatHeader *header, const char *name,
			 enum hdEntryType type, const char *unit,
			 const char *grouping)
{
	struct hdText *text = &header->text;
	size_t before = text->used;
	size_t element;
	int ret;

	ret = headerClose(header);
	element = text->used;
	if (ret == 0)
		ret = hdTextAdd(text, "  <Value");
	if (ret == 0)
		ret = statHeaderAttribute(text, "name", name, HD_STAT_TEXT_MAX);
	if (ret == 0)
		ret = statHeaderAttribute(text, "type", hdEntryTypes[type].name,
					  8);
	if (ret == 0 && unit)
		ret = statHeaderAttribute(text, "unit", unit, HD_STAT_TEXT_MAX);
	if (ret == 0 && grouping)
		ret = statHeaderAttribute(text, "grouping", grouping,
					  HD_STAT_TEXT_MAX);
	if (ret < 0) {
		text->used = before;
		return ret;
	}
	header->element = element;
	return 0;
}

/* Whether the open element has an attribute. Values hold no quote. */
static bool headerHas(const struct hdStatHeader *header, const char *key)
{
	const char *at = header->text.bytes + header->element;
	const char *end = header->text.bytes + header->text.used;
	size_t length = strlen(key);

	while ((at = memmem(at, (size_t)(end - at), key, length))) {
		if (at[-1] == ' ' && at + length + 1 < end &&
		    at[length] == '=' && at[length + 1] == '"')
			return true;
		at += length;
	}
	return false;
}

int hdStatHeaderAddAttribute(struct hdStatHeader *header, const char *key,
			     const char *value)
{
	static const char *const reserved[] = {
		"name",
		"type",
		"unit",
		"grouping",
		"timestampDatatype",
		"timeAdjustment",
		"clock",
		"clockBase",
		"clockStepped",
		"timeSource",
		"timeDrift",
		"timeError",
	};
	size_t before = header->text.used;
	int ret;

	if (!hdNameIsValid(key) || headerHas(header, key))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(key, reserved[i]) == 0)
			return -EINVAL;
	ret = statHeaderAttribute(&header->text, key, value,
				  HD_STAT_HEADER_MAX);
	if (ret < 0)
		header->text.used = before;
	return ret;
}

int hdStatHeaderEnd(struct hdStatHeader *header)
{
	struct hdText *text = &header->text;
	size_t before = text->used;
	char digits[24];
	size_t length;
	int ret = headerClose(header);

	if (ret == 0)
		ret = hdTextAdd(text, "</Group>\n</Statistics>\n");
	length = text->used - HD_STAT_LENGTH_SIZE;
	if (ret == 0 && length >= HD_STAT_HEADER_MAX)
		ret = -EOVERFLOW;
	if (ret < 0) {
		text->used = before;
		return ret;
	}
	snprintf(digits, sizeof(digits), "%05zu", length);
	memcpy(text->bytes, digits, 5);
	return 0;
}
