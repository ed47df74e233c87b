/* SPDX-License-Identifier: Apache-2.0 */
/* A scratch folder, a clean environment and an index for tests of package
 * indexes: tests/fixtures/index_wheels.py and index_server.py. */
#ifndef TEST_INDEX_FIXTURE_H
#define TEST_INDEX_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/file.h>
#include <envbuild/http.h>
#include <envbuild/mem.h>
#include <envbuild/process.h>
#include <envbuild/str.h>

#define MUST(call)                                                    \
	do {                                                          \
		struct eb_error must_ = EB_ERROR_INIT, *err = &must_; \
		if ((call) < 0)                                       \
			fail_msg("%s: %s", #call, must_.message);     \
	} while (0)

extern char **environ;

static inline char *fixture_path(const char *name)
{
	const char *here = __FILE__, *slash = strrchr(here, '/');

	return eb_asprintf("%.*s/../fixtures/%s", (int)(slash - here), here,
			   name);
}

/* Nothing of pip's, of proxies or of another home. */
static inline void index_clean_environment(const char *home)
{
	static const char *const name[] = {
		"http_proxy", "https_proxy",	 "all_proxy",
		"HTTP_PROXY", "HTTPS_PROXY",	 "ALL_PROXY",
		"NETRC",      "VIRTUAL_ENV",	 "CONDA_PREFIX",
		"PYTHONPATH", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
	};
	bool again = true;

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		unsetenv(name[i]);
	while (again) {
		again = false;
		for (char **e = environ; *e && !again; e++) {
			eb_autofree char *key =
				eb_strndup(*e, strcspn(*e, "="));

			if (!eb_starts(key, "PIP_"))
				continue;
			unsetenv(key);
			again = true;
		}
	}
	setenv("HOME", home, 1);
}

static inline void write_text(const char *dir, const char *name,
			      const char *text)
{
	eb_autofree char *path = eb_path_join(dir, name);
	char *slash = strrchr(path, '/');
	struct eb_error err = EB_ERROR_INIT;

	*slash = '\0';
	if (eb_mkdirs(path, 0755, &err) < 0)
		fail_msg("%s", err.message);
	*slash = '/';
	if (eb_write_file(path, text, strlen(text), 0644, &err) < 0)
		fail_msg("%s", err.message);
}

/* Wheels and sdists; lines up to NULL. */
static inline void make_wheels(const char *dir, const char *const *lines)
{
	eb_autofree char *script = fixture_path("index_wheels.py");
	struct eb_error err = EB_ERROR_INIT;
	const char *argv[32] = { "python3", script, dir };
	EB_AUTOBUF(out, 65536);
	int status = 1, n = 3;

	while (*lines && n < 31)
		argv[n++] = *lines++;
	if (eb_process_run(argv, NULL, NULL, 0, 65536, 60, &out, &out, &status,
			   &err) < 0)
		fail_msg("%s", err.message);
	if (status)
		fail_msg("%s", out.data);
}

struct index_server {
	struct eb_process process;
	char *script;
	unsigned port;
};

/* Options up to NULL. */
static inline void index_start(struct index_server *s,
			       const char *const *options)
{
	struct eb_error err = EB_ERROR_INIT;
	const char *argv[32] = { "python3" };
	char line[16] = "";
	size_t n = 0;
	int i = 2;

	memset(s, 0, sizeof *s);
	argv[1] = s->script = fixture_path("index_server.py");
	while (*options && i < 31)
		argv[i++] = *options++;
	s->process.argv = argv;
	s->process.in = EB_IO_PIPE;
	s->process.out = EB_IO_PIPE;
	s->process.err = EB_IO_INHERIT;
	if (eb_process_start(&s->process, &err) < 0)
		fail_msg("%s", err.message);
	while (n < sizeof line - 1 &&
	       read(s->process.fd_out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	s->port = (unsigned)atoi(line);
	assert_int_not_equal(s->port, 0);
}

static inline void index_stop(struct index_server *s)
{
	eb_process_kill(&s->process);
	free(eb_steal(s->script));
}

/* "METHOD PATH" of the server itself; what it says. */
static inline char *index_ask(const struct index_server *s, const char *method,
			      const char *path, const char *body)
{
	static const struct eb_http_options options = { .backoff_ms = 20 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_http *http = eb_http_new(&options, NULL);
	eb_autofree char *url =
		eb_asprintf("http://127.0.0.1:%u%s", s->port, path);
	EB_AUTOBUF(text, 1 << 20);
	struct eb_http_request r = {
		.url = url, .method = method, .text = &text, .fd = -1
	};
	struct eb_http_request *all[] = { &r };

	if (body) {
		r.body.kind = EB_HTTP_MEMORY;
		r.body.data = body;
		r.body.size = strlen(body);
	}
	if (eb_http_do(http, all, 1, &err) < 0)
		fail_msg("%s", err.message);
	eb_http_request_release(&r);
	eb_http_free(http);
	return eb_buf_steal(&text, NULL);
}

#endif
