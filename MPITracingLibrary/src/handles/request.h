/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Requests between the call that made them and the one that completes them.
 *
 * MPI may give the same handle to several requests at a time, where they are
 * complete from the beginning (small sends); they then come back in the order
 * in which they were added.
 *
 * MPI gives a handle again as soon as its request is complete, which another
 * thread may get before the call that completed it has come back here. So where
 * threads may call at the same time, requests are held while a call may
 * complete them: they have no handle then, only a place. Where they may not,
 * nobody holds requests, and no lock is taken for them: the program sees to it
 * that its threads call MPI one after the other.
 */
#ifndef HDMPI_REQUEST_H
#define HDMPI_REQUEST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a request is for. */
enum hdmpiRequestKind {
	HDMPI_SEND,
	HDMPI_RECEIVE,
	HDMPI_NOWHERE, /**< Receive from MPI_PROC_NULL. */
	/** Send and receive; MPICH 4.0 does not set the status of these. */
	HDMPI_EXCHANGE,
	HDMPI_PARTITIONED, /**< Receive; not all set the status of these, too.
			    */
	HDMPI_FILE,
	HDMPI_OTHER,
};

/** Not all MPI libraries set the status of what comes from nowhere. */
#define HDMPI_RECEIVE_FROM(source) \
	((source) == MPI_PROC_NULL ? HDMPI_NOWHERE : HDMPI_RECEIVE)

/** A request. */
struct hdmpiRequest {
	int64_t id;    /**< Counts the requests of this process. */
	int64_t place; /**< Number of the communicator or file; -1 none. */
	enum hdmpiRequestKind kind;
	bool isPersistent;
	bool isActive; /**< Of a persistent one: was started. */
	int source; /**< These were asked for, where the status says nothing. */
	int tag;
	int64_t size;
};

/**
 * Add a request.
 *
 * @return Its number; -1 for MPI_REQUEST_NULL, and without memory.
 */
int64_t hdmpiRequestAdd(MPI_Request request, enum hdmpiRequestKind kind,
			int64_t place, bool isPersistent);

/** Remember what the request that was added last receives. */
void hdmpiRequestAsked(MPI_Request request, int source, int tag, int64_t size);

/** Start a persistent request; its number, or -1. */
int64_t hdmpiRequestStart(MPI_Request request);

/** Look at a request. */
bool hdmpiRequestPeek(MPI_Request request, struct hdmpiRequest *found);

/** Get the number of a request; -1 if it is not known. */
int64_t hdmpiRequestNumber(MPI_Request request);

/**
 * A request is complete: remove it, or make a persistent one inactive.
 *
 * @retval false It is not known, or persistent and not active.
 */
bool hdmpiRequestDone(MPI_Request request, struct hdmpiRequest *found);

/** Whether threads may call MPI at the same time. */
extern bool hdmpiRequestsAreShared;

/** No place of a request. */
#define HDMPI_NO_PLACE SIZE_MAX

/**
 * Hold requests that a call is about to complete; where threads may call at the
 * same time only.
 *
 * @param[out] places Of each its place, for the next two; HDMPI_NO_PLACE where
 *        it is not held, and known by its handle as before: not known, or
 *        persistent (its handle stays its own).
 */
void hdmpiRequestsHold(int count, const MPI_Request requests[],
		       size_t places[]);

/** A held request is complete: get what it was, and forget it. */
void hdmpiRequestHeldDone(size_t place, struct hdmpiRequest *found);

/** Held requests that have a place yet are not complete: know them by their
 *  handles again. */
void hdmpiRequestsLetGo(int count, const MPI_Request requests[],
			const size_t places[]);

/** Remove a request, persistent or not, before it is freed. */
bool hdmpiRequestRemove(MPI_Request request, struct hdmpiRequest *found);

/** MPI has been initialised: find out whether threads may call it at the same
 *  time. */
void hdmpiRequestsBegin(bool isOfSession);

/** Forget all requests. */
void hdmpiRequestsEnd(void);

#endif
