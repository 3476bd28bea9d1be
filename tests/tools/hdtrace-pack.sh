#!/bin/sh
# hdtrace pack and unpack: one file that everything reads, and the same files.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v zstd >/dev/null || skip_all "zstd is missing"
readers=$abs_top_srcdir/tests/tools/readers
cd "$scratch" || exit 99

mini() {
	rm -rf mini
	mkdir mini
	(cd mini && make_mini && echo "a note" >mini.notes)
}

# The files of a project come back: DIRECTORY
round_trip() {
	rm -rf packed plain
	mkdir packed
	cp -R "$1" packed/source
	chmod -R u+w packed/source
	for project in packed/source/*.proj; do
		project=${project##*/}
		project=${project%.proj}
		# Status 1: the project has problems, but it is packed.
		"$hdtrace" pack -q -o "packed/$project.hdz" \
			"packed/source/$project.proj"
		[ $? -le 1 ] || return 1
		python3 "$readers/archive.py" "packed/$project.hdz" || return 1
		"$hdtrace" unpack -q -o plain "packed/$project.hdz"
		[ $? -le 1 ] || return 1
		for file in plain/*; do
			cmp "$file" "packed/source/${file##*/}" || return 1
		done
		[ "$(find plain -name '*.trc' -o -name '*.stat' | wc -l)" -gt 0 ] ||
			return 1
		rm -rf plain
	done
}

# What a command prints does not depend on the form: ARGUMENT...
same() {
	(cd packed/source && "$hdtrace" "$@" "$project.proj") \
		>"$scratch/plain.text" 2>&1 </dev/null
	(cd packed && "$hdtrace" "$@" "$project.hdz") 2>&1 </dev/null |
		sed "s/\\.zst//g; s,$project\\.hdz/,,g; s,^$project\\.hdz:,$project.proj:," \
			>"$scratch/packed.text"
	diff "$scratch/plain.text" "$scratch/packed.text"
}

all_same() {
	for project in packed/*.hdz; do
		project=${project##*/}
		project=${project%.hdz}
		for command in info dump stat report check; do
			same "$command" || return 1
			same "$command" --format=json || return 1
		done
	done
}

mini
ok "a project is packed and unpacked" round_trip mini
ok "commands print the same of an archive" all_same
for directory in handwritten partdiff-mpi old-format pvfs2-server-nan; do
	name="the historic project $directory is packed and unpacked"
	if [ -d "$corpus/$directory" ]; then
		ok "$name" round_trip "$corpus/$directory"
		ok "commands print the same of an archive of $directory" all_same
	else
		skip "$name" "no corpus"
	fi
done

# What other commands write does not depend on the form, either.
files_same() (
	rm -rf exports
	mkdir exports
	cp -R mini exports/source && cp packed/mini.hdz exports && cd exports || return 1
	for format in arrow csv-wide ctf openmetrics otlp paraver perfetto; do
		"$hdtrace" export -q --to "$format" -o plain."$format" source/mini >/dev/null 2>&1
		"$hdtrace" export -q --to "$format" -o packed."$format" mini.hdz >/dev/null 2>&1
		[ -e packed."$format" ] && diff -r plain."$format" packed."$format" || return 1
	done
	"$hdtrace" plot -q -o plain.svg --states=above source/mini &&
		"$hdtrace" plot -q -o packed.svg --states=above mini.hdz &&
		cmp plain.svg packed.svg || return 1
	for form in source/mini mini.hdz; do
		"$hdtrace" compare "$form" source/mini >compared 2>&1 || return 1
		sed 's,source/mini,X,g; s,mini\.hdz,X,g' compared >"compared-${form%%[/.]*}"
	done
	diff compared-source compared-mini
)
round_trip mini >/dev/null 2>&1
ok "exports, plots and comparisons are the same of an archive" files_same

# Equal projects give equal files, whatever form their files have.
equal() {
	rm -rf one other
	cp -R mini one && cp -R mini other || return 1
	touch -d 2001-01-01 other/*
	for file in other/*.trc other/*.stat; do
		zstd -q --rm "$file" || return 1
	done
	"$hdtrace" pack -q one/mini && "$hdtrace" pack -q other/mini.proj &&
		cmp one/mini.hdz other/mini.hdz
}
ok "equal projects give equal archives" equal

other_programs() {
	rm -rf others
	mkdir others
	python3 "$readers/archive.py" --extract others one/mini.hdz || return 1
	for file in others/*.zst; do
		zstd -q -d --rm "$file" || return 1
	done
	diff -r mini others
}
ok "Python's zipfile and zstd restore the plain files" other_programs
if command -v unzip >/dev/null; then
	ok "unzip tests the archive" unzip -tq one/mini.hdz
else
	skip "unzip tests the archive" "unzip is missing"
fi

ok "an existing archive is kept" says "mini.hdz: exists; --force replaces it" 2 \
	pack one/mini
ok "--force replaces an archive" status 0 pack -f one/mini
unpacks_here() {
	rm -rf here
	mkdir here
	(cd here && "$hdtrace" unpack ../one/mini.hdz && "$hdtrace" check mini) &&
		diff -r mini here
}
ok "unpack writes to the current directory" unpacks_here
keeps_files() {
	(cd here && says "exists; --force replaces it" 2 unpack ../one/mini.hdz)
}
ok "unpack keeps existing files" keeps_files
ok "a single file is not packed" says "not a project" 2 pack mini/mini_alpha_Energy.stat

# ---- Parts ----

parts() {
	rm -rf parts
	mkdir parts
	"$hdtrace" pack -q -o parts/part.hdz --from=1 --to=2.5 --ranks=0 one/mini.hdz &&
		"$hdtrace" cut -q -o parts/part --from=1 --to=2.5 --ranks=0 mini/mini &&
		"$hdtrace" unpack -q -o parts/plain parts/part.hdz || return 1
	for file in parts/plain/*; do
		cmp "$file" "parts/${file##*/}" || return 1
	done
	# Nothing else is left.
	[ "$(find parts -name 'part.hdz*' | wc -l)" -eq 1 ] &&
		[ "$(find parts/plain -type f | wc -l)" -eq "$(find parts -maxdepth 1 \
			-name 'part[_.]*' ! -name '*.hdz' | wc -l)" ]
}
ok "a part is packed as it is cut" parts
part_name() {
	(cd parts && cp ../one/mini.hdz . && "$hdtrace" pack --thin=Read mini.hdz &&
		"$hdtrace" check mini-part.hdz && says "exists; --force replaces it" 2 \
		pack --thin=Read mini.hdz &&
		"$hdtrace" pack -o other.proj.hdz --ranks=0 mini.hdz &&
		"$hdtrace" check other.proj.hdz)
}
ok "a part has a name of its own" part_name
ok "a part without data is not packed" says "--thin: no state" 2 pack --thin=Nope mini/mini
no_rest() {
	! find . -name '*.hdz.*' | grep .
}
ok "nothing but archives is left" no_rest

# ---- Hostile archives ----

# Archives that a program writes: NAME TEXT
hostile() {
	python3 "$readers/archive.py" --make "$1" >hostile.hdz || return 1
	"$hdtrace" info hostile.hdz >out 2>err </dev/null
	found=$?
	cat out err
	[ "$found" -eq 1 ] && grep -qF -- "$2" err
}

while IFS='|' read -r name text; do
	ok "hostile archive: $name" hostile "$name" "$text"
done <<'END'
parent directory|the name of an entry
absolute name|the name of an entry
directory in a name|the name of an entry
backslash in a name|the name of an entry
hidden name|the name of an entry
control character in a name|the name of an entry
empty name|the name of an entry
compressed by zip|compressed by zip
encrypted|encrypted
same name twice|twice
entries in each other|in another one
entry behind the end|not in the file
more entries than the directory has|its directory is not in the file
directory behind the end|its directory is not in the file
no project|contains no .proj
two projects|contains several .proj
empty file|not an archive
comment at the end|not an archive
wrong checksum|the checksum of the entry is wrong
zip64 without its end|the end of a zip64 file is missing
END

# Many empty entries take memory like their names do: some 200 bytes each. zip64 begins at
# 65,535 of them.
many_entries() {
	count=${HDTRACE_TEST_ENTRIES:-70000}
	python3 "$readers/archive.py" --many "$count" many.hdz &&
		python3 - "$count" "$hdtrace" info many.hdz <<-'END'
		import resource, subprocess, sys
		count = int(sys.argv[1])
		status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, timeout=300).returncode
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(count, "entries:", used.ru_maxrss, "KiB,", used.ru_utime + used.ru_stime, "s of CPU")
		sys.exit(status > 1 or used.ru_maxrss > 65536 + count * 0.35)
		END
}
if [ -z "${HD_SANITIZE-}" ]; then
	ok "an archive of many entries needs little memory" many_entries
else
	skip "an archive of many entries needs little memory" "sanitizers need more memory"
fi

# Each level that recording has, and no other.
levels() {
	for level in -7 -1 1 19; do
		status 0 pack -f -o level.hdz --compress="$level" one/mini.hdz &&
			python3 "$readers/archive.py" level.hdz || return 1
	done
	says '--compress: invalid value "0"; expected -7 to -1 or 1 to 19' 2 \
		pack -f -o level.hdz --compress=0 one/mini.hdz || return 1
	for level in -8 20; do
		says "--compress: invalid number \"$level\"" 2 \
			pack -f -o level.hdz --compress="$level" one/mini.hdz || return 1
	done
}
ok "pack has the levels of recording" levels

# Copies of an archive are plain files, with those of nodes.
recovers() {
	"$hdtrace" recover -o recovered one/mini.hdz || return 1
	for file in recovered/*; do
		cmp "$file" "mini/${file##*/}" || return 1
	done
	diff -q -r mini recovered | grep -v '\.notes$' && return 1
	return 0
}
ok "recover copies the files of an archive" recovers

cut_everywhere() {
	size=$(wc -c <one/mini.hdz)
	for length in 0 1 21 22 40 100 200 $((size / 2)) $((size - 40)) \
		$((size - 1)); do
		head -c "$length" one/mini.hdz >"$scratch/cut.hdz"
		status 1 info cut.hdz || return 1
	done
}
ok "cut archives are refused" cut_everywhere
done_testing
