/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpredict replay: a run on another platform, by SimGrid.
 *
 * The time-independent traces of the run (HDTraceTools/model/ti), a platform
 * and the hosts of ranks go to a directory; SimGrid's SMPI replays them there,
 * in a process of its own; and its timed trace becomes a project.
 */
#ifndef HD_PREDICT_REPLAYING_H
#define HD_PREDICT_REPLAYING_H

#include "HDTraceTools/model/ti/ti.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "common/powermodel/powermodel.h"

/** Versions of SimGrid whose replay was tried. */
#define REPLAY_TRIED "3.32"

struct hdPredictSeries;
struct machineXml;

/** Power of a host in its first state, in watts. */
struct replayWatts {
	bool isKnown;
	double idle;
	double epsilon; /**< Without load, but not idle. */
	double all;     /**< All cores are busy. */
};

/** A host of the platform. */
struct replayHost {
	char *name;
	double speed; /**< Operations per second of a core. */
	int64_t cores;
	struct replayWatts watts;
	double clock; /**< Of the one in its first state, with --scale. */
	/* Of its ranks: */
	int64_t ranks;
	int64_t busy; /**< Ranks that are busy now. */
	double since; /**< Since when. */
	double energy;
	struct hdPredictSeries
		*series; /**< Its power in the project; NULL: none. */
};

/** A rank. */
struct replayRank {
	guint host;
	double computation; /**< In seconds; and time in MPI, and in files. */
	double mpi;
	double files;
	double end;
};

/** A replay. */
struct replay {
	struct predict *predict;
	struct ti *ti;
	const hdIProject *project;
	char *place;   /**< The directory. */
	GArray *hosts; /**< struct replayHost */
	struct replayRank *ranks;
	size_t count;
	bool isBusy;                      /**< Ranks that wait are. */
	const char *platform;             /**< The file that SimGrid replays. */
	bool hasLinks;                    /**< It is to trace links. */
	GPtrArray *options;               /**< Those of SimGrid, char *. */
	char *version;                    /**< Of SimGrid. */
	const struct hdPowerModel *model; /**< Of all hosts; NULL: watts. */
	GPtrArray *ownHosts; /**< char *, by rank, of --from-measured; NULL. */
	double time;
	double engineTime; /**< That SimGrid took, and the conversion. */
	double exportTime;
};

static inline struct replayHost *replayHostAt(const struct replay *self,
					      guint number)
{
	return &g_array_index(self->hosts, struct replayHost, number);
}

/** A file in the directory, to be freed. */
char *replayFile(const struct replay *self, const char *name);

/* ---- workdir.c --------------------------------------------------------- */

/** Make the directory: a temporary one that is removed at the end, also by a
 *  signal, or the one that is kept. @return Exit status. */
int workdirBegin(struct replay *self, const char *keep);

/** Remove it, unless it is kept. */
void workdirEnd(struct replay *self);

/** A child that a signal ends as well; 0: none. */
void workdirChild(int pid);

/* ---- platformfile.c ---------------------------------------------------- */

/** Factors of speed, bandwidth and latency. */
struct replayScale {
	double cpu;
	double bandwidth;
	double latency;
};

/** Read the option. @return Exit status. */
int platformFileScale(const struct predict *predict, const char *text,
		      struct replayScale *scale);

/** Write platform.xml: one of SimGrid, or one of ours, or the one of the run
 *  if @p path is NULL; scaled. @return Exit status. */
int platformFileWrite(struct replay *self, const char *path,
		      const struct replayScale *scale);

/* ---- measuredplatform.c ------------------------------------------------ */

/** Make the platform of the run, and note the hosts of ranks. */
void measuredPlatform(struct replay *self, struct machineXml *machine);

/* ---- machine.c --------------------------------------------------------- */

/** Find the hosts of platform.xml, and the version of SimGrid. @param cpu
 *  Factor of --scale. @return Exit status. */
int machineFind(struct replay *self, double cpu);

/** Choose the host of each rank: block, cyclic, or a file; NULL: block, or as
 *  in the run with --from-measured. Writes hostfile. @return Exit status. */
int machinePlace(struct replay *self, const char *how);

/* ---- engine.c ---------------------------------------------------------- */

/** Whether SimGrid's programs are there. @return Exit status. */
int engineCheck(const struct predict *predict);

/** Run SimGrid. @return Exit status; a deadlock is 1, and left to
 *  timedExplain(). */
int engineRun(struct replay *self, char *const *cfg, bool *isStuck);

/* ---- timed.c ----------------------------------------------------------- */

/** Read the timed trace, and write the project unless @p output is NULL.
 *  @return Exit status. */
int timedRead(struct replay *self, const char *output);

/** Print which ranks wait in a deadlock. */
void timedExplain(struct replay *self);

#endif
