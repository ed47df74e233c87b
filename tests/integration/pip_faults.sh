#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Wheels, indexes and sources that are not as they should be: each is refused,
# by name, in time, and leaves nothing behind.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

base=$(need_base)
channel=$(need_channel)
builders=$(made builders builders)
# shellcheck disable=SC2046 # names
unset $(compgen -e PIP_) NETRC
export PIP_CONFIG_FILE=/dev/null HOME=$SCRATCH/home
mkdir "$HOME"

# release FOLDER LINE...: as tests/fixtures/index_wheels.py has it.
release() {
	python3 "$TOP/tests/fixtures/index_wheels.py" "$@" >/dev/null || exit 1
}

# code NAME KIND CODE: a source that does this.
code() {
	release "$wheels" "$1 1.0 kind=$2 'code=$3'"
}

# make_folder NAME CODE: the same as a folder here.
make_folder() {
	release . "$1 1.0 kind=setup format=folder 'code=$2'"
}

many_parentheses() {
	printf '%.0s(' $(seq 1000)
	printf 'python_version > "3"'
	printf '%.0s)' $(seq 1000)
}

wheels=$SCRATCH/wheels
release "$wheels" 'good 1.0' 'hash 1.0 lie=hash' 'size 1.0 lie=size' \
	'unlisted 1.0 lie=missing' 'listed 1.0 lie=more' \
	'other-name 1.0 lie=name' 'other-version 1.0 lie=version' \
	'slip 1.0 lie=slip' 'root 1.0 lie=absolute' 'twice 1.0 lie=twice' \
	'cut 1.0 lie=cut' 'crc 1.0 lie=crc' \
	'data-up 1.0 data=data/../../../evil:x' \
	'data-root 1.0 data=data//etc/evil:x' 'data-key 1.0 data=else/x:x' \
	'pure-up 1.0 data=purelib/../evil.py:x' \
	'script-up 1.0 data=scripts/../evil:x' \
	'entry-up 1.0 entry=../../evil=good:main' \
	'many 1.0 members=100000' \
	"deep 1.0 'requires=good; $(many_parentheses)'" \
	'broken-hash 1.0' 'other-bytes 1.0' 'hanging 1.0' 'slow-file 1.0' \
	'circle 1.0' 'file-circle 1.0' 'cut-page 1.0' 'cut-file 1.0' \
	'stalled 1.0' 'no-index 1.0' 'failing 1.0' 'large 1.0'
code writes static 'open("/opt/env/x", "w")'
code connects static \
	'import socket; socket.create_connection(("192.0.2.1", 80), 3)'
code resolves static 'import socket; socket.getaddrinfo("files.example", 80)'
code sleeps static 'import time; time.sleep(600)'
code forks static 'import os\nwhile True: os.fork()'
code eats static 'x = []\nwhile True: x.append(bytearray(1 << 24))'
fill='import os\nfor i in range(10 ** 6): open("/tmp/%d" % i, "wb").write(bytes(1 << 20))'
code fills static "$fill"
code early-writes backend 'open("/opt/env/x", "w")'
code early-sleeps backend 'import time; time.sleep(600)'
code early-forks backend 'import os\nwhile True: os.fork()'
code early-fills backend "$fill"
cp "$builders"/*.whl "$wheels"

start_index open --index "=$wheels" \
	--fault 'hash=broken_hash-*' --fault 'bytes=*/other_bytes-*' \
	--fault 'hang=/simple/hanging/' --fault 'stall=*/slow_file-*' \
	--fault 'circle=/simple/circle/' --fault 'circle=*/file_circle-*' \
	--fault 'cut=/simple/cut-page/' --fault 'cut=*/cut_file-*' \
	--fault 'stall=/simple/stalled/' --fault 'type=/simple/no-index/' \
	--fault '500=/simple/failing/' --fault 'large=/simple/large/'
export PIP_INDEX_URL=http://127.0.0.1:$port/simple/
at=http://127.0.0.1:$port

# define LINE...: environment.yml with these lines in its pip section.
define() {
	printf 'dependencies:\n- python\n- pip:\n' >environment.yml
	printf "  - '%s'\n" "$@" >>environment.yml
}

eb() {
	local verb=$1
	shift
	timeout 50 "$ENVBUILD" "$verb" environment.yml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir c --pyc none "$@"
}

# gone: no image, nothing half-written, no process that has some of it.
gone() {
	sound c
	same "$("$ENVBUILD" cache list --cache-dir c)" ''
	same "$(find c/uv -maxdepth 1 -name 'run-*')" ''
	same "$(grep -ls "$PWD/c/" /proc/[0-9]*/mountinfo)" ''
}

# refused STATUS PROJECT WORDS...: the message has the words, names the log and
# says what to do.
refused() {
	local want=$1 project=$2
	shift 2
	define "$project"
	fails "$want" "$1" eb build "${limits[@]}"
	has_words stderr "$@" '  hint: ' "  log: $XDG_STATE_HOME/envbuild/log/"
	[ ! -s stdout ]
	gone
}
limits=()

record() {
	local py=hash/__init__.py file=-1.0-py3-none-any.whl
	refused 6 hash "\"hash$file\"" "site-packages/$py\"" sha256: \
		"$at/files/hash$file"
	refused 6 size "\"size$file\"" '"size/__init__.py"' 'RECORD says '
	refused 3 unlisted "\"unlisted$file\"" '"unlisted/__init__.py"' \
		'RECORD does not list'
	refused 6 listed "\"listed$file\"" '"not_there.py"' 'RECORD lists'
	refused 6 crc "\"crc$file\"" 'site-packages/crc/__init__.py"'
	refused 6 cut "\"cut$file\"" 'environment.yml:4:' 'it is damaged'
}
it 'a RECORD that lies, damaged archives' record

names() {
	refused 3 slip '"slip-1.0-py3-none-any.whl"' '"../slip.py"' '".."'
	refused 3 root '"root-1.0-py3-none-any.whl"' '"/slip.py"' absolute
	refused 3 twice '"twice-1.0-py3-none-any.whl"' '"twice/__init__.py"' \
		'there twice'
	refused 3 data-up '"data_up-1.0.data/data/../../../evil"' '".."'
	refused 3 data-root '"data_root-1.0.data/data//etc/evil"' empty
	refused 3 data-key '"data_key-1.0.data/else/x"' '"else"'
	refused 3 pure-up '"pure_up-1.0.data/purelib/../evil.py"' '".."'
	refused 3 script-up '"script_up-1.0.data/scripts/../evil"' '".."'
	refused 3 entry-up '"../../evil = good:main"' 'no file name'
	refused 3 other-version 'is other-version 99 by its METADATA' \
		'other-version 1.0 by its file name'
	refused 3 other-name 'environment.yml:4:' 'metadata name' 'given name'
}
it 'names that lead out, that are there twice, that are of another' names

# rss FILE COMMAND...: the most memory of one process of it, in KiB.
rss() {
	python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as f:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=f)
sys.exit(code)' "$@"
}

many_members() {
	define many
	rss most "$ENVBUILD" build environment.yml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir c
	# a sanitizer has memory of its own
	case $ENVBUILD_BUILD in
	*/sanitize) ;;
	*) [ "$(cat most)" -le $((150 << 10)) ] || fail "$(cat most) KiB" ;;
	esac
	eb build --output rootfs:root
	cd root/opt/env/lib/python3.11/site-packages
	same "$(find many_many -type f | wc -l)" 100000
	same "$(wc -l <many-1.0.dist-info/RECORD)" 100007
}
it '100,000 members, in 150 MB' many_members

deep() {
	define "good; $(many_parentheses)"
	fails 3 'more than 100 parentheses deep' eb build
	has_words stderr 'environment.yml:4:'
	[ "$(wc -c <stderr)" -lt 1000 ]
	refused 3 deep '"deep-1.0-py3-none-any.whl"' \
		'more than 100 parentheses deep, in line 5 of its METADATA'
}
it 'a marker nested 1,000 deep' deep

# These take long, and so go on beside all others.
waits() {
	export PIP_TIMEOUT=1 PIP_RETRIES=1
	define "$1"
	eb build
}
for project in hanging stalled slow-file large; do
	begin "$project" waits "$project"
done

index_says() {
	local wheel=-1.0-py3-none-any.whl
	export PIP_TIMEOUT=5 PIP_RETRIES=1
	refused 6 broken-hash "\"broken_hash$wheel\"" \
		"$(printf '%064d' 0)" "$at/files/broken_hash$wheel"
	refused 6 other-bytes "\"other_bytes$wheel\"" \
		"$at/files/other_bytes$wheel"
	refused 4 circle "\"$at/simple/circle/\"" 'redirects on and on'
	refused 4 file-circle "\"$at/files/file_circle$wheel\"" \
		'redirects on and on'
	refused 4 cut-page "\"$at/simple/cut-page/\"" 'end of file before'
	refused 4 cut-file "\"cut_file$wheel\"" 'end of file before'
	refused 4 no-index 'environment.yml:4:' "$at/simple/no-index/" \
		'is that URL a package index?'
	refused 4 failing "\"$at/simple/failing/\"" 500
}
it 'an index of wrong hashes and bytes, in a circle, that breaks off' index_says

outside() {
	local log="$XDG_STATE_HOME/envbuild/log/"
	refused 8 writes '"writes-1.0.tar.gz", building its wheel' \
		'may write below its own folder' 'Read-only file system' "$log"
	refused 8 connects '"connects-1.0.tar.gz"' 'a build has no network'
	refused 8 resolves '"resolves-1.0.tar.gz"' 'a build has no network'
	refused 8 early-writes 'environment.yml:4:' \
		'"early_writes-1.0.tar.gz", asking what it requires' \
		'Read-only file system' "$log"
}
it 'a source that writes elsewhere, that wants the network' outside

# What a source wants to know of a server, it does not get to know: neither
# while it is asked what it requires nor while it is built. The server listens
# on this machine, so that with this machine's network it would answer.
without_network() {
	local ask log="$XDG_STATE_HOME/envbuild/log/"
	ask="import urllib.request as u
u.urlopen(\"$at/simple/good/?asked\", timeout=5).read()"
	code asks-backend backend "$ask"
	code asks-setup setup "$ask"
	make_folder asks-folder "$ask"
	code asks-late static "$ask"
	curl -sf "$at/simple/good/?asked" >/dev/null
	curl -sf -X DELETE "$at/_log"
	refused 8 asks-backend 'environment.yml:4:' \
		'"asks_backend-1.0.tar.gz", asking what it requires' \
		'a build has no network' "$log"
	refused 8 asks-setup 'environment.yml:4:' \
		'"asks-setup-1.0.tar.gz", asking for its metadata' \
		'a build has no network' "$log"
	refused 8 ./asks-folder-1.0 'environment.yml:4:' \
		'"asks-folder", asking for its metadata' \
		'a build has no network' "$log"
	refused 8 "asks-setup @ $at/files/asks-setup-1.0.tar.gz" \
		'asking for its metadata' 'a build has no network' "$log"
	refused 8 asks-late '"asks_late-1.0.tar.gz", building its wheel' \
		'a build has no network' "$log"
	! curl -sf "$at/_log" | grep asked || fail 'the server was asked'
}
it 'a source that asks a server of this machine gets no answer' without_network

# at_most SECONDS COMMAND...: it ends by then.
at_most() {
	local start=$SECONDS most=$1
	shift
	"$@"
	[ $((SECONDS - start)) -le "$most" ] || fail "more than $most s: $*"
}

# A fork bomb has 40 processes, and is over at once.
limited() {
	limits=(--limit build-processes=40 --limit build-time=20
		--limit build-disk=100MiB --limit build-memory=200MiB)
	at_most 25 refused 8 forks '"forks-1.0.tar.gz", building its wheel' \
		'more than 40 processes' '--limit build-processes='
	at_most 25 refused 8 fills '"fills-1.0.tar.gz", building its wheel' \
		'more than 100 MiB on disk' '--limit build-disk='
	at_most 25 refused 8 eats '"eats-1.0.tar.gz", building its wheel' \
		'more than 200 MiB of memory' '--limit build-memory='
	limits=(--limit build-time=2)
	at_most 25 refused 8 sleeps '"sleeps-1.0.tar.gz", building its wheel' \
		'more than 2 s' '--limit build-time='
}
it 'a source that forks, sleeps, fills the disk or the memory' limited

# The same while it is asked what it requires.
limited_early() {
	limits=(--limit build-processes=40 --limit build-time=20
		--limit build-disk=100MiB)
	at_most 25 refused 8 early-forks '"early_forks-1.0.tar.gz", asking' \
		'more than 40 processes' '--limit build-processes='
	at_most 25 refused 8 early-fills '"early_fills-1.0.tar.gz", asking' \
		'more than 100 MiB on disk' '--limit build-disk='
	limits=(--limit build-time=2)
	at_most 25 refused 8 early-sleeps '"early_sleeps-1.0.tar.gz", asking' \
		'more than 2 s' '--limit build-time='
}
it 'the same before it is resolved' limited_early

patience() {
	ended hanging 4 "\"$at/simple/hanging/\"" 'timed out' '  hint: '
	gone
	ended stalled 4 "\"$at/simple/stalled/\"" 'timed out' '  hint: '
	gone
	ended slow-file 4 '"slow_file-1.0-py3-none-any.whl"' 'timed out' \
		'  hint: '
	gone
	ended large 4 "$at/simple/large/" 'exceeds the byte limit' '  hint: '
	gone
}
it 'an index that hangs, stops in the middle, or has no end' patience

# rewritten CODE: env.lock with this done to its hashed part `l`, and the hash
# that belongs to that.
rewritten() {
	python3 -c 'import hashlib, json, sys
with open("env.lock") as f:
    lock = json.load(f)
l = lock["locked"]
exec(sys.argv[1])
text = json.dumps(l, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
lock["lock-hash"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
with open("other.lock", "w") as f:
    json.dump(lock, f)' "$1"
}

# A lock that is not ours, though its hash is right.
locks() {
	define good
	eb lock --output env.lock
	rewritten 'pass'
	eb build --lock other.lock
	rm -rf c
	rewritten 'l["packages"][-1]["name"] = "other"'
	fails 3 'the lock does not say where "good-1.0-py3-none-any.whl"' \
		eb build --lock other.lock
	rewritten 'l["packages"][-1]["name"] = "other"
s = lock["commentary"]["sources"]
s["other"] = s.pop("good")'
	fails 3 'is of good 1.0, the lock says other 1.0' eb build \
		--lock other.lock
	rewritten 'l["packages"][-1]["version"] = "1.1"'
	fails 3 'is of good 1.0, the lock says good 1.1' eb build \
		--lock other.lock
	rewritten 'l["packages"] = l["packages"][-1:]'
	fails 3 'the lock has no python' eb build --lock other.lock
	gone
}
it 'locks of others: another project, no python, no place' locks

# What is remembered of conda's projects is read again when it is damaged.
remembered() {
	local text
	printf '%s\n' 'dependencies:' '- python' '- greeting' '- pip:' \
		'  - greeting' >environment.yml
	eb lock --output first.lock
	for text in '{' '{}' '[]x' '["x"]' '[{"name": "greeting"}]'; do
		python3 -c 'import sqlite3, sys
db = sqlite3.connect("c/index.sqlite")
n = db.execute("UPDATE fact SET text = ? WHERE kind = ?",
               (sys.argv[1], "projects")).rowcount
db.commit()
sys.exit(not n)' "$text"
		eb lock --refresh --output again.lock
		cmp <(jq .locked first.lock) <(jq .locked again.lock)
	done
}
it 'what is remembered of projects may be damaged' remembered

# After all that: the same store takes a good build.
afterwards() {
	refused 6 hash '"hash-1.0-py3-none-any.whl"'
	refused 8 writes '"writes-1.0.tar.gz"'
	define good
	eb build --output rootfs:root
	[ -e root/opt/env/lib/python3.11/site-packages/good/__init__.py ]
	same "$("$ENVBUILD" cache list --cache-dir c | wc -l)" 1
	sound c
}
it 'the same store takes the next good build' afterwards

done_testing
