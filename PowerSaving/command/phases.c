/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Following the phases that a program names; see run.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerSaving/command/run.h"
#include "PowerSaving/core/phases.h"
#include "cli/output.h"

/* Datagrams in a row before the end of the command is looked for. */
#define PHASES_TURN 64

/* A name that no other user can guess and bind first. Once it is bound,
 * /proc/net/unix shows it to all users: phasesTake() checks the sender. */
static char *phasesName(void)
{
	unsigned char bytes[16];
	GString *name = g_string_new("hdpower-");

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
		g_string_free(name, TRUE);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		g_string_append_printf(name, "%02x", bytes[i]);
	return g_string_free(name, FALSE);
}

/* Take a datagram of this user; whether there was one. */
static bool phasesTake(int fd, char *name, size_t size)
{
	char control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec bytes = { name, size - 1 };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *head;
	struct ucred peer;
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return false;
	name[got] = '\0';
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_type != SCM_CREDENTIALS) {
		name[0] = '\0';
		return true;
	}
	memcpy(&peer, CMSG_DATA(head), sizeof(peer));
	/* Abstract names have no rights: any user could send. */
	if (peer.uid != getuid() && peer.uid != 0)
		name[0] = '\0';
	return true;
}

/* The number of a phase in the usage; -1: it is not there. */
static int phasesFind(const struct run *self, const char *name)
{
	for (guint i = 0; self->usage && i < self->usage->len; i++) {
		const struct powerPhase *phase = self->usage->pdata[i];

		if (strcmp(phase->name, name) == 0)
			return (int)i;
	}
	return -1;
}

static void phasesChange(struct run *self, const char *name)
{
	struct hdSettingValues values = self->values;
	int number = phasesFind(self, name);
	bool isChanged;

	if (number >= 0)
		snprintf(values.of[HD_SETTING_MAX_FREQ], HD_SETTING_VALUE_SIZE,
			 "%.0f", self->plan.phases[number].mhz * 1e3);
	else if (self->usage && self->options->isVerbose)
		outSay(stderr, RUN_TOOL ": phase %s: not in the usage file",
		       name);
	isChanged = memcmp(&values, &self->values, sizeof(values)) != 0;
	if (isChanged)
		runForget(self);
	if (isChanged || g_strcmp0(self->phase, name) != 0)
		runRecordPhase(self, name);
	if (isChanged)
		runApply(self, &values);
}

/* Without a name from the program, its utilization tells. */
static void phasesRecognize(struct run *self)
{
	double mhz =
		g_ascii_strtod(self->values.of[HD_SETTING_MAX_FREQ], NULL) /
		1e3;
	int number = recognizerLook(self->recognizer, mhz);
	const struct powerPhase *phase =
		number < 0 ? NULL : self->usage->pdata[number];

	if (!phase || g_strcmp0(self->phase, phase->name) == 0)
		return;
	if (self->options->isVerbose)
		outSay(stderr, RUN_TOOL ": phase %s: recognized", phase->name);
	phasesChange(self, phase->name);
}

/* Take all names that wait; the last one is the one that goes on. A flood of
 * them must not hide the end of the command. */
static void phasesTakeAll(struct run *self)
{
	char name[HD_POWER_PHASE_SIZE], last[HD_POWER_PHASE_SIZE] = "";

	for (int i = 0;
	     i < PHASES_TURN && phasesTake(self->phasesFd, name, sizeof(name));
	     i++) {
		if (name[0])
			strcpy(last, name);
	}
	if (!last[0])
		return;
	self->isTold = true;
	phasesChange(self, last);
}

static void *phasesFollow(void *data)
{
	struct run *self = data;
	struct pollfd fds[] = { { .fd = self->phasesFd, .events = POLLIN },
				{ .fd = self->wakeFd, .events = POLLIN } };

	for (;;) {
		bool looks = self->recognizer && !self->isTold;
		int count = poll(fds, 2, looks ? RUN_RECOGNIZE_MS : -1);

		if (count < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			break;
		if (count == 0)
			phasesRecognize(self);
		else
			phasesTakeAll(self);
	}
	return NULL;
}

bool runFollowPhases(struct run *self)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int on = 1;

	self->phasesFd = self->wakeFd = -1;
	if (!self->usage && !self->record)
		return true;
	if (self->usage)
		self->recognizer = recognizerNew(self->root, self->usage);
	self->phases = phasesName();
	self->phasesFd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	self->wakeFd = eventfd(0, EFD_CLOEXEC);
	if (!self->phases || self->phasesFd < 0 || self->wakeFd < 0)
		return false;
	memcpy(address.sun_path + 1, self->phases, strlen(self->phases));
	setsockopt(self->phasesFd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	if (bind(self->phasesFd, (const struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     strlen(self->phases))) < 0)
		return false;
	g_setenv(HD_POWER_PHASES, self->phases, TRUE);
	self->thread = g_thread_new("phases", phasesFollow, self);
	return true;
}

void runEndPhases(struct run *self)
{
	if (self->thread) {
		eventfd_write(self->wakeFd, 1);
		g_thread_join(self->thread);
		self->thread = NULL;
	}
	if (self->phasesFd >= 0)
		close(self->phasesFd);
	if (self->wakeFd >= 0)
		close(self->wakeFd);
	recognizerFree(self->recognizer);
	self->recognizer = NULL;
	g_free(self->phases);
	self->phases = NULL;
}
