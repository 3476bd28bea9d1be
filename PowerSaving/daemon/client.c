/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clients of the service; see client.h and server.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "PowerSaving/daemon/client.h"
#include "common/clock.h"
#include "net/logger.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* Longest request, and what waits to be sent. */
#define CLIENT_IN_MAX 1024
#define CLIENT_OUT_MAX ((size_t)1 << 16)
#define CLIENT_ANSWER_MAX ((size_t)1 << 22)
/* What a request may take, and silence without a lease. */
#define CLIENT_TIMEOUT_NS (10 * HD_NS_PER_S)
#define CLIENT_IDLE_NS (60 * HD_NS_PER_S)

static struct powerClient *clientAt(void *member, size_t offset)
{
	return (struct powerClient *)(void *)((char *)member - offset);
}

/* ---- Answers ----------------------------------------------------------- */

static void __attribute__((__format__(__printf__, 2, 3)))
clientSay(struct powerClient *self, const char *format, ...)
{
	char line[512];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (length > (int)sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	hdConnectionSend(&self->connection, line, (size_t)length);
}

static void clientTellChange(void *context, const char *path, const char *old,
			     const char *now, int error)
{
	(void)error;
	clientSay(context, "set %s %s %s", path, old, now);
}

static void clientTellRestored(void *context, const char *path,
			       const char *value, int error)
{
	if (error)
		clientSay(context, "failed %s %s %s", path, value,
			  strerror(error));
	else
		clientSay(context, "restored %s %s", path, value);
}

/* ---- Requests ---------------------------------------------------------- */

static bool clientIsTrusted(const struct powerClient *self)
{
	return self->uid == 0 || self->uid == geteuid();
}

static int clientEndLease(struct powerClient *self)
{
	int ret;

	if (!self->hasLease)
		return 0;
	ret = leaseEnd(&self->server->leases, &self->lease);
	self->hasLease = false;
	hdNetLog(HD_LOG_INFO, "lease of process %ld ended", (long)self->pid);
	return ret;
}

static void clientEnd(struct powerClient *self)
{
	int ret = clientEndLease(self);

	if (ret < 0)
		clientSay(self, "error %s: cannot restore: %s",
			  self->server->leases.failed, strerror(-ret));
	else
		clientSay(self, "ok");
}

static void clientLease(struct powerClient *self, char *text)
{
	struct hdSettingValues values;
	char *list = strchr(text, ' ');
	int refused, ret;

	if (list)
		*list++ = '\0';
	if (!list || !*text || strlen(text) >= LEASE_POLICY_SIZE ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyz-") != strlen(text) ||
	    hdSettingsParsePlain(list, &values) < 0) {
		clientSay(self, "error invalid request");
		return;
	}
	if (self->isRevoked) {
		clientSay(self, "error lease was ended by hdpower restore");
		return;
	}
	if (self->pidfd < 0) {
		clientSay(self, "error the owner of the connection is unknown");
		return;
	}
	refused = permissionsRefuse(&self->server->permissions, self->uid,
				    &values);
	if (refused >= 0) {
		clientSay(self,
			  "error permission denied: %s; see hdpower.conf(5)",
			  hdSettingNames[refused]);
		return;
	}
	if (leaseIsManual(&self->server->leases, &values)) {
		clientSay(self, "error governor: userspace cannot be restored; "
				"select another governor first");
		return;
	}
	self->lease.pid = self->pid;
	self->lease.uid = self->uid;
	if (!self->hasLease)
		self->lease.sinceNs = hdWallNow();
	strcpy(self->lease.policy, text);
	ret = leaseGrant(&self->server->leases, &self->lease, &values,
			 clientTellChange, self);
	if (ret == 0)
		self->hasLease = true;
	if (ret == 0)
		clientSay(self, "ok");
	else if (ret == -ENOTSUP)
		clientSay(self, "error this machine does not have the setting");
	else
		clientSay(self, "error cannot apply: %s", strerror(-ret));
}

static void clientStatus(struct powerClient *self)
{
	const struct leases *leases = &self->server->leases;

	for (const struct lease *l = leases->first; l; l = l->next) {
		char text[HD_SETTING_KINDS * (HD_SETTING_VALUE_SIZE + 12)];

		hdSettingsText(&l->values, text, sizeof(text));
		clientSay(self, "lease %ld %lu %s %lld %s", (long)l->pid,
			  (unsigned long)l->uid, l->policy,
			  (long long)(l->sinceNs / HD_NS_PER_S), text);
	}
	for (size_t i = 0; i < leases->journal.count; i++) {
		const struct hdJournalEntry *entry =
			&leases->journal.entries[i];

		if (hdJournalIsChanged(entry))
			clientSay(self, "set %s %s %s", entry->path, entry->old,
				  entry->now);
	}
	clientSay(self, "ok");
}

static void clientRestore(struct powerClient *self)
{
	struct powerServer *server = self->server;
	size_t left;

	if (!clientIsTrusted(self)) {
		clientSay(self, "error permission denied; only root and the "
				"user of the service may restore");
		return;
	}
	for (struct powerClient *c = server->clients; c; c = c->next) {
		c->isRevoked = c->isRevoked || c->hasLease;
		c->hasLease = false;
	}
	server->leases.first = NULL;
	left = hdJournalRestoreAll(&server->leases.journal, clientTellRestored,
				   self);
	hdJournalClean(&server->leases.journal);
	if (left > 0)
		clientSay(self, "error %zu settings could not be restored",
			  left);
	else
		clientSay(self, "ok");
}

static void clientRequest(struct powerClient *self, char *line)
{
	if (strncmp(line, "lease ", 6) == 0) {
		clientLease(self, line + 6);
	} else if (strcmp(line, "end") == 0) {
		clientEnd(self);
	} else if (strcmp(line, "status") == 0) {
		clientStatus(self);
	} else if (strcmp(line, "restore") == 0) {
		clientRestore(self);
	} else {
		clientSay(self, "error unknown request");
	}
}

/* ---- The connection ---------------------------------------------------- */

static void clientRefuse(struct hdConnection *connection, const char *why)
{
	clientSay((struct powerClient *)(void *)connection, "error %s", why);
	connection->isOver = true;
}

static bool clientTake(struct hdConnection *connection)
{
	struct powerClient *self = (struct powerClient *)(void *)connection;
	const char *bytes = (const char *)connection->in.bytes;
	size_t used = connection->in.used;
	const char *end = used ? memchr(bytes, '\n', used) : NULL;
	char line[CLIENT_IN_MAX + 1];
	size_t length = end ? (size_t)(end - bytes) : 0;

	/* A line may come whole: its length counts, not only what waits. */
	if (end ? length > CLIENT_IN_MAX : used >= CLIENT_IN_MAX) {
		clientRefuse(connection, "request exceeds the size limit");
		return false;
	}
	if (!end)
		return false;
	memcpy(line, bytes, length);
	line[length] = '\0';
	hdConnectionTake(connection, length + 1);
	if (strlen(line) != length)
		clientRefuse(connection, "invalid request");
	else
		clientRequest(self, line);
	return true;
}

static bool clientFill(struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool clientIsBusy(const struct hdConnection *connection)
{
	return ((const struct powerClient *)(const void *)connection)->hasLease;
}

static bool clientOwes(const struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static void clientClosed(struct hdConnection *connection)
{
	struct powerClient *self = (struct powerClient *)(void *)connection;
	struct powerServer *server = self->server;

	clientEndLease(self);
	if (self->pidfd >= 0) {
		hdLoopRemove(&server->loop, self->pidfd);
		close(self->pidfd);
		self->pidfd = -1;
	}
	hdPlaceClose(&self->place);
	for (struct powerClient **c = &server->clients; *c; c = &(*c)->next) {
		if (*c == self) {
			*c = self->next;
			break;
		}
	}
	self->next = server->dead;
	server->dead = self;
}

static const struct hdConnectionCalls clientCalls = {
	.take = clientTake,
	.fill = clientFill,
	.isBusy = clientIsBusy,
	.owes = clientOwes,
	.refuse = clientRefuse,
	.closed = clientClosed,
};

/* ---- Its place --------------------------------------------------------- */

static int64_t clientIdleSince(const struct hdPlace *place)
{
	const struct powerClient *self = clientAt(
		(void *)(uintptr_t)place, offsetof(struct powerClient, place));

	return self->hasLease ? INT64_MAX : self->connection.activeNs;
}

static void clientGiveWay(struct hdPlace *place, const char *why)
{
	struct powerClient *self =
		clientAt(place, offsetof(struct powerClient, place));

	(void)why;
	hdConnectionClose(&self->connection);
}

static const struct hdPlaceCalls clientPlaceCalls = {
	.idleSince = clientIdleSince,
	.giveWay = clientGiveWay,
};

/* ---- The process behind it --------------------------------------------- */

/* When a process began, in ticks since the boot; -1: there is none. */
static long long clientStarted(pid_t pid)
{
	char path[64], text[1024];
	long long ticks = -1;
	const char *at;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	/* The name in parentheses may have any characters. */
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at && sscanf(at, "%lld", &ticks) != 1)
		ticks = -1;
	return ticks;
}

/* Open the process that connected, and no other one that has its number by now:
 * the kernel says it, or else the process must be older than the connection. */
static int clientOpenProcess(int fd, pid_t pid)
{
	socklen_t size = sizeof(int);
	struct timespec now;
	int pidfd = -1;
	long long ticks;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0)
		return pidfd;
	/* A kernel that knows the option says that the process is gone. */
	if (errno != ENOPROTOOPT)
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -1;
	clock_gettime(CLOCK_BOOTTIME, &now);
	ticks = clientStarted(pid);
	/* A tick that is still going on tells nothing. */
	if (ticks < 0 ||
	    ticks >=
		    (long long)now.tv_sec * sysconf(_SC_CLK_TCK) +
			    now.tv_nsec / (1000000000 / sysconf(_SC_CLK_TCK))) {
		close(pidfd);
		return -1;
	}
	return pidfd;
}

static void clientProcessEnded(struct hdPoll *poll, uint32_t events)
{
	struct powerClient *self =
		clientAt(poll, offsetof(struct powerClient, process));

	(void)events;
	hdConnectionClose(&self->connection);
}

static void clientFindProcess(struct powerClient *self, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	self->uid = (uid_t)-1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return;
	self->uid = peer.uid;
	self->pid = peer.pid;
	if (peer.pid > 0)
		self->pidfd = clientOpenProcess(fd, peer.pid);
	self->process.ready = clientProcessEnded;
	if (self->pidfd >= 0 && hdLoopAdd(&self->server->loop, self->pidfd,
					  EPOLLIN, &self->process) < 0) {
		close(self->pidfd);
		self->pidfd = -1;
	}
}

/* ---- Beginning and end ------------------------------------------------- */

void powerClientOpen(struct powerServer *server, int fd,
		     const struct sockaddr *address)
{
	static struct hdTls *const noTls = NULL;
	static struct hdConnectionSetup setup = {
		.calls = &clientCalls,
		.tls = &noTls,
		.inMax = CLIENT_IN_MAX,
		.outMax = CLIENT_OUT_MAX,
		.answerMax = CLIENT_ANSWER_MAX,
	};
	struct powerClient *self = calloc(1, sizeof(*self));
	const char *why;

	setup.loop = &server->loop;
	if (!self) {
		close(fd);
		return;
	}
	self->server = server;
	self->pidfd = -1;
	if (hdConnectionOpen(&self->connection, &setup, fd) < 0) {
		close(fd);
		free(self);
		return;
	}
	self->connection.isKnown = true;
	self->next = server->clients;
	server->clients = self;
	hdPlaceOpen(&server->places, &self->place, &clientPlaceCalls, fd,
		    address);
	clientFindProcess(self, fd);
	hdConnectionSend(&self->connection, SERVER_GREETING,
			 strlen(SERVER_GREETING));
	why = hdPlaceAdmit(&self->place);
	if (why)
		clientRefuse(&self->connection, why);
	hdConnectionKick(&self->connection);
}

void powerClientSweep(struct powerClient *self, int64_t nowNs)
{
	if (hdConnectionLate(&self->connection, nowNs, CLIENT_TIMEOUT_NS,
			     CLIENT_IDLE_NS))
		hdConnectionClose(&self->connection);
}

void powerClientClose(struct powerClient *self)
{
	hdConnectionClose(&self->connection);
}

void powerClientFree(struct powerClient *self)
{
	hdConnectionFree(&self->connection);
	free(self);
}
