/* SPDX-License-Identifier: Apache-2.0 */
/* What the server of httpd.h says that it was asked; a clean environment for
 * tests of downloads. */
#ifndef TEST_HTTPD_ASK_H
#define TEST_HTTPD_ASK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include <envbuild/buf.h>
#include <envbuild/http.h>

#include "httpd.h"

/* "_count", "_last" or "_body" of a path. */
static inline char *httpd_ask(const struct httpd *h, const char *what,
			      const char *path)
{
	static const struct eb_http_options options = { .backoff_ms = 20 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_http *http = eb_http_new(&options, NULL);
	eb_autofree char *url =
		eb_asprintf("http://127.0.0.1:%u/%s%s", h->port, what, path);
	EB_AUTOBUF(text, 65536);
	struct eb_http_request r = { .url = url, .text = &text, .fd = -1 };
	struct eb_http_request *all[] = { &r };

	if (eb_http_do(http, all, 1, &err) < 0)
		fail_msg("%s", err.message);
	eb_http_request_release(&r);
	eb_http_free(http);
	return eb_buf_steal(&text, NULL);
}

static inline int httpd_count(const struct httpd *h, const char *path)
{
	eb_autofree char *text = httpd_ask(h, "_count", path);

	return atoi(text);
}

/* Connections so far; to ask takes one more. */
static inline int httpd_connections(const struct httpd *h)
{
	eb_autofree char *text = httpd_ask(h, "_connections", "/");

	return atoi(text);
}

static inline void httpd_clean_environment(const char *home)
{
	static const char *const name[] = { "http_proxy", "https_proxy",
					    "all_proxy",  "HTTPS_PROXY",
					    "ALL_PROXY",  "NETRC" };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		unsetenv(name[i]);
	setenv("HOME", home, 1);
}

/* A key and a certificate for "localhost" in one file. */
static inline int httpd_make_pem(const char *path)
{
	struct eb_error err = EB_ERROR_INIT;
	const char *argv[] = { "openssl",  "req",
			       "-x509",	   "-newkey",
			       "rsa:2048", "-nodes",
			       "-days",	   "2",
			       "-subj",	   "/CN=localhost",
			       "-addext",  "subjectAltName=DNS:localhost",
			       "-keyout",  path,
			       "-out",	   path,
			       NULL };
	int status = 1;

	if (eb_process_run(argv, NULL, NULL, 0, 65536, 60, NULL, NULL, &status,
			   &err) < 0)
		eb_err_release(&err);
	return status ? -1 : 0;
}

#endif
