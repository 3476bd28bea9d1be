/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole volume of GlusterFS on this machine, for a command. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "GlusterFSTracing/command/graph.h"
#include "GlusterFSTracing/command/trial.h"
#include "cli/command.h"
#include "cli/output.h"
#include "common/clock.h"

/* For how long something of GlusterFS may begin or end, on a busy machine. */
#define PATIENCE_NS (INT64_C(60) * HD_NS_PER_S)
#define POLL_MS 20
#define FUSE_MAGIC 0x65735546

struct running {
	const struct trial *trial;
	int parent; /* The pipe. */
	char *mountPoint;
	pid_t client;
	pid_t bricks[TRIAL_BRICKS_MAX];
	int ports[TRIAL_BRICKS_MAX];
	bool isStopped; /* By a signal, or since the parent is gone. */
};

int trialReport(int status, const char *format, ...)
{
	va_list list;
	char *text;

	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	outSay(stderr, "hdgluster try: %s", text);
	g_free(text);
	return status;
}

static int trialFailed(const char *what)
{
	return trialReport(-1, "%s: %s", what, g_strerror(errno));
}

/* ---- Files ----------------------------------------------------------------
 */

void trialRemove(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *inside;
		struct stat about;

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		inside = g_build_filename(path, entry->d_name, NULL);
		if (lstat(inside, &about) == 0 && S_ISDIR(about.st_mode))
			trialRemove(inside);
		else
			unlink(inside);
		g_free(inside);
	}
	if (directory)
		closedir(directory);
	rmdir(path);
}

static char *inPlace(const struct running *running, const char *format,
		     int number)
{
	char *name = g_strdup_printf("%s/%s", running->trial->place, format);
	char *path =
		number ? g_strdup_printf("%s%d", name, number) : g_strdup(name);

	g_free(name);
	return path;
}

/* Show what a process of GlusterFS says has gone wrong. */
static void showLog(const char *path)
{
	char *text = NULL;
	char **lines;
	guint count;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	lines = g_strsplit(text, "\n", 0);
	count = g_strv_length(lines);
	for (guint i = count > 200 ? count - 200 : 0; i < count; i++) {
		if (strstr(lines[i], "] E [") || strstr(lines[i], "] C ["))
			outSay(stderr, "    %s", lines[i]);
	}
	g_strfreev(lines);
	g_free(text);
}

/* ---- Processes ------------------------------------------------------------
 */

/* Whether the parent is gone. */
static bool isAlone(const struct running *running)
{
	struct pollfd pipe = { .fd = running->parent, .events = POLLIN };

	return poll(&pipe, 1, 0) == 1 && (pipe.revents & (POLLHUP | POLLERR));
}

/* Whether it is time to end: a signal came, or the parent is gone. */
static bool trialIsOver(struct running *running)
{
	const struct timespec now = { 0, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigtimedwait(&set, NULL, &now) > 0 || isAlone(running))
		running->isStopped = true;
	return running->isStopped;
}

static void sleepABit(void)
{
	poll(NULL, 0, POLL_MS);
}

/* What becomes of a child before it runs something else. */
static void trialPrepareChild(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Start a process of GlusterFS, in a session of its own: a terminal's signals
 * are not for it. */
static pid_t spawn(char *const *arguments)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		trialPrepareChild();
		setsid();
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(arguments[0], arguments);
		_exit(CLI_EXIT_NOT_FOUND);
	}
	return pid;
}

/* Wait for the end of a child until it is time; whether it has ended. */
static bool trialChildHasEnded(pid_t pid, int *status, int64_t waitNs)
{
	int64_t until = hdMonotonicNow() + waitNs;

	for (;;) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid || (ended < 0 && errno == ECHILD))
			return true;
		if (hdMonotonicNow() >= until)
			return false;
		sleepABit();
	}
}

static void trialEndChild(pid_t pid)
{
	int status;

	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	if (trialChildHasEnded(pid, &status, PATIENCE_NS))
		return;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* ---- Translators ----------------------------------------------------------
 */

/* Let GlusterFS find our translator where it looks for its own: a folder that
 * only this namespace sees. */
static int coverTranslators(const struct running *running, const char *ours)
{
	char *theirs = g_build_filename(running->trial->xlators, "debug", NULL);
	char *cover = inPlace(running, "debug", 0);
	char *const copy[] = { (char *)"sh",
			       (char *)"-c",
			       (char *)"cp -- \"$1\"/*.so \"$3\" && "
				       "cp -- \"$2\" \"$3\"/hdtrace.so",
			       (char *)"-",
			       theirs,
			       (char *)ours,
			       cover,
			       NULL };
	int status = 0, ret = 0;
	pid_t pid;

	if (mkdir(cover, 0755) < 0) {
		ret = trialFailed(cover);
	} else {
		pid = spawn(copy);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			ret = trialReport(-1, "%s: cannot be copied", ours);
		else if (mount(cover, theirs, NULL, MS_BIND, NULL) < 0)
			ret = trialFailed(theirs);
	}
	g_free(cover);
	g_free(theirs);
	return ret;
}

/* Find our translator: in a build, or where it was installed; NULL: it is where
 * GlusterFS looks. */
static char *trialFindTranslator(const struct trial *trial, bool *isThere)
{
	char *theirs =
		g_build_filename(trial->xlators, "debug/hdtrace.so", NULL);
	char *parent = g_path_get_dirname(trial->xlators);
	char *version = g_path_get_basename(parent);
	char *self = g_file_read_link("/proc/self/exe", NULL);
	char *bin = g_path_get_dirname(self ? self : "");
	char *found =
		g_build_filename(bin, "GlusterFSTracing/hdtrace.so", NULL);

	*isThere = true;
	if (access(found, R_OK) < 0) {
		g_free(found);
		found = g_build_filename(bin, "../lib/glusterfs", version,
					 "xlator/debug/hdtrace.so", NULL);
	}
	if (access(found, R_OK) < 0) {
		g_free(found);
		found = NULL;
		*isThere = access(theirs, R_OK) == 0;
	}
	g_free(bin);
	g_free(self);
	g_free(version);
	g_free(parent);
	g_free(theirs);
	return found;
}

static int prepareTranslators(const struct running *running)
{
	bool isThere;
	char *ours;
	int ret = 0;

	if (!running->trial->isTraced)
		return 0;
	ours = trialFindTranslator(running->trial, &isThere);
	if (ours)
		ret = coverTranslators(running, ours);
	else if (!isThere)
		ret = trialReport(
			-1,
			"the translator is missing: hdtrace.so is not in "
			"%s/debug, and this build does not contain it",
			running->trial->xlators);
	g_free(ours);
	return ret;
}

/* ---- Bricks ---------------------------------------------------------------
 */

static int openSocket(int port, bool isServer)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret = fd < 0     ? -1
		  : isServer ? bind(fd, (struct sockaddr *)&address,
				    sizeof(address))
			     : connect(fd, (struct sockaddr *)&address,
				       sizeof(address));

	if (ret == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A port that is free at the moment, or -1. */
static int freePort(void)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	int fd = openSocket(0, true);
	int port = -1;

	if (fd < 0)
		return -1;
	if (getsockname(fd, (struct sockaddr *)&address, &size) == 0)
		port = ntohs(address.sin_port);
	close(fd);
	return port;
}

static int startProcess(const char *program, char *graph, const char *name,
			const struct running *running, const char *argument,
			pid_t *pid)
{
	char *path = g_strdup_printf("%s/%s.vol", running->trial->place, name);
	char *log = g_strdup_printf("%s/%s.log", running->trial->place, name);
	char *const arguments[] = { (char *)program,  (char *)"--no-daemon",
				    (char *)"-f",     path,
				    (char *)"-l",     log,
				    (char *)argument, NULL };
	int ret = 0;

	if (!graph || !g_file_set_contents(path, graph, -1, NULL))
		ret = trialReport(-1, "%s: cannot write", path);
	if (ret == 0) {
		*pid = spawn(arguments);
		if (*pid < 0)
			ret = trialFailed("cannot create a process");
	}
	g_free(log);
	g_free(path);
	g_free(graph);
	return ret;
}

/* Wait until a process says it is there. */
static int trialWaitFor(struct running *running, pid_t pid, const char *name,
			bool (*isThere)(const struct running *running,
					int number),
			int number)
{
	char *log = g_strdup_printf("%s/%s.log", running->trial->place, name);
	int64_t until = hdMonotonicNow() + PATIENCE_NS;
	int status, ret = 0;

	while (ret == 0 && !isThere(running, number)) {
		if (trialIsOver(running)) {
			ret = -1;
		} else if (waitpid(pid, &status, WNOHANG) == pid) {
			ret = trialReport(-1, "%s: does not start:", name);
			showLog(log);
		} else if (hdMonotonicNow() > until) {
			ret = trialReport(-1, "%s: timed out while starting",
					  name);
			showLog(log);
		}
		if (ret == 0)
			sleepABit();
	}
	g_free(log);
	return ret;
}

static bool isListening(const struct running *running, int number)
{
	int fd = openSocket(running->ports[number], false);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* A directory that is a brick of a volume. */
static int makeBrick(const char *path, const guint8 *id)
{
	if (mkdir(path, 0755) < 0)
		return trialFailed(path);
	if (setxattr(path, "trusted.glusterfs.volume-id", id, 16, 0) < 0)
		return trialReport(
			-1,
			"%s: %s; set TMPDIR to a directory on a file system "
			"with extended attributes, such as ext4 or xfs",
			path, g_strerror(errno));
	return 0;
}

static int startBrick(struct running *running, int number, const char *uuid,
		      const guint8 *id)
{
	char *path = inPlace(running, "brick", number + 1);
	char *name = g_path_get_basename(path);
	int ret = makeBrick(path, id);

	if (ret == 0) {
		running->ports[number] = freePort();
		ret = startProcess("glusterfsd",
				   graphOfBrick(running->trial, number + 1,
						uuid, running->ports[number]),
				   name, running, NULL,
				   &running->bricks[number]);
	}
	g_free(name);
	g_free(path);
	return ret;
}

static int startBricks(struct running *running)
{
	char *uuid = g_uuid_string_random();
	guint8 id[16];
	int ret = 0;

	for (int i = 0, at = 0; i < 16; i++, at += 2) {
		if (uuid[at] == '-')
			at++;
		id[i] = (guint8)(g_ascii_xdigit_value(uuid[at]) << 4 |
				 g_ascii_xdigit_value(uuid[at + 1]));
	}
	for (int i = 0; ret == 0 && i < running->trial->bricks; i++)
		ret = startBrick(running, i, uuid, id);
	for (int i = 0; ret == 0 && i < running->trial->bricks; i++) {
		char *name = g_strdup_printf("brick%d", i + 1);

		ret = trialWaitFor(running, running->bricks[i], name,
				   isListening, i);
		g_free(name);
	}
	g_free(uuid);
	return ret;
}

/* ---- The mount ------------------------------------------------------------
 */

static bool isMounted(const struct running *running, int number)
{
	struct statfs about;

	(void)number;
	return statfs(running->mountPoint, &about) == 0 &&
	       about.f_type == FUSE_MAGIC;
}

static int startClient(struct running *running)
{
	int ret;

	running->mountPoint = inPlace(running, "mount", 0);
	if (mkdir(running->mountPoint, 0755) < 0)
		return trialFailed(running->mountPoint);
	if (access("/dev/fuse", R_OK | W_OK) < 0)
		return trialReport(-1, "/dev/fuse: cannot open: %s",
				   g_strerror(errno));
	ret = startProcess(
		"glusterfs", graphOfClient(running->trial, running->ports),
		"client", running, running->mountPoint, &running->client);
	if (ret < 0)
		return ret;
	return trialWaitFor(running, running->client, "client", isMounted, 0);
}

/* A brick listens before it is sure that it can serve. */
static int checkBricks(struct running *running)
{
	int ret = 0;

	for (int i = 0; i < running->trial->bricks; i++) {
		char *log;

		if (waitpid(running->bricks[i], NULL, WNOHANG) == 0)
			continue;
		running->bricks[i] = 0;
		log = g_strdup_printf("%s/brick%d.log", running->trial->place,
				      i + 1);
		ret = trialReport(-1, "brick%d: ended unexpectedly:", i + 1);
		showLog(log);
		g_free(log);
	}
	return ret;
}

static void stopClient(struct running *running)
{
	int status;

	if (running->client <= 0)
		return;
	/* Somebody may still look into it. */
	for (int i = 0;
	     i < 100 && umount2(running->mountPoint, 0) < 0 && errno == EBUSY;
	     i++)
		sleepABit();
	if (isMounted(running, 0))
		umount2(running->mountPoint, MNT_DETACH);
	if (!trialChildHasEnded(running->client, &status, PATIENCE_NS))
		trialEndChild(running->client);
}

/* ---- The command ----------------------------------------------------------
 */

static int trialRunCommand(struct running *running)
{
	char *const *command = running->trial->command;
	pid_t pid = fork();
	int status = 0;
	bool isAsked = false;

	if (pid == 0) {
		trialPrepareChild();
		if (chdir(running->mountPoint) < 0)
			trialFailed(running->mountPoint);
		else
			execvp(command[0], command);
		if (errno)
			trialFailed(command[0]);
		_exit(errno == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_CANNOT);
	}
	if (pid < 0)
		return trialFailed("cannot create a process"), CLI_EXIT_FAILED;
	for (;;) {
		pid_t ended = waitpid(-1, &status, WNOHANG);

		if (ended == pid)
			break;
		if (!isAsked && trialIsOver(running)) {
			kill(pid, SIGTERM);
			isAsked = true;
			if (!trialChildHasEnded(pid, &status,
						5 * HD_NS_PER_S)) {
				kill(pid, SIGKILL);
				waitpid(pid, &status, 0);
			}
			break;
		}
		if (ended <= 0)
			sleepABit();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int trialPrepare(struct running *running)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return trialFailed("cannot create a mount namespace");
	/* This looks up the path of this program; then /proc is another. */
	if (prepareTranslators(running) < 0)
		return -1;
	/* Who looks up processes is to find those of this namespace. */
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL) < 0)
		return trialFailed("cannot mount /proc");
	return 0;
}

int trialRun(const struct trial *trial, int parent)
{
	struct running running = { .trial = trial, .parent = parent };
	int status = CLI_EXIT_FAILED;

	if (trialPrepare(&running) == 0 && startBricks(&running) == 0 &&
	    startClient(&running) == 0 && checkBricks(&running) == 0)
		status = trialRunCommand(&running);
	stopClient(&running);
	for (int i = 0; i < trial->bricks; i++)
		trialEndChild(running.bricks[i]);
	g_free(running.mountPoint);
	/* Nobody else is there to do it. */
	if (isAlone(&running))
		trialRemove(trial->place);
	return running.isStopped ? 128 + SIGTERM : status;
}
