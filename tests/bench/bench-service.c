/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the power service costs, and how fast it is: sampling 32 lines at 1 kHz,
 * reading back ten million doubles over loopback by both protocols, and the
 * time from STOP to its answer while 100 clients record. "bench-service
 * [SECONDS]" samples so long (10).
 */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/core/service.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/wire/wire.h"
#include "common/clock.h"

#define LINES 32
#define DOUBLES 10000000
#define CLIENTS 100
#define STOPS 40 /* Of each client. */

static void check(int isGood, const char *what)
{
	if (isGood)
		return;
	fprintf(stderr, "bench-service: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- A device that is filled by hand ----------------------------------- */

static const struct ptQuantity quantities[] = {
	{ "P", DOUBLE, "W", "Power", "power" },
	{ NULL, DOUBLE, NULL, NULL, NULL },
};

static int fillResolve(const struct ptSetup *setup, const char *channel,
		       size_t index, unsigned int *number,
		       char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	(void)channel;
	(void)why;
	(void)whySize;
	if (index >= LINES)
		return -ENOENT;
	*number = (unsigned int)index;
	snprintf(label, PT_CHANNEL_MAX, "%zu", index);
	return 0;
}

static int fillOpen(struct ptDevice *dev, struct ptColumn *columns,
		    size_t count)
{
	(void)dev;
	(void)columns;
	(void)count;
	return 0;
}

static int fillStart(struct ptDevice *dev)
{
	(void)dev;
	return 0;
}

static int fillRead(struct ptDevice *dev, union hdCell *cells,
		    struct ptReading *reading)
{
	eventfd_t unused;
	struct timespec second = { .tv_sec = 1 };

	(void)cells;
	(void)reading;
	nanosleep(&second, NULL);
	eventfd_read(dev->setup.wakeFd, &unused);
	return -EINTR;
}

static void fillClose(struct ptDevice *dev)
{
	(void)dev;
}

static const struct ptDriver fill = {
	.name = "fill",
	.timing = PT_TIMED_BY_METER,
	.quantities = quantities,
	.minCycleMs = 1,
	.maxCycleMs = 1000,
	.resolve = fillResolve,
	.open = fillOpen,
	.start = fillStart,
	.read = fillRead,
	.close = fillClose,
};

/* ---- A converter that sends ---------------------------------------------- */

static int senderFd, senderPort;
static pthread_t sender;
static int64_t senderNs; /* CPU time that it took. */

/* Send 32 doubles each millisecond to whoever connects. */
static void *sendAll(void *unused)
{
	double values[LINES];
	struct timespec next, used;
	int fd = accept(senderFd, NULL, NULL);

	(void)unused;
	for (int i = 0; i < LINES; i++)
		values[i] = i + 1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (send(fd, values, sizeof(values), MSG_NOSIGNAL) > 0) {
		next.tv_nsec += 1000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_sec++;
			next.tv_nsec -= 1000000000;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		__atomic_store_n(&senderNs,
				 (int64_t)used.tv_sec * 1000000000 +
					 used.tv_nsec,
				 __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

static void beginSender(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	socklen_t length = sizeof(address);

	senderFd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	check(senderFd >= 0 &&
		      bind(senderFd, (struct sockaddr *)&address, length) ==
			      0 &&
		      listen(senderFd, 1) == 0 &&
		      getsockname(senderFd, (struct sockaddr *)&address,
				  &length) == 0 &&
		      pthread_create(&sender, NULL, sendAll, NULL) == 0,
	      "sender");
	senderPort = ntohs(address.sin_port);
}

/* ---- The service ------------------------------------------------------- */

static struct ptService *service;
static struct hdPoll stopPoll;
static int port, stopFd;
static pthread_t thread;

static void catchPort(enum hdLogLevel level, const char *text)
{
	const char *at = strstr(text, "serving at 127.0.0.1:");

	if (at)
		port = atoi(at + strlen("serving at 127.0.0.1:"));
	else if (level < HD_LOG_INFO)
		fprintf(stderr, "%s\n", text);
}

static void stopReady(struct hdPoll *poll, uint32_t events)
{
	(void)poll;
	(void)events;
	ptServiceStop(service);
}

static void *serveAll(void *unused)
{
	(void)unused;
	ptServiceRun(service);
	return NULL;
}

/* Serve the converter, or the other devices. */
static void begin(bool isConverter)
{
	const struct ptDriver *const drivers[] = {
		&fill,
		ptDriverFind(ptDrivers, "sim"),
		ptDriverFind(ptDrivers, "rawtcp"),
		NULL,
	};
	const struct ptServiceSetup setup = { .root = "" };
	char name[64];
	struct ptRequest request = { .drivers = drivers, .root = "" };
	struct ptSite *site;
	int fd = memfd_create("site.cfg", MFD_CLOEXEC);

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	request.file = name;
	dprintf(fd, "[Server]\nlisten=127.0.0.1:0\nclientMemory=2048\n"
		    "memory=4096\n");
	if (isConverter)
		dprintf(fd,
			"[Device]\nname=raw\ndriver=rawtcp\nrate=1000\n"
			"cycle=1\nport=tcp://127.0.0.1:%d\n"
			"[Line]\ndevice=raw\nnode=r\nchannel=*\nvalues=Raw\n",
			senderPort);
	else
		dprintf(fd, "[Device]\nname=fill\ndriver=fill\ncycle=1\n"
			    "[Line]\ndevice=fill\nnode=f\nchannel=*\nsum=no\n"
			    "[Device]\nname=sim\ndriver=sim\ncycle=1\n");
	for (int i = 0; !isConverter && i < LINES; i++)
		dprintf(fd, "[Line]\ndevice=sim\nnode=s\nchannel=c%d\n", i);
	hdLogSetLevel(&ptLogger, HD_LOG_INFO);
	ptLogger.print = catchPort;
	check(ptSiteRead(&request, &site) == 0, "configuration");
	check(ptServiceCreate(site, &setup, &service) == 0, "service");
	stopFd = eventfd(0, EFD_CLOEXEC);
	stopPoll.ready = stopReady;
	check(hdLoopAdd(&service->loop, stopFd, EPOLLIN, &stopPoll) == 0,
	      "poll");
	check(ptServiceBegin(service) == 0, "service");
	check(pthread_create(&thread, NULL, serveAll, NULL) == 0, "thread");
}

static void end(void)
{
	eventfd_write(stopFd, 1);
	pthread_join(thread, NULL);
	ptServiceDestroy(service);
	close(stopFd);
}

/* ---- Clients ----------------------------------------------------------- */

static int connectTo(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	check(fd >= 0 && connect(fd, (const struct sockaddr *)&address,
				 sizeof(address)) == 0,
	      "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void say(int fd, const void *bytes, size_t size)
{
	check(send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
}

static void hear(int fd, void *bytes, size_t size)
{
	check(recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size, "recv");
}

static int32_t ask(int fd, int32_t operation)
{
	int32_t answer;

	say(fd, &operation, sizeof(operation));
	hear(fd, &answer, sizeof(answer));
	return answer;
}

static int newCounter(const char *device)
{
	int fd = connectTo();
	int32_t length = (int32_t)strlen(device), answer;
	const int32_t tail[7] = { 0, 0, 16 };
	unsigned char bytes[100] = { 0 };

	memcpy(bytes + 4, &length, 4);
	memcpy(bytes + 8, device, (size_t)length);
	memcpy(bytes + 8 + length, tail, sizeof(tail));
	say(fd, bytes, 8 + (size_t)length + sizeof(tail));
	hear(fd, &answer, sizeof(answer));
	check(answer == 0, "CREATE");
	return fd;
}

/* ---- What is measured -------------------------------------------------- */

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time of this process but for the sender. */
static double cpuNow(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID) -
	       (double)__atomic_load_n(&senderNs, __ATOMIC_RELAXED) / 1e9;
}

static int32_t record(const char *device, int duration, double *cpu)
{
	int fd = newCounter(device);
	int32_t count, head[2];

	check(ask(fd, 1) == 0, "START");
	*cpu = cpuNow();
	sleep((unsigned int)duration);
	*cpu = cpuNow() - *cpu;
	check(ask(fd, 3) == 0, "STOP");
	count = ask(fd, 4);
	hear(fd, head, sizeof(head));
	close(fd);
	return count / LINES;
}

static void benchSampling(const char *device, const char *what, int duration)
{
	double cpu;
	int32_t count = record(device, duration, &cpu);

	printf("  %-44s %10.2f %% of a core (target 2), %d readings/s\n", what,
	       100 * cpu / duration, count / duration);
}

/* What a thread takes that only wakes up a thousand times a second: what reads
 * a meter that does not send by itself cannot take less. */
static void benchFloor(int duration)
{
	struct timespec next;
	double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < duration * 1000; i++) {
		next.tv_nsec += 1000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_sec++;
			next.tv_nsec -= 1000000000;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	printf("  %-44s %10.2f %% of a core\n",
	       "nothing but waking up 1000 times a second",
	       100 * (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu) / duration);
}

static void fillOne(int number)
{
	struct ptStored reading = { .wall = hdClockNow(),
				    .mono = hdMonotonicNow(),
				    .length = 1000000 };
	double values[LINES];

	for (int i = 0; i < LINES; i++)
		values[i] = number + i;
	ptStoreAdd(ptServedStore(ptServiceFind(service, "fill")), &reading,
		   values);
}

static void fillStore(void)
{
	for (int i = 0; i < DOUBLES / LINES; i++)
		fillOne(i);
}

/* The device goes on every millisecond: a set is complete when there is a
 * reading that is none of it. */
static pthread_t filler;
static int fills;

static void *fillOn(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&fills, __ATOMIC_RELAXED)) {
		fillOne(0);
		usleep(1000);
	}
	return NULL;
}

static void beginFilling(void)
{
	__atomic_store_n(&fills, 1, __ATOMIC_RELAXED);
	check(pthread_create(&filler, NULL, fillOn, NULL) == 0, "thread");
}

static void endFilling(void)
{
	__atomic_store_n(&fills, 0, __ATOMIC_RELAXED);
	pthread_join(filler, NULL);
}

static void printRate(const char *what, double bytes, double took)
{
	printf("  %-44s %10.0f MB/s (target 500)\n", what, bytes / took / 1e6);
}

static void benchPmlib(void)
{
	int fd = newCounter("fill");
	size_t size = (size_t)DOUBLES / LINES * LINES * sizeof(double);
	double *values = malloc(size), began, sum = 0;
	int32_t sets[2], head[2];

	check(values != NULL, "malloc");
	/* Not the page faults of this client. */
	memset(values, 1, size);
	check(ask(fd, 1) == 0, "START");
	fillStore();
	check(ask(fd, 3) == 0, "STOP");
	beginFilling();
	usleep(100000);
	began = seconds(CLOCK_MONOTONIC);
	check(ask(fd, 4) == (int32_t)(size / sizeof(double)), "GET");
	hear(fd, head, sizeof(head));
	hear(fd, sets, sizeof(sets));
	hear(fd, values, size);
	printRate("reading 10^7 doubles back, pmlib", (double)size,
		  seconds(CLOCK_MONOTONIC) - began);
	endFilling();
	for (int i = 0; i < LINES; i++)
		sum += values[(size_t)i * (DOUBLES / LINES)];
	check(sum == LINES * (LINES - 1) / 2, "values");
	free(values);
	close(fd);
}

/* Receive frames until one of a type; returns the bytes of data. */
static size_t hearUntil(int fd, unsigned int type, unsigned char *payload)
{
	unsigned char bytes[HD_FRAME_HEADER_SIZE];
	struct hdFrameHeader header;
	size_t size = 0;

	do {
		hear(fd, bytes, sizeof(bytes));
		hdFrameDecodeHeader(bytes, &header);
		check(header.length <= 1 << 20 && header.type != PT_WIRE_ERROR,
		      "frame");
		hear(fd, payload, header.length);
		if (header.type == PT_WIRE_DATA)
			size += header.length;
	} while (header.type != type);
	return size;
}

static void benchNative(void)
{
	const struct hdFrameHello hello = { 1, 1, 0, 1 << 20 };
	const struct ptWireSelection selection = { .device = { "fill", 4 } };
	const struct ptWireStream stream = { 1 };
	static unsigned char payload[1 << 20];
	unsigned char bytes[400], selections[100];
	struct ptWireOpen open = { .flags = PT_WIRE_KEEP,
				   .count = 1,
				   .selections = { selections, 0 } };
	int fd = connectTo();
	double began;
	size_t size;

	open.selections.length =
		ptWirePutSelection(&selection, selections, sizeof(selections));
	hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, bytes);
	say(fd, bytes, HD_FRAME_HELLO_SIZE);
	hear(fd, bytes, HD_FRAME_GREETING_SIZE);
	say(fd, bytes, ptWireEncode(PT_WIRE_OPEN, 1, &open, bytes, 400, NULL));
	say(fd, bytes,
	    ptWireEncode(PT_WIRE_START, 2, &stream, bytes, 400, NULL));
	hearUntil(fd, PT_WIRE_STARTED, payload);
	fillStore();
	began = seconds(CLOCK_MONOTONIC);
	beginFilling();
	say(fd, bytes,
	    ptWireEncode(PT_WIRE_STOP, 3, &stream, bytes, 400, NULL));
	size = hearUntil(fd, PT_WIRE_END, payload);
	check(size > (size_t)DOUBLES / LINES * LINES * 8, "values");
	printRate("reading 10^7 doubles back, with times", (double)size,
		  seconds(CLOCK_MONOTONIC) - began);
	endFilling();
	close(fd);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void benchStop(void)
{
	static double took[CLIENTS * STOPS];
	int fds[CLIENTS];
	size_t count = 0;

	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = newCounter("sim");
		check(ask(fds[i], 1) == 0, "START");
	}
	for (int n = 0; n < STOPS; n++) {
		for (int i = 0; i < CLIENTS; i++) {
			double began = seconds(CLOCK_MONOTONIC);

			check(ask(fds[i], 3) == 0, "STOP");
			took[count++] = seconds(CLOCK_MONOTONIC) - began;
			check(ask(fds[i], 1) == 0, "START");
		}
		usleep(10000);
	}
	qsort(took, count, sizeof(took[0]), compare);
	printf("  %-44s %10.3f ms, p99 %.3f ms (target 5), max %.3f ms\n",
	       "from STOP to its answer, 100 clients, median",
	       took[count / 2] * 1e3, took[count * 99 / 100] * 1e3,
	       took[count - 1] * 1e3);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	int duration = argc > 1 ? atoi(argv[1]) : 10;

	printf("The power service:\n");
	beginSender();
	begin(true);
	benchSampling("raw", "32 lines at 1 kHz of a converter", duration);
	end();
	begin(false);
	/* This one reads what the kernel knows of its CPUs each time. */
	benchSampling("sim", "the same, of the driver sim", duration);
	benchFloor(duration);
	benchPmlib();
	benchNative();
	benchStop();
	end();
	return 0;
}
