/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path lists: the row of the part or layer, the rows of its parts when it was
 * joined, then one line for each entry (envbuild-store(5)). A joined layer
 * lists no entries: its parts do.
 */
#include <inttypes.h>
#include <string.h>

#include "layer_priv.h"

#define N_FIELDS 8

static void add_escaped(struct eb_buf *out, const char *text)
{
	size_t n;

	while (*text) {
		n = strcspn(text, "\\\t\n");
		eb_buf_add(out, text, n);
		text += n;
		if (!*text)
			return;
		eb_buf_addch(out, '\\');
		eb_buf_addch(out, *text == '\t'	  ? 't'
				  : *text == '\n' ? 'n'
						  : '\\');
		text++;
	}
}

/* In place; -1 when a backslash stands before anything else. */
static int unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		switch (*++text) {
		case 't': *to++ = '\t'; break;
		case 'n': *to++ = '\n'; break;
		case '\\': *to++ = '\\'; break;
		default: return -1;
		}
	}
	*to = '\0';
	return 0;
}

void eb_list_line(const struct eb_entry *e, struct eb_buf *out)
{
	char hex[EB_HEX_SIZE];

	eb_buf_addf(out, "%c\t%o\t%" PRId64 "\t%" PRIu64 "\t%s\t",
		    (char)e->type, e->mode, e->mtime, eb_tar_size(e),
		    e->type == EB_ENTRY_FILE ? eb_digest_hex(&e->sha256, hex)
					     : "");
	add_escaped(out, e->path);
	eb_buf_addch(out, '\t');
	add_escaped(out, e->target ? e->target : "");
	eb_buf_addch(out, '\t');
	add_escaped(out, e->note ? e->note : "");
	eb_buf_addch(out, '\n');
}

static int parse_octal(const char *text, unsigned *mode)
{
	for (*mode = 0; *text >= '0' && *text <= '7' && *mode < 01000; text++)
		*mode = *mode << 3 | (unsigned)(*text - '0');
	return *text ? -1 : 0;
}

static int parse_signed(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t u;

	if (eb_parse_u64(text + negative, INT64_MAX, &u) < 0)
		return -1;
	*value = negative ? -(int64_t)u : (int64_t)u;
	return 0;
}

static int parse_numbers(char **f, struct eb_entry *e)
{
	if (parse_octal(f[1], &e->mode) < 0 ||
	    parse_signed(f[2], &e->mtime) < 0 ||
	    eb_parse_u64(f[3], INT64_MAX, &e->size) < 0)
		return -1;
	return e->type == EB_ENTRY_FILE ? eb_digest_parse(f[4], &e->sha256) : 0;
}

static int parse_entry(char **f, struct eb_entries *out)
{
	struct eb_entry *e;

	if (strlen(f[0]) != 1 || !strchr("flod", f[0][0]) ||
	    unescape(f[5]) < 0 || unescape(f[6]) < 0 || unescape(f[7]) < 0)
		return -1;
	e = eb_entries_add(out, f[5], (enum eb_entry_type)f[0][0]);
	if (parse_numbers(f, e) < 0)
		return -1;
	if (*f[6])
		e->target = eb_strdup(f[6]);
	if (*f[7])
		e->note = eb_strdup(f[7]);
	return 0;
}

static int parse_line(char *line, struct eb_entries *out)
{
	char *field[N_FIELDS];
	size_t i;

	for (i = 0; i < N_FIELDS; i++) {
		field[i] = line;
		line = strchr(line, '\t');
		if (!line != (i == N_FIELDS - 1))
			return -1;
		if (line)
			*line++ = '\0';
	}
	return parse_entry(field, out);
}

int eb_list_parse(const char *text, size_t len, struct eb_entries *out,
		  const char *what, struct eb_error *err)
{
	const char *end = text + len, *newline;
	unsigned line;

	for (line = 1; text < end; line++, text = newline + 1) {
		eb_autofree char *copy = NULL;

		newline = memchr(text, '\n', (size_t)(end - text));
		copy = newline ? eb_strndup(text, (size_t)(newline - text))
			       : NULL;
		if (!copy || parse_line(copy, out) < 0)
			return eb_err_set(err, EB_INTEGRITY,
					  "\"%s\", reading its path list: line "
					  "%u of its entries is none",
					  what, line);
	}
	return 0;
}

int eb_list_put(struct eb_store *store, const struct eb_entries *entries,
		const struct eb_item *part, size_t n, struct eb_item *item,
		struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	size_t i;

	eb_store_item_header(item, &text);
	for (i = 0; i < n; i++)
		eb_store_part_line(part + i, &text);
	for (i = 0; entries && i < entries->n; i++)
		eb_list_line(&entries->entry[i], &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the path list of a layer is longer than %zu "
				  "bytes",
				  EB_MAX_PATHLIST);
	if (eb_store_put(store, text.data, text.len, &item->paths, err) < 0)
		return -1;
	return n ? eb_store_put_joined(store, item, part, n, err)
		 : eb_store_put_item(store, item, err);
}

static int no_list(const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading a path list: it is something else",
			  what);
}

static int add_list(struct eb_store *store, const struct eb_item *item,
		    struct eb_entries *out, unsigned depth,
		    struct eb_error *err);

/* The lines of parts, of which only a joined layer has some. */
static long add_parts(struct eb_store *store, const char *text, size_t len,
		      struct eb_entries *out, unsigned depth,
		      struct eb_error *err)
{
	struct eb_item part;
	size_t at = 0;
	long n;

	while (depth == 0 &&
	       (n = eb_store_part_parse(text + at, len - at, &part)) > 0) {
		if (add_list(store, &part, out, depth + 1, err) < 0)
			return -1;
		at += (size_t)n;
	}
	return (long)at;
}

static int add_list(struct eb_store *store, const struct eb_item *item,
		    struct eb_entries *out, unsigned depth,
		    struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	char what[EB_DIGEST_TEXT];
	struct eb_item head;
	long n, parts;

	if (eb_store_read(store, &item->paths, EB_MAX_PATHLIST, &text, err) < 0)
		return -1;
	eb_digest_text(&item->paths, what);
	n = eb_store_item_parse(text.data, text.len, &head);
	if (n < 0)
		return no_list(what, err);
	parts = add_parts(store, text.data + n, text.len - (size_t)n, out,
			  depth, err);
	if (parts < 0)
		return -1;
	n += parts;
	return eb_list_parse(text.data + n, text.len - (size_t)n, out, what,
			     err);
}

static int by_name(const void *a, const void *b)
{
	return eb_entry_compare(a, b);
}

static void sort_entries(struct eb_entries *e)
{
	if (e->n)
		qsort(e->entry, e->n, sizeof *e->entry, by_name);
}

int eb_part_paths(struct eb_store *store, const struct eb_item *item,
		  struct eb_entries *out, struct eb_error *err)
{
	if (add_list(store, item, out, 0, err) < 0)
		return -1;
	sort_entries(out);
	return 0;
}

int eb_part_paths_parse(const char *text, size_t len, const char *what,
			struct eb_entries *out, struct eb_error *err)
{
	struct eb_item head;
	long n = eb_store_item_parse(text, len, &head);

	if (n < 0)
		return no_list(what, err);
	if (eb_list_parse(text + n, len - (size_t)n, out, what, err) < 0)
		return -1;
	sort_entries(out);
	return 0;
}
