/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The other side of net/service/session.h: how a client of a service greets it,
 * says who it is, and finds out whether the service has its token, too. A
 * caller sends and receives the bytes, whether or not it waits for them.
 */
#ifndef HD_GREET_H
#define HD_GREET_H

#include <stdbool.h>

#include "net/authenticate.h"

/** Why a greeting is not accepted. */
#define HD_GREET_TEXT_VERSION "unsupported protocol version"
/** What is said where a token is missing, before the remedy. */
#define HD_GREET_TEXT_TOKEN "authentication required"
/** What is said of a server without our token. */
#define HD_GREET_TEXT_SERVER "server failed authentication"

/** A client's side of a connection. */
struct hdGreet {
	/* Of the protocol: */
	const char *magic;
	uint16_t version;
	uint32_t payloadMax; /**< What we accept as payload. */
	const struct hdAuthentication *authentication;
	/* What the server says, and what it must say: */
	struct hdFrameGreeting greeting;
	unsigned char proof[HD_PROOF_SIZE];
};

/** Make the hello, which is sent first. */
void hdGreetHello(const struct hdGreet *greet,
		  unsigned char bytes[HD_FRAME_HELLO_SIZE]);

/**
 * Take the greeting.
 *
 * @param[out] fault What is wrong with it; or NULL.
 *
 * @retval -EPROTO It is none of this protocol.
 * @retval -EPROTONOSUPPORT Another version.
 */
int hdGreetTake(struct hdGreet *greet,
		const unsigned char bytes[HD_FRAME_GREETING_SIZE],
		struct hdFieldFault *fault);

/**
 * Make the proof of who we are, if we have a token.
 *
 * @param tls Of this connection, or NULL.
 * @param token NULL: none.
 * @param[out] request To be sent, if the result is 1.
 *
 * @retval 0 Nothing is to be sent.
 * @retval -EACCES The server asks for a proof, and there is no token.
 * @retval -EIO There is no randomness, or TLS does not bind.
 */
int hdGreetProve(struct hdGreet *greet, struct hdTlsSession *tls,
		 const char *user, const char *token,
		 struct hdFrameAuthenticate *request);

/** Whether the server has our token, by its answer to the proof. */
bool hdGreetIsProven(const struct hdGreet *greet,
		     const struct hdFrameAuthenticated *answer);

#endif
