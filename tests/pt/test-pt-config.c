/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file: every error with its line, and what a good one
 * says. */
#include "config.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "tests/pt/meter.h"

#define FILE_NAME "pt.cfg"
#define GENERAL                                              \
	"[General]\ndevice=Meter\ncycle=100\nproject=test\n" \
	"topology=Cluster_Host_Process\n"
#define TRACE "[Trace]\ntype=HDSTATS\nnode=c_n\nchannel=1\nvalues=U,P\n"
/* Line 1 is a placeholder, so that lines differ from counts. */
#define RAW                                                            \
	"[General]\ndevice=raw\nproject=test\ntopology=Cluster_Host\n" \
	"port=raw://x\n"
#define RAW_TRACE "[Trace]\ntype=HDSTATS\nnode=c_n\ninput=1\n"
#define PORTED                                                \
	"[General]\ndevice=ported\ncycle=100\nproject=test\n" \
	"topology=Host\n"

static GString *messages;

static void catch (enum hdLogLevel level, const char *text)
{
	g_assert_cmpint(level, ==, HD_LOG_ERROR);
	g_string_append_printf(messages, "%s\n", text);
}

static int readText(const char *text, struct ptRequest *request,
		    struct ptConfig *config)
{
	GError *error = NULL;

	g_file_set_contents(FILE_NAME, text, -1, &error);
	g_assert_no_error(error);
	request->file = FILE_NAME;
	request->drivers = testDrivers;
	request->root = "";
	g_string_truncate(messages, 0);
	return ptConfigRead(request, config);
}

static void testGood(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	g_assert_cmpint(
		readText("# the listing of the thesis\n"
			 "[General]\ndevice=PORTED\nport=node06:/dev/ttyUSB0\n"
			 "cycle=100.5\ndelay=0.25\nproject=MyProject\n"
			 "topology=Cluster_Host_Process_Thread\n"
			 "[Trace]\ntype=HDSTATS\nnode=pvs_node06\ninput=1\n"
			 "values=P, U\n"
			 "[Trace]\ntype=HDSTATS\nnode=pvs_node07\ninput=2\n"
			 "values=U\n"
			 "[Trace]\ntype=HDSTATS\nnode=pvs_node06\ninput=4\n"
			 "values=E,P\n",
			 &request, &config),
		==, 0);
	g_assert_cmpstr(messages->str, ==, "");
	g_assert_cmpstr(config.driver->name, ==, "Ported");
	g_assert_cmpstr(config.host, ==, "node06");
	g_assert_cmpstr(config.address, ==, "/dev/ttyUSB0");
	g_assert_cmpuint(config.baud, ==, 57600);
	g_assert_cmpint(config.cycleNs, ==, 100500000);
	g_assert_cmpint(config.delayNs, ==, 250000);
	g_assert_cmpstr(config.project, ==, "MyProject");
	g_assert_cmpuint(config.levelCount, ==, 4);
	g_assert_cmpstr(config.levels[3], ==, "Thread");
	g_assert_cmpuint(config.nodeCount, ==, 2);
	g_assert_cmpstr(config.nodes[0].path, ==, "pvs_node06");
	g_assert_cmpuint(config.nodes[0].depth, ==, 2);
	g_assert_cmpstr(config.nodes[0].labels[1], ==, "node06");
	g_assert_cmpuint(config.nodes[0].first, ==, 0);
	g_assert_cmpuint(config.nodes[0].count, ==, 4);
	g_assert_cmpuint(config.nodes[1].first, ==, 4);
	g_assert_cmpuint(config.nodes[1].count, ==, 1);
	g_assert_cmpuint(config.columnCount, ==, 5);
	/* The values of a node with several channels say which. */
	g_assert_cmpstr(config.names[0], ==, "P_in1");
	g_assert_cmpstr(config.names[1], ==, "U_in1");
	g_assert_cmpstr(config.names[2], ==, "E_in4");
	g_assert_cmpstr(config.names[3], ==, "P_in4");
	g_assert_cmpstr(config.names[4], ==, "U");
	g_assert_cmpuint(config.columns[3].channel, ==, 4);
	g_assert_cmpuint(config.columns[4].channel, ==, 2);
	g_assert_cmpstr(config.columns[4].label, ==, "in2");
	ptConfigClear(&config);
	ptConfigClear(&config);
}

static void testAllChannels(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	g_assert_cmpint(readText("[Trace]\ntype=HDSTATS\nnode=c_n_0\ninput=*\n"
				 "values=P\n" GENERAL "mode=good\n",
				 &request, &config),
			==, 0);
	g_assert_cmpuint(config.nodeCount, ==, 1);
	g_assert_cmpuint(config.columnCount, ==, 4);
	g_assert_cmpstr(config.names[0], ==, "P_in1");
	g_assert_cmpstr(config.names[3], ==, "P_in4");
	g_assert_cmpstr(config.options[0], ==, "mode");
	g_assert_cmpstr(config.options[1], ==, "good");
	g_assert_null(config.options[2]);
	g_assert_null(config.host);
	g_assert_null(config.address);
	ptConfigClear(&config);
}

/* The host's name in place of "%h", without its domain. */
static void testHostNode(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;
	char host[256] = "", *path;

	g_assert_cmpint(gethostname(host, sizeof(host) - 1), ==, 0);
	host[strcspn(host, ".")] = '\0';
	g_strdelimit(host, "_", '-');
	path = g_strdup_printf("rack-%s_%s", host, host);
	g_assert_cmpint(readText("[Trace]\ntype=HDSTATS\nnode=rack-%h_%h\n"
				 "input=1\nvalues=P\n"
				 "[Trace]\ntype=HDSTATS\nnode=%h_a\n"
				 "input=2\nvalues=P\n"
				 "[Trace]\ntype=HDSTATS\nnode=rack-%h_%h\n"
				 "input=3\nvalues=P\n" GENERAL,
				 &request, &config),
			==, 0);
	g_assert_cmpuint(config.nodeCount, ==, 2);
	g_assert_cmpstr(config.nodes[0].path, ==, path);
	g_assert_cmpstr(config.nodes[0].labels[1], ==, host);
	g_assert_cmpstr(config.nodes[1].labels[0], ==, host);
	ptConfigClear(&config);
	g_setenv("PT_HOST", "big_7.example.org", TRUE);
	g_assert_cmpint(readText("[Trace]\ntype=HDSTATS\nnode=%h\n"
				 "input=1\nvalues=P\n" GENERAL,
				 &request, &config),
			==, 0);
	g_assert_cmpstr(config.nodes[0].path, ==, "big-7.example.org");
	ptConfigClear(&config);
	g_unsetenv("PT_HOST");
	g_assert_cmpint(readText("[Trace]\ntype=HDSTATS\nnode=%x\ninput=1\n"
				 "values=P\n" GENERAL,
				 &request, &config),
			==, PT_ECONFINVALID);
	g_assert_nonnull(strstr(messages->str, "\"%x\": invalid name"));
	g_free(path);
}

static void testPorts(void)
{
	static const struct {
		const char *port, *host, *address;
	} cases[] = {
		{ "node06:/dev/ttyUSB0", "node06", "/dev/ttyUSB0" },
		{ "/dev/ttyUSB0", NULL, "/dev/ttyUSB0" },
		{ "/dev/serial/by-path/pci-0:0", NULL,
		  "/dev/serial/by-path/pci-0:0" },
		{ "tcp://meter:2001", NULL, "tcp://meter:2001" },
		{ "n-1.example.org:tcp://meter:2001", "n-1.example.org",
		  "tcp://meter:2001" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ptRequest request = { .depth = -1,
					     .port = cases[i].port };
		char *text = g_strdup_printf(PORTED "port=%s\n"
						    "[Trace]\ntype=HDSTATS\n"
						    "node=n\ninput=1\n"
						    "values=U\n",
					     cases[i].port);
		struct ptConfig config;

		g_test_message("%s", cases[i].port);
		for (int option = 1; option >= 0; option--) {
			g_assert_cmpint(readText(text, &request, &config), ==,
					0);
			g_assert_cmpstr(config.host, ==, cases[i].host);
			g_assert_cmpstr(config.address, ==, cases[i].address);
			ptConfigClear(&config);
			request.port = NULL;
		}
		g_free(text);
	}
}

/* What the driver checks itself: its address; and what there is once only. */
static void testOwnWay(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	g_assert_cmpint(readText(RAW RAW_TRACE "values=N\n", &request, &config),
			==, 0);
	g_assert_cmpstr(config.address, ==, "raw://x");
	g_assert_cmpint(config.cycleNs, ==, 333333333);
	g_assert_false(config.isCycleGiven);
	g_assert_cmpuint(config.columns[0].scale.set, ==, 0);
	ptConfigClear(&config);
	request.port = "here:";
	g_assert_cmpint(readText(RAW "cycle=333.333333\n" RAW_TRACE
				     "values=N\n",
				 &request, &config),
			==, 0);
	g_assert_null(config.address);
	g_assert_cmpstr(config.host, ==, "here");
	g_assert_cmpint(config.cycleNs, ==, 333333333);
	g_assert_true(config.isCycleGiven);
	ptConfigClear(&config);
}

/* What is said of raw numbers goes to all columns of the section. */
static void testScales(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	g_assert_cmpint(readText(RAW "[Trace]\ntype=HDSTATS\nnode=c_n\n"
				     "input=*\nvalues=N,I,P\n"
				     "voltage=-12\nslope=70.5\noffset=1.94e2\n",
				 &request, &config),
			==, 0);
	g_assert_cmpuint(config.columnCount, ==, 12);
	for (size_t i = 0; i < config.columnCount; i++) {
		const struct ptScale *scale = &config.columns[i].scale;

		g_assert_cmpuint(scale->set, ==,
				 PT_SCALE_VOLTAGE | PT_SCALE_SLOPE |
					 PT_SCALE_OFFSET);
		g_assert_cmpfloat(scale->voltage, ==, -12);
		g_assert_cmpfloat(scale->slope, ==, 70.5);
		g_assert_cmpfloat(scale->offset, ==, 194);
	}
	ptConfigClear(&config);
	g_assert_cmpint(readText(RAW RAW_TRACE "values=P\nvoltage=3.3\n",
				 &request, &config),
			==, 0);
	g_assert_cmpuint(config.columns[0].scale.set, ==, PT_SCALE_VOLTAGE);
	ptConfigClear(&config);
}

static void testOverrides(void)
{
	struct ptRequest request = { .depth = -1,
				     .project = "other",
				     .topology = "Host_Process",
				     .port = "here:/dev/null" };
	struct ptConfig config;

	g_assert_cmpint(readText("[General]\ndevice=ported\ncycle=100\n"
				 "baud=9600\n" TRACE,
				 &request, &config),
			==, 0);
	g_assert_cmpstr(config.project, ==, "other");
	g_assert_cmpuint(config.levelCount, ==, 2);
	g_assert_cmpstr(config.levels[0], ==, "Host");
	g_assert_cmpstr(config.address, ==, "/dev/null");
	g_assert_cmpuint(config.baud, ==, 9600);
	ptConfigClear(&config);

	/* A topology of the caller's needs neither. */
	request = (struct ptRequest){ .depth = 2 };
	g_assert_cmpint(readText("[General]\ndevice=meter\ncycle=100\n" TRACE,
				 &request, &config),
			==, 0);
	g_assert_null(config.project);
	ptConfigClear(&config);
	request = (struct ptRequest){ .depth = 1 };
	g_assert_cmpint(readText(GENERAL TRACE, &request, &config), ==,
			PT_ECONFINVALID);
	g_assert_cmpstr(
		messages->str, ==,
		"pt.cfg:8: node=c_n: 2 levels; the topology has only 1\n");

	request = (struct ptRequest){
		.depth = -1, .project = "", .topology = "a__b", .port = "x"
	};
	g_assert_cmpint(readText(GENERAL TRACE, &request, &config), ==,
			PT_ECONFINVALID);
	g_assert_cmpstr(messages->str, ==,
			"--project: is empty\n--topology: \"a__b\": invalid "
			"name; labels between \"_\" consist of letters, "
			"digits, \".\" and \"-\"\n");
	request = (struct ptRequest){ .depth = -1, .port = "x" };
	g_assert_cmpint(readText(PORTED "[Trace]\ntype=HDSTATS\nnode=n\n"
					"input=1\nvalues=U\n",
				 &request, &config),
			==, PT_ECONFINVALID);
	g_assert_cmpstr(messages->str, ==,
			"--port: port=x: DEVICE is missing; use NODE:DEVICE or "
			"DEVICE\n");
}

/* Each case is one error; TRACE is added where the text does not end in one. */
static void testErrors(void)
{
	static const struct {
		const char *text;
		const char *message;
		int expected;
	} cases[] = {
		{ "", "pt.cfg: missing section [General]\n", 0 },
		{ TRACE, "pt.cfg: missing section [General]\n", 0 },
		{ GENERAL, "pt.cfg: missing section [Trace]\n", PT_ENOTRACES },
		{ GENERAL "\nnonsense\n" TRACE,
		  "pt.cfg:7: neither [Section] nor key=value\n", 0 },
		{ "x=1\n" GENERAL TRACE,
		  "pt.cfg:1: key before the first [Section]\n", 0 },
		{ GENERAL "cycle=200\n" TRACE,
		  "pt.cfg:6: cycle is set twice; first in line 3\n", 0 },
		{ GENERAL TRACE "[general]\n",
		  "pt.cfg:11: unknown section [general]; expected [General] or "
		  "[Trace]\n",
		  0 },
		{ GENERAL TRACE GENERAL,
		  "pt.cfg:11: duplicate section [General]; the first one is in "
		  "line 1\n",
		  0 },
		/* [General] */
		{ "[General]\ncycle=1\nproject=p\ntopology=C_H\n" TRACE,
		  "pt.cfg:1: [General]: missing key device=\n", 0 },
		{ "[General]\ndevice=Meter\nproject=p\ntopology=C_H\n" TRACE,
		  "pt.cfg:1: [General]: missing key cycle=\n", 0 },
		{ "[General]\ndevice=Meter\ncycle=1\ntopology=C_H\n" TRACE,
		  "pt.cfg:1: [General]: missing key project=\n", 0 },
		{ "[General]\ndevice=Meter\ncycle=1\nproject=p\n" TRACE,
		  "pt.cfg:1: [General]: missing key topology=\n", 0 },
		{ "[General]\ndevice=Meter\ncycle=1\nproject=\n"
		  "topology=C_H\n" TRACE,
		  "pt.cfg:4: project= is empty\n", 0 },
		{ "[General]\ndevice=Meter\ncycle=1\nproject=p\n"
		  "topology=C_H o\n" TRACE,
		  "pt.cfg:5: \"C_H o\": invalid name; labels between \"_\" "
		  "consist of letters, digits, \".\" and \"-\"\n",
		  0 },
		{ "[General]\ndevice=LMG\ncycle=1\nproject=p\n"
		  "topology=C_H\n" TRACE,
		  "pt.cfg:2: unknown device \"LMG\"; expected one of Meter, "
		  "Host, Ported, Raw\n",
		  0 },
		{ GENERAL "Cycle=1\n" TRACE,
		  "pt.cfg:6: unknown key \"Cycle\" in [General]; expected one "
		  "of device, port, baud, cycle, delay, project, topology, "
		  "mode\n",
		  0 },
		{ GENERAL "mode=bad\n" TRACE, "pt.cfg:6: mode=bad: is good\n",
		  0 },
		{ GENERAL "port=node:\n" TRACE, NULL, 0 },
		{ GENERAL "port=node:/dev/x\n" TRACE,
		  "pt.cfg:6: port=node:/dev/x: Meter has no port; use only "
		  "NODE:, the host to run on\n",
		  0 },
		{ GENERAL "baud=9600\n" TRACE,
		  "pt.cfg:6: baud=9600: Meter has no port\n", 0 },
		{ GENERAL "delay=-1\n" TRACE,
		  "pt.cfg:6: delay=-1: invalid delay; expected 0 to 60000 ms\n",
		  0 },
		{ GENERAL "delay=60000.001\n" TRACE,
		  "pt.cfg:6: delay=60000.001: invalid delay; expected 0 to "
		  "60000 ms\n",
		  0 },
		{ GENERAL "delay=60000\n" TRACE, NULL, 0 },
		{ GENERAL "delay=1e3\n" TRACE,
		  "pt.cfg:6: delay=1e3: invalid delay; expected 0 to 60000 "
		  "ms\n",
		  0 },
		{ PORTED "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=U\n",
		  "pt.cfg:1: [General]: missing key port=\n", 0 },
		{ PORTED "port=\n"
			 "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=U\n",
		  "pt.cfg:6: port= is empty\n", 0 },
		{ PORTED "port=:/dev/x\n"
			 "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=U\n",
		  "pt.cfg:6: port=:/dev/x: NODE is empty; use NODE:DEVICE or "
		  "DEVICE\n",
		  0 },
		{ PORTED "port=n:udp://x\n"
			 "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=U\n",
		  "pt.cfg:6: port=n:udp://x: invalid device; expected a path, "
		  "such as /dev/ttyUSB0, or tcp://HOST:PORT\n",
		  0 },
		{ PORTED "port=/dev/x\nbaud=100\n"
			 "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=U\n",
		  "pt.cfg:7: baud=100: invalid speed; expected one of 1200, "
		  "2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400\n",
		  0 },
		{ RAW "cycle=100\n" RAW_TRACE "values=N\n",
		  "pt.cfg:6: cycle=100: Raw gives a reading every 333.333 ms; "
		  "use this cycle, or omit the key\n",
		  0 },
		{ RAW "cycle=\n" RAW_TRACE "values=N\n",
		  "pt.cfg:6: cycle= is empty\n", 0 },
		{ RAW "baud=9600\n" RAW_TRACE "values=N\n",
		  "pt.cfg:6: baud=9600: Raw has no port\n", 0 },
		{ "[General]\ndevice=raw\nproject=test\ntopology=H\n"
		  "port=n:/dev/x\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\nvalues=N\n",
		  "pt.cfg:5: port=n:/dev/x: a device is raw://NAME\n", 0 },
		/* [Trace] */
		{ RAW RAW_TRACE "values=I\n",
		  "pt.cfg:6: [Trace]: missing key slope=; required by I of "
		  "Raw\npt.cfg:6: [Trace]: missing key offset=; required by I "
		  "of Raw\n",
		  0 },
		{ RAW RAW_TRACE "values=I\noffset=1\nslope=0\n",
		  "pt.cfg:12: slope=0: must not be 0\n", 0 },
		{ RAW RAW_TRACE "values=P\nvoltage=12 V\n",
		  "pt.cfg:11: voltage=12 V: invalid number\n", 0 },
		{ RAW RAW_TRACE "values=P\nvoltage=\n",
		  "pt.cfg:11: voltage=: invalid number\n", 0 },
		{ RAW RAW_TRACE "values=P\nvoltage=inf\n",
		  "pt.cfg:11: voltage=inf: invalid number\n", 0 },
		{ RAW RAW_TRACE "values=N\ngain=2\n",
		  "pt.cfg:11: unknown key \"gain\" in [Trace]; expected one of "
		  "type, node, input, values, voltage, slope, offset\n",
		  0 },
		{ GENERAL TRACE "voltage=12\n",
		  "pt.cfg:11: unknown key \"voltage\" in [Trace]; expected one "
		  "of type, node, input, values\n",
		  0 },
		{ GENERAL "[Trace]\nnode=c_n\ninput=1\nvalues=U\n",
		  "pt.cfg:6: [Trace]: missing key type=\n", 0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\ninput=1\nvalues=U\n",
		  "pt.cfg:6: [Trace]: missing key node=\n", 0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\nvalues=U\n",
		  "pt.cfg:6: [Trace]: missing key input=: unknown input; "
		  "expected 1 to 4\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\n",
		  "pt.cfg:6: [Trace]: missing key values=\n", 0 },
		{ GENERAL "[Trace]\ntype=HDTRACE\nnode=n\ninput=1\n"
			  "values=U\n",
		  "pt.cfg:7: type=HDTRACE: unknown type; expected HDSTATS\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=5\n"
			  "values=U\n",
		  "pt.cfg:9: input=5: unknown input; expected 1 to 4\n", 0 },
		{ GENERAL TRACE "input=2\n",
		  "pt.cfg:9: channel= is the old name of input=; remove one of "
		  "them\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=\n"
			  "values=U\n",
		  "pt.cfg:9: input=: unknown input; expected 1 to 4\n", 0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\n"
			  "values=U,Utrms\n",
		  "pt.cfg:10: unknown value \"Utrms\" of Meter; expected one "
		  "of U, P, E, N\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\n"
			  "values=U,,P\n",
		  "pt.cfg:10: unknown value \"\" of Meter; expected one of U, "
		  "P, E, N\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=n\ninput=1\n"
			  "values=U,P, U\n",
		  "pt.cfg:10: duplicate value U\n", 0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=c__n\ninput=1\n"
			  "values=U\n",
		  "pt.cfg:8: \"c__n\": invalid name; labels between \"_\" "
		  "consist of letters, digits, \".\" and \"-\"\n",
		  0 },
		{ GENERAL "[Trace]\ntype=HDSTATS\nnode=c_n_0_0\ninput=1\n"
			  "values=U\n",
		  "pt.cfg:8: node=c_n_0_0: 4 levels; the topology has only 3\n",
		  0 },
		{ GENERAL TRACE "[Trace]\ntype=HDSTATS\nnode=c_m\ninput=1\n"
				"values=E\n",
		  "pt.cfg:14: duplicate [Trace] of input in1; the first one is "
		  "in line 6\n",
		  0 },
		{ GENERAL TRACE "[Trace]\ntype=HDSTATS\nnode=c_m\ninput=*\n"
				"values=E\n",
		  "pt.cfg:14: duplicate [Trace] of input in1; the first one is "
		  "in line 6\n",
		  0 },
		{ GENERAL TRACE "interval=5\n",
		  "pt.cfg:11: unknown key \"interval\" in [Trace]; expected "
		  "one of type, node, input, values\n",
		  0 },
		/* Nothing of the file harms a terminal. */
		{ GENERAL TRACE "\033[2J=\t\n",
		  "pt.cfg:11: unknown key \"?[2J\" in [Trace]; expected one of "
		  "type, node, input, values\n",
		  0 },
	};
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		int expected = cases[i].expected;

		if (cases[i].message && expected == 0)
			expected = PT_ECONFINVALID;
		g_test_message("case %zu", i);
		g_assert_cmpint(readText(cases[i].text, &request, &config), ==,
				expected);
		g_assert_cmpstr(messages->str, ==,
				cases[i].message ? cases[i].message : "");
		if (expected == 0)
			ptConfigClear(&config);
	}
}

static void testCycles(void)
{
	static const struct {
		const char *text;
		int64_t ns; /* 0: an error */
	} cases[] = {
		{ "100", 100000000 },
		{ "0.5", 500000 },
		{ ".5", 500000 },
		{ "60000", 60000000000 },
		{ "60000.0", 60000000000 },
		{ "1.000001", 1000001 },
		{ "0.499999", 0 },
		{ "60000.000001", 0 },
		{ "0", 0 },
		{ "", 0 },
		{ ".", 0 },
		{ "-100", 0 },
		{ "+100", 0 },
		{ "100 ms", 0 },
		{ "1,5", 0 },
		{ "0x10", 0 },
		{ "1e3", 0 },
		{ "nan", 0 },
		{ "99999999999999999999999999", 0 },
		{ "100.", 100000000 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ptRequest request = { .depth = 2 };
		char *text = g_strdup_printf("[General]\ndevice=Meter\n"
					     "cycle=%s\n" TRACE,
					     cases[i].text);
		char *message = g_strdup_printf(
			*cases[i].text ? "pt.cfg:3: cycle=%s: invalid cycle of "
					 "Meter; expected 0.5 to 60000 ms\n"
				       : "pt.cfg:3: cycle= is empty%s\n",
			cases[i].text);
		struct ptConfig config;

		g_test_message("%s", cases[i].text);
		g_assert_cmpint(readText(text, &request, &config), ==,
				cases[i].ns ? 0 : PT_ECONFINVALID);
		if (cases[i].ns) {
			g_assert_cmpint(config.cycleNs, ==, cases[i].ns);
			ptConfigClear(&config);
		} else {
			g_assert_cmpstr(messages->str, ==, message);
		}
		g_free(message);
		g_free(text);
	}
}

/* All errors of a file come at once. */
static void testAllErrors(void)
{
	struct ptRequest request = { .depth = -1 };
	struct ptConfig config;

	g_assert_cmpint(readText("[General]\n"
				 "device=Meter\n"
				 "cycle=0\n"
				 "frequency=5\n"
				 "topology=Host\n"
				 "oops\n"
				 "[Trace]\n"
				 "type=TEXT\n"
				 "node=a_b\n"
				 "input=7\n"
				 "values=Q,P\n"
				 "[Tracer]\n"
				 "[Trace]\n"
				 "type=HDSTATS\n"
				 "input=2\n"
				 "values=U\n",
				 &request, &config),
			==, PT_ECONFINVALID);
	g_assert_cmpstr(
		messages->str, ==,
		"pt.cfg:6: neither [Section] nor key=value\npt.cfg:12: unknown "
		"section [Tracer]; expected [General] or [Trace]\npt.cfg:3: "
		"cycle=0: invalid cycle of Meter; expected 0.5 to 60000 "
		"ms\npt.cfg:4: unknown key \"frequency\" in [General]; "
		"expected one of device, port, baud, cycle, delay, project, "
		"topology, mode\npt.cfg:1: [General]: missing key "
		"project=\npt.cfg:8: type=TEXT: unknown type; "
		"expected HDSTATS\npt.cfg:9: node=a_b: 2 levels; the topology "
		"has only "
		"1\npt.cfg:11: unknown value \"Q\" of Meter; expected one of "
		"U, P, E, N\npt.cfg:10: input=7: unknown input; expected 1 to "
		"4\npt.cfg:13: [Trace]: missing key node=\n");
}

static void testFiles(void)
{
	struct ptRequest request = { .file = "none.cfg",
				     .drivers = testDrivers,
				     .depth = -1 };
	struct ptConfig config;
	char *large = g_strnfill(HD_INI_MAX + 1, '\n');

	g_string_truncate(messages, 0);
	g_assert_cmpint(ptConfigRead(&request, &config), ==, PT_ECONFNOTFOUND);
	request.file = ".";
	/* It is said once a process. */
	g_assert_true(ptLogger.hasSaidIt);
	ptLogger.hasSaidIt = false;
	g_assert_cmpint(ptConfigRead(&request, &config), ==, PT_ECONFNOTFOUND);
	g_assert_cmpstr(messages->str, ==,
			"none.cfg: cannot read: No such file or directory\n"
			".: cannot read: Is a directory\n");
	g_assert_cmpint(readText(large, &request, &config), ==,
			PT_ECONFINVALID);
	g_assert_cmpstr(messages->str, ==,
			"pt.cfg: larger than 1048576 bytes\n");
	g_free(large);
}

static void testHosts(void)
{
	char name[256] = "", *longer;

	g_assert_cmpint(gethostname(name, sizeof(name) - 1), ==, 0);
	longer = g_strconcat(name, ".example.org", NULL);
	g_assert_true(ptConfigIsHere(NULL));
	g_assert_true(ptConfigIsHere("localhost"));
	g_assert_true(ptConfigIsHere(name));
	/* A host is known by its name without domain, too. */
	g_assert_true(ptConfigIsHere(longer));
	for (char *at = longer; *at; at++)
		*at = g_ascii_toupper(*at);
	g_assert_true(ptConfigIsHere(longer));
	longer[strlen(name)] = 'x';
	g_assert_false(ptConfigIsHere(longer));
	g_assert_false(ptConfigIsHere(""));
	g_assert_false(ptConfigIsHere("."));
	g_assert_false(ptConfigIsHere("node-that-is-elsewhere"));
	g_free(longer);
}

int main(int argc, char **argv)
{
	char *directory;
	int result;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("hdtrace-pt-config-XXXXXX", NULL);
	g_assert_cmpint(g_chdir(directory), ==, 0);
	messages = g_string_new(NULL);
	ptLogger.print = catch;
	g_test_add_func("/pt/config/good", testGood);
	g_test_add_func("/pt/config/all-channels", testAllChannels);
	g_test_add_func("/pt/config/host-node", testHostNode);
	g_test_add_func("/pt/config/ports", testPorts);
	g_test_add_func("/pt/config/own-way", testOwnWay);
	g_test_add_func("/pt/config/scales", testScales);
	g_test_add_func("/pt/config/overrides", testOverrides);
	g_test_add_func("/pt/config/errors", testErrors);
	g_test_add_func("/pt/config/cycles", testCycles);
	g_test_add_func("/pt/config/all-errors", testAllErrors);
	g_test_add_func("/pt/config/files", testFiles);
	g_test_add_func("/pt/config/hosts", testHosts);
	result = g_test_run();
	g_unlink(FILE_NAME);
	g_assert_cmpint(g_chdir("/"), ==, 0);
	g_rmdir(directory);
	g_free(directory);
	g_string_free(messages, TRUE);
	return result;
}
