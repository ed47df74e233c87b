/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar headers: ustar (POSIX.1-1988), and a pax header (POSIX.1-2001) before it
 * where a name, link, size or time does not fit or is not ASCII.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layer_priv.h"

#define SIZE_LIMIT ((uint64_t)1 << 33) /* eleven octal digits */
#define ID_LIMIT (1U << 21)	       /* seven */
#define PAX_DIR "PaxHeaders/"

struct ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12];
	char chksum[8], type, link[100], magic[6], version[2];
	char uname[32], gname[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct ustar) == EB_TAR_BLOCK, "one block");

size_t eb_tar_padding(uint64_t size)
{
	return (size_t)(-size & (EB_TAR_BLOCK - 1));
}

static bool is_ascii(const char *s)
{
	while (*s && !(*s & 0x80))
		s++;
	return !*s;
}

static void put_octal(char *field, size_t size, uint64_t value)
{
	size_t i = size - 1;

	field[i] = '\0';
	while (i--) {
		field[i] = (char)('0' + (value & 7));
		value >>= 3;
	}
}

/* Old readers see this where a pax record holds the real one. */
static void put_cut(char *field, size_t size, const char *text)
{
	size_t i;

	for (i = 0; i < size && text[i]; i++)
		field[i] = text[i] & 0x80 ? '_' : text[i];
}

/* The slash between prefix and name: NULL when there is no place for it. */
static const char *split_at(const char *name)
{
	size_t n = strlen(name), i;

	for (i = n > 101 ? n - 101 : 1; i <= 155 && i + 1 < n; i++)
		if (name[i] == '/')
			return name + i;
	return NULL;
}

static bool name_fits(const char *name)
{
	return is_ascii(name) && (strlen(name) <= 100 || split_at(name));
}

static bool link_fits(const char *link)
{
	return is_ascii(link) && strlen(link) <= 100;
}

static bool mtime_fits(int64_t mtime)
{
	return mtime >= 0 && (uint64_t)mtime < SIZE_LIMIT;
}

static void put_name(struct ustar *h, const char *name)
{
	const char *slash = split_at(name);

	if (!name_fits(name) || strlen(name) <= 100) {
		put_cut(h->name, sizeof h->name, name);
		return;
	}
	memcpy(h->prefix, name, (size_t)(slash - name));
	memcpy(h->name, slash + 1, strlen(slash + 1));
}

static void put_checksum(struct ustar *h)
{
	const unsigned char *p = (const unsigned char *)h;
	unsigned sum = 0;
	size_t i;

	memset(h->chksum, ' ', sizeof h->chksum);
	for (i = 0; i < sizeof *h; i++)
		sum += p[i];
	put_octal(h->chksum, 7, sum);
}

static int add_block(struct eb_buf *out, const struct eb_tar_fields *f)
{
	struct ustar h;

	memset(&h, 0, sizeof h);
	put_name(&h, f->name);
	put_octal(h.mode, sizeof h.mode, f->mode);
	put_octal(h.uid, sizeof h.uid, f->uid < ID_LIMIT ? f->uid : 0);
	put_octal(h.gid, sizeof h.gid, f->gid < ID_LIMIT ? f->gid : 0);
	put_octal(h.size, sizeof h.size, f->size < SIZE_LIMIT ? f->size : 0);
	put_octal(h.mtime, sizeof h.mtime,
		  mtime_fits(f->mtime) ? (uint64_t)f->mtime : 0);
	h.type = f->type;
	if (f->link)
		put_cut(h.link, sizeof h.link, f->link);
	memcpy(h.magic, "ustar", 6);
	memcpy(h.version, "00", 2);
	put_octal(h.major, sizeof h.major, 0);
	put_octal(h.minor, sizeof h.minor, 0);
	put_checksum(&h);
	return eb_buf_add(out, &h, sizeof h);
}

/* "LENGTH KEY=VALUE\n", where the length counts its own digits. */
static void add_record(struct eb_buf *out, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, n = rest + 1;
	char digits[24];

	while (snprintf(digits, sizeof digits, "%zu", n), 1) {
		if (rest + strlen(digits) == n)
			break;
		n = rest + strlen(digits);
	}
	eb_buf_addf(out, "%zu %s=", n, key);
	eb_buf_adds(out, value);
	eb_buf_addch(out, '\n');
}

static void add_number(struct eb_buf *out, const char *key, uint64_t value)
{
	char number[32];

	snprintf(number, sizeof number, "%" PRIu64, value);
	add_record(out, key, number);
}

/* Keys in their order. */
static void add_records(struct eb_buf *out, const struct eb_tar_fields *f)
{
	char number[32];

	if (f->gid >= ID_LIMIT)
		add_number(out, "gid", f->gid);
	if (f->link && !link_fits(f->link))
		add_record(out, "linkpath", f->link);
	if (!mtime_fits(f->mtime)) {
		snprintf(number, sizeof number, "%" PRId64, f->mtime);
		add_record(out, "mtime", number);
	}
	if (!name_fits(f->name))
		add_record(out, "path", f->name);
	if (f->size >= SIZE_LIMIT)
		add_number(out, "size", f->size);
	if (f->uid >= ID_LIMIT)
		add_number(out, "uid", f->uid);
}

/* PaxHeaders/ and the last component, cut. */
static void pax_name(const char *name, char out[101])
{
	size_t n = strlen(name), start;

	while (n > 1 && name[n - 1] == '/')
		n--;
	for (start = n; start && name[start - 1] != '/'; start--)
		;
	n -= start;
	if (n > 100 - (sizeof PAX_DIR - 1))
		n = 100 - (sizeof PAX_DIR - 1);
	snprintf(out, 101, PAX_DIR "%.*s", (int)n, name + start);
}

static int add_zeros(struct eb_buf *out, size_t n)
{
	static const char zeros[EB_TAR_BLOCK];

	return eb_buf_add(out, zeros, n);
}

static int add_pax(struct eb_buf *out, const struct eb_buf *records,
		   const struct eb_tar_fields *f)
{
	char name[101];
	struct eb_tar_fields x = { .name = name,
				   .type = 'x',
				   .mode = 0644,
				   .size = records->len,
				   .mtime = EB_FIXED_MTIME };

	pax_name(f->name, name);
	if (add_block(out, &x) < 0 ||
	    eb_buf_add(out, records->data, records->len) < 0)
		return -1;
	return add_zeros(out, eb_tar_padding(records->len));
}

int eb_tar_fields(struct eb_buf *out, const struct eb_tar_fields *f,
		  struct eb_error *err)
{
	EB_AUTOBUF(records, EB_MAX_METADATA);

	add_records(&records, f);
	if (records.overflow ||
	    (records.len && add_pax(out, &records, f) < 0) ||
	    add_block(out, f) < 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", making its tar header: it is too "
				  "long",
				  f->name);
	return 0;
}

int eb_tar_dir(struct eb_buf *out, const char *name, struct eb_error *err)
{
	const struct eb_tar_fields f = {
		.name = name, .type = '5', .mode = 0755, .mtime = EB_FIXED_MTIME
	};

	return eb_tar_fields(out, &f, err);
}

int eb_tar_header(struct eb_buf *out, const struct eb_entry *e,
		  struct eb_error *err)
{
	struct eb_tar_fields f = { .name = e->path,
				   .type = '0',
				   .mode = e->mode,
				   .size = eb_tar_size(e),
				   .mtime = e->mtime };
	eb_autofree char *name = NULL;

	switch (e->type) {
	case EB_ENTRY_DIR:
		name = eb_asprintf("%s/", e->path);
		return eb_tar_dir(out, name, err);
	case EB_ENTRY_OPAQUE:
		f.name = name = eb_asprintf("%s/" EB_OPAQUE_NAME, e->path);
		break;
	case EB_ENTRY_LINK:
		f.type = '2';
		f.mode = 0777;
		f.link = e->target;
		break;
	case EB_ENTRY_FILE: break;
	}
	return eb_tar_fields(out, &f, err);
}
