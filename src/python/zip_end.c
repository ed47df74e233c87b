/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a zip file: where its central directory lies. Readers differ in
 * what they make of an ambiguous end, so there is one way only: the end record
 * ends the file, and directory, zip64 records and end record follow each other
 * without a gap.
 */
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "zip_dir.h"

#define END_SIZE 22
#define END_SEARCH (END_SIZE + 65535)
#define LOCATOR_SIZE 20
#define END64_SIZE 56
#define SIGNATURE_END 0x06054b50
#define SIGNATURE_LOCATOR 0x07064b50
#define SIGNATURE_END64 0x06064b50

int eb_zipdir_damaged(const struct eb_zipdir *z, const char *why,
		      struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", reading as zip: %s",
			  z->what, why);
}

int eb_zipdir_get(const struct eb_zipdir *z, void *p, size_t n, uint64_t offset,
		  struct eb_error *err)
{
	if (offset > z->size || n > z->size - offset)
		return eb_zipdir_damaged(z, "an offset points behind its end",
					 err);
	return eb_pread_all(z->fd, p, n, offset, z->what, err);
}

/* A narrow field that is full stands in the wide record; both may not say two
 * things. */
static bool agree(uint64_t narrow, uint64_t full, uint64_t wide)
{
	return narrow == full || narrow == wide;
}

/* The zip64 end record, if its locator lies before the end record at `at`: 1
 * with its offset, 0 without. */
static int read_end64(const struct eb_zipdir *z, uint64_t at,
		      struct eb_zipdir_end *e, uint64_t *begin,
		      struct eb_error *err)
{
	unsigned char locator[LOCATOR_SIZE], end[END64_SIZE];
	struct eb_zipdir_end wide;

	if (at < LOCATOR_SIZE)
		return 0;
	at -= LOCATOR_SIZE;
	if (eb_zipdir_get(z, locator, sizeof locator, at, err) < 0)
		return -1;
	if (eb_zipdir_32(locator) != SIGNATURE_LOCATOR)
		return 0;
	*begin = eb_zipdir_64(locator + 8);
	if (eb_zipdir_get(z, end, sizeof end, *begin, err) < 0)
		return -1;
	if (eb_zipdir_32(end) != SIGNATURE_END64 || at < *begin + 12 ||
	    eb_zipdir_64(end + 4) != at - *begin - 12)
		return eb_zipdir_damaged(z, "its zip64 end record is damaged",
					 err);
	wide = (struct eb_zipdir_end){ .n = eb_zipdir_64(end + 32),
				       .size = eb_zipdir_64(end + 40),
				       .at = eb_zipdir_64(end + 48) };
	if (eb_zipdir_32(end + 16) || eb_zipdir_32(end + 20) ||
	    eb_zipdir_64(end + 24) != wide.n)
		return eb_zipdir_damaged(z, "it is one of several volumes",
					 err);
	if (!agree(e->n, UINT16_MAX, wide.n) ||
	    !agree(e->size, UINT32_MAX, wide.size) ||
	    !agree(e->at, UINT32_MAX, wide.at))
		return eb_zipdir_damaged(z, "its two end records differ", err);
	*e = wide;
	return 1;
}

static int read_end(const struct eb_zipdir *z, const unsigned char *end,
		    uint64_t at, struct eb_zipdir_end *out,
		    struct eb_error *err)
{
	unsigned disk = eb_zipdir_16(end + 4), first = eb_zipdir_16(end + 6);
	uint64_t begin = at;

	out->n = eb_zipdir_16(end + 10);
	out->size = eb_zipdir_32(end + 12);
	out->at = eb_zipdir_32(end + 16);
	if ((disk && disk != UINT16_MAX) || (first && first != UINT16_MAX) ||
	    eb_zipdir_16(end + 8) != out->n)
		return eb_zipdir_damaged(z, "it is one of several volumes",
					 err);
	if (read_end64(z, at, out, &begin, err) < 0)
		return -1;
	if (out->at > begin || out->size != begin - out->at)
		return eb_zipdir_damaged(z,
					 "its directory does not end where "
					 "its end record begins",
					 err);
	return 0;
}

int eb_zipdir_find_end(const struct eb_zipdir *z, struct eb_zipdir_end *out,
		       struct eb_error *err)
{
	size_t n = z->size < END_SEARCH ? (size_t)z->size : END_SEARCH;
	eb_autofree unsigned char *tail = eb_malloc(n + 1);
	size_t i;

	if (eb_zipdir_get(z, tail, n, z->size - n, err) < 0)
		return -1;
	for (i = END_SIZE; i <= n; i++) {
		if (eb_zipdir_32(tail + n - i) == SIGNATURE_END)
			break;
	}
	if (i > n)
		return eb_zipdir_damaged(z, "it has no end record", err);
	if (eb_zipdir_16(tail + n - i + 20) != i - END_SIZE)
		return eb_zipdir_damaged(z,
					 "it does not end with its end "
					 "record",
					 err);
	return read_end(z, tail + n - i, z->size - i, out, err);
}
