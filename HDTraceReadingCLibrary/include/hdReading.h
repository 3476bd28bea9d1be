/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading HDTrace projects.
 *
 * hdI_openProject() finds out what belongs to a project: its topology, its
 * files, the values of its statistics groups. hdI_openStat() and
 * hdI_openTrace() then stream the content of one file, in memory that does
 * not grow with the file. All of it also works on a single file.
 *
 * **Tolerance.** Files may be historic, damaged or cut short. What can be read
 * is delivered; every problem is a diagnostic: the handler gets the file, the
 * byte offset and the rule of doc/format that is broken. One bad file never
 * takes the project down.
 *
 * **Limits.** A file with more than #HDI_NESTING_MAX elements in each other, or
 * #HDI_ATTRIBUTES_MAX attributes of one, is read up to there; and only plain
 * files are opened. So a hostile file costs time by its size, and no more.
 *
 * **Memory.** Everything that is reached through a pointer to const belongs to
 * the object that it came from and lives as long as that object, unless said
 * otherwise. Structs may get new members at their end; never copy or allocate
 * them.
 *
 * **Threads.** A project is constant after opening; any thread may read it. A
 * reader belongs to one thread at a time; different readers need no
 * coordination. A handler is called by the thread that calls the library.
 *
 * **Errors.** Functions return NULL or -1 and set errno: ENOMEM, EINVAL (an
 * argument), the value of a failing system call, or EBADMSG (the content is not
 * what it should be; a diagnostic says where and why).
 *
 * **Time** is in nanoseconds since 1970, time adjustments included.
 */
#ifndef HD_READING_H
#define HD_READING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Elements that may lie in each other in a file. */
#define HDI_NESTING_MAX 1000

/** Attributes that an element may have. */
#define HDI_ATTRIBUTES_MAX 2000

/* ---- Diagnostics ------------------------------------------------------- */

/** How bad a problem is. */
typedef enum hdISeverity {
	/** Unusual, harmless: a file that is not declared. */
	HDI_NOTE,
	/** Something is lost or was guessed: a cut tail. */
	HDI_WARNING,
	/** From here on the file cannot be read. */
	HDI_ERROR
} hdISeverity;

/** A problem in a file. */
typedef struct hdIMessage {
	hdISeverity severity;
	/** Rule of doc/format that is broken, e.g. "stat.time-decreases". */
	const char *rule;
	/** Path of the file. */
	const char *file;
	/** Byte offset in the file, or -1 where there is none. */
	int64_t offset;
	/** Line in the file, from 1, or 0 where lines make no sense. */
	int64_t line;
	/** What is wrong, one line, without the file and the offset. */
	const char *text;
} hdIMessage;

/**
 * Takes a diagnostic, which is valid during the call only.
 *
 * @param message The problem.
 * @param data What was given with the handler.
 */
typedef void (*hdIMessageHandler)(const hdIMessage *message, void *data);

/** A rule of the format that the library checks. */
typedef struct hdIRule {
	const char *id; /**< As in hdIMessage::rule. */
	hdISeverity severity;
	/** What holds when the rule is kept, one sentence. */
	const char *meaning;
} hdIRule;

/**
 * Get all rules that diagnostics can name.
 *
 * @param[out] count Number of rules; may be NULL.
 *
 * @return The rules, sorted by what they are about; they never change.
 */
const hdIRule *hdI_getRules(size_t *count);

/* ---- Projects ---------------------------------------------------------- */

/** A name and a text, such as an XML attribute. */
typedef struct hdIAttribute {
	const char *name;
	const char *value;
} hdIAttribute;

/** Types of statistics values. */
typedef enum hdIType {
	HDI_INT32,
	HDI_INT64,
	HDI_UINT64, /**< In historic files only. */
	HDI_FLOAT,
	HDI_DOUBLE,
	HDI_STRING
} hdIType;

/** Description of one value of a statistics group. */
typedef struct hdIValue {
	const char *name;
	hdIType type;
	const char *unit;     /**< "" if there is none. */
	const char *grouping; /**< "" if there is none. */
	/** Other attributes in the header, in file order. */
	const hdIAttribute *attributes;
	size_t attributeCount;
} hdIValue;

struct hdINode;

/** A statistics group: one .stat file. */
typedef struct hdIGroup {
	const char *name;
	const char *file; /**< Path of the .stat file. */
	/** Node that the file name puts it at; never NULL. */
	const struct hdINode *node;
	/** Labels in the header, from level 1 down. */
	const char *const *labels;
	size_t labelCount;
	const hdIValue *values;
	size_t valueCount;
	/** Other attributes of the group, in file order. */
	const hdIAttribute *attributes;
	size_t attributeCount;
	int64_t timeAdjustment; /**< Added to every time, in ns. */
	/** Where the header ends, and the initial time stamp stands. */
	int64_t dataOffset;
	/** Bytes of one entry with its time stamp; 0 if it varies (strings). */
	size_t entrySize;
	int64_t fileSize;
	/** Whether the .proj declares a group of this name. */
	int isDeclared;
	/** Whether the header could be read; if not, there are no values. */
	int isReadable;
} hdIGroup;

/** A trace: one .trc file. */
typedef struct hdITraceFile {
	const char *file;           /**< Path of the .trc file. */
	const struct hdINode *node; /**< Never NULL. */
	int64_t fileSize;
	/** Path of the .info file beside it, or NULL. */
	const char *infoFile;
} hdITraceFile;

/** The relations of a node: one .rel file. */
typedef struct hdIRelationFile {
	const char *file;           /**< Path of the .rel file. */
	const struct hdINode *node; /**< Never NULL. */
	int64_t fileSize;
} hdIRelationFile;

/** A node of the topology. */
typedef struct hdINode {
	const char *label; /**< The root's is the project name. */
	/** Labels from level 1 down, joined with '_'; the root's is "". */
	const char *path;
	int level;                             /**< 0 is the root. */
	const struct hdINode *parent;          /**< NULL for the root. */
	const struct hdINode *const *children; /**< In file order. */
	size_t childCount;
	const hdITraceFile *trace;     /**< NULL if there is none. */
	const hdIGroup *const *groups; /**< Declared order, then by name. */
	size_t groupCount;
	/** Whether the .proj has this node; if not, files brought it up. */
	int isDeclared;
	const hdIRelationFile *relations; /**< NULL if there are none. */
} hdINode;

/** One rank of a communicator. */
typedef struct hdIRank {
	int64_t global; /**< Rank in MPI_COMM_WORLD. */
	int64_t local;  /**< Rank in the communicator. */
	int64_t cid;    /**< Id of the communicator at that rank. */
} hdIRank;

/**
 * A communicator. An intercommunicator has two groups: what one sends goes to
 * the ranks of the other.
 */
typedef struct hdICommunicator {
	const char *name; /**< May be "", and need not be unique. */
	/** In file order; of an intercommunicator those of its group 0. */
	const hdIRank *ranks;
	size_t rankCount;
	const char *uid; /**< Differs from those of all others; "" if none. */
	int isInter;     /**< Whether it is an intercommunicator. */
	/** Those of group 1 of an intercommunicator. */
	const hdIRank *remoteRanks;
	size_t remoteRankCount;
	/** Processes of both groups: at least as many as are known, and more
	 *  where some belong to other programs. */
	int64_t size;
	int64_t remoteSize;
} hdICommunicator;

/** An MPI datatype. Ids belong to a rank and thread. */
typedef struct hdIDatatype {
	const char *rank;   /**< Label of the rank. */
	const char *thread; /**< Label of the thread. */
	int64_t id;
	/** Element name: "NAMED", "STRUCT", "VECTOR", ..., upper case. */
	const char *combiner;
	const char *name; /**< "" if there is none. */
	/** Everything inside the element, as XML text; "" if it is empty. */
	const char *content;
	/** Other attributes of the element, in file order. */
	const hdIAttribute *attributes;
	size_t attributeCount;
} hdIDatatype;

/** A file that the application used. */
typedef struct hdIUsedFile {
	const char *name;
	int64_t initialSize; /**< In bytes; -1 if not known. */
} hdIUsedFile;

/** What a clock showed at one moment, when it was compared. */
typedef struct hdIClockPoint {
	int64_t time;   /**< By the clock itself, in ns since 1970. */
	int64_t offset; /**< What was to be added, in ns. */
	int64_t error;  /**< The offset was wrong by at most this, in ns. */
} hdIClockPoint;

/**
 * A clock that was compared with a reference. The times of the files at its
 * node and below are those of the reference already.
 */
typedef struct hdIClock {
	const char *node;   /**< Path of the node, mostly a host. */
	const char *method; /**< How it was done: "ping-pong", "reference". */
	int64_t error;      /**< Times are wrong by at most this, in ns. */
	const hdIClockPoint *points;
	size_t pointCount;
} hdIClock;

/** A project; see hdI_openProject(). */
typedef struct hdIProject {
	const char *name; /**< Application@name, else from the file name. */
	/** Directory and name that all files of the project begin with. */
	const char *prefix;
	const char *file; /**< The .proj or the single file that was opened. */
	const char *description; /**< "" if there is none. */
	/** Types of the levels from level 1 down; "" where not known. */
	const char *const *levels;
	size_t levelCount;
	const hdINode *root;
	/** All nodes, parents before children, in file order. */
	const hdINode *const *nodes;
	size_t nodeCount;
	/** All groups, in the order of nodes. */
	const hdIGroup *const *groups;
	size_t groupCount;
	/** All traces, in the order of nodes. */
	const hdITraceFile *const *traces;
	size_t traceCount;
	/** Group names that the .proj declares. */
	const char *const *declaredGroups;
	size_t declaredGroupCount;
	const hdICommunicator *communicators;
	size_t communicatorCount;
	const hdIDatatype *datatypes;
	size_t datatypeCount;
	const hdIUsedFile *usedFiles;
	size_t usedFileCount;
	const hdIClock *clocks;
	size_t clockCount;
	/** All files of relations, in the order of nodes. */
	const hdIRelationFile *const *relations;
	size_t relationCount;
} hdIProject;

/**
 * Open a project, or a single file.
 *
 * Reads the .proj, looks for all files that begin with the project's prefix,
 * and reads the headers of the statistics groups. Files that the .proj does
 * not know are included, with a note; declared groups without a file are a
 * warning.
 *
 * @param path A .proj file, or its path without ".proj", or a directory that
 *        holds one .proj; or a single .stat, .trc or .rel file, which
 *        makes a project of one file: if the name of a .stat file ends with the
 *        labels and the group of its header it belongs to a node with these
 *        labels, else to the root.
 * @param handler Takes diagnostics, now and when files of the project are read;
 *        may be NULL.
 * @param data Passed to @p handler.
 *
 * @return The project, to be closed with hdI_closeProject().
 * @retval NULL Error: the .proj cannot be read, or has no topology and no file
 *         beside it; errno is set.
 */
hdIProject *hdI_openProject(const char *path, hdIMessageHandler handler,
			    void *data);

/**
 * Close a project and free it. Its readers must have been closed.
 *
 * @param project Project to close; NULL does nothing.
 */
void hdI_closeProject(hdIProject *project);

/**
 * Find a node by its path.
 *
 * @param project Project to search.
 * @param path Labels joined with '_'; "" is the root.
 *
 * @return The node, or NULL if there is none.
 */
const hdINode *hdI_findNode(const hdIProject *project, const char *path);

/**
 * Shift all times of a group, as its timeAdjustment does, which is changed: a
 * meter that is known to be late, for example, whose power was drawn before.
 *
 * @param project Project that the group belongs to; no reader of the group may
 *        be open, and no other thread may use the project.
 * @param group Group to shift.
 * @param ns Added to every time, in ns; less than 100 years, or it is cut to
 *        that.
 */
void hdI_shiftGroup(hdIProject *project, const hdIGroup *group, int64_t ns);

/* ---- Statistics -------------------------------------------------------- */

/** Bytes of a string value; not terminated, any content. */
typedef struct hdIBytes {
	const char *bytes;
	size_t length;
} hdIBytes;

/** The values of one column in a block; which member depends on the type. */
typedef union hdIColumn {
	const int32_t *int32;
	const int64_t *int64;
	const uint64_t *uint64;
	const float *float32;
	const double *float64;
	const hdIBytes *string;
} hdIColumn;

/** Some consecutive entries of a statistics group. */
typedef struct hdIBlock {
	size_t count;   /**< Entries in this block; never 0. */
	uint64_t first; /**< Number of the first entry in the file, from 0. */
	/** Start and end of the interval of each entry. */
	const int64_t *start;
	const int64_t *end;
	/** 1 where the group was stopped between the entry before and this. */
	const uint8_t *isAfterGap;
	const int64_t *offset;    /**< Where each entry stands in the file. */
	const hdIColumn *columns; /**< One for each value of the group. */
} hdIBlock;

/** Streams a .stat file. */
typedef struct hdIStatReader hdIStatReader;

/**
 * Start to read the entries of a group.
 *
 * @param project Project that the group belongs to.
 * @param group Group to read.
 *
 * @return The reader, to be closed with hdI_closeStat().
 * @retval NULL Error; errno is set (EBADMSG: the header is not readable).
 */
hdIStatReader *hdI_openStat(const hdIProject *project, const hdIGroup *group);

/**
 * Start to read the entries of a group, with diagnostics of its own: they go to
 * a handler instead of the project's.
 *
 * @param project Project that the group belongs to.
 * @param group Group to read.
 * @param handler Takes the diagnostics of this reader, in the thread that
 * reads; NULL: nobody does.
 * @param data Passed to the handler.
 *
 * @return As of hdI_openStat().
 */
hdIStatReader *hdI_openStatWith(const hdIProject *project,
				const hdIGroup *group,
				hdIMessageHandler handler, void *data);

/**
 * Read the next entries.
 *
 * @param reader Reader to use.
 * @param[out] block The entries, valid until the next call on the reader.
 *
 * @retval 1 @p block is set.
 * @retval 0 End of the file. A cut tail was reported as a warning.
 * @retval -1 The rest of the file cannot be read, which a diagnostic says;
 *         everything before was delivered. errno is set.
 */
int hdI_readStat(hdIStatReader *reader, const hdIBlock **block);

/**
 * Go on reading at an entry that was delivered before, by this or another
 * reader of the group.
 *
 * @param reader Reader to use.
 * @param offset Where the entry stands in the file, as in hdIBlock::offset.
 * @param start Start of its interval, as in hdIBlock::start.
 * @param number Its number, as counted from hdIBlock::first.
 *
 * @retval 0 The next block begins with the entry.
 * @retval -1 Error; errno is set (EINVAL: the offset is not one of an entry, as
 *         far as that can be seen). Nothing was changed.
 */
int hdI_seekStat(hdIStatReader *reader, int64_t offset, int64_t start,
		 uint64_t number);

/**
 * Tell when the first interval of a group starts.
 *
 * @param reader Reader to ask.
 * @param[out] start The initial time stamp.
 *
 * @retval 1 @p start is set.
 * @retval 0 The file ends before it.
 */
int hdI_getStatStart(const hdIStatReader *reader, int64_t *start);

/**
 * Stop reading and free the reader.
 *
 * @param reader Reader to close; NULL does nothing.
 */
void hdI_closeStat(hdIStatReader *reader);

/* ---- Traces ------------------------------------------------------------ */

/** A child element of a state. */
typedef struct hdIElement {
	const char *name;
	const hdIAttribute *attributes;
	size_t attributeCount;
	const char *text; /**< Text in the element, blanks trimmed. */
	const struct hdIElement *children;
	size_t childCount;
} hdIElement;

/** What a record of a trace is. */
typedef enum hdIRecordKind { HDI_STATE, HDI_EVENT } hdIRecordKind;

/** A state or an event. */
typedef struct hdIRecord {
	hdIRecordKind kind;
	const char *name;
	/** Number of states that this record lies in. */
	unsigned int depth;
	int64_t start;
	int64_t end; /**< Equals start for an event. */
	/** All attributes but time and end (and name of events). */
	const hdIAttribute *attributes;
	size_t attributeCount;
	/** Child elements of a state. */
	const hdIElement *elements;
	size_t elementCount;
	const char *text;  /**< Text in the element, blanks trimmed. */
	int64_t offset;    /**< Where the element starts in the file. */
	int64_t endOffset; /**< Where it ends (exclusive). */
} hdIRecord;

/** Streams a .trc file. */
typedef struct hdITraceReader hdITraceReader;

/**
 * Start to read a trace.
 *
 * @param project Project that the trace belongs to.
 * @param trace Trace to read.
 *
 * @return The reader, to be closed with hdI_closeTrace().
 * @retval NULL Error; errno is set.
 */
hdITraceReader *hdI_openTrace(const hdIProject *project,
			      const hdITraceFile *trace);

/**
 * Start to read a trace, with diagnostics of its own: they go to a handler
 * instead of the project's.
 *
 * @param project Project that the trace belongs to.
 * @param trace Trace to read.
 * @param handler Takes the diagnostics of this reader, in the thread that
 * reads; NULL: nobody does.
 * @param data Passed to the handler.
 *
 * @return As of hdI_openTrace().
 */
hdITraceReader *hdI_openTraceWith(const hdIProject *project,
				  const hdITraceFile *trace,
				  hdIMessageHandler handler, void *data);

/**
 * Read the next state or event.
 *
 * Records come in the order in which they ended: the states and events that
 * lie in a state (nesting n + 1) come before it (nesting n). Where a state is
 * missing for them (cut file) the next record of nesting n, or the end, follows
 * after a warning.
 *
 * @param reader Reader to use.
 * @param[out] record The record, valid until the next call on the reader.
 *
 * @retval 1 @p record is set.
 * @retval 0 End of the file. A missing end was reported as a warning.
 * @retval -1 The rest of the file cannot be read, which a diagnostic says;
 *         everything before was delivered. errno is set.
 */
int hdI_readTrace(hdITraceReader *reader, const hdIRecord **record);

/**
 * Get the attributes of the root element (`<Program>`), timeAdjustment
 * included.
 *
 * @param reader Reader to ask.
 * @param[out] count Number of attributes.
 *
 * @return The attributes, or NULL if the file ends before them.
 */
const hdIAttribute *hdI_getTraceAttributes(hdITraceReader *reader,
					   size_t *count);

/**
 * Stop reading and free the reader.
 *
 * @param reader Reader to close; NULL does nothing.
 */
void hdI_closeTrace(hdITraceReader *reader);

/* ---- Relations --------------------------------------------------------- */

/** What an element of a .rel file says of its relation. */
typedef enum hdIRelationKind {
	HDI_RELATION_BEGIN, /**< It begins. */
	HDI_RELATION_END,   /**< It ends. */
	HDI_STATE_BEGIN,    /**< A state of it begins, in the innermost one. */
	HDI_STATE_END,      /**< Its innermost state ends. */
	HDI_RELATION_LINK   /**< It has a further cause. */
} hdIRelationKind;

/** How a relation names the one that caused it. */
typedef enum hdIParentKind {
	HDI_PARENT_NONE,    /**< It has none. */
	HDI_PARENT_FILE,    /**< ID, in the same file. */
	HDI_PARENT_LOCAL,   /**< PID:TOPOLOGY:ID, on the same host. */
	HDI_PARENT_REMOTE,  /**< HOST:PID:TOPOLOGY:ID. */
	HDI_PARENT_PROCESS, /**< TOPOLOGY:ID, in the same process. */
	HDI_PARENT_SPAN     /**< 16 digits: a span of a W3C trace. */
} hdIParentKind;

/** An element of a .rel file. */
typedef struct hdIRelationRecord {
	hdIRelationKind kind;
	uint64_t id; /**< Of the relation, in its file. */
	int64_t time;
	/** Name of a state that begins; else "". */
	const char *name;
	/** Who caused a relation that begins; of a link HDI_PARENT_REMOTE. */
	hdIParentKind parentKind;
	const char
		*parent; /**< As it stands in the file; "" if there is none. */
	const char
		*trace; /**< W3C trace and flags that were received, or "". */
	/** Other attributes of a state, in file order. */
	const hdIAttribute *attributes;
	size_t attributeCount;
	/** Child elements of a state. */
	const hdIElement *elements;
	size_t elementCount;
	int64_t offset;    /**< Where the element starts in the file. */
	int64_t endOffset; /**< Where it ends (exclusive). */
} hdIRelationRecord;

/** A state of a relation. */
typedef struct hdIRelationState {
	const char *name;
	/** Number of states of the relation that it lies in. */
	unsigned int depth;
	int64_t start;
	int64_t end; /**< Equals HDI_NEVER if it did not end. */
	/** Of its begin, then those that only its end has; where both have one
	 *  the end's value. */
	const hdIAttribute *attributes;
	size_t attributeCount;
} hdIRelationState;

/** The end of what did not end. */
#define HDI_NEVER INT64_MIN

/** A relation, with all that the file says of it. */
typedef struct hdIRelation {
	uint64_t id;
	int64_t start;
	int64_t end; /**< HDI_NEVER if it did not end. */
	hdIParentKind parentKind;
	const char *parent; /**< As of hdIRelationRecord. */
	const char *trace;  /**< As of hdIRelationRecord. */
	/** In the order in which they began: those in a state follow it. */
	const hdIRelationState *states;
	size_t stateCount;
	/** Tokens of further causes, HOST:PID:TOPOLOGY:ID. */
	const char *const *links;
	size_t linkCount;
	/** How much of the file was read when it was delivered, in bytes. */
	int64_t endOffset;
} hdIRelation;

/** Who recorded the relations of a file. */
typedef struct hdIRelationOwner {
	const char *host;    /**< hostID, or "". */
	const char *process; /**< localToken, or "". */
	const char *number;  /**< topologyNumber, or "". */
} hdIRelationOwner;

/** Streams a .rel file. */
typedef struct hdIRelationReader hdIRelationReader;

/**
 * Start to read relations.
 *
 * @param project Project that the file belongs to.
 * @param file File to read.
 *
 * @return The reader, to be closed with hdI_closeRelations().
 * @retval NULL Error; errno is set.
 */
hdIRelationReader *hdI_openRelations(const hdIProject *project,
				     const hdIRelationFile *file);

/**
 * Start to read relations, with diagnostics of its own: they go to a handler
 * instead of the project's.
 *
 * @param project Project that the file belongs to.
 * @param file File to read.
 * @param handler Takes the diagnostics of this reader, in the thread that
 * reads; NULL: nobody does.
 * @param data Passed to the handler.
 *
 * @return As of hdI_openRelations().
 */
hdIRelationReader *hdI_openRelationsWith(const hdIProject *project,
					 const hdIRelationFile *file,
					 hdIMessageHandler handler, void *data);

/**
 * Tell who recorded the relations: what their tokens begin with.
 *
 * @param reader Reader to ask.
 * @param[out] owner Lives as long as the reader.
 *
 * @retval 1 @p owner is set.
 * @retval 0 The file ends before that, or cannot be read.
 */
int hdI_getRelationOwner(hdIRelationReader *reader, hdIRelationOwner *owner);

/**
 * Read the next element, in file order. From one of a relation to one of
 * another the time may step back.
 *
 * Use this or hdI_readRelation() on a reader, not both.
 *
 * @param reader Reader to use.
 * @param[out] record The element, valid until the next call on the reader.
 *
 * @retval 1 @p record is set.
 * @retval 0 End of the file. A missing end was reported as a warning.
 * @retval -1 The rest of the file cannot be read, which a diagnostic says;
 *         everything before was delivered. errno is set.
 */
int hdI_readRelationRecord(hdIRelationReader *reader,
			   const hdIRelationRecord **record);

/**
 * Read the next relation with its states, in the order in which they end; those
 * that do not end come last, in the order in which they began. What does not
 * fit together is left out, after a warning. Memory grows with what is open at
 * a time.
 *
 * @param reader Reader to use.
 * @param[out] relation The relation, valid until the next call on the reader.
 *
 * @return As of hdI_readRelationRecord(); before -1 those that are open are
 *         delivered.
 */
int hdI_readRelation(hdIRelationReader *reader, const hdIRelation **relation);

/**
 * Stop reading and free the reader.
 *
 * @param reader Reader to close; NULL does nothing.
 */
void hdI_closeRelations(hdIRelationReader *reader);

#ifdef __cplusplus
}
#endif

#endif
