/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * listings: the first program of the work that dispatcher.h names, listings 3.1
 * to 3.5. init stores five numbers, mul2 doubles them, plus5 adds 5, into the
 * next age, and print prints both fields of an age. Each instance of mul2 and
 * plus5 waits for its own number only.
 *
 *     listings [AGES]
 *
 * The original never ends; ages are 10 here. It says that it prints 20 21 22 23
 * 24, but from 10 to 14 mul2 makes 20 22 24 26 28.
 *
 * Build it with:
 *     cc -O2 -o listings listings.c dispatcher.c \
 *             $(pkg-config --static --cflags --libs libhdProbe) -lm
 */
#include <stdio.h>

#include "dispatcher.h"

#define NUMBERS 5

/* Listing 3.1: m_data and p_data, both with ages. */
static struct field mData = { "m_data", sizeof(int32_t), NUMBERS, NULL };
static struct field pData = { "p_data", sizeof(int32_t), NUMBERS, NULL };
/* So that ages are printed in their order. */
static struct field printed = { "printed", 1, 1, NULL };

/* Listing 3.2: store m_data(0) = values. */
static void init(struct instance *instance)
{
	int32_t *values = instance->stored[0];

	for (int i = 0; i < NUMBERS; i++)
		values[i] = i + 10;
}

/* Listing 3.3: fetch value = m_data(a)[x]; store p_data(a)[x] = value. They are
 * unsigned, as numbers wrap around after some 25 ages. */
static void mul2(struct instance *instance)
{
	uint32_t *value = instance->fetched[0];

	*value *= 2;
	*(uint32_t *)instance->stored[0] = *value;
}

/* Listing 3.4: fetch value = p_data(a)[x]; store m_data(a + 1)[x] = value. */
static void plus5(struct instance *instance)
{
	uint32_t *value = instance->fetched[0];

	*value += 5;
	*(uint32_t *)instance->stored[0] = *value;
}

/* Listing 3.5: fetch p = p_data(a); fetch m = m_data(a). */
static void print(struct instance *instance)
{
	const int32_t *p = instance->fetched[0], *m = instance->fetched[1];

	printf("%d:", instance->age);
	for (int i = 0; i < NUMBERS; i++)
		printf(" p: %d m: %d", p[i], m[i]);
	printf("\n");
}

static struct kernel kernels[] = {
	{ .name = "init",
	  .indices = 1,
	  .ages = 1,
	  .code = init,
	  .stores = { { &mData, 0, AGE_FIXED | WHOLE },
		      { &printed, 0, AGE_FIXED } } },
	{ .name = "mul2",
	  .indices = NUMBERS,
	  .code = mul2,
	  .fetches = { { &mData, 0, 0 } },
	  .stores = { { &pData, 0, 0 } } },
	{ .name = "plus5",
	  .indices = NUMBERS,
	  .code = plus5,
	  .fetches = { { &pData, 0, 0 } },
	  .stores = { { &mData, 1, 0 } } },
	{ .name = "print",
	  .indices = 1,
	  .code = print,
	  .fetches = { { &pData, 0, WHOLE },
		       { &mData, 0, WHOLE },
		       { &printed, 0, 0 } },
	  .stores = { { &printed, 1, 0 } } },
};

int main(int argc, char **argv)
{
	const size_t count = sizeof(kernels) / sizeof(kernels[0]);
	struct settings settings = { 0, 0 };
	int ages = 10;

	if (argc > 2) {
		fputs("Usage: listings [AGES]\n", stderr);
		return 2;
	}
	if (argc > 1)
		ages = (int)numberBetween(argv[1], 1, 100000);
	for (size_t i = 1; i < count; i++)
		kernels[i].ages = ages;
	dispatch(kernels, count, &settings);
	printf("\nMean times in us:\n\n");
	printKernels(kernels, count);
	return 0;
}
