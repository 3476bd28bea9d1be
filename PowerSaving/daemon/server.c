/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service that grants leases; see server.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "PowerSaving/daemon/client.h"
#include "common/clock.h"
#include "net/logger.h"

#define SERVER_CLIENTS 64
#define SERVER_PENDING 64
/* Of the places, for a user. */
#define SERVER_SHARE_PERCENT 50
#define SERVER_PATIENCE_NS (10 * HD_NS_PER_S)
/* How often those are looked at that take too long. */
#define SERVER_SWEEP_NS HD_NS_PER_S
/* Descriptors: two for a client, and some others. */
#define SERVER_FILES (2 * (SERVER_CLIENTS + SERVER_PENDING) + 64)

static void powerServerWoken(struct hdLoop *loop)
{
	loop->isOver = true;
}

static bool powerServerHasRoom(void *context, const struct sockaddr *address)
{
	(void)context;
	(void)address;
	return true;
}

static void powerServerShed(void *context)
{
	struct powerServer *self = context;

	hdPlacesShed(&self->places);
}

static void powerServerAccepted(void *context, int fd,
				const struct sockaddr *address)
{
	powerClientOpen(context, fd, address);
}

/* ---- Opening ----------------------------------------------------------- */

static void powerServerTellRestored(void *context, const char *path,
				    const char *value, int error)
{
	(void)context;
	if (error)
		hdNetLog(HD_LOG_ERROR, "%s: cannot restore %s: %s", path, value,
			 strerror(error));
	else
		hdNetLog(HD_LOG_WARNING, "%s: restored %s", path, value);
}

/* Restore what a service that was killed has left. */
static int powerServerRecover(struct powerServer *self, const char *root)
{
	struct hdJournal *journal = &self->leases.journal;
	int ret = hdJournalOpen(journal, root);

	if (ret == -EWOULDBLOCK)
		hdNetLog(HD_LOG_ERROR,
			 "%s" HD_POWER_FOLDER ": another hdpowerd "
			 "is running",
			 root);
	else if (ret == -EPERM)
		hdNetLog(HD_LOG_ERROR,
			 "%s%s: other users can change the journal; use chown "
			 "root and chmod go-w",
			 root, journal->foreign);
	else if (ret < 0)
		hdNetLog(HD_LOG_ERROR, "%s" HD_POWER_FOLDER "/journal: %s",
			 root, strerror(-ret));
	if (ret < 0)
		return ret;
	if (journal->dropped > 0)
		hdNetLog(HD_LOG_INFO,
			 "journal: dropped %zu lines of another "
			 "boot",
			 journal->dropped);
	if (journal->invalid > 0)
		hdNetLog(HD_LOG_WARNING, "journal: ignored %zu invalid lines",
			 journal->invalid);
	hdJournalRestoreAll(journal, powerServerTellRestored, NULL);
	ret = hdJournalClean(journal);
	if (ret < 0)
		hdNetLog(HD_LOG_ERROR,
			 "%s" HD_POWER_FOLDER "/journal: cannot "
			 "write: %s",
			 root, strerror(-ret));
	return ret;
}

static int powerServerListen(struct powerServer *self, const char *socketPath)
{
	static const struct hdListenCalls calls = {
		.hasRoom = powerServerHasRoom,
		.shed = powerServerShed,
		.accepted = powerServerAccepted,
	};
	struct hdListenSetup setup = {
		.loop = &self->loop,
		.addresses = &self->address,
		.count = 1,
		.socketMode = 0666,
		.calls = &calls,
		.context = self,
	};
	int ret = hdAddressParse(socketPath, &self->address);

	if (ret < 0) {
		hdNetLog(HD_LOG_ERROR, "%s: invalid path of a socket",
			 socketPath);
		return ret;
	}
	ret = hdListen(&self->listeners, &setup);
	if (ret == 0)
		hdListenSay(self->listeners);
	return ret;
}

int powerServerOpen(struct powerServer *self, const char *root,
		    const char *socketPath)
{
	int ret;

	*self = (struct powerServer){
		.loop = { .fd = -1, .wakeFd = -1 },
		.places = { .limits = { SERVER_CLIENTS, SERVER_SHARE_PERCENT,
					SERVER_SHARE_PERCENT },
			    .pendingMax = SERVER_PENDING,
			    .patienceNs = SERVER_PATIENCE_NS },
		.leases = { .root = root,
			    .journal = { .folder = -1, .lock = -1, .fd = -1 } },
	};
	ret = hdLoopOpen(&self->loop, powerServerWoken);
	if (ret < 0)
		return ret;
	hdLoopFiles(SERVER_FILES);
	/* First: an invalid configuration does not keep changed settings. */
	ret = powerServerRecover(self, root);
	if (ret == 0)
		ret = permissionsRead(&self->permissions, root);
	if (ret == 0)
		ret = powerServerListen(self, socketPath);
	return ret;
}

/* ---- The loop ---------------------------------------------------------- */

static void powerServerBury(struct powerServer *self)
{
	while (self->dead) {
		struct powerClient *client = self->dead;

		self->dead = client->next;
		powerClientFree(client);
	}
}

static void powerServerSweep(struct powerServer *self, int64_t now)
{
	struct powerClient *next;

	if (now < self->sweepNs)
		return;
	self->sweepNs = now + SERVER_SWEEP_NS;
	for (struct powerClient *c = self->clients; c; c = next) {
		next = c->next;
		powerClientSweep(c, now);
	}
	if (self->leases.journal.count > 0)
		leaseRetry(&self->leases);
}

/* Whether clients may be late, or a setting is to be restored. */
static bool powerServerHasWork(const struct powerServer *self)
{
	return self->clients || self->leases.journal.count > 0;
}

void powerServerRun(struct powerServer *self)
{
	while (!self->loop.isOver) {
		int64_t now = hdMonotonicNow();

		hdLoopStep(&self->loop,
			   hdLoopTimeout(now, powerServerHasWork(self)
						      ? self->sweepNs
						      : INT64_MAX));
		powerServerSweep(self, hdMonotonicNow());
		hdPlacesRun(&self->places);
		powerServerBury(self);
	}
}

void powerServerClose(struct powerServer *self)
{
	hdListenEnd(&self->listeners);
	while (self->clients)
		powerClientClose(self->clients);
	powerServerBury(self);
	if (self->leases.journal.fd >= 0) {
		hdJournalRestoreAll(&self->leases.journal,
				    powerServerTellRestored, NULL);
		hdJournalClean(&self->leases.journal);
	}
	hdJournalClose(&self->leases.journal);
	permissionsClear(&self->permissions);
	hdLoopClose(&self->loop);
}
