/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Prediction of time, energy and power of a task graph on a platform.
 *
 * The models are a graph of tasks, a platform with nodes and links, and a
 * resource model with the costs of kernels on architectures. The library reads
 * them from files, or the caller creates them with functions. The graph is
 * mapped, by the caller or by hdP_map(), and simulated. Functions return the
 * result, or write it as an annotated graph or as an HDTrace project.
 * doc/format/prediction.md describes the files, and doc/prediction.md the
 * computation.
 *
 * Functions that can fail return 0 or a negative errno value. Functions that
 * add an element return its number, from 0. A handler receives the errors of a
 * model, one diagnostic per call. Objects are not locked: either several
 * threads may read a graph, platform or resource model, or one thread may
 * change it. A result belongs to its caller. The library prints nothing.
 */
#ifndef HD_PREDICT_H
#define HD_PREDICT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A task graph, with or without a mapping. */
typedef struct hdPGraph hdPGraph;
/** A platform: cluster servers, their processing elements (PEs), and links. */
typedef struct hdPPlatform hdPPlatform;
/** Costs of kernels: time, energy, slowdown. */
typedef struct hdPResources hdPResources;
/** Result of a simulation. */
typedef struct hdPResult hdPResult;

/** A diagnostic about a model. */
typedef struct hdPMessage {
	int isWarning;    /**< 1: a warning, 0: an error. */
	const char *file; /**< Path, or NULL without a file. */
	int64_t line;     /**< First line of the element, or 0. */
	const char *id;   /**< Id of the element, or NULL. */
	const char *text; /**< One line; valid during the call. */
} hdPMessage;

/** Receives diagnostics; a NULL handler drops them. */
typedef void (*hdPMessageHandler)(const hdPMessage *message, void *data);

/** How messages between servers share bridges. */
typedef enum hdPSharing {
	HDP_EXCLUSIVE, /**< A message reserves its whole path. */
	HDP_SHARE,     /**< Bandwidth is shared, max-min fair. */
} hdPSharing;

/** Forms of a graph. */
typedef enum hdPForm {
	HDP_XML,    /**< XML; doc/format/prediction.md. */
	HDP_BINARY, /**< Mapped into memory, with a checksum. */
} hdPForm;

/** Kinds of file accesses. */
typedef enum hdPAccess {
	HDP_SEQUENTIAL_READ,  /**< Consecutive positions. */
	HDP_SEQUENTIAL_WRITE, /**< Written to the page cache, if any. */
	HDP_SEQUENTIAL_SYNC,  /**< Each write goes to the disk. */
	HDP_RANDOM_READ,      /**< Random positions. */
	HDP_RANDOM_WRITE,     /**< Random writes. */
	HDP_RANDOM_SYNC,      /**< Random, each write goes to the disk. */
} hdPAccess;

/** Tasks that wait for each other, or for memory, for ever. */
typedef struct hdPDeadlock {
	double at;            /**< Time of the last event, in s. */
	int64_t server;       /**< Server whose memory they wait for; -1: they
			       *   wait for each other. */
	const int64_t *tasks; /**< Their numbers; valid during the call. */
	size_t taskCount;
} hdPDeadlock;

/** Options of a simulation; the default is all zero. */
typedef struct hdPOptions {
	int isWithoutSlowdown; /**< Kernels do not slow each other down. */
	hdPSharing sharing;    /**< Sharing of bridges. */
	int recordsTransfers;  /**< Keep each transfer, and the energy
				*   of each task. */
	int isWithoutUnused;   /**< Unused servers draw no power. */
	uint64_t sample;       /**< 0: use means; otherwise the number of a
				*   sample. */
	uint64_t seed;         /**< Seed of samples. */
	/** Called occasionally, in the calling thread, with the number of
	 *  simulated tasks, or of samples in hdP_sample(); may be NULL. */
	void (*progress)(uint64_t done, void *data);
	void *progressData;
	/** Called by hdP_simulate(), in the calling thread, before it returns
	 *  -EDEADLK; may be NULL. */
	void (*deadlock)(const hdPDeadlock *deadlock, void *data);
	void *deadlockData;
} hdPOptions;

/** Total energy and time. Energies in J, times in s. */
typedef struct hdPTotals {
	uint64_t tasks;
	double makespan;      /**< End of the last task. */
	double computation;   /**< Dynamic energy of tasks. */
	double communication; /**< Dynamic energy of packets. */
	double idle;          /**< Idle power x makespan. */
	uint64_t messages;    /**< Data sets sent to another server. */
	double bytes;         /**< Bytes sent to other servers. */
	double transferring;  /**< Sum of their transfer times. */
	double queued;        /**< Sum of their waiting times. */
	uint64_t mixedLoads;  /**< Slowdowns from the mean of entries. */
	uint64_t beyondLoads; /**< Slowdowns from the last known entry. */
	uint64_t overflows;   /**< Servers with too little memory. */
	uint64_t pendingMax;  /**< Most messages that one server has to send
			       *   at a time: ready, but not there yet. */
} hdPTotals;

/** Methods of mapping. */
typedef enum hdPMapper {
	HDP_EFT,    /**< Tasks in file order, each where it ends first. */
	HDP_HEFT,   /**< Tasks with long ways to the end first, likewise. */
	HDP_ANNEAL, /**< Simulated annealing, starting from HDP_EFT. */
} hdPMapper;

/** What annealing minimizes. */
typedef enum hdPCost {
	HDP_COST_TIME,
	HDP_COST_ENERGY,         /**< Dynamic and idle. */
	HDP_COST_EDP,            /**< Energy x time. */
	HDP_COST_ENERGY_AT_TIME, /**< Energy, within a time in s. */
	HDP_COST_TIME_AT_POWER,  /**< Time, within a peak power in W of all
				  *   servers together. */
} hdPCost;

/** Options of a mapping; the default is all zero. */
typedef struct hdPMapping {
	hdPMapper mapper;
	hdPCost cost;          /**< Of HDP_ANNEAL. */
	double limit;          /**< Of the cost, in s or W. */
	const char *pattern;   /**< Usable PEs, see hdP_map(); or NULL. */
	int keepsMapping;      /**< Tasks that are mapped stay on their PEs, in
				*   their order. */
	uint64_t seed;         /**< Of HDP_ANNEAL. */
	uint64_t steps;        /**< Of HDP_ANNEAL; 0: by the size of the graph,
				*   or until the budget is spent. */
	double budget;         /**< Time for HDP_ANNEAL, in s; 0: any. */
	hdPOptions simulation; /**< How HDP_ANNEAL simulates mappings. */
	/** File with a line for each task, in the order of the graph: the
	 * number of its part, from 0, as METIS writes it. Not for HDP_ANNEAL.
	 * NULL: none. */
	const char *partition;
	int partsArePes; /**< Parts are usable PEs, in the order of the
			  *   platform, instead of nodes with such PEs. */
} hdPMapping;

/** Statistics of samples. */
typedef struct hdPSpread {
	uint64_t count;
	double mean;
	double meanError; /**< Half of the 95 % confidence interval of the mean,
			   *   from the normal distribution; valid from 30
			   *   samples on. */
	double deviation; /**< Standard deviation of one value. */
	double minimum;
	double maximum;
} hdPSpread;

/** Probability that one value is less than another value. */
typedef struct hdPChance {
	double less;  /**< Fraction of samples in which it is less. */
	double equal; /**< Fraction in which both are equal. */
	double low;   /**< Begin of the 95 % interval of the probability. */
	double high;  /**< Its end (Wilson's interval). */
} hdPChance;

/** Times of a task, in s since the start. */
typedef struct hdPTaskTimes {
	double start;
	double end;
	int64_t pe; /**< Number of its PE; of several, the first one. */
} hdPTaskTimes;

/** Activity of a kernel, a PE, a server or a bridge. */
typedef struct hdPUse {
	const char *id;   /**< As in the model. */
	uint64_t tasks;   /**< Tasks; for bridges messages. */
	double busy;      /**< Seconds in tasks, or in messages. */
	double waitData;  /**< Seconds that a PE waited for data. */
	double waitPe;    /**< Seconds that ready tasks waited for the PE; of
			   *   several PEs, for the first one. */
	double energy;    /**< Dynamic energy of tasks, J. */
	double transfers; /**< Dynamic energy of packets, J. */
	double idle;      /**< Idle energy, J. */
	double bytes;     /**< Bytes that a bridge carried. */
	double memory;    /**< Size of a server's memory, bytes. */
	double peak;      /**< Maximum memory in use, bytes. */
} hdPUse;

/** Kinds of elements that have a hdPUse. */
typedef enum hdPWhat {
	HDP_KERNELS,
	HDP_PES,
	HDP_SERVERS,
	HDP_BRIDGES,
} hdPWhat;

/** Transfer of a data set to another server. */
typedef struct hdPTransfer {
	int64_t producer;    /**< Task. */
	int64_t consumer;    /**< Task with the lowest dependency. */
	int64_t dependency;  /**< Number of that dependency. */
	int64_t source;      /**< Server. */
	int64_t destination; /**< Server. */
	double bytes;
	double ready; /**< End of the producer, s. */
	double start;
	double end;
} hdPTransfer;

/** Power over time, of a server or of all servers. */
typedef struct hdPPower {
	double peak;       /**< Peak, in W. */
	double peakAt;     /**< First time of the peak, in s. */
	double over;       /**< Seconds above the limit. */
	uint64_t excesses; /**< Number of times that the limit is exceeded. */
} hdPPower;

/** An interval in which power exceeds a limit. */
typedef struct hdPExcess {
	double start;  /**< Begin of the interval, in s. */
	double end;    /**< End of the interval, in s. */
	double peak;   /**< Peak in the interval, in W. */
	int64_t task;  /**< Task that exceeds the limit: of all tasks that begin
			*   at this time, the task with the highest power.
			*   -1: idle power exceeds the limit. */
	int isMessage; /**< A message of this task, not its run. */
	int64_t server; /**< Its server, or -1. */
	int64_t pe;     /**< Its PE, or its first one, or -1. */
} hdPExcess;

/** A connected component of the graph. */
typedef struct hdPSubgraph {
	int64_t task;   /**< Number of the first task. */
	uint64_t tasks; /**< Number of tasks. */
	double start;   /**< Start of the first task, in s. */
	double end;     /**< End of the last task, in s. */
} hdPSubgraph;

/* ---- Graphs ------------------------------------------------------------ */

/**
 * Create an empty graph.
 *
 * @return The graph, to be freed with hdP_destroyGraph().
 * @retval NULL No memory.
 */
hdPGraph *hdP_createGraph(void);

/**
 * Free a graph.
 *
 * @param graph Graph to free; NULL does nothing.
 */
void hdP_destroyGraph(hdPGraph *graph);

/**
 * Add a kernel.
 *
 * @param graph Graph that is not finished.
 * @param id Its name; copied.
 * @param kernelClass Class of the kernel in slowdowns, or NULL; copied.
 *
 * @return Its number.
 * @retval -EINVAL The graph is finished, or the name is missing.
 * @retval -ENOMEM No memory.
 */
int hdP_addKernel(hdPGraph *graph, const char *id, const char *kernelClass);

/**
 * Add a variable to a kernel.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param id Its name; copied.
 *
 * @return Its number in the kernel.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_addVariable(hdPGraph *graph, int kernel, const char *id);

/**
 * Add an input to a kernel.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param id Its name; copied.
 * @param size Expression for its size in bytes; copied.
 *
 * @return Its number among the inputs of the kernel.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_addInput(hdPGraph *graph, int kernel, const char *id, const char *size);

/**
 * Add an output to a kernel.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param id Its name; copied.
 * @param size Expression for its size in bytes; copied.
 *
 * @return Its number among the outputs of the kernel.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_addOutput(hdPGraph *graph, int kernel, const char *id,
		  const char *size);

/**
 * Declare that an output replaces an input in place. Both have the same size.
 * They share one buffer if no other task and no transfer needs the input.
 * Otherwise the input is copied.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param output Number of the output in its kernel.
 * @param input Name of the input, which may be added later; copied.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_setInout(hdPGraph *graph, int kernel, int output, const char *input);

/**
 * Add a phase with its own power to the run of a kernel.
 *
 * @param graph Graph that is not finished.
 * @param kernel Its number.
 * @param until End of the phase, as a fraction of the run: above the end of the
 *        previous phase; the last phase ends at 1.
 * @param weight Power in this phase, relative to the other phases.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_addPhase(hdPGraph *graph, int kernel, double until, double weight);

/**
 * Add file accesses to a kernel, in addition to its other costs.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param access Kind of accesses.
 * @param size Expression for the bytes of all accesses; copied.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_addIo(hdPGraph *graph, int kernel, hdPAccess access, const char *size);

/**
 * Add a task.
 *
 * @param graph Graph that is not finished.
 * @param id Its name; copied.
 * @param kernel Number of its kernel, to which all variables have been added.
 * @param values Values of all variables of the kernel, in their order.
 *
 * @return Its number.
 * @retval -EEXIST A task with this name exists.
 * @return Otherwise as hdP_addKernel().
 */
int64_t hdP_addTask(hdPGraph *graph, const char *id, int kernel,
		    const double *values);

/**
 * Set the tile of a matrix on which a task works.
 *
 * @param graph Graph that is not finished.
 * @param task Number of the task.
 * @param row Row of the tile, less than 2^32 - 1.
 * @param column Column of the tile, likewise.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_setTile(hdPGraph *graph, int64_t task, uint32_t row, uint32_t column);

/**
 * Pin a task to a PE: it runs there only.
 *
 * @param graph Graph that is not finished.
 * @param task Number of the task.
 * @param pe Name of the PE; copied.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_setPin(hdPGraph *graph, int64_t task, const char *pe);

/**
 * Pin all tasks of a kernel that have no own pin to a PE.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param pe Name of the PE; copied.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_setKernelPin(hdPGraph *graph, int kernel, const char *pe);

/**
 * Add a dependency: an output of a task is an input of another task.
 *
 * @param graph Graph that is not finished.
 * @param predecessor Number of the task that has the output.
 * @param output Number of the output in its kernel.
 * @param successor Number of the task that has the input.
 * @param input Number of the input in its kernel.
 *
 * @return Its number, which orders messages.
 * @return Otherwise as hdP_addKernel().
 */
int64_t hdP_addDependency(hdPGraph *graph, int64_t predecessor, int output,
			  int64_t successor, int input);

/**
 * Map a task of a graph, which may be finished.
 *
 * @param graph Any graph.
 * @param task Number of the task.
 * @param pe Name of the PE; copied.
 * @param priority Order on the PE, from 0 to 2^53: tasks with lower numbers run
 *        first.
 *
 * @retval 0 Success.
 * @return Otherwise as hdP_addKernel().
 */
int hdP_setMapping(hdPGraph *graph, int64_t task, const char *pe,
		   int64_t priority);

/**
 * Set the measured times of a task, for hdP_writeGraph().
 *
 * @param graph Finished graph.
 * @param task Number of the task.
 * @param start Start in s since the start of the run.
 * @param end End in s since the start of the run.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_setTimes(hdPGraph *graph, int64_t task, double start, double end);

/**
 * Check a graph and prepare it for mapping and simulation.
 *
 * @param graph Graph that is not finished.
 * @param handler Receives diagnostics; may be NULL.
 * @param data Argument of the handler.
 *
 * @retval 0 Success: the graph is finished and has no errors.
 * @retval -EINVAL It has errors, which diagnostics report. It can only be
 *         destroyed.
 * @retval -ENOMEM No memory.
 */
int hdP_finishGraph(hdPGraph *graph, hdPMessageHandler handler, void *data);

/**
 * Read a graph, in either form.
 *
 * @param path File; "-" is the standard input.
 * @param[out] graph Finished.
 * @param handler Receives diagnostics.
 * @param data Argument of the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL The graph has errors, which diagnostics report.
 * @retval -EBADMSG The file is not XML, or is damaged; a diagnostic reports the
 *         location.
 * @return Another negative errno value: the file cannot be read.
 */
int hdP_readGraph(const char *path, hdPGraph **graph, hdPMessageHandler handler,
		  void *data);

/**
 * Read a graph with progress reports; otherwise as hdP_readGraph().
 *
 * @param path File; "-" is the standard input.
 * @param[out] graph Finished.
 * @param progress Called occasionally, in the calling thread, with the number
 *        of bytes that have been read; may be NULL. The binary form is read in
 *        one step, without progress reports.
 * @param progressData Argument of progress.
 * @param handler Receives diagnostics.
 * @param data Argument of the handler.
 *
 * @return As hdP_readGraph().
 */
int hdP_readGraphTelling(const char *path, hdPGraph **graph,
			 void (*progress)(uint64_t done, void *data),
			 void *progressData, hdPMessageHandler handler,
			 void *data);

/**
 * Write a graph.
 *
 * @param graph Finished graph.
 * @param path File, which is replaced; "-" is the standard output.
 * @param form Form of the file.
 * @param result Result of this graph, or NULL; only XML output annotates each
 * task with its times.
 *
 * @retval 0 Success.
 * @return Negative errno value: the file cannot be written.
 */
int hdP_writeGraph(const hdPGraph *graph, const char *path, hdPForm form,
		   const hdPResult *result);

/**
 * Count tasks.
 *
 * @param graph Any graph; NULL has none.
 *
 * @return Their number.
 */
int64_t hdP_getTaskCount(const hdPGraph *graph);
/**
 * Count dependencies.
 *
 * @param graph Any graph; NULL has none.
 *
 * @return Their number.
 */
int64_t hdP_getDependencyCount(const hdPGraph *graph);
/**
 * Count kernels.
 *
 * @param graph Any graph; NULL has none.
 *
 * @return Their number.
 */
int hdP_getKernelCount(const hdPGraph *graph);
/**
 * Get the name of a kernel.
 *
 * @param graph Any graph.
 * @param kernel Its number.
 *
 * @return The name, valid until the graph is freed.
 * @retval NULL There is no kernel with this number.
 */
const char *hdP_getKernelId(const hdPGraph *graph, int kernel);
/**
 * Get the kernel of a task.
 *
 * @param graph Finished graph.
 * @param task Number of the task.
 *
 * @return Number of the kernel, or -EINVAL.
 */
int hdP_getTaskKernel(const hdPGraph *graph, int64_t task);
/**
 * Get the name of a task.
 *
 * @param graph Any graph.
 * @param task Its number.
 * @param[out] length Length of the name.
 *
 * @return The name, not terminated, valid until the graph is freed.
 * @retval NULL There is no task with this number.
 */
const char *hdP_getTaskId(const hdPGraph *graph, int64_t task, size_t *length);
/**
 * Get the PE of a task.
 *
 * @param graph Any graph.
 * @param task Number of the task.
 * @param[out] length Length of the name.
 * @param[out] priority Its order there; may be NULL.
 *
 * @return Name of the PE, not terminated, valid until the graph is mapped
 * again.
 * @retval NULL The task is not mapped.
 */
const char *hdP_getMapping(const hdPGraph *graph, int64_t task, size_t *length,
			   int64_t *priority);

/**
 * Generate the graph of a tiled Cholesky decomposition.
 *
 * @param tiles Rows of tiles, from 1.
 * @param tileSize Rows of a tile.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateCholesky(uint32_t tiles, uint32_t tileSize, hdPGraph **graph);

/**
 * Generate the graph of a tiled LU decomposition without pivots.
 *
 * @param tiles Rows of tiles, from 1.
 * @param tileSize Rows of a tile.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateLu(uint32_t tiles, uint32_t tileSize, hdPGraph **graph);

/**
 * Generate a ring of tasks that pass a data set around.
 *
 * @param width Number of tasks in a round.
 * @param rounds Number of rounds.
 * @param bytes Size of the data set.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateRing(uint32_t width, uint32_t rounds, uint32_t bytes,
		     hdPGraph **graph);

/**
 * Generate the steps of a stencil: each cell requires its own value and the
 * values of up to four neighbors from the previous step.
 *
 * @param width Number of rows and columns of cells.
 * @param steps Number of steps after the first.
 * @param cellSize Number of rows of numbers in a cell.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateStencil(uint32_t width, uint32_t steps, uint32_t cellSize,
			hdPGraph **graph);

/**
 * Generate layers of tasks with inputs from the previous layer.
 *
 * @param layers Number of layers.
 * @param width Number of tasks in a layer.
 * @param inputs Maximum number of inputs of a task; up to 64.
 * @param seed Seed of the inputs.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateRandom(uint32_t layers, uint32_t width, uint32_t inputs,
		       uint64_t seed, hdPGraph **graph);

/* ---- Platforms --------------------------------------------------------- */

/**
 * Create an empty platform.
 *
 * @return The platform, to be freed with hdP_destroyPlatform().
 * @retval NULL No memory.
 */
hdPPlatform *hdP_createPlatform(void);

/**
 * Free a platform.
 *
 * @param platform Platform to free; NULL does nothing.
 */
void hdP_destroyPlatform(hdPPlatform *platform);

/**
 * Add an architecture of nodes.
 *
 * @param platform Platform that is not finished.
 * @param id Its name; copied.
 * @param idlePower Idle power of each node in W.
 * @param peakPower Peak power of each node in W, or 0: unknown.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int hdP_addNodeArchitecture(hdPPlatform *platform, const char *id,
			    double idlePower, double peakPower);

/**
 * Add an architecture of bridges.
 *
 * @param platform Platform that is not finished.
 * @param id Its name; copied.
 * @param initLatency Initial latency of a transfer in ns.
 * @param packetSize Size of a packet in bytes; 0 if packets have no costs.
 * @param packetLatency Latency of a packet in ns.
 * @param packetEnergy Energy of a packet in nJ.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int hdP_addBridgeArchitecture(hdPPlatform *platform, const char *id,
			      double initLatency, double packetSize,
			      double packetLatency, double packetEnergy);

/**
 * Add a node.
 *
 * @param platform Platform that is not finished.
 * @param parent Number of the enclosing node, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture, or NULL; copied.
 *
 * @return Number of the node.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addNode(hdPPlatform *platform, int64_t parent, const char *id,
		    const char *architecture);

/**
 * Add main memory to a node; this makes it a cluster server.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the node.
 * @param id Its name; copied.
 * @param size Size in bytes.
 *
 * @return Its number as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addMemory(hdPPlatform *platform, int64_t node, const char *id,
		      double size);

/**
 * Add a channel.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the enclosing node, or -1: none.
 * @param id Its name; copied.
 *
 * @return Its number as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addChannel(hdPPlatform *platform, int64_t node, const char *id);

/**
 * Add a PE.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the enclosing node, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture; copied.
 *
 * @return Its number as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addPe(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture);

/**
 * Add a bridge from one end point to another.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the enclosing node, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture, or NULL; copied.
 * @param from Number of the end point that sends.
 * @param to Number of the end point that receives.
 * @param isBothWays Add another bridge in the opposite direction.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST The name is in use.
 * @retval -ENOMEM No memory.
 */
int hdP_addBridge(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture, int64_t from, int64_t to,
		  int isBothWays);

/**
 * Check a platform and prepare it for simulation.
 *
 * @param platform Platform that is not finished.
 * @param handler Receives diagnostics; may be NULL.
 * @param data Argument of the handler.
 *
 * @return As hdP_finishGraph().
 */
int hdP_finishPlatform(hdPPlatform *platform, hdPMessageHandler handler,
		       void *data);

/**
 * Read a platform.
 *
 * @param path File, "-", or a built-in platform: "thesis", "thesis-eval",
 *        "thesis-xu4".
 * @param[out] platform Finished.
 * @param handler Receives diagnostics; may be NULL.
 * @param data Argument of the handler.
 *
 * @return As hdP_readGraph().
 */
int hdP_readPlatform(const char *path, hdPPlatform **platform,
		     hdPMessageHandler handler, void *data);

/**
 * Scale the latencies of all links and the energies of packets.
 *
 * @param platform Finished platform that no other thread reads now.
 * @param latency Factor of all initial latencies and packet latencies; above 0.
 * @param energy Factor of all packet energies; 0 or more.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument, or a result is too large.
 */
int hdP_scaleLinks(hdPPlatform *platform, double latency, double energy);

/**
 * Count PEs.
 *
 * @param platform Finished platform; NULL has none.
 *
 * @return Their number.
 */
int64_t hdP_getPeCount(const hdPPlatform *platform);
/**
 * Count cluster servers.
 *
 * @param platform Finished platform; NULL has none.
 *
 * @return Their number.
 */
int64_t hdP_getServerCount(const hdPPlatform *platform);
/**
 * Get the name of a PE.
 *
 * @param platform Finished platform.
 * @param pe Its number.
 *
 * @return The name, valid until the platform is freed.
 * @retval NULL There is no PE with this number.
 */
const char *hdP_getPeId(const hdPPlatform *platform, int64_t pe);
/**
 * Get the name of a cluster server, which is the name of its node.
 *
 * @param platform Finished platform.
 * @param server Its number.
 *
 * @return The name, valid until the platform is freed.
 * @retval NULL There is no server with this number.
 */
const char *hdP_getServerId(const hdPPlatform *platform, int64_t server);
/**
 * Get the cluster server of a PE.
 *
 * @param platform Finished platform.
 * @param pe Number of the PE.
 *
 * @return Number of the server, or -EINVAL.
 */
int64_t hdP_getPeServer(const hdPPlatform *platform, int64_t pe);

/* ---- Resource models --------------------------------------------------- */

/**
 * Create an empty resource model.
 *
 * @return The model, to be freed with hdP_destroyResources().
 * @retval NULL No memory.
 */
hdPResources *hdP_createResources(void);

/**
 * Free a resource model.
 *
 * @param resources Model to free; NULL does nothing.
 */
void hdP_destroyResources(hdPResources *resources);

/**
 * Add the costs of a kernel on an architecture.
 *
 * @param resources Model that is not finished.
 * @param kernel Its name.
 * @param architecture Name of the architecture of PEs.
 * @param time Mean time in s.
 * @param energy Mean dynamic energy in J.
 * @param timeSpread Standard deviation of the time, or 0.
 * @param energySpread Standard deviation of the energy, or 0.
 *
 * @return Number of the entry, -EINVAL or -ENOMEM.
 */
int64_t hdP_addEntry(hdPResources *resources, const char *kernel,
		     const char *architecture, double time, double energy,
		     double timeSpread, double energySpread);

/**
 * Set the number of PEs that an entry is for, which run the task together.
 *
 * @param resources Model that is not finished.
 * @param entry Number of the entry.
 * @param pes Number of PEs of one node and architecture, 1 to 100000. The
 *        default is 1.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 */
int hdP_setEntryPes(hdPResources *resources, int64_t entry, uint32_t pes);

/**
 * Restrict an entry to tasks with a given value of a variable.
 *
 * @param resources Model that is not finished.
 * @param entry Number of the entry.
 * @param variable Name of the variable; copied.
 * @param value Its value.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_addCondition(hdPResources *resources, int64_t entry,
		     const char *variable, double value);

/**
 * Add the costs of file accesses.
 *
 * @param resources Model that is not finished.
 * @param architecture Architecture of the PEs that access files.
 * @param access Kind of accesses.
 * @param size Bytes of one access: above 0.
 * @param time Mean time of one access in s.
 * @param energy Mean dynamic energy of one access in J.
 *
 * @retval 0 Success.
 * @retval -EEXIST The architecture already has costs for these accesses.
 * @return Otherwise -EINVAL or -ENOMEM.
 */
int hdP_addIoCosts(hdPResources *resources, const char *architecture,
		   hdPAccess access, double size, double time, double energy);

/**
 * Add the slowdown of a kernel by other kernels that run at the same time.
 *
 * @param resources Model that is not finished.
 * @param architecture Architecture of the PEs.
 * @param kernel Kernel or class.
 * @param loads Competing kernels or classes, separated by blanks.
 * @param count Number of PEs that run them.
 * @param factor Time relative to the time without competing kernels; above 0.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_addSlowdown(hdPResources *resources, const char *architecture,
		    const char *kernel, const char *loads, uint32_t count,
		    double factor);

/**
 * Check a resource model and prepare it for simulation.
 *
 * @param resources Model that is not finished.
 * @param handler Receives diagnostics; may be NULL.
 * @param data Argument of the handler.
 *
 * @return As hdP_finishGraph().
 */
int hdP_finishResources(hdPResources *resources, hdPMessageHandler handler,
			void *data);

/**
 * Read a resource model.
 *
 * @param path File, "-", or the built-in model "thesis".
 * @param[out] resources Finished.
 * @param handler Receives diagnostics; may be NULL.
 * @param data Argument of the handler.
 *
 * @return As hdP_readGraph().
 */
int hdP_readResources(const char *path, hdPResources **resources,
		      hdPMessageHandler handler, void *data);

/**
 * Scale the times and energies of all kernels. File accesses do not change.
 *
 * @param resources Finished resource model that no other thread reads now.
 * @param time Factor of the times of all entries, and their spreads; above 0.
 * @param energy Factor of the dynamic energies, and their spreads; 0 or more.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument, or a result is too large.
 */
int hdP_scaleResources(hdPResources *resources, double time, double energy);

/**
 * Convert a count of the power board in the thesis (section 10.1) to a voltage:
 * 0.5 mV per count above 3.976 V.
 *
 * @param count Count of its converter, 12 bits.
 *
 * @return Voltage in V.
 */
double hdP_boardVoltage(double count);

/**
 * Convert a count of this board to the voltage of a shunt: 25 uV per count.
 *
 * @param count Count of its converter, 12 bits.
 *
 * @return Voltage in V.
 */
double hdP_boardShuntVoltage(double count);

/* ---- Mapping and simulation -------------------------------------------- */

/**
 * Map each task to the PE on which it finishes earliest.
 *
 * @param graph Finished graph; an existing mapping is replaced.
 * @param platform Finished platform.
 * @param resources Finished resource model.
 * @param pattern Patterns of the names of usable PEs, see glob(7), separated by
 *        commas; or NULL: all PEs.
 * @param handler Receives diagnostics.
 * @param data Argument of the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL No PE can run a task; a diagnostic names the task.
 * @retval -ENOMEM No memory.
 */
int hdP_map(hdPGraph *graph, const hdPPlatform *platform,
	    const hdPResources *resources, const char *pattern,
	    hdPMessageHandler handler, void *data);

/**
 * Map each task, with a choice of methods. Pins hold in each: a task with a pin
 * is mapped to its PE.
 *
 * @param graph Finished graph; its mapping is replaced, unless options keep it.
 * @param platform Finished platform.
 * @param resources Finished resource model.
 * @param options Options; equal seeds and steps give equal mappings.
 * @param handler Receives diagnostics.
 * @param data Argument of the handler.
 *
 * @return As hdP_map(); or another negative errno value: the partition cannot
 *         be read.
 */
int hdP_mapAs(hdPGraph *graph, const hdPPlatform *platform,
	      const hdPResources *resources, const hdPMapping *options,
	      hdPMessageHandler handler, void *data);

/**
 * Count tasks that are mapped.
 *
 * @param graph Any graph; NULL has none.
 *
 * @return Their number.
 */
int64_t hdP_getMappedCount(const hdPGraph *graph);

/**
 * Simulate a mapped graph.
 *
 * @param graph Finished graph; must outlive the result.
 * @param platform Finished platform; must outlive the result.
 * @param resources Finished resource model.
 * @param options Options; NULL: the defaults.
 * @param[out] result Result, to be freed with hdP_destroyResult().
 * @param handler Receives diagnostics.
 * @param data Argument of the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL A task is not mapped, its PE is unknown, or its kernel cannot
 *         run there; diagnostics name the tasks.
 * @retval -EDEADLK Tasks wait for each other, or for memory of a server with
 *         full="delay"; a diagnostic names them.
 * @retval -ENOSPC The memory of a server with full="fail" is too small; a
 *         diagnostic states the time.
 * @retval -ERANGE Time or energy exceeds the range of a double; a diagnostic
 *         names it.
 * @retval -ENOMEM No memory.
 */
int hdP_simulate(const hdPGraph *graph, const hdPPlatform *platform,
		 const hdPResources *resources, const hdPOptions *options,
		 hdPResult **result, hdPMessageHandler handler, void *data);

/**
 * Simulate a mapped graph several times. The times and energies of tasks are
 * drawn from the normal distributions of their resource entries. Negative
 * values become 0.
 *
 * The numbers of a task depend only on the seed, the number of the sample and
 * the name of the task. Therefore the number of threads does not affect the
 * result, and samples of two models form pairs: common tasks get the same
 * random numbers.
 *
 * @param graph Finished graph.
 * @param platform Finished platform.
 * @param resources Finished resource model.
 * @param options Options; sample and recordsTransfers are ignored. NULL: the
 *        defaults.
 * @param count Number of samples, from 1.
 * @param threads Number of simultaneous simulations, from 1; each needs the
 *        memory of a simulation.
 * @param[out] totals Totals of each sample: an array of count elements.
 * @param handler Receives diagnostics of the first sample that fails, in the
 *        calling thread.
 * @param data Argument of the handler.
 *
 * @return As hdP_simulate().
 */
int hdP_sample(const hdPGraph *graph, const hdPPlatform *platform,
	       const hdPResources *resources, const hdPOptions *options,
	       uint64_t count, unsigned int threads, hdPTotals *totals,
	       hdPMessageHandler handler, void *data);

/**
 * Get the mean, deviation and quantiles of values.
 *
 * @param values Values of samples.
 * @param count Their number, from 1.
 * @param parts Requested quantiles, from 0 to 1.
 * @param partCount Their number.
 * @param[out] spread Mean, deviation, extremes.
 * @param[out] quantiles One for each part, interpolated linearly.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_spread(const double *values, size_t count, const double *parts,
	       size_t partCount, hdPSpread *spread, double *quantiles);

/**
 * Estimate the probability that the values of one model are less than the
 * values of another model.
 *
 * @param values Values of the samples of one model.
 * @param others Values of the same samples of the other model.
 * @param count Their number, from 1.
 * @param[out] chance Probability and its interval.
 *
 * @return 0 or -EINVAL.
 */
int hdP_chance(const double *values, const double *others, size_t count,
	       hdPChance *chance);

/**
 * Free a result.
 *
 * @param result Result to free; NULL does nothing.
 */
void hdP_destroyResult(hdPResult *result);

/**
 * Get the totals.
 *
 * @param result Result of a simulation.
 * @param[out] totals The totals.
 */
void hdP_getTotals(const hdPResult *result, hdPTotals *totals);

/**
 * Get the times of a task.
 *
 * @param result Result of a simulation.
 * @param task Its number.
 * @param[out] times Times and PE.
 *
 * @return 0, or -EINVAL: there is no task with this number.
 */
int hdP_getTaskTimes(const hdPResult *result, int64_t task,
		     hdPTaskTimes *times);

/**
 * Get the PEs that run a task.
 *
 * @param result Result of a simulation.
 * @param task Its number.
 * @param[out] pes Numbers of the first PEs, ascending; may be NULL if room is
 * 0.
 * @param room Capacity of the list.
 *
 * @return Number of PEs, or -EINVAL: there is no task with this number.
 */
int64_t hdP_getTaskPes(const hdPResult *result, int64_t task, int64_t *pes,
		       size_t room);

/**
 * Count kernels, PEs, servers or bridges.
 *
 * @param result Result of a simulation; NULL has none.
 * @param what Kind of elements.
 *
 * @return Their number; a bridge in both directions counts twice.
 */
int64_t hdP_getUseCount(const hdPResult *result, hdPWhat what);

/**
 * Get the activity of a kernel, PE, server or bridge.
 *
 * @param result Result of a simulation.
 * @param what Kind of element.
 * @param number Its number.
 * @param[out] use Its activity.
 *
 * @return 0, or -EINVAL: there is no element with this number.
 */
int hdP_getUse(const hdPResult *result, hdPWhat what, int64_t number,
	       hdPUse *use);

/**
 * Count transfers.
 *
 * @param result Result of a simulation; NULL has none.
 *
 * @return Their number; 0 without recordsTransfers.
 */
int64_t hdP_getTransferCount(const hdPResult *result);

/**
 * Get a transfer; transfers are ordered by their ends.
 *
 * @param result Result of a simulation.
 * @param number Its number.
 * @param[out] transfer The transfer.
 *
 * @return 0, or -EINVAL: there is no transfer with this number.
 */
int hdP_getTransfer(const hdPResult *result, int64_t number,
		    hdPTransfer *transfer);

/**
 * Get the peak power, and the intervals in which power exceeds a limit.
 *
 * Power is the sum of idle power, of the energy of each task spread over its
 * run (by the phases of its kernel), and of the energy of packets spread over
 * their messages. Activities without duration have no power. The first call
 * computes all changes of power and stores them in the result; the time of
 * later calls is proportional to the number of changes of the server.
 *
 * @param result Result of a simulation with recordsTransfers.
 * @param server Number of a server, or -1: all together.
 * @param limit Limit in W, or 0: none.
 * @param[out] power Peak, and time above the limit.
 * @param[out] list The first intervals, by time; may be NULL if room is 0.
 * @param room Capacity of the list.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_getPower(const hdPResult *result, int64_t server, double limit,
		 hdPPower *power, hdPExcess *list, size_t room);

/**
 * Get the connected components of the graph, in the order of their first tasks.
 *
 * @param result Result of a simulation.
 * @param[out] list The first components; may be NULL if room is 0.
 * @param room Capacity of the list.
 *
 * @return Number of components, -EINVAL or -ENOMEM.
 */
int64_t hdP_getSubgraphs(const hdPResult *result, hdPSubgraph *list,
			 size_t room);

/**
 * Get the peak power of a server, from its architecture (peak_w).
 *
 * @param platform Finished platform.
 * @param server Its number.
 *
 * @return Power in W; 0: unknown.
 */
double hdP_getServerPeak(const hdPPlatform *platform, int64_t server);

/**
 * Use only a part of the servers of a platform. The others are switched off:
 * they run no tasks and draw no idle power. Links stay as they are.
 *
 * @param platform Finished platform that no other thread reads now.
 * @param servers Number of servers, which are the first ones, or patterns of
 *        their names, see glob(7), separated by commas.
 *
 * @return Number of servers that are used.
 * @retval 0 No server matches, or there are fewer servers; nothing is changed.
 * @return -EINVAL, -ENOMEM.
 */
int64_t hdP_selectServers(hdPPlatform *platform, const char *servers);

/**
 * Whether the idle power of a server is assumed: the platform does not state
 * it, or states that it is a default.
 *
 * @param platform Finished platform.
 *
 * @retval 1 It is, of one server at least.
 * @retval 0 It is not.
 */
int hdP_isIdlePowerAssumed(const hdPPlatform *platform);

/**
 * Store quantiles of samples in a result, for hdP_writeProject(): the 5 % and
 * 95 % quantiles of their times and energies, for the comparison with a
 * measured run.
 *
 * @param result Result of a simulation.
 * @param samples Totals from hdP_sample(), for the same models.
 * @param count Their number, from 1.
 *
 * @return 0, -EINVAL or -ENOMEM.
 */
int hdP_keepSamples(hdPResult *result, const hdPTotals *samples, size_t count);

/**
 * Write a result as an HDTrace project. It contains traces of PEs and bridges,
 * with tasks as states and transfers as messages, and the power of each server.
 *
 * @param result Result of a simulation with recordsTransfers.
 * @param project Name of the project, which must not exist.
 *
 * @retval 0 Success.
 * @retval -EINVAL There are no transfers, or an argument is NULL.
 * @retval -EOVERFLOW The project would end after the year 2106.
 * @return Another negative errno value: writing failed; some files may exist.
 */
int hdP_writeProject(const hdPResult *result, const char *project);

#ifdef __cplusplus
}
#endif

#endif
