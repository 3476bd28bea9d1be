/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a page of probes, as another user's process may have it. The
 * input has pieces that are written over a page that is fine: four bytes that
 * say where, one that says how long, and the bytes. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "InstrumentationLibrary/attach/core/attach.h"
#include "common/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/probe/madepage.h"

#define SLOTS 8
#define PAGE_SIZE_MAX (1 << 18)
/* Threads that are counting for ever are waited for for so long. */
#define WAIT_NS 10000

static void writePieces(int fd, const uint8_t *data, size_t size)
{
	while (size > 5) {
		uint32_t at;
		size_t length = data[4];

		memcpy(&at, data, sizeof(at));
		data += 5;
		size -= 5;
		if (length > size)
			length = size;
		must(pwrite(fd, data, length, at % PAGE_SIZE_MAX) ==
		     (ssize_t)length);
		data += length;
		size -= length;
	}
}

static void checkTable(const struct probeTable *table)
{
	must(isnan(table->seconds) || table->seconds >= 0);
	must(table->clock != NULL);
	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row =
			&g_array_index(table->rows, struct probeRow, i);

		must(g_utf8_validate(row->figures.name, -1, NULL));
	}
}

static void readPage(bool isReset)
{
	const struct attachLimits limits = {
		.deadlineNs = hdMonotonicNow() + HD_NS_PER_S,
		.waitNs = WAIT_NS,
		.slots = 100,
		.hasLanes = true,
	};
	struct probeTable table = { 0 };
	char *error = NULL;
	struct attached *page =
		attach(getpid(), isReset, limits.deadlineNs, &error);

	must((page == NULL) == (error != NULL));
	g_free(error);
	if (page && attachedRead(page, isReset, &limits, &table) == 0) {
		checkTable(&table);
		probeTableClear(&table);
	}
	detach(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = madePage(2, SLOTS);

	writePieces(fd, data, size);
	readPage(false);
	readPage(true);
	close(fd);
	return 0;
}
