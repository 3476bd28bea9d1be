/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our own protocol: its requests; see native.h, and net/service/session.h for
 * greeting and authentication. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/service/native/native.h"
#include "PowerTracingLibrary/service/native/stream.h"
#include "PowerTracingLibrary/service/protocols.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* Longest frame but DATA: twelve texts and some numbers. */
#define FRAME_MAX 4096
/* Longest payload of a request. */
#define PAYLOAD_MAX 65536

struct ptNative *ptNativeOf(const struct ptClient *client)
{
	return client->session;
}

static struct ptClient *nativeClient(const struct hdSession *session)
{
	/* The connection is its first member. */
	return (struct ptClient *)(void *)session->connection;
}

void ptNativePut(struct ptClient *client, enum ptWireType type, uint16_t tag,
		 const void *message, unsigned char *room, size_t size)
{
	hdSessionPut(&ptNativeOf(client)->session, type, tag, message, room,
		     size);
}

void ptNativeSend(struct ptClient *client, enum ptWireType type, uint16_t tag,
		  const void *message)
{
	hdSessionSend(&ptNativeOf(client)->session, type, tag, message);
}

void ptNativeFail(struct ptClient *client, uint16_t tag, enum hdFrameError code,
		  const char *format, ...)
{
	char text[HD_FIELD_TEXT_MAX + 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	hdSessionFail(&ptNativeOf(client)->session, tag, code, "%s", text);
}

/* ---- The protocol ------------------------------------------------------ */

static size_t nativeEncode(unsigned int type, uint16_t tag, const void *message,
			   unsigned char *bytes, size_t size,
			   struct hdFieldFault *fault)
{
	return ptWireEncode((enum ptWireType)type, tag, message, bytes, size,
			    fault);
}

static bool nativeMustAuthenticate(const struct hdSession *session)
{
	return ptAccessMustAuthenticate(nativeClient(session));
}

static const char *nativeForbids(const struct hdSession *session)
{
	return ptAccessForbids(nativeClient(session));
}

static const char *nativeKeepsUser(const struct hdSession *session)
{
	return ptNativeOf(nativeClient(session))->streamCount > 0
		       ? "the connection has streams of another user"
		       : NULL;
}

static const char *nativeAdmit(struct hdSession *session)
{
	return hdPlaceAdmit(&nativeClient(session)->place);
}

static void nativeProven(struct hdSession *session)
{
	struct ptClient *client = nativeClient(session);

	strcpy(client->user, session->user);
	client->isUnix = false;
	client->place.owner.user = client->user;
	ptMessage(HD_LOG_INFO, "%s is %s", client->connection.peer,
		  client->user);
}

static const struct hdTokens *nativeTokens(const struct hdSession *session)
{
	return nativeClient(session)->service->tokens;
}

static void nativeRefused(struct hdSession *session, const char *why)
{
	ptClientRefuse(nativeClient(session), "%s", why);
}

/* Any request of ours. */
union nativeRequest {
	struct ptWireOpen open;
	struct ptWireStream stream;
};
_Static_assert(sizeof(union nativeRequest) <= HD_SESSION_REQUEST_MAX,
	       "room for requests");

static void nativeRequest(struct hdSession *session,
			  const struct hdFrameHeader *header,
			  const void *request)
{
	struct ptClient *client = nativeClient(session);
	const union nativeRequest *any = request;

	switch (header->type) {
	case PT_WIRE_LIST:
		ptNativeList(client, header->tag);
		break;
	case PT_WIRE_OPEN:
		ptStreamOpen(client, header->tag, &any->open);
		break;
	case PT_WIRE_START:
		ptStreamStart(client, header->tag, any->stream.stream);
		break;
	case PT_WIRE_STOP:
		ptStreamStop(client, header->tag, any->stream.stream);
		break;
	default:
		ptStreamClose(client, header->tag, any->stream.stream);
		break;
	}
}

static const struct hdProtocol nativeProtocol = {
	.magic = PT_WIRE_MAGIC,
	.version = PT_WIRE_VERSION,
	.requestMax = PAYLOAD_MAX,
	.clientMin = HD_FRAME_CLIENT_MIN,
	.frameMax = FRAME_MAX,
	.userMax = PT_SITE_NAME_MAX - 1,
	.rate = { 1000, 2000 },
	.authentication = &ptWireAuthentication,
	.wall = hdClockNow,
	.encode = nativeEncode,
	.decode = ptWireDecode,
	.mustAuthenticate = nativeMustAuthenticate,
	.forbids = nativeForbids,
	.keepsUser = nativeKeepsUser,
	.admit = nativeAdmit,
	.proven = nativeProven,
	.tokens = nativeTokens,
	.request = nativeRequest,
	.refused = nativeRefused,
};

/* ---- What the service calls -------------------------------------------- */

/* Let nativeDue() be called when its session is due. */
static void nativeSchedule(struct ptClient *client)
{
	int64_t due = hdSessionDue(&ptNativeOf(client)->session);

	if (due && (!client->dueNs || due < client->dueNs))
		ptClientDue(client, due);
}

static bool nativeReceive(struct ptClient *client)
{
	struct ptNative *native = ptNativeOf(client);
	bool did;

	if (!native) {
		native = calloc(1, sizeof(*native));
		client->session = native;
		if (!native) {
			hdConnectionClose(&client->connection);
			return false;
		}
		native->session.protocol = &nativeProtocol;
		native->session.connection = &client->connection;
	}
	did = hdSessionTake(&native->session);
	/* A client that is closed has none any more. */
	if (client->session)
		nativeSchedule(client);
	return did;
}

static void nativeDue(struct ptClient *client, int64_t nowNs)
{
	struct ptNative *native = ptNativeOf(client);

	if (!native)
		return;
	/* Whoever called kicks the connection. */
	hdSessionRun(&native->session, nowNs);
	ptStreamsDue(client, nowNs);
	nativeSchedule(client);
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
	if (!client->session)
		return true;
	if (!ending && hdSessionIsRevoked(&ptNativeOf(client)->session)) {
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
	       (hdSessionOwes(&ptNativeOf(client)->session) ||
		ptStreamsAreEnding(client));
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
