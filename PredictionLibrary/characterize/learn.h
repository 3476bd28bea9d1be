/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From projects to a platform and a resource model.
 *
 * A *run* is a state of a trace that stands for a kernel, executed once or, as
 * a batch, several times; a *meter* is the power of a host in a project.
 * learnProject() takes both, learnModel() makes numbers of them, and
 * learnWrite() the files. doc/prediction.md says what is computed.
 *
 * One thread at a time uses it.
 */
#ifndef HD_PREDICT_LEARN_H
#define HD_PREDICT_LEARN_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include <hdPredict.h>
#include <hdReading.h>
#include "HDTraceTools/model/powerseries.h"

/** What may be chosen. */
struct learnChoice {
	const char *kernel; /**< Pattern of states that are kernels, or NULL. */
	const char *architecture; /**< Of PEs that do not name theirs. */
	const char *reference;    /**< Host that others are compared with. */
	double drift;      /**< Of energy, that idle power may account for. */
	double packetSize; /**< Of links, in bytes. */
	double memory;     /**< Of hosts, in bytes; 0: not known. */
	const char *full;  /**< What happens when that is full, or NULL. */
	bool isAsRecorded; /**< Power is not late. */
	bool isTimeOnly;   /**< Energies are not asked for. */
};

/** A host, in whichever projects. */
struct learntHost {
	char *label;
	char *architecture; /**< Those of its PEs, joined. */
	GPtrArray *pes;     /**< Their ids (char *), in the order found. */
	GPtrArray *peKinds; /**< Of each the architecture, not its own. */
	/** A PE that exchanged messages, in case that is all that is known of
	 *  the host; and its architecture, not its own. NULL: none. */
	char *exchanger;
	const char *exchangerKind;
	double idle;       /**< Power in pauses, in W; NaN: not known. */
	double idleSpread; /**< Standard deviation of these. */
	size_t pauses;
	/** Power of the reference is scale times that of this, plus offset. */
	double scale;
	double offset;
	size_t points;   /**< That these were made of; 0: not compared. */
	double residual; /**< What is left, as a part of the power; NaN. */
};

/** How it is known by how much a meter is late. */
enum learntLate {
	LATE_UNKNOWN,   /**< Taken for nothing. */
	LATE_RECORDED,  /**< The file says it. */
	LATE_ESTIMATED, /**< By what ran. */
	LATE_IGNORED,   /**< It was asked for as recorded. */
};

/** Power of a host in a project. */
struct learntMeter {
	size_t host;
	const hdIProject *project;
	const hdINode *node;
	struct powerSeries *power; /**< NULL: there is none. */
	struct powerCursor *cursor;
	int64_t origin; /**< When its project begins. */
	int64_t cycle;  /**< The usual length of an entry, in ns. */
	int64_t late;   /**< So much is still to be taken away, in ns. */
	int64_t lateError;
	enum learntLate lateness;
	const char *lateReason; /**< Why it is unknown. */
	GArray *lost;     /**< struct learntSpan: cycles that are missing. */
	GArray *busy;     /**< struct learntSpan: something ran; by time. */
	GArray *runs;     /**< Numbers (size_t) of its runs, by start. */
	GArray *accesses; /**< Likewise, of its accesses to files. */
	GArray *spans;    /**< struct learntSpan: as found, of all traces. */
	GArray *others;   /**< struct learntSpan: of these, what is no run. */
};

/** A time. */
struct learntSpan {
	int64_t start;
	int64_t end;
};

/** A variable of a kernel, with its value. */
struct learntVariable {
	char *name;
	double value;
};

/** Why there is no energy of a run. */
enum learntRefusal {
	RUN_GOOD,
	RUN_LOAD,     /**< It is but a load for others. */
	RUN_LOADED,   /**< Others run beside it: for slowdowns. */
	RUN_FITTED,   /**< Energy comes from a fit of all of its host. */
	RUN_NO_POWER, /**< Nothing measures its host. */
	RUN_NO_PAUSE,
	RUN_UNKNOWN,  /**< Power is not known for most of it. */
	RUN_LOST,     /**< Cycles of the meter are missing. */
	RUN_DRIFT,    /**< Idle power changed too much meanwhile. */
	RUN_OVERLAP,  /**< Others ran for a part of it. */
	RUN_NEGATIVE, /**< It drew less than the pause. */
	RUN_SHORT,    /**< It took no time. */
};

/** A kernel that ran. */
struct learntRun {
	char *kernel;
	char *architecture;
	unsigned int pes;  /**< That run it together. */
	GArray *variables; /**< struct learntVariable, by name. */
	size_t meter;
	size_t pe;     /**< Number of its trace, of all projects. */
	size_t config; /**< Which struct learntEntry. */
	double times;  /**< Repetitions. */
	int64_t start;
	int64_t end;
	bool isLoad;
	bool isBatch; /**< It claims to have pauses around it. */
	enum learntRefusal refusal;
	char *beside; /**< Kernels that ran beside it all the time, sorted,
		       *   with blanks between; "" alone; NULL: for a part. */
	unsigned int besideCount;
	double energy; /**< Dynamic, of all repetitions, in J; NaN. */
	double error;  /**< What noise does to it, standard deviation. */
	double power;  /**< Mean while it ran, in W; NaN. */
	double idle;   /**< Power before, in W; NaN. */
	double drift;  /**< After less before, in W; NaN. */
};

/** A number that was measured several times. */
struct learntNumber {
	size_t count;
	double mean;
	double deviation; /**< NaN with one. */
	double error;     /**< 95 % of such intervals have the truth; NaN. */
};

/** Phases that a profile is divided into. */
#define LEARN_PHASES 10

/** A kernel with the values of its variables, on PEs of an architecture. */
struct learntEntry {
	char *kernel;
	char *architecture;
	unsigned int pes;           /**< That run it together. */
	GArray *variables;          /**< struct learntVariable, not its own. */
	struct learntNumber time;   /**< In s. */
	struct learntNumber energy; /**< In J; count 0: not known. */
	bool isFitted;   /**< Energy is from a fit of back-to-back runs. */
	bool isLoaded;   /**< It never ran alone: time is that beside others. */
	GArray *list;    /**< Numbers (size_t) of its runs, in their order. */
	size_t runs;     /**< All of it. */
	size_t refused;  /**< Those without an energy, for a fault. */
	size_t profiled; /**< Runs that the profile is made of. */
	double profile[LEARN_PHASES]; /**< Mean power in each, in W. */
};

/** By how much others slow a kernel down. */
struct learntSlowdown {
	const char *kernel;
	const char *architecture;
	const char *beside;
	unsigned int count;
	struct learntNumber factor;
};

/** Data from one host to another. */
struct learntTransfer {
	size_t from; /**< Hosts. */
	size_t to;
	size_t meter; /**< Of the sender, of its project. */
	double bytes; /**< Of each. */
	double times;
	int64_t start;
	int64_t end;
};

/** Accesses to a file, or a class of them. */
struct learntAccess {
	const char *order;  /**< "sequential", "random"; not its own. */
	const char *access; /**< "read", "write", "sync"; likewise. */
	double bytes;       /**< Of one. */
	double times;
	size_t meter;
	size_t pe; /**< Number of its trace. */
	int64_t start;
	int64_t end;
	bool isInner;  /**< It is a part of a run. */
	bool isBeside; /**< Something else ran on the host meanwhile. */
	size_t class;  /**< Which of the classes it is of. */
	/* Of a class. */
	const char *architecture;   /**< Of the host. */
	struct learntNumber time;   /**< Of one, in s. */
	struct learntNumber energy; /**< Likewise, dynamic, in J. */
	bool isOpen;   /**< Its energy is to be fitted, of what ran beside. */
	bool isFitted; /**< It is. */
};

/** Links from hosts of one architecture to those of another one. */
struct learntPair {
	const char *from;
	const char *to;
	size_t count;
	double init;    /**< In s. */
	double latency; /**< Of a packet, in s. */
	double spread;  /**< Of what the fit leaves: median size, in s. */
	double initError;
	double latencyError;
};

/** What a bridge into or out of hosts of an architecture takes. */
struct learntBridge {
	const char *architecture; /**< Of hosts. */
	bool isOut;
	double init;                /**< In s. */
	double latency;             /**< In s. */
	struct learntNumber energy; /**< Of a packet, in J. */
	double misfit; /**< Most that a pair is away from it, as a part. */
};

/** All. */
struct learnt {
	struct learnChoice choice;
	hdPMessageHandler handler;
	void *data;
	GPtrArray *projects; /**< hdIProject */
	GPtrArray *hosts;    /**< struct learntHost */
	GPtrArray *meters;   /**< struct learntMeter */
	GPtrArray *runs;     /**< struct learntRun */
	GPtrArray *entries;  /**< struct learntEntry, by names */
	GArray *slowdowns;   /**< struct learntSlowdown */
	GArray *transfers;   /**< struct learntTransfer */
	GArray *accesses;    /**< struct learntAccess */
	GArray *classes;     /**< Likewise, one of each class. */
	GArray *pairs;       /**< struct learntPair */
	GArray *bridges;     /**< struct learntBridge */
	size_t peCount;
	size_t refused;
};

/** Start with nothing. */
struct learnt *learntNew(const struct learnChoice *choice,
			 hdPMessageHandler handler, void *data);

/** Free it; NULL does nothing. */
void learntFree(struct learnt *self);

/** Add a project. @return 0, or a negative errno value, after a message. */
int learnProject(struct learnt *self, const char *path);

/**
 * Make a model of all that was added.
 *
 * @retval 0 There is one.
 * @retval -EINVAL There is nothing to make it of; messages said why.
 * @retval -EBADMSG Power cannot be read, which was said.
 * @return Another negative errno value: a temporary file.
 */
int learnModel(struct learnt *self);

/** Write platform.xml, resources.xml and kernels.xml into a folder. @return 0,
 *  or a negative errno value; @p path names the file then, to be freed. */
int learnWrite(const struct learnt *self, const char *folder, bool isForced,
	       char **path);

/** Measure a time as if it were a run, between pauses: energy, error, power,
 *  idle and drift are set if it is good. */
enum learntRefusal learnMeasure(const struct learnt *self,
				const struct learntMeter *meter,
				struct learntRun *run);

/** By how much a window reaches into pauses, in ns. */
int64_t learnEdge(const struct learntMeter *meter);

/** A refusal in words. */
const char *learntRefusalText(enum learntRefusal refusal);

/** Say something of a run, or of a project (run NULL). */
void learntSay(const struct learnt *self, bool isWarning,
	       const hdIProject *project, const char *id, const char *format,
	       ...) G_GNUC_PRINTF(5, 6);

/** Mean, deviation and its error of values. */
struct learntNumber learntMean(const double *values, size_t count);

/** The middle of values, which are sorted by it; NaN of none. */
double learntMedian(double *values, size_t count);

static inline struct learntHost *learntHostOf(const struct learnt *self,
					      size_t number)
{
	return g_ptr_array_index(self->hosts, number);
}

static inline struct learntMeter *learntMeterOf(const struct learnt *self,
						size_t number)
{
	return g_ptr_array_index(self->meters, number);
}

static inline struct learntRun *learntRunOf(const struct learnt *self,
					    size_t number)
{
	return g_ptr_array_index(self->runs, number);
}

/* ---- Steps of learnModel(), in their order ------------------------------ */

/** Find out by how much meters are late. @return 0 or a negative errno. */
int learnLateness(struct learnt *self);

/** Find out who ran beside whom, accesses to files included. */
void learnNeighbours(struct learnt *self);

/** Find runs of the same configuration: an entry for each. */
void learnConfigurations(struct learnt *self);

/** Get the energy of runs with pauses around them. */
void learnEnergies(struct learnt *self);

/** Compare hosts of one architecture. */
void learnBoards(struct learnt *self);

/** Get mean times and energies of configurations. */
void learnEntries(struct learnt *self);

/** Find classes of accesses to files; their energies by pauses. */
void learnAccesses(struct learnt *self);

/** Fit energies of what runs back to back, or beside something else. */
void learnFits(struct learnt *self);

/** Divide times beside others by times alone. */
void learnSlowdowns(struct learnt *self);

/** Fit links. */
void learnLinks(struct learnt *self);

#endif
