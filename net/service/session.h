/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A client that speaks one of our protocols (net/frames.h): its hello, who it
 * is, its requests one by one, and how often it may ask.
 *
 * A service says by struct hdProtocol what is its own; sizes are checked before
 * a payload is looked at, and a client that must say who it is gets nothing
 * else before.
 */
#ifndef HD_SESSION_H
#define HD_SESSION_H

#include "net/authenticate.h"
#include "net/connection.h"
#include "net/service/rate.h"

/** Room for the struct of any request. */
#define HD_SESSION_REQUEST_MAX 1024

struct hdSession;

/** What is a protocol's own. */
struct hdProtocol {
	const char *magic;
	uint16_t version;
	uint32_t requestMax; /**< Longest payload of a request. */
	uint32_t clientMin;  /**< What a client must accept as payload. */
	size_t frameMax;     /**< Longest frame of hdSessionSend(). */
	size_t userMax;      /**< Longest name of a user. */
	struct hdRateLimit rate;
	const struct hdAuthentication *authentication;
	/** Wall clock of greetings and pongs. */
	int64_t (*wall)(void);
	size_t (*encode)(unsigned int type, uint16_t tag, const void *message,
			 unsigned char *bytes, size_t size,
			 struct hdFieldFault *fault);
	/** Of requests; into HD_SESSION_REQUEST_MAX bytes. */
	int (*decode)(unsigned int type, const unsigned char *payload,
		      size_t length, void *message, struct hdFieldFault *fault);
	/** Whether it must say who it is. */
	bool (*mustAuthenticate)(const struct hdSession *session);
	/** Why it is not served after the greeting; NULL if it is. May be NULL.
	 */
	const char *(*forbids)(const struct hdSession *session);
	/** Why it cannot become another user now, or NULL. May be NULL. */
	const char *(*keepsUser)(const struct hdSession *session);
	/** Give it a place: NULL, or why there is none. */
	const char *(*admit)(struct hdSession *session);
	/** It has proved to be session->user, and asks for a place next. */
	void (*proven)(struct hdSession *session);
	/** Those that clients may have; or NULL. */
	const struct hdTokens *(*tokens)(const struct hdSession *session);
	/** Whether it waits for an answer, and asks nothing more. May be NULL.
	 */
	bool (*isWaiting)(const struct hdSession *session);
	/** Do what is asked, but for authentication and pings. */
	void (*request)(struct hdSession *session,
			const struct hdFrameHeader *header,
			const void *request);
	/** Say and count what was refused. */
	void (*refused)(struct hdSession *session, const char *why);
};

/** A client; all zero but for the first two. */
struct hdSession {
	const struct hdProtocol *protocol;
	struct hdConnection *connection;
	bool isGreeted;
	bool isProven; /**< It has a token. */
	bool isDenied; /**< It is told so later, and ends. */
	bool isPaused; /**< It asks too often, and waits. */
	uint16_t deniedTag;
	int64_t deniedNs;
	struct hdRate rate;
	uint32_t payloadMax; /**< What it accepts. */
	unsigned char nonce[HD_NONCE_SIZE];
	unsigned char token[HD_SHA256_SIZE]; /**< Its digest, if isProven. */
	char user[HD_FIELD_TEXT_MAX + 1];
};

/** Take the hello or a request, if there is a whole one; returns whether there
 * was. */
bool hdSessionTake(struct hdSession *session);

/** Send a frame of hdProtocol::frameMax at most. */
void hdSessionSend(struct hdSession *session, unsigned int type, uint16_t tag,
		   const void *message);

/** Put a frame into room that there is; what cannot be sent ends the
 * connection. */
void hdSessionPut(struct hdSession *session, unsigned int type, uint16_t tag,
		  const void *message, unsigned char *room, size_t size);

/** Refuse something: it is said, and the client is told. */
void hdSessionFail(struct hdSession *session, uint16_t tag,
		   enum hdFrameError code, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/** The same, and that is the end. */
void hdSessionEnd(struct hdSession *session, uint16_t tag,
		  enum hdFrameError code, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/** Get when hdSessionRun() is to be called: by the monotonic clock; 0: never.
 */
int64_t hdSessionDue(const struct hdSession *session);

/** Go on with a client that was denied or asked too often, once that is due;
 * returns whether its connection is to be kicked. */
bool hdSessionRun(struct hdSession *session, int64_t nowNs);

/** Whether it waits for the end of hdSessionDue(). */
bool hdSessionOwes(const struct hdSession *session);

/** Whether the token that it has proved is not valid any more. */
bool hdSessionIsRevoked(const struct hdSession *session);

#endif
