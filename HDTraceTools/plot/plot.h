/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: values and states over time as a picture.
 *
 * What is drawn is gathered first: panels with curves (data.c) and rows
 * with states (states.c); then it is laid out and drawn (draw.c).
 */
#ifndef HD_PLOT_H
#define HD_PLOT_H

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/windowoption.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/phases.h"
#include "HDTraceTools/plot/core/canvas.h"
#include "HDTraceTools/plot/core/scale.h"

/** What has a panel of its own. */
enum plotPanels {
	PLOT_BY_GROUPING, /**< Values of the same grouping, of all nodes. */
	PLOT_BY_VALUE,    /**< A value, of all nodes. */
	PLOT_BY_NODE,     /**< Values of the same grouping, of one node. */
};

/** How times are shown. */
enum plotTime { PLOT_RELATIVE, PLOT_DATE };

/** Where time lines of states are. */
enum plotStates { PLOT_NO_STATES, PLOT_ABOVE, PLOT_BELOW };

/** A project that is drawn. */
struct plotSource {
	const hdIProject *project;
	struct selection selection; /**< Of it; what was given is the plot's. */
	struct scan scan;
	int64_t shift;      /**< Is added to its times, in ns. */
	const char *prefix; /**< Before names: "" if there is only this one. */
	const char *name;   /**< Another one than those of others. */
	/** Which values tell the energy of nodes; only if there are several
	 *  projects. */
	struct findings *findings;
	/** The same, if it is to be said. */
	struct powerChoice *powers;
};

/** A piece of the picture's width, as wide as a thin line. */
struct plotBin {
	double min, max;
	double sum; /**< Of values times ns. */
	int64_t weight;
};

/** An entry, or a window, of a curve that has few. */
struct plotStep {
	int64_t start, end;
	double value;    /**< NaN: none. */
	double min, max; /**< Of the entries of a window. */
};

/** A value of a node. */
struct plotCurve {
	const struct plotSource *source;
	const hdIGroup *group; /**< NULL: it was computed. */
	size_t groupNumber;    /**< Of it in its project. */
	const hdIValue *value;
	size_t column;
	char *label;
	char *bare;   /**< The same without the project. */
	guint number; /**< Of that among those of the panel: its colour. */
	enum hdKind kind;
	char *rateUnit;         /**< What is drawn is a rate; or NULL. */
	double rateScale;       /**< Of an amount a second, in that unit. */
	struct moments moments; /**< Of what is shown. */
	bool isSimulated;
	uint64_t infinite; /**< Values that cannot be drawn. */
	GArray *steps;     /**< struct plotStep; NULL if there are too many. */
	struct plotBin *bins;
	struct plotBin window; /**< That is gathered. */
	size_t windowNumber;
};

/** Curves with one scale. */
struct plotPanel {
	char *key;
	char *scaleKey; /**< Panels with the same one have the same scale. */
	const char
		*heading;  /**< The node, if it has panels of its own, or "". */
	const char *title; /**< Of the scale, without the unit. */
	char *unit;
	GPtrArray *curves; /**< struct plotCurve */
	double min, max;   /**< Of the scale. */
	bool isComparison; /**< Of projects; see plotCompare(). */
};

/** A trace: a row for each depth. */
struct plotRow {
	const struct plotSource *source;
	const hdITraceFile *trace;
	const char *path; /**< Of its node, with the project. */
	unsigned int depths;
	/** For each depth, bin, and name with a colour, and then all others:
	 * time in its states. */
	int64_t *times;
};

/** So many names of states have a colour of their own. */
#define PLOT_NAMES_MAX 14

/** A name of states, as in the legend. */
struct plotName {
	const char *name;
	int64_t time;
	struct canvasColor color;
};

struct plot {
	struct tool *tool;
	struct selection selection; /**< As given; times of the first one. */
	struct plotSource *sources;
	size_t sourceCount;
	/* Options. */
	gboolean isVerbose;
	enum plotPanels panelsBy;
	enum plotTime time;
	enum plotStates states;
	struct windowOption window;
	int depth; /**< Levels of states that are shown; 0: as many as fit. */
	bool hasZero;
	double width, height; /**< In points; height 0: as is needed. */
	double fontSize;
	double dpi;
	char *title;
	char *output;
	/* What is shown. */
	int64_t start, end;
	size_t binCount;
	GPtrArray *panels;       /**< struct plotPanel */
	GPtrArray *rows;         /**< struct plotRow */
	GArray *names;           /**< struct plotName, most time first. */
	guint colored;           /**< Those that have a colour of their own. */
	struct profile *profile; /**< Of all rows. */
	struct phases phases;
	bool hasPhases;
	struct phases windows; /**< That entries are merged over. */
};

/* ---- sources.c --------------------------------------------------------- */

/** The path of a node, with its project if there are several; it stays. */
const char *plotPathOf(const struct plotSource *source, const hdINode *node);

/** The same for people: of a node without a path the name of the project. */
const char *plotNodeName(const struct plotSource *source, const hdINode *node);

/** Say nothing any more of what is wrong with their files. */
void plotSilence(struct plot *plot);

/**
 * Get projects ready to be drawn on the clock of the first one.
 *
 * @param align As alignFind() takes it.
 * @param paths What they are called in messages.
 *
 * @return -1, or an exit status; plotEndSources() in both cases.
 */
int plotStartSources(struct plot *plot, const hdIProject *const *projects,
		     size_t count, const char *align, char **paths);
void plotEndSources(struct plot *plot);

/** When all of them begin and end, on the one clock. */
struct extent plotExtent(const struct plot *plot);

/* ---- comparison.c ------------------------------------------------------ */

/** Add a panel with the power of all nodes of each project, over each other,
 * and if there are two, with what the second one drew more than the first: of
 * what is drawn of it. Curves were read. */
void plotCompare(struct plot *plot);

/* ---- data.c -------------------------------------------------------- */

/** Choose panels and curves; what they show is not known yet. */
void plotChoose(struct plot *plot);
/** Find out when what is chosen begins and ends, if nobody said so; returns
 * whether the groups were read for that. */
bool plotFindTimes(struct plot *plot);
/** Read the curves. */
void plotReadCurves(struct plot *plot);
void plotFreePanel(void *panel);
/** An empty panel by itself, with a scale of its own; @p title stays. */
struct plotPanel *plotNewPanel(const char *title, const char *unit);
/** Start a curve that has nothing. */
void plotStartCurve(const struct plot *plot, struct plotCurve *curve);
/** Whether a curve is drawn as mean, minimum and maximum of each bin. */
static inline bool plotIsDense(const struct plotCurve *curve)
{
	return !curve->steps;
}

/** Add what is as long as an entry, or a window, to a curve. */
void plotAddStep(const struct plot *plot, struct plotCurve *curve,
		 const struct plotStep *step);

/* ---- windows.c ----------------------------------------------------- */

/** Start to gather windows of a curve. */
void plotStartWindows(struct plotCurve *curve);
/** Add an entry, the part of it that is in the picture. */
void plotAddToWindows(const struct plot *plot, struct plotCurve *curve,
		      int64_t start, int64_t end, double value);
/** Add an amount in no time: it has no rate, but its window's has it. */
void plotAddAmount(const struct plot *plot, struct plotCurve *curve,
		   int64_t time, double amount);
/** Add the window that was gathered last to the curve. */
void plotEndWindow(const struct plot *plot, struct plotCurve *curve);

/** Start and end of a bin. */
static inline int64_t plotBinStart(const struct plot *plot, size_t bin)
{
	return plot->start + (int64_t)((__int128)(plot->end - plot->start) *
				       (int64_t)bin / (int64_t)plot->binCount);
}

/** The bin that a time in the picture lies in. */
size_t plotBinOf(const struct plot *plot, int64_t time);

/* ---- states.c ------------------------------------------------------ */

/** Choose the time lines, and find which states take most time. */
void plotChooseRows(struct plot *plot);
/** Read them. */
void plotReadRows(struct plot *plot);
void plotFreeRow(void *row);
/** Colour of the name with a number; of plot->colored: that of others. */
struct canvasColor plotStateColor(const struct plot *plot, guint number);
/** Times of a row at a depth and in a bin, by name. */
static inline int64_t *plotTimesOf(const struct plot *plot,
				   const struct plotRow *row,
				   unsigned int depth, size_t bin)
{
	return row->times +
	       (depth * plot->binCount + bin) * (plot->colored + 1);
}

/* ---- marks.c ------------------------------------------------------- */

/** A mark of the time axis. */
struct plotMark {
	int64_t time;
	char label[40];
};

/** Marks of the time axis (struct plotMark), and its title. */
GArray *plotTimeMarks(const struct plot *plot, int count, char *title,
		      size_t size);

/* ---- draw.c -------------------------------------------------------- */

/** The height that the picture needs, in points (layout.c). */
double plotHeight(const struct plot *plot);
/** Draw all. */
void plotDraw(const struct plot *plot, struct canvas *canvas);

/* ---- json.c -------------------------------------------------------- */

/** Print what the picture shows. */
void plotPrintJson(const struct plot *plot);

#endif
