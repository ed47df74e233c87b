/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What uv's answer does not say of a file: the index whose page names it, the
 * Python it requires, its time and size, whether it was withdrawn. uv's log
 * tells which pages it read; those are looked at, where the file was not met
 * before.
 */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

/* --- one file ---------------------------------------------------------- */

static void set_text(char **to, const char *text)
{
	if (text && !*to)
		*to = eb_strdup(text);
}

/* 1 when the file is known, as one of these indexes has it. */
static int take_known(const json_t *known, const struct eb_strv *indexes,
		      struct eb_pin *pin)
{
	char hex[EB_HEX_SIZE];
	const json_t *f = eb_json_obj(known, eb_digest_hex(&pin->sha256, hex));
	const char *index = eb_json_str(f, "index");
	const char *file = eb_json_str(f, "file");
	json_int_t size = eb_json_int(f, "size", 0);

	if (!file || !index || size <= 0 || strcmp(file, pin->file) ||
	    !eb_strv_has(indexes, index))
		return 0;
	set_text(&pin->index, index);
	set_text(&pin->requires_python, eb_json_str(f, "requires-python"));
	set_text(&pin->upload_time, eb_json_str(f, "upload-time"));
	if (pin->size == 0)
		pin->size = (uint64_t)size;
	return 1;
}

static void put_text(json_t *f, const char *key, const char *text)
{
	if (text)
		json_object_set_new(f, key, json_string(text));
}

static void set_known(json_t *known, const struct eb_pin *pin)
{
	char hex[EB_HEX_SIZE];
	json_t *f;

	if (!pin->index || pin->size == 0)
		return;
	f = json_object();
	put_text(f, "file", pin->file);
	put_text(f, "index", pin->index);
	put_text(f, "requires-python", pin->requires_python);
	put_text(f, "upload-time", pin->upload_time);
	json_object_set_new(f, "size", json_integer((json_int_t)pin->size));
	json_object_set_new(known, eb_digest_hex(&pin->sha256, hex), f);
}

/* 1 when the page has that very file. */
static int take_page(const struct eb_resolve_page *p, struct eb_pin *pin)
{
	const struct eb_index_file *f =
		p->found ? eb_index_find(&p->page, pin->file) : NULL;

	if (!f || (f->has_sha256 && !eb_digest_equal(&f->sha256, &pin->sha256)))
		return 0;
	set_text(&pin->index, p->index);
	set_text(&pin->requires_python, f->requires_python);
	set_text(&pin->upload_time, f->upload_time);
	set_text(&pin->yanked, f->yanked);
	if (pin->size == 0)
		pin->size = f->size;
	return 1;
}

/* --- all of them --------------------------------------------------------- */

struct wanted {
	struct eb_pin *pin;
	struct eb_strv index; /* where it may come from */
	size_t next;	      /* of these */
	bool known;
};
struct wants {
	struct wanted *v;
	size_t n;
};

static void release(struct wants *w)
{
	for (size_t i = 0; i < w->n; i++)
		eb_strv_release(&w->v[i].index);
	free(w->v);
}

static bool is_of_index(const struct eb_pin *pin)
{
	return !pin->direct && eb_starts(pin->url, "http");
}

static void collect(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		    struct wants *out)
{
	eb_autojson json_t *known = eb_uv_known_read(z->root, EB_RESOLVE_FILES);

	out->v = eb_calloc(n + 1, sizeof *out->v);
	for (size_t i = 0; i < n; i++) {
		struct wanted *w = &out->v[out->n];

		if (!is_of_index(&pin[i]))
			continue;
		w->pin = &pin[i];
		eb_resolve_indexes_of(z, pin[i].name, &w->index);
		w->known = take_known(known, &w->index, &pin[i]);
		w->next = w->known ? w->index.n : 0;
		out->n++;
	}
}

/* One page for each that is still looked for. 0: nothing was left. */
static int look(struct eb_resolving *z, struct wants *w, struct eb_error *err)
{
	struct eb_resolve_page *page = eb_calloc(w->n + 1, sizeof *page);
	struct wanted **who = eb_calloc(w->n + 1, sizeof *who);
	size_t m = 0, i;
	int rc;

	for (i = 0; i < w->n; i++) {
		struct wanted *one = &w->v[i];

		if (one->next >= one->index.n)
			continue;
		page[m].index = one->index.v[one->next++];
		page[m].project = one->pin->name;
		who[m++] = one;
	}
	rc = m ? eb_resolve_pages(z, page, m, err) : 0;
	for (i = 0; rc == 0 && i < m; i++)
		if (take_page(&page[i], who[i]->pin))
			who[i]->next = who[i]->index.n;
	for (i = 0; i < m; i++)
		eb_index_page_release(&page[i].page);
	free(page);
	free(who);
	return rc < 0 ? -1 : m != 0;
}

static void remember(const struct eb_resolving *z, const struct wants *w)
{
	eb_autojson json_t *fresh = json_object();

	for (size_t i = 0; i < w->n; i++)
		if (!w->v[i].known)
			set_known(fresh, w->v[i].pin);
	if (json_object_size(fresh))
		eb_uv_known_write(z->root, EB_RESOLVE_FILES, fresh);
}

int eb_resolve_facts(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err)
{
	struct wants w EB_CLEANUP(release) = { 0 };
	int rc;

	collect(z, pin, n, &w);
	while ((rc = look(z, &w, err)) > 0)
		;
	if (rc == 0)
		rc = eb_resolve_sizes(z, pin, n, err);
	if (rc == 0 && !z->away) /* what ran there may have made it up */
		remember(z, &w);
	return rc;
}
