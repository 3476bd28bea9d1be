/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that the system refuses: each allocation of a service and of what
 * clients ask of it fails once. Whoever is hit may be refused or closed; others
 * are served, and nothing is left.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/wire/wire.h"
#include "tests/service/scene.h"

/* The linker puts these between the service and libc. */
static atomic_int allocations, failing;

static bool allocationFails(void)
{
	int number = atomic_fetch_add(&allocations, 1) + 1;

	if (number != atomic_load(&failing))
		return false;
	errno = ENOMEM;
	return true;
}

/* Let a later allocation fail; 0 for none. */
static void failNext(int number)
{
	atomic_store(&failing, 0);
	atomic_store(&allocations, 0);
	atomic_store(&failing, number);
}

/* Whether that was reached. */
static bool hasFailed(int number)
{
	bool has = atomic_load(&allocations) >= number;

	atomic_store(&failing, 0);
	return has;
}

#define WRAP(type, name, parameters, ...)                                     \
	type __real_##name parameters;                                        \
	type __wrap_##name parameters;                                        \
	type __wrap_##name parameters                                         \
	{                                                                     \
		return allocationFails() ? NULL : __real_##name(__VA_ARGS__); \
	}

WRAP(void *, malloc, (size_t size), size)
WRAP(void *, calloc, (size_t count, size_t size), count, size)
WRAP(void *, realloc, (void *memory, size_t size), memory, size)
WRAP(void *, reallocarray, (void *memory, size_t count, size_t size), memory,
     count, size)
WRAP(char *, strndup, (const char *text, size_t size), text, size)

/* ---- Begin ------------------------------------------------------------- */

#define CONFIG                                         \
	SCENE_SERVER "pmlib=10.0.0.0/8\n" SCENE_DEVICE \
		     "[User]\nname=anonymous\nnodes=n1,n2\n"

static void testCreate(void)
{
	int failures = 0;

	for (int n = 1;; n++) {
		const struct ptServiceSetup setup = { .root = "" };
		struct ptService *service = NULL;
		struct ptSite *site = NULL;
		int ret;

		testMeterReset();
		failNext(n);
		ret = sceneRead(CONFIG, &site);
		if (ret == 0)
			ret = ptServiceCreate(site, &setup, &service);
		if (ret == 0)
			ret = ptServiceBegin(service);
		if (!hasFailed(n)) {
			g_assert_cmpint(ret, ==, 0);
			ptServiceDestroy(service);
			ptSiteUnref(site);
			break;
		}
		/* A device that has no memory is not there, for now. */
		g_assert_true(ret == PT_EMEMORY || ret == PT_EDEVICE ||
			      ret == 0);
		failures += ret < 0;
		ptServiceDestroy(service);
		ptSiteUnref(site);
	}
	g_assert_cmpint(failures, >, 20);
}

/* ---- Clients ----------------------------------------------------------- */

/* Say all that a client says, and hear whatever comes until the end. */
static size_t talk(struct scene *scene, const void *bytes, size_t size)
{
	int fd = peerOpen(scene);
	size_t heard = 0;
	char answer[4096];
	ssize_t got;

	/* It may be closed at any time. */
	(void)!send(fd, bytes, size, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	while ((got = recv(fd, answer, sizeof(answer), 0)) > 0)
		heard += (size_t)got;
	close(fd);
	return heard;
}

static size_t makePmlib(unsigned char *bytes)
{
	static const unsigned char create[] = {
		0, 0, 0, 0, 4, 0, 0,  0, 'D', 'e', 'v', '1', 0, 0,
		0, 0, 0, 0, 0, 0, 16, 0, 0,   0,   7,   0,   0, 0,
		0, 0, 0, 0, 0, 0, 0,  0, 0,   0,   0,   0,
	};
	static const int32_t operations[] = { 1, 3, 2, 3, 2, 3, 4, 5 };
	size_t used = sizeof(create);

	memcpy(bytes, create, sizeof(create));
	for (size_t i = 0; i < G_N_ELEMENTS(operations); i++, used += 4)
		ptWirePut32(bytes + used, &operations[i], 1);
	return used;
}

static size_t makeNative(unsigned char *bytes)
{
	const struct hdFrameHello hello = { 1, 1, 0, 65536 };
	const struct ptWireSelection selection = { .value = { "*", 1 } };
	const struct ptWireStream stream = { 1 };
	unsigned char selections[64];
	struct ptWireOpen open = { .count = 1,
				   .selections = { selections, 0 } };
	size_t used = HD_FRAME_HELLO_SIZE;

	open.selections.length =
		ptWirePutSelection(&selection, selections, sizeof(selections));
	hdFrameEncodeHello(PT_WIRE_MAGIC, &hello, bytes);
	used += ptWireEncode(PT_WIRE_LIST, 1, NULL, bytes + used, 400, NULL);
	used += ptWireEncode(PT_WIRE_OPEN, 2, &open, bytes + used, 400, NULL);
	used += ptWireEncode(PT_WIRE_START, 3, &stream, bytes + used, 400,
			     NULL);
	used += ptWireEncode(PT_WIRE_STOP, 4, &stream, bytes + used, 400, NULL);
	used += ptWireEncode(PT_WIRE_CLOSE, 5, &stream, bytes + used, 400,
			     NULL);
	return used;
}

static void testTalk(gconstpointer make)
{
	struct scene *scene = sceneBegin(CONFIG);
	unsigned char bytes[1000];
	size_t size = ((size_t(*)(unsigned char *))make)(bytes);
	size_t usual = talk(scene, bytes, size);
	bool goesOn = true;

	g_assert_cmpuint(usual, >, 40);
	for (int n = 1; goesOn; n++) {
		sceneClients(scene, 0);
		failNext(n);
		talk(scene, bytes, size);
		sceneClients(scene, 0);
		goesOn = hasFailed(n);
		sceneIsEmpty(scene);
		g_assert_cmpint(scene->service->places.extras, ==, 0);
		/* The next one is served as if nothing had been. */
		g_assert_cmpuint(talk(scene, bytes, size), ==, usual);
	}
	sceneEnd(scene);
}

/* A set that gets no segment: the client is told, and what there is is right.
 */
static void testSegment(void)
{
	struct scene *scene = sceneBegin(CONFIG);
	int fd = peerOpen(scene);
	struct peerData data;

	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "01"), ==, 0);
	for (int n = 1; n < 3; n++) {
		g_assert_cmpint(peerAsk(fd, 1), ==, 0);
		failNext(n);
		sceneGive(scene, "Dev1", 1000);
		g_assert_true(hasFailed(n));
		sceneGive(scene, "Dev1", 1001);
		g_assert_cmpint(peerAsk(fd, 3), ==, -1);
		peerGet(fd, false, &data);
		g_assert_cmpint(data.values, ==, 0);
		g_free(data.value);
	}
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	sceneGive(scene, "Dev1", 1002);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	close(fd);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/nomem/create", testCreate);
	g_test_add_data_func("/nomem/pmlib", (gconstpointer)makePmlib,
			     testTalk);
	g_test_add_data_func("/nomem/native", (gconstpointer)makeNative,
			     testTalk);
	g_test_add_func("/nomem/segment", testSegment);
	return g_test_run();
}
