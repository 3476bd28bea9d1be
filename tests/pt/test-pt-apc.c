/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: waits */
/*
 * The driver apc: with a real agent of SNMP (snmpd) that has a rack PDU's
 * objects from a table, in each version, directly and by a way on which
 * datagrams get lost and damaged.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "common/clock.h"
#include "tests/pt/beside.h"
#include "tests/pt/softdriver.h"

#define RPDU2 ".1.3.6.1.4.1.318.1.1.26"
#define POWER RPDU2 ".9.4.3.1.7"
#define SHA_AES                                                 \
	"user=usr1\nauth=SHA\nauthpass=authpass123\npriv=AES\n" \
	"privpass=privpass123\n"

extern const struct ptDriver ptApcDriver;

static const struct ptDriver *const driver = &ptApcDriver;
static char *snmpd; /* Where it is, or NULL. */

/* ---- A rack PDU -------------------------------------------------------- */

/* Its objects; each is a line of the table. */
static GHashTable *objects;

static void setObject(const char *name, const char *value)
{
	if (value)
		g_hash_table_replace(objects, g_strdup(name), g_strdup(value));
	else
		g_hash_table_remove(objects, name);
}

static void setOutlet(const char *column, int outlet, const char *value)
{
	char *name = g_strdup_printf("%s.%d", column, outlet);

	setObject(name, value);
	g_free(name);
}

/* Write the table; what begins with '!' is no object. */
static void writeTable(const char *more)
{
	GString *text = g_string_new(more);
	GHashTableIter iter;
	gpointer name, value;

	g_hash_table_iter_init(&iter, objects);
	while (g_hash_table_iter_next(&iter, &name, &value))
		g_string_append_printf(text, "%s %s\n", (char *)name,
				       (char *)value);
	besideWrite("table", text->str, 0600);
	g_string_free(text, TRUE);
}

/* An AP8653 with 24 outlets: outlet N draws N * 10 + 8 W. */
static void makePdu(void)
{
	g_hash_table_remove_all(objects);
	setObject(RPDU2 ".2.1.8.1", "string AP8653");
	setObject(RPDU2 ".4.2.1.4.1", "integer 24");
	setObject(RPDU2 ".4.3.1.5.1", "integer 319");
	setObject(RPDU2 ".4.3.1.6.1", "gauge 512");
	setObject(RPDU2 ".4.3.1.9.1", "integer 123456");
	setObject(RPDU2 ".4.3.1.16.1", "integer 327");
	setObject(RPDU2 ".4.3.1.17.1", "integer 97");
	for (int i = 1; i <= 24; i++) {
		char *text = g_strdup_printf("integer %d8", i);

		setOutlet(POWER, i, text);
		setOutlet(RPDU2 ".9.4.3.1.8", i, "integer 1500");
		g_free(text);
		text = g_strdup_printf("integer %d", i);
		setOutlet(RPDU2 ".9.4.3.1.6", i, text);
		g_free(text);
		text = g_strdup_printf("counter %d", 1000 * i + 7);
		setOutlet(RPDU2 ".9.4.3.1.11", i, text);
		g_free(text);
		text = g_strdup_printf("string node%02d", i);
		setOutlet(RPDU2 ".9.4.3.1.3", i, text);
		g_free(text);
		setOutlet(RPDU2 ".9.2.3.1.5", i,
			  i == 3 ? "integer 1" : "integer 2");
	}
	writeTable("");
}

/* ---- The agent --------------------------------------------------------- */

static struct process agent;
static int agentPort;

/* Whether it listens; what it says is in its log. */
static gboolean agentIsReady(void)
{
	char *path = besidePath("snmpd.log"), *log = NULL;
	gboolean is = g_file_get_contents(path, &log, NULL, NULL) &&
		      strstr(log, "NET-SNMP version");

	g_free(path);
	g_free(log);
	return is;
}

static void agentConfigure(void)
{
	char *pdu = g_build_filename(g_getenv("abs_top_builddir"), "tests",
				     "sim", "apc-pdu", NULL);
	char *table = besidePath("table");
	char *text = g_strdup_printf(
		"agentaddress udp:127.0.0.1:%d\n"
		"rocommunity public\nrocommunity \"a word\"\n"
		"createUser usr1 SHA authpass123 AES privpass123\n"
		"createUser usr2 SHA-256 authpass123 AES privpass123\n"
		"createUser usr3 MD5 authpass123\n"
		"rouser usr1 priv\nrouser usr2 priv\nrouser usr3 auth\n"
		"pass_persist .1.3.6.1.4.1.318 %s %s\n",
		agentPort, pdu, table);

	besideWrite("agent.conf", text, 0600);
	g_free(text);
	g_free(table);
	g_free(pdu);
}

/* Wait until it listens; FALSE: somebody took the port. */
static gboolean agentIsUp(void)
{
	for (int i = 0; !agentIsReady(); i++) {
		g_assert_cmpint(i, <, 100 * PROCESS_PATIENCE_S);
		if (processHasEnded(&agent))
			return FALSE;
		g_usleep(10000);
	}
	return TRUE;
}

static void agentStart(void)
{
	char *log = besidePath("snmpd.log"), *conf = besidePath("agent.conf");
	char *state = besidePath("state"); /* What it remembers: who it is. */
	const char *arguments[] = { snmpd, "-f",  "-r", "-c",
				    conf,  "-Lf", log,  NULL };
	const char *environment[] = { "SNMP_PERSISTENT_DIR",
				      state,
				      "SNMPCONFPATH",
				      state,
				      "MIBS",
				      "",
				      NULL };

	g_mkdir(state, 0700);
	for (;;) {
		agentConfigure();
		g_unlink(log);
		processStart(&agent, arguments, environment);
		if (agentIsUp())
			break;
		agentPort = besidePort();
	}
	g_free(log);
	g_free(conf);
	g_free(state);
}

/* ---- A device ---------------------------------------------------------- */

static char *address;

static void setPort(int port)
{
	g_free(address);
	address = g_strdup_printf("snmp://127.0.0.1:%d", port);
	softAddress = address;
}

/* Options with a file of credentials that has this; NULL: none. */
static const char *const *optionsWith(const char *version, const char *secret)
{
	static const char *options[5];
	static char *path;
	size_t used = 0;

	g_free(path);
	path = besidePath("credentials");
	if (version) {
		options[used++] = "version";
		options[used++] = version;
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
static int openDevice(struct softDevice *soft, const char *const *options,
		      const char *wanted)
{
	int ret = -ETIMEDOUT;

	for (int i = 0; i < 10 && ret == -ETIMEDOUT; i++) {
		softSaid("");
		ret = softOpen(soft, driver, "", MS, options, wanted);
	}
	return ret;
}

/* A reading, however often an answer is late. */
static int readDevice(struct softDevice *soft)
{
	int ret = -ETIMEDOUT;

	for (int i = 0; i < 10 && ret == -ETIMEDOUT; i++)
		ret = softRead(soft, 0);
	return ret;
}

static gboolean hasAgent(void)
{
	if (!snmpd) {
		g_test_skip("snmpd is missing (Debian: snmpd)");
		return FALSE;
	}
	makePdu();
	setPort(agentPort);
	return TRUE;
}

/* ---- Configuration ----------------------------------------------------- */

static void testAddresses(void)
{
	static const struct {
		const char *address;
		int ret;
	} rows[] = {
		{ "snmp://pdu", 0 },
		{ "snmp://pdu:1161", 0 },
		{ "snmp://[::1]:161", 0 },
		{ "snmp://::1", 0 },
		{ NULL, -EINVAL },
		{ "", -EINVAL },
		{ "pdu", -EINVAL },
		{ "/dev/ttyUSB0", -EINVAL },
		{ "tcp://pdu:161", -EINVAL },
		{ "snmp://", -EINVAL },
		{ "snmp://:161", -EINVAL },
		{ "snmp://pdu:0", -EINVAL },
		{ "snmp://pdu:x", -EINVAL },
		{ "snmp://public@pdu", -EINVAL },
	};
	char why[200];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_test_message("%s", rows[i].address);
		g_assert_cmpint(
			driver->checkAddress(rows[i].address, why, sizeof(why)),
			==, rows[i].ret);
		if (rows[i].ret)
			g_assert_nonnull(strstr(
				why,
				"invalid device; expected snmp://HOST[:PORT]"));
	}
	g_assert_nonnull(strstr(why, "credentials="));
}

static void testChannels(void)
{
	static const char *const eight[] = { "outlets", "8", NULL };
	static const struct {
		const char *channel;
		size_t index;
		const char *const *options;
		int ret;
		const char *label;
	} rows[] = {
		{ "device", 0, NULL, 0, "device" },
		{ "device", 1, NULL, -ENOENT, NULL },
		{ "1", 0, NULL, 0, "1" },
		{ "96", 0, eight, 0, "96" },
		{ "97", 0, NULL, -EINVAL, NULL },
		{ "0", 0, NULL, -EINVAL, NULL },
		{ NULL, 0, NULL, -EINVAL, NULL },
		{ "*", 23, NULL, 0, "24" },
		{ "*", 24, NULL, -ENOENT, NULL },
		{ "*", 7, eight, 0, "8" },
		{ "*", 8, eight, -ENOENT, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text;

		g_assert_cmpint(softResolve(driver, "", rows[i].options,
					    rows[i].channel, rows[i].index,
					    &text),
				==, rows[i].ret);
		if (rows[i].label)
			g_assert_cmpstr(text, ==, rows[i].label);
		if (rows[i].ret == -EINVAL)
			g_assert_cmpstr(text, ==,
					"unknown input; expected device or "
					"outlets 1 to 96");
		g_free(text);
	}
}

/* What is listed without the library, as of before it was loaded. */
static char *listed;

/* Whether libPT was built with net-snmp; names of protocols are its own. */
static gboolean isBuilt(void)
{
	return !strstr(listed, "built without SNMP");
}

/* Files of credentials: what they may have, and who may read them. */
static void testSecrets(void)
{
	static const struct {
		const char *text;
		int mode;
		const char *why; /* NULL: it is good. */
	} rows[] = {
		{ "[Credentials]\ncommunity=public\n", 0600, NULL },
		{ "[Credentials]\n" SHA_AES, 0640, NULL },
		{ "# only a name\n[Credentials]\nuser=me\n", 0400, NULL },
		{ "[Credentials]\nuser=me\n", 0604,
		  "mode 604); run chmod 600" },
		{ "[Credentials]\nuser=me\n", 0660, "other users have access" },
		{ "", 0600, "line 1: missing section [Credentials]" },
		{ "user=me\n", 0600, "line 1: key before the first" },
		{ "[SNMP]\nuser=me\n", 0600,
		  "line 1: unknown section; expected [Credentials]" },
		{ "[Credentials]\nuser=me\n[Credentials]\n", 0600,
		  "line 3: unknown section" },
		{ "[Credentials]\npassword=secret\n", 0600,
		  "line 2: password: unknown key" },
		{ "[Credentials]\nuser=\n", 0600, "line 2: user is empty" },
		{ "[Credentials]\nauth=SHA\n", 0600,
		  "missing user or community" },
		{ "[Credentials]\nuser=me\nauth=ROT13\n", 0600,
		  "auth: expected SHA, SHA-224, SHA-256, SHA-384, SHA-512 or "
		  "MD5" },
		{ "[Credentials]\nuser=me\npriv=XOR\n", 0600,
		  "priv: expected AES or DES" },
		{ "[Credentials]\nuser=me\nprivpass=12345678\n", 0600,
		  "privpass: requires authpass" },
	};
	char *path = besidePath("secret"), why[200];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int ret;

		g_test_message("row %zu", i);
		if (!isBuilt() && rows[i].why &&
		    (g_str_has_prefix(rows[i].why, "auth is") ||
		     g_str_has_prefix(rows[i].why, "priv is")))
			continue;
		g_unlink(path);
		besideWrite("secret", rows[i].text, rows[i].mode);
		why[0] = '\0';
		ret = driver->checkOption("credentials", path, why,
					  sizeof(why));
		g_assert_true(rows[i].why ? ret < 0 : ret == 0);
		if (rows[i].why && !strstr(why, rows[i].why))
			g_error("row %zu: %s", i, why);
	}
	g_unlink(path);
	g_assert_cmpint(
		driver->checkOption("credentials", path, why, sizeof(why)), ==,
		-ENOENT);
	g_assert_cmpint(
		driver->checkOption("credentials", "/", why, sizeof(why)), ==,
		-EINVAL);
	g_assert_nonnull(strstr(why, "not a regular file of at most"));
	g_assert_cmpint(driver->checkOption("version", "2c", why, 200), ==, 0);
	g_assert_cmpint(driver->checkOption("version", "2", why, 200), ==,
			-EINVAL);
	g_assert_cmpint(driver->checkOption("outlets", "24", why, 200), ==, 0);
	g_assert_cmpint(driver->checkOption("outlets", "0", why, 200), ==,
			-EINVAL);
	g_free(path);
}

/* ---- Values ------------------------------------------------------------ */

static const struct version {
	const char *name, *version, *secret;
} versions[] = {
	{ "1", "1", NULL },
	{ "2c", NULL, NULL },
	{ "2c, another community", "2c", "community=a word\n" },
	{ "3, SHA and AES", NULL, SHA_AES },
	{ "3, SHA-256 and AES", "3",
	  "user=usr2\nauth=SHA-256\nauthpass=authpass123\n"
	  "privpass=privpass123\n" },
	{ "3, MD5", "3", "user=usr3\nauth=MD5\nauthpass=authpass123\n" },
};

/* All there is, in each version, to the last digit. */
static void testVersion(gconstpointer data)
{
	const struct version *version = data;
	struct softDevice soft;

	if (!hasAgent())
		return;
	g_assert_cmpint(
		openDevice(&soft,
			   optionsWith(version->version, version->secret),
			   "device P, device Ppeak, device S, device PF, "
			   "device EP, 1 P, 24 P, 3 Ppeak, 7 I, 2 EP, 3 On, "
			   "4 On"),
		==, 0);
	g_assert_true(g_str_has_prefix(soft.dev.found.identity, "AP8653, "));
	g_assert_cmpuint(soft.dev.found.channels, ==, 25);
	g_assert_cmpstr(soft.dev.found.names[1], ==, "node01");
	g_assert_cmpstr(soft.dev.found.names[24], ==, "node24");
	g_assert_null(soft.dev.found.names[0]);
	g_assert_cmpstr(soft.columns[0].source, ==, soft.dev.found.identity);
	softStart(&soft);
	for (int i = 0; i < 5; i++) {
		int64_t before = hdClockNow();

		g_assert_cmpint(readDevice(&soft), ==, 0);
		g_assert_true(softIs(&soft, "3190 5120 3270 0.97 12345600 18 "
					    "248 1500 0.7 200700 0 1"));
		g_assert_cmpint(soft.reading.endNs, >=, before);
		g_assert_cmpint(soft.reading.endNs, <=, hdClockNow());
		g_assert_cmpint(soft.reading.lengthNs, >, 0);
	}
	softClose(&soft);
}

/* All outlets in one request; and more than fit into one. */
static void testMany(void)
{
	GString *wanted, *values;
	struct softDevice soft;

	if (!hasAgent())
		return;
	wanted = g_string_new(NULL);
	values = g_string_new(NULL);
	for (int i = 1; i <= 24; i++) {
		g_string_append_printf(wanted, "%d P, %d I, %d EP, %d On, ", i,
				       i, i, i);
		g_string_append_printf(values, "%s%d8 %g %d %d",
				       i > 1 ? " " : "", i, i / 10.0,
				       100000 * i + 700, i != 3);
	}
	g_assert_cmpint(openDevice(&soft, NULL, wanted->str), ==, 0);
	softStart(&soft);
	g_assert_cmpint(readDevice(&soft), ==, 0);
	g_assert_true(softIs(&soft, values->str));
	softClose(&soft);
	g_string_free(wanted, TRUE);
	g_string_free(values, TRUE);
}

/* ---- Failures ---------------------------------------------------------- */

static const struct refusal {
	const char *name;
	const char *object, *value; /* Of the table. */
	const char *wanted;
	const char *version, *secret;
	int ret;
	const char *said;
} refusals[] = {
	{ "not measured", POWER ".2", "integer -1", "1 P, 2 P", NULL, NULL,
	  -ENOTSUP, "apc: outlet 2, P: the device does not measure it" },
	{ "an empty text", POWER ".2", "string ", "2 P", NULL, NULL, -ENOTSUP,
	  "the device does not measure it" },
	{ "a text", POWER ".2", "string 58", "2 P", NULL, NULL, -EPROTO,
	  "apc: outlet 2, P: unknown value" },
	{ "a negative number", POWER ".2", "integer -2", "2 P", NULL, NULL,
	  -EPROTO, "unknown value" },
	{ "too much", POWER ".2", "integer 100001", "2 P", NULL, NULL, -EPROTO,
	  "unknown value" },
	{ "the highest number", POWER ".2", "gauge 4294967295", "2 P", NULL,
	  NULL, -EPROTO, "unknown value" },
	{ "a name", POWER ".2", "objectid .1.3.6.1", "2 P", NULL, NULL, -EPROTO,
	  "unknown value" },
	{ "an address", POWER ".2", "ipaddress 127.0.0.1", "2 P", NULL, NULL,
	  -EPROTO, "unknown value" },
	{ "no such outlet", NULL, NULL, "1 P, 25 P", NULL, NULL, -ENOENT,
	  "apc: outlet 25, P: unknown outlet; the device has 24 (for input=*, "
	  "set outlets=24)" },
	{ "no such outlet, version 1", NULL, NULL, "1 P, 25 P", "1", NULL,
	  -ENOENT, "apc: outlet 25, P: unknown outlet" },
	{ "no device power", RPDU2 ".4.3.1.5.1", NULL, "device P", NULL, NULL,
	  -ENOENT, "apc: device, P: unknown outlet" },
	{ "a current of the device", NULL, NULL, "device I", NULL, NULL,
	  -EINVAL, "apc: device has no I" },
	{ "a power factor of an outlet", NULL, NULL, "1 PF", NULL, NULL,
	  -EINVAL, "apc: outlet 1 has no PF" },
	{ "another device", RPDU2 ".4.2.1.4.1", NULL, "1 P", NULL, NULL, -ENXIO,
	  "not a rack PDU of the second generation (rPDU2): AP8653, " },
	{ "another device, version 1", RPDU2 ".4.2.1.4.1", NULL, "1 P", "1",
	  NULL, -ENXIO, "not a rack PDU of the second generation" },
	{ "another community", NULL, NULL, "1 P", "2c", "community=private\n",
	  -ETIMEDOUT, "does it speak SNMP version 2, to this community?" },
	{ "an unknown user", NULL, NULL, "1 P", NULL, "user=nobody\n", -EACCES,
	  "Unknown user name" },
	{ "another password", NULL, NULL, "1 P", NULL,
	  "user=usr1\nauthpass=authpass124\nprivpass=privpass123\n", -EACCES,
	  "Authentication failure" },
	{ "another protocol", NULL, NULL, "1 P", NULL,
	  "user=usr1\nauth=MD5\nauthpass=authpass123\nprivpass=privpass123\n",
	  -EACCES, "Authentication failure" },
	{ "another key", NULL, NULL, "1 P", NULL,
	  "user=usr1\nauthpass=authpass123\nprivpass=privpass124\n", -ETIMEDOUT,
	  "does it speak SNMP version 3, with these keys?" },
	{ "a short password", NULL, NULL, "1 P", NULL,
	  "user=usr1\nauthpass=short\n", -EINVAL,
	  "a password is shorter than 8 characters" },
	{ "version 3 without user", NULL, NULL, "1 P", "3",
	  "community=public\n", -EINVAL, "version 3 requires a user" },
};

static void testRefusal(gconstpointer data)
{
	const struct refusal *refusal = data;
	struct softDevice soft;
	int ret;

	if (!hasAgent())
		return;
	if (refusal->object) {
		setObject(refusal->object, refusal->value);
		writeTable("");
	}
	softSaid("");
	ret = softOpen(&soft, driver, "", MS,
		       optionsWith(refusal->version, refusal->secret),
		       refusal->wanted);
	/* A busy machine may be late; but then not forever. */
	for (int i = 0;
	     i < 10 && ret == -ETIMEDOUT && refusal->ret != -ETIMEDOUT; i++)
		ret = softOpen(&soft, driver, "", MS,
			       optionsWith(refusal->version, refusal->secret),
			       refusal->wanted);
	if (ret != refusal->ret || !softSaid(refusal->said)) {
		softSaid("what went wrong");
		g_error("%s: %d", refusal->name, ret);
	}
}

/* Nobody there, no such host, and no library. */
static void testNobody(void)
{
	struct softDevice soft;

	g_assert_true(strstr(listed, "--: net-snmp: cannot open: ") ||
		      strstr(listed, "--: libPT was built without SNMP"));
	g_assert_true(strstr(listed, "apt-get install libsnmp") ||
		      strstr(listed, "(on Debian: libsnmp-dev)"));
	setPort(besidePort());
	softSaid("");
	if (!snmpd)
		return;
	g_assert_cmpint(softOpen(&soft, driver, "", MS, NULL, "1 P"), ==,
			-ETIMEDOUT);
	g_assert_true(softSaid("apc: no answer from udp:127.0.0.1:"));
	softAddress = "snmp://no.such.host.invalid";
	g_assert_cmpint(softOpen(&soft, driver, "", MS, NULL, "1 P"), <, 0);
	g_assert_true(softSaid("apc: no.such.host.invalid: "));
}

/* What it has no value for is NaN, and told once; others go on. */
static void testBadValues(void)
{
	struct softDevice soft;

	if (!hasAgent())
		return;
	g_assert_cmpint(openDevice(&soft, NULL, "1 P, 2 P"), ==, 0);
	softStart(&soft);
	g_assert_cmpint(readDevice(&soft), ==, 0);
	setObject(POWER ".2", "integer -1");
	writeTable("");
	softSaid("");
	for (int i = 0; i < 3; i++) {
		g_assert_cmpint(readDevice(&soft), ==, 0);
		g_assert_true(softIs(&soft, "18 NaN"));
		if (i == 0)
			g_assert_true(softSaid("outlet 2, P: the device does "
					       "not measure it"));
	}
	g_assert_true(softIsSilent());
	/* Not one is left. */
	setObject(POWER ".1", NULL);
	writeTable("");
	g_assert_cmpint(readDevice(&soft), ==, -EPROTO);
	g_assert_true(softSaid("outlet 1, P: unknown outlet"));
	makePdu();
	g_assert_cmpint(readDevice(&soft), ==, 0);
	g_assert_true(softIs(&soft, "18 28"));
	softClose(&soft);
}

/* It is slow, or gone for a while: told, and when it is back all goes on. */
static void testGone(gconstpointer data)
{
	const struct version *version = data;
	struct softDevice soft;

	if (!hasAgent())
		return;
	g_assert_cmpint(
		openDevice(&soft,
			   optionsWith(version->version, version->secret),
			   "1 P"),
		==, 0);
	softStart(&soft);
	g_assert_cmpint(readDevice(&soft), ==, 0);
	writeTable("sleep 2500\n");
	softSaid("");
	g_assert_cmpint(softRead(&soft, 0), ==, -ETIMEDOUT);
	g_assert_true(softSaid("apc: no answer from udp:127.0.0.1:"));
	makePdu();
	g_assert_cmpint(readDevice(&soft), ==, 0);
	g_assert_cmpuint(soft.reading.lost, >, 100);
	processEnd(&agent);
	g_assert_cmpint(softRead(&soft, 0), ==, -ETIMEDOUT);
	g_assert_cmpint(softRead(&soft, 0), ==, -ETIMEDOUT);
	setObject(POWER ".1", "integer 77");
	writeTable("");
	agentStart();
	g_assert_cmpint(readDevice(&soft), ==, 0);
	g_assert_true(softIs(&soft, "77"));
	softClose(&soft);
}

/* Who waits is woken up, before the question and while it waits. */
static void testWake(void)
{
	int pipes[2];
	struct softDevice soft;

	if (!hasAgent())
		return;
	g_assert_cmpint(pipe(pipes), ==, 0);
	g_assert_cmpint(openDevice(&soft, NULL, "1 P"), ==, 0);
	soft.dev.setup.wakeFd = pipes[0];
	soft.dev.setup.cycleNs = 3600 * SECOND;
	softStart(&soft);
	g_assert_cmpint(write(pipes[1], "x", 1), ==, 1);
	g_assert_cmpint(softRead(&soft, 0), ==, -EINTR);
	softClose(&soft);
	close(pipes[0]);
	close(pipes[1]);
}

/* ---- A bad way --------------------------------------------------------- */

static void proxyStart(struct process *proxy, const char *script, gboolean both)
{
	setPort(besideProxy(proxy, agentPort, script, both));
}

/* Requests and answers get lost, come twice, late, or in another order. */
static void testLosses(gconstpointer data)
{
	const struct version *version = data;
	struct process proxy;
	struct softDevice soft;

	if (!hasAgent())
		return;
	proxyStart(&proxy,
		   "cycle 9: silent\nreply 11: silent\nreply 12-14: again\n"
		   "reply 15: slow 400\nreply 17: swap\n"
		   "cycle 22: again\ncycle 24: silent\ncycle 25: silent\n"
		   "cycle 26: silent\ncycle 27: silent\n",
		   FALSE);
	g_assert_cmpint(
		openDevice(&soft,
			   optionsWith(version->version, version->secret),
			   "1 P, 24 P"),
		==, 0);
	softStart(&soft);
	for (int i = 0; i < 25; i++) {
		g_assert_cmpint(readDevice(&soft), ==, 0);
		g_assert_true(softIs(&soft, "18 248"));
	}
	softClose(&soft);
	g_assert_cmpint(processEnd(&proxy), ==, 0);
}

/* Each answer is damaged in another place, cut off, or longer; the right one
 * comes behind it. No damaged one is believed. What got longer can look right
 * if there is nothing but lengths to tell: only version 3 has a checksum of its
 * own beside that of UDP. */
static void testDamage(gconstpointer data)
{
	const struct version *version = data;
	static const char *const damages[] = {
		"lose %d 9999",
		"lose %d",
		"double %d 3",
		"insert %d FF",
	};

	if (!hasAgent())
		return;
	for (size_t d = 0; d < (version->secret ? 4 : 2); d++) {
		GString *script = g_string_new(NULL);
		struct process proxy;
		struct softDevice soft;
		const int first = 20, count = 260;

		for (int i = 0; i < count; i++) {
			g_string_append_printf(script, "reply %d: ", first + i);
			g_string_append_printf(script, damages[d], i);
			g_string_append_c(script, '\n');
		}
		proxyStart(&proxy, script->str, TRUE);
		g_assert_cmpint(openDevice(&soft,
					   optionsWith(version->version,
						       version->secret),
					   "1 P, 2 P, 24 P"),
				==, 0);
		softStart(&soft);
		for (int i = 0; i < first + count; i++) {
			g_assert_cmpint(readDevice(&soft), ==, 0);
			if (!softIs(&soft, "18 28 248"))
				g_error("%s, damage %zu, answer %d",
					version->name, d, i);
		}
		softClose(&soft);
		g_assert_cmpint(processEnd(&proxy), ==, 0);
		g_string_free(script, TRUE);
	}
}

/* Nothing but nonsense comes. */
static void testNonsense(void)
{
	struct process proxy;
	struct softDevice soft;

	if (!hasAgent())
		return;
	proxyStart(&proxy,
		   "reply 1-30: replace 3082FFFF\nreply 31-60: replace 00\n",
		   FALSE);
	softSaid("");
	g_assert_cmpint(softOpen(&soft, driver, "", MS, NULL, "1 P"), ==,
			-ETIMEDOUT);
	g_assert_true(softSaid("apc: no answer from"));
	g_assert_cmpint(processEnd(&proxy), ==, 0);
}

/* ---- All ---------------------------------------------------------------- */

static void findAgent(void)
{
	static const char *const none[] = { "library", "/no/such/library",
					    NULL };
	char *list;

	listed = softList(driver, "", none);
	snmpd = besideFind("snmpd");
	list = softList(driver, "", NULL);
	/* Without the library there is nothing to talk to it with. */
	if (list[0] == '-')
		g_clear_pointer(&snmpd, g_free);
	g_free(list);
}

int main(int argc, char **argv)
{
	int result;

	g_test_init(&argc, &argv, NULL);
	softListen();
	besideStart("apc");
	objects =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_test_add_func("/apc/addresses", testAddresses);
	g_test_add_func("/apc/channels", testChannels);
	g_test_add_func("/apc/secrets", testSecrets);
	for (size_t i = 0; i < G_N_ELEMENTS(versions); i++)
		besideAdd("/apc/version", versions[i].name, &versions[i],
			  testVersion);
	g_test_add_func("/apc/many", testMany);
	for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++)
		besideAdd("/apc/refusal", refusals[i].name, &refusals[i],
			  testRefusal);
	g_test_add_func("/apc/nobody", testNobody);
	g_test_add_func("/apc/bad-values", testBadValues);
	g_test_add_func("/apc/wake", testWake);
	for (size_t i = 1; i < 4; i += 2) {
		besideAdd("/apc/gone", versions[i].name, &versions[i],
			  testGone);
		besideAdd("/apc/losses", versions[i].name, &versions[i],
			  testLosses);
		besideAdd("/apc/damage", versions[i].name, &versions[i],
			  testDamage);
	}
	g_test_add_func("/apc/nonsense", testNonsense);
	findAgent();
	if (snmpd) {
		agentPort = besidePort();
		makePdu();
		agentStart();
	}
	result = g_test_run();
	if (snmpd)
		processEnd(&agent);
	besideEnd();
	g_free(address);
	g_free(listed);
	g_free(snmpd);
	g_hash_table_unref(objects);
	return result;
}
