/* SPDX-License-Identifier: Apache-2.0 */
/* The map of an image's layers: written. */
#include <inttypes.h>
#include <string.h>

#include "team_map.h"

struct writer {
	const struct eb_known *known;
	const struct eb_known_item **part; /* by container, offset, key */
	size_t n_parts, written;
	struct eb_buf *text, *paths;
};

static int by_place(const void *a, const void *b)
{
	const struct eb_known_item *x = *(struct eb_known_item *const *)a;
	const struct eb_known_item *y = *(struct eb_known_item *const *)b;
	int d = eb_digest_compare(&x->container, &y->container);

	if (!d)
		d = (x->offset > y->offset) - (x->offset < y->offset);
	/* parts without bytes share an offset with the next one */
	if (!d)
		d = (x->item.size > y->item.size) -
		    (x->item.size < y->item.size);
	return d ? d : eb_digest_compare(&x->item.key, &y->item.key);
}

static void add_hex(struct eb_buf *out, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	eb_buf_addf(out, "\t%s", eb_digest_hex(d, hex));
}

static void write_line(struct writer *w, const char *word,
		       const struct eb_known_item *k)
{
	eb_buf_adds(w->text, word);
	add_hex(w->text, &k->item.key);
	eb_buf_addf(w->text, "\t%s", k->item.compressor);
	add_hex(w->text, &k->item.plain);
	eb_buf_addf(w->text, "\t%" PRIu64, k->item.plain_size);
	add_hex(w->text, &k->item.blob);
	eb_buf_addf(w->text, "\t%" PRIu64, k->item.size);
	add_hex(w->text, &k->item.paths);
	eb_buf_addf(w->text, "\t%zu", k->paths_size);
	if (k->item.kind == EB_ITEM_PART)
		eb_buf_addf(w->text, "\t%" PRIu64, k->offset);
	eb_buf_addch(w->text, '\n');
	eb_buf_add(w->paths, w->known->paths.data + k->paths_at, k->paths_size);
	w->written++;
}

/* The first part of a container, or where it would be. */
static size_t first_part(const struct writer *w, const struct eb_digest *blob)
{
	size_t from = 0, to = w->n_parts;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (eb_digest_compare(&w->part[mid]->container, blob) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void write_layer(struct writer *w, const struct eb_known_item *layer)
{
	write_line(w, "layer", layer);
	for (size_t i = first_part(w, &layer->item.blob);
	     i < w->n_parts && w->part[i] &&
	     eb_digest_equal(&w->part[i]->container, &layer->item.blob) &&
	     !strcmp(w->part[i]->item.compressor, layer->item.compressor);
	     i++)
		write_line(w, "part", w->part[i]);
}

/* Another layer of the same bytes has no parts of its own. */
static bool repeats(const struct eb_known *k, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (k->item[j].item.kind == EB_ITEM_LAYER &&
		    eb_digest_equal(&k->item[j].item.blob,
				    &k->item[i].item.blob))
			return true;
	return false;
}

static void write_all(struct writer *w)
{
	const struct eb_known *k = w->known;

	eb_buf_adds(w->text, "envbuild-map 1\n");
	for (size_t i = 0; i < k->n; i++)
		if (k->item[i].item.kind == EB_ITEM_PART)
			w->part[w->n_parts++] = &k->item[i];
	if (w->n_parts)
		qsort(w->part, w->n_parts, sizeof(struct eb_known_item *),
		      by_place);
	for (size_t i = 0; i < k->n; i++) {
		if (k->item[i].item.kind != EB_ITEM_LAYER)
			continue;
		if (repeats(k, i))
			write_line(w, "layer", &k->item[i]);
		else
			write_layer(w, &k->item[i]);
	}
}

int eb_map_format(const struct eb_known *k, struct eb_buf *text,
		  struct eb_buf *paths, struct eb_error *err)
{
	eb_autofree const struct eb_known_item **part =
		eb_calloc(k->n + 1, sizeof(struct eb_known_item *));
	struct writer w = {
		.known = k, .part = part, .text = text, .paths = paths
	};

	write_all(&w);
	if (w.written != k->n)
		return eb_err_set(err, EB_INPUT,
				  "the map of the layers: %zu parts are in "
				  "none of them",
				  k->n - w.written);
	if (text->overflow || paths->overflow || k->n > EB_MAP_LINES)
		return eb_err_set(err, EB_INPUT,
				  "the map of the layers is too long: %zu "
				  "layers and parts",
				  k->n);
	return 0;
}
