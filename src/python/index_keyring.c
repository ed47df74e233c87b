/* SPDX-License-Identifier: Apache-2.0 */
/* The program keyring, called as pip calls it: what it answers is kept, so
 * that it is asked once for a service. */
#include "index_int.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/process.h>

#include "pip_line.h"

#define LIMIT_S 5
#define ANSWER_MAX 65536

extern char **environ;

struct answer {
	char *service, *user; /* user: NULL when none was given */
	char *login;	      /* or NULL */
};
struct eb_index_keyring {
	pthread_mutex_t lock;
	struct answer *answer;
	size_t n, alloc;
	bool off; /* it is not there, or does not work */
};

struct eb_index_keyring *eb_index_keyring_new(void)
{
	struct eb_index_keyring *k = eb_calloc(1, sizeof *k);

	pthread_mutex_init(&k->lock, NULL);
	return k;
}

void eb_index_keyring_free(struct eb_index_keyring *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++) {
		free(k->answer[i].service);
		free(k->answer[i].user);
		eb_wipe(k->answer[i].login);
	}
	free(k->answer);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

/* ---- the program ----------------------------------------------------------
 */

static char *quoted(const char *user, const char *password)
{
	static const char plain[] = "-._~";
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	const char *part[] = { user, password };

	for (unsigned i = 0; i < 2; i++) {
		if (i)
			eb_buf_addch(&out, ':');
		for (const char *p = part[i]; *p; p++) {
			if (isalnum((unsigned char)*p) || strchr(plain, *p))
				eb_buf_addch(&out, *p);
			else
				eb_buf_addf(&out, "%%%02X", (unsigned char)*p);
		}
	}
	return eb_buf_steal(&out, NULL);
}

static void add_environment(struct eb_strv *env)
{
	for (char **e = environ; *e; e++)
		if (!eb_starts(*e, "PYTHONIOENCODING="))
			eb_strv_add(env, *e);
	eb_strv_add(env, "PYTHONIOENCODING=utf-8");
}

/* Exit status, or -1: it did not end by itself, or could not be started. */
static int run(const char *const *argv, struct eb_buf *out)
{
	struct eb_strv env EB_CLEANUP(eb_wipe_all) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	int status = -1;

	add_environment(&env);
	if (eb_process_run(argv, (const char *const *)env.v, NULL, 0,
			   ANSWER_MAX, LIMIT_S, out, NULL, &status, &err) < 0) {
		eb_err_release(&err);
		return -1;
	}
	return out->overflow ? -1 : status;
}

static char *read_credentials(const struct eb_buf *text)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j =
		eb_json_parse(text->data, text->len, "keyring", &err);
	const char *user = eb_json_str(j, "username");
	const char *password = eb_json_str(j, "password");

	eb_err_release(&err);
	return user && password ? quoted(user, password) : NULL;
}

/* Old programs know passwords alone, which need a user. */
static char *ask_old(const char *program, const char *service, const char *user,
		     bool *off)
{
	const char *argv[] = { program, "get", service, user, NULL };
	EB_AUTOBUF(out, ANSWER_MAX);
	char *login = NULL;
	int status = user ? run(argv, &out) : 1;

	*off = status < 0;
	out.data[strcspn(out.data, "\r\n")] = '\0';
	if (status == 0 && *out.data)
		login = quoted(user, out.data);
	explicit_bzero(out.data, out.alloc);
	return login;
}

static char *ask(const char *program, const char *service, const char *user,
		 bool *off)
{
	const char *argv[] = { program, "--mode=creds", "--output=json",
			       "get",	service,	user,
			       NULL };
	EB_AUTOBUF(out, ANSWER_MAX);
	char *login = NULL;
	int status = run(argv, &out);

	*off = status < 0;
	if (status == 0)
		login = read_credentials(&out);
	explicit_bzero(out.data, out.alloc);
	return status == 2 ? ask_old(program, service, user, off) : login;
}

/* ---- what is kept ---------------------------------------------------------
 */

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct answer *known(const struct eb_index_keyring *k,
				  const char *service, const char *user)
{
	for (size_t i = 0; i < k->n; i++)
		if (same(k->answer[i].service, service) &&
		    same(k->answer[i].user, user))
			return &k->answer[i];
	return NULL;
}

static const char *ask_once(struct eb_index_keyring *k, const char *service,
			    const char *user)
{
	const struct answer *a = known(k, service, user);
	eb_autofree char *program = NULL;

	if (a || k->off)
		return a ? a->login : NULL;
	program = eb_find_program("keyring");
	if (!program) {
		k->off = true;
		return NULL;
	}
	EB_GROW(k->answer, k->n, k->alloc);
	k->answer[k->n] = (struct answer){
		.service = eb_strdup(service),
		.user = eb_strdup(user),
		.login = ask(program, service, user, &k->off),
	};
	return k->answer[k->n++].login;
}

char *eb_index_keyring_ask(struct eb_index_keyring *k, const char *url,
			   const char *host, const char *user)
{
	const char *login = NULL;
	char *out;

	pthread_mutex_lock(&k->lock);
	if (url)
		login = ask_once(k, url, user);
	if (!login && host)
		login = ask_once(k, host, user);
	out = eb_strdup(login);
	pthread_mutex_unlock(&k->lock);
	return out;
}

void eb_index_keyring_said(struct eb_index_keyring *k, struct eb_strv *out)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->n; i++)
		if (k->answer[i].login)
			eb_strv_add(out, k->answer[i].login);
	pthread_mutex_unlock(&k->lock);
}
