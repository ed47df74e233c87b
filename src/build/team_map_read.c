/* SPDX-License-Identifier: Apache-2.0 */
/* The map of an image's layers: read with doubt. */
#include <string.h>

#include "team_map.h"

#define MAP_WORD "envbuild-map "
#define MAX_LINE 1024
#define MAX_SIZE ((uint64_t)1 << 40)
#define LAYER_FIELDS 9
#define PART_FIELDS 10

struct reader {
	const char *what;
	const struct eb_buf *paths;
	size_t paths_at;
	struct eb_item layer; /* that the parts which follow lie in */
	bool in_layer;
	uint64_t filled; /* of the layer, by its parts */
	unsigned line;
	struct eb_known *out;
	/* instead of `out`: is anything wanted? Paths are not looked at. */
	eb_wanted_fn *wanted;
	void *data;
	bool found;
};

static int damaged(const struct reader *r, const char *how,
		   struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading the map of its layers: line %u %s",
			  r->what, r->line, how);
}

static size_t split(char *line, char *field[PART_FIELDS])
{
	for (size_t n = 0; n < PART_FIELDS;) {
		field[n++] = line;
		line = strchr(line, '\t');
		if (!line)
			return n;
		*line++ = '\0';
	}
	return PART_FIELDS + 1;
}

static int take_compressor(const char *text, struct eb_item *out)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-");

	if (!n || text[n] || n >= sizeof out->compressor)
		return -1;
	memcpy(out->compressor, text, n + 1);
	return 0;
}

/* 64 digits and nothing before them */
static int take_digest(const char *text, struct eb_digest *out)
{
	return strlen(text) == EB_HEX_SIZE - 1 ? eb_digest_parse(text, out)
					       : -1;
}

static int take_item(char **f, struct eb_item *out, uint64_t *paths_size)
{
	memset(out, 0, sizeof *out);
	if (take_digest(f[1], &out->key) < 0 ||
	    take_compressor(f[2], out) < 0 ||
	    take_digest(f[3], &out->plain) < 0 ||
	    eb_parse_u64(f[4], MAX_SIZE, &out->plain_size) < 0 ||
	    take_digest(f[5], &out->blob) < 0 ||
	    eb_parse_u64(f[6], MAX_SIZE, &out->size) < 0 ||
	    take_digest(f[7], &out->paths) < 0)
		return -1;
	return eb_parse_u64(f[8], EB_MAX_PATHS, paths_size);
}

static int add(struct reader *r, const struct eb_item *item, uint64_t offset,
	       uint64_t paths_size, struct eb_error *err)
{
	const char *paths;

	if (r->wanted) {
		r->found = r->found || r->wanted(r->data, item);
		return 0;
	}
	paths = r->paths->data + r->paths_at;
	if (paths_size > r->paths->len - r->paths_at)
		return damaged(r, "has a path list beyond their end", err);
	r->paths_at += paths_size;
	if (eb_known_add(r->out, item, &r->layer.blob, r->layer.size, offset,
			 paths, paths_size, err) == 0)
		return 0;
	return eb_err_prefix(err, "\"%s\", line %u of its map", r->what,
			     r->line);
}

static int take_layer(struct reader *r, char **f, struct eb_error *err)
{
	struct eb_item item;
	uint64_t paths_size;

	if (take_item(f, &item, &paths_size) < 0)
		return damaged(r, "is no layer", err);
	item.kind = EB_ITEM_LAYER;
	r->layer = item;
	r->in_layer = true;
	r->filled = 0;
	return add(r, &item, 0, paths_size, err);
}

static int take_part(struct reader *r, char **f, struct eb_error *err)
{
	struct eb_item item;
	uint64_t paths_size, offset;

	if (take_item(f, &item, &paths_size) < 0 ||
	    eb_parse_u64(f[9], MAX_SIZE, &offset) < 0)
		return damaged(r, "is no part", err);
	item.kind = EB_ITEM_PART;
	if (!r->in_layer || strcmp(item.compressor, r->layer.compressor))
		return damaged(r, "is a part of no layer", err);
	if (offset < r->filled)
		return damaged(r, "is a part that lies over another", err);
	if (offset > r->layer.size || item.size > r->layer.size - offset)
		return damaged(r, "is a part beyond its layer", err);
	r->filled = offset + item.size;
	return add(r, &item, offset, paths_size, err);
}

static int take_line(struct reader *r, const char *text, size_t n,
		     struct eb_error *err)
{
	char line[MAX_LINE], *field[PART_FIELDS];
	size_t n_fields;

	if (n >= sizeof line || memchr(text, '\0', n))
		return damaged(r, "is none", err);
	memcpy(line, text, n);
	line[n] = '\0';
	n_fields = split(line, field);
	if (n_fields == LAYER_FIELDS && !strcmp(field[0], "layer"))
		return take_layer(r, field, err);
	if (n_fields == PART_FIELDS && !strcmp(field[0], "part"))
		return take_part(r, field, err);
	return damaged(r, "is none", err);
}

/* The first line; its length, or -1. */
static long take_format(const struct reader *r, const char *text, size_t len,
			struct eb_error *err)
{
	const char *end = memchr(text, '\n', len < 64 ? len : 64);
	eb_autofree char *line =
		end ? eb_strndup(text, (size_t)(end - text)) : NULL;
	uint64_t format = 0;

	if (!line || !eb_starts(line, MAP_WORD) ||
	    eb_parse_u64(line + strlen(MAP_WORD), UINT32_MAX, &format) < 0 ||
	    !format)
		return damaged(r, "is not that of a map", err);
	if (format == 1)
		return end - text + 1;
	eb_err_set(err, EB_MACHINE, "\"%s\" has a map of a newer format, %u",
		   r->what, (unsigned)format);
	return eb_err_hint(err, "use a newer envbuild than " EB_VERSION);
}

static int parse(struct reader *r, const char *text, size_t len,
		 struct eb_error *err)
{
	const char *end = text + len, *newline;
	long head = take_format(r, text, len, err);

	if (head < 0)
		return -1;
	for (text += head; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (++r->line > EB_MAP_LINES + 1)
			return damaged(r, "is one too many", err);
		if (!newline)
			return damaged(r, "has no end", err);
		if (take_line(r, text, (size_t)(newline - text), err) < 0)
			return -1;
	}
	if (!r->wanted && r->paths_at != r->paths->len)
		return damaged(r,
			       "is the last one, but there are more path "
			       "lists",
			       err);
	return 0;
}

int eb_map_parse(const char *text, size_t len, const char *what,
		 const struct eb_buf *paths, struct eb_known *out,
		 struct eb_error *err)
{
	struct reader r = {
		.what = what, .paths = paths, .line = 1, .out = out
	};
	size_t n = out->n, had = out->paths.len;

	if (parse(&r, text, len, err) == 0)
		return 0;
	out->n = n;
	out->paths.len = had;
	return -1;
}

bool eb_map_names(const char *text, size_t len, eb_wanted_fn *wanted,
		  void *data)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct reader r = {
		.what = "map", .line = 1, .wanted = wanted, .data = data
	};

	return parse(&r, text, len, &err) == 0 && r.found;
}
