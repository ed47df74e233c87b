/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no answer, in one sentence of ours at the line that asked: uv's
 * own words go through many steps. What they name is held against the pages of
 * the indexes; where that explains nothing, the words themselves are given.
 */
#include "pip_resolve_int.h"

#include <ctype.h>
#include <string.h>

#define WORDS 1500 /* of uv's that a message takes */
#define LOOKS 40   /* demands that are looked at */

/* Its first sentence or so, on one line. */
static char *words_of(const char *text)
{
	const char *at = strstr(text, "cause: ");
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	bool blank = false;

	if (!at)
		at = strstr(text, "error: ");
	at = at ? strchr(at, ':') + 2 : text;
	for (; *at && out.len < WORDS; at++) {
		if (at[0] == '\n' && (at[1] == '\n' || !at[1]))
			break;
		if (isspace((unsigned char)*at)) {
			blank = out.len > 0;
			continue;
		}
		if (blank)
			eb_buf_addch(&out, ' ');
		blank = false;
		eb_buf_addch(&out, *at);
	}
	while (out.len && out.data[out.len - 1] == '.')
		out.data[--out.len] = 0;
	return eb_buf_steal(&out, NULL);
}

/* From behind `key` to the end of its line, or NULL. */
static char *line_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	if (!at)
		return NULL;
	at += strlen(key);
	return eb_strndup(at, strcspn(at, "\n"));
}

/* Of a list of causes the last says what it was. */
static char *last_cause(const char *text)
{
	const char *at = text, *last = NULL;

	while ((at = strstr(at, "cause: ")))
		last = at += strlen("cause: ");
	return last ? eb_strndup(last, strcspn(last, "\n")) : NULL;
}

static bool says(const struct eb_resolving *z, const char *const *words)
{
	for (; *words; words++)
		if (strstr(z->log.text, *words))
			return true;
	return false;
}

/* The line whose text or project is in uv's words. */
static int at_named_line(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if ((l->shown && *l->shown && strstr(z->log.text, l->shown)) ||
		    (l->name && eb_resolve_is_named(z, l->name)))
			return eb_err_at(err, l->file, l->line, l->column);
	}
	return -1;
}

static int in_its_words(struct eb_resolving *z, struct eb_error *err)
{
	eb_autofree char *words = words_of(z->log.text);
	const struct eb_pip_set *set = z->r->set;

	eb_err_set(err, EB_NO, "%s cannot be had together: %s",
		   z->what ? "what it requires"
			   : "the projects of the pip section",
		   words);
	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (l->name && eb_resolve_is_named(z, l->name))
			return eb_err_at(err, l->file, l->line, l->column);
	}
	return -1;
}

/* Demands of what uv speaks of, in the order in which they came. */
static int by_demand(struct eb_resolving *z, struct eb_error *err)
{
	unsigned looks = 0;

	for (size_t i = 0; i < z->log.n && looks < LOOKS; i++) {
		const struct eb_uv_edge *e = &z->log.edge[i];

		if (!eb_resolve_is_named(z, e->name) || eb_resolve_conda(z, e))
			continue;
		looks++;
		if (eb_resolve_explain_demand(z, e, err))
			return 1;
	}
	return 0;
}

/* An index that answers with 401 or 403 has the project for uv's purposes not;
 * its hint tells. */
static int by_refusal(struct eb_resolving *z, struct eb_error *err)
{
	static const char *const said[] = {
		"lack of valid authentication credentials",
		"returned a 403 Forbidden error",
	};
	const char *at = NULL, *open;

	for (size_t i = 0; i < sizeof said / sizeof *said && !at; i++)
		at = strstr(z->log.text, said[i]);
	if (!at || !strstr(z->log.text, "was not found"))
		return 0;
	open = at;
	while (open > z->log.text && *open != '(' && *open != '\n')
		open--;
	eb_err_set(err, EB_REFUSED,
		   "\"%.*s\", asking the index: it refuses (%s)",
		   *open == '(' ? (int)strcspn(open + 1, ")") : 0, open + 1,
		   strstr(at, "401") ? "401" : "403");
	eb_err_hint(err, "credentials of an index stand in its URL, in netrc, "
			 "or in a keyring");
	return 1;
}

/* Nobody was asked: what uv has not is no answer. */
static int by_offline(struct eb_resolving *z, struct eb_error *err)
{
	const char *at = strstr(z->log.text, " was not found in the cache");
	const char *from = at;

	if (!z->r->offline || !at)
		return 0;
	while (from > z->log.text && !isspace((unsigned char)from[-1]))
		from--;
	eb_err_set(err, EB_NETWORK,
		   "\"%.*s\", asking the index for it: this is offline",
		   (int)(at - from), from);
	eb_err_hint(err, "what was not read before is not to be had offline");
	return 1;
}

/* uv takes what the last redirect says for the answer. */
static int by_circle(struct eb_resolving *z, struct eb_error *err)
{
	if (!z->log.circle)
		return 0;
	eb_err_set(err, EB_NETWORK,
		   "\"%s\", asking for it while resolving: it redirects on and "
		   "on",
		   z->log.circle);
	eb_err_hint(err, "the index, or a proxy before it, leads in a circle: "
			 "is its URL right?");
	return 1;
}

/* A file whose zip is none: uv goes on without that version. */
static int by_damage(struct eb_resolving *z, struct eb_error *err)
{
	static const char *const zip[] = { "Failed to read from zip file",
					   "Failed to unzip wheel", NULL };
	static const char key[] = "The structure of `";
	const char *at = strstr(z->log.text, key);
	eb_autofree char *file =
		line_behind(z->log.text, "Failed to unzip wheel: ");
	eb_autofree char *why = last_cause(z->log.text);

	if ((!file && !at) || !says(z, zip))
		return 0;
	if (file) {
		char *colon = strstr(file, ".whl: ");

		if (colon) {
			free(why);
			why = eb_strdup(colon + strlen(".whl: "));
			colon[strlen(".whl")] = 0;
		}
	} else {
		at += sizeof key - 1;
		file = eb_strndup(at, strcspn(at, "`"));
		free(why);
		why = eb_strdup("it is no zip");
	}
	eb_err_set(err, EB_INTEGRITY,
		   "\"%s\", reading its metadata while resolving: it is "
		   "damaged: %s",
		   file, why ? why : "it is no zip");
	eb_err_hint(err,
		    "another version, or another index, may have it whole");
	at_named_line(z, err);
	return 1;
}

int eb_resolve_explain(struct eb_resolving *z, struct eb_error *err)
{
	if (!by_circle(z, err) && !by_damage(z, err) && !by_offline(z, err) &&
	    !by_refusal(z, err) && !by_demand(z, err) &&
	    !eb_resolve_explain_conflict(z, err))
		in_its_words(z, err);
	if (z->what)
		eb_err_prefix(err, "%s", z->what);
	return -1;
}

/* --- other failures ------------------------------------------------------- */

static int of_network(struct eb_resolving *z, struct eb_error *err)
{
	static const char *const refused[] = { "401 Unauth", "403 Forb",
					       "407 Proxy", "certificate",
					       NULL };
	static const char *const offline[] = { "network connectivity is "
					       "disabled",
					       "--offline", NULL };
	eb_autofree char *url = line_behind(z->log.text, "Failed to fetch: ");
	eb_autofree char *why = last_cause(z->log.text);
	eb_autofree char *fatal = line_behind(z->log.text, "fatal: ");
	bool no = says(z, refused);

	if (!url)
		url = line_behind(z->log.text, "Failed to unzip wheel: ");
	if (!url) /* of a repository */
		url = line_behind(z->log.text,
				  "Failed to download and build `");
	if (fatal) {
		free(why);
		why = eb_steal(fatal);
	}
	if (url && (url[0] == '`'))
		memmove(url, url + 1, strlen(url));
	if (url && eb_ends(url, "`"))
		url[strlen(url) - 1] = 0;
	eb_err_set(err, no ? EB_REFUSED : EB_NETWORK,
		   "\"%s\", asking for it while resolving: %s",
		   url ? url : "the package index", why ? why : "no answer");
	if (no)
		return eb_err_hint(err, "credentials of an index stand in its "
					"URL, in netrc, or in a keyring");
	return says(z, offline)
		       ? eb_err_hint(err, "what was not read before is not to "
					  "be had offline")
		       : eb_err_hint(err,
				     "is it reachable from here? pip's "
				     "settings (index-url, proxy, timeout, "
				     "retries) are followed");
}

int eb_resolve_explain_other(struct eb_resolving *z, struct eb_error *err)
{
	static const char *const network[] = {
		"Failed to fetch",	 "Request failed after",
		"error sending request", "network connectivity is disabled",
		"Git operation failed",	 NULL
	};
	static const char *const hash[] = { "Hash mismatch", NULL };
	static const char *const direct[] = {
		"URL dependencies must be expressed as direct", NULL
	};
	eb_autofree char *first = line_behind(z->log.text, "error: ");
	eb_autofree char *why = last_cause(z->log.text);
	static const char *const page[] = { "Unsupported `Content-Type`",
					    "Received some unexpected", NULL };
	static const char *const other[] = { "Package metadata name",
					     "Package metadata version", NULL };
	enum eb_code code = EB_INPUT;

	if (by_circle(z, err))
		return -1;
	if (says(z, network))
		return of_network(z, err);
	if (by_damage(z, err))
		return -1;
	if (z->status > 128)
		return eb_err_set(err, EB_STEP,
				  "\"uv\", resolving: ended by signal %d",
				  z->status - 128);
	if (says(z, page))
		code = EB_NETWORK;
	else if (says(z, hash))
		code = EB_INTEGRITY;
	else if (says(z, direct))
		code = EB_NO;
	else if (!first)
		code = EB_STEP;
	eb_err_set(err, code, "resolving: %s%s%s",
		   first ? first : "\"uv\" ended without a word",
		   why ? ": " : "", why ? why : "");
	if (code == EB_NETWORK)
		eb_err_hint(err, "is that URL a package index? its pages are "
				 "lists of files, in HTML or JSON");
	else if (says(z, other))
		eb_err_hint(err, "the file is not what its name says; another "
				 "version may be");
	return at_named_line(z, err);
}
