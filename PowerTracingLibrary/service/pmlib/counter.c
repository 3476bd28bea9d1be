/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A counter as pmlib has it; see counter.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/pmlib/counter.h"
#include "common/clock.h"

/* Where the next value is. */
struct counterPlace {
	size_t line, set;
	uint64_t sample; /* Of the set: every k-th reading is one. */
};

struct ptCounter {
	struct ptServed *served;
	struct ptAccount *account;
	size_t *columns; /* Of the store, one a line. */
	size_t lineCount;
	bool isAggregate;
	uint64_t every;
	struct ptSet **sets;
	size_t setCount;
	bool isActive;
	int32_t *ends;    /* One more than there are sets; the first is 0. */
	uint64_t *begins; /* Number of each set's first reading. */
	struct counterPlace place;
};

struct ptCounter *ptCounterCreate(struct ptServed *served,
				  struct ptAccount *account,
				  const size_t *lines, size_t count,
				  bool isAggregate, uint64_t every)
{
	struct ptCounter *counter = calloc(1, sizeof(*counter));

	if (!counter)
		return NULL;
	counter->columns = calloc(count + 1, sizeof(*counter->columns));
	if (!counter->columns) {
		free(counter);
		return NULL;
	}
	counter->served = served;
	counter->account = account;
	counter->lineCount = count;
	counter->isAggregate = isAggregate;
	counter->every = every;
	for (size_t i = 0; i < count; i++)
		counter->columns[i] =
			ptServedSite(served)->lines[lines[i]].values[0].column;
	return counter;
}

static void counterDrop(struct ptCounter *counter)
{
	for (size_t i = 0; i < counter->setCount; i++) {
		ptSetClear(counter->sets[i]);
		free(counter->sets[i]);
	}
	free(counter->sets);
	free(counter->ends);
	free(counter->begins);
	counter->sets = NULL;
	counter->ends = NULL;
	counter->begins = NULL;
	counter->setCount = 0;
}

void ptCounterDestroy(struct ptCounter *counter)
{
	if (!counter)
		return;
	counterDrop(counter);
	free(counter->columns);
	free(counter);
}

struct ptServed *ptCounterServed(const struct ptCounter *counter)
{
	return counter->served;
}

/* Add a set that has not started; NULL without memory. */
static struct ptSet *counterAdd(struct ptCounter *counter)
{
	size_t count = counter->setCount;
	struct ptSet **sets = counter->sets, *set;

	/* The room doubles. */
	if ((count & (count - 1)) == 0) {
		sets = reallocarray(sets, count ? 2 * count : 1,
				    sizeof(struct ptSet *));
		if (!sets)
			return NULL;
		counter->sets = sets;
	}
	set = calloc(1, sizeof(*set));
	if (!set)
		return NULL;
	set->account = counter->account;
	set->columns = counter->columns;
	set->columnCount = counter->lineCount;
	sets[count] = set;
	counter->setCount++;
	return set;
}

int ptCounterStart(struct ptCounter *counter, bool continues)
{
	struct ptSet *set;
	int ret;

	if (counter->isActive)
		return -EBUSY;
	if (!continues)
		counterDrop(counter);
	if (counter->setCount >= PT_COUNTER_SETS_MAX)
		return -EDQUOT;
	set = counterAdd(counter);
	if (!set)
		return -ENOMEM;
	ret = ptSetStart(set, ptServedStore(counter->served), hdClockNow(),
			 hdMonotonicNow());
	if (ret < 0) {
		counter->setCount--;
		free(set);
		return ret;
	}
	counter->isActive = true;
	return 0;
}

int ptCounterStop(struct ptCounter *counter)
{
	struct ptSet *set;

	if (!counter->isActive)
		return -EINVAL;
	set = counter->sets[counter->setCount - 1];
	ptSetStop(set, hdClockNow(), hdMonotonicNow());
	counter->isActive = false;
	return ptSetMissing(set) == PT_MISSING_NOTHING ? 0 : -EDQUOT;
}

bool ptCounterIsActive(const struct ptCounter *counter)
{
	return counter->isActive;
}

bool ptCounterIsComplete(struct ptCounter *counter, int64_t nowNs)
{
	struct ptHealth health;
	bool is = true;

	ptServedHealth(counter->served, &health);
	/* The last ones first: those before were looked at often. */
	for (size_t i = counter->setCount; is && i-- > 0;) {
		struct ptSet *set = counter->sets[i];

		if (counter->isActive && i + 1 == counter->setCount)
			continue;
		if (!set->isOpen && i + 2 < counter->setCount)
			break;
		is = ptSetIsComplete(set, nowNs, health.isUp);
	}
	return is;
}

int64_t ptCounterDue(const struct ptCounter *counter)
{
	int64_t due = 0;

	for (size_t i = counter->setCount; i-- > 0;) {
		const struct ptSet *set = counter->sets[i];

		if (counter->isActive && i + 1 == counter->setCount)
			continue;
		if (set->deadlineNs > due)
			due = set->deadlineNs;
		break;
	}
	return due;
}

int32_t ptCounterLines(const struct ptCounter *counter)
{
	return (int32_t)counter->lineCount;
}

/* Count the samples of a set: ceil(readings / every). */
static uint64_t counterSamples(const struct ptCounter *counter,
			       struct ptSet *set, uint64_t *begin)
{
	struct ptRun run;
	uint64_t readings = 0, number = set->begin;

	*begin = number;
	while (ptSetFind(set, number, &run)) {
		if (readings == 0)
			*begin = run.number;
		readings += run.count;
		number = run.number + run.count;
	}
	if (counter->lineCount == 0)
		return 0;
	return (readings + counter->every - 1) / counter->every;
}

int ptCounterCollect(struct ptCounter *counter, int32_t *values,
		     const int32_t **sets, int32_t *setCount)
{
	size_t count = counter->setCount;
	/* 4 S + 8 W must be below 2^31, whatever the form. */
	const uint64_t most = (UINT64_C(0x7fffffff) - 4 * (count + 1)) / 8;
	uint64_t perSample = counter->isAggregate ? 1 : counter->lineCount;
	uint64_t total = 0;

	free(counter->ends);
	free(counter->begins);
	counter->ends = calloc(count + 1, sizeof(*counter->ends));
	counter->begins = calloc(count + 1, sizeof(*counter->begins));
	if (!counter->ends || !counter->begins)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		total += counterSamples(counter, counter->sets[i],
					&counter->begins[i]);
		if (total * perSample > most)
			return -EFBIG;
		counter->ends[i + 1] = (int32_t)total;
	}
	counter->place = (struct counterPlace){ 0 };
	*values = (int32_t)(total * perSample);
	*sets = counter->ends;
	*setCount = (int32_t)count + 1;
	return 0;
}

/* ---- Values ------------------------------------------------------------ */

/* How many lines there are in the answer. */
static size_t counterRows(const struct ptCounter *counter)
{
	return counter->isAggregate && counter->lineCount > 0
		       ? 1
		       : counter->lineCount;
}

static uint64_t counterSize(const struct ptCounter *counter, size_t set)
{
	return (uint64_t)(counter->ends[set + 1] - counter->ends[set]);
}

/* Write values that lie in one place; the form decides how. */
static size_t counterWrite(const struct ptCounterForm *form,
			   unsigned char *bytes, const double *values,
			   size_t count, uint64_t step)
{
	if (!form->isFloat && step == 1) {
		ptWirePut64(bytes, values, count);
		return 8 * count;
	}
	for (size_t i = 0; i < count; i++) {
		float single = (float)values[i * step];

		if (form->isFloat)
			ptWirePut32(bytes + 4 * i, &single, 1);
		else
			ptWirePut64(bytes + 8 * i, &values[i * step], 1);
	}
	return (form->isFloat ? 4 : 8) * count;
}

/* Write the sum of all lines, sample by sample. */
static size_t counterWriteSums(const struct ptCounter *counter,
			       const struct ptCounterForm *form,
			       struct ptSet *set, const struct ptRun *run,
			       unsigned char *bytes, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (size_t line = 0; line < counter->lineCount; line++)
			sum += ptSetValues(
				set, run,
				counter->columns[line])[i * counter->every];
		used += counterWrite(form, bytes + used, &sum, 1, 1);
	}
	return used;
}

/* Go on to what comes after a line of a set; false at the end. */
static bool counterStep(const struct ptCounter *counter, bool isSetMajor,
			struct counterPlace *place)
{
	size_t lines = counterRows(counter);
	size_t *inner = isSetMajor ? &place->line : &place->set;
	size_t *outer = isSetMajor ? &place->set : &place->line;

	place->sample = 0;
	if (++*inner < (isSetMajor ? lines : counter->setCount))
		return true;
	*inner = 0;
	return ++*outer < (isSetMajor ? counter->setCount : lines);
}

/* Write what lies in one segment; returns the bytes. */
static size_t counterPiece(struct ptCounter *counter,
			   const struct ptCounterForm *form,
			   unsigned char *bytes, size_t room)
{
	struct counterPlace *place = &counter->place;
	struct ptSet *set = counter->sets[place->set];
	uint64_t left = counterSize(counter, place->set) - place->sample;
	uint64_t every = counter->every;
	struct ptRun run;
	size_t count;

	if (!ptSetFind(set, counter->begins[place->set] + place->sample * every,
		       &run))
		return 0;
	count = (size_t)((run.count + every - 1) / every);
	if (count > left)
		count = (size_t)left;
	if (count > room)
		count = room;
	place->sample += count;
	if (counter->isAggregate)
		return counterWriteSums(counter, form, set, &run, bytes, count);
	return counterWrite(
		form, bytes,
		ptSetValues(set, &run, counter->columns[place->line]), count,
		every);
}

size_t ptCounterPut(struct ptCounter *counter, const struct ptCounterForm *form,
		    unsigned char *bytes, size_t size)
{
	struct counterPlace *place = &counter->place;
	size_t each = form->isFloat ? 4 : 8, used = 0, more;
	bool goesOn = place->set < counter->setCount &&
		      place->line < counterRows(counter);

	while (goesOn && size - used >= each) {
		if (place->sample >= counterSize(counter, place->set)) {
			goesOn = counterStep(counter, form->isSetMajor, place);
			continue;
		}
		more = counterPiece(counter, form, bytes + used,
				    (size - used) / each);
		used += more;
		goesOn = more > 0;
	}
	return used;
}
