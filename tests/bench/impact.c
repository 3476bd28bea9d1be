/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of section 5.2 of the thesis; see impact.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "tests/bench/impact.h"

static double mean(const double *list, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += list[i];
	return sum / (double)n;
}

/* Of a sample, as in the thesis. */
static double deviation(const double *list, size_t n)
{
	double middle = mean(list, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (list[i] - middle) * (list[i] - middle);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

void impactPrint(const struct impactColumn *columns, size_t count, size_t runs)
{
	double untraced = mean(columns[0].times, runs);

	printf("|");
	for (size_t i = 0; i < count; i++)
		printf(" | %s", columns[i].title);
	printf(" |\n|---|");
	for (size_t i = 0; i < count; i++)
		printf("--:|");
	for (size_t run = 0; run < runs; run++) {
		printf("\n| Run %zu, s |", run + 1);
		for (size_t i = 0; i < count; i++)
			printf(" %.3f |", columns[i].times[run]);
	}
	printf("\n| Mean, s |");
	for (size_t i = 0; i < count; i++)
		printf(" %.3f |", mean(columns[i].times, runs));
	printf("\n| Standard deviation, s |");
	for (size_t i = 0; i < count; i++)
		printf(" %.3f |", deviation(columns[i].times, runs));
	printf("\n| c_v, %% |");
	for (size_t i = 0; i < count; i++)
		printf(" %.2f |", 100 * deviation(columns[i].times, runs) /
					  mean(columns[i].times, runs));
	printf("\n| **Impact, %%** | – |");
	for (size_t i = 1; i < count; i++)
		printf(" **%.2f** |",
		       100 * (mean(columns[i].times, runs) / untraced - 1));
	printf("\n| Tracing threads, %% of a CPU | – |");
	for (size_t i = 1; i < count; i++)
		printf(" %.3f |",
		       100 * columns[i].cost /
			       ((double)runs * mean(columns[i].times, runs)));
	printf("\n| Thesis: mean, s |");
	for (size_t i = 0; i < count; i++)
		printf(" %s |", columns[i].mean);
	printf("\n| Thesis: standard deviation, s |");
	for (size_t i = 0; i < count; i++)
		printf(" %s |", columns[i].deviation);
	printf("\n| Thesis: c_v, %% |");
	for (size_t i = 0; i < count; i++)
		printf(" %s |", columns[i].variation);
	printf("\n| **Thesis: impact, %%** |");
	for (size_t i = 0; i < count; i++)
		printf(" %s |", columns[i].impact);
	printf("\n");
}
