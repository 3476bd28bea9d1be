/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpowerd: the service that grants leases of settings.
 */
#include "config.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "PowerSaving/daemon/server.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "net/logger.h"
#include "net/service/sandbox.h"

#define POWERD_FAILED 2

struct powerdOptions {
	char *root;
	gboolean isQuiet, isVerbose, isOpen;
};

static const struct cliCommand powerd = {
	.name = "hdpowerd",
	.description =
		"Grant leases of CPU clocks, governors, uncore clocks and "
		"power "
		"limits to hdpower(1).\nEvery setting is restored when its "
		"lease ends, or by the next start of the service.",
	.notes = "hdpower.conf(5) says which users may change which settings. "
		 "Without it, only root may.\n"
		 "Signals: SIGINT and SIGTERM restore all settings and end the "
		 "service.\n"
		 "Exit status: 0 a signal ended the service, 2 it could not "
		 "start.",
	.usageStatus = POWERD_FAILED,
};

/* The loop takes signals, so that none is between two steps. */
struct powerdSignals {
	struct hdPoll poll;
	struct powerServer *server;
	int fd;
};

static void powerdTakeSignal(struct hdPoll *poll, uint32_t events)
{
	struct powerdSignals *self = (struct powerdSignals *)(void *)poll;

	(void)events;
	self->server->loop.isOver = true;
}

static bool powerdBlockSignals(struct powerdSignals *self)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	/* A limit on the size of files is an error of the journal. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	self->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return self->fd >= 0;
}

/* Files are changed below the settings and in the directory of the journal
 * only; no capability is needed for the files of root. */
static void powerdLimit(const char *root)
{
	static const char *const places[] = { "/sys/devices", "/sys/class",
					      "/run/hdtrace" };
	char paths[3][4096];
	const char *list[3];
	int ret;

	for (int i = 0; i < 3; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s%s", root, places[i]);
		list[i] = paths[i];
	}
	ret = hdSandboxWrite(list, 3);
	if (ret < 0)
		hdNetLog(HD_LOG_DEBUG, "sandbox: no limit on files: %s",
			 strerror(-ret));
	ret = hdSandboxFilter();
	if (ret < 0)
		hdNetLog(HD_LOG_DEBUG, "sandbox: no limit on system calls: %s",
			 strerror(-ret));
	ret = hdSandboxKeep(0);
	if (ret < 0)
		hdNetLog(HD_LOG_DEBUG, "sandbox: no limit on capabilities: %s",
			 strerror(-ret));
}

static int powerdServe(const struct powerdOptions *options)
{
	const char *root = options->root ? options->root : "";
	struct powerServer server;
	struct powerdSignals signals = { .poll = { powerdTakeSignal },
					 .server = &server };
	char *socketPath = g_strconcat("unix:", root, HD_POWER_SOCKET, NULL);
	bool isGood = powerdBlockSignals(&signals);

	if (isGood) {
		isGood = powerServerOpen(&server, root, socketPath) == 0 &&
			 hdLoopAdd(&server.loop, signals.fd, EPOLLIN,
				   &signals.poll) == 0;
		if (isGood && !options->isOpen)
			powerdLimit(root);
		if (isGood)
			powerServerRun(&server);
		powerServerClose(&server);
		close(signals.fd);
	}
	g_free(socketPath);
	return isGood ? 0 : POWERD_FAILED;
}

int main(int argc, char **argv)
{
	struct powerdOptions options = { .root = NULL };
	const GOptionEntry entries[] = {
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options.root,
		  "Directory that contains /sys, /run and /etc, for tests",
		  "DIR" },
		{ "no-sandbox", 0, 0, G_OPTION_ARG_NONE, &options.isOpen,
		  "Keep all capabilities and system calls", NULL },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.isQuiet,
		  "Print only errors", NULL },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &options.isVerbose,
		  "Print more details", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status;

	setlocale(LC_CTYPE, "");
	hdNetLogger->prefix = "hdpowerd";
	status = cliParse(&powerd, lists, &argc, &argv);
	if (status < 0 && argc > 1)
		status = cliErrorUnexpected(&powerd, argv[1]);
	if (status < 0) {
		hdLogSetLevel(hdNetLogger, options.isQuiet     ? HD_LOG_ERROR
					   : options.isVerbose ? HD_LOG_DEBUG
							       : HD_LOG_INFO);
		status = powerdServe(&options);
	}
	g_free(options.root);
	return status;
}
