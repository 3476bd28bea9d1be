/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for signals and for the end. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* When a device is tried again that was not there for a new trace. */
#define RETRY_NS HD_NS_PER_S

struct server {
	struct session session;
	int64_t endNs;   /* Of the duration, or 0. */
	int64_t retryNs; /* When to try to begin a trace again, or 0. */
	gboolean isOver;
};

static sigset_t serveSignals;

const sigset_t *servePrepare(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1,
				       SIGUSR2 };

	sigemptyset(&serveSignals);
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaddset(&serveSignals, signals[i]);
	pthread_sigmask(SIG_BLOCK, &serveSignals, NULL);
	return &serveSignals;
}

static void serveTell(const struct session *session)
{
	ptMessage(HD_LOG_INFO, "%s into %s.proj",
		  session->isStopped ? "will trace" : "tracing",
		  session->project);
}

/* Begin a trace in place of the one that runs; what was wrong before is not
 * said again. */
static void serveAgain(struct server *server, bool isRetry)
{
	int ret;

	hdLogIsQuiet = isRetry;
	ret = sessionBegin(&server->session, TRUE);
	hdLogIsQuiet = false;
	server->retryNs = 0;
	if (ret == 0) {
		serveTell(&server->session);
		return;
	}
	if (server->session.trace) {
		ptMessage(HD_LOG_WARNING, "continuing with the project %s",
			  server->session.project);
	} else {
		if (!isRetry)
			ptMessage(HD_LOG_WARNING,
				  "retrying until the trace can start");
		server->retryNs = hdMonotonicNow() + RETRY_NS;
	}
}

static void serveCommandReload(struct server *server)
{
	daemonNotify("RELOADING=1\nMONOTONIC_USEC=%lld",
		     (long long)(hdMonotonicNow() / 1000));
	serveAgain(server, false);
	daemonNotify("READY=1");
}

static void serveSet(struct session *session, gboolean isStopped)
{
	session->isStopped = isStopped;
	if (!session->trace)
		return;
	if (isStopped)
		pt_stopTracing(session->trace);
	else
		pt_startTracing(session->trace);
	ptMessage(HD_LOG_INFO, "%s", isStopped ? "stopped" : "started");
	daemonNotify("STATUS=%s", isStopped ? "stopped" : "tracing");
}

static void serveCommandOnSignal(struct server *server, int number)
{
	switch (number) {
	case SIGHUP:
		serveCommandReload(server);
		break;
	case SIGUSR1:
		serveSet(&server->session, TRUE);
		break;
	case SIGUSR2:
		serveSet(&server->session, FALSE);
		break;
	default:
		server->isOver = TRUE;
		break;
	}
}

/* Milliseconds until something is due; -1 is for ever. */
static int serveTimeout(const struct server *server)
{
	int64_t now = hdMonotonicNow(), due = server->endNs, left;

	if (server->retryNs && (due == 0 || server->retryNs < due))
		due = server->retryNs;
	if (due == 0)
		return -1;
	left = due > now ? (due - now + 999999) / 1000000 : 0;
	return left > G_MAXINT ? G_MAXINT : (int)left;
}

static void serveWait(struct server *server, int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&poller, 1, serveTimeout(server)) > 0 &&
	    read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		serveCommandOnSignal(server, (int)info.ssi_signo);
	if (server->endNs && hdMonotonicNow() >= server->endNs)
		server->isOver = TRUE;
	if (!server->isOver && server->retryNs &&
	    hdMonotonicNow() >= server->retryNs)
		serveAgain(server, true);
}

int serve(const struct options *options)
{
	struct server server = { .session = { .options = options } };
	int fd, ret;

	servePrepare();
	fd = signalfd(-1, &serveSignals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		ptMessage(HD_LOG_ERROR, "signalfd: %s", strerror(errno));
		return -PT_ESYNTAX;
	}
	ret = sessionBegin(&server.session, options->number);
	if (ret == 0) {
		serveTell(&server.session);
		if (options->duration > 0)
			server.endNs =
				hdMonotonicNow() +
				(int64_t)(options->duration * HD_NS_PER_S);
		daemonNotify("READY=1\nSTATUS=tracing");
		daemonReady(0);
		while (!server.isOver)
			serveWait(&server, fd);
		daemonNotify("STOPPING=1");
		ret = server.session.trace ? sessionEnd(&server.session)
					   : PT_EDEVICE;
	}
	close(fd);
	return -ret;
}
