/* SPDX-License-Identifier: Apache-2.0 */
/* Authentication against a token server and a registry whose faults are
 * scripted (fixtures/token_server.py), and against docker-registry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/http.h>
#include <envbuild/process.h>
#include <envbuild/registry.h>

#include "registry/auth.h"
#include "registry/credential_int.h"
#include "registry/token_int.h"

#include "login_fixture.h"

#define NOBODY "00000000-0000-0000-0000-000000000000"

/* --- the server ----------------------------------------------------------- */

struct server {
	struct eb_process process;
	const char *argv[5];
	char *script;
	unsigned port;
};

static int start_server(struct server *s, const char *keys)
{
	const char *here = __FILE__, *slash = strrchr(here, '/');
	struct eb_error err = EB_ERROR_INIT;
	char line[16] = "";
	size_t n = 0;

	memset(s, 0, sizeof *s);
	s->script = eb_asprintf("%.*s/../fixtures/token_server.py",
				(int)(slash - here), here);
	s->argv[0] = "python3";
	s->argv[1] = s->script;
	s->argv[2] = keys ? "--keys" : NULL;
	s->argv[3] = keys;
	s->process = (struct eb_process){ .argv = s->argv,
					  .in = EB_IO_PIPE,
					  .out = EB_IO_PIPE,
					  .err = EB_IO_INHERIT };
	if (eb_process_start(&s->process, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	while (n < sizeof line - 1 &&
	       read(s->process.fd_out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	s->port = (unsigned)atoi(line);
	return s->port ? 0 : -1;
}

static void stop_server(struct server *s)
{
	eb_process_kill(&s->process);
	free(eb_steal(s->script));
}

static struct server server;
static struct eb_http *http;
static struct eb_auth *auth;
static struct eb_events *events;
static struct eb_error err;
static char host[64];
static char warned[512];
static struct eb_registry_options options;

/* A request of the test's own; its answer's text. */
static void plain_get(const char *path, struct eb_buf *text)
{
	eb_autofree char *url =
		eb_asprintf("http://127.0.0.1:%u%s", server.port, path);
	struct eb_http_request r = { .url = url, .fd = -1, .text = text };
	struct eb_http_request *list[] = { &r };
	struct eb_error bad = EB_ERROR_INIT;

	if (eb_http_do(http, list, 1, &bad) < 0)
		fail_msg("%s", bad.message);
	eb_http_request_release(&r);
}

static void set(const char *faults)
{
	eb_autofree char *path = eb_asprintf("/_set?%s", faults);

	plain_get(path, NULL);
}

static void reset(void)
{
	plain_get("/_reset", NULL);
}

/* --- one request with its authentication ---------------------------------- */

static struct eb_scope scope_of(const char *repository, bool push)
{
	return (struct eb_scope){ .host = host,
				  .repository = repository,
				  .push = push };
}

static long request_at(struct eb_auth *a, const char *method,
		       const char *origin, const char *rest,
		       const struct eb_scope *scope, struct eb_error *e)
{
	eb_autofree char *url =
		eb_asprintf("%s/v2/%s%s", origin,
			    scope->repository ? scope->repository : "", rest);

	for (unsigned round = 0; round < 5; round++) {
		eb_autosecret char *value = eb_auth_value(a, scope);
		struct eb_http_request r EB_CLEANUP(eb_http_request_release) = {
			.url = url,
			.method = method,
			.authorization = value,
			.no_netrc = true,
			.any_status = true,
			.fd = -1,
		};
		struct eb_http_request *list[] = { &r };

		if (eb_http_do(http, list, 1, e) < 0)
			return -1;
		if (r.status != 401)
			return r.status;
		if (eb_auth_challenge(a, scope, &r, value, round, e) < 0)
			return -1;
	}
	eb_err_set(e, EB_STEP, "no end of challenges");
	return -1;
}

static long request(const char *method, const char *rest,
		    const struct eb_scope *scope)
{
	eb_autofree char *origin = eb_asprintf("http://%s", host);

	eb_err_release(&err);
	return request_at(auth, method, origin, rest, scope, &err);
}

static void assert_answer(const char *method, const char *rest,
			  const struct eb_scope *scope, long wanted)
{
	long got = request(method, rest, scope);

	if (got != wanted)
		fail_msg("%s %s: %ld: %s", method, rest, got,
			 got < 0 ? err.message : "");
}

static void head(const char *repository)
{
	struct eb_scope scope = scope_of(repository, false);

	assert_answer("HEAD", "/manifests/t", &scope, 200);
}

static void put_manifest(const char *repository)
{
	struct eb_scope scope = scope_of(repository, true);

	assert_answer("PUT", "/manifests/t", &scope, 201);
}

static void assert_refused(const char *method, const struct eb_scope *scope,
			   enum eb_code code, const char *part)
{
	if (request(method, "/manifests/t", scope) != -1)
		fail_msg("an error was expected: %s", part);
	if (err.code != code || !strstr(err.message, part))
		fail_msg("%s: %s; expected: %s: %s", eb_code_name(err.code),
			 err.message, eb_code_name(code), part);
}

static void assert_head_refused(const char *repository, enum eb_code code,
				const char *part)
{
	struct eb_scope scope = scope_of(repository, false);

	assert_refused("HEAD", &scope, code, part);
}

/* The server's log since the last look, and it is emptied. */
static void take_log(struct eb_buf *log)
{
	eb_buf_reset(log);
	plain_get("/_log", log);
	reset();
}

static void assert_log(const char *wanted)
{
	EB_AUTOBUF(log, (size_t)1 << 20);

	take_log(&log);
	assert_string_equal(log.data, wanted);
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* --- set-up --------------------------------------------------------------- */

static void on_event(void *data, const struct eb_event *ev)
{
	(void)data;
	if (ev->type == EB_EV_WARNING)
		snprintf(warned, sizeof warned, "%s", ev->text);
}

static void renew(void)
{
	eb_auth_free(auth);
	auth = eb_auth_new(&options, http, events);
}

static void login(const char *user_and_password)
{
	eb_autofree char *code =
		eb_base64(user_and_password, strlen(user_and_password));
	eb_autofree char *text = eb_asprintf(
		"{\"auths\": {\"%s\": {\"auth\": \"%s\"}}}", host, code);

	put(".docker/config.json", text);
	renew();
}

static void login_json(const char *entry)
{
	eb_autofree char *text =
		eb_asprintf("{\"auths\": {\"%s\": %s}}", host, entry);

	put(".docker/config.json", text);
	renew();
}

static int setup(void **state)
{
	const struct eb_http_options quick = { .backoff_ms = 5 };

	(void)state;
	if (login_home_make() < 0)
		return -1;
	events = eb_events_new(on_event, NULL);
	http = eb_http_new(&quick, events);
	if (eb_http_start(http, &err) < 0)
		return -1;
	snprintf(host, sizeof host, "127.0.0.1:%u", server.port);
	options = (struct eb_registry_options){ .tries = 1 };
	warned[0] = '\0';
	reset();
	renew();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	eb_auth_free(eb_steal(auth));
	eb_http_free(eb_steal(http));
	eb_events_free(eb_steal(events));
	eb_err_release(&err);
	return login_home_remove();
}

#define GET_TOKEN "GET /token?client_id=envbuild&service=test-service"
#define POST_TOKEN "POST /token - "
#define HEAD_AB "HEAD /v2/a/b/manifests/t "

/* --- tokens by GET -------------------------------------------------------- */

static void token_by_get(void **state)
{
	(void)state;
	login("u:p");
	head("a/b");
	head("a/b");
	/* the realm is known now: no request without a token */
	head("a/c");
	put_manifest("a/b");
	head("a/b");
	assert_log(HEAD_AB
		   "- -\n" GET_TOKEN "&account=u&scope=repository:a/b:pull "
		   "Basic(u:p) -\n" HEAD_AB "Bearer -\n" HEAD_AB
		   "Bearer -\n" GET_TOKEN
		   "&account=u&scope=repository:a/c:pull "
		   "Basic(u:p) -\n"
		   "HEAD /v2/a/c/manifests/t Bearer -\n" GET_TOKEN
		   "&account=u&scope=repository:a/b:pull,push "
		   "Basic(u:p) -\n"
		   "PUT /v2/a/b/manifests/t Bearer -\n" HEAD_AB "Bearer -\n");
}

static void anonymous(void **state)
{
	struct eb_scope push = scope_of("public/x", true);

	(void)state;
	head("public/x");
	assert_log("HEAD /v2/public/x/manifests/t - -\n" GET_TOKEN
		   "&scope=repository:public/x:pull - -\n"
		   "HEAD /v2/public/x/manifests/t Bearer -\n");
	assert_refused("PUT", &push, EB_REFUSED,
		       "no credentials were found for \"127.0.0.1:");
	assert_non_null(strstr(err.message, "(looked in: ENVBUILD_REGISTRY_USER"
					    ", /"));
	assert_non_null(strstr(err.message, "/.docker/config.json, "));
	assert_non_null(strstr(err.hint, "--password-stdin"));
	set("get=401");
	assert_head_refused("private/x", EB_REFUSED,
			    "no credentials were found for \"127.0.0.1:");
}

static void no_repository(void **state)
{
	struct eb_scope ping = scope_of(NULL, false);

	(void)state;
	login("u:p");
	assert_answer("GET", "", &ping, 200);
	assert_log("GET /v2/ - -\n" GET_TOKEN "&account=u Basic(u:p) -\n"
		   "GET /v2/ Bearer -\n");
}

static void wrong_login(void **state)
{
	(void)state;
	login("u:hunter2hunter2");
	set("words=no%20hunter2hunter2%20here");
	assert_head_refused("a/b", EB_REFUSED, "the credentials of /");
	assert_non_null(strstr(err.message, "/.docker/config.json for \"127."));
	assert_non_null(strstr(err.message, "\" are wrong: no [...] here"));
	assert_null(strstr(err.message, "hunter2"));
	set("get=403&words=DENIED");
	assert_head_refused("a/b", EB_REFUSED,
			    "no permission to pull from \"127.0.0.1:");
	assert_non_null(strstr(err.message, "/a/b\": DENIED"));
	assert_non_null(strstr(err.hint, "/.docker/config.json"));
}

static void no_permission(void **state)
{
	struct eb_scope push = scope_of("a/b", true);
	struct eb_scope delete = scope_of("a/b", false);
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login("u:p");
	set("only=pull");
	assert_refused("PUT", &push, EB_REFUSED, "no permission to push to \"");
	assert_true(eb_ends(err.message, "/a/b\""));
	delete.remove = true;
	assert_refused("DELETE", &delete, EB_REFUSED,
		       "no permission to delete in \"");
	head("a/b");
	take_log(&log);
	/* for PUT, twice for DELETE (one before it was refused), for HEAD */
	assert_int_equal(count(log.data, "GET /token"), 4);
	assert_int_equal(count(log.data, "PUT "), 2);
	assert_int_equal(count(log.data, "DELETE "), 2);
}

/* --- POST, and one way after the other --------------------------------------
 */

#define REFRESH                                                     \
	"grant_type=refresh_token&refresh_token=refresh-1&service=" \
	"test-service&client_id=envbuild&scope=repository:a/b:pull\n"

static void refresh_token(void **state)
{
	(void)state;
	login_json("{\"identitytoken\": \"refresh-1\"}");
	set("client=1");
	head("a/b");
	assert_log(HEAD_AB "- -\n" POST_TOKEN REFRESH HEAD_AB "Bearer -\n");
	login_json("{\"identitytoken\": \"wrong-one\"}");
	assert_head_refused("a/x", EB_REFUSED, "are wrong: not you");
}

static void no_post(void **state)
{
	static const char *const faults[] = { "post=404", "post=405" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		login_json("{\"identitytoken\": \"refresh-1\"}");
		set(faults[i]);
		head("a/b");
		assert_log(HEAD_AB "- -\n" POST_TOKEN REFRESH GET_TOKEN
				   "&scope=repository:a/b:pull Basic(" NOBODY
				   ":refresh-1) -\n" HEAD_AB "Bearer -\n");
	}
	/* with a login besides, that one is used */
	login_json("{\"identitytoken\": \"x\", \"auth\": \"dTpw\"}");
	set("post=404");
	head("a/b");
	assert_log(HEAD_AB "- -\n" POST_TOKEN
			   "grant_type=refresh_token&refresh_token=x&"
			   "service=test-service&client_id=envbuild&scope="
			   "repository:a/b:pull\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
}

static void no_get(void **state)
{
	(void)state;
	login("u:p");
	set("get=405");
	head("a/b");
	assert_log(HEAD_AB "- -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" POST_TOKEN
			   "grant_type=password&username=u&password=p&"
			   "service=test-service&client_id=envbuild&scope="
			   "repository:a/b:pull\n" HEAD_AB "Bearer -\n");
	renew();
	set("get=404&post=404");
	assert_head_refused("a/x", EB_NETWORK, "HTTP status 404");
	login("u:wrong");
	reset();
	set("get=404");
	assert_head_refused("a/x", EB_REFUSED, "are wrong");
}

static void user_of_nobody(void **state)
{
	(void)state;
	login(NOBODY ":refresh-1");
	head("a/b");
	assert_log(HEAD_AB "- -\n" POST_TOKEN REFRESH HEAD_AB "Bearer -\n");
	/* its file is written anew: kept tokens count no more */
	login(NOBODY ":refresh-1");
	set("post=401");
	head("a/b");
	assert_log(HEAD_AB "- -\n" POST_TOKEN REFRESH GET_TOKEN
			   "&account=" NOBODY "&scope=repository:a/b:pull "
			   "Basic(" NOBODY ":refresh-1) -\n" HEAD_AB
			   "Bearer -\n");
	login(NOBODY ":other");
	assert_head_refused("a/b", EB_REFUSED, "are wrong: not you");
}

static void helper_token(void **state)
{
	eb_autofree char *path = eb_asprintf("%s/bin:/usr/bin:/bin", home);
	eb_autofree char *text =
		eb_asprintf("{\"credHelpers\": {\"%s\": \"t\"}}", host);

	(void)state;
	setenv("PATH", path, 1);
	put(".docker/config.json", text);
	renew();
	assert_head_refused("a/b", EB_MACHINE, "\"docker-credential-t\"");
	put_mode("bin/docker-credential-t",
		 "#!/bin/sh\necho x >>$HOME/ran\n"
		 "echo '{\"Username\":\"<token>\",\"Secret\":\"refresh-1\"}'\n",
		 0700);
	reset();
	renew();
	head("a/b");
	assert_log(HEAD_AB "- -\n" POST_TOKEN REFRESH HEAD_AB "Bearer -\n");
	/* a later process with a kept token runs no helper */
	renew();
	head("a/b");
	assert_log(HEAD_AB "Bearer -\n");
	{
		EB_AUTOBUF(ran, 100);
		eb_autofree char *file = at_home("ran");

		assert_int_equal(eb_read_file(file, 100, &ran, &err), 0);
		assert_string_equal(ran.data, "x\n");
	}
}

static void registry_token(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login_json("{\"registrytoken\": \"fixed-token\"}");
	head("a/b");
	put_manifest("a/b");
	head("a/c");
	take_log(&log);
	assert_int_equal(count(log.data, "/token"), 0);
	assert_int_equal(count(log.data, " - -\n"), 1);
	login_json("{\"registrytoken\": \"wrong-token\"}");
	assert_head_refused("a/b", EB_REFUSED, "the token that");
	login_json("{\"registrytoken\": \"in\\r\\nX: y\"}");
	assert_head_refused("a/b", EB_INPUT, "is no token");
}

/* --- what token servers answer ----------------------------------------------
 */

static int64_t life_of(const char *json, int64_t now)
{
	struct eb_token_answer a = { 0 };
	int64_t life = -1;

	eb_err_release(&err);
	if (eb_token_read(json, strlen(json), "https://r/t", now, &a, &err) ==
	    0)
		life = a.life;
	eb_token_answer_release(&a);
	return life;
}

static void lives(void **state)
{
	const int64_t now = 1700000000; /* 2023-11-14T22:13:20Z */
					/* {"exp":1700000300} */
#define JWT "e30.eyJleHAiOjE3MDAwMDAzMDB9.x"

	(void)state;
	assert_int_equal(life_of("{\"token\":\"x\"}", now), 60);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":5}", now),
			 60);
	assert_int_equal(
		life_of("{\"access_token\":\"x\",\"expires_in\":900}", now),
		900);
	assert_int_equal(life_of("{\"token\":\"\",\"access_token\":\"x\","
				 "\"expires_in\":\"900\"}",
				 now),
			 60);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":"
				 "9223372036854775807}",
				 now),
			 7 * 24 * 3600);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":-1}", now),
			 60);
	assert_int_equal(life_of("{\"token\":\"" JWT "\"}", now), 300);
	assert_int_equal(life_of("{\"token\":\"" JWT "\"}", now + 1000), 60);
	assert_int_equal(
		life_of("{\"token\":\"" JWT "\",\"expires_in\":100}", now),
		100);
	assert_int_equal(life_of("{\"token\":\"a.!!.c\"}", now), 60);
	assert_int_equal(life_of("{\"token\":\"a.W10.c\"}", now), 60);
	/* an older one; one of a clock that is ahead; no time at all */
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":900,"
				 "\"issued_at\":\"2023-11-14T22:08:20Z\"}",
				 now),
			 600);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":900,"
				 "\"issued_at\":"
				 "\"2023-11-15T00:08:20.5+02:00\"}",
				 now),
			 600);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":900,"
				 "\"issued_at\":\"2023-11-14T23:08:20Z\"}",
				 now),
			 900);
	assert_int_equal(life_of("{\"token\":\"x\",\"expires_in\":900,"
				 "\"issued_at\":\"yesterday\"}",
				 now),
			 900);
	assert_int_equal(life_of("{\"token\":1}", now), -1);
	assert_int_equal(err.code, EB_NETWORK);
	assert_int_equal(life_of("[]", now), -1);
	assert_int_equal(life_of("", now), -1);
}

static void fields_of_a_token(void **state)
{
	static const char *const faults[] = { "field=access_token",
					      "field=both", "life=no", "life=5",
					      "issued=-100" };

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		login("u:p");
		set(faults[i]);
		head("a/b");
		head("a/b");
		assert_log(HEAD_AB "- -\n" GET_TOKEN
				   "&account=u&scope=repository:a/b:pull "
				   "Basic(u:p) -\n" HEAD_AB "Bearer -\n" HEAD_AB
				   "Bearer -\n");
	}
}

static void bad_answers(void **state)
{
	(void)state;
	login("u:p");
	set("body=none");
	assert_head_refused("a/b", EB_NETWORK,
			    "neither \"token\" nor \"access_token\"");
	set("body=html");
	assert_head_refused("a/b", EB_NETWORK, "no JSON object");
	set("body=control");
	assert_head_refused("a/b", EB_NETWORK, "no token");
	set("body=huge");
	assert_head_refused("a/b", EB_NETWORK, "asking for a token: ");
	reset();
	set("get=500");
	assert_head_refused("a/b", EB_NETWORK, "asking for a token: ");
	assert_non_null(strstr(err.message, "500"));
	set("get=418&words=teapot");
	assert_head_refused("a/b", EB_NETWORK, "HTTP status 418: teapot");
	reset();
	options.tries = 2;
	renew();
	set("drip=1");
	head("a/b");
}

static void redirected_token_server(void **state)
{
	eb_autofree char *to =
		eb_asprintf("move=http://localhost:%u/elsewhere", server.port);
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login("u:p");
	set(to);
	/* nothing is there, and a POST is not sent on */
	assert_head_refused("a/b", EB_NETWORK, "HTTP status 307");
	take_log(&log);
	/* the login stays where it belongs */
	assert_int_equal(count(log.data, "GET /token?"), 1);
	assert_int_equal(count(log.data, "/elsewhere"), 1);
	assert_non_null(strstr(log.data, "GET /elsewhere - -\n"));
	login_json("{\"identitytoken\": \"refresh-1\"}");
	set(to);
	assert_head_refused("a/b", EB_NETWORK, "HTTP status 307");
	take_log(&log);
	assert_int_equal(count(log.data, "elsewhere"), 0);
}

/* --- what registries do -----------------------------------------------------
 */

static void redirected_registry(void **state)
{
	eb_autofree char *to = eb_asprintf(
		"move_v2=http://localhost:%u/v2/x/manifests/t", server.port);
	struct eb_scope scope = scope_of("a/b", false);
	struct eb_http_request r = {
		.url = "https://r.example/v2/a/b/manifests/t",
		.final_url = (char *)"https://evil.example/v2/?sign=s3cr3t",
		.status = 401,
		.answer = (char *)"WWW-Authenticate: Basic realm=\"x\"\r\n",
	};

	(void)state;
	login("u:p");
	set(to);
	/* the loop of redirects is http's matter; no login went anywhere */
	assert_int_equal(request("HEAD", "/manifests/t", &scope), -1);
	{
		EB_AUTOBUF(log, (size_t)1 << 20);

		take_log(&log);
		assert_int_equal(count(log.data, "Basic"), 0);
		assert_int_equal(count(log.data, "/token"), 0);
	}
	scope.host = "r.example";
	eb_err_release(&err);
	assert_int_equal(eb_auth_challenge(auth, &scope, &r, NULL, 0, &err),
			 -1);
	assert_int_equal(err.code, EB_REFUSED);
	assert_non_null(strstr(err.message, "evil.example"));
	assert_null(strstr(err.message, "s3cr3t"));
	/* nor to where a Location pointed */
	r.final_url = NULL;
	scope.host = "other.example";
	eb_err_release(&err);
	assert_int_equal(eb_auth_challenge(auth, &scope, &r, NULL, 0, &err),
			 -1);
	assert_int_equal(err.code, EB_REFUSED);
}

static void basic(void **state)
{
	(void)state;
	login("u:p");
	set("auth=basic");
	head("a/b");
	head("a/c");
	assert_log(HEAD_AB "- -\n" HEAD_AB "Basic(u:p) -\n"
			   "HEAD /v2/a/c/manifests/t Basic(u:p) -\n");
	/* a later process knows what the host wants */
	renew();
	set("auth=basic");
	head("a/b");
	assert_log(HEAD_AB "Basic(u:p) -\n");
	/* and learns when it wants something else */
	renew();
	head("a/b");
	assert_log(HEAD_AB "Basic(u:p) -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
	renew();
	head("a/b");
	assert_log(HEAD_AB "Bearer -\n");
}

static void basic_refused(void **state)
{
	(void)state;
	set("auth=basic");
	assert_head_refused("a/b", EB_REFUSED, "no credentials were found");
	login("u:wrong");
	assert_head_refused("a/b", EB_REFUSED, "are wrong");
	login_json("{\"identitytoken\": \"x\"}");
	assert_head_refused("a/b", EB_REFUSED, "are a token alone");
}

static void several_schemes(void **state)
{
	(void)state;
	login("u:p");
	set("auth=both");
	head("a/b");
	assert_log(HEAD_AB "- -\n" HEAD_AB "Basic(u:p) -\n");
	login("u:p");
	set("auth=negotiate");
	assert_head_refused("a/b", EB_REFUSED, "asks for Negotiate, NTLM;");
}

static void no_challenge(void **state)
{
	(void)state;
	login("u:p");
	set("auth=silent");
	head("a/b");
	assert_log(HEAD_AB "- -\nGET /v2/ - -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
	/* what was learned there stays */
	set("auth=silent");
	head("a/c");
	assert_log(GET_TOKEN "&account=u&scope=repository:a/c:pull Basic(u:p) "
			     "-\n"
			     "HEAD /v2/a/c/manifests/t Bearer -\n");
	login("u:p");
	set("auth=mute");
	assert_head_refused("a/b", EB_REFUSED, "there was no challenge");
}

static void unsafe_realms(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login("u:p");
	set("realm=http://169.254.169.254/token");
	assert_head_refused("a/b", EB_REFUSED, "private address");
	set("realm=file:///etc/passwd");
	assert_head_refused("a/b", EB_REFUSED, "no proper URL");
	set("realm=http://u:p@127.0.0.1/x");
	assert_head_refused("a/b", EB_REFUSED, "no proper URL");
	take_log(&log);
	assert_int_equal(count(log.data, "token"), 0);
}

static void refuses_every_token(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login("u:p");
	set("refuse=1");
	assert_head_refused("a/b", EB_REFUSED, "refuses the token that");
	take_log(&log);
	assert_int_equal(count(log.data, "/token"), 1);
	assert_int_equal(count(log.data, "HEAD"), 2);
}

static void other_scope(void **state)
{
	(void)state;
	login("u:p");
	set("scope=repository:real/a/b:pull%20registry:catalog:*&auth=bearer&"
	    "refuse=1");
	assert_head_refused("a/b", EB_REFUSED, "refuses the token that");
	assert_log(HEAD_AB "- -\n" GET_TOKEN
			   "&account=u&scope=repository:real/a/b:pull&scope="
			   "registry:catalog:* Basic(u:p) -\n" HEAD_AB
			   "Bearer -\n");
}

static void mirrors_get_no_login(void **state)
{
	struct eb_scope scope = scope_of("public/x", false);

	(void)state;
	login("u:p");
	scope.anonymous = true;
	assert_answer("HEAD", "/manifests/t", &scope, 200);
	assert_log("HEAD /v2/public/x/manifests/t - -\n" GET_TOKEN
		   "&scope=repository:public/x:pull - -\n"
		   "HEAD /v2/public/x/manifests/t Bearer -\n");
	/* its token is not the one that a login gets */
	head("public/x");
	{
		EB_AUTOBUF(log, (size_t)1 << 20);

		take_log(&log);
		assert_non_null(strstr(log.data, "Basic(u:p)"));
	}
	scope.repository = "private/x";
	assert_refused("HEAD", &scope, EB_REFUSED, "mirrors get none");
	renew();
	set("auth=basic");
	assert_refused("HEAD", &scope, EB_REFUSED, "mirrors get none");
}

/* --- mounts -----------------------------------------------------------------
 */

#define MOUNT "/blobs/uploads/?mount=sha256:x&from=c/d"

static void mounts(void **state)
{
	struct eb_scope scope = scope_of("a/b", true);

	(void)state;
	login("u:p");
	scope.mount_from = "c/d";
	assert_answer("POST", MOUNT, &scope, 201);
	assert_answer("POST", MOUNT, &scope, 201);
	put_manifest("a/b");
	assert_log("POST /v2/a/b" MOUNT " - -\n" GET_TOKEN
		   "&account=u&scope=repository:a/b:pull,push&scope="
		   "repository:c/d:pull Basic(u:p) -\n"
		   "POST /v2/a/b" MOUNT " Bearer -\n"
		   "POST /v2/a/b" MOUNT " Bearer -\n"
		   "PUT /v2/a/b/manifests/t Bearer -\n");
}

static void mount_is_refused(void **state)
{
	struct eb_scope scope = scope_of("a/b", true);
	EB_AUTOBUF(log, (size_t)1 << 20);

	(void)state;
	login("u:p");
	scope.mount_from = "c/d";
	set("combined=403");
	assert_int_equal(request("POST", MOUNT, &scope), -1);
	assert_int_equal(err.code, EB_REFUSED);
	assert_non_null(strstr(err.message, "no permission to mount from \""));
	assert_non_null(strstr(err.message, "/c/d\" in \""));
	/* the token for the rest is there */
	put_manifest("a/b");
	take_log(&log);
	assert_int_equal(count(log.data, "GET /token"), 2);
	assert_int_equal(count(log.data, "PUT "), 1);
	/* it is not tried again for this pair */
	set("combined=403");
	assert_int_equal(request("POST", MOUNT, &scope), -1);
	take_log(&log);
	assert_int_equal(count(log.data, "/token"), 0);
	assert_int_equal(count(log.data, "POST"), 1);
}

/* --- threads ----------------------------------------------------------------
 */

struct job {
	pthread_t thread;
	struct eb_error err;
	long status;
};

static void *job(void *data)
{
	struct job *j = data;
	struct eb_scope scope = scope_of("a/b", false);
	eb_autofree char *origin = eb_asprintf("http://%s", host);

	j->status = request_at(auth, "HEAD", origin, "/manifests/t", &scope,
			       &j->err);
	return NULL;
}

static void run_jobs(struct job *jobs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		jobs[i] = (struct job){ .status = -2 };
		assert_int_equal(
			pthread_create(&jobs[i].thread, NULL, job, &jobs[i]),
			0);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
}

static void one_asks_for_all(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);
	struct job jobs[12];

	(void)state;
	login("u:p");
	set("delay=300");
	run_jobs(jobs, 12);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(jobs[i].status, 200);
	take_log(&log);
	assert_int_equal(count(log.data, "GET /token"), 1);
}

static void one_fails_for_all(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);
	struct job jobs[12];

	(void)state;
	login("u:wrong");
	set("delay=300");
	run_jobs(jobs, 12);
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(jobs[i].status, -1);
		assert_int_equal(jobs[i].err.code, EB_REFUSED);
		assert_non_null(strstr(jobs[i].err.message, "are wrong"));
		eb_err_release(&jobs[i].err);
	}
	take_log(&log);
	/* who came while one was under way shares it */
	assert_in_range(count(log.data, "GET /token"), 1, 6);
}

static void token_runs_out(void **state)
{
	EB_AUTOBUF(log, (size_t)1 << 20);
	struct job jobs[8];

	(void)state;
	login("u:p");
	head("a/b");
	reset();
	plain_get("/_forget", NULL);
	set("delay=200");
	run_jobs(jobs, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(jobs[i].status, 200);
	take_log(&log);
	assert_in_range(count(log.data, "GET /token"), 1, 2);
}

/* --- the file ---------------------------------------------------------------
 */

static void read_tokens(struct eb_buf *text)
{
	eb_autofree char *path = at_home("run/envbuild/tokens");

	eb_buf_reset(text);
	eb_err_release(&err);
	if (eb_read_file(path, 1 << 20, text, &err) < 0)
		fail_msg("%s", err.message);
}

static mode_t mode_of(const char *rest)
{
	eb_autofree char *path = at_home(rest);
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_mode & 07777;
}

static void set_mode(const char *rest, mode_t mode)
{
	eb_autofree char *path = at_home(rest);

	assert_int_equal(chmod(path, mode), 0);
}

static void kept(void **state)
{
	EB_AUTOBUF(text, (size_t)1 << 20);

	(void)state;
	login("u:secret-word");
	set("get=401");
	assert_head_refused("a/b", EB_REFUSED, "are wrong");
	login("u:p");
	reset();
	put_manifest("a/b");
	head("public/x");
	reset();
	renew();
	/* one HEAD, nothing else: a token of more actions serves, too */
	head("a/b");
	assert_log(HEAD_AB "Bearer -\n");
	assert_int_equal(mode_of("run/envbuild"), 0700);
	assert_int_equal(mode_of("run/envbuild/tokens"), 0600);
	read_tokens(&text);
	assert_int_equal(count(text.data, "\"repository:a/b:pull,push\""), 1);
	assert_int_equal(count(text.data, "Bearer "), 2);
	assert_null(strstr(text.data, "dTpw"));
	assert_null(strstr(text.data, "secret-word"));
	assert_null(strstr(text.data, "test-service"));
}

static void kept_and_refused(void **state)
{
	EB_AUTOBUF(one, (size_t)1 << 20);
	EB_AUTOBUF(two, (size_t)1 << 20);

	(void)state;
	login("u:p");
	head("a/b");
	read_tokens(&one);
	plain_get("/_forget", NULL);
	reset();
	renew();
	head("a/b");
	assert_log(HEAD_AB "Bearer -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
	read_tokens(&two);
	assert_int_equal(count(two.data, "Bearer "), 1);
	assert_string_not_equal(one.data, two.data);
	/* where no new one is to be had, the old one is gone all the same */
	plain_get("/_forget", NULL);
	renew();
	set("get=401");
	assert_head_refused("a/b", EB_REFUSED, "are wrong");
	read_tokens(&two);
	assert_int_equal(count(two.data, "Bearer "), 0);
}

/* A registry that was set up anew knows none of those that are kept. */
static void all_are_forgotten(void **state)
{
	EB_AUTOBUF(text, (size_t)1 << 20);

	(void)state;
	login("u:p");
	head("a/b");
	put_manifest("a/b");
	read_tokens(&text);
	assert_int_equal(count(text.data, "Bearer "), 2);
	plain_get("/_forget", NULL);
	renew();
	head("a/b");
	read_tokens(&text);
	assert_int_equal(count(text.data, "Bearer "), 1);
}

static void kept_for_the_same_login(void **state)
{
	(void)state;
	login("u:p");
	head("a/b");
	reset();
	login("u:wrong");
	assert_head_refused("a/b", EB_REFUSED, "are wrong");
	reset();
	login("u:p");
	options.user = "u";
	options.password = "p";
	renew();
	head("a/b");
	assert_log(HEAD_AB "- -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
}

static void others_could_read_it(void **state)
{
	(void)state;
	login("u:p");
	head("a/b");
	set_mode("run/envbuild/tokens", 0644);
	renew();
	reset();
	head("a/b");
	assert_non_null(strstr(warned, "can be reached by others"));
	assert_log(HEAD_AB "- -\n" GET_TOKEN
			   "&account=u&scope=repository:a/b:pull Basic(u:p) "
			   "-\n" HEAD_AB "Bearer -\n");
	assert_int_equal(mode_of("run/envbuild/tokens"), 0644);
	set_mode("run/envbuild/tokens", 0600);
	set_mode("run/envbuild", 0755);
	warned[0] = '\0';
	renew();
	head("a/c");
	assert_non_null(strstr(warned, "/run/envbuild\" can be reached"));
	set_mode("run/envbuild", 0700);
	if (geteuid() == 0) {
		eb_autofree char *path = at_home("run/envbuild/tokens");

		assert_int_equal(chown(path, 12345, 12345), 0);
		warned[0] = '\0';
		renew();
		head("a/d");
		assert_non_null(strstr(warned, "belongs to somebody else"));
	}
}

static void not_a_file(void **state)
{
	eb_autofree char *path = at_home("run/envbuild/tokens");
	eb_autofree char *target = at_home("target");

	(void)state;
	login("u:p");
	head("a/b");
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	renew();
	reset();
	head("a/b");
	assert_non_null(strstr(warned, "is no regular file"));
	/* rubbish is not worth a word and is written over */
	assert_int_equal(unlink(path), 0);
	put("run/envbuild/tokens", "{\"format\": 1, \"entries\": [5, {}, {\""
				   "key\": \"x\"}]}");
	warned[0] = '\0';
	renew();
	head("a/b");
	assert_string_equal(warned, "");
	renew();
	reset();
	head("a/b");
	assert_log(HEAD_AB "Bearer -\n");
}

static void nowhere_to_keep_it(void **state)
{
	(void)state;
	unsetenv("XDG_RUNTIME_DIR");
	login("u:p");
	head("a/b");
	assert_int_equal(mode_of("run/envbuild"), 0);
	set_to_home("XDG_RUNTIME_DIR", "none");
	renew();
	head("a/b");
	assert_int_equal(mode_of("none"), 0);
	set_to_home("XDG_RUNTIME_DIR", "run");
	options.token_dir = "";
	renew();
	head("a/b");
	assert_int_equal(mode_of("run/envbuild"), 0);
	assert_string_equal(warned, "");
}

/* The file itself, by its own functions: times, keys, many entries. */
static void file_of_tokens(void **state)
{
	eb_autofree char *dir = at_home("run/tk");
	struct eb_token_file f = { .dir = eb_strdup(dir), .events = events };
	struct eb_access access = { (char *)"a/b", EB_PULL | EB_PUSH };
	struct eb_token t = { .host = (char *)"h",
			      .access = &access,
			      .n = 1,
			      .value = (char *)"Bearer x",
			      .expires = 1000 };
	struct eb_tokens all = { 0 };

	(void)state;
	memset(t.key, 'a', 64);
	eb_token_file_load(&f, 500, &all);
	assert_int_equal(all.n, 0);
	eb_token_file_put(&f, 500, &t);
	eb_token_file_put(&f, 500, &t);
	eb_token_file_load(&f, 500, &all);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.v[0].value, "Bearer x");
	assert_string_equal(all.v[0].access[0].repository, "a/b");
	assert_int_equal(all.v[0].access[0].actions, EB_PULL | EB_PUSH);
	eb_tokens_release(&all);
	/* 10 s have to be left */
	eb_token_file_load(&f, 989, &all);
	assert_int_equal(all.n, 1);
	eb_tokens_release(&all);
	eb_token_file_load(&f, 990, &all);
	assert_int_equal(all.n, 0);
	memset(t.key, 'b', 64);
	eb_token_file_put(&f, 500, &t);
	eb_token_file_drop(&f, 500, t.key);
	eb_token_file_load(&f, 500, &all);
	assert_int_equal(all.n, 1);
	eb_tokens_release(&all);
	for (int i = 0; i < 300; i++) {
		snprintf(t.key, sizeof t.key, "%064d", i);
		eb_token_file_put(&f, 500, &t);
	}
	eb_token_file_load(&f, 500, &all);
	assert_int_equal(all.n, 256);
	eb_tokens_release(&all);
	/* those of another login are none of ours, and stay */
	f.logins.byte[0] = 1;
	eb_token_file_load(&f, 500, &all);
	assert_int_equal(all.n, 0);
	free(f.dir);
}

/* --- who is meant -----------------------------------------------------------
 */

static void given_login(void **state)
{
	(void)state;
	login("u:wrong");
	options.user = "u";
	options.password = "p";
	renew();
	head("a/b");
	options.password = "other";
	options.token_dir = "";
	renew();
	assert_head_refused("a/b", EB_REFUSED,
			    "the credentials of --username for");
	/* it is for one host, and this is another */
	options.login_host = "team.example";
	renew();
	assert_head_refused("a/b", EB_REFUSED, "/.docker/config.json for");
	setenv("ENVBUILD_REGISTRY_USER", "u", 1);
	setenv("ENVBUILD_REGISTRY_PASSWORD", "p", 1);
	renew();
	assert_head_refused("a/b", EB_REFUSED, "/.docker/config.json for");
	options.login_host = host;
	options.user = options.password = NULL;
	renew();
	head("a/b");
	unsetenv("ENVBUILD_REGISTRY_USER");
	unsetenv("ENVBUILD_REGISTRY_PASSWORD");
}

static void colon_in_a_name(void **state)
{
	(void)state;
	login_json("{\"username\": \"a:b\", \"password\": \"p\"}");
	assert_head_refused("a/b", EB_INPUT, "cannot hold a colon");
	options.user = "a:b";
	options.password = "p";
	renew();
	assert_head_refused("a/b", EB_INPUT, "--username, reading");
}

/* Three bytes of a URL for each of them. */
static void too_long_a_name(void **state)
{
	eb_autofree char *name = eb_calloc(1, 200001), *entry = NULL;

	(void)state;
	memset(name, ' ', 200000);
	entry = eb_asprintf("{\"username\": \"%s\", \"password\": \"p\"}",
			    name);
	login_json(entry);
	assert_head_refused("a/b", EB_INPUT, "longer than");
}

/* --- docker-registry --------------------------------------------------------
 */

static unsigned wait_for_port(const char *log)
{
	const struct timespec pause = { 0, 50000000 };

	for (int i = 0; i < 200; i++) {
		EB_AUTOBUF(text, (size_t)1 << 20);
		struct eb_error e = EB_ERROR_INIT;
		const char *at;

		if (eb_read_file(log, 1 << 20, &text, &e) == 0 &&
		    (at = strstr(text.data, "listening on 127.0.0.1:")))
			return (unsigned)atoi(at + 23);
		eb_err_release(&e);
		nanosleep(&pause, NULL);
	}
	return 0;
}

static void put_config(const struct server *tokens, const char *keys)
{
	eb_autofree char *text = eb_asprintf(
		"version: 0.1\nlog: {level: info}\n"
		"storage: {inmemory: {}}\n"
		"http: {addr: \"127.0.0.1:0\", secret: x}\n"
		"auth: {token: {realm: \"http://127.0.0.1:%u/token\", "
		"service: test-service, issuer: test-issuer, "
		"rootcertbundle: %s/cert.pem}}\n",
		tokens->port, keys);

	put("config.yml", text);
}

static void against_the_registry(void)
{
	struct eb_scope scope = scope_of("team/x", false);

	login("u:p");
	/* in: what is asked for is not there */
	assert_answer("HEAD", "/manifests/t", &scope, 404);
	renew();
	assert_answer("HEAD", "/manifests/t", &scope, 404);
	scope.push = true;
	assert_answer("POST", "/blobs/uploads/", &scope, 202);
	scope.mount_from = "team/y";
	assert_answer("POST",
		      "/blobs/uploads/?from=team/y&mount=sha256:"
		      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		      "7852b855",
		      &scope, 202);
	login("u:wrong");
	scope = scope_of("team/x", false);
	assert_refused("HEAD", &scope, EB_REFUSED, "are wrong: not you");
	put(".docker/config.json", "{}");
	renew();
	assert_refused("HEAD", &scope, EB_REFUSED, "no credentials were found");
	scope.repository = "public/x";
	assert_answer("HEAD", "/manifests/t", &scope, 404);
}

static void docker_registry(void **state)
{
	eb_autofree char *program = eb_find_program("docker-registry");
	eb_autofree char *keys = at_home("keys"), *log = at_home("log");
	eb_autofree char *config = at_home("config.yml");
	const char *argv[] = { "docker-registry", "serve", config, NULL };
	struct eb_process p = { .argv = argv,
				.in = EB_IO_NULL,
				.out = EB_IO_NULL,
				.err = EB_IO_FD };
	struct server tokens;
	unsigned port;

	(void)state;
	if (!program) {
		print_message("docker-registry is not installed\n");
		skip();
	}
	assert_int_equal(mkdir(keys, 0700), 0);
	assert_int_equal(start_server(&tokens, keys), 0);
	put_config(&tokens, keys);
	p.fd_err = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(eb_process_start(&p, &err), 0);
	port = wait_for_port(log);
	snprintf(host, sizeof host, "127.0.0.1:%u", port);
	if (port)
		against_the_registry();
	eb_process_kill(&p);
	close(p.fd_err);
	stop_server(&tokens);
	assert_true(port > 0);
}

static int begin(void **state)
{
	(void)state;
	return start_server(&server, NULL);
}

static int end(void **state)
{
	(void)state;
	stop_server(&server);
	return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(token_by_get),
		TEST(anonymous),
		TEST(no_repository),
		TEST(wrong_login),
		TEST(no_permission),
		TEST(refresh_token),
		TEST(no_post),
		TEST(no_get),
		TEST(user_of_nobody),
		TEST(helper_token),
		TEST(registry_token),
		TEST(lives),
		TEST(fields_of_a_token),
		TEST(bad_answers),
		TEST(redirected_token_server),
		TEST(redirected_registry),
		TEST(basic),
		TEST(basic_refused),
		TEST(several_schemes),
		TEST(no_challenge),
		TEST(unsafe_realms),
		TEST(refuses_every_token),
		TEST(other_scope),
		TEST(mirrors_get_no_login),
		TEST(mounts),
		TEST(mount_is_refused),
		TEST(one_asks_for_all),
		TEST(one_fails_for_all),
		TEST(token_runs_out),
		TEST(kept),
		TEST(kept_and_refused),
		TEST(all_are_forgotten),
		TEST(kept_for_the_same_login),
		TEST(others_could_read_it),
		TEST(not_a_file),
		TEST(nowhere_to_keep_it),
		TEST(file_of_tokens),
		TEST(given_login),
		TEST(colon_in_a_name),
		TEST(too_long_a_name),
		TEST(docker_registry),
	};

	return cmocka_run_group_tests_name("token", tests, begin, end);
}
