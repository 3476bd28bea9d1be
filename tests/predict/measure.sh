#!/bin/sh
# hdpredict measure: what it records of kernels on this machine, whose power is that of
# a simulated meter that follows the CPU time of the process.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
cd "$scratch" || exit 99
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)

# Two tasks of K0 that run side by side, then one of K1, alone; K2 has two
# configurations.
cat >g.xml <<'END'
<application>
<kernel id="K0"><variable id="n"/><output id="o" size="20000"/></kernel>
<kernel id="K1"><variable id="n"/><input id="a" size="20000"/>
<input id="b" size="20000"/><output id="o" size="5000"/></kernel>
<task id="a" kernel="K0"><assign var="n" val="20"/></task>
<task id="b" kernel="K0"><assign var="n" val="20"/></task>
<task id="c" kernel="K1"><assign var="n" val="3"/></task>
<dependency predecessor="a" successor="c" src="o" dest="a"/>
<dependency predecessor="b" successor="c" src="o" dest="b"/>
</application>
END

# States of a trace, a line each: NAME BEGIN END, then its attributes as they stand.
states() {
	tr '<' '\n' <"$1" | sed -n "s/^\([A-Z][a-zA-Z]*\) \(.*\) time='\([0-9.]*\)' end='\([0-9.]*\)'.*/\1 \3 \4 \2/p" |
		sort -n -k 2
}

# ---- One PE, and power ---------------------------------------------------------

# Two batches of each kernel of 1 PE; the times command prints CPU time of children.
measure_alone() {
	sim_start --law="1:process:$scratch/pid,low=60,high=110" || return 1
	printf '[General]\ndevice=LMG450\nport=%s\ncycle=50\n' "$PWD/meter" >pt.cfg
	printf '[Trace]\ntype=HDSTATS\nnode=%s\nchannel=1\nvalues=P\n' "$host" >>pt.cfg
	cat >alone <<-END
		echo \$\$ >pid
		exec "$hdpredict" measure -c pt.cfg -o one --pes=1 --batches=2 \\
			--batch=0.4 --pause=0.3 g.xml
	END
	# Nobody loads it before it begins: the sum of all is the child's.
	sh -c 'sh alone; status=$?; times; exit $status' >spent 2>err
	status=$?
	cat spent err
	sim_stop && [ "$status" -eq 0 ] || return 1
	# What it takes to begin, which is much with a sanitizer: no meter sees that.
	sed 's/ measure / measure --plan /; s/-o one/-o none/; /pid$/d' alone >plan &&
		sh -c 'sh plan >listed && times' >begun
}
ok "kernels are measured on one PE" measure_alone
ok "the project passes check" "$hdtrace" check one/measured
states "one/measured_${host}_0.trc" >listed
as_said() {
	cat listed
	grep '^Batch' listed | sed "s/ repetitions.*//; s/^Batch [0-9. ]*//" >batches
	printf "kernel='K%d' architecture='core' var.n='%d'\n" 0 20 0 20 1 3 1 3 |
		diff - batches
}
ok "two batches of each kernel, with their attributes" as_said
# Each batch has a pause before it and after it, and nothing else beside.
in_pauses() {
	awk '{ name[NR] = $1; length_[NR] = $3 - $2; print }
		END {
			for (i = 1; i <= NR; i++) {
				if (name[i] == "Pause" && length_[i] < 0.299) bad = 1
				if (name[i] != "Batch") continue
				if (name[i - 1] != "Pause" || name[i + 1] != "Pause") bad = 1
				if (length_[i] < 0.399) bad = 1
			}
			exit bad || NR < 8
		}' listed
}
ok "each batch has a pause before and after it" in_pauses
# The journal says what a run took, as the state does.
as_journal() {
	grep '^Batch' listed | sed "s/.*repetitions='\([0-9]*\)'.*/\1/" >repetitions
	grep '^Batch' listed | cut -d ' ' -f 2,3 | paste -d ' ' - repetitions >spans
	sed 1d one/journal | cut -f 2 | paste -d ' ' - spans | awk '
		{ d = $3 - $2 - $4 * $1; print; if (d < -0.1 || d > 0.1) bad = 1 }
		END { exit bad || NR != 4 }'
}
ok "journal and project have equal times" as_journal
# What times said of the children.
cpu_of() {
	sed -n '2s/[a-z]/ /gp' "$1" | awk '{ for (i = 1; i <= NF; i += 2) s += $i * 60 + $(i + 1); print s }'
}
# By the law: 50 J above idle for each second of CPU time, as the shell counts it, that
# was spent since it has begun.
energy() {
	"$hdtrace" stat --format=csv one/measured | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$3 == "P" { print $at["mean"], $at["count"] }' >power
	{ cpu_of spent; cpu_of begun; } | paste -s -d ' ' |
		paste -d ' ' power - | awk '
			{ joules = ($1 - 60) * $2 * 0.05; law = ($3 - $4) * 50
			print joules " J, law: " law ", and " $4 " s to begin"
			d = joules / law - 1; exit !(NF == 4 && d < 0.1 && d > -0.1) }'
}
ok "energies follow the law of the meter" energy
again() {
	exits 0 "$hdpredict" measure -c pt.cfg -o one --pes=1 --batches=2 --batch=0.4 \
		--pause=0.3 g.xml && grep -q 'all measurements are complete' err &&
		[ ! -e one/measured-2.proj ]
}
ok "completed batches are not repeated" again

# The meter goes after the first of two batches: neither counts.
without_meter() {
	sed '/K1\|"c"\|dependency\|<input/d' g.xml >k0.xml
	sim_start || return 1
	"$hdpredict" measure -c pt.cfg -o gone --pes=1 --batches=2 --batch=0.1 \
		--pause=0.05 k0.xml 2>err &
	pid=$!
	until_done grep -q K0 gone/journal || return 1
	sim_stop
	wait "$pid"
	found=$?
	cat err
	[ "$found" -eq 2 ] && grep -q 'to repeat them' err || return 1
	exits 0 "$hdpredict" measure --plan -c pt.cfg -o gone --pes=1 --batches=2 --batch=0.1 \
		--pause=0.05 k0.xml && grep -q 'n=20: 0 of 2 batches complete' out
}
ok "batches without power are repeated" without_meter

# ---- Loads, and going on -------------------------------------------------------

short="--batches=1 --batch=0.1 --pause=0.05"
plans() {
	# Words of options.
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure --plan -o two --pes="$1" $short g.xml || return 1
	grep -q 'K0 n=20: 0 of 1 batches complete' out && [ ! -e two ]
}
ok "--plan writes no files" plans 1
# Each kernel on one PE, and on two together; entries have both.
threads() {
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -q --alone -o threads --pes=2 --threads=2 $short g.xml || return 1
	grep -c ' on 2 PEs' threads/journal | grep -x 2 &&
		"$hdtrace" dump threads/measured_*_0.trc | grep -c 'pes="2"' | grep -x 2 &&
		"$hdpredict" characterize --time-only -o learnt threads/measured >said &&
		[ "$(grep -c 'pes="2"' learnt/resources.xml)" -eq 2 ] &&
		[ "$(grep -c '<entry' learnt/resources.xml)" -eq 4 ] &&
		[ "$(grep -c '<pe ' learnt/platform.xml)" -eq 2 ] &&
		"$hdpredict" map g.xml --platform learnt/platform.xml --resources learnt/resources.xml >/dev/null
}
if [ "$(nproc)" -ge 2 ]; then
	ok "kernels are measured on two PEs together" threads
fi
# On a platform with one PE nothing runs beside another; a machine that is like this
# one would have a pair for the two PEs.
platforms() {
	for count in 1 2; do
		"$hdpredict" platform --nodes 1 --pes "$count" -o "p$count.xml" || return 1
		# shellcheck disable=SC2086
		exits 0 "$hdpredict" measure -q -o "on$count" --platform="p$count.xml" --pes=2 $short g.xml || return 1
		grep -c beside "on$count/journal" >>pairs
	done
	cat pairs
	printf '0\n1\n' | cmp - pairs
}
if [ "$(nproc)" -ge 2 ]; then
	ok "loads follow from the platform" platforms
else
	skip "loads follow from the platform" "there is one CPU"
fi
interrupted() {
	# shellcheck disable=SC2086
	"$hdpredict" measure -o two --pes="$pes" $short --batches=50 g.xml 2>err &
	pid=$!
	until_done grep -q K0 two/journal || return 1
	kill -INT "$pid"
	wait "$pid"
	found=$?
	cat err
	[ "$found" -eq 2 ] && grep -q 'run the same command to continue' err &&
		"$hdtrace" check two/measured
}
pes=1
[ "$(nproc)" -lt 2 ] || pes=2
# A background job of a shell without job control ignores SIGINT unless the command
# handles it, as this one does.
ok "a measurement can be interrupted" interrupted
goes_on() {
	cp two/journal before
	printf 'K1 n=3\t1e' >>two/journal
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -o two --pes=$pes $short g.xml || return 1
	cat two/journal
	[ -e two/measured-2.proj ] && "$hdtrace" check two/measured-2 &&
		head -n "$(wc -l <before)" two/journal | cmp - before &&
		[ "$(cut -f 1 two/journal | sort | uniq -d | wc -l)" -eq 0 ]
}
ok "an interrupted measurement continues" goes_on
if [ $pes -eq 2 ]; then
	only_pairs() {
		grep beside two/journal | cut -f 1 >pairs
		cat pairs
		echo 'K0 n=20 beside 1 x K0 n=20' | cmp - pairs
	}
	ok "only loads of the simulation are measured" only_pairs
	loaded() {
		states "two/measured-2_${host}_0.trc" | grep "load='K0' count='1'" >beside &&
			states "two/measured-2_${host}_1.trc" | grep '^Load' >load ||
			return 1
		cat beside load
		cut -d ' ' -f 2,3 beside | paste -d ' ' - load |
			awk '{ exit !($4 <= $1 && $5 >= $2) }'
	}
	ok "a load covers its whole batch" loaded
else
	skip "only loads of the simulation are measured" "there is one CPU"
	skip "a load covers its whole batch" "there is one CPU"
fi
files() {
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -o two --pes=$pes --files $short g.xml || return 1
	states "two/measured-3_${host}_0.trc" | grep '^Io' | tee io |
		sed "s/.*order='\([a-z]*\)' access='\([a-z]*\)' size='\([0-9]*\)'.*/\1 \2 \3/" >classes
	cat io
	for order in 'sequential:1048576' 'random:4096'; do
		for access in read write sync; do
			echo "${order%:*} $access ${order#*:}"
		done
	done | cmp - classes
}
ok "six classes of file accesses are measured" files
# Each between two pauses; what makes the file is none.
files_in_pauses() {
	states "two/measured-3_${host}_0.trc" | awk '{ name[NR] = $1; print }
		END {
			for (i = 1; i <= NR; i++)
				if (name[i] == "Io") {
					n++
					if (name[i - 1] != "Pause" || name[i + 1] != "Pause" || name[i - 2] != "Mark" ||
						name[i - 3] != "Trial" || name[i + 2] != "Trial") bad = 1
				}
			exit bad || n != 6
		}' && [ "$(grep -c '^file: ' two/journal)" -eq 6 ]
}
ok "file accesses are measured between pauses" files_in_pauses
files_go_on() {
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -o two --pes=$pes --files $short g.xml && grep -q 'all measurements are complete' err &&
		[ ! -e two/measured-4.proj ] || return 1
	sed -i '/random writes$/d; /random writes	/d' two/journal
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure --plan -o two --pes=$pes --files $short g.xml &&
		grep -q 'file: random writes: 0 of 1 batches complete' out &&
		grep -q 'file: random reads: 1 of 1 batches complete' out &&
		exits 0 "$hdpredict" measure -o two --pes=$pes --files $short g.xml || return 1
	[ "$(states "two/measured-4_${host}_0.trc" | grep -c '^Io .*random.*write')" -eq 1 ] &&
		[ "$(states "two/measured-4_${host}_0.trc" | grep -c '^Io ')" -eq 1 ]
}
ok "only missing file accesses are measured again" files_go_on
no_space() {
	exits 2 env LC_ALL=C sh -c 'ulimit -f 2048; trap "" XFSZ; exec "$@"' - "$hdpredict" measure -o full --pes=1 \
		--alone --files --batches=1 --batch=0.1 --pause=0.05 k0.xml && grep -q 'full: ' err
}
ok "a full disk is reported" no_space

# More tasks one behind the other than are run for the inputs of the last one.
chain() {
	{
		echo '<application><kernel id="RING0"><output id="o" size="80"/></kernel>'
		echo '<kernel id="RING"><variable id="n"/><input id="i" size="80"/>'
		echo '<output id="o" size="80"/></kernel><task id="t0" kernel="RING0"/>'
		for i in $(seq 80); do
			echo "<task id='t$i' kernel='RING'><assign var='n' val='$((i / 80))'/></task>"
			echo "<dependency predecessor='t$((i - 1))' successor='t$i' src='o' dest='i'/>"
		done
		echo '</application>'
	} >chain.xml
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -o chain --pes=1 $short --batch=0.01 chain.xml &&
		grep -q '^RING n=1' chain/journal
}
ok "a long chain of tasks is measured" chain

# Until it is warm is as long as was asked for, as nothing here is that warm; and
# then it is measured.
warm() {
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" measure -o warm --pes=1 $short --alone --steady --steady-for=1 k0.xml ||
		return 1
	grep -q 'waiting for a steady temperature' err && "$hdtrace" check warm/measured &&
		[ "$(grep -c '^K0' warm/journal)" -eq 1 ] || return 1
	# Nothing is measured meanwhile.
	states "warm/measured_${host}_0.trc" | awk 'NR == 1 { print; exit !($2 >= 1) }'
}
ok "the measurement begins at a steady temperature" warm
# Whether as many threads as there are CPUs, beside the first one, have had 0.1 s of
# CPU time, which they get sooner or later, whatever else the machine does: PID
works_on_all() {
	cat "/proc/$1"/task/*/stat | sed 's/ (.*) / /' |
		awk -v first="$1" -v cpus="$(nproc)" -v ticks="$(getconf CLK_TCK)" '
			$1 != first && ($13 + $14) * 10 >= ticks { n++ }
			END { print n + 0, "threads work"; exit n < cpus }'
}
# All CPUs work until it is warm.
cold() {
	# shellcheck disable=SC2086
	"$hdpredict" measure -o cold --pes=1 $short --alone --steady k0.xml 2>err &
	pid=$!
	until_done grep -q 'waiting for a steady temperature' err || return 1
	until_done works_on_all "$pid" >working
	works=$?
	kill -TERM "$pid"
	wait "$pid"
	found=$?
	cat err
	tail -n 1 working
	[ "$works" -eq 0 ] || return 1
	[ "$found" -eq 2 ] && grep -q 'run the same command to continue' err &&
		[ "$(wc -l <cold/journal)" -eq 1 ]
}
ok "nothing is measured before the temperature is steady" cold

# ---- What is wrong -------------------------------------------------------------

sed 's/K1/NONE/g' g.xml >unknown.xml
sed 's/id="K1"/id="POTRF"/; s/kernel="K1"/kernel="POTRF"/' g.xml >fails.xml
touch file
mkdir strange wrong
printf text >strange/journal
{
	cat two/journal
	echo 'K0 n=20	1 s'
} >wrong/journal
while IFS='|' read -r name status arguments text; do
	# Words of a row.
	# shellcheck disable=SC2086
	exits "$status" "$hdpredict" measure $short $arguments >said </dev/null
	found=$?
	ok "$name" [ $found -eq 0 ]
	ok "$name: message" grep -qF -- "$text" err
done <<'END'
no output directory|2|g.xml|missing option: --output
no graph|2|-o x|missing argument: GRAPH
a missing graph file|2|-o x none.xml|none.xml
no PEs|2|-o x --pes=-1 g.xml|--pes: invalid number "-1"; expected 1 or more
more PEs than CPUs|2|-o x --pes=100000 g.xml|--pes: invalid number "100000"; expected 1 to
threads without a number|2|-o x --threads= g.xml|--threads: invalid value ""; expected ascending numbers
threads on one PE|2|-o x --pes=1 --threads=2 g.xml|--threads: invalid value "2"; expected ascending numbers
one thread|2|-o x --threads=1 g.xml|--threads: invalid value "1"; expected ascending numbers
threads twice|2|-o x --threads=2,2 g.xml|--threads: invalid value "2,2"; expected ascending numbers
threads that end with a comma|2|-o x --threads=2, g.xml|--threads: invalid value "2,"; expected ascending numbers
threads as a word|2|-o x --threads=two g.xml|--threads: invalid value "two"; expected ascending numbers
more threads than PEs|2|-o x --threads=99999 g.xml|--threads: invalid value "99999"; expected ascending numbers
no batches|2|-o x --batches=0 g.xml|--batches: invalid number "0"; expected 1 to 1000
a batch of days|2|-o x --batch=1e9 g.xml|--batch: invalid duration "1e9"
an unknown kernel|1|-o x --alone unknown.xml|NONE: 
a kernel that fails|2|-o x --alone fails.xml|POTRF n=3: 
no configuration|2|-o y -c none.cfg g.xml|none.cfg
another architecture than before|2|-o two --architecture=other g.xml|other options
other kernels|2|-o two --kernels=. g.xml|other options
longer batches|2|-o two --batch=0.2 g.xml|other options
a file that is not a journal|2|-o strange g.xml|strange/journal: not a journal
a journal with a wrong line|2|-o wrong --plan g.xml|: not a line of a journal
a directory that is a file|2|-o file g.xml|file
a missing platform file|2|-o z --platform=none.xml g.xml|none.xml
END
done_testing
