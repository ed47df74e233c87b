/* SPDX-License-Identifier: Apache-2.0 */
/* Where logins are looked for, in which order. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "credential_int.h"

enum place_kind { PLACE_FILE, PLACE_TEXT, PLACE_NETRC };

struct place {
	enum place_kind kind;
	enum eb_login_form form;
	char *name; /* the path, or the variable's name */
};

#define PLACES 8
struct places {
	struct place place[PLACES];
	unsigned n;
};

bool eb_host_is_hub(const char *host)
{
	return !strcmp(host, "docker.io") || !strcmp(host, "index.docker.io") ||
	       !strcmp(host, "registry-1.docker.io");
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static char *in_home(const char *rest)
{
	const char *home = variable("HOME");

	return home ? eb_asprintf("%s/%s", home, rest) : NULL;
}

char *eb_user_config_path(const char *rest)
{
	const char *dir = variable("XDG_CONFIG_HOME");
	eb_autofree char *below = NULL;

	if (dir)
		return eb_asprintf("%s/%s", dir, rest);
	below = eb_asprintf(".config/%s", rest);
	return in_home(below);
}

static void add(struct places *p, enum place_kind kind, enum eb_login_form form,
		char *name)
{
	if (name)
		p->place[p->n++] = (struct place){ kind, form, name };
}

static char *runtime_auth(void)
{
	const char *dir = variable("XDG_RUNTIME_DIR");

	if (dir)
		return eb_asprintf("%s/containers/auth.json", dir);
	return eb_asprintf("/run/containers/%u/auth.json", (unsigned)geteuid());
}

static void list_places(struct places *p)
{
	const char *docker = variable("DOCKER_CONFIG");
	const char *netrc = variable("NETRC");

	p->n = 0;
	add(p, PLACE_FILE, EB_LOGIN_CONTAINERS,
	    eb_strdup(variable("REGISTRY_AUTH_FILE")));
	add(p, PLACE_FILE, EB_LOGIN_CONTAINERS, runtime_auth());
	add(p, PLACE_FILE, EB_LOGIN_CONTAINERS,
	    eb_user_config_path("containers/auth.json"));
	if (variable("DOCKER_AUTH_CONFIG"))
		add(p, PLACE_TEXT, EB_LOGIN_DOCKER,
		    eb_strdup("DOCKER_AUTH_CONFIG"));
	add(p, PLACE_FILE, EB_LOGIN_DOCKER,
	    docker ? eb_asprintf("%s/config.json", docker)
		   : in_home(".docker/config.json"));
	add(p, PLACE_FILE, EB_LOGIN_DOCKERCFG, in_home(".dockercfg"));
	add(p, PLACE_NETRC, 0, netrc ? eb_strdup(netrc) : in_home(".netrc"));
}

static void release_places(struct places *p)
{
	while (p->n)
		free(p->place[--p->n].name);
}

/* 1, 0 nothing is there, -1. */
static int read_place(const struct place *p, struct eb_buf *text,
		      struct eb_error *err)
{
	const char *value;

	if (p->kind != PLACE_TEXT)
		return eb_secret_read(p->name, EB_MAX_CONFIG, text, err);
	value = variable(p->name);
	eb_secret_buf_init(text, EB_MAX_CONFIG);
	if (eb_buf_adds(text, value ? value : "") == 0)
		return value != NULL;
	return eb_err_set(err, EB_INPUT, "\"%s\", reading: more than %zu bytes",
			  p->name, EB_MAX_CONFIG);
}

static int look_in(const struct place *p, const char *host,
		   const char *repository, struct eb_credential *out,
		   struct eb_error *err)
{
	struct eb_buf text EB_CLEANUP(eb_buf_wipe) = { 0 };
	int there = read_place(p, &text, err);

	if (there <= 0)
		return there;
	if (p->kind == PLACE_NETRC)
		return eb_netrc_find(text.data, text.len, p->name, host, out,
				     err);
	return eb_login_file_find(text.data, text.len, p->name, p->form, host,
				  repository, out, err);
}

/* 1, 0 neither is set, -1 half of it is. */
static int environment_login(struct eb_credential *out, struct eb_error *err)
{
	const char *user = variable("ENVBUILD_REGISTRY_USER");
	const char *password = variable("ENVBUILD_REGISTRY_PASSWORD");

	if (!user && !password)
		return 0;
	if (!user || !password)
		return eb_err_set(err, EB_INPUT,
				  "\"ENVBUILD_REGISTRY_%s\", logging in: "
				  "ENVBUILD_REGISTRY_%s is not set",
				  user ? "USER" : "PASSWORD",
				  user ? "PASSWORD" : "USER");
	out->user = eb_strdup(user);
	out->password = eb_strdup(password);
	out->from = eb_strdup("ENVBUILD_REGISTRY_USER");
	return 1;
}

int eb_credential_look(const char *host, const char *repository, bool env,
		       struct eb_credential *out, struct eb_error *err)
{
	struct places p EB_CLEANUP(release_places) = { 0 };
	int found = 0;

	*out = (struct eb_credential){ 0 };
	if (env)
		found = environment_login(out, err);
	list_places(&p);
	for (unsigned i = 0; !found && i < p.n; i++)
		found = look_in(&p.place[i], host, repository, out, err);
	if (found < 0)
		eb_credential_release(out);
	return found;
}

int eb_credential_find(const char *host, const char *repository,
		       struct eb_credential *out, struct eb_error *err)
{
	return eb_credential_look(host, repository, true, out, err);
}

char *eb_credential_places(bool env)
{
	struct places p EB_CLEANUP(release_places) = { 0 };
	EB_AUTOBUF(out, EB_MAX_TEXT);

	list_places(&p);
	if (env)
		eb_buf_adds(&out, "ENVBUILD_REGISTRY_USER");
	for (unsigned i = 0; i < p.n; i++)
		eb_buf_addf(&out, "%s%s", out.len ? ", " : "", p.place[i].name);
	return eb_buf_steal(&out, NULL);
}

static void stamp_file(struct eb_keyer *k, const char *path)
{
	struct stat st;

	eb_key_text(k, path);
	if (stat(path, &st) < 0) {
		eb_key_text(k, NULL);
		return;
	}
	eb_key_u64(k, (uint64_t)st.st_ino);
	eb_key_u64(k, (uint64_t)st.st_size);
	eb_key_u64(k, (uint64_t)st.st_mtim.tv_sec);
	eb_key_u64(k, (uint64_t)st.st_mtim.tv_nsec);
}

void eb_credential_stamp(bool env, struct eb_digest *out)
{
	struct places p EB_CLEANUP(release_places) = { 0 };
	struct eb_keyer k;

	list_places(&p);
	eb_key_begin(&k, "envbuild-logins");
	eb_key_text(&k, env ? variable("ENVBUILD_REGISTRY_USER") : NULL);
	for (unsigned i = 0; i < p.n; i++) {
		const char *text = p.place[i].kind == PLACE_TEXT
					   ? variable(p.place[i].name)
					   : NULL;

		if (text)
			eb_key_u64(&k, strlen(text));
		else
			stamp_file(&k, p.place[i].name);
	}
	eb_key_end(&k, out);
}
