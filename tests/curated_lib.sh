# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For the scripts that solve curated environments as they stand, with the
# records of the data folder: sourced after tests/lib.sh. The names of channels
# are those of the definitions; a proxy on loopback leads their hosts to a
# server of ours.
merged=conda/repodata/merged
usual_ca=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}

# complete: the names of all whose definition is public.
complete() {
	"$ENVBUILD" list --curated --json |
		jq -r '.environments[] | select(.complete).name'
}

# option NAME OPTION: what it brings, or nothing.
option() {
	"$ENVBUILD" show "$1" --json | jq -r --arg o "$2" '.options[$o] // empty'
}

# without_pip NAME: its definition with the pip section left out.
without_pip() {
	"$ENVBUILD" show "$1" --definition | sed -e '/^- pip:/d' -e '/^  - /d'
}

has_pip() {
	"$ENVBUILD" show "$1" --definition | grep -q '^- pip:'
}

# records DIR: those of the data folder, each channel below its URL's path.
records() {
	mkdir -p "$1/pkgs"
	cp -rL "$ENVBUILD_DATA/$merged/conda-forge" "$1"
	cp -rL "$ENVBUILD_DATA/$merged/pkgs-main" "$1/pkgs/main"
	cp -rL "$ENVBUILD_DATA/$merged/pkgs-r" "$1/pkgs/r"
}

# begin FILE COMMAND...: it runs until this shell ends; the line that it prints
# first is in FILE.
begin() {
	local file=$1 fd
	shift
	mkfifo "$file.in"
	# Open for both, so that the program never sees its end.
	exec {fd}<>"$file.in"
	setpriv --pdeathsig KILL "$@" <&"$fd" >"$file" 2>"$file.log" &
	for _ in $(seq 100); do
		[ ! -s "$file" ] || return 0
		sleep 0.05
	done
	fail "$1 has not begun"
}

# serve DIR: the channels of conda.anaconda.org and repo.anaconda.com are in
# that folder from now on.
serve() {
	local hosts=(conda.anaconda.org repo.anaconda.com) dir
	need_program openssl
	dir=$(mktemp -d "$SCRATCH/served.XXXXXX")
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=channels \
		-addext "subjectAltName=DNS:${hosts[0]},DNS:${hosts[1]}" \
		-keyout "$dir/key" -out "$dir/cert" 2>/dev/null
	cat "$dir/key" "$dir/cert" >"$dir/pem"
	cat "$usual_ca" "$dir/cert" >"$dir/ca"
	begin "$dir/port" python3 "$TOP/tests/fixtures/httpd.py" --root "$1" \
		--tls "$dir/pem"
	begin "$dir/proxy" python3 "$TOP/tests/fixtures/connect-proxy" \
		"$(cat "$dir/port")" "${hosts[@]}"
	https_proxy=http://127.0.0.1:$(cat "$dir/proxy")
	export https_proxy SSL_CERT_FILE=$dir/ca PIP_CERT=$dir/ca
	unset HTTPS_PROXY
}

# solved NAME FILE: the lock of its conda part; the status of a lock. Each
# conda part is solved once.
solved() {
	local as_of kept
	as_of=$(option "$1" as-of)
	without_pip "$1" >conda_part.yml
	kept=$SCRATCH/parts/$(sha256sum <conda_part.yml | cut -c 1-16)-$as_of
	mkdir -p "$SCRATCH/parts"
	[ -e "$kept" ] || "$ENVBUILD" lock conda_part.yml --base scratch \
		--as-of "$as_of" --progress none --output "$kept" || return
	cp "$kept" "$2"
}

# stands_in NAME LOCK DIR: the packages of that lock, made, into the channels of
# DIR.
stands_in() {
	without_pip "$1" >conda_part.yml
	"$ENVBUILD" lock conda_part.yml --lock "$2" --base scratch --json \
		--as-of "$(option "$1" as-of)" |
		python3 "$TOP/tests/fixtures/stand-ins" "$SCRATCH/records" "$3"
}

# whole DIR: its channels have all that a channel has.
whole() {
	local folder
	for folder in "$1"/{conda-forge,pkgs/main,pkgs/r}/{linux-64,noarch}; do
		mkdir -p "$folder"
		[ -e "$folder/repodata.json" ] ||
			echo '{"packages": {}}' >"$folder/repodata.json"
	done
}
