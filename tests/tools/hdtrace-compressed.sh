#!/bin/sh
# Every command reads compressed files like plain ones.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v zstd >/dev/null || skip_all "zstd is missing"
frames=$abs_top_srcdir/tests/tools/readers/frames.py
cd "$scratch" || exit 99

# Compress the files of a directory, each in three frames or more: DIRECTORY
compress() {
	find "$1" -name '*.trc' -o -name '*.stat' -o -name '*.rel' >"$scratch/list"
	while read -r file; do
		size=$(($(wc -c <"$file") / 3 + 1))
		split -b "$size" "$file" "$scratch/part."
		for part in "$scratch"/part.*; do
			zstd -qc "$part"
		done >"$file.zst"
		zstd -qdc "$file.zst" | cmp - "$file" || return 1
		rm -f "$scratch"/part.* "$file"
	done <"$scratch/list"
}

# The same, as stored frames with a seek table: DIRECTORY BYTES
store() {
	find "$1" -name '*.trc' -o -name '*.stat' -o -name '*.rel' >"$scratch/list"
	while read -r file; do
		python3 "$frames" --make "$2" "$file" >"$file.zst" || return 1
		zstd -qdc "$file.zst" | cmp - "$file" || return 1
		rm "$file"
	done <"$scratch/list"
}

# What a command prints does not depend on compression: ARGUMENT...
# It runs in plain/ and in compressed/.
same() {
	for kind in plain compressed; do
		(
			cd "$kind" || exit 99
			"$hdtrace" "$@"
			echo "exit status $?"
		) >"$scratch/$kind.text" 2>&1 </dev/null
		sed 's/\.zst//g' "$scratch/$kind.text" >"$scratch/$kind.out"
	done
	diff "$scratch/plain.out" "$scratch/compressed.out"
}

# A project in plain/ and compressed/: DIRECTORY
take() {
	rm -rf plain compressed
	cp -R "$1" plain && chmod -R u+w plain && cp -R plain compressed
}

all_same() {
	for project in plain/*.proj; do
		project=${project#plain/}
		for command in info dump stat report check; do
			same "$command" "$project" || return 1
			same "$command" --format=json "$project" || return 1
		done
	done
}

historic() {
	take "$1" && compress compressed && all_same
}

stored() {
	take "$1" && store compressed "$2" && all_same
}

mini() {
	rm -rf mini
	mkdir mini
	(cd mini && make_mini)
}

mini
ok "commands print the same of a small project" historic mini
ok "commands print the same with a seek table" stored mini 100
for directory in handwritten partdiff-mpi old-format pvfs2-server-nan; do
	name="commands print the same of the historic project $directory"
	if [ -d "$corpus/$directory" ]; then
		ok "$name" historic "$corpus/$directory"
	else
		skip "$name" "no corpus"
	fi
done

# ---- a part of the time ----

# A long group: 400 entries of a gauge, a delta and a counter, in frames of 10.
long() {
	rm -rf long
	mkdir long
	(
		cd long || exit 99
		cat >long.proj <<-'END'
		<Application name="long"><Topology><Level type="Host"/><Node name="h"/></Topology><ExternalStatistics><Long/></ExternalStatistics></Application>
		END
		python3 - <<-'END'
		import struct
		values = "".join(f'  <Value name="{name}" type="INT64" unit="B" kind="{kind}"/>\n'
		                 for name, kind in (("G", "gauge"), ("D", "delta"), ("C", "counter")))
		header = ('<Statistics>\n<TopologyNode>\n  <Label value="h"/>\n</TopologyNode>\n'
		          '<Group name="Long" timestampDatatype="EPOCH" timeAdjustment="0">\n'
		          + values + '</Group>\n</Statistics>\n').encode()
		head = b"%05d\n" % len(header) + header
		with open("long_h_Long.stat", "wb") as file, open("sizes", "w") as sizes:
		    file.write(head + struct.pack(">II", 1000, 0))
		    sizes.write(f"{len(head) + 8}\n")
		    for i in range(400):
		        file.write(struct.pack(">IIqqq", 1000 + i // 2, i % 2 * 500000000 + 1000,
		                               i * i % 97, i % 7, i * 11))
		        if i % 10 == 9:
		            sizes.write("320\n")
		END
	)
}
# The same in frames of whole records.
take_long() {
	take long
	rm -f compressed/sizes
	at=1
	while read -r size; do
		tail -c +"$at" long/long_h_Long.stat | head -c "$size" >part
		zstd -qc part
		at=$((at + size))
	done <long/sizes >compressed/long_h_Long.stat.zst
	zstd -qdc compressed/long_h_Long.stat.zst | cmp - long/long_h_Long.stat &&
		rm compressed/long_h_Long.stat
}
commands_from() {
	for command in "dump --format=json" "dump --format=csv" "dump --step=7" "stat" \
		"report --format=json" "cut -f -o part"; do
		# Words.
		# shellcheck disable=SC2086
		same $command --from="$1" --to="$2" long || return 1
	done
	cmp plain/part_h_Long.stat compressed/part_h_Long.stat &&
		same export --to=csv-wide -o wide --from="$1" --until="$2" long &&
		diff -r plain/wide compressed/wide && rm -r plain/wide compressed/wide
}
part() {
	long && take_long || return 1
	commands_from 4.5 10 && commands_from 100.2 300
}
ok "commands print the same of a part of the time" part
# Frames before the part are not read: one that is damaged does not matter.
skips() {
	take_long || return 1
	printf '\377\377\377\377' | dd of=compressed/long_h_Long.stat.zst bs=1 conv=notrunc \
		seek=$(($(wc -c <compressed/long_h_Long.stat.zst) / 8)) 2>/dev/null
	breaks zst.frame 1 dump --from=150 --format=csv compressed/long || return 1
	for command in "dump --format=json" "stat --format=json" "report" "cut -o $scratch/skip"; do
		# Words.
		# shellcheck disable=SC2086
		status 0 $command --from=150 compressed/long || return 1
	done
}
ok "entries before the part are skipped" skips

exports() {
	take mini && compress compressed || return 1
	for format in csv-wide ctf; do
		same export --to "$format" -o "export-$format" mini || return 1
		diff -r "plain/export-$format" "compressed/export-$format" ||
			return 1
	done
}
ok "exported files have the same names and content" exports

single_file() {
	take mini && compress compressed || return 1
	for file in compressed/*.zst; do
		file=${file#compressed/}
		(cd plain && "$hdtrace" dump "${file%.zst}") >plain.out || return 1
		(cd compressed && "$hdtrace" dump "$file") |
			sed 's/\.zst//g' | diff plain.out - || return 1
	done
}
ok "single compressed files are read" single_file

both_forms() {
	take mini && compress compressed || return 1
	cp compressed/*.zst plain
	breaks zst.both 1 check plain
}
ok "a plain file is preferred to a compressed one, with a warning" both_forms

# ---- merge ----

merges() {
	take mini && "$@" || return 1
	rm plain/mini.proj compressed/mini.proj
	same merge --time-adjust=alpha=1.5s mini || return 1
	diff plain/mini.proj compressed/mini.proj || return 1
	all_same || return 1
	for file in compressed/*.zst; do
		zstd -qt "$file" || return 1
		python3 "$frames" "$file" || return 1
	done
}
ok "merge changes headers of compressed files" merges compress compressed
ok "merge keeps seek tables" merges store compressed 150
ok "merge changes a header in several frames" merges store compressed 30

# Clocks of a host: CLOCK...
clocks() {
	take mini && compress compressed || return 1
	rm plain/mini.proj compressed/mini.proj
	for clock; do
		echo "Clock time=$clock error=0.00003 method='ping-pong'"
	done | tee -a plain/mini_beta_1.info >>compressed/mini_beta_1.info
	for kind in plain compressed; do
		(cd "$kind" && "$hdtrace" merge mini >/dev/null) || return 1
	done
	diff plain/mini.proj compressed/mini.proj
}
# A clock that runs at another speed: all times are written anew.
drifts() {
	clocks "1000000000 offset=0.25" "1000000010 offset=0.2505" && all_same || return 1
	for file in compressed/*.zst; do
		plain=${file#compressed/}
		zstd -qdc "$file" | cmp - "plain/${plain%.zst}" || return 1
		zstd -qt "$file" || return 1
		python3 "$frames" "$file" || return 1
	done
}
ok "merge corrects times of compressed files" drifts
# One that is late all the time: the frames stay as they are.
is_late() {
	clocks "1000000000 offset=0.25" && same report mini.proj &&
		same dump --only=stats --format=csv mini.proj || return 1
	! same dump --only=traces --format=csv mini.proj >changes || return 1
	cat changes
	[ "$(grep -c '^[<>]' changes)" -eq 2 ] &&
		[ "$(grep -c '^[<>].*,timeAdjustment,' changes)" -eq 2 ] || return 1
	zstd -dc compressed/mini_beta_1.trc.zst | grep 'clock="corrected"' || return 1
	(cd compressed && cp mini.proj once && "$hdtrace" merge -f mini && cmp mini.proj once) ||
		return 1
	# The last frame of the compressed file is one of before.
	take mini && compress compressed || return 1
	tail -c 30 compressed/mini_beta_Net.stat.zst >frame
	cp -R compressed before
	clocks "1000000000 offset=0.25" && tail -c 30 compressed/mini_beta_Net.stat.zst | cmp - frame
}
ok "merge corrects a constant offset in the header" is_late

# ---- damage ----

# A file is cut; what is complete is recovered: FILE BYTES
recovers_cut() {
	take mini && store compressed 100 || return 1
	rm -rf compressed-recovered
	head -c "$2" "compressed/$1.zst" >"$scratch/short" &&
		cp "$scratch/short" "compressed/$1.zst"
	"$hdtrace" recover -o compressed-recovered compressed/mini.proj
	[ -e "compressed-recovered/$1" ] || return 1
	status 0 check compressed-recovered/mini.proj
}
ok "a cut .stat.zst is recovered as a plain file" recovers_cut mini_alpha_Energy.stat 480
set -- mini/*.trc
ok "a cut .trc.zst is recovered as a plain file" recovers_cut "${1#mini/}" 300

# A damaged frame is named, with its place in both files.
names_place() {
	take mini && store compressed 100 || return 1
	printf '\377' | dd of="compressed/mini_alpha_Energy.stat.zst" bs=1 \
		seek=353 conv=notrunc 2>/dev/null
	breaks zst.frame 1 check compressed
	grep 'offset 300: .*the frame at byte 348 of the compressed file' \
		"$scratch/out" "$scratch/err"
}
ok "the place of a damaged frame is printed" names_place

without_libzstd() {
	take mini && compress compressed || return 1
	mkdir -p fake && echo >fake/libzstd.so.1
	(
		LD_LIBRARY_PATH=$scratch/fake
		export LD_LIBRARY_PATH
		says "compressed, and zstd is missing: " 2 info \
			compressed/mini_alpha_Energy.stat.zst &&
			status 0 info plain
	)
}
if [ -n "${HD_SANITIZE-}" ]; then
	skip "missing libzstd is named" "the sanitizer may need it"
else
	ok "missing libzstd is named" without_libzstd
fi
done_testing
