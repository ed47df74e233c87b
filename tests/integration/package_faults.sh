#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages that are not as they should be: each is refused or made harmless,
# by name, and leaves nothing behind.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

channel=$SCRATCH/channel
small "$channel" normal normal-bz2 python newline setuid lib64 dotdot absolute \
	through-symlink through-absolute device block-device fifo whiteout \
	opaque two-members below-file conda-meta not-utf8 long-component \
	long-path hardlink-out hardlink-missing many-members \
	larger-than-declared other-content missing-member listed-dotdot \
	no-paths broken-paths short-placeholder entry-point larger-than-header \
	bomb bomb-behind bomb-bz2 corrupt-zip no-zip zip-directory corrupt-zstd \
	corrupt-bz2 short-zstd short-bz2 compressed-zip two-payloads no-info \
	new-format truncated wrong-sha missing-file no-sha256 wrong-md5 no-sums \
	file-vs-dir link-out-vs-dir over-python post-link pre-link activate

# build PACKAGES OPTION...: an image of these packages in the store "c".
build() {
	printf 'dependencies: [%s]\n' "$1" >env.yml
	shift
	"$ENVBUILD" build env.yml --base scratch --channel "file://$channel" \
		--cache-dir c "$@"
}

# refused STATUS PACKAGES WORDS...: beside a good package, and twice: what the
# first time left must not help the second one on. The message has the words
# and names the log.
refused() {
	local want=$1 packages=$2
	shift 2
	rm -rf c
	for _ in 1 2; do
		fails "$want" "$1" build "normal, $packages"
		has_words stderr "$@" "  log: $XDG_STATE_HOME/envbuild/log/"
		[ ! -s stdout ]
		no_image c
	done
}

names() {
	refused 3 dotdot '"dotdot-1.0-0.conda"' '"share/../../../dotdot"' '".."'
	refused 3 absolute '"absolute-1.0-0.conda"' '"/etc/absolute"' absolute
	refused 3 whiteout '"whiteout-1.0-0.conda"' '"share/.wh.normal"'
	refused 3 opaque '"opaque-1.0-0.conda"' '"share/.wh..wh..opq"'
	refused 3 conda-meta '"conda-meta-1.0-0.conda"' \
		'"conda-meta/evil-1.0-0.json"'
	refused 3 not-utf8 '"not-utf8-1.0-0.conda"' '"share/caf\xe9"' UTF-8
	refused 3 long-component '"long-component-1.0-0.conda"' '255 bytes'
	refused 3 long-path '"long-path-1.0-0.conda"' '4096 bytes'
	refused 3 listed-dotdot '"listed-dotdot-1.0-0.conda"' \
		'"../../etc/passwd"'
	refused 3 entry-point '"entry-point-1.0-0.conda"' \
		'"../../evil = evil:main"'
}
it 'names that lead out of the prefix or mean something in a layer' names

links() {
	refused 3 through-symlink '"through-symlink-1.0-0.conda"' \
		'"share/out/evil"' '"share/out"' '"../../../etc"'
	refused 3 through-absolute '"through-absolute-1.0-0.conda"' \
		'"share/out/evil"' '"share/out"' '"/etc"'
	refused 3 hardlink-out '"hardlink-out-1.0-0.conda"' '"../../etc/passwd"'
	refused 3 hardlink-missing '"hardlink-missing-1.0-0.conda"' \
		'"share/hard"' '"share/nothing"'
}
it 'paths through links, hard links to elsewhere' links

kinds() {
	refused 3 device '"device-1.0-0.conda"' '"share/null"' device
	refused 3 block-device '"block-device-1.0-0.conda"' '"share/disk"' \
		device
	refused 3 fifo '"fifo-1.0-0.conda"' '"share/fifo"' fifo
}
it 'devices and fifos' kinds

one_path() {
	refused 3 two-members '"two-members-1.0-0.conda"' '"share/two"'
	refused 3 below-file '"below-file-1.0-0.conda"' '"share/thing/below"' \
		'"share/thing"'
	refused 3 'file-vs-dir-a, file-vs-dir-b' '"file-vs-dir-a"' \
		'"file-vs-dir-b"' '"opt/env/share/thing"'
	refused 3 'link-out-vs-dir-a, link-out-vs-dir-b' '"link-out-vs-dir-a"' \
		'"link-out-vs-dir-b"' '"opt/env/share/out"'
	refused 3 over-python '"over-python"' '"python"' \
		'"opt/env/bin/python3.11"'
}
it 'two things with one path' one_path

declared() {
	refused 6 larger-than-declared '"larger-than-declared-1.0-0.conda"' \
		'"share/large"' '14 bytes' 'says 5'
	refused 6 larger-than-header '"larger-than-header-1.0-0.conda"' tar
	refused 6 other-content '"other-content-1.0-0.conda"' '"share/other"' \
		sha256
	refused 6 missing-member '"missing-member-1.0-0.conda"' \
		'"share/nothing"' '"info/paths.json"'
	refused 3 no-paths '"no-paths-1.0-0.conda"' '"info/paths.json"'
	refused 3 broken-paths 'broken-paths-1.0-0.conda/info/paths.json:2:'
	refused 3 short-placeholder '"short-placeholder-1.0-0.conda"' \
		'"bin/short"' placeholder
}
it 'content that is not what the package says' declared

# What a bomb unpacks to must not get to the disk either.
bombs() {
	local start
	start=$(date +%s)
	refused 3 bomb '"bomb-1.0-0.conda"' '"share/bomb"' '1073741824 bytes'
	refused 3 bomb-behind '"bomb-behind-1.0-0.conda"' ' bytes, the limit'
	refused 3 bomb-bz2 '"bomb-bz2-1.0-0.tar.bz2"' '"share/bomb"' \
		'1073741824 bytes'
	[ $(($(date +%s) - start)) -lt 30 ]
	ulimit -f 102400 # of 1,024 bytes
	refused 3 bomb '"share/bomb"'
}
it 'decompression bombs' bombs

archives() {
	refused 6 corrupt-zip '"corrupt-zip-1.0-0.conda"' zip
	refused 6 no-zip '"no-zip-1.0-0.conda"' zip
	refused 6 zip-directory '"zip-directory-1.0-0.conda"' zip directory
	refused 6 corrupt-zstd \
		'"corrupt-zstd-1.0-0.conda/pkg-corrupt-zstd-1.0-0.tar.zst"' zstd
	refused 6 short-zstd \
		'"short-zstd-1.0-0.conda/pkg-short-zstd-1.0-0.tar.zst"' \
		'breaks off'
	refused 6 corrupt-bz2 '"corrupt-bz2-1.0-0.tar.bz2"' bzip2
	refused 6 short-bz2 '"short-bz2-1.0-0.tar.bz2"' 'breaks off'
	refused 3 compressed-zip '"compressed-zip-1.0-0.conda"' 'method 8'
	refused 3 two-payloads '"two-payloads-1.0-0.conda"' '"pkg-other.tar.zst"'
	refused 3 no-info '"no-info-1.0-0.conda"' '"info-*.tar.zst"'
	refused 3 new-format '"new-format-1.0-0.conda"' 'format 3'
}
it 'damaged and odd archives' archives

sums() {
	local hex='[0-9a-f]\{64\}'
	refused 6 truncated '"truncated-1.0-0.conda"' ' bytes; its record says '
	refused 6 wrong-sha '"wrong-sha-1.0-0.conda"' sha256
	grep -q "sha256 $hex; its record says $hex" stderr
	refused 6 wrong-md5 '"wrong-md5-1.0-0.conda"' MD5
	refused 4 missing-file "\"$channel/noarch/missing-file-1.0-0.conda\""
}
it 'files that are not those of their records' sums

# Without sha256: md5 where there is one, else a warning; the lock has it.
without_sha256() {
	local name
	for name in no-sha256 no-sums; do
		build "$name" >out 2>err
		has_not err 'warning: package "no-sha256'
		"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
			--channel "file://$channel" --output lock
		same "$(jq -r '.locked.packages[0].sha256' lock | tail -c 65)" \
			"$(sha256sum <"$channel/noarch/$name-1.0-0.conda" |
				cut -d' ' -f1)"
		same "$(jq -r '.locked.packages[0].size' lock)" \
			"$(stat -c %s "$channel/noarch/$name-1.0-0.conda")"
	done
	has_words err 'warning: ' '"no-sums-1.0-0.conda"'
	sound c
}
it 'no sha256: md5 or a warning, and a whole lock' without_sha256

limits() {
	fails 3 '"many-members-1.0-0.conda" has more than 1000 members' \
		build many-members --limit package-members=1000
	has_words stderr '--limit package-members='
	no_image c
	fails 3 '"normal-1.1-0.conda" has a member "share/normal/data"' \
		build normal --limit member-size=8KiB
	has_words stderr '16384 bytes' '8192' '--limit member-size='
	fails 3 '"many-members-1.0-0.conda" has a member "info/paths.json"' \
		build many-members --limit metadata-size=1KiB
	has_words stderr '--limit metadata-size='
	fails 2 '"many"' build normal --limit member-size=many
	fails 2 '"members=1"' build normal --limit members=1
	no_image c
	build many-members --limit package-members=3000
	sound c
}
it 'limits are told with their names, and can be changed' limits

scripts() {
	local name
	for name in post-link pre-link; do
		refused 7 "$name" "\"$name-1.0-0.conda\"" --post-link=skip
		fails 5 "\"$name-1.0-0.conda\"" build "$name" \
			--post-link error
		no_image c
		build "$name" --post-link skip --output "rootfs:$name"
		[ -e "$name/opt/env/bin/.$name-$name.sh" ]
		[ ! -e "$name/opt/env/ran" ]
		sound c
	done
	refused 7 activate '"activate-1.0-0.conda"' --activation=none
	build activate --activation none
}
it 'link and activation scripts: status 7 and the option, 5, or left' scripts

harmless() {
	build 'setuid, newline, normal-bz2' --output rootfs:root >out 2>err
	cat err
	grep 'warning: "setuid-1.0-0.conda".*: bin/suid, bin/sgid' err
	cd root/opt/env
	same "$(stat -c %a bin/suid)" 755
	same "$(stat -c %a bin/sgid)" 755
	same "$(stat -c %a share/open)" 644
	same "$(cat $'share/new\nline')" kept
	same "$(find . -perm /6000)" ''
}
it 'setuid is cleared and told, a newline in a name is kept' harmless

# After all that: the same store takes a good build.
afterwards() {
	fails 3 fifo build 'normal, fifo'
	fails 6 wrong-sha build 'normal, wrong-sha'
	build normal --output rootfs:root
	same "$(root/opt/env/bin/normal)" 'normal 1.1'
	cmp <(head -c 256 root/opt/env/share/normal/link) \
		<(head -c 256 root/opt/env/share/normal/data)
	same "$("$ENVBUILD" cache list --cache-dir c | wc -l)" 1
	sound c
}
it 'the same store takes the next good build' afterwards

done_testing
