/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A bad way to a good server: datagrams go through it and meet with what a
 * script says; see README.
 */
#include "config.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gio/gio.h>

#include "tests/sim/damage.h"

#define DATAGRAM_MAX 65536

/** One direction. */
struct way {
	enum simTrigger trigger;
	uint64_t count;
	GString *held; /**< A datagram that the next one overtakes. */
};

/** A datagram that comes later. */
struct late {
	bool isToServer;
	int64_t atUs;
	GString *bytes;
};

struct proxy {
	int client;              /**< Where clients send to. */
	int server;              /**< Connected to the server. */
	struct sockaddr_in last; /**< The client that was heard last. */
	struct way up, down;
	GPtrArray *script;
	GQueue lates;  /**< Of struct late. */
	gboolean both; /**< After what was damaged comes what is right. */
	int64_t startUs;
	int64_t deafUntilUs;
};

static volatile sig_atomic_t terminate;

static void onSignal(int number)
{
	(void)number;
	terminate = 1;
}

static void sendNow(struct proxy *proxy, bool isToServer, const GString *bytes)
{
	/* What cannot be sent is lost, as datagrams are. */
	if (isToServer)
		(void)!send(proxy->server, bytes->str, bytes->len, 0);
	else
		(void)!sendto(proxy->client, bytes->str, bytes->len, 0,
			      (struct sockaddr *)&proxy->last,
			      sizeof(proxy->last));
}

static void sendLater(struct proxy *proxy, bool isToServer, GString *bytes,
		      double ms)
{
	struct late *late = g_new(struct late, 1);

	late->isToServer = isToServer;
	late->atUs = g_get_monotonic_time() + (int64_t)(ms * 1000);
	late->bytes = bytes;
	g_queue_push_tail(&proxy->lates, late);
}

/* What happens to the proxy itself. */
static void act(struct proxy *proxy, const struct simRule *rule)
{
	if (rule->action == SIM_HANG || rule->action == SIM_UNPLUG)
		proxy->deafUntilUs =
			rule->number > 0 ? g_get_monotonic_time() +
						   (int64_t)(rule->number * 1e6)
					 : INT64_MAX;
}

/* Let a datagram through, as far as the rules for it do. */
static void pass(struct proxy *proxy, bool isToServer, GString *bytes)
{
	struct way *way = isToServer ? &proxy->up : &proxy->down;
	GSList *rules =
		simScriptMatch(proxy->script, way->trigger, ++way->count, NULL);
	GString *right = g_string_new_len(bytes->str, (gssize)bytes->len);
	bool silent = false, swap = false, again = false;
	double slowMs = 0;

	for (GSList *link = rules; link; link = link->next) {
		const struct simRule *rule = link->data;

		silent |= rule->action == SIM_SILENT;
		swap |= rule->action == SIM_SWAP;
		again |= rule->action == SIM_AGAIN;
		if (rule->action == SIM_SLOW)
			slowMs += rule->number;
		act(proxy, rule);
		simDamage(bytes, rule);
	}
	g_slist_free(rules);
	silent |= g_get_monotonic_time() < proxy->deafUntilUs;
	if (!silent && swap && !way->held) {
		way->held = g_string_new_len(bytes->str, (gssize)bytes->len);
	} else if (!silent && slowMs > 0) {
		sendLater(proxy, isToServer,
			  g_string_new_len(bytes->str, (gssize)bytes->len),
			  slowMs);
	} else if (!silent) {
		sendNow(proxy, isToServer, bytes);
		if (again)
			sendNow(proxy, isToServer, bytes);
		if (proxy->both && !g_string_equal(bytes, right))
			sendNow(proxy, isToServer, right);
		if (way->held) {
			sendNow(proxy, isToServer, way->held);
			g_string_free(g_steal_pointer(&way->held), true);
		}
	}
	g_string_free(bytes, true);
	g_string_free(right, true);
}

static void receive(struct proxy *proxy, bool isToServer)
{
	static char buffer[DATAGRAM_MAX];
	socklen_t length = sizeof(proxy->last);
	ssize_t count;

	if (isToServer)
		count = recvfrom(proxy->client, buffer, sizeof(buffer), 0,
				 (struct sockaddr *)&proxy->last, &length);
	else
		count = recv(proxy->server, buffer, sizeof(buffer), 0);
	if (count > 0)
		pass(proxy, isToServer,
		     g_string_new_len(buffer, (gssize)count));
}

static void sendLates(struct proxy *proxy)
{
	GList *next;

	for (GList *link = proxy->lates.head; link; link = next) {
		struct late *late = link->data;

		next = link->next;
		if (late->atUs > g_get_monotonic_time())
			continue;
		sendNow(proxy, late->isToServer, late->bytes);
		g_string_free(late->bytes, true);
		g_free(late);
		g_queue_delete_link(&proxy->lates, link);
	}
}

/* Milliseconds until something is due, or -1. */
static int untilNext(const struct proxy *proxy)
{
	double rule = simScriptNext(proxy->script);
	int64_t next = INT64_MAX, now = g_get_monotonic_time();

	for (GList *link = proxy->lates.head; link; link = link->next)
		next = MIN(next, ((struct late *)link->data)->atUs);
	if (isfinite(rule))
		next = MIN(next, proxy->startUs + (int64_t)(rule * 1e6));
	if (next == INT64_MAX)
		return -1;
	return (int)CLAMP((next - now) / 1000 + 1, 0, 60000);
}

static void run(struct proxy *proxy)
{
	while (!terminate) {
		struct pollfd entries[] = {
			{ .fd = proxy->client, .events = POLLIN },
			{ .fd = proxy->server, .events = POLLIN },
		};
		double seconds;
		GSList *rules;

		if (poll(entries, 2, untilNext(proxy)) < 0)
			continue;
		seconds =
			(double)(g_get_monotonic_time() - proxy->startUs) / 1e6;
		rules = simScriptTimed(proxy->script, seconds);
		for (GSList *link = rules; link; link = link->next)
			act(proxy, link->data);
		g_slist_free(rules);
		sendLates(proxy);
		if (entries[0].revents)
			receive(proxy, true);
		if (entries[1].revents)
			receive(proxy, false);
	}
}

/* A socket of this host: bound to any port, or connected to one. */
static int openSocket(int connectTo, int *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)connectTo),
	};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 ||
	    (connectTo ? connect(fd, (struct sockaddr *)&address, length)
		       : bind(fd, (struct sockaddr *)&address, length)) ||
	    getsockname(fd, (struct sockaddr *)&address, &length)) {
		perror("udp-proxy");
		exit(1);
	}
	*port = ntohs(address.sin_port);
	return fd;
}

int main(int argc, char **argv)
{
	struct proxy proxy = { .up.trigger = SIM_AT_CYCLE,
			       .down.trigger = SIM_AT_REPLY };
	struct sigaction action = { .sa_handler = onSignal };
	char *script = NULL;
	int to = 0, port, own;
	const GOptionEntry entries[] = {
		{ "to", 0, 0, G_OPTION_ARG_INT, &to,
		  "The server, a port of 127.0.0.1", "PORT" },
		{ "script", 's', 0, G_OPTION_ARG_FILENAME, &script,
		  "What is to go wrong, and when", "FILE" },
		{ "both", 0, 0, G_OPTION_ARG_NONE, &proxy.both,
		  "Behind a datagram that was damaged comes the right one",
		  NULL },
		{ 0 },
	};
	GOptionContext *context = g_option_context_new(
		"- let datagrams through, but not all of them, nor unharmed");
	GError *error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (g_option_context_parse(context, &argc, &argv, &error) &&
	    (to <= 0 || to > 65535 || argc > 1))
		g_set_error_literal(&error, G_IO_ERROR, G_IO_ERROR_FAILED,
				    "--to=PORT must be there");
	g_option_context_free(context);
	if (!error)
		proxy.script =
			script ? simScriptRead(script, &error) : simScriptNew();
	if (error) {
		fprintf(stderr, "udp-proxy: %s\n", error->message);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	proxy.client = openSocket(0, &port);
	proxy.server = openSocket(to, &own);
	proxy.startUs = g_get_monotonic_time();
	printf("ready 127.0.0.1:%d\n", port);
	fflush(stdout);
	run(&proxy);
	g_ptr_array_unref(proxy.script);
	g_free(script);
	return 0;
}
