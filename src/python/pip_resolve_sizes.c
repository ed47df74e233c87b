/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of files that no page told: of the server that has them. */
#include "pip_resolve_int.h"

#include <string.h>
#include <sys/stat.h>

#include "pip_line.h"

struct sizing {
	struct eb_pin *pin;
	char *url; /* with credentials */
	struct eb_buf text;
	struct eb_index_way way;
	struct eb_http_request request;
};
struct sizings {
	struct sizing *v;
	struct eb_http_request **request;
	size_t n;
};

static void release(struct sizings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		eb_http_request_release(&s->v[i].request);
		eb_buf_release(&s->v[i].text);
		eb_index_way_release(&s->v[i].way);
		eb_wipe(s->v[i].url);
	}
	free(s->v);
	free(s->request);
}

/* Of a whole answer, or "bytes 0-0/749000000" of one byte's. */
static int size_of(const struct eb_http_request *r, uint64_t *size)
{
	eb_autofree char *range = eb_http_field(r, "Content-Range", 0);
	eb_autofree char *length = eb_http_field(r, "Content-Length", 0);
	const char *total = range ? strrchr(range, '/') : NULL;

	if (total)
		return eb_parse_u64(total + 1, INT64_MAX, size);
	return length ? eb_parse_u64(length, INT64_MAX, size) : -1;
}

static void ask_head(struct eb_http_request *r)
{
	r->method = "HEAD";
}

/* Of a server that does not take HEAD. */
static void ask_byte(struct eb_http_request *r)
{
	r->range_size = 1;
	r->max_bytes = 1;
}

static int collect(const struct eb_resolving *z, struct eb_pin *pin, size_t n,
		   void (*ask)(struct eb_http_request *), struct sizings *s,
		   struct eb_error *err)
{
	s->v = eb_calloc(n + 1, sizeof *s->v);
	s->request = eb_calloc(n + 1, sizeof *s->request);
	for (size_t i = 0; i < n; i++) {
		struct sizing *one = &s->v[s->n];

		if (pin[i].size || pin[i].source > EB_PIN_SDIST ||
		    !eb_starts(pin[i].url, "http"))
			continue;
		one->pin = &pin[i];
		one->url = eb_index_login(z->r->indexes, pin[i].url);
		eb_buf_init(&one->text, 64);
		one->request.url = one->url;
		one->request.text = &one->text;
		one->request.fd = -1;
		ask(&one->request);
		s->request[s->n++] = &one->request;
		if (eb_index_request(z->r->indexes, &one->way, &one->request,
				     err) < 0)
			return -1;
	}
	return 0;
}

/* Of a folder of this machine. */
static void local_size(struct eb_pin *pin)
{
	eb_autofree char *path = eb_pip_file_path(pin->url);
	struct stat st;

	if (path && pin->size == 0 && pin->source <= EB_PIN_SDIST &&
	    stat(path, &st) == 0 && S_ISREG(st.st_mode))
		pin->size = (uint64_t)st.st_size;
}

/* -1 with the first error; what was answered is taken all the same. */
static int all(const struct eb_resolving *z, struct eb_pin *pin, size_t n,
	       void (*ask)(struct eb_http_request *), struct eb_error *err)
{
	struct sizings s EB_CLEANUP(release) = { 0 };
	int rc;

	if (collect(z, pin, n, ask, &s, err) < 0)
		return -1;
	rc = s.n ? eb_http_do(z->r->http, s.request, s.n, err) : 0;
	for (size_t i = 0; i < s.n; i++) {
		const struct eb_http_request *r = s.request[i];

		if (r->status / 100 == 2 && size_of(r, &s.v[i].pin->size) == 0)
			continue;
		if (rc == 0)
			rc = eb_err_set(err, EB_NETWORK,
					"\"%s\", asking for its size: the "
					"server does not tell it",
					s.v[i].pin->url);
	}
	return rc;
}

int eb_resolve_sizes(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err)
{
	struct eb_error first = EB_ERROR_INIT;

	for (size_t i = 0; i < n; i++)
		local_size(&pin[i]);
	if (all(z, pin, n, ask_head, &first) == 0)
		return 0;
	if (first.code == EB_INTERRUPTED || first.code == EB_TERMINATED) {
		eb_err_move(err, &first);
		return -1;
	}
	eb_err_release(&first);
	return all(z, pin, n, ask_byte, err);
}
