/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client that speaks one of our protocols; see session.h. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/clock.h"
#include "net/logger.h"
#include "net/service/session.h"

/* Who has a wrong token is told so after this time. */
#define DENIED_NS HD_NS_PER_S

/* ---- Sending ----------------------------------------------------------- */

void hdSessionPut(struct hdSession *session, unsigned int type, uint16_t tag,
		  const void *message, unsigned char *room, size_t size)
{
	struct hdConnection *connection = session->connection;
	struct hdFieldFault fault = { "" };

	size = session->protocol->encode(type, tag, message, room, size,
					 &fault);
	if (size == 0) {
		hdNetLog(HD_LOG_ERROR, "%s: cannot send frame %u: %s",
			 connection->peer, type, fault.text);
		connection->isBroken = true;
	}
	hdConnectionPut(connection, size);
}

void hdSessionSend(struct hdSession *session, unsigned int type, uint16_t tag,
		   const void *message)
{
	size_t most = session->protocol->frameMax;
	unsigned char *room = hdConnectionRoom(session->connection, most);

	if (room)
		hdSessionPut(session, type, tag, message, room, most);
}

static void sessionFail(struct hdSession *session, uint16_t tag,
			enum hdFrameError code, const char *format,
			va_list arguments)
{
	struct hdFrameFailure failure = { .code = (uint16_t)code };
	char text[HD_FIELD_TEXT_MAX + 1];

	vsnprintf(text, sizeof(text), format, arguments);
	session->protocol->refused(session, text);
	failure.text = hdFieldTextOf(text);
	hdSessionSend(session, HD_FRAME_ERROR, tag, &failure);
}

void hdSessionFail(struct hdSession *session, uint16_t tag,
		   enum hdFrameError code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sessionFail(session, tag, code, format, arguments);
	va_end(arguments);
}

void hdSessionEnd(struct hdSession *session, uint16_t tag,
		  enum hdFrameError code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sessionFail(session, tag, code, format, arguments);
	va_end(arguments);
	session->connection->isOver = true;
}

static bool sessionAdmit(struct hdSession *session, uint16_t tag)
{
	const char *why = session->protocol->admit(session);

	if (why)
		hdSessionEnd(session, tag, HD_FRAME_ELIMIT, "%s", why);
	return !why;
}

/* ---- Hello ------------------------------------------------------------- */

static void sessionGreet(struct hdSession *session,
			 const struct hdFrameHello *hello)
{
	const struct hdProtocol *protocol = session->protocol;
	struct hdConnection *connection = session->connection;
	struct hdFrameGreeting greeting = {
		.mustAuthenticate = protocol->mustAuthenticate(session),
		.flags = connection->tls ? HD_FRAME_ENCRYPTED : 0,
		.payloadMax = protocol->requestMax,
		.wall = protocol->wall(),
		.mono = hdMonotonicNow(),
	};
	unsigned char bytes[HD_FRAME_GREETING_SIZE];

	if (hello->lowest <= protocol->version &&
	    hello->highest >= protocol->version)
		greeting.version = protocol->version;
	else
		protocol->refused(session, "unsupported protocol version");
	if (getrandom(session->nonce, sizeof(session->nonce), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(session->nonce)) {
		hdNetLog(HD_LOG_ERROR, "no random numbers: %s",
			 strerror(errno));
		greeting.version = 0;
	}
	memcpy(greeting.nonce, session->nonce, sizeof(greeting.nonce));
	hdFrameEncodeGreeting(protocol->magic, &greeting, bytes);
	hdConnectionSend(connection, bytes, sizeof(bytes));
	connection->isOver = greeting.version == 0;
}

/* After the greeting: whether it is served. */
static void sessionBegin(struct hdSession *session)
{
	const struct hdProtocol *protocol = session->protocol;
	const char *why = protocol->forbids ? protocol->forbids(session) : NULL;

	if (session->payloadMax < protocol->clientMin)
		hdSessionEnd(session, 0, HD_FRAME_EMALFORMED,
			     "a client must accept payloads of %lu bytes",
			     (unsigned long)protocol->clientMin);
	else if (why)
		hdSessionEnd(session, 0, HD_FRAME_EFORBIDDEN, "%s", why);
	else if (!session->connection->isOver &&
		 !protocol->mustAuthenticate(session))
		sessionAdmit(session, 0);
}

static bool sessionTakeHello(struct hdSession *session)
{
	struct hdConnection *connection = session->connection;
	const char *magic = session->protocol->magic;
	struct hdFrameHello hello;

	if (connection->in.used < HD_FRAME_MAGIC_SIZE)
		return false;
	if (memcmp(connection->in.bytes, magic, HD_FRAME_MAGIC_SIZE) != 0) {
		session->protocol->refused(session, "unknown protocol");
		hdConnectionClose(connection);
		return false;
	}
	connection->isKnown = true;
	if (connection->in.used < HD_FRAME_HELLO_SIZE)
		return false;
	if (hdFrameDecodeHello(magic, connection->in.bytes, &hello, NULL) < 0) {
		session->protocol->refused(session, "invalid hello");
		hdConnectionClose(connection);
		return false;
	}
	hdConnectionTake(connection, HD_FRAME_HELLO_SIZE);
	session->isGreeted = true;
	session->payloadMax = hello.payloadMax;
	sessionGreet(session, &hello);
	sessionBegin(session);
	return true;
}

/* ---- Authentication ---------------------------------------------------- */

static bool sessionProof(struct hdSession *session,
			 const struct hdFrameAuthenticate *request,
			 unsigned char ours[HD_PROOF_SIZE])
{
	const struct hdProtocol *protocol = session->protocol;

	return request->user.length <= protocol->userMax &&
	       hdAuthenticationCheck(protocol->authentication,
				     protocol->tokens(session),
				     session->connection->tls, session->nonce,
				     request, ours, session->token);
}

static void sessionAuthenticate(struct hdSession *session, uint16_t tag,
				const struct hdFrameAuthenticate *request)
{
	const struct hdProtocol *protocol = session->protocol;
	struct hdFrameAuthenticated answer = { .user = request->user };
	const char *why =
		protocol->keepsUser ? protocol->keepsUser(session) : NULL;
	char text[100];

	if (why) {
		hdSessionFail(session, tag, HD_FRAME_ESTATE, "%s", why);
		return;
	}
	if (!sessionProof(session, request, answer.proof)) {
		snprintf(text, sizeof(text), "wrong user or token for \"%.*s\"",
			 request->user.length < 60 ? (int)request->user.length
						   : 60,
			 request->user.at);
		protocol->refused(session, text);
		/* Whoever tries many is slow. */
		session->isDenied = true;
		session->deniedTag = tag;
		session->deniedNs = hdMonotonicNow() + DENIED_NS;
		return;
	}
	hdFieldTextCopy(request->user, session->user, sizeof(session->user));
	session->isProven = true;
	protocol->proven(session);
	if (sessionAdmit(session, tag))
		hdSessionSend(session, HD_FRAME_AUTHENTICATED, tag, &answer);
}

bool hdSessionIsRevoked(const struct hdSession *session)
{
	const struct hdTokens *tokens = session->protocol->tokens(session);

	return session->isProven &&
	       !(tokens && hdTokensHave(tokens, session->user, session->token));
}

/* ---- Requests ---------------------------------------------------------- */

static void sessionPing(struct hdSession *session, uint16_t tag,
			const struct hdFramePing *ping)
{
	const struct hdFramePong pong = {
		.content = ping->content,
		.wall = session->protocol->wall(),
		.mono = hdMonotonicNow(),
	};

	hdSessionSend(session, HD_FRAME_PONG, tag, &pong);
}

static void sessionDo(struct hdSession *session,
		      const struct hdFrameHeader *header, const void *request)
{
	if (header->type == HD_FRAME_AUTHENTICATE)
		sessionAuthenticate(session, header->tag, request);
	else if (header->type == HD_FRAME_PING)
		sessionPing(session, header->tag, request);
	else
		session->protocol->request(session, header, request);
}

/* Look at a request that is there as a whole. */
static void sessionRequest(struct hdSession *session,
			   const struct hdFrameHeader *header,
			   const unsigned char *payload)
{
	const struct hdProtocol *protocol = session->protocol;
	_Alignas(max_align_t) unsigned char request[HD_SESSION_REQUEST_MAX];
	struct hdFieldFault fault = { "missing tag" };
	int ret = -ENOENT;

	if (header->type < HD_FRAME_AUTHENTICATED)
		ret = protocol->decode(header->type, payload, header->length,
				       request, &fault);
	if (ret == -EBADMSG || header->tag == 0)
		hdSessionEnd(session, header->tag, HD_FRAME_EMALFORMED,
			     "request %u is malformed: %s", header->type,
			     fault.text);
	else if (protocol->mustAuthenticate(session) &&
		 header->type != HD_FRAME_AUTHENTICATE)
		hdSessionEnd(session, header->tag, HD_FRAME_EAUTHENTICATE,
			     "authentication required");
	else if (ret == -ENOENT)
		hdSessionFail(session, header->tag, HD_FRAME_EREQUEST,
			      "unknown request %u", header->type);
	else
		sessionDo(session, header, request);
}

/* Whether it may ask something now: what has come waits, and has time. */
static bool sessionMayAsk(struct hdSession *session)
{
	const struct hdProtocol *protocol = session->protocol;
	bool isWaiting = session->isDenied ||
			 (protocol->isWaiting && protocol->isWaiting(session));

	if (isWaiting)
		session->connection->messageNs = 0;
	return !isWaiting;
}

static bool sessionIsPaused(struct hdSession *session)
{
	int64_t now = hdMonotonicNow();

	session->isPaused = !hdRateIsFree(&session->rate, now);
	if (session->isPaused)
		session->connection->messageNs = 0;
	else
		hdRateTake(&session->rate, &session->protocol->rate, now);
	return session->isPaused;
}

bool hdSessionTake(struct hdSession *session)
{
	struct hdConnection *connection = session->connection;
	uint32_t most = session->protocol->requestMax;
	struct hdFrameHeader header;

	if (!session->isGreeted)
		return sessionTakeHello(session);
	if (!sessionMayAsk(session) ||
	    connection->in.used < HD_FRAME_HEADER_SIZE)
		return false;
	hdFrameDecodeHeader(connection->in.bytes, &header);
	if (session->protocol->mustAuthenticate(session))
		most = HD_FRAME_SERVER_MIN;
	if (header.length > most) {
		hdSessionEnd(session, header.tag, HD_FRAME_EMALFORMED,
			     "payload exceeds the size limit");
		return true;
	}
	if (connection->in.used < HD_FRAME_HEADER_SIZE + header.length ||
	    sessionIsPaused(session))
		return false;
	sessionRequest(session, &header,
		       connection->in.bytes + HD_FRAME_HEADER_SIZE);
	if (!connection->isDead)
		hdConnectionTake(connection,
				 HD_FRAME_HEADER_SIZE + header.length);
	return true;
}

/* ---- Later ------------------------------------------------------------- */

bool hdSessionOwes(const struct hdSession *session)
{
	return session->isDenied || session->isPaused;
}

int64_t hdSessionDue(const struct hdSession *session)
{
	if (session->isDenied)
		return session->deniedNs;
	return session->isPaused ? session->rate.nextNs : 0;
}

bool hdSessionRun(struct hdSession *session, int64_t nowNs)
{
	int64_t due = hdSessionDue(session);
	struct hdConnection *connection = session->connection;

	if (due == 0 || nowNs < due || connection->isDead)
		return false;
	if (session->isDenied) {
		session->isDenied = false;
		hdSessionEnd(session, session->deniedTag, HD_FRAME_EDENIED,
			     "wrong user or token");
	} else {
		session->isPaused = false;
		connection->messageNs = connection->in.used > 0 ? nowNs : 0;
	}
	return true;
}
