/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a conda package archive (.conda, .tar.bz2) in one pass: info/ files
 * are kept as text, everything else goes to a spool in the archive's order.
 *
 * Verified on the way: the archive's sha256 (or md5), the limits
 * package-members, member-size, metadata-size and the growth rule (1,000
 * times the archive's size, beyond that only up to 1 GiB; 64 GiB in all), and
 * every name (eb_path_check, prefix-relative). Exit codes: bytes that differ
 * from a declared hash or size, or break off, or do not decompress:
 * EB_INTEGRITY; names, devices, two members with one path: EB_INPUT.
 *
 * Odd and taken: up to 64 KiB behind the end record of a .conda (nothing may
 * follow a bzip2 or zstd stream), names that differ in case alone or hold a
 * newline, links to nowhere. Left out: owners, extended attributes, access
 * lists, set-id bits. Times before 1980 stay (a .pyc that a package ships tells
 * that of its source), those before 1970 become it.
 */
#ifndef EB_PACKAGE_H
#define EB_PACKAGE_H

#include <envbuild/digest.h>
#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/record.h>

struct eb_package_limits {
	uint64_t members;     /* package-members */
	uint64_t member_size; /* member-size, bytes */
	uint64_t metadata;    /* metadata-size, bytes, of one info file */
};
extern const struct eb_package_limits eb_package_default_limits;

struct eb_package {
	char *what; /* file name, for messages */
	/* Members outside info/, paths relative to the prefix, in the order
	 * of the archive; links verbatim; a hard link is a file with the same
	 * content. sha256 of each file is known. */
	struct eb_entries files;
	/* info/ files whose text linking needs (index.json, paths.json, files,
	 * has_prefix, no_link, link.json, package_metadata.json ...). */
	struct eb_package_info {
		char *name; /* "index.json" */
		char *text;
		size_t size;
	} * info;
	size_t n_info;
	unsigned n_setid;     /* members whose setuid/setgid bit was cleared */
	struct eb_strv setid; /* their paths */
	int window_log;	      /* largest zstd window met (log2), 0 for bzip2 */
};

/* `fd` is the archive (any offset; pread), `r` says what it must be. The
 * spool lies in `tmp` beyond `memory` bytes. */
int eb_package_read(int fd, const struct eb_record *r,
		    const struct eb_package_limits *limits, const char *tmp,
		    size_t memory, struct eb_package *out,
		    struct eb_error *err);
void eb_package_release(struct eb_package *p);
const struct eb_package_info *eb_package_info(const struct eb_package *p,
					      const char *name);
/* The zstd window that decompressing this .conda needs, in bytes, where it is
 * larger than 8 MiB (at most 128 MiB), else 0: such packages go one at a time.
 * Reads frame and block headers only; a file that is no .conda gives 0. */
uint64_t eb_package_window(int fd, const char *what);

#endif
