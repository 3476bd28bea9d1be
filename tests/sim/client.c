/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A host for lmg450-sim in tests.
 */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/sim/client.h"

char *clientPath(const struct client *client, const char *name)
{
	return g_build_filename(client->directory, name, NULL);
}

void clientPrepare(struct client *client, const char *script)
{
	char *path;

	*client = (struct client){ .fd = -1 };
	client->directory = g_dir_make_tmp("lmg450-sim-XXXXXX", NULL);
	g_assert_nonnull(client->directory);
	path = clientPath(client, "script");
	g_assert_true(
		g_file_set_contents(path, script ? script : "", -1, NULL));
	g_free(path);
}

/* Wait until there is something to read. */
static void await(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	g_assert_cmpint(poll(&entry, 1, CLIENT_PATIENCE_S * 1000), ==, 1);
}

void clientStart(struct client *client, const char *options)
{
	char **words = g_strsplit(options, " ", 0);
	GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);
	char *line;

	g_ptr_array_add(arguments,
			g_build_filename(g_getenv("abs_top_builddir"), "tests",
					 "sim", "lmg450-sim", NULL));
	for (char **word = words; *word; word++) {
		char **parts = g_strsplit(*word, "@", 0);

		if (**word)
			g_ptr_array_add(arguments,
					g_strjoinv(client->directory, parts));
		g_strfreev(parts);
	}
	g_strfreev(words);
	if (!strstr(options, "--tcp"))
		g_ptr_array_add(arguments, g_strdup_printf("--link=%s/meter",
							   client->directory));
	g_ptr_array_add(arguments, g_strdup_printf("--script=%s/script",
						   client->directory));
	g_ptr_array_add(arguments, NULL);
	processStart(&client->process, (const char *const *)arguments->pdata,
		     NULL);
	g_ptr_array_unref(arguments);
	line = processLine(&client->process);
	g_assert_true(g_str_has_prefix(line, "ready "));
	client->port = g_strdup(line + strlen("ready "));
	g_free(line);
	clientOpen(client);
}

void clientRun(struct client *client, const char *script, const char *options)
{
	clientPrepare(client, script);
	clientStart(client, options);
}

static int openSocket(const char *number)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(number)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(
		connect(fd, (struct sockaddr *)&address, sizeof(address)), ==,
		0);
	return fd;
}

/* As any host does: no character means anything to the terminal. */
static int openTerminal(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios mode;

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(tcgetattr(fd, &mode), ==, 0);
	cfmakeraw(&mode);
	g_assert_cmpint(tcsetattr(fd, TCSANOW, &mode), ==, 0);
	return fd;
}

void clientOpen(struct client *client)
{
	const char *number = strrchr(client->port, ':');

	g_assert_cmpint(client->fd, ==, -1);
	client->fd =
		number ? openSocket(number + 1) : openTerminal(client->port);
}

void clientClose(struct client *client)
{
	close(client->fd);
	client->fd = -1;
}

void clientStop(struct client *client)
{
	if (client->fd >= 0)
		clientClose(client);
	g_assert_cmpint(processEnd(&client->process), ==, 0);
	g_assert_false(g_file_test(client->port, G_FILE_TEST_IS_SYMLINK));
	g_free(client->port);
}

void clientRemove(struct client *client)
{
	GDir *directory = g_dir_open(client->directory, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(directory))) {
		char *path = clientPath(client, name);

		g_unlink(path);
		g_free(path);
	}
	g_dir_close(directory);
	g_assert_cmpint(g_rmdir(client->directory), ==, 0);
	g_free(client->directory);
}

void clientSend(struct client *client, const char *text)
{
	gsize length = strlen(text);

	g_assert_cmpint(write(client->fd, text, length), ==, (gssize)length);
}

void clientSays(struct client *client, const char *expected)
{
	char *line = processLine(&client->process);

	g_assert_cmpstr(line, ==, expected);
	g_free(line);
}

char *clientFile(const struct client *client, const char *name)
{
	char *path = clientPath(client, name);
	char *content = NULL;

	g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
	g_free(path);
	return content;
}

void clientAwaitFile(const struct client *client, const char *name,
		     const char *text)
{
	double until = clientTime() + CLIENT_PATIENCE_S * 1000;

	for (;;) {
		char *content = clientFile(client, name);
		bool found = strstr(content, text);

		g_free(content);
		if (found)
			return;
		g_assert_cmpfloat(clientTime(), <, until);
		g_usleep(1000);
	}
}

gsize clientRead(struct client *client, void *buffer, gsize size)
{
	gssize count;

	await(client->fd);
	count = read(client->fd, buffer, size);
	return (gsize)MAX(count, 0);
}

/* Bytes as a text that can be shown. */
static char *printable(const char *bytes, gsize length)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < length; i++) {
		if (g_ascii_isprint(bytes[i]))
			g_string_append_c(text, bytes[i]);
		else
			g_string_append_printf(text, "\\x%02x",
					       (unsigned char)bytes[i]);
	}
	return g_string_free(text, false);
}

void clientExpect(struct client *client, const void *bytes, gsize length)
{
	char *seen = g_malloc(length);
	gsize count = 0;
	char *should, *is;

	while (count < length && !memcmp(seen, bytes, count)) {
		gsize part = clientRead(client, seen + count, length - count);

		if (!part)
			break;
		count += part;
	}
	should = printable(bytes, length);
	is = printable(seen, count);
	g_assert_cmpstr(is, ==, should);
	g_free(should);
	g_free(is);
	g_free(seen);
}

void clientExpectText(struct client *client, const char *text)
{
	clientExpect(client, text, strlen(text));
}

double clientTime(void)
{
	return (double)g_get_monotonic_time() / 1000;
}
