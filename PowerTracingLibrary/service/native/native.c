/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our own protocol: greeting, authentication, requests; see native.h. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "net/tokens.h"
#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/service/native/native.h"
#include "PowerTracingLibrary/service/native/stream.h"
#include "PowerTracingLibrary/service/protocols.h"
#include "PowerTracingLibrary/service/shares.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* Longest frame but DATA: twelve texts and some numbers. */
#define FRAME_MAX 4096
/* Longest payload that is taken, and before anybody has said who he is. */
#define PAYLOAD_MAX 65536
#define PAYLOAD_FIRST HD_FRAME_SERVER_MIN

struct ptNative *ptNativeOf(const struct ptClient *client)
{
	return client->session;
}

void ptNativePut(struct ptClient *client, enum ptWireType type, uint16_t tag,
		 const void *message, unsigned char *room, size_t size)
{
	struct hdFieldFault fault;

	size = ptWireEncode(type, tag, message, room, size, &fault);
	if (size == 0) {
		ptMessage(HD_LOG_ERROR, "%s: frame %d cannot be sent: %s",
			  client->connection.peer, (int)type, fault.text);
		client->connection.isBroken = true;
	}
	hdConnectionPut(&client->connection, size);
}

void ptNativeSend(struct ptClient *client, enum ptWireType type, uint16_t tag,
		  const void *message)
{
	unsigned char *room = hdConnectionRoom(&client->connection, FRAME_MAX);

	if (room)
		ptNativePut(client, type, tag, message, room, FRAME_MAX);
}

void ptNativeFail(struct ptClient *client, uint16_t tag, enum hdFrameError code,
		  const char *format, ...)
{
	struct hdFrameFailure failure = { .code = (uint16_t)code };
	char text[HD_FIELD_TEXT_MAX + 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ptClientRefuse(client, "%s", text);
	failure.text = hdFieldTextOf(text);
	ptNativeSend(client, PT_WIRE_ERROR, tag, &failure);
}

/* Get a slot for who it is; false after an error that ends the connection. */
static bool nativeAdmit(struct ptClient *client, uint16_t tag)
{
	const char *why = ptShareAdmit(client);

	if (!why)
		return true;
	ptNativeFail(client, tag, HD_FRAME_ELIMIT, "%s", why);
	client->connection.isOver = true;
	return false;
}

/* ---- Greeting ---------------------------------------------------------- */

static void nativeGreet(struct ptClient *client,
			const struct hdFrameHello *hello)
{
	struct ptNative *session = ptNativeOf(client);
	struct hdFrameGreeting greeting = {
		.version = hello->lowest <= PT_WIRE_VERSION &&
					   hello->highest >= PT_WIRE_VERSION
				   ? PT_WIRE_VERSION
				   : 0,
		.mustAuthenticate = ptAccessMustAuthenticate(client),
		.flags = client->connection.tls ? HD_FRAME_ENCRYPTED : 0,
		.payloadMax = PAYLOAD_MAX,
		.wall = hdClockNow(),
		.mono = hdMonotonicNow(),
	};
	unsigned char bytes[HD_FRAME_GREETING_SIZE];
	const char *why = ptAccessForbids(client);

	session->isGreeted = true;
	session->payloadMax = hello->payloadMax;
	if (getrandom(session->nonce, sizeof(session->nonce), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(session->nonce)) {
		ptMessage(HD_LOG_ERROR, "no random numbers: %s",
			  strerror(errno));
		greeting.version = 0;
	}
	memcpy(greeting.nonce, session->nonce, sizeof(greeting.nonce));
	hdFrameEncodeGreeting(PT_WIRE_MAGIC, &greeting, bytes);
	hdConnectionSend(&client->connection, bytes, sizeof(bytes));
	client->connection.isOver = greeting.version == 0;
	if (greeting.version == 0)
		ptClientRefuse(client, "unsupported versions %u to %u",
			       hello->lowest, hello->highest);
	if (hello->payloadMax < HD_FRAME_CLIENT_MIN) {
		ptNativeFail(client, 0, HD_FRAME_EMALFORMED,
			     "a client must accept payloads of %d bytes",
			     HD_FRAME_CLIENT_MIN);
		client->connection.isOver = true;
	} else if (why) {
		ptNativeFail(client, 0, HD_FRAME_EFORBIDDEN, "%s", why);
		client->connection.isOver = true;
	} else if (!greeting.mustAuthenticate) {
		nativeAdmit(client, 0);
	}
}

/* Take the hello; false if it has not come, or is none. */
static bool nativeTakeHello(struct ptClient *client)
{
	struct hdFrameHello hello;

	if (client->connection.in.used < HD_FRAME_HELLO_SIZE)
		return false;
	client->session = calloc(1, sizeof(struct ptNative));
	if (!client->session ||
	    hdFrameDecodeHello(PT_WIRE_MAGIC, client->connection.in.bytes,
			       &hello, NULL) < 0) {
		hdConnectionClose(&client->connection);
		return false;
	}
	hdConnectionTake(&client->connection, HD_FRAME_HELLO_SIZE);
	nativeGreet(client, &hello);
	return true;
}

/* ---- Authentication ---------------------------------------------------- */

/* Look whether it has a token, and take the digest of that. */
static bool nativeProof(struct ptClient *client,
			const struct hdFrameAuthenticate *request,
			unsigned char ours[HD_PROOF_SIZE])
{
	return request->user.length < sizeof(client->user) &&
	       hdAuthenticationCheck(
		       &ptWireAuthentication, client->service->tokens,
		       client->connection.tls, ptNativeOf(client)->nonce,
		       request, ours, client->token);
}

static void nativeAuthenticate(struct ptClient *client, uint16_t tag,
			       const struct hdFrameAuthenticate *request)
{
	struct ptNative *session = ptNativeOf(client);
	struct hdFrameAuthenticated answer = { .user = request->user };

	if (session->streamCount > 0) {
		ptNativeFail(client, tag, HD_FRAME_ESTATE,
			     "the connection has streams of another user");
		return;
	}
	if (!nativeProof(client, request, answer.proof)) {
		ptClientRefuse(client, "wrong user or token for \"%.*s\"",
			       (int)(request->user.length < 60
					     ? request->user.length
					     : 60),
			       request->user.at);
		/* Whoever tries many is slow. */
		session->isDenied = true;
		session->deniedTag = tag;
		ptClientDue(client, hdMonotonicNow() + HD_NS_PER_S);
		return;
	}
	hdFieldTextCopy(request->user, client->user, sizeof(client->user));
	client->isUnix = false;
	client->hasToken = true;
	if (!nativeAdmit(client, tag))
		return;
	ptMessage(HD_LOG_INFO, "%s is %s", client->connection.peer,
		  client->user);
	ptNativeSend(client, PT_WIRE_AUTHENTICATED, tag, &answer);
}

/* ---- Requests ---------------------------------------------------------- */

static void nativePing(struct ptClient *client, uint16_t tag,
		       const struct hdFramePing *ping)
{
	const struct hdFramePong pong = {
		.content = ping->content,
		.wall = hdClockNow(),
		.mono = hdMonotonicNow(),
	};

	ptNativeSend(client, PT_WIRE_PONG, tag, &pong);
}

/* Any request. */
union nativeRequest {
	struct hdFrameAuthenticate authenticate;
	struct hdFramePing ping;
	struct ptWireOpen open;
	struct ptWireStream stream;
};

static void nativeDo(struct ptClient *client,
		     const struct hdFrameHeader *header,
		     const union nativeRequest *request)
{
	switch (header->type) {
	case PT_WIRE_AUTHENTICATE:
		nativeAuthenticate(client, header->tag, &request->authenticate);
		break;
	case PT_WIRE_PING:
		nativePing(client, header->tag, &request->ping);
		break;
	case PT_WIRE_LIST:
		ptNativeList(client, header->tag);
		break;
	case PT_WIRE_OPEN:
		ptStreamOpen(client, header->tag, &request->open);
		break;
	case PT_WIRE_START:
		ptStreamStart(client, header->tag, request->stream.stream);
		break;
	case PT_WIRE_STOP:
		ptStreamStop(client, header->tag, request->stream.stream);
		break;
	default:
		ptStreamClose(client, header->tag, request->stream.stream);
		break;
	}
}

/* Look at a request that is there as a whole. */
static void nativeRequest(struct ptClient *client,
			  const struct hdFrameHeader *header,
			  const unsigned char *payload)
{
	struct hdFieldFault fault = { "a request without tag" };
	union nativeRequest request;
	int ret = -ENOENT;

	if (header->type < PT_WIRE_AUTHENTICATED)
		ret = ptWireDecode(header->type, payload, header->length,
				   &request, &fault);
	if (ret == -EBADMSG || header->tag == 0) {
		ptNativeFail(client, header->tag, HD_FRAME_EMALFORMED,
			     "request %u is invalid: %s", header->type,
			     fault.text);
		client->connection.isOver = true;
	} else if (ptAccessMustAuthenticate(client) &&
		   header->type != PT_WIRE_AUTHENTICATE) {
		ptNativeFail(client, header->tag, HD_FRAME_EAUTHENTICATE,
			     "authentication required");
		client->connection.isOver = true;
	} else if (ret == -ENOENT) {
		ptNativeFail(client, header->tag, HD_FRAME_EREQUEST,
			     "unknown request %u", header->type);
	} else {
		nativeDo(client, header, &request);
	}
}

static bool nativeReceive(struct ptClient *client)
{
	struct hdFrameHeader header;
	uint32_t most = PAYLOAD_MAX;

	if (!client->session)
		return nativeTakeHello(client);
	if (ptNativeOf(client)->isDenied) {
		client->connection.messageNs = 0;
		return false;
	}
	if (client->connection.in.used < HD_FRAME_HEADER_SIZE)
		return false;
	hdFrameDecodeHeader(client->connection.in.bytes, &header);
	if (ptAccessMustAuthenticate(client))
		most = PAYLOAD_FIRST;
	if (header.length > most) {
		ptNativeFail(client, header.tag, HD_FRAME_EMALFORMED,
			     "oversized payload of %lu bytes",
			     (unsigned long)header.length);
		client->connection.isOver = true;
		return true;
	}
	if (client->connection.in.used < HD_FRAME_HEADER_SIZE + header.length)
		return false;
	nativeRequest(client, &header,
		      client->connection.in.bytes + HD_FRAME_HEADER_SIZE);
	if (!client->connection.isDead)
		hdConnectionTake(&client->connection,
				 HD_FRAME_HEADER_SIZE + header.length);
	return true;
}

static void nativeDue(struct ptClient *client, int64_t nowNs)
{
	struct ptNative *session = ptNativeOf(client);

	if (!session)
		return;
	if (!session->isDenied) {
		ptStreamsDue(client, nowNs);
		return;
	}
	ptNativeFail(client, session->deniedTag, HD_FRAME_EDENIED,
		     "wrong user or token");
	client->connection.isOver = true;
}

static void nativeEnd(struct ptClient *client)
{
	const struct ptService *service = client->service;

	if (!client->session)
		return;
	if (service->loop.isOver) {
		ptStreamsEndAll(client, 2);
		ptNativeFail(client, 0, HD_FRAME_EEND, "the service ends");
	} else {
		ptNativeFail(client, 0, HD_FRAME_ETIME, "timeout");
	}
}

static bool nativeCheck(struct ptClient *client, const struct ptServed *ending)
{
	const struct hdTokens *tokens = client->service->tokens;

	if (!client->session)
		return true;
	if (!ending && client->hasToken &&
	    !(tokens && hdTokensHave(tokens, client->user, client->token))) {
		ptStreamsEndAll(client, 3);
		ptNativeFail(client, 0, HD_FRAME_EDENIED,
			     "the token was revoked");
		return false;
	}
	ptStreamsEnd(client, ending);
	return true;
}

static bool nativeIsBusy(const struct ptClient *client)
{
	return client->session && ptStreamsAreBusy(client);
}

static bool nativeOwes(const struct ptClient *client)
{
	return client->session &&
	       (ptNativeOf(client)->isDenied || ptStreamsAreEnding(client));
}

static void nativeDestroy(struct ptClient *client)
{
	if (!client->session)
		return;
	ptStreamsDestroy(client);
	free(client->session);
	client->session = NULL;
}

const struct ptProtocol ptNative = {
	.name = "own",
	.receive = nativeReceive,
	.fill = ptStreamsFill,
	.due = nativeDue,
	.check = nativeCheck,
	.end = nativeEnd,
	.isBusy = nativeIsBusy,
	.owes = nativeOwes,
	.destroy = nativeDestroy,
};
