/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Package indexes: which ones pip's own configuration names, and what a
 * project's page says (PEP 503, 592, 658, 691, 700; facts 1, 8).
 *
 * No index is built in: without a configured one the resolver's own default
 * holds, and the pages are those that its answers name.
 */
#ifndef EB_INDEX_H
#define EB_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/http.h>
#include <envbuild/pip_set.h>
#include <envbuild/str.h>

enum eb_index_strategy {
	EB_INDEX_FIRST,	      /* a project from the first index that has it */
	EB_INDEX_FIRST_MATCH, /* ... that has a version that fits */
	EB_INDEX_BEST,	      /* the best of all, as pip; on request only */
};

struct eb_index_keyring;

/* URLs hold credentials; zeroed when released. */
struct eb_indexes {
	char *url; /* NULL: not configured */
	struct eb_strv extra, find_links, trusted_host;
	struct eb_strv direct; /* of requirements, those with a login */
	bool no_index;
	char *ca_file, *client_cert, *proxy; /* or NULL */
	char *keyring; /* "disabled", "subprocess", ... as pip has it */
	unsigned timeout_s, retries; /* 0: not configured */
	bool has_retries;	     /* 0 of them, too */
	enum eb_index_strategy strategy;
	struct eb_strv no_binary, only_binary;
	bool pre, require_hashes;
	struct eb_strv source;		/* which files and variables said so */
	struct eb_index_keyring *asked; /* private: what the keyring said */
};
/* pip's files in their order: global ($XDG_CONFIG_DIRS/pip/pip.conf,
 * /etc/pip.conf), the user's (~/.pip/pip.conf, $XDG_CONFIG_HOME/pip/pip.conf;
 * not where PIP_CONFIG_FILE names a file), that of an active environment
 * (VIRTUAL_ENV, CONDA_PREFIX), PIP_CONFIG_FILE (/dev/null: no file at all). As
 * with pip's install the section [install] goes over [global] whichever file
 * they stand in, PIP_* variables over both, other sections say nothing. What
 * the set (or NULL) writes itself goes over all: its index URL instead of the
 * configured one and of the configured extra ones, the rest is added. Local
 * paths become absolute. A file or value that cannot be read as such is
 * EB_INPUT; one that may not be opened is passed by with a warning, as are
 * settings of pip that would change the answer and are not followed. */
int eb_indexes_read(const struct eb_pip_set *set, struct eb_indexes *out,
		    struct eb_events *events, struct eb_error *err);
void eb_indexes_release(struct eb_indexes *x);
/* Without credentials and signatures in its query; caller frees. */
char *eb_index_shown(const char *url);
/* `text` (a resolver's words) with every secret of the settings, and what
 * looks like one in a URL, masked; caller frees. */
char *eb_indexes_mask(const struct eb_indexes *x, const char *text);
/* The URL with the credentials that the settings have for it: its own, those
 * of the configured URL of the same origin that has most of its path, else
 * netrc's by libcurl, else, where `keyring` is "subprocess", what the program
 * keyring answers within 5 s (asked once a URL). Caller zeroes and frees. */
char *eb_index_login(const struct eb_indexes *x, const char *url);
/* For a call of git: GIT_CONFIG_* with the logins of these URLs (with or
 * without "git+"), which it is to be given bare. Zero them after use. */
void eb_git_logins(const struct eb_strv *urls, struct eb_strv *env);
/* A requirement or URL; of a repository by http(s) without its login. Caller
 * frees. */
char *eb_git_bare(const char *text);

/* The request (its URL is filled) as the settings want it: cert, client-cert,
 * trusted-host, proxy, timeout, retries. `way` holds what that needs until the
 * request has ended. EB_INPUT, EB_MACHINE: the file of certificates. */
struct eb_index_way {
	struct eb_buf ca;
	struct eb_http_tls tls;
};
int eb_index_request(const struct eb_indexes *x, struct eb_index_way *way,
		     struct eb_http_request *r, struct eb_error *err);
void eb_index_way_release(struct eb_index_way *way);

/* --- requirements of other machines ------------------------------------- */
struct eb_pip_file {
	char *url; /* without credentials */
	struct eb_digest sha256;
};
struct eb_pip_files {
	struct eb_pip_file *v;
	size_t n, alloc;
};
/* What stands in the set's `remote` is fetched, and what these name, each once,
 * and their lines are added; then the set is checked as a whole. 256 files,
 * 4 MiB each, 16 MiB in all. What was read is added to `read`. */
int eb_pip_set_fetch(struct eb_pip_set *s, struct eb_http *http,
		     const struct eb_indexes *x, struct eb_events *events,
		     struct eb_pip_files *read, struct eb_error *err);
void eb_pip_files_release(struct eb_pip_files *f);

/* --- pages --------------------------------------------------------------- */
struct eb_index_file {
	char *name, *url; /* absolute; without fragment */
	bool has_sha256;
	struct eb_digest sha256;
	uint64_t size;	       /* 0: not said */
	char *requires_python; /* or NULL */
	char *upload_time;     /* or NULL */
	char *yanked;	       /* reason or ""; NULL: it is not */
	char *metadata_url;    /* PEP 658, or NULL */
};
struct eb_index_page {
	struct eb_index_file *file; /* wheels and sdists alone, as listed; none
				     * whose name or digest is malformed */
	size_t n, alloc;
};
/* 200,000 files, 64 MiB, at most: otherwise EB_INPUT. */
/* HTML or JSON by the answer's type. EB_INPUT: it is neither. `url`: of the
 * page after redirects, what relative links begin at. */
int eb_index_page_parse(const char *text, size_t len, const char *type,
			const char *url, struct eb_index_page *out,
			struct eb_error *err);
/* INDEX/PROJECT/ fetched and read. 1, 0: the index has no such project, -1. */
int eb_index_page_get(struct eb_http *http, const struct eb_indexes *x,
		      const char *index, const char *project,
		      struct eb_index_page *out, struct eb_error *err);
/* The same of one page by its URL, as --find-links has it; a folder of this
 * machine (path, or file: URL) gives its files, with sizes. */
int eb_index_links_get(struct eb_http *http, const struct eb_indexes *x,
		       const char *url, struct eb_index_page *out,
		       struct eb_error *err);
const struct eb_index_file *eb_index_find(const struct eb_index_page *p,
					  const char *file);
void eb_index_page_release(struct eb_index_page *p);

#endif
