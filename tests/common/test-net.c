/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Addresses, and connections within this host. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "common/clock.h"
#include "common/net.h"

#define MS INT64_C(1000000)
/* Long enough for what is to happen, short for what is not. */
#define LONG (hdMonotonicNow() + 60000 * MS)
#define SHORT (hdMonotonicNow() + 20 * MS)

static void testSplit(void)
{
	static const struct {
		const char *text;
		unsigned int standard;
		const char *host, *port; /* NULL: it is none. */
	} rows[] = {
		{ "host:1", 0, "host", "1" },
		{ "host:65535", 6526, "host", "65535" },
		{ "host", 6526, "host", "6526" },
		{ "127.0.0.1", 1, "127.0.0.1", "1" },
		{ "[::1]:80", 0, "::1", "80" },
		{ "[::1]", 65535, "::1", "65535" },
		{ "::1", 6526, "::1", "6526" },
		{ "fe80::1%eth0", 6526, "fe80::1%eth0", "6526" },
		{ "host", 0, NULL, NULL },
		{ "::1", 0, NULL, NULL },
		{ "::1:80", 0, NULL, NULL },
		{ "[::1]", 0, NULL, NULL },
		{ "", 6526, NULL, NULL },
		{ ":1", 6526, NULL, NULL },
		{ "[]:1", 6526, NULL, NULL },
		{ "[]", 6526, NULL, NULL },
		{ "[::1", 6526, NULL, NULL },
		{ "[::1:80", 6526, NULL, NULL },
		{ "[::1]80", 6526, NULL, NULL },
		{ "[::1]x:80", 6526, NULL, NULL },
		{ "host:", 6526, NULL, NULL },
		{ "host:0", 6526, NULL, NULL },
		{ "host:65536", 6526, NULL, NULL },
		{ "host:123456", 6526, NULL, NULL },
		{ "host:-1", 6526, NULL, NULL },
		{ "host:1x", 6526, NULL, NULL },
		{ "host: 1", 6526, NULL, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
		int ret =
			hdNetSplit(rows[i].text, rows[i].standard, host, port);

		g_test_message("\"%s\"", rows[i].text);
		g_assert_cmpint(ret, ==, rows[i].host ? 0 : -EINVAL);
		if (rows[i].host) {
			g_assert_cmpstr(host, ==, rows[i].host);
			g_assert_cmpstr(port, ==, rows[i].port);
		}
	}
}

/* A name has 255 bytes at the most. */
static void testSplitLong(void)
{
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	char text[HD_NET_HOST_MAX + 3];

	memset(text, 'x', sizeof(text));
	strcpy(text + HD_NET_HOST_MAX - 1, ":1");
	g_assert_cmpint(hdNetSplit(text, 0, host, port), ==, 0);
	g_assert_cmpuint(strlen(host), ==, HD_NET_HOST_MAX - 1);
	text[HD_NET_HOST_MAX - 1] = 'x';
	strcpy(text + HD_NET_HOST_MAX, ":1");
	g_assert_cmpint(hdNetSplit(text, 0, host, port), ==, -EINVAL);
}

/* A listening socket of this host, and its port. */
static int listener(char port[HD_NET_PORT_MAX])
{
	struct sockaddr_in where = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(where);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(bind(fd, (struct sockaddr *)&where, length), ==, 0);
	g_assert_cmpint(listen(fd, 1), ==, 0);
	g_assert_cmpint(getsockname(fd, (struct sockaddr *)&where, &length), ==,
			0);
	g_snprintf(port, HD_NET_PORT_MAX, "%d", ntohs(where.sin_port));
	return fd;
}

static void testConnect(void)
{
	char port[HD_NET_PORT_MAX], byte = 0;
	const char *why = NULL;
	int door = listener(port), fd, peer;

	g_assert_cmpint(hdNetConnect("127.0.0.1", port, -1, LONG, &fd, &why),
			==, 0);
	peer = accept(door, NULL, NULL);
	g_assert_cmpint(write(peer, "x", 1), ==, 1);
	g_assert_cmpint(hdNetWait(fd, POLLIN, -1, LONG), ==, POLLIN);
	g_assert_cmpint(read(fd, &byte, 1), ==, 1);
	g_assert_cmpint(byte, ==, 'x');
	/* It does not block. */
	g_assert_cmpint(read(fd, &byte, 1), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(hdNetWait(fd, POLLIN, -1, SHORT), ==, -ETIMEDOUT);
	close(peer);
	close(fd);
	close(door);
	g_assert_cmpint(hdNetConnect("127.0.0.1", port, -1, LONG, &fd, &why),
			==, -ECONNREFUSED);
	g_assert_cmpstr(why, ==, "Connection refused");
}

static void testNames(void)
{
	char port[HD_NET_PORT_MAX], host[2 * HD_NET_HOST_MAX];
	const char *why = NULL;
	int door = listener(port), fd, ret;

	ret = hdNetConnect("nobody.invalid", port, -1, SHORT, &fd, &why);
	g_assert_true(ret == -ENOENT || ret == -ETIMEDOUT);
	g_assert_nonnull(why);
	memset(host, 'x', sizeof(host));
	host[sizeof(host) - 1] = '\0';
	g_assert_cmpint(hdNetConnect(host, port, -1, LONG, &fd, &why), ==,
			-EINVAL);
	ret = hdNetConnect("localhost", port, -1, LONG, &fd, &why);
	if (ret == -ENOENT) {
		g_test_skip("there is no localhost");
	} else {
		g_assert_cmpint(ret, ==, 0);
		close(fd);
	}
	close(door);
}

/* Addresses in numbers are their own; names have one, or none. */
static void testLookup(void)
{
	char address[HD_NET_ADDRESS_MAX];
	const char *why = NULL;
	int ret;

	g_assert_cmpint(hdNetLookup("127.0.0.1", -1, LONG, address, &why), ==,
			0);
	g_assert_cmpstr(address, ==, "127.0.0.1");
	g_assert_cmpint(hdNetLookup("2001:DB8::0:1", -1, LONG, address, &why),
			==, 0);
	g_assert_cmpstr(address, ==, "2001:db8::1");
	ret = hdNetLookup("localhost", -1, LONG, address, &why);
	g_assert_true(ret == -ENOENT || g_str_equal(address, "127.0.0.1") ||
		      g_str_equal(address, "::1"));
	ret = hdNetLookup("nobody.invalid", -1, SHORT, address, &why);
	g_assert_true(ret == -ENOENT || ret == -ETIMEDOUT);
	g_assert_nonnull(why);
}

/* All addresses: of numbers at once, of names when the descriptor says so; one
 * may be forgotten meanwhile. */
static void testSearch(void)
{
	struct hdNetSearch *search;
	const struct addrinfo *found;
	char longest[HD_NET_HOST_MAX + 1];
	const char *why = NULL;

	g_assert_cmpint(hdNetSearchBegin("::1", "80", &search), ==, 0);
	g_assert_true(hdNetSearchIsDone(search));
	g_assert_cmpint(hdNetSearchFd(search), ==, -1);
	found = hdNetSearchList(search, &why);
	g_assert_true(found && !found->ai_next);
	g_assert_cmpint(found->ai_family, ==, AF_INET6);
	g_assert_cmpint(found->ai_addrlen, ==, sizeof(struct sockaddr_in6));
	hdNetSearchFree(search);

	g_assert_cmpint(hdNetSearchBegin("nobody.invalid", "80", &search), ==,
			0);
	if (hdNetWait(hdNetSearchFd(search), POLLIN, -1, LONG) >= 0) {
		g_assert_true(hdNetSearchIsDone(search));
		g_assert_null(hdNetSearchList(search, &why));
		g_assert_nonnull(why);
	}
	hdNetSearchFree(search);
	for (int i = 0; i < 20; i++) {
		g_assert_cmpint(hdNetSearchBegin("localhost", "80", &search),
				==, 0);
		hdNetSearchFree(search);
	}
	hdNetSearchFree(NULL);
	memset(longest, 'x', sizeof(longest));
	longest[HD_NET_HOST_MAX] = '\0';
	g_assert_cmpint(hdNetSearchBegin(longest, "80", &search), ==, -EINVAL);
}

static void testPath(void)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	char *directory = g_dir_make_tmp("hdtrace-net-XXXXXX", NULL);
	char *path = g_build_filename(directory, "socket", NULL);
	char text[200];
	int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

	g_strlcpy(where.sun_path, path, sizeof(where.sun_path));
	g_assert_cmpint(hdNetConnectPath(path, -1, LONG, &fd), ==, -ENOENT);
	g_assert_cmpint(bind(door, (struct sockaddr *)&where, sizeof(where)),
			==, 0);
	g_assert_cmpint(hdNetConnectPath(path, -1, LONG, &fd), ==,
			-ECONNREFUSED);
	g_assert_cmpint(listen(door, 0), ==, 0);
	g_assert_cmpint(hdNetConnectPath(path, -1, LONG, &fd), ==, 0);
	/* Nobody accepts: the next ones wait until there is room. */
	for (int i = 0, other = -1; i < 8; i++) {
		int ret = hdNetConnectPath(path, -1, SHORT, &other);

		g_assert_true(ret == 0 || ret == -ETIMEDOUT);
		if (ret == 0)
			close(other);
	}
	close(fd);
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	g_assert_cmpint(hdNetConnectPath(text, -1, LONG, &fd), ==,
			-ENAMETOOLONG);
	close(door);
	g_unlink(path);
	g_rmdir(directory);
	g_free(path);
	g_free(directory);
}

/* Whoever waits is woken, wherever he waits. */
static void testWake(void)
{
	char port[HD_NET_PORT_MAX];
	const char *why = NULL;
	int door = listener(port), wake = eventfd(1, EFD_CLOEXEC), fd = -1, ret;

	g_assert_cmpint(hdNetWait(-1, 0, wake, LONG), ==, -EINTR);
	g_assert_cmpint(hdNetWait(door, POLLIN, wake, LONG), ==, -EINTR);
	ret = hdNetConnect("nobody.invalid", port, wake, LONG, &fd, &why);
	g_assert_true(ret == -EINTR || ret == -ENOENT);
	close(wake);
	close(door);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/net/split", testSplit);
	g_test_add_func("/net/split-long", testSplitLong);
	g_test_add_func("/net/connect", testConnect);
	g_test_add_func("/net/names", testNames);
	g_test_add_func("/net/lookup", testLookup);
	g_test_add_func("/net/search", testSearch);
	g_test_add_func("/net/path", testPath);
	g_test_add_func("/net/wake", testWake);
	return g_test_run();
}
