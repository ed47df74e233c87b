#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Channels that are not there, break off, say what is not true, lead elsewhere
# or want a login.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

root=$SCRATCH/root
small "$root/good" normal wrong-sha truncated missing-file no-sha256 no-sums
small "$root/hostile" normal hostile-name hostile-version hostile-build \
	hostile-site hostile-only
# The channel is sound, its files break off; or they are behind a redirect.
small --base-url /@cut=20,noetag@/good/noarch/ "$root/cut" normal
small --base-url ../../good/noarch/ "$root/beside" normal
printf '{"packages.conda": {"x-1-0.conda": {"name": "x",\n "version": }}}' \
	>"$SCRATCH/no.json"
for name in damaged broken; do
	cp -r "$root/good" "$root/$name"
	printf 'no zstd' >"$root/$name/noarch/repodata.json.zst"
done
cp "$SCRATCH/no.json" "$root/broken/noarch/repodata.json"
serve slow "$root"
slow=http://127.0.0.1:$port
serve other "$root"
other=localhost:$port
serve server "$root"
at=http://127.0.0.1:$port
answers=$SCRATCH/server.log

# build CHANNEL PACKAGES OPTION...: an image in the store "c".
build() {
	local from=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" build env.yml --base scratch --channel "$from" \
		--cache-dir c "$@"
}

# These are tried again and again: side by side.
closed=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
begin closed build "http://127.0.0.1:$closed/channel" normal
begin cut-index build "$slow/@cut=20,noetag@/good" normal
begin cut-package build "$slow/cut" normal
begin fault build "$slow/@code=503@/good" normal

not_there() {
	fails 4 "\"$at/nothing/noarch\"" build "$at/nothing" normal
	has_words stderr "channel \"$at/nothing\"" "$at/nothing/linux-" hint:
	no_image c
	fails 4 "\"file://$PWD/c/noarch\"" build "file://$PWD/c" normal
	fails 3 "\"$PWD/nothing\"" build "$PWD/nothing" normal
	fails 4 "\"$at/good/noarch/missing-file-1.0-0.conda\"" \
		build "$at/good" missing-file
	has_words stderr '(404)'
	no_image c
	fails 1 '"no-such-package"' build "$at/good" no-such-package
	has_words stderr env.yml
	no_image c
}
it '404: a channel, a package; a name that no channel has' not_there

wrong_urls() {
	local url
	for url in ftp://127.0.0.1/x http:// 'http://127.0.0.1/x?y' \
		https://127.0.0.1/x#y 'a channel' '../../x y'; do
		fails 3 "\"$url\"" build "$url" normal
		no_image c
	done
	fails 3 "\"\$NO_SUCH_NAME\"" build "\$NO_SUCH_NAME/x" normal
	no_image c
}
it 'URLs and names that are none' wrong_urls

damaged_index() {
	build "$at/damaged" normal >out 2>err
	has_words err "\"$at/damaged/noarch/repodata.json.zst\"" \
		'repodata.json is used instead'
	sound c
	build "file://$root/damaged" normal >out 2>err
	has_words err "\"file://$root/damaged/noarch/repodata.json.zst\""
	fails 6 "\"$at/broken/noarch/repodata.json.zst\"" \
		build "$at/broken" normal
	has_words stderr "\"$at/broken/noarch/repodata.json\"" 'line 2'
	rm "$root/broken/noarch/repodata.json.zst"
	fails 3 "\"$at/broken/noarch/repodata.json\"" build "$at/broken" \
		normal --refresh --cache-dir d
	has_words stderr 'line 2'
	no_image d
}
it 'a damaged index: the other form of it, else its name' damaged_index

# What the store was told stays out of it when it is damaged there.
damaged_copy() {
	local blob
	build "$at/good" normal
	find c/blobs -type f >blobs
	while read -r blob; do
		# What was made of them would do without them.
		[ "$(head -c 6 "$blob")" != EBrepo ] || rm "$blob"
	done <blobs
	find c/blobs -type f >blobs
	while read -r blob; do
		# Those that begin as zstd does.
		[ "$(od -An -tx1 -N4 "$blob")" = ' 28 b5 2f fd' ] || continue
		chmod u+w "$blob"
		truncate -s -1 "$blob"
		printf x >>"$blob"
		echo "$blob" >>damaged
	done <blobs
	same "$(wc -l <damaged)" 2
	build "$at/good" normal --refresh >out 2>err
	cat err
	has_words err "/repodata.json" 'damaged'
	sound c
}
it "a damaged copy of an index in the store is fetched anew" damaged_copy

# Bytes with a wrong sum are fetched once more, no oftener.
wrong_sum() {
	local name
	for name in wrong-sha truncated; do
		: >"$answers"
		fails 6 "\"$name-1.0-0.conda\"" build "$at/good" "$name"
		no_image c
		same "$(grep -c "^200 - /good/noarch/$name" "$answers")" 2
	done
}
it 'wrong bytes: fetched once more, then status 6' wrong_sum

hostile() {
	local name
	build "$at/hostile" normal >out 2>err
	cat err
	has_words err "\"$at/hostile/noarch/repodata.json.zst\"" \
		'5 malformed records'
	for name in name version build site; do
		build "$at/hostile" "hostile-$name" >out 2>err
		has_words err "warning: a record of \"hostile-$name\""
		"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
			--channel "$at/hostile" --output lock
		same "$(jq -r '.locked.packages[0].version' lock)" 0.9
		sound c
	done
	has_words err python_site_packages_path
	rm -r c
	fails 1 '"hostile-only-1.0-0.exe"' build "$at/hostile" hostile-only
	has_words stderr '"hostile-only"' env.yml
	no_image c
	same "$(find . -name '*hostile*')" ''
	has_not "$answers" ..
}
it 'hostile records are left out, and told when asked for' hostile

# Asked once, the server is asked again only whether anything is new.
not_modified() {
	: >"$answers"
	a=$(build "$at/good" normal)
	same "$(grep -c '^200 .*/noarch/repodata.json.zst$' "$answers")" 1
	: >"$answers"
	same "$(build "$at/good" normal)" "$a"
	same "$(cat "$answers")" ''
	same "$(build "$at/good" normal --refresh)" "$a"
	cat "$answers"
	same "$(grep -c '^304 .*/repodata.json.zst$' "$answers")" 2
	same "$(wc -l <"$answers")" 2
	# It is new.
	cp -r "$root/good" kept
	small "$root/good" normal-bz2
	: >"$answers"
	build "$at/good" 'normal, normal-bz2' --refresh
	same "$(grep -c '^200 .*/noarch/repodata.json.zst$' "$answers")" 1
	rm -r "$root/good"
	mv kept "$root/good"
	# While it is fresh by its own word nothing is asked at all.
	build "$at/@age=600@/good" normal
	: >"$answers"
	build "$at/@age=600@/good" 'normal, no-sha256'
	has_not "$answers" repodata
	sound c
}
it 'ETag: a second solve transfers no index' not_modified

elsewhere() {
	build "$at/beside" normal
	has_not "$answers" '200 - /beside/noarch/normal'
	build "$at/@to=$other@/good" normal --cache-dir d
	grep '^302 - /@to=' "$answers"
	grep '^200 - /good/noarch/normal-1.1-0.conda' "$SCRATCH/other.log"
	# The lock names what was asked for, not where it led.
	"$ENVBUILD" lock env.yml --base scratch --cache-dir d \
		--channel "$at/@to=$other@/good" --output lock
	has_not lock "//$other"
	# A login is for whom it was given.
	: >"$SCRATCH/other.log"
	build "http://u5er:pa55@127.0.0.1:${at##*:}/@to=$other@/good" normal \
		--cache-dir e
	grep '^302 login /@to=' "$answers"
	[ -s "$SCRATCH/other.log" ]
	has_not "$SCRATCH/other.log" ' login '
	fails 4 "\"$at/@loop@/good/noarch/repodata.json.zst\"" \
		build "$at/@loop@/good" normal --cache-dir f
	has_words stderr redirects
	no_image f
}
it 'files elsewhere: base_url, redirects, and logins stay' elsewhere

pem=$SCRATCH/pem
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost -keyout "$pem.key" \
	-out "$pem.crt" 2>"$pem.log" && cat "$pem.key" "$pem.crt" >"$pem" &&
	serve tls "$root" - "$pem" && tls=$port

certificate() {
	[ -n "${tls-}" ] || skip "no certificate: $(tail -n 1 "$pem.log")"
	local from=https://localhost:$tls/good
	fails 5 "\"$from/linux-" build "$from" normal
	has_words stderr certificate hint: --ca-file
	no_image c
	build "$from" normal --ca-file "$pem.crt"
	SSL_CERT_FILE=$pem.crt build "$from" normal --refresh
	# Another host's certificate.
	fails 5 "\"https://127.0.0.1:$tls/good/" \
		build "https://127.0.0.1:$tls/good" normal --ca-file "$pem.crt"
	fails 7 nothing.crt build "$from" normal --refresh \
		--ca-file nothing.crt
	# From https nothing leads to http.
	fails 5 "\"http://$other/good/noarch/repodata.json.zst\"" \
		build "https://localhost:$tls/@to=$other@/good" normal \
		--ca-file "$pem.crt"
	sound c
}
it 'https: a certificate that nobody vouches for is status 5' certificate

offline() {
	fails 4 "$at/good/" build "$at/good" normal --offline
	has_words stderr --offline hint:
	no_image c
	build "$at/good" normal
	fails 4 "\"$at/good/noarch/wrong-sha-1.0-0.conda\"" \
		build "$at/good" wrong-sha --offline
	has_words stderr --offline
	build "$at/good" normal --offline --pyc none
	sound c
}
it '--offline: the store, or a clear no' offline

# The word is nowhere: not said, not kept, not in the image.
word=s3cr3t-Pa55w0rd
no_word() {
	if grep -rF -e "$word" -e u5er "$@"; then
		fail 'the login is there'
	fi
}

serve guarded "$root" "u5er:$word"
guarded=127.0.0.1:$port

login() {
	local with=http://u5er:$word@$guarded i=0 blob
	mkdir out
	build "$with/good" normal -v --output rootfs:root >out/1 2>&1
	"$ENVBUILD" build env.yml --base scratch --cache-dir c \
		--channel "$with/good" --progress json --json --refresh \
		>out/2 2>&1
	"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
		--channel "$with/good" --output out/lock 2>out/3
	"$ENVBUILD" hash --show env.yml --channel "$with/good" >out/4
	grep -F "channel http://$guarded/good" out/4
	same "$(jq -r '.locked.packages[0].url' out/lock)" \
		"http://$guarded/good/noarch/normal-1.1-0.conda"
	# Another login is the same definition.
	same "$("$ENVBUILD" hash env.yml --channel "$with/good")" \
		"$("$ENVBUILD" hash env.yml --channel "http://$guarded/good")"
	# What is compressed is looked into.
	find c/blobs -type f >blobs
	while read -r blob; do
		i=$((i + 1))
		gzip -dcf "$blob" >"out/blob-$i"
	done <blobs
	[ "$i" -gt 4 ]
	[ -n "$(find "$XDG_STATE_HOME/envbuild/log" -type f -newer env.yml)" ]
	no_word out root c "$XDG_STATE_HOME"
	sound c
	# The files may lie beside the channel, on the same server.
	build "$with/beside" normal --cache-dir d
	# From the lock alone: the login comes from netrc.
	fails 5 "\"http://$guarded/good/noarch/normal-1.1-0.conda\"" \
		"$ENVBUILD" build out/lock --cache-dir e
	has_words stderr hint: netrc
	no_image e
	printf 'machine 127.0.0.1 login u5er password %s\n' "$word" >netrc
	chmod 600 netrc
	NETRC=$PWD/netrc "$ENVBUILD" build out/lock --cache-dir e >out/5 2>&1
	no_word e out "$XDG_STATE_HOME"
}
it 'a login in the URL works, and is kept nowhere' login

login_refused() {
	local wrong=http://u5er:${word}x@$guarded
	fails 5 "\"http://$guarded/good/noarch/repodata.json.zst\"" \
		build "$wrong/good" normal
	has_words stderr '(401)' hint:
	no_word stdout stderr c "$XDG_STATE_HOME"
	fails 5 "\"http://$guarded/good/noarch/repodata.json.zst\"" \
		build "http://$guarded/good" normal
	no_image c
	# Other messages with such a URL in them.
	wrong=http://u5er:$word@$guarded
	fails 4 "http://$guarded/nothing" build "$wrong/nothing" normal
	no_word stdout stderr
	fails 4 "http://$guarded/good" build "$wrong/good" missing-file
	no_word stdout stderr
	fails 6 wrong-sha build "$wrong/good" wrong-sha
	no_word stdout stderr
	fails 3 "//$guarded/good" build "$wrong/good?x" normal
	no_word stdout stderr
	fails 4 "//$guarded/" build "$wrong/good" normal --offline --cache-dir d
	no_word stdout stderr
	printf 'channels: ["%s/good", {}]\ndependencies: [x]\n' "$wrong" >x.yml
	fails 3 x.yml:1: "$ENVBUILD" build x.yml --base scratch
	no_word stdout stderr
	printf 'dependencies: ["%s/good::x=>1"]\n' "$wrong" >x.yml
	fails 3 x.yml:1:16: "$ENVBUILD" build x.yml --base scratch
	no_word stdout stderr
	no_word c "$XDG_STATE_HOME"
}
it 'a wrong login: status 5; no message shows one' login_refused

token() {
	local with=$at/t/tk-$word/good
	mkdir -p "$root/t/tk-$word"
	ln -s ../../good "$root/t/tk-$word/good"
	mkdir out
	build "$with" normal -v --output rootfs:root >out/1 2>&1
	"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
		--channel "$with" --output out/lock
	same "$(jq -r '.locked.packages[0].url' out/lock)" \
		"$at/good/noarch/normal-1.1-0.conda"
	fails 4 "\"$at/good/noarch/missing-file-1.0-0.conda\"" \
		build "$with" missing-file
	no_word out root c "$XDG_STATE_HOME" stderr
}
it 'a token in the URL likewise' token

unreachable() {
	ended closed 4 \
		"\"http://127.0.0.1:$closed/channel/noarch/repodata"
	no_image c
}
it 'nobody answers: status 4' unreachable

faulty() {
	ended fault 4 "\"$slow/@code=503@/good/noarch/repodata.json.zst\"" \
		'(503)'
	same "$(grep -c '^503 - .*/noarch/repodata.json.zst$' \
		"$SCRATCH/slow.log")" 5
	no_image c
}
it 'a server with a fault: status 4 after five tries' faulty

cut_index() {
	ended cut-index 6 "/good/noarch/repodata.json" 'breaks off after 20 of'
	no_image c
}
it 'an index that breaks off: status 6' cut_index

cut_package() {
	ended cut-package 6 \
		"\"$slow/@cut=20,noetag@/good/noarch/normal-1.1-0.conda\"" \
		'breaks off after 20 of'
	same "$(grep -c '^200 .*/@cut=20,noetag@/good/noarch/normal-' \
		"$SCRATCH/slow.log")" 5
	no_image c
}
it 'a package that breaks off: status 6 after five tries' cut_package

# Twice it breaks off, and each time goes on where it was.
resumed() {
	build "$at/@cut=600,cuts=1@/good" normal
	same "$(grep -c '^206 - .*/normal-1.1-0.conda' "$answers")" 1
	sound c
}
it 'what broke off goes on where it was' resumed

done_testing
