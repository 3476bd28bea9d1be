/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A connection to a power service; see remote.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/client/core/remote.h"
#include "net/service/greet.h"
#include "net/tls.h"
#include "net/tokens.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* Where a service is if nothing else is said: that of pmlib. */
#define PORT 6526
/* What a server may send at once. */
#define PAYLOAD_MAX (1U << 20)
/* Longest request. */
#define REQUEST_MAX 65536
/* Pings at the begin; the best counts. */
#define PINGS 8

struct ptRemote {
	const struct ptRemoteSetup *setup;
	int fd, wakeFd;
	struct hdTls *tls;
	struct hdTlsSession *session;
	GByteArray *in; /* What was received; the first are used up. */
	size_t used;
	uint16_t lastTag;
	struct hdGreet greet;
	/* A ping on its way. */
	uint64_t pings;
	int64_t pingWall, pingMono; /* Monotonic 0 for none. */
	struct ptRemoteClock clock;
};

char *ptRemoteText(struct hdFieldText text)
{
	return g_strndup(text.at, text.length);
}

const char *ptRemoteName(const struct ptRemote *remote)
{
	return remote->setup->address.text;
}

struct ptRemoteClock *ptRemoteGetClock(struct ptRemote *remote)
{
	return &remote->clock;
}

void ptRemoteSetWake(struct ptRemote *remote, int wakeFd)
{
	remote->wakeFd = wakeFd;
}

/* ---- Addresses --------------------------------------------------------- */

static bool addressIsThere(const char *directory,
			   struct ptRemoteAddress *address)
{
	char path[HD_NET_HOST_MAX];

	if (!directory || *directory != '/' ||
	    g_snprintf(path, sizeof(path), "%s/pt.socket", directory) >=
		    (int)sizeof(path) ||
	    access(path, F_OK) != 0)
		return false;
	return ptRemoteParse(path, address) == 0;
}

int ptRemoteParse(const char *text, struct ptRemoteAddress *address)
{
	memset(address, 0, sizeof(*address));
	if (!text) {
		if (addressIsThere(g_getenv("XDG_RUNTIME_DIR"), address) ||
		    addressIsThere("/run/hdtrace/pt", address) ||
		    addressIsThere("/run/hdtrace", address))
			return 0;
		text = "127.0.0.1";
	}
	if (g_str_has_prefix(text, "unix:")) {
		text += strlen("unix:");
		if (*text != '/')
			return -EINVAL;
	}
	if (*text == '/') {
		address->isPath = true;
		g_strlcpy(address->text, text, sizeof(address->text));
		return g_strlcpy(address->host, text, sizeof(address->host)) <
				       sizeof(address->host)
			       ? 0
			       : -EINVAL;
	}
	if (hdNetSplit(text, PORT, address->host, address->port) < 0)
		return -EINVAL;
	g_snprintf(address->text, sizeof(address->text),
		   strchr(address->host, ':') ? "[%s]:%s" : "%s:%s",
		   address->host, address->port);
	return 0;
}

/* ---- Bytes ------------------------------------------------------------- */

static int remoteFailed(const struct ptRemote *remote, int error)
{
	if (error == -EINTR || error == -EACCES)
		return error;
	ptMessage(HD_LOG_ERROR, "%s: %s", ptRemoteName(remote),
		  error == -ECONNRESET  ? HD_NET_TEXT_CLOSED
		  : error == -ETIMEDOUT ? HD_NET_TEXT_TIMEOUT
		  : error == -EPROTO    ? "not a power service"
					: strerror(-error));
	return error;
}

/* Tell what it must not say. */
static int remoteBad(const struct ptRemote *remote,
		     const struct hdFieldFault *fault)
{
	ptMessage(HD_LOG_ERROR, "%s: not a power service: %s",
		  ptRemoteName(remote), fault->text);
	return -EPROTO;
}

static int remoteWait(const struct ptRemote *remote, short events,
		      int64_t deadlineNs)
{
	if (remote->session && hdTlsWantsToSend(remote->session))
		events = POLLOUT;
	return hdNetWait(remote->fd, events, remote->wakeFd, deadlineNs);
}

static ssize_t someSent(struct ptRemote *remote, const void *bytes, size_t size)
{
	ssize_t sent;

	if (remote->session)
		return hdTlsSend(remote->session, bytes, size);
	sent = send(remote->fd, bytes, size, MSG_NOSIGNAL);
	return sent < 0 ? -errno : sent;
}

static ssize_t someReceived(struct ptRemote *remote, void *bytes, size_t size)
{
	ssize_t got;

	if (remote->session)
		return hdTlsReceive(remote->session, bytes, size);
	got = recv(remote->fd, bytes, size, 0);
	return got < 0 ? -errno : got;
}

/* Send all. Whoever wants to end waits for no more than for the rest of a
 * frame. */
static int remoteWrite(struct ptRemote *remote, const void *bytes, size_t size)
{
	int64_t deadline = hdMonotonicNow() + PT_REMOTE_PATIENCE_NS;
	const char *at = bytes;

	while (size > 0) {
		ssize_t sent = someSent(remote, at, size);
		int ret;

		if (sent >= 0) {
			at += sent;
			size -= (size_t)sent;
			continue;
		}
		if (sent == -EINTR)
			continue;
		if (sent != -EAGAIN)
			return sent == -EPIPE ? -ECONNRESET : (int)sent;
		ret = hdNetWait(remote->fd, POLLOUT, -1, deadline);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Have so many bytes behind those that are used up. */
static int remoteFill(struct ptRemote *remote, size_t size, int64_t deadlineNs)
{
	GByteArray *in = remote->in;

	if (remote->used > 0 && in->len - remote->used < size) {
		g_byte_array_remove_range(in, 0, (guint)remote->used);
		remote->used = 0;
	}
	while (in->len - remote->used < size) {
		guint before = in->len;
		ssize_t got;
		int ret;

		/* As much as comes, but at least what is needed. */
		g_byte_array_set_size(in, before + MAX((guint)size, 65536));
		got = someReceived(remote, in->data + before, in->len - before);
		g_byte_array_set_size(in, before + (got > 0 ? (guint)got : 0));
		if (got > 0 || got == -EINTR)
			continue;
		if (got == 0)
			return -ECONNRESET;
		if (got != -EAGAIN)
			return (int)got;
		ret = remoteWait(remote, POLLIN, deadlineNs);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* ---- Frames ------------------------------------------------------------ */

/* Receive any frame. */
static int frameReceive(struct ptRemote *remote, int64_t deadlineNs,
			struct ptRemoteFrame *frame)
{
	int ret = remoteFill(remote, HD_FRAME_HEADER_SIZE, deadlineNs);

	if (ret < 0)
		return ret;
	hdFrameDecodeHeader(remote->in->data + remote->used, &frame->header);
	if (frame->header.length > PAYLOAD_MAX)
		return -EPROTO;
	/* Its begin is there, so all of it must come. */
	ret = remoteFill(remote, HD_FRAME_HEADER_SIZE + frame->header.length,
			 hdMonotonicNow() + PT_REMOTE_PATIENCE_NS);
	if (ret < 0)
		return ret == -ETIMEDOUT ? -ECONNRESET : ret;
	frame->payload = remote->in->data + remote->used + HD_FRAME_HEADER_SIZE;
	remote->used += HD_FRAME_HEADER_SIZE + frame->header.length;
	return 0;
}

int ptRemoteDecode(struct ptRemote *remote, const struct ptRemoteFrame *frame,
		   void *message)
{
	struct hdFieldFault fault;
	int ret = ptWireDecode(frame->header.type, frame->payload,
			       frame->header.length, message, &fault);

	if (ret == -EBADMSG)
		return remoteBad(remote, &fault);
	return ret < 0 ? remoteFailed(remote, -EPROTO) : 0;
}

static int remoteHandlePong(struct ptRemote *remote,
			    const struct ptRemoteFrame *frame)
{
	struct hdFramePong pong;
	int ret = ptRemoteDecode(remote, frame, &pong);

	if (ret < 0)
		return ret;
	if (remote->pingMono == 0 || pong.content != remote->pings)
		return remoteFailed(remote, -EPROTO);
	ptRemoteClockAdd(&remote->clock, remote->pingWall,
			 hdMonotonicNow() - remote->pingMono, pong.mono,
			 pong.wall);
	remote->pingMono = 0;
	return 0;
}

int ptRemoteReceive(struct ptRemote *remote, int64_t deadlineNs,
		    struct ptRemoteFrame *frame)
{
	for (;;) {
		int ret = frameReceive(remote, deadlineNs, frame);

		if (ret == -ETIMEDOUT)
			return ret;
		if (ret < 0)
			return remoteFailed(remote, ret);
		if (frame->header.type != PT_WIRE_PONG)
			return 0;
		ret = remoteHandlePong(remote, frame);
		if (ret < 0)
			return ret;
	}
}

int ptRemoteRefused(struct ptRemote *remote, const struct ptRemoteFrame *frame)
{
	struct hdFrameFailure failure;
	char text[HD_FIELD_TEXT_MAX + 1];
	int ret = ptRemoteDecode(remote, frame, &failure);

	if (ret < 0)
		return ret;
	hdFieldTextCopy(failure.text, text, sizeof(text));
	ptMessage(HD_LOG_ERROR, "%s: %s", ptRemoteName(remote), text);
	/* Such an error ends the connection. */
	if (frame->header.tag == 0)
		return -ECONNRESET;
	switch (failure.code) {
	case HD_FRAME_EUNKNOWN:
		return -ENOENT;
	case HD_FRAME_EFORBIDDEN:
	case HD_FRAME_EDENIED:
	case HD_FRAME_EAUTHENTICATE:
		return -EACCES;
	case HD_FRAME_ELIMIT:
	case HD_FRAME_EMEMORY:
		return -EBUSY;
	default:
		return -EREMOTEIO;
	}
}

/* Tell that nothing can be sent: by what the server has said at last, if it
 * has.
 */
static int remoteLost(struct ptRemote *remote, int error)
{
	struct ptRemoteFrame frame;

	while (error == -ECONNRESET && frameReceive(remote, 0, &frame) == 0)
		if (frame.header.type == PT_WIRE_ERROR)
			return ptRemoteRefused(remote, &frame);
	return remoteFailed(remote, error);
}

int ptRemoteSend(struct ptRemote *remote, enum ptWireType type,
		 const void *message, uint16_t *tag)
{
	unsigned char *bytes = g_malloc(REQUEST_MAX);
	uint16_t next = (uint16_t)(remote->lastTag + 1);
	struct hdFieldFault fault;
	size_t size;
	int ret;

	remote->lastTag = next ? next : 1;
	size = ptWireEncode(type, remote->lastTag, message, bytes, REQUEST_MAX,
			    &fault);
	ret = size > 0 && size - HD_FRAME_HEADER_SIZE <=
				      remote->greet.greeting.payloadMax
		      ? remoteWrite(remote, bytes, size)
		      : -EMSGSIZE;
	g_free(bytes);
	if (size == 0 && *fault.text) {
		ptMessage(HD_LOG_ERROR, "%s: cannot send a request: %s",
			  ptRemoteName(remote), fault.text);
		return -EINVAL;
	}
	if (ret < 0)
		return remoteLost(remote, ret);
	if (tag)
		*tag = remote->lastTag;
	return 0;
}

int ptRemoteAnswer(struct ptRemote *remote, uint16_t tag, unsigned int type,
		   void *message, unsigned int *found)
{
	struct ptRemoteFrame frame;
	int ret = ptRemoteReceive(
		remote, hdMonotonicNow() + PT_REMOTE_PATIENCE_NS, &frame);

	if (ret < 0)
		return ret == -ETIMEDOUT ? remoteFailed(remote, ret) : ret;
	if (frame.header.type == PT_WIRE_ERROR)
		return ptRemoteRefused(remote, &frame);
	if (frame.header.tag != tag || (type && frame.header.type != type))
		return remoteFailed(remote, -EPROTO);
	if (found)
		*found = frame.header.type;
	return ptRemoteDecode(remote, &frame, message);
}

/* ---- Clocks ------------------------------------------------------------ */

int ptRemotePing(struct ptRemote *remote)
{
	struct hdFramePing ping = { .content = ++remote->pings };

	remote->pingWall = hdClockNow();
	remote->pingMono = hdMonotonicNow();
	return ptRemoteSend(remote, PT_WIRE_PING, &ping, NULL);
}

int64_t ptRemoteUnanswered(const struct ptRemote *remote)
{
	return remote->pingMono;
}

/* Compare the clocks while nothing else comes. */
static int remoteCompare(struct ptRemote *remote)
{
	int ret = 0;

	for (int i = 0; ret == 0 && i < PINGS; i++) {
		struct ptRemoteFrame frame;

		ret = ptRemotePing(remote);
		if (ret < 0)
			return ret;
		ret = frameReceive(remote,
				   hdMonotonicNow() + PT_REMOTE_PATIENCE_NS,
				   &frame);
		if (ret < 0)
			return remoteFailed(remote, ret);
		if (frame.header.type == PT_WIRE_ERROR)
			return ptRemoteRefused(remote, &frame);
		ret = frame.header.type == PT_WIRE_PONG
			      ? remoteHandlePong(remote, &frame)
			      : remoteFailed(remote, -EPROTO);
	}
	return ret;
}

/* ---- Greeting ---------------------------------------------------------- */

static int remoteConnect(const struct ptRemoteSetup *setup, int wakeFd, int *fd)
{
	const struct ptRemoteAddress *address = &setup->address;
	int64_t deadline = hdMonotonicNow() + PT_REMOTE_PATIENCE_NS;
	const char *why = NULL;
	int ret;

	if (address->isPath) {
		ret = hdNetConnectPath(address->host, wakeFd, deadline, fd);
		why = strerror(-ret);
	} else {
		ret = hdNetConnect(address->host, address->port, wakeFd,
				   deadline, fd, &why);
	}
	if (ret < 0 && ret != -EINTR)
		ptMessage(HD_LOG_ERROR, "%s: " HD_NET_TEXT_CONNECT ": %s",
			  address->text, why);
	return ret;
}

static int remoteEncrypt(struct ptRemote *remote)
{
	const struct ptRemoteSetup *setup = remote->setup;
	int ret = hdTlsCreateClient(setup->caFile, setup->fingerprint,
				    &remote->tls);

	if (ret == 0)
		ret = hdTlsConnect(remote->tls, remote->fd,
				   setup->address.isPath ? "localhost"
							 : setup->address.host,
				   &remote->session);
	return ret;
}

static int remoteGreet(struct ptRemote *remote)
{
	unsigned char bytes[HD_FRAME_HELLO_SIZE];
	struct hdFieldFault fault;
	int ret;

	remote->greet = (struct hdGreet){
		.magic = PT_WIRE_MAGIC,
		.version = PT_WIRE_VERSION,
		.payloadMax = PAYLOAD_MAX,
		.authentication = &ptWireAuthentication,
	};
	hdGreetHello(&remote->greet, bytes);
	ret = remoteWrite(remote, bytes, sizeof(bytes));
	if (ret == 0)
		ret = remoteFill(remote, HD_FRAME_GREETING_SIZE,
				 hdMonotonicNow() + PT_REMOTE_PATIENCE_NS);
	if (ret < 0)
		return remoteFailed(remote, ret);
	ret = hdGreetTake(&remote->greet, remote->in->data, &fault);
	if (ret == -EPROTO)
		return remoteBad(remote, &fault);
	remote->used = HD_FRAME_GREETING_SIZE;
	if (ret == 0)
		return 0;
	ptMessage(HD_LOG_ERROR, "%s: " HD_GREET_TEXT_VERSION,
		  ptRemoteName(remote));
	return -EPROTO;
}

/* What was refused behind the greeting is said, instead of that it is over. */
static int remoteLook(struct ptRemote *remote)
{
	struct ptRemoteFrame frame;
	int ret = frameReceive(remote, 0, &frame);

	if (ret == 0 && frame.header.type == PT_WIRE_ERROR)
		return ptRemoteRefused(remote, &frame);
	return ret == 0 ? remoteFailed(remote, -EPROTO) : 0;
}

/* ---- Who we are -------------------------------------------------------- */

/* Send who we are, and check who the other side is; without a token only if
 * that has to be. */
static int proveWith(struct ptRemote *remote, const char *user,
		     const char *token)
{
	struct hdFrameAuthenticate request;
	struct hdFrameAuthenticated answer;
	uint16_t tag;
	int ret;

	ret = hdGreetProve(&remote->greet, remote->session, user, token,
			   &request);
	if (ret == -EACCES)
		ptMessage(HD_LOG_ERROR,
			  "%s: " HD_GREET_TEXT_TOKEN "; use --token=FILE",
			  ptRemoteName(remote));
	if (ret <= 0)
		return ret < 0 ? remoteFailed(remote, ret) : 0;
	ret = ptRemoteSend(remote, PT_WIRE_AUTHENTICATE, &request, &tag);
	if (ret == 0)
		ret = ptRemoteAnswer(remote, tag, PT_WIRE_AUTHENTICATED,
				     &answer, NULL);
	if (ret < 0)
		return ret;
	if (hdGreetIsProven(&remote->greet, &answer))
		return 0;
	ptMessage(HD_LOG_ERROR, "%s: " HD_GREET_TEXT_SERVER,
		  ptRemoteName(remote));
	return -EACCES;
}

static int remoteProve(struct ptRemote *remote)
{
	const char *user = remote->setup->user, *token;
	struct hdTokens *tokens;
	int ret;

	if (!remote->setup->tokenFile)
		return proveWith(remote, NULL, NULL);
	ret = hdTokensRead(remote->setup->tokenFile, &tokens);
	if (ret < 0)
		return ret;
	token = hdTokensFind(tokens, &user);
	if (token) {
		ret = proveWith(remote, user, token);
	} else {
		ptMessage(HD_LOG_ERROR, "%s: no token of user %s",
			  remote->setup->tokenFile, user ? user : "anybody");
		ret = -EACCES;
	}
	hdTokensDestroy(tokens);
	return ret;
}

int ptRemoteOpen(const struct ptRemoteSetup *setup, int wakeFd,
		 struct ptRemote **result)
{
	int fd, ret = remoteConnect(setup, wakeFd, &fd);

	return ret < 0 ? ret : ptRemoteTake(setup, fd, wakeFd, result);
}

int ptRemoteTake(const struct ptRemoteSetup *setup, int fd, int wakeFd,
		 struct ptRemote **result)
{
	struct ptRemote *remote = g_new0(struct ptRemote, 1);
	int ret = 0;

	remote->setup = setup;
	remote->wakeFd = wakeFd;
	remote->fd = fd;
	remote->in = g_byte_array_new();
	if (setup->isEncrypted)
		ret = remoteEncrypt(remote);
	if (ret == 0)
		ret = remoteGreet(remote);
	if (ret == 0)
		ret = remoteLook(remote);
	if (ret == 0)
		ret = remoteProve(remote);
	if (ret == 0)
		ret = remoteCompare(remote);
	if (ret < 0)
		ptRemoteClose(remote);
	else
		*result = remote;
	return ret;
}

void ptRemoteClose(struct ptRemote *remote)
{
	if (!remote)
		return;
	hdTlsClose(remote->session);
	hdTlsDestroy(remote->tls);
	close(remote->fd);
	g_byte_array_unref(remote->in);
	g_free(remote);
}
