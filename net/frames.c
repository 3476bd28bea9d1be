/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What our own protocols have in common, in bytes; see frames.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "net/frames.h"

#define RANGED(kind, message, member, range) \
	HD_FIELD_OF(kind, struct hdFrame##message, message, member, range)
/* Any bits, and any text. */
#define FIELD(kind, message, member) RANGED(kind, message, member, NULL)

static const struct hdFieldRange serverMaxRange = { .min = HD_FRAME_SERVER_MIN,
						    .max = UINT32_MAX };

const struct hdField hdFrameHelloFields[] = {
	FIELD(U16, Hello, lowest),
	FIELD(U16, Hello, highest),
	FIELD(U32, Hello, flags),
	FIELD(U32, Hello, payloadMax),
	HD_FIELDS_END,
};

const struct hdField hdFrameGreetingFields[] = {
	FIELD(U16, Greeting, version),
	RANGED(U16, Greeting, mustAuthenticate, &hdFieldYes),
	FIELD(U32, Greeting, flags),
	RANGED(U32, Greeting, payloadMax, &serverMaxRange),
	RANGED(I64, Greeting, wall, &hdFieldWall),
	RANGED(I64, Greeting, mono, &hdFieldMono),
	FIELD(BYTES32, Greeting, nonce),
	HD_FIELDS_END,
};

const struct hdField hdFrameHeaderFields[] = {
	FIELD(U32, Header, length),
	FIELD(U16, Header, type),
	FIELD(U16, Header, tag),
	HD_FIELDS_END,
};

static const struct hdField authenticate[] = {
	FIELD(TEXT, Authenticate, user),
	FIELD(BYTES32, Authenticate, nonce),
	FIELD(BYTES32, Authenticate, proof),
	HD_FIELDS_END,
};

static const struct hdField authenticated[] = {
	FIELD(TEXT, Authenticated, user),
	FIELD(BYTES32, Authenticated, proof),
	HD_FIELDS_END,
};

static const struct hdField ping[] = {
	FIELD(U64, Ping, content),
	HD_FIELDS_END,
};

static const struct hdField pong[] = {
	FIELD(U64, Pong, content),
	RANGED(I64, Pong, wall, &hdFieldWall),
	RANGED(I64, Pong, mono, &hdFieldMono),
	HD_FIELDS_END,
};

static const struct hdField failure[] = {
	FIELD(U16, Failure, code),
	FIELD(TEXT, Failure, text),
	HD_FIELDS_END,
};

const struct hdField *hdFrameFieldsOf(unsigned int type)
{
	switch (type) {
	case HD_FRAME_AUTHENTICATE:
		return authenticate;
	case HD_FRAME_AUTHENTICATED:
		return authenticated;
	case HD_FRAME_PING:
		return ping;
	case HD_FRAME_PONG:
		return pong;
	case HD_FRAME_ERROR:
		return failure;
	default:
		return NULL;
	}
}

/* ---- The begin --------------------------------------------------------- */

static bool isMagic(const char *magic, const unsigned char *bytes,
		    struct hdFieldFault *fault)
{
	if (memcmp(bytes, magic, HD_FRAME_MAGIC_SIZE) == 0)
		return true;
	if (fault)
		snprintf(fault->text, sizeof(fault->text), "unknown protocol");
	return false;
}

/* Write the magic, and fields behind it. */
static void encode(const char *magic, const struct hdField *fields,
		   const void *message, unsigned char *bytes, size_t size)
{
	memcpy(bytes, magic, HD_FRAME_MAGIC_SIZE);
	hdFieldsPut(fields, message, bytes + HD_FRAME_MAGIC_SIZE,
		    size - HD_FRAME_MAGIC_SIZE, NULL);
}

/* Read them. */
static int decode(const char *magic, const struct hdField *fields,
		  const unsigned char *bytes, size_t size, void *message,
		  struct hdFieldFault *fault)
{
	struct hdFieldRest rest = { bytes + HD_FRAME_MAGIC_SIZE,
				    size - HD_FRAME_MAGIC_SIZE };

	if (!isMagic(magic, bytes, fault))
		return -EBADMSG;
	return hdFieldsGet(fields, &rest, message, fault);
}

void hdFrameEncodeHello(const char *magic, const struct hdFrameHello *hello,
			unsigned char bytes[HD_FRAME_HELLO_SIZE])
{
	encode(magic, hdFrameHelloFields, hello, bytes, HD_FRAME_HELLO_SIZE);
}

int hdFrameDecodeHello(const char *magic,
		       const unsigned char bytes[HD_FRAME_HELLO_SIZE],
		       struct hdFrameHello *hello, struct hdFieldFault *fault)
{
	return decode(magic, hdFrameHelloFields, bytes, HD_FRAME_HELLO_SIZE,
		      hello, fault);
}

void hdFrameEncodeGreeting(const char *magic,
			   const struct hdFrameGreeting *greeting,
			   unsigned char bytes[HD_FRAME_GREETING_SIZE])
{
	encode(magic, hdFrameGreetingFields, greeting, bytes,
	       HD_FRAME_GREETING_SIZE);
}

int hdFrameDecodeGreeting(const char *magic,
			  const unsigned char bytes[HD_FRAME_GREETING_SIZE],
			  struct hdFrameGreeting *greeting,
			  struct hdFieldFault *fault)
{
	return decode(magic, hdFrameGreetingFields, bytes,
		      HD_FRAME_GREETING_SIZE, greeting, fault);
}

/* ---- Frames ------------------------------------------------------------ */

void hdFrameEncodeHeader(const struct hdFrameHeader *header,
			 unsigned char bytes[HD_FRAME_HEADER_SIZE])
{
	hdFieldsPut(hdFrameHeaderFields, header, bytes, HD_FRAME_HEADER_SIZE,
		    NULL);
}

void hdFrameDecodeHeader(const unsigned char bytes[HD_FRAME_HEADER_SIZE],
			 struct hdFrameHeader *header)
{
	struct hdFieldRest rest = { bytes, HD_FRAME_HEADER_SIZE };

	hdFieldsGet(hdFrameHeaderFields, &rest, header, NULL);
}

size_t hdFrameEncode(const struct hdField *fields, unsigned int type,
		     uint16_t tag, const void *message, unsigned char *bytes,
		     size_t size, struct hdFieldFault *fault)
{
	struct hdFrameHeader header = { .type = (uint16_t)type, .tag = tag };
	int ret;

	if (fault)
		*fault->text = '\0';
	if (!fields || size < HD_FRAME_HEADER_SIZE)
		return 0;
	ret = hdFieldsPut(fields, message, bytes + HD_FRAME_HEADER_SIZE,
			  size - HD_FRAME_HEADER_SIZE, fault);
	if (ret < 0)
		return 0;
	header.length = (uint32_t)ret;
	hdFrameEncodeHeader(&header, bytes);
	return HD_FRAME_HEADER_SIZE + (size_t)ret;
}
