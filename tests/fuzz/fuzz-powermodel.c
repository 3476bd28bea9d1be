/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: files of power models. A model that is read is written, and read
 * again as the same one. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/powermodel/powermodel.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

static void takeError(void *context, long line, const char *text)
{
	size_t *errors = context;

	must(line >= 0 && text && *text);
	(*errors)++;
}

static void checkComponent(const struct hdPowerComponent *component)
{
	double last = 0;

	must(*component->name &&
	     memchr(component->name, '\0', sizeof(component->name)) != NULL);
	must(component->segments >= 1 &&
	     component->segments <= HD_POWER_SEGMENTS_MAX);
	for (size_t i = 0; i < component->segments; i++) {
		must(isfinite(component->slope[i]));
		if (i + 1 < component->segments) {
			must(component->knots[i] > last);
			last = component->knots[i];
		}
	}
	must(component->max >= 0 && component->clockMhz >= 0);
	must(hdPowerComponentWatts(component, -1) == 0);
	for (int percent = 0; percent <= 100; percent += 25)
		must(isfinite(hdPowerComponentWatts(component, percent)));
}

static void checkAgain(const struct hdPowerModel *model)
{
	struct hdPowerModel again;
	size_t size = 0, errors = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	must(file != NULL);
	hdPowerModelWrite(model, file);
	must(fclose(file) == 0);
	must(hdPowerModelRead(memoryFile(text, size), takeError, &errors,
			      &again) == 0);
	must(errors == 0 && again.count == model->count);
	for (size_t i = 0; i < model->count; i++) {
		must(strcmp(again.components[i].name,
			    model->components[i].name) == 0);
		must(again.components[i].segments ==
		     model->components[i].segments);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hdPowerModel model;
	size_t errors = 0;
	int ret = hdPowerModelRead(memoryFile(data, size), takeError, &errors,
				   &model);

	must(ret == 0 || ret == -EINVAL || ret == -EFBIG);
	must((ret == -EINVAL) == (errors > 0));
	if (ret < 0)
		return 0;
	must(isfinite(model.idle) && isfinite(model.error));
	must(model.count <= HD_POWER_COMPONENTS_MAX);
	for (size_t i = 0; i < model.count; i++) {
		checkComponent(&model.components[i]);
		must(hdPowerModelFind(&model, model.components[i].name) ==
		     &model.components[i]);
	}
	checkAgain(&model);
	return 0;
}
