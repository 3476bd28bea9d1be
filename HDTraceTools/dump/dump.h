/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump: what its three writers (text, CSV, JSON) have in common.
 */
#ifndef HD_DUMP_H
#define HD_DUMP_H

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/dump/where.h"
#include "HDTraceTools/sites/sites.h"
#include "HDTraceTools/model/window.h"
#include "cli/output.h"

/** How times are shown. */
enum dumpTime {
	DUMP_EPOCH,
	DUMP_RELATIVE,
	DUMP_DATE,
};

struct dumpWriter;

/** State of a dump. */
struct dump {
	struct tool *tool;
	const hdIProject *project;
	FILE *file;   /**< Where to. */
	bool isLater; /**< Whether text follows other text. */
	struct selection selection;
	struct scan scan; /**< Set by dumpAll(). */
	enum dumpTime time;
	/** If it has phases, entries are merged over these windows. */
	struct windowSource windows;
	struct window *window; /**< Of the group. */
	/** If there is one, items that match are written, and files that have
	 *  any. */
	struct where *where;
	struct whereFile *asked; /**< The file that is written ... */
	bool isBegun;            /**< ... and whether its title is out. */
	gboolean isHex; /**< Show the bits of values instead of numbers. */
	const struct dumpWriter *writer;
	struct outJson json;
	/** The group that is written, and its chosen values. */
	const hdIGroup *group;
	size_t *columns;
	size_t columnCount;
	/** The trace that is written, and the number of the record. */
	const hdITraceFile *trace;
	const hdIAttribute *attributes; /**< Of the trace. */
	size_t attributeCount;
	const hdIRelationFile *relations; /**< Or the file of relations. */
	hdIRelationOwner owner;
	struct sites *sites;     /**< Of the trace ... */
	const struct site *site; /**< ... and of the record, or NULL. */
	struct addresses *addresses;
	uint64_t number;
	hdITraceReader *reader;
	uint64_t taken; /**< Records that were read. */
	/** What was written so far. */
	uint64_t entries;
	uint64_t states;
	uint64_t events;
	uint64_t merged;  /**< Entries that windows have. */
	uint64_t rounded; /**< Readings in them that lost digits. */
};

/** Writes the parts of a project, in this order. Any may be NULL. */
struct dumpWriter {
	void (*begin)(struct dump *dump);
	void (*project)(struct dump *dump);
	void (*beginStats)(struct dump *dump);
	void (*beginGroup)(struct dump *dump);
	void (*entry)(struct dump *dump, const hdIBlock *block, size_t entry);
	void (*endGroup)(struct dump *dump);
	void (*endStats)(struct dump *dump);
	void (*beginTraces)(struct dump *dump);
	void (*beginTrace)(struct dump *dump);
	void (*record)(struct dump *dump, const hdIRecord *record);
	void (*endTrace)(struct dump *dump);
	void (*endTraces)(struct dump *dump);
	void (*beginAllRelations)(struct dump *dump);
	void (*beginRelations)(struct dump *dump);
	void (*element)(struct dump *dump, const hdIRelationRecord *record);
	void (*endRelations)(struct dump *dump);
	void (*endAllRelations)(struct dump *dump);
	void (*end)(struct dump *dump);
};

extern const struct dumpWriter dumpTextWriter;
extern const struct dumpWriter dumpCsvWriter;
extern const struct dumpWriter dumpJsonWriter;

/** Which parts to write. */
struct dumpParts {
	bool project;
	bool stats;
	bool traces;
	bool relations;
};

/** Write what is selected, in the format that is asked for. */
void dumpAll(struct dump *dump, const struct dumpParts *parts);

/** Write a time as it was asked for. */
const char *dumpFormatTime(const struct dump *dump, char *buffer, int64_t ns);

/**
 * Write a number of an entry with all its digits, "NaN" if it is missing.
 *
 * @param isWide Floats get the digits of a double, for readers that know no
 *        floats.
 */
const char *dumpFormatValue(char *buffer, const hdIValue *value,
			    const hdIColumn *column, size_t entry, bool isWide);

/** The same, or the bits if they were asked for. */
const char *dumpFormatNumber(const struct dump *dump, char *buffer,
			     const hdIValue *value, const hdIColumn *column,
			     size_t entry, bool isWide);

/** What an element of relations says: "begin", "end", "state", "state-end",
 *  "link". */
const char *dumpElementName(const hdIRelationRecord *record);

/** How a cause is named: "none", "file", "process", "local", "remote",
 *  "span". */
const char *dumpParentKind(const hdIRelationRecord *record);

/** Write bytes in hexadecimal; to be freed with g_free(). */
char *dumpFormatHex(const char *bytes, size_t length);

#endif
