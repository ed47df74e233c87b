/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a part, or a whole layer of its own. */
#include <string.h>

#include "part_flow.h"

struct writing {
	struct eb_sink *sink;
	struct eb_ahead *ahead;
	const struct eb_compressor *c;
	struct eb_buf header;
	const char *what;
};
struct check {
	eb_part_check_fn *fn; /* or NULL */
	void *data;
};

static int check_target(const struct eb_entry *e, const char *what,
			struct eb_error *err)
{
	const char *why = NULL;

	if (!e->target || !*e->target)
		why = "it has no target";
	else if (strlen(e->target) > 4095)
		why = "its target is longer than 4095 bytes";
	else if (!eb_utf8_valid(e->target, strlen(e->target)))
		why = "its target is not UTF-8";
	if (!why)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", the link \"%s\" cannot enter an image: %s",
			  what, e->path, why);
}

static int check_entries(const struct eb_entries *e, const char *what,
			 struct eb_error *err)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		const struct eb_entry *entry = &e->entry[i];

		if (eb_path_check(entry->path, what, err) < 0)
			return -1;
		if (entry->type == EB_ENTRY_LINK &&
		    check_target(entry, what, err) < 0)
			return -1;
	}
	return 0;
}

static int write_dirs(struct writing *w, const struct eb_entries *e,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv dirs = { 0 };
	size_t i;

	eb_dirs_add(&dirs, e);
	eb_strv_sort(&dirs);
	eb_strv_unique(&dirs);
	for (i = 0; i < dirs.n; i++) {
		eb_buf_reset(&w->header);
		if (eb_tar_dir(&w->header, dirs.v[i], err) < 0 ||
		    eb_sink_write(w->sink, w->header.data, w->header.len, err) <
			    0)
			return -1;
	}
	return 0;
}

static int write_content(struct writing *w, struct eb_entry *e,
			 struct eb_error *err)
{
	uint64_t size = eb_tar_size(e);

	if (e->type == EB_ENTRY_FILE && e->deflated)
		return eb_sink_deflated(w->sink, w->c, w->ahead, e, err);
	return size ? eb_sink_spool(w->sink, e->spool, e->offset, size, err)
		    : 0;
}

static int write_entry(struct writing *w, struct eb_entry *e,
		       struct eb_error *err)
{
	eb_buf_reset(&w->header);
	if (eb_tar_header(&w->header, e, err) < 0 ||
	    eb_sink_write(w->sink, w->header.data, w->header.len, err) < 0 ||
	    write_content(w, e, err) < 0)
		return -1;
	return eb_sink_zeros(w->sink, eb_tar_padding(eb_tar_size(e)), err);
}

/* Who did not know the digest of a file beforehand leaves it to us; of a
 * deflated one it is made while it is inflated. */
static int add_digest(struct eb_entry *e, struct eb_error *err)
{
	const size_t piece = 64 << 10;
	eb_autofree char *buffer = eb_malloc(piece);
	uint64_t at = 0;
	struct eb_sha256 sha;

	eb_sha256_init(&sha);
	while (at < e->size) {
		size_t n = e->size - at < piece ? e->size - at : piece;

		if (eb_spool_read(e->spool, e->offset + at, buffer, n, err) < 0)
			return -1;
		eb_sha256_add(&sha, buffer, n);
		at += n;
	}
	eb_sha256_end(&sha, &e->sha256);
	return 0;
}

static int add_digests(struct eb_entries *e, struct eb_error *err)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		if (e->entry[i].type == EB_ENTRY_FILE &&
		    !e->entry[i].deflated &&
		    eb_digest_is_zero(&e->entry[i].sha256) &&
		    add_digest(&e->entry[i], err) < 0)
			return -1;
	return 0;
}

static int write_all(struct writing *w, enum eb_item_kind kind,
		     struct eb_entries *e, struct eb_error *err)
{
	size_t i;

	if (kind == EB_ITEM_LAYER && write_dirs(w, e, err) < 0)
		return -1;
	for (i = 0; i < e->n; i++)
		if (e->entry[i].type != EB_ENTRY_DIR &&
		    write_entry(w, &e->entry[i], err) < 0)
			return -1;
	if (kind == EB_ITEM_LAYER)
		return eb_sink_zeros(w->sink, 2 * EB_TAR_BLOCK, err);
	return 0;
}

static void release(struct writing *w)
{
	eb_sink_abort(w->sink);
	eb_ahead_free(w->ahead);
	eb_buf_release(&w->header);
}

static int write_blob(unsigned threads, struct eb_store *store,
		      const struct eb_compressor *c, struct eb_entries *entries,
		      const char *what, const struct check *check,
		      struct eb_item *item, struct eb_error *err)
{
	struct writing w EB_CLEANUP(release) = { .c = c, .what = what };

	eb_buf_init(&w.header, EB_MAX_METADATA);
	w.ahead = eb_ahead_new(entries, c, threads);
	if (eb_sink_begin(store, c, &w.sink, err) < 0 ||
	    write_all(&w, item->kind, entries, err) < 0)
		return eb_err_prefix(err, "\"%s\", packing", what);
	if (check->fn && check->fn(check->data, err) < 0)
		return -1;
	return eb_sink_end(eb_steal(w.sink), item, what, err);
}

static int write_part(unsigned threads, struct eb_store *store,
		      const struct eb_compressor *c, enum eb_item_kind kind,
		      const struct eb_digest *key, struct eb_entries *entries,
		      const char *what, const struct check *check,
		      struct eb_item *out, struct eb_error *err)
{
	memset(out, 0, sizeof *out);
	out->kind = kind;
	out->key = *key;
	if (check_entries(entries, what, err) < 0 ||
	    eb_entries_sort(entries, what, err) < 0 ||
	    add_digests(entries, err) < 0 ||
	    write_blob(threads, store, c, entries, what, check, out, err) < 0)
		return -1;
	return eb_list_put(store, entries, NULL, 0, out, err);
}

int eb_part_write_by(unsigned threads, struct eb_store *store,
		     const struct eb_compressor *c, enum eb_item_kind kind,
		     const struct eb_digest *key, struct eb_entries *entries,
		     const char *what, struct eb_item *out,
		     struct eb_error *err)
{
	const struct check none = { NULL, NULL };

	return write_part(threads, store, c, kind, key, entries, what, &none,
			  out, err);
}

int eb_part_write_checked(struct eb_store *store, const struct eb_compressor *c,
			  enum eb_item_kind kind, const struct eb_digest *key,
			  struct eb_entries *entries, const char *what,
			  eb_part_check_fn *fn, void *data, struct eb_item *out,
			  struct eb_error *err)
{
	const struct check check = { fn, data };

	return write_part(eb_layer_cpus(), store, c, kind, key, entries, what,
			  &check, out, err);
}

int eb_part_write(struct eb_store *store, const struct eb_compressor *c,
		  enum eb_item_kind kind, const struct eb_digest *key,
		  struct eb_entries *entries, const char *what,
		  struct eb_item *out, struct eb_error *err)
{
	return eb_part_write_by(eb_layer_cpus(), store, c, kind, key, entries,
				what, out, err);
}
