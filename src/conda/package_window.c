/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large a window a .conda asks for: the frame headers of its zstd members
 * (RFC 8878, 3.1.1), found by walking over the block headers, without
 * decompressing anything.
 */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>

#include "package_int.h"

#define WINDOW_FREE ((uint64_t)8 << 20)
#define WINDOW_MAX ((uint64_t)128 << 20)
#define HEADER_MAX 18
#define BLOCKS_MAX (1 << 20) /* 128 GiB of full blocks */

struct walk {
	int fd;
	uint64_t at, end;
	const char *what;
	unsigned blocks;
	uint64_t window; /* the largest so far */
};

/* Up to n bytes at the place of the walk; what there is not is zero. */
static size_t peek(const struct walk *w, unsigned char *p, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;

	memset(p, 0, n);
	if (w->end - w->at < n)
		n = (size_t)(w->end - w->at);
	if (n && eb_pread_all(w->fd, p, n, w->at, w->what, &err) < 0)
		n = 0;
	eb_err_release(&err);
	return n;
}

static uint64_t little(const unsigned char *p, size_t n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | p[n];
	return value;
}

/* The header after the magic: its length and the frame's window. */
static size_t header(const unsigned char *p, uint64_t *window, bool *sum)
{
	static const unsigned char id_size[] = { 0, 1, 2, 4 };
	unsigned d = p[0], single = d >> 5 & 1, kind = d >> 6;
	size_t at = 1, content = kind ? (size_t)1 << kind : single;

	*sum = d >> 2 & 1;
	*window = 0;
	if (!single) {
		uint64_t base = (uint64_t)1 << (10 + (p[at] >> 3));

		*window = base + base / 8 * (p[at] & 7);
		at++;
	}
	at += id_size[d & 3];
	if (single)
		*window = little(p + at, content) + (kind == 1 ? 256 : 0);
	return at + content;
}

/* Over the blocks of a frame; false when the walk ends here. */
static bool blocks(struct walk *w, bool sum)
{
	unsigned char p[3];
	uint64_t head, size;

	do {
		if (peek(w, p, sizeof p) < sizeof p || !w->blocks)
			return false;
		w->blocks--;
		head = little(p, sizeof p);
		size = (head >> 1 & 3) == 1 ? 1 : head >> 3; /* RLE: a byte */
		if (size > w->end - w->at - sizeof p)
			return false;
		w->at += sizeof p + size;
	} while (!(head & 1));
	if (sum && w->end - w->at < 4)
		return false;
	w->at += sum ? 4 : 0;
	return true;
}

static bool frame(struct walk *w)
{
	unsigned char p[HEADER_MAX];
	size_t n = peek(w, p, sizeof p), used;
	uint64_t magic = little(p, 4), window, skip;
	bool sum;

	if (n < 8)
		return false;
	if ((magic & ~(uint64_t)15) == 0x184d2a50) {
		skip = 8 + little(p + 4, 4);
		if (skip > w->end - w->at)
			return false;
		w->at += skip;
		return true;
	}
	if (magic != 0xfd2fb528)
		return false;
	used = 4 + header(p + 4, &window, &sum);
	if (window > w->window)
		w->window = window;
	if (used > w->end - w->at)
		return false;
	w->at += used;
	return blocks(w, sum);
}

static uint64_t largest(int fd, uint64_t offset, uint64_t size,
			const char *what)
{
	struct walk w = { fd, offset, offset + size, what, BLOCKS_MAX, 0 };

	while (frame(&w))
		continue;
	/* Of a file cut into more blocks than any archive has, the rest is
	 * unknown. No reader gives more than the maximum to anyone. */
	return w.blocks && w.window < WINDOW_MAX ? w.window : WINDOW_MAX;
}

int eb_zstd_window_log(int fd, uint64_t offset, uint64_t size, const char *what)
{
	uint64_t window = largest(fd, offset, size, what);
	int log = 0;

	while (window && ((uint64_t)1 << log) < window)
		log++;
	return log;
}

uint64_t eb_package_window(int fd, const char *what)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_zip z;
	struct stat st;
	uint64_t pkg, info;

	if (fstat(fd, &st) < 0)
		return 0;
	if (eb_zip_open(fd, (uint64_t)st.st_size, what, &z, &err) < 0) {
		eb_err_release(&err);
		return 0;
	}
	pkg = largest(fd, z.pkg.offset, z.pkg.size, what);
	info = largest(fd, z.info.offset, z.info.size, what);
	eb_zip_release(&z);
	if (info > pkg)
		pkg = info;
	return pkg > WINDOW_FREE ? pkg : 0;
}
