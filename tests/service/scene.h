/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A service with meters that do what the test says, and clients that say and
 * hear bytes.
 *
 * The drivers are those of tests/pt/meter.h; "Meter" gives a reading when
 * sceneGive() says so. The wall clock is fake: it stands at SCENE_TIME plus
 * what sceneGive() said last, so that values are known to the last digit.
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include <glib.h>

#include "PowerTracingLibrary/service/core/service.h"
#include "tests/pt/meter.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/** When everything happens: a whole second. */
#define SCENE_TIME (1700000000 * SECOND)

/** What most scenes begin with. */
#define SCENE_SERVER "[Server]\nlisten=127.0.0.1:0\n"
/** A meter of ten readings a second and three lines of two nodes. */
#define SCENE_DEVICE                                                         \
	"[Device]\nname=Dev1\ndriver=Meter\ncycle=100\n"                     \
	"[Line]\ndevice=Dev1\nname=psu1\nnode=n1\nchannel=1\nvalues=P,U,E\n" \
	"description=left\n"                                                 \
	"[Line]\ndevice=Dev1\nname=psu2\nnode=n1\nchannel=2\nvalues=P,E\n"   \
	"[Line]\ndevice=Dev1\nname=all\nnode=n2\nchannel=3\n"

/** A service that runs in a thread of its own. */
struct scene {
	struct ptService *service;
	GThread *thread;
	struct hdPoll poke; /**< What the test wants of the loop. */
	int pokeFd;
	int port;         /**< At 127.0.0.1. */
	int metricsPort;  /**< 0 for none. */
	const char *next; /**< Configuration for sceneReload(). */
	int reloaded;     /**< What it returned; 1 while it runs. */
};

/** To be called first. */
void sceneInit(int *argc, char ***argv);

/** Run the tests with a directory of their own, in which a file of tokens may
 * be written; other addresses of this host stand for other hosts. */
int sceneRunWithTokens(char **directory, char **tokens);

/** Begin a service, which must work. */
struct scene *sceneBegin(const char *config);

/** End it. */
void sceneEnd(struct scene *scene);

/** Let it take another configuration; returns as ptServiceReload(). */
int sceneReload(struct scene *scene, const char *config);

/** Read a configuration: returns as ptSiteRead(). */
int sceneRead(const char *config, struct ptSite **site);

/** Let a meter give a reading that ends at SCENE_TIME + @p ms and is 100 ms
 * long, and wait until it has arrived. */
void sceneGive(struct scene *scene, const char *device, int64_t ms);

/** The same with a result, a length, and lost cycles. */
void sceneGiveAny(struct scene *scene, const char *device, int result,
		  int64_t ms, int64_t lengthMs, uint64_t lost);

/** Give many readings that end at the same time. */
void sceneGiveMany(struct scene *scene, const char *device, int64_t ms,
		   uint64_t count);

/** Wait until a device has had so many readings. */
void sceneAwait(struct scene *scene, const char *device, uint64_t readings);

/** Wait until there was a message with this text. */
void sceneSaid(const char *text);

/** Tell whether there was, and forget all. */
bool sceneHasSaid(const char *text);

/** Wait until the service has so many clients. */
void sceneClients(struct scene *scene, size_t count);

/** Wait until the service keeps no readings. */
void sceneIsEmpty(struct scene *scene);

/** Wait for something that another thread does. */
#define SCENE_WAIT(condition)                                               \
	do {                                                                \
		int64_t until_ = g_get_monotonic_time() + 60000000;         \
		while (!(condition)) {                                      \
			g_assert_cmpint(g_get_monotonic_time(), <, until_); \
			g_usleep(500);                                      \
		}                                                           \
	} while (0)

/* ---- Clients ----------------------------------------------------------- */

/** Connect; reading fails after a minute. */
int peerOpen(const struct scene *scene);

/** Connect from another address of this host, "127.0.0.2". */
int peerOpenFrom(const struct scene *scene, const char *address);

/** Connect to a Unix socket. */
int peerOpenUnix(const char *path);

/** Send bytes. */
void peerSend(int fd, const void *bytes, size_t size);

/** Send what is written in hexadecimal; blanks are skipped. */
void peerSay(int fd, const char *hex);

/** Receive so many bytes. */
void peerReceive(int fd, void *bytes, size_t size);

/** Receive what is written in hexadecimal. */
void peerHear(int fd, const char *hex);

/** Receive 4 bytes with one recv(), as the clients of pmlib do. */
int32_t peerNumber(int fd);

/** Expect that the other side has closed, and close. */
void peerEnd(int fd);

/** Close so that the other side gets a reset. */
void peerReset(int fd);

/** Ask pmlib something and get the number that it answers. */
int32_t peerAsk(int fd, int32_t operation);

/** Make a counter of pmlib, and get the answer. */
int32_t peerCreate(int fd, const char *device, int32_t frequency,
		   bool isAggregate, const char *mask);

/** GET: a header and values. */
struct peerData {
	int32_t values, sets, lines;
	int32_t ends[32];
	double *value; /**< To be freed. */
};

/** Ask for what a counter has; floats become doubles. */
void peerGet(int fd, bool isFloat, struct peerData *data);

#endif
