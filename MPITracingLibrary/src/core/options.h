/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the environment variables HDTRACE_MPI_* say.
 */
#ifndef HDMPI_OPTIONS_H
#define HDMPI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDMPI_PATH_MAX 4096
/** So many addresses of a call site, at most. */
#define HDMPI_SITE_DEPTH_MAX 32

/** Classes of functions. */
enum hdmpiClass {
	HDMPI_CLASS_env,
	HDMPI_CLASS_p2p,
	HDMPI_CLASS_wait,
	HDMPI_CLASS_coll,
	HDMPI_CLASS_rma,
	HDMPI_CLASS_io,
	HDMPI_CLASS_comm,
	HDMPI_CLASS_group,
	HDMPI_CLASS_type,
	HDMPI_CLASSES
};

/** Groups of sources of libRUT. */
enum hdmpiSources {
	HDMPI_SOURCES_CPU = 1,
	HDMPI_SOURCES_MEM = 2,
	HDMPI_SOURCES_NET = 4,
	HDMPI_SOURCES_HDD = 8,
	HDMPI_SOURCES_MORE = 16,
	HDMPI_SOURCES_ALL = 15,
};

/** Those of rank 0 hold for all; no pointers, since they are sent. */
struct hdmpiOptions {
	bool isOn;
	bool isEnabled; /**< At the beginning. */
	bool writesProject;
	bool replaces;         /**< A project of that name. */
	unsigned int classes;  /**< Bits, by enum hdmpiClass. */
	unsigned int sources;  /**< enum hdmpiSources. */
	unsigned int nested;   /**< Deepest MPI function inside others. */
	bool keepsPolls;       /**< A state for each call that found nothing. */
	int siteDepth;         /**< Addresses of each call site; 0: none. */
	unsigned int counters; /**< Events of each call: bits; 0 none. */
	int utilizationMs;     /**< Interval of libRUT; 0 none. */
	int64_t clockNs;       /**< Compare clocks so often; 0: not. */
	int64_t throttleOnNs;  /**< Record this long ... */
	int64_t throttleNs;    /**< ... of every; 0 always. */
	int64_t sampleHz;      /**< Samples a second of CPU time; 0: none. */
	bool samplesByTimer;   /**< Whatever the kernel allows. */
	int64_t limit;         /**< Bytes of a trace; 0: any. */
	bool hasMore;          /**< Some of what few runs ask for is set. */
	uint64_t run;          /**< Of this run only. */
	char project[HDMPI_PATH_MAX]; /**< With the directory. */
};

/** What holds in this process. */
extern struct hdmpiOptions hdmpiOptions;

/**
 * Read the environment.
 *
 * @param isSpawned Another world of processes has started this one, and may
 *                  write the project that is named.
 */
void hdmpiOptionsRead(struct hdmpiOptions *options, bool isSpawned);

/** Make the path of the project's files: with HDTRACE_PREFIX. */
void hdmpiOptionsPath(const char *project, char *path, size_t size);

/** Make the path of the project's files absolute, in the directory that is the
 *  current one now: the program may change it. */
void hdmpiOptionsSettle(struct hdmpiOptions *options);

/** A path as people know it: without that directory. */
const char *hdmpiOptionsShown(const char *path);

/** Get the label of this host: what HDTRACE_MPI_HOST says, else its name; plain
 * letters, digits, "." and "-". */
void hdmpiOptionsHost(char *host, size_t size);

/** Get a variable that is a number; @p normal if it is not set, or no number in
 * the range.
 */
int64_t hdmpiOptionNumber(const char *name, int64_t min, int64_t max,
			  int64_t normal);

#endif
