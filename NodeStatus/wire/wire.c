/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The protocol of hdnode; see wire.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "NodeStatus/wire/wire.h"

const struct hdAuthentication hdNodeWireAuthentication = {
	.protocol = "HDND 1",
	.exporter = "EXPORTER-HDTrace-Node-Status",
};

const char *const hdNodeWireSectionNames[HD_NODE_WIRE_SECTIONS] = {
	"capabilities", "status", "probes", "health", "alarms", "config",
};

#define RANGED(kind, message, member, range) \
	HD_FIELD_OF(kind, struct hdNodeWire##message, message, member, range)
#define FIELD(kind, message, member) RANGED(kind, message, member, NULL)

static const struct hdFieldRange sectionsRange = { .max = HD_NODE_WIRE_ALL };

static const struct hdField get[] = {
	RANGED(U32, Get, sections, &sectionsRange),
	RANGED(U32, Get, flags, &hdFieldYes),
	HD_FIELDS_END,
};

static const struct hdField state[] = {
	RANGED(U32, State, sections, &sectionsRange),
	RANGED(I64, State, wall, &hdFieldWall),
	RANGED(I64, State, mono, &hdFieldMono),
	FIELD(REST, State, json),
	HD_FIELDS_END,
};

static const struct hdField configure[] = {
	RANGED(U32, Configure, flags, &hdFieldYes),
	FIELD(REST, Configure, text),
	HD_FIELDS_END,
};

static const struct hdField configured[] = {
	RANGED(U32, Configured, flags, &hdFieldYes),
	HD_FIELDS_END,
};

const struct hdField *hdNodeWireFieldsOf(unsigned int type)
{
	switch (type) {
	case HD_NODE_WIRE_GET:
		return get;
	case HD_NODE_WIRE_STATE:
		return state;
	case HD_NODE_WIRE_CONFIGURE:
		return configure;
	case HD_NODE_WIRE_CONFIGURED:
		return configured;
	default:
		return hdFrameFieldsOf(type);
	}
}

int hdNodeWireDecode(unsigned int type, const unsigned char *payload,
		     size_t length, void *message, struct hdFieldFault *fault)
{
	const struct hdField *fields = hdNodeWireFieldsOf(type);
	struct hdFieldRest rest = { payload, length };
	int ret;

	if (!fields)
		return -ENOENT;
	ret = hdFieldsGet(fields, &rest, message, fault);
	if (ret < 0 || rest.length == 0)
		return ret;
	if (fault)
		snprintf(fault->text, sizeof(fault->text),
			 "%lu bytes exceed the size limit",
			 (unsigned long)rest.length);
	return -EBADMSG;
}

size_t hdNodeWireMost(unsigned int sections)
{
	return sections & HD_NODE_WIRE_PROBES ? HD_NODE_WIRE_ANSWER_MAX
					      : HD_NODE_WIRE_STATE_MAX;
}

static size_t wireValues(size_t most)
{
	return most > HD_NODE_WIRE_STATE_MAX ? HD_NODE_WIRE_ANSWER_VALUES
					     : HD_NODE_WIRE_STATE_VALUES;
}

const char *hdNodeWireLimits(const char *json, size_t length, size_t most)
{
	size_t values = 1;
	bool isText = false;
	int depth = 0;

	if (length > most)
		return "reply exceeds the size limit";
	for (size_t i = 0; i < length; i++) {
		char c = json[i];

		if (isText && c == '\\') {
			i++;
		} else if (c == '"') {
			isText = !isText;
		} else if (!isText && (c == '{' || c == '[')) {
			depth++;
			values++;
		} else if (!isText && (c == '}' || c == ']')) {
			depth--;
		} else if (!isText && c == ',') {
			values++;
		}
		if (depth > HD_NODE_WIRE_DEPTH_MAX)
			return "JSON is nested too deeply";
	}
	return values > wireValues(most) ? "JSON has too many values" : NULL;
}
