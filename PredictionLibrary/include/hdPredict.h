/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Prediction of time, energy and power of a task graph on a platform.
 *
 * A graph (what is computed), a platform (what there is to compute on) and a
 * resource model (what a kernel costs on an architecture) are read from files
 * or built by calls. The graph is mapped, by hand or by hdP_map(), and
 * simulated; the result is walked by functions or written as an annotated
 * graph or as a project of HDTrace. doc/format/prediction.md describes the
 * files and what is computed of them.
 *
 * Functions that can fail return 0 or a negative errno value, those that add
 * something its number, from 0. What is wrong with a model is told to a
 * handler, one diagnostic each. Objects are not locked: a graph, platform
 * or resource model may be read by several threads, and changed by one; a
 * result belongs to its caller. Nothing is printed.
 */
#ifndef HD_PREDICT_H
#define HD_PREDICT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A task graph, with a mapping or without. */
typedef struct hdPGraph hdPGraph;
/** A platform: cluster servers, their processing elements (PEs), and links. */
typedef struct hdPPlatform hdPPlatform;
/** What kernels cost: time, energy, slowdown. */
typedef struct hdPResources hdPResources;
/** What was simulated. */
typedef struct hdPResult hdPResult;

/** Something to say about a model. */
typedef struct hdPMessage {
	int isWarning;    /**< Else an error. */
	const char *file; /**< Path, or NULL: the model is not from a file. */
	int64_t line;     /**< Where the element begins, or 0. */
	const char *id;   /**< Of the element, or NULL. */
	const char *text; /**< One line; valid during the call. */
} hdPMessage;

/** Takes diagnostics; a NULL handler drops them. */
typedef void (*hdPMessageHandler)(const hdPMessage *message, void *data);

/** How messages between servers share bridges. */
typedef enum hdPSharing {
	HDP_EXCLUSIVE, /**< A message has its whole path for itself. */
	HDP_SHARE,     /**< Bandwidth is shared, max-min fair. */
} hdPSharing;

/** What the binary and the text form of a graph are called. */
typedef enum hdPForm {
	HDP_XML,    /**< XML; doc/format/prediction.md. */
	HDP_BINARY, /**< Mapped into memory, with a checksum. */
} hdPForm;

/** How files are accessed. */
typedef enum hdPAccess {
	HDP_SEQUENTIAL_READ,  /**< One place after the other. */
	HDP_SEQUENTIAL_WRITE, /**< Written, to the page cache if there is one.
			       */
	HDP_SEQUENTIAL_SYNC,  /**< Written, each time to the disk. */
	HDP_RANDOM_READ,      /**< Any place. */
	HDP_RANDOM_WRITE,     /**< Likewise, written. */
	HDP_RANDOM_SYNC,      /**< Likewise, each time to the disk. */
} hdPAccess;

/** What may be chosen of a simulation; all zero is the default. */
typedef struct hdPOptions {
	int isWithoutSlowdown; /**< Kernels do not slow each other down. */
	hdPSharing sharing;    /**< How bridges are shared. */
	int recordsTransfers;  /**< Keep each transfer, and the energy
				*   of each task. */
	int isWithoutUnused;   /**< Servers that run nothing draw nothing. */
	uint64_t sample;       /**< 0: means; else a sample of the spread, by
				*   its number. */
	uint64_t seed;         /**< Of samples. */
	/** Is told now and then, in the calling thread, how many tasks have
	 * been simulated, or how many samples by hdP_sample(); may be NULL. */
	void (*progress)(uint64_t done, void *data);
	void *progressData;
} hdPOptions;

/** Energy and time of all. Energies in J, times in s. */
typedef struct hdPTotals {
	uint64_t tasks;
	double makespan;      /**< When the last task ended. */
	double computation;   /**< Dynamic energy of tasks. */
	double communication; /**< Dynamic energy of packets. */
	double idle;          /**< Idle power x makespan. */
	uint64_t messages;    /**< Data sets that went to another server. */
	double bytes;         /**< Size of these. */
	double transferring;  /**< Their times on the way, added up. */
	double queued;        /**< Their times of waiting, added up. */
	uint64_t mixedLoads;  /**< Slowdowns by the mean of several entries. */
	uint64_t beyondLoads; /**< Slowdowns by the last known entry. */
	uint64_t overflows;   /**< Servers whose memory was too small. */
} hdPTotals;

/** What values of samples say. */
typedef struct hdPSpread {
	uint64_t count;
	double mean;
	double meanError; /**< The mean is within this with 95 %, by the normal
			   *   distribution: for 30 samples or more. */
	double deviation; /**< Standard deviation of one value. */
	double minimum;
	double maximum;
} hdPSpread;

/** How often one value is less than another one. */
typedef struct hdPChance {
	double less;  /**< Part of the samples where it is. */
	double equal; /**< Part where both are equal. */
	double low;   /**< The probability of less is from here with 95 %... */
	double high;  /**< ...up to here (Wilson's interval). */
} hdPChance;

/** What a task did. Times in s since the start. */
typedef struct hdPTaskTimes {
	double start;
	double end;
	int64_t pe; /**< Number of its PE. */
} hdPTaskTimes;

/** What a kernel, a PE, a server or a bridge did. */
typedef struct hdPUse {
	const char *id;  /**< As in the model. */
	uint64_t tasks;  /**< Tasks, of bridges messages. */
	double busy;     /**< Seconds in tasks, or in messages. */
	double waitData; /**< Seconds that a PE waited for data. */
	double waitPe;   /**< Seconds that tasks had data and waited for the PE.
			  */
	double energy;   /**< Dynamic energy of tasks, J. */
	double transfers; /**< Dynamic energy of packets, J. */
	double idle;      /**< Idle energy, J. */
	double bytes;     /**< That a bridge carried. */
	double memory;    /**< Size of a server's memory, bytes. */
	double peak;      /**< Most of it that was in use. */
} hdPUse;

/** What hdPUse is asked of. */
typedef enum hdPWhat {
	HDP_KERNELS,
	HDP_PES,
	HDP_SERVERS,
	HDP_BRIDGES,
} hdPWhat;

/** A data set on its way to another server. */
typedef struct hdPTransfer {
	int64_t producer; /**< Task. */
	int64_t consumer; /**< Task of the dependency with the lowest number. */
	int64_t dependency;  /**< That number. */
	int64_t source;      /**< Server. */
	int64_t destination; /**< Server. */
	double bytes;
	double ready; /**< When the producer ended, s. */
	double start;
	double end;
} hdPTransfer;

/** Power over time, of a server or of all. */
typedef struct hdPPower {
	double peak;       /**< Most, in W. */
	double peakAt;     /**< When that is reached first, in s. */
	double over;       /**< Seconds above the limit. */
	uint64_t excesses; /**< How often it is passed. */
} hdPPower;

/** That power is above a limit, for some time. */
typedef struct hdPExcess {
	double start; /**< When it passes the limit, in s. */
	double end;   /**< Until when it is above it. */
	double peak;  /**< Most meanwhile, in W. */
	int64_t task; /**< What made it pass: of what began then, that with most
		       *   power. -1: idle power is above the limit. */
	int isMessage;  /**< A message of this task, and not its run. */
	int64_t server; /**< Where, or -1. */
	int64_t pe;     /**< On which PE, or -1. */
} hdPExcess;

/** Tasks that depend on each other, and on no others. */
typedef struct hdPSubgraph {
	int64_t task;   /**< Number of the first one. */
	uint64_t tasks; /**< How many. */
	double start;   /**< When the first one starts, in s. */
	double end;     /**< When the last one ends; its makespan is between. */
} hdPSubgraph;

/* ---- Graphs ------------------------------------------------------------ */

/**
 * Create a graph without anything.
 *
 * @return The graph, to be freed with hdP_destroyGraph().
 * @retval NULL No memory.
 */
hdPGraph *hdP_createGraph(void);

/**
 * Free it.
 *
 * @param graph What to free; NULL does nothing.
 */
void hdP_destroyGraph(hdPGraph *graph);

/**
 * Add a kernel.
 *
 * @param graph Graph that is not finished.
 * @param id Its name; copied.
 * @param kernelClass Class for slowdowns, or NULL; copied.
 *
 * @return Its number.
 * @retval -EINVAL The graph is finished, or there is no name.
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
 * @return Else as hdP_addKernel().
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
 * @return Else as hdP_addKernel().
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
 * @return Else as hdP_addKernel().
 */
int hdP_addOutput(hdPGraph *graph, int kernel, const char *id,
		  const char *size);

/**
 * Add a phase of the run of a kernel, which has a power of its own.
 *
 * @param graph Graph that is not finished.
 * @param kernel Its number.
 * @param until Where the phase ends, as a part of the run: more than the one
 *        before; the last is 1.
 * @param weight Power in this phase, in relation to the other phases.
 *
 * @retval 0 Success.
 * @return Else as hdP_addKernel().
 */
int hdP_addPhase(hdPGraph *graph, int kernel, double until, double weight);

/**
 * Add that a kernel accesses files, besides what it costs otherwise.
 *
 * @param graph Graph that is not finished.
 * @param kernel Number of the kernel.
 * @param access How.
 * @param size Expression for the bytes that it reads or writes so; copied.
 *
 * @retval 0 Success.
 * @return Else as hdP_addKernel().
 */
int hdP_addIo(hdPGraph *graph, int kernel, hdPAccess access, const char *size);

/**
 * Add a task.
 *
 * @param graph Graph that is not finished.
 * @param id Its name; copied.
 * @param kernel Number of its kernel, which has all its variables.
 * @param values Of all variables of the kernel, in their order.
 *
 * @return Its number.
 * @retval -EEXIST There is a task with this name.
 * @return Else as hdP_addKernel().
 */
int64_t hdP_addTask(hdPGraph *graph, const char *id, int kernel,
		    const double *values);

/**
 * Say which tile of a matrix a task works on.
 *
 * @param graph Graph that is not finished.
 * @param task Number of the task.
 * @param row Row of the tile, less than 2^32 - 1.
 * @param column Column of the tile, likewise.
 *
 * @retval 0 Success.
 * @return Else as hdP_addKernel().
 */
int hdP_setTile(hdPGraph *graph, int64_t task, uint32_t row, uint32_t column);

/**
 * Add a dependency: an output of a task is an input of another one.
 *
 * @param graph Graph that is not finished.
 * @param predecessor Number of the task that has the output.
 * @param output Number of the output in its kernel.
 * @param successor Number of the task that has the input.
 * @param input Number of the input in its kernel.
 *
 * @return Its number, which orders messages.
 * @return Else as hdP_addKernel().
 */
int64_t hdP_addDependency(hdPGraph *graph, int64_t predecessor, int output,
			  int64_t successor, int input);

/**
 * Map a task; may be called of a finished graph, too.
 *
 * @param graph Any graph.
 * @param task Number of the task.
 * @param pe Name of the PE; copied.
 * @param priority Place on the PE, from 0 to 2^53: lower ones are first.
 *
 * @retval 0 Success.
 * @return Else as hdP_addKernel().
 */
int hdP_setMapping(hdPGraph *graph, int64_t task, const char *pe,
		   int64_t priority);

/**
 * Say when a task ran, for hdP_writeGraph(): as it was measured.
 *
 * @param graph Finished graph.
 * @param task Number of the task.
 * @param start In s since the start of the run.
 * @param end Likewise.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_setTimes(hdPGraph *graph, int64_t task, double start, double end);

/**
 * Check a graph, and get it ready for mapping and simulation.
 *
 * @param graph Graph that is not finished.
 * @param handler Takes diagnostics; may be NULL.
 * @param data For the handler.
 *
 * @retval 0 Success: the graph is finished, and has no errors.
 * @retval -EINVAL It has errors; diagnostics said which. It can only be
 * destroyed.
 * @retval -ENOMEM No memory.
 */
int hdP_finishGraph(hdPGraph *graph, hdPMessageHandler handler, void *data);

/**
 * Read a graph, in either form.
 *
 * @param path File; "-" is the standard input.
 * @param[out] graph Finished.
 * @param handler Takes diagnostics.
 * @param data For the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL The graph has errors; diagnostics said which.
 * @retval -EBADMSG The file is not XML, or is damaged; a diagnostic said where.
 * @return Another negative errno value: the file cannot be read.
 */
int hdP_readGraph(const char *path, hdPGraph **graph, hdPMessageHandler handler,
		  void *data);

/**
 * Read a graph, and tell meanwhile how far that is; otherwise as
 * hdP_readGraph().
 *
 * @param path File; "-" is the standard input.
 * @param[out] graph Finished.
 * @param progress Is told now and then, in the calling thread, how many bytes
 *        have been read; NULL: nobody is. A graph in the binary form is there
 *        at once, and nothing is told of it.
 * @param progressData For it.
 * @param handler Takes diagnostics.
 * @param data For the handler.
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
 * @param form Form of it.
 * @param result Of this graph: each task is annotated with its times; only in
 *        XML. May be NULL.
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
 * @return The name, as long as the graph lives.
 * @retval NULL None has this number.
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
 * @return The name, not terminated, as long as the graph lives.
 * @retval NULL None has this number.
 */
const char *hdP_getTaskId(const hdPGraph *graph, int64_t task, size_t *length);
/**
 * Get the PE of a task.
 *
 * @param graph Any graph.
 * @param task Number of the task.
 * @param[out] length Length of the name.
 * @param[out] priority Its place there; may be NULL.
 *
 * @return Name of the PE, not terminated, until the graph is mapped anew.
 * @retval NULL It is not mapped.
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
 * Generate a data set that goes round, from task to task.
 *
 * @param width Tasks of a round.
 * @param rounds How often it goes round.
 * @param bytes Its size.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateRing(uint32_t width, uint32_t rounds, uint32_t bytes,
		     hdPGraph **graph);

/**
 * Generate steps of a stencil: each cell needs itself and its up to four
 * neighbours of the step before.
 *
 * @param width Rows and columns of cells.
 * @param steps Steps after the first.
 * @param cellSize Rows of numbers of a cell.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateStencil(uint32_t width, uint32_t steps, uint32_t cellSize,
			hdPGraph **graph);

/**
 * Generate layers of tasks, whose inputs come from the layer before.
 *
 * @param layers Number of layers.
 * @param width Tasks of a layer.
 * @param inputs Most inputs of a task; up to 64.
 * @param seed By which they are drawn.
 * @param[out] graph Finished.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_generateRandom(uint32_t layers, uint32_t width, uint32_t inputs,
		       uint64_t seed, hdPGraph **graph);

/* ---- Platforms --------------------------------------------------------- */

/**
 * Create a platform without anything.
 *
 * @return The platform, to be freed with hdP_destroyPlatform().
 * @retval NULL No memory.
 */
hdPPlatform *hdP_createPlatform(void);

/**
 * Free it.
 *
 * @param platform What to free; NULL does nothing.
 */
void hdP_destroyPlatform(hdPPlatform *platform);

/**
 * Add an architecture of nodes.
 *
 * @param platform Platform that is not finished.
 * @param id Its name; copied.
 * @param idlePower In W, of each node.
 * @param peakPower In W, or 0: not known.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int hdP_addNodeArchitecture(hdPPlatform *platform, const char *id,
			    double idlePower, double peakPower);

/**
 * Add an architecture of bridges.
 *
 * @param platform Platform that is not finished.
 * @param id Its name; copied.
 * @param initLatency In ns, once a message.
 * @param packetSize In bytes; 0 if packets cost nothing.
 * @param packetLatency In ns, for each packet.
 * @param packetEnergy In nJ, for each packet.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int hdP_addBridgeArchitecture(hdPPlatform *platform, const char *id,
			      double initLatency, double packetSize,
			      double packetLatency, double packetEnergy);

/**
 * Add a node.
 *
 * @param platform Platform that is not finished.
 * @param parent Number of the node that contains it, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture, or NULL; copied.
 *
 * @return Number of the node.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addNode(hdPPlatform *platform, int64_t parent, const char *id,
		    const char *architecture);

/**
 * Add main memory to a node, which is a cluster server by it.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the node.
 * @param id Its name; copied.
 * @param size In bytes.
 *
 * @return Number of it as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addMemory(hdPPlatform *platform, int64_t node, const char *id,
		      double size);

/**
 * Add a channel.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the node that contains it, or -1: none.
 * @param id Its name; copied.
 *
 * @return Number of it as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addChannel(hdPPlatform *platform, int64_t node, const char *id);

/**
 * Add a PE.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the node that contains it, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture; copied.
 *
 * @return Number of it as an end point of links.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int64_t hdP_addPe(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture);

/**
 * Add a bridge from one end point to another.
 *
 * @param platform Platform that is not finished.
 * @param node Number of the node that contains it, or -1: none.
 * @param id Its name; copied.
 * @param architecture Name of its architecture, or NULL; copied.
 * @param from Number of the end point that sends.
 * @param to Number of the end point that receives.
 * @param isBothWays Whether there is another one in the other direction.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument.
 * @retval -EEXIST There is one with this name.
 * @retval -ENOMEM No memory.
 */
int hdP_addBridge(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture, int64_t from, int64_t to,
		  int isBothWays);

/**
 * Check a platform, and get it ready.
 *
 * @param platform Platform that is not finished.
 * @param handler Takes diagnostics; may be NULL.
 * @param data For the handler.
 *
 * @return As hdP_finishGraph().
 */
int hdP_finishPlatform(hdPPlatform *platform, hdPMessageHandler handler,
		       void *data);

/**
 * Read a platform.
 *
 * @param path File, "-", or one that is built in: "thesis", "thesis-eval",
 *        "thesis-xu4".
 * @param[out] platform Finished.
 * @param handler Takes diagnostics; may be NULL.
 * @param data For the handler.
 *
 * @return As hdP_readGraph().
 */
int hdP_readPlatform(const char *path, hdPPlatform **platform,
		     hdPMessageHandler handler, void *data);

/**
 * Make all links faster or slower, and let packets need more or less energy.
 *
 * @param platform Finished platform, which no other thread reads now.
 * @param latency Latencies of all bridges, initial ones and those of packets,
 *        are multiplied by it: more than 0.
 * @param energy Likewise energies of packets; 0 or more.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument, or a number would be too large.
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
 * @return The name, as long as the platform lives.
 * @retval NULL None has this number.
 */
const char *hdP_getPeId(const hdPPlatform *platform, int64_t pe);
/**
 * Get the name of a cluster server: that of its node.
 *
 * @param platform Finished platform.
 * @param server Its number.
 *
 * @return The name, as long as the platform lives.
 * @retval NULL None has this number.
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
 * Create a resource model without anything.
 *
 * @return The model, to be freed with hdP_destroyResources().
 * @retval NULL No memory.
 */
hdPResources *hdP_createResources(void);

/**
 * Free it.
 *
 * @param resources What to free; NULL does nothing.
 */
void hdP_destroyResources(hdPResources *resources);

/**
 * Add what a kernel costs on an architecture.
 *
 * @param resources Model that is not finished.
 * @param kernel Its name.
 * @param architecture Name of the architecture of PEs.
 * @param time Mean, in s.
 * @param energy Mean dynamic energy, in J.
 * @param timeSpread Standard deviation of the time, or 0.
 * @param energySpread Standard deviation of the energy, or 0.
 *
 * @return Number of the entry, -EINVAL or -ENOMEM.
 */
int64_t hdP_addEntry(hdPResources *resources, const char *kernel,
		     const char *architecture, double time, double energy,
		     double timeSpread, double energySpread);

/**
 * Restrict an entry to tasks that have a value of a variable.
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
 * Add what accesses to files cost.
 *
 * @param resources Model that is not finished.
 * @param architecture Of the PEs whose tasks access them.
 * @param access How they are accessed.
 * @param size Bytes of one access: more than 0.
 * @param time Mean time of one, in s.
 * @param energy Mean dynamic energy of one, in J.
 *
 * @retval 0 Success.
 * @retval -EEXIST There is one of this architecture.
 * @return Else -EINVAL, -ENOMEM.
 */
int hdP_addIoCosts(hdPResources *resources, const char *architecture,
		   hdPAccess access, double size, double time, double energy);

/**
 * Add by how much a kernel is slower when others run beside it.
 *
 * @param resources Model that is not finished.
 * @param architecture Of the PEs.
 * @param kernel Kernel or class.
 * @param loads Kernels or classes that run beside it, with blanks between.
 * @param count Number of PEs that run them.
 * @param factor More than 0; that of its time alone.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_addSlowdown(hdPResources *resources, const char *architecture,
		    const char *kernel, const char *loads, uint32_t count,
		    double factor);

/**
 * Check a resource model, and get it ready.
 *
 * @param resources Model that is not finished.
 * @param handler Takes diagnostics; may be NULL.
 * @param data For the handler.
 *
 * @return As hdP_finishGraph().
 */
int hdP_finishResources(hdPResources *resources, hdPMessageHandler handler,
			void *data);

/**
 * Read a resource model.
 *
 * @param path File, "-", or "thesis", which is built in.
 * @param[out] resources Finished.
 * @param handler Takes diagnostics; may be NULL.
 * @param data For the handler.
 *
 * @return As hdP_readGraph().
 */
int hdP_readResources(const char *path, hdPResources **resources,
		      hdPMessageHandler handler, void *data);

/**
 * Make all kernels faster or slower, and let them need more or less energy.
 * Accesses to files stay as they are.
 *
 * @param resources Finished resource model, which no other thread reads now.
 * @param time Times of all entries, and their spreads, are multiplied by it:
 *        more than 0.
 * @param energy Likewise dynamic energies; 0 or more.
 *
 * @retval 0 Success.
 * @retval -EINVAL A wrong argument, or a number would be too large.
 */
int hdP_scaleResources(hdPResources *resources, double time, double energy);

/**
 * Get the voltage that a count of the thesis's power board stands for: section
 * 10.1, 0.5 mV a count above 3.976 V.
 *
 * @param count Of its converter, 12 bits.
 *
 * @return In V.
 */
double hdP_boardVoltage(double count);

/**
 * Get the voltage over a shunt of that board, likewise: 25 uV a count.
 *
 * @param count Of its converter, 12 bits.
 *
 * @return In V.
 */
double hdP_boardShuntVoltage(double count);

/* ---- Mapping and simulation -------------------------------------------- */

/**
 * Map all tasks, each to the PE where it ends first.
 *
 * @param graph Finished graph; a mapping that it has is replaced.
 * @param platform Finished platform.
 * @param resources Finished resource model.
 * @param pattern Of names of PEs that may be used, as of glob(7); several with
 *        commas between; or NULL: all.
 * @param handler Takes diagnostics.
 * @param data For the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL A task can run nowhere; a diagnostic said which.
 * @retval -ENOMEM No memory.
 */
int hdP_map(hdPGraph *graph, const hdPPlatform *platform,
	    const hdPResources *resources, const char *pattern,
	    hdPMessageHandler handler, void *data);

/**
 * Simulate a mapped graph.
 *
 * @param graph Finished graph; must live as long as the result.
 * @param platform Finished platform; likewise.
 * @param resources Finished resource model.
 * @param options Choices; NULL: the defaults.
 * @param[out] result To be freed with hdP_destroyResult().
 * @param handler Takes diagnostics.
 * @param data For the handler.
 *
 * @retval 0 Success.
 * @retval -EINVAL A task is not mapped, or to a PE that is not there, or where
 *         its kernel cannot run; diagnostics said which.
 * @retval -EDEADLK Tasks wait for each other; a diagnostic said how.
 * @retval -ENOSPC The memory of a server that may not be full is too small;
 *         a diagnostic said when.
 * @retval -ERANGE Time or energy is more than a double can hold; a diagnostic
 *         said which.
 * @retval -ENOMEM No memory.
 */
int hdP_simulate(const hdPGraph *graph, const hdPPlatform *platform,
		 const hdPResources *resources, const hdPOptions *options,
		 hdPResult **result, hdPMessageHandler handler, void *data);

/**
 * Simulate a mapped graph several times, with times and energies of tasks drawn
 * from normal distributions: those of their resource entries. What would be
 * negative is 0.
 *
 * What a task draws depends on the seed, the number of the sample and the name
 * of the task alone. So the number of threads does not matter, and samples of
 * two models are pairs: a task that both have draws the same.
 *
 * @param graph Finished graph.
 * @param platform Finished platform.
 * @param resources Finished resource model.
 * @param options Choices; the sample and recordsTransfers are not looked at.
 *        NULL: the defaults.
 * @param count How many samples, from 1.
 * @param threads How many are simulated at the same time, from 1; each needs
 *        the memory of a simulation.
 * @param[out] totals Of each sample: count of them.
 * @param handler Takes diagnostics of the first sample that fails, in the
 * calling thread.
 * @param data For the handler.
 *
 * @return As hdP_simulate().
 */
int hdP_sample(const hdPGraph *graph, const hdPPlatform *platform,
	       const hdPResources *resources, const hdPOptions *options,
	       uint64_t count, unsigned int threads, hdPTotals *totals,
	       hdPMessageHandler handler, void *data);

/**
 * Get mean, deviation and quantiles of values.
 *
 * @param values Values of samples.
 * @param count Their number, from 1.
 * @param parts Which quantiles: parts of all, from 0 to 1.
 * @param partCount Their number.
 * @param[out] spread Mean, deviation, extremes.
 * @param[out] quantiles One for each part, linear between values.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_spread(const double *values, size_t count, const double *parts,
	       size_t partCount, hdPSpread *spread, double *quantiles);

/**
 * Get the probability that one thing is less than another one.
 *
 * @param values Of the samples of the one.
 * @param others Of the same samples of the other one.
 * @param count Their number, from 1.
 * @param[out] chance How probable it is.
 *
 * @return 0 or -EINVAL.
 */
int hdP_chance(const double *values, const double *others, size_t count,
	       hdPChance *chance);

/**
 * Free it.
 *
 * @param result What to free; NULL does nothing.
 */
void hdP_destroyResult(hdPResult *result);

/**
 * Get the totals.
 *
 * @param result Result of a simulation.
 * @param[out] totals They.
 */
void hdP_getTotals(const hdPResult *result, hdPTotals *totals);

/**
 * Get what a task did.
 *
 * @param result Result of a simulation.
 * @param task Its number.
 * @param[out] times When and where.
 *
 * @return 0, or -EINVAL: none has this number.
 */
int hdP_getTaskTimes(const hdPResult *result, int64_t task,
		     hdPTaskTimes *times);

/**
 * Count kernels, PEs, servers or bridges.
 *
 * @param result Result of a simulation; NULL has none.
 * @param what Which of these.
 *
 * @return Their number; a bridge of both ways is two.
 */
int64_t hdP_getUseCount(const hdPResult *result, hdPWhat what);

/**
 * Get what a kernel, PE, server or bridge did.
 *
 * @param result Result of a simulation.
 * @param what Which of these.
 * @param number Its number.
 * @param[out] use What it did.
 *
 * @return 0, or -EINVAL: none has this number.
 */
int hdP_getUse(const hdPResult *result, hdPWhat what, int64_t number,
	       hdPUse *use);

/**
 * Count transfers.
 *
 * @param result Result of a simulation; NULL has none.
 *
 * @return Their number; 0 if they were not kept.
 */
int64_t hdP_getTransferCount(const hdPResult *result);

/**
 * Get a transfer, in the order in which they ended.
 *
 * @param result Result of a simulation.
 * @param number Its number.
 * @param[out] transfer What it was.
 *
 * @return 0, or -EINVAL: none has this number.
 */
int hdP_getTransfer(const hdPResult *result, int64_t number,
		    hdPTransfer *transfer);

/**
 * Get the most power that is drawn, and when it is above a limit.
 *
 * Idle power, the energy of each task spread over its run (by the phases of its
 * kernel), and that of packets over their messages. What takes no time has no
 * power. The first call finds all changes of power, which the result keeps:
 * each further one takes as long as its server changed often.
 *
 * @param result Of a simulation that kept transfers (see hdPOptions).
 * @param server Number of a server, or -1: all together.
 * @param limit In W, or 0: none.
 * @param[out] power What it is.
 * @param[out] list The first excesses, by time; may be NULL if there is no
 * room.
 * @param room How many the list has room for.
 *
 * @retval 0 Success.
 * @return -EINVAL, -ENOMEM.
 */
int hdP_getPower(const hdPResult *result, int64_t server, double limit,
		 hdPPower *power, hdPExcess *list, size_t room);

/**
 * Get the parts of a graph that do not depend on each other, by their first
 * tasks.
 *
 * @param result Of a simulation.
 * @param[out] list The first ones; may be NULL if there is no room.
 * @param room How many the list has room for.
 *
 * @return How many there are, -EINVAL or -ENOMEM.
 */
int64_t hdP_getSubgraphs(const hdPResult *result, hdPSubgraph *list,
			 size_t room);

/**
 * Get the peak power of a server, as its architecture states it (peak_w).
 *
 * @param platform Finished platform.
 * @param server Its number.
 *
 * @return In W; 0: not known.
 */
double hdP_getServerPeak(const hdPPlatform *platform, int64_t server);

/**
 * Keep with a result where its samples lie, for hdP_writeProject(): 5 and 95 %
 * of their times and energies, by which a run that is measured is compared.
 *
 * @param result Of a simulation.
 * @param samples Of hdP_sample(), of the same models.
 * @param count Their number, from 1.
 *
 * @return 0, -EINVAL or -ENOMEM.
 */
int hdP_keepSamples(hdPResult *result, const hdPTotals *samples, size_t count);

/**
 * Write a result as a project of HDTrace, which the tools read: traces of PEs
 * and bridges, with tasks as states and transfers as messages, and the power of
 * each server.
 *
 * @param result Of a simulation that kept transfers (see hdPOptions).
 * @param project Name of the project, which is not there yet.
 *
 * @retval 0 Success.
 * @retval -EINVAL Transfers were not kept, or NULL.
 * @retval -EOVERFLOW It would end after the year 2106.
 * @return Another negative errno value: it cannot be written; some files may be
 *         there.
 */
int hdP_writeProject(const hdPResult *result, const char *project);

#ifdef __cplusplus
}
#endif

#endif
