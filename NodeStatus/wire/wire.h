/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The protocol between hdnode and who asks it; both sides use it.
 *
 * A connection begins as one of the power service does, and has its frames,
 * errors, proofs and pings (net/frames.h; doc/format/power-service.md, sections
 * 2 to 4), with HD_NODE_WIRE_MAGIC at the begin of both sides. A server sends
 * nothing but answers: a greeting for a hello, and one frame for each request,
 * in their order. All numbers are little-endian.
 *
 *     request 3, GET         u32 sections, u32 flags
 *     answer 259, STATE      u32 sections, i64 wall, i64 mono, and JSON
 *     request 4, CONFIGURE   u32 flags (0), and text
 *     answer 260, CONFIGURED u32 flags (0)
 *
 * Sections are bits of enum hdNodeWireSections. The JSON is one object in UTF-8
 * of HD_NODE_WIRE_STATE_MAX bytes at most, or HD_NODE_WIRE_ANSWER_MAX with
 * probes, whose objects and arrays lie in each other HD_NODE_WIRE_DEPTH_MAX
 * deep at most. It has HD_NODE_WIRE_STATE_VALUES values at most, or
 * HD_NODE_WIRE_ANSWER_VALUES with probes. Its members are
 *
 *     node                 what hdnode --name said, or null
 *     host                 what the host calls itself
 *     boot                 the kernel's boot_id, or null
 *     started              when hdnode began, seconds since 1970
 *     version              of HDTrace
 *
 * and one for each section that was asked for: capabilities, status, probes,
 * health, alarms, config; null where there is none. wall and mono are the
 * node's clocks when the answer was made, in nanoseconds. The flag
 * HD_NODE_WIRE_RESET lets the numbers of probes begin at zero once they are
 * read.
 *
 * The text of CONFIGURE is a file as of hdnode.conf(5), HD_NODE_WIRE_CONFIG_MAX
 * bytes at most. It is used as a whole or not at all: what is wrong comes back
 * as an error with code HD_FRAME_EUNKNOWN and what there was stays.
 */
#ifndef HD_NODE_WIRE_H
#define HD_NODE_WIRE_H

#include "net/authenticate.h"
#include "net/frames.h"

#define HD_NODE_WIRE_MAGIC "\x89HDN"
/** The version that is spoken here. */
#define HD_NODE_WIRE_VERSION 1
/** Where a node listens, if nobody says. */
#define HD_NODE_WIRE_PORT 6528
/** Longest payload of a request, longest text of an answer with probes and of
 * one without. */
#define HD_NODE_WIRE_REQUEST_MAX (HD_NODE_WIRE_CONFIG_MAX + 16)
#define HD_NODE_WIRE_CONFIG_MAX 65536
#define HD_NODE_WIRE_ANSWER_MAX ((size_t)4 << 20)
#define HD_NODE_WIRE_STATE_MAX ((size_t)256 << 10)
#define HD_NODE_WIRE_DEPTH_MAX 32
#define HD_NODE_WIRE_STATE_VALUES 16384
#define HD_NODE_WIRE_ANSWER_VALUES 65536

/** What proofs begin with, and what TLS exports to bind them. */
extern const struct hdAuthentication hdNodeWireAuthentication;

/** Types of frames, besides enum hdFrameType. */
enum hdNodeWireType {
	HD_NODE_WIRE_GET = 3,
	HD_NODE_WIRE_CONFIGURE = 4,
	HD_NODE_WIRE_STATE = 259,
	HD_NODE_WIRE_CONFIGURED = 260,
};

/** What a node says, in bits. */
enum hdNodeWireSections {
	HD_NODE_WIRE_CAPABILITIES = 1,
	HD_NODE_WIRE_STATUS = 2,
	HD_NODE_WIRE_PROBES = 4,
	HD_NODE_WIRE_HEALTH = 8,
	HD_NODE_WIRE_ALARMS = 16,
	HD_NODE_WIRE_CONFIG = 32,
	HD_NODE_WIRE_ALL = 63,
};
#define HD_NODE_WIRE_SECTIONS 6

/** Names of sections in JSON, from the lowest bit on. */
extern const char *const hdNodeWireSectionNames[HD_NODE_WIRE_SECTIONS];

/** Of the flags of HD_NODE_WIRE_GET: probes begin at zero. */
#define HD_NODE_WIRE_RESET 1U

/** HD_NODE_WIRE_GET */
struct hdNodeWireGet {
	uint32_t sections;
	uint32_t flags;
};

/** HD_NODE_WIRE_STATE */
struct hdNodeWireState {
	uint32_t sections;
	int64_t wall;
	int64_t mono;
	struct hdFieldRest json;
};

/** HD_NODE_WIRE_CONFIGURE */
struct hdNodeWireConfigure {
	uint32_t flags;
	struct hdFieldRest text;
};

/** HD_NODE_WIRE_CONFIGURED */
struct hdNodeWireConfigured {
	uint32_t flags;
};

/** Find the fields of a type of frame, or return NULL. */
const struct hdField *hdNodeWireFieldsOf(unsigned int type);

/**
 * Read a payload.
 *
 * @param[out] message The struct of this type; texts point into @p payload.
 *
 * @retval -EBADMSG It is too short or too long, or a field is out of its range.
 * @retval -ENOENT There is no such type.
 */
int hdNodeWireDecode(unsigned int type, const unsigned char *payload,
		     size_t length, void *message, struct hdFieldFault *fault);

/** Get how long the text of an answer may be that has these sections. */
size_t hdNodeWireMost(unsigned int sections);

/**
 * Look whether a JSON text may be parsed: its length, how deep its objects and
 * arrays lie in each other, and how many values it has. Whether it is JSON is
 * not looked at.
 *
 * @param most As of hdNodeWireMost().
 *
 * @return NULL, or what is wrong.
 */
const char *hdNodeWireLimits(const char *json, size_t length, size_t most);

#endif
