/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Dialogues with lmg450-sim: what it answers, and what goes wrong on demand.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "tests/sim/client.h"

/** Commands and their answers, one dialogue. */
struct row {
	const char *command;
	const char *answer;
};

#define ERROR_HEADER "-113,\"Undefined header\""
#define NO_ERROR "0,\"No error\"\n"
#define IDENTITY "ZES ZIMMER Electronic Systems GmbH,LMG450,12345678,3.115\n"

/** Channel 1 has easy numbers. */
#define EASY " --law=1:constant:watts=160,volts=200,factor=0.8,hertz=60"

/* A command without an answer is followed by one that has one, so nothing can
   come unnoticed. */
static void talk(struct client *client, const struct row *rows, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_test_message("%s", rows[i].command);
		clientSend(client, rows[i].command);
		clientSend(client, "\n*OPC?\n");
		clientExpectText(client, rows[i].answer);
		clientExpectText(client, "1\n");
	}
}

static const struct row text[] = {
	{ "*IDN?", IDENTITY },
	{ "  *idn? ; *opc?\r", "ZES ZIMMER Electronic Systems GmbH,LMG450,"
			       "12345678,3.115;1\n" },
	{ "", "" },
	{ ";;", "" },
	/* SCPI. */
	{ "UTRMS?", "" },
	{ "INIM", "" },
	{ "FRMT PACKED", "" },
	{ "SYST:ERR:ALL?",
	  ERROR_HEADER "," ERROR_HEADER "," ERROR_HEADER "\n" },
	{ ":SYSTem:ERRor:ALL?", NO_ERROR },
	{ "SYST:LANG", "" },
	{ "SYST:LANG LONG", "" },
	{ "SYSTE:LANG SHORT", "" },
	{ "SYST:ERR:ALL?", "-109,\"Missing parameter\",-224,\"Illegal "
			   "parameter value\"," ERROR_HEADER "\n" },
	{ "foo", "" },
	{ "*CLS", "" },
	{ "SYST:ERR:ALL?", NO_ERROR },
	{ ":SYSTem:LANGuage SHORT", "" },
	/* SHORT. */
	{ "ERRALL?", NO_ERROR },
	{ "COUNT?", "0\n" },
	{ "INIM;UTRMS?;ITRMS?;P?",
	  "2.0000E+02;2.3000E+02;2.3000E+02;2.3000E+02;"
	  "1.0000E+00;9.1533E-01;1.3730E+00;1.8307E+00;"
	  "1.6000E+02;2.0000E+02;3.0000E+02;4.0000E+02\n" },
	{ "COUNT?;INIM;COUNT?;COUNT?", "1;2;2\n" },
	{ "P1?;P2?;P4?", "1.6000E+02;2.0000E+02;4.0000E+02\n" },
	{ "U1?", "" },
	{ "P0?", "" },
	{ "P5?", "" },
	{ "P", "" },
	{ "?", "" },
	{ "S1?;Q1?;PF1?;FREQ1?", "2.0000E+02;1.2000E+02;8.0000E-01;"
				 "6.0000E+01\n" },
	{ "utrms1?;itrms1?", "2.0000E+02;1.0000E+00\n" },
	{ "ERRALL?", ERROR_HEADER "," ERROR_HEADER "," ERROR_HEADER
				  "," ERROR_HEADER "," ERROR_HEADER "\n" },
	{ "CYCL?", "5.0000E-01\n" },
	{ "CYCL 0.05", "" },
	{ "CYCL?", "5.0000E-02\n" },
	{ "CYCL 60.000000", "" },
	{ "CYCL?", "6.0000E+01\n" },
	{ "CYCL 0.049;CYCL 60.1;CYCL nan;CYCL x;CYCL", "" },
	{ "CYCL?;ERRALL?",
	  "6.0000E+01;-222,\"Data out of range\",-222,\"Data out of "
	  "range\",-222,\"Data out of range\",-109,\"Missing parameter\","
	  "-109,\"Missing parameter\"\n" },
	{ "FRMT HEX;CONT MAYBE;CONT ON", "" },
	{ "ERRALL?", "-224,\"Illegal parameter value\",-224,\"Illegal "
		     "parameter value\",-221,\"Settings conflict\"\n" },
	{ "ACTN;P1?;*IDN?", "" },
	{ "ERRALL?", ERROR_HEADER "\n" },
	{ "*RST 1", "" },
	{ "ERRALL?", "-224,\"Illegal parameter value\"\n" },
	/* An energy of 60 s at 160 W, and none after *RST. */
	{ "EP1?", "4.4444E-02\n" },
	{ "INIM;EP1?", "2.7111E+00\n" },
	{ "*RST;CYCL?", "5.0000E-01\n" },
	{ "CONT ON;ERRALL?", "-221,\"Settings conflict\"\n" },
	{ "INIM;EP1?", "2.2222E-02\n" },
	{ "GTL", "" },
	{ ":SYSTem:LANGuage SHORT;ERRALL?", NO_ERROR },
	{ "LANG SCPI", "" },
	{ "ERRALL?", "" },
	{ "SYST:ERR:ALL?", ERROR_HEADER "\n" },
};

static void testText(void)
{
	struct client client;

	clientRun(&client, NULL, "--fastest" EASY);
	talk(&client, text, G_N_ELEMENTS(text));
	clientStop(&client);
	clientRemove(&client);
}

/* A line that never ends is an error, and the next one is not. */
static void testLongLine(void)
{
	struct client client;
	char *line = g_strnfill(9000, 'A');

	clientRun(&client, NULL, "--fastest");
	clientSend(&client, line);
	clientSend(&client, "\n*IDN?;SYST:ERR:ALL?\n");
	clientExpectText(&client, "ZES ZIMMER Electronic Systems GmbH,LMG450,"
				  "12345678,3.115;" ERROR_HEADER "\n");
	clientStop(&client);
	clientRemove(&client);
	g_free(line);
}

/** Packed answers; NUL is written as \0, so the length is given. */
static const struct {
	const char *blocks;
	const char *command;
	const char *answer;
	gsize length;
} packed[] = {
	{ "one", "P1?", "#500004\0\0\x20\x43\n", 12 },
	{ "one", "UTRMS1?;ITRMS1?;P1?",
	  "#500012\0\0\x48\x43\0\0\x80\x3f\0\0\x20\x43\n", 20 },
	{ "one", "P?",
	  "#500016\0\0\x20\x43\0\0\x48\x43\0\0\x96\x43\0\0\xc8\x43\n", 24 },
	{ "one", "COUNT?", "#500004\0\0\x80\x3f\n", 12 },
	{ "one", "*OPC?", "#5000011\n", 9 },
	{ "one", "P1?;*OPC?;P2?",
	  "#500004\0\0\x20\x43#5000011#500004\0\0\x48\x43\n", 31 },
	{ "each", "P1?", "#14\0\0\x20\x43\n", 8 },
	{ "each", "P?",
	  "#14\0\0\x20\x43#14\0\0\x48\x43#14\0\0\x96\x43#14\0\0\xc8\x43\n",
	  29 },
	{ "each", "*OPC?;P1?", "#5000011#14\0\0\x20\x43\n", 16 },
};

static void testPacked(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(packed); i++) {
		struct client client;
		char *options = g_strdup_printf("--fastest --blocks=%s" EASY,
						packed[i].blocks);

		g_test_message("%s %s", packed[i].blocks, packed[i].command);
		clientRun(&client, NULL, options);
		clientSend(&client, "SYST:LANG SHORT\nINIM;P1?\n");
		clientExpectText(&client, "1.6000E+02\n");
		clientSend(&client, "FRMT PACKED\n");
		clientSend(&client, packed[i].command);
		clientSend(&client, "\nFRMT ASCII\n*OPC?\n");
		clientExpect(&client, packed[i].answer, packed[i].length);
		clientExpectText(&client, "1\n");
		clientStop(&client);
		clientRemove(&client);
		g_free(options);
	}
}

/* Continuous mode as a host begins it. */
#define BEGIN "SYST:LANG SHORT\nFRMT PACKED\nACTN;COUNT?\nCONT ON\n"

/* A message that BEGIN asks for: the count as a float, its third and fourth
   byte. */
#define COUNT(bytes) "#14\0\0" bytes "\n"
#define ONE COUNT("\x80\x3f")
#define TWO COUNT("\0\x40")
#define THREE COUNT("\x40\x40")

/** Faults of messages: a script, and what three messages become. */
static const struct {
	const char *script;
	const char *answer;
	gsize length;
} faults[] = {
#define ROW(script, answer)                        \
	{                                          \
		script, answer, sizeof(answer) - 1 \
	}
	ROW("", ONE TWO THREE),
	ROW("cycle 2: silent", ONE THREE),
	ROW("cycle 2-: silent", ONE),
	ROW("cycle 1-3: silent", ""),
	ROW("cycle 2: lose 3", ONE "#14\0\0\x40\n" THREE),
	ROW("cycle 2: lose 5 2", ONE "#14\0\0\n" THREE),
	ROW("cycle 2: lose -1", ONE "#14\0\0\0\x40" THREE),
	ROW("cycle 2: lose 0 100", ONE THREE),
	ROW("cycle 2: double 0", ONE "##14\0\0\0\x40\n" THREE),
	ROW("cycle 2: double -2 2", ONE "#14\0\0\0\x40\n\x40\n" THREE),
	ROW("cycle 2: double 0 8", ONE TWO TWO THREE),
	ROW("cycle 2: insert 0 0a 23", ONE "\n#" TWO THREE),
	ROW("cycle 2: insert 4 ff00", ONE "#14\0\xff\0\0\0\x40\n" THREE),
	ROW("cycle 2: insert 99 41", ONE TWO "A" THREE),
	ROW("cycle 2: replace 6869 0a", ONE "hi\n" THREE),
	ROW("cycle 2: length 1", ONE "#15\0\0\0\x40\n" THREE),
	ROW("cycle 2: length -4", ONE "#10\0\0\0\x40\n" THREE),
	ROW("cycle 2: values 1", ONE "#14\0\0\0\x40#14\0\0\0\x40\n" THREE),
	ROW("cycle 2: values -1", ONE "\n" THREE),
	ROW("cycle 2: ascii", ONE "2\n" THREE),
	ROW("cycle 2: slow 1", ONE TWO THREE),
	ROW("cycle 1: swap", TWO ONE THREE),
	ROW("cycle 2: swap", ONE THREE TWO),
	ROW("cycle 2: double 0 8\ncycle 2: lose -1",
	    ONE TWO "#14\0\0\0\x40" THREE),
	ROW("command CONT ON: lose 0", "14\0\0\x80\x3f\n" TWO THREE),
	ROW("time 0: silent", TWO THREE),
#undef ROW
};

static void testFaults(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(faults); i++) {
		struct client client;

		g_test_message("%s", faults[i].script);
		clientRun(&client, faults[i].script,
			  "--fastest --blocks=each --cycles=3");
		clientSend(&client, BEGIN);
		clientSays(&client, "done");
		clientSend(&client, "CONT OFF;FRMT ASCII\n*OPC?\n");
		clientExpect(&client, faults[i].answer, faults[i].length);
		clientExpectText(&client, "1\n");
		clientStop(&client);
		clientRemove(&client);
	}
}

/** Faults of answers: a script, commands, and what comes. */
static const struct {
	const char *script;
	const char *commands;
	const char *answer;
} answers[] = {
	{ "command *IDN?: silent", "*IDN?\n*OPC?", "1\n" },
	{ "command *IDN?#2: silent", "*IDN?\n*IDN?\n*OPC?", IDENTITY "1\n" },
	{ "command *IDN?#2-: silent", "*IDN?\n*IDN?\n*IDN?\n*OPC?",
	  IDENTITY "1\n" },
	{ "reply 2: silent", "*OPC?\n*IDN?\n*OPC?", "1\n1\n" },
	{ "reply 1: replace 4c4d470a", "*IDN?\n*OPC?", "LMG\n1\n" },
	{ "reply 1: packed", "*OPC?\n*OPC?", "#5000011\n1\n" },
	{ "command *IDN?#2: identity ACME,1", "*IDN?\n*IDN?\n*IDN?",
	  IDENTITY "ACME,1\nACME,1\n" },
	{ "command *IDN?: lose -1", "*IDN?\n*OPC?",
	  "ZES ZIMMER Electronic Systems GmbH,LMG450,12345678,3.1151\n" },
	{ "command *OPC?#1: error -350,\"Queue overflow\"",
	  "*OPC?\nSYST:ERR:ALL?\nSYST:ERR:ALL?",
	  "1\n-350,\"Queue overflow\"\n" NO_ERROR },
	{ "command SYST:LANG SHORT: silent", "SYST:LANG SHORT\nCOUNT?\n*OPC?",
	  "1\n" },
	{ "command *OPC?#1: count 65535",
	  "SYST:LANG SHORT\n*OPC?\nCOUNT?\nINIM;COUNT?", "1\n65535\n0\n" },
	{ "command *OPC?: silent\nreply 1: error -1,\"A\"",
	  "*OPC?\n*IDN?\nSYST:ERR:ALL?", IDENTITY "-1,\"A\"\n" },
	{ "time 0: error -310,\"System error\"", "SYST:ERR:ALL?",
	  "-310,\"System error\"\n" },
};

static void testAnswers(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(answers); i++) {
		struct client client;

		g_test_message("%s", answers[i].script);
		clientRun(&client, answers[i].script, "--fastest");
		clientSend(&client, answers[i].commands);
		clientSend(&client, "\n");
		clientExpectText(&client, answers[i].answer);
		clientStop(&client);
		clientRemove(&client);
	}
}

/* It hangs for ever: what it had sent before comes, and then nothing; it can
   still be ended. */
static void testHang(void)
{
	struct client client;

	clientRun(&client, "cycle 2: hang", "--fastest --blocks=each");
	clientSend(&client, BEGIN);
	clientExpect(&client, ONE, sizeof(ONE) - 1);
	clientSend(&client, "*IDN?\n");
	clientStop(&client);
	clientRemove(&client);

	/* For a while: what was sent meanwhile is answered afterwards. */
	clientRun(&client, "command *IDN?#1: hang 0.05",
		  "--fastest --log=@/log");
	clientSend(&client, "*IDN?\n");
	clientAwaitFile(&client, "log", "hangs");
	clientSend(&client, "*OPC?\n");
	clientExpectText(&client, "1\n");
	clientStop(&client);
	clientRemove(&client);
}

/* After "off and on" it is as at first. */
static void testReboot(void)
{
	static const struct row after[] = {
		{ "COUNT?", "" },
		{ "SYST:ERR:ALL?", ERROR_HEADER "\n" },
		{ "SYST:LANG SHORT", "" },
		{ "COUNT?;CYCL?", "0;5.0000E-01\n" },
	};
	struct client client;
	double start;

	clientRun(&client, "command GTL: reboot 0.05", "--fastest --log=@/log");
	clientSend(&client, "foo\nSYST:LANG SHORT\nCYCL 2\nINIM;COUNT?\n");
	clientExpectText(&client, "1\n");
	start = clientTime();
	clientSend(&client, "GTL\n");
	clientAwaitFile(&client, "log", "switched off");
	clientSend(&client, "*OPC?\n");
	clientExpectText(&client, "1\n");
	g_assert_cmpfloat(clientTime() - start, >=, 50);
	talk(&client, after, G_N_ELEMENTS(after));
	clientStop(&client);
	clientRemove(&client);
}

/* Read until the port is gone; what was on its way may be lost. */
static void readToEnd(struct client *client)
{
	char buffer[64];

	while (clientRead(client, buffer, sizeof(buffer)))
		continue;
}

/* Without a plug there is no port; with one there is, and the meter has gone
   on. */
static void testUnplug(void)
{
	struct client client;
	char byte;

	clientRun(&client, "cycle 2: unplug 0.05", "--fastest --blocks=each");
	clientSend(&client, BEGIN);
	readToEnd(&client);
	clientClose(&client);
	while (!g_file_test(client.port, G_FILE_TEST_EXISTS))
		g_usleep(1000);
	clientOpen(&client);
	/* Still in continuous mode: nobody saw a BREAK. */
	clientRead(&client, &byte, 1);
	g_assert_cmpint(byte, ==, '#');
	clientStop(&client);
	clientRemove(&client);
}

static void testUnplugForEver(void)
{
	struct client client;

	clientRun(&client, "command *IDN?: unplug", "--fastest");
	clientSend(&client, "*IDN?\n");
	readToEnd(&client);
	g_assert_false(g_file_test(client.port, G_FILE_TEST_IS_SYMLINK));
	clientStop(&client);
	clientRemove(&client);
}

/** What COUNT? answers, by its kind: in two readings, and in continuous mode.
 */
static const struct {
	const char *kind;
	const char *first, *second, *third;
	bool isError;
} counters[] = {
	{ "cycles", "1;1.6000E+02\n", "2;1.6000E+02\n", "3;1.6000E+02\n" },
	{ "zero", "0;1.6000E+02\n", "0;1.6000E+02\n", "0;1.6000E+02\n" },
	{ "stuck", "4711;1.6000E+02\n", "4711;1.6000E+02\n",
	  "4711;1.6000E+02\n" },
	{ "halves", "0;1.6000E+02\n", "1;1.6000E+02\n", "1;1.6000E+02\n" },
	/* Cycles of half a second, after 7 ms. */
	{ "clock", "10;1.6000E+02\n", "20;1.6000E+02\n", "30;1.6000E+02\n" },
	{ "fraction", "1.5000E+00;1.6000E+02\n", "2.5000E+00;1.6000E+02\n",
	  "3.5000E+00;1.6000E+02\n" },
	{ "error", "-113,\"Undefined header\";1.6000E+02\n",
	  "-113,\"Undefined header\";1.6000E+02\n",
	  "-113,\"Undefined header\";1.6000E+02\n", true },
	{ "empty", ";1.6000E+02\n", ";1.6000E+02\n", ";1.6000E+02\n", true },
	{ "missing", "1.6000E+02\n", "1.6000E+02\n", "1.6000E+02\n", true },
	{ "last", "1.6000E+02\n", "1.6000E+02;1.6000E+02\n",
	  "1.6000E+02;1.6000E+02\n" },
	{ "values", "1.6000E+02\n", "1.6000E+02;1.6000E+02\n",
	  "1.6000E+02;1.6000E+02\n" },
	{ "channels", "1;1;1;1;1.6000E+02\n", "2;2;2;2;1.6000E+02\n",
	  "3;3;3;3;1.6000E+02\n" },
	{ "once", "1;1.6000E+02\n", "2;1.6000E+02\n", "0;1.6000E+02\n" },
};

static void testCounters(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(counters); i++) {
		char *options = g_strdup_printf(
			"--fastest --cycles=1 --counter=%s" EASY,
			counters[i].kind);
		struct client client;

		g_test_message("%s", options);
		clientRun(&client, NULL, options);
		clientSend(&client, ":SYST:LANG SHORT\nINIM;COUNT?;P1?\n");
		clientExpectText(&client, counters[i].first);
		clientSend(&client, "INIM;COUNT?;P1?\n");
		clientExpectText(&client, counters[i].second);
		clientSend(&client, "*CLS\nACTN;COUNT?;P1?\nCONT ON\n");
		clientExpectText(&client, counters[i].third);
		clientSend(&client, "ERRALL?\n");
		clientExpectText(&client, counters[i].isError ? ERROR_HEADER
						  "\n"
							      : NO_ERROR);
		clientStop(&client);
		clientRemove(&client);
		g_free(options);
	}
}

/* Packed: an empty value is a block of nothing; and a rule of a script. */
static void testCounterPacked(void)
{
	struct client client;

	clientRun(&client, "cycle 2: counter empty",
		  "--fastest --cycles=2" EASY);
	clientSend(&client, ":SYST:LANG SHORT\nFRMT PACKED\n"
			    "ACTN;COUNT?;P1?\nCONT ON\n");
	clientExpect(&client, "#500008\0\0\x80\x3f\0\0\x20\x43\n", 16);
	clientExpect(&client, "#500008\0\0\0\x40\0\0\x20\x43\n", 16);
	clientSend(&client, "CONT OFF\nCOUNT?\n");
	clientExpectText(&client, "#500000\n");
	clientStop(&client);
	clientRemove(&client);
}

/* Without a digit a query is of one channel. */
static void testNoDigit(void)
{
	struct client client;

	clientRun(&client, NULL, "--fastest --no-digit=one" EASY);
	clientSend(&client, ":SYST:LANG SHORT\nINIM;UTRMS?;P?;P2?;COUNT?\n");
	clientExpectText(&client, "2.0000E+02;1.6000E+02;2.0000E+02;1\n");
	clientStop(&client);
	clientRemove(&client);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sim/text", testText);
	g_test_add_func("/sim/long-line", testLongLine);
	g_test_add_func("/sim/packed", testPacked);
	g_test_add_func("/sim/counters", testCounters);
	g_test_add_func("/sim/counters/packed", testCounterPacked);
	g_test_add_func("/sim/no-digit", testNoDigit);
	g_test_add_func("/sim/faults/messages", testFaults);
	g_test_add_func("/sim/faults/answers", testAnswers);
	g_test_add_func("/sim/faults/hang", testHang);
	g_test_add_func("/sim/faults/reboot", testReboot);
	g_test_add_func("/sim/faults/unplug", testUnplug);
	g_test_add_func("/sim/faults/unplug-for-ever", testUnplugForEver);
	return g_test_run();
}
