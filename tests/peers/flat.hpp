// SPDX-License-Identifier: LGPL-2.1-or-later
// A mapped task graph, as tests/peers/flat.py writes it, for programs of others.
#ifndef HD_PEERS_FLAT_HPP
#define HD_PEERS_FLAT_HPP

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <time.h>

namespace flat {

struct Bridge {
	double init, size, latency; // ns, bytes, ns a packet

	double packets(double bytes) const
	{
		return size > 0 ? std::ceil(bytes / size) : 0;
	}
};

struct Task {
	int pe;
	double seconds;
};

struct Message {
	int producer, number;
	double bytes;
	int server; // Where it goes.
	std::vector<int> path, consumers;
};

struct Graph {
	int servers = 0;
	std::vector<Bridge> bridges;
	std::vector<int> serverOf; // By PE.
	std::vector<Task> tasks;
	std::vector<std::vector<int>> order; // Tasks by PE.
	std::vector<std::pair<int, int>> local;
	std::vector<Message> messages;

	explicit Graph(const std::string &path)
	{
		std::ifstream in(path);
		size_t bridgeCount, pes, taskCount, count;

		in >> servers >> bridgeCount >> pes >> taskCount;
		bridges.resize(bridgeCount);
		for (Bridge &b : bridges)
			in >> b.init >> b.size >> b.latency;
		serverOf = numbers(in, pes);
		tasks.resize(taskCount);
		for (Task &t : tasks)
			in >> t.pe >> t.seconds;
		for (size_t p = 0; p < pes; p++)
			order.push_back(counted(in));
		in >> count;
		local.resize(count);
		for (auto &l : local)
			in >> l.first >> l.second;
		in >> count;
		messages.resize(count);
		for (Message &m : messages) {
			in >> m.producer >> m.number >> m.bytes >> m.server;
			m.path = counted(in);
			m.consumers = counted(in);
		}
		if (!in)
			throw std::runtime_error(path + ": not as flat.py writes it");
	}

    private:
	static std::vector<int> numbers(std::ifstream &in, size_t count)
	{
		std::vector<int> list(count);

		for (int &n : list)
			in >> n;
		return list;
	}

	static std::vector<int> counted(std::ifstream &in)
	{
		size_t count = 0;

		in >> count;
		return numbers(in, in ? count : 0);
	}
};

inline double now()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// What was found: the makespan in s, s of the simulation alone, kB at most.
inline void say(double makespan, double seconds)
{
	std::ifstream status("/proc/self/status");
	std::string word;
	long peak = 0;

	while (status >> word) {
		if (word == "VmHWM:")
			status >> peak;
	}
	std::printf("%.9f %.6f %ld\n", makespan, seconds, peak);
}

} // namespace flat

#endif
