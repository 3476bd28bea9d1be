#!/bin/sh
# hdtrace recover: copies of damaged files are correct, hold all that was
# complete, and the originals stay as they are.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
cd "$scratch" || exit 99

# The project "mini" again, in a new directory.
fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
	make_mini
}

# Keep the first bytes of a file: FILE NUMBER; head -c.
cut_to() {
	head -c "$2" "$1" >"$scratch/cut" && cp "$scratch/cut" "$1"
}

# Cut a file at every byte: FILE NAMES [HOST NAMES], formats that take the size; a name in
# the file is replaced, since hosts have different ones.
cut_everywhere() {
	python3 - "$@" <<-'END'
	import sys
	data = open(sys.argv[1], "rb").read()
	for size in range(len(data)):
	    text = data
	    if len(sys.argv) > 3:
	        text = data.replace(sys.argv[3].encode(), (sys.argv[4] % size).encode())
	    with open(sys.argv[2] % size, "wb") as file:
	        file.write(text[:size])
	END
}

# Recover the project, which is damaged; the copies have no problem left, and
# the originals are as before.
recovers() {
	rm -rf "$scratch/originals" mini-recovered
	cp -r . "$scratch/originals"
	status "${1:-1}" recover mini.proj || return 1
	cat "$scratch/out"
	cp "$scratch/out" "$scratch/report"
	status 0 check mini-recovered/mini.proj || {
		cat "$scratch/out"
		return 1
	}
	diff -r -x mini-recovered "$scratch/originals" . || return 1
	# Nothing is in only one of both but the copies themselves.
	(cd "$scratch/originals" && ls) >"$scratch/names"
	(cd mini-recovered && ls) | comm -23 "$scratch/names" - >"$scratch/missing"
	sed 's/$/: no copy/' "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

# The report has a line: FILE RESULT BYTES RECORDS
reports() {
	cat "$scratch/report"
	tr -s ' ' <"$scratch/report" | grep -q "^$1 $2 $3 $4\\( \\|\$\\)"
}

# What is in a file of the copies: FILE, the output of hdtrace dump on stdin.
holds() {
	"$hdtrace" dump --time=relative --only="$1" "mini-recovered/$2" |
		sed 1d >"$scratch/dump"
	diff - "$scratch/dump"
}

fresh
ok "undamaged files are copied" recovers 0
ok "copies of undamaged files are equal" diff -r -x mini-recovered . mini-recovered
ok "existing copies are kept" says "mini-recovered: cannot create: File exists" 2 recover mini
ok "existing files in the directory of -o are kept" says "File exists" 2 recover -o . mini
ok "a missing file is reported" says "No such file" 2 recover -o new none
ok "a missing file creates no directory" [ ! -e new ]
ok "no copies are reported without a copy" [ ! -s out ]
ok "several files require --output" says "require --output" 2 recover a b
ok "a directory that cannot be created is reported" says "No such file" 2 recover -o no/such mini
for format in text csv json; do
	cut_to mini_alpha_Energy.stat 390
	ok "report as $format" prints recover.$format 1 recover \
		--format=$format -o report-$format mini
done

fresh
cut_to mini_alpha_Energy.stat 390
ok "a truncated entry is removed" recovers
ok "the removed entry is counted" reports mini_alpha_Energy.stat repaired 16 1
ok "other entries are kept" holds stats mini_alpha_Energy.stat <<'END'
  value "P" FLOAT unit "W" grouping "Power"
  value "E" DOUBLE unit "J" grouping ""
  0.000000000 1.000000000 100 100
  1.000000000 2.000000000 200 NaN
  gap
  4.000000000 5.000000000 300 400
END
fresh
cut_to mini_beta_Net.stat 400
ok "a truncated string is repaired" recovers
ok "the entry of a truncated string is removed" reports mini_beta_Net.stat repaired 22 '?'
fresh
{ energy_stat alpha; stamp 1000000004; hex 42c80000 4059000000000000; } \
	>mini_alpha_Energy.stat
ok "a decreasing time is repaired" recovers
ok "records after a decreasing time are removed" reports mini_alpha_Energy.stat repaired 20 1
fresh
head -c 100 /dev/zero >>mini_alpha_Energy.stat
ok "zeros at the end are repaired" recovers
ok "all zeros at the end are removed" reports mini_alpha_Energy.stat repaired 100 5
fresh
energy_header alpha >mini_alpha_Energy.stat
ok "a file with only a header is repaired" recovers
ok "a header gets a start time" reports mini_alpha_Energy.stat repaired 0 0
fresh
cut_to mini_alpha_Energy.stat 200
ok "a truncated header is repaired" recovers
ok "a file with a truncated header is emptied" reports mini_alpha_Energy.stat emptied 200 '?'
fresh
: >mini_alpha_Energy.stat
ok "an empty .stat file is copied" recovers

fresh
sed '/<.Program>/d' mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a trace without its end is repaired" recovers
ok "no state is lost without the end of a trace" reports mini_alpha_0.trc repaired 0 0
ok "the repaired trace has all states" holds traces mini_alpha_0.trc <<'END'
  0.750000000 1.000000000     Read size="4"
  0.500000000 1.500000000   Read size="8" <Data offset="0" size="8"/>
  2.000000000 2.000000000   event "a < \"b\""
  0.000000000 2.500000000 Work what="it's"
  2.500000000 4.000000000 Wait
  4.000000000 4.500000000 Work what="more"
END
fresh
sed '/<Wait/,$d' mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a trace without its second half is repaired" recovers
fresh
sed '/<Work/,$d' mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a trace without its outer state is repaired" recovers
ok "one lost state is counted" reports mini_alpha_0.trc repaired '[0-9]*' 1
ok "children of a lost state are kept" holds traces mini_alpha_0.trc <<'END'
  0.250000000 0.500000000   Read size="4"
  0.000000000 1.000000000 Read size="8" <Data offset="0" size="8"/>
  1.500000000 1.500000000 event "a < \"b\""
END
fresh
sed '/<.Nested/,$d' mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a trace without two outer states is repaired" recovers
ok "children of two lost states are kept" holds traces mini_alpha_0.trc <<'END'
  0.000000000 0.250000000 Read size="4"
END
fresh
sed 's/<Wait /<Wait>/' mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "broken XML in a trace is repaired" recovers
fresh
sed 's/\(<Wait .*\) end=[^ ]*/\1\/>/;s/<Work/<Work x="\&amp;\&#10;"/' \
	mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a state without its end time is removed" recovers
ok "the incomplete state is counted" reports mini_alpha_0.trc repaired 0 1
fresh
: >mini_alpha_0.trc
ok "an empty trace is repaired" recovers
fresh
head -c 3 mini_alpha_0.trc >t && mv t mini_alpha_0.trc
ok "a trace of three bytes is repaired" recovers
fresh
printf "Type id='9' combiner='MPI_COM" >>mini_alpha_0.info
ok "a truncated .info file is repaired" recovers
ok "a truncated .info file loses its last line" reports mini_alpha_0.info repaired 29 1
fresh
printf "Type id=9 name='' combiner='MPI_COMBINER_NAMED'" >>mini_alpha_0.info
ok "an .info file without a final line feed is repaired" recovers
ok "an .info file without a final line feed loses nothing" reports mini_alpha_0.info repaired 0 0

# Cut at every byte, all in one project.
fresh
cp mini_alpha_0.trc "$scratch/trace"
cp mini_alpha_Energy.stat "$scratch/stat"
rm mini*
echo "<Application name='mini'><Topology><Level type='Host'/></Topology>" \
	"</Application>" >mini.proj
cut_everywhere "$scratch/trace" 'mini_a%d.trc'
cut_everywhere "$scratch/stat" 'mini_b%04d_Energy.stat' alpha 'b%04d'
ok "traces cut at every byte are repaired" recovers
complete() {
	find mini-recovered -name '*.trc' -exec grep -c '<Work' {} + |
		cut -d: -f 2 | sort | uniq -c
	"$hdtrace" dump --only=traces mini-recovered/mini_a465.trc |
		grep -c Work
	[ "$("$hdtrace" dump --only=traces mini-recovered/mini_a465.trc |
		grep -c Work)" -eq 2 ]
}
ok "traces cut at every byte keep complete records" complete

# A .proj cut at every byte: a project again, though with less in it.
fresh
proj_bytes=$(wc -c <mini.proj)
cp mini.proj "$scratch/whole.proj"
cuts() {
	byte=0
	while [ "$byte" -lt "$proj_bytes" ]; do
		rm -rf copies
		head -c "$byte" "$scratch/whole.proj" >mini.proj
		"$hdtrace" recover -q -o copies mini.proj >/dev/null
		found=$?
		[ "$found" -eq 1 ] || [ "$byte" -ge $((proj_bytes - 1)) ] || {
			echo "byte $byte: exit status $found"
			return 1
		}
		"$hdtrace" check copies/mini.proj >"$scratch/out" || {
			echo "byte $byte:"
			cat "$scratch/out" copies/mini.proj
			return 1
		}
		byte=$((byte + 13))
	done
}
ok "a .proj file cut at many places is repaired" cuts

# Relations: cut at every byte, all complete elements are there, and no others.
printf '<relation version="1" hostID="a" localToken="1" topologyNumber="0" timeAdjustment="5">\n<rel t="0" time="1"/><s name="a" t="0" time="1"><x>text</x></s><rel t="1" time="1" i="0"/><e t="0" time="2"/><un t="0" time="2"/></relation>' \
	>"$scratch/whole.rel"
# The complete elements of each file; before the cut, they end with "/>" or "</s>".
count_elements() {
	awk -v RS='\001' '{
		gsub(/\n/, "")
		name = FILENAME
		sub(/.*\//, "", name)
		n = gsub(/<(rel|e|un) [^>]*\/>/, "") + gsub(/<s [^>]*>.*<\/s>/, "")
		print name, n
	}' "$@"
}
relations_cut() {
	fresh
	size=$(wc -c <"$scratch/whole.rel")
	header=$(head -n 1 "$scratch/whole.rel" | wc -c)
	header=$((header - 1))
	cut_everywhere "$scratch/whole.rel" mini_r%d.rel
	rm mini_r0.rel
	cp "$scratch/whole.rel" "mini_r$size.rel"
	"$hdtrace" recover -q -o copies mini.proj >"$scratch/out" 2>&1
	# Those without a whole header are left out.
	byte=1
	while [ "$byte" -lt "$header" ]; do
		[ ! -e "copies/mini_r$byte.rel" ] || return 1
		set -- "$@" "mini_r$byte.rel"
		byte=$((byte + 1))
	done
	rm "$@"
	[ "$(grep -c 'left out' "$scratch/out")" -eq $((header - 1)) ] || {
		cat "$scratch/out"
		return 1
	}
	count_elements mini_r*.rel >"$scratch/whole"
	count_elements copies/mini_r*.rel | diff "$scratch/whole" - || return 1
	"$hdtrace" check copies/mini.proj >"$scratch/out" 2>&1
	! grep -E 'rel\.(xml|cut|no-end|root)' "$scratch/out" || return 1
	cmp "copies/mini_r$size.rel" "$scratch/whole.rel"
}
ok "relations cut at every byte are repaired" relations_cut
single_relations() {
	rm -rf one* && head -c 120 "$scratch/whole.rel" >one_a.rel
	status 1 recover one_a.rel && [ -s one_a-recovered/one_a.rel ]
}
ok "a single relation file is repaired" single_relations

if [ -d "$corpus" ]; then
	for project in stresstest partdiff-mpi; do
		fresh
		rm mini*
		cp "$corpus/$project"/* . && chmod u+w ./*
		for file in *.stat *.trc; do
			cut_to "$file" $(($(wc -c <"$file") * 9 / 10))
		done
		real() {
			status 1 recover -o copies "$project.proj" || return 1
			cat "$scratch/out"
			status 0 check "copies/$project.proj" || {
				cat "$scratch/out"
				return 1
			}
		}
		ok "a truncated $project is repaired" real
	done
else
	skip "real projects" "no corpus"
fi
done_testing
