/* SPDX-License-Identifier: Apache-2.0 */
/* The strict registry of tests/fixtures/registry.py, which can be told to
 * fail: it serves a free port of loopback until it is stopped. */
#ifndef TEST_STRICT_REGISTRY_H
#define TEST_STRICT_REGISTRY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/http.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/process.h>
#include <envbuild/str.h>

struct strict_registry {
	struct eb_process process;
	char *script;
	const char *argv[32];
	bool tls;
	unsigned port;
	char host[32]; /* 127.0.0.1:PORT */
};

/* Nothing of the user's is to be found: logins, mirrors, certificates. */
static inline void strict_alone(const char *dir)
{
	static const char *const gone[] = {
		"DOCKER_CONFIG",
		"DOCKER_AUTH_CONFIG",
		"REGISTRY_AUTH_FILE",
		"NETRC",
		"ENVBUILD_REGISTRY_USER",
		"XDG_CONFIG_HOME",
		"ENVBUILD_REGISTRY_PASSWORD",
	};
	eb_autofree char *conf = eb_path_join(dir, "registries.conf");
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	for (i = 0; i < sizeof gone / sizeof *gone; i++)
		unsetenv(gone[i]);
	if (eb_write_file(conf, "", 0, 0600, &err) < 0)
		eb_err_release(&err);
	setenv("CONTAINERS_REGISTRIES_CONF", conf, 1);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("HOME", dir, 1);
}

static inline char *strict_script(void)
{
	const char *here = __FILE__, *slash = strrchr(here, '/');

	return eb_asprintf("%.*s/../fixtures/registry.py", (int)(slash - here),
			   here);
}

/* `more`: options, NULL at the end, or NULL. */
static inline int strict_start(struct strict_registry *r,
			       const char *const *more)
{
	struct eb_error err = EB_ERROR_INIT;
	char line[16] = "";
	size_t n = 0;
	int i = 0;

	memset(r, 0, sizeof *r);
	r->argv[i++] = "python3";
	r->argv[i++] = r->script = strict_script();
	while (more && *more && i < 31)
		r->argv[i++] = *more++;
	r->process.argv = r->argv;
	r->process.in = EB_IO_PIPE;
	r->process.out = EB_IO_PIPE;
	r->process.err = EB_IO_INHERIT;
	if (eb_process_start(&r->process, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		eb_err_release(&err);
		return -1;
	}
	while (n < sizeof line - 1 &&
	       read(r->process.fd_out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	r->port = (unsigned)atoi(line);
	snprintf(r->host, sizeof r->host, "127.0.0.1:%u", r->port);
	return r->port ? 0 : -1;
}

static inline void strict_stop(struct strict_registry *r)
{
	if (r->process.argv)
		eb_process_kill(&r->process);
	free(eb_steal(r->script));
}

/* What is told and changed at /_WHAT; the answer's text, "" for an error. */
static inline char *strict_tell(const struct strict_registry *r,
				const char *method, const char *what,
				const char *body)
{
	static const struct eb_http_options none;
	eb_autofree char *url = eb_asprintf(
		"%s://%s/_%s", r->tls ? "https" : "http", r->host, what);
	const struct eb_http_tls any = { .insecure = true };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&none, NULL);
	EB_AUTOBUF(text, 16 << 20);
	struct eb_http_request q = { .url = url,
				     .method = method,
				     .no_netrc = true,
				     .tls = &any,
				     .text = &text,
				     .fd = -1 };
	struct eb_http_request *one = &q;
	struct eb_error err = EB_ERROR_INIT;

	if (body) {
		q.body.kind = EB_HTTP_MEMORY;
		q.body.data = body;
		q.body.size = strlen(body);
	}
	if (eb_http_do(http, &one, 1, &err) < 0) {
		fprintf(stderr, "%s%s%s\n", err.message,
			q.error_body ? ": " : "",
			q.error_body ? q.error_body : "");
		eb_err_release(&err);
		abort();
	}
	eb_http_request_release(&q);
	return eb_buf_steal(&text, NULL);
}

static inline void strict_change(const struct strict_registry *r,
				 const char *method, const char *what,
				 const char *body)
{
	free(strict_tell(r, method, what, body));
}

/* The script of faults, with ' for ". */
static inline void strict_faults(const struct strict_registry *r,
				 const char *script)
{
	eb_autofree char *text = eb_strdup(script);
	char *p;

	for (p = text; (p = strchr(p, '\''));)
		*p = '"';
	strict_change(r, "PUT", "faults", text);
}

/* As it was in the beginning, but for its ways. */
static inline void strict_forget(const struct strict_registry *r)
{
	strict_change(r, "DELETE", "all", NULL);
}

/* How many requests of the log have this method and these words in the path;
 * `status` 0: any. */
static inline unsigned strict_asked(const struct strict_registry *r,
				    const char *method, const char *words,
				    int status)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = strict_tell(r, "GET", "log", NULL);
	eb_autojson json_t *log =
		eb_json_parse(text, strlen(text), "log", &err);
	json_t *one;
	unsigned n = 0;
	size_t i;

	json_array_foreach (log, i, one)
		n += strcmp(eb_json_str(one, "method"), method) == 0 &&
		     strstr(eb_json_str(one, "path"), words) &&
		     (!status || eb_json_int(one, "status", 0) == status);
	return n;
}

/* Uploads that are open. */
static inline int strict_uploads(const struct strict_registry *r)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = strict_tell(r, "GET", "state", NULL);
	eb_autojson json_t *state =
		eb_json_parse(text, strlen(text), "state", &err);

	return (int)eb_json_int(state, "uploads", -1);
}

#endif
