/* SPDX-License-Identifier: Apache-2.0 */
/* Starts tests/fixtures/httpd.py for a test and stops it again. */
#ifndef TEST_HTTPD_H
#define TEST_HTTPD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/process.h>

struct httpd {
	struct eb_process process;
	char *script;
	const char *argv[8];
	unsigned port;
};

/* Tests run at the top of the tree, or beside it by this file's name. */
static inline char *httpd_script(void)
{
	const char *here = __FILE__, *slash = strrchr(here, '/');

	return eb_asprintf("%.*s/../fixtures/httpd.py", (int)(slash - here),
			   here);
}

static inline int httpd_start(struct httpd *h, const char *root,
			      const char *tls)
{
	struct eb_error err = EB_ERROR_INIT;
	char line[16] = "";
	size_t n = 0;
	int i = 0;

	memset(h, 0, sizeof *h);
	h->argv[i++] = "python3";
	h->argv[i++] = h->script = httpd_script();
	if (root) {
		h->argv[i++] = "--root";
		h->argv[i++] = root;
	}
	if (tls) {
		h->argv[i++] = "--tls";
		h->argv[i++] = tls;
	}
	h->process.argv = h->argv;
	h->process.in = EB_IO_PIPE;
	h->process.out = EB_IO_PIPE;
	h->process.err = EB_IO_INHERIT;
	if (eb_process_start(&h->process, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	while (n < sizeof line - 1 &&
	       read(h->process.fd_out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	h->port = (unsigned)atoi(line);
	return h->port ? 0 : -1;
}

static inline void httpd_stop(struct httpd *h)
{
	eb_process_kill(&h->process);
	free(eb_steal(h->script));
}

#endif
