// SPDX-License-Identifier: LGPL-2.1-or-later
// A mapped task graph in SystemC 2.3, as section 9.7 of the thesis describes its
// simulator: PEs and memories are processes; a message is one frame that goes from
// queue to queue of one place, and each bridge waits for what its packets take
// longer than those of the bridges before. A bridge is taken by one frame at a
// time, but not the path: that is what hdpredict does otherwise.
//
// usage: peer-systemc FLAT
#include <deque>
#include <iostream>
#include <memory>
#include <set>

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

#include "flat.hpp"

namespace {

// A data set on its way.
struct Frame {
	const flat::Message *message;
	size_t hop;   // The bridge that is next in its path.
	double worst; // Time of its packets on the slowest so far, ns.
};

// sc_fifo can print what it holds.
std::ostream &operator<<(std::ostream &out, const Frame &frame)
{
	return out << frame.message->number;
}

using Queue = sc_core::sc_fifo<Frame>;

struct World {
	const flat::Graph &graph;
	std::vector<int> missing; // Inputs of each task.
	std::vector<std::unique_ptr<sc_core::sc_event>> arrived; // By PE.
	std::vector<std::unique_ptr<Queue>> queues;              // By bridge.
	std::vector<std::vector<const flat::Message *>> made;    // By task.
	std::vector<std::vector<int>> local;                     // By task.
	size_t done = 0;
	double end = 0;

	explicit World(const flat::Graph &g)
		: graph(g), missing(g.tasks.size()), made(g.tasks.size()),
		  local(g.tasks.size())
	{
		for (const auto &l : g.local) {
			local[l.first].push_back(l.second);
			missing[l.second]++;
		}
		for (const flat::Message &m : g.messages) {
			made[m.producer].push_back(&m);
			for (int c : m.consumers)
				missing[c]++;
		}
		for (size_t p = 0; p < g.order.size(); p++)
			arrived.push_back(
				std::make_unique<sc_core::sc_event>());
		for (size_t b = 0; b < g.bridges.size(); b++)
			queues.push_back(std::make_unique<Queue>(1));
	}

	void arrive(int task)
	{
		if (--missing[task] == 0)
			arrived[graph.tasks[task].pe]->notify(
				sc_core::SC_ZERO_TIME);
	}
};

sc_core::sc_time nanoseconds(double ns)
{
	return sc_core::sc_time(ns, sc_core::SC_NS);
}

// The end of all transmissions of a server: sends in the order of numbers.
class Memory : public sc_core::sc_module {
	World &world;
	sc_core::sc_event ready;
	std::set<std::pair<int, const flat::Message *>> waiting;

	void run()
	{
		for (;;) {
			while (waiting.empty())
				wait(ready);
			const flat::Message *m = waiting.begin()->second;

			waiting.erase(waiting.begin());
			world.queues[m->path[0]]->write(Frame{ m, 0, 0 });
		}
	}

    public:
	Memory(const sc_core::sc_module_name &name, World &w)
		: sc_core::sc_module(name), world(w)
	{
		sc_core::sc_spawn([this] { run(); });
	}

	void send(const flat::Message *m)
	{
		waiting.emplace(m->number, m);
		ready.notify(sc_core::SC_ZERO_TIME);
	}
};

// A directed interface.
class Bridge : public sc_core::sc_module {
	World &world;
	size_t number;

	void run()
	{
		const flat::Bridge &about = world.graph.bridges[number];

		for (;;) {
			Frame frame = world.queues[number]->read();
			const flat::Message *m = frame.message;
			double own = about.packets(m->bytes) * about.latency;

			if (own > frame.worst) {
				wait(nanoseconds(own - frame.worst));
				frame.worst = own;
			}
			wait(nanoseconds(about.init));
			if (++frame.hop < m->path.size()) {
				world.queues[m->path[frame.hop]]->write(frame);
				continue;
			}
			for (int c : m->consumers)
				world.arrive(c);
		}
	}

    public:
	Bridge(const sc_core::sc_module_name &name, World &w, size_t n)
		: sc_core::sc_module(name), world(w), number(n)
	{
		sc_core::sc_spawn([this] { run(); });
	}
};

// Runs its tasks in their order, and never skips one.
class Pe : public sc_core::sc_module {
	World &world;
	size_t number;
	Memory &memory;

	void run()
	{
		for (int task : world.graph.order[number]) {
			while (world.missing[task])
				wait(*world.arrived[number]);
			wait(nanoseconds(world.graph.tasks[task].seconds * 1e9));
			for (int next : world.local[task])
				world.arrive(next);
			for (const flat::Message *m : world.made[task])
				memory.send(m);
			world.done++;
			world.end = std::max(
				world.end,
				sc_core::sc_time_stamp().to_seconds());
		}
	}

    public:
	Pe(const sc_core::sc_module_name &name, World &w, size_t n, Memory &m)
		: sc_core::sc_module(name), world(w), number(n), memory(m)
	{
		sc_core::sc_spawn([this] { run(); });
	}
};

} // namespace

int sc_main(int argc, char **argv)
{
	if (argc != 2) {
		std::cerr << "usage: peer-systemc FLAT\n";
		return 2;
	}
	flat::Graph graph(argv[1]);
	World world(graph);
	std::vector<std::unique_ptr<sc_core::sc_module>> modules;
	std::vector<Memory *> memories;
	auto name = [](const char *what, size_t n) {
		return what + std::to_string(n);
	};

	for (int s = 0; s < graph.servers; s++) {
		auto memory = std::make_unique<Memory>(name("m", s).c_str(),
						       world);

		memories.push_back(memory.get());
		modules.push_back(std::move(memory));
	}
	for (size_t b = 0; b < graph.bridges.size(); b++)
		modules.push_back(std::make_unique<Bridge>(
			name("b", b).c_str(), world, b));
	for (size_t p = 0; p < graph.order.size(); p++)
		modules.push_back(std::make_unique<Pe>(
			name("p", p).c_str(), world, p,
			*memories[graph.serverOf[p]]));

	double begin = flat::now();
	sc_core::sc_start();
	double spent = flat::now() - begin;
	if (world.done != graph.tasks.size()) {
		std::cerr << "peer-systemc: not all tasks were done\n";
		return 1;
	}
	flat::say(world.end, spent);
	return 0;
}
