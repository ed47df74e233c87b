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
};

static int send_piece(void *data, struct eb_piece *p, bool packed,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_piece_drop_ptr) struct eb_piece *own = p;
	struct sending *to = data;

	if (packed)
		return eb_sink_raw(to->sink, p->data, p->n, err);
	if (to->framed)
		return eb_sink_plain(to->sink, eb_steal(own), true, err);
	if (eb_sums_add(eb_sink_sums(to->sink), eb_piece_share(p), EB_SUM_FILE,
			err) < 0)
		return -1;
	return eb_sink_write(to->sink, p->data, p->n, err);
}

static int send_all(struct sending *to, struct eb_ahead *ahead,
		    struct eb_entry *e, struct eb_error *err)
{
	uint8_t trailer[EB_GZIP_TRAILER];

	if (to->framed && eb_sink_raw(to->sink, eb_gzip_header,
				      sizeof eb_gzip_header, err) < 0)
		return -1;
	if (eb_ahead_entry(ahead, e, send_piece, to, err) < 0)
		return -1;
	eb_gzip_trailer(trailer, e->deflated->crc32, e->size);
	if (to->framed &&
	    eb_sink_raw(to->sink, trailer, sizeof trailer, err) < 0)
		return -1;
	return eb_sums_end_file(eb_sink_sums(to->sink), e, err);
}

int eb_sink_deflated(struct eb_sink *s, const struct eb_compressor *c,
		     struct eb_ahead *ahead, struct eb_entry *e,
		     struct eb_error *err)
{
	struct sending to = { s, eb_is_framed(e, c) };

	if (send_all(&to, ahead, e, err) == 0)
		return 0;
	eb_sums_prefer(eb_sink_sums(s), err);
	return -1;
}
