/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Attributes of records that are numbers.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/mpi/messages.h"

/** Get an integer, and all of a text. g_ascii_string_to_signed() fails now and
 *  then if two threads call it for the first time: it takes the errno of
 * waiting for the locale that it makes for its own. */
bool messagesReadNumber(const char *text, int64_t *number)
{
	bool isNegative = *text == '-';
	const char *digit = text + (isNegative || *text == '+');
	int64_t value = 0;

	if (!*digit)
		return false;
	for (; *digit; digit++) {
		int next = *digit - '0';

		if (!g_ascii_isdigit(*digit) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, isNegative ? -next : next,
					   &value))
			return false;
	}
	if (number)
		*number = value;
	return true;
}

bool messagesNumber(const hdIAttribute *attributes, size_t count,
		    const char *name, int64_t *number)
{
	for (size_t i = 0; i < count; i++) {
		if (attributes[i].name[0] == name[0] &&
		    strcmp(attributes[i].name, name) == 0)
			return messagesReadNumber(attributes[i].value, number);
	}
	return false;
}

bool messagesEpoch(const hdIRecord *record, int64_t *epoch)
{
	return record->kind == HDI_STATE &&
	       messagesNumber(record->attributes, record->attributeCount,
			      "part", epoch);
}

/** Names of enum messageField. */
static const char *const fieldNames[MESSAGE_FIELDS] = {
	[MESSAGE_CID] = "cid",
	[MESSAGE_RID] = "rid",
	[MESSAGE_PART] = "part",
	[MESSAGE_SIZE] = "size",
	[MESSAGE_RECV_SIZE] = "recvSize",
	[MESSAGE_TO_RANK] = "toRank",
	[MESSAGE_TO_TAG] = "toTag",
	[MESSAGE_FROM_RANK] = "fromRank",
	[MESSAGE_FROM_TAG] = "fromTag",
	[MESSAGE_ROOT_RANK] = "rootRank",
	[MESSAGE_ROOT] = "root",
	[MESSAGE_FLAG] = "flag",
	[MESSAGE_COMPLETED] = "completed",
	[MESSAGE_TEAM] = "team",
	[MESSAGE_THREAD] = "thread",
	[MESSAGE_THREADS] = "threads",
	[MESSAGE_BARRIER] = "barrier",
	[MESSAGE_TASK] = "task",
	[MESSAGE_ACTIVITY] = "activity",
	[MESSAGE_AWAITS] = "awaits",
	[MESSAGE_FOLLOWS] = "follows",
	[MESSAGE_WID] = "wid",
	[MESSAGE_FID] = "fid",
};

bool messagesIsOfGraph(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++) {
		const char *name = record->attributes[i].name;

		if ((name[0] == 'a' || name[0] == 'f') &&
		    (strcmp(name, fieldNames[MESSAGE_ACTIVITY]) == 0 ||
		     strcmp(name, fieldNames[MESSAGE_AWAITS]) == 0 ||
		     strcmp(name, fieldNames[MESSAGE_FOLLOWS]) == 0))
			return true;
	}
	return false;
}

static void addField(struct messageFields *fields,
		     const hdIAttribute *attribute)
{
	const char *name = attribute->name;

	for (int i = 0; i < MESSAGE_FIELDS; i++) {
		if (fieldNames[i][0] != name[0] ||
		    strcmp(fieldNames[i], name) != 0)
			continue;
		if (messagesReadNumber(attribute->value, &fields->values[i]))
			fields->has |= 1U << i;
		return;
	}
}

void messagesReadFields(struct messageFields *fields,
			const hdIAttribute *attributes, size_t count)
{
	fields->has = 0;
	for (size_t i = 0; i < count; i++)
		addField(fields, &attributes[i]);
}
