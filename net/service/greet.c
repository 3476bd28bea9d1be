/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a client greets a service; see greet.h. */
#include "config.h"

#include <errno.h>

#include "net/service/greet.h"

void hdGreetHello(const struct hdGreet *greet,
		  unsigned char bytes[HD_FRAME_HELLO_SIZE])
{
	const struct hdFrameHello hello = {
		.lowest = greet->version,
		.highest = greet->version,
		.payloadMax = greet->payloadMax,
	};

	hdFrameEncodeHello(greet->magic, &hello, bytes);
}

int hdGreetTake(struct hdGreet *greet,
		const unsigned char bytes[HD_FRAME_GREETING_SIZE],
		struct hdFieldFault *fault)
{
	if (hdFrameDecodeGreeting(greet->magic, bytes, &greet->greeting,
				  fault) < 0)
		return -EPROTO;
	return greet->greeting.version == greet->version ? 0 : -EPROTONOSUPPORT;
}

int hdGreetProve(struct hdGreet *greet, struct hdTlsSession *tls,
		 const char *user, const char *token,
		 struct hdFrameAuthenticate *request)
{
	if (!token)
		return greet->greeting.mustAuthenticate ? -EACCES : 0;
	return hdAuthenticationMake(greet->authentication, tls,
				    greet->greeting.nonce, user, token, request,
				    greet->proof) < 0
		       ? -EIO
		       : 1;
}

bool hdGreetIsProven(const struct hdGreet *greet,
		     const struct hdFrameAuthenticated *answer)
{
	return hdProofIsEqual(answer->proof, greet->proof,
			      sizeof(greet->proof));
}
