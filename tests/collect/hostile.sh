#!/bin/sh
# Simulated nodes against hdnode collect: invalid replies, hangs, errors, replies
# without a request, and clocks with a known offset.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
soft=$abs_top_srcdir/tests/collect/node.py

# Ask all that the log of software nodes names: STATUS ARGUMENT...
asks_all() {
	expected=$1
	shift
	# shellcheck disable=SC2046
	exits "$expected" "$hdnode" collect --format=json "$@" \
		$(sed -n 's/^[a-z].* \([0-9]*\)$/127.0.0.1:\1/p' soft.log |
			sort -u)
}

# ---- Clocks ------------------------------------------------------------------

begin_as soft python3 "$soft" good good@1.5 good@-2.25 good@-86400 drip@0.125 ||
	{ echo "Bail out! no nodes"; exit 1; }
offsets_are_found() {
	asks_all 0 --timeout=60 && python3 - <<-'END2'
		import json
		wanted = {}
		for line in open("soft.log"):
		    mode, _, port = line.rstrip().rpartition(" ")
		    if mode.split("@")[0] in ("good", "drip"):
		        wanted["127.0.0.1:" + port] = float(mode.partition("@")[2] or 0)
		nodes = json.load(open("out"))["nodes"]
		assert len(nodes) == 5
		for n in nodes:
		    print(n["address"], n["offset_s"], n["offset_error_s"])
		    # JSON has 16 digits; a double of a day has no nanoseconds.
		    assert abs(n["offset_s"] - wanted[n["address"]]) <= \
		        n["offset_error_s"] + 2e-9
		    assert 0 < n["offset_error_s"] < 30
	END2
}
ok "clock offsets are found within their error" offsets_are_found
kill "$begun"

# ---- What is wrong -----------------------------------------------------------

begin_as soft python3 "$soft" good magic version http pong deep json list twice \
	name kinds bytes nul time bits huge tag type short unasked error half close \
	silent mute twofold || { echo "Bail out! no nodes"; exit 1; }
each_is_found_out() {
	asks_all 1 --timeout=20 && python3 - <<-'END2'
		import json
		modes = {}
		for line in open("soft.log"):
		    mode, _, port = line.rstrip().rpartition(" ")
		    if mode.isalpha():
		        modes["127.0.0.1:" + port] = mode
		d = json.load(open("out"))
		assert len(d["nodes"]) == len(modes) == 26
		allowed = {"good": ["ok"], "half": ["unreachable"],
		           "close": ["unreachable"], "silent": ["late"],
		           "mute": ["late"], "twofold": ["ok", "bad"]}
		for n in d["nodes"]:
		    mode = modes[n["address"]]
		    print(mode, n["state"], n["why"])
		    assert n["state"] in allowed.get(mode, ["bad"]), mode
		    assert mode in ("good", "twofold") or n["why"]
		    assert mode in ("good", "twofold") or n["status"] is None
	END2
}
ok "each invalid node is detected, and the good one still answers" each_is_found_out

# The reasons are those of the documentation.
reasons_are_plain() {
	python3 - <<-'END2'
		import json
		modes = {}
		for line in open("soft.log"):
		    mode, _, port = line.rstrip().rpartition(" ")
		    if mode.isalpha():
		        modes["127.0.0.1:" + port] = mode
		whys = {modes[n["address"]]: n["why"]
		        for n in json.load(open("out"))["nodes"]}
		wanted = {"magic": "the server is not hdnode",
		          "version": "unsupported protocol version",
		          "pong": "unexpected pong",
		          "deep": "JSON is nested too deeply",
		          "json": "invalid JSON",
		          "huge": "reply exceeds the size limit",
		          "tag": "reply without a request",
		          "close": "connection lost: closed by the server",
		          "silent": "timed out", "mute": "timed out"}
		for mode, why in wanted.items():
		    print(mode, whys[mode])
		    assert whys[mode] == why
	END2
}
ok "the reason names the fault of the server" reasons_are_plain
kill "$begun"

# ---- Terminals -----------------------------------------------------------------

begin_as soft python3 "$soft" tricky || { echo "Bail out! no node"; exit 1; }
is_harmless() {
	for options in "" --format=json "--format=json --interval=9 --number=1"; do
		# shellcheck disable=SC2086
		exits 0 "$hdnode" collect $options "127.0.0.1:$port" || return 1
		cat out
		python3 - <<-'END' || return 1
			text = open("out", encoding="utf-8").read()
			bad = [hex(ord(c)) for c in text
			       if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0 or c in
			       "\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028"]
			assert not bad, bad
			assert all(len(line) < 200 for line in text.splitlines()
			           if not line.startswith("{"))
			if text.startswith("{"):
			    import json
			    node = json.loads(text)["nodes"][0]
			    assert node["name"] == "a\u202eb\x9b1m\u2066"
			    assert node["capabilities"]["name"] == "\u061c\xe4\u2028"
		END
	done
}
ok "names and numbers of a node do no harm to a terminal" is_harmless
kill "$begun"

# ---- As much as they may -----------------------------------------------------

if [ -n "${HD_SANITIZE-}" ]; then
	skip "100 nodes with the longest answers take 64 MB" "sanitizers need more memory"
else
	ok "100 nodes with the longest answers take 64 MB, and their time" \
		timeout 200 python3 "$abs_top_srcdir/tests/collect/flood.py" 100 \
		"$hdnode"
fi
done_testing
