/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * solver FILE: a program of three phases on a simulated CPU, whose clock in kHz
 * FILE holds. It prints its time and energy by the law of hdpower.py: the
 * simulated time passes as fast as the real one, in small steps.
 *
 * solver FILE STAT SCALE: the phases are SCALE times as long, and are not
 * named; STAT gets their CPU utilization, as /proc/stat has it. That is of the
 * real time, which is longer if others use this machine; the third number
 * that is printed is the longest time that STAT was behind, in s.
 *
 * solver FILE meter: prints the power by the clock again and again.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hdPower.h>

/* Simulated steps of one phase. */
#define STEPS 40
#define SOLVER_METER_NS 10000000

static const struct {
	const char *name;
	double cycles; /* In 10^6. */
	double other;  /* Time that does not depend on the clock, in s. */
	double busy;   /* Part of the time that CPUs are busy. */
} solverPhases[] = {
	{ "solve", 400, 0.2, 0.95 },
	{ "exchange", 100, 1.2, 0.4 },
	{ "write", 20, 0.8, 0.1 },
};

static double solverClock(const char *path)
{
	FILE *file = fopen(path, "r");
	double khz = 0;

	/* The file is empty for a moment while it is written. */
	if (!file || fscanf(file, "%lf", &khz) != 1)
		khz = 0;
	if (file)
		fclose(file);
	return khz / 1e3;
}

static double solverPower(double mhz)
{
	return 60 + 90 * pow(mhz / 2000, 3);
}

static void solverSleep(double length)
{
	struct timespec time = { .tv_sec = (time_t)length };

	time.tv_nsec = (long)((length - (double)time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

static double solverNow(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Two CPUs, in ticks of 10 ms. Readers keep the file open: so it is written in
 * place, and never becomes shorter. */
static void solverTell(const char *path, double busy, double idle)
{
	char text[256];
	int length = snprintf(text, sizeof(text),
			      "cpu  %.0f 0 0 %.0f 0 0 0 0 0 0\n"
			      "cpu0 %.0f 0 0 %.0f 0 0 0 0 0 0\n"
			      "cpu1 %.0f 0 0 %.0f 0 0 0 0 0 0\n",
			      200 * busy, 200 * idle, 100 * busy, 100 * idle,
			      100 * busy, 100 * idle);
	FILE *file = fopen(path, "r+");

	if (!file)
		return;
	fwrite(text, 1, (size_t)length, file);
	fclose(file);
}

static int solverMeter(const char *path)
{
	double before = 2000;

	for (;;) {
		double mhz = solverClock(path);

		before = mhz > 0 ? mhz : before;
		if (printf("%.6f\n", solverPower(before)) < 0 ||
		    fflush(stdout) != 0)
			return EXIT_SUCCESS;
		solverSleep(SOLVER_METER_NS / 1e9);
	}
}

int main(int argc, char **argv)
{
	double time = 0, energy = 0, before = 2000, busy = 1, idle = 1;
	double told = solverNow(), behind = 0;
	double scale = argc > 3 ? strtod(argv[3], NULL) : 1;
	const char *stat = argc > 3 ? argv[2] : NULL;

	if (argc < 2)
		return EXIT_FAILURE;
	if (argc == 3 && strcmp(argv[2], "meter") == 0)
		return solverMeter(argv[1]);
	for (size_t i = 0; i < 3; i++) {
		if (!stat)
			hdPower_phase(solverPhases[i].name);
		for (int step = 0; step < STEPS * scale; step++) {
			double mhz = solverClock(argv[1]);
			double length;

			mhz = mhz > 0 ? mhz : before;
			before = mhz;
			length = (solverPhases[i].cycles / mhz +
				  solverPhases[i].other) /
				 STEPS;
			time += length;
			energy += length * solverPower(mhz);
			solverSleep(length);
			if (stat) {
				double passed = solverNow() - told;

				told += passed;
				behind = fmax(behind, passed - length);
				busy += passed * solverPhases[i].busy;
				idle += passed * (1 - solverPhases[i].busy);
				solverTell(stat, busy, idle);
			}
		}
	}
	printf("%.6f %.6f", time, energy);
	if (stat)
		printf(" %.6f", behind);
	puts("");
	return EXIT_SUCCESS;
}
