/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare-ops OPERATION COUNT: does an operation of the writing library so
 * often, in the current directory; prints the CPU time of it in nanoseconds.
 * compare-ops run COMMAND [ARGUMENT...]: the CPU time of a command, whose
 * output goes nowhere.
 *
 * Built with the public headers and the library of a revision, so it knows of
 * nothing else.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Older revisions have none. */
#if __has_include(<hdRelation.h>)
#include <hdRelation.h>
#define HAS_RELATIONS 1
#endif
#include <hdStats.h>
#include <hdTopology.h>
#include <hdTrace.h>

#define COLUMNS 15

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static hdTopoNode *makeNode(void)
{
	const char *levels[] = { "Host", "Rank", "Thread" };
	const char *path[] = { "node01", "3", "0" };
	hdTopology *topology = hdT_createTopology("ops", levels, 3);
	hdTopoNode *node = NULL;

	if (topology)
		node = hdT_createTopoNode(topology, path, 3);
	if (!node)
		fail("topology");
	return node;
}

static hdTrace *makeTrace(void)
{
	hdTrace *trace = hdT_createTrace(makeNode());

	if (!trace)
		fail("trace");
	return trace;
}

static hdStatsGroup *makeGroup(void)
{
	hdStatsGroup *group = hdS_createGroup("Ops", makeNode(), 1);
	char name[16];

	if (!group)
		fail("group");
	for (int i = 0; i < COLUMNS; i++) {
		snprintf(name, sizeof(name), "value%d", i);
		if (hdS_addValue(group, name, DOUBLE, "W", NULL) != 0)
			fail("value");
	}
	if (hdS_commitGroup(group) != 0)
		fail("commit");
	hdS_enableGroup(group);
	return group;
}

/* A state as of MPI_Send. */
static void states(long count)
{
	hdTrace *trace = makeTrace();

	for (long i = 0; i < count; i++) {
		hdT_logStateStart(trace, "Send");
		hdT_logAttributeInt64(trace, "size", i * 8);
		hdT_logAttributeInt64(trace, "toRank", i & 63);
		hdT_logAttributeInt64(trace, "toTag", 1313);
		hdT_logAttributeString(trace, "file", "visualization.dat");
		hdT_logStateEnd(trace);
	}
	if (hdT_finalize(trace) != 0)
		fail("states");
}

/* One without anything. */
static void bareStates(long count)
{
	hdTrace *trace = makeTrace();

	for (long i = 0; i < count; i++) {
		hdT_logStateStart(trace, "Send");
		hdT_logStateEnd(trace);
	}
	if (hdT_finalize(trace) != 0)
		fail("states");
}

/* Value by value. */
static void entries(long count)
{
	hdStatsGroup *group = makeGroup();

	for (long i = 0; i < count; i++)
		for (int k = 0; k < COLUMNS; k++)
			hdS_writeDoubleValue(group, (double)(i + k));
	if (hdS_finalize(group) != 0)
		fail("entries");
}

/* All values at once. */
static void wholeEntries(long count)
{
	hdStatsGroup *group = makeGroup();
	double entry[COLUMNS];

	for (long i = 0; i < count; i++) {
		for (int k = 0; k < COLUMNS; k++) {
			entry[k] = (double)(i + k);
			order_bytes64fp(&entry[k]);
		}
		hdS_writeEntry(group, entry, sizeof(entry));
	}
	if (hdS_finalize(group) != 0)
		fail("entries");
}

/* The same, of an entry that is there: what is the library's of it. */
static void madeEntries(long count)
{
	hdStatsGroup *group = makeGroup();
	double entry[COLUMNS];

	for (int k = 0; k < COLUMNS; k++) {
		entry[k] = (double)k;
		order_bytes64fp(&entry[k]);
	}
	for (long i = 0; i < count; i++)
		hdS_writeEntry(group, entry, sizeof(entry));
	if (hdS_finalize(group) != 0)
		fail("entries");
}

#ifdef HAS_RELATIONS
/* With a state and two attributes. */
static void relations(long count)
{
	static const char *const keys[] = { "offset", "size" };
	static const char *const values[] = { "943718400", "262144" };
	hdTopoNode *node = makeNode();
	hdR_topoToken topology;

	if (hdR_initTopology(node, &topology) != 0 || !topology)
		fail("relations");
	for (long i = 0; i < count; i++) {
		hdR_token token = hdR_createTopLevelRelation(topology);

		hdR_start(token, "pwrite", 1, keys, values);
		hdR_end(token, 1, keys + 1, values + 1);
		hdR_destroyRelation(&token);
	}
	if (hdR_finalize(&topology) != 0)
		fail("relations");
}
#endif

static int run(char **command)
{
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execv(command[0], command);
		_exit(127);
	}
	if (wait4(child, &status, 0, &usage) < 0)
		fail("wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
		fprintf(stderr, "%s %s fails\n", command[0],
			command[1] ? command[1] : "");
		return 2;
	}
	printf("%lld\n",
	       (long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
			       1000000000 +
		       (long long)(usage.ru_utime.tv_usec +
				   usage.ru_stime.tv_usec) *
			       1000);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long count);
	} operations[] = {
		{ "state", states },       { "bare", bareStates },
		{ "entry", entries },      { "writeEntry", wholeEntries },
		{ "made", madeEntries },
#ifdef HAS_RELATIONS
		{ "relation", relations },
#endif
	};
	struct timespec used;

	if (argc > 2 && strcmp(argv[1], "run") == 0)
		return run(argv + 2);
	for (size_t i = 0;
	     argc == 3 && i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (strcmp(operations[i].name, argv[1]) != 0)
			continue;
		operations[i].run(atol(argv[2]));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
		printf("%lld\n",
		       (long long)used.tv_sec * 1000000000 + used.tv_nsec);
		return 0;
	}
	fprintf(stderr, "Usage: compare-ops "
			"state|bare|entry|writeEntry|made|relation COUNT\n"
			"       compare-ops run COMMAND [ARGUMENT...]\n");
	return 2;
}
