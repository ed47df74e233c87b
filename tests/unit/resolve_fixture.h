/* SPDX-License-Identifier: Apache-2.0 */
/* A pip section, an index, and the call that resolves one by the other. */
#ifndef TEST_RESOLVE_FIXTURE_H
#define TEST_RESOLVE_FIXTURE_H

#include "index_fixture.h"

#include <envbuild/pip_resolve.h>

struct section {
	char *dir; /* scratch; NULL: there is no uv */
	struct index_server server;
	struct eb_http *http;
	struct eb_pip_set set;
	struct eb_indexes indexes;
	struct eb_pip_request r;
	struct eb_pip_result result;
	struct eb_error err;
	unsigned lines;
};

/* The one of the build, unless another is named. */
static inline bool has_uv(void)
{
	const char *build = getenv("ENVBUILD_BUILD");
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *uv =
		eb_asprintf("%s/libexec/envbuild/uv", build ? build : "build");

	if (access(uv, X_OK) == 0)
		setenv("ENVBUILD_UV", uv, 0);
	free(eb_steal(uv));
	uv = eb_find_uv(NULL, &err);
	eb_err_release(&err);
	return uv != NULL;
}

#define NEED_UV(s)                                                    \
	do {                                                          \
		if (!(s)->dir) {                                      \
			print_message("no uv here: not looked at\n"); \
			skip();                                       \
		}                                                     \
	} while (0)

/* Wheels of `lines` below DIR/index, served as /one/simple/. */
static inline void section_open(struct section *s, const char *const *lines,
				const char *const *options)
{
	static const struct eb_http_options http = { .backoff_ms = 20 };
	const char *argv[32] = { "--index" };
	eb_autofree char *index = NULL, *named = NULL, *home = NULL;
	int n = 2;

	memset(s, 0, sizeof *s);
	if (!has_uv())
		return;
	MUST((s->dir = eb_make_tempdir("/tmp", "eb-resolve-", err)) ? 0 : -1);
	home = eb_path_join(s->dir, "home");
	index_clean_environment(home);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	unsetenv("SSL_CERT_FILE");
	index = eb_path_join(s->dir, "index");
	make_wheels(index, lines);
	argv[1] = named = eb_asprintf("one=%s", index);
	while (options && *options && n < 30)
		argv[n++] = *options++;
	index_start(&s->server, argv);
	s->http = eb_http_new(&http, NULL);
	s->r = (struct eb_pip_request){
		.set = &s->set,
		.target = { .version = "3.7.0",
			    .glibc = "2.36",
			    .arch = "x86_64" },
		.indexes = &s->indexes,
		.http = s->http,
		.replace = true,
	};
}

/* What was asked and answered, not what is served. */
static inline void section_clear(struct section *s)
{
	eb_pip_set_release(&s->set);
	eb_indexes_release(&s->indexes);
	eb_pip_result_release(&s->result);
	eb_err_release(&s->err);
	memset(&s->set, 0, sizeof s->set);
	memset(&s->indexes, 0, sizeof s->indexes);
	s->lines = 0;
}

static inline void section_close(struct section *s)
{
	if (!s->dir)
		return;
	section_clear(s);
	index_stop(&s->server);
	eb_http_free(s->http);
	MUST(eb_remove_tree(s->dir, err));
	free(s->dir);
}

/* A line as it stands in env.yml; "%P" becomes the server's port, "%D" the
 * scratch folder. */
static inline void section_line(struct section *s, const char *line)
{
	EB_AUTOBUF(text, 65536);

	for (; *line; line++) {
		if (line[0] == '%' && line[1] == 'P')
			eb_buf_addf(&text, "%u", s->server.port);
		else if (line[0] == '%' && line[1] == 'D')
			eb_buf_adds(&text, s->dir);
		else
			eb_buf_addch(&text, *line);
		line += line[0] == '%' && (line[1] == 'P' || line[1] == 'D');
	}
	MUST(eb_pip_set_add(&s->set, text.data, false, s->dir, "env.yml",
			    10 + s->lines++, 7, err));
}

/* The lines that are there, with the first index. */
static inline int section_again(struct section *s)
{
	eb_autofree char *cache = eb_path_join(s->dir, "cache");
	eb_autofree char *tmp = eb_path_join(s->dir, "tmp");

	eb_err_release(&s->err);
	eb_pip_result_release(&s->result);
	eb_indexes_release(&s->indexes);
	if (!s->set.index_url && !s->set.no_index)
		section_line(s, "--index-url http://127.0.0.1:%P/one/simple/");
	MUST(eb_indexes_read(&s->set, &s->indexes, NULL, err));
	s->r.cache = cache;
	s->r.tmp = tmp;
	return eb_pip_resolve(&s->r, NULL, &s->result, &s->err);
}

/* Lines up to NULL, resolved with the first index. */
static inline int section_resolve(struct section *s, ...)
{
	const char *line;
	va_list ap;

	section_clear(s);
	va_start(ap, s);
	while ((line = va_arg(ap, const char *)))
		section_line(s, line);
	va_end(ap);
	return section_again(s);
}

static inline const struct eb_pin *section_pin(const struct section *s,
					       const char *name)
{
	for (size_t i = 0; i < s->result.n; i++)
		if (strcmp(s->result.pin[i].name, name) == 0)
			return &s->result.pin[i];
	fail_msg("no pin \"%s\"; %zu pins; %s", name, s->result.n,
		 s->err.message ? s->err.message : "");
	return NULL;
}

/* "alpha==1.0 beta==2.0" */
static inline char *section_pins(const struct section *s)
{
	EB_AUTOBUF(out, 65536);

	for (size_t i = 0; i < s->result.n; i++)
		eb_buf_addf(&out, "%s%s==%s", i ? " " : "",
			    s->result.pin[i].name, s->result.pin[i].version);
	return eb_buf_steal(&out, NULL);
}

#define PINS(s, rc, expected)                             \
	do {                                              \
		if ((rc) < 0)                             \
			fail_msg("%s", (s)->err.message); \
		char *pins_ = section_pins(s);            \
		assert_string_equal(pins_, expected);     \
		free(pins_);                              \
	} while (0)

/* It fails with that code, and the message has these words. */
#define REFUSES(s, rc, is, words)                                          \
	do {                                                               \
		assert_int_equal(rc, -1);                                  \
		if (!strstr((s)->err.message, words))                      \
			fail_msg("\"%s\" has no \"%s\"", (s)->err.message, \
				 words);                                   \
		assert_int_equal((s)->err.code, is);                       \
	} while (0)

#endif
