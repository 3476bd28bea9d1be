/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A resource model, as a graph and a platform see it; see costs.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/mapping/entries.h"

/* In found: not looked up yet. */
#define UNKNOWN (HD_PREDICT_NONE - 3)
/* Cells of found, at most. */
#define FOUND_MAX ((size_t)1 << 24)

/* Factors of one load: by the number of PEs, from 1; NaN: not known. */
struct load {
	uint32_t kernel;
	uint32_t max;
	double *factors;
};

/* A mix of loads that is listed. */
struct mix {
	uint32_t count;
	struct hdPredictLoad *loads; /* By kernel. */
	double factor;
};

/* What slows a kernel down on an architecture. */
struct slow {
	struct load *loads;
	size_t loadCount, loadRoom;
	struct mix *mixes;
	size_t mixCount, mixRoom;
};

struct hdPredictCosts {
	const hdPGraph *graph;
	const hdPResources *resources;
	uint32_t kernelCount, architectureCount;
	uint32_t *first; /* In entries, by architecture and kernel. */
	uint32_t *entries;
	uint32_t *sortedBy; /* By cell: a variable of the resource model, as
			     * of hdPredictEntriesSort(). */
	uint32_t *found;    /* By configuration and architecture, or NULL. */
	uint32_t *counts;   /* Numbers of PEs above 1 that entries are for. */
	uint32_t countCount;
	uint32_t *foundSets; /* As found, and by these numbers; or NULL. */
	uint32_t *variables; /* Of the resource model, for those of kernels. */
	uint32_t *variableFrom; /* By kernel. */
	struct slow *slow;      /* By architecture and kernel. */
	bool *hasSlowdown;      /* By architecture. */
	uint32_t *ios; /* Costs of accesses, by architecture and class. */
};

static size_t mapCostsCellIndex(const struct hdPredictCosts *self,
				uint32_t architecture, uint32_t kernel)
{
	return (size_t)architecture * self->kernelCount + kernel;
}

static uint32_t mapCostsFindName(const struct hdPredictNames *names,
				 const struct hdPredictNames *others,
				 uint32_t number)
{
	size_t length;
	const char *text = hdPredictName(others, number, &length);

	return hdPredictNamesFind(names, text, length);
}

/* ---- Entries ----------------------------------------------------------- */

static int bindEntries(struct hdPredictCosts *self, const hdPPlatform *platform,
		       const uint32_t *kernelOf)
{
	const hdPResources *resources = self->resources;
	size_t cells = (size_t)self->kernelCount * self->architectureCount;
	uint32_t *at = malloc((resources->entryCount + 1) * sizeof(*at));

	self->first = calloc(cells + 2, sizeof(*self->first));
	self->entries =
		malloc((resources->entryCount + 1) * sizeof(*self->entries));
	if (!at || !self->first || !self->entries) {
		free(at);
		return -ENOMEM;
	}
	for (size_t i = 0; i < resources->entryCount; i++) {
		const struct hdPredictEntry *entry = &resources->entries[i];
		uint32_t a = mapCostsFindName(&platform->peArchitectures,
					      &resources->architectures,
					      entry->architecture);
		uint32_t k = kernelOf[entry->kernel];

		at[i] = HD_PREDICT_NONE;
		if (a == HD_PREDICT_NONE || k == HD_PREDICT_NONE)
			continue;
		at[i] = (uint32_t)mapCostsCellIndex(self, a, k);
		self->first[at[i] + 2]++;
	}
	for (size_t c = 2; c < cells + 2; c++)
		self->first[c] += self->first[c - 1];
	for (uint32_t i = 0; i < resources->entryCount; i++) {
		if (at[i] != HD_PREDICT_NONE)
			self->entries[self->first[at[i] + 1]++] = i;
	}
	free(at);
	return 0;
}

/* Sort the entries of each cell. */
static int sortEntries(struct hdPredictCosts *self)
{
	size_t cells = (size_t)self->kernelCount * self->architectureCount;
	int ret = 0;

	self->sortedBy = malloc((cells + 1) * sizeof(*self->sortedBy));
	if (!self->sortedBy)
		return -ENOMEM;
	for (size_t c = 0; c < cells && ret == 0; c++)
		ret = hdPredictEntriesSort(self->resources,
					   self->entries + self->first[c],
					   self->first[c + 1] - self->first[c],
					   &self->sortedBy[c]);
	return ret;
}

static int bindVariables(struct hdPredictCosts *self)
{
	const hdPGraph *graph = self->graph;
	size_t count = 0;

	self->variableFrom =
		calloc((size_t)graph->kernelCount + 1, sizeof(uint32_t));
	for (uint32_t k = 0; k < graph->kernelCount; k++)
		count += graph->kernels[k].variableCount;
	self->variables = malloc((count + 1) * sizeof(uint32_t));
	if (!self->variableFrom || !self->variables)
		return -ENOMEM;
	count = 0;
	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		const struct hdPredictKernel *kernel = &graph->kernels[k];

		self->variableFrom[k] = (uint32_t)count;
		for (uint32_t v = 0; v < kernel->variableCount; v++)
			self->variables[count++] = hdPredictNamesFind(
				&self->resources->variables,
				kernel->variables[v],
				strlen(kernel->variables[v]));
	}
	return 0;
}

/* Value of a variable of the resource model in a configuration; NULL: its
 * kernel does not have it. */
static const double *mapCostsValue(const struct hdPredictCosts *self,
				   const struct hdPredictConfig *config,
				   uint32_t variable)
{
	const struct hdPredictKernel *kernel =
		&self->graph->kernels[config->kernel];
	const uint32_t *variables =
		self->variables + self->variableFrom[config->kernel];

	/* NONE are those that the resource model does not have. */
	for (uint32_t v = 0;
	     v < kernel->variableCount && variable != HD_PREDICT_NONE; v++) {
		if (variables[v] == variable)
			return &self->graph->values[config->values + v];
	}
	return NULL;
}

static bool mapCostsMatches(const struct hdPredictCosts *self,
			    const struct hdPredictConfig *config,
			    const struct hdPredictEntry *entry)
{
	for (uint32_t i = 0; i < entry->conditionCount; i++) {
		const struct hdPredictCondition *condition =
			&self->resources->conditions[entry->conditions + i];
		const double *value =
			mapCostsValue(self, config, condition->variable);

		if (!value || *value != condition->value)
			return false;
	}
	return true;
}

/* ---- Accesses to files -------------------------------------------------- */

static int bindIos(struct hdPredictCosts *self, const hdPPlatform *platform)
{
	const hdPResources *resources = self->resources;
	size_t count = (size_t)self->architectureCount * HD_PREDICT_IO_CLASSES;

	self->ios = malloc((count + 1) * sizeof(*self->ios));
	if (!self->ios)
		return -ENOMEM;
	memset(self->ios, 0xff, (count + 1) * sizeof(*self->ios));
	for (uint32_t i = 0; i < resources->ioCount; i++) {
		const struct hdPredictIoCosts *io = &resources->ios[i];
		uint32_t a = mapCostsFindName(&platform->peArchitectures,
					      &resources->architectures,
					      io->architecture);

		if (a != HD_PREDICT_NONE)
			self->ios[(size_t)a * HD_PREDICT_IO_CLASSES +
				  io->access] = i;
	}
	return 0;
}

static uint32_t ioOf(const struct hdPredictCosts *self, uint32_t architecture,
		     const struct hdPredictIo *io)
{
	return self->ios[(size_t)architecture * HD_PREDICT_IO_CLASSES +
			 io->access];
}

/* Whether all accesses of a kernel have costs. */
static bool hasIos(const struct hdPredictCosts *self, uint32_t kernel,
		   uint32_t architecture)
{
	const struct hdPredictKernel *of = &self->graph->kernels[kernel];

	for (uint32_t i = 0; i < of->ioCount; i++) {
		if (ioOf(self, architecture, &of->ios[i]) == HD_PREDICT_NONE)
			return false;
	}
	return true;
}

void hdPredictCostsIo(const struct hdPredictCosts *self, uint32_t number,
		      uint32_t architecture, double *time, double *energy)
{
	const struct hdPredictConfig *config = &self->graph->configs[number];
	const struct hdPredictKernel *kernel =
		&self->graph->kernels[config->kernel];
	const double *sizes = self->graph->sizes + config->sizes +
			      kernel->inputs.count + kernel->outputs.count;

	for (uint32_t i = 0; i < kernel->ioCount; i++) {
		const struct hdPredictIoCosts *io = &self->resources->ios[ioOf(
			self, architecture, &kernel->ios[i])];
		double count = ceil(sizes[i] / io->size);

		*time += count * io->time;
		*energy += count * io->energy;
	}
}

static uint32_t lookUp(const struct hdPredictCosts *self, uint32_t number,
		       uint32_t architecture, uint32_t pes)
{
	const struct hdPredictConfig *config = &self->graph->configs[number];
	size_t at = mapCostsCellIndex(self, architecture, config->kernel);
	const double *value = mapCostsValue(self, config, self->sortedBy[at]);
	uint32_t best = HD_PREDICT_NO_ENTRY, most = 0;
	uint32_t from = self->first[at], end = self->first[at + 1];

	/* A kernel without the variable matches none, which is seen below. */
	if (value)
		hdPredictEntriesRange(self->resources, self->entries,
				      self->sortedBy[at], *value, &from, &end);
	for (uint32_t i = from; i < end; i++) {
		const struct hdPredictEntry *entry =
			&self->resources->entries[self->entries[i]];

		if (entry->pes != pes ||
		    (best != HD_PREDICT_NO_ENTRY &&
		     entry->conditionCount < most) ||
		    !mapCostsMatches(self, config, entry))
			continue;
		best = best != HD_PREDICT_NO_ENTRY &&
				       entry->conditionCount == most
			       ? HD_PREDICT_TIE
			       : self->entries[i];
		most = entry->conditionCount;
	}
	if (hdPredictIsEntry(best) &&
	    !hasIos(self, config->kernel, architecture))
		return HD_PREDICT_NO_IO;
	return best;
}

/* The same on several PEs. */
static uint32_t mapCostsFindSet(struct hdPredictCosts *self, uint32_t config,
				uint32_t architecture, uint32_t pes)
{
	uint32_t low = 0, high = self->countCount, *found;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (self->counts[middle] < pes)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == self->countCount || self->counts[low] != pes)
		return HD_PREDICT_NO_ENTRY;
	if (!self->foundSets)
		return lookUp(self, config, architecture, pes);
	found = &self->foundSets[((size_t)config * self->architectureCount +
				  architecture) *
					 self->countCount +
				 low];
	if (*found == UNKNOWN)
		*found = lookUp(self, config, architecture, pes);
	return *found;
}

uint32_t hdPredictCostsFind(struct hdPredictCosts *self, uint32_t config,
			    uint32_t architecture, uint32_t pes)
{
	uint32_t *found;

	if (pes != 1)
		return mapCostsFindSet(self, config, architecture, pes);
	if (!self->found)
		return lookUp(self, config, architecture, 1);
	found = &self->found[(size_t)config * self->architectureCount +
			     architecture];
	if (*found == UNKNOWN)
		*found = lookUp(self, config, architecture, 1);
	return *found;
}

static int mapCostsByNumber(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Numbers of PEs that entries are for. */
static int mapCostsFindCounts(struct hdPredictCosts *self)
{
	const hdPResources *resources = self->resources;
	uint32_t *counts =
		malloc((resources->entryCount + 1) * sizeof(*counts));
	uint32_t n = 0;

	self->counts = counts;
	for (size_t i = 0; counts && i < resources->entryCount; i++) {
		if (resources->entries[i].pes > 1)
			counts[n++] = resources->entries[i].pes;
	}
	if (n)
		qsort(counts, n, sizeof(*counts), mapCostsByNumber);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || counts[i] != counts[self->countCount - 1])
			counts[self->countCount++] = counts[i];
	}
	return counts ? 0 : -ENOMEM;
}

const uint32_t *hdPredictCostsCounts(const struct hdPredictCosts *self,
				     uint32_t *count)
{
	*count = self->countCount;
	return self->counts;
}

/* ---- Slowdown ---------------------------------------------------------- */

static bool isKernel(const hdPGraph *graph, uint32_t kernel,
		     const struct hdPredictNames *names, uint32_t name,
		     bool isClass)
{
	const char *id = isClass ? graph->kernels[kernel].kernelClass
				 : graph->kernels[kernel].id;
	size_t length;
	const char *text = hdPredictName(names, name, &length);

	return id && strlen(id) == length && memcmp(id, text, length) == 0;
}

static int setFactor(struct slow *slow, uint32_t kernel, uint32_t count,
		     double factor)
{
	struct load *load = slow->loads;
	size_t i = 0;

	while (i < slow->loadCount && load[i].kernel != kernel)
		i++;
	if (i == slow->loadCount) {
		if (hdPredictGrow(&slow->loads, slow->loadCount,
				  &slow->loadRoom, sizeof(*load)) < 0)
			return -ENOMEM;
		slow->loads[slow->loadCount++] =
			(struct load){ .kernel = kernel };
	}
	load = &slow->loads[i];
	if (count > load->max) {
		double *grown =
			realloc(load->factors, count * sizeof(*load->factors));

		if (!grown)
			return -ENOMEM;
		for (uint32_t n = load->max; n < count; n++)
			grown[n] = NAN;
		load->factors = grown;
		load->max = count;
	}
	load->factors[count - 1] = factor;
	return 0;
}

static int byKernel(const void *a, const void *b)
{
	const struct hdPredictLoad *x = a, *y = b;

	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int addMix(struct slow *slow, const struct hdPredictCosts *self,
		  const struct hdPredictSlowdown *slowdown,
		  const uint32_t *kernelOf)
{
	struct mix mix = { .factor = slowdown->factor };

	mix.loads = malloc(slowdown->loadCount * sizeof(*mix.loads));
	if (!mix.loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < slowdown->loadCount; i++) {
		uint32_t kernel =
			kernelOf[self->resources->loads[slowdown->loads + i]];
		uint32_t k = 0;

		/* A mix of what the graph does not have. */
		if (kernel == HD_PREDICT_NONE) {
			free(mix.loads);
			return 0;
		}
		while (k < mix.count && mix.loads[k].kernel != kernel)
			k++;
		if (k == mix.count)
			mix.loads[mix.count++] =
				(struct hdPredictLoad){ kernel, 0 };
		mix.loads[k].count++;
	}
	qsort(mix.loads, mix.count, sizeof(*mix.loads), byKernel);
	if (hdPredictGrow(&slow->mixes, slow->mixCount, &slow->mixRoom,
			  sizeof(mix)) < 0) {
		free(mix.loads);
		return -ENOMEM;
	}
	slow->mixes[slow->mixCount++] = mix;
	return 0;
}

/* One entry for one kernel; its loads by their names, or by their class. */
static int bindSlowdown(struct hdPredictCosts *self,
			const struct hdPredictSlowdown *slowdown,
			uint32_t architecture, uint32_t kernel,
			const uint32_t *kernelOf, bool isLoadClass)
{
	struct slow *slow =
		&self->slow[mapCostsCellIndex(self, architecture, kernel)];

	self->hasSlowdown[architecture] = true;
	if (slowdown->loadCount > 1)
		return isLoadClass ? 0 : addMix(slow, self, slowdown, kernelOf);
	for (uint32_t l = 0; l < self->kernelCount; l++) {
		int ret;

		if (!isKernel(self->graph, l, &self->resources->kernels,
			      self->resources->loads[slowdown->loads],
			      isLoadClass))
			continue;
		ret = setFactor(slow, l, slowdown->count, slowdown->factor);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Entries of classes first: those of kernels replace them. */
static int bindSlowdowns(struct hdPredictCosts *self,
			 const hdPPlatform *platform, const uint32_t *kernelOf)
{
	const hdPResources *resources = self->resources;

	for (unsigned int pass = 0; pass < 4; pass++) {
		for (size_t i = 0; i < resources->slowdownCount; i++) {
			const struct hdPredictSlowdown *slowdown =
				&resources->slowdowns[i];
			uint32_t a =
				mapCostsFindName(&platform->peArchitectures,
						 &resources->architectures,
						 slowdown->architecture);

			for (uint32_t k = 0;
			     a != HD_PREDICT_NONE && k < self->kernelCount;
			     k++) {
				int ret;

				if (!isKernel(self->graph, k,
					      &resources->kernels,
					      slowdown->kernel, pass < 2))
					continue;
				ret = bindSlowdown(self, slowdown, a, k,
						   kernelOf, pass % 2 == 0);
				if (ret < 0)
					return ret;
			}
		}
	}
	/* What is not listed is as with fewer. */
	for (size_t c = 0;
	     c < (size_t)self->architectureCount * self->kernelCount; c++) {
		for (size_t l = 0; l < self->slow[c].loadCount; l++) {
			struct load *load = &self->slow[c].loads[l];

			for (uint32_t n = 1; n < load->max; n++) {
				if (isnan(load->factors[n]))
					load->factors[n] = load->factors[n - 1];
			}
		}
	}
	return 0;
}

bool hdPredictHasSlowdown(const struct hdPredictCosts *self,
			  uint32_t architecture)
{
	return self->hasSlowdown[architecture];
}

static const struct load *mapCostsLoadOf(const struct slow *slow,
					 uint32_t kernel)
{
	for (size_t i = 0; i < slow->loadCount; i++) {
		if (slow->loads[i].kernel == kernel)
			return &slow->loads[i];
	}
	return NULL;
}

static const struct mix *findMix(const struct slow *slow,
				 const struct hdPredictLoad *loads,
				 size_t count)
{
	for (size_t i = 0; i < slow->mixCount; i++) {
		const struct mix *mix = &slow->mixes[i];
		size_t kinds = 0, found = 0;

		for (size_t k = 0; k < count; k++) {
			kinds += loads[k].count > 0;
			for (uint32_t m = 0; m < mix->count; m++)
				found += mix->loads[m].kernel ==
						 loads[k].kernel &&
					 mix->loads[m].count == loads[k].count;
		}
		if (found == mix->count && kinds == mix->count)
			return mix;
	}
	return NULL;
}

double hdPredictSlowdownOf(const struct hdPredictCosts *self,
			   uint32_t architecture, uint32_t kernel,
			   const struct hdPredictLoad *loads, size_t count,
			   unsigned int *guess)
{
	const struct slow *slow =
		&self->slow[mapCostsCellIndex(self, architecture, kernel)];
	uint32_t others = 0, known = 0, kinds = 0;
	const struct mix *mix;
	double sum = 0;

	if (!slow->loadCount && !slow->mixCount)
		return 1;
	mix = slow->mixCount ? findMix(slow, loads, count) : NULL;
	if (mix)
		return mix->factor;
	/* What is never listed as a load is insignificant as one. */
	for (size_t i = 0; i < count; i++) {
		if (loads[i].count && mapCostsLoadOf(slow, loads[i].kernel))
			others += loads[i].count;
	}
	for (size_t i = 0; i < count && others; i++) {
		const struct load *load = mapCostsLoadOf(slow, loads[i].kernel);
		uint32_t n = load && others > load->max ? load->max : others;

		if (!load || !loads[i].count || isnan(load->factors[n - 1]))
			continue;
		if (others > load->max)
			*guess |= HD_PREDICT_BEYOND;
		sum += load->factors[n - 1] * loads[i].count;
		known += loads[i].count;
		kinds++;
	}
	if (kinds > 1)
		*guess |= HD_PREDICT_MIXED;
	return known ? sum / known : 1;
}

/* ---- Together ---------------------------------------------------------- */

/* Room for what is looked up, unless it is too much; 0 or -ENOMEM. */
static int mapCostsUnknown(uint32_t **list, size_t count)
{
	if (!count || count > FOUND_MAX)
		return 0;
	*list = malloc(count * sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		(*list)[i] = UNKNOWN;
	return 0;
}

struct hdPredictCosts *hdPredictCostsNew(const hdPGraph *graph,
					 const hdPPlatform *platform,
					 const hdPResources *resources)
{
	struct hdPredictCosts *self = calloc(1, sizeof(*self));
	size_t cells, found;
	uint32_t *kernelOf;

	if (!self)
		return NULL;
	self->graph = graph;
	self->resources = resources;
	self->kernelCount = graph->kernelCount;
	self->architectureCount = platform->peArchitectures.count;
	cells = (size_t)self->kernelCount * self->architectureCount;
	found = (size_t)graph->configCount * self->architectureCount;
	kernelOf = malloc(((size_t)resources->kernels.count + 1) *
			  sizeof(*kernelOf));
	self->slow = calloc(cells + 1, sizeof(*self->slow));
	self->hasSlowdown =
		calloc((size_t)self->architectureCount + 1, sizeof(bool));
	if (!kernelOf || !self->slow || !self->hasSlowdown)
		goto fail;
	memset(kernelOf, 0xff,
	       ((size_t)resources->kernels.count + 1) * sizeof(*kernelOf));
	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		uint32_t name = hdPredictNamesFind(
			&resources->kernels, graph->kernels[k].id,
			strlen(graph->kernels[k].id));

		if (name != HD_PREDICT_NONE)
			kernelOf[name] = k;
	}
	if (bindEntries(self, platform, kernelOf) < 0 ||
	    sortEntries(self) < 0 || bindIos(self, platform) < 0 ||
	    bindVariables(self) < 0 || mapCostsFindCounts(self) < 0 ||
	    bindSlowdowns(self, platform, kernelOf) < 0)
		goto fail;
	if (mapCostsUnknown(&self->found, found) < 0 ||
	    mapCostsUnknown(&self->foundSets, found * self->countCount) < 0)
		goto fail;
	free(kernelOf);
	return self;

fail:
	free(kernelOf);
	hdPredictCostsFree(self);
	return NULL;
}

void hdPredictCostsFree(struct hdPredictCosts *self)
{
	if (!self)
		return;
	for (size_t c = 0; self->slow && c < (size_t)self->architectureCount *
							 self->kernelCount;
	     c++) {
		struct slow *slow = &self->slow[c];

		for (size_t i = 0; i < slow->loadCount; i++)
			free(slow->loads[i].factors);
		for (size_t i = 0; i < slow->mixCount; i++)
			free(slow->mixes[i].loads);
		free(slow->loads);
		free(slow->mixes);
	}
	free(self->slow);
	free(self->hasSlowdown);
	free(self->ios);
	free(self->first);
	free(self->entries);
	free(self->sortedBy);
	free(self->found);
	free(self->counts);
	free(self->foundSets);
	free(self->variables);
	free(self->variableFrom);
	free(self);
}
