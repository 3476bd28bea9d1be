/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Serving the power of a site to many users. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/service/core/service.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/output.h"
#include "common/clock.h"
#include "net/service/sandbox.h"

/* What goes beside the service. */
struct siteServer {
	const struct options *options;
	struct hdPoll signals;
	struct hdPoll end;
	struct ptService *service;
	int signalFd, endFd;
};

static int siteRead(const struct options *options, struct ptSite **site)
{
	const struct ptRequest request = {
		.file = options->config,
		.drivers = ptDrivers,
		.root = options->root ? options->root : "",
		.depth = -1,
	};

	return ptSiteRead(&request, site);
}

int siteCheck(const struct options *options)
{
	struct ptSite *site;
	size_t lines = 0, nodes = 0;
	int ret = siteRead(options, &site);

	if (ret < 0)
		return -ret;
	for (size_t i = 0; i < site->deviceCount; i++) {
		lines += site->devices[i].lineCount;
		nodes += site->devices[i].config.nodeCount;
	}
	if (!options->quiet)
		outSay(stdout,
		       "%s: valid: %zu devices, %zu lines, %zu nodes traced "
		       "here",
		       options->config, site->deviceCount, lines, nodes);
	ptSiteUnref(site);
	return 0;
}

const char *siteOptions(const struct options *options)
{
	if (options->project || options->topology || options->port)
		return "--project, --topology and --port cannot be used with "
		       "[Server]";
	return NULL;
}

/* The project that the thread of a device begins. */
static __thread struct sessionProject siteBeginning;

/* Begin a project for the [Trace] sections of a device: in its thread. */
static int siteProject(void *data, struct ptConfig *config)
{
	const struct siteServer *server = data;

	return sessionProjectBegin(server->options, server->options->number,
				   config, &siteBeginning);
}

/* Its files are there, or not. */
static int siteBegun(void *data, struct ptConfig *config, bool isThere)
{
	int ret = 0;

	(void)data;
	/* The name lives as long as the process: threads end with it. */
	config->project = g_intern_string(siteBeginning.name);
	if (isThere)
		ret = sessionProjectKeep(&siteBeginning);
	else
		sessionProjectDrop(&siteBeginning);
	sessionProjectClear(&siteBeginning);
	return ret;
}

static void siteChange(struct ptService *service, void *data)
{
	const struct siteServer *server = data;
	struct ptSite *site;
	int ret;

	daemonNotify("RELOADING=1\nMONOTONIC_USEC=%lld",
		     (long long)(hdMonotonicNow() / 1000));
	ret = siteRead(server->options, &site);
	if (ret == 0) {
		ret = ptServiceReload(service, site);
		ptSiteUnref(site);
	}
	if (ret < 0)
		ptMessage(HD_LOG_WARNING,
			  "continuing with the previous configuration");
	else
		ptMessage(HD_LOG_INFO, "serving with the new configuration");
	daemonNotify("READY=1");
}

static void siteSignal(struct hdPoll *poll, uint32_t events)
{
	struct siteServer *server =
		(struct siteServer *)(void *)((char *)poll -
					      G_STRUCT_OFFSET(struct siteServer,
							      signals));
	struct signalfd_siginfo info;

	(void)events;
	if (read(server->signalFd, &info, sizeof(info)) !=
	    (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP)
		ptServiceChange(server->service);
	else if (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM)
		ptServiceStop(server->service);
}

static void siteEnd(struct hdPoll *poll, uint32_t events)
{
	struct siteServer *server =
		(struct siteServer *)(void *)((char *)poll -
					      G_STRUCT_OFFSET(struct siteServer,
							      end));

	(void)events;
	ptServiceStop(server->service);
}

/* Let the loop see signals, and the end of the duration. */
static gboolean siteWatch(struct siteServer *server)
{
	double duration = server->options->duration;
	const struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)duration,
			      .tv_nsec = (long)((duration -
						 (double)(time_t)duration) *
						1e9) },
	};

	server->signals.ready = siteSignal;
	server->end.ready = siteEnd;
	server->signalFd =
		signalfd(-1, servePrepare(), SFD_CLOEXEC | SFD_NONBLOCK);
	server->endFd =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (server->signalFd >= 0 && server->endFd >= 0 &&
	    timerfd_settime(server->endFd, 0, &when, NULL) == 0 &&
	    hdLoopAdd(&server->service->loop, server->signalFd, EPOLLIN,
		      &server->signals) == 0 &&
	    hdLoopAdd(&server->service->loop, server->endFd, EPOLLIN,
		      &server->end) == 0)
		return TRUE;
	ptMessage(HD_LOG_ERROR, "signals: %s", strerror(errno));
	return FALSE;
}

/* Add the directory of a file; NULL: there is none. */
static void siteAddPath(GPtrArray *paths, const char *file)
{
	if (file)
		g_ptr_array_add(paths, g_path_get_dirname(file));
}

/* Give up what the service does not need from now on: its files are below these
 * directories, also after the configuration was read again. */
static void siteLimit(const struct options *options, const struct ptSite *site)
{
	static const char *const usual[] = { "/dev", "/proc", "/run",
					     "/tmp", "/var",  "." };
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	int ret;

	for (size_t i = 0; i < G_N_ELEMENTS(usual); i++)
		g_ptr_array_add(paths, g_strdup(usual[i]));
	siteAddPath(paths, options->pidFile);
	for (size_t i = 0; i < site->listenCount; i++)
		if (g_str_has_prefix(site->listen[i].text, "unix:"))
			siteAddPath(paths, site->listen[i].text + 5);
	for (size_t i = 0; i < site->deviceCount; i++)
		siteAddPath(paths, site->devices[i].config.project);
	/* As ptServiceBegin() does later: the kernel asks for it here. */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ret = hdSandboxWrite((const char *const *)paths->pdata, paths->len);
	if (ret == 0)
		ret = hdSandboxFilter();
	if (ret < 0)
		ptMessage(HD_LOG_DEBUG, "sandbox: %s", g_strerror(-ret));
	g_ptr_array_free(paths, TRUE);
}

int siteServe(const struct options *options)
{
	struct siteServer server = { .options = options,
				     .signalFd = -1,
				     .endFd = -1 };
	const struct ptServiceSetup setup = {
		.root = options->root ? options->root : "",
		.project = siteProject,
		.begun = siteBegun,
		.change = siteChange,
		.data = &server,
	};
	struct ptSite *site;
	int ret;

	servePrepare();
	ret = siteRead(options, &site);
	if (ret < 0)
		return -ret;
	ret = ptServiceCreate(site, &setup, &server.service);
	ptSiteUnref(site);
	if (ret < 0)
		return -ret;
	if (!siteWatch(&server))
		ret = PT_ETHREAD;
	if (ret == 0)
		siteLimit(options, server.service->site);
	if (ret == 0)
		ret = ptServiceBegin(server.service);
	if (ret == 0) {
		daemonNotify("READY=1\nSTATUS=serving");
		daemonReady(0);
		ptServiceRun(server.service);
		daemonNotify("STOPPING=1");
	}
	ptServiceDestroy(server.service);
	if (server.signalFd >= 0)
		close(server.signalFd);
	if (server.endFd >= 0)
		close(server.endFd);
	return -ret;
}
