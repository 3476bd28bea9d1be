/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of the example figure4 are what BLAS defines: compared with sums
 * of products, of integers, which are exact. */
#include "config.h"

#include <string.h>

#include <glib.h>

#define SECONDS 0.0
#include "doc/examples/kernels.h"

enum { ROOM = 50 };

static double a[ROOM * ROOM], b[ROOM * ROOM], c[ROOM * ROOM], d[ROOM * ROOM];

static void fill(void)
{
	for (int i = 0; i < ROOM * ROOM; i++) {
		a[i] = g_test_rand_int_range(-9, 10);
		b[i] = g_test_rand_int_range(-9, 10);
		c[i] = d[i] = g_test_rand_int_range(-9, 10);
	}
}

static void testDgemm(void)
{
	for (int n = 1; n <= ROOM; n += 7) {
		const int m = n / 2 + 1, k = ROOM - n / 3, ld = ROOM;
		const double alpha = 2, beta = -3;

		fill();
		dgemm("N", "N", &m, &n, &k, &alpha, a, &ld, b, &ld, &beta, c,
		      &ld);
		for (int i = 0; i < m; i++) {
			for (int j = 0; j < n; j++) {
				double sum = beta * d[j * ld + i];

				for (int l = 0; l < k; l++)
					sum += alpha * a[l * ld + i] *
					       b[j * ld + l];
				d[j * ld + i] = sum;
			}
		}
		g_assert_cmpmem(c, sizeof(c), d, sizeof(d));
	}
}

static void testDsyrk(void)
{
	for (int n = 1; n <= ROOM; n += 7) {
		const int k = ROOM - n / 3, ld = ROOM;
		const double alpha = 2, beta = -3;

		fill();
		dsyrk("L", "N", &n, &k, &alpha, a, &ld, &beta, c, &ld);
		/* Above the diagonal nothing is written. */
		for (int j = 0; j < n; j++) {
			for (int i = j; i < n; i++) {
				double sum = beta * d[j * ld + i];

				for (int l = 0; l < k; l++)
					sum += alpha * a[l * ld + i] *
					       a[l * ld + j];
				d[j * ld + i] = sum;
			}
		}
		g_assert_cmpmem(c, sizeof(c), d, sizeof(d));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kernels/dgemm", testDgemm);
	g_test_add_func("/kernels/dsyrk", testDsyrk);
	return g_test_run();
}
