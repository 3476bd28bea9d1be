/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * relay-client: threads that write, read or create files of relay-server, as
 * the processes of an MPI program would. In each step each of them writes one
 * block of a file that all have in common, one behind the other.
 *
 *     relay-client --servers=HOST:PORT,... write|read|create
 *
 * What is read has to be what was written: the number of its page, over and
 * over. See server.c; build it with:
 *     cc -pthread -o relay-client client.c call.c stripes.c bmi.c machine.c \
 *         wire.c layers.c options.c \
 *         $(pkg-config --static --cflags --libs libhdTracing)
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "layers.h"
#include "options.h"

#define PAGE 4096

struct clientOptions {
	const char *project, *host, *name, *file;
	char *servers;
	enum wireOperation operation;
	int clients, count;
	uint64_t size;
};

struct client {
	const struct clientOptions *options;
	int number;
	struct caller caller;
	pthread_t thread;
	int error;
	const char *what; /* That has failed. */
};

/* ---- Data -------------------------------------------------------------- */

/* The eight bytes that a page consists of. */
static void word(char *bytes, uint64_t offset)
{
	uint64_t page = offset / PAGE;

	for (int i = 8; i-- > 0; page >>= 8)
		bytes[i] = (char)page;
}

static void fill(char *memory, uint64_t offset, uint64_t size)
{
	char bytes[8];

	for (uint64_t i = 0; i < size; i++) {
		if (i == 0 || (offset + i) % PAGE == 0)
			word(bytes, offset + i);
		memory[i] = bytes[(offset + i) % 8];
	}
}

static int isRight(const char *memory, uint64_t offset, uint64_t size)
{
	char bytes[8];

	for (uint64_t i = 0; i < size; i++) {
		if (i == 0 || (offset + i) % PAGE == 0)
			word(bytes, offset + i);
		if (memory[i] != bytes[(offset + i) % 8])
			return 0;
	}
	return 1;
}

/* ---- Threads ----------------------------------------------------------- */

static int step(struct client *client, int number, char *memory)
{
	const struct clientOptions *options = client->options;
	uint64_t block = (uint64_t)number * (uint64_t)options->clients +
			 (uint64_t)client->number;
	uint64_t offset = block * options->size;
	char name[WIRE_NAME_MAX + 1];
	int error;

	switch (options->operation) {
	case WIRE_CREATE:
		client->what = "create";
		snprintf(name, sizeof(name), "%s.%d.%d", options->file,
			 client->number, number);
		return callCreate(&client->caller, name);
	case WIRE_WRITE:
		client->what = "write";
		fill(memory, offset, options->size);
		return callWrite(&client->caller, options->file, offset, memory,
				 options->size);
	case WIRE_READ:
	default:
		client->what = "read";
		memset(memory, 0xff, options->size);
		error = callRead(&client->caller, options->file, offset, memory,
				 options->size);
		if (!error && !isRight(memory, offset, options->size)) {
			client->what = "read something else";
			error = EILSEQ;
		}
		return error;
	}
}

static void *run(void *data)
{
	struct client *client = data;
	char *memory = malloc(client->options->size + 1);

	if (!memory)
		client->error = ENOMEM;
	for (int i = 0; i < client->options->count && !client->error; i++)
		client->error = step(client, i, memory);
	free(memory);
	return NULL;
}

/* Connect to all servers. */
static int join(struct client *client)
{
	struct caller *caller = &client->caller;
	char *list = strdup(client->options->servers), *rest = NULL;
	int ret = 0;

	client->what = "connect";
	if (!list)
		return ENOMEM;
	for (char *i = strtok_r(list, ",", &rest); i && ret >= 0;
	     i = strtok_r(NULL, ",", &rest)) {
		if (caller->servers == CALL_SERVERS_MAX) {
			client->what = "connect to so many servers";
			ret = -E2BIG;
			continue;
		}
		ret = bmiConnect(i);
		if (ret >= 0)
			caller->sockets[caller->servers++] = ret;
	}
	free(list);
	return ret < 0 ? -ret : 0;
}

static void part(struct client *client)
{
	for (int i = 0; i < client->caller.servers; i++)
		close(client->caller.sockets[i]);
}

/* Run all of them; whether they have succeeded. */
static int runAll(const struct clientOptions *options, struct machinePool *pool,
		  struct bmi *bmi)
{
	struct client *clients =
		calloc((size_t)options->clients, sizeof(*clients));
	int isGood = clients != NULL, started = 0, error;

	if (!clients)
		perror("relay-client");
	for (int i = 0; clients && i < options->clients; i++) {
		struct client *client = &clients[i];

		client->options = options;
		client->number = i;
		client->caller.pool = pool;
		client->caller.bmi = bmi;
		client->error = join(client);
		if (client->error)
			break;
		client->what = "start a thread";
		error = pthread_create(&client->thread, NULL, run, client);
		if (error) {
			client->error = error;
			break;
		}
		started++;
	}
	for (int i = 0; i < started; i++)
		pthread_join(clients[i].thread, NULL);
	for (int i = 0; clients && i < options->clients; i++) {
		part(&clients[i]);
		if (!clients[i].error)
			continue;
		fprintf(stderr, "relay-client: client %d: %s: %s\n", i,
			clients[i].what, strerror(clients[i].error));
		isGood = 0;
	}
	free(clients);
	return isGood && started == options->clients;
}

/* ---- Options ----------------------------------------------------------- */

static const char usage[] =
	"usage: relay-client --servers=HOST:PORT,... [OPTION...] "
	"write|read|create\n"
	"  --project=PREFIX  record into files that begin so; else nothing is\n"
	"  --host=LABEL      name of the host in the project; default: its "
	"name\n"
	"  --name=LABEL      name of the process; default: client\n"
	"  --file=NAME       file, or DIRECTORY/NAME; default: file\n"
	"  --clients=NUMBER  threads, each with connections; default: 9\n"
	"  --count=NUMBER    steps; default: 10\n"
	"  --size=BYTES      of a block, also as 64K or 10M; default: 10M\n";

static enum wireOperation operation(const char *name)
{
	if (strcmp(name, "create") == 0)
		return WIRE_CREATE;
	if (strcmp(name, "write") == 0)
		return WIRE_WRITE;
	if (strcmp(name, "read") == 0)
		return WIRE_READ;
	optionsFail(usage);
}

static void readOptions(struct clientOptions *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "servers", required_argument, NULL, 's' },
		{ "project", required_argument, NULL, 'p' },
		{ "host", required_argument, NULL, 'h' },
		{ "name", required_argument, NULL, 'n' },
		{ "file", required_argument, NULL, 'f' },
		{ "clients", required_argument, NULL, 'c' },
		{ "count", required_argument, NULL, 'i' },
		{ "size", required_argument, NULL, 'b' },
		{ 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 's':
			options->servers = optarg;
			break;
		case 'p':
			options->project = optarg;
			break;
		case 'h':
			options->host = optionsLabel(optarg);
			break;
		case 'n':
			options->name = optionsLabel(optarg);
			break;
		case 'f':
			options->file = optarg;
			break;
		case 'c':
			options->clients =
				(int)optionsNumber(optarg, 1, 1000, usage);
			break;
		case 'i':
			options->count =
				(int)optionsNumber(optarg, 0, 1000000, usage);
			break;
		case 'b':
			options->size = (uint64_t)optionsNumber(
				optarg, 1, INT64_C(1) << 30, usage);
			break;
		default:
			optionsFail(usage);
		}
	}
	/* There is one at least. */
	if (optind != argc - 1 || !options->servers ||
	    !options->servers[strspn(options->servers, ",")])
		optionsFail(usage);
	options->operation = operation(argv[optind]);
}

int main(int argc, char **argv)
{
	struct clientOptions options = { .host = optionsHost(),
					 .name = "client",
					 .file = "file",
					 .clients = 9,
					 .count = 10,
					 .size = 10 * 1024 * 1024 };
	struct machinePool *pool;
	struct bmi *bmi;
	int isGood;

	readOptions(&options, argc, argv);
	layersOpen(options.project, options.host, options.name, LAYERS_CLIENT);
	pool = machinePoolStart(4);
	bmi = bmiStart();
	if (!pool || !bmi) {
		perror("relay-client");
		return 1;
	}
	isGood = runAll(&options, pool, bmi);
	bmiStop(bmi);
	machinePoolStop(pool);
	layersClose();
	return !isGood;
}
