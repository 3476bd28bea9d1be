/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a power service has; see remotelist.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/client/remotelist.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

/* Nobody has more than this, of all together. */
#define LIST_MAX 1000000

/* Make room for one more, all zero. */
#define listAdd(list, count)                                         \
	((list) = g_realloc_n((list), (count) + 1, sizeof(*(list))), \
	 memset(&(list)[count], 0, sizeof(*(list))), &(list)[(count)++])

static int addDevice(struct ptRemote *remote, struct ptListed *listed,
		     const struct ptWireDevice *from)
{
	struct ptListedDevice *device;

	if (from->device != listed->count)
		return -EPROTO;
	device = listAdd(listed->devices, listed->count);
	device->name = ptRemoteText(from->name);
	device->driver = ptRemoteText(from->driver);
	device->description = ptRemoteText(from->description);
	device->intervalNs = from->intervalNs;
	device->isTimedByMeter = from->timedByMeter != 0;
	device->isUp = from->isUp != 0;
	device->readings = from->readings;
	device->lost = from->lost;
	device->errors = from->errors;
	device->reconnects = from->reconnects;
	device->late = from->late;
	if (from->lastWall > 0)
		device->lastNs = from->lastWall +
				 ptRemoteClockOffset(ptRemoteGetClock(remote));
	return 0;
}

static int remoteListAddLine(struct ptListed *listed,
			     const struct ptWireLine *from)
{
	struct ptListedDevice *device;
	struct ptListedLine *line;

	if (from->device + 1U != listed->count)
		return -EPROTO;
	device = &listed->devices[from->device];
	line = listAdd(device->lines, device->lineCount);
	line->number = from->line;
	line->name = ptRemoteText(from->name);
	line->node = ptRemoteText(from->node);
	line->channel = ptRemoteText(from->channel);
	line->description = ptRemoteText(from->description);
	line->voltage = from->voltage;
	line->isSummed = from->flags & PT_WIRE_SUMMED;
	return 0;
}

static int remoteListAddValue(struct ptListed *listed,
			      const struct ptWireValue *from)
{
	struct ptListedDevice *device;
	struct ptListedLine *line;
	struct ptListedValue *value;

	if (from->device + 1U != listed->count)
		return -EPROTO;
	device = &listed->devices[from->device];
	if (device->lineCount == 0)
		return -EPROTO;
	line = &device->lines[device->lineCount - 1];
	if (from->line != line->number)
		return -EPROTO;
	value = listAdd(line->values, line->valueCount);
	value->name = ptRemoteText(from->name);
	value->unit = ptRemoteText(from->unit);
	value->grouping = ptRemoteText(from->grouping);
	value->source = ptRemoteText(from->source);
	value->resolution = ptRemoteText(from->resolution);
	value->kind = (enum ptWireKind)from->kind;
	value->isSimulated = from->flags & PT_WIRE_SIMULATED;
	return 0;
}

/* Take one of the frames; 1 is the last. */
static int listTake(struct ptRemote *remote, struct ptListed *listed,
		    uint16_t tag)
{
	union ptWireAnswer message;
	unsigned int type;
	int ret = ptRemoteAnswer(remote, tag, 0, &message, &type);

	if (ret < 0)
		return ret;
	switch (type) {
	case PT_WIRE_DEVICE:
		ret = addDevice(remote, listed, &message.device);
		break;
	case PT_WIRE_LINE:
		ret = remoteListAddLine(listed, &message.line);
		break;
	case PT_WIRE_VALUE:
		ret = remoteListAddValue(listed, &message.value);
		break;
	case PT_WIRE_LIST_END:
		return 1;
	default:
		ret = -EPROTO;
		break;
	}
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "%s: invalid order of the list",
			  ptRemoteName(remote));
	return ret;
}

int ptRemoteList(struct ptRemote *remote, struct ptListed **result)
{
	struct ptListed *listed = g_new0(struct ptListed, 1);
	uint16_t tag;
	int ret = ptRemoteSend(remote, PT_WIRE_LIST, NULL, &tag);

	for (int i = 0; ret == 0; i++)
		ret = i < LIST_MAX ? listTake(remote, listed, tag) : -EPROTO;
	if (ret < 0) {
		ptListedFree(listed);
		return ret;
	}
	*result = listed;
	return 0;
}

static void lineClear(struct ptListedLine *line)
{
	for (size_t i = 0; i < line->valueCount; i++) {
		g_free(line->values[i].name);
		g_free(line->values[i].unit);
		g_free(line->values[i].grouping);
		g_free(line->values[i].source);
		g_free(line->values[i].resolution);
	}
	g_free(line->values);
	g_free(line->name);
	g_free(line->node);
	g_free(line->channel);
	g_free(line->description);
}

void ptListedFree(struct ptListed *listed)
{
	for (size_t i = 0; listed && i < listed->count; i++) {
		struct ptListedDevice *device = &listed->devices[i];

		for (size_t k = 0; k < device->lineCount; k++)
			lineClear(&device->lines[k]);
		g_free(device->lines);
		g_free(device->name);
		g_free(device->driver);
		g_free(device->description);
	}
	if (listed)
		g_free(listed->devices);
	g_free(listed);
}

/* ---- Names ------------------------------------------------------------- */

/* Call for each line, until one says true. */
static bool eachLine(const struct ptListed *listed,
		     bool (*call)(const struct ptListedLine *, void *),
		     void *data)
{
	for (size_t i = 0; i < listed->count; i++)
		for (size_t k = 0; k < listed->devices[i].lineCount; k++)
			if (call(&listed->devices[i].lines[k], data))
				return true;
	return false;
}

/* A node, a value of it, and a list of names. */
struct search {
	const char *node, *value;
	GString *names;
};

static bool isOfNode(const struct ptListedLine *line, void *data)
{
	const struct search *search = data;

	return strcmp(line->node, search->node) == 0;
}

static bool hasValue(const struct ptListedLine *line, void *data)
{
	const struct search *search = data;

	if (!isOfNode(line, data))
		return false;
	for (size_t i = 0; i < line->valueCount; i++)
		if (strcmp(line->values[i].name, search->value) == 0)
			return true;
	return false;
}

/* Add a name to a list if it is not there. */
static void remoteListAddName(GString *names, const char *name)
{
	size_t length = strlen(name);
	const char *at = names->str;

	while ((at = strstr(at, name)) != NULL) {
		if ((at == names->str || at[-1] == ' ') &&
		    (at[length] == ',' || at[length] == '\0'))
			return;
		at += length;
	}
	g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
}

static bool remoteListAddNode(const struct ptListedLine *line, void *data)
{
	struct search *search = data;

	remoteListAddName(search->names, line->node);
	return false;
}

static bool addValues(const struct ptListedLine *line, void *data)
{
	struct search *search = data;

	for (size_t i = 0; isOfNode(line, data) && i < line->valueCount; i++)
		remoteListAddName(search->names, line->values[i].name);
	return false;
}

bool ptListedHasNode(const struct ptListed *listed, const char *node)
{
	struct search search = { .node = node };

	return eachLine(listed, isOfNode, &search);
}

bool ptListedHasValue(const struct ptListed *listed, const char *node,
		      const char *value)
{
	struct search search = { .node = node, .value = value };

	return eachLine(listed, hasValue, &search);
}

char *ptListedNodes(const struct ptListed *listed)
{
	struct search search = { .names = g_string_new(NULL) };

	eachLine(listed, remoteListAddNode, &search);
	return g_string_free(search.names, FALSE);
}

char *ptListedValues(const struct ptListed *listed, const char *node)
{
	struct search search = { .node = node, .names = g_string_new(NULL) };

	eachLine(listed, addValues, &search);
	return g_string_free(search.names, FALSE);
}
