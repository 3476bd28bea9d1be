/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a Watts up? meter; see packet.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/serial/packet.h"

/* Command, subcommand and the number of arguments go before these. */
#define HEAD 3

static bool isBetween(uint8_t byte)
{
	return byte == '\r' || byte == '\n' || byte == '\0' || byte == ' ';
}

/* Tell whether a whole packet has what it says. */
static bool packetIsWhole(const uint8_t *bytes, size_t length, const char **why)
{
	size_t commas = 0, wanted = 0, digits = 0;

	/* Without '#' and ';'. */
	for (size_t i = 1; i < length - 1; i++) {
		bool isComma = bytes[i] == ',';

		*why = "empty argument";
		if (isComma && (bytes[i - 1] == ',' || bytes[i - 1] == '#' ||
				bytes[i + 1] == ';'))
			return false;
		*why = "missing number of arguments";
		if (!isComma && commas == HEAD - 1) {
			if (bytes[i] < '0' || bytes[i] > '9' || digits > 2)
				return false;
			wanted = 10 * wanted + bytes[i] - '0';
			digits++;
		}
		commas += isComma;
	}
	if (digits == 0)
		return false;
	*why = "wrong number of arguments";
	return commas == wanted + HEAD - 1;
}

static int packetFind(const void *format, const uint8_t *bytes, size_t size,
		      size_t *length, const char **why)
{
	size_t end = 1;

	if (bytes[0] != '#') {
		while (end < size && bytes[end] != '#' &&
		       isBetween(bytes[end]) == isBetween(bytes[0]))
			end++;
		*length = end;
		*why = "data outside of packets";
		return isBetween(bytes[0]) ? -EAGAIN : -EPROTO;
	}
	while (end < size && end < PT_PACKET_MAX && bytes[end] != ';' &&
	       bytes[end] >= ' ' && bytes[end] < 0x7f && bytes[end] != '#')
		end++;
	*length = end;
	*why = "a packet has no end";
	if (end == PT_PACKET_MAX)
		return -EPROTO;
	if (end == size)
		return 0;
	if (bytes[end] != ';')
		return -EPROTO;
	*length = end + 1;
	if (!packetIsWhole(bytes, *length, why))
		return -EPROTO;
	return bytes[1] == *(const char *)format ? 1 : -EAGAIN;
}

const struct ptFraming ptPacketFraming = {
	.find = packetFind,
	.frameMax = PT_PACKET_MAX,
};

void ptPacketParse(const struct ptFrame *frame, struct ptPacket *packet)
{
	char *at = packet->text;
	size_t place = 0;

	memcpy(at, frame->bytes, frame->length);
	at[frame->length - 1] = '\0';
	packet->count = 0;
	while ((at = strchr(at, ',')) != NULL) {
		*at++ = '\0';
		if (++place >= HEAD && packet->count < PT_PACKET_ARGUMENTS)
			packet->arguments[packet->count++] = at;
	}
}
