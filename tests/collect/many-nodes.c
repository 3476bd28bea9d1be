/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many nodes in one process, for measurements of who asks: COUNT JSON-FILE PORT
 * [FIRST]. Each has an address of its own, 127.1.X.Y, and says what is in the
 * file, in bytes that are made once, so that they take as little as they can of
 * a CPU that they share with who asks. The addresses are printed to stdout.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "NodeStatus/wire/wire.h"
#include "common/clock.h"

#define HELLO_SIZE 16
#define GREETING_SIZE 64
#define HEAD_SIZE 8
#define CLOCKS_SIZE 16
#define EVENTS 256

/* An answer to each set of sections: a frame, whose tag and clocks change. */
static struct answer {
	unsigned char *bytes;
	size_t length;
} answers[HD_NODE_WIRE_ALL + 1];

static json_t *said;

/* A socket that listens, or a connection. */
struct end {
	int fd;
	bool isListening, isGreeted;
	unsigned char data[HEAD_SIZE + 64];
	size_t length;
};

static int epollFd;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void put(unsigned char *at, uint64_t number, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(number >> (8 * i));
}

static uint32_t get(const unsigned char *at, size_t bytes)
{
	uint32_t number = 0;

	for (size_t i = bytes; i-- > 0;)
		number = number << 8 | at[i];
	return number;
}

static void putClocks(unsigned char *at)
{
	put(at, (uint64_t)hdClockNow(), 8);
	put(at + 8, (uint64_t)hdMonotonicNow(), 8);
}

static void putHead(unsigned char *at, size_t length, unsigned int type,
		    unsigned int tag)
{
	put(at, length, 4);
	put(at + 4, type, 2);
	put(at + 6, tag, 2);
}

/* ---- Answers ------------------------------------------------------------- */

static struct answer *answerTo(uint32_t sections)
{
	struct answer *answer = &answers[sections & HD_NODE_WIRE_ALL];
	json_t *all;
	char *text;

	if (answer->bytes)
		return answer;
	all = json_pack("{sn ss sO? sf ss}", "node", "host", "soft", "boot",
			json_object_get(said, "boot_id"), "started", 1.0,
			"version", "0");
	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++)
		if (sections & 1U << i)
			json_object_set(
				all, hdNodeWireSectionNames[i],
				json_object_get(said,
						hdNodeWireSectionNames[i]));
	text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(16));
	if (!text)
		fail("json");
	answer->length = HEAD_SIZE + 4 + CLOCKS_SIZE + strlen(text);
	answer->bytes = malloc(answer->length);
	if (!answer->bytes)
		fail("malloc");
	put(answer->bytes + HEAD_SIZE, sections, 4);
	memcpy(answer->bytes + HEAD_SIZE + 4 + CLOCKS_SIZE, text, strlen(text));
	free(text);
	json_decref(all);
	return answer;
}

static void say(const struct end *end, const unsigned char *bytes,
		size_t length)
{
	if (send(end->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length)
		fail("send");
}

static void greet(struct end *end)
{
	unsigned char greeting[GREETING_SIZE] = HD_NODE_WIRE_MAGIC;

	put(greeting + 4, HD_NODE_WIRE_VERSION, 2);
	put(greeting + 6, 0, 6);
	put(greeting + 12, HD_NODE_WIRE_REQUEST_MAX, 4);
	putClocks(greeting + 16);
	say(end, greeting, sizeof(greeting));
	end->isGreeted = true;
}

/* A frame that is there as a whole. */
static void answerFrame(const struct end *end)
{
	unsigned char pong[HEAD_SIZE + 8 + CLOCKS_SIZE];
	const unsigned char *payload = end->data + HEAD_SIZE;
	unsigned int tag = get(end->data + 6, 2);
	struct answer *answer;

	if (get(end->data + 4, 2) == HD_NODE_WIRE_GET) {
		answer = answerTo(get(payload, 4));
		putHead(answer->bytes, answer->length - HEAD_SIZE,
			HD_NODE_WIRE_STATE, tag);
		putClocks(answer->bytes + HEAD_SIZE + 4);
		say(end, answer->bytes, answer->length);
		return;
	}
	putHead(pong, sizeof(pong) - HEAD_SIZE, HD_FRAME_PONG, tag);
	memcpy(pong + HEAD_SIZE, payload, 8);
	putClocks(pong + HEAD_SIZE + 8);
	say(end, pong, sizeof(pong));
}

/* ---- Connections --------------------------------------------------------- */

static void watch(int fd, bool isListening)
{
	struct end *end = calloc(1, sizeof(*end));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = end };

	if (!end)
		fail("calloc");
	end->fd = fd;
	end->isListening = isListening;
	if (epoll_ctl(epollFd, EPOLL_CTL_ADD, fd, &event) < 0)
		fail("epoll_ctl");
}

/* Whether a hello or a frame was there, and is answered. */
static bool take(struct end *end)
{
	size_t size = HELLO_SIZE;

	if (end->isGreeted)
		size = HEAD_SIZE;
	if (end->length < size)
		return false;
	if (end->isGreeted)
		size += get(end->data, 4);
	if (size > sizeof(end->data)) {
		fputs("a request that is too long\n", stderr);
		exit(2);
	}
	if (end->length < size)
		return false;
	if (end->isGreeted)
		answerFrame(end);
	else
		greet(end);
	end->length -= size;
	memmove(end->data, end->data + size, end->length);
	return true;
}

static void ready(struct end *end)
{
	ssize_t got;
	int fd, on = 1;

	if (end->isListening) {
		fd = accept4(end->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			fail("accept");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		watch(fd, false);
		return;
	}
	got = recv(end->fd, end->data + end->length,
		   sizeof(end->data) - end->length, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		close(end->fd);
		free(end);
		return;
	}
	end->length += (size_t)got;
	while (take(end)) {
	}
}

static void listenAt(unsigned int number, int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(0x7f010000U | number / 250 << 8 |
					 (number % 250 + 1)),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 8) < 0)
		fail("listen");
	watch(fd, true);
	printf("127.1.%u.%u:%d\n", number / 250, number % 250 + 1, port);
}

int main(int argc, char **argv)
{
	unsigned int first = argc > 4 ? (unsigned int)atoi(argv[4]) : 0;
	int count = argc > 3 ? atoi(argv[1]) : 0;
	struct epoll_event events[EVENTS];

	said = argc > 3 ? json_load_file(argv[2], 0, NULL) : NULL;
	if (count <= 0 || !said)
		return 2;
	epollFd = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < count; i++)
		listenAt(first + (unsigned int)i, atoi(argv[3]));
	fflush(stdout);
	for (;;) {
		int found = epoll_wait(epollFd, events, EVENTS, -1);

		for (int i = 0; i < found; i++)
			ready(events[i].data.ptr);
	}
}
