/* SPDX-License-Identifier: Apache-2.0 */
/* Python's configparser in C: what pip.conf is written in. */
#include "index_ini.h"

#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define SPACE " \t\v\f\r\n"
#define DEFAULT_SECTION "DEFAULT"
#define MAX_ITEMS 10000

struct reader {
	struct eb_ini *out;
	const char *name;
	char *section;	     /* the current one, or NULL */
	struct eb_buf value; /* of the open item */
	size_t item;	     /* its number + 1; 0: none is open */
	size_t indent;	     /* of the line that opened it */
	unsigned line;
	struct eb_error *err;
};

static int refuse(const struct reader *r, const char *what)
{
	eb_err_set(r->err, EB_INPUT, "\"%s\", reading pip's configuration: %s",
		   r->name, what);
	return eb_err_at(r->err, r->name, r->line, 0);
}

/* ---- items ----------------------------------------------------------------
 */

static const struct eb_ini_item *find(const struct eb_ini *ini,
				      const char *section, const char *key)
{
	for (size_t i = ini->n; i-- > 0;)
		if (!strcmp(ini->item[i].section, section) &&
		    !strcmp(ini->item[i].key, key))
			return &ini->item[i];
	return NULL;
}

static void close_item(struct reader *r)
{
	size_t n = r->value.len;

	if (!r->item)
		return;
	while (n && strchr(SPACE, r->value.data[n - 1]))
		n--;
	r->out->item[r->item - 1].value = eb_strndup(r->value.data, n);
	explicit_bzero(r->value.data, r->value.len);
	eb_buf_reset(&r->value);
	r->item = 0;
}

static int add_item(struct reader *r, char *key)
{
	struct eb_ini *out = r->out;

	eb_lower(key);
	if (out->n == MAX_ITEMS || find(out, r->section, key)) {
		free(key);
		return refuse(r, out->n == MAX_ITEMS
					 ? "too many settings"
					 : "a key that stands there twice");
	}
	EB_GROW(out->item, out->n, out->alloc);
	out->item[out->n++] = (struct eb_ini_item){
		.section = eb_strdup(r->section), .key = key, .line = r->line
	};
	r->item = out->n;
	return 0;
}

static int open_item(struct reader *r, const char *line)
{
	size_t n = strcspn(line, "=:"), end = n;

	if (!line[n])
		return refuse(r, "a line that is no \"key = value\"");
	while (end && strchr(SPACE, line[end - 1]))
		end--;
	if (!end)
		return refuse(r, "a value without a key");
	if (add_item(r, eb_strndup(line, end)) < 0)
		return -1;
	line += n + 1;
	eb_buf_adds(&r->value, line + strspn(line, SPACE));
	return 0;
}

static int open_section(struct reader *r, const char *line)
{
	const char *end = strrchr(line, ']');

	if (!end || end == line + 1)
		return r->section ? open_item(r, line)
				  : refuse(r, "a section without a name");
	free(r->section);
	r->section = eb_strndup(line + 1, (size_t)(end - line - 1));
	if (!strcmp(r->section, DEFAULT_SECTION))
		return 0;
	if (eb_strv_has(&r->out->section, r->section))
		return refuse(r, "a section that stands there twice");
	eb_strv_add(&r->out->section, r->section);
	return 0;
}

/* ---- lines ----------------------------------------------------------------
 */

/* A line without what ends it; overwritten with its stripped text. */
static int take_line(struct reader *r, char *line)
{
	size_t indent = strspn(line, SPACE);
	char *text = eb_strip(line);

	if (*text == '#' || *text == ';')
		return 0;
	if (!*text) {
		if (r->item)
			eb_buf_addch(&r->value, '\n');
		return 0;
	}
	if (r->item && indent > r->indent) {
		eb_buf_addch(&r->value, '\n');
		eb_buf_adds(&r->value, text);
		return 0;
	}
	close_item(r);
	r->indent = indent;
	if (*text == '[')
		return open_section(r, text);
	if (!r->section)
		return refuse(r, "a setting before the first [section]");
	return open_item(r, text);
}

static int take_lines(struct reader *r, char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\r\n");
		char *next = text + n;

		if (*next == '\r' && next[1] == '\n')
			next++;
		next += *next != '\0';
		text[n] = '\0';
		r->line++;
		if (take_line(r, text) < 0)
			return -1;
		text = next;
	}
	close_item(r);
	return 0;
}

int eb_ini_parse(const char *text, size_t len, const char *name,
		 struct eb_ini *out, struct eb_error *err)
{
	struct reader r = { .out = out, .name = name, .err = err };
	char *copy;
	int rc;

	*out = (struct eb_ini){ 0 };
	if (!eb_utf8_valid(text, len) || memchr(text, '\0', len))
		return refuse(&r, "it is no UTF-8 text");
	copy = eb_strndup(text, len);
	eb_buf_init(&r.value, EB_MAX_CONFIG);
	rc = take_lines(&r, copy);
	if (rc == 0 && r.value.overflow)
		rc = refuse(&r, "a value that is too long");
	explicit_bzero(copy, len);
	free(copy);
	explicit_bzero(r.value.data, r.value.len);
	eb_buf_release(&r.value);
	free(r.section);
	if (rc < 0)
		eb_ini_release(out);
	return rc;
}

/* ---- what it says ---------------------------------------------------------
 */

const struct eb_ini_item *eb_ini_item(const struct eb_ini *ini,
				      const char *section, size_t n)
{
	for (size_t i = 0; i < ini->n; i++) {
		const struct eb_ini_item *item = &ini->item[i], *own;

		if (strcmp(item->section, DEFAULT_SECTION) || n--)
			continue;
		own = find(ini, section, item->key);
		return own ? own : item;
	}
	for (size_t i = 0; i < ini->n; i++)
		if (!strcmp(ini->item[i].section, section) && !n--)
			return &ini->item[i];
	return NULL;
}

void eb_ini_release(struct eb_ini *ini)
{
	for (size_t i = 0; i < ini->n; i++) {
		free(ini->item[i].section);
		free(ini->item[i].key);
		eb_wipe(ini->item[i].value);
	}
	free(ini->item);
	eb_strv_release(&ini->section);
	*ini = (struct eb_ini){ 0 };
}
