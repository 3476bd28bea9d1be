/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building resource models; see resources.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/resources.h"

hdPResources *hdP_createResources(void)
{
	return calloc(1, sizeof(hdPResources));
}

void hdP_destroyResources(hdPResources *resources)
{
	if (!resources)
		return;
	free(resources->file);
	hdPredictNamesFree(&resources->kernels);
	hdPredictNamesFree(&resources->architectures);
	hdPredictNamesFree(&resources->variables);
	free(resources->entries);
	free(resources->conditions);
	free(resources->slowdowns);
	free(resources->loads);
	free(resources->ios);
	free(resources);
}

static bool resourcesIsAmount(double value)
{
	return isfinite(value) && value >= 0;
}

static int resourcesNameOf(struct hdPredictNames *names, const char *text,
			   uint32_t *number)
{
	return hdPredictNamesAdd(names, text, strlen(text), number) < 0
		       ? -ENOMEM
		       : 0;
}

int64_t hdP_addEntry(hdPResources *resources, const char *kernel,
		     const char *architecture, double time, double energy,
		     double timeSpread, double energySpread)
{
	struct hdPredictEntry entry = { .time = time,
					.energy = energy,
					.timeSpread = timeSpread,
					.energySpread = energySpread,
					.pes = 1 };

	if (!resources || resources->isFinished || !kernel || !*kernel ||
	    !architecture || !*architecture || !resourcesIsAmount(time) ||
	    !resourcesIsAmount(energy) || !resourcesIsAmount(timeSpread) ||
	    !resourcesIsAmount(energySpread) ||
	    resources->entryCount >= UINT32_MAX - 2)
		return -EINVAL;
	if (resourcesNameOf(&resources->kernels, kernel, &entry.kernel) < 0 ||
	    resourcesNameOf(&resources->architectures, architecture,
			    &entry.architecture) < 0 ||
	    hdPredictGrow(&resources->entries, resources->entryCount,
			  &resources->entryRoom, sizeof(entry)) < 0)
		return -ENOMEM;
	entry.first = (uint32_t)resources->entryCount;
	resources->entries[resources->entryCount] = entry;
	return (int64_t)resources->entryCount++;
}

int hdP_setEntryPes(hdPResources *resources, int64_t entry, uint32_t pes)
{
	if (!resources || resources->isFinished || entry < 0 ||
	    entry >= (int64_t)resources->entryCount || !pes ||
	    pes > HD_PREDICT_PES_MAX)
		return -EINVAL;
	resources->entries[entry].pes = pes;
	return 0;
}

int hdP_addCondition(hdPResources *resources, int64_t entry,
		     const char *variable, double value)
{
	struct hdPredictCondition condition = { (uint32_t)entry, 0,
						value + 0.0 };

	if (!resources || resources->isFinished || entry < 0 ||
	    entry >= (int64_t)resources->entryCount || !variable ||
	    !*variable || !isfinite(value) ||
	    resources->conditionCount >= UINT32_MAX - 1)
		return -EINVAL;
	if (resourcesNameOf(&resources->variables, variable,
			    &condition.variable) < 0 ||
	    hdPredictGrow(&resources->conditions, resources->conditionCount,
			  &resources->conditionRoom, sizeof(condition)) < 0)
		return -ENOMEM;
	resources->conditions[resources->conditionCount++] = condition;
	return 0;
}

static int resourcesAddLoads(hdPResources *resources, const char *loads,
			     uint32_t *loadCount)
{
	*loadCount = 0;
	while (*loads) {
		size_t length;
		uint32_t name;

		loads += strspn(loads, " \t\r\n");
		length = strcspn(loads, " \t\r\n");
		if (!length)
			break;
		if (hdPredictNamesAdd(&resources->kernels, loads, length,
				      &name) < 0 ||
		    hdPredictGrow(&resources->loads, resources->loadCount,
				  &resources->loadRoom, sizeof(name)) < 0)
			return -ENOMEM;
		resources->loads[resources->loadCount++] = name;
		++*loadCount;
		loads += length;
	}
	return 0;
}

int hdP_addSlowdown(hdPResources *resources, const char *architecture,
		    const char *kernel, const char *loads, uint32_t count,
		    double factor)
{
	struct hdPredictSlowdown slowdown = { .count = count,
					      .factor = factor };

	if (!resources || resources->isFinished || !kernel || !*kernel ||
	    !architecture || !*architecture || !loads || !count ||
	    count > 100000 || !isfinite(factor) || factor <= 0)
		return -EINVAL;
	slowdown.loads = resources->loadCount;
	if (resourcesNameOf(&resources->kernels, kernel, &slowdown.kernel) <
		    0 ||
	    resourcesNameOf(&resources->architectures, architecture,
			    &slowdown.architecture) < 0 ||
	    resourcesAddLoads(resources, loads, &slowdown.loadCount) < 0 ||
	    hdPredictGrow(&resources->slowdowns, resources->slowdownCount,
			  &resources->slowdownRoom, sizeof(slowdown)) < 0)
		return -ENOMEM;
	/* One load stands for all of them. */
	if (!slowdown.loadCount ||
	    (slowdown.loadCount > 1 && slowdown.loadCount != count))
		return -EINVAL;
	resources->slowdowns[resources->slowdownCount++] = slowdown;
	return 0;
}

int hdP_addIoCosts(hdPResources *resources, const char *architecture,
		   hdPAccess access, double size, double time, double energy)
{
	struct hdPredictIoCosts io = {
		.access = access, .size = size, .time = time, .energy = energy
	};

	if (!resources || resources->isFinished || !architecture ||
	    !*architecture || (unsigned int)access >= HD_PREDICT_IO_CLASSES ||
	    !isfinite(size) || !(size > 0) || !resourcesIsAmount(time) ||
	    !resourcesIsAmount(energy))
		return -EINVAL;
	if (resourcesNameOf(&resources->architectures, architecture,
			    &io.architecture) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < resources->ioCount; i++) {
		if (resources->ios[i].architecture == io.architecture &&
		    resources->ios[i].access == access)
			return -EEXIST;
	}
	if (hdPredictGrow(&resources->ios, resources->ioCount,
			  &resources->ioRoom, sizeof(io)) < 0)
		return -ENOMEM;
	resources->ios[resources->ioCount++] = io;
	return 0;
}

int hdPredictIoFree(hdPResources *resources, const char *architecture)
{
	int ret = 0;

	for (int i = 0; i < HD_PREDICT_IO_CLASSES && ret == 0; i++)
		ret = hdP_addIoCosts(resources, architecture, (hdPAccess)i, 1,
				     0, 0);
	return ret;
}

static int byEntry(const void *a, const void *b)
{
	const struct hdPredictCondition *x = a, *y = b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

int hdPredictResourcesSeal(hdPResources *resources,
			   struct hdPredictReport *report)
{
	struct hdPredictCondition *conditions = resources->conditions;

	if (resources->conditionCount)
		qsort(conditions, resources->conditionCount,
		      sizeof(*conditions), byEntry);
	for (uint32_t i = 0; i < resources->conditionCount; i++) {
		struct hdPredictEntry *entry =
			&resources->entries[conditions[i].entry];

		if (!entry->conditionCount++)
			entry->conditions = i;
		else if (conditions[i].variable == conditions[i - 1].variable) {
			size_t length, idLength;
			const char *name =
				hdPredictName(&resources->variables,
					      conditions[i].variable, &length);
			const char *id = hdPredictName(
				&resources->kernels, entry->kernel, &idLength);

			hdPredictError(report, entry->line, id, idLength,
				       "the entry assigns variable %.*s twice",
				       (int)(length > 200 ? 200 : length),
				       name);
		}
	}
	for (size_t i = 0; i < resources->entryCount; i++) {
		struct hdPredictEntry *entry = &resources->entries[i];

		entry->conditions = resources->entries[entry->first].conditions;
		entry->conditionCount =
			resources->entries[entry->first].conditionCount;
	}
	if (report->errors)
		return -EINVAL;
	resources->isFinished = true;
	return 0;
}

int hdP_finishResources(hdPResources *resources, hdPMessageHandler handler,
			void *data)
{
	struct hdPredictReport report = { handler, data, NULL, 0 };

	if (!resources || resources->isFinished)
		return -EINVAL;
	return hdPredictResourcesSeal(resources, &report);
}

int hdP_scaleResources(hdPResources *resources, double time, double energy)
{
	if (!resources || !resources->isFinished || !(time > 0) ||
	    !resourcesIsAmount(time) || !resourcesIsAmount(energy))
		return -EINVAL;
	for (size_t i = 0; i < resources->entryCount; i++) {
		const struct hdPredictEntry *entry = &resources->entries[i];

		if (!resourcesIsAmount(entry->time * time) ||
		    !resourcesIsAmount(entry->timeSpread * time) ||
		    !resourcesIsAmount(entry->energy * energy) ||
		    !resourcesIsAmount(entry->energySpread * energy))
			return -EINVAL;
	}
	for (size_t i = 0; i < resources->entryCount; i++) {
		struct hdPredictEntry *entry = &resources->entries[i];

		entry->time *= time;
		entry->timeSpread *= time;
		entry->energy *= energy;
		entry->energySpread *= energy;
	}
	return 0;
}
