/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service; see service.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <PT.h>
#include "net/tokens.h"
#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/service/metrics.h"
#include "net/http.h"
#include "PowerTracingLibrary/service/listen.h"
#include "PowerTracingLibrary/service/shares.h"
#include "PowerTracingLibrary/service/site/privileges.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

#define NS_PER_MS INT64_C(1000000)

/* How often clients are looked at that take too long, and how often at most
 * what is due or was measured. */
#define SWEEP_NS (250 * NS_PER_MS)
#define PACE_NS NS_PER_MS
/* Descriptors that are no clients. */
#define OTHER_FILES 256
/* How long a request for metrics may take to come. */
#define HEADER_NS (5 * HD_NS_PER_S)

/* ---- Begin ------------------------------------------------------------- */

static void serviceWoken(struct hdLoop *loop)
{
	((struct ptService *)(void *)loop)->hasNews = true;
}

/* Each client is an open file. */
static void serviceFiles(const struct ptSite *site)
{
	/* As many may be about to say who they are. */
	unsigned long wanted =
		2 * (unsigned long)site->limits.clients + OTHER_FILES;
	unsigned long files = hdLoopFiles(wanted);

	if (files < wanted)
		ptMessage(HD_LOG_WARNING,
			  "the limit of %lu open files is too low for %ld "
			  "clients",
			  files, (long)site->limits.clients);
}

static struct ptServedContext serviceContext(struct ptService *service,
					     bool isLater)
{
	return (struct ptServedContext){
		.memory = &service->memory,
		.root = service->setup.root,
		.wakeFd = service->loop.wakeFd,
		.isLater = isLater,
		.project = service->setup.project,
		.begun = service->setup.begun,
		.data = service->setup.data,
	};
}

static int serviceDevices(struct ptService *service)
{
	struct ptServedContext context = serviceContext(service, false);
	struct ptSite *site = service->site;
	int ret = 0;

	service->devices = calloc(site->deviceCount, sizeof(struct ptServed *));
	if (!service->devices)
		return PT_EMEMORY;
	for (size_t i = 0; ret == 0 && i < site->deviceCount; i++) {
		ret = ptServedCreate(site, &site->devices[i], &context,
				     &service->devices[i]);
		if (ret == 0)
			service->deviceCount++;
	}
	return ret;
}

/* Read tokens and certificate. */
static int serviceSecrets(const struct ptSite *site, struct hdTokens **tokens,
			  struct hdTls **tls)
{
	int ret = hdAuthenticationRead(site->tokens, site->certificate,
				       site->key, tokens, tls);

	if (ret == 0)
		return 0;
	return ret == -ENOMEM ? PT_EMEMORY : PT_ECONFINVALID;
}

int ptServiceInit(struct ptService *service)
{
	int ret = hdLoopOpen(&service->loop, serviceWoken);

	ptClientSetup(service);
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "epoll: %s", strerror(-ret));
		return PT_ETHREAD;
	}
	return 0;
}

static char *serviceMetrics(void *context, bool isOpenMetrics, size_t *length)
{
	return ptMetrics(context, isOpenMetrics, length);
}

static int serviceHttp(struct ptService *service)
{
	const struct ptSite *site = service->site;
	const struct hdHttpSetup setup = {
		.text = serviceMetrics,
		.context = service,
		.headerNs = site->limits.timeoutNs < HEADER_NS
				    ? site->limits.timeoutNs
				    : HEADER_NS,
		.deadlineNs = 3 * site->limits.timeoutNs,
	};

	if (site->metrics.length == 0)
		return 0;
	return hdHttpCreate(&service->loop, &site->metrics, &setup,
			    &service->http) < 0
		       ? PT_EDEVICE
		       : 0;
}

static int serviceOpen(struct ptService *service)
{
	int ret = ptServiceInit(service);

	if (ret < 0)
		return ret;
	serviceFiles(service->site);
	ret = serviceSecrets(service->site, &service->tokens, &service->tls);
	/* Who has the port serves; another one must not open the devices. */
	if (ret == 0 && ptListen(service, service->site) < 0)
		ret = PT_EDEVICE;
	if (ret == 0)
		ret = serviceHttp(service);
	return ret == 0 ? serviceDevices(service) : ret;
}

int ptServiceCreate(struct ptSite *site, const struct ptServiceSetup *setup,
		    struct ptService **result)
{
	struct ptService *service = calloc(1, sizeof(*service));
	int ret;

	if (!service)
		return PT_EMEMORY;
	service->loop = (struct hdLoop){ .fd = -1, .wakeFd = -1 };
	service->setup = *setup;
	service->site = ptSiteRef(site);
	service->memory.limit = site->limits.memory;
	ptShareSetup(service);
	ret = serviceOpen(service);
	if (ret < 0)
		ptServiceDestroy(service);
	else
		*result = service;
	return ret;
}

int ptServiceBegin(struct ptService *service)
{
	int ret = 0;

	if (ptPrivilegesDrop(service->site) < 0)
		return PT_EDEVICE;
	for (size_t i = 0; ret == 0 && i < service->deviceCount; i++)
		ret = ptServedBegin(service->devices[i]);
	if (ret == 0)
		hdListenSay(service->listeners);
	return ret;
}

struct ptServed *ptServiceFind(const struct ptService *service,
			       const char *name)
{
	for (size_t i = 0; i < service->deviceCount; i++)
		if (strcmp(ptServedSite(service->devices[i])->name, name) == 0)
			return service->devices[i];
	return NULL;
}

/* ---- The loop ---------------------------------------------------------- */

static void serviceSweep(struct ptService *service, int64_t now)
{
	struct ptClient *next;

	if (now < service->sweepNs)
		return;
	service->sweepNs = now + SWEEP_NS;
	for (struct ptClient *c = service->clients; c; c = next) {
		next = c->next;
		ptClientSweep(c, now);
	}
}

/* Call those that wanted to be called at some time. */
static void serviceDue(struct ptService *service, int64_t now)
{
	struct ptClient *next;

	if (service->dueNs == 0 || now < service->dueNs)
		return;
	service->dueNs = 0;
	for (struct ptClient *c = service->clients; c; c = next) {
		next = c->next;
		if (c->dueNs == 0)
			continue;
		if (c->dueNs <= now) {
			c->dueNs = 0;
			c->protocol->due(c, now);
			hdConnectionKick(&c->connection);
		} else {
			ptClientDue(c, c->dueNs);
		}
	}
	/* Together with others that are due soon. */
	if (service->dueNs > 0 && service->dueNs < now + PACE_NS)
		service->dueNs = now + PACE_NS;
}

/* Tell those who watch devices that there are readings. */
static void serviceNews(struct ptService *service, int64_t now)
{
	struct ptClient *next;

	if (!service->hasNews || now < service->newsNs)
		return;
	service->hasNews = false;
	service->newsNs = now + PACE_NS;
	for (size_t i = 0; i < service->deviceCount; i++)
		ptServedHasNew(service->devices[i]);
	for (struct ptClient *c = service->clients; c; c = next) {
		next = c->next;
		if (!c->protocol || !c->protocol->news)
			continue;
		c->protocol->news(c);
		hdConnectionKick(&c->connection);
	}
}

static void serviceBury(struct ptService *service)
{
	while (service->dead) {
		struct ptClient *client = service->dead;

		service->dead = client->next;
		ptClientFree(client);
	}
}

/* Milliseconds until something is to be done. */
static int serviceTimeout(const struct ptService *service, int64_t now)
{
	int64_t until = INT64_MAX;

	if (service->clients)
		until = service->sweepNs;
	if (service->dueNs && service->dueNs < until)
		until = service->dueNs;
	if (service->hasNews && service->newsNs < until)
		until = service->newsNs;
	if (service->http)
		until = hdHttpDue(service->http, now, until);
	return hdLoopTimeout(now, until);
}

void ptServiceStep(struct ptService *service, int maxMs)
{
	int64_t now = hdMonotonicNow();
	int timeout = serviceTimeout(service, now);

	if (maxMs >= 0 && (timeout < 0 || timeout > maxMs))
		timeout = maxMs;
	hdLoopStep(&service->loop, timeout);
	now = hdMonotonicNow();
	serviceDue(service, now);
	serviceNews(service, now);
	serviceSweep(service, now);
	if (service->http)
		hdHttpRun(service->http);
	hdPlacesRun(&service->places);
	serviceBury(service);
	if (service->wantsChange && !service->loop.isOver) {
		service->wantsChange = false;
		service->setup.change(service, service->setup.data);
	}
}

void ptServiceRun(struct ptService *service)
{
	while (!service->loop.isOver)
		ptServiceStep(service, -1);
}

void ptServiceChange(struct ptService *service)
{
	service->wantsChange = true;
}

void ptServiceStop(struct ptService *service)
{
	service->loop.isOver = true;
}

/* ---- Change and end ---------------------------------------------------- */

/* Let clients go on that can, after a change; the others are told. */
static void serviceCheck(struct ptService *service,
			 const struct ptServed *ending)
{
	struct ptClient *next;

	for (struct ptClient *c = service->clients; c; c = next) {
		next = c->next;
		if (c->protocol && c->protocol->check &&
		    !c->protocol->check(c, ending)) {
			ptClientRefuse(
				c,
				"the configuration of its devices has changed");
			hdConnectionClose(&c->connection);
			continue;
		}
		hdConnectionKick(&c->connection);
	}
}

/* Make the list of devices for another site: those that stay, and new ones. */
static int serviceRenew(struct ptService *service, struct ptSite *site,
			struct ptServed **devices)
{
	struct ptServedContext context = serviceContext(service, true);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < site->deviceCount; i++) {
		struct ptServed *old =
			ptServiceFind(service, site->devices[i].name);

		if (old && ptSiteIsSame(ptServedSite(old), &site->devices[i]))
			devices[i] = old;
		else
			ret = ptServedCreate(site, &site->devices[i], &context,
					     &devices[i]);
	}
	return ret;
}

static bool serviceHas(struct ptServed *const *devices, size_t count,
		       const struct ptServed *served)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i] == served)
			return true;
	return false;
}

/* End those of a list of devices that are not in another one. */
static void serviceEndOthers(struct ptService *service,
			     struct ptServed **devices, size_t count,
			     struct ptServed *const *stay, size_t stayCount)
{
	for (size_t i = 0; i < count; i++) {
		if (!devices[i] || serviceHas(stay, stayCount, devices[i]))
			continue;
		serviceCheck(service, devices[i]);
		ptServedDestroy(devices[i]);
	}
}

/* Take over new devices, and begin to measure. */
static void serviceExchange(struct ptService *service,
			    struct ptServed **devices, size_t count)
{
	struct ptServed **old = service->devices;
	size_t oldCount = service->deviceCount;

	/* A device has one user at a time: first end, then begin. */
	serviceEndOthers(service, old, oldCount, devices, count);
	for (size_t i = 0; i < count; i++)
		if (!serviceHas(old, oldCount, devices[i]) &&
		    ptServedBegin(devices[i]) < 0)
			ptMessage(HD_LOG_ERROR, "%s: not measuring",
				  ptServedSite(devices[i])->name);
	service->devices = devices;
	service->deviceCount = count;
	free(old);
}

int ptServiceReload(struct ptService *service, struct ptSite *site)
{
	struct ptServed **devices =
		calloc(site->deviceCount, sizeof(struct ptServed *));
	struct hdTokens *tokens = NULL;
	struct hdTls *tls = NULL;
	int ret = PT_EMEMORY;

	if (devices)
		ret = serviceRenew(service, site, devices);
	if (ret == 0)
		ret = serviceSecrets(site, &tokens, &tls);
	if (ret == 0 && ptListen(service, site) < 0)
		ret = PT_EDEVICE;
	if (ret < 0) {
		serviceEndOthers(service, devices,
				 devices ? site->deviceCount : 0,
				 service->devices, service->deviceCount);
		free(devices);
		hdTokensDestroy(tokens);
		hdTlsDestroy(tls);
		return ret;
	}
	hdTokensDestroy(service->tokens);
	hdTlsDestroy(service->tls);
	service->tokens = tokens;
	service->tls = tls;
	serviceExchange(service, devices, site->deviceCount);
	ptSiteUnref(service->site);
	service->site = ptSiteRef(site);
	service->memory.limit = site->limits.memory;
	ptShareSetup(service);
	serviceCheck(service, NULL);
	hdListenSay(service->listeners);
	return 0;
}

void ptServiceDestroy(struct ptService *service)
{
	if (!service)
		return;
	hdListenEnd(&service->listeners);
	while (service->clients) {
		struct ptClient *client = service->clients;

		if (client->protocol && client->protocol->end)
			client->protocol->end(client);
		hdConnectionClose(&client->connection);
	}
	serviceBury(service);
	hdHttpDestroy(service->http);
	for (size_t i = 0; i < service->deviceCount; i++)
		ptServedDestroy(service->devices[i]);
	free(service->devices);
	hdTokensDestroy(service->tokens);
	hdTlsDestroy(service->tls);
	hdLoopClose(&service->loop);
	ptSiteUnref(service->site);
	free(service);
}
