/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content that lies deflated in a zip enters a part. In gzip its stream gets a
 * header and a trailer and so is a member as it is; else, and where it is only
 * stored, its plain bytes go the usual way. Its digest is made on the way.
 */
#include "part_flow.h"

struct sending {
	struct eb_sink *sink;
	bool framed;
	struct eb_sha256 sha; /* of the file */
};

static int send_piece(void *data, struct eb_piece *p, bool packed,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_piece_drop_ptr) struct eb_piece *own = p;
	struct sending *to = data;

	if (packed)
		return eb_sink_raw(to->sink, own->data, own->n, err);
	eb_sha256_add(&to->sha, own->data, own->n);
	if (to->framed)
		return eb_sink_plain(to->sink, own->data, own->n, err);
	return eb_sink_write(to->sink, own->data, own->n, err);
}

static int settle_digest(struct sending *to, struct eb_entry *e,
			 struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];
	eb_autofree char *shown = NULL;
	struct eb_digest got;

	eb_sha256_end(&to->sha, &got);
	if (eb_digest_is_zero(&e->sha256))
		e->sha256 = got;
	if (eb_digest_equal(&got, &e->sha256))
		return 0;
	shown = eb_printable(e->path);
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking its bytes: they are %s, not %s",
			  shown, eb_digest_text(&got, a),
			  eb_digest_text(&e->sha256, b));
}

int eb_sink_deflated(struct eb_sink *s, const struct eb_compressor *c,
		     struct eb_ahead *ahead, struct eb_entry *e,
		     struct eb_error *err)
{
	struct sending to = { .sink = s, .framed = eb_is_framed(e, c) };
	uint8_t trailer[EB_GZIP_TRAILER];

	eb_sha256_init(&to.sha);
	eb_gzip_trailer(trailer, e->deflated->crc32, e->size);
	if (to.framed &&
	    eb_sink_raw(s, eb_gzip_header, sizeof eb_gzip_header, err) < 0)
		return -1;
	if (eb_ahead_entry(ahead, e, send_piece, &to, err) < 0 ||
	    settle_digest(&to, e, err) < 0)
		return -1;
	return to.framed ? eb_sink_raw(s, trailer, sizeof trailer, err) : 0;
}
