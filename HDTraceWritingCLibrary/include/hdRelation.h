/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations: what caused what, across threads, processes and hosts.
 *
 * A trace (hdTrace.h) is one time line: its states cannot overlap. A relation
 * is one activity that was started by another one. On a topology node any
 * number of them overlap, one may go on after the one that started it has
 * ended, and each has states of its own, which nest. They are written into
 * `PROJECT_LABEL1_LABEL2...rel`; doc/format has the layout.
 *
 *     hdR_topoToken server;
 *     hdR_token request, write;
 *
 *     hdR_initTopology(node, &server);
 *     request = hdR_relateRemoteToken(server, textOfTheClient);
 *     if (!request)
 *             request = hdR_createTopLevelRelation(server);
 *     hdR_startS(request, "request");
 *
 *     write = hdR_relateProcessLocalToken(disk, request);   (another thread)
 *     hdR_startS(write, "pwrite");
 *     hdR_logAttributeInt64(write, "offset", offset);
 *     hdR_endS(write);
 *     hdR_destroyRelation(&write);
 *
 *     hdR_endS(request);
 *     hdR_destroyRelation(&request);
 *     hdR_finalize(&server);
 *
 * **Tokens.** A token (hdR_token) is the handle of a relation in its process;
 * as text it goes to other processes and hosts. Where it has to pass code that
 * has no place for it, a list of hints carries it (hdR_addHint()).
 *
 * **Not traced.** NULL is the token of what is not traced: as a parent or as
 * the token of a node it gives NULL again, and each other function does nothing
 * and returns -1 (or NULL), without touching errno. `HDTRACE_RELATION=0` makes
 * hdR_initTopology() give NULL, and so the rest costs a branch.
 *
 * **Threads.** All functions may be called by any thread at any time, without a
 * lock of the caller's, but for two rules: one thread at a time uses a token
 * (it may be another one each time), and nobody uses the token of a node while
 * it is initialized or finalized. To be the parent of a relation that is made,
 * or to be put as text, is no such use: a token only must not be freed then. A
 * relation may so be begun in one thread, go on in a second and end in a third,
 * while a fourth one makes others that it caused. Relations of a node that was
 * finalized may still be used; nothing is recorded any more, and calls fail
 * with HD_ERR_TRACE_DISABLED.
 *
 * **Buffering.** Each thread has a buffer of its own for each node that it
 * uses, a quarter of `HDTRACE_BUFFER_SIZE_KB`. The background thread of the
 * library merges them by time into the file; what hdTopology.h says of files,
 * processes and descriptors holds. Records of one relation stay in order,
 * whichever threads they came from. With `HDTRACE_ON_FULL=drop` a relation or
 * state that finds no room is left out as a whole, and counted; what ends one
 * that was written waits, so that the file has both.
 *
 * **Errors of the file** are as in hdTrace.h: one call returns -1 with
 * HD_ERR_WRITE_FILE, later ones return 0 and are counted (hdR_getLosses()).
 *
 * **Time.** Wall clock in nanoseconds. It never decreases within a relation;
 * between those of a file it may step back by what threads take to get in line.
 *
 * **Text.** As of hdTrace.h: values may hold any character, keys are names.
 */
#ifndef HD_RELATION_H
#define HD_RELATION_H

#include <stddef.h>
#include <stdint.h>

#include <hdError.h>
#include <hdTopology.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/** Lets the compiler check printf arguments. */
#define HDR_PRINTF(format, arguments) \
	__attribute__((__format__(__printf__, format, arguments)))
#else
#define HDR_PRINTF(format, arguments)
#endif

/** Longest name of a state, in bytes. */
#define HDR_MAX_NAME_LENGTH 1000
/** Attributes that one call may give. */
#define HDR_MAX_ATTRIBUTES 64
/** Longest value of an attribute, in bytes. */
#define HDR_MAX_VALUE_LENGTH 65535
/** Longest further XML of hdR_startE() and hdR_endE(), in bytes. */
#define HDR_MAX_XML_LENGTH 65535
/** Room for any token of this library as text, with the '\0'. */
#define HDR_TOKEN_SIZE 256
/** Room for a W3C trace context (`traceparent`), with the '\0'. */
#define HDR_TRACEPARENT_SIZE 56
/** Key of the attribute that says that a state failed, and why. */
#define HDR_ERROR_KEY "error"

/** A topology node on which there are relations; see hdR_initTopology(). */
typedef struct _hdR_topoToken *hdR_topoToken;

/** A relation in this process; see hdR_createTopLevelRelation(). */
typedef struct _hdR_token *hdR_token;

/* ---- Nodes ------------------------------------------------------------- */

/**
 * Begin to record relations on a node: create its file.
 *
 * @param node Topology node; may be destroyed afterwards.
 * @param[out] out Token of the node, to be ended with hdR_finalize(); NULL on
 *        error, and where `HDTRACE_RELATION` is 0.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME, HD_ERR_CREATE_FILE or HD_ERR_WRITE_FILE.
 */
int hdR_initTopology(hdTopoNode *node, hdR_topoToken *out);

/**
 * End the recording of relations on a node: write everything and close the
 * file. A file that no relation was put into is removed.
 *
 * Relations of the node that still exist stay without an end in the file; their
 * tokens are to be destroyed as ever. In a child process that inherited the
 * node by fork(): only free it.
 *
 * @param[in,out] topology Token of the node; set to NULL.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_WRITE_FILE (something could not be
 *         written, now or before) or HD_ERR_CLOSE_FILE.
 */
int hdR_finalize(hdR_topoToken *topology);

/**
 * Free what the library keeps for all nodes. Afterwards no token may be used
 * that was made before; hdR_initTopology() begins anew.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_CONTEXT (a node is not finalized).
 */
int hdR_closeAPI(void);

/**
 * Hand every record of a node to the system, now.
 *
 * @param topology Token of the node.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_WRITE_FILE.
 */
int hdR_flush(hdR_topoToken topology);

/**
 * Get what a node could not record as it was asked to: elements of the file
 * that are not there, and times that were replaced because they decreased.
 *
 * @param topology Token of the node.
 * @param[out] losses The numbers so far.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdR_getLosses(hdR_topoToken topology, hdLosses *losses);

/* ---- Relations --------------------------------------------------------- */

/**
 * Create a relation that nothing caused.
 *
 * @param topology Token of its node.
 *
 * @return The relation, to be ended with hdR_destroyRelation().
 * @retval NULL @p topology is NULL, or was inherited by fork(); or error: errno
 *         is HD_ERR_MALLOC or HD_ERR_GET_TIME.
 */
hdR_token hdR_createTopLevelRelation(hdR_topoToken topology);

/**
 * Create a relation that was caused by another one of the same node.
 *
 * @param parent Relation that caused it. The caller's thread uses it during
 *        this call.
 *
 * @return The relation, or NULL as of hdR_createTopLevelRelation();
 *         HD_ERR_TRACE_DISABLED: the node of @p parent was finalized.
 */
hdR_token hdR_relateTopologyInternalToken(hdR_token parent);

/**
 * Create a relation that was caused by another one of this process.
 *
 * @param topology Token of its node.
 * @param parent Relation that caused it, of any node. It may be of a process
 *        that this one is a fork() of.
 *
 * @return The relation, or NULL as of hdR_createTopLevelRelation() and if
 *         @p parent is NULL.
 */
hdR_token hdR_relateProcessLocalToken(hdR_topoToken topology, hdR_token parent);

/**
 * Create a relation that was caused by one of another process of this host.
 *
 * @param topology Token of its node.
 * @param parent Text from hdR_getLocalToken().
 *
 * @return The relation, or NULL as of hdR_createTopLevelRelation() and if
 *         @p parent is NULL; HD_ERR_INVALID_ARGUMENT: @p parent is no such
 *         text (a log line says so, see HDTRACE_VERBOSITY).
 */
hdR_token hdR_relateLocalToken(hdR_topoToken topology, const char *parent);

/**
 * Create a relation that was caused by one that is anywhere.
 *
 * @param topology Token of its node.
 * @param parent Text from hdR_getRemoteToken() or hdR_putRemoteToken().
 *
 * @return As of hdR_relateLocalToken().
 */
hdR_token hdR_relateRemoteToken(hdR_topoToken topology, const char *parent);

/**
 * Create a relation that was caused by what a W3C trace context says.
 *
 * @param topology Token of its node.
 * @param parent Value of a header `traceparent`, of any version.
 *
 * @return As of hdR_relateLocalToken().
 */
hdR_token hdR_relateTraceparent(hdR_topoToken topology, const char *parent);

/**
 * Create a relation and begin a state of it, both at one time: the same as
 * hdR_relateProcessLocalToken(), hdR_relateRemoteToken() or
 * hdR_createTopLevelRelation(), and hdR_startS(), for less.
 *
 * @param topology Token of its node.
 * @param parent Relation of this process that caused it; or NULL.
 * @param cause Text of the one that caused it, as of hdR_relateRemoteToken(),
 *        if @p parent is NULL. Where this is NULL, too, nothing did.
 * @param name As of hdR_startS().
 *
 * @return The relation, to be ended with hdR_endRelation() or, after its state,
 *         with hdR_destroyRelation().
 * @retval NULL As of hdR_createTopLevelRelation(). errno may also be
 *         HD_ERR_INVALID_ARGUMENT or HD_ERR_BUFFER_OVERFLOW: @p cause is no
 *         such text, or @p name no such name.
 */
hdR_token hdR_startRelation(hdR_topoToken topology, hdR_token parent,
			    const char *cause, const char *name);

/**
 * End the innermost open state of a relation, and the relation, both at one
 * time: the same as hdR_end() and hdR_destroyRelation(), for less.
 *
 * @param[in,out] token Relation; set to NULL where its token was freed.
 * @param n,keys,values As of hdR_end().
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL. As of hdR_end(), errno is HD_ERR_INVALID_CONTEXT,
 *         HD_ERR_INVALID_ARGUMENT, HD_ERR_BUFFER_OVERFLOW or HD_ERR_MALLOC:
 *         nothing has ended, and the token stays. As of hdR_destroyRelation()
 *         it is HD_ERR_GET_TIME, HD_ERR_WRITE_FILE or HD_ERR_TRACE_DISABLED.
 */
int hdR_endRelation(hdR_token *token, int n, const char *const *keys,
		    const char *const *values);

/** An attribute whose value is a number or a text. */
typedef struct {
	const char *key;
	const char *text; /**< Or NULL: it is the number. */
	int64_t number;
} hdR_attribute;

/**
 * End a relation, with the innermost state that is open, as hdR_endRelation()
 * does; but keep its token. That can still be the parent of others, and be put
 * as text, as long as something may ask for what has caused it.
 *
 * @param token Relation; to be freed by hdR_destroyRelation(), which records
 *        nothing any more.
 * @param n Number of attributes, up to HDR_MAX_ATTRIBUTES; 0 if no state is
 *        open.
 * @param attributes They, as of hdR_end(). Numbers cost less than their text.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL, as of hdR_endRelation(); HD_ERR_INVALID_CONTEXT
 *         also if it was ended before.
 */
int hdR_finishRelation(hdR_token token, int n, const hdR_attribute *attributes);

/**
 * Say that a relation has a further cause: what it waited for, or what it goes
 * on with, such as the requests of a batch.
 *
 * @param token Relation.
 * @param cause Text of another one, from hdR_getRemoteToken().
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL as the token or the text; errno is
 *         HD_ERR_INVALID_ARGUMENT (not such a text), HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME, HD_ERR_WRITE_FILE (once) or HD_ERR_TRACE_DISABLED.
 */
int hdR_link(hdR_token token, const char *cause);

/**
 * End a relation, and free its token. States that are open stay without an end.
 * One that hdR_finishRelation() has ended is only freed.
 *
 * @param[in,out] token Relation; set to NULL.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_GET_TIME (the last time of the
 *         relation is taken), HD_ERR_WRITE_FILE (once) or
 *         HD_ERR_TRACE_DISABLED (the node was finalized before). The token is
 *         freed.
 */
int hdR_destroyRelation(hdR_token *token);

/* ---- Tokens as text ---------------------------------------------------- */

/**
 * Get a relation's token for other processes of this host.
 *
 * @param token Relation.
 *
 * @return The text `PID:TOPOLOGY:ID`, to be freed with free().
 * @retval NULL The token is NULL, or errno is HD_ERR_MALLOC.
 */
char *hdR_getLocalToken(hdR_token token);

/**
 * Get a relation's token for processes anywhere.
 *
 * @param token Relation.
 *
 * @return The text `HOST:PID:TOPOLOGY:ID:TRACE`, to be freed with free(). TRACE
 *         is the id of the W3C trace that the relation is a part of, and its
 *         flags.
 * @retval NULL The token is NULL, or errno is HD_ERR_MALLOC.
 */
char *hdR_getRemoteToken(hdR_token token);

/**
 * Put the text of hdR_getRemoteToken() into memory of the caller.
 *
 * @param token Relation.
 * @param[out] buffer Where to put it; HDR_TOKEN_SIZE bytes are always enough.
 * @param size Its size.
 *
 * @return Length of the text without its '\0'.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT (no buffer) or
 *         HD_ERR_BUFFER_OVERFLOW, with nothing written.
 */
int hdR_putRemoteToken(hdR_token token, char *buffer, size_t size);

/**
 * Put a relation's token as W3C trace context, for programs that know these.
 *
 * @param token Relation.
 * @param[out] buffer Where to put it; HDR_TRACEPARENT_SIZE bytes are enough.
 * @param size Its size.
 *
 * @return As of hdR_putRemoteToken().
 */
int hdR_putTraceparent(hdR_token token, char *buffer, size_t size);

/* ---- States ------------------------------------------------------------ */

/**
 * Begin a state of a relation, inside the one that is open if there is one.
 *
 * @param token Relation.
 * @param name Any text up to HDR_MAX_NAME_LENGTH bytes, not empty.
 *
 * @retval 0 Success.
 * @retval -1 Error, and no state was begun; or NULL. errno is
 *         HD_ERR_INVALID_ARGUMENT, HD_ERR_BUFFER_OVERFLOW, HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME or HD_ERR_TRACE_DISABLED. HD_ERR_WRITE_FILE (once):
 *         the state is followed, but not recorded.
 */
int hdR_startS(hdR_token token, const char *name);

/**
 * Begin a state with attributes.
 *
 * @param token Relation.
 * @param name As of hdR_startS().
 * @param n Number of attributes, up to HDR_MAX_ATTRIBUTES.
 * @param keys Their names, each once; not `name`, `t` or `time`.
 * @param values Their values, of up to HDR_MAX_VALUE_LENGTH bytes each.
 *
 * @return As of hdR_startS().
 */
int hdR_start(hdR_token token, const char *name, int n, const char *const *keys,
	      const char *const *values);

/**
 * Begin a state with attributes and further XML in it.
 *
 * @param token Relation.
 * @param name As of hdR_startS().
 * @param n,keys,values As of hdR_start().
 * @param format printf format, and its arguments; gives elements that have
 *        attributes, text and other elements, up to HDR_MAX_XML_LENGTH bytes.
 *
 * @return As of hdR_startS(); HD_ERR_INVALID_ARGUMENT also if that is no XML.
 */
int hdR_startE(hdR_token token, const char *name, int n,
	       const char *const *keys, const char *const *values,
	       const char *format, ...) HDR_PRINTF(6, 7);

/**
 * End the innermost open state of a relation.
 *
 * @param token Relation.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_CONTEXT (no state is
 *         open), HD_ERR_INVALID_ARGUMENT, HD_ERR_BUFFER_OVERFLOW or
 *         HD_ERR_MALLOC (the state stays open), HD_ERR_GET_TIME (it is ended
 *         at the last time of the relation), HD_ERR_WRITE_FILE (once; it is
 *         ended) or HD_ERR_TRACE_DISABLED.
 */
int hdR_endS(hdR_token token);

/**
 * End a state and give it attributes. Where its begin, or
 * hdR_logAttribute...(), gave one of them, this one holds.
 *
 * @param token Relation.
 * @param n,keys,values As of hdR_start().
 *
 * @return As of hdR_endS().
 */
int hdR_end(hdR_token token, int n, const char *const *keys,
	    const char *const *values);

/**
 * End a state and give it attributes and further XML.
 *
 * @param token Relation.
 * @param n,keys,values As of hdR_end().
 * @param format As of hdR_startE().
 *
 * @return As of hdR_endS().
 */
int hdR_endE(hdR_token token, int n, const char *const *keys,
	     const char *const *values, const char *format, ...)
	HDR_PRINTF(5, 6);

/**
 * End a state that failed: as hdR_endS(), with the attribute HDR_ERROR_KEY,
 * which the tools know.
 *
 * @param token Relation.
 * @param why What went wrong, any text.
 *
 * @return As of hdR_endS().
 */
int hdR_endFailed(hdR_token token, const char *why);

/**
 * Give the innermost open state an integer attribute. It is written when the
 * state ends.
 *
 * @param token Relation.
 * @param key Its name; not `name`, `t` or `time`.
 * @param value Its value.
 *
 * @retval 0 Success, or the state is not recorded.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT (NULL, not a
 *         name, or given before by this function), HD_ERR_INVALID_CONTEXT (no
 *         state is open), HD_ERR_BUFFER_OVERFLOW (more than
 *         HDR_MAX_ATTRIBUTES, or too long) or HD_ERR_MALLOC.
 */
int hdR_logAttributeInt64(hdR_token token, const char *key, int64_t value);

/**
 * Give the innermost open state a floating point attribute, written as
 * hdT_logAttributeDouble() does.
 *
 * @param token Relation.
 * @param key As of hdR_logAttributeInt64().
 * @param value Its value.
 *
 * @return As of hdR_logAttributeInt64().
 */
int hdR_logAttributeDouble(hdR_token token, const char *key, double value);

/**
 * Give the innermost open state a text attribute.
 *
 * @param token Relation.
 * @param key As of hdR_logAttributeInt64().
 * @param value Its value; copied and escaped.
 *
 * @return As of hdR_logAttributeInt64().
 */
int hdR_logAttributeString(hdR_token token, const char *key, const char *value);

/* ---- Hints ------------------------------------------------------------- */

/** Longest key of a hint, in bytes. */
#define HDR_MAX_HINT_KEY_LENGTH 255
/** Longest value of a hint, in bytes. */
#define HDR_MAX_HINT_LENGTH 4096
/** Hints that a list may have. */
#define HDR_MAX_HINTS 64
/** Key of the hint that carries the text of a token. */
#define HDR_HINT_TOKEN "relation"

/**
 * A small list of keys and values that goes along with a request, through code
 * that has no place for a token, to another thread or another host. NULL is the
 * empty list. A list belongs to one thread at a time.
 */
typedef struct _hdR_hints hdR_hints;

/**
 * Add a hint to a list, or replace the one that has its key.
 *
 * @param[in,out] hints The list; where it is NULL one is made, to be freed with
 *        hdR_freeHints().
 * @param key Any text, not empty; copied.
 * @param value Any bytes; copied.
 * @param length How many.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was changed; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_BUFFER_OVERFLOW (the key, the value or the list is too long)
 *         or HD_ERR_MALLOC.
 */
int hdR_addHint(hdR_hints **hints, const char *key, const void *value,
		size_t length);

/**
 * Add the token of a relation to a list, as text, with the key HDR_HINT_TOKEN.
 *
 * @param[in,out] hints The list.
 * @param token Relation; NULL does nothing.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL as the token; errno as of hdR_addHint().
 */
int hdR_addTokenHint(hdR_hints **hints, hdR_token token);

/**
 * Get a hint.
 *
 * @param hints The list; may be NULL.
 * @param key Key of the hint.
 * @param[out] length Number of bytes; may be NULL.
 *
 * @return The value, with a '\0' behind it; it lives until the list is freed or
 *         the hint is replaced. NULL if there is none; errno is not touched.
 */
const void *hdR_getHint(const hdR_hints *hints, const char *key,
			size_t *length);

/**
 * Create a relation that was caused by the one whose token a list carries.
 *
 * @param topology Token of its node.
 * @param hints The list; may be NULL.
 *
 * @return The relation, or NULL as of hdR_relateRemoteToken(); also if the list
 *         carries none.
 */
hdR_token hdR_relateHint(hdR_topoToken topology, const hdR_hints *hints);

/**
 * Encode a list, to be sent.
 *
 * @param hints The list; may be NULL.
 * @param[out] buffer Where to put it; may be NULL if @p size is 0.
 * @param size Its size.
 *
 * @return Bytes that the list needs; nothing is written if that is more than
 *         @p size.
 */
size_t hdR_encodeHints(const hdR_hints *hints, void *buffer, size_t size);

/**
 * Decode a list that was received. The bytes may be anything.
 *
 * @param[out] hints The list, to be freed; NULL on error.
 * @param bytes What hdR_encodeHints() wrote.
 * @param length How many; all of them must belong to it.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (it is not a list, or is
 *         beyond the limits) or HD_ERR_MALLOC.
 */
int hdR_decodeHints(hdR_hints **hints, const void *bytes, size_t length);

/**
 * Free a list.
 *
 * @param[in,out] hints The list; set to NULL.
 */
void hdR_freeHints(hdR_hints **hints);

#ifdef __cplusplus
}
#endif

#endif
