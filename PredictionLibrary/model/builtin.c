/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boards and tables of the thesis: see builtin.h and doc/prediction.md.
 *
 * Assumptions, where the thesis leaves something open: each quad core has three
 * PEs for tasks (one core is for communication), an XU4 four A15 and three A7;
 * each transfer takes 1 ms to begin with, a half at either end; MATSRC and
 * MATSINK take nothing; energies of packets as in section 13.3.4.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/model/builtin.h"

/* Of table 13.2: the delay of a path is the larger of what its ends take; where
 * only an upper bound is known, that. */
struct board {
	const char *name;
	double out, in; /* ns for a packet. */
	double energy;  /* nJ for a packet. */
	double memory;
	double idle[5]; /* Table 13.1, by board. */
	struct {
		const char *architecture;
		unsigned int count;
	} pes[2];
};

#define GIB (1024. * 1024 * 1024)

static const struct board boards[] = {
	{ "ATB",
	  50000,
	  50000,
	  5000,
	  2 * GIB,
	  { 2.190, 2.195, 2.182, 2.154, 2.177 },
	  { { "A17", 3 } } },
	{ "XU4",
	  190000,
	  220000,
	  10000,
	  2 * GIB,
	  { 2.279, 2.347, 2.364, 2.355, 2.356 },
	  { { "A15", 4 }, { "A7", 3 } } },
	{ "C1+",
	  80000,
	  110000,
	  5000,
	  GIB,
	  { 1.126, 1.138, 1.123, 1.123, 1.124 },
	  { { "A5", 3 } } },
};

/* Half of 1 ms. */
#define STARTUP 500000

static int addBoard(hdPPlatform *platform, const struct board *board,
		    unsigned int number, int64_t network)
{
	char id[32], name[64];
	int64_t node, memory, inner;
	int ret;

	snprintf(id, sizeof(id), "%s-%u", board->name, number);
	ret = hdP_addNodeArchitecture(platform, id, board->idle[number - 1], 0);
	if (ret < 0)
		return ret;
	node = hdP_addNode(platform, -1, id, id);
	snprintf(name, sizeof(name), "%s.RAM", id);
	memory = hdP_addMemory(platform, node, name, board->memory);
	if (node < 0 || memory < 0)
		return -ENOMEM;
	for (size_t i = 0; i < 2 && board->pes[i].architecture; i++) {
		const char *architecture = board->pes[i].architecture;

		/* Cores of one kind slow each other down. */
		snprintf(name, sizeof(name), "%s.%s", id, architecture);
		inner = hdP_addNode(platform, node, name, NULL);
		for (unsigned int c = 0; c < board->pes[i].count; c++) {
			snprintf(name, sizeof(name), "%s.%s-%u", id,
				 architecture, c);
			if (hdP_addPe(platform, inner, name, architecture) < 0)
				return -ENOMEM;
		}
	}
	snprintf(name, sizeof(name), "%s.Ethernet-out", id);
	snprintf(id, sizeof(id), "%s-out", board->name);
	ret = hdP_addBridge(platform, node, name, id, memory, network, 0);
	if (ret < 0)
		return ret;
	name[strlen(name) - 3] = '\0';
	strcat(name, "in");
	snprintf(id, sizeof(id), "%s-in", board->name);
	return hdP_addBridge(platform, node, name, id, network, memory, 0);
}

static int addKind(hdPPlatform *platform, const struct board *board,
		   int64_t network)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "%s-out", board->name);
	ret = hdP_addBridgeArchitecture(platform, name, STARTUP, 1492,
					board->out, board->energy);
	snprintf(name, sizeof(name), "%s-in", board->name);
	if (ret == 0)
		ret = hdP_addBridgeArchitecture(platform, name, STARTUP, 1492,
						board->in, board->energy);
	for (unsigned int i = 1; i <= 5 && ret == 0; i++)
		ret = addBoard(platform, board, i, network);
	return ret;
}

int hdPredictBuiltinPlatform(const char *name, hdPPlatform *platform)
{
	bool isAll = strcmp(name, "thesis") == 0;
	bool isEvaluation = strcmp(name, "thesis-eval") == 0;
	int64_t network;
	int ret = 0;

	if (!isAll && !isEvaluation && strcmp(name, "thesis-xu4") != 0)
		return -ENOENT;
	network = hdP_addChannel(platform, -1, "Switch");
	if (network < 0)
		return (int)network;
	for (size_t i = 0; i < 3 && ret == 0; i++) {
		if (i == 1 || isAll || (isEvaluation && i == 0))
			ret = addKind(platform, &boards[i], network);
	}
	return ret < 0 ? ret : hdP_finishPlatform(platform, NULL, NULL);
}

/* Table 14.2: s and J, by architecture and size of tiles; 1.009 s of TRSM, 128,
 * on A5 is as it was printed, where 0.1 is likely (doc/prediction.md). */
static const char *const kernels[] = { "GEMM", "TRSM", "SYRK", "POTRF" };
static const struct {
	const char *architecture;
	double size;
	double costs[4][2];
} table142[] = {
	{ "A5",
	  128,
	  { { 0.226, 0.030 },
	    { 1.009, 0.036 },
	    { 0.098, 0.014 },
	    { 0.005, 0.010 } } },
	{ "A7",
	  128,
	  { { 0.459, 0.041 },
	    { 0.101, 0.033 },
	    { 0.111, 0.027 },
	    { 0.007, 0.018 } } },
	{ "A15",
	  128,
	  { { 0.136, 0.056 },
	    { 0.041, 0.038 },
	    { 0.050, 0.041 },
	    { 0.003, 0.021 } } },
	{ "A17",
	  128,
	  { { 0.073, 0.048 },
	    { 0.026, 0.022 },
	    { 0.026, 0.022 },
	    { 0.001, 0.006 } } },
	{ "A5",
	  256,
	  { { 2.379, 0.463 },
	    { 0.882, 0.170 },
	    { 0.995, 0.149 },
	    { 0.044, 0.015 } } },
	{ "A7",
	  256,
	  { { 4.496, 0.369 },
	    { 0.924, 0.162 },
	    { 1.027, 0.120 },
	    { 0.053, 0.027 } } },
	{ "A15",
	  256,
	  { { 1.157, 0.414 },
	    { 0.325, 0.144 },
	    { 0.424, 0.190 },
	    { 0.024, 0.028 } } },
	{ "A17",
	  256,
	  { { 0.600, 0.364 },
	    { 0.210, 0.141 },
	    { 0.233, 0.159 },
	    { 0.013, 0.013 } } },
	{ "A5",
	  512,
	  { { 51.80, 22.80 },
	    { 22.03, 10.00 },
	    { 22.26, 9.624 },
	    { 0.540, 0.150 } } },
	{ "A7",
	  512,
	  { { 59.85, 12.92 },
	    { 24.52, 5.770 },
	    { 23.26, 4.959 },
	    { 0.637, 0.126 } } },
	{ "A15",
	  512,
	  { { 17.69, 6.332 },
	    { 3.566, 1.700 },
	    { 5.806, 1.879 },
	    { 0.179, 0.088 } } },
	{ "A17",
	  512,
	  { { 15.09, 9.146 },
	    { 5.573, 3.849 },
	    { 4.563, 2.911 },
	    { 0.122, 0.089 } } },
	{ "A5",
	  1024,
	  { { 422.5, 173.6 },
	    { 158.2, 72.10 },
	    { 147.8, 64.86 },
	    { 3.213, 1.308 } } },
	{ "A7",
	  1024,
	  { { 510.3, 110.9 },
	    { 215.3, 50.44 },
	    { 240.4, 53.74 },
	    { 5.635, 1.052 } } },
	{ "A15",
	  1024,
	  { { 269.1, 140.2 },
	    { 70.70, 45.84 },
	    { 126.1, 59.18 },
	    { 1.684, 0.933 } } },
	{ "A17",
	  1024,
	  { { 134.7, 79.84 },
	    { 52.76, 35.01 },
	    { 54.35, 34.04 },
	    { 0.971, 0.831 } } },
};

/* Table 14.3: factors with one and with two others. */
static const char *const table143Architectures[] = { "A5", "A7", "A15", "A17" };
static const struct {
	const char *kernel, *load;
	double factors[4][2];
} table143[] = {
	{ "GEMM",
	  "GEMM",
	  { { 1.035, 1.145 },
	    { 1.007, 1.115 },
	    { 1.046, 1.257 },
	    { 1.217, 1.501 } } },
	{ "GEMM",
	  "SYRK",
	  { { 1.030, 1.111 },
	    { 1.003, 1.008 },
	    { 1.026, 1.073 },
	    { 1.190, 1.459 } } },
	{ "GEMM",
	  "TRSM",
	  { { 1.044, 1.113 },
	    { 1.002, 1.009 },
	    { 1.056, 1.166 },
	    { 1.222, 1.519 } } },
	{ "POTRF",
	  "GEMM",
	  { { 1.004, 1.078 },
	    { 1.056, 1.101 },
	    { 1.025, 1.087 },
	    { 1.309, 1.589 } } },
	{ "POTRF",
	  "SYRK",
	  { { 1.010, 1.082 },
	    { 1.060, 1.098 },
	    { 1.032, 1.104 },
	    { 1.363, 1.691 } } },
	{ "POTRF",
	  "TRSM",
	  { { 1.002, 1.091 },
	    { 1.058, 1.100 },
	    { 1.086, 1.266 },
	    { 1.335, 1.646 } } },
	{ "SYRK",
	  "GEMM",
	  { { 1.448, 1.575 },
	    { 1.047, 1.056 },
	    { 1.024, 1.056 },
	    { 1.185, 1.400 } } },
	{ "SYRK",
	  "SYRK",
	  { { 1.427, 1.556 },
	    { 1.032, 1.048 },
	    { 1.027, 1.063 },
	    { 1.287, 1.634 } } },
	{ "SYRK",
	  "TRSM",
	  { { 1.420, 1.566 },
	    { 1.020, 1.024 },
	    { 1.052, 1.215 },
	    { 1.209, 1.500 } } },
	{ "TRSM",
	  "GEMM",
	  { { 1.309, 1.466 },
	    { 1.072, 1.300 },
	    { 1.376, 1.714 },
	    { 1.175, 1.437 } } },
	{ "TRSM",
	  "SYRK",
	  { { 1.304, 1.428 },
	    { 1.075, 1.105 },
	    { 1.074, 1.130 },
	    { 1.202, 1.523 } } },
	{ "TRSM",
	  "TRSM",
	  { { 1.276, 1.428 },
	    { 1.037, 1.068 },
	    { 1.457, 1.754 },
	    { 1.292, 1.560 } } },
};

static int addSlowdowns(hdPResources *resources)
{
	for (size_t i = 0; i < sizeof(table143) / sizeof(*table143); i++) {
		for (size_t a = 0; a < 4; a++) {
			for (uint32_t n = 1; n <= 2; n++) {
				int ret = hdP_addSlowdown(
					resources, table143Architectures[a],
					table143[i].kernel, table143[i].load, n,
					table143[i].factors[a][n - 1]);

				if (ret < 0)
					return ret;
			}
		}
	}
	return 0;
}

int hdPredictBuiltinResources(const char *name, hdPResources *resources)
{
	int ret;

	if (strcmp(name, "thesis") != 0)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(table142) / sizeof(*table142); i++) {
		for (size_t k = 0; k < 4; k++) {
			int64_t entry = hdP_addEntry(
				resources, kernels[k], table142[i].architecture,
				table142[i].costs[k][0],
				table142[i].costs[k][1], 0, 0);

			if (entry < 0 ||
			    hdP_addCondition(resources, entry, "tile_size",
					     table142[i].size) < 0)
				return -ENOMEM;
		}
	}
	for (size_t a = 0; a < 4; a++) {
		if (hdP_addEntry(resources, "MATSRC", table143Architectures[a],
				 0, 0, 0, 0) < 0 ||
		    hdP_addEntry(resources, "MATSINK", table143Architectures[a],
				 0, 0, 0, 0) < 0)
			return -ENOMEM;
	}
	ret = addSlowdowns(resources);
	return ret < 0 ? ret : hdP_finishResources(resources, NULL, NULL);
}

/* ---- The power board: 12 bit, 1.024 V, gain 20, and 5 V outside -------- */

#define BOARD_REFERENCE 1.024

double hdP_boardVoltage(double count)
{
	return count / 4096 * 2 * BOARD_REFERENCE + 5 - BOARD_REFERENCE;
}

double hdP_boardShuntVoltage(double count)
{
	return count / 4096 * 2 * BOARD_REFERENCE / 20;
}
