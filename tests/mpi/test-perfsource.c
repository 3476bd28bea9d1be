/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: plain */
/*
 * Buffers of samples that the kernel fills: lost samples are counted if they
 * were lost between calls. A program that closes our descriptors, and has files
 * of its own there, keeps these, and what is in them; a child of fork() has no
 * descriptor of ours.
 */
#include "config.h"

#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/options.h"
#include "MPITracingLibrary/src/sample/samples.h"
#include "common/clock.h"

struct hdmpiOptions hdmpiOptions = { .sampleHz = 1000 };

static const char notHere[] = "the kernel does not sample here";

#if HDMPI_HAS_FRAME_RULES && defined(__linux__)
#include <asm/perf_regs.h>
#include <linux/perf_event.h>

enum {
	PAGE = 4096,
	BUFFER = 65536,
	/* Three of these fill the buffer. */
	STACK = 16368,
};

/* ---- A buffer without a kernel ---------------------------------------------
 */

static _Alignas(PAGE) unsigned char memory[PAGE + BUFFER];

static void bufferPut(struct hdmpiSamples *samples, uint32_t type,
		      const uint64_t *numbers, size_t count, size_t more)
{
	struct perf_event_mmap_page *page = samples->perf.page;
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(sizeof(header) + count * sizeof(*numbers) +
				   more),
	};
	unsigned char bytes[1 << 16] = { 0 };

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), numbers, count * sizeof(*numbers));
	for (size_t i = 0; i < header.size; i++)
		memory[PAGE + (page->data_head + i) % BUFFER] = bytes[i];
	page->data_head += header.size;
}

/* Samples whose stacks are empty. */
static void bufferPutSamples(struct hdmpiSamples *samples, int count)
{
	const uint64_t numbers[] = { 1, PERF_SAMPLE_REGS_ABI_64, 0,
				     0, (uintptr_t)bufferPut,    STACK };

	for (int i = 0; i < count; i++)
		bufferPut(samples, PERF_RECORD_SAMPLE, numbers,
			  G_N_ELEMENTS(numbers), STACK + sizeof(uint64_t));
}

static void bufferPutLost(struct hdmpiSamples *samples, uint64_t count)
{
	const uint64_t numbers[] = { 1, count };

	bufferPut(samples, PERF_RECORD_LOST, numbers, G_N_ELEMENTS(numbers), 0);
}

static void bufferPutThrottle(struct hdmpiSamples *samples, uint32_t type,
			      uint64_t time)
{
	const uint64_t numbers[] = { time, 1, 1 };

	bufferPut(samples, type, numbers, G_N_ELEMENTS(numbers), 0);
}

static struct hdmpiSamples *bufferNew(void)
{
	struct hdmpiSamples *samples = g_new0(struct hdmpiSamples, 1);
	struct perf_event_mmap_page *page = (void *)memory;

	memset(memory, 0, sizeof(memory));
	page->data_offset = PAGE;
	page->data_size = BUFFER;
	samples->perf.page = page;
	return samples;
}

static void testLoss(void)
{
	struct hdmpiSamples *samples = bufferNew();

	/* Lost between calls, said in a call. */
	bufferPutSamples(samples, 3);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->head, ==, 3);
	g_assert_cmpint(samples->ring[0].count, ==, 1);
	bufferPutLost(samples, 5);
	bufferPutSamples(samples, 1);
	hdmpiPerfSourceSkip(samples);
	g_assert_cmpint(samples->head, ==, 3);
	g_assert_cmpint(samples->lost, ==, 5);
	/* Lost in a call, said after it. */
	hdmpiPerfSourceTake(samples);
	bufferPutSamples(samples, 3);
	hdmpiPerfSourceSkip(samples);
	bufferPutLost(samples, 7);
	bufferPutSamples(samples, 1);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->lost, ==, 5);
	/* None lost in a call that fills the buffer, some after it. */
	bufferPutSamples(samples, 3);
	hdmpiPerfSourceSkip(samples);
	bufferPutSamples(samples, 1);
	bufferPutLost(samples, 2);
	bufferPutSamples(samples, 1);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->lost, ==, 7);
	g_free(samples);
}

/* 10 ms without samples are 10 periods; what is of calls does not count. */
static void testThrottle(void)
{
	struct hdmpiSamples *samples = bufferNew();

	bufferPutThrottle(samples, PERF_RECORD_THROTTLE, 1000000);
	bufferPutThrottle(samples, PERF_RECORD_UNTHROTTLE, 11000000);
	bufferPutThrottle(samples, PERF_RECORD_THROTTLE, 20000000);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->overruns, ==, 10);
	bufferPutThrottle(samples, PERF_RECORD_UNTHROTTLE, 30000000);
	bufferPutThrottle(samples, PERF_RECORD_THROTTLE, 40000000);
	hdmpiPerfSourceSkip(samples);
	bufferPutThrottle(samples, PERF_RECORD_UNTHROTTLE, 50000000);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->overruns, ==, 10);
	g_free(samples);
}

/* ---- The kernel's ----------------------------------------------------------
 */

enum { FILES_FIRST = 3, FILES_END = 40 };

static void burn(int64_t ns)
{
	int64_t until = hdMonotonicNow() + ns;

	while (hdMonotonicNow() < until) {
	}
}

static struct hdmpiSamples *kernelOpen(void)
{
	struct hdmpiSamples *samples;

	if (hdmpiPerfSourceTry() < 0) {
		g_test_skip(notHere);
		return NULL;
	}
	samples = g_new0(struct hdmpiSamples, 1);
	g_assert_cmpint(hdmpiPerfSourceOpen(samples), ==, 0);
	hdmpiPerfSourceSkip(samples);
	return samples;
}

static void kernelClose(struct hdmpiSamples *samples)
{
	hdmpiPerfSourceClose(samples);
	hdmpiPerfSourcesEnd();
	g_free(samples);
}

static void testFork(void)
{
	struct hdmpiSamples *samples = kernelOpen();
	pid_t child;
	int status;

	if (!samples)
		return;
	child = fork();
	if (child == 0) {
		hdmpiPerfSourceChild(samples);
		/* There is no reader that could be awaited. */
		alarm(10);
		hdmpiPerfSourcesEnd();
		_exit(fcntl(samples->perf.handle, F_GETFD) >= 0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	burn(50000000);
	hdmpiPerfSourceTake(samples);
	g_assert_cmpint(samples->head, >, 0);
	kernelClose(samples);
}

/* In a child, which may close all descriptors. */
static int closesAll(void)
{
	char name[] = "perfsource-XXXXXX";
	struct hdmpiSamples *samples = kernelOpen();
	int file, ret = 0;

	for (int fd = FILES_FIRST; fd < FILES_END; fd++)
		close(fd);
	file = mkstemp(name);
	unlink(name);
	for (int fd = FILES_FIRST; fd < FILES_END; fd++)
		dup2(file, fd);
	alarm(10);
	/* Samples are taken all the same. */
	burn(50000000);
	hdmpiPerfSourceTake(samples);
	if (samples->head == 0)
		ret |= 1;
	kernelClose(samples);
	for (int fd = FILES_FIRST; fd < FILES_END; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			ret |= 2;
	if (lseek(file, 0, SEEK_END) != 0)
		ret |= 4;
	return ret;
}

static void testClosed(void)
{
	pid_t child;
	int status;

	if (hdmpiPerfSourceTry() < 0) {
		g_test_skip(notHere);
		return;
	}
	child = fork();
	if (child == 0)
		_exit(closesAll());
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
}
#else
static void testLoss(void)
{
	g_test_skip(notHere);
}

static void testThrottle(void)
{
	g_test_skip(notHere);
}

static void testFork(void)
{
	g_test_skip(notHere);
}

static void testClosed(void)
{
	g_test_skip(notHere);
}
#endif

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perfsource/loss", testLoss);
	g_test_add_func("/perfsource/throttle", testThrottle);
	g_test_add_func("/perfsource/fork", testFork);
	g_test_add_func("/perfsource/closed descriptors", testClosed);
	return g_test_run();
}
