#!/bin/sh
# hdgluster volfile: translators go to their places in volume files, all else
# stays, and away again to the byte. glusterd-*.vol are as glusterd 10.3 wrote
# them, of a volume with shard and one with three copies.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdgluster=${abs_top_builddir:?}/hdgluster
files=$abs_top_srcdir/tests/gluster
cd "$scratch" || exit 99
host=$(uname -n | tr _ -)

cat >brick.vol <<'END_OF_FILE'
# A brick, by hand.
volume posix0
    type storage/posix   # on the disk
    option directory /srv/b0
    option unknown-to-everybody "a b # c"
end-volume
volume locks
    type features/locks
    subvolumes posix0
end-volume
volume brick
  type performance/io-threads
  subvolumes	"locks"
end-volume # the top
volume server
    type protocol/server
    option auth.addr.brick.allow *
    subvolumes brick
end-volume
END_OF_FILE

cat >client.vol <<'END_OF_FILE'
volume c0
    type protocol/client
    option remote-subvolume brick
end-volume
volume c1
    type protocol/client
    option remote-subvolume brick
end-volume
volume dht
    type cluster/distribute
    subvolumes c0
        c1
end-volume
volume shard
    type features/shard
    subvolumes dht
end-volume
END_OF_FILE

cat >local.vol <<'END_OF_FILE'
volume a type storage/posix option directory /srv/a end-volume volume b
type features/locks subvolumes a end-volume
END_OF_FILE
printf 'volume p\r\n\ttype storage/posix\r\nend-volume\r\nvolume s\r\n' >odd.vol
printf '\ttype protocol/server\r\n\tsubvolumes p\r\nend-volume' >>odd.vol

# Faults that somebody has put there, of disk and network.
sed 's/subvolumes posix0/subvolumes slow/; /^volume locks/i\
volume slow\
    type debug/delay-gen\
    subvolumes posix0\
end-volume' brick.vol >slow-disk.vol
sed 's/subvolumes c0/subvolumes threads/; /^volume c1/i\
volume slow\
    type debug/delay-gen\
    subvolumes c0\
end-volume\
volume threads\
    type performance/io-threads\
    subvolumes slow\
end-volume' client.vol >slow-net.vol

# The graph as "NAME TYPE LAYER: SUBVOLUMES", from the top down.
graph() {
	tr -d '\r' <"$1" | sed '/unknown-to/d; s/ *#.*//' | awk '
		{ for (i = 1; i <= NF; i++) word[++n] = $i }
		END {
			for (i = 1; i <= n; i++) {
				if (word[i] == "volume") {
					name = word[++i]; layer = below = ""
				} else if (word[i] == "type") {
					type = word[++i]
				} else if (word[i] == "option") {
					if (word[i + 1] ~ /^(layer|side)$/)
						layer = layer " " word[i + 2]
					i += 2
				} else if (word[i] == "end-volume") {
					line[++m] = name " " type layer ":" below
				} else if (word[i] != "subvolumes") {
					gsub("\"", "", word[i])
					below = below " " word[i]
				}
			}
			for (; m; m--)
				print line[m]
		}'
}

# The graph of a file with translators is: FILE, and lines on the input
becomes() {
	"$hdgluster" volfile --project p --directory /t "$1" >out 2>err || {
		cat err
		return 1
	}
	graph out >found
	diff - found
}

# Away again, and again there: FILE
undone() {
	"$hdgluster" volfile --project p --directory /t "$1" >out 2>err &&
		"$hdgluster" volfile --remove out 2>err | cmp - "$1" &&
		"$hdgluster" volfile --remove "$1" 2>err | cmp - "$1" &&
		"$hdgluster" volfile --project p --directory /t out 2>err |
		cmp - out
}

# What is not of ours is as it was: FILE
kept() {
	"$hdgluster" volfile -q "$1" >out || return 1
	! diff "$1" out | grep '^<' >lost
	# Lines that name what is below have another name.
	! grep -vE 'subvolumes|^< *c1$|^< volume brick$' lost
}

becomes_brick() {
	becomes brick.vol <<'END_OF_FILE'
server protocol/server: brick
brick debug/hdtrace REQ: brick-hdtrace-breq-enter
brick-hdtrace-breq-enter debug/hdtrace BREQ enter: brick.hdtrace
brick.hdtrace performance/io-threads: brick-hdtrace-breq-leave
brick-hdtrace-breq-leave debug/hdtrace BREQ leave: locks
locks features/locks: posix0-hdtrace-trove
posix0-hdtrace-trove debug/hdtrace TROVE: posix0
posix0 storage/posix:
END_OF_FILE
}
becomes_client() {
	becomes client.vol <<'END_OF_FILE'
shard-hdtrace-client debug/hdtrace CLIENT: shard
shard features/shard: shard-hdtrace-flow
shard-hdtrace-flow debug/hdtrace FLOW: dht
dht cluster/distribute: c0-hdtrace-bmi c1-hdtrace-bmi
c1-hdtrace-bmi debug/hdtrace BMI: c1
c1 protocol/client:
c0-hdtrace-bmi debug/hdtrace BMI: c0
c0 protocol/client:
END_OF_FILE
}
ok "translators are added to a brick" becomes_brick
ok "the rest of the file stays in place" kept brick.vol
ok "changes are reported" sh -c "grep -qF 'TROVE above posix0' err ||
	'$hdgluster' volfile brick.vol 2>&1 >/dev/null |
	grep -F 'hdgluster: TROVE above posix0 (storage/posix), node $host-posix0'"
ok "translators are added to a client" becomes_client
ok "the rest of a client file stays in place" kept client.vol

without_io_threads() {
	becomes odd.vol <<'END_OF_FILE'
s protocol/server: p
p debug/hdtrace REQ: p-hdtrace-trove
p-hdtrace-trove debug/hdtrace TROVE: p.hdtrace
p.hdtrace storage/posix:
END_OF_FILE
	grep -q 'no BREQ' err
}
ok "a server without I/O threads is recognized in a file with CRLF" without_io_threads

local_graph() {
	becomes local.vol <<'END_OF_FILE'
b-hdtrace-client debug/hdtrace CLIENT: b
b features/locks: a-hdtrace-trove
a-hdtrace-trove debug/hdtrace TROVE: a
a storage/posix:
END_OF_FILE
}
ok "a graph without network translators gets only CLIENT and TROVE" local_graph

slow_disk() {
	becomes slow-disk.vol <<'END_OF_FILE' || return 1
server protocol/server: brick
brick debug/hdtrace REQ: brick-hdtrace-breq-enter
brick-hdtrace-breq-enter debug/hdtrace BREQ enter: brick.hdtrace
brick.hdtrace performance/io-threads: brick-hdtrace-breq-leave
brick-hdtrace-breq-leave debug/hdtrace BREQ leave: locks
locks features/locks: posix0-hdtrace-trove
posix0-hdtrace-trove debug/hdtrace TROVE: slow
slow debug/delay-gen: posix0
posix0 storage/posix:
END_OF_FILE
	"$hdgluster" volfile slow-net.vol >out 2>err && graph out >found
	grep -x 'c0-hdtrace-bmi debug/hdtrace BMI: threads' found &&
		grep -x 'slow debug/delay-gen: c0' found
}
ok "fault translators belong to the volume below" slow_disk

no_shard() {
	grep -v shard client.vol | sed '/subvolumes dht/,$d' >flat.vol
	becomes flat.vol <<'END_OF_FILE'
dht-hdtrace-client debug/hdtrace CLIENT: dht-hdtrace-flow
dht-hdtrace-flow debug/hdtrace FLOW: dht
dht cluster/distribute: c0-hdtrace-bmi c1-hdtrace-bmi
c1-hdtrace-bmi debug/hdtrace BMI: c1
c1 protocol/client:
c0-hdtrace-bmi debug/hdtrace BMI: c0
c0 protocol/client:
END_OF_FILE
}
ok "FLOW is above distribute if there is no shard" no_shard

one_link() {
	sed '/^end-volume/q' client.vol >one.vol
	becomes one.vol <<'END_OF_FILE' && grep -q 'no FLOW' err
c0-hdtrace-client debug/hdtrace CLIENT: c0-hdtrace-bmi
c0-hdtrace-bmi debug/hdtrace BMI: c0
c0 protocol/client:
END_OF_FILE
}
ok "a single connection has no FLOW" one_link

# Several bricks in one file, and one that stands below two others.
bricks() {
	{
		sed '/^volume server/,$d' brick.vol
		sed '/^volume server/,$d; s/posix0/posix1/
			s/^volume locks/&1/; s/"locks"/"locks1"/
			s/volume brick/volume brick1/' brick.vol
		printf 'volume server\ntype protocol/server\n'
		printf 'subvolumes brick brick1\nend-volume\n'
	} >two.vol
	"$hdgluster" volfile two.vol >out 2>err || return 1
	cat err
	[ "$(grep -c "option node $host-posix0\$" out)" -eq 4 ] &&
		[ "$(grep -c "option node $host-posix1\$" out)" -eq 4 ] &&
		"$hdgluster" volfile -q --node n_1 two.vol >out &&
		[ "$(grep -c "option node n-1-posix1\$" out)" -eq 4 ] &&
		"$hdgluster" volfile -q --node n1 brick.vol >out &&
		[ "$(grep -c "option node n1\$" out)" -eq 4 ]
}
ok "several bricks in a file have separate nodes" bricks

# The translator takes labels of letters, digits, "." and "-", of 95 bytes at most.
labels() {
	sed 's/posix0/p:0+a@b=c/' brick.vol >marks.vol &&
		"$hdgluster" volfile -q marks.vol >out || return 1
	grep 'option node' out | sort -u
	[ "$(grep -c "option node $host-p-0-a-b-c\$" out)" -eq 4 ] || return 1
	for i in 1 2; do
		sed "s/posix0/$(seq -s - 50)x$i$(seq -s - 50)/" brick.vol >long.vol
		"$hdgluster" volfile -q long.vol | grep 'option node' | sort -u
	done >nodes
	"$hdgluster" volfile -q --node "$(printf %0200d 1)" brick.vol |
		grep 'option node' | sort -u >>nodes
	cat nodes
	[ "$(sort -u nodes | wc -l)" -eq 3 ] &&
		! grep -vE '^ *option node [A-Za-z0-9.-]{1,95}$' nodes
}
ok "special and long names become labels" labels

# Names may have blanks if they are in quotes.
quotes() {
	sed 's/volume posix0/volume "po six"/; s/subvolumes posix0/subvolumes "po six"/
		s/volume brick/volume "br ick"/; s/subvolumes brick/subvolumes "br ick"/' \
		brick.vol >quotes.vol && undone quotes.vol &&
		"$hdgluster" volfile -q quotes.vol >out || return 1
	cat out
	for line in 'volume "po six-hdtrace-trove"' '    subvolumes "po six"' \
		'volume "br ick.hdtrace"' 'volume "br ick"' \
		'volume "br ick-hdtrace-breq-enter"' '    subvolumes "br ick.hdtrace"'; do
		[ "$(grep -cxF "$line" out)" -eq 1 ] || return 1
	done
}
ok "names in quotes stay in quotes" quotes

# ---- As glusterd writes them -------------------------------------------------

glusterd_brick() {
	becomes "$files/glusterd-brick.vol" <<'END_OF_FILE'
gv0-server protocol/server: /srv/br1
/srv/br1 debug/io-stats: gv0-quota-hdtrace-req
gv0-quota-hdtrace-req debug/hdtrace REQ: gv0-quota
gv0-quota features/quota: gv0-index
gv0-index features/index: gv0-barrier
gv0-barrier features/barrier: gv0-marker
gv0-marker features/marker: gv0-selinux
gv0-selinux features/selinux: gv0-io-threads-hdtrace-breq-enter
gv0-io-threads-hdtrace-breq-enter debug/hdtrace BREQ enter: gv0-io-threads
gv0-io-threads performance/io-threads: gv0-io-threads-hdtrace-breq-leave
gv0-io-threads-hdtrace-breq-leave debug/hdtrace BREQ leave: gv0-upcall
gv0-upcall features/upcall: gv0-leases
gv0-leases features/leases: gv0-read-only
gv0-read-only features/read-only: gv0-worm
gv0-worm features/worm: gv0-locks
gv0-locks features/locks: gv0-access-control
gv0-access-control features/access-control: gv0-bitrot-stub
gv0-bitrot-stub features/bitrot-stub: gv0-changelog
gv0-changelog features/changelog: gv0-trash
gv0-trash features/trash: gv0-posix-hdtrace-trove
gv0-posix-hdtrace-trove debug/hdtrace TROVE: gv0-posix
gv0-posix storage/posix:
END_OF_FILE
	grep -q "option node $host-gv0-posix-srv-br1\$" out
}
glusterd_client() {
	becomes "$files/glusterd-client.vol" <<'END_OF_FILE'
gv0-hdtrace-client debug/hdtrace CLIENT: gv0
gv0 debug/io-stats: gv0-io-threads
gv0-io-threads performance/io-threads: gv0-md-cache
gv0-md-cache performance/md-cache: gv0-quick-read
gv0-quick-read performance/quick-read: gv0-open-behind
gv0-open-behind performance/open-behind: gv0-write-behind
gv0-write-behind performance/write-behind: gv0-utime
gv0-utime features/utime: gv0-shard
gv0-shard features/shard: gv0-shard-hdtrace-flow
gv0-shard-hdtrace-flow debug/hdtrace FLOW: gv0-dht
gv0-dht cluster/distribute: gv0-client-0-hdtrace-bmi gv0-client-1-hdtrace-bmi
gv0-client-1-hdtrace-bmi debug/hdtrace BMI: gv0-client-1
gv0-client-1 protocol/client:
gv0-client-0-hdtrace-bmi debug/hdtrace BMI: gv0-client-0
gv0-client-0 protocol/client:
END_OF_FILE
}
replicate() {
	"$hdgluster" volfile "$files/glusterd-replicate.vol" >out 2>err
	graph out >found
	cat found
	grep -x 'gv1-dht-hdtrace-flow debug/hdtrace FLOW: gv1-dht' found &&
		grep 'gv1-replicate-0 cluster/replicate: gv1-client-0-hdtrace-bmi' \
			found && [ "$(grep -c 'hdtrace FLOW' found)" -eq 1 ]
}
ok "translators are added to a brick of glusterd" glusterd_brick
ok "translators are added to a client of glusterd" glusterd_client
ok "replicas count as parts" replicate
for file in brick client local odd slow-disk slow-net flat one two; do
	ok "--remove restores $file byte by byte" undone $file.vol
done
for file in brick client replicate shd; do
	ok "--remove restores the $file file of glusterd" undone "$files/glusterd-$file.vol"
done

in_place() {
	cp "$files/glusterd-brick.vol" b.vol && chmod 600 b.vol &&
		cp "$files/glusterd-shd.vol" shd.vol || return 1
	"$hdgluster" filter --project p --directory /t b.vol &&
		"$hdgluster" volfile -q --project p --directory /t \
			"$files/glusterd-brick.vol" | cmp - b.vol &&
		[ "$(stat -c %a b.vol)" = 600 ] &&
		"$hdgluster" filter --remove b.vol &&
		cmp b.vol "$files/glusterd-brick.vol" &&
		"$hdgluster" filter shd.vol &&
		cmp shd.vol "$files/glusterd-shd.vol"
}
ok "filter changes files in place, except for daemons" in_place

# Bricks first: of a mount's file there is nothing to change then.
bricks_first() {
	cp "$files/glusterd-client.vol" gv0.tcp-fuse.vol &&
		cp "$files/glusterd-brick.vol" b.vol || return 1
	for file in gv0.tcp-fuse.vol b.vol; do
		"$hdgluster" filter -q --layers=REQ,BREQ,TROVE "$file" 2>err &&
			[ ! -s err ] || return 1
	done
	cmp gv0.tcp-fuse.vol "$files/glusterd-client.vol" &&
		[ "$(grep -c debug/hdtrace b.vol)" -eq 4 ] &&
		"$hdgluster" filter --layers=REQ gv0.tcp-fuse.vol 2>err &&
		grep 'gv0.tcp-fuse.vol: no place for a translator; file left' err
}
ok "filter keeps files without a place for translators" bricks_first

# A mount without translators for performance; a daemon's graph is the same.
slow_mount() {
	cp client.vol gv0.tcp-fuse.vol && cp client.vol gv0-rebalance.vol &&
		"$hdgluster" filter -q gv0.tcp-fuse.vol &&
		"$hdgluster" volfile -q client.vol | cmp - gv0.tcp-fuse.vol &&
		"$hdgluster" filter gv0-rebalance.vol 2>err &&
		cmp gv0-rebalance.vol client.vol &&
		grep -q 'gv0-rebalance.vol: neither a brick nor' err &&
		"$hdgluster" filter -q gv0-rebalance.vol 2>err && [ ! -s err ]
}
ok "a mount without performance translators is recognized by its name" \
	slow_mount

only_some() {
	"$hdgluster" volfile --layers=TROVE,REQ --option throttle=10 brick.vol \
		>out 2>err && [ "$(grep -c debug/hdtrace out)" -eq 2 ] &&
		[ "$(grep -c 'option throttle 10$' out)" -eq 2 ] &&
		[ "$(grep -c BREQ err)" -eq 0 ]
}
ok "layers and translator options can be selected" only_some
standard_input() {
	"$hdgluster" volfile -q brick.vol >expected &&
		"$hdgluster" volfile -q - <brick.vol | cmp - expected
}
ok "standard input is read" standard_input

# ---- What is wrong -----------------------------------------------------------

# The file has a fault: TEXT MESSAGE
refuses() {
	printf '%b' "$1" >bad.vol
	exits 1 "$hdgluster" volfile bad.vol && [ ! -s out ] &&
		grep -qxF "hdgluster: bad.vol:$2" err
}
ok "a missing end-volume is refused" refuses 'volume a\ntype x/y\n' \
	'3: volume "a": missing end-volume'
ok "a missing type is refused" refuses '\nvolume a\nend-volume\n' '3: volume "a": missing type'
ok "two types are refused" refuses 'volume a\ntype x/y\ntype x/z' \
	'3: volume "a" has two types'
ok "an invalid type is refused" refuses 'volume a type b' '1: invalid type "b"'
ok "an unknown keyword is refused" refuses 'volume a\n\ntipe x/y' \
	'3: unknown keyword "tipe"; expected type, option, subvolumes or end-volume'
ok "a keyword outside of volumes is refused" refuses '# c\nend-volume' '2: unexpected "end-volume"; expected volume'
ok "an unknown subvolume is refused" refuses 'volume a\ntype x/y\nsubvolumes b c' \
	'3: unknown subvolume "b"; define it above this line'
ok "a volume below itself is refused" refuses 'volume a\ntype x/y\nsubvolumes a\nend-volume' \
	'3: unknown subvolume "a"; define it above this line'
ok "an empty list of subvolumes is refused" refuses 'volume a\ntype x/y\nsubvolumes\nend-volume' \
	'4: volume "a": subvolumes without names'
ok "a duplicate volume is refused" refuses 'volume a\ntype x/y\nend-volume\nvolume a\ntype x/y\nend-volume' \
	'4: duplicate volume "a"'
ok "a missing closing quote is refused" refuses 'volume a\ntype "x/y\nend-volume' \
	'2: missing closing "'
ok "an option without a value is refused" refuses 'volume a\ntype x/y\noption k' \
	'3: unexpected end of file after "k"'
# shellcheck disable=SC2016
ok "a name with a command is refused" refuses 'volume `id`\ntype x/y\nend-volume\n' \
	'1: volume name "id" contains a command'
ok "an empty file is refused" refuses '# nothing\n' '1: the file contains no volumes'
no_place() {
	printf 'volume a\ntype debug/sink\nend-volume\nvolume s\ntype protocol/server\nend-volume\n' >bad.vol
	exits 1 "$hdgluster" volfile bad.vol &&
		grep -q 'no place for a translator' err && [ ! -s out ]
}
ok "a graph without a place for translators is refused" no_place
zeros() {
	printf 'volume a\0' >bad.vol
	exits 1 "$hdgluster" volfile bad.vol
}
ok "zero bytes are refused" zeros
ok "a missing file is an error" exits 2 "$hdgluster" volfile none.vol
ok "a missing argument is an error" exits 2 "$hdgluster" volfile
ok "an unknown layer is an error" exits 2 "$hdgluster" volfile --layers=TROV brick.vol
ok "a directory with a blank is an error" exits 2 "$hdgluster" volfile \
	--directory "a b" brick.vol
ok "a node of only slashes is an error" exits 2 "$hdgluster" volfile --node // brick.vol
ok "a hidden project is an error" exits 2 "$hdgluster" volfile --project .p brick.vol
ok "a project name of 128 bytes is an error" exits 2 "$hdgluster" volfile \
	--project "$(printf %0128d 0)" brick.vol
ok "the error describes valid project names" grep -qF 'a name of at most 127 bytes without "/", "_"' \
	err
blanks() {
	mkdir -p 'a b' && cd 'a b' || return 1
	exits 2 "$hdgluster" volfile ../brick.vol &&
		grep -F -- '--directory: invalid value' err &&
		"$hdgluster" volfile -q --directory /t ../brick.vol >out &&
		"$hdgluster" volfile -q --remove out | cmp - ../brick.vol
	result=$?
	cd ..
	return "$result"
}
ok "a current directory with a blank is an error" blanks
ok "a full disk is an error" sh -c "'$hdgluster' volfile -q brick.vol >/dev/full; [ \$? -eq 2 ]"

# Any file that was cut is refused or understood, and nothing else happens.
cut_anywhere() {
	size=$(wc -c <slow-net.vol)
	for i in $(seq 0 7 "$size"); do
		head -c "$i" slow-net.vol >cut.vol
		"$hdgluster" volfile cut.vol >out 2>err
		case $? in
		0) "$hdgluster" volfile --remove -q out | cmp - cut.vol ;;
		1) grep -q '^hdgluster: cut.vol:[0-9]*: ' err ;;
		*) false ;;
		esac || { echo "after $i bytes"; cat err; return 1; }
	done
}
ok "truncated files are refused or converted" cut_anywhere
done_testing
