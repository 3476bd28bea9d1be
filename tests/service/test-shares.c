/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * Nobody keeps others out, and nobody learns of what he may not see: requests
 * that are never finished, slots and shares of users and addresses, tokens that
 * are revoked, and nodes that are hidden.
 */
#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http.h"
#include "tests/service/hexbytes.h"
#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

#define TOKEN1 "0123456789abcdef0123456789abcdef"
#define TOKEN2 "fedcba9876543210fedcba9876543210"
#define TOKEN3 "00112233445566778899aabbccddeeff"

static char *directory, *tokens;

static void writeTokens(const char *text)
{
	g_unlink(tokens);
	g_assert_true(g_file_set_contents_full(
		tokens, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	g_assert_cmpint(g_chmod(tokens, 0600), ==, 0);
}

static char *configOf(const char *server, const char *more)
{
	return g_strconcat(SCENE_SERVER "tokens=", tokens, "\n", server, more,
			   NULL);
}

/* Begin a service that alice and bob may use. */
static struct scene *begin(const char *server)
{
	g_autofree char *config = configOf(server, SCENE_DEVICE);

	writeTokens("alice " TOKEN1 "\nalice " TOKEN2 "\nbob " TOKEN3 "\n");
	return sceneBegin(config);
}

/* ---- Metrics ----------------------------------------------------------- */

static int peerOpenMetrics(const struct scene *scene)
{
	const struct scene metrics = { .port = scene->metricsPort };

	return peerOpen(&metrics);
}

static void sayText(int fd, const char *text)
{
	peerSend(fd, text, strlen(text));
}

/* Receive all until the other side closes. */
static GByteArray *hearAll(int fd)
{
	GByteArray *all = g_byte_array_new();
	unsigned char bytes[4096];
	ssize_t got;

	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		g_byte_array_append(all, bytes, (guint)got);
	g_assert_true(got == 0 || errno == ECONNRESET);
	close(fd);
	return all;
}

/* Get the metrics, as text. */
static char *metricsOf(const struct scene *scene)
{
	int fd = peerOpenMetrics(scene);
	GByteArray *all;

	sayText(fd, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
	all = hearAll(fd);
	g_byte_array_append(all, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(all, FALSE);
}

static bool needsHttp(void)
{
	if (!hdHasHttp)
		g_test_skip("built without libmicrohttpd");
	return hdHasHttp;
}

/* Whoever asks is answered, however many have sent half a request. */
static void testHalfRequests(void)
{
	struct scene *scene;
	int fds[40];

	if (!needsHttp())
		return;
	scene = sceneBegin(SCENE_SERVER "metrics=127.0.0.1:0\n" SCENE_DEVICE);
	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
		g_autofree char *text = NULL;

		fds[i] = peerOpenMetrics(scene);
		sayText(fds[i], "GET /metrics HTTP/1.1\r\nHost: x");
		if (i < 15)
			continue;
		text = metricsOf(scene);
		g_assert_true(g_str_has_prefix(text, "HTTP/1.1 200"));
		g_assert_nonnull(strstr(text, "hdtrace_device_up{"));
	}
	/* The first gave way. */
	peerEnd(fds[0]);
	for (size_t i = 1; i < G_N_ELEMENTS(fds); i++)
		close(fds[i]);
	sceneEnd(scene);
}

/* A header that comes byte by byte has no more time than others. */
static void testSlowRequest(void)
{
	int64_t until = g_get_monotonic_time() + 60000000;
	struct scene *scene;
	bool isOver = false;
	int fd;

	if (!needsHttp())
		return;
	scene = sceneBegin(SCENE_SERVER
			   "metrics=127.0.0.1:0\ntimeout=1\n" SCENE_DEVICE);
	fd = peerOpenMetrics(scene);
	sayText(fd, "GET /metrics HTTP/1.1\r\nHost: ");
	while (!isOver) {
		char byte;

		g_assert_cmpint(g_get_monotonic_time(), <, until);
		isOver = send(fd, "x", 1, MSG_NOSIGNAL) != 1 ||
			 recv(fd, &byte, 1, MSG_DONTWAIT) == 0 ||
			 (errno != EAGAIN && errno != EWOULDBLOCK);
		g_usleep(20000);
	}
	close(fd);
	sceneEnd(scene);
}

/* Wait until the metrics have a text, or have it no more; returns them. */
static char *metricsUntil(const struct scene *scene, const char *text, bool has)
{
	int64_t until = g_get_monotonic_time() + 60000000;

	for (;;) {
		char *all = metricsOf(scene);

		if ((strstr(all, text) != NULL) == has)
			return all;
		g_free(all);
		g_assert_cmpint(g_get_monotonic_time(), <, until);
		g_usleep(20000);
	}
}

/* A meter that says nothing more has no power, and says since when. */
static void testStale(void)
{
	struct scene *scene;
	char *text;

	if (!needsHttp())
		return;
	scene = sceneBegin(SCENE_SERVER "metrics=127.0.0.1:0\n" SCENE_DEVICE);
	sceneGive(scene, "Dev1", 1000);
	g_free(metricsUntil(scene, "hdtrace_power_watts{", true));
	text = metricsUntil(scene, "hdtrace_power_watts{", false);
	g_assert_nonnull(strstr(text, "hdtrace_energy_joules_total{"));
	g_assert_nonnull(strstr(text, "hdtrace_device_last_reading_age_seconds"
				      "{device=\"Dev1\"} "));
	g_free(text);
	/* The next reading is a value again. */
	sceneGive(scene, "Dev1", 1000);
	g_free(metricsUntil(scene, "hdtrace_power_watts{", true));
	sceneEnd(scene);
}

/* ---- Slots ------------------------------------------------------------- */

/* Connect as a user, from an address; tells whether there was a slot. */
static struct native *come(const struct scene *scene, const char *address,
			   const char *user, const char *token)
{
	struct native *native = nativeOpen(peerOpenFrom(scene, address));

	g_assert_cmpuint(nativeAuthenticate(native, user, token), ==,
			 PT_WIRE_AUTHENTICATED);
	return native;
}

/* The same, and be refused. */
static void comeInVain(const struct scene *scene, const char *address,
		       const char *user, const char *token, const char *why)
{
	struct native *native = nativeOpen(peerOpenFrom(scene, address));

	nativeAuthenticate(native, user, token);
	peerEnd(native->fd);
	nativeFree(native);
	sceneSaid(why);
}

static void assertLives(struct native *native)
{
	const struct hdFramePing ping = { 1 };
	union ptWireAnswer any;

	nativeHear(native, PT_WIRE_PONG, nativeAsk(native, PT_WIRE_PING, &ping),
		   &any);
}

/* Who has not said who he is has no slot. */
static void testPending(void)
{
	struct scene *scene = begin("clients=2\nuserShare=100\n");
	struct native *greeted[8], *alice, *bob;
	int silent[8];

	for (size_t i = 0; i < G_N_ELEMENTS(greeted); i++) {
		greeted[i] = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));
		g_assert_cmpuint(greeted[i]->greeting.mustAuthenticate, ==, 1);
	}
	alice = come(scene, "127.0.0.3", "alice", TOKEN1);
	for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
		silent[i] = peerOpenFrom(scene, "127.0.0.2");
	bob = come(scene, "127.0.0.4", "bob", TOKEN3);
	/* Two have slots, and of those that were pending one gave way to bob.
	 */
	sceneClients(scene, 3);
	assertLives(alice);
	assertLives(bob);
	nativeClose(alice);
	nativeClose(bob);
	for (size_t i = 0; i < G_N_ELEMENTS(greeted); i++) {
		nativeClose(greeted[i]);
		close(silent[i]);
	}
	sceneEnd(scene);
}

/* What came from an address with its share of the pending gives way first. */
static void testPendingAddress(void)
{
	struct scene *scene = begin("clients=4\n");
	struct native *patient = nativeOpen(peerOpenFrom(scene, "127.0.0.3"));
	int silent[20];

	for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
		silent[i] = peerOpenFrom(scene, "127.0.0.2");
	sceneClients(scene, 4);
	/* Seventeen of twenty have gone, but not who came before them. */
	g_assert_cmpuint(nativeAuthenticate(patient, "alice", TOKEN1), ==,
			 PT_WIRE_AUTHENTICATED);
	nativeClose(patient);
	for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
		close(silent[i]);
	sceneEnd(scene);
}

/* And nobody may take his time to say who he is. */
static void testPendingTime(void)
{
	struct scene *scene = begin("timeout=1\n");
	struct native *native = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));
	int half = peerOpenFrom(scene, "127.0.0.2");

	peerSay(half, "89");
	nativeError(native, 0, HD_FRAME_ETIME);
	peerEnd(native->fd);
	nativeFree(native);
	peerEnd(half);
	sceneSaid("timed out before authentication");
	sceneEnd(scene);
}

static void testUserShare(void)
{
	struct scene *scene = begin("clients=4\n");
	struct native *first = come(scene, "127.0.0.2", "alice", TOKEN1);
	struct native *second = come(scene, "127.0.0.3", "alice", TOKEN2);
	struct native *bob, *nobody, *other;

	comeInVain(scene, "127.0.0.4", "alice", TOKEN1,
		   "too many clients of this user");
	bob = come(scene, "127.0.0.4", "bob", TOKEN3);
	/* From here one may come without a name, and become somebody. */
	nobody = nativeOpen(peerOpen(scene));
	assertLives(nobody);
	other = nativeOpen(peerOpen(scene));
	nativeError(other, 0, HD_FRAME_ELIMIT);
	peerEnd(other->fd);
	nativeFree(other);
	sceneSaid("too many clients");
	/* Who becomes somebody counts as such. */
	nativeAuthenticate(nobody, "alice", TOKEN1);
	peerEnd(nobody->fd);
	nativeFree(nobody);
	/* A place that is free again. */
	nativeClose(first);
	sceneClients(scene, 2);
	first = come(scene, "127.0.0.2", "alice", TOKEN1);
	assertLives(second);
	nativeClose(first);
	nativeClose(second);
	nativeClose(bob);
	sceneEnd(scene);
}

static void testAddressShare(void)
{
	struct scene *scene = begin("clients=4\naddressShare=25\n");
	struct native *alice = come(scene, "127.0.0.2", "alice", TOKEN1), *bob;

	comeInVain(scene, "127.0.0.2", "bob", TOKEN3,
		   "too many clients of this address");
	bob = come(scene, "127.0.0.3", "bob", TOKEN3);
	nativeClose(alice);
	nativeClose(bob);
	sceneEnd(scene);
}

/* Users get the slots of those who have no name and record nothing. */
static void testNobody(void)
{
	struct scene *scene = begin("clients=2\nuserShare=100\n");
	struct native *first = nativeOpen(peerOpen(scene));
	struct native *second = nativeOpen(peerOpen(scene)), *alice;
	struct nativeStream stream;

	assertLives(first);
	assertLives(second);
	nativeOpenStream(second, 0, 0, 0, "- n1 - -", &stream);
	nativeStart(second, &stream);
	/* Who records nothing goes, the other one does not. */
	alice = come(scene, "127.0.0.2", "alice", TOKEN1);
	peerEnd(first->fd);
	nativeFree(first);
	sceneSaid("idle connection closed; other clients are waiting");
	comeInVain(scene, "127.0.0.2", "bob", TOKEN3, "too many clients");
	nativeStop(second, &stream);
	nativeForget(nativeRecorded(second, &stream));
	assertLives(alice);
	nativeClose(alice);
	nativeClose(second);
	sceneEnd(scene);
}

static void testCounters(void)
{
	struct scene *scene = begin("counters=4\n");
	struct native *alice = come(scene, "127.0.0.2", "alice", TOKEN1);
	struct native *again = come(scene, "127.0.0.3", "alice", TOKEN1);
	struct native *bob = come(scene, "127.0.0.4", "bob", TOKEN3);
	struct nativeStream stream;

	nativeOpenStream(alice, 0, 0, 0, "- n1 - -", &stream);
	nativeOpenStream(again, 0, 0, 0, "- n1 - -", &stream);
	nativeRefuseStream(alice, 0, "- n1 - -", HD_FRAME_ELIMIT);
	nativeRefuseStream(again, 0, "- n1 - -", HD_FRAME_ELIMIT);
	sceneSaid("too many counters and streams of this user");
	nativeOpenStream(bob, 0, 0, 0, "- n1 - -", &stream);
	/* What is given back is there for all. */
	nativeClose(again);
	sceneClients(scene, 2);
	nativeOpenStream(alice, 0, 0, 0, "- n1 - -", &stream);
	nativeClose(alice);
	nativeClose(bob);
	sceneEnd(scene);
}

/* ---- Tokens ------------------------------------------------------------ */

/* A token that is not in the file any more ends what was begun with it. */
static void testRevoked(void)
{
	struct scene *scene = begin("");
	struct native *old = come(scene, "127.0.0.2", "alice", TOKEN1);
	struct native *kept = come(scene, "127.0.0.2", "alice", TOKEN2);
	struct native *bob = come(scene, "127.0.0.2", "bob", TOKEN3);
	g_autofree char *config = configOf("", SCENE_DEVICE);
	struct nativeRecording *recording;
	struct nativeStream stream;

	nativeOpenStream(old, 0, 0, 5, "- n1 - -", &stream);
	nativeStart(old, &stream);
	sceneGive(scene, "Dev1", 1000);
	writeTokens("alice " TOKEN2 "\nbob " TOKEN3 "\n");
	g_assert_cmpint(sceneReload(scene, config), ==, 0);
	recording = nativeRecorded(old, &stream);
	g_assert_cmpuint(recording->why, ==, 3);
	nativeForget(recording);
	nativeError(old, 0, HD_FRAME_EDENIED);
	peerEnd(old->fd);
	nativeFree(old);
	assertLives(kept);
	assertLives(bob);
	/* A token that is another's now is not hers. */
	writeTokens("bob " TOKEN2 "\nbob " TOKEN3 "\n");
	g_assert_cmpint(sceneReload(scene, config), ==, 0);
	nativeError(kept, 0, HD_FRAME_EDENIED);
	peerEnd(kept->fd);
	nativeFree(kept);
	assertLives(bob);
	/* Without tokens there is nobody. */
	g_assert_cmpint(sceneReload(scene, SCENE_SERVER SCENE_DEVICE), ==, 0);
	nativeError(bob, 0, HD_FRAME_EDENIED);
	peerEnd(bob->fd);
	nativeFree(bob);
	sceneEnd(scene);
}

/* ---- Hidden nodes ------------------------------------------------------ */

/* The hidden names have as many letters as those that nothing has. */
#define SECRET_USER \
	"[User]\nname=anonymous\nnodes=n1\n[User]\nname=bob\nnodes=*\n"
#define SECRET_DEVICES                                             \
	SCENE_DEVICE                                               \
	"[Line]\ndevice=Dev1\nname=hush\nnode=secret\nchannel=4\n" \
	"[Device]\nname=Dark\ndriver=Host\ncycle=1000\n"           \
	"[Line]\ndevice=Dark\nname=dim\nnode=secret\nchannel=1\n"

/* Say hexadecimal digits in which names stand for themselves: "{name}". */
static void sayNamed(int fd, const char *text)
{
	GByteArray *bytes = g_byte_array_new();
	g_auto(GStrv) parts = g_strsplit_set(text, "{}", -1);

	for (size_t i = 0; parts[i]; i++) {
		unsigned char piece[200];
		size_t size = i % 2 == 0 ? hexBytes(parts[i], piece)
					 : strlen(parts[i]);

		g_byte_array_append(
			bytes, i % 2 == 0 ? piece : (const guint8 *)parts[i],
			(guint)size);
	}
	peerSend(fd, bytes->data, bytes->len);
	g_byte_array_unref(bytes);
}

/* What comes of it, with a name that was asked for put back. */
static GByteArray *answerTo(const struct scene *scene, const char *text,
			    const char *name, const char *usual)
{
	int fd = peerOpen(scene);
	GByteArray *answer;

	sayNamed(fd, text);
	shutdown(fd, SHUT_WR);
	answer = hearAll(fd);
	/* Times and nonces of a greeting are others each time. */
	if (answer->len >= HD_FRAME_GREETING_SIZE &&
	    memcmp(answer->data, PT_WIRE_MAGIC, 4) == 0)
		g_byte_array_remove_range(answer, 0, HD_FRAME_GREETING_SIZE);
	for (size_t i = 0; *name && i + strlen(name) <= answer->len; i++)
		if (memcmp(answer->data + i, name, strlen(name)) == 0)
			memcpy(answer->data + i, usual, strlen(usual));
	return answer;
}

#define HELLO "89484450 0100 0100 00000000 00000100"

/* A node, line or device that is hidden is answered as one that is not. */
static void testHidden(void)
{
	static const struct {
		const char *hidden, *absent;
		const char *hiddenName, *absentName;
	} rows[] = {
		/* OPEN of a node, of a line, of a device, and of two. */
		{ HELLO "21000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0000 0600{secret} 0000 0100{P}",
		  HELLO "21000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0000 0600{absent} 0000 0100{P}",
		  "secret", "absent" },
		{ HELLO "1f000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0000 0000 0400{hush} 0100{P}",
		  HELLO "1f000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0000 0000 0400{none} 0100{P}",
		  "hush", "none" },
		{ HELLO "1f000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0400{Dark} 0000 0000 0100{P}",
		  HELLO "1f000000 0400 0100 00000000 0000000000000000 00000000"
			"0100 0400{Null} 0000 0000 0100{P}",
		  "Dark", "Null" },
		{ HELLO "2c000000 0400 0100 00000000 0000000000000000 00000000"
			"0200 0000 0200{n1} 0000 0100{P}"
			"0000 0600{secret} 0000 0100{P}",
		  HELLO "2c000000 0400 0100 00000000 0000000000000000 00000000"
			"0200 0000 0200{n1} 0000 0100{P}"
			"0000 0600{absent} 0000 0100{P}",
		  "secret", "absent" },
		/* pmlib: CREATE, INFO and READ of a device. */
		{ "00000000 04000000{Dark} 00000000 01000000 00000000",
		  "00000000 04000000{Null} 00000000 01000000 00000000", "",
		  "" },
		{ "06000000 04000000{Dark}", "06000000 04000000{Null}", "",
		  "" },
		{ "09000000 04000000{Dark} 00000000",
		  "09000000 04000000{Null} 00000000", "", "" },
		/* CREATE of lines 3 and 4, of which there is no 4; START, STOP,
		 * GET. */
		{ "00000000 04000000{Dev1} 00000000 01000000 01000000 08"
		  "01000000 03000000 04000000 05000000",
		  "00000000 04000000{Dev1} 00000000 01000000 01000000 10"
		  "01000000 03000000 04000000 05000000",
		  "", "" },
	};
	g_autofree char *config = configOf("", SECRET_DEVICES SECRET_USER);
	struct scene *scene;

	writeTokens("bob " TOKEN3 "\n");
	scene = sceneBegin(config);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GByteArray *hidden =
			answerTo(scene, rows[i].hidden, rows[i].hiddenName,
				 rows[i].absentName);
		GByteArray *absent = answerTo(scene, rows[i].absent, "", "");

		g_test_message("row %zu", i);
		g_assert_cmpuint(absent->len, >, 0);
		g_assert_cmpmem(hidden->data, hidden->len, absent->data,
				absent->len);
		g_byte_array_unref(hidden);
		g_byte_array_unref(absent);
	}
	sceneEnd(scene);
}

static void assertSilent(const void *bytes, size_t size)
{
	static const char *const names[] = { "secret", "hush", "Dark", "dim" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_test_message("%s", names[i]);
		g_assert_null(memmem(bytes, size, names[i], strlen(names[i])));
	}
}

/* Nothing that can be asked for has a name that is hidden. */
static void testSilence(void)
{
	static const char *const requests[] = {
		/* LIST; OPEN of all, by lines, and of what is wrong with it. */
		HELLO "00000000 0300 0100",
		HELLO "1b000000 0400 0100 00000000 0000000000000000 00000000"
		      "0100 0000 0000 0000 0100 2a",
		HELLO "1b000000 0400 0100 02000000 0000000000000000 00000000"
		      "0100 0000 0000 0000 0100 2a",
		HELLO "1b000000 0400 0100 00000000 0000000000000000 00000000"
		      "0100 0000 0000 0000 0100 51",
		/* LIST, STATUS, INFO and READ of pmlib. */
		"07000000",
		"08000000",
		"06000000 04000000{Dev1}",
		"09000000 04000000{Dev1} 00000000 00000000",
	};
	g_autofree char *config =
		configOf(hdHasHttp ? "metrics=127.0.0.1:0\n" : "",
			 SECRET_DEVICES SECRET_USER);
	g_autofree char *seen = configOf(
		hdHasHttp ? "metrics=127.0.0.1:0\nmetricsUser=bob\n" : "",
		SECRET_DEVICES SECRET_USER);
	struct scene *scene;
	char *text;

	writeTokens("bob " TOKEN3 "\n");
	scene = sceneBegin(config);
	sceneGive(scene, "Dev1", 1000);
	for (size_t i = 0; i < G_N_ELEMENTS(requests); i++) {
		GByteArray *answer = answerTo(scene, requests[i], "", "");

		g_test_message("request %zu", i);
		g_assert_cmpuint(answer->len, >, 0);
		assertSilent(answer->data, answer->len);
		g_byte_array_unref(answer);
	}
	if (hdHasHttp) {
		text = metricsOf(scene);
		g_assert_nonnull(strstr(text, "{node=\"n1\",device=\"Dev1\""));
		g_assert_nonnull(strstr(text, "hdtrace_device_up{"));
		assertSilent(text, strlen(text));
		g_free(text);
		/* Unless the configuration says who asks there. */
		g_assert_cmpint(sceneReload(scene, seen), ==, 0);
		text = metricsOf(scene);
		g_assert_nonnull(strstr(text, "{node=\"secret\""));
		g_assert_nonnull(strstr(text, "device=\"Dark\""));
		g_free(text);
	}
	sceneEnd(scene);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/shares/half-requests", testHalfRequests);
	g_test_add_func("/shares/slow-request", testSlowRequest);
	g_test_add_func("/shares/stale readings", testStale);
	g_test_add_func("/shares/pending", testPending);
	g_test_add_func("/shares/pending-address", testPendingAddress);
	g_test_add_func("/shares/pending-time", testPendingTime);
	g_test_add_func("/shares/user", testUserShare);
	g_test_add_func("/shares/address", testAddressShare);
	g_test_add_func("/shares/nobody", testNobody);
	g_test_add_func("/shares/counters", testCounters);
	g_test_add_func("/shares/revoked", testRevoked);
	g_test_add_func("/shares/hidden", testHidden);
	g_test_add_func("/shares/silence", testSilence);
	return sceneRunWithTokens(&directory, &tokens);
}
