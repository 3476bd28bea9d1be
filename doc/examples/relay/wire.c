/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clients and servers send to each other. */
#include <errno.h>
#include <string.h>

#include "wire.h"

#define REQUEST_MAGIC "RLY1"
#define REPLY_MAGIC "RLYR"

static void put(char *to, uint64_t value, int bytes)
{
	for (int i = bytes; i-- > 0; value >>= 8)
		to[i] = (char)value;
}

static uint64_t get(const char *from, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)from[i];
	return value;
}

size_t wireEncode(const struct wireRequest *request, char *buffer)
{
	size_t name = strlen(request->name);
	size_t hints = hdR_encodeHints(
		request->hints, buffer + WIRE_HEAD + name, WIRE_HINTS_MAX);

	if (hints > WIRE_HINTS_MAX)
		hints = 0;
	memcpy(buffer, REQUEST_MAGIC, 4);
	put(buffer + 4, request->operation, 4);
	put(buffer + 8, name, 4);
	put(buffer + 12, hints, 4);
	put(buffer + 16, request->offset, 8);
	put(buffer + 24, request->size, 8);
	memcpy(buffer + WIRE_HEAD, request->name, name);
	return WIRE_HEAD + name + hints;
}

long wireLength(const char *bytes, size_t length)
{
	uint64_t operation, name, hints, size;

	if (length < WIRE_HEAD)
		return WIRE_HEAD;
	operation = get(bytes + 4, 4);
	name = get(bytes + 8, 4);
	hints = get(bytes + 12, 4);
	size = get(bytes + 24, 8);
	if (memcmp(bytes, REQUEST_MAGIC, 4) != 0 || operation < WIRE_CREATE ||
	    operation > WIRE_READ || name == 0 || name > WIRE_NAME_MAX ||
	    hints > WIRE_HINTS_MAX || size > WIRE_SIZE_MAX ||
	    get(bytes + 16, 8) > WIRE_SIZE_MAX)
		return -1;
	if (operation != WIRE_WRITE || !wireIsSmall(size))
		size = 0;
	return (long)(WIRE_HEAD + name + hints + size);
}

/* A name, or one in a directory; nothing that leads elsewhere. */
static int isName(const char *name)
{
	const char *slash = strchr(name, '/');

	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789-._/") != strlen(name) ||
	    *name == '.')
		return 0;
	return !slash || (slash != name && slash[1] && slash[1] != '.' &&
			  !strchr(slash + 1, '/'));
}

const char *wireDecode(struct wireRequest *request, const char *bytes)
{
	size_t name = get(bytes + 8, 4), hints = get(bytes + 12, 4);

	memset(request, 0, sizeof(*request));
	request->operation = (enum wireOperation)get(bytes + 4, 4);
	request->offset = get(bytes + 16, 8);
	request->size = get(bytes + 24, 8);
	memcpy(request->name, bytes + WIRE_HEAD, name);
	if (strlen(request->name) != name || !isName(request->name))
		return NULL;
	hdR_decodeHints(&request->hints, bytes + WIRE_HEAD + name, hints);
	return bytes + WIRE_HEAD + name + hints;
}

void wireEncodeReply(char *buffer, int error, uint64_t size)
{
	memcpy(buffer, REPLY_MAGIC, 4);
	put(buffer + 4, (uint64_t)error, 4);
	put(buffer + 8, size, 8);
}

int wireDecodeReply(const char *buffer, uint64_t *size)
{
	if (memcmp(buffer, REPLY_MAGIC, 4) != 0)
		return EPROTO;
	*size = get(buffer + 8, 8);
	return (int)get(buffer + 4, 4);
}
