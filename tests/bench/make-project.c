/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * make-project [OPTION...] PREFIX: writes a project of any size.
 *
 * It is what a parallel solver leaves: each rank loads, computes in steps, and
 * writes; in a step it computes, exchanges messages with the ranks beside it
 * and waits for all of them. Nodes use their processors while their ranks
 * compute, and draw power by that. The same options give the same bytes, since
 * chance is a hash of the seed and of what it is asked for; so every message
 * that is sent is received, and not before.
 *
 * A node has its power and utilization in groups of statistics; that of the
 * second one has a gap, that of the third one a sensor that fails for a while,
 * and some samples are late.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdTrace.h>
#include "common/clock.h"
#include "tests/bench/make-project.h"

/** When all projects start, in s since the epoch. */
#define PROJECT_START INT64_C(1700000000)
/** A step without statistics that say how long the run is. */
#define STEP_NS INT64_C(250000000)
/** Parts of the run: loading, computing; the rest is writing. */
#define LOAD_PART 0.1
#define SOLVE_PART 0.8

/* ---- What all parts need ------------------------------------------------ */

void makeCheck(bool isGood, const char *what)
{
	const char *why = hdT_strerror(errno);

	if (isGood)
		return;
	fprintf(stderr, "make-project: %s: %s\n", what,
		why ? why : strerror(errno));
	exit(EXIT_FAILURE);
}

double makeChance(const struct makeShape *shape, enum makeTopic topic,
		  int64_t a, int64_t b)
{
	uint64_t x = shape->seed * 4 + (uint64_t)topic;

	x = (x ^ (uint64_t)a) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32 ^ (uint64_t)b) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
	return (double)((x ^ x >> 32) >> 11) * 0x1p-53;
}

struct timespec makeTime(int64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(PROJECT_START + ns / HD_NS_PER_S),
		.tv_nsec = (long)(ns % HD_NS_PER_S),
	};
}

hdTopoNode *makeNode(hdTopology *topology, int64_t host, int64_t rank)
{
	char labels[2][32];
	const char *path[] = { labels[0], labels[1], "0" };
	hdTopoNode *node;

	snprintf(labels[0], sizeof(labels[0]), "node%03" PRId64, host + 1);
	snprintf(labels[1], sizeof(labels[1]), "%" PRId64, rank);
	node = hdT_createTopoNode(topology, path, rank < 0 ? 1 : 3);
	makeCheck(node, labels[0]);
	return node;
}

/* ---- The project ------------------------------------------------------- */

static void putNodes(const struct makeShape *shape, FILE *file)
{
	fputs("  <Topology>\n    <Level type=\"Host\">\n"
	      "      <Level type=\"Rank\">\n        <Level type=\"Thread\" />\n"
	      "      </Level>\n    </Level>\n",
	      file);
	for (int64_t host = 0; host < shape->nodes; host++) {
		fprintf(file, "    <Node name=\"node%03" PRId64 "\">\n",
			host + 1);
		for (int64_t i = 0; i < shape->ranksOfNode; i++)
			fprintf(file,
				"      <Node name=\"%" PRId64
				"\">\n        <Node name=\"0\" />\n"
				"      </Node>\n",
				host * shape->ranksOfNode + i);
		fputs("    </Node>\n", file);
	}
	fputs("  </Topology>\n", file);
}

static void putRanks(const struct makeShape *shape, FILE *file)
{
	if (shape->records == 0)
		return;
	fputs("  <CommunicatorList>\n    <Communicator name=\"WORLD\">\n",
	      file);
	for (int64_t rank = 0; rank < shape->ranks; rank++)
		fprintf(file,
			"      <Rank global=\"%" PRId64 "\" local=\"%" PRId64
			"\" cid=\"0\" />\n",
			rank, rank);
	fputs("    </Communicator>\n  </CommunicatorList>\n  <Datatypes>\n",
	      file);
	for (int64_t rank = 0; rank < shape->ranks; rank++)
		fprintf(file,
			"    <Rank name=\"%" PRId64 "\" thread=\"0\">\n"
			"      <NAMED id=\"0\" name=\"MPI_DOUBLE\" />\n"
			"    </Rank>\n",
			rank);
	fputs("  </Datatypes>\n", file);
}

static void writeProject(const struct makeShape *shape)
{
	char *path = NULL;
	FILE *file;

	makeCheck(asprintf(&path, "%s.proj", shape->prefix) > 0, "memory");
	file = fopen(path, "wx");
	makeCheck(file, path);
	fprintf(file,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<Application name=\"%s\">\n"
		"  <Description>made by make-project: %" PRId64
		" nodes, %" PRId64 " ranks</Description>\n",
		basename(shape->prefix), shape->nodes, shape->ranks);
	putNodes(shape, file);
	putRanks(shape, file);
	if (shape->entries)
		fputs("  <ExternalStatistics>\n    <Energy />\n"
		      "    <Utilization />\n  </ExternalStatistics>\n",
		      file);
	fputs("</Application>\n", file);
	makeCheck(fclose(file) == 0, path);
	free(path);
}

static void makeProject(const struct makeShape *shape)
{
	const char *levels[] = { "Host", "Rank", "Thread" };
	hdTopology *topology = hdT_createTopology(shape->prefix, levels, 3);

	makeCheck(topology, shape->prefix);
	for (int64_t host = 0; host < shape->nodes && shape->entries; host++)
		makeGroups(shape, topology, host);
	for (int64_t rank = 0; rank < shape->ranks; rank++) {
		if (shape->records + (rank < shape->rest) > 0)
			makeTrace(shape, topology, rank);
	}
	hdT_destroyTopology(topology);
	writeProject(shape);
}

/* ---- Options ----------------------------------------------------------- */

static void printHelp(FILE *file)
{
	fputs("Usage: make-project [OPTION...] PREFIX\n\n"
	      "Writes a project: PREFIX.proj and what belongs to it.\n\n"
	      "  --nodes=N    computers (64)\n"
	      "  --ranks=N    ranks on each (8)\n"
	      "  --records=N  states and events of all ranks (20000000)\n"
	      "  --values=N   values of statistics of all nodes (100000000)\n"
	      "  --period=MS  time between two entries (10)\n"
	      "  --seed=N     chance (1)\n\n"
	      "A node has 16 values in 2 groups; numbers are rounded down to "
	      "whole entries.\n",
	      file);
}

static int64_t number(const char *text, int64_t min, int64_t max)
{
	char *rest;
	double value = strtod(text, &rest);

	if (rest == text || *rest || !(value >= (double)min) ||
	    !(value <= (double)max)) {
		fprintf(stderr,
			"make-project: not a number from %" PRId64
			" to %" PRId64 ": \"%s\"\n",
			min, max, text);
		exit(2);
	}
	return (int64_t)value;
}

/** What follows from the options. */
static void deriveShape(struct makeShape *shape, int64_t records,
			int64_t values)
{
	shape->ranks = shape->nodes * shape->ranksOfNode;
	shape->records = records / shape->ranks;
	shape->rest = records % shape->ranks;
	shape->entries = values / shape->nodes / MAKE_VALUES;
	if (records > 0 && shape->records < MAKE_PHASE_RECORDS) {
		fprintf(stderr, "make-project: a rank needs %d records\n",
			MAKE_PHASE_RECORDS);
		exit(2);
	}
	/* A tenth reads and writes files. */
	if (shape->records > 0)
		shape->steps = (shape->records - MAKE_PHASE_RECORDS) * 9 / 10 /
			       MAKE_STEP_RECORDS;
	shape->runtime = shape->entries * shape->period;
	if (shape->runtime == 0)
		shape->runtime = (int64_t)((double)(shape->steps * STEP_NS) /
					   SOLVE_PART) +
				 HD_NS_PER_S;
	shape->solve = (int64_t)(LOAD_PART * (double)shape->runtime);
	if (shape->steps)
		shape->step = (int64_t)(SOLVE_PART * (double)shape->runtime) /
			      shape->steps;
	makeSteps(shape);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "nodes", required_argument, NULL, 'n' },
		{ "ranks", required_argument, NULL, 'r' },
		{ "records", required_argument, NULL, 'e' },
		{ "values", required_argument, NULL, 'v' },
		{ "period", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct makeShape shape = {
		.seed = 1,
		.nodes = 64,
		.ranksOfNode = 8,
		.period = 10 * HD_NS_PER_S / 1000,
	};
	int64_t records = 20000000;
	int64_t values = 100000000;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'n')
			shape.nodes = number(optarg, 1, 999);
		else if (option == 'r')
			shape.ranksOfNode = number(optarg, 1, 999);
		else if (option == 'e')
			records = number(optarg, 0, INT64_C(1) << 40);
		else if (option == 'v')
			values = number(optarg, 0, INT64_C(1) << 40);
		else if (option == 'p')
			shape.period =
				number(optarg, 1, 1000000) * HD_NS_PER_S / 1000;
		else if (option == 's')
			shape.seed = (uint64_t)number(optarg, 0, INT32_MAX);
		else
			break;
	}
	if (option == 'h') {
		printHelp(stdout);
		return 0;
	}
	if (option != -1 || argc - optind != 1) {
		printHelp(stderr);
		return 2;
	}
	shape.prefix = argv[optind];
	deriveShape(&shape, records, values);
	makeProject(&shape);
	free(shape.stepEnds);
	return 0;
}
