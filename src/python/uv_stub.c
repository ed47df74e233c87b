/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wheel without content for a project that conda installs: with it a
 * resolver can take conda's version where no index has it, and knows what
 * that one requires.
 */
#include <string.h>
#include <zlib.h>

#include <envbuild/requirement.h>

#include "uv.h"

struct zip {
	struct eb_buf data, list;
	unsigned n;
};

static void put16(struct eb_buf *b, unsigned v)
{
	const char byte[2] = { (char)v, (char)(v >> 8) };

	eb_buf_add(b, byte, sizeof byte);
}

static void put32(struct eb_buf *b, size_t v)
{
	put16(b, (unsigned)v & 0xffff);
	put16(b, (unsigned)(v >> 16) & 0xffff);
}

/* What the local and the central header have in common. */
static void put_facts(struct eb_buf *b, const char *name, const char *text)
{
	size_t n = strlen(text);

	put16(b, 20); /* version needed */
	put16(b, 0);
	put16(b, 0);	      /* stored */
	put32(b, 0x00210000); /* 1980-01-01 */
	put32(b, crc32(0, (const Bytef *)text, (uInt)n));
	put32(b, n);
	put32(b, n);
	put16(b, (unsigned)strlen(name));
	put16(b, 0);
}

static void add(struct zip *z, const char *name, const char *text)
{
	size_t offset = z->data.len;

	put32(&z->data, 0x04034b50);
	put_facts(&z->data, name, text);
	eb_buf_adds(&z->data, name);
	eb_buf_adds(&z->data, text);

	put32(&z->list, 0x02014b50);
	put16(&z->list, 20);
	put_facts(&z->list, name, text);
	put16(&z->list, 0); /* comment */
	put16(&z->list, 0); /* disk */
	put16(&z->list, 0);
	put32(&z->list, 0100644u << 16);
	put32(&z->list, offset);
	eb_buf_adds(&z->list, name);
	z->n++;
}

static void end(struct zip *z)
{
	size_t offset = z->data.len;

	eb_buf_add(&z->data, z->list.data, z->list.len);
	put32(&z->data, 0x06054b50);
	put32(&z->data, 0);
	put16(&z->data, z->n);
	put16(&z->data, z->n);
	put32(&z->data, z->list.len);
	put32(&z->data, offset);
	put16(&z->data, 0);
}

/* A requirement that a resolver could not read would cost the whole answer;
 * without it the project is installed by conda all the same. */
static bool can_be_told(const char *requirement)
{
	EB_CLEANUP(eb_pep508_release) struct eb_pep508 r = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_pep508_parse(requirement, &r, &ignored) == 0 && !r.url;
}

void eb_uv_stub_told(const struct eb_installed *p, struct eb_told *out)
{
	eb_autofree char *text =
		eb_strndup(p->metadata ? p->metadata : "", p->metadata_len);
	char *rest = text, *line;

	*out = (struct eb_told){ .name = eb_strdup(p->name),
				 .version = eb_strdup(p->version) };
	while ((line = strsep(&rest, "\n")) && line[strspn(line, "\r")]) {
		line[strcspn(line, "\r")] = 0;
		if (!strncasecmp(line, "Requires-Dist:", 14) &&
		    can_be_told(eb_strip(line + 14)))
			eb_strv_add(&out->depends, eb_strip(line + 14));
		else if (!strncasecmp(line, "Provides-Extra:", 15))
			eb_strv_add(&out->extras, eb_strip(line + 15));
	}
}

static void add_headers(struct eb_buf *out, const struct eb_installed *p)
{
	EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };

	eb_uv_stub_told(p, &t);
	eb_buf_addf(out, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n",
		    t.name, t.version);
	for (size_t i = 0; i < t.depends.n; i++)
		eb_buf_addf(out, "Requires-Dist: %s\n", t.depends.v[i]);
	for (size_t i = 0; i < t.extras.n; i++)
		eb_buf_addf(out, "Provides-Extra: %s\n", t.extras.v[i]);
}

int eb_uv_stub_write(const char *dir, const struct eb_installed *p,
		     struct eb_error *err)
{
	eb_autofree char *base = eb_asprintf("%s-%s", p->name, p->version);
	eb_autofree char *file = NULL, *member = NULL;
	EB_AUTOBUF(text, EB_MAX_METADATA);
	struct zip z = { .n = 0 };
	static const char *const other[][2] = {
		{ "WHEEL", "Wheel-Version: 1.0\nGenerator: envbuild\n"
			   "Root-Is-Purelib: true\nTag: py3-none-any\n" },
		{ "RECORD", "" },
	};
	int rc;

	for (char *c = base; *c && c < base + strlen(p->name); c++)
		if (*c == '-')
			*c = '_';
	eb_buf_init(&z.data, EB_MAX_METADATA);
	eb_buf_init(&z.list, EB_MAX_METADATA);
	add_headers(&text, p);
	member = eb_asprintf("%s.dist-info/METADATA", base);
	add(&z, member, text.data);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		eb_autofree char *name =
			eb_asprintf("%s.dist-info/%s", base, other[i][0]);

		add(&z, name, other[i][1]);
	}
	end(&z);
	file = eb_asprintf("%s-py3-none-any.whl", base);
	rc = eb_uv_write(dir, file, z.data.data, z.data.len, err);
	eb_buf_release(&z.data);
	eb_buf_release(&z.list);
	return rc;
}
