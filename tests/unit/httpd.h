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
	const char *argv[10];
	unsigned port;
};

/* Tests run at the top of the tree, or beside it by this file's name. */
static inline char *httpd_script(void)
{
	const char *here = __FILE__, *slash = strrchr(here, '/');

	return eb_asprintf("%.*s/../fixtures/httpd.py", (int)(slash - here),
			   here);
}

static inline int httpd_argument(struct httpd *h, int i, const char *name,
				 const char *value)
{
	if (!value)
		return i;
	h->argv[i++] = name;
	h->argv[i++] = value;
	return i;
}

/* `ask`: clients have to show this certificate. */
static inline int httpd_start_asking(struct httpd *h, const char *root,
				     const char *tls, const char *ask)
{
	struct eb_error err = EB_ERROR_INIT;
	char line[16] = "";
	size_t n = 0;
	int i = 0;

	memset(h, 0, sizeof *h);
	h->argv[i++] = "python3";
	h->argv[i++] = h->script = httpd_script();
	i = httpd_argument(h, i, "--root", root);
	i = httpd_argument(h, i, "--tls", tls);
	httpd_argument(h, i, "--ask", ask);
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

static inline int httpd_start(struct httpd *h, const char *root,
			      const char *tls)
{
	return httpd_start_asking(h, root, tls, NULL);
}

static inline void httpd_stop(struct httpd *h)
{
	eb_process_kill(&h->process);
	free(eb_steal(h->script));
}

#endif
