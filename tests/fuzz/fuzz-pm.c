/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what servers of pmlib answer to libpm.
 *
 * The first byte says to what: LIST, STATUS or GET, and the second how
 * many sets and what dialect a counter has. The rest is the answer. Or it says
 * that there is a session, of all functions over sockets: then the rest is what
 * comes over the first connection, the second and so on, each a length of two
 * bytes, little endian, and so many bytes.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/fuzz/fuzz.h"

#define S INT64_C(1000000000)

static void list(const uint8_t *data, size_t size)
{
	char **names = NULL;
	int count = -1;
	bool isCounted;

	if (pmParseList(data, size, &names, &count, &isCounted) < 0)
		return;
	must(count >= 0);
	for (int i = 0; i < count; i++)
		must(strlen(names[i]) > 0);
	pmListFree(names, count);
}

static void status(const uint8_t *data, size_t size)
{
	char *names[PM_LINES_MAX];
	int ret = pmParseStatus(data, size, "a", names);

	for (int i = 0; i < PM_LINES_MAX; i++) {
		must(ret == 0 || !names[i]);
		free(names[i]);
	}
}

/* A socket that has the answer, and then ends. */
static int answer(const uint8_t *data, size_t size, int *other)
{
	int pair[2], room = 1 << 20;

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	(void)setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (size > 0)
		must(send(pair[1], data, size, MSG_NOSIGNAL) >= 0);
	shutdown(pair[1], SHUT_WR);
	*other = pair[1];
	return pair[0];
}

static void checkEnergy(const counter_t *counter, int sets)
{
	const pm_measures *energy = &counter->measures->energy;
	double sum = 0;
	line_t all;

	must(energy->watts_sets_size == sets + 1);
	must(energy->lines_len <= PM_LINES_MAX);
	for (int i = 0; i < energy->watts_size; i++)
		sum += energy->watts[i];
	(void)sum;
	LINE_SET_ALL(&all);
	pm_get_energy(*counter, all, -1, NULL, NULL);
	pm_print_data_text("/dev/null", *counter, all, -1);
	pm_print_data_otf("/dev/null", *counter, all, 0);
}

static void get(const uint8_t *data, size_t size, uint8_t how)
{
	static struct pmSpan spans[4];
	struct pmCounter own = { .device = (char *)"a", .spans = spans };
	counter_t counter = {
		.aggregate = how >> 2 & 1,
		.num_lines = 20,
		.measures = &own.measures,
	};
	struct pmDialect dialect = {
		.size = how & 8    ? 8
			: how & 16 ? 4
				   : 0,
		.order = how & 32 ? PM_SET_MAJOR : PM_LINE_MAJOR,
	};
	int other, sets = how & 3;

	for (int i = 0; i < 4; i++)
		spans[i] = (struct pmSpan){ i * S, i * S + S / 2 };
	LINE_SET_ALL(&counter.lines);
	counter.sock = answer(data, size, &other);
	if (pmGet(&counter, &dialect, sets, &own.measures.energy) == 0)
		checkEnergy(&counter, sets);
	pmMeasuresClear(&own.measures.energy);
	close(counter.sock);
	close(other);
}

/* ---- A session --------------------------------------------------------- */

/* More than a session has. */
#define CONNECTIONS_MAX 32

/* What a server says, connection by connection. */
struct says {
	const uint8_t *bytes;
	size_t size;
	int listener;
};

/* Say what comes over the next connection, once something is asked. */
static void sayNext(struct says *says, int fd)
{
	size_t length = 0, skip = says->size < 2 ? says->size : 2;
	char heard[4096];

	if (skip == 2)
		length = says->bytes[0] | (size_t)says->bytes[1] << 8;
	says->bytes += skip;
	says->size -= skip;
	if (length > says->size)
		length = says->size;
	if (recv(fd, heard, sizeof(heard), 0) > 0 && length > 0)
		/* Who has closed does not hear it. */
		(void)!send(fd, says->bytes, length, MSG_NOSIGNAL);
	says->bytes += length;
	says->size -= length;
	shutdown(fd, SHUT_WR);
}

static void *serve(void *data)
{
	struct says *says = data;
	int fds[CONNECTIONS_MAX];
	size_t count = 0;

	/* The one of a counter is open while others come and go. */
	while (count < CONNECTIONS_MAX &&
	       (fds[count] = accept(says->listener, NULL, NULL)) >= 0)
		sayNext(says, fds[count++]);
	while (count > 0)
		close(fds[--count]);
	return NULL;
}

static void askDevices(const server_t *server)
{
	char **names = NULL;
	device_t device = { 0 };
	int count = 0;

	if (pm_get_devices(*server, &names, &count) == 0) {
		for (int i = 0; i < count; i++)
			free(names[i]);
		free(names);
	}
	if (pm_get_device_info(*server, "a", &device) == 0) {
		must(device.max_frecuency >= 0 && device.n_lines >= 0);
		free(device.name);
	}
}

static void askCounter(const server_t *server, int isAggregate)
{
	counter_t counter;
	double joules;
	line_t lines;

	LINE_SET_ALL(&lines);
	pm_create_counter("a", lines, isAggregate, 0, *server, &counter);
	pm_start_counter(&counter);
	pm_stop_counter(&counter);
	pm_continue_counter(&counter);
	pm_stop_counter(&counter);
	if (pm_get_counter_data(&counter) > 0)
		checkEnergy(&counter, pm_get_counter_num_sets(&counter));
	pm_get_energy(counter, lines, -1, NULL, &joules);
	pm_finalize_counter(&counter);
	must(!counter.measures);
}

static void session(const uint8_t *data, size_t size, uint8_t how)
{
	char directory[] = "/tmp/hdtrace-fuzz-XXXXXX";
	struct says says = { data, size, -1 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	server_t server = { 0 };
	pthread_t thread;

	setenv("PM_TIMEOUT", "1", 1);
	must(mkdtemp(directory) != NULL);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/pm",
		 directory);
	snprintf(server.server_ip, sizeof(server.server_ip), "%s",
		 address.sun_path);
	says.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(says.listener >= 0 &&
	     bind(says.listener, (const struct sockaddr *)&address,
		  sizeof(address)) == 0 &&
	     listen(says.listener, 4) == 0);
	must(pthread_create(&thread, NULL, serve, &says) == 0);
	askDevices(&server);
	askCounter(&server, how & 1);
	/* This ends accept(). */
	shutdown(says.listener, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(says.listener);
	must(unlink(address.sun_path) == 0 && rmdir(directory) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0] % 4) {
	case 0:
		list(data + 2, size - 2);
		break;
	case 1:
		status(data + 2, size - 2);
		break;
	case 3:
		session(data + 2, size - 2, data[1]);
		break;
	default:
		get(data + 2, size - 2, data[1]);
		break;
	}
	return 0;
}
