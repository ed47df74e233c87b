/* SPDX-License-Identifier: Apache-2.0 */
/* Items as text: the first lines of a path list. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/str.h>

#include "store_priv.h"

#define ITEM_WORD "envbuild-item 1"
#define PART_WORD "part"
#define N_FIELDS 8

static void add_fields(const struct eb_item *item, struct eb_buf *out)
{
	eb_buf_addf(out, "\t%c\t", (char)item->kind);
	eb_row_add_hex(out, &item->key);
	eb_buf_addf(out, "\t%s\t", item->compressor);
	eb_row_add_hex(out, &item->plain);
	eb_buf_addf(out, "\t%" PRIu64 "\t", item->plain_size);
	eb_row_add_hex(out, &item->blob);
	eb_buf_addf(out, "\t%" PRIu64, item->size);
}

void eb_store_item_header(const struct eb_item *item, struct eb_buf *out)
{
	eb_buf_adds(out, ITEM_WORD);
	add_fields(item, out);
	eb_buf_addch(out, '\n');
}

void eb_store_part_line(const struct eb_item *part, struct eb_buf *out)
{
	eb_buf_adds(out, PART_WORD);
	add_fields(part, out);
	eb_buf_addch(out, '\t');
	eb_row_add_hex(out, &part->paths);
	eb_buf_addch(out, '\n');
}

static int parse_kind(const char *text, enum eb_item_kind *kind)
{
	if (strcmp(text, "L") != 0 && strcmp(text, "P") != 0)
		return -1;
	*kind = (enum eb_item_kind)text[0];
	return 0;
}

static int parse_compressor(const char *text, char out[48])
{
	size_t n = strlen(text);

	if (n == 0 || n >= 48)
		return -1;
	memcpy(out, text, n + 1);
	return 0;
}

static int parse_fields(char **f, struct eb_item *out)
{
	memset(out, 0, sizeof *out);
	if (parse_kind(f[1], &out->kind) < 0 ||
	    eb_digest_parse(f[2], &out->key) < 0 ||
	    parse_compressor(f[3], out->compressor) < 0 ||
	    eb_digest_parse(f[4], &out->plain) < 0 ||
	    eb_parse_u64(f[5], INT64_MAX, &out->plain_size) < 0 ||
	    eb_digest_parse(f[6], &out->blob) < 0)
		return -1;
	return eb_parse_u64(f[7], INT64_MAX, &out->size);
}

long eb_store_item_parse(const char *text, size_t len, struct eb_item *out)
{
	eb_autofree char *line = eb_row_first_line(text, len);
	char *field[N_FIELDS];
	size_t n = line ? strlen(line) + 1 : 0;

	if (!line || eb_row_fields(line, field, N_FIELDS) != N_FIELDS ||
	    strcmp(field[0], ITEM_WORD) != 0 || parse_fields(field, out) < 0)
		return -1;
	return (long)n;
}

long eb_store_part_parse(const char *text, size_t len, struct eb_item *out)
{
	eb_autofree char *line = eb_row_first_line(text, len);
	char *field[N_FIELDS + 1];
	size_t n = line ? strlen(line) + 1 : 0;

	if (!line || eb_row_fields(line, field, N_FIELDS + 1) != N_FIELDS + 1 ||
	    strcmp(field[0], PART_WORD) != 0 || parse_fields(field, out) < 0 ||
	    eb_digest_parse(field[N_FIELDS], &out->paths) < 0)
		return -1;
	return (long)n;
}
