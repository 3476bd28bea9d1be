/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was learnt of projects: its beginning, its end, and its steps. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "PredictionLibrary/characterize/learn.h"

static void freeHost(void *data)
{
	struct learntHost *host = data;

	g_free(host->label);
	g_free(host->architecture);
	g_ptr_array_unref(host->pes);
	g_ptr_array_unref(host->peKinds);
	g_free(host->exchanger);
	g_free(host);
}

static void learntFreeMeter(void *data)
{
	struct learntMeter *meter = data;

	powerCursorFree(meter->cursor);
	powerSeriesFree(meter->power);
	g_array_unref(meter->lost);
	g_array_unref(meter->busy);
	g_array_unref(meter->runs);
	g_array_unref(meter->accesses);
	g_array_unref(meter->spans);
	g_array_unref(meter->others);
	g_free(meter);
}

static void freeVariable(void *data)
{
	g_free(((struct learntVariable *)data)->name);
}

static void learntFreeRun(void *data)
{
	struct learntRun *run = data;

	g_free(run->kernel);
	g_free(run->architecture);
	g_free(run->beside);
	g_array_set_clear_func(run->variables, freeVariable);
	g_array_unref(run->variables);
	g_free(run);
}

static void freeEntry(void *data)
{
	struct learntEntry *entry = data;

	g_free(entry->kernel);
	g_free(entry->architecture);
	if (entry->list)
		g_array_unref(entry->list);
	g_free(entry);
}

static void closeProject(void *project)
{
	hdI_closeProject(project);
}

struct learnt *learntNew(const struct learnChoice *choice,
			 hdPMessageHandler handler, void *data)
{
	struct learnt *self = g_new0(struct learnt, 1);

	self->choice = *choice;
	self->handler = handler;
	self->data = data;
	self->projects = g_ptr_array_new_with_free_func(closeProject);
	self->hosts = g_ptr_array_new_with_free_func(freeHost);
	self->meters = g_ptr_array_new_with_free_func(learntFreeMeter);
	self->runs = g_ptr_array_new_with_free_func(learntFreeRun);
	self->entries = g_ptr_array_new_with_free_func(freeEntry);
	self->slowdowns =
		g_array_new(FALSE, TRUE, sizeof(struct learntSlowdown));
	self->transfers =
		g_array_new(FALSE, TRUE, sizeof(struct learntTransfer));
	self->accesses = g_array_new(FALSE, TRUE, sizeof(struct learntAccess));
	self->classes = g_array_new(FALSE, TRUE, sizeof(struct learntAccess));
	self->pairs = g_array_new(FALSE, TRUE, sizeof(struct learntPair));
	self->bridges = g_array_new(FALSE, TRUE, sizeof(struct learntBridge));
	return self;
}

void learntFree(struct learnt *self)
{
	if (!self)
		return;
	g_array_unref(self->bridges);
	g_array_unref(self->pairs);
	g_array_unref(self->accesses);
	g_array_unref(self->classes);
	g_array_unref(self->transfers);
	g_array_unref(self->slowdowns);
	g_ptr_array_unref(self->entries);
	g_ptr_array_unref(self->runs);
	g_ptr_array_unref(self->meters);
	g_ptr_array_unref(self->hosts);
	g_ptr_array_unref(self->projects);
	g_free(self);
}

void learntSay(const struct learnt *self, bool isWarning,
	       const hdIProject *project, const char *id, const char *format,
	       ...)
{
	hdPMessage message = { .isWarning = isWarning,
			       .file = project ? project->file : NULL,
			       .id = id };
	va_list list;
	char *text;

	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	message.text = text;
	if (self->handler)
		self->handler(&message, self->data);
	g_free(text);
}

const char *learntRefusalText(enum learntRefusal refusal)
{
	static const char *const texts[] = {
		[RUN_GOOD] = "",
		[RUN_LOAD] = "it is a load for other runs",
		[RUN_LOADED] = "other runs at the same time",
		[RUN_FITTED] = "its energy is fitted",
		[RUN_NO_POWER] = "the power of its host is unknown",
		[RUN_NO_PAUSE] = "the pause before or after it is too short",
		[RUN_UNKNOWN] = "power is unknown for a part",
		[RUN_LOST] = "cycles of the meter are missing",
		[RUN_DRIFT] = "idle power changed too much during the run",
		[RUN_OVERLAP] = "other runs overlapped a part",
		[RUN_NEGATIVE] = "it drew no more power than the pause",
		[RUN_SHORT] = "no duration or no number of repetitions",
	};

	return texts[refusal];
}

/* ---- Numbers ------------------------------------------------------------ */

/* Student's t for 95 %, by degrees of freedom. */
static double studentOf(size_t freedom)
{
	static const double list[] = { 12.706, 4.303, 3.182, 2.776, 2.571,
				       2.447,  2.365, 2.306, 2.262, 2.228 };
	double n = (double)freedom;

	if (freedom <= G_N_ELEMENTS(list))
		return list[freedom - 1];
	/* Within 0.002 from 11 on. */
	return 1.959964 + 2.3722 / n + 2.82 / (n * n) + 2.6 / (n * n * n);
}

struct learntNumber learntMean(const double *values, size_t count)
{
	struct learntNumber number = { count, NAN, NAN, NAN };
	double squares = 0, sum = 0;

	/* Of equal values the mean is that one. */
	for (size_t i = 0; i < count; i++)
		sum += values[i] - values[0];
	if (count)
		number.mean = values[0] + sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares +=
			(values[i] - number.mean) * (values[i] - number.mean);
	if (count > 1) {
		number.deviation = sqrt(squares / (double)(count - 1));
		number.error = studentOf(count - 1) * number.deviation /
			       sqrt((double)count);
	}
	return number;
}

static int compareDoubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double learntMedian(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), compareDoubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* ---- The whole ---------------------------------------------------------- */

static bool hasPower(const struct learnt *self)
{
	for (guint i = 0; i < self->meters->len; i++) {
		if (learntMeterOf(self, i)->power)
			return true;
	}
	return false;
}

/* Whether there is the host that others are to be compared with. */
static bool hasReference(const struct learnt *self)
{
	if (!self->choice.reference)
		return true;
	for (guint i = 0; i < self->meters->len; i++) {
		const struct learntMeter *meter = learntMeterOf(self, i);

		if (meter->power &&
		    strcmp(learntHostOf(self, meter->host)->label,
			   self->choice.reference) == 0)
			return true;
	}
	return false;
}

/* Power that could not be read again, from its temporary file, is nothing that
 * numbers may be made of. */
static int checkPower(const struct learnt *self)
{
	int error = 0;

	for (guint i = 0; i < self->meters->len; i++) {
		const struct learntMeter *meter = learntMeterOf(self, i);
		int ret = meter->cursor ? powerCursorError(meter->cursor) : 0;

		if (ret == 0)
			continue;
		learntSay(self, false, meter->project,
			  learntHostOf(self, meter->host)->label,
			  "cannot read its power: %s", g_strerror(-ret));
		error = -EBADMSG;
	}
	return error;
}

int learnModel(struct learnt *self)
{
	int ret;

	if (!self->runs->len && !self->transfers->len && !self->accesses->len) {
		learntSay(self, false, NULL, NULL,
			  "no state is a kernel or an exchange; --kernel "
			  "selects states without the attribute kernel");
		return -EINVAL;
	}
	if (!hasPower(self) && !self->choice.isTimeOnly) {
		learntSay(self, false, NULL, NULL,
			  "no host has power; use --time-only for a model "
			  "without energies");
		return -EINVAL;
	}
	if (!hasReference(self)) {
		learntSay(self, false, NULL, self->choice.reference,
			  "the reference is not a host with power");
		return -EINVAL;
	}
	ret = learnLateness(self);
	if (ret < 0)
		return checkPower(self) < 0 ? -EBADMSG : ret;
	learnNeighbours(self);
	learnConfigurations(self);
	learnEnergies(self);
	learnBoards(self);
	learnEntries(self);
	learnAccesses(self);
	learnFits(self);
	learnSlowdowns(self);
	learnLinks(self);
	return checkPower(self);
}
