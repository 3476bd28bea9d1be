/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmeans: K-means with kernels, as in section 6.2 of the work that
 * dispatcher.h names: assign finds the centroid that a point is nearest to,
 * refine moves a centroid to the middle of its points, so many times.
 *
 *     kmeans                     two million instances of assign, each alone
 *     kmeans -b assign=40        40 at once
 *     kmeans -a                  as many as its own probes advise
 *     hdprobe --advice PID       while it runs
 *
 * Build it with:
 *     cc -O2 -o kmeans kmeans.c dispatcher.c \
 *             $(pkg-config --static --cflags --libs libhdProbe) -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatcher.h"

#define DIMENSIONS 96

static size_t points = 200000, clusters = 100;
static int iterations = 10;
static const char *resultPath;
static double *spreads; /* By age; what print found. */

static struct field fieldPoints = { "points", DIMENSIONS * sizeof(float), 0,
				    NULL };
static struct field fieldCentroids = { "centroids", DIMENSIONS * sizeof(double),
				       0, NULL };
static struct field fieldNearest = { "nearest", sizeof(unsigned int), 0, NULL };

/* Numbers that are the same everywhere: splitmix64 (Steele et al., Fast
 * splittable pseudorandom number generators, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Clouds of points: about their middles, whose coordinates are from 0 to 64, up
 * to 8 away, in steps of 1/64. The first points are the first centroids. */
static void init(struct instance *instance)
{
	float *point = instance->stored[0];
	double *centroid = instance->stored[1];
	uint64_t place = 1, chance = 2;
	double *middles = malloc(clusters * DIMENSIONS * sizeof(*middles));

	if (!middles)
		fail("memory");
	for (size_t i = 0; i < clusters * DIMENSIONS; i++)
		middles[i] = (double)(draw(&place) % 4096) / 64;
	for (size_t i = 0; i < points; i++) {
		const double *middle =
			&middles[draw(&chance) % clusters * DIMENSIONS];

		for (size_t d = 0; d < DIMENSIONS; d++)
			point[i * DIMENSIONS + d] =
				(float)(middle[d] +
					((double)(draw(&chance) % 1024) - 512) /
						64);
	}
	for (size_t i = 0; i < clusters * DIMENSIONS; i++)
		centroid[i] = (double)point[i];
	free(middles);
}

static void assign(struct instance *instance)
{
	const float *point = instance->fetched[0];
	const double *centroids = instance->fetched[1];
	unsigned int *nearest = instance->stored[0];
	double best = INFINITY;

	for (size_t k = 0; k < clusters; k++) {
		const double *centroid = &centroids[k * DIMENSIONS];
		double distance = 0;

		for (int d = 0; d < DIMENSIONS; d++) {
			double difference = (double)point[d] - centroid[d];

			distance += difference * difference;
		}
		if (distance < best) {
			best = distance;
			*nearest = (unsigned int)k;
		}
	}
}

/* The middle of the points of centroid x; without any it stays. */
static void refine(struct instance *instance)
{
	const float *point = instance->fetched[0];
	const unsigned int *nearest = instance->fetched[1];
	const double *old = instance->fetched[2];
	double *new = instance->stored[0];
	size_t count = 0;

	memset(new, 0, DIMENSIONS * sizeof(*new));
	for (size_t i = 0; i < points; i++) {
		if (nearest[i] != instance->x)
			continue;
		for (int d = 0; d < DIMENSIONS; d++)
			new[d] += (double)point[i * DIMENSIONS + (size_t)d];
		count++;
	}
	for (int d = 0; d < DIMENSIONS; d++)
		new[d] = count > 0 ? new[d] / (double)count : old[d];
}

static void writeResult(const double *centroids)
{
	FILE *file = fopen(resultPath, "w");

	if (!file)
		fail(resultPath);
	for (size_t i = 0; i < clusters * DIMENSIONS; i++)
		fprintf(file, "%.17g%c", centroids[i],
			i % DIMENSIONS == DIMENSIONS - 1 ? '\n' : ' ');
	if (ferror(file) | fclose(file))
		fail(resultPath);
}

/* How far centroids are from each other; it is printed at the end, in order. */
static void print(struct instance *instance)
{
	const double *centroids = instance->fetched[0];
	double sum = 0;

	for (size_t i = 0; i < clusters; i++) {
		for (size_t j = i + 1; j < clusters; j++) {
			double distance = 0;

			for (size_t d = 0; d < DIMENSIONS; d++) {
				double difference =
					centroids[i * DIMENSIONS + d] -
					centroids[j * DIMENSIONS + d];

				distance += difference * difference;
			}
			sum += sqrt(distance);
		}
	}
	spreads[instance->age] =
		clusters > 1 ? 2 * sum / (double)(clusters * (clusters - 1))
			     : 0;
	if (resultPath && instance->age == iterations)
		writeResult(centroids);
}

enum { INIT, ASSIGN, REFINE, PRINT, KERNELS };

static struct kernel kernels[KERNELS] = {
	[INIT] = { .name = "init",
		   .indices = 1,
		   .ages = 1,
		   .code = init,
		   .stores = { { &fieldPoints, 0, AGE_FIXED | WHOLE },
			       { &fieldCentroids, 0, AGE_FIXED | WHOLE } } },
	[ASSIGN] = { .name = "assign",
		     .code = assign,
		     .fetches = { { &fieldPoints, 0, AGE_FIXED },
				  { &fieldCentroids, 0, WHOLE } },
		     .stores = { { &fieldNearest, 0, 0 } } },
	[REFINE] = { .name = "refine",
		     .code = refine,
		     .fetches = { { &fieldPoints, 0, AGE_FIXED | WHOLE },
				  { &fieldNearest, 0, WHOLE },
				  { &fieldCentroids, 0, 0 } },
		     .stores = { { &fieldCentroids, 1, 0 } } },
	[PRINT] = { .name = "print",
		    .indices = 1,
		    .code = print,
		    .fetches = { { &fieldCentroids, 0, WHOLE } } },
};

static void setSizes(void)
{
	fieldPoints.elements = points;
	fieldCentroids.elements = clusters;
	fieldNearest.elements = points;
	kernels[ASSIGN].indices = points;
	kernels[ASSIGN].ages = iterations;
	kernels[REFINE].indices = clusters;
	kernels[REFINE].ages = iterations;
	kernels[PRINT].ages = iterations + 1;
	spreads = calloc((size_t)iterations + 1, sizeof(*spreads));
	if (!spreads)
		fail("memory");
}

static void usage(FILE *to)
{
	fputs("Usage: kmeans [OPTION...]\n"
	      "  -a           dispatch in batches, as probes advise\n"
	      "  -b KERNEL=N  dispatch N instances of a kernel at once\n"
	      "  -i N         iterations (10)\n"
	      "  -k N         centroids (100)\n"
	      "  -n N         points (200000)\n"
	      "  -o FILE      write the centroids\n"
	      "  -t N         threads (as many as processors)\n",
	      to);
}

int main(int argc, char **argv)
{
	struct settings settings = { 0, 0 };
	double began;
	int option;

	while ((option = getopt(argc, argv, "ab:hi:k:n:o:t:")) != -1) {
		switch (option) {
		case 'a':
			settings.takesAdvice = 1;
			break;
		case 'b':
			if (setBatch(kernels, KERNELS, optarg) == 0)
				break;
			fprintf(stderr, "kmeans: no such kernel: %s\n", optarg);
			return 2;
		case 'i':
			iterations = (int)numberBetween(optarg, 1, 10000);
			break;
		case 'k':
			clusters = numberBetween(optarg, 1, 10000);
			break;
		case 'n':
			points = numberBetween(optarg, 1, 10000000);
			break;
		case 'o':
			resultPath = optarg;
			break;
		case 't':
			settings.threads =
				(unsigned int)numberBetween(optarg, 1, 1024);
			break;
		default:
			usage(option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	}
	if (optind < argc || points < clusters) {
		usage(stderr);
		return 2;
	}
	setSizes();
	began = seconds();
	dispatch(kernels, KERNELS, &settings);
	began = seconds() - began;
	for (int i = 0; i <= iterations; i++)
		printf("age %d: centroids are %.3f apart\n", i, spreads[i]);
	printf("\nK-means took %.2f s, assign in batches of %zu; mean times in "
	       "us:\n\n",
	       began,
	       kernels[ASSIGN].batch ? kernels[ASSIGN].batch : (size_t)1);
	printKernels(kernels, KERNELS);
	free(spreads);
	return 0;
}
