#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/lint/tables refuses rows that contradict others; the tables that are
# shipped say nothing of the kind.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# Does a change of one table make the checker say something?
refused() {
	local table=$1 change=$2 said=$3
	rm -rf tables
	cp -r "$TOP/templates/base" tables
	sed -i "$change" "tables/$table"
	! cmp -s "$TOP/templates/base/$table" "tables/$table" ||
		fail "$table: \"$change\" changes nothing"
	! "$TOP/tests/lint/tables" tables 2>log || fail "$table: $said: taken"
	grep -qF -- "$said" log || fail "$(cat log)"
}

shipped() {
	"$TOP/tests/lint/tables" 2>log || fail "$(cat log)"
}

images() {
	refused images.tsv '/^debian\tdebian\t12-slim/{p;s/2\.36/2.37/}' \
		'debian:12-slim stands twice, with other content'
	refused images.tsv '0,/\tubuntu 22.04\t2.35/s//\tubuntu 22.04\t2.34/' \
		'ubuntu 22.04 has glibc'
	refused images.tsv \
		's/\(\t12.4.1-cudnn-devel-ubuntu22.04\t-\t\)12.4.1/\112.4.0/' \
		'is not of CUDA 12.4.0'
	refused images.tsv \
		's/\(\t12.3.2-cudnn9-devel-ubuntu22.04\t-\t12.3.2\t\)9/\18/' \
		'is not of cuDNN 8'
	refused images.tsv 's/\tcog-2026-05$/\thearsay/' \
		'source "hearsay" is not in README.md'
	refused images.tsv '5s/\tnone\t/\tdevel\t/' 'a flavour and no CUDA'
	refused images.tsv '7s/\t[^\t]*$//' 'columns, and the header has'
}
drivers() {
	refused drivers.tsv '/^12\.6/d' 'CUDA 12.6 has no row in drivers.tsv'
	refused drivers.tsv '/^11\.8/s/450\.80\.02/450.80.01/' \
		'CUDA 11.x has the floors'
	refused drivers.tsv '/^10\.1/s/418\.39/410.39/' \
		'the driver of the toolkit is the floor'
	refused drivers.tsv '/^12\.9\.0/s/575\.51\.03/560.1/' \
		'is older than that of the CUDA before'
}
frameworks() {
	refused frameworks.tsv '/^torch\t1.7.1\t/s/-\t-\t10.2/-\t-\t11.8/' \
		'default 11.8 is not among the builds'
	refused frameworks.tsv '/^torch\t2.6.0\t/s/11.8 12.4 12.6/11.8 12.6/' \
		'stable 12.4 is not among the builds of 2.6.0'
	refused frameworks.tsv '/^torch\t2.8.\*/s/\t12.9\t/\t12.8\t/' \
		'CUDA 12.8 is stable and experimental'
	refused frameworks.tsv '/^torch\t2.9.1\t/s/0.24.1/0.24.0/' \
		'torchvision 0.24.0 goes with torch'
	refused frameworks.tsv '/^tensorflow\t2.15/{p}' 'stands twice'
	refused frameworks.tsv '/^tensorflow\t2.15/s/12.2/12.7/' \
		'CUDA 12.7 has no row in drivers.tsv'
}
architectures() {
	refused architectures.tsv '/\t2.7.0\t/s/7.5 8.0/8.0 7.5/' \
		'not in order'
	refused architectures.tsv '/\t2.7.0\t/s/12.0\tcog/13.0\tcog/' \
		'PTX for 13.0, which is not in the list'
	refused architectures.tsv 's/^jax\t>=0.7/jaxx\t>=0.7/' \
		'is not in frameworks.tsv'
}

it 'the tables that are shipped contradict nothing' shipped
it 'images: tags, glibc, flavours, sources' images
it 'drivers: a row for each CUDA, floors, order' drivers
it 'frameworks: builds, defaults, partners' frameworks
it 'architectures: order, PTX, frameworks' architectures
done_testing
