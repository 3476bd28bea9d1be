/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program of C++11 that records by hdTracing.hpp; its exit status says what
 * failed. */
#include <hdTracing.hpp>

static void record(hd::Trace &trace)
{
	hd::State state(trace, "solve");

	state.attribute("n", 3)
		.attribute("big", UINT64_MAX)
		.attribute("x", 0.5)
		.attribute("t", std::string("a b"));
	hd::State inner(trace, "inner");
}

int main()
{
	hd::Topology topology("run", {"Host", "Process"});
	hd::Trace trace(topology.node({"host0", "0"}));

	record(trace);
	trace.event("tick");
	hd::Group group("Losses", topology.node({"host0"}), 1);
	group.value("loss", DOUBLE, "J").attribute("kind", "delta");
	group.value("n", INT32).commit();
	if (!group.write(0.5) || !group.write(7) || group.write(1))
		return 1;
	try {
		hd::Trace again(topology.node({"host0", "0"}));
		return 2;
	} catch (const hd::Error &error) {
		if (error.code() != HD_ERR_CREATE_FILE)
			return 3;
	}
	hd::Trace moved(std::move(trace));
	return moved.finalize() && group.finalize() ? 0 : 4;
}
