/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pip section as a whole: its lines and those of the files that it
 * includes, in their order (facts 5.1).
 *
 * The lines are as pip would get them - comments cut, `${NAME}` expanded - and
 * may hold credentials: `text` goes to a resolver's private file and nowhere
 * else; `shown` is for messages.
 */
#ifndef EB_PIP_SET_H
#define EB_PIP_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/requirement.h>
#include <envbuild/str.h>

struct eb_pip_line {
	/* A requirement as a resolver reads it, without options and without
	 * `-e`: `name[extra]>=1 ; marker`, `name @ URL ; marker`, a URL, or an
	 * absolute path with `[extra] ; marker`. Overwritten when released. */
	char *text;
	char *shown;  /* without credentials */
	char *name;   /* normal project name, or NULL: not known yet */
	char *path;   /* absolute, of a local source; or NULL */
	char *marker; /* normal text, or NULL */
	struct eb_requirement normal; /* the same line, normalised */
	struct eb_strv hash;	      /* "sha256:<hex>" */
	struct eb_strv setting;	      /* of --config-settings, KEY=VALUE;
				       * overwritten when released */
	bool editable; /* -e: installed as a wheel all the same */
	char *file;    /* where it stands */
	unsigned line, column;
};

struct eb_pip_set {
	struct eb_pip_line *requirement, *constraint;
	size_t n, n_constraints, alloc, alloc_constraints;
	/* options, in their order; with credentials, overwritten when
	 * released. Folders are absolute. */
	char *index_url; /* the last one; NULL: none is written. The extra ones
			  * stay, whatever their order (pip forgets those that
			  * stand above it) */
	struct eb_strv extra_index, find_links, trusted_host;
	/* Normal names, or ":all:" alone; each name in one of a pair, the last
	 * word counts, as with pip. --pre stands in `pre`. */
	struct eb_strv no_binary, only_binary;
	struct eb_strv all_releases, only_final;
	bool no_index, pre, require_hashes, prefer_binary;
	struct eb_strv remote; /* -r and -c of URLs, to be fetched: "-r URL";
				* overwritten when released */
};
void eb_pip_set_release(struct eb_pip_set *s);

/*
 * One logical line of a file, added to the set. `dir`: what its relative paths
 * are relative to; of a file from the network its URL: such a file names
 * nothing of this machine (EB_INPUT). The same for -r and -c of files: who
 * reads those adds their lines. A hash anywhere asks for one everywhere:
 * looked at by eb_pip_set_check(). Errors have the place.
 */
int eb_pip_set_add(struct eb_pip_set *s, const char *line, bool constraint,
		   const char *dir, const char *file, unsigned at,
		   unsigned column, struct eb_error *err);
/* All lines of a requirements file as its bytes, e.g. one of `remote`. */
int eb_pip_set_add_text(struct eb_pip_set *s, const char *data, size_t len,
			bool constraint, const char *dir, const char *file,
			struct eb_error *err);
/* Is there a hash anywhere, or are they asked for? */
bool eb_pip_set_hashed(const struct eb_pip_set *s);
/*
 * What holds for the whole, EB_INPUT with the place of the first line that
 * breaks it: constraints without extras; with a hash anywhere, every line has
 * one (of its own, as #sha256= of its URL, or of its constraint), is pinned by
 * `==` or a URL, and is neither a folder nor a repository. A line with a marker
 * may not be meant for the target, and is left to who knows it.
 */
int eb_pip_set_check(const struct eb_pip_set *s, struct eb_error *err);

/* ---- requirements files as text ----------------------------------------- */

/*
 * Bytes of a file as UTF-8 with LF between its lines, added to `out`: by a
 * byte order mark (UTF-8, 16, 32), else what a `# coding: NAME` comment in its
 * first two lines says, else UTF-8. EB_INPUT with the place: NUL bytes, bytes
 * that are none of that encoding, one that is not known. (pip would take the
 * machine's own encoding in the end; a file has to mean the same everywhere.)
 */
int eb_pip_decode(const char *data, size_t len, const char *file,
		  struct eb_buf *out, struct eb_error *err);
/* The text from `*at` on as one logical line (what ends in a backslash is
 * joined with the next); NULL at the end. `*line` is moved on with it; the
 * line's own number is in `*number`. Caller frees. */
char *eb_pip_next_line(const char **at, unsigned *line, unsigned *number);
/* Does the value of -r, -c or --find-links begin with "http:" or "https:"? */
bool eb_pip_is_remote(const char *value);

#endif
