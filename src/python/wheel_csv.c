/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD files: rows of comma-separated fields, quoted where needed. */
#include <string.h>

#include "wheel_int.h"

#define FIELDS (sizeof((struct eb_wheel_csv *)0)->field / sizeof(char *))

static bool ends_row(const struct eb_wheel_csv *c)
{
	return c->at == c->end || *c->at == '\n' || *c->at == '\r';
}

/* Behind the opening quote, up to the closing one. */
static int read_quoted(struct eb_wheel_csv *c, struct eb_buf *out)
{
	for (; c->at < c->end; c->at++) {
		if (*c->at != '"') {
			c->line += *c->at == '\n';
			eb_buf_addch(out, *c->at);
			continue;
		}
		if (++c->at == c->end || *c->at != '"')
			return 0;
		eb_buf_addch(out, '"');
	}
	return -1;
}

static int read_field(struct eb_wheel_csv *c, char **field)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (c->at < c->end && *c->at == '"') {
		c->at++;
		if (read_quoted(c, &text) < 0)
			return -1;
	}
	for (; !ends_row(c) && *c->at != ','; c->at++)
		eb_buf_addch(&text, *c->at);
	free(*field);
	*field = eb_buf_steal(&text, NULL);
	return 0;
}

static void skip_line_ends(struct eb_wheel_csv *c)
{
	for (; c->at < c->end && ends_row(c); c->at++) {
		if (*c->at == '\n')
			c->line++;
	}
}

int eb_wheel_csv_next(struct eb_wheel_csv *c)
{
	eb_autofree char *ignored = NULL;
	bool more = true;

	skip_line_ends(c);
	if (c->at == c->end)
		return 0;
	for (size_t i = 0; i < FIELDS; i++) {
		free(c->field[i]);
		c->field[i] = eb_strdup("");
	}
	for (size_t i = 0; more; i++) {
		if (read_field(c, i < FIELDS ? &c->field[i] : &ignored) < 0)
			return -1;
		more = !ends_row(c);
		if (more)
			c->at++;
	}
	return 1;
}

void eb_wheel_csv_release(struct eb_wheel_csv *c)
{
	for (size_t i = 0; i < FIELDS; i++)
		free(eb_steal(c->field[i]));
}

void eb_wheel_csv_add(struct eb_buf *out, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		eb_buf_adds(out, field);
		return;
	}
	eb_buf_addch(out, '"');
	for (; *field; field++) {
		if (*field == '"')
			eb_buf_addch(out, '"');
		eb_buf_addch(out, *field);
	}
	eb_buf_addch(out, '"');
}
