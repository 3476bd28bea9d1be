/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time of a pair of begin and end, in ns, of whom probe-peers.sh includes
 * as peer.h: so many pairs, ten times; the median. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPETITIONS 10

static double cpuNow(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 100000;
	double each[REPETITIONS];
	const char *refusal = peerInit();

	if (refusal) {
		fprintf(stderr, "%s\n", refusal);
		return 1;
	}
	for (int i = -1; i < REPETITIONS; i++) {
		double began = cpuNow();

		for (long k = 0; k < count; k++) {
			peerBegin();
			peerEnd();
		}
		if (i >= 0)
			each[i] = (cpuNow() - began) / (double)count;
	}
	qsort(each, REPETITIONS, sizeof(*each), compare);
	printf("%.1f (%.1f - %.1f)\n",
	       (each[REPETITIONS / 2 - 1] + each[REPETITIONS / 2]) / 2, each[0],
	       each[REPETITIONS - 1]);
	return 0;
}
