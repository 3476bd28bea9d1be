#!/bin/sh
# Traces with an index: commands print the same of any part of the time as of plain files and
# of files without an index, and read only the part.
# HDTRACE_TEST_WINDOWS says how many parts; make verify-compress takes 200.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "no python3"
command -v zstd >/dev/null || skip_all "zstd is missing"
readers=$abs_top_srcdir/tests/tools/readers
windows=${HDTRACE_TEST_WINDOWS:-2}
cd "$scratch" || exit 99

# The project in plain/, without an index in table/, with one in indexed/ and packed/: SEED
make_long() {
	rm -rf plain table indexed packed
	mkdir plain table indexed packed
	length=$(python3 "$readers/longtrace.py" plain/long 2600000 "$1") || return 1
	cp plain/* table
	for file in table/*.trc table/*.stat; do
		python3 "$readers/frames.py" --make 200000 "$file" >"$file.zst" || return 1
		rm "$file"
	done
	"$hdtrace" pack -q -o packed/long.hdz plain/long &&
		python3 "$readers/archive.py" --extract indexed packed/long.hdz &&
		zstd -qt indexed/*.zst || return 1
	for file in indexed/*.trc.zst; do
		python3 "$readers/frames.py" "$file" >frames &&
			python3 "$readers/frames.py" --index "$file" >index || return 1
		[ "$(tail -n 2 frames | cut -d ' ' -f 3 | tr '\n' ' ')" = "index table " ] ||
			return 1
	done
}

# A command prints the same of the project in all directories: ARGUMENT...
same() {
	for kind in plain table indexed packed; do
		project=long
		[ "$kind" != packed ] || project=long.hdz
		(
			cd "$kind" || exit 99
			"$hdtrace" "$@" "$project" 2>"$scratch/said"
			echo "exit status $?"
			cat "$scratch/said"
		) >"$kind.text" </dev/null
		sed 's/\.zst//g; s/long\.hdz\///g; s/long\.hdz/long/g' "$kind.text" >"$kind.out"
		cmp plain.out "$kind.out" || {
			echo "$kind: hdtrace $*"
			diff plain.out "$kind.out" | head -n 20
			return 1
		}
	done
}

# Commands with options for the part: OPTION...
commands() {
	for command in "dump" "dump --format=json --only=traces" "dump --format=csv" \
		"dump --time=relative --only=traces --where=name=S*" \
		"dump --time=relative --only=traces" "stat --regions" "stat --by-site" \
		"report --format=json" "plot -o - --states=above"; do
		# Words.
		# shellcheck disable=SC2086
		same $command "$@" || return 1
	done
	same cut -q -f -o part "$@" || return 1
	for kind in table indexed packed; do
		for file in plain/part*; do
			cmp "$file" "$kind/${file#plain/}" || return 1
		done
	done
	rm -f plain/part* table/part* indexed/part* packed/part*
}

# Parts at random, some of them short, some without a beginning or an end.
parts() {
	python3 - "$windows" "$length" <<-'END' >parts
	import random, sys
	r = random.Random(int(sys.argv[2]))
	for i in range(int(sys.argv[1])):
	    a = r.random() * int(sys.argv[2])
	    b = a + r.random() ** 4 * (int(sys.argv[2]) - a) + 1
	    a, b = f"{a / 1e9:.9f}", f"{b / 1e9:.9f}"
	    print(f"--from={a}", "" if i % 4 == 2 else f"--to={b}" if i % 2 else f"--to=@{1001 + float(b):.9f}")
	print(f"--to={b}")
	print("--from=1000")
	END
	while read -r options; do
		# shellcheck disable=SC2086
		commands $options || return 1
	done <parts
	[ "$(wc -l <parts)" -eq $((windows + 2)) ]
}

ok "traces are packed with an index" make_long 4
ok "commands print the same of any part" parts

# What one command finds in all of it, and the start: the state around all others.
whole() {
	same check && same stat --regions && same dump --time=relative --only=traces || return 1
	cd plain || return 1
	"$hdtrace" dump --time=relative --only=traces --format=csv long >../all.csv || return 1
	cd ..
	python3 - all.csv <<-'END'
	import csv, sys
	rows = list(csv.DictReader(open(sys.argv[1])))
	starts = sorted((float(row["start"]), float(row["end"])) for row in rows if row["end"])
	print(starts[0])
	sys.exit(starts[0][0] != 0 or starts[0][1] < max(end for _, end in starts) * 0.5)
	END
}
ok "commands find equal records in the whole trace, from the earliest start" whole

# ---- only the part is read ----

# How many bytes a command reads of files: FILE ARGUMENT...
bytes_read() {
	file=$1
	shift
	strace -f -qq -y -e trace=read,pread64 -o calls "$hdtrace" "$@" >/dev/null 2>&1
	grep -F "$file" calls | sed -n 's/.* = \([0-9]*\)$/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}
reads_part() {
	middle=$(awk -v n="$length" 'BEGIN { printf "%.9f", n / 2e9 }')
	until=$(awk -v n="$length" 'BEGIN { printf "%.9f", n / 2e9 + 1e-5 }')
	whole=$(bytes_read .trc.zst dump --only=traces indexed/long)
	part=$(bytes_read .trc.zst dump --only=traces --from="$middle" --to="$until" indexed/long)
	without=$(bytes_read .trc.zst dump --only=traces --from="$middle" --to="$until" table/long)
	echo "$part of $whole bytes; without an index, $without"
	[ "$whole" -gt 100000 ] && [ "$part" -lt $((whole * 7 / 10)) ] && [ "$without" -gt 5000000 ]
}
if command -v strace >/dev/null && strace -qq -o calls true 2>/dev/null; then
	ok "only the part is read" reads_part
else
	skip "only the part is read" "no strace"
fi

# A damaged frame outside of the part does not matter, and one inside is named.
damage() {
	set -- indexed/*_0_0.trc.zst
	cp "$1" saved
	python3 "$readers/frames.py" "$1" >frames || return 1
	# One that later records do not need.
	python3 "$readers/frames.py" --index "$1" >index || return 1
	frame=$(awk 'NR > 2 && $4 == 1 { print NR; exit }' index)
	at=$(awk -v n="$frame" 'NR < n { at += $1 } END { print at + 20 }' frames)
	first=$(awk -v n="$frame" 'NR == n { printf "%.9f", 1000 + $1 / 1e9 - 1e-4 }' index)
	last=$(awk -v n="$frame" 'NR == n { printf "%.9f", 1000 + $2 / 1e9 + 1e-4 }' index)
	printf '\252\125' | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
	breaks "trc.nested-no-owner zst.frame" 1 dump --format=csv indexed/long &&
		status 0 dump --format=csv --to=@"$first" indexed/long &&
		status 0 dump --format=csv --from=@"$last" indexed/long
	ret=$?
	cp saved "$1"
	return "$ret"
}
middle=$(awk -v n="$length" 'BEGIN { printf "%.9f", n / 2e9 }')
ok "frames outside of the part are not read" damage

# An index that is damaged is named once for each file, and not used.
damaged_index() {
	"$hdtrace" dump --format=csv --from="$middle" indexed/long >right || return 1
	set -- indexed/*_0_0.trc.zst
	cp "$1" saved
	python3 "$readers/frames.py" "$1" >frames || return 1
	at=$(awk '{ size[NR] = $1 } END { for (i = 1; i < NR - 1; i++) at += size[i]; print at + 40 }' \
		frames)
	printf '\252\125' | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
	breaks zst.index 1 dump --format=csv --from="$middle" indexed/long &&
		cmp "$scratch/out" right && [ "$(grep -c 'zst.index' "$scratch/err")" -eq 1 ] &&
		grep "the index at byte $((at - 40)) of the compressed file" "$scratch/err" &&
		breaks "trc.part zst.index" 1 check indexed/long &&
		recovers
	ret=$?
	cp saved "$1"
	return "$ret"
}
# recover makes a file without the index.
recovers() {
	"$hdtrace" recover -q --format=csv -o recovered indexed/long >table.csv 2>said
	grep 'zst.index' table.csv && cat said && status 0 check recovered/long &&
		(cd plain && "$hdtrace" dump --format=csv long) >a.csv &&
		(cd recovered && "$hdtrace" dump --format=csv long) >b.csv && cmp a.csv b.csv
	ret=$?
	rm -rf recovered
	return "$ret"
}
ok "a damaged index is named and not used" damaged_index

# An index that hides records: what reads all has them, and check finds them.
hidden() {
	set -- indexed/*_0_0.trc.zst
	cp "$1" saved
	"$hdtrace" dump --format=csv indexed/long >right &&
		python3 "$readers/frames.py" --hide saved >"$1" &&
		status 0 dump --format=csv indexed/long && cmp "$scratch/out" right &&
		breaks "trc.part zst.index" 1 check indexed/long && recovers
	ret=$?
	cp saved "$1"
	return "$ret"
}
ok "an index that hides records is found" hidden

# ---- other programs change the file ----

# merge changes the header, and keeps the index.
merged() {
	cp -R indexed changed && rm changed/long.proj &&
		"$hdtrace" merge -q --time-adjust=h=1.5s changed/long || return 1
	for file in changed/*.trc.zst; do
		python3 "$readers/frames.py" "$file" | tail -n 2 | grep index || return 1
	done
	status 0 check changed/long &&
		status 0 dump --only=traces --format=csv --from=@1001.5 --to=@1001.51 changed/long
}
ok "merge keeps the index" merged

# check compares the index with the frames: one of another trace is found.
foreign() {
	mkdir other foreign &&
		python3 "$readers/longtrace.py" other/long 2600000 9 >/dev/null &&
		"$hdtrace" pack -q -o other/long.hdz other/long &&
		python3 "$readers/archive.py" --extract foreign other/long.hdz || return 1
	python3 "$readers/frames.py" --swap indexed/long_h_0_0.trc.zst \
		foreign/long_h_0_0.trc.zst >swapped || return 1
	cp -R indexed wrong && cp swapped wrong/long_h_0_0.trc.zst &&
		breaks "trc.part zst.index" 1 check wrong/long
}
ok "an index of another trace is found" foreign
done_testing
