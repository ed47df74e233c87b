/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of reading pip's settings and of package indexes. */
#ifndef EB_INDEX_INT_H
#define EB_INDEX_INT_H

#include <stdbool.h>

#include <envbuild/index.h>

/* ---- settings --------------------------------------------------------------
 */

/* One setting, as it holds of all files or of the environment. */
struct eb_index_setting {
	char *section; /* "global", "install", ":env:" */
	char *key;     /* "index-url" */
	char *value;
	char *source; /* a file or variable */
	unsigned line;
};
struct eb_index_settings {
	struct eb_index_setting *v;
	size_t n, alloc;
};
/* pip's files, in their order, and PIP_*; `etc` stands for /etc. */
int eb_index_settings_read(const char *etc, struct eb_index_settings *out,
			   struct eb_events *events, struct eb_error *err);
void eb_index_settings_release(struct eb_index_settings *s);
/* One after the other, as pip does: [global], [install], PIP_*. */
int eb_index_settings_apply(const struct eb_index_settings *s,
			    struct eb_indexes *out, struct eb_events *events,
			    struct eb_error *err);
/* The set's own over them. */
void eb_index_set_apply(const struct eb_pip_set *set, struct eb_indexes *out);
int eb_indexes_read_in(const char *etc, const struct eb_pip_set *set,
		       struct eb_indexes *out, struct eb_events *events,
		       struct eb_error *err);

/* Names of --no-binary or --only-binary, separated by commas, into `target`
 * and out of `other`, with ":all:" and ":none:". */
void eb_index_format(const char *names, struct eb_strv *target,
		     struct eb_strv *other);
/* "Foo_Bar" as "foo-bar" (PEP 503). */
char *eb_index_project(const char *name);
/* A local path as an absolute one; URLs as they are. */
char *eb_index_place(const char *text);

/* ---- credentials -----------------------------------------------------------
 */

/* "user:password" of a URL as written there, or NULL. */
char *eb_index_userinfo(const char *url);
/* The URL with that instead of its own; NULL: none. */
char *eb_index_with_login(const char *url, const char *userinfo);
/* Is there an entry for the URL's host (or a default) in netrc? */
bool eb_index_in_netrc(const char *url);
/* "user:password", percent-encoded, as the program keyring has it for one of
 * the two services (either may be NULL); NULL: it has none. `user` or NULL. */
char *eb_index_keyring_ask(struct eb_index_keyring *k, const char *url,
			   const char *host, const char *user);
struct eb_index_keyring *eb_index_keyring_new(void);
void eb_index_keyring_free(struct eb_index_keyring *k);
/* What it has said so far, added to `out`. */
void eb_index_keyring_said(struct eb_index_keyring *k, struct eb_strv *out);
/* "%41" as "A"; false: with a NUL in it. In place. */
bool eb_index_unquote(char *s);

/* ---- pages -----------------------------------------------------------------
 */

#define EB_INDEX_PAGE_MAX ((size_t)64 << 20)
#define EB_INDEX_FILES_MAX 200000

/* A file as a page has it; texts belong to the caller, NULL where it says
 * nothing. */
struct eb_index_link {
	const char *name; /* NULL: the URL's last part */
	const char *url;  /* may be relative and have a fragment */
	const char *sha256;
	uint64_t size;
	const char *requires_python, *upload_time, *yanked;
	bool metadata;
};
/* Left out: what is no wheel or sdist, or malformed. -1: too many. `base`
 * NULL: URLs are taken as they are. */
int eb_index_page_add(struct eb_index_page *page, const char *base,
		      const struct eb_index_link *link, struct eb_error *err);
int eb_index_html_parse(const char *text, size_t len, const char *url,
			struct eb_index_page *out, struct eb_error *err);
int eb_index_json_parse(const char *text, size_t len, const char *url,
			struct eb_index_page *out, struct eb_error *err);
/* "1.3" can be read; "2.0" is refused. */
int eb_index_version_check(const char *version, const char *url,
			   struct eb_error *err);
/* &amp; &#62; and so on, in place; text as HTML has it in attributes. */
void eb_html_unescape(char *s);

/* An element of HTML: its name and attributes. */
#define EB_HTML_ATTRIBUTES 32
#define EB_HTML_VALUE 65536
struct eb_html_tag {
	char name[16]; /* lower case; "" when it is longer */
	struct {
		char name[32];
		char *value;
	} attribute[EB_HTML_ATTRIBUTES];
	unsigned n;
};
/* The next start tag, from *at on; false at the end. Comments, declarations,
 * end tags, scripts and styles are passed by; attributes beyond the limit are
 * left out, values beyond theirs are "". `tag` may be used again and again. */
bool eb_html_next(const char *text, size_t len, size_t *at,
		  struct eb_html_tag *tag);
const char *eb_html_attribute(const struct eb_html_tag *tag, const char *name);
void eb_html_tag_release(struct eb_html_tag *tag);

#endif
