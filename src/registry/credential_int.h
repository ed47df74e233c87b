/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about logins share: texts that are secret, the readers of
 * the places where logins are kept. */
#ifndef EB_CREDENTIAL_INT_H
#define EB_CREDENTIAL_INT_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/credential.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#define EB_MAX_SECRET_JSON ((size_t)64 << 10) /* a helper's, a token's */
#define EB_HUB_URL "https://index.docker.io/v1/"

/* --- credential_secret.c ------------------------------------------------- */
static inline void eb_secret_cleanup(char **secret)
{
	eb_secret_free(*secret);
}
#define eb_autosecret EB_CLEANUP(eb_secret_cleanup)
/* A buffer for secrets: its memory is there from the start, so that growing
 * leaves no copy behind, and is zeroed at the end. */
void eb_secret_buf_init(struct eb_buf *b, size_t max);
#define EB_SECRETBUF(name, max)                             \
	struct eb_buf name EB_CLEANUP(eb_buf_wipe) = { 0 }; \
	eb_secret_buf_init(&name, max)
static inline void eb_secret_json_cleanup(json_t **j)
{
	eb_secret_json_free(*j);
}
#define eb_autosecretjson EB_CLEANUP(eb_secret_json_cleanup)
char *eb_base64(const void *p, size_t n);
/* The three in a row, by one allocation: printf() leaves copies behind. */
char *eb_secret_join(const char *a, const char *b, const char *c);
/* For messages: one line, at most 200 bytes, what looks like a secret and
 * what is one of `secrets` (NULL at the end; may be NULL) taken out. */
char *eb_secret_redact(const char *text, const char *const *secrets);
void eb_credential_copy(struct eb_credential *to,
			const struct eb_credential *from);

/* --- credential.c --------------------------------------------------------- */
/* eb_credential_find; the environment's login counts only with `env`. */
int eb_credential_look(const char *host, const char *repository, bool env,
		       struct eb_credential *out, struct eb_error *err);
/* The places in their order, as one text for messages. */
char *eb_credential_places(bool env);
/* Changes when a place does (a file is written, a variable set); holds no
 * secret. */
void eb_credential_stamp(bool env, struct eb_digest *out);
/* $XDG_CONFIG_HOME, else ~/.config, and `rest`; NULL without a home. */
char *eb_user_config_path(const char *rest);
/* Docker Hub by one of its names. */
bool eb_host_is_hub(const char *host);

/* --- config_folder.c ------------------------------------------------------ */
/* There is no such file, or none that we could get at: a folder on the way to
 * it is closed to us, like another user's home. */
bool eb_is_out_of_reach(const char *path);
/* The names in a folder with one of these endings (NULL at the end), sorted: 1,
 * 0 no such folder or none in it, -1 (EB_INPUT: more than `max`). */
int eb_config_folder(const char *dir, const char *const *endings, unsigned max,
		     struct eb_strv *names, struct eb_error *err);

/* --- credential_file.c ---------------------------------------------------- */
enum eb_login_form {
	EB_LOGIN_CONTAINERS, /* keys may be HOST/PATH */
	EB_LOGIN_DOCKER,
	EB_LOGIN_DOCKERCFG, /* auths without the object around them */
};
/* 1, 0, -1. `name` of the place, for messages and out->from. */
int eb_login_file_find(const char *text, size_t len, const char *name,
		       enum eb_login_form form, const char *host,
		       const char *repository, struct eb_credential *out,
		       struct eb_error *err);

/* --- credential_helper.c -------------------------------------------------- */
/* docker-credential-SUFFIX, named in `file`: 1, 0 it has none, -1. */
int eb_login_helper(const char *suffix, const char *server, const char *file,
		    struct eb_credential *out, struct eb_error *err);

/* --- netrc.c -------------------------------------------------------------- */
/* The first entry for HOST:PORT, HOST, or default, with both a login and a
 * password: 1, 0, -1 (EB_INPUT with file:line). */
int eb_netrc_find(const char *text, size_t len, const char *name,
		  const char *host, struct eb_credential *out,
		  struct eb_error *err);

#endif
