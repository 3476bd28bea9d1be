/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A service with meters that do what the test says; see scene.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "net/address.h"
#include "tests/service/hexbytes.h"
#include "tests/service/scene.h"

static GString *said;
/* Not of GLib: ThreadSanitizer knows only these. */
static pthread_mutex_t saidMutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t now; /* Of the fake clock: ms since SCENE_TIME. */

/* What the loop is poked for. */
enum { POKE_STOP = 1, POKE_CHANGE = 1000 };

static void sceneCatch(enum hdLogLevel level, const char *text)
{
	(void)level;
	pthread_mutex_lock(&saidMutex);
	g_string_append_printf(said, "%s\n", text);
	pthread_mutex_unlock(&saidMutex);
}

static int sceneClock(clockid_t clock, struct timespec *time)
{
	int64_t ns = SCENE_TIME + __atomic_load_n(&now, __ATOMIC_SEQ_CST) * MS;

	(void)clock;
	*time = (struct timespec){ .tv_sec = ns / SECOND,
				   .tv_nsec = ns % SECOND };
	return 0;
}

void sceneInit(int *argc, char ***argv)
{
	g_test_init(argc, argv, NULL);
	said = g_string_new(NULL);
	ptLogger.print = sceneCatch;
	hdLogSetLevel(&ptLogger, HD_LOG_INFO);
	hdClockUse(sceneClock);
}

static bool isSaid(const char *text)
{
	bool is;

	pthread_mutex_lock(&saidMutex);
	is = strstr(said->str, text) != NULL;
	pthread_mutex_unlock(&saidMutex);
	return is;
}

void sceneSaid(const char *text)
{
	int64_t until = g_get_monotonic_time() + 60000000;

	while (!isSaid(text)) {
		if (g_get_monotonic_time() > until)
			g_error("never said: %s; but\n%s", text, said->str);
		g_usleep(500);
	}
}

bool sceneHasSaid(const char *text)
{
	bool is = isSaid(text);

	pthread_mutex_lock(&saidMutex);
	g_string_truncate(said, 0);
	pthread_mutex_unlock(&saidMutex);
	return is;
}

/* Get the port that a message has behind a text. */
static int scenePort(const char *text)
{
	const char *at;
	int port = 0;

	pthread_mutex_lock(&saidMutex);
	at = strstr(said->str, text);
	if (at)
		port = atoi(at + strlen(text));
	pthread_mutex_unlock(&saidMutex);
	return port;
}

int sceneRead(const char *config, struct ptSite **site)
{
	static char *path;
	struct ptRequest request = { .drivers = testDrivers,
				     .root = "",
				     .depth = -1 };

	if (!path)
		path = g_strdup_printf("%s/hdtrace-site-%d.cfg",
				       g_get_tmp_dir(), (int)getpid());
	request.file = path;
	g_assert_true(g_file_set_contents_full(
		path, config, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	*site = NULL;
	int ret = ptSiteRead(&request, site);
	g_unlink(path);
	return ret;
}

static void scenePoked(struct hdPoll *poll, uint32_t events)
{
	struct scene *scene =
		(struct scene *)(void *)((char *)poll -
					 G_STRUCT_OFFSET(struct scene, poke));
	eventfd_t what = 0;

	(void)events;
	eventfd_read(scene->pokeFd, &what);
	if (what >= POKE_CHANGE)
		ptServiceChange(scene->service);
	else
		ptServiceStop(scene->service);
}

static void sceneChange(struct ptService *service, void *data)
{
	struct scene *scene = data;
	struct ptSite *site;
	int ret = sceneRead(scene->next, &site);

	if (ret == 0) {
		ret = ptServiceReload(service, site);
		ptSiteUnref(site);
	}
	__atomic_store_n(&scene->reloaded, ret, __ATOMIC_SEQ_CST);
}

static gpointer sceneRun(gpointer data)
{
	ptServiceRun(((struct scene *)data)->service);
	return NULL;
}

int sceneRunWithTokens(char **directory, char **tokens)
{
	int result;

	*directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	*tokens = g_build_filename(*directory, "tokens", NULL);
	hdNetworkLoopbacks[0] =
		(struct hdNetwork){ AF_INET, { 127, 0, 0, 1 }, 32 };
	result = g_test_run();
	g_unlink(*tokens);
	g_rmdir(*directory);
	g_free(*tokens);
	g_free(*directory);
	return result;
}

struct scene *sceneBegin(const char *config)
{
	struct scene *scene = g_new0(struct scene, 1);
	const struct ptServiceSetup setup = {
		.root = "",
		.change = sceneChange,
		.data = scene,
	};
	struct ptSite *site;

	testMeterReset();
	sceneHasSaid("");
	__atomic_store_n(&now, 0, __ATOMIC_SEQ_CST);
	if (sceneRead(config, &site) != 0)
		g_error("%s", said->str);
	if (ptServiceCreate(site, &setup, &scene->service) != 0)
		g_error("%s", said->str);
	ptSiteUnref(site);
	scene->pokeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	scene->poke.ready = scenePoked;
	g_assert_cmpint(hdLoopAdd(&scene->service->loop, scene->pokeFd, EPOLLIN,
				  &scene->poke),
			==, 0);
	g_assert_cmpint(ptServiceBegin(scene->service), ==, 0);
	scene->port = scenePort("serving at 127.0.0.1:");
	scene->metricsPort = scenePort("metrics at http://127.0.0.1:");
	scene->thread = g_thread_new("service", sceneRun, scene);
	return scene;
}

void sceneEnd(struct scene *scene)
{
	eventfd_write(scene->pokeFd, POKE_STOP);
	g_thread_join(scene->thread);
	ptServiceDestroy(scene->service);
	close(scene->pokeFd);
	g_free(scene);
}

int sceneReload(struct scene *scene, const char *config)
{
	scene->next = config;
	__atomic_store_n(&scene->reloaded, 1, __ATOMIC_SEQ_CST);
	eventfd_write(scene->pokeFd, POKE_CHANGE);
	SCENE_WAIT(__atomic_load_n(&scene->reloaded, __ATOMIC_SEQ_CST) != 1);
	return scene->reloaded;
}

void sceneAwait(struct scene *scene, const char *device, uint64_t readings)
{
	struct ptServed *served = ptServiceFind(scene->service, device);
	struct ptStored reading;

	SCENE_WAIT(ptStoreLast(ptServedStore(served), &reading, NULL) >=
		   readings);
}

/* What a device has given so far, good or bad. */
static uint64_t sceneGiven(struct ptServed *served, bool isBad)
{
	struct ptHealth health;
	struct ptStored reading;

	ptServedHealth(served, &health);
	return isBad ? health.counts.errors
		     : ptStoreLast(ptServedStore(served), &reading, NULL);
}

void sceneGiveAny(struct scene *scene, const char *device, int result,
		  int64_t ms, int64_t lengthMs, uint64_t lost)
{
	struct ptServed *served = ptServiceFind(scene->service, device);
	uint64_t count = sceneGiven(served, result < 0);

	/* The clock must not go on before the reading is taken. */
	__atomic_store_n(&now, ms, __ATOMIC_SEQ_CST);
	testMeterGive(result, SCENE_TIME + ms * MS, lengthMs * MS, lost);
	SCENE_WAIT(sceneGiven(served, result < 0) > count);
}

void sceneGive(struct scene *scene, const char *device, int64_t ms)
{
	sceneGiveAny(scene, device, 0, ms, 100, 0);
}

void sceneGiveMany(struct scene *scene, const char *device, int64_t ms,
		   uint64_t count)
{
	struct ptServed *served = ptServiceFind(scene->service, device);
	uint64_t before = sceneGiven(served, false);

	__atomic_store_n(&now, ms, __ATOMIC_SEQ_CST);
	for (uint64_t i = 0; i < count; i++)
		testMeterGive(0, SCENE_TIME + ms * MS, 100 * MS, 0);
	sceneAwait(scene, device, before + count);
}

void sceneClients(struct scene *scene, size_t count)
{
	SCENE_WAIT(__atomic_load_n(&scene->service->clientCount,
				   __ATOMIC_RELAXED) == count);
}

void sceneIsEmpty(struct scene *scene)
{
	SCENE_WAIT(ptAccountUsed(&scene->service->memory) == 0);
}

/* ---- Clients ----------------------------------------------------------- */

static int peerConnect(int fd, const void *address, socklen_t length)
{
	const struct timeval minute = { .tv_sec = 60 };

	g_assert_cmpint(fd, >=, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &minute, sizeof(minute));
	g_assert_cmpint(connect(fd, address, length), ==, 0);
	return fd;
}

int peerOpen(const struct scene *scene)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)scene->port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};

	return peerConnect(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
			   &address, sizeof(address));
}

int peerOpenFrom(const struct scene *scene, const char *address)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)scene->port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert_cmpint(inet_pton(AF_INET, address, &from.sin_addr), ==, 1);
	g_assert_cmpint(bind(fd, (const struct sockaddr *)&from, sizeof(from)),
			==, 0);
	return peerConnect(fd, &to, sizeof(to));
}

int peerOpenUnix(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	return peerConnect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
			   &address, sizeof(address));
}

void peerSend(int fd, const void *bytes, size_t size)
{
	g_assert_cmpint(send(fd, bytes, size, MSG_NOSIGNAL), ==, (gssize)size);
}

void peerSay(int fd, const char *hex)
{
	g_autofree unsigned char *bytes = g_malloc(strlen(hex) + 1);

	peerSend(fd, bytes, hexBytes(hex, bytes));
}

void peerReceive(int fd, void *bytes, size_t size)
{
	g_assert_cmpint(recv(fd, bytes, size, MSG_WAITALL), ==, (gssize)size);
}

void peerHear(int fd, const char *hex)
{
	g_autofree unsigned char *expected = g_malloc(strlen(hex) + 1);
	g_autofree unsigned char *bytes = g_malloc(strlen(hex) + 1);
	size_t length = hexBytes(hex, expected);

	peerReceive(fd, bytes, length);
	g_assert_cmpmem(bytes, length, expected, length);
}

int32_t peerNumber(int fd)
{
	int32_t number = 0;

	g_assert_cmpint(recv(fd, &number, sizeof(number), 0), ==,
			sizeof(number));
	return GINT32_FROM_LE(number);
}

void peerEnd(int fd)
{
	char byte;
	ssize_t got = recv(fd, &byte, 1, 0);

	/* What was not read at the other side makes it a reset. */
	g_assert_true(got == 0 || (got < 0 && errno == ECONNRESET));
	close(fd);
}

void peerReset(int fd)
{
	const struct linger linger = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

int32_t peerAsk(int fd, int32_t operation)
{
	operation = GINT32_TO_LE(operation);
	peerSend(fd, &operation, sizeof(operation));
	return peerNumber(fd);
}

int32_t peerCreate(int fd, const char *device, int32_t frequency,
		   bool isAggregate, const char *mask)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const int32_t head[] = { 0, GINT32_TO_LE((int32_t)strlen(device)) };
	const int32_t tail[] = { GINT32_TO_LE(frequency),
				 GINT32_TO_LE(isAggregate), GINT32_TO_LE(16) };
	unsigned char lines[16] = { 0 };

	hexBytes(mask, lines);
	g_byte_array_append(bytes, (const void *)head, sizeof(head));
	g_byte_array_append(bytes, (const void *)device, (guint)strlen(device));
	g_byte_array_append(bytes, (const void *)tail, sizeof(tail));
	g_byte_array_append(bytes, lines, sizeof(lines));
	peerSend(fd, bytes->data, bytes->len);
	return peerNumber(fd);
}

void peerGet(int fd, bool isFloat, struct peerData *data)
{
	size_t size;

	data->values = peerAsk(fd, 4);
	g_assert_cmpint(data->values, >=, 0);
	data->sets = peerNumber(fd);
	data->lines = peerNumber(fd);
	g_assert_cmpint(data->sets, <=, 32);
	peerReceive(fd, data->ends, 4 * (size_t)data->sets);
	size = (isFloat ? 4 : 8) * (size_t)data->values;
	data->value = g_malloc(8 * (size_t)data->values + 1);
	if (size > 0)
		peerReceive(fd, data->value, size);
	for (int i = data->values; isFloat && i-- > 0;)
		data->value[i] = (double)((const float *)data->value)[i];
}
