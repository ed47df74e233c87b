/* SPDX-License-Identifier: Apache-2.0 */
/* The keys about TLS: ssl_verify, client_ssl_cert, client_ssl_cert_key. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "condarc_int.h"

static int set_ca(const struct eb_rc_item *item, struct eb_http_tls *tls,
		  struct eb_error *err)
{
	EB_AUTOBUF(pem, EB_MAX_METADATA);
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct stat st;

	if (stat(item->text, &st) == 0 && S_ISDIR(st.st_mode)) {
		eb_rc_err(item, err, "\"ssl_verify\" is \"%s\", a folder",
			  item->text);
		return eb_err_hint(err, "name a file with the certificates");
	}
	if (eb_read_file(item->text, EB_MAX_METADATA, &pem, &why) < 0)
		return eb_rc_err(item, err, "\"ssl_verify\": %s", why.message);
	tls->ca = eb_buf_steal(&pem, NULL);
	return 0;
}

static int set_verify(const struct eb_rc_layers *l, struct eb_http_tls *tls,
		      struct eb_error *err)
{
	static const struct eb_rc_key key = { .name = "ssl_verify",
					      .other = "verify_ssl" };
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, &key, &item, err);
	eb_autofree char *text = got > 0 ? item.text : NULL;
	bool on;

	if (got <= 0 || !strcmp(text, "truststore"))
		return got < 0 ? -1 : 0;
	if (!eb_rc_truth(text, &on))
		return set_ca(&item, tls, err);
	tls->insecure = !on;
	return 0;
}

static int set_path(const struct eb_rc_layers *l, const struct eb_rc_key *key,
		    const char **to, struct eb_error *err)
{
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, key, &item, err);

	if (got > 0)
		*to = item.text;
	return got < 0 ? -1 : 0;
}

int eb_rc_tls(const struct eb_rc_layers *l, struct eb_http_tls *tls,
	      struct eb_error *err)
{
	static const struct eb_rc_key cert = { .name = "client_ssl_cert",
					       .other = "client_cert" };
	static const struct eb_rc_key key = { .name = "client_ssl_cert_key",
					      .other = "client_cert_key" };

	if (set_verify(l, tls, err) < 0 ||
	    set_path(l, &cert, &tls->cert, err) < 0 ||
	    set_path(l, &key, &tls->key, err) < 0)
		return -1;
	if (tls->cert && !tls->key)
		tls->key = eb_strdup(tls->cert);
	return 0;
}
