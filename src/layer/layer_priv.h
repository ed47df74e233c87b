/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the layer module share. */
#ifndef EB_LAYER_PRIV_H
#define EB_LAYER_PRIV_H

#include <envbuild/buf.h>
#include <envbuild/part.h>
#include <envbuild/str.h>
#include <envbuild/stream.h>

#define EB_TAR_BLOCK 512
#define EB_OPAQUE_NAME ".wh..wh..opq"

/* entry_order.c: names as they stand in the tar header. */
int eb_entry_compare(const struct eb_entry *a, const struct eb_entry *b);
/* No path twice and nothing below what is no directory; the pointers get
 * sorted. `dirs_repeat`: a directory may be there more than once. */
int eb_entry_check_tree(const struct eb_entry **e, size_t n, bool dirs_repeat,
			const char *what, struct eb_error *err);

/* layer_dirs.c: every directory of the entries, sorted, with a final slash,
 * each once after eb_strv_sort() and eb_strv_unique(). */
void eb_dirs_add(struct eb_strv *dirs, const struct eb_entries *entries);

/* layer_zstd.c: one block to one frame (gzip: envbuild/gzip.h). */
struct eb_zstd;
struct eb_zstd *eb_zstd_new(int level);
size_t eb_zstd_block(struct eb_zstd *z, const void *p, size_t n, void *out);
size_t eb_zstd_bound(size_t n);
void eb_zstd_free(struct eb_zstd *z);
EB_AUTOPTR(struct eb_zstd, eb_zstd_free)
#define EB_ZSTD_BLOCK (4 << 20)

/* layer_gzip.c: what stands around a member's deflate stream. */
#define EB_GZIP_TRAILER 8
extern const uint8_t eb_gzip_header[10];
void eb_gzip_trailer(uint8_t *out, uint32_t crc32, uint64_t size);

/* layer_golden.c: does this ISA-L write the golden bytes? */
bool eb_golden_gzip(struct eb_digest *got);

/* part_sink.c: tar bytes in, a blob with all its sums out. */
struct eb_sink;
int eb_sink_begin(struct eb_store *store, const struct eb_compressor *c,
		  struct eb_sink **out, struct eb_error *err);
int eb_sink_write(struct eb_sink *s, const void *p, size_t n,
		  struct eb_error *err);
/* `n` bytes of a spool, without a copy between. */
int eb_sink_spool(struct eb_sink *s, struct eb_spool *spool, uint64_t offset,
		  uint64_t n, struct eb_error *err);
int eb_sink_zeros(struct eb_sink *s, size_t n, struct eb_error *err);
/* Compressed bytes go straight to the blob and plain ones to the sum: what is
 * waiting in the block is written out before. */
int eb_sink_raw(struct eb_sink *s, const void *compressed, size_t n,
		struct eb_error *err);
int eb_sink_plain(struct eb_sink *s, const void *plain, size_t n,
		  struct eb_error *err);
/* Fills compressor, plain, plain_size, blob, size; frees s in every case. */
int eb_sink_end(struct eb_sink *s, struct eb_item *item, const char *what,
		struct eb_error *err);
void eb_sink_abort(struct eb_sink *s);
EB_AUTOPTR(struct eb_sink, eb_sink_abort)

/* part_write.c: eb_part_write() with about this many threads. */
int eb_part_write_by(unsigned threads, struct eb_store *store,
		     const struct eb_compressor *c, enum eb_item_kind kind,
		     const struct eb_digest *key, struct eb_entries *entries,
		     const char *what, struct eb_item *out,
		     struct eb_error *err);

/* layer_tar.c: what a header says, whichever kind of entry it came from. */
struct eb_tar_fields {
	const char *name, *link; /* a directory's name has a final slash */
	char type;
	unsigned mode;
	uint64_t size;
	int64_t mtime;
	unsigned uid, gid;
};
/* pax records included; no padding */
int eb_tar_fields(struct eb_buf *out, const struct eb_tar_fields *f,
		  struct eb_error *err);
int eb_tar_dir(struct eb_buf *out, const char *name, struct eb_error *err);
size_t eb_tar_padding(uint64_t size);
/* Opaque whiteouts and links have no content. */
static inline uint64_t eb_tar_size(const struct eb_entry *e)
{
	return e->type == EB_ENTRY_FILE ? e->size : 0;
}

/* part_list.c: path lists. */
void eb_list_line(const struct eb_entry *e, struct eb_buf *out);
int eb_list_parse(const char *text, size_t len, struct eb_entries *out,
		  const char *what, struct eb_error *err);
/* Put the list and the row; `part` are those that the layer was joined of. */
int eb_list_put(struct eb_store *store, const struct eb_entries *entries,
		const struct eb_item *part, size_t n, struct eb_item *item,
		struct eb_error *err);

/* part_source.c: the plain bytes of an item; not more than the row says. */
struct eb_stream *eb_item_stream(int fd, const struct eb_item *item,
				 const char *name);
/* The same from its compressed bytes, of which there must be some. */
struct eb_stream *eb_unpack(struct eb_stream *in, const struct eb_item *item,
			    const char *name);

/* layer_untar.c: our own tar, entry by entry. 1 an entry, 0 the end. The
 * entry's path and target are owned by it. */
int eb_untar_next(struct eb_stream *in, const char *name, struct eb_entry *out,
		  struct eb_error *err);

#endif
