/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test needs beside it; see beside.h. */
#include "config.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/pt/beside.h"

static char *directory;

void besideStart(const char *name)
{
	char *pattern = g_strdup_printf("hdtrace-%s-XXXXXX", name);

	directory = g_dir_make_tmp(pattern, NULL);
	g_assert_nonnull(directory);
	g_free(pattern);
}

void besideEnd(void)
{
	const char *arguments[] = { "/bin/rm", "-rf", directory, NULL };
	struct process rm;

	processStart(&rm, arguments, NULL);
	while (!processHasEnded(&rm))
		g_usleep(1000);
	g_clear_pointer(&directory, g_free);
}

char *besidePath(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

void besideWrite(const char *name, const char *text, int mode)
{
	char *path = besidePath(name);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(g_chmod(path, mode), ==, 0);
	g_free(path);
}

int besidePort(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(bind(fd, (struct sockaddr *)&address, length), ==, 0);
	g_assert_cmpint(getsockname(fd, (struct sockaddr *)&address, &length),
			==, 0);
	close(fd);
	return ntohs(address.sin_port);
}

int besideProxy(struct process *proxy, int to, const char *script,
		gboolean both)
{
	char *program = g_build_filename(g_getenv("abs_top_builddir"), "tests",
					 "sim", "udp-proxy", NULL);
	char *path = besidePath("script"), *line;
	char *option = g_strdup_printf("--to=%d", to);
	const char *arguments[] = {
		program, option, "--script", path, both ? "--both" : NULL, NULL
	};
	int port;

	besideWrite("script", script, 0600);
	processStart(proxy, arguments, NULL);
	line = processLine(proxy);
	g_assert_true(g_str_has_prefix(line, "ready 127.0.0.1:"));
	port = atoi(strrchr(line, ':') + 1);
	g_free(line);
	g_free(option);
	g_free(path);
	g_free(program);
	return port;
}

void besideAdd(const char *group, const char *name, const void *data,
	       GTestDataFunc test)
{
	char *path = g_strdup_printf("%s/%s", group, name);

	g_test_add_data_func(path, data, test);
	g_free(path);
}

char *besideFind(const char *program)
{
	char *path = g_find_program_in_path(program);

	if (path)
		return path;
	path = g_build_filename("/usr/sbin", program, NULL);
	if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
		g_clear_pointer(&path, g_free);
	return path;
}
