/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Getting the samples: GET, of all that servers speak. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Silence of so many milliseconds behind half of the values makes them look
 * like values of 4 bytes. */
#define SUSPICION_MS 500

/* What GET begins with. */
struct head {
	int32_t values, sets, lines;
};

/* ---- The begin --------------------------------------------------------- */

/* Receive it and check what no server may say. */
static int pmGetReceiveHead(int fd, const char *device, int sets,
			    struct head *head)
{
	unsigned char bytes[8];
	int ret = pmReceiveInt(fd, &pmFieldValues, device, &head->values);

	if (ret == 0 && head->values == -1)
		return -EREMOTEIO;
	if (ret == 0)
		ret = pmReceive(fd, bytes, sizeof(bytes), pmDeadline());
	if (ret == 0)
		ret = pmGetInt(&pmFieldSets, device, bytes, &head->sets);
	if (ret == 0)
		ret = pmGetInt(&pmFieldSampled, device, bytes + 4,
			       &head->lines);
	if (ret < 0)
		return ret;
	/* One more than there are, as each has a begin and an end. */
	if (head->sets != sets + 1) {
		pmLog(HD_LOG_ERROR,
		      "%d sets were recorded; the server has %lld", sets,
		      (long long)head->sets - 1);
		return -EPROTO;
	}
	return 0;
}

/* Receive where the sets begin. */
static int takeSets(int fd, const char *device, const struct head *head,
		    bool isAggregate, int **result)
{
	size_t count = (size_t)head->sets;
	unsigned char *bytes = NULL;
	int64_t values;
	int *sets;
	int ret = pmReceiveMore(fd, &bytes, 0, 4 * count);

	if (ret < 0)
		return ret;
	sets = malloc(count * sizeof(*sets));
	for (size_t i = 0; sets && i < count; i++) {
		if (ret == 0)
			ret = pmGetInt(&pmFieldBorder, device, bytes + 4 * i,
				       &sets[i]);
		if (ret == 0 &&
		    (sets[i] < (i > 0 ? sets[i - 1] : 0) || sets[0] != 0))
			ret = -EPROTO;
	}
	free(bytes);
	if (!sets)
		return -ENOMEM;
	values = ret < 0 ? -1
			 : (int64_t)sets[count - 1] *
				   (isAggregate ? 1 : head->lines);
	if (ret == 0 && values != head->values) {
		pmLog(HD_LOG_ERROR,
		      "expected %lld values of the sets; received %d",
		      (long long)values, (int)head->values);
		ret = -EPROTO;
	}
	if (ret < 0)
		free(sets);
	else
		*result = sets;
	return ret;
}

/* ---- Values ------------------------------------------------------------ */

/* What was received behind the first half is the other half, or the answer to
 * a STOP; whoever has 4 bytes a value sends nothing but this answer. */
static int findSize(int fd, const char *device, unsigned char **bytes,
		    size_t half, size_t *size)
{
	static const unsigned char no[] = { 0xff, 0xff, 0xff, 0xff };
	unsigned char more[4], *larger;
	int32_t answer;
	int ret;

	*size = 8;
	if (pmIsComing(fd, SUSPICION_MS))
		return pmReceiveMore(fd, bytes, half, 2 * half);
	ret = pmSendInt(fd, PM_STOP);
	if (ret == 0)
		ret = pmReceive(fd, more, sizeof(more), pmDeadline());
	if (ret == 0 && memcmp(more, no, sizeof(no)) == 0 &&
	    !pmIsComing(fd, SUSPICION_MS)) {
		*size = 4;
		return 0;
	}
	larger = ret == 0 ? realloc(*bytes, half + sizeof(more)) : NULL;
	if (!larger) {
		free(*bytes);
		*bytes = NULL;
		return ret < 0 ? ret : -ENOMEM;
	}
	memcpy(larger + half, more, sizeof(more));
	*bytes = larger;
	ret = pmReceiveMore(fd, bytes, half + sizeof(more), 2 * half);
	/* It comes in any case, after all. */
	return ret < 0 ? ret
		       : pmReceiveInt(fd, &pmFieldAnswer, device, &answer);
}

static double pmGetValueOf(const unsigned char *at, size_t size)
{
	uint64_t bits = 0;
	uint32_t bits4;
	float single;
	double value;

	for (size_t i = size; i-- > 0;)
		bits = bits << 8 | at[i];
	if (size == 8) {
		memcpy(&value, &bits, sizeof(value));
		return value;
	}
	bits4 = (uint32_t)bits;
	memcpy(&single, &bits4, sizeof(single));
	return (double)single;
}

/* Turn the bytes into doubles, in the same memory if they fit. */
static int convert(unsigned char *bytes, size_t count, size_t size,
		   double **result)
{
	double *values = (double *)(void *)bytes;

	if (size == 4)
		values = malloc((count > 0 ? count : 1) * sizeof(*values));
	for (size_t i = 0; values && i < count; i++)
		values[i] = size == 8 ? pmGetValueOf(bytes + 8 * i, 8)
				      : pmGetValueOf(bytes + 4 * i, 4);
	if (size == 4)
		free(bytes);
	*result = values;
	return values ? 0 : -ENOMEM;
}

static int pmGetReceiveValues(int fd, const char *device, size_t count,
			      struct pmDialect *dialect, double **values)
{
	unsigned char *bytes = NULL;
	size_t size = dialect->size;
	int ret = pmReceiveMore(fd, &bytes, 0, (size ? size : 4) * count);

	if (ret == 0 && !size && count > 0) {
		ret = findSize(fd, device, &bytes, 4 * count, &size);
		dialect->size = size;
	}
	if (ret == 0)
		ret = pmCheckArray(size == 4 ? &pmFieldSingle : &pmFieldDouble,
				   device, bytes, count);
	if (ret < 0) {
		free(bytes);
		return ret;
	}
	return convert(bytes, count, size ? size : 8, values);
}

/* ---- All of it --------------------------------------------------------- */

/* Put what came set by set into the order line by line. */
static int reorder(pm_measures *energy)
{
	size_t count = (size_t)energy->watts_size;
	size_t lines = (size_t)energy->lines_len;
	size_t total = lines > 0 ? count / lines : 0;
	double *values = malloc((count > 0 ? count : 1) * sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (int s = 0; s + 1 < energy->watts_sets_size; s++) {
		size_t begin = (size_t)energy->watts_sets[s];
		size_t length = (size_t)energy->watts_sets[s + 1] - begin;

		for (size_t l = 0; l < lines; l++)
			memcpy(values + l * total + begin,
			       energy->watts + lines * begin + l * length,
			       length * sizeof(*values));
	}
	free(energy->watts);
	energy->watts = values;
	return 0;
}

/* Bring the values into the right order, if it matters. */
static int arrange(const counter_t *counter, struct pmDialect *dialect,
		   pm_measures *energy)
{
	const struct pmCounter *own = pmCounterOf(counter);

	if (counter->aggregate || energy->lines_len < 2 ||
	    energy->watts_sets_size < 3 || energy->watts_size == 0)
		return 0;
	if (dialect->order == PM_ORDER_UNKNOWN)
		dialect->order = pmFindOrder(&own->server, own->device);
	return dialect->order == PM_SET_MAJOR ? reorder(energy) : 0;
}

int pmGet(const counter_t *counter, struct pmDialect *dialect, int sets,
	  pm_measures *energy)
{
	pm_measures found = { 0 };
	struct head head;
	int fd = counter->sock, ret = pmSendInt(fd, PM_GET);
	const char *device = pmCounterOf(counter)->device;

	if (ret == 0)
		ret = pmGetReceiveHead(fd, device, sets, &head);
	if (ret == 0)
		ret = takeSets(fd, device, &head, counter->aggregate,
			       &found.watts_sets);
	if (ret == 0)
		ret = pmGetReceiveValues(fd, device, (size_t)head.values,
					 dialect, &found.watts);
	if (ret == 0) {
		found.watts_size = head.values;
		found.watts_sets_size = head.sets;
		found.lines_len = head.lines;
		ret = arrange(counter, dialect, &found);
	}
	if (ret < 0)
		pmMeasuresClear(&found);
	else
		*energy = found;
	return ret;
}

void pmMeasuresClear(pm_measures *energy)
{
	free(energy->watts);
	free(energy->watts_sets);
	*energy = (pm_measures){ 0 };
}
