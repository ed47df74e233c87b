/* SPDX-License-Identifier: Apache-2.0 */
/* A try has ended: is it done, failed, to be made again or elsewhere? */
#include "http_int.h"

#include <limits.h>

/* The tries are used up, or there is a pause to make. */
static enum eb_verdict again(struct eb_transfer *t, uint64_t *wait_ns,
			     struct eb_error *err)
{
	if (eb_http_wait(t, wait_ns, err) < 0)
		return EB_V_FAILED;
	if (t->tries >= eb_http_tries(t) || eb_pipe_spent(t))
		return EB_V_FAILED;
	return EB_V_AGAIN;
}

static bool is_answer(const struct eb_transfer *t)
{
	long status = t->r->status;

	if ((status >= 200 && status < 300) || status == 304)
		return true;
	if (status >= 300 && status < 400 && !eb_http_follows(t))
		return true;
	return t->r->any_status && !eb_http_retryable_status(status);
}

static enum eb_verdict by_status(struct eb_transfer *t, uint64_t *wait_ns,
				 struct eb_error *err)
{
	enum eb_verdict v = EB_V_FAILED;
	long status = t->r->status;

	if (eb_http_is_redirect(t))
		return eb_http_follow(t, err) < 0 ? EB_V_FAILED : EB_V_FOLLOW;
	if (status == 416 && t->resumed) {
		if (eb_transfer_rewind(t, err) == 0)
			v = again(t, wait_ns, err);
	} else if (is_answer(t)) {
		return EB_V_DONE;
	} else if (eb_http_retryable_status(status)) {
		v = again(t, wait_ns, err);
	}
	if (v == EB_V_FAILED && !eb_err_is_set(err))
		eb_http_status_error(t, err);
	return v;
}

/* An answer that is no 2xx has said what there is to say, even where its page
 * breaks off, or its server did not read our body to the end. */
static bool has_said(const struct eb_transfer *t, CURLcode code)
{
	if (code == CURLE_OK || t->enough)
		return true;
	return t->r->status >= 300 && !t->head && !t->body;
}

static void learn(struct eb_transfer *t)
{
	curl_off_t after = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->r->status);
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &after);
	if (after > 0)
		t->r->retry_after =
			after < UINT_MAX ? (unsigned)after : UINT_MAX;
}

enum eb_verdict eb_http_verdict(struct eb_transfer *t, CURLcode code,
				uint64_t *wait_ns, struct eb_error *err)
{
	enum eb_verdict v = EB_V_FAILED;

	learn(t);
	if (eb_err_is_set(&t->err)) {
		eb_err_move(err, &t->err);
		return EB_V_FAILED;
	}
	if (has_said(t, code))
		return by_status(t, wait_ns, err);
	if (eb_http_retryable_code(code) && !eb_http_wants_certificate(t))
		v = again(t, wait_ns, err);
	if (v == EB_V_FAILED && !eb_err_is_set(err))
		eb_http_code_error(t, code, err);
	return v;
}
