/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A server of pmlib made of software; see model.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>

#include "tests/pm/model.h"

/* Sets that a counter can have. */
#define SETS 1000

/* A connection, in a thread of its own. */
struct peer {
	const struct model *model;
	int fd, number, generation;
	size_t sent;
	GByteArray *out; /* What is sent as a whole. */
	/* The counter. */
	bool isStates, isAggregate, isActive;
	int lines, line[128];
	int sets;
};

double modelWatts(int line, int set, int sample)
{
	return 10.5 * (line + 1) + 100 * set + 0.25 * sample;
}

/* Four states of two CPUs; they make up all of the time. */
double modelPercent(int line, int set, int sample)
{
	double first = (double)((sample * 10 + set * 5) % 50);
	const double states[] = { first, 50 - first, 12.5, 37.5 };

	return states[line % 4];
}

int modelCount(int set)
{
	return 4 + 3 * (set % 3);
}

/* ---- Bytes ------------------------------------------------------------- */

static void __attribute__((__noreturn__)) peerEnd(struct peer *peer)
{
	close(peer->fd);
	g_byte_array_unref(peer->out);
	g_free(peer);
	pthread_exit(NULL);
}

static void __attribute__((__noreturn__)) peerReset(struct peer *peer)
{
	const struct linger linger = { 1, 0 };

	setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	peerEnd(peer);
}

/* Read on until the other side ends. */
static void __attribute__((__noreturn__)) peerWait(struct peer *peer)
{
	char byte;

	while (recv(peer->fd, &byte, 1, 0) > 0)
		;
	peerEnd(peer);
}

static void peerFault(struct peer *peer, unsigned char *byte)
{
	switch (peer->model->record->fault) {
	case MODEL_CLOSES:
		/* What was not read would make a reset of it. */
		shutdown(peer->fd, SHUT_WR);
		peerWait(peer);
	case MODEL_RESETS:
		peerReset(peer);
	case MODEL_SILENT:
		peerWait(peer);
	case MODEL_GARBLES:
		*byte = (unsigned char)~*byte;
		break;
	case MODEL_LIES:
		memcpy(byte, peer->model->record->lie,
		       peer->model->record->lieSize);
		break;
	default:
		break;
	}
}

/* Whether this connection is one that the test looks at. */
static bool isSeen(const struct peer *peer)
{
	return peer->number < MODEL_CONNECTIONS &&
	       peer->generation == peer->model->record->generation;
}

static void peerWrite(struct peer *peer, unsigned char *bytes, size_t size)
{
	struct modelRecord *record = peer->model->record;
	bool isHere = record->fault != MODEL_GOOD &&
		      record->connection == peer->number && isSeen(peer);
	size_t chunk =
		peer->model->chunk > 0 ? (size_t)peer->model->chunk : size;

	for (size_t at = 0; at < size;) {
		size_t now = MIN(chunk, size - at);
		ssize_t done;

		if (isHere && peer->sent <= record->after &&
		    peer->sent + now > record->after) {
			now = record->after - peer->sent;
			if (now == 0) {
				peerFault(peer, bytes + at);
				now = 1;
			}
		}
		done = send(peer->fd, bytes + at, now, MSG_NOSIGNAL);
		if (done <= 0)
			peerEnd(peer);
		at += (size_t)done;
		peer->sent += (size_t)done;
		if (isSeen(peer))
			record->sent[peer->number] = peer->sent;
	}
}

static void peerFlush(struct peer *peer)
{
	peerWrite(peer, peer->out->data, peer->out->len);
	g_byte_array_set_size(peer->out, 0);
}

static void putInt(struct peer *peer, int number)
{
	gint32 bits = GINT32_TO_LE(number);

	g_byte_array_append(peer->out, (const guint8 *)&bits, 4);
}

static void putText(struct peer *peer, const char *text)
{
	putInt(peer, (int)strlen(text));
	g_byte_array_append(peer->out, (const guint8 *)text,
			    (guint)strlen(text));
}

static void putWatts(struct peer *peer, double watts)
{
	guint64 bits;
	guint32 bits4;
	float single = (float)watts;

	if (peer->model->dialect == 'A') {
		memcpy(&bits4, &single, 4);
		bits4 = GUINT32_TO_LE(bits4);
		g_byte_array_append(peer->out, (const guint8 *)&bits4, 4);
	} else {
		memcpy(&bits, &watts, 8);
		bits = GUINT64_TO_LE(bits);
		g_byte_array_append(peer->out, (const guint8 *)&bits, 8);
	}
}

static void answer(struct peer *peer, int number)
{
	putInt(peer, number);
	peerFlush(peer);
}

/* Keep a part of a request for the test. */
static void keep(struct peer *peer, const unsigned char *bytes, size_t size)
{
	struct modelRecord *record = peer->model->record;
	size_t *used = &record->got[peer->number];

	for (size_t i = 0; i < size && *used < MODEL_REQUESTS; i++)
		record->requests[peer->number][(*used)++] = bytes[i];
}

/* Receive so many bytes; the end of the connection is the end. */
static void take(struct peer *peer, void *bytes, size_t size)
{
	unsigned char *at = bytes;

	for (size_t done = 0; done < size;) {
		ssize_t got = recv(peer->fd, at + done, size - done, 0);

		if (got <= 0)
			peerEnd(peer);
		if (isSeen(peer))
			keep(peer, at + done, (size_t)got);
		done += (size_t)got;
	}
}

static int takeInt(struct peer *peer)
{
	gint32 number;

	take(peer, &number, 4);
	return GINT32_FROM_LE(number);
}

static void takeText(struct peer *peer, char *text, size_t size)
{
	int length = takeInt(peer);

	if (length < 0 || (size_t)length >= size)
		peerEnd(peer);
	take(peer, text, (size_t)length);
	text[length] = '\0';
}

/* ---- Counters ---------------------------------------------------------- */

static bool isPython(const struct peer *peer)
{
	return strchr("ABO", peer->model->dialect) != NULL;
}

static bool isDevice(const char *name)
{
	return strcmp(name, MODEL_DEVICE) == 0 ||
	       strcmp(name, MODEL_STATES) == 0 ||
	       strcmp(name, MODEL_HIDDEN) == 0;
}

static void create(struct peer *peer)
{
	char name[2000];
	unsigned char mask[16];
	bool isEmpty = true;
	int count;

	takeText(peer, name, sizeof(name));
	takeInt(peer); /* The frequency: the law has none. */
	peer->isAggregate = takeInt(peer) != 0;
	if (takeInt(peer) != sizeof(mask))
		peerEnd(peer);
	take(peer, mask, sizeof(mask));
	peer->isStates = strcmp(name, MODEL_STATES) == 0;
	count = peer->isStates ? MODEL_STATES_LINES : MODEL_LINES;
	if (!isDevice(name)) {
		/* Python says nothing. */
		if (peer->model->dialect == 'A' || peer->model->dialect == 'B')
			take(peer, mask, 1);
		answer(peer, -1);
		peerEnd(peer);
	}
	for (size_t i = 0; i < sizeof(mask); i++)
		isEmpty = isEmpty && mask[i] == 0;
	for (int i = 0; i < count; i++)
		if (mask[i / 8] >> i % 8 & 1 || (isEmpty && isPython(peer)))
			peer->line[peer->lines++] = i;
	answer(peer, 0);
}

static double valueOf(const struct peer *peer, int line, int set, int sample)
{
	return peer->isStates ? modelPercent(line, set, sample)
			      : modelWatts(line, set, sample);
}

static void putSum(struct peer *peer, int set)
{
	for (int i = 0; i < modelCount(set); i++) {
		double sum = 0;

		for (int l = 0; l < peer->lines; l++)
			sum += valueOf(peer, peer->line[l], set, i);
		putWatts(peer, sum);
	}
}

static void putLine(struct peer *peer, int line, int set)
{
	for (int i = 0; i < modelCount(set); i++)
		putWatts(peer, valueOf(peer, peer->line[line], set, i));
}

static void putValues(struct peer *peer)
{
	if (peer->isAggregate && peer->lines > 0) {
		for (int s = 0; s < peer->sets; s++)
			putSum(peer, s);
	} else if (isPython(peer)) {
		for (int l = 0; l < peer->lines; l++)
			for (int s = 0; s < peer->sets; s++)
				putLine(peer, l, s);
	} else {
		for (int s = 0; s < peer->sets; s++)
			for (int l = 0; l < peer->lines; l++)
				putLine(peer, l, s);
	}
}

static void get(struct peer *peer)
{
	int total = 0;

	if (peer->isActive) {
		answer(peer, -1);
		return;
	}
	for (int s = 0; s < peer->sets && peer->lines > 0; s++)
		total += modelCount(s);
	putInt(peer, total * (peer->isAggregate ? 1 : peer->lines) +
			     peer->model->tooManyValues);
	putInt(peer, peer->sets + 1 + peer->model->tooManySets);
	putInt(peer, peer->lines);
	total = 0;
	putInt(peer, total);
	for (int s = 0; s < peer->sets; s++) {
		total += peer->lines > 0 ? modelCount(s) : 0;
		putInt(peer, total);
	}
	putValues(peer);
	peerFlush(peer);
}

static void start(struct peer *peer, bool isFirst)
{
	if (peer->isActive || peer->sets >= SETS) {
		answer(peer, -1);
		return;
	}
	if (isFirst)
		peer->sets = 0;
	peer->isActive = true;
	answer(peer, 0);
}

static void stop(struct peer *peer)
{
	bool wasActive = peer->isActive;

	peer->isActive = false;
	peer->sets += wasActive;
	answer(peer, wasActive && !peer->model->isLimited ? 0 : -1);
}

static void session(struct peer *peer)
{
	create(peer);
	for (;;) {
		int operation = takeInt(peer);

		if (operation == 1 || operation == 2) {
			start(peer, operation == 1);
		} else if (operation == 3) {
			stop(peer);
		} else if (operation == 4) {
			get(peer);
		} else if (operation == 5 && peer->isActive &&
			   !isPython(peer)) {
			answer(peer, -1);
		} else if (operation == 5) {
			__atomic_add_fetch(&peer->model->record->finalized, 1,
					   __ATOMIC_RELAXED);
			answer(peer, 0);
			return;
		} else if (isPython(peer)) {
			return;
		} else {
			answer(peer, -1);
		}
	}
}

/* ---- Questions --------------------------------------------------------- */

static void list(struct peer *peer)
{
	if (peer->model->dialect != 'C')
		putInt(peer, 2);
	putText(peer, MODEL_DEVICE);
	putText(peer, MODEL_STATES);
	peerFlush(peer);
}

static void info(struct peer *peer)
{
	char name[2000];
	bool isStates;

	takeText(peer, name, sizeof(name));
	isStates = strcmp(name, MODEL_STATES) == 0;
	if (!isDevice(name)) {
		answer(peer, -1);
		return;
	}
	putInt(peer, isStates ? MODEL_STATES_FREQUENCY : MODEL_FREQUENCY);
	putInt(peer, isStates ? MODEL_STATES_LINES : MODEL_LINES);
	putText(peer, name);
	peerFlush(peer);
}

static void putStatus(struct peer *peer, const char *name, int frequency,
		      int lines, const char *const *states)
{
	float volts = GUINT32_TO_LE(0) == 0 ? 12.0F : 0;
	bool isPdu = states == NULL;

	putText(peer, name);
	putInt(peer, frequency);
	putInt(peer, lines);
	putInt(peer, isPdu);
	if (!isPdu)
		putText(peer, "node06");
	for (int i = 0; i < lines; i++) {
		char *text = states && !peer->model->hasNoLines
				     ? g_strdup_printf("cpu%d/%s", i / 4,
						       states[i % 4])
				     : g_strdup_printf("line %d", i);

		putInt(peer, i);
		putText(peer, text);
		g_byte_array_append(peer->out, (const guint8 *)&volts, 4);
		putText(peer, "12 V");
		if (isPdu)
			putText(peer, "node07");
		g_free(text);
	}
	/* A counter of somebody. */
	putInt(peer, 1);
	putInt(peer, 7);
	putText(peer, "10.0.0.1");
	putInt(peer, 2);
	putInt(peer, 0);
	putInt(peer, 1);
}

static void status(struct peer *peer)
{
	static const char *const states[] = { "C0", "C1", "C3", "C6" };

	if (peer->model->isStatusSlow)
		takeInt(peer);
	putInt(peer, 2);
	putStatus(peer, MODEL_DEVICE, MODEL_FREQUENCY, MODEL_LINES, NULL);
	putStatus(peer, MODEL_STATES, MODEL_STATES_FREQUENCY,
		  MODEL_STATES_LINES, states);
	peerFlush(peer);
}

static void serve(struct peer *peer)
{
	const struct modelRecord *record = peer->model->record;
	int operation;

	/* Perhaps it is to be ended at once. */
	if (record->after == 0 && record->fault == MODEL_RESETS &&
	    record->connection == peer->number && isSeen(peer))
		peerReset(peer);
	operation = takeInt(peer);
	if (operation == 0)
		session(peer);
	else if (operation == 6)
		info(peer);
	else if (operation == 7)
		list(peer);
	else if (operation == 8)
		status(peer);
	else if (isPython(peer))
		takeInt(peer);
	else
		answer(peer, -1);
}

/* ---- Processes --------------------------------------------------------- */

static void *runPeer(void *data)
{
	struct peer *peer = data;

	serve(peer);
	peerEnd(peer);
}

static void __attribute__((__noreturn__))
run(const struct model *model, int door)
{
	struct modelRecord *record = model->record;
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (;;) {
		struct peer *peer = g_new0(struct peer, 1);

		peer->model = model;
		peer->fd = accept(door, NULL, NULL);
		if (peer->fd < 0)
			_exit(1);
		peer->out = g_byte_array_new();
		peer->generation = record->generation;
		peer->number = record->connections++;
		if (pthread_create(&thread, &attributes, runPeer, peer) != 0)
			_exit(1);
	}
}

void modelArm(struct model *model, enum modelFault fault, int connection,
	      size_t after)
{
	struct modelRecord *record = model->record;
	int generation = record->generation + 1;

	memset(record, 0, sizeof(*record));
	record->generation = generation;
	record->fault = fault;
	record->connection = connection;
	record->after = after;
}

void modelLie(struct model *model, int connection, size_t after,
	      const void *bytes, size_t size)
{
	g_assert_cmpuint(size, <=, sizeof(model->record->lie));
	modelArm(model, MODEL_LIES, connection, after);
	memcpy(model->record->lie, bytes, size);
	model->record->lieSize = size;
}

void modelStart(struct model *model)
{
	struct sockaddr_in where = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(where);
	int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	model->record =
		mmap(NULL, sizeof(*model->record), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	g_assert_true(model->record != MAP_FAILED);
	g_assert_cmpint(bind(door, (struct sockaddr *)&where, length), ==, 0);
	g_assert_cmpint(listen(door, 16), ==, 0);
	g_assert_cmpint(getsockname(door, (struct sockaddr *)&where, &length),
			==, 0);
	model->pid = fork();
	g_assert_cmpint(model->pid, >=, 0);
	if (model->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(model, door);
	}
	close(door);
	g_assert_cmpint(pm_set_server("127.0.0.1", ntohs(where.sin_port),
				      &model->server),
			==, 0);
}

void modelStop(struct model *model)
{
	kill(model->pid, SIGKILL);
	waitpid(model->pid, NULL, 0);
	munmap(model->record, sizeof(*model->record));
	model->record = NULL;
}
