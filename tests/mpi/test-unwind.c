/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: plain */
/*
 * Functions of many kinds are interrupted by a timer: the return addresses are
 * as backtrace() finds them, also in a copy of the stack.
 */
/* pthread_getattr_np() is glibc's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if HAVE_EXECINFO_H
#include <execinfo.h>
#endif

#include "MPITracingLibrary/src/sample/unwind.h"

#if HAVE_EXECINFO_H && defined(__x86_64__)
#include <ucontext.h>

enum { FRAMES = 40, EXTRA = 8, ENOUGH = 400, NUMBERS = 300 };

static struct hdmpiUnwinder unwinder;
static uintptr_t stackEnd;
static volatile sig_atomic_t taken, wrong, cut;
static volatile int sum;

/* What backtrace() has, from a place on: how many. */
static size_t expectedFrames(uintptr_t place, void **frames)
{
	void *all[FRAMES + EXTRA];
	int count = backtrace(all, FRAMES + EXTRA), at = 0;

	while (at < count && (uintptr_t)all[at] != place)
		at++;
	for (int i = at; i < count; i++)
		frames[i - at] = all[i];
	return (size_t)(count - at);
}

static bool framesAre(const uintptr_t *frames, size_t count,
		      void *const *expected)
{
	for (size_t i = 1; i < count; i++)
		if (frames[i] != (uintptr_t)expected[i])
			return false;
	return frames[0] == (uintptr_t)expected[0] + 1;
}

static void interrupted(int number, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	const struct hdmpiStackPlace place = {
		.instruction = (uintptr_t)at->uc_mcontext.gregs[REG_RIP],
		.pointer = (uintptr_t)at->uc_mcontext.gregs[REG_RSP],
		.frame = (uintptr_t)at->uc_mcontext.gregs[REG_RBP],
	};
	struct hdmpiStackBytes stack = {
		.from = place.pointer,
		.bytes = (const void *)place.pointer,
		.size = stackEnd - place.pointer,
	};
	void *expected[FRAMES + EXTRA];
	uintptr_t frames[FRAMES];
	size_t most = expectedFrames(place.instruction, expected), count;
	int before = errno;

	(void)number;
	(void)info;
	count = hdmpiUnwind(&unwinder, place, &stack, frames, FRAMES);
	taken++;
	if (count != (most < FRAMES ? most : FRAMES) ||
	    !framesAre(frames, count, expected))
		wrong++;
	/* Less memory: fewer frames, the same ones. */
	stack.size /= 8;
	most = count;
	count = hdmpiUnwind(&unwinder, place, &stack, frames, FRAMES);
	if (count > most || !framesAre(frames, count, expected))
		wrong++;
	if (count < most)
		cut++;
	errno = before;
}

/* ---- Functions of many kinds -----------------------------------------------
 */

static int isLess(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* By a function of another object, which has no frame pointer. */
static __attribute__((__noinline__)) void sorts(void)
{
	int numbers[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i * 7919 % NUMBERS;
	qsort(numbers, NUMBERS, sizeof(*numbers), isLess);
	sum += numbers[0];
}

static __attribute__((__noinline__)) void prints(void)
{
	char text[64];

	g_snprintf(text, sizeof(text), "%g %d", sum * 1.5, sum);
	sum += text[0];
}

/* Its stack is aligned: the canonical frame address is on it. */
static __attribute__((__noinline__)) void aligns(size_t size)
{
	_Alignas(64) volatile char room[64];
	volatile char *more = __builtin_alloca(size);

	room[0] = 1;
	more[0] = room[0];
	sorts();
	sum += room[0] + more[0];
}

static __attribute__((__noinline__)) int deepens(int depth)
{
	volatile char room[40];

	room[0] = (char)depth;
	if (depth == 0) {
		sorts();
		prints();
		return 0;
	}
	return deepens(depth - 1) + room[0];
}

static void testFrames(void)
{
	struct sigaction action = { .sa_sigaction = interrupted,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGPROF };
	struct itimerspec time = { .it_interval = { .tv_nsec = 200000 },
				   .it_value = { .tv_nsec = 200000 } };
	timer_t timer;

	if (!hdmpiUnwindIsHere()) {
		g_test_skip("stacks cannot be unwound with this C library");
		return;
	}
	g_assert_cmpint(sigaction(SIGPROF, &action, NULL), ==, 0);
	g_assert_cmpint(timer_create(CLOCK_MONOTONIC, &event, &timer), ==, 0);
	g_assert_cmpint(timer_settime(timer, 0, &time, NULL), ==, 0);
	for (int i = 0; taken < ENOUGH; i++) {
		deepens(i % (FRAMES + 4));
		aligns((size_t)i % 1000 + 1);
	}
	timer_delete(timer);
	g_test_message("%d stacks, %d cut", (int)taken, (int)cut);
	g_assert_cmpint(wrong, ==, 0);
	g_assert_cmpint(cut, >, 0);
}

/* ---- Wrong tables ----------------------------------------------------------
 */

enum { TABLE_ROUNDS = 20000, TABLE_CIE = 64, TABLE_FDE = 128 };

static _Alignas(8) unsigned char table[512];

static void tablePut(size_t at, int64_t number)
{
	int32_t value = (int32_t)number;

	memcpy(table + at, &value, sizeof(value));
}

/* .eh_frame_hdr, and what it points to: an entry for all of its memory. */
static void tableMake(const unsigned char *common, size_t commonSize,
		      const unsigned char *own, size_t ownSize)
{
	static const unsigned char kinds[] = { 1, 0x1b, 0x03, 0x3b };

	memset(table, 0, sizeof(table));
	memcpy(table, kinds, sizeof(kinds));
	tablePut(8, 1);
	tablePut(16, TABLE_FDE);
	tablePut(TABLE_CIE, TABLE_FDE - TABLE_CIE - 4);
	memcpy(table + TABLE_CIE + 8, common, commonSize);
	tablePut(TABLE_FDE, 124);
	tablePut(TABLE_FDE + 4, TABLE_FDE + 4 - TABLE_CIE);
	/* From its beginning on. */
	tablePut(TABLE_FDE + 8, -TABLE_FDE - 8);
	tablePut(TABLE_FDE + 12, sizeof(table));
	memcpy(table + TABLE_FDE + 16, own, ownSize);
}

static bool tableFinds(struct hdmpiFrameRule *rule)
{
	return hdmpiFrameRuleFind((uintptr_t)table + 32, (uintptr_t)table,
				  rule);
}

/* A right one, numbers that overflow, a row of an entry that is not there any
 * more, and what chance makes of them. */
static void testTables(void)
{
	/* Version 1, "zR", units 1 and -8, register 16, pointers relative;
	 * address: register 7 + 8; 16 is saved before it. */
	static const unsigned char common[] = { 1, 'z',  'R',  0, 1, 0x78, 16,
						1, 0x1b, 0x0c, 7, 8, 0x90, 1 };
	/* A unit of -2^63. */
	static const unsigned char large[] = { 1,    'z',  'R',  0,    1,
					       0x80, 0x80, 0x80, 0x80, 0x80,
					       0x80, 0x80, 0x80, 0x80, 0x7f,
					       16,   1,    0x1b, 0x0c, 7,
					       8,    0x90, 1 };
	/* Its address is an expression, and remembered so. */
	static const unsigned char remembers[] = { 1,    'z',  'R', 0,    1,
						   0x78, 16,   1,   0x1b, 0x0f,
						   3,    0x76, 0,   6,    0x0a,
						   0x0c, 7,    8,   0x90, 1 };
	static const unsigned char offset16[] = { 0, 0x0e, 16 };
	static const unsigned char many[] = { 0,    0x86, 0xff, 0xff, 0x7f,
					      0x12, 7,    0xff, 0xff, 0x7f };
	static const unsigned char restores[] = { 0, 0x0b };
	struct hdmpiFrameRule rule;
	GRand *chance = g_rand_new_with_seed(1);

	if (!hdmpiFrameRulesAreReadable()) {
		g_rand_free(chance);
		g_test_skip("tables cannot be read here");
		return;
	}
	tableMake(common, sizeof(common), offset16, sizeof(offset16));
	g_assert_true(tableFinds(&rule));
	g_assert_cmpint(rule.address, ==, HDMPI_FRAME_OF_SP);
	g_assert_cmpint(rule.addressOffset, ==, 16);
	tableMake(large, sizeof(large), many, sizeof(many));
	g_assert_false(tableFinds(&rule));
	tableMake(remembers, sizeof(remembers), restores, sizeof(restores));
	g_assert_false(tableFinds(&rule));
	for (int i = 0; i < TABLE_ROUNDS; i++) {
		tableMake(common, sizeof(common), offset16, sizeof(offset16));
		for (int change = 0; change < 1 + i % 8; change++)
			table[g_rand_int_range(chance, 0, sizeof(table))] =
				(unsigned char)g_rand_int(chance);
		tableFinds(&rule);
	}
	g_rand_free(chance);
}

static void findStack(void)
{
	pthread_attr_t attributes;
	void *frame[1], *begin;
	size_t size;

	g_assert_cmpint(pthread_getattr_np(pthread_self(), &attributes), ==, 0);
	pthread_attr_getstack(&attributes, &begin, &size);
	pthread_attr_destroy(&attributes);
	stackEnd = (uintptr_t)begin + size;
	/* It loads what it needs when it is called first. */
	backtrace(frame, 1);
}
#else
static void findStack(void)
{
}

static void testFrames(void)
{
	g_test_skip("this machine's stacks are unwound by backtrace()");
}

static void testTables(void)
{
	g_test_skip("this machine's stacks are unwound by backtrace()");
}
#endif

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	findStack();
	g_test_add_func("/unwind/frames", testFrames);
	g_test_add_func("/unwind/wrong tables", testTables);
	return g_test_run();
}
