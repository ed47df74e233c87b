/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who are we to a registry, and how is it to be reached: logins, TLS files,
 * mirrors. Nothing here talks to a registry (a credential helper is run).
 *
 * Logins, first found: the given one (--username with --password-stdin),
 * ENVBUILD_REGISTRY_USER and _PASSWORD, REGISTRY_AUTH_FILE,
 * $XDG_RUNTIME_DIR/containers/auth.json (else /run/containers/UID/auth.json),
 * $XDG_CONFIG_HOME/containers/auth.json, DOCKER_AUTH_CONFIG (JSON),
 * $DOCKER_CONFIG/config.json (else ~/.docker/config.json), ~/.dockercfg, netrc
 * ($NETRC, else ~/.netrc). In one file: credHelpers of the host, credsStore,
 * auths (containers' files: the longest HOST/PATH that the repository begins
 * with; Docker's: also keys as https://HOST/v1/). Docker Hub is asked for as
 * https://index.docker.io/v1/. A file that is not there (or in a folder closed
 * to us) or has no entry is passed by; one that cannot be read as JSON is
 * EB_INPUT naming it and where.
 * (containers-auth.json(5); docker-credential-helpers; facts oci 2.3)
 */
#ifndef EB_CREDENTIAL_H
#define EB_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

/* Texts of a login are zeroed when it is released. */
struct eb_credential {
	char *user, *password; /* both or none */
	char *identity_token;  /* OAuth2 refresh token, or NULL */
	char *registry_token;  /* bearer token to use as it is, or NULL */
	char *from;	       /* "/root/.docker/config.json", for messages */
};
void eb_credential_release(struct eb_credential *c);
/* free() of a text that is a secret: zeroed first. NULL is fine. */
void eb_secret_free(char *secret);
/* A file of secrets. 1, 0 there is none (or it is in a folder closed to us),
 * -1. `out` is not initialized before, and is released by the other one. */
int eb_secret_read(const char *path, size_t max, struct eb_buf *out,
		   struct eb_error *err);
/* A JSON object, its texts zeroed when it is freed (NULL is fine). EB_INPUT
 * with the place, without its words. */
json_t *eb_secret_json(const char *text, size_t len, const char *name,
		       struct eb_error *err);
void eb_secret_json_free(json_t *j);
/* The value of a header field, "Basic ...". */
char *eb_basic_value(const char *user, const char *password);
/* Both alphabets, with padding or without; NULL when it is none. A NUL is
 * behind the `*n` bytes. */
char *eb_base64_decode(const char *text, size_t len, size_t *n);

/* 1 found, 0 anonymous, -1. A helper that is not installed: EB_MACHINE; one
 * that ends badly: EB_REFUSED with its last line, which is redacted. Helpers
 * get 30 s. `host` as in a reference ("docker.io", "localhost:5000"). */
int eb_credential_find(const char *host, const char *repository,
		       struct eb_credential *out, struct eb_error *err);

/* certs.d/HOST[:PORT]/ of ~/.config/containers, /etc/containers, /etc/docker:
 * *.crt are the CAs (their texts joined: PEM in memory), x.cert with x.key the
 * client's. 1 there is such a folder with something in it, 0 none. */
struct eb_host_tls {
	char *ca;	  /* PEM text of all, or NULL */
	char *cert, *key; /* paths, or NULL */
};
int eb_host_tls_find(const char *host, struct eb_host_tls *out,
		     struct eb_error *err);
void eb_host_tls_release(struct eb_host_tls *t);

/*
 * registries.conf (version 2): CONTAINERS_REGISTRIES_CONF, else
 * ~/.config/containers/registries.conf, else /etc/containers/registries.conf,
 * with its .d folder's *.conf in order of name. Of each [[registry]]: prefix,
 * location, insecure, blocked, and [[registry.mirror]] location, insecure,
 * pull-from-mirror (all, digest-only, tag-only), mirror-by-digest-only. The
 * longest prefix counts. For pulls alone. Other keys are passed by; what is no
 * TOML of that shape is EB_INPUT with file:line.
 */
struct eb_place { /* where a repository can be read */
	char *host, *repository;
	bool insecure; /* http or any certificate is allowed */
	bool mirror;   /* no credentials of the original go there */
};
/* For host/repository: mirrors that serve this kind of reference, in order,
 * then the location itself. EB_REFUSED when it is blocked. Caller frees with
 * eb_places_release. */
int eb_places_find(const char *host, const char *repository, bool by_digest,
		   struct eb_place **out, size_t *n, struct eb_error *err);
void eb_places_release(struct eb_place *p, size_t n);

#endif
