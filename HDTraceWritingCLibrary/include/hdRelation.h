/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations: causality across threads, processes and hosts.
 *
 * A trace (hdTrace.h) is one time line, and its states cannot overlap. A
 * relation is an activity that was started by another activity. On a topology
 * node, relations may overlap, and a relation may outlive its cause. Each
 * relation has its own states, which can be nested. Relations are written to
 * `PROJECT_LABEL1_LABEL2...rel`; doc/format defines the layout.
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
 * **Tokens.** A token (hdR_token) is the handle of a relation in its process.
 * In text form, a token can be sent to other processes and hosts. If the code
 * in between has no field for a token, a list of hints can carry it
 * (hdR_addHint()).
 *
 * **Disabled relations.** NULL is a valid token. If the parent or the token of
 * a node is NULL, the new relation is NULL. All other functions then do nothing
 * and return -1 (or NULL) without changing errno. With `HDTRACE_RELATION=0`,
 * hdR_initTopology() sets the token to NULL, so each further call costs only a
 * branch.
 *
 * **Threads.** Any thread may call any function at any time without a lock,
 * with two exceptions. First, only one thread at a time may use a token; it may
 * be a different thread each time. To use a token as a parent or convert it to
 * text, it is sufficient that no thread frees it at the same time. Second, no
 * thread may use the token of a node while the node is initialized or
 * finalized. Therefore a relation may start in one thread, continue in a second
 * and end in a third, while a fourth creates relations that it caused.
 * Relations of a finalized node may still be used, but nothing is recorded, and
 * calls fail with HD_ERR_TRACE_DISABLED.
 *
 * **Buffering.** Each thread has its own buffer for each node that it uses,
 * with a quarter of `HDTRACE_BUFFER_SIZE_KB`. The background thread of the
 * library merges the buffers by time into the file. The rules of hdTopology.h
 * for files, processes and descriptors apply. Records of one relation stay in
 * order, even if they come from several threads. With `HDTRACE_ON_FULL=drop`, a
 * relation or state that does not fit is dropped as a whole and counted. The
 * end of a state or relation whose start was written waits for space, so that
 * the file contains both.
 *
 * **File errors** are as in hdTrace.h: one call returns -1 with
 * HD_ERR_WRITE_FILE. Later calls return 0, and their records count as lost
 * (hdR_getLosses()).
 *
 * **Time.** Wall clock time in nanoseconds. It never decreases within a
 * relation. Between two relations of a file, time may decrease slightly,
 * because threads record concurrently.
 *
 * **Text.** Values may contain any character, and keys are names; see
 * hdTrace.h.
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
/** Maximum number of attributes in one call. */
#define HDR_MAX_ATTRIBUTES 64
/** Longest value of an attribute, in bytes. */
#define HDR_MAX_VALUE_LENGTH 65535
/** Longest additional XML of hdR_startE() and hdR_endE(), in bytes. */
#define HDR_MAX_XML_LENGTH 65535
/** Buffer size for any token of this library as text, with the '\0'. */
#define HDR_TOKEN_SIZE 256
/** Buffer size for a W3C trace context (`traceparent`), with the '\0'. */
#define HDR_TRACEPARENT_SIZE 56
/** Key of the attribute with the reason why a state failed. */
#define HDR_ERROR_KEY "error"

/** A topology node with relations; see hdR_initTopology(). */
typedef struct _hdR_topoToken *hdR_topoToken;

/** A relation in this process; see hdR_createTopLevelRelation(). */
typedef struct _hdR_token *hdR_token;

/* ---- Nodes ------------------------------------------------------------- */

/**
 * Start recording relations on a node, and create its file.
 *
 * @param node Topology node; may be destroyed afterwards.
 * @param[out] out Token of the node, to be ended with hdR_finalize(); NULL on
 *        error, and if `HDTRACE_RELATION` is 0.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME, HD_ERR_CREATE_FILE or HD_ERR_WRITE_FILE.
 */
int hdR_initTopology(hdTopoNode *node, hdR_topoToken *out);

/**
 * End the recording of relations on a node: write all data and close the file.
 * A file without relations is removed.
 *
 * Relations of the node that still exist have no end in the file; their tokens
 * must be destroyed as usual. In a child process that inherited the node by
 * fork(), this function only frees it.
 *
 * @param[in,out] topology Token of the node; set to NULL.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_WRITE_FILE (some data could not be
 *         written, now or earlier) or HD_ERR_CLOSE_FILE.
 */
int hdR_finalize(hdR_topoToken *topology);

/**
 * Free the common data of all nodes. Existing tokens must not be used
 * afterwards; hdR_initTopology() allocates the data again.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_CONTEXT (a node is not finalized).
 */
int hdR_closeAPI(void);

/**
 * Pass all records of a node to the operating system now.
 *
 * @param topology Token of the node.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_WRITE_FILE.
 */
int hdR_flush(hdR_topoToken topology);

/**
 * Get the losses of a node: elements that were not written, and times that were
 * corrected because they decreased.
 *
 * @param topology Token of the node.
 * @param[out] losses The current numbers.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdR_getLosses(hdR_topoToken topology, hdLosses *losses);

/* ---- Relations --------------------------------------------------------- */

/**
 * Create a relation without a cause.
 *
 * @param topology Token of its node.
 *
 * @return The relation, to be ended with hdR_destroyRelation().
 * @retval NULL @p topology is NULL, or was inherited by fork(); or error: errno
 *         is HD_ERR_MALLOC or HD_ERR_GET_TIME.
 */
hdR_token hdR_createTopLevelRelation(hdR_topoToken topology);

/**
 * Create a relation that was caused by another relation of the same node.
 *
 * @param parent The cause. No other thread may use it during this call.
 *
 * @return The relation, or NULL as for hdR_createTopLevelRelation().
 *         HD_ERR_TRACE_DISABLED: the node of @p parent was finalized.
 */
hdR_token hdR_relateTopologyInternalToken(hdR_token parent);

/**
 * Create a relation that was caused by another relation of this process.
 *
 * @param topology Token of its node.
 * @param parent The cause, of any node. It may have been created before this
 *        process was forked.
 *
 * @return The relation, or NULL as for hdR_createTopLevelRelation(), and if
 *         @p parent is NULL.
 */
hdR_token hdR_relateProcessLocalToken(hdR_topoToken topology, hdR_token parent);

/**
 * Create a relation that was caused by a relation of another process on this
 * host.
 *
 * @param topology Token of its node.
 * @param parent Text from hdR_getLocalToken().
 *
 * @return The relation, or NULL as for hdR_createTopLevelRelation(), and if
 *         @p parent is NULL. HD_ERR_INVALID_ARGUMENT: @p parent is not a token
 *         (a log line is printed; see HDTRACE_VERBOSITY).
 */
hdR_token hdR_relateLocalToken(hdR_topoToken topology, const char *parent);

/**
 * Create a relation that was caused by a relation on any host.
 *
 * @param topology Token of its node.
 * @param parent Text from hdR_getRemoteToken() or hdR_putRemoteToken().
 *
 * @return See hdR_relateLocalToken().
 */
hdR_token hdR_relateRemoteToken(hdR_topoToken topology, const char *parent);

/**
 * Create a relation whose cause is given by a W3C trace context.
 *
 * @param topology Token of its node.
 * @param parent Value of a `traceparent` header, of any version.
 *
 * @return See hdR_relateLocalToken().
 */
hdR_token hdR_relateTraceparent(hdR_topoToken topology, const char *parent);

/**
 * Create a relation and start its first state at the same time. This is cheaper
 * than hdR_relateProcessLocalToken(), hdR_relateRemoteToken() or
 * hdR_createTopLevelRelation(), followed by hdR_startS().
 *
 * @param topology Token of its node.
 * @param parent The cause, a relation of this process; or NULL.
 * @param cause The cause as text, if @p parent is NULL; see
 *        hdR_relateRemoteToken(). If both are NULL, there is no cause.
 * @param name See hdR_startS().
 *
 * @return The relation, to be ended with hdR_endRelation() or, after its state,
 *         with hdR_destroyRelation().
 * @retval NULL See hdR_createTopLevelRelation(). errno may also be
 *         HD_ERR_INVALID_ARGUMENT or HD_ERR_BUFFER_OVERFLOW: @p cause or
 *         @p name is invalid.
 */
hdR_token hdR_startRelation(hdR_topoToken topology, hdR_token parent,
			    const char *cause, const char *name);

/**
 * End the innermost open state of a relation, and the relation, at the same
 * time. This is cheaper than hdR_end() followed by hdR_destroyRelation().
 *
 * @param[in,out] token Relation; set to NULL if its token was freed.
 * @param n,keys,values See hdR_end().
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL. HD_ERR_INVALID_CONTEXT, HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_BUFFER_OVERFLOW and HD_ERR_MALLOC: nothing has ended, and the
 *         token stays valid; see hdR_end(). HD_ERR_GET_TIME, HD_ERR_WRITE_FILE
 *         and HD_ERR_TRACE_DISABLED: see hdR_destroyRelation().
 */
int hdR_endRelation(hdR_token *token, int n, const char *const *keys,
		    const char *const *values);

/** An attribute whose value is a number or a text. */
typedef struct {
	const char *key;
	const char *text; /**< NULL: the number is the value. */
	int64_t number;
} hdR_attribute;

/**
 * End a relation and its innermost open state like hdR_endRelation(), but keep
 * its token. The token can still be the parent of other relations, and can be
 * converted to text.
 *
 * @param token Relation; to be freed by hdR_destroyRelation(), which then
 *        records nothing.
 * @param n Number of attributes, up to HDR_MAX_ATTRIBUTES; 0 if no state is
 *        open.
 * @param attributes The attributes; see hdR_end(). Numbers are cheaper than
 *        text.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; see hdR_endRelation(). HD_ERR_INVALID_CONTEXT also
 *         if the relation has already ended.
 */
int hdR_finishRelation(hdR_token token, int n, const hdR_attribute *attributes);

/**
 * Add another cause to a relation, such as a relation that it waited for, or
 * each request of a batch.
 *
 * @param token Relation.
 * @param cause Token of the cause, from hdR_getRemoteToken().
 *
 * @retval 0 Success.
 * @retval -1 Error, or the token or the text is NULL; errno is
 *         HD_ERR_INVALID_ARGUMENT (not a token), HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME, HD_ERR_WRITE_FILE (once) or HD_ERR_TRACE_DISABLED.
 */
int hdR_link(hdR_token token, const char *cause);

/**
 * End a relation and free its token. Open states have no end in the file. If
 * hdR_finishRelation() has ended the relation, the token is only freed.
 *
 * @param[in,out] token Relation; set to NULL.
 *
 * @retval 0 Success.
 * @retval -1 Error, or NULL; errno is HD_ERR_GET_TIME (the last time of the
 *         relation is used), HD_ERR_WRITE_FILE (once) or
 *         HD_ERR_TRACE_DISABLED (the node was finalized before). The token is
 *         freed.
 */
int hdR_destroyRelation(hdR_token *token);

/* ---- Tokens as text ---------------------------------------------------- */

/**
 * Get a relation's token for other processes on this host.
 *
 * @param token Relation.
 *
 * @return The text `PID:TOPOLOGY:ID`, to be freed with free().
 * @retval NULL The token is NULL, or errno is HD_ERR_MALLOC.
 */
char *hdR_getLocalToken(hdR_token token);

/**
 * Get a relation's token for processes on any host.
 *
 * @param token Relation.
 *
 * @return The text `HOST:PID:TOPOLOGY:ID:TRACE`, to be freed with free(). TRACE
 *         is the id of the W3C trace of the relation, with its flags.
 * @retval NULL The token is NULL, or errno is HD_ERR_MALLOC.
 */
char *hdR_getRemoteToken(hdR_token token);

/**
 * Write the text of hdR_getRemoteToken() into a buffer of the caller.
 *
 * @param token Relation.
 * @param[out] buffer The buffer; HDR_TOKEN_SIZE bytes are always enough.
 * @param size Its size.
 *
 * @return Length of the text without its '\0'.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT (no buffer) or
 *         HD_ERR_BUFFER_OVERFLOW, with nothing written.
 */
int hdR_putRemoteToken(hdR_token token, char *buffer, size_t size);

/**
 * Write a relation's token as a W3C trace context, for programs that support
 * it.
 *
 * @param token Relation.
 * @param[out] buffer The buffer; HDR_TRACEPARENT_SIZE bytes are enough.
 * @param size Its size.
 *
 * @return See hdR_putRemoteToken().
 */
int hdR_putTraceparent(hdR_token token, char *buffer, size_t size);

/* ---- States ------------------------------------------------------------ */

/**
 * Start a state of a relation, inside the innermost open state if there is one.
 *
 * @param token Relation.
 * @param name Any non-empty text of up to HDR_MAX_NAME_LENGTH bytes.
 *
 * @retval 0 Success.
 * @retval -1 Error, and no state was started; or NULL. errno is
 *         HD_ERR_INVALID_ARGUMENT, HD_ERR_BUFFER_OVERFLOW, HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME or HD_ERR_TRACE_DISABLED. HD_ERR_WRITE_FILE (once):
 *         the state is tracked, but not recorded.
 */
int hdR_startS(hdR_token token, const char *name);

/**
 * Start a state with attributes.
 *
 * @param token Relation.
 * @param name See hdR_startS().
 * @param n Number of attributes, up to HDR_MAX_ATTRIBUTES.
 * @param keys Their names, without duplicates; not `name`, `t` or `time`.
 * @param values Their values, of up to HDR_MAX_VALUE_LENGTH bytes each.
 *
 * @return See hdR_startS().
 */
int hdR_start(hdR_token token, const char *name, int n, const char *const *keys,
	      const char *const *values);

/**
 * Start a state with attributes and additional XML.
 *
 * @param token Relation.
 * @param name See hdR_startS().
 * @param n,keys,values See hdR_start().
 * @param format printf format and its arguments. The result consists of XML
 *        elements, up to HDR_MAX_XML_LENGTH bytes.
 *
 * @return See hdR_startS(); HD_ERR_INVALID_ARGUMENT also for invalid XML.
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
 *         HD_ERR_MALLOC (the state stays open), HD_ERR_GET_TIME (the state
 *         ends at the last time of the relation), HD_ERR_WRITE_FILE (once; the
 *         state has ended) or HD_ERR_TRACE_DISABLED.
 */
int hdR_endS(hdR_token token);

/**
 * End a state and add attributes. They replace attributes of the same name from
 * its start or from hdR_logAttribute...().
 *
 * @param token Relation.
 * @param n,keys,values See hdR_start().
 *
 * @return See hdR_endS().
 */
int hdR_end(hdR_token token, int n, const char *const *keys,
	    const char *const *values);

/**
 * End a state and add attributes and additional XML.
 *
 * @param token Relation.
 * @param n,keys,values See hdR_end().
 * @param format See hdR_startE().
 *
 * @return See hdR_endS().
 */
int hdR_endE(hdR_token token, int n, const char *const *keys,
	     const char *const *values, const char *format, ...)
	HDR_PRINTF(5, 6);

/**
 * End a failed state: like hdR_endS(), with the attribute HDR_ERROR_KEY, which
 * the tools evaluate.
 *
 * @param token Relation.
 * @param why Reason, any text.
 *
 * @return See hdR_endS().
 */
int hdR_endFailed(hdR_token token, const char *why);

/**
 * Add an integer attribute to the innermost open state. It is written when the
 * state ends.
 *
 * @param token Relation.
 * @param key Its name; not `name`, `t` or `time`.
 * @param value Its value.
 *
 * @retval 0 Success, or the state is not recorded.
 * @retval -1 Error, or NULL; errno is HD_ERR_INVALID_ARGUMENT (NULL, not a
 *         name, or already added by this function), HD_ERR_INVALID_CONTEXT (no
 *         state is open), HD_ERR_BUFFER_OVERFLOW (more than HDR_MAX_ATTRIBUTES,
 *         or too long) or HD_ERR_MALLOC.
 */
int hdR_logAttributeInt64(hdR_token token, const char *key, int64_t value);

/**
 * Add a floating point attribute to the innermost open state, in the same
 * format as hdT_logAttributeDouble().
 *
 * @param token Relation.
 * @param key See hdR_logAttributeInt64().
 * @param value Its value.
 *
 * @return See hdR_logAttributeInt64().
 */
int hdR_logAttributeDouble(hdR_token token, const char *key, double value);

/**
 * Add a text attribute to the innermost open state.
 *
 * @param token Relation.
 * @param key See hdR_logAttributeInt64().
 * @param value Its value; copied and escaped.
 *
 * @return See hdR_logAttributeInt64().
 */
int hdR_logAttributeString(hdR_token token, const char *key, const char *value);

/* ---- Hints ------------------------------------------------------------- */

/** Longest key of a hint, in bytes. */
#define HDR_MAX_HINT_KEY_LENGTH 255
/** Longest value of a hint, in bytes. */
#define HDR_MAX_HINT_LENGTH 4096
/** Maximum number of hints in a list. */
#define HDR_MAX_HINTS 64
/** Key of the hint that carries the text of a token. */
#define HDR_HINT_TOKEN "relation"

/**
 * A small list of keys and values that accompanies a request to another thread
 * or host, through code that has no field for a token. NULL is the empty list.
 * Only one thread at a time may use a list.
 */
typedef struct _hdR_hints hdR_hints;

/**
 * Add a hint to a list, or replace the hint with the same key.
 *
 * @param[in,out] hints The list; NULL creates a list, to be freed with
 *        hdR_freeHints().
 * @param key Any text, not empty; copied.
 * @param value Any bytes; copied.
 * @param length Number of bytes.
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
 * @retval -1 Error, or the token is NULL; see hdR_addHint() for errno.
 */
int hdR_addTokenHint(hdR_hints **hints, hdR_token token);

/**
 * Get a hint.
 *
 * @param hints The list; may be NULL.
 * @param key Key of the hint.
 * @param[out] length Number of bytes; may be NULL.
 *
 * @return The value, followed by '\0'. It is valid until the list is freed or
 *         the hint is replaced. NULL if there is none; errno is not changed.
 */
const void *hdR_getHint(const hdR_hints *hints, const char *key,
			size_t *length);

/**
 * Create a relation whose cause is the token in a list.
 *
 * @param topology Token of its node.
 * @param hints The list; may be NULL.
 *
 * @return The relation, or NULL as for hdR_relateRemoteToken(), and if the list
 *         has no token.
 */
hdR_token hdR_relateHint(hdR_topoToken topology, const hdR_hints *hints);

/**
 * Encode a list for sending.
 *
 * @param hints The list; may be NULL.
 * @param[out] buffer The buffer; may be NULL if @p size is 0.
 * @param size Its size.
 *
 * @return Number of bytes that the list needs; if it exceeds @p size, nothing
 *         is written.
 */
size_t hdR_encodeHints(const hdR_hints *hints, void *buffer, size_t size);

/**
 * Decode a received list. Invalid bytes are an error.
 *
 * @param[out] hints The list, which the caller frees; NULL on error.
 * @param bytes The output of hdR_encodeHints().
 * @param length Number of bytes; the list must use all of them.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (not a valid list, or a
 *         limit is exceeded) or HD_ERR_MALLOC.
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
