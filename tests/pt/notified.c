/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands for systemd: runs "notified NAME COMMAND...", with the socket NAME
 * (@NAME is an abstract one), prints what the command says there, and sends it
 * a SIGHUP after the first READY=1 and a SIGTERM after the second.
 */
#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int isGood, const char *what)
{
	if (isGood)
		return;
	perror(what);
	exit(99);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), ready = 0;
	size_t length;
	char text[1000];
	ssize_t got;
	pid_t child;
	int status;

	check(argc > 2 && fd >= 0, "socket");
	length = strlen(argv[1]);
	check(length < sizeof(address.sun_path), argv[1]);
	memcpy(address.sun_path, argv[1], length);
	if (*argv[1] == '@')
		address.sun_path[0] = '\0';
	check(bind(fd, (struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			       length)) == 0,
	      "bind");
	setenv("NOTIFY_SOCKET", argv[1], 1);
	child = fork();
	check(child >= 0, "fork");
	if (child == 0) {
		execv(argv[2], argv + 2);
		check(0, argv[2]);
	}
	/* Whatever happens, this ends. */
	alarm(100);
	do {
		got = recv(fd, text, sizeof(text) - 1, 0);
		check(got >= 0, "recv");
		text[got] = '\0';
		puts(text);
		if (strncmp(text, "READY=1", 7) == 0)
			kill(child, ready++ ? SIGTERM : SIGHUP);
	} while (strcmp(text, "STOPPING=1") != 0);
	check(waitpid(child, &status, 0) == child, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
