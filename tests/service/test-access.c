/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads waits */
/*
 * Who may do what: tokens, users and their nodes and rates, where clients come
 * from, and what changes when the configuration is read again.
 */
#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <PT.h>
#include "net/tokens.h"
#include "PowerTracingLibrary/service/site/parse.h"
#include "tests/service/native-peer.h"
#include "tests/service/scene.h"

#define TOKEN1 "0123456789abcdef0123456789abcdef"
#define TOKEN2 "fedcba9876543210fedcba9876543210+/="
#define USERS                                                                \
	"[User]\nname=alice\nnodes=n1\n[User]\nname=bob\nnodes=n*\nrate=4\n" \
	"[User]\nname=*\nnodes=n2\n"

static char *directory, *tokens;

/* Write the file with tokens. */
static void writeTokens(const char *text, gssize length, int mode)
{
	g_unlink(tokens);
	g_assert_true(g_file_set_contents_full(
		tokens, text, length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	g_assert_cmpint(g_chmod(tokens, mode), ==, 0);
}

static void writeUsual(void)
{
	writeTokens("# users\nalice " TOKEN1 "\nalice\t" TOKEN2 "\n\n"
		    "bob " TOKEN2 "\r\ncarol " TOKEN1 "\n",
		    -1, 0600);
}

/* Begin a service with tokens and more. */
static struct scene *begin(const char *server, const char *more)
{
	g_autofree char *config =
		g_strconcat(SCENE_SERVER "tokens=", tokens, "\n", server,
			    SCENE_DEVICE, more, NULL);

	writeUsual();
	return sceneBegin(config);
}

/* ---- Tokens ------------------------------------------------------------ */

static void testTokenFile(void)
{
	static const struct {
		const char *text;
		gssize length;
		int mode;
		int result;
		const char *message;
	} rows[] = {
		{ "a " TOKEN1, -1, 0600, 0, "" },
		{ "a " TOKEN1, -1, 0640, 0, "" },
		{ "", -1, 0600, 0, "" },
		{ "# a\n \n  a   " TOKEN1 " \n", -1, 0400, 0, "" },
		{ "a " TOKEN1, -1, 0644, -EPERM, "other users have access" },
		{ "a " TOKEN1, -1, 0660, -EPERM, "(mode 660)" },
		{ "a " TOKEN1, -1, 0602, -EPERM, "chmod 600 or 640" },
		{ "a b", -1, 0600, -EINVAL, ":1: a line is USER TOKEN" },
		{ "\n\na", -1, 0600, -EINVAL, ":3: a line is USER TOKEN" },
		{ "a " TOKEN1 " b", -1, 0600, -EINVAL, ":1: a line" },
		{ "a 0123456789abcdef0123456789abcde", -1, 0600, -EINVAL,
		  "at least 32" },
		{ "a\0b", 3, 0600, -EINVAL, "not a text file" },
	};
	struct hdTokens *read = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		writeTokens(rows[i].text, rows[i].length, rows[i].mode);
		sceneHasSaid("");
		g_test_message("row %zu", i);
		g_assert_cmpint(hdTokensRead(tokens, &read), ==,
				rows[i].result);
		if (rows[i].result == 0)
			hdTokensDestroy(read);
		/* No secret is said. */
		g_assert_false(sceneHasSaid("0123456789") &&
			       rows[i].result < 0);
		hdTokensRead(tokens, &read);
		if (rows[i].result < 0)
			g_assert_true(sceneHasSaid(rows[i].message));
		else
			hdTokensDestroy(read);
	}
	g_assert_cmpint(hdTokensRead(directory, &read), ==, -EINVAL);
	g_assert_cmpint(hdTokensRead("/no/such/file", &read), ==, -ENOENT);
	hdTokensDestroy(NULL);
}

/* What a client sees: the nodes of LIST. */
static char *nodesOf(struct native *native)
{
	uint16_t tag = nativeAsk(native, PT_WIRE_LIST, NULL);
	GString *text = g_string_new(NULL);
	struct hdFrameHeader header;
	union ptWireAnswer any;

	do {
		nativeNext(native, &header, &any);
		g_assert_cmpuint(header.tag, ==, tag);
		if (header.type == PT_WIRE_LINE)
			g_string_append_printf(text, "%.*s ",
					       (int)any.line.node.length,
					       any.line.node.at);
	} while (header.type != PT_WIRE_LIST_END);
	return g_string_free(text, FALSE);
}

static void testAuthenticate(void)
{
	static const struct {
		const char *user;
		const char *token;
		const char *nodes; /* NULL: denied. */
	} rows[] = {
		{ "alice", TOKEN1, "n1 n1 " },  { "alice", TOKEN2, "n1 n1 " },
		{ "bob", TOKEN2, "n1 n1 n2 " }, { "carol", TOKEN1, "n2 " },
		{ "bob", TOKEN1, NULL },        { "dave", TOKEN1, NULL },
		{ "", TOKEN1, NULL },           { "../alice", TOKEN1, NULL },
		{ "alice", "x", NULL },
	};
	struct scene *scene = begin("", USERS);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct native *native = nativeOpen(peerOpen(scene));
		g_autofree char *nodes = NULL;

		g_assert_cmpuint(native->greeting.mustAuthenticate, ==, 0);
		/* Nobody is known: nobody sees anything. */
		nodes = nodesOf(native);
		g_assert_cmpstr(nodes, ==, "");
		g_assert_cmpuint(
			nativeAuthenticate(native, rows[i].user, rows[i].token),
			==,
			rows[i].nodes ? PT_WIRE_AUTHENTICATED : PT_WIRE_ERROR);
		if (rows[i].nodes) {
			g_autofree char *now = nodesOf(native);

			g_assert_cmpstr(now, ==, rows[i].nodes);
			nativeClose(native);
		} else {
			peerEnd(native->fd);
			nativeFree(native);
			sceneSaid("wrong user or token for");
		}
	}
	sceneEnd(scene);
}

/* Other hosts: they must say who they are, and may not speak pmlib. */
static void testOtherHosts(void)
{
	struct scene *scene = begin("", "");
	struct native *native = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));
	int fd;

	g_assert_cmpuint(native->greeting.mustAuthenticate, ==, 1);
	nativeRefuse(native, PT_WIRE_LIST, NULL, HD_FRAME_EAUTHENTICATE);
	peerEnd(native->fd);
	nativeFree(native);
	/* Not even a long message. */
	native = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));
	peerSay(native->fd, "01100000 0100 0100");
	nativeError(native, 1, HD_FRAME_EMALFORMED);
	peerEnd(native->fd);
	nativeFree(native);
	native = nativeOpen(peerOpenFrom(scene, "127.0.0.2"));
	g_assert_cmpuint(nativeAuthenticate(native, "alice", TOKEN1), ==,
			 PT_WIRE_AUTHENTICATED);
	nativeAwait(native, PT_WIRE_LIST_END,
		    nativeAsk(native, PT_WIRE_LIST, NULL));
	nativeClose(native);
	fd = peerOpenFrom(scene, "127.0.0.2");
	peerSay(fd, "07000000");
	peerHear(fd, "ffffffff");
	peerEnd(fd);
	sceneSaid("not allowed from this network");
	sceneEnd(scene);
	/* Where it is allowed, and nowhere else. */
	scene = begin("pmlib=10.0.0.0/8, 127.0.0.2/31\n", "");
	fd = peerOpenFrom(scene, "127.0.0.3");
	peerSay(fd, "07000000");
	peerHear(fd, "01000000");
	close(fd);
	fd = peerOpenFrom(scene, "127.0.0.4");
	peerSay(fd, "07000000");
	peerHear(fd, "ffffffff");
	close(fd);
	sceneEnd(scene);
	scene = begin("pmlib=no\n", "");
	fd = peerOpen(scene);
	peerSay(fd, "07000000");
	peerHear(fd, "ffffffff");
	close(fd);
	sceneSaid("pmlib is disabled");
	sceneEnd(scene);
}

/* ---- Users ------------------------------------------------------------- */

/* Nodes that somebody may not see: with our protocol, and with pmlib. They are
 * not there; test-shares.c compares this byte by byte. */
static void testForbidden(void)
{
	struct scene *scene =
		begin("", "[User]\nname=anonymous\nnodes=n1\n"
			  "[Device]\nname=Dev2\ndriver=Host\ncycle=1000\n"
			  "[Line]\ndevice=Dev2\nnode=n3\nchannel=1\n");
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	double values[2];
	int fd;

	nativeRefuseStream(native, 0, "- n2 - -", HD_FRAME_EUNKNOWN);
	nativeRefuseStream(native, 0, "Dev1 - all -", HD_FRAME_EUNKNOWN);
	nativeRefuseStream(native, 0, "- n1 - -;- n2 - -", HD_FRAME_EUNKNOWN);
	nativeRefuseStream(native, 0, "Dev2 - - -", HD_FRAME_EUNKNOWN);
	nativeRefuseStream(native, 0, "- n9 - -", HD_FRAME_EUNKNOWN);
	/* What is only met is left out. */
	nativeOpenStream(native, 0, 0, 0, "- * - P", &stream);
	g_assert_cmpuint(stream.columnCount, ==, 1);
	g_assert_cmpstr(stream.columns[0].node, ==, "n1");
	nativeClose(native);
	/* Devices of which nothing may be seen are not there. */
	fd = peerOpen(scene);
	peerSay(fd, "07000000");
	peerHear(fd, "01000000 04000000 44657631");
	peerEnd(fd);
	fd = peerOpen(scene);
	peerSay(fd, "06000000 04000000 44657632");
	peerHear(fd, "ffffffff");
	peerEnd(fd);
	sceneSaid("hidden device \"Dev2\"");
	/* All lines, or some of these, are those that may be seen. */
	for (int i = 0; i < 2; i++) {
		fd = peerOpen(scene);
		g_assert_cmpint(
			peerCreate(fd, "Dev1", 0, true, i == 0 ? "00" : "07"),
			==, 0);
		peerSay(fd, "04000000");
		peerHear(fd, "00000000 01000000 02000000 00000000");
		close(fd);
	}
	/* READ has lines up to the last that may be seen. */
	sceneGive(scene, "Dev1", 1000);
	fd = peerOpen(scene);
	peerSay(fd, "09000000 04000000 44657631 00000000");
	peerHear(fd, "00000000 02000000");
	peerReceive(fd, values, sizeof(values));
	g_assert_cmpfloat(values[1], ==, 2000);
	close(fd);
	/* STATUS has only lines that may be seen, with their numbers. */
	fd = peerOpen(scene);
	peerSay(fd, "08000000");
	peerHear(fd, "01000000 04000000 44657631 0a000000 02000000 00000000"
		     "02000000 6e31");
	close(fd);
	sceneEnd(scene);
	/* What lies between has its number, and no value. */
	scene = begin("", "[Line]\ndevice=Dev1\nname=more\nnode=n1\n"
			  "channel=4\n[User]\nname=anonymous\nnodes=n1\n");
	sceneGive(scene, "Dev1", 1000);
	fd = peerOpen(scene);
	peerSay(fd, "09000000 04000000 44657631 00000000");
	peerHear(fd, "00000000 04000000");
	peerReceive(fd, values, sizeof(values));
	peerReceive(fd, values, sizeof(values));
	g_assert_true(isnan(values[0]));
	g_assert_cmpfloat(values[1], ==, 4000);
	close(fd);
	sceneEnd(scene);
}

/* A user gets no more readings a second than he may. */
/* Names that are paths, or would look like another message: both protocols say
 * no, and that is said, in one line. */
static void testNames(void)
{
	struct scene *scene = begin("", "");
	struct native *native;
	int fd = peerOpen(scene);

	g_assert_cmpint(peerCreate(fd, "../../etc/passwd", 0, true, "01"), ==,
			-1);
	peerEnd(fd);
	sceneSaid("device \"../../etc/passwd\"");
	fd = peerOpen(scene);
	g_assert_cmpint(peerCreate(fd, "x\npt: all is well", 0, true, "01"), ==,
			-1);
	peerEnd(fd);
	sceneSaid("device \"x?pt: all is well\"");
	native = nativeOpen(peerOpen(scene));
	nativeRefuseStream(native, 0, "- ../n1 - -", HD_FRAME_EUNKNOWN);
	sceneSaid("../n1");
	nativeClose(native);
	sceneEnd(scene);
}

static void testRate(void)
{
	struct scene *scene =
		begin("", "[User]\nname=anonymous\nnodes=*\nrate=4\n");
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream;
	union ptWireAnswer any;
	int fd = peerOpen(scene);

	nativeOpenStream(native, 0, 0, 0, "- n1 - -", &stream);
	g_assert_cmpuint(stream.every[0], ==, 3);
	nativeOpenStream(native, 0, 10, 0, "- n1 - -", &stream);
	g_assert_cmpuint(stream.every[0], ==, 3);
	nativeOpenStream(native, 0, 1, 0, "- n1 - -", &stream);
	g_assert_cmpuint(stream.every[0], ==, 10);
	nativeHear(native, PT_WIRE_DEVICE,
		   nativeAsk(native, PT_WIRE_LIST, NULL), &any);
	g_assert_cmpint(any.device.intervalNs, ==, 300 * MS);
	nativeClose(native);
	peerSay(fd, "06000000 04000000 44657631");
	peerHear(fd, "03000000 03000000 04000000 44657631");
	peerEnd(fd);
	fd = peerOpen(scene);
	peerSay(fd, "09000000 04000000 44657631 04000000");
	peerHear(fd, "feffffff 03000000");
	peerEnd(fd);
	sceneEnd(scene);
}

/* ---- Unix sockets ------------------------------------------------------ */

static void testUnix(void)
{
	const struct passwd *me = getpwuid(getuid());
	g_autofree char *path = g_build_filename(directory, "socket", NULL);
	g_autofree char *config =
		g_strdup_printf(SCENE_SERVER "socketMode=0640\n" SCENE_DEVICE
					     "[User]\nname=%s\nnodes=n2\n",
				me ? me->pw_name : "uid");
	g_autofree char *listen =
		g_strconcat("listen=unix:", path, ",127.0.0.1:0", NULL);
	g_auto(GStrv) parts = g_strsplit(config, "listen=127.0.0.1:0", 2);
	g_autofree char *both = g_strjoinv(listen, parts);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct scene *scene;
	struct native *native;
	struct ptSite *site;
	struct ptService *second = NULL;
	struct stat st;
	char *nodes;
	int stale = socket(AF_UNIX, SOCK_STREAM, 0);

	/* A socket that a service left when it was killed. */
	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	g_assert_cmpint(
		bind(stale, (struct sockaddr *)&address, sizeof(address)), ==,
		0);
	close(stale);
	scene = sceneBegin(both);
	g_assert_cmpint(stat(path, &st), ==, 0);
	g_assert_cmpint(st.st_mode & 0777, ==, 0640);
	native = nativeOpen(peerOpenUnix(path));
	g_assert_cmpuint(native->greeting.mustAuthenticate, ==, 0);
	nodes = nodesOf(native);
	g_assert_cmpstr(nodes, ==, "n2 ");
	g_free(nodes);
	nativeClose(native);
	/* Nobody else gets it meanwhile. */
	g_assert_cmpint(sceneRead(both, &site), ==, 0);
	g_assert_cmpint(
		ptServiceCreate(site,
				&(const struct ptServiceSetup){ .root = "" },
				&second),
		==, PT_EDEVICE);
	ptSiteUnref(site);
	g_assert_true(sceneHasSaid("another service listens on it"));
	sceneEnd(scene);
	g_assert_cmpint(stat(path, &st), ==, -1);
}

/* ---- Reading the configuration again ----------------------------------- */

static void testReload(void)
{
	static const char changed[] =
		SCENE_SERVER "[Device]\nname=Dev1\ndriver=Meter\ncycle=200\n"
			     "[Line]\ndevice=Dev1\nnode=n1\nchannel=1\n";
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native = nativeOpen(peerOpen(scene));
	struct nativeStream stream, other;
	struct nativeRecording *r;
	struct peerData data;
	int fd = peerOpen(scene), opens;

	g_assert_cmpint(peerCreate(fd, "Dev1", 0, true, "04"), ==, 0);
	g_assert_cmpint(peerAsk(fd, 1), ==, 0);
	nativeOpenStream(native, 0, 0, 5, "- n1 - -", &stream);
	nativeOpenStream(native, 0, 0, 5, "- n2 - -", &other);
	nativeStart(native, &stream);
	sceneGive(scene, "Dev1", 1000);
	/* What is wrong changes nothing. */
	g_assert_cmpint(sceneReload(scene, "[Server]\nx=y\n"), ==,
			PT_ECONFINVALID);
	g_assert_cmpint(sceneReload(scene, SCENE_SERVER SCENE_DEVICE
				    "[User]\nname=alice\n"
				    "nodes=n9\n"),
			==, PT_ECONFINVALID);
	/* A device that is described as before goes on, with its counters. */
	opens = testMeterGet(opens);
	g_assert_cmpint(sceneReload(scene,
				    SCENE_SERVER "counters=77\n" SCENE_DEVICE
						 "[User]\nname=anonymous\n"
						 "nodes=n2\n"),
			==, 0);
	g_assert_cmpint(testMeterGet(opens), ==, opens);
	/* But n1 must not be seen any more. */
	r = nativeRecorded(native, &stream);
	g_assert_cmpuint(r->why, ==, 3);
	nativeForget(r);
	nativeRefuse(native, PT_WIRE_START,
		     &(const struct ptWireStream){ stream.number },
		     HD_FRAME_ESTREAM);
	nativeStart(native, &other);
	sceneGive(scene, "Dev1", 1100);
	g_assert_cmpint(peerAsk(fd, 3), ==, 0);
	peerGet(fd, false, &data);
	g_assert_cmpint(data.values, ==, 2);
	g_free(data.value);
	/* Another device of the name: the old one ends. */
	g_assert_cmpint(sceneReload(scene, changed), ==, 0);
	r = nativeRecorded(native, &other);
	g_assert_cmpuint(r->why, ==, 3);
	nativeForget(r);
	peerEnd(fd);
	SCENE_WAIT(testMeterGet(opens) == opens + 1);
	SCENE_WAIT(testMeterGet(starts) == 2);
	sceneGive(scene, "Dev1", 2000);
	fd = peerOpen(scene);
	peerSay(fd, "06000000 04000000 44657631");
	peerHear(fd, "05000000 01000000 04000000 44657631");
	close(fd);
	nativeClose(native);
	sceneIsEmpty(scene);
	sceneEnd(scene);
}

/* Addresses and tokens that come and go. */
static void testReloadAddresses(void)
{
	g_autofree char *path = g_build_filename(directory, "second", NULL);
	g_autofree char *both =
		g_strconcat("[Server]\nlisten=127.0.0.1:0, unix:", path,
			    "\ntokens=", tokens, "\n" SCENE_DEVICE, NULL);
	g_autofree char *bad = g_strconcat(
		"[Server]\nlisten=unix:/no/such/place, 127.0.0.1:0\ntokens=",
		tokens, "\n" SCENE_DEVICE, NULL);
	struct scene *scene = sceneBegin(SCENE_SERVER SCENE_DEVICE);
	struct native *native;

	writeUsual();
	native = nativeOpen(peerOpen(scene));
	g_assert_cmpuint(nativeAuthenticate(native, "alice", TOKEN1), ==,
			 PT_WIRE_ERROR);
	nativeClose(native);
	g_assert_cmpint(sceneReload(scene, both), ==, 0);
	native = nativeOpen(peerOpenUnix(path));
	nativeClose(native);
	native = nativeOpen(peerOpen(scene));
	g_assert_cmpuint(nativeAuthenticate(native, "alice", TOKEN1), ==,
			 PT_WIRE_AUTHENTICATED);
	nativeClose(native);
	/* Nothing has changed. */
	g_assert_cmpint(sceneReload(scene, bad), ==, PT_EDEVICE);
	native = nativeOpen(peerOpenUnix(path));
	nativeClose(native);
	writeTokens("x", -1, 0600);
	g_assert_cmpint(sceneReload(scene, both), ==, PT_ECONFINVALID);
	native = nativeOpen(peerOpen(scene));
	g_assert_cmpuint(nativeAuthenticate(native, "alice", TOKEN1), ==,
			 PT_WIRE_AUTHENTICATED);
	nativeClose(native);
	g_assert_cmpint(sceneReload(scene, SCENE_SERVER SCENE_DEVICE), ==, 0);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	native = nativeOpen(peerOpen(scene));
	nativeClose(native);
	sceneEnd(scene);
}

/* A device that is not there at the start does not keep others from serving,
 * and serves when it comes. */
static void testAbsent(void)
{
	struct scene *scene = sceneBegin(
		SCENE_SERVER "[Device]\nname=x\ndriver=Host\ncycle=10\n"
			     "[Line]\ndevice=x\nnode=n1\nchannel=1\n");
	struct native *native;
	union ptWireAnswer any;
	int fd;

	sceneEnd(scene);
	scene = sceneBegin("# absent\n" SCENE_SERVER SCENE_DEVICE);
	fd = peerOpen(scene);
	peerSay(fd, "07000000");
	peerHear(fd, "01000000 04000000 44657631");
	peerEnd(fd);
	testMeterSet(openResult, -ENODEV);
	sceneGiveAny(scene, "Dev1", -ENODEV, 1000, 0, 0);
	native = nativeOpen(peerOpen(scene));
	do
		nativeHear(native, PT_WIRE_DEVICE,
			   nativeAsk(native, PT_WIRE_LIST, NULL), &any),
			nativeAwait(native, PT_WIRE_LIST_END, native->tag);
	while (any.device.isUp);
	testMeterSet(openResult, 0);
	sceneSaid("Dev1: reconnected after ");
	sceneGive(scene, "Dev1", 1000);
	nativeHear(native, PT_WIRE_DEVICE,
		   nativeAsk(native, PT_WIRE_LIST, NULL), &any);
	g_assert_cmpuint(any.device.isUp, ==, 1);
	g_assert_cmpuint(any.device.reconnects, ==, 1);
	nativeClose(native);
	sceneEnd(scene);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/access/token-file", testTokenFile);
	g_test_add_func("/access/authenticate", testAuthenticate);
	g_test_add_func("/access/other-hosts", testOtherHosts);
	g_test_add_func("/access/forbidden", testForbidden);
	g_test_add_func("/access/names", testNames);
	g_test_add_func("/access/rate", testRate);
	g_test_add_func("/access/unix", testUnix);
	g_test_add_func("/access/reload", testReload);
	g_test_add_func("/access/reload-addresses", testReloadAddresses);
	g_test_add_func("/access/absent", testAbsent);
	return sceneRunWithTokens(&directory, &tokens);
}
