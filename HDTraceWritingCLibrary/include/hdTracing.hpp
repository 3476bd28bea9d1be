/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * C++ interface of the writing library: classes that end what they begin.
 *
 *     hd::Topology topology("run", {"Host", "Process"});
 *     hd::Trace trace(topology.node({"host0", "0"}));
 *     {
 *         hd::State state(trace, "solve");
 *         state.attribute("unknowns", n);
 *         solve();
 *     }
 *     hd::Group losses("Losses", topology.node({"host0"}), 1);
 *     losses.value("loss", DOUBLE, "J").commit();
 *     losses.write(0.5);
 *
 * The header needs C++11 and no library but libhdTracing. Objects can be moved, not
 * copied; like those of the C functions, each is used by one thread at a time.
 *
 * Constructors and Group::commit() throw hd::Error. Nothing else throws: a failed
 * write must not end a program, so these functions return whether they succeeded,
 * and errno is as hdTrace.h and hdStats.h say. Destructors ignore errors;
 * Trace::finalize() and Group::finalize() report them.
 */
#ifndef HD_TRACING_HPP
#define HD_TRACING_HPP

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdStats.h>
#include <hdTopology.h>
#include <hdTrace.h>

/** The C++ interface of HDTrace. */
namespace hd
{

/** An object could not be made; code() is an error of hdError.h. */
class Error : public std::runtime_error
{
public:
	/** @param what Begins the message. @param code errno of the call. */
	Error(const std::string &what, int code)
	    : std::runtime_error(what + ": " + hdT_strerror(code)),
	      errorCode(code)
	{
	}

	/** Get the error number, such as HD_ERR_CREATE_FILE. */
	int code() const noexcept { return errorCode; }

private:
	int errorCode;
};

/** A node of a topology; lives as long as needed to make traces and groups. */
class Node
{
public:
	/** Take a node of hdT_createTopoNode(). */
	explicit Node(hdTopoNode *taken) noexcept : handle(taken) {}
	/** Move a node. */
	Node(Node &&other) noexcept : handle(other.handle)
	{
		other.handle = nullptr;
	}
	/** Exchange two nodes. */
	Node &operator=(Node &&other) noexcept
	{
		std::swap(handle, other.handle);
		return *this;
	}
	Node(const Node &) = delete;
	Node &operator=(const Node &) = delete;
	~Node()
	{
		if (handle)
			hdT_destroyTopoNode(handle);
	}

	/** Get the node for C functions; it stays this object's. */
	hdTopoNode *get() const noexcept { return handle; }

private:
	hdTopoNode *handle;
};

/** A project and its levels; see hdT_createTopology(). */
class Topology
{
public:
	/**
	 * Describe a project.
	 *
	 * @param project Its name, optionally with a directory.
	 * @param levels Types of the levels below the root.
	 */
	Topology(const std::string &project,
		 const std::vector<std::string> &levels)
	{
		std::vector<const char *> list = pointers(levels);

		handle = hdT_createTopology(project.c_str(), list.data(),
					    static_cast<int>(levels.size()));
		if (!handle)
			throw Error("topology " + project, errno);
	}
	/** Move a topology. */
	Topology(Topology &&other) noexcept : handle(other.handle)
	{
		other.handle = nullptr;
	}
	/** Exchange two topologies. */
	Topology &operator=(Topology &&other) noexcept
	{
		std::swap(handle, other.handle);
		return *this;
	}
	Topology(const Topology &) = delete;
	Topology &operator=(const Topology &) = delete;
	~Topology()
	{
		if (handle)
			hdT_destroyTopology(handle);
	}

	/** Make a node; @p path holds the labels from level 1 down to it. */
	Node node(const std::vector<std::string> &path) const
	{
		std::vector<const char *> list = pointers(path);
		hdTopoNode *made = hdT_createTopoNode(
			handle, list.data(), static_cast<int>(path.size()));

		if (!made)
			throw Error("topology node", errno);
		return Node(made);
	}

	/** Get the topology for C functions; it stays this object's. */
	hdTopology *get() const noexcept { return handle; }

private:
	/* At least one, so that there is an array. */
	static std::vector<const char *>
	pointers(const std::vector<std::string> &texts)
	{
		std::vector<const char *> list;

		for (const std::string &text : texts)
			list.push_back(text.c_str());
		list.push_back(nullptr);
		return list;
	}

	hdTopology *handle;
};

/** A trace of states and events; see hdT_createTrace(). */
class Trace
{
public:
	/** Create the trace of a node and its file. */
	explicit Trace(const Node &node) : handle(hdT_createTrace(node.get()))
	{
		if (!handle)
			throw Error("trace", errno);
	}
	/** Move a trace; states of it must not be open. */
	Trace(Trace &&other) noexcept : handle(other.handle)
	{
		other.handle = nullptr;
	}
	/** Exchange two traces; states of them must not be open. */
	Trace &operator=(Trace &&other) noexcept
	{
		std::swap(handle, other.handle);
		return *this;
	}
	Trace(const Trace &) = delete;
	Trace &operator=(const Trace &) = delete;
	~Trace() { finalize(); }

	/** Write an event. */
	bool event(const char *name) noexcept
	{
		return hdT_logEvent(handle, name) == 0;
	}

	/** Write what is still in memory. */
	bool flush() noexcept { return hdT_flush(handle) == 0; }

	/** Record, or stop recording. */
	bool enable(bool isOn = true) noexcept
	{
		return (isOn ? hdT_enableTrace(handle)
			     : hdT_disableTrace(handle)) >= 0;
	}

	/** End the trace now, before the destructor does. */
	bool finalize() noexcept
	{
		hdTrace *ended = handle;

		handle = nullptr;
		return !ended || hdT_finalize(ended) == 0;
	}

	/** Get the trace for C functions; it stays this object's. */
	hdTrace *get() const noexcept { return handle; }

private:
	hdTrace *handle;
};

/** A state that lasts as long as this object: make it in a block. */
class State
{
public:
	/** Start a state of a trace, which must outlive this object. */
	State(Trace &of, const char *name) noexcept
	    : trace(of.get()), isOpen(hdT_logStateStart(trace, name) == 0)
	{
	}
	State(const State &) = delete;
	State &operator=(const State &) = delete;
	~State() { end(); }

	/** Add an attribute: a number or a text. */
	State &attribute(const char *key, std::int64_t value) noexcept
	{
		if (isOpen)
			hdT_logAttributeInt64(trace, key, value);
		return *this;
	}
	/** As above. */
	State &attribute(const char *key, int value) noexcept
	{
		return attribute(key, static_cast<std::int64_t>(value));
	}
	/** As above; a number above the range of int64_t is written as text. */
	State &attribute(const char *key, std::uint64_t value)
	{
		if (value <= static_cast<std::uint64_t>(INT64_MAX))
			return attribute(key, static_cast<std::int64_t>(value));
		return attribute(key, std::to_string(value));
	}
	/** As above. */
	State &attribute(const char *key, double value) noexcept
	{
		if (isOpen)
			hdT_logAttributeDouble(trace, key, value);
		return *this;
	}
	/** As above. */
	State &attribute(const char *key, const char *value) noexcept
	{
		if (isOpen)
			hdT_logAttributeString(trace, key, value);
		return *this;
	}
	/** As above. */
	State &attribute(const char *key, const std::string &value) noexcept
	{
		return attribute(key, value.c_str());
	}

	/** End the state before the block ends. */
	bool end() noexcept
	{
		bool wasOpen = isOpen;

		isOpen = false;
		return wasOpen && hdT_logStateEnd(trace) == 0;
	}

private:
	hdTrace *trace;
	bool isOpen;
};

/** A group of statistics; see hdS_createGroup(). */
class Group
{
public:
	/**
	 * Create a group and its file.
	 *
	 * @param name Its name.
	 * @param node Node to use.
	 * @param level Level on the path of the node that the group belongs to.
	 */
	Group(const char *name, const Node &node, int level)
	    : handle(hdS_createGroup(name, node.get(), level))
	{
		if (!handle)
			throw Error(std::string("group ") + name, errno);
	}
	/** Move a group. */
	Group(Group &&other) noexcept : handle(other.handle)
	{
		other.handle = nullptr;
	}
	/** Exchange two groups. */
	Group &operator=(Group &&other) noexcept
	{
		std::swap(handle, other.handle);
		return *this;
	}
	Group(const Group &) = delete;
	Group &operator=(const Group &) = delete;
	~Group() { finalize(); }

	/** Add a value before commit(); throws hd::Error. */
	Group &value(const char *name, hdStatsValueType type,
		     const char *unit = nullptr, const char *grouping = nullptr)
	{
		check(hdS_addValue(handle, name, type, unit, grouping), name);
		return *this;
	}

	/** Add an attribute of the last value, or of the group; throws. */
	Group &attribute(const char *key, const char *text)
	{
		check(hdS_addAttribute(handle, key, text), key);
		return *this;
	}

	/** Write the header, and begin with the first entry; throws. */
	Group &commit()
	{
		check(hdS_commitGroup(handle), "commit");
		check(hdS_enableGroup(handle) < 0 ? -1 : 0, "enable");
		return *this;
	}

	/** Write the next value of an entry, of the type it was declared with. */
	bool write(double value) noexcept
	{
		return hdS_writeDoubleValue(handle, value) == 0;
	}
	/** As above. */
	bool write(float value) noexcept
	{
		return hdS_writeFloatValue(handle, value) == 0;
	}
	/** As above. */
	bool write(std::int32_t value) noexcept
	{
		return hdS_writeInt32Value(handle, value) == 0;
	}
	/** As above. */
	bool write(std::int64_t value) noexcept
	{
		return hdS_writeInt64Value(handle, value) == 0;
	}
	/** As above. */
	bool write(const char *value) noexcept
	{
		return hdS_writeString(handle, value) == 0;
	}

	/** Write what is still in memory. */
	bool flush() noexcept { return hdS_flush(handle) == 0; }

	/** End the group now, before the destructor does. */
	bool finalize() noexcept
	{
		hdStatsGroup *ended = handle;

		handle = nullptr;
		return !ended || hdS_finalize(ended) == 0;
	}

	/** Get the group for C functions; it stays this object's. */
	hdStatsGroup *get() const noexcept { return handle; }

private:
	static void check(int result, const char *what)
	{
		if (result != 0)
			throw Error(what, errno);
	}

	hdStatsGroup *handle;
};

} // namespace hd

#endif
