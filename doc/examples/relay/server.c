/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * relay-server: keeps its part of files that are spread over several servers.
 *
 * Requests come over TCP and are worked on by state machines, whose data flows
 * between the network and the storage in buffers. What that is made of are the
 * layers of a parallel file system of 2009 (PVFS), and each of them is traced:
 * how much is pending in it, and what it was that caused each operation.
 *
 *     relay-server --project=relay DIRECTORY &
 *     relay-client --project=relay --servers=localhost:PORT write
 *     kill %1
 *     hdtrace merge relay
 *     hdtrace relations relay
 *
 * Signals: SIGTERM and SIGINT end it, SIGUSR1 opens the gate of --method=gated,
 * SIGUSR2 prints how many operations are pending.
 *
 * Build it with:
 *     cc -pthread -o relay-server server.c request.c scheduler.c flow.c \
 *         trove.c aio.c bmi.c machine.c wire.c layers.c options.c \
 *         $(pkg-config --static --cflags --libs libhdTracing)
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "layers.h"
#include "options.h"
#include "request.h"
#include "wire.h"

struct connection {
	struct server *server;
	int socket;
	int isBusy; /* Its request is worked on. */
	size_t have;
	char bytes[WIRE_REQUEST_MAX];
	struct connection *next, **place;
};

struct server {
	struct service service;
	int epoll, listener, signals;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	struct connection *connections;
	int busy;
	int isEnding;
};

struct serverOptions {
	const char *project, *host, *name, *directory;
	int port, workers;
	struct troveOptions trove;
};

/* ---- Connections ------------------------------------------------------- */

static void drop(struct connection *connection)
{
	*connection->place = connection->next;
	if (connection->next)
		connection->next->place = connection->place;
	close(connection->socket);
	free(connection);
}

static void watch(struct connection *connection, int operation)
{
	/* One event, until it is watched again. */
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT,
				     .data.ptr = connection };

	if (epoll_ctl(connection->server->epoll, operation, connection->socket,
		      &event) < 0)
		drop(connection);
}

/* A request was answered. */
static void answered(void *data, int isBroken)
{
	struct connection *connection = data;
	struct server *server = connection->server;

	pthread_mutex_lock(&server->lock);
	connection->isBusy = 0;
	connection->have = 0;
	if (--server->busy == 0)
		pthread_cond_signal(&server->idle);
	if (isBroken)
		drop(connection);
	else if (!server->isEnding)
		watch(connection, EPOLL_CTL_MOD);
	pthread_mutex_unlock(&server->lock);
}

static void acceptAll(struct server *server)
{
	for (;;) {
		int fd = accept(server->listener, NULL, NULL);
		struct connection *connection;

		if (fd < 0)
			return;
		connection =
			bmiPrepare(fd) < 0 ? NULL : malloc(sizeof(*connection));
		if (!connection) {
			close(fd);
			continue;
		}
		connection->server = server;
		connection->socket = fd;
		connection->isBusy = 0;
		connection->have = 0;
		pthread_mutex_lock(&server->lock);
		connection->place = &server->connections;
		connection->next = server->connections;
		if (connection->next)
			connection->next->place = &connection->next;
		server->connections = connection;
		watch(connection, EPOLL_CTL_ADD);
		pthread_mutex_unlock(&server->lock);
	}
}

/* Receive what there is of a request: 1, it is complete; 0, it is not; -1, it
 * is none, or nothing comes any more. */
static int receive(struct connection *connection)
{
	for (;;) {
		long length = wireLength(connection->bytes, connection->have);
		ssize_t got;

		if (length < 0)
			return -1;
		if ((size_t)length == connection->have)
			return 1;
		got = recv(connection->socket,
			   connection->bytes + connection->have,
			   (size_t)length - connection->have, MSG_DONTWAIT);
		if (got > 0)
			connection->have += (size_t)got;
		else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		else if (got == 0 || errno != EINTR)
			return -1;
	}
}

/* Something came that nobody has asked for: part of a request. */
static void unexpected(struct connection *connection)
{
	struct server *server = connection->server;
	int ret;

	pthread_mutex_lock(&server->lock);
	ret = receive(connection);
	if (ret < 0) {
		drop(connection);
	} else if (ret == 0) {
		watch(connection, EPOLL_CTL_MOD);
	} else {
		connection->isBusy = 1;
		server->busy++;
	}
	pthread_mutex_unlock(&server->lock);
	if (ret > 0)
		requestStart(&server->service, connection, connection->socket,
			     connection->bytes);
}

/* ---- The server -------------------------------------------------------- */

/* Whether it is to go on. */
static int takeSignal(struct server *server)
{
	struct signalfd_siginfo info;

	if (read(server->signals, &info, sizeof(info)) != sizeof(info))
		return 1;
	if (info.ssi_signo == SIGUSR1)
		troveOpen(server->service.trove);
	else if (info.ssi_signo == SIGUSR2)
		layersPrint();
	else
		return 0;
	return 1;
}

static void serve(struct server *server)
{
	struct epoll_event event;

	for (;;) {
		if (epoll_wait(server->epoll, &event, 1, -1) < 1)
			continue;
		if (event.data.ptr == &server->listener)
			acceptAll(server);
		else if (event.data.ptr != &server->signals)
			unexpected(event.data.ptr);
		else if (!takeSignal(server))
			return;
	}
}

/* Requests that are worked on end, since their sockets do. */
static void finish(struct server *server)
{
	troveOpen(server->service.trove);
	pthread_mutex_lock(&server->lock);
	server->isEnding = 1;
	for (struct connection *i = server->connections; i; i = i->next)
		shutdown(i->socket, SHUT_RDWR);
	while (server->busy > 0)
		pthread_cond_wait(&server->idle, &server->lock);
	while (server->connections)
		drop(server->connections);
	pthread_mutex_unlock(&server->lock);
}

static int listenAt(struct server *server, int *port)
{
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t set;

	server->listener = bmiListen(port);
	if (server->listener < 0) {
		errno = -server->listener;
		return -1;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	/* For all threads, which are started later. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	server->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->signals < 0 || server->epoll < 0)
		return -1;
	event.data.ptr = &server->listener;
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->listener, &event) <
	    0)
		return -1;
	event.data.ptr = &server->signals;
	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->signals, &event);
}

static int start(struct server *server, const struct serverOptions *options)
{
	struct service *service = &server->service;

	service->answered = answered;
	service->directory =
		open(options->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (service->directory < 0)
		return -1;
	errno = ENOMEM;
	service->bmi = bmiStart();
	service->trove = troveStart(&options->trove);
	service->pool = machinePoolStart(options->workers);
	return service->bmi && service->trove && service->pool ? 0 : -1;
}

static void stop(struct server *server)
{
	machinePoolStop(server->service.pool);
	troveStop(server->service.trove);
	bmiStop(server->service.bmi);
	close(server->service.directory);
	close(server->listener);
	close(server->signals);
	close(server->epoll);
}

/* ---- Options ----------------------------------------------------------- */

static const char usage[] =
	"usage: relay-server [OPTION...] DIRECTORY\n"
	"  --project=PREFIX  record into files that begin so; else nothing is\n"
	"  --host=LABEL      name of the host in the project; default: its "
	"name\n"
	"  --name=LABEL      name of the process; default: server\n"
	"  --port=NUMBER     0, the default: any; it is printed\n"
	"  --workers=NUMBER  threads that run state machines; default: 4\n"
	"  --method=NAME     threads, direct, or gated until SIGUSR1\n"
	"  --threads=NUMBER  of the storage; default: 16\n"
	"  --delay=MS        each operation of the storage takes so much "
	"longer\n"
	"  --fail=NUMBER     of so many operations posted to it one fails\n";

static int method(const char *name)
{
	static const char *const methods[] = { "threads", "direct", "gated" };

	for (int i = 0; i < 3; i++)
		if (strcmp(name, methods[i]) == 0)
			return i;
	optionsFail(usage);
}

static void readOptions(struct serverOptions *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "project", required_argument, NULL, 'p' },
		{ "host", required_argument, NULL, 'h' },
		{ "name", required_argument, NULL, 'n' },
		{ "port", required_argument, NULL, 'P' },
		{ "workers", required_argument, NULL, 'w' },
		{ "method", required_argument, NULL, 'm' },
		{ "threads", required_argument, NULL, 't' },
		{ "delay", required_argument, NULL, 'd' },
		{ "fail", required_argument, NULL, 'f' },
		{ 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'p':
			options->project = optarg;
			break;
		case 'h':
			options->host = optionsLabel(optarg);
			break;
		case 'n':
			options->name = optionsLabel(optarg);
			break;
		case 'P':
			options->port =
				(int)optionsNumber(optarg, 0, 65535, usage);
			break;
		case 'w':
			options->workers =
				(int)optionsNumber(optarg, 1, 1000, usage);
			break;
		case 'm':
			options->trove.method =
				(enum troveMethod)method(optarg);
			break;
		case 't':
			options->trove.threads =
				(int)optionsNumber(optarg, 1, 1000, usage);
			break;
		case 'd':
			options->trove.delayMs =
				(int)optionsNumber(optarg, 0, 100000, usage);
			break;
		case 'f':
			options->trove.failNth =
				(int)optionsNumber(optarg, 0, 1000000, usage);
			break;
		default:
			optionsFail(usage);
		}
	}
	if (optind != argc - 1)
		optionsFail(usage);
	options->directory = argv[optind];
}

int main(int argc, char **argv)
{
	struct serverOptions options = { .host = optionsHost(),
					 .name = "server",
					 .workers = 4,
					 .trove = { .threads = 16 } };
	static struct server server = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.idle = PTHREAD_COND_INITIALIZER,
	};

	readOptions(&options, argc, argv);
	if (listenAt(&server, &options.port) < 0) {
		perror("relay-server: port");
		return 1;
	}
	layersOpen(options.project, options.host, options.name, LAYERS_SERVER);
	if (start(&server, &options) < 0) {
		perror(options.directory);
		return 1;
	}
	printf("relay-server: port %d\n", options.port);
	fflush(stdout);
	serve(&server);
	finish(&server);
	stop(&server);
	layersClose();
	return 0;
}
