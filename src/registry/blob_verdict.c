/* SPDX-License-Identifier: Apache-2.0 */
/* An upload's request has ended: what does the answer ask for? */
#include <string.h>

#include "blob.h"

enum eb_sent eb_upload_broken(struct eb_upload *u, const struct eb_call *c,
			      const struct eb_error *err)
{
	u->retry_after = c->r.retry_after;
	if (err->code != EB_NETWORK && err->code != EB_INTEGRITY)
		return EB_SENT_FAILED;
	if (u->repo->registry->o.offline || u->retry_after > 60)
		return EB_SENT_FAILED;
	if (c->r.status < 200 && ++u->broken == 2 && u->rung == EB_RUNG_PUT)
		return EB_SENT_RUNG;
	return EB_SENT_NEW;
}

/* The upload is not known, or not what we believe it to be. */
static bool is_lost(struct eb_call *c)
{
	static const char *const codes[] = { "BLOB_UPLOAD_UNKNOWN",
					     "BLOB_UPLOAD_INVALID",
					     "RANGE_INVALID", "SIZE_INVALID" };
	size_t i;

	if (c->r.status == 416)
		return true;
	if (c->r.status != 400 && c->r.status != 404)
		return false;
	for (i = 0; i < sizeof codes / sizeof *codes; i++) {
		if (eb_call_has_code(c, codes[i]))
			return true;
	}
	return c->r.status == 404 && !eb_call_has_code(c, "NAME_UNKNOWN");
}

/* Not in this form. */
static bool is_about_form(struct eb_call *c)
{
	long status = c->r.status;

	return status == 413 || status == 405 || status == 411 ||
	       status == 501 ||
	       (status == 400 &&
		(eb_call_has_code(c, "CONTENT_LENGTH_INVALID") ||
		 eb_call_says(c, "chunk")));
}

enum eb_sent eb_upload_verdict(struct eb_upload *u, struct eb_call *c,
			       struct eb_error *err)
{
	if (eb_call_good(c))
		return EB_SENT_DONE;
	eb_call_failed(c, err);
	u->retry_after = c->r.retry_after;
	u->lost = c->r.status == 404;
	if (eb_call_has_code(c, "DIGEST_INVALID")) {
		u->lost = true;
		return EB_SENT_DIGEST;
	}
	if (is_about_form(c)) {
		u->asked_for_it = true;
		return EB_SENT_RUNG;
	}
	if (!is_lost(c))
		return EB_SENT_FAILED;
	/* a size that is refused may be told like this, too */
	if (c->r.status == 416 && ++u->broken == 2) {
		u->asked_for_it = true;
		return EB_SENT_RUNG;
	}
	return EB_SENT_NEW;
}
