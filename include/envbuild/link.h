/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking: what a package's files become below the prefix (CEP 34, 32; facts
 * 5.2-5.7) - without a prefix on disk, without running anything.
 */
#ifndef EB_LINK_H
#define EB_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/package.h>
#include <envbuild/record.h>
#include <envbuild/str.h>

struct eb_link_target {
	const char *prefix;	   /* "/opt/env" */
	const char *python_minor;  /* "3.7"; NULL without python */
	const char *site_packages; /* "lib/python3.7/site-packages"; or NULL */
	int64_t source_date_epoch; /* 0: not set; else no mtime is later */
};

/* Which of these fields matter for a record's payload: the payload key. */
void eb_link_key(const struct eb_record *r, const struct eb_link_target *t,
		 struct eb_digest *key);

/* Package -> payload entries at "opt/env/...", prefixes replaced, noarch
 * python mapped, entry points made; each entry's note holds what its record
 * says of it. paths.json is checked against what is there: another sha256 or
 * size is EB_INTEGRITY naming the file; a listed file that is missing too. The
 * package's spools move into `out`. */
int eb_link_payload(struct eb_package *p, const struct eb_record *r,
		    const struct eb_link_target *t, struct eb_entries *out,
		    struct eb_events *events, struct eb_error *err);

/* What a payload's path list tells (no package needed). */
struct eb_link_facts {
	bool post_link; /* bin/.NAME-post-link.sh */
	bool pre_link;
	unsigned n_activate; /* scripts in etc/conda/activate.d */
	unsigned n_env_vars; /* files in etc/conda/env_vars.d */
};
void eb_link_facts(const struct eb_entries *paths, const struct eb_record *r,
		   const struct eb_link_target *t, struct eb_link_facts *out);

/* The record: one entry "opt/env/conda-meta/<stem>.json" (CEP 32), from the
 * payload's path list (sorted, with digests, sizes, targets and notes) and the
 * bytecode's (NULL without; names alone count). `requested` is the package's
 * name where a spec names it, else NULL. */
int eb_link_record(const struct eb_record *r, const struct eb_entries *payload,
		   const struct eb_entries *bytecode, const char *requested,
		   const struct eb_link_target *t, struct eb_entries *out,
		   struct eb_error *err);
/* Key of that record part. */
void eb_link_record_key(const struct eb_record *r,
			const struct eb_digest *payload_key,
			const struct eb_digest *bytecode_key, /* or NULL */
			const char *requested, struct eb_digest *key);
/* "conda-meta/history" with one entry at the constant time 1980-01-01. */
void eb_link_history(const struct eb_record *const *records, size_t n,
		     const struct eb_strv *requested, struct eb_buf *out);
/* Names of packages that were asked for and not removed again, by the lines
 * "# update specs: [...]" and the like of any such history, conda's older
 * forms too; sorted. 1; 0: there is no such line, so nothing is known. */
int eb_history_requested(const char *text, size_t len, struct eb_strv *names);
/* "conda-meta/state" with the environment's variables. */
void eb_link_state(const struct eb_strv *names, const struct eb_strv *values,
		   struct eb_buf *out);

/* Prefix replacement (facts 5.4), for tests too. Text may change its length;
 * binary keeps it (EB_INPUT: the new prefix is longer). */
int eb_prefix_replace(const char *data, size_t n, bool text,
		      const char *placeholder, const char *prefix,
		      struct eb_buf *out, const char *what,
		      struct eb_error *err);

#endif
