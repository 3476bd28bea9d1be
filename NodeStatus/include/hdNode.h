/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Query the capabilities, status, health and alarms of nodes, for schedulers
 * and monitoring programs.
 *
 * Each node runs the daemon `hdnode`, which sends data only on request. A
 * collector contains the addresses of nodes, keeps a connection to each node,
 * and queries all nodes at the same time:
 *
 *     hdNode_Collector *collector;
 *
 *     hdNode_create(NULL, &collector);
 *     hdNode_add(collector, "node01");
 *     hdNode_add(collector, "node02:6528");
 *     hdNode_pull(collector, HDNODE_STATUS | HDNODE_ALARMS, 0);
 *     for (size_t i = 0; i < hdNode_count(collector); i++) {
 *             hdNode_Info info;
 *
 *             hdNode_info(collector, i, &info);
 *             printf("%s %s %s\n", info.name, info.word,
 *                    hdNode_section(collector, i, HDNODE_ALARMS));
 *     }
 *     hdNode_destroy(collector);
 *
 * Nodes answer with JSON; doc/json.md describes its keys. A node that does not
 * answer in time does not delay the others.
 *
 * Only one thread at a time may use a collector. Different collectors are
 * independent. The library creates threads only to resolve names. Each thread
 * ends when its name is resolved; if the name server is slow, this can be after
 * the call that created the thread has returned. The library prints nothing,
 * unless HDNODE_VERBOSITY (-1 to 3) enables output on stderr. All times are in
 * seconds.
 */
#ifndef HD_NODE_H
#define HD_NODE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A collector: a list of nodes and their connections. */
typedef struct hdNode_Collector hdNode_Collector;

/** Sections of the data of a node, combined by bitwise or. */
enum hdNode_Section {
	HDNODE_CAPABILITIES = 1, /**< Hardware and software. */
	HDNODE_STATUS = 2,       /**< CPUs, memory, power, ... */
	HDNODE_PROBES = 4,       /**< Counters of the probes in programs. */
	HDNODE_HEALTH = 8,       /**< Disks, temperatures, links. */
	HDNODE_ALARMS = 16,      /**< Metrics beyond their thresholds. */
	HDNODE_CONFIG = 32,      /**< Configuration of hdnode. */
};

/** State of a node after the last query. */
enum hdNode_State {
	HDNODE_OK = 0,      /**< The node has answered: "ok". */
	HDNODE_NEW,         /**< Not queried yet: "new". */
	HDNODE_LATE,        /**< No answer before the timeout: "late". */
	HDNODE_UNREACHABLE, /**< No process listens there: "unreachable". */
	HDNODE_UNKNOWN,     /**< The host does not exist: "unknown". */
	HDNODE_DENIED,      /**< Authentication failed: "denied". */
	HDNODE_BAD,         /**< Invalid answer: "bad". */
};

/** Options of a collector. All fields may be zero; strings are copied. */
typedef struct {
	double timeout;        /**< Timeout of a query, in s; 0: 5 s. */
	const char *tokenFile; /**< Format: pt-site.cfg(5); NULL: none. */
	const char *user;      /**< Owner of the token; NULL: the first. */
	int isEncrypted;       /**< Use TLS. */
	const char *caFile;    /**< Trusted authorities; NULL: the system's. */
	/** SHA-256 of the only trusted certificate; NULL: any valid one. */
	const char *fingerprint;
} hdNode_Options;

/** Data of a node, apart from its sections. */
typedef struct {
	const char *address; /**< As passed to hdNode_add(). */
	const char *name;    /**< From hdnode --name, else the address. */
	enum hdNode_State state;
	const char *word; /**< Name of the state: "ok", ... */
	const char *why;  /**< Error text; NULL: no error. */
	double age;       /**< Since the last answer, in s; NaN: none. */
	/** Clock of the node minus the local clock, in s, with an error of at
	 *  most offsetError; NaN: unknown. The order of events on two nodes is
	 *  unknown if they are closer together than the errors. */
	double offset;
	double offsetError;
	const char *boot;      /**< The kernel's boot_id; NULL: unknown. */
	unsigned int boots;    /**< Number of changes of boot. */
	unsigned int restarts; /**< Number of restarts of hdnode. */
	/** Bytes sent to and received from the node, without the overhead of
	 *  TLS and TCP. */
	unsigned long long sent, received;
} hdNode_Info;

/**
 * Create a collector without nodes.
 *
 * @param options NULL: all fields are zero.
 * @param[out] result The collector; free it with hdNode_destroy().
 *
 * @retval 0 Success.
 * @retval -ENOMEM Out of memory.
 * @retval -ENOTSUP TLS is requested, but the library was built without TLS.
 * @retval -ENOKEY The file does not contain a token of this user.
 * @return Another negative errno value: a file cannot be read.
 */
int hdNode_create(const hdNode_Options *options, hdNode_Collector **result);

/**
 * Close all connections and free the collector.
 *
 * @param collector From hdNode_create(); NULL is ignored.
 */
void hdNode_destroy(hdNode_Collector *collector);

/**
 * Add a node. It is included from the next query on.
 *
 * @param collector From hdNode_create().
 * @param address "HOST", "HOST:PORT", "[ADDRESS]:PORT"; or "unix:PATH".
 *
 * @retval 0 Success.
 * @retval -EINVAL The address is invalid.
 * @retval -EEXIST The collector already contains this address.
 * @retval -ENOMEM Out of memory.
 */
int hdNode_add(hdNode_Collector *collector, const char *address);

/**
 * Remove a node. The indices of all later nodes decrease by one.
 *
 * @param collector From hdNode_create().
 * @param address As passed to hdNode_add().
 *
 * @retval 0 Success.
 * @retval -ENOENT The collector does not contain this address.
 */
int hdNode_remove(hdNode_Collector *collector, const char *address);

/**
 * Get the number of nodes.
 *
 * @param collector From hdNode_create().
 *
 * @return The number of nodes.
 */
size_t hdNode_count(const hdNode_Collector *collector);

/** Flag of hdNode_pull(): set the probe counters to zero after reading them.
 *  This requires a token; on the same host, root and the user of hdnode do not
 *  need a token. */
#define HDNODE_RESET 1

/**
 * Query all nodes, and wait until all have answered or the timeout expires.
 *
 * For a node that does not answer, the previous reply is kept; see
 * hdNode_Info::age. Capabilities do not change, so they are queried once for
 * each connection. Unreachable nodes are retried in later queries, with
 * increasing intervals of up to half a minute.
 *
 * Names are resolved in the background for at most half of the timeout. A node
 * whose name is not resolved by then is HDNODE_LATE. The address of a name is
 * kept until a connection fails. If a name has several addresses, all of them
 * are tried.
 *
 * @param collector From hdNode_create().
 * @param sections Combination of enum hdNode_Section.
 * @param flags HDNODE_RESET, or 0.
 *
 * @return The number of nodes that have answered.
 * @retval -ENOMEM Out of memory; no node was queried.
 */
int hdNode_pull(hdNode_Collector *collector, unsigned int sections,
		unsigned int flags);

/**
 * Send a configuration (hdnode.conf(5)) to all nodes. Each node accepts or
 * rejects it as a whole. The state and hdNode_Info::why contain the result:
 * HDNODE_BAD if the configuration is invalid, HDNODE_DENIED if the caller is
 * not authorized.
 *
 * @param collector From hdNode_create().
 * @param text The configuration.
 * @param length Length in bytes.
 *
 * @return The number of nodes that have accepted it.
 * @retval -E2BIG The configuration exceeds 65536 bytes.
 * @retval -ENOMEM Out of memory; nothing was sent.
 */
int hdNode_configure(hdNode_Collector *collector, const char *text,
		     size_t length);

/**
 * Get the data of a node. Its strings are valid until the next call of a
 * function other than hdNode_info() and hdNode_section().
 *
 * @param collector From hdNode_create().
 * @param index Index of the node, from 0, in the order of hdNode_add().
 * @param[out] info The data.
 *
 * @retval 0 Success.
 * @retval -EINVAL The index is invalid.
 */
int hdNode_info(const hdNode_Collector *collector, size_t index,
		hdNode_Info *info);

/**
 * Get the last known contents of a section, as JSON.
 *
 * @param collector From hdNode_create().
 * @param index As in hdNode_info().
 * @param section One of enum hdNode_Section.
 *
 * @return Valid as long as the strings of hdNode_info(). NULL: the section is
 *         unknown, the index is invalid, or out of memory.
 */
const char *hdNode_section(hdNode_Collector *collector, size_t index,
			   enum hdNode_Section section);

/**
 * Get all data as a JSON document, like `hdnode collect --format=json`.
 *
 * @param collector From hdNode_create().
 * @param sections Sections to include; unknown ones are null.
 * @param isFlat Write the document on one line.
 *
 * @return The document; free it with free(). NULL: out of memory.
 */
char *hdNode_json(hdNode_Collector *collector, unsigned int sections,
		  int isFlat);

#ifdef __cplusplus
}
#endif

#endif
