/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running a simulation; see simulate.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "PredictionLibrary/model/chance.h"
#include "PredictionLibrary/simulation/power.h"
#include "PredictionLibrary/simulation/simulate.h"

/* So many tasks are one step of progress. */
#define TOLD_TASKS 1024

/* ---- Tasks ------------------------------------------------------------- */

void hdPredictArrive(struct hdPredictSim *sim, uint32_t task)
{
	struct hdPredictState *state = &sim->states[task];
	const struct hdPredictRun *run;

	if (--state->missing)
		return;
	/* Until it starts, this is when it could have. */
	sim->result->start[task] = sim->now;
	run = &sim->runs[state->pe];
	if (run->task == HD_PREDICT_NONE && run->head == task)
		hdPredictTouch(sim, state->pe);
}

static void touchDomain(struct hdPredictSim *sim, uint32_t domain)
{
	if (!sim->isDomainTouched[domain]) {
		sim->isDomainTouched[domain] = true;
		sim->domains[sim->domainCount++] = domain;
	}
}

/* Who needs the buffer of an input of a task. */
static uint32_t *simulateInputUsers(struct hdPredictSim *sim, uint32_t input)
{
	uint32_t message = sim->copy[input];

	return message == HD_PREDICT_NONE
		       ? &sim->users[sim->graph->source[input]]
		       : &sim->copies[message];
}

/* Who needs the input that an output replaces in place: if only this task does,
 * they have one buffer. NULL: it replaces none. */
static uint32_t *simulateReplacedUsers(struct hdPredictSim *sim, uint32_t task,
				       uint32_t output)
{
	uint32_t input = hdPredictKernelOf(sim->graph, task)
				 ->outputs.ports[output]
				 .inout;

	return input == HD_PREDICT_NONE
		       ? NULL
		       : simulateInputUsers(sim,
					    sim->graph->input[task] + input);
}

static bool simulateReserveMemory(struct hdPredictSim *sim, uint32_t task,
				  uint32_t server)
{
	const hdPGraph *graph = sim->graph;
	uint32_t count = graph->output[task + 1] - graph->output[task];
	bool hasInout = hdPredictKernelOf(graph, task)->hasInout;
	double size = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t *users =
			hasInout ? simulateReplacedUsers(sim, task, i) : NULL;

		if (!users || *users != 1)
			size += hdPredictOutputSize(graph, task, i);
	}
	if (!hdPredictHasMemory(sim, server, size))
		return false;
	for (uint32_t i = 0; hasInout && i < count; i++) {
		uint32_t *users = simulateReplacedUsers(sim, task, i);

		/* Many, so that it does not go with the input. */
		if (users && *users == 1)
			*users = HD_PREDICT_NONE;
	}
	hdPredictTakeMemory(sim, server, size, task);
	return true;
}

static void drawCosts(const struct hdPredictSim *sim, uint32_t task,
		      const struct hdPredictEntry *entry, double *time,
		      double *energy)
{
	double z[2];

	*time = entry->time;
	*energy = entry->energy;
	if (!sim->options.sample)
		return;
	hdPredictNormal(sim->options.seed, sim->options.sample,
			sim->base->counters[task], z);
	*time = fmax(0, *time + z[0] * entry->timeSpread);
	*energy = fmax(0, *energy + z[1] * entry->energySpread);
}

/* PEs that run a task, ascending. */
static const uint32_t *simulatePes(const struct hdPredictSim *sim,
				   uint32_t task, uint32_t *count)
{
	return hdPredictPlanPes(&sim->base->plan, sim->platform, task, count);
}

/* Whether a task is the next one on all of its PEs, and all are idle. */
static bool simulateArePesFree(const struct hdPredictSim *sim, uint32_t task)
{
	uint32_t count;
	const uint32_t *pes = simulatePes(sim, task, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct hdPredictRun *run = &sim->runs[pes[i]];

		if (run->task != HD_PREDICT_NONE || run->head != task)
			return false;
	}
	return true;
}

/* The further PEs of a task begin, too. Each has a part of the energy. */
static void simulateOccupyPes(struct hdPredictSim *sim, uint32_t task,
			      double ready, double *energy)
{
	uint32_t count;
	const uint32_t *pes = simulatePes(sim, task, &count);

	*energy /= count;
	for (uint32_t i = 1; i < count; i++) {
		struct hdPredictRun *run = &sim->runs[pes[i]];

		run->task = task;
		run->shared++;
		run->energy += *energy;
		if (ready > run->idleSince)
			run->waitData += ready - run->idleSince;
	}
}

static void startTask(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictRun *run = &sim->runs[number];
	hdPResult *result = sim->result;
	uint32_t task = run->head, config = sim->graph->config[task], count;
	uint32_t kernel = sim->graph->configs[config].kernel;
	const struct hdPredictEntry *entry;
	struct hdPredictUse *ofKernel = &result->uses[HDP_KERNELS][kernel];
	double ready = result->start[task], time, energy;

	simulatePes(sim, task, &count);
	entry = &sim->base->resources->entries[hdPredictCostsFind(
		sim->base->costs, config, run->architecture, count)];

	drawCosts(sim, task, entry, &time, &energy);
	hdPredictCostsIo(sim->base->costs, config, run->architecture, &time,
			 &energy);
	ofKernel->waitPe += sim->now - ready;
	run->waitPe += sim->now - ready;
	if (ready > run->idleSince) {
		run->waitData += ready - run->idleSince;
		ofKernel->waitData += ready - run->idleSince;
	}
	ofKernel->energy += energy;
	result->totals.computation += energy;
	if (result->energy)
		result->energy[task] = energy;
	if (count > 1)
		simulateOccupyPes(sim, task, ready, &energy);
	run->energy += energy;
	result->start[task] = sim->now;
	run->task = task;
	run->left = time;
	run->slow = 0;
	run->last = sim->now;
	if (!sim->options.isWithoutSlowdown &&
	    hdPredictHasSlowdown(sim->base->costs, run->architecture)) {
		touchDomain(sim, run->domain);
		return;
	}
	run->slow = 1;
	hdPredictEventsSet(&sim->events, number, sim->now + time);
}

static void releaseInputs(struct hdPredictSim *sim, uint32_t task,
			  uint32_t server)
{
	const hdPGraph *graph = sim->graph;
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];

	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t users = --*simulateInputUsers(sim, j);

		if (users == 0)
			hdPredictGiveMemory(sim, server,
					    graph->sizes[config->sizes + j -
							 graph->input[task]]);
		else if (users == 1)
			hdPredictWakeWaiting(sim, server);
	}
}

static void sendOutput(struct hdPredictSim *sim, uint32_t task, uint32_t output,
		       uint32_t server)
{
	const hdPGraph *graph = sim->graph;
	uint32_t dataSet = graph->output[task] + output;
	double size = hdPredictOutputSize(graph, task, output);
	uint32_t users = 0;

	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++) {
		uint32_t other = graph->consumerTask[c];
		uint32_t to = sim->states[other].server;
		struct hdPredictStore *store = &sim->stores[to];

		if (to == server) {
			users++;
			sim->copy[graph->consumerInput[c]] = HD_PREDICT_NONE;
			continue;
		}
		sim->chain[c] = HD_PREDICT_NONE;
		if (store->stamp == dataSet) {
			sim->chain[store->last] = c;
			sim->copies[store->first]++;
		} else {
			users++;
			store->stamp = dataSet;
			store->first = c;
			sim->copies[c] = 1;
		}
		store->last = c;
		sim->copy[graph->consumerInput[c]] = store->first;
	}
	sim->users[dataSet] = users;
	if (!users) {
		hdPredictGiveMemory(sim, server, size);
		return;
	}
	/* Only now, since they use what was just set. */
	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++) {
		uint32_t other = graph->consumerTask[c];
		uint32_t to = sim->states[other].server;
		struct hdPredictParcel parcel;

		if (to == server) {
			hdPredictArrive(sim, other);
			continue;
		}
		if (sim->copy[graph->consumerInput[c]] != c)
			continue;
		parcel = (struct hdPredictParcel){
			graph->number[graph->consumerInput[c]],
			c,
			dataSet,
			server,
			to,
			size,
			sim->now
		};
		hdPredictSend(sim, &parcel);
	}
}

/* A PE is idle, and looks at its next task: at the first PE of that, by which
 * it begins. */
static void simulateVacatePe(struct hdPredictSim *sim, uint32_t number,
			     double busy)
{
	const struct hdPredictPlan *plan = &sim->base->plan;
	struct hdPredictRun *run = &sim->runs[number];

	run->tasks++;
	run->busy += busy;
	run->task = HD_PREDICT_NONE;
	run->next++;
	run->head =
		run->next < run->end ? plan->order[run->next] : HD_PREDICT_NONE;
	run->idleSince = sim->now;
	if (plan->place && run->head != HD_PREDICT_NONE)
		hdPredictTouch(sim, sim->states[run->head].pe);
	else
		hdPredictTouch(sim, number);
}

static void simulateFinishTask(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictRun *run = &sim->runs[number];
	hdPResult *result = sim->result;
	uint32_t task = run->task, count;
	uint32_t kernel = sim->graph->configs[sim->graph->config[task]].kernel;
	const uint32_t *pes = simulatePes(sim, task, &count);
	double busy = sim->now - result->start[task];

	result->uses[HDP_KERNELS][kernel].tasks++;
	result->uses[HDP_KERNELS][kernel].busy += busy;
	result->end[task] = sim->now;
	sim->done++;
	for (uint32_t i = 0; i < count; i++)
		simulateVacatePe(sim, pes[i], busy);
	if (!sim->options.isWithoutSlowdown &&
	    hdPredictHasSlowdown(sim->base->costs, run->architecture))
		touchDomain(sim, run->domain);
	releaseInputs(sim, task, run->server);
	for (uint32_t o = 0;
	     o < sim->graph->output[task + 1] - sim->graph->output[task]; o++)
		sendOutput(sim, task, o, run->server);
}

static int simulateByNumber(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void startTasks(struct hdPredictSim *sim)
{
	bool hasSets = sim->base->plan.place != NULL;

	if (sim->touchedCount > 1)
		qsort(sim->touched, sim->touchedCount, sizeof(uint32_t),
		      simulateByNumber);
	for (uint32_t i = 0; i < sim->touchedCount; i++) {
		struct hdPredictRun *run = &sim->runs[sim->touched[i]];

		run->isTouched = false;
		if (run->task != HD_PREDICT_NONE ||
		    run->head == HD_PREDICT_NONE ||
		    sim->states[run->head].missing ||
		    (hasSets && (sim->states[run->head].pe != sim->touched[i] ||
				 !simulateArePesFree(sim, run->head))) ||
		    !simulateReserveMemory(sim, run->head, run->server))
			continue;
		startTask(sim, sim->touched[i]);
	}
	sim->touchedCount = 0;
}

/* ---- Slowdown ---------------------------------------------------------- */

static uint32_t simulateKernelOf(const struct hdPredictSim *sim, uint32_t pe)
{
	return sim->graph->configs[sim->graph->config[sim->runs[pe].task]]
		.kernel;
}

/* PEs of the task that a PE runs; 0: another one is its first. */
static uint32_t simulatePesAt(const struct hdPredictSim *sim, uint32_t pe)
{
	uint32_t task = sim->runs[pe].task, count;

	simulatePes(sim, task, &count);
	return sim->states[task].pe == pe ? count : 0;
}

static void slowDown(struct hdPredictSim *sim, uint32_t domain)
{
	const uint32_t *first =
		sim->base->domainPes + sim->base->domainFirst[domain];
	const uint32_t *end =
		sim->base->domainPes + sim->base->domainFirst[domain + 1];
	uint32_t architecture = sim->platform->pes[*first].architecture;
	bool hasSets = sim->base->plan.place != NULL;
	size_t kinds = 0;

	for (const uint32_t *pe = first; pe < end; pe++) {
		size_t k = 0;

		if (sim->runs[*pe].task == HD_PREDICT_NONE)
			continue;
		while (k < kinds &&
		       sim->loads[k].kernel != simulateKernelOf(sim, *pe))
			k++;
		if (k == kinds)
			sim->loads[kinds++] = (struct hdPredictLoad){
				simulateKernelOf(sim, *pe), 0
			};
		sim->loads[k].count++;
	}
	for (const uint32_t *pe = first; pe < end; pe++) {
		struct hdPredictRun *run = &sim->runs[*pe];
		unsigned int guess = 0;
		uint32_t own = 1;
		double slow;
		size_t k = 0;

		if (run->task == HD_PREDICT_NONE)
			continue;
		if (hasSets) {
			own = simulatePesAt(sim, *pe);
			if (!own)
				continue;
		}
		while (sim->loads[k].kernel != simulateKernelOf(sim, *pe))
			k++;
		sim->loads[k].count -= own;
		slow = hdPredictSlowdownOf(sim->base->costs, architecture,
					   sim->loads[k].kernel, sim->loads,
					   kinds, &guess);
		sim->loads[k].count += own;
		sim->result->totals.mixedLoads += guess & HD_PREDICT_MIXED;
		sim->result->totals.beyondLoads +=
			(guess & HD_PREDICT_BEYOND) != 0;
		if (slow == run->slow)
			continue;
		if (run->slow > 0)
			run->left -= (sim->now - run->last) / run->slow;
		run->slow = slow;
		run->last = sim->now;
		hdPredictEventsSet(&sim->events, *pe,
				   sim->now + fmax(0, run->left) * slow);
	}
}

static void slowAllDown(struct hdPredictSim *sim)
{
	for (uint32_t i = 0; i < sim->domainCount; i++) {
		sim->isDomainTouched[sim->domains[i]] = false;
		slowDown(sim, sim->domains[i]);
	}
	sim->domainCount = 0;
}

/* ---- Memory ------------------------------------------------------------ */

bool hdPredictHasMemory(struct hdPredictSim *sim, uint32_t server, double size)
{
	struct hdPredictStore *store = &sim->stores[server];

	if (store->full != HD_PREDICT_FULL_DELAY ||
	    store->used + size <= store->size)
		return true;
	store->isWaiting = true;
	return false;
}

/* Keep each change; who writes them takes the last of one moment. */
static void simulateFillServer(struct hdPredictSim *sim, uint32_t server)
{
	hdPResult *result = sim->result;

	if (!sim->options.recordsTransfers)
		return;
	if (hdPredictGrow(&result->fills, result->fillCount, &result->fillRoom,
			  sizeof(*result->fills)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	result->fills[result->fillCount++] =
		(struct hdPredictFill){ sim->now, sim->stores[server].used,
					server };
}

void hdPredictTakeMemory(struct hdPredictSim *sim, uint32_t server, double size,
			 uint32_t task)
{
	struct hdPredictStore *store = &sim->stores[server];

	store->used += size;
	simulateFillServer(sim, server);
	if (store->used > store->peak)
		store->peak = store->used;
	if (store->used <= store->size || store->isOver)
		return;
	store->isOver = true;
	sim->result->totals.overflows++;
	if (store->full == HD_PREDICT_FULL_FAIL) {
		size_t length;
		const char *id = hdPredictName(&sim->graph->ids, task, &length);

		hdPredictError(sim->report, 0, id, length,
			       "the memory of server %.200s is full at %.9g s: "
			       "%.0f of %.0f bytes",
			       sim->platform->serverIds[server], sim->now,
			       store->used, store->size);
		hdPredictFailed(sim, -ENOSPC);
	}
}

void hdPredictGiveMemory(struct hdPredictSim *sim, uint32_t server, double size)
{
	struct hdPredictStore *store = &sim->stores[server];

	store->used -= size;
	simulateFillServer(sim, server);
	hdPredictWakeWaiting(sim, server);
}

void hdPredictWakeWaiting(struct hdPredictSim *sim, uint32_t server)
{
	struct hdPredictStore *store = &sim->stores[server];

	if (!store->isWaiting)
		return;
	store->isWaiting = false;
	for (uint32_t i = sim->base->serverFirst[server];
	     i < sim->base->serverFirst[server + 1]; i++)
		hdPredictTouch(sim, sim->base->serverPes[i]);
	hdPredictRetry(sim, server);
}

/* ---- Running ----------------------------------------------------------- */

static void simulateReportProgress(struct hdPredictSim *sim)
{
	const hdPOptions *options = &sim->options;

	if (!options->progress || sim->done < sim->told + TOLD_TASKS)
		return;
	sim->told = sim->done;
	options->progress(sim->done, options->progressData);
}

void hdPredictBeyond(struct hdPredictSim *sim, const char *what)
{
	hdPredictError(sim->report, 0, NULL, 0,
		       "the %s exceeds the range of a double, after %" PRIu64
		       " tasks",
		       what, sim->done);
	hdPredictFailed(sim, -ERANGE);
}

static void simulateLoop(struct hdPredictSim *sim)
{
	uint32_t pes = sim->platform->peCount;

	while (!sim->error) {
		hdPredictSendAll(sim);
		startTasks(sim);
		slowAllDown(sim);
		if (sim->options.sharing == HDP_SHARE)
			hdPredictShare(sim);
		if (!sim->events.count || sim->error)
			break;
		sim->now = sim->events.heap[0].at;
		if (!isfinite(sim->now)) {
			hdPredictBeyond(sim, "time");
			break;
		}
		while (sim->events.count &&
		       sim->events.heap[0].at == sim->now) {
			struct hdPredictEvent event =
				hdPredictEventsTake(&sim->events);

			if (event.id < pes)
				simulateFinishTask(sim, event.id);
			else
				hdPredictFlowEvent(sim, event.id - pes);
		}
		simulateReportProgress(sim);
	}
	if (!sim->error && sim->done < sim->graph->taskCount) {
		hdPredictStuck(sim);
		hdPredictFailed(sim, -EDEADLK);
	}
}

/* ---- Together ---------------------------------------------------------- */

static void addUses(struct hdPredictSim *sim)
{
	const hdPPlatform *platform = sim->platform;
	struct hdPredictUse **uses = sim->result->uses;

	for (uint32_t p = 0; p < platform->peCount; p++) {
		const struct hdPredictRun *run = &sim->runs[p];
		struct hdPredictUse *server = &uses[HDP_SERVERS][run->server];

		uses[HDP_PES][p] =
			(struct hdPredictUse){ .tasks = run->tasks,
					       .busy = run->busy,
					       .waitData = run->waitData,
					       .waitPe = run->waitPe,
					       .energy = run->energy };
		server->tasks += run->tasks - run->shared;
		server->busy += run->busy;
		server->waitData += run->waitData;
		server->waitPe += run->waitPe;
		server->energy += run->energy;
	}
	for (uint32_t e = 0; e < platform->edgeCount; e++) {
		const struct hdPredictLane *lane = &sim->lanes[e];
		uint32_t server = hdPredictBridgeServer(platform, e);

		uses[HDP_BRIDGES][e] =
			(struct hdPredictUse){ .tasks = lane->messages,
					       .busy = lane->busy,
					       .transfers = lane->transfers,
					       .bytes = lane->bytes };
		if (server != HD_PREDICT_NONE)
			uses[HDP_SERVERS][server].transfers += lane->transfers;
	}
	for (uint32_t s = 0; s < platform->serverCount; s++)
		uses[HDP_SERVERS][s].peak = sim->stores[s].peak;
}

static void total(struct hdPredictSim *sim)
{
	hdPTotals *totals = &sim->result->totals;

	addUses(sim);
	totals->tasks = sim->graph->taskCount;
	totals->makespan = 0;
	for (uint32_t t = 0; t < sim->graph->taskCount; t++) {
		if (sim->result->end[t] > totals->makespan)
			totals->makespan = sim->result->end[t];
	}
	totals->idle = hdPredictIdleOfAll(sim->result) * totals->makespan;
	if (!isfinite(totals->computation + totals->communication +
		      totals->idle))
		hdPredictBeyond(sim, "energy");
}

int hdPredictSimRun(struct hdPredictSim *sim, uint64_t sample,
		    struct hdPredictReport *report)
{
	hdPredictSimReset(sim);
	sim->options.sample = sample;
	sim->report = report;
	simulateLoop(sim);
	if (!sim->error)
		total(sim);
	return sim->error;
}

int hdP_simulate(const hdPGraph *graph, const hdPPlatform *platform,
		 const hdPResources *resources, const hdPOptions *options,
		 hdPResult **result, hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data,
					  graph ? graph->file : NULL, 0 };
	struct hdPredictBase base = { .graph = graph,
				      .platform = platform,
				      .resources = resources };
	uint64_t sample = options ? options->sample : 0;
	struct hdPredictSim *sim = NULL;
	int ret;

	if (!graph || !platform || !resources || !result ||
	    !graph->isFinished || !platform->isFinished ||
	    !resources->isFinished)
		return -EINVAL;
	ret = hdPredictBaseMake(&base, sample != 0, &report);
	if (ret == 0) {
		sim = hdPredictSimNew(&base, options);
		ret = sim ? hdPredictSimRun(sim, sample, &report) : -ENOMEM;
	}
	if (ret == 0) {
		*result = sim->result;
		sim->result = NULL;
		base.plan = (struct hdPredictPlan){ NULL }; /* The result's. */
	}
	hdPredictSimFree(sim);
	hdPredictBaseFree(&base);
	return ret;
}
