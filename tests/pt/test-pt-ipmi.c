/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: waits */
/*
 * The driver ipmi: with a real BMC made of software (ipmi_sim) that has DCMI by
 * a module of our own, directly and by a way on which datagrams get lost and
 * damaged; and with functions that stand for the kernel's driver.
 */
#include "config.h"

#include <errno.h>
#include <linux/ipmi.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "common/clock.h"
#include "tests/pt/beside.h"
#include "tests/pt/softdriver.h"

#define SECRET "user=power\npassword=watts\n"
#define READING "reading 150 100 200 145 1700000000 60000 0x40"

extern const struct ptDriver ptIpmiDriver;

static const struct ptDriver *const driver = &ptIpmiDriver;
static char *simulator, *module; /* NULL: there is none. */
static gboolean hasLibrary;

/* ---- A BMC ------------------------------------------------------------- */

static struct process bmc;
static int bmcPort;

/* What it answers from now on. */
static void setAnswer(const char *text)
{
	besideWrite("answer", text, 0600);
}

static void bmcConfigure(void)
{
	char *answer = besidePath("answer");
	char *text = g_strdup_printf(
		"name \"bmc\"\nset_working_mc 0x20\nstartlan 1\n"
		"addr 127.0.0.1 %d\npriv_limit admin\n"
		"allowed_auths_user md5\nallowed_auths_operator md5\n"
		"allowed_auths_admin md5\n"
		"guid a123456789abcdefa123456789abcdef\nendlan\n"
		"user 2 true \"power\" \"watts\" admin 10 md5\n"
		"loadlib \"%s\" \"%s\"\n",
		bmcPort, module, answer);

	besideWrite("lan.conf", text, 0600);
	besideWrite("bmc.emu",
		    "mc_setbmc 0x20\n"
		    "mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\n"
		    "mc_enable 0x20\n",
		    0600);
	g_free(text);
	g_free(answer);
}

static void bmcStart(void)
{
	char *configuration = besidePath("lan.conf");
	char *commands = besidePath("bmc.emu"), *state = besidePath("state");
	const char *arguments[] = { simulator, "-n", "-c",  configuration, "-f",
				    commands,  "-s", state, NULL };
	char *line;
	gboolean isReady;

	g_mkdir(state, 0700);
	bmcConfigure();
	processStart(&bmc, arguments, NULL);
	/* The module says so; the port is open before or soon after, and who
	 * asks repeats it. */
	do {
		line = processLine(&bmc);
		isReady = g_str_equal(line, "ready");
		g_free(line);
	} while (!isReady);
	g_free(configuration);
	g_free(commands);
	g_free(state);
}

/* ---- A device ---------------------------------------------------------- */

static char *address;

static void setPort(int port)
{
	g_free(address);
	address = g_strdup_printf("ipmi://127.0.0.1:%d", port);
	softAddress = address;
}

static const struct session {
	const char *name, *session, *cipher;
} sessions[] = {
	{ "2.0, cipher 3", NULL, NULL },
	{ "2.0, cipher 1", "2.0", "1" },
	{ "1.5", "1.5", NULL },
};

/* Options with a file of credentials that has this; NULL: none. The simulator
 * is strict and has all it does not know itself for administrators only. */
static const char *const *optionsWith(const struct session *session,
				      const char *privilege, const char *secret)
{
	static const char *options[12];
	static char *path;
	size_t used = 0;

	g_free(path);
	path = besidePath("credentials");
	options[used++] = "workarounds";
	options[used++] = "opensesspriv";
	options[used++] = "privilege";
	options[used++] = privilege;
	if (session->session) {
		options[used++] = "session";
		options[used++] = session->session;
	}
	if (session->cipher) {
		options[used++] = "cipher";
		options[used++] = session->cipher;
	}
	if (secret) {
		char *text = g_strconcat("[Credentials]\n", secret, NULL);

		besideWrite("credentials", text, 0600);
		g_free(text);
		options[used++] = "credentials";
		options[used++] = path;
	}
	options[used] = NULL;
	return options;
}

/* Open it; a busy machine may need more than one try. */
static int openDevice(struct softDevice *soft, const struct session *session,
		      const char *wanted)
{
	int ret = -ETIMEDOUT;

	for (int i = 0; i < 10 && (ret == -ETIMEDOUT || ret == -ENODEV); i++) {
		softSaid("");
		ret = softOpen(soft, driver, "", MS,
			       optionsWith(session, "admin", SECRET), wanted);
	}
	return ret;
}

static gboolean hasBmc(void)
{
	if (!bmc.pid) {
		g_test_skip("ipmi_sim, the header of its modules, or FreeIPMI "
			    "is missing (Debian: openipmi, libopenipmi-dev, "
			    "libfreeipmi-dev)");
		return FALSE;
	}
	setAnswer(READING);
	setPort(bmcPort);
	return TRUE;
}

/* ---- Configuration ----------------------------------------------------- */

static void testAddresses(void)
{
	static const struct {
		const char *address;
		int ret;
	} rows[] = {
		{ NULL, 0 },
		{ "/dev/ipmi0", 0 },
		{ "/dev/ipmi1", 0 },
		{ "ipmi://bmc06", 0 },
		{ "ipmi://bmc06:1623", 0 },
		{ "ipmi://[::1]:623", 0 },
		{ "", -EINVAL },
		{ "bmc06", -EINVAL },
		{ "/dev/ttyS0", -EINVAL },
		{ "tcp://bmc06:623", -EINVAL },
		{ "ipmi://", -EINVAL },
		{ "ipmi://bmc06:0", -EINVAL },
		{ "ipmi://admin@bmc06", -EINVAL },
	};
	char why[200];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_test_message("%s", rows[i].address);
		g_assert_cmpint(
			driver->checkAddress(rows[i].address, why, sizeof(why)),
			==, rows[i].ret);
		g_assert_nonnull(strstr(
			why, "invalid device; expected ipmi://HOST[:PORT], "
			     "or /dev/ipmi0"));
	}
	g_assert_nonnull(strstr(why, "credentials="));
}

static void testOptions(void)
{
	static const struct {
		const char *name, *value, *why; /* NULL: it is good. */
	} rows[] = {
		{ "session", "1.5", NULL },
		{ "session", "2.0", NULL },
		{ "session", "2", "expected 1.5 or 2.0" },
		{ "cipher", "0", NULL },
		{ "cipher", "17", NULL },
		{ "cipher", "20", "is 0 to 19" },
		{ "cipher", "three", "is 0 to 19" },
		{ "privilege", "operator", NULL },
		{ "library", "/no/matter", NULL },
	};
	/* Without the library these are not known. */
	static const struct {
		const char *name, *value, *why;
	} names[] = {
		{ "privilege", "root", "expected user, operator or admin" },
		{ "workarounds", "opensesspriv,sun20", NULL },
		{ "workarounds", "opensesspriv,", "expected authcap, intel20" },
		{ "workarounds", "sun2", "expected authcap, intel20" },
	};
	char why[200];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		why[0] = '\0';
		g_assert_cmpint(driver->checkOption(rows[i].name, rows[i].value,
						    why, sizeof(why)),
				==, rows[i].why ? -EINVAL : 0);
		if (rows[i].why)
			g_assert_cmpstr(why, ==, rows[i].why);
	}
	for (size_t i = 0; hasLibrary && i < G_N_ELEMENTS(names); i++) {
		g_assert_cmpint(driver->checkOption(names[i].name,
						    names[i].value, why,
						    sizeof(why)),
				==, names[i].why ? -EINVAL : 0);
		if (names[i].why)
			g_assert_true(g_str_has_prefix(why, names[i].why));
	}
}

static void testSecrets(void)
{
	static const struct {
		const char *text;
		int mode;
		const char *why; /* NULL: it is good. */
	} rows[] = {
		{ SECRET, 0600, NULL },
		{ SECRET "key=0123456789\n", 0640, NULL },
		{ SECRET, 0644, "other users have access" },
		{ "user=power\n", 0600, "missing user or password" },
		{ "password=watts\n", 0600, "missing user or password" },
		{ "user=a2345678901234567\npassword=x\n", 0600,
		  "user is longer than 16 characters" },
		{ "user=power\npassword=a23456789012345678901\n", 0600,
		  "password or key is longer than 20 characters" },
		{ SECRET "key=a23456789012345678901\n", 0600,
		  "password or key is longer than 20 characters" },
		{ SECRET "community=public\n", 0600,
		  "line 4: community: unknown key" },
	};
	char *path = besidePath("secret"), why[200];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text = g_strconcat("[Credentials]\n", rows[i].text, NULL);
		int ret;

		g_unlink(path);
		besideWrite("secret", text, rows[i].mode);
		why[0] = '\0';
		ret = driver->checkOption("credentials", path, why,
					  sizeof(why));
		g_assert_true(rows[i].why ? ret < 0 : ret == 0);
		if (rows[i].why && !strstr(why, rows[i].why))
			g_error("row %zu: %s", i, why);
		g_free(text);
	}
	g_free(path);
}

static void testChannels(void)
{
	static const struct {
		const char *channel;
		size_t index;
		int ret;
	} rows[] = {
		{ NULL, 0, 0 },      { "1", 0, 0 },
		{ "*", 0, 0 },       { "*", 1, -ENOENT },
		{ "2", 0, -EINVAL }, { "system", 0, -EINVAL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text;

		g_assert_cmpint(softResolve(driver, "", NULL, rows[i].channel,
					    rows[i].index, &text),
				==, rows[i].ret);
		g_free(text);
	}
}

/* ---- Values ------------------------------------------------------------ */

/* All there is, by each kind of session, to the last digit. */
static void testSession(gconstpointer data)
{
	const struct session *session = data;
	struct softDevice soft;

	if (!hasBmc())
		return;
	g_assert_cmpint(
		openDevice(&soft, session, "1 P, 1 Pmin, 1 Pmax, 1 Pavg"), ==,
		0);
	g_assert_cmpstr(soft.columns[0].source, ==, "DCMI");
	g_assert_cmpstr(soft.columns[3].source, ==,
			"DCMI, of the BMC's last 60 s");
	g_assert_cmpstr(soft.columns[0].resolution, ==, "1 W");
	softStart(&soft);
	for (int i = 0; i < 5; i++) {
		int64_t before = hdClockNow();

		g_assert_cmpint(softRead(&soft, 0), ==, 0);
		g_assert_true(softIs(&soft, "150 100 200 145"));
		g_assert_cmpint(soft.reading.endNs, >=, before);
		g_assert_cmpint(soft.reading.endNs, <=, hdClockNow());
		g_assert_cmpint(soft.reading.lengthNs, >, 0);
	}
	setAnswer("reading 65535 0 65535 1 4294967295 4294967295 0xff");
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	g_assert_true(softIs(&soft, "65535 0 65535 1"));
	softClose(&soft);
}

/* ---- Failures ---------------------------------------------------------- */

/* What it answers instead: told once, and the reading is lost, or it is all
 * over. */
static const struct failure {
	const char *name, *answer, *said;
	int ret;
} failures[] = {
	{ "measuring is off", "reading 150 100 200 145 0 60000 0",
	  "ipmi: the BMC has disabled measuring", -EPROTO },
	{ "a short answer", "bytes 00 DC 96 00 64 00 C8 00 91 00 01 02 03 04",
	  "ipmi: invalid power reading of 15 bytes", -EPROTO },
	{ "a long answer",
	  "bytes 00 DC 96 00 64 00 C8 00 91 00 1 2 3 4 10 27 00 00 40 00",
	  "ipmi: invalid power reading of 21 bytes", -EPROTO },
	{ "nothing but a code", "bytes 00",
	  "ipmi: invalid power reading of 2 bytes", -EPROTO },
	{ "another group",
	  "bytes 00 DD 96 00 64 00 C8 00 91 00 01 02 03 04 10 27 00 00 40",
	  "ipmi: invalid power reading of 20 bytes", -EPROTO },
	{ "no DCMI", "nothing",
	  "ipmi: the BMC does not support DCMI (completion code c1)",
	  -ENOTSUP },
	{ "busy", "bytes C0", "ipmi: the BMC is busy", -EPROTO },
	{ "timed out", "bytes C3", "ipmi: the BMC timed out", -EPROTO },
	{ "out of range", "bytes C9", "has no such power reading", -ENOTSUP },
	{ "not present", "bytes CB", "has no power reading", -ENOTSUP },
	{ "invalid data", "bytes CC", "has no such power reading", -ENOTSUP },
	{ "not now", "bytes CE", "cannot answer now", -EPROTO },
	{ "being updated", "bytes D1", "is being updated", -EPROTO },
	{ "starting", "bytes D2", "the BMC is starting", -EPROTO },
	{ "a lack of privilege", "bytes D4", "insufficient privilege level",
	  -EACCES },
	{ "another state", "bytes D5", "in its present state", -EPROTO },
	{ "another code", "bytes FF",
	  "ipmi: the BMC refuses (completion code ff)", -EPROTO },
};

static void testFailure(gconstpointer data)
{
	const struct failure *failure = data;
	struct softDevice soft;
	int ret;

	if (!hasBmc())
		return;
	/* While it is read ... */
	g_assert_cmpint(openDevice(&soft, &sessions[0], "1 P"), ==, 0);
	softStart(&soft);
	setAnswer(failure->answer);
	softSaid("");
	g_assert_cmpint(softRead(&soft, 0), ==, failure->ret);
	if (!softSaid(failure->said))
		g_error("%s is not said", failure->said);
	g_assert_cmpint(softRead(&soft, 0), ==, failure->ret);
	g_assert_true(softIsSilent());
	setAnswer(READING);
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	g_assert_true(softIs(&soft, "150"));
	softClose(&soft);
	/* ... and at the beginning. */
	setAnswer(failure->answer);
	ret = openDevice(&soft, &sessions[0], "1 P");
	g_assert_cmpint(ret, ==, failure->ret);
	g_assert_true(softSaid(failure->said));
}

static const struct refusal {
	const char *name;
	size_t session;
	const char *privilege, *secret;
	int ret;
	const char *said;
} refusals[] = {
	{ "another password", 0, "admin", "user=power\npassword=volts\n",
	  -EACCES, "password" },
	{ "another password, 1.5", 2, "admin", "user=power\npassword=volts\n",
	  -EACCES, "password" },
	{ "an unknown user", 0, "admin", "user=nobody\npassword=watts\n",
	  -EACCES, "username" },
	{ "an unknown user, 1.5", 2, "admin", "user=nobody\npassword=watts\n",
	  -EACCES, "username" },
	{ "a key", 0, "admin", SECRET "key=0123456789\n", -EACCES, "" },
	{ "a lack of privilege", 0, "user", SECRET, -EACCES,
	  "ipmi: insufficient privilege level (completion code d4)" },
	{ "no credentials", 0, "admin", NULL, -EINVAL, "credentials=FILE" },
};

static void testRefusal(gconstpointer data)
{
	const struct refusal *refusal = data;
	struct softDevice soft;
	int ret;

	if (!hasBmc())
		return;
	softSaid("");
	ret = softOpen(&soft, driver, "", MS,
		       optionsWith(&sessions[refusal->session],
				   refusal->privilege, refusal->secret),
		       "1 P");
	if (ret != refusal->ret || !softSaid(refusal->said)) {
		softSaid("what went wrong");
		g_error("%s: %d", refusal->name, ret);
	}
}

/* What is listed without the library, as of before it was loaded. */
static char *listed;

/* Nobody there, no such host, no such device, and no library. */
static void testNobody(void)
{
	struct softDevice soft;
	const char *const *options = optionsWith(&sessions[0], "admin", SECRET);

	g_assert_true(strstr(listed, "--: FreeIPMI: cannot open: ") ||
		      strstr(listed, "--: libPT was built without IPMI"));
	g_assert_true(strstr(listed, "apt-get install libfreeipmi") ||
		      strstr(listed, "(on Debian: libfreeipmi-dev)"));
	if (!hasLibrary)
		return;
	setPort(besidePort());
	softSaid("");
	g_assert_cmpint(softOpen(&soft, driver, "", MS, options, "1 P"), ==,
			-ETIMEDOUT);
	g_assert_true(softSaid("ipmi: 127.0.0.1:"));
	softAddress = "ipmi://no.such.host.invalid";
	g_assert_cmpint(softOpen(&soft, driver, "", MS, options, "1 P"), <, 0);
	g_assert_true(softSaid("ipmi: no.such.host.invalid: "));
	softAddress = NULL;
	g_assert_cmpint(
		softOpen(&soft, driver, "/no/such/root", MS, NULL, "1 P"), <,
		0);
	g_assert_true(softSaid("ipmi: /no/such/root/dev/ipmi0: "));
}

/* It is gone for a while: that is told, and it can be opened again. */
static void testGone(gconstpointer data)
{
	const struct session *session = data;
	struct softDevice soft;

	if (!hasBmc())
		return;
	g_assert_cmpint(openDevice(&soft, session, "1 P"), ==, 0);
	softStart(&soft);
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	processEnd(&bmc);
	softSaid("");
	g_assert_cmpint(softRead(&soft, 0), ==, -ENODEV);
	g_assert_true(softSaid("ipmi: 127.0.0.1:"));
	softClose(&soft);
	bmcStart();
	/* The old session is unknown to it. */
	g_assert_cmpint(openDevice(&soft, session, "1 P"), ==, 0);
	softStart(&soft);
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	softClose(&soft);
}

/* Who waits is woken up. */
static void testWake(void)
{
	int pipes[2];
	struct softDevice soft;

	if (!hasBmc())
		return;
	g_assert_cmpint(pipe(pipes), ==, 0);
	g_assert_cmpint(openDevice(&soft, &sessions[0], "1 P"), ==, 0);
	soft.dev.setup.wakeFd = pipes[0];
	soft.dev.setup.cycleNs = 3600 * SECOND;
	softStart(&soft);
	g_assert_cmpint(write(pipes[1], "x", 1), ==, 1);
	g_assert_cmpint(softRead(&soft, 0), ==, -EINTR);
	softClose(&soft);
	close(pipes[0]);
	close(pipes[1]);
}

/* Requests and answers get lost, come twice, or late; and each answer is
 * damaged in another place, with the right one behind it. Sessions may end by
 * that; what is read is right. */
static void testWay(gconstpointer data)
{
	static const char *const scripts[] = {
		("cycle 20: silent\nreply 24: silent\nreply 26-28: again\n"
		 "reply 30: slow 300\ncycle 34: again\n"),
		"lose %d 9999",
		"double %d 3",
		"insert %d FF",
	};
	const struct session *session = data;
	struct process proxy;
	struct softDevice soft;

	if (!hasBmc())
		return;
	for (size_t s = 0; s < G_N_ELEMENTS(scripts); s++) {
		GString *script = g_string_new(s == 0 ? scripts[0] : NULL);
		int good = 0;

		/* In between a session can be opened. */
		for (int i = 0; s > 0 && i < 25; i++) {
			g_string_append_printf(script,
					       "reply %d: ", 20 + 16 * i);
			g_string_append_printf(script, scripts[s], 4 * i);
			g_string_append_c(script, '\n');
		}
		setPort(besideProxy(&proxy, bmcPort, script->str, s > 0));
		g_assert_cmpint(openDevice(&soft, session, "1 P, 1 Pavg"), ==,
				0);
		softStart(&soft);
		for (int i = 0; i < 400; i++) {
			int ret = softRead(&soft, 0);

			if (ret == 0)
				g_assert_true(softIs(&soft, "150 145"));
			good += ret == 0;
			if (ret == 0 || ret == -EPROTO)
				continue;
			softClose(&soft);
			g_assert_cmpint(
				openDevice(&soft, session, "1 P, 1 Pavg"), ==,
				0);
			softStart(&soft);
		}
		g_test_message("%s, %s: %d good", session->name, scripts[s],
			       good);
		g_assert_cmpint(good, >=, 370);
		softClose(&soft);
		g_assert_cmpint(processEnd(&proxy), ==, 0);
		g_string_free(script, TRUE);
	}
}

/* ---- The kernel's driver ----------------------------------------------- */

/* What it answers: completion code and data; the number of bytes. */
static unsigned char kernelAnswer[64];
static unsigned short kernelSize;
static long kernelId;
static unsigned char kernelRequest[8];

static int kernelSend(int fd, const struct ipmi_req *request)
{
	memset(kernelRequest, 0, sizeof(kernelRequest));
	kernelRequest[0] = request->msg.netfn;
	kernelRequest[1] = request->msg.cmd;
	memcpy(kernelRequest + 2, request->msg.data,
	       MIN(request->msg.data_len, sizeof(kernelRequest) - 2));
	kernelId = request->msgid;
	/* The descriptor becomes readable, if there is an answer. */
	return kernelSize == 0 || write(fd, "x", 1) == 1 ? 0 : -1;
}

static int kernelReceive(int fd, struct ipmi_recv *answer)
{
	struct ipmi_system_interface_addr from = {
		.addr_type = IPMI_SYSTEM_INTERFACE_ADDR_TYPE,
		.channel = IPMI_BMC_CHANNEL,
	};
	char byte;

	if (read(fd, &byte, 1) != 1 || answer->addr_len < sizeof(from) ||
	    answer->msg.data_len < kernelSize) {
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(answer->addr, &from, sizeof(from));
	answer->addr_len = sizeof(from);
	answer->recv_type = IPMI_RESPONSE_RECV_TYPE;
	answer->msgid = kernelId;
	answer->msg.netfn = kernelRequest[0] | 1;
	answer->msg.cmd = kernelRequest[1];
	answer->msg.data_len = kernelSize;
	memcpy(answer->msg.data, kernelAnswer, kernelSize);
	return 0;
}

/* FreeIPMI finds this instead of the C library's. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	switch (request) {
	case IPMICTL_SET_MY_ADDRESS_CMD:
	case IPMICTL_SET_GETS_EVENTS_CMD:
		return 0;
	case IPMICTL_SEND_COMMAND:
		return kernelSend(fd, argument);
	case IPMICTL_RECEIVE_MSG:
	case IPMICTL_RECEIVE_MSG_TRUNC:
		return kernelReceive(fd, argument);
	default:
		return (int)syscall(SYS_ioctl, fd, request, argument);
	}
}

static void setKernelAnswer(const void *bytes, size_t size)
{
	memcpy(kernelAnswer, bytes, size);
	kernelSize = (unsigned short)size;
}

/* This machine's BMC: a FIFO is the device, and ioctl() that of above. */
static void testHere(void)
{
	static const unsigned char reading[] = {
		0x00, 0xdc, 0x2d, 0x01, 0x0a, 0x00, 0xff, 0xff, 0x2c, 0x01,
		0x01, 0x02, 0x03, 0x04, 0xe8, 0x03, 0x00, 0x00, 0x40,
	};
	char *root = besidePath("root"), *dev = besidePath("root/dev"),
	     *path = besidePath("root/dev/ipmi0"), *list;
	struct softDevice soft;

	if (!hasLibrary) {
		g_test_skip("FreeIPMI is missing (Debian: libfreeipmi-dev)");
		return;
	}
	softAddress = NULL;
	g_assert_cmpint(g_mkdir(root, 0700), ==, 0);
	g_assert_cmpint(g_mkdir(dev, 0700), ==, 0);
	list = softList(driver, root, NULL);
	g_assert_nonnull(strstr(list, "no /dev/ipmi0; load the modules"));
	g_free(list);
	g_assert_cmpint(mkfifo(path, 0600), ==, 0);
	list = softList(driver, root, NULL);
	g_assert_cmpstr(list, ==, "+1: /dev/ipmi0\n");
	g_free(list);
	setKernelAnswer(reading, sizeof(reading));
	softSaid("");
	g_assert_cmpint(softOpen(&soft, driver, root, MS, NULL,
				 "1 P, 1 Pmin, 1 Pmax, 1 Pavg"),
			==, 0);
	g_assert_cmpint(memcmp(kernelRequest, "\x2c\x02\xdc\x01\0\0\0\0", 8),
			==, 0);
	g_assert_cmpstr(soft.columns[1].source, ==,
			"DCMI, of the BMC's last 1 s");
	softStart(&soft);
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	g_assert_true(softIs(&soft, "301 10 65535 300"));
	setKernelAnswer(reading, 8);
	g_assert_cmpint(softRead(&soft, 0), ==, -EPROTO);
	g_assert_true(softSaid("ipmi: invalid power reading of 9 bytes"));
	setKernelAnswer("\xc1", 1);
	g_assert_cmpint(softRead(&soft, 0), ==, -ENOTSUP);
	softClose(&soft);
	g_free(path);
	g_free(dev);
	g_free(root);
}

/* ---- All ---------------------------------------------------------------- */

static void findAll(void)
{
	static const char *const none[] = { "library", "/no/such/library",
					    NULL };
	char *list;

	listed = softList(driver, "", none);
	list = softList(driver, "", NULL);
	hasLibrary = !strstr(list, "FreeIPMI: cannot open") &&
		     !strstr(list, "without IPMI");
	g_free(list);
	simulator = besideFind("ipmi_sim");
	module = g_build_filename(g_getenv("abs_top_builddir"), "tests", "sim",
				  "dcmi-module.so", NULL);
	if (hasLibrary && simulator &&
	    g_file_test(module, G_FILE_TEST_EXISTS)) {
		bmcPort = besidePort();
		setAnswer(READING);
		bmcStart();
	}
}

int main(int argc, char **argv)
{
	int result;

	g_test_init(&argc, &argv, NULL);
	softListen();
	besideStart("ipmi");
	findAll();
	g_test_add_func("/ipmi/addresses", testAddresses);
	g_test_add_func("/ipmi/options", testOptions);
	g_test_add_func("/ipmi/secrets", testSecrets);
	g_test_add_func("/ipmi/channels", testChannels);
	for (size_t i = 0; i < G_N_ELEMENTS(sessions); i++)
		besideAdd("/ipmi/session", sessions[i].name, &sessions[i],
			  testSession);
	for (size_t i = 0; i < G_N_ELEMENTS(failures); i++)
		besideAdd("/ipmi/failure", failures[i].name, &failures[i],
			  testFailure);
	for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++)
		besideAdd("/ipmi/refusal", refusals[i].name, &refusals[i],
			  testRefusal);
	g_test_add_func("/ipmi/nobody", testNobody);
	g_test_add_func("/ipmi/wake", testWake);
	for (size_t i = 0; i < G_N_ELEMENTS(sessions); i += 2) {
		besideAdd("/ipmi/gone", sessions[i].name, &sessions[i],
			  testGone);
		besideAdd("/ipmi/way", sessions[i].name, &sessions[i], testWay);
	}
	g_test_add_func("/ipmi/here", testHere);
	result = g_test_run();
	if (bmc.pid)
		processEnd(&bmc);
	besideEnd();
	g_free(address);
	g_free(listed);
	g_free(simulator);
	g_free(module);
	return result;
}
