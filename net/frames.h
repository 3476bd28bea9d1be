/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How connections of our own protocols begin, what their frames begin with, and
 * the messages that all of them have: who is there, what time it is, and what
 * went wrong.
 *
 * doc/format/power-service.md has the bytes; a protocol has four bytes of its
 * own at the begin, and messages of its own. Nothing allocates: a message is
 * encoded into the caller's memory, and a decoded one points into the bytes
 * that were received.
 */
#ifndef HD_FRAMES_H
#define HD_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "net/fields.h"
#include "net/proof.h"

/** The first bytes of both sides, which tell what is spoken. */
#define HD_FRAME_MAGIC_SIZE 4
#define HD_FRAME_HELLO_SIZE 16
#define HD_FRAME_GREETING_SIZE 64
#define HD_FRAME_HEADER_SIZE 8
/** What a client and a server must at least take as payload. */
#define HD_FRAME_CLIENT_MIN 65536
#define HD_FRAME_SERVER_MIN 4096

/** Types of frames that all protocols have. */
enum hdFrameType {
	HD_FRAME_AUTHENTICATE = 1,
	HD_FRAME_PING = 2,
	HD_FRAME_AUTHENTICATED = 257,
	HD_FRAME_PONG = 258,
	HD_FRAME_ERROR = 271,
};

/** Codes of HD_FRAME_ERROR. */
enum hdFrameError {
	HD_FRAME_EMALFORMED = 1,
	HD_FRAME_EREQUEST = 2,
	HD_FRAME_EAUTHENTICATE = 3,
	HD_FRAME_EDENIED = 4,
	HD_FRAME_EUNKNOWN = 5,
	HD_FRAME_EFORBIDDEN = 6,
	HD_FRAME_ELIMIT = 7,
	HD_FRAME_ESTREAM = 8,
	HD_FRAME_ESTATE = 9,
	HD_FRAME_EMEMORY = 10,
	HD_FRAME_EEND = 11,
	HD_FRAME_ETIME = 12,
};

/** Of the flags of a greeting: this connection is encrypted. */
#define HD_FRAME_ENCRYPTED 1U

/** Begin of a connection. */
struct hdFrameHello {
	uint16_t lowest;
	uint16_t highest;
	uint32_t flags; /**< 0. */
	uint32_t payloadMax;
};

/** The server's answer to it. */
struct hdFrameGreeting {
	uint16_t version; /**< 0: none that both speak. */
	uint16_t mustAuthenticate;
	uint32_t flags;
	uint32_t payloadMax;
	int64_t wall;
	int64_t mono;
	unsigned char nonce[HD_NONCE_SIZE];
};

/** What each frame begins with. */
struct hdFrameHeader {
	uint32_t length;
	uint16_t type;
	uint16_t tag;
};

/** HD_FRAME_AUTHENTICATE */
struct hdFrameAuthenticate {
	struct hdFieldText user;
	unsigned char nonce[HD_NONCE_SIZE];
	unsigned char proof[HD_PROOF_SIZE];
};

/** HD_FRAME_AUTHENTICATED */
struct hdFrameAuthenticated {
	struct hdFieldText user;
	unsigned char proof[HD_PROOF_SIZE];
};

/** HD_FRAME_PING */
struct hdFramePing {
	uint64_t content; /**< Whatever the client wants. */
};

/** HD_FRAME_PONG */
struct hdFramePong {
	uint64_t content;
	int64_t wall;
	int64_t mono;
};

/** HD_FRAME_ERROR */
struct hdFrameFailure {
	uint16_t code;
	struct hdFieldText text;
};

/** Write a hello of a protocol. */
void hdFrameEncodeHello(const char *magic, const struct hdFrameHello *hello,
			unsigned char bytes[HD_FRAME_HELLO_SIZE]);

/**
 * Read a hello of a protocol.
 *
 * @param[out] fault What is wrong with it; takes NULL, as all of these.
 *
 * @retval -EBADMSG It is none.
 */
int hdFrameDecodeHello(const char *magic,
		       const unsigned char bytes[HD_FRAME_HELLO_SIZE],
		       struct hdFrameHello *hello, struct hdFieldFault *fault);

/** Write a greeting of a protocol. */
void hdFrameEncodeGreeting(const char *magic,
			   const struct hdFrameGreeting *greeting,
			   unsigned char bytes[HD_FRAME_GREETING_SIZE]);

/** Read a greeting of a protocol; as hdFrameDecodeHello(). */
int hdFrameDecodeGreeting(const char *magic,
			  const unsigned char bytes[HD_FRAME_GREETING_SIZE],
			  struct hdFrameGreeting *greeting,
			  struct hdFieldFault *fault);

/** Write the header of a frame. */
void hdFrameEncodeHeader(const struct hdFrameHeader *header,
			 unsigned char bytes[HD_FRAME_HEADER_SIZE]);

/** Read the header of a frame; any bytes are one. */
void hdFrameDecodeHeader(const unsigned char bytes[HD_FRAME_HEADER_SIZE],
			 struct hdFrameHeader *header);

/**
 * Write a frame. Texts that are too long are cut off, and what must not be in
 * them becomes a question mark.
 *
 * @param fields Of the message; NULL: there is no such type.
 * @param[out] fault Why it cannot be sent, if that is for what is in it; else
 *        empty. Takes NULL.
 *
 * @return Its size with the header; 0 if it does not fit, there is no such
 *         type, or a field is out of its range.
 */
size_t hdFrameEncode(const struct hdField *fields, unsigned int type,
		     uint16_t tag, const void *message, unsigned char *bytes,
		     size_t size, struct hdFieldFault *fault);

extern const struct hdField hdFrameHelloFields[];
extern const struct hdField hdFrameGreetingFields[];
extern const struct hdField hdFrameHeaderFields[];

/** Find the fields of a type that all protocols have, or return NULL. */
const struct hdField *hdFrameFieldsOf(unsigned int type);

#endif
