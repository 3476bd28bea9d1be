/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A task graph in memory, as arrays: 10^7 tasks take about 1 GB.
 *
 * Data sets are numbered by task and output, inputs by task and input. What is
 * the same for many tasks, their kernel with the values of its variables, is
 * kept once as a configuration. A graph is built, then sealed; the arrays of a
 * sealed graph may lie in a mapped file.
 */
#ifndef HD_PREDICT_GRAPH_H
#define HD_PREDICT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/expression.h"
#include "PredictionLibrary/model/io.h"
#include "PredictionLibrary/model/names.h"
#include "PredictionLibrary/model/report.h"

/** Most variables of a kernel. */
#define HD_PREDICT_VARIABLES_MAX 1000

/** An input or output of a kernel. */
struct hdPredictPort {
	char *id;
	char *size;
	uint32_t name;   /**< In names. */
	uint32_t number; /**< Among the inputs, or outputs. */
	struct hdPredictExpression *expression;
	char *inoutId;  /**< Of an output: the input that it replaces in
			 *   place; or NULL. */
	uint32_t inout; /**< Number of that input, or HD_PREDICT_NONE. */
};

/** A phase of the power profile of a kernel. */
struct hdPredictPhase {
	double until;
	double weight;
};

/** Accesses to files. */
struct hdPredictIo {
	hdPAccess access;
	char *size;
	struct hdPredictExpression *expression;
};

/** A list of inputs or outputs. */
struct hdPredictPorts {
	struct hdPredictPort *ports;
	uint32_t count;
	size_t room;
	uint32_t *sorted; /**< Numbers of ports by name. */
};

/** A kernel. */
struct hdPredictKernel {
	char *id;
	char *kernelClass; /**< Or NULL. */
	char *pin;         /**< PE that its tasks run on only, or NULL. */
	int64_t line;
	char **variables;
	uint32_t *variableNames; /**< In names. */
	uint32_t variableCount;
	size_t variableRoom, variableNameRoom;
	struct hdPredictPorts inputs, outputs;
	bool hasInout; /**< An output replaces an input in place. */
	struct hdPredictPhase *phases;
	uint32_t phaseCount;
	size_t phaseRoom;
	struct hdPredictIo *ios;
	uint32_t ioCount;
	size_t ioRoom;
};

/** A kernel with values of its variables. */
struct hdPredictConfig {
	uint32_t kernel;
	const char *error; /**< What is wrong with it, of tasks; or NULL. */
	bool isSize;       /**< The error is about the size of the culprit. */
	uint32_t culprit;  /**< Name of a variable, for the error. */
	size_t values;     /**< In values; in the kernel's order. */
	size_t sizes;      /**< In sizes: of inputs, then of outputs, then of
			    *   accesses to files. */
};

/** A dependency while the graph is built. */
struct hdPredictEdge {
	uint32_t predecessor, successor; /**< Tasks, which may not be there. */
	uint32_t src, dest;              /**< Names of ports, or numbers. */
	uint32_t line;
};

/** What is needed while a graph is built only. */
struct hdPredictBuild;

/** A graph. */
struct hdPGraph {
	bool isFinished;
	char *file; /**< Or NULL. */
	struct hdPredictKernel *kernels;
	uint32_t kernelCount;
	size_t kernelRoom;
	struct hdPredictConfig *configs;
	uint32_t configCount;
	size_t configRoom;
	double *values;
	double *sizes;

	uint32_t taskCount;
	uint64_t inputCount, outputCount;
	struct hdPredictNames ids; /**< Of tasks. */
	uint32_t *config;          /**< Of each task. */
	uint32_t *line;            /**< Of each task; or NULL. */
	uint32_t *tile;            /**< Row and column of each; or NULL. */
	uint32_t *input;         /**< First input of each task, and the end. */
	uint32_t *output;        /**< First data set of each, and the end. */
	uint32_t *source;        /**< Data set of each input. */
	uint32_t *number;        /**< Dependency of each input. */
	uint32_t *consumer;      /**< First of each data set, and the end. */
	uint32_t *consumerInput; /**< Inputs, by number of the dependency. */
	uint32_t *consumerTask;  /**< Their tasks. */

	struct hdPredictNames pins; /**< PEs that tasks are pinned to. */
	uint32_t *pin; /**< Of each task; or NONE. NULL: none has one. */

	struct hdPredictNames pes; /**< Named by mappings. */
	uint32_t *pe;              /**< Of each task; or HD_PREDICT_NONE. */
	int64_t *priority;

	double *times; /**< Start and end of each task, if told; or NULL. */
	struct hdPredictBuild *build; /**< NULL once finished. */
	void *mapped; /**< A file that arrays lie in, or NULL. */
	size_t mappedSize;
};

/** What is needed while a graph is built only. */
struct hdPredictBuild {
	bool isDamaged;              /**< For want of memory. */
	struct hdPredictNames names; /**< Of variables, ports, kernels. */
	uint32_t *kernelOf;          /**< Kernel by name, or NONE. */
	size_t kernelOfRoom;
	bool *isDefined; /**< By task: those that only dependencies name are
			      not. */
	uint32_t *place; /**< Of each task, among those that are defined. */
	size_t placeRoom;
	size_t definedRoom, configOfRoom, lineRoom, tileRoom, peRoom, pinRoom;
	size_t priorityRoom;
	uint32_t definedCount;
	/** Configurations as they stand in the file: a name of a kernel, then
	 *  names of variables and bits of values, sorted; found by content. */
	struct hdPredictNames raw;
	struct hdPredictEdge *edges;
	size_t edgeCount, edgeRoom;
	bool isByNumber; /**< Ports of edges are numbers, not names. */
};

/** A value of a variable, as it stands in a file. */
struct hdPredictAssign {
	uint32_t name; /**< In the names of the graph that is built. */
	uint32_t padding;
	double value;
};

/** Make room for what is known of one more task; 0 or -ENOMEM. */
int hdPredictTaskRoom(hdPGraph *graph, uint32_t task);

/**
 * Add a task as a file has it.
 *
 * @param[out] task Its number.
 * @retval -EEXIST It is there already; @p task is its number.
 */
int hdPredictTaskAdd(hdPGraph *graph, const char *id, size_t length,
		     uint32_t kernelName, struct hdPredictAssign *assigns,
		     size_t count, int64_t line, uint32_t *task);

/** Number of a task that may come later; 0 or negative errno. */
int hdPredictTaskName(hdPGraph *graph, const char *id, size_t length,
		      uint32_t *task);

/** Add a dependency; 0 or negative errno. */
int hdPredictEdgeAdd(hdPGraph *graph, const struct hdPredictEdge *edge);

/** Free what is needed while a graph is built only. */
void hdPredictBuildFree(hdPGraph *graph);

/** Check what was built, and seal it; as hdP_finishGraph(). */
int hdPredictGraphSeal(hdPGraph *graph, struct hdPredictReport *report);

/** Number tasks by their places in the file; 0 or -ENOMEM. */
int hdPredictRenumber(hdPGraph *graph);

/** Resolve kernels and expressions; 0 or -ENOMEM, errors are reported. */
int hdPredictKernelsResolve(hdPGraph *graph, struct hdPredictReport *report);

/** Resolve configurations; errors go into them. */
int hdPredictConfigsResolve(hdPGraph *graph);

/** Sizes of a configuration that is without error; 0, -ENOMEM. */
int hdPredictConfigSizes(hdPGraph *graph, struct hdPredictConfig *config);

/** Room for a pin of each task, if any has one; 0 or -ENOMEM. */
int hdPredictPinsSeal(hdPGraph *graph);

/** Find out who consumes what; 0 or -ENOMEM. */
int hdPredictGraphConsumers(hdPGraph *graph);

/** Report a cycle if there is one; 0, or -ENOMEM. */
int hdPredictGraphAcyclic(const hdPGraph *graph,
			  struct hdPredictReport *report);

/** Find a port by name; NULL: there is none. */
const struct hdPredictPort *hdPredictPortFind(
	const struct hdPredictPorts *ports, uint32_t name);

/** Sort ports by name, for hdPredictPortFind(); 0 or -ENOMEM. */
int hdPredictPortsSort(struct hdPredictPorts *ports);

/** Task that a data set is of. */
uint32_t hdPredictProducer(const hdPGraph *graph, uint32_t dataSet);

/** Tile of a task; NONE, which is HDKERNEL_NO_TILE: it has none. */
static inline void hdPredictTile(const hdPGraph *graph, uint32_t task,
				 uint32_t *row, uint32_t *column)
{
	*row = graph->tile ? graph->tile[2 * (size_t)task] : HD_PREDICT_NONE;
	*column = graph->tile ? graph->tile[2 * (size_t)task + 1]
			      : HD_PREDICT_NONE;
}

/** Kernel of a task. */
static inline const struct hdPredictKernel *hdPredictKernelOf(
	const hdPGraph *graph, uint32_t task)
{
	return &graph->kernels[graph->configs[graph->config[task]].kernel];
}

/** Size of an output of a task, in bytes. */
static inline double hdPredictOutputSize(const hdPGraph *graph, uint32_t task,
					 uint32_t output)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];

	return graph
		->sizes[config->sizes +
			graph->kernels[config->kernel].inputs.count + output];
}

/** Name of the PE that a task is pinned to; NULL: it is not. */
const char *hdPredictPinOf(const hdPGraph *graph, uint32_t task,
			   size_t *length);

/** Whether any task is pinned. */
bool hdPredictHasPins(const hdPGraph *graph);

/** Whether an output of any kernel replaces an input in place. */
static inline bool hdPredictHasInout(const hdPGraph *graph)
{
	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		if (graph->kernels[k].hasInout)
			return true;
	}
	return false;
}

/** Sizes that a configuration of a kernel has. */
static inline size_t hdPredictSizeCount(const struct hdPredictKernel *kernel)
{
	return (size_t)kernel->inputs.count + kernel->outputs.count +
	       kernel->ioCount;
}

#endif
