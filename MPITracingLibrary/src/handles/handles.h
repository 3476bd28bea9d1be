/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers for communicators, datatypes, files and windows.
 *
 * A handle gets a number when it is first met; a line in the .info file then
 * says what it is. Handles that are freed are forgotten, since MPI gives the
 * same handle to something else later.
 *
 * Numbers are given again: a communicator that is freed leaves its number,
 * after a while, to a later one that is made in the same way of the same
 * processes, and a file that is closed to the next one of its name; datatypes
 * of the same structure share a number. So neither memory nor files grow where
 * a program creates and frees the same things again and again.
 */
#ifndef HDMPI_HANDLES_H
#define HDMPI_HANDLES_H

#include "MPITracingLibrary/src/core/hdmpi.h"

/** What is known of a datatype. */
struct hdmpiType {
	int64_t id;
	int64_t size; /**< Bytes of data in one element. */
};

/** Get the number of a communicator; -1 for MPI_COMM_NULL and on failure. */
int64_t hdmpiCommId(struct hdmpiThread *self, MPI_Comm comm);

/**
 * A communicator was made by a call of all processes of another one.
 *
 * @param comm MPI_COMM_NULL where this process is not in it.
 * @param isComplete Whether it can be asked for its processes yet; else they
 *        are those of the other one.
 *
 * @return Its number, or -1.
 */
int64_t hdmpiCommMade(struct hdmpiThread *self, MPI_Comm of, MPI_Comm comm,
		      bool isComplete);

/** A communicator was made by those processes of another one that are in it. */
int64_t hdmpiCommMadeByGroup(struct hdmpiThread *self, MPI_Comm of, int tag,
			     MPI_Comm comm);

/** A communicator was made between two groups that may have nothing in common.
 */
int64_t hdmpiCommMadeBetween(struct hdmpiThread *self, int tag, MPI_Comm comm);

/** A communicator was made of one or two groups, with a tag. */
int64_t hdmpiCommMadeFromGroup(struct hdmpiThread *self, const char *tag,
			       MPI_Comm comm);

/** The program has given a name to a communicator. */
void hdmpiCommNamed(struct hdmpiThread *self, MPI_Comm comm);

/** Forget a communicator that is freed; its number or -1. */
int64_t hdmpiCommForget(MPI_Comm comm);

/** Describe a datatype; false for MPI_DATATYPE_NULL and on failure. */
bool hdmpiTypeGet(struct hdmpiThread *self, MPI_Datatype datatype,
		  struct hdmpiType *type);

/** Forget a datatype that is freed or gets another name; its number or -1. */
int64_t hdmpiTypeForget(MPI_Datatype datatype);

/** Give a file that was opened a number: one that no other open file has. */
int64_t hdmpiFileOpened(struct hdmpiThread *self, MPI_File file,
			const char *name);

/** Get the number of a file; -1 if it is not known. */
int64_t hdmpiFileId(MPI_File file);

/** Forget a file, before it is closed. */
void hdmpiFileForget(MPI_File file);

/** Get the number of a window. */
int64_t hdmpiWinId(MPI_Win win);

/** Forget a window, before it is freed. */
void hdmpiWinForget(MPI_Win win);

/** Remember the communicator of a matched message. */
void hdmpiMessageMatched(MPI_Message message, int64_t cid);

/** Get and forget the communicator of a matched message; -1 if unknown. */
int64_t hdmpiMessageTake(MPI_Message message);

/** Forget everything. */
void hdmpiHandlesEnd(void);

/* ---- What communicators and datatypes need of each other --------------------
 */

/** Counts what was forgotten: what threads remember from before is void. */
extern _Atomic(uint64_t) hdmpiGeneration;

/** Look up what a thread remembers of a handle; NULL if it is void. */
static inline struct hdmpiCached *hdmpiCacheGet(
	struct hdmpiCached cache[HDMPI_CACHE_SIZE], uint64_t key)
{
	struct hdmpiCached *cached =
		&cache[(key ^ key >> 4 ^ key >> 8 ^ key >> 24) %
		       HDMPI_CACHE_SIZE];

	if (cached->key == key &&
	    cached->generation == atomic_load_explicit(&hdmpiGeneration,
						       memory_order_acquire))
		return cached;
	return NULL;
}

/** Remember something of a handle. */
void hdmpiCacheSet(struct hdmpiCached cache[HDMPI_CACHE_SIZE], uint64_t key,
		   uint64_t generation, int64_t id, int64_t size);

/** A text that grows. Once memory is short it stays empty. */
struct hdmpiText {
	char *bytes;
	size_t used;
	size_t size;
	bool hasFailed;
};

/** Append, printf form. */
void hdmpiTextAdd(struct hdmpiText *text, const char *format, ...)
	HDT_PRINTF(2, 3);

/** Append a name between quotes. Quotes in it are written as numbers, as C has
 *  them, so that no reader takes one for the end. */
void hdmpiTextName(struct hdmpiText *text, const char *name, char quote);

/** Free it. */
void hdmpiTextClear(struct hdmpiText *text);

/** Forget all communicators. */
void hdmpiCommsEnd(void);

/** Forget all datatypes. */
void hdmpiTypesEnd(void);

#endif
