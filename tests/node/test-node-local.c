/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* A whole node: F10 and F11 while it runs, with threads that ask and configure;
 * and its metrics. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/local/core/local.h"
#include "NodeStatus/local/node.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/gpu.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"
#include "tests/lib/fixture.h"
#include "tests/lib/stall.h"
#include "tests/node/jsonpath.h"
#include "tests/pt/fakenvml.h"

#define RULE(name, threshold)                                           \
	"[Alarm]\nname = " name "\nmetric = memory_available_percent\n" \
	"comparator = below\nthreshold = " threshold "\nhysteresis = 5\n"

static void setMemory(const char *root, int percent)
{
	fixtureWrite(root, "/proc/meminfo",
		     "MemTotal: 1000 kB\nMemFree: 10 kB\n"
		     "MemAvailable: %d kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
		     percent * 10);
}

/* At its own interval, or at that of the configuration. */
static struct hdNodeLocal *startAt(const char *root, const char *ini,
				   int64_t intervalNs)
{
	const struct hdNodeSetup setup = {
		.name = "node7",
		.root = root,
		.intervalNs = intervalNs,
		.smartctl = "",
		.power = "",
		.ini = ini,
	};
	struct hdNodeLocal *local;

	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, 0);
	return local;
}

static struct hdNodeLocal *start(const char *root, const char *ini)
{
	return startAt(root, ini, 10000000);
}

/* Wait until the first alarm says so. */
static void awaitAlarm(struct hdNodeLocal *local, const char *state)
{
	bool isSo = false;

	while (!isSo) {
		json_t *alarms = hdNodeLocalSection(local, HD_NODE_ALARMS);

		isSo = strcmp(json_string_value(jsonAt(alarms, "0.state")),
			      state) == 0;
		json_decref(alarms);
		if (!isSo)
			poll(NULL, 0, 2);
	}
}

/* Of low memory, raised and over; and asking changes nothing. */
static void testAlarm(void)
{
	char *root = fixtureCreate();
	struct hdNodeLocal *local;
	json_t *one, *two;

	setMemory(root, 50);
	local = start(root, RULE("low", "20"));
	awaitAlarm(local, "ok");
	setMemory(root, 19);
	awaitAlarm(local, "raised");
	one = hdNodeLocalSection(local, HD_NODE_ALARMS);
	for (int i = 0; i < 100; i++) {
		two = hdNodeLocalSection(local, HD_NODE_ALARMS);
		g_assert_true(json_equal(one, two));
		json_decref(two);
	}
	jsonIs(one, "0.name", "\"low\"");
	jsonIs(one, "0.value", "19.0");
	jsonIs(one, "0.threshold", "20.0");
	json_decref(one);
	/* Not far enough. */
	setMemory(root, 24);
	two = NULL;
	while (!two || jsonNumber(two, "0.value") != 24) {
		json_decref(two);
		two = hdNodeLocalSection(local, HD_NODE_ALARMS);
	}
	jsonIs(two, "0.state", "\"raised\"");
	json_decref(two);
	setMemory(root, 26);
	awaitAlarm(local, "ok");
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* A link is up after the start: its speed is known then. */
static void testLater(void)
{
	char *root = fixtureCreate();
	struct hdNodeLocal *local;
	json_t *json;
	bool isKnown = false;

	fixtureWrite(root, "/sys/class/net/eth0/device/x", "\n");
	fixtureWrite(root, "/sys/class/net/eth0/operstate", "down\n");
	local = start(root, "");
	json = hdNodeLocalSection(local, HD_NODE_CAPABILITIES);
	jsonIs(json, "nics.0.bits_per_s", "null");
	json_decref(json);
	fixtureWrite(root, "/sys/class/net/eth0/speed", "1000\n");
	fixtureWrite(root, "/sys/class/net/eth0/operstate", "up\n");
	while (!isKnown) {
		json = hdNodeLocalSection(local, HD_NODE_CAPABILITIES);
		isKnown =
			json_integer_value(jsonAt(json, "nics.0.bits_per_s")) ==
			1000000000;
		json_decref(json);
		poll(NULL, 0, 2);
	}
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* A wrong configuration changes nothing; the next pull sees a right one, and
 * alarms whose rule stays go on. */
static void testConfigure(void)
{
	static const char good[] = RULE("low", "20") RULE("other", "90");
	static const char bad[] = RULE("low", "20") "hold = x\n";
	char *root = fixtureCreate(), *error;
	struct hdNodeLocal *local;
	json_t *config, *alarms;
	double since;

	setMemory(root, 10);
	local = start(root, RULE("low", "20"));
	awaitAlarm(local, "raised");
	alarms = hdNodeLocalSection(local, HD_NODE_ALARMS);
	since = jsonNumber(alarms, "0.since_s");
	json_decref(alarms);
	g_assert_cmpint(hdNodeLocalConfigure(local, bad, strlen(bad), &error),
			==, -EINVAL);
	g_assert_cmpstr(error, ==,
			"7: hold=x: invalid number; expected 0 to 86400\n");
	free(error);
	config = hdNodeLocalSection(local, HD_NODE_CONFIG);
	g_assert_cmpuint(json_array_size(jsonAt(config, "rules")), ==, 1);
	g_assert_cmpstr(json_string_value(jsonAt(config, "ini")), ==,
			RULE("low", "20"));
	json_decref(config);
	g_assert_cmpint(hdNodeLocalConfigure(local, good, strlen(good), &error),
			==, 0);
	g_assert_null(error);
	/* At once: the value that is there is judged. */
	alarms = hdNodeLocalSection(local, HD_NODE_ALARMS);
	jsonIs(alarms, "0.state", "\"raised\"");
	g_assert_cmpfloat(jsonNumber(alarms, "0.since_s"), ==, since);
	jsonIs(alarms, "1.state", "\"raised\"");
	json_decref(alarms);
	config = hdNodeLocalSection(local, HD_NODE_CONFIG);
	jsonIs(config, "rules.1.threshold", "90.0");
	jsonIs(config, "rules.1.prometheus",
	       "\"hdtrace_node_memory_available_percent\"");
	json_decref(config);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

static void testBadStart(void)
{
	const struct hdNodeSetup setup = { .root = "/nowhere",
					   .smartctl = "",
					   .power = "",
					   .ini = "[Alarm]\n" };
	struct hdNodeLocal *local;

	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, -EINVAL);
	hdNodeLocalStop(NULL);
}

/* ---- Threads ----------------------------------------------------------- */

static bool isOver;

static void *configureAgain(void *context)
{
	static const char *const inis[] = {
		RULE("low", "20"),
		RULE("low", "30") RULE("b", "5"),
		"[Node]\nhealth_interval = 5\ninterval = 2\n",
		"[Node]\ninterval = 0.1\n",
		"nonsense",
	};
	struct hdNodeLocal *local = context;

	for (size_t i = 0; !__atomic_load_n(&isOver, __ATOMIC_RELAXED); i++) {
		const char *ini = inis[i % G_N_ELEMENTS(inis)];
		char *error;
		int ret = hdNodeLocalConfigure(local, ini, strlen(ini), &error);

		g_assert_cmpint(ret, ==,
				strcmp(ini, "nonsense") == 0 ? -EINVAL : 0);
		free(error);
	}
	return NULL;
}

static void count(void *context, const struct hdNodeMetric *metric)
{
	g_assert_true(isfinite(metric->value));
	++*(size_t *)context;
}

static void *askAgain(void *context)
{
	struct hdNodeLocal *local = context;

	for (int i = 0; i < 300; i++) {
		enum hdNodeSection section =
			(enum hdNodeSection)(i % HD_NODE_SECTIONS);
		json_t *json = hdNodeLocalSection(local, section);
		size_t metrics = 0;

		g_assert_nonnull(json);
		/* One configuration, never a part of one and of another. */
		if (section == HD_NODE_CONFIG) {
			const char *ini =
				json_string_value(json_object_get(json, "ini"));
			json_t *rules = jsonAt(json, "rules");
			size_t there = 0;

			for (const char *at = ini;
			     at && (at = strstr(at, "[Alarm]")); at++)
				there++;
			g_assert_cmpuint(json_array_size(rules), ==, there);
		}
		json_decref(json);
		hdNodeLocalMetrics(local, count, &metrics);
		json_decref(hdNodeLocalProbes(local, false));
	}
	return NULL;
}

static void testThreads(void)
{
	char *root = fixtureCreate();
	pthread_t configurer, askers[3];
	struct hdNodeLocal *local;

	setMemory(root, 10);
	/* Its interval is the configuration's, and changes all the time. */
	local = startAt(root, RULE("low", "20"), 0);
	pthread_create(&configurer, NULL, configureAgain, local);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&askers[i], NULL, askAgain, local);
	for (size_t i = 0; i < 3; i++)
		pthread_join(askers[i], NULL);
	__atomic_store_n(&isOver, true, __ATOMIC_RELAXED);
	pthread_join(configurer, NULL);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* ---- Metrics ----------------------------------------------------------- */

static void take(void *context, const struct hdNodeMetric *metric)
{
	GString *text = context;

	g_assert_cmpstr(metric->labels[0], ==, "node");
	g_assert_cmpstr(metric->labels[1], ==, "node7");
	g_assert_cmpint(metric->stamp, >, 0);
	g_string_append_printf(text, "%s%s{%s} %.6g\n", metric->name,
			       metric->isCounter ? "_total" : "",
			       metric->labels[2] ? metric->labels[3] : "",
			       metric->value);
	g_assert_true(!metric->unit ||
		      g_str_has_suffix(metric->name, metric->unit));
}

static void testMetrics(void)
{
	static const char *const expected[] = {
		"hdtrace_utilization_mem_available_bytes{} 102400\n",
		"hdtrace_utilization_net_in_eth0_bytes_total{} 0\n",
		"hdtrace_node_memory_available_percent{} 10\n",
		"hdtrace_node_alarm_raised{low} 1\n",
	};
	static const char *const absent[] = {
		"temperature",
		"hdtrace_power_watts",
		"smart_failing",
		"{hot}",
	};
	char *root = fixtureCreate();
	GString *text = g_string_new(NULL);
	struct hdNodeLocal *local;

	setMemory(root, 10);
	fixtureWrite(root, "/proc/net/dev", "%s",
		     "x\ny\n  eth0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n");
	local = start(
		root,
		RULE("low",
		     "20") "[Alarm]\nname = hot\n"
			   "metric = temperature_celsius\ncomparator = above\n"
			   "threshold = 1\n");
	awaitAlarm(local, "raised");
	hdNodeLocalMetrics(local, take, text);
	g_test_message("%s", text->str);
	for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
		g_assert_nonnull(strstr(text->str, expected[i]));
	/* What is not known is not there, and not 0. */
	for (size_t i = 0; i < G_N_ELEMENTS(absent); i++)
		g_assert_null(strstr(text->str, absent[i]));
	g_string_free(text, TRUE);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* ---- Age --------------------------------------------------------------- */

/* No sample has ended for so long. */
static void makeOlder(struct hdNodeLocal *local, int64_t ns)
{
	pthread_mutex_lock(&local->mutex);
	local->sample.beganNs -= ns;
	pthread_mutex_unlock(&local->mutex);
}

/* A sampler that hangs: what it said last is said to be old, and nothing is
 * known of now. */
static void testStale(void)
{
	char *root = fixtureCreate();
	GString *text = g_string_new(NULL);
	struct hdNodeLocal *local;
	json_t *json;

	setMemory(root, 10);
	local = start(root, RULE("low", "20"));
	awaitAlarm(local, "raised");
	json = hdNodeLocalSection(local, HD_NODE_STATUS);
	g_assert_cmpfloat(jsonNumber(json, "age_s"), >=, 0);
	json_decref(json);
	hdSamplerStop(local->sampler);
	makeOlder(local, INT64_C(5000000000));
	json = hdNodeLocalSection(local, HD_NODE_STATUS);
	g_assert_cmpfloat(jsonNumber(json, "age_s"), >=, 5);
	jsonIs(json, "stale", "true");
	jsonIs(json, "sampler.waits_for", "null");
	json_decref(json);
	json = hdNodeLocalSection(local, HD_NODE_ALARMS);
	jsonIs(json, "0.state", "\"unknown\"");
	jsonIs(json, "0.value", "null");
	json_decref(json);
	hdNodeLocalMetrics(local, take, text);
	g_assert_null(strstr(text->str, "memory_available"));
	g_assert_null(strstr(text->str, "alarm_raised"));
	g_assert_nonnull(
		strstr(text->str, "hdtrace_node_sample_age_seconds{} 5"));
	g_assert_nonnull(
		strstr(text->str, "hdtrace_node_health_age_seconds{} "));
	g_string_free(text, TRUE);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* A second at least, for short intervals; else three of them. */
static void testStaleLimit(void)
{
	g_assert_false(nodeIsStale(0.9, 0.01));
	g_assert_true(nodeIsStale(1.1, 0.01));
	g_assert_false(nodeIsStale(29, 10));
	g_assert_true(nodeIsStale(31, 10));
	g_assert_false(nodeIsStale(NAN, 1));
}

/* ---- Power ------------------------------------------------------------- */

static void takeInput(void *context, const struct hdNodeMetric *metric)
{
	if (strcmp(metric->name, "hdtrace_power_input_counted") == 0)
		g_string_append_printf(context, "%s{%s} %g (%s)\n",
				       metric->name, metric->labels[3],
				       metric->value, metric->labels[5]);
}

static void setEnergy(const char *root, long long microjoules)
{
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:0/energy_uj",
		     "%lld\n", microjoules);
}

/* Metrics name the inputs that count, and the others with the reason. */
static void checkInputs(struct hdNodeLocal *local)
{
	static const char *const expected[] = {
		"hdtrace_power_input_counted{package-0} 1 ()\n",
		"hdtrace_power_input_counted{package-0-core} 0 (part of "
		"package-0)\n",
	};
	GString *text = g_string_new(NULL);

	hdNodeLocalMetrics(local, takeInput, text);
	g_test_message("%s", text->str);
	for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
		g_assert_nonnull(strstr(text->str, expected[i]));
	g_string_free(text, TRUE);
}

/* No service: the machine's own meter, a package that uses ten joules between
 * two looks at least. */
static void testOwnPower(void)
{
	char *root = fixtureCreate();
	struct hdNodeSetup setup = { .name = "node7",
				     .root = root,
				     .intervalNs = 10000000,
				     .smartctl = "" };
	struct hdNodeLocal *local;
	json_t *status = NULL;
	long long energy = 1000000;

	setMemory(root, 10);
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:0/name",
		     "package-0\n");
	fixtureWrite(root,
		     "/sys/class/powercap/intel-rapl:0/max_energy_range_uj",
		     "262143328850\n");
	setEnergy(root, energy);
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:0:0/name", "core\n");
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:0:0/energy_uj",
		     "1\n");
	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, 0);
	while (!status || !json_is_number(jsonAt(status, "power.watts"))) {
		setEnergy(root, energy += 10000000);
		json_decref(status);
		status = hdNodeLocalSection(local, HD_NODE_STATUS);
		g_assert_true(json_is_object(jsonAt(status, "power")));
		poll(NULL, 0, 20);
	}
	jsonIs(status, "power.source", "\"powercap package-0\"");
	g_assert_cmpfloat(jsonNumber(status, "power.joules"), >=, 10);
	g_assert_cmpfloat(jsonNumber(status, "power.joules"), <=,
			  (double)energy / 1e6);
	g_assert_cmpfloat(jsonNumber(status, "power.watts"), >, 0);
	json_decref(status);
	checkInputs(local);
	hdNodeLocalStop(local);
	/* Nobody is asked. */
	setup.power = "";
	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, 0);
	status = hdNodeLocalSection(local, HD_NODE_STATUS);
	jsonIs(status, "power", "null");
	json_decref(status);
	hdNodeLocalStop(local);
	/* A service that is not there: named, and without a value. */
	setup.power = "/nowhere/pt.sock";
	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, 0);
	status = hdNodeLocalSection(local, HD_NODE_STATUS);
	jsonIs(status, "power.watts", "null");
	json_decref(status);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

/* ---- What hangs -------------------------------------------------------- */

static int hangingStatvfs(const char *path, struct statvfs *is)
{
	testStall();
	return statvfs(path, is);
}

static struct fakeNvml *fakeGpus(void **handle)
{
	const char *build = g_getenv("abs_top_builddir");
	static char *library;
	fakeNvmlGetter *get;
	struct fakeNvml *fake;

	library = g_build_filename(build ? build : ".", "tests", "pt",
				   "fakenvml.so", NULL);
	rutGpuLibrary = library;
	*handle = dlopen(library, RTLD_NOW);
	g_assert_nonnull(*handle);
	*(void **)(void *)&get = dlsym(*handle, "fakeNvmlGet");
	g_assert_nonnull(get);
	fake = get();
	fake->count = 1;
	fake->gpus[0] = (struct fakeGpu){ .name = "A", .usePercent = 50 };
	fake->asked = testStall;
	return fake;
}

/* Wait for the next sample, and get it. */
static json_t *nextStatus(struct hdNodeLocal *local)
{
	json_t *status = hdNodeLocalSection(local, HD_NODE_STATUS);
	double stamp = json_number_value(jsonAt(status, "stamp_s"));

	while (json_number_value(jsonAt(status, "stamp_s")) <= stamp) {
		json_decref(status);
		poll(NULL, 0, 2);
		status = hdNodeLocalSection(local, HD_NODE_STATUS);
	}
	return status;
}

/* A disk and a GPU that hang hold up no other value, nor the end. */
static void testHang(void)
{
	char *root = fixtureCreate();
	struct hdNodeLocal *local;
	struct fakeNvml *fake;
	json_t *status;
	void *handle;
	bool isKnown;

	fake = fakeGpus(&handle);
	rutStatvfs = hangingStatvfs;
	fixtureWrite(root, "/proc/self/mountinfo",
		     "1 0 0:30 / / rw - overlay overlay rw\n");
	setMemory(root, 10);
	local = start(root, "[Alarm]\nname = full\ncomparator = below\n"
			    "metric = storage_free_percent\n"
			    "threshold = 200\n");
	awaitAlarm(local, "raised");
	testStallSet(true);
	awaitAlarm(local, "unknown");
	setMemory(root, 20);
	for (int i = 0; i < 3; i++) {
		status = nextStatus(local);
		jsonIs(status, "storage.0.free_bytes", "null");
		jsonIs(status, "gpus.0.use_percent", "null");
		if (i < 2)
			json_decref(status);
	}
	jsonIs(status, "memory.available_bytes", "204800");
	json_decref(status);
	testStallSet(false);
	awaitAlarm(local, "raised");
	testStallSet(true);
	do {
		status = nextStatus(local);
		isKnown = !json_is_null(jsonAt(status, "gpus.0.use_percent"));
		json_decref(status);
	} while (isKnown);
	hdNodeLocalStop(local);
	testStallSet(false);
	/* Those that were left behind give back what they have. */
	while (__atomic_load_n(&fake->shutdowns, __ATOMIC_ACQUIRE) == 0)
		poll(NULL, 0, 2);
	g_assert_cmpint(__atomic_load_n(&fake->inits, __ATOMIC_ACQUIRE), ==, 1);
	g_assert_false(fake->isMisused);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node-local/alarm is raised and ends", testAlarm);
	g_test_add_func("/node-local/link speed known after the start",
			testLater);
	g_test_add_func("/node-local/new configuration", testConfigure);
	g_test_add_func("/node-local/start with an invalid configuration",
			testBadStart);
	g_test_add_func("/node-local/concurrent access from several threads",
			testThreads);
	g_test_add_func("/node-local/metrics", testMetrics);
	g_test_add_func("/node-local/stale sample", testStale);
	g_test_add_func("/node-local/limit of stale samples", testStaleLimit);
	g_test_add_func("/node-local/power of its own meters", testOwnPower);
	g_test_add_func("/node-local/hanging disk and GPU delay no other value",
			testHang);
	return g_test_run();
}
