/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Asking nodes what they are and how they are: for programs that schedule, or
 * watch a cluster.
 *
 * Each node runs `hdnode`, which says so when it is asked and never else. A
 * collector knows nodes by their addresses, keeps a connection to each, and
 * asks all at once:
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
 * What nodes say is JSON; doc/json.md has its keys. A node that does not answer
 * in time, or at all, does not keep the others from being heard.
 *
 * A collector is used by one thread at a time; several collectors are
 * independent. The library begins threads only to look up names; each ends when
 * that is done, which is after the call that began it where a name server is
 * slow. It prints nothing, unless HDNODE_VERBOSITY (-1 to 3) asks for it on
 * stderr. Times are in seconds.
 */
#ifndef HD_NODE_H
#define HD_NODE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Nodes that are asked. */
typedef struct hdNode_Collector hdNode_Collector;

/** What nodes can be asked for; to be combined. */
enum hdNode_Section {
	HDNODE_CAPABILITIES = 1, /**< What it is. */
	HDNODE_STATUS = 2,       /**< How it is: CPUs, memory, power, ... */
	HDNODE_PROBES = 4,       /**< What probes of its programs count. */
	HDNODE_HEALTH = 8,       /**< Disks, temperatures, links. */
	HDNODE_ALARMS = 16,      /**< What is too much, or too little. */
	HDNODE_CONFIG = 32,      /**< Its configuration. */
};

/** How a node was found when it was last asked. */
enum hdNode_State {
	HDNODE_OK = 0,      /**< It has answered: "ok". */
	HDNODE_NEW,         /**< It was not asked yet: "new". */
	HDNODE_LATE,        /**< No answer until the deadline: "late". */
	HDNODE_UNREACHABLE, /**< Nobody listens there: "unreachable". */
	HDNODE_UNKNOWN,     /**< There is no such host: "unknown". */
	HDNODE_DENIED,      /**< One side does not trust the other: "denied". */
	HDNODE_BAD,         /**< It does not speak as hdnode does: "bad". */
};

/** How nodes are asked. All zero is usual; texts are copied. */
typedef struct {
	double timeout;        /**< For a pull, in s; 0: 5 s. */
	const char *tokenFile; /**< As of pt-site.cfg(5); NULL: none. */
	const char *user;      /**< Whose token; NULL: the file's first. */
	int isEncrypted;       /**< Speak TLS. */
	const char *caFile;    /**< Whom to trust; NULL: the system's. */
	/** SHA-256 of the only certificate to trust; NULL: any that is valid.
	 */
	const char *fingerprint;
} hdNode_Options;

/** What is known of a node beside its sections. */
typedef struct {
	const char *address; /**< As it was added. */
	const char *name;    /**< Of hdnode --name, else the address. */
	enum hdNode_State state;
	const char *word; /**< Of the state: "ok", ... */
	const char *why;  /**< What went wrong, for people; NULL: nothing. */
	double age;       /**< Since its last answer, in s; NaN: none. */
	/** Its clock minus ours, in s, is within offsetError of this; NaN: not
	 *  known. Events of two nodes that lie closer together than the errors
	 *  have no order. */
	double offset;
	double offsetError;
	const char *boot;      /**< The kernel's boot_id; NULL: not known. */
	unsigned int boots;    /**< How often that changed. */
	unsigned int restarts; /**< How often hdnode began anew. */
	/** Bytes that went to the node and came from it, of our protocol. */
	unsigned long long sent, received;
} hdNode_Info;

/**
 * Begin without nodes.
 *
 * @param options NULL is all zero.
 * @param[out] result To be given to hdNode_destroy().
 *
 * @retval 0 Good.
 * @retval -ENOMEM Out of memory.
 * @retval -ENOTSUP TLS is wanted, and the library was built without.
 * @retval -ENOKEY The file has no token of that user.
 * @return Another negative errno value: a file cannot be read.
 */
int hdNode_create(const hdNode_Options *options, hdNode_Collector **result);

/**
 * Close all connections and free all.
 *
 * @param collector Of hdNode_create(); NULL does nothing.
 */
void hdNode_destroy(hdNode_Collector *collector);

/**
 * Add a node; it is asked from the next pull on.
 *
 * @param collector Of hdNode_create().
 * @param address "HOST", "HOST:PORT", "[ADDRESS]:PORT"; or "unix:PATH".
 *
 * @retval 0 Good.
 * @retval -EINVAL It is none of these.
 * @retval -EEXIST It is there.
 * @retval -ENOMEM Out of memory.
 */
int hdNode_add(hdNode_Collector *collector, const char *address);

/**
 * Remove a node; the numbers of those behind it become one less.
 *
 * @param collector Of hdNode_create().
 * @param address As it was added.
 *
 * @retval 0 Good.
 * @retval -ENOENT There is none.
 */
int hdNode_remove(hdNode_Collector *collector, const char *address);

/**
 * Get how many nodes there are.
 *
 * @param collector Of hdNode_create().
 *
 * @return How many.
 */
size_t hdNode_count(const hdNode_Collector *collector);

/** Of the flags of hdNode_pull(): probes begin at zero once they are read. Only
 *  for who has a token, or is root or hdnode's user on its host. */
#define HDNODE_RESET 1

/**
 * Ask all nodes, and wait until all have answered, or the time is over.
 *
 * What a node said before is kept where it does not answer; its age tells.
 * Capabilities, which do not change, are asked for once a connection. A node
 * that could not be reached is tried again in a later pull, less and less
 * often, up to every half a minute.
 *
 * Names are looked up beside that, for half of the time at most; whose name is
 * not found by then is HDNODE_LATE. What was found is kept until a connection
 * fails, and where a name has several addresses all are tried.
 *
 * @param collector Of hdNode_create().
 * @param sections Of enum hdNode_Section.
 * @param flags HDNODE_RESET, or 0.
 *
 * @return How many nodes have answered.
 * @retval -ENOMEM Out of memory; nothing was asked.
 */
int hdNode_pull(hdNode_Collector *collector, unsigned int sections,
		unsigned int flags);

/**
 * Give all nodes another configuration (hdnode.conf(5)), each of which takes it
 * as a whole or not at all; the state and hdNode_Info::why say what became of
 * it: a node that refuses is HDNODE_BAD for what is in the text, HDNODE_DENIED
 * if it may not come from us.
 *
 * @param collector Of hdNode_create().
 * @param text The text.
 * @param length Its bytes.
 *
 * @return How many nodes have taken it.
 * @retval -E2BIG It is longer than 65536 bytes.
 * @retval -ENOMEM Out of memory; nothing was asked.
 */
int hdNode_configure(hdNode_Collector *collector, const char *text,
		     size_t length);

/**
 * Get what is known of a node; texts are valid until the next call that is not
 * hdNode_info() or hdNode_section().
 *
 * @param collector Of hdNode_create().
 * @param index From 0 on, in the order in which they were added.
 * @param[out] info What is known.
 *
 * @retval 0 Good.
 * @retval -EINVAL There is no such node.
 */
int hdNode_info(const hdNode_Collector *collector, size_t index,
		hdNode_Info *info);

/**
 * Get a section that a node has said last, as a JSON text.
 *
 * @param collector Of hdNode_create().
 * @param index As of hdNode_info().
 * @param section One of enum hdNode_Section.
 *
 * @return Valid as of hdNode_info(). NULL: it is not known, there is no such
 *         node, or no memory.
 */
const char *hdNode_section(hdNode_Collector *collector, size_t index,
			   enum hdNode_Section section);

/**
 * Get all as a JSON document, as `hdnode collect --format=json` prints it.
 *
 * @param collector Of hdNode_create().
 * @param sections Which sections it has; those that are not known are null.
 * @param isFlat On one line.
 *
 * @return To be freed by free(); NULL without memory.
 */
char *hdNode_json(hdNode_Collector *collector, unsigned int sections,
		  int isFlat);

#ifdef __cplusplus
}
#endif

#endif
