/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the content of large members flows: threads inflate ahead of the one
 * that makes the sums and writes the blob. What goes between them are pieces:
 * buffers of which there is a fixed number, so that nobody runs far ahead and
 * memory is bounded. No byte of a blob depends on who was first.
 */
#ifndef EB_PART_FLOW_H
#define EB_PART_FLOW_H

#include <pthread.h>

#include "layer_priv.h"

/* layer_thread.c: threads without signals, which are the main thread's. */
int eb_layer_thread(pthread_t *t, void *(*fn)(void *), void *arg);
unsigned eb_layer_cpus(void); /* that we may use */

/* layer_piece.c */
struct eb_pieces;
struct eb_piece {
	char *data;
	size_t n;
	unsigned users;
	struct eb_pieces *home;
	struct eb_piece *next;
};
/* n buffers of `size` bytes, whose memory is taken when they are. */
struct eb_pieces *eb_pieces_new(unsigned n, size_t size);
/* One that nobody uses, when there is one; the caller is its first user.
 * NULL after eb_pieces_close(). */
struct eb_piece *eb_piece_take(struct eb_pieces *all);
struct eb_piece *eb_piece_share(struct eb_piece *p); /* one user more */
void eb_piece_drop(struct eb_piece *p);		     /* one less */
void eb_pieces_close(struct eb_pieces *all);
void eb_pieces_free(struct eb_pieces *all); /* all are dropped */
EB_AUTOPTR(struct eb_piece, eb_piece_drop)

/* part_inflate.c: one member, read once and inflated once. */
typedef int eb_emit_fn(void *data, struct eb_piece *p, bool packed,
		       struct eb_error *err);
struct eb_inflate;
struct eb_inflate *eb_inflate_new(void);
/* Every plain piece goes to `emit`, which takes over one user; with `packed`
 * those of the deflate stream too, each before what is made of it. At the end
 * size and CRC-32 are those of the entry (EB_INTEGRITY). */
int eb_inflate_entry(struct eb_inflate *z, const struct eb_entry *e,
		     bool packed, eb_emit_fn *emit, void *data,
		     struct eb_error *err);
void eb_inflate_stop(struct eb_inflate *z); /* it ends soon, with -1 */
void eb_inflate_free(struct eb_inflate *z);
EB_AUTOPTR(struct eb_inflate, eb_inflate_free)
/* Its stream enters the blob as it is. */
static inline bool eb_is_framed(const struct eb_entry *e,
				const struct eb_compressor *c)
{
	return e->deflated && !e->deflated->stored && e->size && !c->zstd_level;
}

/* part_ahead.c: the same, for large members in threads that are ahead. The
 * entries are asked for in order, each once. */
struct eb_ahead;
/* `threads` is about how many can run at once; below two, or where there is
 * little to do, there are none. */
struct eb_ahead *eb_ahead_new(const struct eb_entries *entries,
			      const struct eb_compressor *c, unsigned threads);
int eb_ahead_entry(struct eb_ahead *a, const struct eb_entry *e,
		   eb_emit_fn *emit, void *data, struct eb_error *err);
void eb_ahead_free(struct eb_ahead *a);

/* part_deflated.c: an entry's content, without padding. */
int eb_sink_deflated(struct eb_sink *s, const struct eb_compressor *c,
		     struct eb_ahead *ahead, struct eb_entry *e,
		     struct eb_error *err);

#endif
