/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A DCMeter, and a machine of 8 CPUs with idle states: "figure4-sim ROOT".
 *
 * The meter is at a port of 127.0.0.1, which is printed. Its line number l of
 * text number i has 2000 + 100 l + i in column l, 28 times a second to whoever
 * connects. Below ROOT is what cpuidle has in /sys; CPU c is in its states C1,
 * C3 and C6 for 10 + c, 20 and 30 percent of the time, written every 5 ms.
 * Ends when its standard input does.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#define CPUS 8
#define STATES 3
#define LINES 12
#define TICK_MS 5

static const char *const names[STATES] = { "C1", "C3", "C6" };
static int timeFds[CPUS][STATES];

static void writeText(const char *directory, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);

	g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void makeTree(const char *root)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		for (int state = 0; state < STATES; state++) {
			g_autofree char *directory = g_strdup_printf(
				"%s/sys/devices/system/cpu/cpu%d/cpuidle/"
				"state%d",
				root, cpu, state);
			g_autofree char *path =
				g_build_filename(directory, "time", NULL);

			writeText(directory, "name", names[state]);
			writeText(directory, "time", "000000000000\n");
			timeFds[cpu][state] = open(path, O_WRONLY | O_CLOEXEC);
			g_assert_cmpint(timeFds[cpu][state], >=, 0);
		}
	}
	{
		g_autofree char *directory =
			g_build_filename(root, "sys/devices/system/cpu", NULL);

		writeText(directory, "online", "0-7\n");
		writeText(directory, "possible", "0-7\n");
		writeText(directory, "present", "0-7\n");
	}
}

static void writeTimes(int64_t us)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const int shares[STATES] = { 10 + cpu, 20, 30 };

		for (int state = 0; state < STATES; state++) {
			char text[32];
			int length = g_snprintf(
				text, sizeof(text), "%012lld\n",
				(long long)(us * shares[state] / 100));

			g_assert_cmpint(pwrite(timeFds[cpu][state], text,
					       (size_t)length, 0),
					==, length);
		}
	}
}

static int openPort(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(
		bind(fd, (const struct sockaddr *)&address, length) |
			listen(fd, 1) |
			getsockname(fd, (struct sockaddr *)&address, &length),
		==, 0);
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

/* Send the next line; FALSE if nobody hears it. */
static gboolean sendLine(int fd, int number)
{
	g_autoptr(GString) line = g_string_new(NULL);

	for (int i = 0; i < LINES; i++)
		g_string_append_printf(line, "%04X;",
				       (2000 + 100 * i + number) & 0xffff);
	g_string_append(line, "\r\n");
	return send(fd, line->str, line->len, MSG_NOSIGNAL) ==
	       (gssize)line->len;
}

int main(int argc, char **argv)
{
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .events = POLLIN } };
	int64_t began = g_get_monotonic_time();
	int client = -1, number = 0;

	g_assert_cmpint(argc, ==, 2);
	makeTree(argv[1]);
	fds[1].fd = openPort();
	for (;;) {
		int64_t us = g_get_monotonic_time() - began;

		writeTimes(us);
		/* Whatever a wait took, no line is left out. */
		while (number < us * 28 / 1000000) {
			if (client >= 0 && !sendLine(client, number)) {
				close(client);
				client = -1;
			}
			number++;
		}
		if (poll(fds, 2, TICK_MS) < 0 && errno != EINTR)
			return 1;
		if (fds[0].revents)
			return 0;
		if (fds[1].revents) {
			if (client >= 0)
				close(client);
			client = accept(fds[1].fd, NULL, NULL);
		}
	}
}
