/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Being a daemon: background, pid file, syslog, systemd. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/ownfile.h"

/* Where the process that was called waits, or -1. */
static int readyFd = -1;

/* The pid file, kept open for its lock. */
static int pidFd = -1;

/* Wait until the child is ready, or has ended. */
static void daemonWait(pid_t child, int fd) __attribute__((__noreturn__));
static void daemonWait(pid_t child, int fd)
{
	unsigned char result = 0;
	int status;

	if (read(fd, &result, 1) == 1)
		_exit(result);
	/* It has crashed. */
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	_exit(-PT_ESYNTAX);
}

gboolean daemonFork(void)
{
	int fds[2] = { -1, -1 }, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t child = -1;

	if (null >= 0 && pipe2(fds, O_CLOEXEC) == 0)
		child = fork();
	if (child < 0) {
		ptMessage(HD_LOG_ERROR, "cannot start in the background: %s",
			  strerror(errno));
		return FALSE;
	}
	if (child > 0) {
		close(fds[1]);
		daemonWait(child, fds[0]);
	}
	close(fds[0]);
	readyFd = fds[1];
	setsid();
	/* stderr is the user's until we are ready. */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
	return TRUE;
}

void daemonReady(int status)
{
	unsigned char result = (unsigned char)status;
	int null;

	if (readyFd < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDERR_FILENO);
		close(null);
	}
	while (write(readyFd, &result, 1) < 0 && errno == EINTR)
		;
	close(readyFd);
	readyFd = -1;
}

gboolean daemonWritePid(const char *path)
{
	const struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char text[32];
	int length = g_snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	pidFd = hdOwnFileOpen(path, 0644);
	if (pidFd < 0)
		errno = -pidFd;
	if (pidFd >= 0 && fcntl(pidFd, F_SETLK, &lock) == 0 &&
	    ftruncate(pidFd, 0) == 0 &&
	    write(pidFd, text, (size_t)length) == length)
		return TRUE;
	ptMessage(HD_LOG_ERROR, "%s: %s", path,
		  errno == EAGAIN || errno == EACCES
			  ? "another pt uses it, or permission denied"
		  : errno == EPERM ? "not a plain file of this user; not used"
				   : strerror(errno));
	return FALSE;
}

void daemonRemovePid(const char *path)
{
	unlink(path);
	close(pidFd);
	pidFd = -1;
}

static void syslogPrint(enum hdLogLevel level, const char *text)
{
	static const int priorities[] = {
		[HD_LOG_NONE] = LOG_DEBUG,      [HD_LOG_ERROR] = LOG_ERR,
		[HD_LOG_WARNING] = LOG_WARNING, [HD_LOG_INFO] = LOG_INFO,
		[HD_LOG_DEBUG] = LOG_DEBUG,
	};

	syslog(priorities[level], "%s", text);
	/* Who waits for us sees it as well. */
	if (readyFd >= 0)
		fprintf(stderr, "%s: %s\n", ptLogger.prefix, text);
}

void daemonUseSyslog(void)
{
	openlog("pt", LOG_PID, LOG_DAEMON);
	ptLogger.print = syslogPrint;
}

void daemonNotify(const char *format, ...)
{
	const char *path = g_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length;
	va_list arguments;
	char *text;
	int fd;

	if (!path || strlen(path) < 2 ||
	    strlen(path) >= sizeof(address.sun_path))
		return;
	length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			     strlen(path));
	memcpy(address.sun_path, path, strlen(path));
	/* That stands for the zero of an abstract socket. */
	if (*path == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	/* Nobody to tell if it fails. */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		      (const struct sockaddr *)&address, length);
	g_free(text);
	close(fd);
}
