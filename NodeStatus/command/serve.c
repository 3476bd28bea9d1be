/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode without a subcommand: the daemon. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "NodeStatus/command/serve.h"
#include "NodeStatus/daemon/server.h"
#include "NodeStatus/local/core/local.h"
#include "NodeStatus/wire/wire.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/readfile.h"
#include "common/clock.h"
#include "common/net.h"
#include "net/logger.h"
#include "net/service/sandbox.h"
#include "net/tls.h"

/* How long a name that is listened at may be looked up. */
#define LOOKUP_NS (5 * HD_NS_PER_S)

/* How long the end may take: a disk or a GPU that hangs keeps a thread for
 * ever.
 */
#define END_S 4

/* What is being served. */
struct serving {
	struct hdPoll signals; /* First: it is what the loop knows. */
	const struct serveOptions *options;
	struct hdNodeLocal *local;
	struct hdNodeServer *server;
	struct hdAddress *addresses;
	char **texts; /* That addresses point into. */
	size_t count;
	struct hdNetwork *networks;
	size_t networkCount;
	int fd; /* Of signals. */
};

/* ---- What the node says ------------------------------------------------- */

static json_t *serveSection(void *context, unsigned int section)
{
	struct hdNodeLocal *local = context;

	switch (section) {
	case HD_NODE_WIRE_CAPABILITIES:
		return hdNodeLocalSection(local, HD_NODE_CAPABILITIES);
	case HD_NODE_WIRE_STATUS:
		return hdNodeLocalSection(local, HD_NODE_STATUS);
	case HD_NODE_WIRE_HEALTH:
		return hdNodeLocalSection(local, HD_NODE_HEALTH);
	case HD_NODE_WIRE_ALARMS:
		return hdNodeLocalSection(local, HD_NODE_ALARMS);
	default:
		return hdNodeLocalSection(local, HD_NODE_CONFIG);
	}
}

static void serveProbes(void *context, bool isReset,
			void (*done)(void *context, json_t *probes),
			void *doneContext)
{
	hdNodeLocalAskProbes(context, isReset, done, doneContext);
}

static int serveConfigure(void *context, const char *text, size_t length,
			  char **error)
{
	return hdNodeLocalConfigure(context, text, length, error);
}

/* Metrics that are being written. */
struct writing {
	const struct hdMetricText *text;
	char family[128]; /* The last one that was begun. */
};

static void serveMetric(void *context, const struct hdNodeMetric *metric)
{
	struct writing *writing = context;
	const struct hdMetricText *text = writing->text;

	if (strcmp(writing->family, metric->name) != 0) {
		hdMetricFamily(text, metric->name, metric->isCounter,
			       metric->unit, metric->help);
		g_strlcpy(writing->family, metric->name,
			  sizeof(writing->family));
	}
	hdMetricName(text, metric->name, metric->isCounter);
	for (size_t i = 0; metric->labels && metric->labels[i]; i += 2)
		hdMetricLabel(text, i ? ',' : '{', metric->labels[i],
			      metric->labels[i + 1]);
	if (metric->labels && metric->labels[0])
		fputc('}', text->file);
	hdMetricNumber(text, metric->value);
}

static void serveMetrics(void *context, const struct hdMetricText *text)
{
	struct writing writing = { .text = text };

	hdNodeLocalMetrics(context, serveMetric, &writing);
}

/* ---- Where and to whom --------------------------------------------------- */

/* Make an address of a name, "HOST:PORT"; to be freed, or NULL. */
static char *serveLookUp(const char *wanted, const char **why)
{
	const char *colon = strrchr(wanted, ':');
	char found[HD_NET_ADDRESS_MAX];
	char *host = g_strndup(wanted, colon ? (gsize)(colon - wanted) : 0);
	int ret = -EINVAL;

	if (*host)
		ret = hdNetLookup(host, -1, hdMonotonicNow() + LOOKUP_NS, found,
				  why);
	g_free(host);
	return ret < 0 ? NULL
		       : g_strdup_printf(strchr(found, ':') ? "[%s]%s" : "%s%s",
					 found, colon);
}

/* Listen there, too; FALSE after a message. */
static gboolean serveAddress(struct serving *serving, const char *wanted)
{
	struct hdAddress *address = &serving->addresses[serving->count];
	const char *why = NULL;
	char *text = g_strdup(wanted);
	int ret = hdAddressParse(text, address);

	if (ret < 0 && !g_str_has_prefix(text, "unix:")) {
		g_free(text);
		text = serveLookUp(wanted, &why);
		if (text)
			ret = hdAddressParse(text, address);
	}
	serving->texts[serving->count] = text;
	if (ret < 0) {
		outSay(stderr, "hdnode: --listen=%s: %s", wanted,
		       why ? why
			   : "invalid address; expected HOST:PORT or "
			     "unix:PATH");
		return FALSE;
	}
	if (!address->isLocal && !serving->options->tokens) {
		outSay(stderr,
		       "hdnode: --listen=%s: other hosts can reach this "
		       "address; --tokens is required",
		       wanted);
		return FALSE;
	}
	serving->count++;
	return TRUE;
}

static gboolean serveAddresses(struct serving *serving)
{
	static char *usual[] = { NULL, NULL };
	char **listen = serving->options->listen;
	gboolean isGood = TRUE;
	guint count;

	if (!listen) {
		usual[0] = g_strdup_printf("127.0.0.1:%d", HD_NODE_WIRE_PORT);
		listen = usual;
	}
	count = g_strv_length(listen);
	serving->addresses = g_new0(struct hdAddress, count);
	serving->texts = g_new0(char *, count + 1);
	for (guint i = 0; isGood && i < count; i++)
		isGood = serveAddress(serving, listen[i]);
	g_free(usual[0]);
	return isGood;
}

static gboolean serveNetworks(struct serving *serving)
{
	char **texts = serving->options->metricsFrom;
	guint count = texts ? g_strv_length(texts) : 0;

	serving->networks = g_new0(struct hdNetwork, count + 1);
	for (guint i = 0; i < count; i++) {
		if (hdNetworkParse(texts[i], &serving->networks[i]) < 0) {
			outSay(stderr,
			       "hdnode: --metrics-from=%s: invalid network; "
			       "expected ADDRESS[/BITS]",
			       texts[i]);
			return FALSE;
		}
		serving->networkCount++;
	}
	return TRUE;
}

/* ---- Begin, signals, end ------------------------------------------------- */

/* Read the configuration; FALSE after a message. */
static gboolean serveRead(const struct serveOptions *options, char **text,
			  gsize *length)
{
	*text = NULL;
	*length = 0;
	return !options->config ||
	       cliReadFile("hdnode", options->config, text, length);
}

static gboolean serveLocal(struct serving *serving)
{
	const struct serveOptions *options = serving->options;
	struct hdNodeSetup setup = {
		.name = options->name,
		.root = options->root,
		.intervalNs = (int64_t)(options->interval * 1e9),
		.smartctl = options->smartctl,
		.power = options->power,
		.logger = hdNetLogger,
	};
	gsize length;
	char *text;
	int ret;

	if (!serveRead(options, &text, &length))
		return FALSE;
	setup.ini = text;
	setup.file = options->config;
	ret = hdNodeLocalStart(&setup, &serving->local);
	g_free(text);
	if (ret < 0 && ret != -EINVAL)
		outSay(stderr, "hdnode: %s", g_strerror(-ret));
	return ret == 0;
}

/* SIGHUP: read all files again; what is wrong stays as it was. */
static void nodeServeReload(struct serving *serving)
{
	char *text, *error = NULL;
	gsize length;

	hdNodeServerReload(serving->server);
	if (!serving->options->config ||
	    !serveRead(serving->options, &text, &length))
		return;
	if (hdNodeLocalConfigure(serving->local, text, length, &error) < 0)
		hdNetLog(HD_LOG_ERROR,
			 "%s: previous configuration stays active: %s",
			 serving->options->config,
			 error ? error : "out of memory");
	else
		hdNetLog(HD_LOG_INFO, "%s: read again",
			 serving->options->config);
	free(error);
	g_free(text);
}

static void serveGiveUp(int signal)
{
	static const char text[] =
		"hdnode: an operation hangs; exiting anyway\n";
	ssize_t ret = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal;
	(void)ret;
	_exit(1);
}

/* Let the end not take for ever. */
static void serveLimitEnd(void)
{
	sigset_t signals;

	signal(SIGALRM, serveGiveUp);
	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	alarm(END_S);
}

static void nodeServeOnSignal(struct hdPoll *poll, uint32_t events)
{
	struct serving *serving = (struct serving *)(void *)poll;
	struct signalfd_siginfo info;

	(void)events;
	while (read(serving->fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP) {
			nodeServeReload(serving);
			continue;
		}
		serveLimitEnd();
		hdNodeServerStop(serving->server);
	}
}

static int serveServer(struct serving *serving)
{
	const struct serveOptions *options = serving->options;
	const struct hdNodeServerSetup setup = {
		.addresses = serving->addresses,
		.count = serving->count,
		.name = options->name,
		.tokens = options->tokens,
		.certificate = options->certificate,
		.key = options->key,
		.metricsFrom = serving->networks,
		.metricsCount = serving->networkCount,
		.source = {
			.section = serveSection,
			.askProbes = serveProbes,
			.configure = serveConfigure,
			.metrics = serveMetrics,
			.context = serving->local,
		},
	};
	int ret = hdNodeServerCreate(&setup, &serving->server);

	if (ret < 0)
		return NODE_FAILED;
	serving->signals.ready = nodeServeOnSignal;
	ret = hdLoopAdd(hdNodeServerLoop(serving->server), serving->fd, EPOLLIN,
			&serving->signals);
	if (ret == 0)
		hdNodeServerRun(serving->server);
	hdNodeServerDestroy(serving->server);
	return ret < 0 ? NODE_FAILED : 0;
}

/* From now on signals are read, before there are threads that stay. */
static gboolean serveSignals(struct serving *serving)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	serving->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return serving->fd >= 0;
}

/* ---- What is given up ---------------------------------------------------- */

/* Of files of /proc, pages of probes and disks, and for low ports. */
#define SERVE_CAPABILITIES                            \
	(HD_SANDBOX_CAPABILITY(CAP_DAC_OVERRIDE) |    \
	 HD_SANDBOX_CAPABILITY(CAP_DAC_READ_SEARCH) | \
	 HD_SANDBOX_CAPABILITY(CAP_SYS_PTRACE) |      \
	 HD_SANDBOX_CAPABILITY(CAP_SYS_RAWIO) |       \
	 HD_SANDBOX_CAPABILITY(CAP_SYS_ADMIN) |       \
	 HD_SANDBOX_CAPABILITY(CAP_PERFMON) |         \
	 HD_SANDBOX_CAPABILITY(CAP_KILL) |            \
	 HD_SANDBOX_CAPABILITY(CAP_NET_BIND_SERVICE))

static void serveSay(const char *what, int ret)
{
	if (ret < 0)
		hdNetLog(HD_LOG_DEBUG, "sandbox: no limit on %s: %s", what,
			 g_strerror(-ret));
}

/* Before there are threads: what is begun later has the same limits. Files are
 * not limited: with Landlock, the kernel shows nothing of processes that do not
 * have it, which are those with probes. */
static void serveLimit(const struct serving *serving)
{
	if (serving->options->isOpen)
		return;
	serveSay("system calls", hdSandboxFilter());
	serveSay("capabilities", hdSandboxKeep(SERVE_CAPABILITIES));
}

int serveRun(const struct serveOptions *options)
{
	struct serving serving = { .options = options };
	int status = NODE_FAILED;

	hdLogSetLevel(hdNetLogger, options->isQuiet     ? HD_LOG_ERROR
				   : options->isVerbose ? HD_LOG_DEBUG
							: HD_LOG_INFO);
	serving.fd = -1;
	/* Whatever a name server does, a signal ends that. */
	if (serveAddresses(&serving) && serveNetworks(&serving) &&
	    serveSignals(&serving)) {
		serveLimit(&serving);
		if (serveLocal(&serving))
			status = serveServer(&serving);
	}
	hdNodeLocalStop(serving.local);
	g_strfreev(serving.texts);
	g_free(serving.addresses);
	g_free(serving.networks);
	if (serving.fd >= 0)
		close(serving.fd);
	return status;
}
