/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: serves the viewer and its data to a browser on this host.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <microhttpd.h>

#include "HDTraceTools/pages/meta.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/report/report.h"
#include "HDTraceTools/view/answers.h"
#include "HDTraceTools/view/gate.h"
#include "HDTraceTools/view/key.h"
#include "HDTraceTools/view/server.h"
#include "common/hex.h"
#include "common/library.h"

#define TOKEN_BYTES (GATE_TOKEN_LENGTH / 2)
#define INSTANCE_BYTES 8
#define CONNECTIONS_MAX 64
#define TIMEOUT_S 60

/* ---- The library ------------------------------------------------------- */

#define FUNCTIONS(X)                       \
	X(MHD_add_connection)              \
	X(MHD_add_response_header)         \
	X(MHD_create_response_from_buffer) \
	X(MHD_destroy_response)            \
	X(MHD_lookup_connection_value)     \
	X(MHD_queue_response)              \
	X(MHD_start_daemon)                \
	X(MHD_stop_daemon)

static struct mhdApi {
	FUNCTIONS(HD_LIBRARY_FUNCTION)
} api;

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct mhdApi, name)
static const struct hdSymbol symbols[] = { FUNCTIONS(SYMBOL) HD_LIBRARY_END };

static struct hdLibrary library = {
	.what = "libmicrohttpd",
	.file = MICROHTTPD_SONAME,
	.package = "libmicrohttpd12",
	.symbols = symbols,
	.api = &api,
};

const char *viewServerMissing(void)
{
	return hdLibraryMissing(&library);
}

/* ---- The server -------------------------------------------------------- */

struct viewServer {
	struct MHD_Daemon *daemon;
	struct gate *gate;
	int listening;
	struct viewFollow *const *projects;
	size_t count;
	const char *align;
	char token[GATE_TOKEN_LENGTH + 1];
	char instance[2 * INSTANCE_BYTES + 1]; /**< Differs at each start. */
	char *hosts[2];   /**< What a browser may call us. */
	char *origins[2]; /**< And what pages of ours are. */
};

/* ---- What requests ask for --------------------------------------------- */

static const char *serverArgument(const struct exchange *exchange,
				  const char *name)
{
	return api.MHD_lookup_connection_value(exchange->connection,
					       MHD_GET_ARGUMENT_KIND, name);
}

/** The project that "project" numbers, the first one if it is not there; NULL
 * if there is none of that number. */
static struct viewFollow *findProject(const struct exchange *exchange)
{
	const struct viewServer *server = exchange->server;
	guint64 number = 0;

	if (exchange->argument(exchange, "project") &&
	    !answerNumber(exchange, "project", server->count - 1, &number))
		return NULL;
	return server->projects[number];
}

/** Take the edition that there is of the project that is asked about: 200, or
 *  why not. */
static unsigned int viewServerTakeEdition(struct exchange *exchange)
{
	const char *layout = exchange->argument(exchange, "layout");

	exchange->follow = findProject(exchange);
	if (!exchange->follow)
		return MHD_HTTP_NOT_FOUND;
	exchange->edition = viewFollowTake(exchange->follow);
	exchange->project = &exchange->edition->served;
	/* Then numbers of tracks mean others. */
	return !layout || strcmp(layout, exchange->project->layout) == 0
		       ? MHD_HTTP_OK
		       : MHD_HTTP_NO_CONTENT;
}

static void viewServerGiveBack(struct exchange *exchange)
{
	if (exchange->edition)
		viewFollowGiveBack(exchange->follow, exchange->edition);
}

/* ---- Answers ----------------------------------------------------------- */

/** Put what a page is told of the projects. */
static void putMeta(const struct viewServer *self, struct outJson *json,
		    FILE *file)
{
	bool isOne = self->count == 1;

	if (!isOne)
		metaBeginSeveral(json, file, self->align);
	for (size_t i = 0; i < self->count; i++) {
		struct viewEdition *edition = viewFollowTake(self->projects[i]);
		const struct viewServed *served = &edition->served;
		const int64_t *start = served->hasStart ? &served->start : NULL;

		if (isOne)
			metaBegin(json, file, served->findings, start, 0);
		else
			metaBeginOne(json, served->findings, start,
				     served->shift);
		outJsonText(json, "layout", served->layout);
		outJsonInteger(json, "edition", (int64_t)edition->number);
		if (!isOne)
			outJsonEnd(json);
		viewFollowGiveBack(self->projects[i], edition);
	}
	if (!isOne)
		outJsonEnd(json);
	outJsonPlain(json, "report", "null");
	metaEnd(json);
}

/** Answer with what is written to a file in memory. */
static void answerText(struct exchange *exchange,
		       void (*put)(const struct exchange *exchange, FILE *file),
		       const char *type)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		g_error("no memory");
	put(exchange, file);
	if (fclose(file) != 0)
		g_error("no memory");
	g_byte_array_append(exchange->body, (const guint8 *)text, (guint)size);
	free(text);
	exchange->type = type;
}

static void viewServerPutMeta(const struct exchange *exchange, FILE *file)
{
	struct outJson json;

	putMeta(exchange->server, &json, file);
}

static void viewServerPutPage(const struct exchange *exchange, FILE *file)
{
	pageStart(file, true);
	pageStartMeta(file);
	viewServerPutMeta(exchange, file);
	pageEndMeta(file);
	pageEnd(file);
}

static unsigned int answerPage(struct exchange *exchange)
{
	answerText(exchange, viewServerPutPage, ANSWER_HTML);
	return MHD_HTTP_OK;
}

static unsigned int answerMeta(struct exchange *exchange)
{
	answerText(exchange, viewServerPutMeta, ANSWER_JSON);
	return MHD_HTTP_OK;
}

static void viewServerPutLive(const struct exchange *exchange, FILE *file)
{
	struct outJson json = { .file = file, .isInPage = true };

	outJsonObject(&json, NULL, false);
	viewFollowPut(exchange->follow, &json);
	outJsonEnd(&json);
}

static unsigned int answerLive(struct exchange *exchange)
{
	answerText(exchange, viewServerPutLive, ANSWER_JSON);
	return MHD_HTTP_OK;
}

/** Which server this is: a page asks now and then whether it is there. */
static unsigned int answerAlive(struct exchange *exchange)
{
	const char *instance = exchange->server->instance;

	g_byte_array_append(exchange->body, (const guint8 *)instance,
			    (guint)strlen(instance));
	exchange->type = ANSWER_TEXT;
	return MHD_HTTP_OK;
}

static void viewServerPutProgress(const struct exchange *exchange, FILE *file)
{
	const struct viewServed *served = exchange->project;
	struct viewProgress progress = viewJobsProgress(served->jobs);
	struct outJson json = { .file = file, .isInPage = true };

	outJsonObject(&json, NULL, false);
	outJsonInteger(&json, "done", progress.done);
	outJsonInteger(&json, "total", progress.total);
	outJsonBool(&json, "isComplete", progress.hasReport);
	outJsonBool(&json, "hasFailed", progress.hasFailed);
	if (progress.hasStart)
		outJsonSeconds(&json, "start", progress.start);
	else
		outJsonPlain(&json, "start", "null");
	if (progress.hasReport)
		reportPutJson(served->findings, &json, "report", NULL);
	else
		outJsonPlain(&json, "report", "null");
	outJsonEnd(&json);
}

static unsigned int answerProgress(struct exchange *exchange)
{
	answerText(exchange, viewServerPutProgress, ANSWER_JSON);
	return MHD_HTTP_OK;
}

static const struct {
	const char *path;
	unsigned int (*answer)(struct exchange *exchange);
} answers[] = {
	{ "", answerPage },       { "track", answerTrack },
	{ "part", answerPart },   { "entries", answerEntries },
	{ "alive", answerAlive }, { "progress", answerProgress },
	{ "notes", answerNotes }, { "states", answerStates },
	{ "pairs", answerPairs }, { "meta", answerMeta },
	{ "live", answerLive },
};

/* ---- Who may ask ------------------------------------------------------- */

static bool isOneOf(char *const list[2], const char *text)
{
	return g_ascii_strcasecmp(list[0], text) == 0 ||
	       g_ascii_strcasecmp(list[1], text) == 0;
}

static const char *header(const struct exchange *exchange, const char *name)
{
	return api.MHD_lookup_connection_value(exchange->connection,
					       MHD_HEADER_KIND, name);
}

/** Whether a request is from a page of ours, or goes to one, as a link does. */
static bool isAllowed(const struct exchange *exchange)
{
	const struct viewServer *server = exchange->server;
	const char *host = header(exchange, MHD_HTTP_HEADER_HOST);
	const char *origin = header(exchange, MHD_HTTP_HEADER_ORIGIN);
	const char *site = header(exchange, "Sec-Fetch-Site");
	const char *to = header(exchange, "Sec-Fetch-Dest");

	return host && isOneOf(server->hosts, host) &&
	       (!origin || isOneOf(server->origins, origin)) &&
	       (!site || strcmp(site, "same-origin") == 0 ||
		strcmp(site, "none") == 0 ||
		(to && strcmp(to, "document") == 0));
}

/* ---- HTTP -------------------------------------------------------------- */

static unsigned int viewServerAnswerPath(struct exchange *exchange,
					 const char *path)
{
	unsigned int status;

	if (!isAllowed(exchange))
		return MHD_HTTP_FORBIDDEN;
	if (!gateHasToken(path, strlen(path), exchange->server->token))
		return MHD_HTTP_NOT_FOUND;
	path += GATE_TOKEN_LENGTH + 2;
	status = viewServerTakeEdition(exchange);
	if (status != MHD_HTTP_OK)
		return status;
	for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
		if (strcmp(path, answers[i].path) == 0)
			return answers[i].answer(exchange);
	}
	return MHD_HTTP_NOT_FOUND;
}

static void addHeaders(struct MHD_Response *response, const char *type)
{
	static const char *const headers[][2] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		{ MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS, "nosniff" },
		{ MHD_HTTP_HEADER_X_FRAME_OPTIONS, "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		/* The page itself says the rest. */
		{ MHD_HTTP_HEADER_CONTENT_SECURITY_POLICY,
		  "frame-ancestors 'none'" },
	};

	api.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				    type);
	for (size_t i = 0; i < G_N_ELEMENTS(headers); i++)
		api.MHD_add_response_header(response, headers[i][0],
					    headers[i][1]);
}

/** What stands for the body of a request that has none. */
static int isReading;

/** Whether a request may change something: 200, or why not. Only a page of ours
 *  may, which a browser says in Origin. */
static unsigned int viewServerCheckWrite(struct exchange *exchange,
					 const char *path, const char *method)
{
	if (strcmp(method, MHD_HTTP_METHOD_POST) != 0 ||
	    !gateHasToken(path, strlen(path), exchange->server->token) ||
	    strcmp(path + GATE_TOKEN_LENGTH + 2, "notes") != 0)
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	if (!header(exchange, MHD_HTTP_HEADER_ORIGIN) || !isAllowed(exchange))
		return MHD_HTTP_FORBIDDEN;
	return findProject(exchange) ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND;
}

/** Take a part of a body; what is too long is not kept. */
static void viewServerTakeBody(GByteArray *line, const char *upload,
			       size_t *size)
{
	guint room = NOTES_LINE_MAX + 1 - line->len;

	g_byte_array_append(line, (const guint8 *)upload,
			    (guint)MIN(*size, room));
	*size = 0;
}

/** A request is over: what came of its body goes. */
static void viewServerEndRequest(void *data, struct MHD_Connection *connection,
				 void **context,
				 enum MHD_RequestTerminationCode code)
{
	(void)data;
	(void)connection;
	(void)code;
	if (*context && *context != &isReading)
		g_byte_array_unref(*context);
	*context = NULL;
}

static enum MHD_Result viewServerHandleRequest(
	void *data, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload,
	size_t *uploadSize, void **context)
{
	struct exchange exchange = {
		.server = data,
		.connection = connection,
		.argument = serverArgument,
		.type = ANSWER_BYTES,
	};
	bool isRead = strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
		      strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	struct MHD_Response *response;
	enum MHD_Result result = MHD_NO;
	unsigned int status;
	guint size;

	(void)version;
	status = isRead ? MHD_HTTP_OK
			: viewServerCheckWrite(&exchange, url, method);
	/* Who answers before the body has come closes the connection. */
	if (status == MHD_HTTP_OK && !*context) {
		*context = isRead ? (void *)&isReading : g_byte_array_new();
		return MHD_YES;
	}
	if (status == MHD_HTTP_OK && !isRead && *uploadSize) {
		viewServerTakeBody(*context, upload, uploadSize);
		return MHD_YES;
	}
	*uploadSize = 0;
	exchange.body = g_byte_array_new();
	if (isRead)
		status = viewServerAnswerPath(&exchange, url);
	else if (status == MHD_HTTP_OK)
		status = viewServerTakeEdition(&exchange);
	if (!isRead && status == MHD_HTTP_OK)
		status = answerNoteChange(&exchange, *context);
	viewServerGiveBack(&exchange);
	size = exchange.body->len;
	response = api.MHD_create_response_from_buffer(
		size, g_byte_array_free(exchange.body, FALSE),
		MHD_RESPMEM_MUST_FREE);
	if (response) {
		addHeaders(response, exchange.type);
		result = api.MHD_queue_response(connection, status, response);
		api.MHD_destroy_response(response);
	}
	return result;
}

/* ---- Starting and stopping --------------------------------------------- */

/** Write so many random bytes as text. */
static int makeRandom(char *text, size_t count)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, count, 0) != (ssize_t)count)
		return errno ? -errno : -EIO;
	*hdHexPut(text, bytes, count) = '\0';
	return 0;
}

/** The token of an address that stays the same while the port does, if that was
 *  asked for; else a new one. */
static int makeToken(struct viewServer *self, uint16_t port)
{
	GString *names = g_string_new(NULL);
	int ret = -ENOENT;

	for (size_t i = 0; i < self->count; i++) {
		struct viewEdition *edition = viewFollowTake(self->projects[i]);
		char *real =
			g_canonicalize_filename(edition->project->prefix, NULL);

		viewFollowGiveBack(self->projects[i], edition);
		g_string_append_printf(names, "%s\n", real);
		g_free(real);
	}
	if (port)
		ret = viewKeyToken(names->str, port, self->token,
				   GATE_TOKEN_LENGTH);
	g_string_free(names, TRUE);
	return ret == 0 ? 0 : makeRandom(self->token, TOKEN_BYTES);
}

static void nameOurselves(struct viewServer *self, uint16_t port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		self->hosts[i] = g_strdup_printf("%s:%u", names[i], port);
		self->origins[i] = g_strdup_printf("http://%s", self->hosts[i]);
	}
}

/** Returns a socket that listens on this host only, or a negative errno. */
static int listenAt(struct viewServer *self, uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, (struct sockaddr *)&address, length) == 0 &&
	    listen(fd, SOMAXCONN) == 0 &&
	    getsockname(fd, (struct sockaddr *)&address, &length) == 0) {
		nameOurselves(self, ntohs(address.sin_port));
		return fd;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

/** A connection of somebody who knows the token. */
static void viewServerAcceptFd(int fd, const struct sockaddr *address,
			       socklen_t length, void *data)
{
	const struct viewServer *self = data;

	/* Where there is no place it is closed. */
	api.MHD_add_connection(self->daemon, fd, address, length);
}

/** All that requests look at must be there. */
static int answerAt(struct viewServer *self, uint16_t port)
{
	self->listening = listenAt(self, port);
	if (self->listening < 0)
		return self->listening;
	errno = 0;
	self->daemon = api.MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET |
			MHD_USE_ITC,
		0, NULL, NULL, viewServerHandleRequest, self,
		MHD_OPTION_THREAD_POOL_SIZE, 4U, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)TIMEOUT_S, MHD_OPTION_NOTIFY_COMPLETED,
		viewServerEndRequest, NULL, MHD_OPTION_END);
	if (!self->daemon)
		return errno ? -errno : -ENOMEM;
	return gateStart(&self->gate, self->listening, self->token,
			 viewServerAcceptFd, self);
}

int viewServerStart(struct viewServer **server, uint16_t port,
		    struct viewFollow *const *projects, size_t count,
		    const char *align, char **url)
{
	struct viewServer *self = g_new0(struct viewServer, 1);
	int ret;

	self->listening = -1;
	self->projects = projects;
	self->count = count;
	self->align = align;
	ret = makeToken(self, port);
	if (ret == 0)
		ret = makeRandom(self->instance, INSTANCE_BYTES);
	if (ret == 0)
		ret = answerAt(self, port);
	if (ret < 0) {
		viewServerStop(self);
		return ret;
	}
	*url = g_strdup_printf("%s/%s/", self->origins[0], self->token);
	*server = self;
	return 0;
}

void viewServerStop(struct viewServer *self)
{
	if (!self)
		return;
	gateStop(self->gate);
	if (self->daemon)
		api.MHD_stop_daemon(self->daemon);
	if (self->listening >= 0)
		close(self->listening);
	for (size_t i = 0; i < G_N_ELEMENTS(self->hosts); i++) {
		g_free(self->hosts[i]);
		g_free(self->origins[i]);
	}
	g_free(self);
}
