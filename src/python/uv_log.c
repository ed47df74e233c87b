/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What uv says: lines of its log (pages that it asked for, who requires what,
 * what was withdrawn), and its words for people. A line that is not known
 * counts as words of no meaning: another version of uv costs details of an
 * explanation, never a result.
 */
#include <string.h>

#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "uv.h"

#define EDGES 4096   /* that are looked at */
#define REDIRECTS 10 /* of one request that uv follows */

static bool is_logged(const char *line)
{
	static const char *const level[] = { "DEBUG ", "TRACE ", "INFO ",
					     "WARN " };

	for (size_t i = 0; i < sizeof level / sizeof *level; i++)
		if (eb_starts(line, level[i]))
			return true;
	return false;
}

/* "DEBUG No cache entry for: http://127.0.0.1/simple/numpy/" */
static void read_page(const char *line, struct eb_uv_log *out)
{
	const char *url = strstr(line, " for: http");

	if (!url || !eb_ends(url, "/"))
		return;
	url += strlen(" for: ");
	if (!eb_strv_has(&out->page, url))
		eb_strv_add(&out->page, url);
}

/* "DEBUG Sending fresh GET request for: URL", then for each redirect "DEBUG
 * Received HTTP 302 Found. Redirecting to `URL`". */
static void read_redirect(const char *line, unsigned *n, struct eb_uv_log *out)
{
	static const char key[] = ". Redirecting to `";
	const char *to = strstr(line, key);

	if (strstr(line, "Sending fresh "))
		*n = 0;
	if (!to || ++*n < REDIRECTS || out->circle)
		return;
	to += sizeof key - 1;
	out->circle = eb_strndup(to, strcspn(to, "`"));
}

/* Between commas: ">=7, <7+" is one version, "<1.3 | >=1.3+" all but one. */
static char *range_of(const char *text)
{
	struct eb_strv piece EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	size_t i;

	eb_strv_split(&piece, text, ",|");
	for (i = 0; i < piece.n; i++)
		eb_strip(piece.v[i]);
	for (i = 0; i < piece.n; i++) {
		const char *at = piece.v[i];
		const char *next = i + 1 < piece.n ? piece.v[i + 1] : "";
		size_t n = strlen(next);
		bool pair = false;

		if (eb_starts(at, ">=") && eb_starts(next, "<") && n > 2 &&
		    next[n - 1] == '+' &&
		    strncmp(at + 2, next + 1, n - 2) == 0 && !at[n]) {
			eb_buf_addf(&out, "%s==%s", out.len ? "," : "", at + 2);
			pair = true;
		} else if (eb_starts(at, "<") && eb_starts(next, ">=") &&
			   n > 3 && next[n - 1] == '+' &&
			   strncmp(at + 1, next + 2, n - 3) == 0 &&
			   !at[n - 2]) {
			eb_buf_addf(&out, "%s!=%s", out.len ? "," : "", at + 1);
			pair = true;
		} else if (strcmp(at, "*")) {
			eb_buf_addf(&out, "%s%s", out.len ? "," : "", at);
		}
		i += pair;
	}
	return eb_buf_steal(&out, NULL);
}

/* "name[extra]>=2, <3" */
static void split(const char *text, char **name, char **range)
{
	size_t n = strcspn(text, "[<>=!~* @");
	const char *rest = text + n;
	eb_autofree char *raw = eb_strndup(text, n);

	if (*rest == '[')
		rest += strcspn(rest, "]") + (strchr(rest, ']') ? 1 : 0);
	*name = eb_project_name(raw);
	*range = range_of(rest);
}

static void add_edge(struct eb_uv_log *out, char *who, char *version,
		     const char *what)
{
	struct eb_uv_edge *e;
	size_t i;

	EB_GROW(out->edge, out->n, out->alloc);
	e = &out->edge[out->n];
	*e = (struct eb_uv_edge){ who, version, NULL, NULL };
	split(what, &e->name, &e->range);
	for (i = 0; i < out->n; i++) {
		const struct eb_uv_edge *o = &out->edge[i];

		if (strcmp(o->name, e->name) == 0 &&
		    strcmp(o->range, e->range) == 0 && !o->who == !who &&
		    (!who || (strcmp(o->who, who) == 0 &&
			      strcmp(o->who_version, version) == 0)))
			break;
	}
	/* an extra of a project requires the project itself */
	if (i == out->n && (!who || strcmp(who, e->name) != 0)) {
		out->n++;
		return;
	}
	free(e->who);
	free(e->who_version);
	free(e->name);
	free(e->range);
}

static void read_edge(const char *line, struct eb_uv_log *out, unsigned depth)
{
	static const char direct[] = "Adding direct dependency: ";
	static const char other[] = "Adding transitive dependency for ";
	const char *at = strstr(line, direct), *equals, *colon;

	if (at && depth == 1)
		add_edge(out, NULL, NULL, at + sizeof direct - 1);
	at = strstr(line, other);
	equals = at ? strstr(at, "==") : NULL;
	colon = equals ? strstr(equals, ": ") : NULL;
	if (!colon || depth != 1)
		return;
	at += sizeof other - 1;
	add_edge(out, eb_strndup(at, strcspn(at, "[=")),
		 eb_strndup(equals + 2, (size_t)(colon - equals) - 2),
		 colon + 2);
}

/* warning: `numpy==1.0` is yanked (reason: "broken") */
static void read_yanked(const char *line, struct eb_uv_log *out)
{
	const char *tick = strchr(line, '`'),
		   *eq = tick ? strstr(tick, "==") : NULL;
	const char *end = eq ? strchr(eq, '`') : NULL;
	const char *why = end ? strstr(end, "(reason: \"") : NULL;
	size_t n = why ? strlen(why + 10) : 0;
	eb_autofree char *raw = NULL, *name = NULL;

	if (!end || !eb_starts(end, "` is yanked"))
		return;
	raw = eb_strndup(tick + 1, (size_t)(eq - tick) - 1);
	name = eb_project_name(raw);
	eb_strv_addf(&out->yanked, "%s %.*s %.*s", name, (int)(end - eq) - 2,
		     eq + 2, (int)(n > 2 ? n - 2 : 0), why ? why + 10 : "");
}

/* "      Built future==0.17.1" */
static void read_built(const char *line, struct eb_uv_log *out)
{
	while (*line == ' ')
		line++;
	if (eb_starts(line, "Built ") && !out->built)
		out->built = eb_strdup(line + 6);
}

static void mask(char **text, const struct eb_indexes *x)
{
	char *plain = *text;

	if (!plain)
		return;
	*text = eb_indexes_mask(x, plain);
	explicit_bzero(plain, strlen(plain));
	free(plain);
}

void eb_uv_log_read(const char *log, const struct eb_indexes *x, bool edges,
		    struct eb_uv_log *out)
{
	eb_autofree char *all = eb_strdup(log);
	EB_AUTOBUF(words, EB_UV_ANSWER);
	char *rest = all, *line;
	unsigned depth = 0; /* a build's own requirements are another matter */
	unsigned redirects = 0;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = 0;
		if (is_logged(line)) {
			if (strstr(line, "Solving with target Python"))
				depth++;
			read_page(line, out);
			read_redirect(line, &redirects, out);
			if (edges && out->n < EDGES)
				read_edge(line, out, depth);
			continue;
		}
		read_built(line, out);
		if (eb_starts(line, "warning: "))
			read_yanked(line, out);
		else
			eb_buf_addf(&words, "%s\n", line);
	}
	free(out->text);
	out->text = eb_indexes_mask(x, words.data);
	mask(&out->circle, x);
	explicit_bzero(words.data, words.len);
	explicit_bzero(all, strlen(log));
}

void eb_uv_log_release(struct eb_uv_log *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->edge[i].who);
		free(l->edge[i].who_version);
		free(l->edge[i].name);
		free(l->edge[i].range);
	}
	free(l->edge);
	eb_strv_release(&l->page);
	eb_strv_release(&l->yanked);
	free(l->built);
	free(l->circle);
	free(l->text);
	*l = (struct eb_uv_log){ 0 };
}

char *eb_uv_log_stop(const struct eb_uv_log *l)
{
	static const char *const said[] = {
		"Failed to download and build `",
		"Failed to build `",
		"Failed to build editable `",
		"Failed to prepare `",
	};
	/* what cannot even be fetched is no question of building */
	if (strstr(l->text, "Failed to fetch: ") ||
	    strstr(l->text, "Git operation failed") ||
	    strstr(l->text, "Request failed after "))
		return NULL;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		const char *at = strstr(l->text, said[i]);

		if (!at)
			continue;
		at += strlen(said[i]);
		return eb_strndup(at, strcspn(at, "`\n"));
	}
	return l->built ? eb_strdup(l->built) : NULL;
}

const char *eb_uv_log_yanked(const struct eb_uv_log *l, const char *name,
			     const char *version)
{
	eb_autofree char *key = eb_asprintf("%s %s ", name, version);

	for (size_t i = 0; i < l->yanked.n; i++)
		if (eb_starts(l->yanked.v[i], key))
			return l->yanked.v[i] + strlen(key);
	return NULL;
}
