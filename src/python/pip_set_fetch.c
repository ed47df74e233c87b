/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements and constraints files of other machines: `-r https://...`. They
 * are read as if their lines stood in the definition, and what they hold is
 * remembered by its hash. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/index.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MAX_FILES 256
#define MAX_BYTES EB_MAX_METADATA /* of all of them */

struct fetching {
	struct eb_pip_set *set;
	struct eb_http *http;
	const struct eb_indexes *x;
	struct eb_events *events;
	struct eb_pip_files *read;
	struct eb_strv seen; /* "-r URL"; with credentials */
	size_t bytes;
	struct eb_error *err;
};

static void release(struct fetching *f)
{
	eb_wipe_all(&f->seen);
}

static int get(const struct fetching *f, const char *url, struct eb_buf *text)
{
	struct eb_index_way way EB_CLEANUP(eb_index_way_release) = { 0 };
	char *login = eb_index_login(f->x, url);
	struct eb_http_request r EB_CLEANUP(eb_http_request_release) = {
		.url = login, .max_bytes = text->max, .text = text, .fd = -1
	};
	struct eb_http_request *all[] = { &r };
	int rc = eb_index_request(f->x, &way, &r, f->err);

	if (rc == 0)
		rc = eb_http_do(f->http, all, 1, f->err);
	eb_wipe(login);
	return rc;
}

static void remember(struct fetching *f, const char *shown,
		     const struct eb_buf *text)
{
	struct eb_pip_files *r = f->read;

	EB_GROW(r->v, r->n, r->alloc);
	r->v[r->n].url = eb_strdup(shown);
	eb_sha256(text->data, text->len, &r->v[r->n++].sha256);
}

/* "-r URL" without "x/../", so that files that include each other are met
 * again. Frees the line. */
static char *plain(char *line)
{
	const char *url = line + strlen("-r ");
	char *whole = eb_http_resolve(url, url), *out;

	if (!whole)
		return line;
	out = eb_asprintf("%.3s%s", line, whole);
	eb_wipe(whole);
	eb_wipe(line);
	return out;
}

/* `line`: "-r URL" or "-c URL". */
static int take(struct fetching *f, const char *line)
{
	const char *url = line + strlen("-r ");
	eb_autofree char *shown = eb_pip_clean(url);
	EB_AUTOBUF(text, EB_MAX_YAML);
	int rc = get(f, url, &text);

	if (rc == 0)
		eb_note(f->events, "requirements of \"%s\" are read", shown);
	if (rc == 0)
		rc = eb_pip_set_add_text(f->set, text.data, text.len,
					 line[1] == 'c', url, shown, f->err);
	if (rc == 0)
		remember(f, shown, &text);
	f->bytes += text.len;
	explicit_bzero(text.data, text.len);
	return rc;
}

static int too_many(const struct fetching *f)
{
	return eb_err_set(f->err, EB_INPUT,
			  "more than %d requirements files, or %zu bytes of "
			  "them, from the network",
			  MAX_FILES, (size_t)MAX_BYTES);
}

static int all(struct fetching *f)
{
	struct eb_strv *left = &f->set->remote;

	while (left->n) {
		char *line = plain(left->v[--left->n]);
		int rc;

		left->v[left->n] = NULL;
		if (eb_strv_has(&f->seen, line)) {
			eb_wipe(line);
			continue;
		}
		eb_strv_take(&f->seen, line);
		rc = f->seen.n > MAX_FILES || f->bytes > MAX_BYTES
			     ? too_many(f)
			     : take(f, line);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int eb_pip_set_fetch(struct eb_pip_set *s, struct eb_http *http,
		     const struct eb_indexes *x, struct eb_events *events,
		     struct eb_pip_files *read, struct eb_error *err)
{
	struct fetching f EB_CLEANUP(release) = { .set = s,
						  .http = http,
						  .x = x,
						  .events = events,
						  .read = read,
						  .err = err };

	if (!s->remote.n)
		return 0;
	return all(&f) < 0 ? -1 : eb_pip_set_check(s, err);
}
