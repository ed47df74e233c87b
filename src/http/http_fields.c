/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields: those that go out, and those of the answer. */
#include "http_int.h"

#define SMALL_BODY ((uint64_t)1 << 20)

#include <string.h>
#include <strings.h>

#include <envbuild/str.h>

/* --- out ------------------------------------------------------------- */

static bool is_line(const char *text)
{
	for (const char *p = text ? text : ""; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			return false;
	return true;
}

int eb_http_check_fields(const struct eb_transfer *t, struct eb_error *err)
{
	const struct eb_http_request *r = t->r;
	bool good = is_line(r->authorization) && is_line(r->if_none_match) &&
		    is_line(r->if_modified_since);

	for (size_t i = 0; r->headers && r->headers[i]; i++)
		good = good && is_line(r->headers[i]);
	if (good)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\": %s: a header field holds control characters",
			  t->shown, t->doing);
}

bool eb_http_at_home(const struct eb_transfer *t)
{
	return t->origin && !strcmp(t->login.origin, t->origin);
}

static void add_line(struct eb_transfer *t, const char *line)
{
	struct curl_slist *more = curl_slist_append(t->fields, line);

	if (!more)
		eb_oom();
	t->fields = more;
}

static void add(struct eb_transfer *t, const char *name, const char *value)
{
	char *line = eb_asprintf("%s: %s", name, value);

	add_line(t, line);
	explicit_bzero(line, strlen(line));
	free(line);
}

/* Whether a small body is welcome is not asked first, which libcurl does for
 * every PUT: the answer takes longer than the body. A pipe's is sent once. */
static bool unasked(const struct eb_http_body *body)
{
	return body->kind != EB_HTTP_PIPE && body->size <= SMALL_BODY;
}

void eb_http_set_fields(struct eb_transfer *t)
{
	const struct eb_http_request *r = t->r;

	eb_http_free_fields(t);
	if (t->resumed)
		add(t, "If-Range", t->part_etag);
	else if (r->if_none_match)
		add(t, "If-None-Match", r->if_none_match);
	if (!t->resumed && r->if_modified_since)
		add(t, "If-Modified-Since", r->if_modified_since);
	for (size_t i = 0; r->headers && r->headers[i]; i++)
		add_line(t, r->headers[i]);
	if (r->body.size && unasked(&r->body))
		add_line(t, "Expect:");
	if (r->authorization && eb_http_at_home(t))
		add(t, "Authorization", r->authorization);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->fields);
}

/* One of them may be a secret. */
void eb_http_free_fields(struct eb_transfer *t)
{
	for (struct curl_slist *p = t->fields; p; p = p->next)
		explicit_bzero(p->data, strlen(p->data));
	curl_slist_free_all(eb_steal(t->fields));
}

/* --- in -------------------------------------------------------------- */

/* The value behind "name:", when the line has that name. */
static const char *value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncasecmp(line, name, n) && line[n] == ':' ? line + n + 1
							     : NULL;
}

char *eb_http_field(const struct eb_http_request *r, const char *name,
		    unsigned n)
{
	const char *line = r->answer, *value;
	size_t len;

	for (; line && *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		value = value_of(line, name);
		if (!value || n--)
			continue;
		return eb_strip(
			eb_strndup(value, len - (size_t)(value - line)));
	}
	return NULL;
}
