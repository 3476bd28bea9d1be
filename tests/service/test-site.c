/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configurations of services: what they say, and each error with its line. */
#include "config.h"

#include <math.h>
#include <netinet/in.h>
#include <string.h>

#include <PT.h>
#include "net/http.h"
#include "PowerTracingLibrary/service/site/parse.h"
#include "tests/service/scene.h"

#define DEVICE "[Device]\nname=D\ndriver=Meter\ncycle=100\n"
#define LINE "[Line]\ndevice=D\nnode=n\nchannel=1\n"

/* ---- What is good ------------------------------------------------------ */

static void testAll(void)
{
	struct ptSite *site;
	const struct ptSiteDevice *device;
	bool all;

	g_assert_cmpint(
		sceneRead("[Server]\n"
			  "listen=127.0.0.1:1, [::1]:2, unix:/a/b, 3\n"
			  "dialect=A\norder=sets\npmlib=10.0.0.0/8, ::1\n"
			  "socketMode=600\nsocketGroup=g\n"
			  "user=u\ngroup=g\nkeep=perfmon, dac_read_search\n"
			  "clients=5\ncounters=6\nmemory=7\nclientMemory=8\n"
			  "timeout=9\nidle=10\nuserShare=30\n"
			  "addressShare=20\nmetricsUser=alice\n"
			  "[Device]\nname=D\ndriver=Meter\ncycle=100\n"
			  "project=p\ntopology=Host\ndescription=a meter\n"
			  "[Trace]\ndevice=D\ntype=HDSTATS\nnode=t\ninput=1\n"
			  "values=P,U\n"
			  "[Line]\ndevice=D\nname=x\nnode=n_1\ninput=1\n"
			  "values=P,E\nsum=no\ndescription=right\n"
			  "[Line]\ndevice=D\nnode=n_1\ninput=*\nvalues=N\n"
			  "[Device]\nname=R\ndriver=Raw\n"
			  "[Line]\ndevice=R\nnode=m\ninput=2\nvalues=P\n"
			  "voltage=12\n"
			  "[User]\nname=alice\nnodes=n*,m\nrate=0.5\n"
			  "[User]\nname=*\nnodes=*\n",
			  &site),
		==, 0);
	g_assert_cmpuint(site->listenCount, ==, 4);
	g_assert_true(site->listen[0].isLocal);
	g_assert_cmpint(site->listen[1].storage.ss_family, ==, AF_INET6);
	g_assert_cmpint(site->listen[2].storage.ss_family, ==, AF_UNIX);
	g_assert_cmpint(site->listen[3].storage.ss_family, ==, AF_INET);
	g_assert_true(site->dialect.isFloat && site->dialect.isSetMajor);
	g_assert_true(site->hasPmlib);
	g_assert_cmpuint(site->pmlibCount, ==, 2);
	g_assert_cmpuint(site->socketMode, ==, 0600);
	g_assert_cmpint(site->limits.clients, ==, 5);
	g_assert_cmpint(site->limits.counters, ==, 6);
	g_assert_cmpint(site->limits.userShare, ==, 30);
	g_assert_cmpint(site->limits.addressShare, ==, 20);
	g_assert_cmpstr(site->metricsUser, ==, "alice");
	g_assert_cmpint(site->limits.memory, ==, 7 << 20);
	g_assert_cmpint(site->limits.clientMemory, ==, 8 << 20);
	g_assert_cmpint(site->limits.timeoutNs, ==, 9 * SECOND);
	g_assert_cmpint(site->limits.idleNs, ==, 10 * SECOND);
	g_assert_cmpuint(site->deviceCount, ==, 2);
	device = &site->devices[0];
	g_assert_cmpstr(device->config.name, ==, "D");
	g_assert_cmpuint(device->config.nodeCount, ==, 1);
	g_assert_cmpuint(device->lineCount, ==, 5);
	g_assert_cmpstr(device->lines[0].name, ==, "x");
	g_assert_cmpstr(device->lines[1].name, ==, "in1");
	g_assert_cmpstr(device->lines[4].name, ==, "in4");
	g_assert_false(device->lines[0].isSummed);
	g_assert_true(device->lines[1].isSummed);
	g_assert_true(isnan(device->lines[0].voltage));
	/* What [Trace] and [Line] both want is measured once: P, U; E; N x 4.
	 */
	g_assert_cmpuint(device->config.columnCount, ==, 7);
	g_assert_cmpuint(device->lines[0].values[0].column, ==, 0);
	g_assert_cmpuint(device->lines[0].values[1].column, ==, 2);
	g_assert_cmpint(device->lines[0].values[0].kind, ==, PT_WIRE_MEAN);
	g_assert_cmpint(device->lines[0].values[1].kind, ==, PT_WIRE_AMOUNT);
	g_assert_cmpint(device->lines[1].values[0].kind, ==, PT_WIRE_RUNNING);
	g_assert_cmpfloat(site->devices[1].lines[0].voltage, ==, 12);
	g_assert_true(ptSiteFindDevice(site, "R") == &site->devices[1]);
	g_assert_null(ptSiteFindDevice(site, "r"));
	/* Users. */
	g_assert_cmpfloat(ptSiteFindUser(site, "alice", &all)->rate, ==, 0.5);
	g_assert_false(all);
	g_assert_true(ptSiteUserSees(&site->users[0], "n_1"));
	g_assert_true(ptSiteUserSees(&site->users[0], "m"));
	g_assert_false(ptSiteUserSees(&site->users[0], "m2"));
	g_assert_cmpstr(ptSiteFindUser(site, "bob", &all)->name, ==, "*");
	g_assert_null(ptSiteFindUser(site, NULL, &all));
	ptSiteUnref(site);
	ptSiteUnref(NULL);
}

static void testUsual(void)
{
	struct ptSite *site;
	bool all;

	g_assert_cmpint(sceneRead("[Server]\n" DEVICE LINE, &site), ==, 0);
	g_assert_cmpuint(site->listenCount, ==, 0);
	g_assert_true(site->hasPmlib);
	g_assert_true(site->dialect.isListCounted);
	g_assert_false(site->dialect.isFloat || site->dialect.isSetMajor);
	g_assert_cmpint(site->limits.clients, ==, 1024);
	g_assert_cmpint(site->metrics.length, ==, 0);
	g_assert_cmpstr(site->devices[0].lines[0].values[0].quantity->name, ==,
			"P");
	g_assert_null(ptSiteFindUser(site, "x", &all));
	g_assert_true(all);
	ptSiteUnref(site);
}

/* ---- Errors ------------------------------------------------------------ */

static const struct {
	const char *text;
	const char *message; /* With the line, or a part of the text. */
} errors[] = {
	{ DEVICE LINE, ": missing section [Server]" },
	{ "[Server]\n[Server]\n" DEVICE LINE,
	  ":2: duplicate section [Server]; the" },
	{ "[Server]\n[Foo]\n" DEVICE LINE, ":2: unknown section [Foo]" },
	{ "[Server]\nx=1\n" DEVICE LINE, ":2: unknown key \"x\"" },
	{ "[Server]\nlisten=here\n" DEVICE LINE,
	  ":2: listen: invalid address \"here\"; expected" },
	{ "[Server]\nlisten=::1:5\n" DEVICE LINE,
	  ":2: listen: invalid address \"::1:5\"" },
	{ "[Server]\nlisten=1.2.3.4:99999\n" DEVICE LINE, ":2: listen: " },
	{ "[Server]\nlisten=[::1\n" DEVICE LINE, ":2: listen: " },
	{ "[Server]\nlisten=[]:1\n" DEVICE LINE, ":2: listen: " },
	{ "[Server]\nlisten=unix:a\n" DEVICE LINE,
	  ":2: listen: invalid address \"unix:a\"" },
	{ "[Server]\nlisten=\n" DEVICE LINE, ":2: listen: " },
	{ "[Server]\nlisten=0.0.0.0:1\n" DEVICE LINE,
	  ":2: listen: other hosts can reach 0.0.0.0:1; set" },
	{ "[Server]\nlisten=127.0.0.1:1,10.0.0.1:1\n" DEVICE LINE,
	  ":2: listen: other hosts can reach 10.0.0.1:1" },
	{ "[Server]\nmetrics=x\n" DEVICE LINE,
	  ":2: metrics=x: invalid address; expected PORT" },
	{ "[Server]\nmetrics=unix:/x\n" DEVICE LINE, ":2: metrics=" },
	{ "[Server]\ndialect=E\n" DEVICE LINE,
	  ":2: dialect=E: unknown dialect; expected" },
	{ "[Server]\norder=up\n" DEVICE LINE,
	  ":2: order=up: invalid order; expected lines or sets" },
	{ "[Server]\npmlib=x\n" DEVICE LINE,
	  ":2: pmlib: invalid network \"x\"" },
	{ "[Server]\npmlib=1.2.3.4/33\n" DEVICE LINE, ":2: pmlib: " },
	{ "[Server]\npmlib=1.2.3.4/\n" DEVICE LINE, ":2: pmlib: " },
	{ "[Server]\nsocketMode=8\n" DEVICE LINE,
	  ":2: socketMode=8: invalid mode; use" },
	{ "[Server]\nsocketMode=1777\n" DEVICE LINE, ":2: socketMode=1777" },
	{ "[Server]\ncertificate=x\n" DEVICE LINE, ":1: certificate= and" },
	{ "[Server]\nkey=x\n" DEVICE LINE, ":1: certificate= and key=" },
	{ "[Server]\ntokens=\n" DEVICE LINE, ":2: tokens= is empty" },
	{ "[Server]\nkeep=perfmon\n" DEVICE LINE, ":1: group= and keep=" },
	{ "[Server]\nuser=u\nkeep=perfmon x\n" DEVICE LINE,
	  ":3: keep=perfmon x: there are dac_read_search" },
	{ "[Server]\nclients=0\n" DEVICE LINE,
	  ":2: clients=0: invalid number; expected 1" },
	{ "[Server]\nclients=x\n" DEVICE LINE,
	  ":2: clients=x: invalid number; expected" },
	{ "[Server]\ncounters=1.5\n" DEVICE LINE,
	  ":2: counters=1.5: invalid number; expected" },
	{ "[Server]\nuserShare=0\n" DEVICE LINE,
	  ":2: userShare=0: invalid number; expected" },
	{ "[Server]\naddressShare=101\n" DEVICE LINE,
	  ":2: addressShare=101: invalid number; expected 1 to 100" },
	{ "[Server]\nmetricsUser=bob\n" DEVICE LINE
	  "[User]\nname=alice\nnodes=*\n",
	  "metricsUser=bob: no [User] has this name" },
	{ "[Server]\nmemory=99999999999999999999\n" DEVICE LINE, ":2: memory" },
	{ "[Server]\ntimeout=\n" DEVICE LINE,
	  ":2: timeout=: invalid number; expected" },
	{ "[Server]\nidle=+1\n" DEVICE LINE,
	  ":2: idle=+1: invalid number; expected" },
	/* Devices. */
	{ "[Server]\n[Device]\ndriver=Meter\ncycle=100\n",
	  ":2: [Device]: missing key name=" },
	{ "[Server]\n[Device]\nname=a b\ndriver=Meter\ncycle=100\n",
	  ":3: name=a b: invalid name; use letters" },
	{ "[Server]\n[Device]\nname=../x\ndriver=Meter\ncycle=100\n",
	  ":3: name=../x: invalid name; use letters" },
	{ "[Server]\n" DEVICE LINE DEVICE, ":11: name=D: duplicate device" },
	{ "[Server]\n" DEVICE,
	  ":3: D: no [Line] and no [Trace] of this device" },
	{ "[Server]\n[Device]\nname=D\ndriver=Q\n" LINE,
	  ":4: unknown device \"Q\"; expected one of Meter" },
	{ "[Server]\n[Device]\nname=D\n" LINE,
	  ":2: [Device]: missing key driver=" },
	{ "[Server]\n[Device]\nname=D\ndriver=Meter\ncycle=1e9\n" LINE,
	  ":5: cycle=1e9: invalid cycle of Meter; expected" },
	{ "[Server]\n" DEVICE "mode=bad\n" LINE, ":6: mode=bad: is good" },
	{ "[Server]\n" DEVICE "device=x\n" LINE, ":6: unknown key \"device\"" },
	{ "[Server]\n" DEVICE "[Trace]\ndevice=D\ntype=HDSTATS\nnode=n\n"
	  "input=1\nvalues=P\n",
	  ":2: [Device]: missing key project=" },
	/* Lines. */
	{ "[Server]\n" DEVICE LINE "[Line]\nnode=n\ninput=1\n",
	  ":10: [Line]: missing key device=" },
	{ "[Server]\n" DEVICE LINE "[Trace]\ndevice=x\n",
	  ":11: device=x: no [Device]" },
	{ "[Server]\n" DEVICE "[Line]\ndevice=D\ninput=1\n",
	  ":6: [Line]: missing key node=" },
	{ "[Server]\n" DEVICE "[Line]\ndevice=D\nnode=a/b\ninput=1\n",
	  ":8: \"a/b\": invalid name" },
	{ "[Server]\n" DEVICE "[Line]\ndevice=D\nnode=n\ninput=9\n",
	  ":9: [Line] input=9: unknown input; expected 1 to 4" },
	{ "[Server]\n" DEVICE "[Line]\ndevice=D\nnode=n\n",
	  ":6: [Line] input=: unknown input; expected 1 to 4" },
	{ "[Server]\n" DEVICE LINE "values=Q\n", ":10: unknown value \"Q\"" },
	{ "[Server]\n" DEVICE LINE "values=P,P\n", ":10: duplicate value P" },
	{ "[Server]\n" DEVICE LINE "sum=maybe\n",
	  ":10: sum=maybe: invalid value; expected yes or no" },
	{ "[Server]\n" DEVICE LINE "voltage=12\n", ":10: unknown key \"volt" },
	{ "[Server]\n" DEVICE LINE LINE, ":10: D: duplicate line in1" },
	{ "[Server]\n" DEVICE LINE "name=x\n" LINE "name=x\n",
	  ":15: D: duplicate line x" },
	{ "[Server]\n" DEVICE "[Line]\ndevice=D\nnode=n\ninput=*\nname=x\n",
	  ":10: D: duplicate line x" },
	{ "[Server]\n[Device]\nname=D\ndriver=Raw\n" LINE "values=P\n",
	  ":5: [Line]: missing key voltage=; required by P of Raw" },
	{ "[Server]\n[Device]\nname=D\ndriver=Raw\n" LINE "values=N\nslope=0\n",
	  ":10: slope=0: must not be 0" },
	/* Users. */
	{ "[Server]\n" DEVICE LINE "[User]\nnodes=n\n",
	  ":10: [User]: missing key name=" },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\n",
	  ":10: [User]: missing key nodes=" },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\nnodes=q\n",
	  ":12: nodes: no [Line] has the node \"q\"" },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\nnodes=n\nrate=0\n",
	  ":13: rate=0: invalid rate" },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\nnodes=n\nrate=inf\n",
	  ":13: rate=inf: " },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\nnodes=n\n"
	  "[User]\nname=a\nnodes=n\n",
	  ":14: name=a: duplicate user" },
	{ "[Server]\n" DEVICE LINE "[User]\nname=a\nnodes=n\nx=1\n",
	  ":13: unknown key \"x\"" },
	{ "[Server]\n" DEVICE LINE "x\n", ":10: neither [Section] nor" },
};

static void testErrors(void)
{
	struct ptSite *site;

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		g_test_message("%s", errors[i].message);
		sceneHasSaid("");
		g_assert_cmpint(sceneRead(errors[i].text, &site), ==,
				PT_ECONFINVALID);
		g_assert_null(site);
		if (!sceneHasSaid(errors[i].message))
			g_error("never said: %s", errors[i].message);
	}
	g_assert_cmpint(sceneRead("[Server]\n", &site), ==, PT_ENOTRACES);
	sceneSaid("missing section [Device]");
}

/* All errors of a file are said at once. */
static void testManyErrors(void)
{
	struct ptSite *site;

	sceneHasSaid("");
	g_assert_cmpint(sceneRead("[Server]\nlisten=x\ndialect=y\n"
				  "[Device]\nname=D\ndriver=Meter\ncycle=0\n"
				  "[Line]\ndevice=D\nnode=/\ninput=7\n"
				  "[User]\nname=/\nnodes=q\n",
				  &site),
			==, PT_ECONFINVALID);
	sceneSaid(":2: listen");
	sceneSaid(":3: dialect");
	sceneSaid(":7: cycle");
	sceneSaid(":10: \"/\"");
	sceneSaid(":11: [Line] input=7");
	sceneSaid(":13: name=/");
	sceneSaid(":14: nodes");
}

static void testFiles(void)
{
	struct ptRequest request = { .file = "/no/such/file",
				     .drivers = testDrivers,
				     .root = "" };
	struct ptSite *site;

	g_assert_false(ptSiteIsOne("/no/such/file"));
	g_assert_cmpint(ptSiteRead(&request, &site), ==, PT_ECONFNOTFOUND);
	request.file = "/dev/zero";
	g_assert_cmpint(ptSiteRead(&request, &site), ==, PT_ECONFINVALID);
}

/* ---- Addresses --------------------------------------------------------- */

static void testNetworks(void)
{
	static const struct {
		const char *network;
		const char *address;
		bool has;
	} rows[] = {
		{ "10.0.0.0/8", "10.255.0.1:1", true },
		{ "10.0.0.0/8", "11.0.0.0:1", false },
		{ "10.1.2.3", "10.1.2.3:1", true },
		{ "10.1.2.3", "10.1.2.2:1", false },
		{ "10.1.2.128/25", "10.1.2.255:1", true },
		{ "10.1.2.128/25", "10.1.2.127:1", false },
		{ "0.0.0.0/0", "200.1.2.3:1", true },
		{ "0.0.0.0/0", "[::1]:1", false },
		{ "fe80::/10", "[febf::1]:1", true },
		{ "fe80::/10", "[fec0::1]:1", false },
		{ "10.0.0.0/8", "[::ffff:10.1.2.3]:1", true },
		{ "10.0.0.0/8", "unix:/x", false },
	};
	struct hdNetwork network;
	struct hdAddress address;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_assert_cmpint(hdNetworkParse(rows[i].network, &network), ==,
				0);
		g_assert_cmpint(hdAddressParse(rows[i].address, &address), ==,
				0);
		g_assert_true(hdNetworkHas(&network,
					   (const struct sockaddr *)&address
						   .storage) == rows[i].has);
	}
}

/* Which devices are the same when a file is read again. */
static void testSame(void)
{
	static const char *const others[] = {
		"[Server]\n[Device]\nname=D\ndriver=Meter\ncycle=200\n" LINE,
		"[Server]\n" DEVICE LINE "description=x\n",
		"[Server]\n" DEVICE LINE "[Line]\ndevice=D\nnode=n\ninput=2\n",
		"[Server]\n" DEVICE "[Line]\ndevice=D\ninput=1\nnode=n\n",
	};
	struct ptSite *site, *other;

	g_assert_cmpint(sceneRead("[Server]\n" DEVICE LINE, &site), ==, 0);
	g_assert_cmpint(sceneRead("[Server]\nclients=7\n# here\n" DEVICE LINE
				  "[Device]\nname=E\ndriver=Host\ncycle=1\n"
				  "[Line]\ndevice=E\nnode=x\ninput=1\n",
				  &other),
			==, 0);
	g_assert_true(ptSiteIsSame(&site->devices[0], &other->devices[0]));
	g_assert_false(ptSiteIsSame(&site->devices[0], &other->devices[1]));
	ptSiteUnref(other);
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		g_assert_cmpint(sceneRead(others[i], &other), ==, 0);
		g_assert_false(
			ptSiteIsSame(&site->devices[0], &other->devices[0]));
		ptSiteUnref(other);
	}
	ptSiteUnref(site);
}

int main(int argc, char **argv)
{
	sceneInit(&argc, &argv);
	g_test_add_func("/site/all", testAll);
	g_test_add_func("/site/usual", testUsual);
	g_test_add_func("/site/errors", testErrors);
	g_test_add_func("/site/many-errors", testManyErrors);
	g_test_add_func("/site/files", testFiles);
	g_test_add_func("/site/networks", testNetworks);
	g_test_add_func("/site/same", testSame);
	return g_test_run();
}
