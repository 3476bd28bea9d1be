/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * solver FILE: a program of three phases on a simulated CPU, whose clock in kHz
 * FILE holds. It prints its time and energy by the law of hdpower.py: the
 * simulated time passes as fast as the real one, in small steps.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hdPower.h>

/* Repetitions of all phases, and simulated steps of one phase. */
#define STEPS 40

static const struct {
	const char *name;
	double cycles; /* In 10^6. */
	double other;  /* Time that does not depend on the clock, in s. */
} solverPhases[] = {
	{ "solve", 400, 0.2 },
	{ "exchange", 100, 1.2 },
	{ "write", 20, 0.8 },
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

int main(int argc, char **argv)
{
	double time = 0, energy = 0, before = 2000;

	if (argc < 2)
		return EXIT_FAILURE;
	for (size_t i = 0; i < 3; i++) {
		hdPower_phase(solverPhases[i].name);
		for (int step = 0; step < STEPS; step++) {
			double mhz = solverClock(argv[1]);
			double length;

			mhz = mhz > 0 ? mhz : before;
			before = mhz;
			length = (solverPhases[i].cycles / mhz +
				  solverPhases[i].other) /
				 STEPS;
			time += length;
			energy += length * (60 + 90 * pow(mhz / 2000, 3));
			nanosleep(&(struct timespec){ .tv_nsec = (long)(length *
									1e9) },
				  NULL);
		}
	}
	printf("%.6f %.6f\n", time, energy);
	return EXIT_SUCCESS;
}
