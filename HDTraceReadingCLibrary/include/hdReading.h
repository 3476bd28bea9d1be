/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading HDTrace projects.
 *
 * hdI_openProject() finds the parts of a project: its topology, its files, and
 * the values of its statistics groups. hdI_openStat() and hdI_openTrace() then
 * stream the content of one file. Their memory use does not depend on the size
 * of the file. All functions also work on a single file.
 *
 * **Tolerance.** Files may be old, damaged or truncated. The library delivers
 * all readable data and reports each problem as a diagnostic with the file, the
 * byte offset, and the violated rule of doc/format. A damaged file never makes
 * the whole project unreadable.
 *
 * **Compressed files.** A .stat, .trc or .rel file may be compressed; its name
 * then ends with .zst. All functions read it like the plain file: offsets and
 * sizes are those of the plain file. libzstd is opened when the first
 * compressed file is opened.
 *
 * **Limits.** The library opens only regular files. It refuses frames of
 * compressed files that have more than 64 MiB or more than 2000 times their
 * size, need a window of more than 8 MiB, or need a dictionary. It stops
 * reading a file with more than #HDI_NESTING_MAX nested elements, or with an
 * element of more than #HDI_ATTRIBUTES_MAX attributes. Therefore the cost of
 * reading a malicious file is bounded by its size.
 *
 * **Memory.** Data that is reached through a pointer to const belongs to the
 * object that returned it. It remains valid as long as that object exists,
 * unless the documentation says otherwise. Later versions may add members at
 * the end of structs, so programs must not copy or allocate structs.
 *
 * **Threads.** A project does not change after it is opened, so any thread may
 * read it. Only one thread at a time may use a reader, but threads may use
 * different readers concurrently. A handler is called by the thread that calls
 * the library.
 *
 * **Errors.** Functions return NULL or -1 and set errno: ENOMEM, EINVAL
 * (invalid argument), the errno of a failed system call, or EBADMSG (invalid
 * content; a diagnostic contains the position and the reason).
 *
 * **Time** is in nanoseconds since 1970, including time adjustments.
 */
#ifndef HD_READING_H
#define HD_READING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum nesting of elements in a file. */
#define HDI_NESTING_MAX 1000

/** Maximum number of attributes of an element. */
#define HDI_ATTRIBUTES_MAX 2000

/* ---- Diagnostics ------------------------------------------------------- */

/** Severity of a problem. */
typedef enum hdISeverity {
	/** Unusual but harmless: for example, an undeclared file. */
	HDI_NOTE,
	/** Data is lost or was guessed: for example, a truncated file. */
	HDI_WARNING,
	/** The file cannot be read beyond this point. */
	HDI_ERROR
} hdISeverity;

/** A problem in a file. */
typedef struct hdIMessage {
	hdISeverity severity;
	/** Violated rule of doc/format, e.g. "stat.time-decreases". */
	const char *rule;
	/** Path of the file. */
	const char *file;
	/** Byte offset in the file, or -1 if there is none. */
	int64_t offset;
	/** Line in the file, from 1, or 0 for binary data. */
	int64_t line;
	/** The problem in one line, without the file and the offset. */
	const char *text;
} hdIMessage;

/**
 * Receives a diagnostic, which is valid only during the call.
 *
 * @param message The problem.
 * @param data The data that was passed with the handler.
 */
typedef void (*hdIMessageHandler)(const hdIMessage *message, void *data);

/** A rule of the format that the library checks. */
typedef struct hdIRule {
	const char *id; /**< As in hdIMessage::rule. */
	hdISeverity severity;
	/** The rule in one sentence. */
	const char *meaning;
} hdIRule;

/**
 * Get all rules to which diagnostics can refer.
 *
 * @param[out] count Number of rules; may be NULL.
 *
 * @return The rules, sorted by topic; they are constant.
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
	/** Whether the integer in the next field stands for "no value". The
	 *  attribute missing of the value or of its group declares it.
	 *  Floating-point numbers have NaN instead. */
	int hasMissing;
	int64_t missing;
} hdIValue;

struct hdINode;

/** A statistics group: one .stat file. */
typedef struct hdIGroup {
	const char *name;
	const char *file; /**< Path of the .stat file. */
	/** Node according to the file name; never NULL. */
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
	/** End of the header, which is the offset of the first time stamp. */
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
	/** Path of its .info file, or NULL. */
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
	const char *label; /**< The project name for the root. */
	/** Labels from level 1 down, joined with '_'; "" for the root. */
	const char *path;
	int level;                             /**< 0 is the root. */
	const struct hdINode *parent;          /**< NULL for the root. */
	const struct hdINode *const *children; /**< In file order. */
	size_t childCount;
	const hdITraceFile *trace;     /**< NULL if there is none. */
	const hdIGroup *const *groups; /**< Declared order, then by name. */
	size_t groupCount;
	/** Whether the .proj declares this node; otherwise files imply it. */
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
 * A communicator. An intercommunicator has two groups; the ranks of one group
 * send to the ranks of the other.
 */
typedef struct hdICommunicator {
	const char *name; /**< May be ""; not necessarily unique. */
	/** In file order; for an intercommunicator, the ranks of group 0. */
	const hdIRank *ranks;
	size_t rankCount;
	const char *uid; /**< Unique in the project; "" if none. */
	int isInter;     /**< Whether it is an intercommunicator. */
	/** For an intercommunicator, the ranks of group 1. */
	const hdIRank *remoteRanks;
	size_t remoteRankCount;
	/** Number of processes in both groups. It may exceed the number of
	 *  known ranks if some belong to other programs. */
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
	/** Content of the element, as XML text; "" if it is empty. */
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

/** One comparison of a clock with its reference. */
typedef struct hdIClockPoint {
	int64_t time;   /**< Time of the clock itself, in ns since 1970. */
	int64_t offset; /**< Correction to add, in ns. */
	int64_t error;  /**< Maximum error of the offset, in ns. */
} hdIClockPoint;

/**
 * A clock that was compared with a reference. The times in the files at its
 * node and below are already converted to the reference.
 */
typedef struct hdIClock {
	const char *node;   /**< Path of the node, usually a host. */
	const char *method; /**< Method: "ping-pong", "reference". */
	int64_t error;      /**< Maximum error of the times, in ns. */
	const hdIClockPoint *points;
	size_t pointCount;
} hdIClock;

/** A project; see hdI_openProject(). */
typedef struct hdIProject {
	const char *name; /**< Application@name, else from the file name. */
	/** Common prefix of all files: the directory and the name. */
	const char *prefix;
	const char *file; /**< The .proj or the single file that was opened. */
	const char *description; /**< "" if there is none. */
	/** Types of the levels from level 1 down; "" if unknown. */
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
 * Reads the .proj, searches for all files with the prefix of the project, and
 * reads the headers of the statistics groups. Undeclared files are included,
 * and reported as a note. Declared groups without a file are reported as a
 * warning.
 *
 * @param path A .proj file, its path without ".proj", a directory that contains
 *        one .proj, or an archive (.hdz). A single .stat, .trc or .rel file,
 *        also with .zst, is opened as a project with one file. If the name of a
 *        .stat file ends with the labels and the group of its header, the group
 *        belongs to a node with these labels; otherwise to the root.
 * @param handler Receives diagnostics, now and when files of the project are
 *        read; may be NULL.
 * @param data Passed to @p handler.
 *
 * @return The project, to be closed with hdI_closeProject().
 * @retval NULL Error: the .proj cannot be read, or the project has neither a
 *         topology nor files; errno is set.
 */
hdIProject *hdI_openProject(const char *path, hdIMessageHandler handler,
			    void *data);

/**
 * Open a project by its files: like hdI_openProject(), but the .proj may be
 * missing, as that of a program that is still running.
 *
 * @param path A .proj file, or its path without ".proj", whether it exists or
 *        not; else as for hdI_openProject().
 * @param handler As for hdI_openProject().
 * @param data Passed to @p handler.
 *
 * @return The project, to be closed with hdI_closeProject().
 * @retval NULL Error: as for hdI_openProject(); errno is ENOENT if there is
 *         neither a .proj nor another file.
 */
hdIProject *hdI_openFiles(const char *path, hdIMessageHandler handler,
			  void *data);

/**
 * Close a project and free it. Its readers must be closed first.
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
 * Shift all times of a group by changing its timeAdjustment, for example to
 * correct the known delay of a meter.
 *
 * @param project Project that the group belongs to. No reader of the group may
 *        be open, and no other thread may use the project.
 * @param group Group to shift.
 * @param ns Added to every time, in ns; limited to 100 years.
 */
void hdI_shiftGroup(hdIProject *project, const hdIGroup *group, int64_t ns);

/* ---- Files as bytes ---------------------------------------------------- */

/** The bytes of a file of a project, which may be compressed. */
typedef struct hdIFile hdIFile;

/**
 * Open a file of a project to read its bytes. A file whose name ends with .zst
 * is decompressed; offsets and sizes are those of the plain file.
 *
 * @param path Path of the file; see hdITraceFile::file and others.
 * @param handler Receives diagnostics, now and when the file is read; may be
 *        NULL.
 * @param data Passed to @p handler.
 *
 * @return The file, to be closed with hdI_closeFile().
 * @retval NULL Error; errno is set (EINVAL: not a regular file; ENOTSUP: it is
 *         compressed, and libzstd is missing).
 */
hdIFile *hdI_openFile(const char *path, hdIMessageHandler handler, void *data);

/**
 * Get the number of bytes of the plain file.
 *
 * @param file File to measure.
 *
 * @return Number of bytes that can be read.
 */
int64_t hdI_getFileSize(const hdIFile *file);

/**
 * Read bytes of the plain file.
 *
 * @param file File to read.
 * @param offset Offset in the plain file.
 * @param[out] buffer Receives the bytes.
 * @param size Number of bytes.
 *
 * @return Number of bytes; fewer than @p size at the end of the file, or where
 *         the next call fails.
 * @retval -1 Error, which was reported; errno is set (EBADMSG: a frame of the
 *         compressed file is damaged).
 */
ssize_t hdI_readFile(hdIFile *file, int64_t offset, void *buffer, size_t size);

/**
 * Close a file.
 *
 * @param file File to close; NULL does nothing.
 */
void hdI_closeFile(hdIFile *file);

/* ---- Statistics -------------------------------------------------------- */

/** Bytes of a string value: any content, not terminated. */
typedef struct hdIBytes {
	const char *bytes;
	size_t length;
} hdIBytes;

/** The values of one column in a block; the type selects the member. */
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
	/** 1 if the group was stopped between the previous entry and this
	 *  one. */
	const uint8_t *isAfterGap;
	const int64_t *offset;    /**< Offset of each entry in the file. */
	const hdIColumn *columns; /**< One for each value of the group. */
} hdIBlock;

/** Streams a .stat file. */
typedef struct hdIStatReader hdIStatReader;

/**
 * Start reading the entries of a group.
 *
 * @param project Project that the group belongs to.
 * @param group Group to read.
 *
 * @return The reader, to be closed with hdI_closeStat().
 * @retval NULL Error; errno is set (EBADMSG: the header is not readable).
 */
hdIStatReader *hdI_openStat(const hdIProject *project, const hdIGroup *group);

/**
 * Start reading the entries of a group, with a separate handler for diagnostics
 * instead of the handler of the project.
 *
 * @param project Project that the group belongs to.
 * @param group Group to read.
 * @param handler Receives the diagnostics of this reader, in the thread that
 *        reads; NULL discards them.
 * @param data Passed to the handler.
 *
 * @return See hdI_openStat().
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
 * @retval 0 End of the file. A truncated tail was reported as a warning.
 * @retval -1 The rest of the file cannot be read, and a diagnostic was
 *         reported. All data before this point was delivered. errno is set.
 */
int hdI_readStat(hdIStatReader *reader, const hdIBlock **block);

/**
 * Continue reading at an entry that this or another reader of the group has
 * already delivered.
 *
 * @param reader Reader to use.
 * @param offset Offset of the entry in the file; see hdIBlock::offset.
 * @param start Start of its interval; see hdIBlock::start.
 * @param number Its number; see hdIBlock::first.
 *
 * @retval 0 The next block begins with the entry.
 * @retval -1 Error, and nothing was changed; errno is set (EINVAL: the offset
 *         cannot be the offset of an entry).
 */
int hdI_seekStat(hdIStatReader *reader, int64_t offset, int64_t start,
		 uint64_t number);

/**
 * Skip entries that end at or before a time, without reading them. In a
 * compressed file, this takes some milliseconds even if the file is large. The
 * last entries before the time are not skipped, so the previous reading of each
 * counter is still known. In a plain file, and in a group with strings, nothing
 * is skipped. Problems in the skipped part are not reported.
 *
 * If entries are skipped, hdIBlock::first counts from the first entry that is
 * delivered.
 *
 * @param reader Reader to use.
 * @param time Time before which entries are not needed.
 *
 * @retval 1 Entries were skipped.
 * @retval 0 Nothing was skipped.
 * @retval -1 Error, and nothing was changed; errno is set.
 */
int hdI_skipStat(hdIStatReader *reader, int64_t time);

/**
 * Get the start of the first interval of a group.
 *
 * @param reader Reader to ask.
 * @param[out] start The initial time stamp.
 *
 * @retval 1 @p start is set.
 * @retval 0 The file ends before the time stamp.
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
	/** Text in the element, without surrounding blanks. */
	const char *text;
	const struct hdIElement *children;
	size_t childCount;
} hdIElement;

/** Kind of a trace record. */
typedef enum hdIRecordKind { HDI_STATE, HDI_EVENT } hdIRecordKind;

/** A state or an event. */
typedef struct hdIRecord {
	hdIRecordKind kind;
	const char *name;
	/** Number of states that contain this record. */
	unsigned int depth;
	int64_t start;
	int64_t end; /**< Equals start for an event. */
	/** All attributes except time and end (and name of events). */
	const hdIAttribute *attributes;
	size_t attributeCount;
	/** Child elements of a state. */
	const hdIElement *elements;
	size_t elementCount;
	/** Text in the element, without surrounding blanks. */
	const char *text;
	int64_t offset;    /**< Start of the element in the file. */
	int64_t endOffset; /**< Its end (exclusive). */
} hdIRecord;

/** Streams a .trc file. */
typedef struct hdITraceReader hdITraceReader;

/**
 * Start reading a trace.
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
 * Start reading a trace, with a separate handler for diagnostics instead of the
 * handler of the project.
 *
 * @param project Project that the trace belongs to.
 * @param trace Trace to read.
 * @param handler Receives the diagnostics of this reader, in the thread that
 *        reads; NULL discards them.
 * @param data Passed to the handler.
 *
 * @return See hdI_openTrace().
 */
hdITraceReader *hdI_openTraceWith(const hdIProject *project,
				  const hdITraceFile *trace,
				  hdIMessageHandler handler, void *data);

/**
 * Read the next state or event.
 *
 * Records are ordered by their end: the states and events inside a state
 * (nesting n + 1) come before the state (nesting n). If the enclosing state is
 * missing because the file is truncated, a warning is reported, and the next
 * record of nesting n or the end of the file follows.
 *
 * @param reader Reader to use.
 * @param[out] record The record, valid until the next call on the reader.
 *
 * @retval 1 @p record is set.
 * @retval 0 End of the file. A missing end was reported as a warning.
 * @retval -1 The rest of the file cannot be read, and a diagnostic was
 *         reported. All data before this point was delivered. errno is set.
 */
int hdI_readTrace(hdITraceReader *reader, const hdIRecord **record);

/**
 * Leave out records outside of an interval, without reading them: those that
 * end before its start, or start after its end. In a compressed file with an
 * index, this takes some milliseconds even if the file is large. Other files
 * are read completely. Problems in parts that are left out are not reported.
 *
 * A later call changes the interval. Once the index is found to be wrong, or a
 * frame is damaged, all later records are delivered. If the interval is the
 * whole trace, nothing is left out, and the index is compared with all records.
 *
 * A record that is left out has no effect on records in the interval: records
 * that describe call sites or the tracer, or follow an interruption, are
 * delivered wherever they are. So is the first record with each name.
 *
 * @param reader Reader to use; see also hdI_getTraceSkipped().
 * @param start Start of the interval; INT64_MIN: of the trace.
 * @param end End of the interval; INT64_MAX: of the trace.
 *
 * @retval 1 The file has an index; records may be left out.
 * @retval 0 All records are delivered.
 * @retval -1 Error; errno is set.
 */
int hdI_skipTrace(hdITraceReader *reader, int64_t start, int64_t end);

/**
 * Get the number of records that were left out so far.
 *
 * @param reader Reader to ask.
 *
 * @return The number of records.
 */
uint64_t hdI_getTraceSkipped(const hdITraceReader *reader);

/**
 * Get the earliest start and the latest end of all records, if they are known
 * without reading the trace. They are what the index says, which is compared
 * only with frames that are read.
 *
 * @param reader Reader to ask.
 * @param[out] start The earliest start.
 * @param[out] end The latest end.
 *
 * @retval 1 @p start and @p end are set.
 * @retval 0 The file has no index, or no records.
 */
int hdI_getTraceTimes(hdITraceReader *reader, int64_t *start, int64_t *end);

/** A frame of a compressed trace. */
typedef struct hdITraceFrame {
	int64_t end;    /**< Where its content ends in the plain file. */
	uint32_t plain; /**< Bytes of the content. */
	uint32_t lines; /**< Line feeds in it. */
	int isLine;     /**< Whether it ends with a line feed. */
} hdITraceFrame;

/**
 * Make the index of a trace that was or will be compressed, which lets
 * hdI_skipTrace() leave out frames. Reads the trace. Only a trace without
 * problems, whose times do not decrease, can have an index.
 *
 * @param file The trace, plain or compressed.
 * @param frames The frames that the compressed file has, in order.
 * @param count Number of frames.
 * @param[out] index Content of the index, to be freed with free().
 * @param[out] size Number of bytes.
 *
 * @retval 1 The index was made.
 * @retval 0 The trace can have none.
 * @retval -1 Error; errno is set.
 */
int hdI_indexTrace(const char *file, const hdITraceFrame *frames, size_t count,
		   void **index, size_t *size);

/**
 * Get the attributes of the root element (`<Program>`), including
 * timeAdjustment.
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

/** Kind of an element in a .rel file. */
typedef enum hdIRelationKind {
	HDI_RELATION_BEGIN, /**< The relation begins. */
	HDI_RELATION_END,   /**< The relation ends. */
	HDI_STATE_BEGIN,    /**< A state begins inside the innermost state. */
	HDI_STATE_END,      /**< The innermost state ends. */
	HDI_RELATION_LINK   /**< The relation has an additional cause. */
} hdIRelationKind;

/** How a relation refers to its cause. */
typedef enum hdIParentKind {
	HDI_PARENT_NONE,    /**< No cause. */
	HDI_PARENT_FILE,    /**< ID, in the same file. */
	HDI_PARENT_LOCAL,   /**< PID:TOPOLOGY:ID, on the same host. */
	HDI_PARENT_REMOTE,  /**< HOST:PID:TOPOLOGY:ID. */
	HDI_PARENT_PROCESS, /**< TOPOLOGY:ID, in the same process. */
	HDI_PARENT_SPAN     /**< 16 digits, the id of a span (W3C). */
} hdIParentKind;

/** An element of a .rel file. */
typedef struct hdIRelationRecord {
	hdIRelationKind kind;
	uint64_t id; /**< Id of the relation in its file. */
	int64_t time;
	/** Name of the state if one begins; otherwise "". */
	const char *name;
	/** Kind of the cause at HDI_RELATION_BEGIN; HDI_PARENT_REMOTE for a
	 *  link. */
	hdIParentKind parentKind;
	const char *parent; /**< Text of the cause in the file; "" if there is
			       none. */
	const char *trace;  /**< Received W3C trace and flags, or "". */
	/** Other attributes of a state, in file order. */
	const hdIAttribute *attributes;
	size_t attributeCount;
	/** Child elements of a state. */
	const hdIElement *elements;
	size_t elementCount;
	int64_t offset;    /**< Start of the element in the file. */
	int64_t endOffset; /**< Its end (exclusive). */
} hdIRelationRecord;

/** A state of a relation. */
typedef struct hdIRelationState {
	const char *name;
	/** Number of states of the relation that contain it. */
	unsigned int depth;
	int64_t start;
	int64_t end; /**< HDI_NEVER if it did not end. */
	/** Attributes of the begin, followed by attributes that only the end
	 *  has. If both have an attribute, it has the value from the end. */
	const hdIAttribute *attributes;
	size_t attributeCount;
} hdIRelationState;

/** End time of a relation or state without an end. */
#define HDI_NEVER INT64_MIN

/** A relation with all its data. */
typedef struct hdIRelation {
	uint64_t id;
	int64_t start;
	int64_t end; /**< HDI_NEVER if it did not end. */
	hdIParentKind parentKind;
	const char *parent; /**< See hdIRelationRecord. */
	const char *trace;  /**< See hdIRelationRecord. */
	/** Ordered by their begin; inner states follow the outer state. */
	const hdIRelationState *states;
	size_t stateCount;
	/** Tokens of additional causes, HOST:PID:TOPOLOGY:ID. */
	const char *const *links;
	size_t linkCount;
	/** Number of bytes of the file that had been read when the relation was
	 *  delivered. */
	int64_t endOffset;
} hdIRelation;

/** The process that recorded the relations of a file. */
typedef struct hdIRelationOwner {
	const char *host;    /**< hostID, or "". */
	const char *process; /**< localToken, or "". */
	const char *number;  /**< topologyNumber, or "". */
} hdIRelationOwner;

/** Streams a .rel file. */
typedef struct hdIRelationReader hdIRelationReader;

/**
 * Start reading relations.
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
 * Start reading relations, with a separate handler for diagnostics instead of
 * the handler of the project.
 *
 * @param project Project that the file belongs to.
 * @param file File to read.
 * @param handler Receives the diagnostics of this reader, in the thread that
 *        reads; NULL discards them.
 * @param data Passed to the handler.
 *
 * @return See hdI_openRelations().
 */
hdIRelationReader *hdI_openRelationsWith(const hdIProject *project,
					 const hdIRelationFile *file,
					 hdIMessageHandler handler, void *data);

/**
 * Get the process that recorded the relations; their tokens begin with its
 * identity.
 *
 * @param reader Reader to ask.
 * @param[out] owner The process, valid until the reader is closed.
 *
 * @retval 1 @p owner is set.
 * @retval 0 The file ends too early, or cannot be read.
 */
int hdI_getRelationOwner(hdIRelationReader *reader, hdIRelationOwner *owner);

/**
 * Read the next element, in file order. The times of elements of different
 * relations may decrease.
 *
 * Use either this function or hdI_readRelation() with a reader, not both.
 *
 * @param reader Reader to use.
 * @param[out] record The element, valid until the next call on the reader.
 *
 * @retval 1 @p record is set.
 * @retval 0 End of the file. A missing end was reported as a warning.
 * @retval -1 The rest of the file cannot be read, and a diagnostic was
 *         reported. All data before this point was delivered. errno is set.
 */
int hdI_readRelationRecord(hdIRelationReader *reader,
			   const hdIRelationRecord **record);

/**
 * Read the next relation with its states, ordered by their end. Relations
 * without an end come last, ordered by their begin. Inconsistent elements are
 * skipped with a warning. Memory grows with the number of relations that are
 * open at the same time.
 *
 * @param reader Reader to use.
 * @param[out] relation The relation, valid until the next call on the reader.
 *
 * @return See hdI_readRelationRecord(). Relations that are still open are
 *         delivered before -1 is returned.
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
