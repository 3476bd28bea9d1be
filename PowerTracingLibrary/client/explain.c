/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meters of this machine, explained; see explain.h. */
#include "config.h"

#include <string.h>

#include <glib.h>

#include "PowerTracingLibrary/client/core/explain.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "cli/output.h"
#include "common/nodepower.h"

/* An input of a driver, or why there is none. */
struct explained {
	const struct ptDriver *driver;
	char *label, *description;
	bool works;
	const char
		*same;  /* The driver that reads the same counters, or NULL. */
	size_t channel; /* Among those that are chosen from. */
};

struct explanation {
	const struct ptDriver *driver; /* Which is asked now. */
	const char *same;
	GArray *inputs; /* struct explained */
	struct hdPowerChannel *channels;
	size_t count;
};

/* ---- What there is ----------------------------------------------------- */

static void explainFound(void *context, const char *label,
			 const char *description, bool works)
{
	struct explanation *self = context;
	const struct explained input = {
		.driver = self->driver,
		.label = g_strdup(label),
		.description = g_strdup(description),
		.works = works,
		.same = self->same,
	};

	g_array_append_val(self->inputs, input);
}

static void explainClear(void *data)
{
	struct explained *input = data;

	g_free(input->label);
	g_free(input->description);
}

/* Whether a driver has an input that can be used. */
static bool explainHasAny(const struct explanation *self, const char *driver)
{
	for (guint i = 0; i < self->inputs->len; i++) {
		const struct explained *input =
			&g_array_index(self->inputs, struct explained, i);

		if (input->works && strcmp(input->driver->name, driver) == 0)
			return true;
	}
	return false;
}

static void explainLook(struct explanation *self, const char *name,
			const char *root)
{
	static const char *const none[] = { NULL };
	const struct ptSetup setup = {
		.cycleNs = 1000000000,
		.root = root,
		.wakeFd = -1,
		.options = none,
	};

	self->driver = ptDriverFind(ptDrivers, name);
	/* RAPL again, for those who may not read powercap. */
	self->same =
		strcmp(name, "perf") == 0 && explainHasAny(self, "powercap")
			? "powercap"
			: NULL;
	self->driver->list(&setup, explainFound, self);
}

/* ---- The choice -------------------------------------------------------- */

static void explainChoose(struct explanation *self)
{
	self->channels = g_new0(struct hdPowerChannel, self->inputs->len + 1);
	for (guint i = 0; i < self->inputs->len; i++) {
		struct explained *input =
			&g_array_index(self->inputs, struct explained, i);
		struct hdPowerChannel *channel = &self->channels[self->count];

		if (!input->works || input->same)
			continue;
		input->channel = self->count++;
		channel->device = input->driver->name;
		channel->label = input->label;
		hdPowerClassify(channel);
	}
	hdPowerChoose(self->channels, self->count);
}

/* ---- Text -------------------------------------------------------------- */

static void explainInput(FILE *file, const struct explanation *self,
			 const struct explained *input)
{
	struct hdPowerChannel own = { .device = input->driver->name,
				      .label = input->label };
	const struct hdPowerChannel *channel = &own;

	if (strcmp(input->label, "-") == 0) {
		outSay(file, "  none: %s", input->description);
		return;
	}
	hdPowerClassify(&own);
	if (input->works && !input->same)
		channel = &self->channels[input->channel];
	fprintf(file, "  %-24s %-9s ", input->label,
		hdPowerRoleName(channel->is));
	if (!input->works)
		outSay(file, "not usable: %s", input->description);
	else if (input->same)
		outSay(file, "left out: the same counters as %s", input->same);
	else if (!channel->isCounted)
		outSay(file, "left out: %s", channel->reason);
	else
		outSay(file, "counts%s%s", channel->reason[0] ? ": " : "",
		       channel->reason);
}

static void explainDriver(FILE *file, const struct explanation *self,
			  const char *driver)
{
	fprintf(file, "%s\n", driver);
	for (guint i = 0; i < self->inputs->len; i++) {
		const struct explained *input =
			&g_array_index(self->inputs, struct explained, i);

		if (strcmp(input->driver->name, driver) == 0)
			explainInput(file, self, input);
	}
}

static void explainSum(FILE *file, const struct explanation *self)
{
	const char *between = "Power of the node: ";

	for (size_t i = 0; i < self->count; i++) {
		if (!self->channels[i].isCounted)
			continue;
		fprintf(file, "%s%s %s", between, self->channels[i].device,
			self->channels[i].label);
		between = " + ";
	}
	fputs(*between == 'P' ? "Power of the node: not measured\n" : "\n",
	      file);
}

void ptExplain(FILE *file, const char *root)
{
	static const char *const drivers[] = { "powercap", "perf", "nvml",
					       "hwmon", "power_supply" };
	struct explanation self = {
		.inputs = g_array_new(FALSE, FALSE, sizeof(struct explained)),
	};

	g_array_set_clear_func(self.inputs, explainClear);
	for (size_t i = 0; i < G_N_ELEMENTS(drivers); i++)
		explainLook(&self, drivers[i], root);
	explainChoose(&self);
	for (size_t i = 0; i < G_N_ELEMENTS(drivers); i++)
		explainDriver(file, &self, drivers[i]);
	explainSum(file, &self);
	g_array_free(self.inputs, TRUE);
	g_free(self.channels);
}
