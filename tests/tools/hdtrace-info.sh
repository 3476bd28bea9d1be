#!/bin/sh
# hdtrace info and dump: what they print.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini

for format in text csv json; do
	ok "info prints $format" prints info.$format 0 info --format=$format mini
	ok "dump prints $format" prints dump.$format 0 dump --format=$format mini
	ok "dump --hex prints $format" prints dump-hex.$format 0 dump --hex \
		--only=stats --format=$format mini
	ok "dump prints a selection as $format" prints dump-some.$format 0 dump \
		--from 2 --to 4.5 --format=$format -n alpha --time=relative mini
done
ok "dump prints dates" prints dump-date.text 0 dump --only=traces --time=date mini
ok "dump prints one group" prints dump-group.text 0 dump -g Energy -v P mini
ok "info describes a single file" prints info-file.text 0 info mini_alpha_Energy.stat
ok "dump refuses dates in JSON" says "--time=date: not available in JSON" 2 dump --time=date \
	--format=json mini
ok "dump refuses an unknown form of times" says '--time: invalid value "noon"; expected unix, relative or date' 2 dump --time=noon mini
ok "dump refuses an unknown part" says '--only: invalid value "half"; expected project' 2 dump --only=half mini

# By hand: files of 469, 114, 394 and 403 bytes; two lines of 45 bytes; and what is nested.
sizes() {
	status 0 info --sizes --format=json mini && grep -q '"size_bytes": 1380,' out &&
		grep -q '"name": "Wait", "count": 2, "size_bytes": 90 }' out &&
		grep -q '"name": "hdmpirun --nesting=1", "saved_bytes": 187 }' out || return 1
	grep -q '"name": "--compress' out || return 0
	"$hdtrace" pack -q -o packed.hdz mini && status 0 info --sizes --format=json packed.hdz &&
		grep -q '"size_bytes": 1380,' out && ! grep '"name": "--compress' out
}
ok "info --sizes: bytes by name, and options that are not used yet" sizes

# A file that is not declared, one that is missing, one that is unreadable.
sed 's/<Net/<Disk/' mini.proj >other && mv other mini.proj
echo junk >mini_alpha_Net.stat
for format in text csv json; do
	ok "info describes a damaged project as $format" prints info-damaged.$format 1 \
		info --format=$format mini
done

# Many nodes: alike ones are one line, an odd one is not.
folds() {
	"$abs_top_builddir/tests/bench/make-project" --nodes=40 --ranks=8 \
		--records=20000 --values=400000 large || return 1
	rm large_node007_Energy.stat
	status 0 info large || return 1
	lines=$(wc -l <out)
	echo "$lines lines"
	[ "$lines" -le 60 ] && grep -q "node001 to node040 (39 x Host)$" out &&
		grep -q "node007 (Host)$" out && grep -q " 0 to 319 (312 x Rank)$" out &&
		grep -q "^Energy of 39 nodes, node001 to node040$" out || return 1
	status 0 info --nodes large && grep -q "node011 (Host)$" out &&
		grep -q " 80 to 87 (8 x Rank)$" out || return 1
	status 0 info --ranks large && [ "$(grep -c "(Rank)$" out)" = 320 ]
}
ok "info folds nodes that are alike" folds
done_testing
