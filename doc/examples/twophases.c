/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Example: a program that names its phases for hdpower.
 *
 *     twophases FILE
 *
 * It computes, and then waits for data. The CPU is simulated: FILE holds its
 * clock in kHz, as scaling_max_freq does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hdPower.h>

static double readClock(const char *path)
{
	FILE *file = fopen(path, "r");
	double khz = 2e6;

	if (!file)
		return khz;
	if (fscanf(file, "%lf", &khz) != 1)
		khz = 2e6;
	fclose(file);
	return khz;
}

/* Work for some ms at 2 GHz: a part depends on the clock. */
static void work(const char *path, double cpu, double other)
{
	for (int i = 0; i < 50; i++) {
		double ms = cpu * 2e6 / readClock(path) + other;

		nanosleep(
			&(struct timespec){ .tv_nsec = (long)(ms / 50 * 1e6) },
			NULL);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return EXIT_FAILURE;
	hdPower_phase("compute");
	work(argv[1], 600, 100);
	hdPower_phase("exchange");
	work(argv[1], 50, 1400);
	return EXIT_SUCCESS;
}
