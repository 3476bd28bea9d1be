/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The packets of a Watts up? meter.
 *
 * `#C,S,N,ARG,...;` with N arguments, none of which is empty. What is outside
 * of packets does not count. (Serial Data Format 4.41, Electronic Educational
 * Devices, section I.)
 */
#ifndef PT_PACKET_H
#define PT_PACKET_H

#include "PowerTracingLibrary/src/meter/frames.h"

/** Longest packet. */
#define PT_PACKET_MAX 512
/** Most arguments that are looked at. */
#define PT_PACKET_ARGUMENTS 32

/** Packets whose first letter is that of the format, a char. */
extern const struct ptFraming ptPacketFraming;

/** The arguments of a packet. */
struct ptPacket {
	char text[PT_PACKET_MAX];
	size_t count;
	const char *arguments[PT_PACKET_ARGUMENTS];
};

/** Take a frame apart. */
void ptPacketParse(const struct ptFrame *frame, struct ptPacket *packet);

#endif
