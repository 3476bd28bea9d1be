/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what servers of pmlib answer to libpm.
 *
 * The first byte says to what: LIST, STATUS or GET, and the second how
 * many sets and what dialect a counter has. The rest is the answer.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/fuzz/fuzz.h"

#define S INT64_C(1000000000)

static void list(const uint8_t *data, size_t size)
{
	char **names = NULL;
	int count = -1;
	bool isCounted;

	if (pmParseList(data, size, &names, &count, &isCounted) < 0)
		return;
	must(count >= 0);
	for (int i = 0; i < count; i++)
		must(strlen(names[i]) > 0);
	pmListFree(names, count);
}

static void status(const uint8_t *data, size_t size)
{
	char *names[PM_LINES_MAX];
	int ret = pmParseStatus(data, size, "a", names);

	for (int i = 0; i < PM_LINES_MAX; i++) {
		must(ret == 0 || !names[i]);
		free(names[i]);
	}
}

/* A socket that has the answer, and then ends. */
static int answer(const uint8_t *data, size_t size, int *other)
{
	int pair[2], room = 1 << 20;

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	(void)setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (size > 0)
		must(send(pair[1], data, size, MSG_NOSIGNAL) >= 0);
	shutdown(pair[1], SHUT_WR);
	*other = pair[1];
	return pair[0];
}

static void checkEnergy(const counter_t *counter, int sets)
{
	const pm_measures *energy = &counter->measures->energy;
	double sum = 0;
	line_t all;

	must(energy->watts_sets_size == sets + 1);
	must(energy->lines_len <= PM_LINES_MAX);
	for (int i = 0; i < energy->watts_size; i++)
		sum += energy->watts[i];
	(void)sum;
	LINE_SET_ALL(&all);
	pm_get_energy(*counter, all, -1, NULL, NULL);
	pm_print_data_text("/dev/null", *counter, all, -1);
	pm_print_data_otf("/dev/null", *counter, all, 0);
}

static void get(const uint8_t *data, size_t size, uint8_t how)
{
	static struct pmSpan spans[4];
	struct pmCounter own = { .device = (char *)"a", .spans = spans };
	counter_t counter = {
		.aggregate = how >> 2 & 1,
		.num_lines = 20,
		.measures = &own.measures,
	};
	struct pmDialect dialect = {
		.size = how & 8    ? 8
			: how & 16 ? 4
				   : 0,
		.order = how & 32 ? PM_SET_MAJOR : PM_LINE_MAJOR,
	};
	int other, sets = how & 3;

	for (int i = 0; i < 4; i++)
		spans[i] = (struct pmSpan){ i * S, i * S + S / 2 };
	LINE_SET_ALL(&counter.lines);
	counter.sock = answer(data, size, &other);
	if (pmGet(&counter, &dialect, sets, &own.measures.energy) == 0)
		checkEnergy(&counter, sets);
	pmMeasuresClear(&own.measures.energy);
	close(counter.sock);
	close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0] % 3) {
	case 0:
		list(data + 2, size - 2);
		break;
	case 1:
		status(data + 2, size - 2);
		break;
	default:
		get(data + 2, size - 2, data[1]);
		break;
	}
	return 0;
}
